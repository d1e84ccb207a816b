/* plan/gate_file: what a gate file asks of two sets of runs, every default filled in. */
#ifndef RAWTPS_PLAN_GATE_FILE_H
#define RAWTPS_PLAN_GATE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum { GATE_PATH = 512, GATE_GLOBS = 8, GATE_METRICS = 32, GATE_SAME = 32, GATE_WORDS = 64 };

/* What an absolute limit of a metric is written in. */
enum gate_unit { GATE_NUMBER, GATE_DURATION, GATE_SHARE };

/*
 * The words that a gate file may use, given by whoever knows runs: this room does not.
 *   metrics   names, and what their limits are written in
 *   same      what may be asked to be equal
 */
struct gate_words {
    const char *metrics[GATE_WORDS];
    enum gate_unit units[GATE_WORDS];
    uint32_t metric_count;
    const char *same[GATE_SAME];
    uint32_t same_count;
};

/* A place that says which value of the file a message is about. */
struct gate_place {
    int line, column;
};

struct gate_side {
    char label[64];
    char runs[GATE_GLOBS][GATE_PATH]; /* globs, relative to the file */
    struct gate_place places[GATE_GLOBS];
    uint32_t run_count;
    char tag[64];  /* only runs of this label; "" all */
    uint32_t last; /* only the last so many; 0 all */
};

struct gate_require {
    uint32_t same[GATE_SAME]; /* indices of gate_words.same, each once */
    uint32_t same_count;
    bool like_workload, steady_state;
    uint64_t errors, stamp_errors;
    double throttle_seconds, concurrency_tolerance;
    uint32_t min_runs;
};

enum gate_pairing { GATE_PAIRING_AUTO, GATE_PAIRING_ABBA, GATE_PAIRING_NONE };
enum gate_inconclusive { GATE_INCONCLUSIVE_FAIL, GATE_INCONCLUSIVE_PASS, GATE_INCONCLUSIVE_MORE };
extern const char *const gate_pairing_names[3], *const gate_inconclusive_names[3];

struct gate_design {
    uint32_t pairing, on_inconclusive; /* enums above */
    double alpha, power;
    uint32_t max_runs;
};

enum gate_by { GATE_BY_BOUND, GATE_BY_POINT };

/* A row. Shares that were not given are NAN, limits too. */
struct gate_metric {
    uint32_t metric; /* index of gate_words.metrics */
    char scope[32];  /* aggregate, each_vm, or the name of a VM */
    double margin;   /* 0.02: at most 2 % worse */
    double improve_min;
    double most, least; /* absolute limits, in ns for durations */
    uint32_t by;        /* enum gate_by: what the limits are held against */
    bool equivalence, optional, advisory;
    struct gate_place place;
};

struct gate_history {
    bool given;
    char runs[GATE_GLOBS][GATE_PATH];
    struct gate_place places[GATE_GLOBS];
    uint32_t run_count, window;
    double p, min_change;
    bool advisory;
};

struct gate_outputs {
    char junit[256], markdown[256], json[256], html[256]; /* relative to the working directory */
};

struct gate_file {
    const char *path; /* as given; outlives this */
    char dir[256];    /* what globs are relative to, with its '/'; "" the working directory */
    char name[128];
    struct gate_side baseline, candidate;
    struct gate_require require;
    struct gate_design design;
    struct gate_metric metrics[GATE_METRICS];
    uint32_t metric_count;
    struct gate_history history;
    struct gate_outputs outputs;
};

/*
 * Read a gate file. Errors: EXIT_USAGE with file:line:column, what was expected, and for a word
 * that is none of its table the nearest; EXIT_FAILED if the file cannot be read.
 *   path   must outlive ret
 */
int gate_file_read(const char *path, const struct gate_words *words, struct gate_file *ret,
                   struct error *err);

/* docs/GATE.md, whole, and `rawtps help gate-file`: the keys of a gate file. Appends to ret. */
void gate_file_document(struct text *ret);

#endif
