#include <math.h>
#include <string.h>

#include "run_state.h"

static const struct plan_phase *tally_phase(const struct run *run)
{
    return &run->plan->phases[run->phase];
}

static void row_of_record(struct run *run, uint32_t vm, const struct record *record,
                          uint64_t waited, struct result_interval *row, struct hist *responses)
{
    uint32_t kinds = vm_kinds(&run->plan->vms[vm]);

    memset(row, 0, sizeof(*row));
    hist_init(responses);
    row->start_ns = record->from_ns;
    row->length_ns = record->until_ns - record->from_ns;
    row->vm = (int32_t)vm;
    row->hit_ratio = NAN;
    memcpy(row->phase, tally_phase(run)->name, sizeof(row->phase));
    for (uint32_t k = 0; k < kinds; k++) {
        const struct kind_record *kind = &record->kinds[k];

        row->due += kind->due;
        row->done += kind->done;
        row->rolled_back += kind->rolled_back;
        row->failed += kind->failed;
        row->skipped += kind->skipped;
        row->retries += kind->retries;
        row->pause_ns += kind->pause_ns;
        hist_merge(responses, &kind->response);
    }
    /* what nobody took fell due too; what had waited before has been taken since, or waits on */
    row->due += record->waiting;
    row->due -= waited < row->due ? waited : row->due;
    for (uint32_t a = 0; a < IO_AREAS; a++) {
        row->read_bytes += record->ios[IO_READ * IO_AREAS + a].bytes;
        row->write_bytes += record->ios[IO_WRITE * IO_AREAS + a].bytes;
        row->flushes += record->ios[IO_FLUSH * IO_AREAS + a].count;
    }
}

static void row_add(struct result_interval *into, const struct result_interval *from)
{
    into->due += from->due;
    into->done += from->done;
    into->rolled_back += from->rolled_back;
    into->failed += from->failed;
    into->skipped += from->skipped;
    into->retries += from->retries;
    into->pause_ns += from->pause_ns;
    into->read_bytes += from->read_bytes;
    into->write_bytes += from->write_bytes;
    into->flushes += from->flushes;
    if (into->vm != -1) {
        into->vm = -1;
        into->start_ns = from->start_ns;
        into->length_ns = from->length_ns;
        memcpy(into->phase, from->phase, sizeof(into->phase));
    }
}

/* Fill rows[0 .. vm_count] from a record a VM, and `responses` with those of all. */
static void rows_of_records(struct run *run, struct result_interval *rows, struct hist *responses,
                            const struct record *(*record_of)(struct run *, uint32_t, void *,
                                                              uint64_t *ret_waited),
                            void *context)
{
    uint32_t vms = run->plan->vm_count;
    struct result_interval *all = &rows[vms];

    memset(all, 0, sizeof(*all));
    all->hit_ratio = NAN;
    hist_init(responses);
    for (uint32_t i = 0; i < vms; i++) {
        uint64_t waited;
        const struct record *record = record_of(run, i, context, &waited);

        row_of_record(run, i, record, waited, &rows[i], run->scratch);
        result_interval_figures(&rows[i], run->scratch);
        row_add(all, &rows[i]);
        hist_merge(responses, run->scratch);
    }
    result_interval_figures(all, responses);
}

static const struct record *interval_of(struct run *run, uint32_t vm, void *context,
                                        uint64_t *ret_waited)
{
    struct record *const *records = context;

    *ret_waited = run->totals[vm].waiting_last;
    return records[vm];
}

static const struct record *phase_of(struct run *run, uint32_t vm, void *context,
                                     uint64_t *ret_waited)
{
    *ret_waited = run->totals[vm].waiting_before;
    return &run->totals[vm].phase;
}

static double ratio_of(uint64_t hits, uint64_t accesses)
{
    return accesses > 0 ? (double)hits / (double)accesses : NAN;
}

static void rows_hit_ratio(struct run *run, struct record *const *records)
{
    uint64_t hits = 0, accesses = 0;

    for (uint32_t i = 0; i < run->plan->vm_count; i++) {
        const struct target_facts *last = &run->totals[i].last, *now = &records[i]->facts;
        bool pool = now->frames > 0; /* a bare drive's reads are no page accesses */
        uint64_t h = pool ? now->page_hits - last->page_hits : 0;
        uint64_t a = pool ? now->page_accesses - last->page_accesses : 0;

        run->now[i].hit_ratio = ratio_of(h, a);
        run->now[i].page_accesses = a;
        hits += h;
        accesses += a;
    }
    run->now[run->plan->vm_count].hit_ratio = ratio_of(hits, accesses);
    run->now[run->plan->vm_count].page_accesses = accesses;
}

/* What is left of an interval, as when a run is interrupted, is no second of it. */
static bool is_stub(const struct run *run, const struct result_interval *row)
{
    return row->length_ns < run->plan->interval_ns / 2;
}

/* An interval that took half as long again: nobody was there to end it. */
static void count_standstill(struct run *run, const struct result_interval *row)
{
    int64_t late_ns = row->length_ns - run->plan->interval_ns;

    run->stood_ns += late_ns > run->plan->interval_ns / 2 ? late_ns : 0;
}

static void series_add(const struct run *run, struct series *series,
                       const struct result_interval *row)
{
    if (series->count < series->limit && !is_stub(run, row)) {
        series->tps[series->count] = row->tps;
        series->lat_avg_ns[series->count] = row->mean_ns;
        series->lat_p99_ns[series->count] = (double)row->p99_ns;
        series->count++;
    }
}

static void tally_new_phase(struct run *run, uint32_t phase, int64_t from_ns)
{
    bool sample = run->plan->phases[phase].kind == PHASE_SAMPLE;

    run->phase = phase;
    run->phase_from_ns = from_ns;
    run->watch = (struct steady_watch){.preset = run_preset(run)};
    run->steady = false;
    for (uint32_t i = 0; i < run->plan->vm_count; i++) {
        struct vm_total *total = &run->totals[i];

        record_reset(&total->phase);
        total->waiting_before = total->waiting_last;
        if (sample) {
            total->before = total->last;
            memcpy(total->open_before, total->open_last, sizeof(total->open_before));
        }
    }
}

/* What fails before the sample leaves its mark in it. */
static void count_early(struct run *run, const struct record *record)
{
    for (uint32_t k = 0; k < IO_VERBS * IO_AREAS; k++) {
        run->early_errors += record->ios[k].errors;
    }
}

static void tally_vm(struct run *run, uint32_t i, const struct record *record)
{
    struct vm_total *total = &run->totals[i];

    record_add(&total->phase, record);
    if (tally_phase(run)->kind == PHASE_SAMPLE) {
        record_add(&total->sample, record);
        series_add(run, &total->series, &run->now[i]);
    } else {
        count_early(run, record);
    }
    total->last = record->facts;
    total->waiting_last = record->waiting;
    for (uint32_t k = 0; k < record->kind_count; k++) {
        total->open_last[k] = record->kinds[k].open;
    }
}

void tally_interval(struct run *run, struct record *const *records)
{
    uint32_t vms = run->plan->vm_count;

    if (records[0]->phase != run->phase) {
        tally_new_phase(run, records[0]->phase, records[0]->from_ns);
    }
    rows_of_records(run, run->now, run->responses, interval_of, (void *)records);
    rows_hit_ratio(run, records);
    for (uint32_t i = 0; i < vms; i++) {
        tally_vm(run, i, records[i]);
    }
    run->written_bytes += run->now[vms].write_bytes;
    run->phase_bytes[run->phase] += run->now[vms].write_bytes;
    if (tally_phase(run)->kind == PHASE_SAMPLE) {
        series_add(run, &run->all_series, &run->now[vms]);
        count_standstill(run, &run->now[vms]);
    }
    rows_of_records(run, run->so_far, run->scratch_all, phase_of, NULL);
}
