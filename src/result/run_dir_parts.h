/* result/run_dir_parts: names that the writer and the reader of a run directory share. */
#ifndef RAWTPS_RESULT_RUN_DIR_PARTS_H
#define RAWTPS_RESULT_RUN_DIR_PARTS_H

#define RUN_INTERVALS "intervals.csv"
#define RUN_DOCUMENT  "run.json"
#define RUN_LATENCY   "latency.hlog"

#endif
