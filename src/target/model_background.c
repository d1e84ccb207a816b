#include "model_core.h"

#include "model_postgres.h"

/*
 * Writing pages takes CPU of its own: of the server's cleaner, purge and I/O threads, and of the
 * kernel's workers, which run on whatever core there is. It is due as pages arrive, in bursts, and
 * keeps statements waiting; nobody waits for it. A core is left after a time slice: base_slice_ns
 * of Linux 6.13 for so many cores (kernel/sched/fair.c).
 */
static const int64_t SLICE_NS = 700000;
enum { THREADS_MOST = 4 }; /* innodb_purge_threads alone are as many */

uint32_t background_threads(const struct model_settings *settings)
{
    uint32_t threads = settings->cores < THREADS_MOST ? settings->cores : THREADS_MOST;

    return settings->cpu_page_write_ns > 0 ? threads : 0;
}

void background_open(struct model *m)
{
    m->background.threads = background_threads(&m->is);
    m->background.first = m->is.sessions + purge_sessions(&m->is) + vacuum_sessions(&m->is);
}

bool background_is(const struct model *m, uint32_t number)
{
    return number >= m->background.first;
}

static int64_t slice_of(const struct model *m)
{
    uint32_t cores = m->is.cores < 8 ? m->is.cores : 8;
    int64_t slice_ns = SLICE_NS;

    for (; cores > 1; cores /= 2) {
        slice_ns += SLICE_NS;
    }
    return slice_ns;
}

/* Threads that have nothing to do take a slice each of what is due. */
static void take_slices(struct model *m)
{
    struct model_background *b = &m->background;

    for (uint32_t i = 0; i < b->threads && b->due_ns > 0; i++) {
        int64_t slice_ns = slice_of(m);

        if (b->busy & 1u << i) {
            continue;
        }
        slice_ns = b->due_ns < slice_ns ? b->due_ns : slice_ns;
        b->due_ns -= slice_ns;
        b->busy |= 1u << i;
        model_session(m, b->first + i)->cpu_ns = (uint32_t)slice_ns;
        cpu_run(&m->cpu, b->first + i);
    }
}

void background_compute(struct model *m, uint32_t pages)
{
    if (m->background.threads > 0) {
        m->background.due_ns += pages * m->is.cpu_page_write_ns;
        take_slices(m);
    }
}

void background_done(struct model *m, uint32_t number)
{
    m->background.busy &= ~(1u << (number - m->background.first));
    take_slices(m);
}
