#include "model_tuples.h"

#include "base/must.h"
#include "base/rng.h"

/*
 * A page as PostgreSQL's manual has it ("Database Page Layout"): 24 bytes of header, 4 a line
 * pointer; tuples of 23 bytes of header and a bit a column if one is NULL, aligned to 8
 * (htup_details.h). An index entry has 8 bytes of header (itup.h), a b-tree's page 16 of special
 * space (nbtree.h, BTPageOpaqueData).
 */
enum { PAGE = 8192, PAGE_HEADER = 24, LINE = 4, ALIGN = 8 };
enum { HEAP_HEADER = 24, HEAP_HEADER_NULLS = 32 }; /* nine columns or more, one of them NULL */
enum { ENTRY_HEADER = 8, SPECIAL = 16 };
/*
 * CREATE INDEX ends a leaf as soon as less than a tenth of the page is free (fillfactor 90), the
 * entry that comes last then being the first of the next leaf; the line pointer of the high key is
 * taken before, and PageGetFreeSpace() asks for another (nbtsort.c, _bt_buildadd).
 */
enum {
    LEAF_ROOM = PAGE - PAGE_HEADER - SPECIAL - 2 * LINE,
    LEAF_KEPT = PAGE / 10,                          /* BTREE_DEFAULT_FILLFACTOR */
    ROW_ID = 6,                                     /* ItemPointerData */
    LIST_MOST = (PAGE / 10) / ALIGN * ALIGN - ALIGN /* nbtsort.c, _bt_load: maxpostingsize */
};

/* ---- columns -----------------------------------------------------------------------------------
 */

/*
 * Bytes of a value, uniform from least to most, its length included: a byte for strings and
 * numbers of less than 127 bytes, which are not aligned, else 4, aligned to 4 (varatt.h,
 * heap_fill_tuple). A numeric has 2 bytes of header and 2 for each four digits, none for 0
 * (numeric.c, NumericShort). The loader's lengths: load_tpcc.c.
 */
struct tuple_column {
    uint8_t align;
    uint16_t least, most;
};

#define FIXED(n)                                                                                   \
    {                                                                                              \
        n, n, n                                                                                    \
    }
#define TEXT(x, y)                                                                                 \
    {                                                                                              \
        1, 1 + (x), 1 + (y)                                                                        \
    }
#define LONG_TEXT(x, y)                                                                            \
    {                                                                                              \
        4, 4 + (x), 4 + (y)                                                                        \
    }
#define INT            FIXED(4)
#define SMALLINT       FIXED(2)
#define BIGINT         FIXED(8)
#define TIMESTAMP      FIXED(8)
#define CHAR(n)        TEXT(n, n)
#define NUMERIC(words) CHAR(2 + 2 * (words))
/* three syllables of 3, 4 or 5 letters (TPC-C clause 4.3.2.3) */
#define NAME                                                                                       \
    {1, 1 + 3, 1 + 5}, {1, 3, 5},                                                                  \
    {                                                                                              \
        1, 3, 5                                                                                    \
    }
#define ADDRESS TEXT(10, 20), TEXT(10, 20), TEXT(10, 20), CHAR(2), CHAR(9)

/* In the order of sql_tables.c; no order that has not been delivered has a carrier or dates. */
static const struct tuple_column warehouse[] = {INT, TEXT(6, 10), ADDRESS, NUMERIC(1), NUMERIC(1)};
static const struct tuple_column district[] = {INT,        INT,        TEXT(6, 10), ADDRESS,
                                               NUMERIC(1), NUMERIC(1), INT};
static const struct tuple_column customer[] = {INT,
                                               INT,
                                               INT,
                                               TEXT(8, 16),
                                               CHAR(2),
                                               NAME,
                                               ADDRESS,
                                               CHAR(16),
                                               TIMESTAMP,
                                               CHAR(2),
                                               NUMERIC(1),
                                               NUMERIC(1),
                                               NUMERIC(1),
                                               NUMERIC(1),
                                               INT,
                                               INT,
                                               LONG_TEXT(300, 500)};
static const struct tuple_column history[] = {INT, INT,       INT,        INT,
                                              INT, TIMESTAMP, NUMERIC(1), TEXT(12, 24)};
static const struct tuple_column orders[] = {INT,       INT, INT,      INT,
                                             TIMESTAMP, INT, SMALLINT, SMALLINT};
static const struct tuple_column open_orders[] = {INT,       INT,      INT,     INT,
                                                  TIMESTAMP, SMALLINT, SMALLINT};
static const struct tuple_column new_order[] = {INT, INT, INT};
/* an amount of 0 as loaded, of some hundreds where it was not delivered (clause 4.3.3.1) */
static const struct tuple_column line[] = {INT, INT,       INT,      INT,        INT,
                                           INT, TIMESTAMP, SMALLINT, NUMERIC(0), CHAR(24)};
static const struct tuple_column open_line[] = {INT, INT,      INT,        INT,     INT,
                                                INT, SMALLINT, NUMERIC(2), CHAR(24)};
static const struct tuple_column delivered_line[] = {
    INT, INT, INT, INT, INT, INT, TIMESTAMP, SMALLINT, NUMERIC(2), CHAR(24)};
static const struct tuple_column stock[] = {
    INT,      INT,      SMALLINT, CHAR(24), CHAR(24), CHAR(24), CHAR(24), CHAR(24),    CHAR(24),
    CHAR(24), CHAR(24), CHAR(24), CHAR(24), BIGINT,   INT,      INT,      TEXT(26, 50)};
static const struct tuple_column item[] = {INT, INT, TEXT(14, 24), NUMERIC(2), TEXT(26, 50)};
static const struct tuple_column ints[] = {INT, INT, INT, INT};
static const struct tuple_column name[] = {INT, INT, NAME, TEXT(8, 16)};

struct tuple_form {
    const struct tuple_column *columns;
    uint8_t count, header;
};
#define FORM(list, header)                                                                         \
    {                                                                                              \
        list, sizeof(list) / sizeof(*(list)), header                                               \
    }
#define KEY(count)                                                                                 \
    {                                                                                              \
        ints, count, ENTRY_HEADER                                                                  \
    }

/* Entries of indexes; of heaps what is loaded, and has been delivered. */
static const struct tuple_form loaded_forms[IX_SBTEST] = {
    [IX_WAREHOUSE] = FORM(warehouse, HEAP_HEADER),
    [IX_DISTRICT] = FORM(district, HEAP_HEADER),
    [IX_CUSTOMER] = FORM(customer, HEAP_HEADER),
    [IX_HISTORY] = FORM(history, HEAP_HEADER),
    [IX_ORDERS] = FORM(orders, HEAP_HEADER),
    [IX_NEW_ORDERS] = FORM(new_order, HEAP_HEADER),
    [IX_ORDER_LINE] = FORM(line, HEAP_HEADER),
    [IX_STOCK] = FORM(stock, HEAP_HEADER),
    [IX_ITEM] = FORM(item, HEAP_HEADER),
    [IX_CUSTOMER_NAME] = FORM(name, ENTRY_HEADER),
    [IX_ORDERS_CUSTOMER] = KEY(4),
    [IX_LINE_STOCK] = KEY(2),
    [IX_STOCK_ITEM] = KEY(1),
    [IX_HISTORY_CUSTOMER] = KEY(3),
    [IX_HISTORY_DISTRICT] = KEY(2),
    [IX_CUSTOMER_KEY] = KEY(3),
    [IX_ORDERS_KEY] = KEY(3),
    [IX_NEW_ORDERS_KEY] = KEY(3),
    [IX_ORDER_LINE_KEY] = KEY(4),
    [IX_STOCK_KEY] = KEY(2),
    [IX_ITEM_KEY] = KEY(1),
};

/* What an insert makes, what an update makes of it. */
static struct tuple_form inserted_form(enum index_id id)
{
    return id == IX_ORDERS       ? (struct tuple_form)FORM(open_orders, HEAP_HEADER)
           : id == IX_ORDER_LINE ? (struct tuple_form)FORM(open_line, HEAP_HEADER_NULLS)
                                 : loaded_forms[id];
}

static struct tuple_form updated_form(enum index_id id)
{
    return id == IX_ORDER_LINE ? (struct tuple_form)FORM(delivered_line, HEAP_HEADER)
                               : loaded_forms[id];
}

static uint32_t aligned(uint32_t bytes, uint32_t to)
{
    return (bytes + to - 1) / to * to;
}

/* Aligned to 8, without a line pointer. */
static uint32_t drawn_bytes(const struct tuple_form *form, struct rng *rng)
{
    uint32_t bytes = form->header;

    for (uint32_t i = 0; i < form->count; i++) {
        const struct tuple_column *column = &form->columns[i];

        bytes = aligned(bytes, column->align) + column->least;
        if (column->most > column->least) {
            bytes += (uint32_t)rng_below(rng, column->most - column->least + 1u);
        }
    }
    return aligned(bytes, ALIGN);
}

/* ---- pages -------------------------------------------------------------------------------------
 */

enum { PAGES_FILLED = 400 };
/* The map of free space counts in steps of a 256th of a page (freespace.c, FSM_CAT_STEP). */
enum { ROOM_STEP = PAGE / 256 };

/* A page that has room for a row as far as the map knows, a new one if there is none. */
static uint32_t page_with_room(const uint32_t *free, uint32_t pages, uint32_t bytes)
{
    uint32_t wanted = (bytes - LINE + ROOM_STEP - 1) / ROOM_STEP;

    for (uint32_t i = 0; i < pages; i++) {
        if (free[i] >= LINE && (free[i] - LINE) / ROOM_STEP >= wanted) {
            return i;
        }
    }
    return pages;
}

/*
 * COPY puts rows on a page as long as they fit (fillfactor 100); one that does not goes to what
 * another page has left, or to a new one (hio.c, RelationGetBufferForTuple).
 */
static double heap_rows(const struct tuple_form *form)
{
    uint32_t free[PAGES_FILLED + 1] = {PAGE - PAGE_HEADER}, pages = 1, at = 0;
    uint64_t rows = 0;
    struct rng rng;

    rng_init(&rng, 2, 0);
    for (;;) {
        uint32_t bytes = drawn_bytes(form, &rng) + LINE;

        if (free[at] < bytes) {
            at = page_with_room(free, pages, bytes);
        }
        if (at == PAGES_FILLED) {
            return (double)rows / pages;
        }
        if (at == pages) {
            free[pages++] = PAGE - PAGE_HEADER;
        }
        free[at] -= bytes;
        rows++;
    }
}

/*
 * How many rows have the same key. Entries of equal keys become one with a list of its rows, of at
 * most LIST_MOST bytes together (nbtdedup.c, _bt_dedup_save_htid); a unique index has no lists.
 */
struct repeats {
    uint32_t each; /* 0: as many as Poisson's distribution says, if one at all */
    double none;   /* its share of 0: e to the minus mean */
    uint32_t left; /* of the key at hand */
};

/* Knuth, The Art of Computer Programming 2, 3.4.1: products of uniform numbers. */
static uint32_t drawn_repeats(const struct repeats *repeats, struct rng *rng)
{
    uint32_t count = 0;

    while (repeats->each == 0 && count == 0) {
        for (double p = rng_unit(rng); p > repeats->none; p *= rng_unit(rng)) {
            count++;
        }
    }
    return count > 0 ? count : repeats->each;
}

/* The next entry's rows, and the bytes of their list, 0 for one row. */
static uint32_t next_rows(struct repeats *repeats, struct rng *rng, uint32_t entry,
                          uint32_t *ret_list)
{
    uint32_t most = (LIST_MOST - entry) / ROW_ID, rows;

    if (repeats->left == 0) {
        repeats->left = drawn_repeats(repeats, rng);
    }
    rows = repeats->left < most ? repeats->left : most;
    repeats->left -= rows;
    *ret_list = rows > 1 ? aligned(rows * ROW_ID, ALIGN) : 0;
    return rows;
}

/* Rows a leaf. What a list takes does not count against the tenth: a high key has none. */
static double leaf_rows(const struct tuple_form *form, struct repeats repeats)
{
    uint32_t free = LEAF_ROOM, pages = 0, last_list = 0;
    uint64_t rows = 0;
    struct rng rng;

    rng_init(&rng, 3, 0);
    for (uint32_t last = 0; pages < PAGES_FILLED;) {
        uint32_t entry = drawn_bytes(form, &rng), list;
        uint32_t here = next_rows(&repeats, &rng, entry, &list);
        uint32_t bytes = entry + list + LINE;

        if (free < entry + list + ALIGN || free + last_list < LEAF_KEPT) {
            pages++;
            free = LEAF_ROOM - last;
        }
        free -= bytes;
        last = bytes;
        last_list = list;
        rows += here;
    }
    return (double)rows / pages;
}

/* ---- TPC-C as `rawtps load` makes it ------------------------------------------------------------
 */

enum { LINES_OF_STOCK = 3, HISTORY_OF_DISTRICT = 3000 };
#define E_TO_MINUS_1 0.36787944117144233
#define E_TO_MINUS_3 0.049787068367863944
#define DELIVERED    0.7 /* 2,100 of 3,000 orders (clause 4.3.3.1) */

static struct repeats repeats_of(const struct model_settings *settings, enum index_id id)
{
    switch (id) {
    case IX_LINE_STOCK: /* of 100,000 stocks, 300,000 lines of a warehouse: 3 on average */
        return (struct repeats){.none = E_TO_MINUS_3};
    case IX_STOCK_ITEM:
        return (struct repeats){.each = settings->tpcc.warehouses};
    case IX_HISTORY_DISTRICT:
        return (struct repeats){.each = HISTORY_OF_DISTRICT};
    default:
        return (struct repeats){.each = 1};
    }
}

static struct tuples_page heap_page_of(enum index_id id)
{
    struct tuple_form inserted = inserted_form(id);
    double rows = heap_rows(&loaded_forms[id]), tail = heap_rows(&inserted);
    double loaded = 1 / (DELIVERED / rows + (1 - DELIVERED) / tail);

    return (struct tuples_page){
        .loaded = loaded, .capacity = (uint32_t)(loaded + 0.5), .tail = (uint32_t)tail};
}

struct tuples_page tuples_own_page(const struct model_settings *settings, enum index_id id)
{
    double rows;

    must(id < IX_SBTEST);
    if (id <= IX_ITEM) {
        return heap_page_of(id);
    }
    rows = leaf_rows(&loaded_forms[id], repeats_of(settings, id));
    return (struct tuples_page){.loaded = rows, .capacity = (uint32_t)(rows + 0.5)};
}

double tuples_uniform_k(void)
{
    static const struct tuple_form form = KEY(1);

    return leaf_rows(&form, (struct repeats){.none = E_TO_MINUS_1});
}

/* ---- one row, one entry -------------------------------------------------------------------------
 */

/*
 * In sysbench-tpcc's tables and Sysbench's (MODEL.md 3.2). A line that is delivered: its date takes
 * 8 bytes, and what the null bitmap took is lost to alignment.
 */
static const struct heap_shape stored_shapes[INDEXES] = {
    [IX_WAREHOUSE] = {120, 120, 79, 0, false}, [IX_DISTRICT] = {120, 120, 79, 0, false},
    [IX_CUSTOMER] = {592, 592, 79, 0, true},   [IX_HISTORY] = {72, 72, 79, 0, true},
    [IX_ORDERS] = {56, 56, 79, 0, false},      [IX_NEW_ORDERS] = {32, 32, 79, 0, false},
    [IX_ORDER_LINE] = {88, 96, 79, 0, true},   [IX_STOCK] = {328, 328, 79, 0, true},
    [IX_ITEM] = {104, 104, 79, 0, true},       [IX_SBTEST] = {216, 216, 189, 0, false},
};

enum { DRAWS = 1000 };

static uint16_t mean_bytes(struct tuple_form form)
{
    uint32_t sum = 0;
    struct rng rng;

    rng_init(&rng, 1, 0);
    for (uint32_t i = 0; i < DRAWS; i++) {
        sum += drawn_bytes(&form, &rng);
    }
    return (uint16_t)((sum + DRAWS / 2) / DRAWS);
}

struct heap_shape tuples_heap(const struct model_settings *settings, enum index_id id)
{
    struct heap_shape shape = stored_shapes[id];

    if (layout_own(settings) && id <= IX_ITEM) {
        uint16_t stored = shape.bytes;

        shape.bytes = mean_bytes(inserted_form(id));
        shape.updated = mean_bytes(updated_form(id));
        shape.insert_more = shape.bytes > stored ? (uint16_t)(shape.bytes - stored) : 0;
    }
    return shape;
}

/* 8 + key, aligned to 8, + 4 */
uint32_t tuples_entry_bytes(const struct model_settings *settings, enum index_id id)
{
    if (layout_own(settings) && id > IX_ITEM && id < IX_SBTEST) {
        return mean_bytes(loaded_forms[id]) + LINE;
    }
    switch (id) {
    case IX_ORDER_LINE_KEY:
    case IX_ORDERS_CUSTOMER:
        return 28;
    case IX_CUSTOMER_NAME:
        return 52;
    default:
        return 20;
    }
}
