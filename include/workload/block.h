/* workload/block: bare requests: sizes, read share, places. fio's and vdbench's shapes. */
#ifndef RAWTPS_WORKLOAD_BLOCK_H
#define RAWTPS_WORKLOAD_BLOCK_H

#include "workload/workload.h"

enum { BLOCK_SIZES = 8, BLOCK_STREAMS = 4 };

struct block_size {
    uint32_t bytes;
    double share;
};

struct block_stream {
    char name[24];
    double share;               /* of requests; all streams sum to 1 */
    double read;                /* share of reads; the rest are writes */
    double random;              /* share at random places; the rest are sequential */
    double hot_share, hot_range; /* hot_share of random requests fall into the first hot_range */
    struct block_size read_sizes[BLOCK_SIZES], write_sizes[BLOCK_SIZES];
    uint32_t read_size_count, write_size_count;
    double from, to;            /* part of the range, 0 to 1 */
};

struct block_settings {
    struct block_stream streams[BLOCK_STREAMS];
    uint32_t stream_count;
    uint32_t users;        /* outstanding requests, over all streams */
    uint64_t range_bytes;  /* offsets lie in [0, range_bytes) */
    uint32_t align_bytes;  /* offsets are multiples of the request's size, at least of this */
    uint64_t seed;
};

/* A transaction is one request; its kind is its stream. Sequential users share one cursor. */
struct workload *block_open(const struct block_settings *settings, struct error *err);
uint32_t block_largest_bytes(const struct block_settings *settings);

#endif
