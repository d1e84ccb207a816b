#include "workload/tpcc.h"

#include "base/mem.h"
#include "base/must.h"
#include "tpcc_txn.h"
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define SECOND_NS 1e9
enum { DECK_CARDS = 23, USERS_A_WAREHOUSE = 10, CONSTANTS_STREAM = 0x435f };
/* A think time is cut at ten times its mean (clause 5.2.5.4). */
enum { THINK_LIMIT = 10 };
static const uint64_t whole = (uint64_t)1 << 53;

static struct tpcc *tpcc_of(struct workload *workload)
{
    return (struct tpcc *)((char *)workload - offsetof(struct tpcc, workload));
}

static const struct catalog *catalog_of(const struct workload *workload)
{
    const char *at = (const char *)workload - offsetof(struct tpcc, workload);

    return &((const struct tpcc *)at)->catalog;
}

/* Deals a card without putting it back; an empty deck is filled first. */
static enum tpcc_kind deal(struct user_deck *deck, struct rng *rng)
{
    uint8_t *left = deck->left;
    uint32_t card, kind = 0, sum = 0;

    for (int i = 0; i < TPCC_KINDS; i++) {
        sum += left[i];
    }
    if (sum == 0) {
        memcpy(left, tpcc_deck, TPCC_KINDS);
        sum = DECK_CARDS;
    }
    card = (uint32_t)rng_below(rng, sum);
    while (card >= left[kind]) {
        card -= left[kind++];
    }
    left[kind]--;
    return (enum tpcc_kind)kind;
}

static enum tpcc_kind weigh(const struct tpcc *tpcc, struct rng *rng)
{
    uint64_t r = rng_u64(rng) >> 11;
    uint32_t kind = 0;

    while (r >= tpcc->weight_limits[kind]) {
        kind++;
    }
    return (enum tpcc_kind)kind;
}

/* Ten terminals a warehouse (clause 4.2.1); where there are fewer, they stand in all of them. */
static uint32_t home_of(const struct tpcc *tpcc, uint32_t user)
{
    uint64_t warehouses = tpcc->settings.warehouses, users = tpcc->settings.users;

    if (users >= warehouses * USERS_A_WAREHOUSE) {
        return 1 + user / USERS_A_WAREHOUSE % (uint32_t)warehouses;
    }
    return 1 + (uint32_t)(user * warehouses / users % warehouses);
}

static void choose_input(struct tpcc *tpcc, uint32_t user, struct rng *rng, struct txn *txn)
{
    uint32_t w = home_of(tpcc, user);

    switch (txn->kind) {
    case TPCC_NEW_ORDER:
        new_order_choose(tpcc, w, rng, txn);
        break;
    case TPCC_PAYMENT:
        payment_choose(tpcc, w, rng, txn);
        break;
    case TPCC_ORDER_STATUS:
        order_status_choose(tpcc, w, rng, txn);
        break;
    case TPCC_DELIVERY:
        delivery_choose(tpcc, w, rng, txn);
        break;
    default:
        stock_level_choose(w, 1 + user % USERS_A_WAREHOUSE, rng, txn);
    }
}

static void draw_pause(const struct tpcc *tpcc, enum tpcc_kind kind, struct rng *rng,
                       struct pause *pause)
{
    double mean = tpcc->think_mean_ns[kind], think = 0;

    if (mean > 0) {
        think = dist_exponential(rng, mean);
        think = think > THINK_LIMIT * mean ? THINK_LIMIT * mean : think;
    }
    pause->keying_ns = tpcc->keying_ns[kind];
    pause->think_ns = (int64_t)think;
}

static void choose(struct workload *workload, uint32_t user, struct user_deck *deck,
                   struct rng *rng, struct txn *txn, struct pause *pause)
{
    struct tpcc *tpcc = tpcc_of(workload);
    enum tpcc_kind kind = tpcc->settings.deck ? deal(deck, rng) : weigh(tpcc, rng);

    txn->kind = (uint16_t)kind;
    txn->step = 0;
    txn->rolled_back = 0;
    tpcc->counts.chosen[kind]++;
    choose_input(tpcc, user, rng, txn);
    draw_pause(tpcc, kind, rng, pause);
}

static bool next(struct workload *workload, struct txn *txn, struct op *op)
{
    if (txn->step == TPCC_OVER) {
        return false;
    }
    if (tpcc_of(workload)->settings.procedures) {
        return tpcc_call_next(txn, op);
    }
    switch (txn->kind) {
    case TPCC_NEW_ORDER:
        return new_order_next(txn, op);
    case TPCC_PAYMENT:
        return payment_next(txn, op);
    case TPCC_ORDER_STATUS:
        return order_status_next(txn, op);
    case TPCC_DELIVERY:
        return delivery_next(txn, op);
    default:
        return stock_level_next(txn, op);
    }
}

void tpcc_foresee(const struct txn *txn, struct tpcc_foresight *ret)
{
    ret->w = ret->line_count = 0;
    if (txn->kind == TPCC_NEW_ORDER) {
        ret->by_name = false;
        new_order_foresee(txn, ret);
    } else if (txn->kind == TPCC_PAYMENT) {
        payment_foresee(txn, ret);
    }
}

static void restart(struct workload *workload, struct txn *txn)
{
    txn->step = 0;
    txn->rolled_back = 0;
    if (txn->kind == TPCC_DELIVERY) {
        delivery_restart(txn);
    }
}

static void ended(struct workload *workload, const struct txn *txn, bool rolled_back)
{
    struct tpcc_counts *counts = &tpcc_of(workload)->counts;

    if (txn->kind == TPCC_NEW_ORDER) {
        counts->ended_new_orders++;
        counts->rolled_back += rolled_back;
    } else if (txn->kind == TPCC_DELIVERY) {
        counts->ended_deliveries++;
        counts->skipping_deliveries += ((const struct delivery *)&txn->state)->skipped != 0;
    }
}

static void tpcc_free(struct workload *workload)
{
    mem_free(tpcc_of(workload));
}

static const struct workload_ops tpcc_ops = {
    .catalog = catalog_of,
    .choose = choose,
    .next = next,
    .restart = restart,
    .ended = ended,
    .audit = tpcc_audit,
    .free = tpcc_free,
};

static double share_of(const struct tpcc_settings *settings, enum tpcc_kind kind)
{
    return settings->deck ? (double)tpcc_deck[kind] / DECK_CARDS : settings->weights[kind];
}

/* Cutting think times at ten means takes e^-10 off their mean. */
double tpcc_mean_cycle_ns(const struct tpcc_settings *settings)
{
    double kept = 1 - dist_exp(-THINK_LIMIT), sum_s = 0;

    for (int kind = 0; kind < TPCC_KINDS; kind++) {
        const struct tpcc_waits *waits = &tpcc_waits[kind];

        sum_s += share_of(settings, kind) * (waits->keying_s + kept * waits->think_mean_s);
    }
    return sum_s * SECOND_NS;
}

double tpcc_wait_factor(const struct tpcc_settings *settings, int64_t cycle_ns)
{
    return (double)cycle_ns / tpcc_mean_cycle_ns(settings);
}

/* Clause 2.1.6.1: how far the C of last names in a run must lie from that of the load. */
static bool is_apart(uint32_t load, uint32_t run)
{
    uint32_t apart = load > run ? load - run : run - load;

    return apart >= 65 && apart <= 119 && apart != 96 && apart != 112;
}

static void draw_constants(uint64_t seed, const uint32_t *c_load, struct tpcc_constants *ret)
{
    struct rng rng;

    rng_init(&rng, seed, CONSTANTS_STREAM);
    ret->c_last_load = (uint32_t)rng_below(&rng, 256);
    ret->c_last_load = c_load ? *c_load : ret->c_last_load;
    ret->c_id = (uint32_t)rng_below(&rng, 1024);
    ret->i_id = (uint32_t)rng_below(&rng, 8192);
    do {
        ret->c_last = (uint32_t)rng_below(&rng, 256);
    } while (!is_apart(ret->c_last_load, ret->c_last));
}

void tpcc_constants(uint64_t seed, struct tpcc_constants *ret)
{
    draw_constants(seed, NULL, ret);
}

void tpcc_constants_beside(uint64_t seed, uint32_t c_load, struct tpcc_constants *ret)
{
    must(c_load < 256);
    draw_constants(seed, &c_load, ret);
}

static int settings_check(const struct tpcc_settings *settings, struct error *err)
{
    double sum = 0;

    if (settings->warehouses == 0 || settings->users == 0) {
        return error_set(err, EXIT_USAGE, -EINVAL, "TPC-C needs a warehouse and a user");
    }
    if (settings->c_load_known && settings->c_load > 255) {
        return error_set(err, EXIT_FAILED, -EINVAL, "the C of last names must be 0 to 255, not %u",
                         settings->c_load);
    }
    if (!(settings->wait_factor >= 0 && settings->wait_factor <= 1e6)) {
        return error_set(err, EXIT_USAGE, -EINVAL, "the wait factor must be 0 to 10^6, not %g",
                         settings->wait_factor);
    }
    for (int kind = 0; kind < TPCC_KINDS && !settings->deck; kind++) {
        if (!(settings->weights[kind] >= 0)) {
            return error_set(err, EXIT_USAGE, -EINVAL, "the weight of %s must be 0 or more, not %g",
                             tpcc_kinds[kind].name, settings->weights[kind]);
        }
        sum += settings->weights[kind];
    }
    if (!settings->deck && !(fabs(sum - 1) < 1e-6)) {
        return error_set(err, EXIT_USAGE, -EINVAL, "the weights of TPC-C must sum to 1, not %g",
                         sum);
    }
    return 0;
}

static void fill_kinds(struct tpcc *tpcc)
{
    double factor = tpcc->settings.wait_factor, sum = 0;
    enum tpcc_kind last = TPCC_NEW_ORDER;

    for (int kind = 0; kind < TPCC_KINDS; kind++) {
        double share = share_of(&tpcc->settings, kind);

        tpcc->kinds[kind] = tpcc_kinds[kind];
        tpcc->kinds[kind].share = share;
        sum += share;
        tpcc->weight_limits[kind] = (uint64_t)(sum * (double)whole);
        last = share > 0 ? (enum tpcc_kind)kind : last;
        tpcc->keying_ns[kind] = (int64_t)(tpcc_waits[kind].keying_s * SECOND_NS * factor);
        tpcc->think_mean_ns[kind] = tpcc_waits[kind].think_mean_s * SECOND_NS * factor;
    }
    tpcc->weight_limits[last] = whole; /* whatever rounding left over */
    tpcc->kinds[TPCC_DELIVERY].deferred = tpcc->settings.deferred;
}

struct workload *tpcc_open(const struct tpcc_settings *settings, struct error *err)
{
    struct tpcc *tpcc;

    if (settings_check(settings, err) < 0) {
        return NULL;
    }
    tpcc = mem_zalloc(sizeof(*tpcc));
    if (!tpcc) {
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a workload");
        return NULL;
    }
    tpcc->workload.ops = &tpcc_ops;
    tpcc->settings = *settings;
    draw_constants(settings->seed, settings->c_load_known ? &settings->c_load : NULL,
                   &tpcc->constants);
    if (settings->c_run_known) {
        tpcc->constants.c_last = settings->c_run[0];
        tpcc->constants.c_id = settings->c_run[1];
        tpcc->constants.i_id = settings->c_run[2];
    }
    fill_kinds(tpcc);
    tpcc->catalog = *tpcc_catalog();
    tpcc->catalog.kinds = tpcc->kinds;
    return &tpcc->workload;
}
