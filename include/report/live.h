/* report/live: a run in progress, as text for a terminal. */
#ifndef RAWTPS_REPORT_LIVE_H
#define RAWTPS_REPORT_LIVE_H

#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

enum { LIVE_VMS = 64, LIVE_WARNINGS = 8, LIVE_HISTORY = 64, LIVE_LINES = LIVE_VMS + 16 };

/*
 * Throughput of the whole run in at most LIVE_HISTORY values: when they are all used, neighbours
 * are joined and each stands for twice the time. All zero but step_ns is empty.
 */
struct live_history {
    int64_t step_ns;  /* time a value stands for; the caller sets the interval's length at first */
    int64_t first_ns; /* the interval's length; set by live_history_add */
    uint32_t count;
    double values[LIVE_HISTORY];
    double sum; /* of the value that is being filled */
    uint32_t joined;
};
/* One interval's TPS; allocates nothing. */
void live_history_add(struct live_history *history, double tps);

/* A row: one VM, or all. Latencies are response times over the phase so far; 0 if none. */
struct live_row {
    double tps_now, tps_avg; /* the last interval; the phase so far */
    int64_t avg_ns, p50_ns, p95_ns, p99_ns, p99_9_ns, max_ns, stddev_ns;
    double read_mb_s, write_mb_s;
    double hit_ratio; /* NAN: no pool */
    uint64_t errors;  /* failed transactions and requests */
};

struct live_frame {
    char scenario[64], drive[160];
    char phase[24], next_phase[24]; /* next_phase "" in the last one */
    int64_t elapsed_ns, length_ns;  /* of this phase; length 0: not known beforehand */
    int64_t at_ns;                  /* since the start barrier */
    int64_t eta_ns;                 /* to the end of the run; negative: not known */
    bool iops;                      /* bare requests: say IOPS, not TPS */
    uint32_t vm_count;
    uint64_t users;      /* of each VM; 0: they differ, not said */
    char users_word[24]; /* "users", "threads", "outstanding" */
    struct live_row vms[LIVE_VMS], all;
    double concurrency;         /* X (R + Z) so far */
    double users_total;         /* N; 0: open loop, not said */
    char audit[24];             /* verdict so far: "ok" ...; "" if too early */
    double statements_per_s[3]; /* reads, writes, others a second; for the sysbench style */
    const char *const
        *warnings; /* sticky lines, the newest last; the last LIVE_WARNINGS are shown */
    uint32_t warning_count;
    struct live_history history;
};

/* What the terminal shows now. All zero: nothing of ours yet. */
struct live_view {
    uint32_t lines;              /* that the last frame took */
    uint16_t widths[LIVE_LINES]; /* columns of each */
};

/*
 * The bytes that turn the last frame into this one: cursor up, each line rewritten and its rest
 * cleared, lines left over cleared. No alternate screen, so the last frame stays. Lines are cut to
 * `width`, columns that do not fit are left out. After a resize the old lines may have been wrapped
 * by the terminal: as many rows as they then took are overwritten.
 * Allocates nothing if ret has 64 KiB reserved.
 *   height  rows of the terminal; VMs that do not fit are left out and said; 0: no limit
 */
void live_draw(struct live_view *view, const struct live_frame *frame, uint32_t width,
               uint32_t height, bool colour, struct text *ret);
/* The frame as plain lines without control characters, as for a log. */
void live_plain(const struct live_frame *frame, uint32_t width, struct text *ret);

#endif
