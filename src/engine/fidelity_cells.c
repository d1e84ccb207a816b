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

static int cells_read_file(const char *path, char **ret, size_t *ret_bytes, struct error *err)
{
    struct stat st;
    char *text = NULL;
    size_t got = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC), code = 0;

    if (fd < 0 || fstat(fd, &st) != 0) {
        code = -errno;
    } else if (!S_ISREG(st.st_mode) || st.st_size > FILE_MOST) {
        code = -EFBIG;
    } else if ((text = mem_zalloc((size_t)st.st_size + 1)) == NULL) {
        code = -ENOMEM;
    }
    while (code == 0 && got < (size_t)st.st_size) {
        ssize_t n = read(fd, text + got, (size_t)st.st_size - got);

        if (n == 0) {
            break;
        }
        code = n < 0 && errno != EINTR ? -errno : 0;
        got += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    if (code != 0) {
        mem_free(text);
        return error_set(err, EXIT_FAILED, code, "cannot read %s: %s", path, strerror(-code));
    }
    *ret = text;
    *ret_bytes = got;
    return 0;
}

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

    for (size_t i = 0; i < json_length(list) && i < FIDELITY_PRIORS; i++) {
        const struct json_node *row = json_at(list, i);
        struct fidelity_prior *prior = &cell->priors[cell->prior_count++];
        int code = cell_rand_type(json_string_or(row, "0", ""), &prior->rand_type, err);

        if (code != 0) {
            return code;
        }
        prior->transactions = (uint64_t)json_int_or(row, "1", 0);
    }
    return 0;
}

static void cell_figures(struct fidelity_figures *ret, const struct json_node *node)
{
    const struct json_node *per = json_get(node, "per_trx"), *reads = json_get(node, "reads");

    *ret = (struct fidelity_figures){
        .page_reads = json_num_or(per, "page_reads", 0),
        .page_writes = json_num_or(per, "page_writes", 0),
        .dirty_delta = json_num_or(per, "dirty_delta", 0),
        .images = json_num_or(per, "full_page_images", 0),
        .log_bytes = json_num_or(per, "log_bytes", 0),
        .log_writes = json_num_or(per, "log_writes", 0),
        .lock_waits = json_num_or(per, "row_lock_waits", 0),
        .doublewritten = json_num_or(per, "doublewrite_pages", 0),
        .batches = json_num_or(per, "doublewrite_batches", 0),
        .created = json_num_or(per, "pages_created", 0),
        .by_checkpoint = json_num_or(per, "writes_checkpoint", 0),
        .by_cleaner = json_num_or(per, "writes_bgwriter", 0),
        .by_victim = json_num_or(per, "writes_backend", 0),
        .tps = json_num_or(node, "tps", 0),
    };
    for (size_t i = 0; i < json_length(reads) && i < FIDELITY_TABLES; i++) {
        struct fidelity_share *share = &ret->tables[ret->table_count++];

        snprintf(share->name, sizeof(share->name), "%s", json_key_at(reads, i));
        share->reads = json_num_or(json_value_at(reads, i), "", 0);
    }
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
    cell->buffer_mib = (uint32_t)json_int_or(node, "buffer_mb", 0);
    cell->threads = (uint32_t)json_int_or(node, "threads", 0);
    cell->warehouses = (uint32_t)json_int_or(node, "warehouses", WAREHOUSES);
    cell->tables = (uint32_t)json_int_or(node, "tables", TABLES);
    cell->rows = (uint64_t)json_int_or(node, "rows", ROWS);
    cell->warm = (uint32_t)json_int_or(node, "warm", 0);
    cell->transactions = (uint32_t)json_int_or(node, "trx", 0);
    cell->settled = json_bool_or(node, "settled", true);
    cell->slow_disk = strcmp(json_string_or(node, "storage", "tmpfs"), "tmpfs") != 0;
    cell->nurand_fixed = strstr(variant, "nurand_fixed") != NULL;
    for (uint32_t i = 0; i < 3; i++) {
        const struct json_node *constant = json_at(json_get(node, "nurand_c"), i);

        cell->nurand_c[i] = (uint32_t)json_int_or(constant, "", 0);
    }
    cell->group_commit = strstr(variant, "group_commit") != NULL;
    cell->one_thread = strstr(variant, "one_thread") != NULL;
    cell->checkpoint_ns = json_int_or(node, "checkpoint_s", 0) * 1000000000;
    cell->flush_ns = (int64_t)(json_num_or(node, "flush_ms", 0) * 1e6);
    cell->cpu_ms = json_num_or(node, "per_trx.cpu_ms", 0);
    for (uint32_t i = 0; i < TPCC_KINDS; i++) {
        const struct json_node *count = json_at(json_get(node, "kinds"), i);

        cell->kinds[i] = (uint32_t)json_int_or(count, "", 0);
    }
    cell_figures(&cell->truth, node);
    code = cell_workload(cell, node, err);
    if (code == 0 && (cell->buffer_mib == 0 || cell->threads == 0 || cell->transactions == 0 ||
                      !(cell->truth.tps > 0))) {
        code = error_set(err, EXIT_USAGE, -EINVAL,
                         "buffer_mb, threads, trx and tps must all be there and above 0");
    }
    return code == 0 ? cell_priors(cell, node, err) : code;
}

static int cells_take(const struct json_node *root, struct fidelity_cell **ret, uint32_t *ret_count,
                      struct error *err)
{
    const struct json_node *list;
    int code = json_get_array(root, "cells", &list, err);
    size_t count = json_length(list);
    struct fidelity_cell *cells;

    if (code != 0) {
        return code;
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
