#include "result/window.h"

#include "stats/moments.h"
#include <math.h>
#include <string.h>

struct sums {
    double ended, mean, square; /* weighted by what ended in each interval */
    double accesses, hits;
    struct moments tps;
    int64_t full_ns; /* length of a full interval */
};

static bool belongs(const struct result_interval *row, int32_t vm, const char *phase)
{
    return row->vm == vm && (!phase || strcmp(row->phase, phase) == 0);
}

/* A file may say anything. */
static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static void add(struct result_window *window, struct sums *sums, const struct result_interval *row)
{
    double ended = (double)row->done + (double)row->rolled_back;

    window->whole = window->intervals == 0 || (window->whole && row->start_ns == window->until_ns);
    window->from_ns = window->intervals == 0 ? row->start_ns : window->from_ns;
    window->until_ns = plus(row->start_ns, row->length_ns);
    window->intervals++;
    window->due += row->due;
    window->done += row->done;
    window->rolled_back += row->rolled_back;
    window->failed += row->failed;
    window->skipped += row->skipped;
    window->retries += row->retries;
    window->read_bytes += row->read_bytes;
    window->write_bytes += row->write_bytes;
    window->flushes += row->flushes;
    window->pause_ns = plus(window->pause_ns, row->pause_ns);
    window->max_ns = row->max_ns > window->max_ns ? row->max_ns : window->max_ns;
    if (row->page_accesses > 0) { /* hit_ratio is NAN elsewhere */
        sums->accesses += (double)row->page_accesses;
        sums->hits += (double)row->page_accesses * row->hit_ratio;
    }
    sums->ended += ended;
    sums->mean += ended * row->mean_ns;
    sums->square += ended * (row->mean_ns * row->mean_ns + row->stddev_ns * row->stddev_ns);
    /* in real time an interval ends some microseconds after its tick */
    if (row->length_ns > 0 && row->length_ns >= sums->full_ns - sums->full_ns / 50) {
        moments_add(&sums->tps, row->tps);
    }
}

void result_window_of(const struct result_interval *rows, uint64_t count, int32_t vm,
                      const char *phase, struct result_window *ret)
{
    struct result_window window = {0};
    struct sums sums = {0};
    double seconds, mean;

    for (uint64_t i = 0; i < count; i++) {
        if (belongs(&rows[i], vm, phase) && rows[i].length_ns > sums.full_ns) {
            sums.full_ns = rows[i].length_ns;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        if (belongs(&rows[i], vm, phase)) {
            add(&window, &sums, &rows[i]);
        }
    }
    seconds = ((double)window.until_ns - (double)window.from_ns) / 1e9;
    if (seconds > 0) {
        window.tps = (double)window.done / seconds;
        window.read_mb_s = (double)window.read_bytes / 1e6 / seconds;
        window.write_mb_s = (double)window.write_bytes / 1e6 / seconds;
    }
    if (sums.ended > 0) {
        mean = sums.mean / sums.ended;
        window.mean_ns = mean;
        window.stddev_ns = sqrt(fmax(0, sums.square / sums.ended - mean * mean));
    }
    window.hit_ratio = sums.accesses > 0 ? sums.hits / sums.accesses : NAN;
    window.tps_cv = moments_cv(&sums.tps);
    window.worst_second_tps = sums.tps.min;
    *ret = window;
}
