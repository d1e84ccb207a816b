#include "outcome_vm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "stats/moments.h"
#include "stats/steady.h"
#include "target/model.h"

enum { OUTCOME_CHECKS = 64 };

void outcome_vm_begin(struct run *run, uint32_t i)
{
    const struct plan_vm *plan = &run->plan->vms[i];
    struct result_vm *ret = &run->result->vms[i];

    snprintf(ret->name, sizeof(ret->name), "%s", plan->name);
    snprintf(ret->config, sizeof(ret->config), "%s", plan->config);
    snprintf(ret->host, sizeof(ret->host), "%s", run->result->host.hostname);
    snprintf(ret->ended, sizeof(ret->ended), "running");
    ret->users = plan->users;
}

static void outcome_txn(struct result_txn *ret, const struct kind_record *kind,
                        uint64_t open_before)
{
    _Static_assert((int)RESULT_SPENT == (int)SPENT_KINDS, "one list of where the time goes");
    ret->due = kind->due + open_before;
    ret->done = kind->done;
    ret->rolled_back = kind->rolled_back;
    ret->failed = kind->failed;
    ret->skipped = kind->skipped;
    ret->open = kind->open;
    ret->retries = kind->retries;
    memcpy(ret->spent_ns, kind->spent_ns, sizeof(ret->spent_ns));
    result_latency_of(&ret->response, &kind->response);
    result_latency_of(&ret->service, &kind->service);
}

/*
 * Nobody has chosen yet of what type they are that no user was free to begin: shared out by what
 * has fallen due of each, so that the shares add up.
 */
static void outcome_waiting(const struct record *sample, uint32_t kinds, struct result_vm *ret)
{
    uint64_t due = 0, seen = 0, given = 0;

    for (uint32_t k = 0; k < kinds; k++) {
        due += sample->kinds[k].due;
    }
    for (uint32_t k = 0; k < kinds && sample->waiting > 0; k++) {
        uint64_t until;

        seen += sample->kinds[k].due;
        until = k + 1 == kinds
                    ? sample->waiting
                    : (uint64_t)((unsigned __int128)sample->waiting * seen / (due > 0 ? due : 1));
        ret->txns[k].due += until - given;
        ret->txns[k].open += until - given;
        given = until;
    }
}

/* The sample is told apart from one of what was offered. */
static void outcome_warn_rate(struct run *run, uint32_t i)
{
    const struct record *sample = &run->totals[i].sample;
    const struct plan_vm *plan = &run->plan->vms[i];
    uint64_t due = sample->waiting;

    for (uint32_t k = 0; k < vm_kinds(plan); k++) {
        due += sample->kinds[k].due;
    }
    if (sample->waiting > plan->users && sample->waiting > due / 100) {
        result_warn(run->result,
                    "%s: the rate of %.6g/s was not reached: when the sample ended, %llu "
                    "transactions were due that none of the %u users was free to begin; more "
                    "workload.users, or a lower rate",
                    plan->name, plan->rate_per_s, (unsigned long long)sample->waiting, plan->users);
    }
}

static void outcome_txns(struct run *run, uint32_t i, struct result_vm *ret)
{
    const struct vm_total *total = &run->totals[i];
    const struct record *sample = &total->sample;
    const struct catalog *catalog = run_find_vm(run, i)->catalog;

    ret->txn_count = sample->kind_count;
    must(ret->txn_count <= RESULT_TXNS);
    for (uint32_t k = 0; k < sample->kind_count; k++) {
        struct result_txn *txn = &ret->txns[k];
        bool deferred = k >= catalog->kind_count;

        snprintf(txn->kind, sizeof(txn->kind), "%s",
                 deferred ? "deferred" : catalog->kinds[k].name);
        txn->deferred = deferred;
        txn->p90_limit_ns = deferred ? 80000000000ll : catalog->kinds[k].p90_limit_ns;
        outcome_txn(txn, &sample->kinds[k], total->open_before[k]);
    }
    outcome_waiting(sample, catalog->kind_count, ret);
}

static void outcome_io(struct result_io *ret, const struct io_record *io, uint32_t slot)
{
    snprintf(ret->verb, sizeof(ret->verb), "%s", io_verb_names[slot / IO_AREAS]);
    snprintf(ret->area, sizeof(ret->area), "%s", io_area_names[slot % IO_AREAS]);
    ret->count = io->count;
    ret->bytes = io->bytes;
    ret->errors = io->errors;
    ret->size_count = io->size_count;
    for (uint32_t s = 0; s < io->size_count; s++) {
        ret->sizes[s].bytes = io->sizes[s].bytes;
        ret->sizes[s].count = io->sizes[s].count;
    }
    result_latency_of(&ret->latency, &io->latency);
}

static void outcome_ios(const struct record *sample, struct result_vm *ret)
{
    ret->io_count = 0;
    for (uint32_t slot = 0; slot < RECORD_IOS; slot++) {
        if (sample->ios[slot].count > 0 && ret->io_count < RESULT_IOS) {
            outcome_io(&ret->ios[ret->io_count++], &sample->ios[slot], slot);
        }
    }
}

/* Every fact that grows, as its growth over the sample; and those that are a state. */
#define FACT_GROWTH(name) result_fact_set(ret, #name, (double)(now->name - was->name))
#define FACT_STATE(name)  result_fact_set(ret, #name, (double)now->name)

static void outcome_facts(const struct target_facts *now, const struct target_facts *was,
                          struct result_vm *ret)
{
    if (now->frames > 0) {
        FACT_GROWTH(page_accesses);
        FACT_GROWTH(page_hits);
        FACT_GROWTH(page_reads);
        FACT_GROWTH(pages_created);
        FACT_GROWTH(pages_written);
        FACT_GROWTH(pages_dirtied);
        FACT_GROWTH(pages_doublewritten);
        FACT_GROWTH(page_images);
        FACT_GROWTH(written_by_checkpoint);
        FACT_GROWTH(written_by_cleaner);
        FACT_GROWTH(written_by_victim);
        FACT_GROWTH(log_bytes);
        FACT_GROWTH(log_record_bytes);
        FACT_GROWTH(log_padding_bytes);
        FACT_GROWTH(log_image_bytes);
        FACT_GROWTH(log_writes);
        FACT_GROWTH(log_flushes);
        FACT_GROWTH(commits_waited);
        FACT_GROWTH(commit_groups);
        FACT_GROWTH(checkpoints);
        FACT_GROWTH(checkpoint_stalls);
        FACT_GROWTH(lock_waits);
        FACT_GROWTH(deadlocks);
        FACT_GROWTH(lock_timeouts);
        FACT_GROWTH(rows_read);
        FACT_GROWTH(rows_written);
        FACT_GROWTH(cpu_busy_ns);
        FACT_STATE(pages_dirty);
        FACT_STATE(frames);
        FACT_STATE(frames_resident);
        FACT_STATE(cores);
    }
}

/* What the server itself counted in the sample; what it does not count is left out. */
static void outcome_server(struct run *run, uint32_t i, struct result_vm *ret)
{
    const struct server *server = &run->servers[i];
    const struct target_facts *now = &server->counters, *was = &server->before;
    const struct {
        const char *name;
        uint64_t now, was;
    } rows[] = {
        {"page_accesses", now->page_accesses, was->page_accesses},
        {"page_hits", now->page_hits, was->page_hits},
        {"page_reads", now->page_reads, was->page_reads},
        {"pages_created", now->pages_created, was->pages_created},
        {"pages_written", now->pages_written, was->pages_written},
        {"pages_doublewritten", now->pages_doublewritten, was->pages_doublewritten},
        {"page_images", now->page_images, was->page_images},
        {"log_bytes", now->log_bytes, was->log_bytes},
        {"log_writes", now->log_writes, was->log_writes},
        {"log_flushes", now->log_flushes, was->log_flushes},
        {"checkpoints", now->checkpoints, was->checkpoints},
        {"lock_waits", now->lock_waits, was->lock_waits},
        {"deadlocks", now->deadlocks, was->deadlocks},
        {"rows_read", now->rows_read, was->rows_read},
        {"rows_written", now->rows_written, was->rows_written},
    };

    for (uint32_t r = 0; server->counted && server->grown && r < sizeof(rows) / sizeof(rows[0]);
         r++) {
        if (rows[r].now > 0) {
            result_fact_set(ret, rows[r].name, (double)rows[r].now - (double)rows[r].was);
        }
    }
}

static double outcome_think(const struct record *sample, uint32_t kinds, const struct hist *all)
{
    double pause_ns = 0;

    for (uint32_t k = 0; k < kinds; k++) {
        pause_ns += (double)sample->kinds[k].pause_ns;
    }
    return all->count > 0 ? pause_ns / (double)all->count : 0;
}

/* Users whose cycles the sample's end cuts off, less those that its beginning cut. */
static double outcome_cut_off(const struct record *sample)
{
    double sample_ns = (double)(sample->until_ns - sample->from_ns);

    return sample_ns > 0 ? (double)(sample->cycles_until_ns - sample->cycles_from_ns) / sample_ns
                         : 0;
}

/* What nobody has judged is not known. */
static void steady_unjudged(struct result_steady *ret)
{
    ret->range_share = ret->excursion_share = NAN;
    ret->lat_range_share = ret->lat_excursion_share = NAN;
    ret->p99_range_share = ret->p99_excursion_share = NAN;
    ret->drift_share = ret->drift_p = NAN;
}

static void outcome_series(const struct run *run, const struct series *series, uint64_t seed,
                           struct result_vm *ret)
{
    struct steady_series judged = {series->tps, series->lat_avg_ns, series->lat_p99_ns,
                                   series->count};
    struct moments moments = {0};
    struct steady steady;
    uint32_t seconds = (uint32_t)(run->plan->interval_ns / 1000000000);

    steady_unjudged(&ret->steady);
    ret->worst_second_tps = series->count > 0 ? series->tps[0] : 0;
    for (uint32_t s = 0; s < series->count; s++) {
        moments_add(&moments, series->tps[s]);
        ret->worst_second_tps = fmin(ret->worst_second_tps, series->tps[s]);
    }
    ret->tps_cv = moments_cv(&moments);
    if (seconds != 1 || strcmp(run->result->run.ended, "running") == 0) {
        return; /* judged once, at the end, on one-second values */
    }
    steady_judge(&judged, 0, run_preset(run), seed, &steady);
    snprintf(ret->steady.preset, sizeof(ret->steady.preset), "%s", steady.preset->name);
    ret->steady.rounds = steady.rounds;
    ret->steady.mser_cut_s = steady.mser_cut_s;
    ret->steady.warm_up_short_s = steady.warm_up_short_s;
    ret->steady.judged = steady.rounds >= steady.preset->window_rounds;
    ret->steady.reached = steady.reached;
    if (!ret->steady.judged) {
        return;
    }
    ret->steady.range_share = steady.range_share;
    ret->steady.excursion_share = steady.excursion_share;
    ret->steady.lat_range_share = steady.lat_avg.range_share;
    ret->steady.lat_excursion_share = steady.lat_avg.excursion_share;
    ret->steady.p99_range_share = steady.lat_p99.range_share;
    ret->steady.p99_excursion_share = steady.lat_p99.excursion_share;
    ret->steady.drift_share = steady.drift_share;
    ret->steady.drift_p = steady.drift_p;
}

static void responses_of(const struct record *record, uint32_t kinds, bool service,
                         struct hist *ret)
{
    hist_init(ret);
    for (uint32_t k = 0; k < kinds; k++) {
        hist_merge(ret, service ? &record->kinds[k].service : &record->kinds[k].response);
    }
}

void outcome_vm(struct run *run, uint32_t i)
{
    const struct plan_vm *plan = &run->plan->vms[i];
    struct vm_total *total = &run->totals[i];
    struct result_vm *ret = &run->result->vms[i];
    uint32_t kinds = vm_kinds(plan);

    ret->sample_from_ns = total->sample.from_ns;
    ret->sample_until_ns = total->sample.until_ns;
    outcome_txns(run, i, ret);
    outcome_ios(&total->sample, ret);
    if (plan->target == PLAN_SQL) {
        outcome_server(run, i, ret);
    } else if (total->sample.until_ns > 0) {
        outcome_facts(&total->sample.facts, &total->before, ret);
    } else if (plan->target == PLAN_MODEL) {
        result_fact_set(ret, "page_accesses", 0); /* a database, if one that was not measured */
    }
    responses_of(&total->sample, kinds, true, run->scratch);
    result_latency_of(&ret->service, run->scratch);
    responses_of(&total->sample, kinds, false, run->scratch);
    result_latency_of(&ret->response, run->scratch);
    ret->audit.think_mean_ns = outcome_think(&total->sample, kinds, run->scratch);
    ret->audit.cut_off = plan->arrivals == PLAN_CLOSED ? outcome_cut_off(&total->sample) : 0;
    if (plan->arrivals != PLAN_CLOSED) {
        result_fact_set(ret, "offered_per_s", plan->rate_per_s);
        snprintf(ret->audit.verdict, sizeof(ret->audit.verdict), "open loop");
    } else if (plan->work_transactions > 0) {
        snprintf(ret->audit.verdict, sizeof(ret->audit.verdict), "work-bound");
    }
    outcome_series(run, &total->series, plan->seed, ret);
}

/* Where on the drive; its place in the VM's slice too, where that is another. */
static void finding_offset(const struct vm *vm, const struct stamp_finding *finding, char *buf,
                           size_t size)
{
    unsigned long long of_slice = finding->offset, of_drive = of_slice + vm->plan->from_bytes;

    if (of_slice == of_drive) {
        snprintf(buf, size, "%llu", of_drive);
    } else {
        snprintf(buf, size, "%llu of the drive (%llu of the VM's slice)", of_drive, of_slice);
    }
}

static void finding_text(struct run *run, uint32_t i, const struct stamp_finding *finding,
                         char *buf, size_t size)
{
    const struct vm *vm = run_find_vm(run, i);
    char place[96] = "", offset[80], found[80];
    int length;

    if (vm->plan->target == PLAN_MODEL && vm->target != NULL) {
        target_model_name(vm->target, finding->offset, place, sizeof(place));
    }
    finding_offset(vm, finding, offset, sizeof(offset));
    if (finding->no_stamp) {
        snprintf(found, sizeof(found), "no stamp: nothing that this run wrote");
    } else {
        snprintf(found, sizeof(found), "version %u of VM %u page %llu", finding->found_version,
                 finding->found_vm, (unsigned long long)finding->found_page);
    }
    length = snprintf(
        buf, size,
        "%s page: VM %s, %s, offset %s, page %llu, sector %u: expected version %u of VM %u, "
        "found %s",
        stamp_verdict_names[finding->verdict], vm->plan->name, place, offset,
        (unsigned long long)finding->page, finding->sector, finding->expected_version, finding->vm,
        found);
    if ((size_t)length >= size) {
        memcpy(buf + size - 4, "...", 4);
    }
}

static void outcome_stamps(struct run *run, uint32_t i)
{
    const struct vm *vm = run_find_vm(run, i);
    struct result_integrity *ret = &run->result->vms[i].integrity;
    struct stamp_counts counts;

    if (vm->stamp == NULL) {
        return;
    }
    drive_stamp_counts(vm->stamp, &counts);
    ret->checked = true;
    ret->stamps_checked = counts.checked;
    ret->stamps_unjudged = counts.before + counts.unknown;
    ret->stamp_errors = 0;
    for (uint32_t v = STAMP_RIGHT + 1; v < STAMP_VERDICTS; v++) {
        ret->stamp_errors += counts.wrong[v];
    }
    if (counts.findings > 0) {
        finding_text(run, i, &counts.first[0], ret->first, sizeof(ret->first));
    }
}

static void outcome_target_checks(struct run *run, const struct vm *vm)
{
    struct target_check checks[OUTCOME_CHECKS];
    uint32_t count = vm->target->ops->check == NULL
                         ? 0
                         : vm->target->ops->check(vm->target, checks, OUTCOME_CHECKS);

    for (uint32_t c = 0; c < count; c++) {
        result_check(run->result, checks[c].name, vm->plan->name, checks[c].expected,
                     checks[c].found, checks[c].tolerance, checks[c].passed, checks[c].exit);
    }
}

/* Rows of all loops that drive the VM as one: means by their samples. */
static uint32_t audit_of(struct run *run, uint32_t i, struct workload_check rows[OUTCOME_CHECKS])
{
    const struct vm_total *total = &run->totals[i];
    uint32_t count = 0;

    for (uint32_t w = 0; w < total->world_count; w++) {
        struct workload_check more[OUTCOME_CHECKS];
        const struct vm *vm = run->plan->virtual_time ? run_find_vm(run, i)
                                                      : run->worlds[total->first_world + w].vms[0];
        uint32_t n = vm == NULL || vm->workload->ops->audit == NULL
                         ? 0
                         : vm->workload->ops->audit(vm->workload, more, OUTCOME_CHECKS);

        if (count == 0) {
            memcpy(rows, more, n * sizeof(*rows));
            count = n;
            continue;
        }
        for (uint32_t c = 0; c < count && c < n; c++) {
            double samples = (double)rows[c].samples + (double)more[c].samples;

            if (samples > 0) {
                rows[c].found = (rows[c].found * (double)rows[c].samples +
                                 more[c].found * (double)more[c].samples) /
                                samples;
            }
            rows[c].samples += more[c].samples;
            rows[c].passed = rows[c].passed && more[c].passed;
        }
    }
    return count;
}

static void outcome_audit(struct run *run, uint32_t i)
{
    struct workload_check rows[OUTCOME_CHECKS];
    uint32_t count = audit_of(run, i, rows);

    for (uint32_t c = 0; c < count; c++) {
        double middle = (rows[c].expected_low + rows[c].expected_high) / 2;

        result_check(run->result, rows[c].name, run->plan->vms[i].name, middle, rows[c].found,
                     rows[c].expected_high - middle, rows[c].passed, EXIT_WANTING);
    }
}

void outcome_vm_finish(struct run *run, uint32_t i)
{
    struct vm *vm = run_find_vm(run, i);

    if (vm == NULL || vm->target == NULL) {
        return;
    }
    outcome_warn_rate(run, i);
    outcome_stamps(run, i);
    outcome_target_checks(run, vm);
    outcome_audit(run, i);
}

static void aggregate_txns(struct run *run, struct result_vm *ret)
{
    uint32_t kinds = run->totals[0].sample.kind_count;

    for (uint32_t k = 0; k < kinds; k++) {
        hist_init(run->scratch);
        hist_init(run->scratch_all);
        for (uint32_t i = 0; i < run->plan->vm_count; i++) {
            if (k < run->totals[i].sample.kind_count) {
                hist_merge(run->scratch, &run->totals[i].sample.kinds[k].response);
                hist_merge(run->scratch_all, &run->totals[i].sample.kinds[k].service);
            }
        }
        ret->txns[k] = run->result->vms[0].txns[k];
        result_latency_of(&ret->txns[k].response, run->scratch);
        result_latency_of(&ret->txns[k].service, run->scratch_all);
    }
    ret->txn_count = kinds;
}

static void aggregate_statements(const struct result *result, struct result_vm *ret)
{
    ret->statement_count = 0;
    for (uint32_t i = 0; i < result->vm_count; i++) {
        const struct result_vm *vm = &result->vms[i];

        for (uint32_t s = 0; s < vm->statement_count; s++) {
            struct result_statement *row = &ret->statements[s];

            if (s >= ret->statement_count) {
                *row = vm->statements[s];
                ret->statement_count++;
                continue;
            }
            row->count += vm->statements[s].count;
            row->errors += vm->statements[s].errors;
            row->empty += vm->statements[s].empty;
            row->sum_ns += vm->statements[s].sum_ns;
            row->max_ns =
                row->max_ns > vm->statements[s].max_ns ? row->max_ns : vm->statements[s].max_ns;
        }
    }
}

static void aggregate_ios(struct run *run, struct result_vm *ret)
{
    ret->io_count = 0;
    for (uint32_t slot = 0; slot < RECORD_IOS; slot++) {
        struct result_io *io = &ret->ios[ret->io_count];
        uint64_t count = 0;

        hist_init(run->scratch);
        for (uint32_t i = 0; i < run->plan->vm_count; i++) {
            count += run->totals[i].sample.ios[slot].count;
            hist_merge(run->scratch, &run->totals[i].sample.ios[slot].latency);
        }
        if (count == 0 || ret->io_count == RESULT_IOS) {
            continue;
        }
        memset(io, 0, sizeof(*io));
        snprintf(io->verb, sizeof(io->verb), "%s", io_verb_names[slot / IO_AREAS]);
        snprintf(io->area, sizeof(io->area), "%s", io_area_names[slot % IO_AREAS]);
        result_latency_of(&io->latency, run->scratch);
        ret->io_count++;
    }
}

void outcome_aggregate(struct run *run)
{
    struct result_vm *ret = &run->result->aggregate;
    double think_ns = 0, ended = 0;

    snprintf(ret->name, sizeof(ret->name), "all");
    snprintf(ret->ended, sizeof(ret->ended), "%s", run->result->run.ended);
    aggregate_txns(run, ret);
    aggregate_ios(run, ret);
    aggregate_statements(run->result, ret);
    hist_init(run->scratch);
    hist_init(run->scratch_all);
    for (uint32_t i = 0; i < run->plan->vm_count; i++) {
        const struct result_vm *vm = &run->result->vms[i];

        for (uint32_t k = 0; k < vm_kinds(&run->plan->vms[i]); k++) {
            hist_merge(run->scratch, &run->totals[i].sample.kinds[k].response);
            hist_merge(run->scratch_all, &run->totals[i].sample.kinds[k].service);
        }
        think_ns += vm->audit.think_mean_ns * (double)vm->response.count;
        ended += (double)vm->response.count;
    }
    result_latency_of(&ret->response, run->scratch);
    result_latency_of(&ret->service, run->scratch_all);
    ret->audit.think_mean_ns = ended > 0 ? think_ns / ended : 0;
    if (run->plan->vms[0].arrivals != PLAN_CLOSED) {
        snprintf(ret->audit.verdict, sizeof(ret->audit.verdict), "open loop");
    } else if (run->plan->vms[0].work_transactions > 0) {
        snprintf(ret->audit.verdict, sizeof(ret->audit.verdict), "work-bound");
    }
    outcome_series(run, &run->all_series, run->plan->seed, ret);
}
