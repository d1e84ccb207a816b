/* workload/block: bare requests: sizes, read share, places. fio's and vdbench's shapes. */
#ifndef RAWTPS_WORKLOAD_BLOCK_H
#define RAWTPS_WORKLOAD_BLOCK_H

#include "workload/workload.h"

enum { BLOCK_SIZES = 12, BLOCK_STREAMS = 4 };

struct block_size {
    uint32_t bytes;
    double share;
};

struct block_stream {
    char name[24];
    double share;                /* of requests; all streams sum to 1 */
    double read;                 /* share of reads; the rest are writes */
    double random;               /* share at random places; the rest are sequential */
    double hot_share, hot_range; /* hot_share of random requests fall into the first hot_range */
    struct block_size read_sizes[BLOCK_SIZES], write_sizes[BLOCK_SIZES];
    uint32_t read_size_count, write_size_count;
    double from, to; /* part of the range, 0 to 1; to 0 is 1 */
};

struct block_settings {
    struct block_stream streams[BLOCK_STREAMS];
    uint32_t stream_count;
    uint32_t users;       /* outstanding requests, over all streams */
    uint64_t range_bytes; /* offsets lie in [0, range_bytes) */
    uint32_t align_bytes; /* offsets are multiples of the request's size, at least of this */
    uint64_t seed;
};

/*
 * A transaction is one request; its kind is its stream. Sequential requests of a stream share one
 * cursor, which begins at the stream's part and starts over at its end. An offset is a multiple of
 * both size and align_bytes (0: 512), so sequential requests of unequal sizes leave gaps. Shares
 * of sizes count in proportion to their sum. NULL if a setting is out of range, a size is no
 * multiple of 512, or a request fits nowhere in its stream's part.
 */
struct workload *block_open(const struct block_settings *settings, struct error *err);
uint32_t block_largest_bytes(const struct block_settings *settings);
/* The largest power of two of which all sizes, and so all offsets, are multiples. */
uint32_t block_unit_bytes(const struct block_settings *settings);

#endif
