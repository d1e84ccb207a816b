// rooms: base stats
/* Percentiles against a sorted list, merging as algebra, and the log that other tools read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/dist.h"
#include "base/mem.h"
#include "stats/hdr_log.h"
#include "stats/hist.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double shares[] = {0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1};
enum { SHARES = sizeof(shares) / sizeof(*shares) };

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Latencies of several shapes, from a few ns to minutes. */
static int64_t draw(struct rng *rng, int shape)
{
    switch (shape) {
    case 0:
        return (int64_t)dist_exponential(rng, 14.8e6);
    case 1:
        return (int64_t)dist_lognormal(rng, 1e6, 2);
    case 2:
        return rng_between(rng, 0, 300);
    default:
        return (int64_t)1 << rng_below(rng, 42);
    }
}

static struct hist *filled(uint64_t seed, int shape, uint32_t n, int64_t *values)
{
    struct hist *hist = mem_zalloc(sizeof(*hist));
    struct rng rng;

    rng_init(&rng, seed, 0);
    hist_init(hist);
    for (uint32_t i = 0; i < n; i++) {
        int64_t v = draw(&rng, shape);

        hist_record(hist, v);
        if (values) {
            values[i] = v;
        }
    }
    return hist;
}

static void quantiles_are_within_one_in_128_of_a_sorted_list(void **state)
{
    enum { N = 20001 };
    int64_t *values = mem_array(N, sizeof(*values));

    for (int shape = 0; shape < 4; shape++) {
        struct hist *hist = filled((uint64_t)shape, shape, N, values);

        qsort(values, N, sizeof(*values), by_value);
        for (int i = 0; i < SHARES; i++) {
            int64_t rank = (int64_t)ceil(shares[i] * N - 1e-9), found;
            int64_t exact = values[rank < 1 ? 0 : rank - 1];

            found = hist_quantile(hist, shares[i]);
            if (found < exact || (double)(found - exact) > (double)exact / 128 ||
                found > values[N - 1]) {
                fail_msg("shape %d share %g: %ld, exact %ld", shape, shares[i], found, exact);
            }
        }
        assert_true(hist->min_ns == values[0] && hist->max_ns == values[N - 1]);
        mem_free(hist);
    }
    mem_free(values);
}

static void ranks_are_nearest_ranks(void **state)
{
    struct hist *hist = mem_zalloc(sizeof(*hist));

    for (int i = 1; i <= 100; i++) {
        hist_record(hist, i);
    }
    for (int i = 1; i <= 100; i++) {
        assert_int_equal(hist_quantile(hist, i / 100.0), i);
    }
    mem_free(hist);
}

static void mean_and_spread_are_exact(void **state)
{
    enum { N = 20000 };
    int64_t *values = mem_array(N, sizeof(*values));
    struct hist *hist = filled(9, 0, N, values);
    long double sum = 0, square = 0;

    for (int i = 0; i < N; i++) {
        sum += (long double)values[i];
    }
    for (int i = 0; i < N; i++) {
        square += ((long double)values[i] - sum / N) * ((long double)values[i] - sum / N);
    }
    assert_true(fabs(hist_mean(hist) / (double)(sum / N) - 1) < 1e-14);
    assert_true(fabs(hist_stddev(hist) / sqrt((double)(square / N)) - 1) < 1e-12);
    hist_init(hist);
    for (int i = 0; i < 1000; i++) {
        hist_record(hist, 3599999999999);
    }
    assert_true(hist_stddev(hist) == 0);
    hist_record(hist, 3600000000000);
    assert_true(fabs(hist_stddev(hist) - sqrt(1000.0) / 1001) < 1e-9);
    mem_free(hist);
    mem_free(values);
}

static void extremes_are_kept_true(void **state)
{
    static const int64_t values[] = {
        0, 1, 255, 256, 257, HIST_HIGHEST_NS, HIST_HIGHEST_NS + 1, INT64_MAX / 4};
    struct hist *hist = mem_zalloc(sizeof(*hist));

    assert_int_equal(hist_quantile(hist, 0.5), 0);
    assert_true(hist_mean(hist) == 0 && hist_stddev(hist) == 0);
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
        hist_init(hist);
        hist_record(hist, values[i]);
        assert_true(hist->min_ns == values[i] && hist->max_ns == values[i]);
        assert_true(hist_quantile(hist, 0.5) == values[i] && hist_quantile(hist, 1) == values[i]);
        assert_true(hist_index(values[i]) < HIST_COUNTS);
    }
    hist_init(hist);
    hist_record(hist, -5);
    assert_true(hist->min_ns == 0 && hist->max_ns == 0 && hist->sum_ns == 0 && hist->count == 1);
    mem_free(hist);
}

static void every_counter_holds_what_it_says(void **state)
{
    int64_t low = 0;

    for (uint32_t i = 0; i <= hist_index(HIST_HIGHEST_NS); i++) {
        int64_t high = hist_highest_of(i);

        assert_true(high >= low && (double)(high - low) <= (double)low / 128);
        assert_int_equal(hist_index(low), i);
        assert_int_equal(hist_index(high > HIST_HIGHEST_NS ? HIST_HIGHEST_NS : high), i);
        low = high + 1;
    }
}

static void merging_is_exact_in_any_order(void **state)
{
    struct hist *a = filled(1, 0, 5000, NULL), *b = filled(2, 1, 7000, NULL);
    struct hist *c = filled(3, 3, 100, NULL), *empty = mem_zalloc(sizeof(*empty));
    struct hist *left = mem_zalloc(sizeof(*left)), *right = mem_zalloc(sizeof(*right));

    hist_merge(left, a);
    hist_merge(left, b);
    hist_merge(left, empty);
    hist_merge(left, c);
    hist_merge(right, b);
    hist_merge(right, c);
    hist_merge(c, a);
    hist_merge(right, a);
    assert_memory_equal(left, right, sizeof(*left));
    assert_int_equal(left->count, 12100);
    hist_subtract(right, left, a);
    hist_merge(right, a);
    assert_memory_equal(left, right, sizeof(*left));
    mem_free(a);
    mem_free(b);
    mem_free(c);
    mem_free(empty);
    mem_free(left);
    mem_free(right);
}

static void an_interval_is_a_difference(void **state)
{
    struct hist *first = filled(5, 0, 3000, NULL), *later = filled(5, 0, 3000, NULL);
    struct hist *second = filled(6, 0, 4000, NULL), *diff = mem_zalloc(sizeof(*diff));

    hist_merge(later, second);
    hist_subtract(diff, later, first);
    assert_true(diff->count == 4000 && diff->sum_ns == second->sum_ns);
    assert_true(diff->sumsq_ns2 == second->sumsq_ns2);
    assert_memory_equal(diff->counts, second->counts, sizeof(diff->counts));
    assert_true(diff->min_ns <= second->min_ns && diff->max_ns >= second->max_ns);
    assert_true((double)(diff->max_ns - second->max_ns) <= (double)second->max_ns / 128);
    assert_true((double)(second->min_ns - diff->min_ns) <= (double)second->min_ns / 128 + 1);
    hist_subtract(diff, later, later);
    assert_true(diff->count == 0 && diff->max_ns == 0);
    mem_free(first);
    mem_free(second);
    mem_free(later);
    mem_free(diff);
}

static struct hdr_log *open_log(void)
{
    struct hdr_log *log = NULL;
    struct error err;

    assert_int_equal(hdr_log_open(&log, &err), 0);
    return log;
}

static void a_logged_histogram_reads_back(void **state)
{
    struct hdr_log *log = open_log();
    struct hist *back = mem_zalloc(sizeof(*back));
    struct text out;

    text_init(&out);
    text_reserve(&out, HDR_LOG_LINE_MAX);
    for (int i = 0; i < 40; i++) {
        struct hist *hist = filled((uint64_t)i, i % 4, (uint32_t)(i * i * 20), NULL);
        uint64_t made = mem_allocations();
        struct hdr_line line;
        struct error err = {0};

        text_clear(&out);
        hdr_log_line(log, &out, "vm0.new_order", i * 1000000000ll, 1000000000, hist);
        if (hdr_log_read(log, out.data, out.length, &line, back, &err) != 1) {
            fail_msg("%d: %s", i, err.text);
        }
        assert_true(mem_allocations() == made && !out.failed);
        assert_string_equal(line.tag, "vm0.new_order");
        assert_true(line.start_ns == i * 1000000000ll && line.length_ns == 1000000000);
        assert_true(llabs(line.max_ns - hist->max_ns) <= 500);
        assert_memory_equal(back->counts, hist->counts, sizeof(hist->counts));
        assert_int_equal(back->count, hist->count);
        assert_true(back->min_ns <= hist->min_ns && back->max_ns >= hist->max_ns);
        assert_true(fabs(hist_mean(back) - hist_mean(hist)) <= hist_mean(hist) / 250);
        mem_free(hist);
    }
    text_free(&out);
    mem_free(back);
    hdr_log_close(log);
}

static void the_largest_histogram_fits_a_line(void **state)
{
    struct hdr_log *log = open_log();
    struct hist *hist = mem_zalloc(sizeof(*hist)), *back = mem_zalloc(sizeof(*back));
    struct hdr_line line;
    struct error err = {0};
    struct text out;
    struct rng rng;

    rng_init(&rng, 3, 3);
    text_init(&out);
    for (uint32_t i = 0; i <= hist_index(HIST_HIGHEST_NS); i++) {
        hist_record(hist, hist_highest_of(i));
        hist->counts[i] = rng_u64(&rng) >> 2;
    }
    hdr_log_line(log, &out, "vm0.io.read", 0, 1, hist);
    assert_true(out.length < HDR_LOG_LINE_MAX);
    assert_int_equal(hdr_log_read(log, out.data, out.length, &line, back, &err), 1);
    assert_memory_equal(back->counts, hist->counts, sizeof(hist->counts));
    text_free(&out);
    mem_free(hist);
    mem_free(back);
    hdr_log_close(log);
}

static void the_log_has_the_form_of_hdr_tools(void **state)
{
    struct hdr_log *log = open_log();
    struct hist *hist = mem_zalloc(sizeof(*hist));
    struct text out;

    text_init(&out);
    hdr_log_header(&out, 1792400000123);
    hist_record(hist, 14811700);
    hdr_log_line(log, &out, "vm0.payment.service", 1500000000, 999999500, hist);
    assert_non_null(strstr(text_string(&out), "#[Histogram log format version 1.3]\n#[StartTime: "
                                              "1792400000.123 (seconds since epoch), 2026-10-19T"));
    assert_non_null(strstr(text_string(&out),
                           "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                           "\"Interval_Compressed_Histogram\"\n"
                           "Tag=vm0.payment.service,1.500,1.000,14.812,HISTFAAA"));
    text_free(&out);
    mem_free(hist);
    hdr_log_close(log);
}

/* A line whose payload was put together by hand from the format, not by this encoder. */
static void reads_a_line_of_another_writer(void **state)
{
    static const char foreign[] =
        "0.127,1.007,2.769,HISTFAAAACt42pNpmSzMwMDAxQABTFCakYGB2c1gxwIG+w8wCZaT/DdYHhzlAACJOQe7";
    struct hdr_log *log = open_log();
    struct hist *hist = mem_zalloc(sizeof(*hist));
    struct error err = {0};
    struct hdr_line line;

    assert_int_equal(hdr_log_read(log, foreign, strlen(foreign), &line, hist, &err), 1);
    assert_string_equal(line.tag, "");
    assert_true(line.start_ns == 127000000 && line.length_ns == 1007000000);
    assert_true(line.max_ns == 2769000);
    assert_int_equal(hist->count, 1 + 2 + 300 + 70000);
    assert_int_equal(hist->counts[0], 1);
    assert_int_equal(hist->counts[2], 2);
    assert_int_equal(hist->counts[1000], 300);
    assert_int_equal(hist->counts[1001], 70000);
    mem_free(hist);
    hdr_log_close(log);
}

static void damaged_lines_are_refused(void **state)
{
    static const char *const lines[] = {
        "Tag=vm0",
        "Tag=vm0,1.0",
        "Tag=vm0,1.0,x,3,HISTFAAA",
        "1.0,1.0,1.0,",
        "1.0,1.0,1.0,HISTFAAA",
        "1.0,1.0,1.0,HIST!",
        "hello",
        "99999999999999999999,1,1,HISTFAAA",
    };
    struct hdr_log *log = open_log();
    struct hist *hist = filled(8, 0, 1000, NULL), *back = mem_zalloc(sizeof(*back));
    struct hdr_line line;
    struct text out;
    struct rng rng;
    int refused = 0;

    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        struct error err = {0};

        assert_int_equal(hdr_log_read(log, lines[i], strlen(lines[i]), &line, back, &err), -EINVAL);
        assert_non_null(strstr(err.text, "histogram log: "));
    }
    assert_int_equal(hdr_log_read(log, "# x\n", 4, &line, back, NULL), 0);
    assert_int_equal(hdr_log_read(log, "\n", 1, &line, back, NULL), 0);
    assert_int_equal(hdr_log_read(log, "\"Start", 6, &line, back, NULL), 0);
    text_init(&out);
    rng_init(&rng, 6, 6);
    for (int i = 0; i < 3000; i++) {
        struct error err = {0};

        text_clear(&out);
        hdr_log_line(log, &out, "t", 0, 0, hist);
        out.data[rng_below(&rng, out.length)] = (char)rng_between(&rng, ' ', '~');
        if (i % 3 == 0) {
            text_cut(&out, rng_below(&rng, out.length));
        }
        refused += hdr_log_read(log, out.data, out.length, &line, back, &err) < 0;
    }
    assert_true(refused > 2500); /* a tag or a digit may change unseen */
    text_free(&out);
    mem_free(hist);
    mem_free(back);
    hdr_log_close(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_within_one_in_128_of_a_sorted_list),
        cmocka_unit_test(ranks_are_nearest_ranks),
        cmocka_unit_test(mean_and_spread_are_exact),
        cmocka_unit_test(extremes_are_kept_true),
        cmocka_unit_test(every_counter_holds_what_it_says),
        cmocka_unit_test(merging_is_exact_in_any_order),
        cmocka_unit_test(an_interval_is_a_difference),
        cmocka_unit_test(a_logged_histogram_reads_back),
        cmocka_unit_test(the_largest_histogram_fits_a_line),
        cmocka_unit_test(the_log_has_the_form_of_hdr_tools),
        cmocka_unit_test(reads_a_line_of_another_writer),
        cmocka_unit_test(damaged_lines_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
