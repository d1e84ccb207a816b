/* result/schema: docs/RESULT.md, from the table that run.json is written and read by. */
#ifndef RAWTPS_RESULT_SCHEMA_H
#define RAWTPS_RESULT_SCHEMA_H

struct text;

/* The whole of docs/RESULT.md: exit codes, files of a run directory, keys of run.json. */
void result_schema_markdown(struct text *ret);
/* Its first part alone: the exit codes of the program, a Markdown table. */
void result_schema_exits(struct text *ret);

#endif
