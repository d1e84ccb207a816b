#include "report/doc_run.h"

#include "base/text.h"
#include "base/units.h"
#include "doc_run_parts.h"
#include "figures.h"
#include <math.h>
#include <string.h>

bool run_is_bare(const struct result *result)
{
    const struct result_vm *all = &result->aggregate;

    for (uint32_t i = 0; i < all->txn_count; i++) {
        if (all->txns[i].spent_ns[0] != 0 || all->txns[i].spent_ns[RESULT_SPENT - 1] != 0) {
            return false;
        }
    }
    return all->txn_count > 0 && result->server_count == 0 && !run_is_tpcc(result) &&
           isnan(result_fact(all, "page_accesses"));
}

bool run_is_tpcc(const struct result *result)
{
    for (uint32_t i = 0; i < result->aggregate.txn_count; i++) {
        if (strcmp(result->aggregate.txns[i].kind, "new_order") == 0) {
            return true;
        }
    }
    return false;
}

/* "simulated H3201 E1.S, virtual time", "/dev/nvme1n1 H3201 E1.S fw 2.0.3", "file scratch.img". */
static void name_drive(const struct result *result, struct text *out)
{
    const struct result_drive *drive = &result->drives[0];
    bool simulated = strcmp(drive->kind, "sim") == 0;

    if (result->server_count > 0) {
        text_addf(out, "%s %.*s", result->servers[0].flavour,
                  (int)strcspn(result->servers[0].version, " -"), result->servers[0].version);
    } else if (result->drive_count == 0) {
        text_add(out, "no drive");
    } else if (simulated || strcmp(drive->kind, "null") == 0) {
        text_add(out, simulated ? "simulated" : "null drive");
    } else {
        text_addf(out, "%s%s", strcmp(drive->kind, "file") == 0 ? "file " : "", drive->path);
    }
    if (result->drive_count > 0) {
        text_addf(out, "%s%s", drive->model[0] != '\0' ? " " : "", drive->model);
        text_addf(out, "%s%s", drive->form_factor[0] != '\0' ? " " : "", drive->form_factor);
        text_addf(out, "%s%s", drive->firmware[0] != '\0' ? " fw " : "", drive->firmware);
    }
    text_add(out, result->run.virtual_time ? ", virtual time" : "");
}

static void name_users(const struct result *result, struct text *out)
{
    char buf[FIGURE_TEXT];
    uint64_t users = result->vm_count > 0 ? result->vms[0].users : 0;
    const char *word = run_is_bare(result) ? "outstanding" : "users";

    for (uint32_t i = 0; i < result->vm_count; i++) {
        if (result->vms[i].users != users) {
            text_addf(out, "%u VMs, %s %s", result->vm_count,
                      figure_count(result->aggregate.users, buf), word);
            return;
        }
    }
    text_addf(out, "%u VM%s x %s %s", result->vm_count, result->vm_count == 1 ? "" : "s",
              figure_count(users, buf), word);
}

void run_head(struct doc *doc, const struct result *result, const char *run_dir)
{
    const struct result_vm *all = &result->aggregate;
    double sample_ns = run_span_ns(all->sample_from_ns, all->sample_until_ns);
    char clock[FIGURE_TEXT];
    struct text line;

    text_init(&line);
    text_addf(&line, "rawtps %s · ", result->scenario.name);
    name_drive(result, &line);
    text_add(&line, " · ");
    name_users(result, &line);
    if (sample_ns > 0) {
        text_addf(&line, " · sample %s",
                  units_format_clock((int64_t)sample_ns, clock, sizeof(clock)));
    }
    if (run_dir && run_dir[0] != '\0') {
        text_addf(&line, " · %s", run_dir);
    }
    doc_heading(doc, 1, "%s", text_string(&line));
    doc->failed = doc->failed || line.failed;
    text_free(&line);
}

/* What the reader must know before any figure. */
void run_state(struct doc *doc, const struct result *result)
{
    const char *ended = result->run.ended;

    if (strcmp(ended, "complete") == 0) {
        return;
    }
    if (strcmp(ended, "void") == 0) {
        doc_paragraph(doc, "Data came back wrong. No figure below counts.%s%s",
                      result->run.error[0] != '\0' ? " " : "", result->run.error);
        doc_verdict(doc, DOC_BAD, "VOID");
    } else {
        doc_paragraph(doc, "Partial result: %s%s%s.",
                      strcmp(ended, "running") == 0 ? "still running, or killed" : ended,
                      result->run.error[0] != '\0' ? ": " : "", result->run.error);
        doc_verdict(doc, DOC_DOUBTFUL, "PARTIAL");
        if (strcmp(ended, "running") == 0 && result_interfered(&result->host.interference)) {
            doc_paragraph(doc, "The host, not the drive, may have set these figures: its threads "
                               "had to wait for CPUs.");
        }
    }
    for (uint32_t i = 0; i < result->vm_count; i++) {
        if (result->vms[i].error[0] != '\0') {
            doc_paragraph(doc, "%s %s: %s", result->vms[i].name, result->vms[i].ended,
                          result->vms[i].error);
        }
    }
    if (result->aggregate.response.count == 0) {
        doc_paragraph(doc, "Nothing was measured yet: the sample had not begun.");
    }
}

/* pool: not a bare drive; server: what a real one reads and writes is its own */
static void vm_row(struct doc *doc, const struct result_vm *vm, bool pool, bool server)
{
    const struct result_latency *lat = &vm->response;
    bool any = lat->count > 0;

    doc_cell(doc, "%s", vm->name);
    doc_cell_number(doc, vm->tps);
    doc_cell_duration(doc, any ? lat->mean_ns : NAN);
    doc_cell_duration(doc, any ? (double)lat->p50_ns : NAN);
    doc_cell_duration(doc, any ? (double)lat->p95_ns : NAN);
    doc_cell_duration(doc, any ? (double)lat->p99_ns : NAN);
    doc_cell_duration(doc, any ? (double)lat->p99_9_ns : NAN);
    doc_cell_duration(doc, any ? (double)lat->max_ns : NAN);
    doc_cell_duration(doc, any ? lat->stddev_ns : NAN);
    doc_cell_share(doc, any ? vm->tps_cv : NAN, true);
    doc_cell_number(doc, server ? NAN : vm->read_mb_s);
    doc_cell_number(doc, server ? NAN : vm->write_mb_s);
    if (pool) {
        doc_cell_share(doc, result_fact(vm, "hit_ratio"), false);
    }
    doc_cell_count(doc, vm->failed);
    if (pool) {
        doc_cell_count(doc, vm->retries);
    }
}

void run_vms(struct doc *doc, const struct result *result)
{
    static const struct doc_column database[] = {
        {"VM", "vm", DOC_LEFT},
        {"TPS", "tps", DOC_RIGHT},
        {"avg", "avg_ns", DOC_RIGHT},
        {"p50", "p50_ns", DOC_RIGHT},
        {"p95", "p95_ns", DOC_RIGHT},
        {"p99", "p99_ns", DOC_RIGHT},
        {"p99.9", "p99_9_ns", DOC_RIGHT},
        {"max", "max_ns", DOC_RIGHT},
        {"stddev", "stddev_ns", DOC_RIGHT},
        {"cv", "tps_cv", DOC_RIGHT},
        {"rd MB/s", "read_mb_s", DOC_RIGHT},
        {"wr MB/s", "write_mb_s", DOC_RIGHT},
        {"hit%", "hit_ratio", DOC_RIGHT},
        {"failed", "failed", DOC_RIGHT},
        {"retried", "retries", DOC_RIGHT},
    };
    struct doc_column bare[14];
    bool is_bare = run_is_bare(result);

    if (is_bare) {
        memcpy(bare, database, 12 * sizeof(*bare));
        bare[1] = (struct doc_column){"IOPS", "iops", DOC_RIGHT};
        bare[12] = database[13];
        doc_table(doc, "vms", bare, 13);
    } else {
        doc_table(doc, "vms", database, sizeof(database) / sizeof(*database));
    }
    for (uint32_t i = 0; i < result->vm_count; i++) {
        vm_row(doc, &result->vms[i], !is_bare, result->server_count > 0);
    }
    vm_row(doc, &result->aggregate, !is_bare, result->server_count > 0);
}

/* Types count what ended, TPS what was done: whoever adds them up must know. */
void run_types_noted(struct doc *doc, const struct result *result)
{
    const struct result_vm *all = &result->aggregate;
    uint32_t before = doc->block_count;
    uint64_t rolled_back = 0;
    char count[FIGURE_TEXT];

    run_types(doc, result);
    for (uint32_t i = 0; i < all->txn_count; i++) {
        rolled_back += all->txns[i].rolled_back;
    }
    if (doc->block_count > before && rolled_back > 0 && !run_is_bare(result)) {
        doc_note(doc,
                 "Count, /s and times are of all that ended, the %s that %s rolled back as the "
                 "workload wanted among them; TPS counts only what was done.",
                 figure_count(rolled_back, count), rolled_back == 1 ? "was" : "were");
    }
}

void doc_run(struct doc *doc, const struct result *result, const char *run_dir)
{
    run_head(doc, result, run_dir);
    run_state(doc, result);
    run_vms(doc, result);
    run_verdicts(doc, result);
    run_types_noted(doc, result);
    run_time_spent(doc, result);
    run_statements(doc, result);
    run_physical_io(doc, result);
    run_database(doc, result);
    run_servers(doc, result);
    run_failed_checks(doc, result);
    run_provenance(doc, result);
}
