#include "engine/fidelity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"

/* How the yardstick was measured (MODEL.md 9), where a cell does not say otherwise. */
enum { WAREHOUSES = 10, TABLES = 10, ROWS = 500000, FILE_MOST = 64 << 20 };
/* Beyond these no server was ever measured, and sums of the model would overflow. */
#define BUFFER_MOST_MIB   (1 << 20)
#define THREADS_MOST      10000
#define WAREHOUSES_MOST   100000
#define TABLES_MOST       10000
#define ROWS_MOST         1000000000
#define ROWS_ALL_MOST     100000000000
#define ROWS_LEAST        100 /* a range of sysbench is as long */
#define TRANSACTIONS_MOST 100000000
#define CHECKPOINT_MOST_S 1000000
#define WAIT_MOST_MS      60000
#define TPS_LEAST         0.001
#define TPS_MOST          1e9
#define FIGURE_MOST       1e12

/* A pipe without a writer would hold us up, and a device has no end. */
static int cells_open(const char *path, struct stat *st, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 || fstat(fd, st) != 0) {
        int code = -errno;

        if (fd >= 0) {
            close(fd);
        }
        return error_set(err, EXIT_FAILED, code, "cannot read %s: %s", path, strerror(-code));
    }
    if (!S_ISREG(st->st_mode)) {
        close(fd);
        return error_set(err, EXIT_USAGE, -EINVAL, "%s is not a regular file", path);
    }
    if (st->st_size > FILE_MOST) {
        close(fd);
        return error_set(err, EXIT_USAGE, -EFBIG, "%s: larger than %d MiB", path, FILE_MOST >> 20);
    }
    return fd;
}

static int cells_read_file(const char *path, char **ret, size_t *ret_bytes, struct error *err)
{
    struct stat st;
    char *text;
    size_t got = 0;
    int fd = cells_open(path, &st, err), code;

    if (fd < 0) {
        return fd;
    }
    text = mem_zalloc((size_t)st.st_size + 1);
    code = text ? 0 : -ENOMEM;
    while (code == 0 && got < (size_t)st.st_size) {
        ssize_t n = read(fd, text + got, (size_t)st.st_size - got);

        if (n == 0) {
            break;
        }
        code = n < 0 && errno != EINTR ? -errno : 0;
        got += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    if (code != 0) {
        mem_free(text);
        return error_set(err, EXIT_FAILED, code, "cannot read %s: %s", path, strerror(-code));
    }
    *ret = text;
    *ret_bytes = got;
    return 0;
}

/* ---- numbers -----------------------------------------------------------------------------------
 */

/* Takes what stands in a node; the first number that is no good is kept as the error. */
struct taking {
    const struct json_node *node;
    const char *of; /* what the node is in the cell, "per_trx."; "" the cell itself */
    struct error *err;
    int code;
};

static int64_t take_int(struct taking *taking, const char *key, int64_t least, int64_t most,
                        int64_t fallback)
{
    int64_t value = fallback;

    if (taking->code != 0 || json_absent(json_get(taking->node, key))) {
        return fallback;
    }
    if (json_get_int(taking->node, key, &value, taking->err) != 0 || value < least ||
        value > most) {
        taking->code = error_set(taking->err, EXIT_USAGE, -ERANGE,
                                 "%s%s must be a whole number from %lld to %lld", taking->of, key,
                                 (long long)least, (long long)most);
        return fallback;
    }
    return value;
}

static double take_num(struct taking *taking, const char *key, double least, double most)
{
    double value = 0;

    if (taking->code != 0 || json_absent(json_get(taking->node, key))) {
        return 0;
    }
    if (json_get_num(taking->node, key, &value, taking->err) != 0 ||
        !(value >= least && value <= most)) {
        taking->code =
            error_set(taking->err, EXIT_USAGE, -ERANGE, "%s%s must be a number from %.15g to %.15g",
                      taking->of, key, least, most);
        return 0;
    }
    return value;
}

static double take_figure(struct taking *taking, const char *key)
{
    return take_num(taking, key, 0, FIGURE_MOST);
}

/* A list of exactly `count` whole numbers from 0 on, or none. */
static void take_list(struct taking *taking, const char *key, uint32_t count, const int64_t *most,
                      uint32_t *rets)
{
    const struct json_node *list = json_get(taking->node, key);
    struct taking inner = {.node = list, .of = taking->of, .err = taking->err};

    if (taking->code != 0 || json_absent(list)) {
        return;
    }
    if (json_kind(list) != JSON_KIND_ARRAY || json_length(list) != count) {
        taking->code = error_set(taking->err, EXIT_USAGE, -EINVAL,
                                 "%s must be a list of %u numbers", key, count);
        return;
    }
    for (uint32_t i = 0; i < count && inner.code == 0; i++) {
        char at[16], of[32];

        snprintf(at, sizeof(at), "%u", i);
        snprintf(of, sizeof(of), "%s.", key);
        inner.of = of;
        rets[i] = (uint32_t)take_int(&inner, at, 0, most[i], 0);
    }
    taking->code = inner.code;
}

/* ---- a cell ------------------------------------------------------------------------------------
 */

static int cell_rand_type(const char *name, enum dist_kind *ret, struct error *err)
{
    for (uint32_t i = 0; i < DIST_KINDS; i++) {
        if (strcmp(name, dist_names[i]) == 0) {
            *ret = (enum dist_kind)i;
            return 0;
        }
    }
    return error_set(err, EXIT_USAGE, -EINVAL, "no distribution is called \"%.40s\"", name);
}

static int cell_workload(struct fidelity_cell *cell, const struct json_node *node,
                         struct error *err)
{
    const char *name = json_string_or(node, "workload", "");

    if (strncmp(name, "tpcc_", 5) == 0) {
        cell->is_tpcc = true;
        cell->index_full = strcmp(name, "tpcc_full") == 0;
        return 0;
    }
    if (strncmp(name, "sb_", 3) != 0) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "the workload must be tpcc_* or sb_*, not \"%.40s\"", name);
    }
    return cell_rand_type(name + 3, &cell->rand_type, err);
}

static int cell_priors(struct fidelity_cell *cell, const struct json_node *node, struct error *err)
{
    const struct json_node *list = json_get(node, "prior");
    size_t count = json_length(list);

    if (json_absent(list)) {
        return 0;
    }
    if (json_kind(list) != JSON_KIND_ARRAY || count > FIDELITY_PRIORS ||
        (count > 0 && cell->is_tpcc)) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "prior must be a list of at most %d [distribution, transactions], and is "
                         "for sb_* alone",
                         FIDELITY_PRIORS);
    }
    for (size_t i = 0; i < count; i++) {
        struct taking taking = {.node = json_at(list, i), .of = "prior.", .err = err};
        struct fidelity_prior *prior = &cell->priors[cell->prior_count++];
        int code = cell_rand_type(json_string_or(taking.node, "0", ""), &prior->rand_type, err);

        if (code != 0) {
            return code;
        }
        prior->transactions = (uint64_t)take_int(&taking, "1", 0, TRANSACTIONS_MOST, 0);
        if (taking.code != 0) {
            return taking.code;
        }
    }
    return 0;
}

static int cell_reads(struct fidelity_figures *ret, const struct json_node *node, struct error *err)
{
    const struct json_node *reads = json_get(node, "reads");
    struct taking taking = {.node = reads, .of = "reads.", .err = err};

    if (json_absent(reads)) {
        return 0;
    }
    if (json_kind(reads) != JSON_KIND_OBJECT || json_length(reads) > FIDELITY_TABLES) {
        return error_set(err, EXIT_USAGE, -EINVAL, "reads must be an object of at most %d tables",
                         FIDELITY_TABLES);
    }
    for (size_t i = 0; i < json_length(reads) && taking.code == 0; i++) {
        struct fidelity_share *share = &ret->tables[ret->table_count++];
        char of[80];

        snprintf(share->name, sizeof(share->name), "%s", json_key_at(reads, i));
        snprintf(of, sizeof(of), "reads.%.40s", json_key_at(reads, i));
        taking.node = json_value_at(reads, i);
        taking.of = of;
        share->reads = take_figure(&taking, "");
    }
    return taking.code;
}

static int cell_figures(struct fidelity_figures *ret, const struct json_node *node,
                        struct error *err)
{
    struct taking per = {.node = json_get(node, "per_trx"), .of = "per_trx.", .err = err};

    *ret = (struct fidelity_figures){
        .page_reads = take_figure(&per, "page_reads"),
        .page_writes = take_figure(&per, "page_writes"),
        .dirty_delta = take_num(&per, "dirty_delta", -FIGURE_MOST, FIGURE_MOST),
        .images = take_figure(&per, "full_page_images"),
        .log_bytes = take_figure(&per, "log_bytes"),
        .log_writes = take_figure(&per, "log_writes"),
        .lock_waits = take_figure(&per, "row_lock_waits"),
        .doublewritten = take_figure(&per, "doublewrite_pages"),
        .batches = take_figure(&per, "doublewrite_batches"),
        .created = take_figure(&per, "pages_created"),
        .splits = take_figure(&per, "leaf_splits"),
        .by_checkpoint = take_figure(&per, "writes_checkpoint"),
        .by_cleaner = take_figure(&per, "writes_bgwriter"),
        .by_victim = take_figure(&per, "writes_backend"),
    };
    return per.code == 0 ? cell_reads(ret, node, err) : per.code;
}

/* C of last names, customers and items (TPC-C 2.1.6); of each kind as many as the window has. */
static void cell_lists(struct fidelity_cell *cell, struct taking *taking)
{
    static const int64_t constants[3] = {255, 1023, 8191};
    int64_t kinds[TPCC_KINDS];
    uint64_t sum = 0;

    for (uint32_t i = 0; i < TPCC_KINDS; i++) {
        kinds[i] = TRANSACTIONS_MOST;
    }
    take_list(taking, "nurand_c", 3, constants, cell->nurand_c);
    take_list(taking, "kinds", TPCC_KINDS, kinds, cell->kinds);
    for (uint32_t i = 0; i < TPCC_KINDS; i++) {
        sum += cell->kinds[i];
    }
    if (taking->code == 0 && cell->is_tpcc && sum == 0) {
        taking->code =
            error_set(taking->err, EXIT_USAGE, -EINVAL,
                      "kinds must say how many transactions of each kind tpcc_* had, not all 0");
    }
}

static int cell_numbers(struct fidelity_cell *cell, const struct json_node *node, struct error *err)
{
    struct taking taking = {.node = node, .of = "", .err = err};

    cell->buffer_mib = (uint32_t)take_int(&taking, "buffer_mb", 1, BUFFER_MOST_MIB, 0);
    cell->threads = (uint32_t)take_int(&taking, "threads", 1, THREADS_MOST, 0);
    cell->warehouses = (uint32_t)take_int(&taking, "warehouses", 1, WAREHOUSES_MOST, WAREHOUSES);
    cell->tables = (uint32_t)take_int(&taking, "tables", 1, TABLES_MOST, TABLES);
    cell->rows = (uint64_t)take_int(&taking, "rows", ROWS_LEAST, ROWS_MOST, ROWS);
    cell->warm = (uint32_t)take_int(&taking, "warm", 0, TRANSACTIONS_MOST, 0);
    cell->transactions = (uint32_t)take_int(&taking, "trx", 1, TRANSACTIONS_MOST, 0);
    cell->checkpoint_ns = take_int(&taking, "checkpoint_s", 0, CHECKPOINT_MOST_S, 0) * 1000000000;
    cell->flush_ns = (int64_t)(take_num(&taking, "flush_ms", 0, WAIT_MOST_MS) * 1e6);
    cell->cpu_ms = take_num(&taking, "per_trx.cpu_ms", 0, WAIT_MOST_MS);
    cell_lists(cell, &taking);
    if (taking.code == 0) {
        taking.code = cell_figures(&cell->truth, node, err);
    }
    cell->truth.tps = take_num(&taking, "tps", TPS_LEAST, TPS_MOST);
    if (taking.code == 0 && (cell->buffer_mib == 0 || cell->threads == 0 ||
                             cell->transactions == 0 || !(cell->truth.tps > 0))) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "buffer_mb, threads, trx and tps must all be there and above 0");
    }
    if (taking.code == 0 && cell->rows * cell->tables > ROWS_ALL_MOST) {
        return error_set(err, EXIT_USAGE, -ERANGE, "tables x rows must be at most %lld",
                         (long long)ROWS_ALL_MOST);
    }
    return taking.code;
}

static int cell_take(struct fidelity_cell *cell, const struct json_node *node, struct error *err)
{
    const char *engine = json_string_or(node, "engine", "");
    const char *variant = json_string_or(node, "variant", "");
    int code;

    snprintf(cell->id, sizeof(cell->id), "%s", json_string_or(node, "id", ""));
    cell->profile = strcmp(engine, "postgresql") == 0 ? MODEL_POSTGRES : MODEL_INNODB;
    if (cell->profile == MODEL_INNODB && strcmp(engine, "mariadb") != 0) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "the engine must be mariadb or postgresql, not \"%.40s\"", engine);
    }
    cell->settled = json_bool_or(node, "settled", true);
    cell->slow_disk = strcmp(json_string_or(node, "storage", "tmpfs"), "tmpfs") != 0;
    cell->nurand_fixed = strstr(variant, "nurand_fixed") != NULL;
    cell->group_commit = strstr(variant, "group_commit") != NULL;
    cell->one_thread = strstr(variant, "one_thread") != NULL;
    code = cell_workload(cell, node, err);
    code = code == 0 ? cell_numbers(cell, node, err) : code;
    return code == 0 ? cell_priors(cell, node, err) : code;
}

static int cells_take(const struct json_node *root, struct fidelity_cell **ret, uint32_t *ret_count,
                      struct error *err)
{
    const struct json_node *list = NULL;
    int code = json_get_array(root, "cells", &list, err);
    size_t count = json_length(list);
    struct fidelity_cell *cells;

    if (code != 0) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "no list of \"cells\": not a file of measurements");
    }
    cells = mem_array(count + 1, sizeof(*cells));
    if (cells == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %zu cells", count);
    }
    for (size_t i = 0; i < count; i++) {
        code = cell_take(&cells[i], json_at(list, i), err);
        if (code != 0) {
            error_wrap(err, "cells[%zu] %s", i, cells[i].id);
            mem_free(cells);
            return code;
        }
    }
    *ret = cells;
    *ret_count = (uint32_t)count;
    return 0;
}

int fidelity_read(const char *path, struct fidelity_cell **ret, uint32_t *ret_count,
                  struct error *err)
{
    const struct json_node *root;
    char *text = NULL;
    size_t bytes = 0;
    int code = cells_read_file(path, &text, &bytes, err);

    if (code != 0) {
        return code;
    }
    root = json_parse(text, bytes, path, err);
    code = root == NULL ? err->code : cells_take(root, ret, ret_count, err);
    if (root != NULL && code != 0 && err->file[0] == '\0') {
        error_wrap(err, "%s", path);
    }
    json_free(root);
    mem_free(text);
    return code;
}
