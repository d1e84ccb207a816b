#include "tpcc_txn.h"

#include <stddef.h>
#include <stdio.h>

/*
 * Clause 5.5.1.5. The standard's limits suit long runs; below, the limits are those that chance
 * passes once in a million (Chernoff 1952, each side 5e-7: ln(2e6) = 14.509).
 */
static const double log_of_chance = 14.508657738524219;
/* What chi-square with 10 degrees of freedom exceeds with probability 1e-6. */
static const double chi_square_limit = 46.863;
enum { UNIFORM_SAMPLES = 110 }; /* ten a class */

struct audit {
    struct workload_check *rows;
    uint32_t count, limit;
};

static void add(struct audit *audit, const char *name, const char *kind,
                const struct workload_check *check)
{
    struct workload_check *row;

    if (audit->count == audit->limit) {
        return;
    }
    row = &audit->rows[audit->count++];
    *row = *check;
    snprintf(row->name, sizeof(row->name), "tpcc.%s%s", name, kind);
    row->passed = check->samples == 0 ||
                  (check->found >= check->expected_low && check->found <= check->expected_high);
}

/* Kullback and Leibler's distance of a coin of share x from one of share p. */
static double distance(double x, double p)
{
    double sum = x > 0 ? x * dist_ln(x / p) : 0;

    return sum + (x < 1 ? (1 - x) * dist_ln((1 - x) / (1 - p)) : 0);
}

/* The share that n throws of a coin pass by chance once in two millions, from p towards end. */
static double share_limit(double p, double end, uint64_t n)
{
    double inside = p, outside = end;

    if (n == 0 || p <= 0 || p >= 1 || distance(end, p) * (double)n <= log_of_chance) {
        return end;
    }
    for (int i = 0; i < 60; i++) {
        double middle = (inside + outside) / 2;

        if (distance(middle, p) * (double)n <= log_of_chance) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    return outside;
}

/* low, high: the standard's limits. expected 0: it may not occur at all. */
static void add_share(struct audit *audit, const char *name, const char *kind, double expected,
                      double low, double high, uint64_t found, uint64_t samples)
{
    double chance_low = expected > 0 ? share_limit(expected, 0, samples) : 0;
    double chance_high = expected > 0 ? share_limit(expected, 1, samples) : 0;

    add(audit, name, kind,
        &(struct workload_check){
            .expected_low = chance_low < low ? chance_low : low,
            .expected_high = chance_high > high ? chance_high : high,
            .found = samples > 0 ? (double)found / (double)samples : 0,
            .samples = samples,
        });
}

static void add_mix(struct audit *audit, const struct tpcc *tpcc)
{
    uint64_t all = 0;

    for (int kind = 0; kind < TPCC_KINDS; kind++) {
        all += tpcc->counts.chosen[kind];
    }
    for (int kind = 0; kind < TPCC_KINDS; kind++) {
        double share = tpcc->kinds[kind].share;

        add_share(audit, "share.", tpcc_kinds[kind].name, share, share, share,
                  tpcc->counts.chosen[kind], all);
    }
}

/* The means of n numbers on 5..15 leave 9.5 to 10.5 by chance if they are few (Hoeffding 1963). */
static double mean_tolerance(uint64_t n)
{
    double squared = n > 0 ? 10 * 10 * log_of_chance / (2 * (double)n) : 25;

    return squared < 0.25 ? 0.5 : squared < 25 ? dist_exp(dist_ln(squared) / 2) : 5;
}

static void add_lines(struct audit *audit, const struct tpcc *tpcc, uint64_t orders, uint64_t lines)
{
    const uint64_t *orders_of = tpcc->counts.orders_of;
    double tolerance = mean_tolerance(orders), each = (double)orders / 11, sum = 0;

    add(audit, "lines_mean", "",
        &(struct workload_check){
            .expected_low = 10 - tolerance,
            .expected_high = 10 + tolerance,
            .found = orders > 0 ? (double)lines / (double)orders : 0,
            .samples = orders,
        });
    if (orders < UNIFORM_SAMPLES) {
        return;
    }
    for (int n = 5; n <= TPCC_MAX_LINES; n++) {
        sum += ((double)orders_of[n] - each) * ((double)orders_of[n] - each) / each;
    }
    add(audit, "lines_chi_square", "",
        &(struct workload_check){
            .expected_high = chi_square_limit, .found = sum, .samples = orders});
}

/* A Delivery takes an order of each district: a mix with fewer New-Orders than that must skip. */
static void add_skips(struct audit *audit, const struct tpcc *tpcc)
{
    const struct tpcc_counts *counts = &tpcc->counts;
    double one = counts->ended_deliveries > 0 ? 1 / (double)counts->ended_deliveries : 1;

    if (tpcc->kinds[TPCC_NEW_ORDER].share < tpcc->kinds[TPCC_DELIVERY].share * TPCC_DISTRICTS) {
        return;
    }
    add_share(audit, "deliveries_skipping", "", 0, 0, one > 0.01 ? one : 0.01,
              counts->skipping_deliveries, counts->ended_deliveries);
}

uint32_t tpcc_audit(const struct workload *workload, struct workload_check *ret, uint32_t limit)
{
    const char *at = (const char *)workload - offsetof(struct tpcc, workload);
    const struct tpcc *tpcc = (const struct tpcc *)at;
    const struct tpcc_counts *counts = &tpcc->counts;
    struct audit audit = {ret, 0, limit};
    bool remote = tpcc->settings.warehouses > 1 && !tpcc->settings.local_only;
    uint64_t lines = 0, orders = 0;

    for (uint32_t n = 0; n <= TPCC_MAX_LINES; n++) {
        orders += counts->orders_of[n];
        lines += n * counts->orders_of[n];
    }
    add_mix(&audit, tpcc);
    add_share(&audit, "rolled_back", "", 0.01, 0.009, 0.011, counts->rolled_back,
              counts->ended_new_orders);
    add_lines(&audit, tpcc, orders, lines);
    add_share(&audit, "remote_lines", "", remote ? 0.01 : 0, remote ? 0.0095 : 0,
              remote ? 0.0105 : 0, counts->remote_lines, lines);
    add_share(&audit, "remote_payments", "", remote ? 0.15 : 0, remote ? 0.14 : 0,
              remote ? 0.16 : 0, counts->remote_payments, counts->chosen[TPCC_PAYMENT]);
    add_share(&audit, "payments_by_name", "", 0.6, 0.57, 0.63, counts->payments_by_name,
              counts->chosen[TPCC_PAYMENT]);
    add_share(&audit, "order_statuses_by_name", "", 0.6, 0.57, 0.63, counts->order_statuses_by_name,
              counts->chosen[TPCC_ORDER_STATUS]);
    add_skips(&audit, tpcc);
    return audit.count;
}
