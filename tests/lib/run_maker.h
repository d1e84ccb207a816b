/* lib/run_maker: run directories as a run would have left them, of figures that a test chooses. */
#ifndef RAWTPS_TESTS_RUN_MAKER_H
#define RAWTPS_TESTS_RUN_MAKER_H

#include "result/result.h"

/* Zero takes what stands behind. Closed loops without think time: latency is users / tps. */
struct run_recipe {
    double tps;       /* of each VM; 100 */
    uint32_t users;   /* of each VM; 4 */
    uint32_t vms;     /* 1 */
    uint32_t seconds; /* of the sample; 60 */
    double tail;      /* the slowest 2 % take so many times as long; 1 */
    double held;      /* X (R + Z) as a share of the users; 1 */
    uint64_t seed;    /* 1 */
    bool virtual_time;
    const char *ended;                                                    /* "complete" */
    const char *label, *model, *serial, *firmware, *kernel, *form_factor; /* "", "D1", ... */
    uint64_t stamp_errors;
    uint32_t minute; /* started at 2026-01-01T00:<minute>:00Z and so on */
    struct result_pair pair;
    bool no_files;                      /* run.json alone */
    const char *settings, *scenario;    /* "", "points" */
    const char *config_sum, *model_sum; /* of its VM config, its drive model; none */
    const char *kind;                   /* of its transactions; "point" */
    struct result_link link;
    double celsius, throttled_s; /* over the whole sample; 0: unknown, unless celsius is known */
};

/* The result alone; the caller frees it. */
void run_maker_result(const struct run_recipe *recipe, const char *id, struct result *ret);
/* A directory with run.json, intervals.csv, latency.hlog. must() fails if it cannot be made. */
void run_maker_dir(const struct run_recipe *recipe, const char *path);
/* A directory under /tmp that is empty and of the test alone; run_maker_clear() removes it. */
void run_maker_place(char ret[64]);
void run_maker_clear(const char *place);

#endif
