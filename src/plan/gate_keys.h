/* plan/gate_keys: the tables of keys that gate files are read by. */
#ifndef RAWTPS_PLAN_GATE_KEYS_H
#define RAWTPS_PLAN_GATE_KEYS_H

#include "plan/gate_file.h"
#include "scenario.h"

/* What must be equal where `require.same` is left out. */
#define GATE_SAME_DEFAULT                                                                          \
    "scenario, scale, sample, virtual_time, vms, capacity, lba_format, serial, host, kernel, link"

enum gate_section {
    GATE_SECTION_TOP,     /* struct gate_top */
    GATE_SECTION_SIDE,    /* struct gate_side_text */
    GATE_SECTION_REQUIRE, /* struct gate_require */
    GATE_SECTION_DESIGN,  /* struct gate_design */
    GATE_SECTION_METRIC,  /* struct gate_metric_text */
    GATE_SECTION_HISTORY, /* struct gate_history_text */
    GATE_SECTION_OUTPUTS, /* struct gate_outputs */
    GATE_SECTIONS
};
const struct section *gate_keys_of(enum gate_section id);

struct gate_top {
    uint32_t version;
    char name[128];
};

/* Runs as they are written: one glob, or a list that its reader takes apart. */
struct gate_side_text {
    const char *runs;
    struct gate_side side;
};
struct gate_history_text {
    const char *runs;
    struct gate_history history;
};

/* A row as it is written: what its limits mean depends on the metric. */
struct gate_metric_text {
    const char *metric, *most, *least;
    struct gate_metric row;
};

#endif
