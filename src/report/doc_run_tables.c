#include "doc_run_parts.h"

#include <math.h>
#include <string.h>

static double sample_seconds(const struct result_vm *vm)
{
    return run_span_ns(vm->sample_from_ns, vm->sample_until_ns) / 1e9;
}

static double per(double amount, double number)
{
    return number > 0 ? amount / number : NAN;
}

/* What the VMs did a second, each over its own sample, so that parts add up to their tps. */
static double type_per_second(const struct result *result, const char *kind)
{
    double ret = NAN;

    for (uint32_t v = 0; v < result->vm_count; v++) {
        const struct result_vm *vm = &result->vms[v];

        for (uint32_t i = 0; i < vm->txn_count; i++) {
            if (strcmp(vm->txns[i].kind, kind) == 0) {
                double rate = per((double)vm->txns[i].response.count, sample_seconds(vm));

                ret = isnan(ret) ? rate : ret + rate;
            }
        }
    }
    return ret;
}

struct io_rate {
    double count, mb; /* a second */
};

static struct io_rate io_per_second(const struct result *result, const struct result_io *like)
{
    struct io_rate ret = {NAN, NAN};

    for (uint32_t v = 0; v < result->vm_count; v++) {
        const struct result_vm *vm = &result->vms[v];

        for (uint32_t i = 0; i < vm->io_count; i++) {
            const struct result_io *io = &vm->ios[i];

            if (strcmp(io->verb, like->verb) == 0 && strcmp(io->area, like->area) == 0) {
                double count = per((double)io->count, sample_seconds(vm));
                double mb = per((double)io->bytes / 1e6, sample_seconds(vm));

                ret = isnan(ret.count) ? (struct io_rate){count, mb}
                                       : (struct io_rate){ret.count + count, ret.mb + mb};
            }
        }
    }
    return ret;
}

/* bare: requests are neither rolled back nor repeated. limits: some type has one. */
static void type_row(struct doc *doc, const struct result *result, const struct result_txn *txn,
                     bool bare, bool limits)
{
    const struct result_vm *all = &result->aggregate;
    const struct result_latency *lat = &txn->response;
    bool any = lat->count > 0;

    doc_cell(doc, "%s", txn->kind);
    doc_cell_count(doc, lat->count);
    doc_cell_share(doc, txn->deferred ? NAN : per((double)lat->count, (double)all->response.count),
                   true);
    doc_cell_number(doc, type_per_second(result, txn->kind));
    doc_cell_duration(doc, any ? lat->mean_ns : NAN);
    doc_cell_duration(doc, any ? (double)lat->p50_ns : NAN);
    doc_cell_duration(doc, any ? (double)lat->p90_ns : NAN);
    doc_cell_duration(doc, any ? (double)lat->p99_ns : NAN);
    doc_cell_duration(doc, any ? (double)lat->max_ns : NAN);
    doc_cell_count(doc, txn->failed);
    if (bare) {
        return;
    }
    doc_cell_count(doc, txn->rolled_back);
    doc_cell_count(doc, txn->retries);
    if (limits && txn->p90_limit_ns > 0 && any) {
        bool kept = lat->p90_ns < txn->p90_limit_ns;

        doc_cell_duration(doc, (double)txn->p90_limit_ns);
        doc_cell_tone(doc, kept ? DOC_GOOD : DOC_BAD, kept ? "kept" : "missed");
    } else if (limits) {
        doc_cell_duration(doc, NAN);
        doc_cell(doc, "-");
    }
}

void run_types(struct doc *doc, const struct result *result)
{
    static const struct doc_column columns[] = {
        {"type", "type", DOC_LEFT},
        {"count", "count", DOC_RIGHT},
        {"%", "share", DOC_RIGHT},
        {"/s", "per_s", DOC_RIGHT},
        {"avg", "avg_ns", DOC_RIGHT},
        {"p50", "p50_ns", DOC_RIGHT},
        {"p90", "p90_ns", DOC_RIGHT},
        {"p99", "p99_ns", DOC_RIGHT},
        {"max", "max_ns", DOC_RIGHT},
        {"failed", "failed", DOC_RIGHT},
        {"rolled back", "rolled_back", DOC_RIGHT},
        {"retried", "retries", DOC_RIGHT},
        {"p90 limit", "p90_limit_ns", DOC_RIGHT},
        {"is", "kept", DOC_LEFT},
    };
    const struct result_vm *all = &result->aggregate;
    bool bare = run_is_bare(result), limits = false;

    for (uint32_t i = 0; i < all->txn_count; i++) {
        limits = limits || (!bare && all->txns[i].p90_limit_ns > 0);
    }
    if (all->txn_count < 2 && !limits) {
        return;
    }
    doc_heading(doc, 2, bare ? "Streams" : "Transaction types");
    doc_table(doc, "types", columns, bare ? 10 : limits ? 14 : 12);
    for (uint32_t i = 0; i < all->txn_count; i++) {
        type_row(doc, result, &all->txns[i], bare, limits);
    }
}

/* The kinds of time that are shown: a server shows but its answers, a model what it did. */
enum { SPENT_MODEL_FROM = 0, SPENT_SERVER_FROM = 4, SPENT_SERVER = RESULT_SPENT - 1 };
struct spent_kinds {
    uint32_t from, until;
};

/* A row of where the time of `count` transactions went, whose responses add up to sum_ns. */
static void spent_row(struct doc *doc, struct spent_kinds kinds, const char *name, uint64_t count,
                      double sum_ns, const double spent_ns[RESULT_SPENT])
{
    double rest_ns = sum_ns;

    doc_cell(doc, "%s", name);
    doc_cell_duration(doc, per(sum_ns, (double)count));
    for (uint32_t i = kinds.from; i < kinds.until; i++) {
        double ns = spent_ns[i];

        rest_ns -= ns;
        doc_cell_duration(doc, per(ns, (double)count));
        doc_cell_share(doc, per(ns, sum_ns), false);
    }
    rest_ns = fmax(0, rest_ns);
    doc_cell_duration(doc, per(rest_ns, (double)count));
    doc_cell_share(doc, per(rest_ns, sum_ns), false);
}

static struct spent_kinds spent_begin(struct doc *doc, bool server)
{
    static const struct doc_column columns[] = {
        {"type", "type", DOC_LEFT},           {"a txn", "response_ns", DOC_RIGHT},
        {"cpu", "cpu_ns", DOC_RIGHT},         {"%", "cpu_share", DOC_RIGHT},
        {"lock", "lock_ns", DOC_RIGHT},       {"%", "lock_share", DOC_RIGHT},
        {"read", "read_ns", DOC_RIGHT},       {"%", "read_share", DOC_RIGHT},
        {"log", "log_ns", DOC_RIGHT},         {"%", "log_share", DOC_RIGHT},
        {"session", "session_ns", DOC_RIGHT}, {"%", "session_share", DOC_RIGHT},
        {"rest", "rest_ns", DOC_RIGHT},       {"%", "rest_share", DOC_RIGHT},
    };
    static const struct doc_column of_server[] = {
        {"type", "type", DOC_LEFT},           {"a txn", "response_ns", DOC_RIGHT},
        {"session", "session_ns", DOC_RIGHT}, {"%", "session_share", DOC_RIGHT},
        {"server", "server_ns", DOC_RIGHT},   {"%", "server_share", DOC_RIGHT},
        {"rest", "rest_ns", DOC_RIGHT},       {"%", "rest_share", DOC_RIGHT},
    };

    doc_heading(doc, 2, "Where the time went");
    if (server) {
        doc_table(doc, "time_spent", of_server, sizeof(of_server) / sizeof(*of_server));
        return (struct spent_kinds){SPENT_SERVER_FROM, RESULT_SPENT};
    }
    doc_table(doc, "time_spent", columns, sizeof(columns) / sizeof(*columns));
    return (struct spent_kinds){SPENT_MODEL_FROM, SPENT_SERVER};
}

void run_time_spent(struct doc *doc, const struct result *result)
{
    const struct result_vm *all = &result->aggregate;
    double spent_ns[RESULT_SPENT] = {0}, own_ns[RESULT_SPENT];
    struct spent_kinds kinds;
    bool any = false;

    for (uint32_t i = 0; i < all->txn_count; i++) {
        for (uint32_t j = 0; j < RESULT_SPENT; j++) {
            any = any || all->txns[i].spent_ns[j] != 0;
            spent_ns[j] += all->txns[i].deferred ? 0 : (double)all->txns[i].spent_ns[j];
        }
    }
    if (!any || all->response.count == 0 || run_is_bare(result)) {
        return;
    }
    kinds = spent_begin(doc, spent_ns[SPENT_SERVER] > 0);
    for (uint32_t i = 0; i < all->txn_count; i++) {
        const struct result_txn *txn = &all->txns[i];

        for (uint32_t j = 0; j < RESULT_SPENT; j++) {
            own_ns[j] = (double)txn->spent_ns[j];
        }
        spent_row(doc, kinds, txn->kind, txn->response.count, (double)txn->response.sum_ns, own_ns);
    }
    spent_row(doc, kinds, "all", all->response.count, (double)all->response.sum_ns, spent_ns);
}

static void io_row(struct doc *doc, const struct result *result, const struct result_io *io,
                   bool bare)
{
    struct io_rate rate = io_per_second(result, io);
    bool any = io->latency.count > 0;

    doc_cell(doc, "%s", io->verb);
    doc_cell(doc, "%s", io->area);
    doc_cell_number(doc, rate.count);
    doc_cell_number(doc, rate.mb);
    doc_cell_size(doc, io->bytes > 0 ? per((double)io->bytes, (double)io->count) : NAN);
    doc_cell_duration(doc, any ? io->latency.mean_ns : NAN);
    doc_cell_duration(doc, any ? (double)io->latency.p50_ns : NAN);
    doc_cell_duration(doc, any ? (double)io->latency.p99_ns : NAN);
    doc_cell_duration(doc, any ? (double)io->latency.max_ns : NAN);
    doc_cell_count(doc, io->errors);
    if (!bare) {
        doc_cell_number(doc, per((double)io->count, (double)result->aggregate.response.count));
    }
}

void run_physical_io(struct doc *doc, const struct result *result)
{
    static const struct doc_column columns[] = {
        {"I/O", "verb", DOC_LEFT},
        {"area", "area", DOC_LEFT},
        {"/s", "per_s", DOC_RIGHT},
        {"MB/s", "mb_s", DOC_RIGHT},
        {"mean size", "mean_bytes", DOC_RIGHT},
        {"avg", "avg_ns", DOC_RIGHT},
        {"p50", "p50_ns", DOC_RIGHT},
        {"p99", "p99_ns", DOC_RIGHT},
        {"max", "max_ns", DOC_RIGHT},
        {"errors", "errors", DOC_RIGHT},
        {"a txn", "per_txn", DOC_RIGHT},
    };
    const struct result_vm *all = &result->aggregate;
    bool bare = run_is_bare(result);

    if (all->io_count == 0) {
        return;
    }
    doc_heading(doc, 2, "Physical I/O, as the drive answered it");
    doc_table(doc, "physical_io", columns, bare ? 10 : 11);
    for (uint32_t i = 0; i < all->io_count; i++) {
        io_row(doc, result, &all->ios[i], bare);
    }
}

static double pages_written(const struct result_vm *vm)
{
    for (uint32_t i = 0; i < vm->io_count; i++) {
        if (strcmp(vm->ios[i].verb, "write") == 0 && strcmp(vm->ios[i].area, "data") == 0) {
            return (double)vm->ios[i].count;
        }
    }
    /* a server's own, where there is no drive of ours */
    return vm->io_count == 0 ? result_fact(vm, "pages_written") : 0;
}

static void count_fact(struct doc *doc, const struct result_vm *vm, const char *name)
{
    double value = result_fact(vm, name);

    if (value >= 0 && value < 1e18) {
        doc_cell_count(doc, (uint64_t)value);
    } else {
        doc_cell_number(doc, NAN);
    }
}

static void database_row(struct doc *doc, const struct result_vm *vm)
{
    double n = (double)vm->response.count, cores = result_fact(vm, "cores");

    doc_cell(doc, "%s", vm->name);
    doc_cell_number(doc, per(result_fact(vm, "page_accesses"), n));
    doc_cell_number(doc, per(result_fact(vm, "page_reads"), n));
    doc_cell_number(doc, per(pages_written(vm), n));
    doc_cell_size(doc, per(result_fact(vm, "log_bytes"), n));
    doc_cell_share(doc, result_fact(vm, "hit_ratio"), false);
    doc_cell_number(doc, per(result_fact(vm, "lock_waits"), n));
    count_fact(doc, vm, "deadlocks");
    doc_cell_number(doc, per(result_fact(vm, "commits_waited"), result_fact(vm, "commit_groups")));
    count_fact(doc, vm, "checkpoints");
    doc_cell_share(doc, per(result_fact(vm, "cpu_busy_ns") / 1e9, cores * sample_seconds(vm)),
                   false);
}

void run_database(struct doc *doc, const struct result *result)
{
    static const struct doc_column columns[] = {
        {"VM", "vm", DOC_LEFT},
        {"accesses", "page_accesses_per_txn", DOC_RIGHT},
        {"page reads", "page_reads_per_txn", DOC_RIGHT},
        {"page writes", "data_writes_per_txn", DOC_RIGHT},
        {"log", "log_bytes_per_txn", DOC_RIGHT},
        {"hit%", "hit_ratio", DOC_RIGHT},
        {"lock waits", "lock_waits_per_txn", DOC_RIGHT},
        {"deadlocks", "deadlocks", DOC_RIGHT},
        {"commits/flush", "commits_per_group", DOC_RIGHT},
        {"checkpoints", "checkpoints", DOC_RIGHT},
        {"cpu%", "cpu_share", DOC_RIGHT},
    };

    if (isnan(result_fact(&result->aggregate, "page_accesses")) ||
        result->aggregate.response.count == 0) {
        return;
    }
    doc_heading(doc, 2, "The database, a transaction (deadlocks and checkpoints: in all)");
    doc_table(doc, "database", columns, sizeof(columns) / sizeof(*columns));
    for (uint32_t i = 0; i < result->vm_count; i++) {
        database_row(doc, &result->vms[i]);
    }
    database_row(doc, &result->aggregate);
}

void run_failed_checks(struct doc *doc, const struct result *result)
{
    static const struct doc_column columns[] = {
        {"check", "check", DOC_LEFT},          {"of", "scope", DOC_LEFT},
        {"expected", "expected", DOC_RIGHT},   {"found", "found", DOC_RIGHT},
        {"tolerance", "tolerance", DOC_RIGHT}, {"exit", "exit_code", DOC_RIGHT},
    };
    bool any = false;

    for (uint32_t i = 0; i < result->check_count; i++) {
        const struct result_check *check = &result->checks[i];

        if (check->passed) {
            continue;
        }
        if (!any) {
            doc_heading(doc, 2, "Checks that failed");
            doc_table(doc, "failed_checks", columns, sizeof(columns) / sizeof(*columns));
            any = true;
        }
        doc_cell(doc, "%s", check->name);
        doc_cell(doc, "%s", check->scope);
        doc_cell(doc, "%.12g", check->expected);
        doc_cell(doc, "%.12g", check->found);
        doc_cell(doc, "%.12g", check->tolerance);
        doc_cell(doc, "%d", (int)check->exit);
    }
}
