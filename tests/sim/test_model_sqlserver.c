/* rooms: base io stats workload target. What the sqlserver profile sends its drive: gathered pages,
 * log blocks, checkpoints at once and by and by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model_rig.h"

#define MS 1000000ll
enum { TENTHS = 10, SECONDS = 12, INTERVAL_MS = 2000, KIB = 1024 };

struct seen {
    struct rig *rig;
    uint64_t pages[SECONDS * 1000 / INTERVAL_MS * TENTHS]; /* written, each tenth of an interval */
    uint64_t writes, gathered, logs, odd_logs;
    uint32_t largest_bytes, largest_log_bytes;
    double log_ns; /* time that log writes were under way */
    int64_t until_ns;
};

static void look(void *context, const struct io *io)
{
    struct seen *seen = context;

    if (io->verb != IO_WRITE || io->done_ns >= seen->until_ns) {
        return;
    }
    if (io->area == IO_LOG) {
        seen->logs++;
        seen->odd_logs += io->bytes % 512 != 0;
        seen->largest_log_bytes =
            io->bytes > seen->largest_log_bytes ? io->bytes : seen->largest_log_bytes;
        seen->log_ns += (double)(io->done_ns - io->sent_ns);
    } else {
        seen->pages[io->done_ns / (INTERVAL_MS * MS / TENTHS)] += io->bytes / 8192;
        seen->writes++;
        seen->gathered += io->bytes > 8192;
        seen->largest_bytes = io->bytes > seen->largest_bytes ? io->bytes : seen->largest_bytes;
    }
}

static struct drive *wrap(struct drive *drive, void *context)
{
    struct error err;

    return drive_tap_open(drive, look, context, &err);
}

/* frames: of a database of some 200,000 pages */
static void run(struct seen *seen, bool indirect, uint32_t frames, int64_t latency_ns)
{
    static struct rig rig;
    struct model_settings settings;

    rig_settings(&settings, MODEL_SQLSERVER, true, 8, frames, 64);
    settings.checkpoint_ns = INTERVAL_MS * MS;
    settings.checkpoint_indirect = indirect;
    *seen = (struct seen){.until_ns = SECONDS * 1000 * MS};
    rig_open(&rig, &settings, latency_ns, wrap, seen);
    rig.think_ns = 5e7;
    rig_run(&rig, seen->until_ns);
    assert_int_equal(rig_checks(&rig), 0);
    rig_close(&rig);
}

/* Of each interval the busiest tenth's share of its page writes; the mean of the last three. */
static double peak_share(const struct seen *seen)
{
    uint32_t intervals = SECONDS * 1000 / INTERVAL_MS;
    double sum = 0;

    for (uint32_t i = intervals - 3; i < intervals; i++) {
        uint64_t most = 0, all = 0;

        for (uint32_t t = 0; t < TENTHS; t++) {
            uint64_t pages = seen->pages[i * TENTHS + t];

            most = pages > most ? pages : most;
            all += pages;
        }
        assert_true(all > 0);
        sum += (double)most / (double)all;
    }
    return sum / 3;
}

/* Automatic checkpoints come as a burst that a drive feels; indirect ones are spread. */
static void test_checkpoints_at_once_and_by_and_by(void **state)
{
    static struct seen automatic, indirect;

    run(&automatic, false, 400000, MS / 10);
    run(&indirect, true, 400000, MS / 10);
    print_message("busiest tenth of an interval: %.0f %% of the page writes, indirect %.0f %%\n",
                  peak_share(&automatic) * 100, peak_share(&indirect) * 100);
    assert_true(peak_share(&automatic) > 0.8);
    assert_true(peak_share(&indirect) < 0.2);
    assert_true(automatic.writes > 1000 && indirect.writes > 1000);
}

/* Adjacent dirty pages go in one write, 32 at most. */
static void test_pages_are_gathered(void **state)
{
    static struct seen seen;

    run(&seen, false, 8000, MS / 10);
    assert_true(seen.gathered > seen.writes / 100);
    assert_true(seen.largest_bytes <= 32 * 8192);
    assert_true(seen.largest_bytes >= 4 * 8192);
}

/* Sectors of 512 bytes, 60 KiB at most, and a slow drive has several under way. */
static void test_log_blocks(void **state)
{
    static struct seen slow;

    run(&slow, false, 400000, 5 * MS);
    assert_int_equal(slow.odd_logs, 0);
    assert_true(slow.largest_log_bytes <= 60 * KIB);
    assert_true(slow.logs > 1000);
    assert_true(slow.log_ns / (double)slow.until_ns > 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checkpoints_at_once_and_by_and_by),
        cmocka_unit_test(test_pages_are_gathered),
        cmocka_unit_test(test_log_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
