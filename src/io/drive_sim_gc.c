#include "drive_sim_gc.h"

#include "base/dist.h"
#include "base/rng.h"

#include <string.h>

enum {
    UPDATE_EVERY = 256,
    COLLISIONS = 256, /* before an estimate of the span is believed: within 12 % by then */
    EPOCH = 4,        /* samples an extent */
};

double sim_gc_amplification(double spare)
{
    double low = 0, high = 1, u;

    if (spare < 1.001) {
        spare = 1.001;
    }
    if (spare > 40) {
        return 1;
    }
    /* -ln u - spare (1 - u) falls through 0 once before 1 / spare, its minimum */
    high = 1 / spare;
    for (int i = 0; i < 50; i++) {
        u = (low + high) / 2;
        if (-dist_ln(u) > spare * (1 - u)) {
            low = u;
        } else {
            high = u;
        }
    }
    return 1 / (1 - (low + high) / 2);
}

/* The n of which w draws touch d different ones. */
static double span_extents(double w, double d, double most)
{
    double low = 1e-6, high = 700, x;

    /* with x = w / n: (1 - e^-x) / x = d / w, falling in x */
    for (int i = 0; i < 50; i++) {
        x = (low + high) / 2;
        if ((1 - dist_exp(-x)) / x > d / w) {
            low = x;
        } else {
            high = x;
        }
    }
    x = w / high;
    return x < most ? (x > 1 ? x : 1) : most;
}

static void update_span(struct sim_gc *gc)
{
    bool over = gc->sampled >= EPOCH * gc->extents && gc->sampled >= COLLISIONS;

    if (over || (!gc->known && gc->sampled - gc->different >= COLLISIONS)) {
        double bytes = span_extents(gc->sampled, gc->different, gc->extents) *
                       (double)(1ull << gc->extent_shift);

        gc->span_bytes = bytes < (double)gc->capacity_bytes ? bytes : (double)gc->capacity_bytes;
    }
    if (over) {
        gc->known = true;
        gc->sampled = gc->different = 0;
        memset(gc->touched, 0, sizeof(gc->touched));
    }
}

static void update(struct sim_gc *gc)
{
    double spare_bytes, random;

    gc->until_update = UPDATE_EVERY;
    update_span(gc);
    if (gc->erased_bytes > 0) {
        gc->now = 1;
        return;
    }
    spare_bytes = (double)gc->flash_bytes - (double)gc->live_bytes;
    random = sim_gc_amplification(1 + spare_bytes / gc->span_bytes);
    gc->now = 1 + gc->fragmentation * (random - 1);
}

static inline uint64_t extent_bytes(const struct sim_gc *gc, uint64_t extent)
{
    uint64_t begin = extent << gc->extent_shift, whole = 1ull << gc->extent_shift;

    return gc->capacity_bytes - begin < whole ? gc->capacity_bytes - begin : whole;
}

void sim_gc_init(struct sim_gc *gc, const struct drive_sim_params *params)
{
    uint64_t capacity = params->capacity_bytes;

    gc->fixed = params->write_amplification;
    gc->now = gc->fixed;
    gc->capacity_bytes = gc->live_bytes = capacity;
    gc->flash_bytes = (uint64_t)((double)capacity * (1 + params->over_provisioning));
    gc->fragmentation = 1;
    gc->span_bytes = (double)capacity / 4;
    gc->extent_shift = 20;
    while ((capacity - 1) >> gc->extent_shift >= GC_EXTENTS) {
        gc->extent_shift++;
    }
    gc->extents = (uint32_t)((capacity - 1) >> gc->extent_shift) + 1;
    for (uint32_t e = 0; e < gc->extents; e++) {
        gc->filled_bytes[e] = (uint32_t)extent_bytes(gc, e);
    }
    for (uint32_t i = 0; i < GC_STREAMS; i++) {
        gc->ends[i] = UINT64_MAX;
    }
    if (gc->fixed <= 0) {
        update(gc);
    }
}

static inline bool follows(struct sim_gc *gc, uint64_t offset, uint32_t bytes)
{
    uint64_t end = offset + bytes;
    bool ret = gc->ends[rng_hash(offset) % GC_STREAMS] == offset;

    gc->ends[rng_hash(end) % GC_STREAMS] = end;
    return ret;
}

/* Of bytes written at random into an extent the share that is free lands where nothing was. */
static inline void fill(struct sim_gc *gc, uint64_t offset, uint64_t bytes, bool random)
{
    uint64_t whole = 1ull << gc->extent_shift;

    while (bytes > 0) {
        uint64_t extent = offset >> gc->extent_shift, in = offset & (whole - 1);
        uint64_t part = bytes < whole - in ? bytes : whole - in;
        uint64_t size = extent_bytes(gc, extent), free = size - gc->filled_bytes[extent];

        if (free > 0) {
            uint64_t more = random ? part * free / size : part;

            more = more < free ? more : free;
            gc->filled_bytes[extent] += (uint32_t)more;
            gc->live_bytes += more;
        }
        offset += part;
        bytes -= part;
    }
}

static inline void sample(struct sim_gc *gc, uint64_t extent)
{
    uint64_t bit = 1ull << (extent % 64), *word = &gc->touched[extent / 64];

    gc->sampled++;
    gc->different += (*word & bit) == 0;
    *word |= bit;
}

double sim_gc_write(struct sim_gc *gc, uint64_t offset, uint32_t bytes)
{
    double host = bytes, media;

    if (gc->fixed <= 0) {
        bool random = !follows(gc, offset, bytes);
        double memory = gc->span_bytes > host ? gc->span_bytes : host;

        fill(gc, offset, bytes, random);
        if (random) {
            sample(gc, offset >> gc->extent_shift);
        }
        gc->fragmentation += ((random ? 1 : 0) - gc->fragmentation) * (host / memory);
        if (--gc->until_update == 0) {
            update(gc);
        }
    }
    media = host * gc->now;
    gc->erased_bytes -= media;
    gc->host_bytes += host;
    gc->media_bytes += media;
    return media;
}

void sim_gc_trim(struct sim_gc *gc, uint64_t offset, uint64_t bytes)
{
    uint64_t end = offset + bytes;

    while (offset < end) {
        uint64_t extent = offset >> gc->extent_shift;
        uint64_t stop = (extent + 1) << gc->extent_shift, part;

        stop = stop < end ? stop : end;
        part = stop - offset;
        part = part < gc->filled_bytes[extent] ? part : gc->filled_bytes[extent];
        gc->filled_bytes[extent] -= (uint32_t)part;
        gc->live_bytes -= part;
        offset = stop;
    }
    if (gc->live_bytes == 0) {
        gc->erased_bytes = (double)gc->flash_bytes;
    }
    if (gc->fixed <= 0) {
        update(gc);
    }
}
