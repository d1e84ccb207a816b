#include "tpcc_txn.h"

#include "base/must.h"
#include "sql_texts.h"
#include <stdio.h>

/* Clause 2.4. A line is one word, so that lines sort as numbers: supply, item, number, quantity. */
enum { SUPPLY_SHIFT = 32, ITEM_SHIFT = 8, NUMBER_SHIFT = 4, NIBBLE = 15 };
/* Steps: the order first, then four a line. */
enum { LINES_FROM = 7, LINE_SHIFT = 2, LINE_MASK = 3 };

static uint64_t new_order_line(uint32_t supply, uint32_t item, uint32_t number, uint32_t quantity)
{
    return (uint64_t)supply << SUPPLY_SHIFT | item << ITEM_SHIFT | number << NUMBER_SHIFT |
           quantity;
}

static uint32_t line_supply(uint64_t line)
{
    return (uint32_t)(line >> SUPPLY_SHIFT);
}

static uint32_t line_item(uint64_t line)
{
    return (uint32_t)line >> ITEM_SHIFT;
}

static uint32_t line_number(uint64_t line)
{
    return (uint32_t)line >> NUMBER_SHIFT & NIBBLE;
}

static uint32_t line_quantity(uint64_t line)
{
    return (uint32_t)line & NIBBLE;
}

static struct new_order *new_order_of(struct txn *txn)
{
    return (struct new_order *)&txn->state;
}

/* Stock is locked in ascending order by all, so that New-Orders do not deadlock over it. */
static void lines_insert(uint64_t *lines, uint32_t count, uint64_t line)
{
    while (count > 0 && lines[count - 1] > line) {
        lines[count] = lines[count - 1];
        count--;
    }
    lines[count] = line;
}

static uint64_t draw_line(const struct tpcc *tpcc, uint32_t w, uint32_t number, struct rng *rng)
{
    uint32_t item = tpcc_draw_item(tpcc, rng);
    uint32_t supply = rng_below(rng, 100) == 0 ? tpcc_draw_other(tpcc, rng, w) : w;

    return new_order_line(supply, item, number, tpcc_draw_small(rng, 1, 10));
}

void new_order_choose(struct tpcc *tpcc, uint32_t w, struct rng *rng, struct txn *txn)
{
    struct new_order *order = new_order_of(txn);
    uint32_t count, remote = 0;
    bool roll_back;

    order->w = w;
    order->o = 0;
    order->price_cents = 0;
    order->d = tpcc_draw_small(rng, 1, TPCC_DISTRICTS);
    order->c = tpcc_draw_customer(tpcc, rng);
    order->line_count = tpcc_draw_small(rng, 5, TPCC_MAX_LINES);
    roll_back = rng_below(rng, 100) == 0;
    count = order->line_count;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t line = draw_line(tpcc, w, i + 1, rng);

        remote += line_supply(line) != w;
        if (roll_back && i + 1 == count) {
            /* the unused item is asked for after all others (clause 2.4.2.3) */
            order->lines[i] = new_order_line(line_supply(line), 0, count, line_quantity(line));
        } else {
            lines_insert(order->lines, i, line);
        }
    }
    order->all_local = remote == 0;
    tpcc->counts.orders_of[count]++;
    tpcc->counts.remote_lines += remote;
}

/* Clause 2.4.2.2: stock that would fall below 10 is filled up by 91. */
static int64_t stock_left(int64_t stock, int64_t quantity)
{
    return stock - quantity >= 10 ? stock - quantity : stock - quantity + 91;
}

static bool line_next(struct txn *txn, struct op *op, uint32_t step)
{
    struct new_order *order = new_order_of(txn);
    uint32_t i = step >> LINE_SHIFT;
    uint64_t line = order->lines[i < order->line_count ? i : 0];
    uint32_t supply = line_supply(line), item = line_item(line), quantity = line_quantity(line);

    if (i == order->line_count) {
        return tpcc_commit(txn, op);
    }
    switch (step & LINE_MASK) {
    case 0:
        return tpcc_ask1(op, TPCC_S_NO_ITEM, item);
    case 1:
        if (op->rows == 0) {
            return tpcc_roll_back(txn, op);
        }
        order->price_cents = (uint32_t)op->answer[0];
        return tpcc_ask3(op, TPCC_S_NO_STOCK, supply, item, order->d);
    case 2:
        return tpcc_ask6(op, TPCC_S_NO_STOCK_SET, supply, item, stock_left(op->answer[0], quantity),
                         quantity, supply != order->w, 0);
    default:
        return tpcc_ask8(op, TPCC_S_NO_LINE, order->w, order->d, order->o, line_number(line), item,
                         supply, quantity, (int64_t)quantity * order->price_cents);
    }
}

void new_order_foresee(const struct txn *txn, struct tpcc_foresight *ret)
{
    const struct new_order *order = (const struct new_order *)&txn->state;

    ret->w = order->w;
    ret->d = order->d;
    ret->c = order->c;
    ret->line_count = order->line_count;
    for (uint32_t i = 0; i < order->line_count; i++) {
        ret->supply[i] = line_supply(order->lines[i]);
        ret->item[i] = line_item(order->lines[i]);
    }
}

bool new_order_next(struct txn *txn, struct op *op)
{
    struct new_order *order = new_order_of(txn);
    uint32_t step = txn->step++;

    switch (step) {
    case 0:
        return tpcc_begin(txn, op, TPCC_NEW_ORDER);
    case 1:
        return tpcc_ask1(op, TPCC_S_NO_WAREHOUSE, order->w);
    case 2:
        return tpcc_ask3(op, TPCC_S_NO_CUSTOMER, order->w, order->d, order->c);
    case 3:
        return tpcc_ask2(op, TPCC_S_NO_DISTRICT, order->w, order->d);
    case 4:
        order->o = (uint32_t)op->answer[0];
        return tpcc_ask3(op, TPCC_S_NO_DISTRICT_SET, order->w, order->d, (int64_t)order->o + 1);
    case 5:
        return tpcc_ask6(op, TPCC_S_NO_ORDER, order->w, order->d, order->o, order->c,
                         order->line_count, order->all_local);
    case 6:
        return tpcc_ask3(op, TPCC_S_NO_NEW_ORDER, order->w, order->d, order->o);
    default:
        return line_next(txn, op, step - LINES_FROM);
    }
}

uint32_t tpcc_sql_lines(const struct txn *txn, char *buf, uint32_t size)
{
    const struct new_order *order = (const struct new_order *)&txn->state;
    uint32_t used = 0;

    for (uint32_t i = 0; i < order->line_count; i++) {
        uint64_t line = order->lines[i];

        used += (uint32_t)snprintf(buf + used, size - used, "%s%u,%u,%u,%u", i > 0 ? "," : "",
                                   line_supply(line), line_item(line), line_number(line),
                                   line_quantity(line));
        must(used < size);
    }
    return used;
}
