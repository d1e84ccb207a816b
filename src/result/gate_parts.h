/* result/gate_parts: the steps of judging a gate, each in a file of its own. */
#ifndef RAWTPS_RESULT_GATE_PARTS_H
#define RAWTPS_RESULT_GATE_PARTS_H

#include "result/gate.h"

/* gate_checks.c: what must hold first. */
void gate_check_all(struct gate *gate);
bool gate_check_broken(const struct gate *gate, const char *name);

/* gate_rows.c: every row of the file in every scope. Errors: -ENOMEM. */
int gate_rows_judge(struct gate *gate, struct error *err);

/* gate_say.c: why a row has its verdict, and what to do next. */
void gate_say_row(const struct gate *gate, struct gate_row *row);
void gate_say_answer(struct gate *gate);

/* gate_history.c: change points. Errors: -ENOMEM. */
int gate_history_judge(struct gate *gate, struct error *err);

#endif
