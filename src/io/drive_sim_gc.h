/* io/drive_sim_gc: how many bytes of flash a simulated drive programs for each byte written. */
#ifndef RAWTPS_IO_DRIVE_SIM_GC_H
#define RAWTPS_IO_DRIVE_SIM_GC_H

#include "io/drive_types.h"

/*
 * No flash block is simulated: the state is how full each extent is, what span random writes cover,
 * and how much of the data was written at random; the write amplification follows from these.
 *
 *   WA      = 1 + fragmentation x (WA of uniform random writes at the spare factor - 1)
 *   spare   = 1 + (flash - live data) / span of the random writes: cold data keep none of the spare
 *   span    from the extents that a sample of random writes touched: d different ones of w are
 *           expected to be n (1 - e^(-w/n)) of n; solved for n. Skew within the span is not
 * modelled. fragmentation  the random share of the bytes written, with a memory of one span:
 * overwriting a randomly written span in order is as costly at first, and cheap once it is through
 *
 * At open the drive is full and was rewritten at random over a quarter of it, the labs'
 * preconditioning. Trimming all of it gives a drive fresh out of the box: WA is 1 until the flash
 * has been programmed once.
 */
enum {
    GC_EXTENTS = 1 << 16, /* at most; each at least 1 MiB */
    GC_STREAMS = 1 << 10, /* ends of sequential streams remembered */
};

struct sim_gc {
    double fixed; /* write amplification by decree; 0: worked out */
    double now;   /* the write amplification now */
    uint64_t capacity_bytes, flash_bytes, live_bytes;
    double fragmentation;
    double span_bytes;
    double erased_bytes; /* flash not programmed since it was fresh */
    double host_bytes, media_bytes;
    uint32_t extents, extent_shift;
    uint32_t until_update;
    uint32_t sampled, different; /* random writes of this epoch, and extents that they touched */
    bool known;                  /* an epoch is over, so span_bytes is good */
    uint64_t ends[GC_STREAMS];
    uint64_t touched[GC_EXTENTS / 64];
    uint32_t filled_bytes[GC_EXTENTS]; /* live data of each extent */
};

void sim_gc_init(struct sim_gc *gc, const struct drive_sim_params *params);
/* bytes > 0 were written; returns the bytes of flash that this programs. 10 to 30 ns. */
double sim_gc_write(struct sim_gc *gc, uint64_t offset, uint32_t bytes);
void sim_gc_trim(struct sim_gc *gc, uint64_t offset, uint64_t bytes);

/*
 * Write amplification of uniform random writes, victims taken oldest first (close to greedy).
 *   spare    flash / live data, > 1
 *   source   Xiang and Kurkoski 2011 (arXiv:1110.4245), Desnoyers 2012: a / (a + W(-a e^-a)), W
 *            Lambert's; here as 1 / (1 - u) with u the valid share of a victim, -ln u = a (1 - u)
 */
double sim_gc_amplification(double spare);

#endif
