/* workload/sql_procedures: TPC-C's transactions as stored procedures, one round trip each. */
#ifndef RAWTPS_WORKLOAD_SQL_PROCEDURES_H
#define RAWTPS_WORKLOAD_SQL_PROCEDURES_H

#include "base/text.h"
#include "workload/sql_text.h"

uint32_t sql_procedures_count(void);
/*
 * Statement i that makes them (they may be there), and that drops procedure i if it is there;
 * appended to ret. False: no more.
 */
bool sql_procedures_create(enum sql_text_dialect dialect, uint32_t i, struct text *ret);
bool sql_procedures_drop(enum sql_text_dialect dialect, uint32_t i, struct text *ret);

#endif
