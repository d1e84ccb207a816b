/* io/uring_pace: how many answers a waiting loop sleeps for. */
#ifndef RAWTPS_IO_URING_PACE_H
#define RAWTPS_IO_URING_PACE_H

#include <stdint.h>

/*
 * Waking up costs more than an answer does. Where answers come fast, to sleep for the next few
 * instead of the very next saves most of the wake-ups, and the drive gets its next requests in
 * larger batches. What is answered first waits for the last of them: for an eighth of what is in
 * flight at most, therefore (by Little's law) for an eighth of the drive's latency, and for
 * PACE_MOST_NS. Below PACE_LEAST in flight, or where answers come slowly, nothing waits. Where they
 * suddenly do, PACE_GUARD_NS ends it; a shorter one costs a tenth of the CPU time of an answer, as
 * it has the hardware's timer set anew each time (measured: 200 us against 1 ms).
 */
enum { PACE_SHARE = 8, PACE_LEAST = 2 * PACE_SHARE };
static const int64_t PACE_MOST_NS = 100000, PACE_GUARD_NS = 1000000;

struct uring_pace {
    int64_t span_ns, answers; /* of the last turns, older ones counting less; 0: not known */
    int64_t reaped_ns;        /* when some came last */
};

/* n answers came until now_ns. */
static inline void uring_pace_note(struct uring_pace *pace, uint32_t n, int64_t now_ns)
{
    pace->span_ns += now_ns - pace->reaped_ns - pace->span_ns / 8;
    pace->answers += n - pace->answers / 8;
    pace->reaped_ns = now_ns;
}

/* 1 or more answers, with `flying` requests in the kernel. */
static inline uint32_t uring_pace_wanted(const struct uring_pace *pace, uint32_t flying)
{
    int64_t share = flying / PACE_SHARE, most;

    if (flying < PACE_LEAST || pace->answers < 8) {
        return 1;
    }
    most = PACE_MOST_NS * pace->answers / (pace->span_ns + 1);
    share = share < most ? share : most;
    return share > 1 ? (uint32_t)share : 1;
}

/* No answer came for as long as several were waited for: the next is waited for alone. */
static inline void uring_pace_lost(struct uring_pace *pace)
{
    pace->span_ns = pace->answers = 0;
}

#endif
