/* engine/load_crew: several connections that carry out the items of one list, each in a thread. */
#ifndef RAWTPS_ENGINE_LOAD_CREW_H
#define RAWTPS_ENGINE_LOAD_CREW_H

#include <pthread.h>
#include <stdatomic.h>

#include "sql/sql.h"

struct load_crew;

/* One of them. */
struct load_hand {
    struct load_crew *crew;
    struct sql_plain *plain;
    pthread_t thread;
};

struct load_crew {
    const struct sql_url *url;
    const char *session; /* what every connection says first; "" for nothing */
    uint32_t hands;
    uint32_t items;
    /* Carry out item i; what it returns, if negative, ends all work, with `err`. */
    int (*item)(void *context, struct load_hand *hand, uint32_t i, struct error *err);
    void *context;
    const volatile int *stop;    /* NULL: nobody can ask */
    void (*look)(void *context); /* by the caller's thread, about 5 times a second */

    atomic_uint next, done, hands_busy;
    atomic_ullong rows;
    atomic_bool failed;
    pthread_mutex_t lock;
    struct error error; /* the first one; under lock */
};

static inline bool load_crew_stopping(struct load_crew *crew)
{
    return atomic_load_explicit(&crew->failed, memory_order_relaxed) ||
           (crew->stop != NULL && *crew->stop != 0);
}

/* All items, or the first error; EXIT_INTERRUPTED if stopped. */
int load_crew_run(struct load_crew *crew, struct error *err);

#endif
