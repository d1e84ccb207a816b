/* result/set_rows: the questions that decide whether sets of runs may be compared. */
#ifndef RAWTPS_RESULT_SET_ROWS_H
#define RAWTPS_RESULT_SET_ROWS_H

#include "result/set.h"

struct set_answer {
    char text[240];
    char files[72]; /* SHA-256 of files that tell apart what has the same text; "" unknown */
    double number;  /* NAN: it is none */
    bool broken;    /* of an invariant */
};

struct set_question {
    const char *name, *title;
    bool strict, invariant;
    double near, share; /* numbers so near, or so near as a share of the least, are the same */
    bool (*ask)(const struct result *result, struct set_answer *ret); /* false: not known */
};
extern const struct set_question set_questions[];
extern const uint32_t set_question_count;

#endif
