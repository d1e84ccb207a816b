#include "load_rows.h"

#include <string.h>

#include "base/must.h"

static struct sql_value *row_column(struct load_row *row, enum sql_kind kind)
{
    struct sql_value *value = &row->columns[row->count++];

    must(row->count <= LOAD_COLUMNS);
    value->kind = kind;
    return value;
}

static char *row_room(struct load_row *row, uint32_t bytes)
{
    struct sql_value *value = row_column(row, SQL_TEXT);

    must(row->used + bytes <= LOAD_TEXT);
    value->text = row->text + row->used;
    value->bytes = bytes;
    row->used += bytes;
    return row->text + row->used - bytes;
}

void row_int(struct load_row *row, int64_t value)
{
    row_column(row, SQL_INT)->number = value;
}

void row_null(struct load_row *row)
{
    row_column(row, SQL_NULL);
}

void row_string(struct load_row *row, const char *text)
{
    struct sql_value *value = row_column(row, SQL_TEXT);

    value->text = text;
    value->bytes = (uint32_t)strlen(text);
}

void row_bytes(struct load_row *row, const char *text, uint32_t bytes)
{
    memcpy(row_room(row, bytes), text, bytes);
}

void row_decimal(struct load_row *row, int64_t units, uint32_t digits)
{
    uint64_t left = units < 0 ? (uint64_t)-units : (uint64_t)units;
    char buf[24];
    uint32_t at = sizeof(buf);

    for (uint32_t i = 0; i <= digits || left > 0; i++) {
        if (i == digits && digits > 0) {
            buf[--at] = '.';
        }
        buf[--at] = (char)('0' + left % 10);
        left /= 10;
    }
    if (units < 0) {
        buf[--at] = '-';
    }
    row_bytes(row, buf + at, sizeof(buf) - at);
}

/* Four characters a random number: off by at most n / 2^16. */
static void fill(char *to, uint32_t count, struct rng *rng, const char *alphabet, uint32_t n)
{
    uint64_t word = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (i % 4 == 0) {
            word = rng_u64(rng);
        }
        to[i] = alphabet[(word & 0xffff) * n >> 16];
        word >>= 16;
    }
}

void row_letters(struct load_row *row, struct rng *rng, uint32_t least, uint32_t most)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    uint32_t count = least + (uint32_t)rng_below(rng, most - least + 1);

    fill(row_room(row, count), count, rng, alphabet, sizeof(alphabet) - 1);
}

void row_digits(struct load_row *row, struct rng *rng, uint32_t count)
{
    fill(row_room(row, count), count, rng, "0123456789", 10);
}

int load_part_rows(const struct load_source *source, const struct load_part *part, load_put *put,
                   void *context)
{
    switch (source->vm->workload) {
    case PLAN_TPCC:
        return tpcc_part_rows(source, part, put, context);
    case PLAN_SYSBENCH:
        return sbtest_part_rows(source, part, put, context);
    case PLAN_TPCB:
        return tpcb_part_rows(source, part, put, context);
    case PLAN_BLOCK:
        break;
    }
    must(!"a block workload has no tables");
    return 0;
}

uint32_t load_parts(const struct plan_vm *vm, struct load_part *ret, uint64_t *ret_rows)
{
    uint32_t count = vm->workload == PLAN_TPCC       ? tpcc_parts(vm, ret)
                     : vm->workload == PLAN_SYSBENCH ? sbtest_parts(vm, ret)
                                                     : tpcb_parts(vm, ret);

    *ret_rows = 0;
    for (uint32_t i = 0; ret != NULL && i < count; i++) {
        *ret_rows += ret[i].rows;
    }
    return count;
}
