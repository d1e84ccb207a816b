/* result/gate: may these runs pass: the rules of a gate file held against two sets of runs. */
#ifndef RAWTPS_RESULT_GATE_H
#define RAWTPS_RESULT_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/gate_file.h"
#include "result/set.h"
#include "stats/changepoint.h"

/* In the order of what counts where several apply. */
enum gate_verdict {
    GATE_PASS,
    GATE_SKIPPED,      /* optional, and the runs do not have it */
    GATE_INCONCLUSIVE, /* the margin lies inside the interval: exit 5 */
    GATE_FAIL,         /* worse than the margin, proven: exit 1 */
    GATE_INVALID,      /* the runs do not allow a verdict: exit 6 */
    GATE_VOID,         /* data came back wrong: exit 4 */
    GATE_VERDICTS
};
extern const char *const gate_verdict_names[GATE_VERDICTS]; /* "PASS", ... */

/* The words for gate_file_read(). */
void gate_words_here(struct gate_words *ret);

/* Something that must hold, or be the same, before rows count. */
struct gate_check {
    const char *name, *title;  /* as of set_row: "lba_format", "LBA format" */
    enum gate_verdict verdict; /* PASS, INVALID or VOID */
    bool asked;                /* by the file; else it is told only */
    bool unknown;              /* some run does not tell */
    bool differs;              /* between or within the sides; invariant: it does not hold */
    bool invariant;            /* must hold, whatever the other side has */
    char values[2][SET_VALUE]; /* of the baseline and the candidate; "" unknown */
    char message[640], next[200];
};

/* A row of the file and one scope. Shares are signed so that + is better; NAN: not known. */
struct gate_row {
    const struct gate_metric *rule;
    const struct set_metric *metric;
    int32_t vm; /* -1: the aggregate */
    char scope[32];
    enum gate_verdict verdict;
    enum gate_verdict by_margin, by_limit; /* SKIPPED where the file does not ask */
    double a, b;                           /* geometric means, in the metric's unit */
    uint32_t n_a, n_b;                     /* runs; pairs if paired */
    double change, low, high;              /* with the bounds, one-sided 1 - alpha each */
    double limit;                          /* the change that is still allowed, or asked for */
    double mde;                            /* the smallest change that is seen, a share */
    double cv;                             /* from run to run, a share */
    uint32_t runs_needed;                  /* a side in all; 0: enough */
    bool capped;                           /* more than that */
    bool regressed;                        /* worse, proven, yet within the margin */
    double held;                           /* against the absolute limit, in the metric's unit */
    bool held_above;                       /* the limit is `max`, else `min` */
    char message[640], next[240];
};

/* Where a series of runs became different. */
struct gate_change {
    const struct set_metric *metric;
    struct changepoint point;
    const char *run; /* the first that is different */
    bool worse;
};

enum { GATE_CHECKS = SET_ROWS + 4, GATE_CHANGES = 64 };

struct gate {
    const struct gate_file *file;
    struct set baseline, candidate, history;
    struct gate_check checks[GATE_CHECKS];
    uint32_t check_count;
    struct gate_row *rows;
    uint32_t row_count;
    struct gate_change changes[GATE_CHANGES];
    uint32_t change_count;
    struct set_pair *pairs;
    uint32_t pair_count; /* 0: two independent sets */
    bool one_run;        /* one candidate, judged by the baseline's spread */
    double alpha;        /* one-sided, of one look */
    uint32_t looks;
    enum gate_verdict verdict;
    enum exit_code exit;
    uint32_t counts[GATE_VERDICTS]; /* rows that are not advisory */
    char words[360];                /* the answer in a sentence */
    char next[400];                 /* what to do next; "" nothing */
};

/*
 * Load the runs that the file names. Nothing is judged.
 *   file    outlives gate
 *   errors  EXIT_USAGE at the place in the file: no run there, a run on both sides, a run.json that
 *           is none; EXIT_FAILED. gate may be closed then.
 */
int gate_open(struct gate *gate, const struct gate_file *file, struct error *err);
void gate_close(struct gate *gate);

/* Judge it: checks, rows, history, and the answer. Errors: -ENOMEM alone. */
int gate_judge(struct gate *gate, struct error *err);

/* What a row tells its reader: does its verdict count towards the exit code? */
bool gate_row_counts(const struct gate *gate, const struct gate_row *row);
/* "tps of vm0: margin 2%", the row as the file has it. Returns buf. */
const char *gate_row_rule(const struct gate_row *row, char *buf, size_t size);
/* A figure in its metric's unit for people: "14.8ms" "8 646" "2.1%". Returns buf. */
const char *gate_row_figure(const struct set_metric *metric, double value, char *buf, size_t size);
/* A change for people: "-3.4%", finer where it is small; "-" for NAN. Returns buf. */
const char *gate_row_share(double share, char *buf, size_t size);

#endif
