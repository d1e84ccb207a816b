/* io/loop: owns time. Whatever waits, waits here; real and virtual time differ in one function. */
#ifndef RAWTPS_IO_LOOP_H
#define RAWTPS_IO_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Something that happens once at an instant. The owner embeds it (container_of) and it is the
 * loop's from loop_arm() until fire(). 32 bytes.
 */
struct timer {
    int64_t due_ns;
    uint64_t order;               /* arming order: breaks ties, so runs repeat */
    void (*fire)(struct timer *); /* may arm itself or others again */
    uint32_t slot;                /* where the loop keeps it; TIMER_IDLE if not armed */
    uint32_t spare;               /* the owner's own use */
};
enum { TIMER_IDLE = 0 };

/*
 * Somebody who waits for a socket. The owner embeds it (container_of); it is the loop's from
 * loop_poll() until loop_unpoll(), or, unless it stays, until ready(). 48 bytes.
 */
struct poll_wait {
    int fd;
    uint32_t events;  /* POLLIN, POLLOUT */
    uint32_t revents; /* what there is; POLLERR also where the kernel refuses */
    uint32_t slot;    /* where the loop keeps it; POLL_IDLE if it does not wait */
    /* ready() each time that something new arrives (read until a short read), until unpoll */
    bool stays;
    /*
     * The loop shall read too: what came is in data until ready() returns, result bytes of it; 0:
     * the other side has closed, negative: errno. Only with `stays`. After loop_poll(), and in
     * ready(), false if this loop cannot: then read as without it.
     */
    bool reads;
    int32_t result;
    const char *data;
    void (*ready)(struct poll_wait *); /* may wait again, or close the socket after loop_unpoll() */
};
enum { POLL_IDLE = 0 };

struct loop;

struct loop_ops {
    const char *name; /* "virtual" or "uring" */
    /*
     * Let time pass until until_ns (INT64_MAX: until something comes) or an earlier completion, and
     * set loop->now_ns. virtual: now = until. uring: submits what is ready, sleeps in the ring,
     * reaps, and calls the done() of what completed.
     */
    void (*wait)(struct loop *, int64_t until_ns);
    void (*close)(struct loop *);
    /* Sockets; NULL where there are none (virtual). See loop_poll(). */
    void (*poll)(struct loop *, struct poll_wait *);
    void (*unpoll)(struct loop *, struct poll_wait *);
    void (*send)(struct loop *, int fd, const char *data, uint32_t bytes); /* see loop_send() */
};

struct loop_far; /* timers of the far future, bucketed (loop.c) */

/* A near timer with its key beside it: four of them, one parent's children, fill a cache line. */
struct loop_entry {
    int64_t due_ns;
    struct timer *timer;
};

struct loop {
    const struct loop_ops *ops;
    int64_t now_ns; /* since the loop's start; in virtual time from 0 */
    uint64_t armed; /* timers armed so far: the next one's order */
    uint64_t fired;
    struct loop_entry *heap; /* near future: 4-ary heap by (due_ns, order), root at [3] */
    uint32_t count, limit;   /* count: in the heap; limit: near and far together */
    struct loop_far *far;
    uint32_t in_flight;        /* requests the world outside owes us (uring) */
    bool stop;                 /* set by anyone: loop_run() returns after the current event */
    const volatile int *asked; /* loop_run() returns between two turns when it is not 0; or NULL */
    /* from 2 on nobody waits for answers any more, in closing the loop neither; or NULL */
    const volatile int *pressed;
    struct error *fault; /* set by a drive that can go on no longer; ends the run with exit 3 */
    void *outside;       /* the implementation's own (uring: the ring) */
};

/*
 * The virtual loop. limit is the most timers that will ever be armed at once (planned memory;
 * must() fails beyond). Errors: -ENOMEM.
 */
int loop_virtual_open(struct loop *loop, uint32_t limit, struct error *err);
/* For the implementations: the part that both share. */
int loop_init(struct loop *loop, const struct loop_ops *ops, uint32_t limit, struct error *err);
void loop_close(struct loop *loop);
uint64_t loop_memory_bytes(uint32_t limit); /* what loop_init allocates */

/*
 * The timer must be idle. due_ns in the past is fired at the next turn (in order of due_ns).
 * O(log n) of the near future (about a millisecond), O(1) beyond it.
 */
void loop_arm(struct loop *loop, struct timer *timer, int64_t due_ns);
void loop_disarm(struct loop *loop, struct timer *timer); /* no effect if idle */
static inline bool timer_armed(const struct timer *timer)
{
    return timer->slot != TIMER_IDLE;
}

/*
 * Wait for a socket; only where loop_polls(). The wait must be idle, and no more may wait at once
 * than the loop was opened for. One that does not stay counts as in flight. No system call of its
 * own: it goes with the loop's next one.
 */
static inline bool loop_polls(const struct loop *loop)
{
    return loop->ops->poll != NULL;
}
static inline void loop_poll(struct loop *loop, struct poll_wait *wait)
{
    loop->ops->poll(loop, wait);
}
/* No effect if idle. ready() is not called after it; the kernel lets go of the socket at the loop's
 * next turn, so shut down what must end now. */
static inline void loop_unpoll(struct loop *loop, struct poll_wait *wait)
{
    if (wait->slot != POLL_IDLE) {
        loop->ops->unpoll(loop, wait);
    }
}

/*
 * Send with the loop's next system call. data must stay as it is until the other side has answered
 * or the socket is shut down; an error shows when it is read from. Only where loop_polls().
 */
static inline void loop_send(struct loop *loop, int fd, const char *data, uint32_t bytes)
{
    loop->ops->send(loop, fd, data, bytes);
}

/* All armed timers, near and far. */
uint32_t loop_armed_count(const struct loop *loop);

/*
 * Run until loop->stop (which the caller clears before it runs the loop again) or *loop->asked, or,
 * if until_ns is reached first, return with now_ns >= until_ns and everything due until then fired.
 * With nothing armed and nothing in flight it returns too (a loop that waits for nothing would wait
 * for ever).
 */
void loop_run(struct loop *loop, int64_t until_ns);

#endif
