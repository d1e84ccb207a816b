#include <stdio.h>
#include <string.h>

#include "load_rows.h"

/* The tables of a warehouse, in the order of loading; item is the same for all. */
static const enum tpcc_table order[] = {TPCC_STOCK,    TPCC_CUSTOMER, TPCC_ORDER_LINE,
                                        TPCC_ORDERS,   TPCC_HISTORY,  TPCC_NEW_ORDERS,
                                        TPCC_DISTRICT, TPCC_WAREHOUSE};
enum { ORDER = sizeof(order) / sizeof(order[0]), FIRST_OPEN_ORDER = 2101 };

static const uint32_t rows_of[TPCC_TABLES] = {
    [TPCC_WAREHOUSE] = 1,       [TPCC_DISTRICT] = 10,      [TPCC_CUSTOMER] = 30000,
    [TPCC_HISTORY] = 30000,     [TPCC_ORDERS] = 30000,     [TPCC_NEW_ORDERS] = 9000,
    [TPCC_ORDER_LINE] = 300000, [TPCC_STOCK] = TPCC_ITEMS, [TPCC_ITEM] = TPCC_ITEMS,
};

uint32_t tpcc_parts(const struct plan_vm *vm, struct load_part *ret)
{
    uint32_t count = 0, warehouses = vm->model.tpcc.warehouses;

    if (ret != NULL) {
        ret[0] = (struct load_part){.table = TPCC_ITEM, .rows = TPCC_ITEMS};
    }
    count++;
    for (uint32_t w = 1; w <= warehouses; w++) {
        for (uint32_t i = 0; i < ORDER; i++, count++) {
            if (ret != NULL) {
                ret[count] =
                    (struct load_part){.table = order[i], .number = w, .rows = rows_of[order[i]]};
            }
        }
    }
    return count;
}

/* Where one row is being made. */
struct maker {
    const struct load_source *source;
    uint32_t w;
    struct rng rng;
    struct load_row row;
};

static void begin(struct maker *maker, enum tpcc_table table, uint32_t d, uint32_t key)
{
    uint64_t place = (uint64_t)maker->w << 32 | (uint64_t)d << 24 | key;

    rng_init(&maker->rng, rng_hash(maker->source->seed + table + 1), place);
    row_begin(&maker->row);
}

static void add_address(struct maker *maker)
{
    struct load_row *row = &maker->row;
    char state[2] = {(char)('A' + rng_below(&maker->rng, 26)),
                     (char)('A' + rng_below(&maker->rng, 26))};
    char zip[9];

    row_letters(row, &maker->rng, 10, 20);
    row_letters(row, &maker->rng, 10, 20);
    row_letters(row, &maker->rng, 10, 20);
    row_bytes(row, state, sizeof(state));
    for (uint32_t i = 0; i < 4; i++) {
        zip[i] = (char)('0' + rng_below(&maker->rng, 10));
    }
    memcpy(zip + 4, "11111", 5);
    row_bytes(row, zip, sizeof(zip));
}

/* i_data and s_data: in a tenth of the rows with ORIGINAL somewhere. */
static void add_data(struct maker *maker)
{
    struct load_row *row = &maker->row;
    uint32_t from = row->used;
    bool original = rng_below(&maker->rng, 10) == 0;

    row_letters(row, &maker->rng, 26, 50);
    if (original) {
        uint32_t place = (uint32_t)rng_below(&maker->rng, row->used - from - 8 + 1);

        memcpy(row->text + from + place, "ORIGINAL", 8);
    }
}

static int item_rows(struct maker *maker, load_put *put, void *context)
{
    struct load_row *row = &maker->row;
    int rc = 0;

    for (uint32_t i = 1; rc == 0 && i <= TPCC_ITEMS; i++) {
        begin(maker, TPCC_ITEM, 0, i);
        row_int(row, i);
        row_int(row, 1 + (int64_t)rng_below(&maker->rng, 10000));
        row_letters(row, &maker->rng, 14, 24);
        row_decimal(row, tpcc_item_price_cents(maker->source->seed, i), 2);
        add_data(maker);
        rc = put(context, row);
    }
    return rc;
}

static int warehouse_rows(struct maker *maker, load_put *put, void *context)
{
    struct load_row *row = &maker->row;

    begin(maker, TPCC_WAREHOUSE, 0, 0);
    row_int(row, maker->w);
    row_letters(row, &maker->rng, 6, 10);
    add_address(maker);
    row_decimal(row, (int64_t)rng_below(&maker->rng, 2001), 4);
    row_decimal(row, 30000000, 2);
    return put(context, row);
}

static int district_rows(struct maker *maker, load_put *put, void *context)
{
    struct load_row *row = &maker->row;
    int rc = 0;

    for (uint32_t d = 1; rc == 0 && d <= TPCC_DISTRICTS; d++) {
        begin(maker, TPCC_DISTRICT, d, 0);
        row_int(row, d);
        row_int(row, maker->w);
        row_letters(row, &maker->rng, 6, 10);
        add_address(maker);
        row_decimal(row, (int64_t)rng_below(&maker->rng, 2001), 4);
        row_decimal(row, 3000000, 2);
        row_int(row, TPCC_LOADED_ORDERS + 1);
        rc = put(context, row);
    }
    return rc;
}

static int stock_rows(struct maker *maker, load_put *put, void *context)
{
    struct load_row *row = &maker->row;
    int rc = 0;

    for (uint32_t i = 1; rc == 0 && i <= TPCC_ITEMS; i++) {
        begin(maker, TPCC_STOCK, 0, i);
        row_int(row, i);
        row_int(row, maker->w);
        row_int(row, tpcc_loaded_stock(maker->source->seed, maker->w, i));
        for (uint32_t d = 0; d < TPCC_DISTRICTS; d++) {
            row_letters(row, &maker->rng, 24, 24);
        }
        row_int(row, 0);
        row_int(row, 0);
        row_int(row, 0);
        add_data(maker);
        rc = put(context, row);
    }
    return rc;
}

static void customer_row(struct maker *maker, uint32_t d, uint32_t c)
{
    const struct load_source *source = maker->source;
    struct load_row *row = &maker->row;
    char name[TPCC_NAME_BYTES + 1];
    uint32_t bytes =
        tpcc_sql_name(tpcc_loaded_name(source->seed, source->c_load, maker->w, d, c), name);

    begin(maker, TPCC_CUSTOMER, d, c);
    row_int(row, c);
    row_int(row, d);
    row_int(row, maker->w);
    row_letters(row, &maker->rng, 8, 16);
    row_string(row, "OE");
    row_bytes(row, name, bytes);
    add_address(maker);
    row_digits(row, &maker->rng, 16);
    row_string(row, source->now);
    row_string(row, tpcc_loaded_bad_credit(source->seed, maker->w, d, c) ? "BC" : "GC");
    row_string(row, "50000.00");
    row_decimal(row, (int64_t)rng_below(&maker->rng, 5001), 4);
    row_string(row, "-10.00");
    row_string(row, "10.00");
    row_int(row, 1);
    row_int(row, 0);
    row_letters(row, &maker->rng, 300, 500);
}

static void history_row(struct maker *maker, uint32_t d, uint32_t c)
{
    struct load_row *row = &maker->row;

    begin(maker, TPCC_HISTORY, d, c);
    row_int(row, c);
    row_int(row, d);
    row_int(row, maker->w);
    row_int(row, d);
    row_int(row, maker->w);
    row_string(row, maker->source->now);
    row_string(row, "10.00");
    row_letters(row, &maker->rng, 12, 24);
}

static void order_row(struct maker *maker, uint32_t d, uint32_t o)
{
    uint64_t seed = maker->source->seed;
    struct load_row *row = &maker->row;

    begin(maker, TPCC_ORDERS, d, o);
    row_int(row, o);
    row_int(row, d);
    row_int(row, maker->w);
    row_int(row, tpcc_loaded_customer_of_order(seed, maker->w, d, o));
    row_string(row, maker->source->now);
    if (o < FIRST_OPEN_ORDER) {
        row_int(row, 1 + (int64_t)rng_below(&maker->rng, 10));
    } else {
        row_null(row);
    }
    row_int(row, tpcc_loaded_line_count(seed, maker->w, d, o));
    row_int(row, 1);
}

static void new_order_row(struct maker *maker, uint32_t d, uint32_t o)
{
    begin(maker, TPCC_NEW_ORDERS, d, o);
    row_int(&maker->row, o);
    row_int(&maker->row, d);
    row_int(&maker->row, maker->w);
}

static int each(struct maker *maker, void (*make)(struct maker *, uint32_t d, uint32_t key),
                uint32_t first, uint32_t last, load_put *put, void *context)
{
    int rc = 0;

    for (uint32_t d = 1; rc == 0 && d <= TPCC_DISTRICTS; d++) {
        for (uint32_t key = first; rc == 0 && key <= last; key++) {
            make(maker, d, key);
            rc = put(context, &maker->row);
        }
    }
    return rc;
}

static void line_row(struct maker *maker, uint32_t d, uint32_t o, uint32_t number)
{
    struct load_row *row = &maker->row;
    bool delivered = o < FIRST_OPEN_ORDER;

    begin(maker, TPCC_ORDER_LINE, d, o << 4 | number);
    row_int(row, o);
    row_int(row, d);
    row_int(row, maker->w);
    row_int(row, number);
    row_int(row, 1 + (int64_t)rng_below(&maker->rng, TPCC_ITEMS));
    row_int(row, maker->w);
    if (delivered) {
        row_string(row, maker->source->now);
    } else {
        row_null(row);
    }
    row_int(row, 5);
    row_decimal(row, delivered ? 0 : 1 + (int64_t)rng_below(&maker->rng, 999999), 2);
    row_letters(row, &maker->rng, 24, 24);
}

static int line_rows(struct maker *maker, load_put *put, void *context)
{
    uint64_t seed = maker->source->seed;
    int rc = 0;

    for (uint32_t d = 1; d <= TPCC_DISTRICTS; d++) {
        for (uint32_t o = 1; o <= TPCC_LOADED_ORDERS; o++) {
            uint32_t lines = tpcc_loaded_line_count(seed, maker->w, d, o);

            for (uint32_t number = 1; rc == 0 && number <= lines; number++) {
                line_row(maker, d, o, number);
                rc = put(context, &maker->row);
            }
        }
    }
    return rc;
}

int tpcc_part_rows(const struct load_source *source, const struct load_part *part, load_put *put,
                   void *context)
{
    struct maker maker = {.source = source, .w = part->number};

    switch ((enum tpcc_table)part->table) {
    case TPCC_ITEM:
        return item_rows(&maker, put, context);
    case TPCC_WAREHOUSE:
        return warehouse_rows(&maker, put, context);
    case TPCC_DISTRICT:
        return district_rows(&maker, put, context);
    case TPCC_STOCK:
        return stock_rows(&maker, put, context);
    case TPCC_CUSTOMER:
        return each(&maker, customer_row, 1, TPCC_CUSTOMERS, put, context);
    case TPCC_HISTORY:
        return each(&maker, history_row, 1, TPCC_CUSTOMERS, put, context);
    case TPCC_ORDERS:
        return each(&maker, order_row, 1, TPCC_LOADED_ORDERS, put, context);
    case TPCC_NEW_ORDERS:
        return each(&maker, new_order_row, FIRST_OPEN_ORDER, TPCC_LOADED_ORDERS, put, context);
    case TPCC_ORDER_LINE:
        return line_rows(&maker, put, context);
    case TPCC_TABLES:
        break;
    }
    return 0;
}
