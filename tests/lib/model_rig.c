#include "model_rig.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "io/stamp.h"

void rig_settings(struct model_settings *settings, enum model_profile_kind profile, bool is_tpcc,
                  uint32_t size, uint32_t frames, uint32_t sessions)
{
    model_defaults(settings, profile, is_tpcc);
    settings->tpcc = (struct tpcc_settings){
        .warehouses = size,
        .users = sessions,
        .weights = {0.45, 0.43, 0.04, 0.04, 0.04},
        .seed = 7,
    };
    sysbench_defaults(&settings->sysbench);
    settings->sysbench.tables = 4;
    settings->sysbench.threads = sessions;
    settings->sysbench.rows = (uint64_t)size * 10000;
    settings->sysbench.rand_type = DIST_UNIFORM;
    settings->sysbench.seed = 7;
    settings->buffer_bytes = (uint64_t)frames * settings->page_bytes;
    settings->sessions = sessions;
    settings->growth_bytes = 256 << 20;
    settings->log_capacity_bytes = 1 << 30;
    settings->cpu_statement_ns = settings->cpu_txn_ns = 0;
}

static void user_choose(struct rig_user *user)
{
    struct pause pause;

    user->rig->workload->ops->choose(user->rig->workload, user->id, &user->deck, &user->rng,
                                     &user->txn, &pause);
    memset(user->spent_ns, 0, sizeof(user->spent_ns));
}

static void user_over(struct rig_user *user)
{
    struct rig *rig = user->rig;

    rig->done++;
    rig->rolled_back += user->txn.rolled_back != 0;
    rig->by_kind[user->txn.kind]++;
    rig->response_ns += (double)(rig->loop.now_ns - user->begun_ns);
    for (uint32_t i = 0; i < SPENT_KINDS; i++) {
        rig->spent_ns[i] += user->spent_ns[i];
    }
    rig->busy--;
}

/* Ops until one waits, or the transaction is over and the user pauses. */
static void user_go(struct rig_user *user)
{
    struct rig *rig = user->rig;

    for (;;) {
        if (user->op.status != OP_OK) {
            rig->retried += user->op.status == OP_RETRY;
            rig->failed += user->op.status == OP_FAILED;
            rig->lost += user->op.status == OP_LOST;
            if (user->op.status != OP_RETRY) {
                rig->busy--;
                return;
            }
            user->op.status = OP_OK;
            rig->workload->ops->restart(rig->workload, &user->txn);
        }
        if (!rig->workload->ops->next(rig->workload, &user->txn, &user->op)) {
            user_over(user);
            loop_arm(&rig->loop, &user->timer,
                     rig->loop.now_ns + (rig->think_ns > 0
                                             ? (int64_t)dist_exponential(&user->rng, rig->think_ns)
                                             : 0));
            return;
        }
        if (!rig->target->ops->begin(rig->target, user->id, &user->op)) {
            return;
        }
    }
}

static void user_done(struct op *op)
{
    user_go((struct rig_user *)((char *)op - offsetof(struct rig_user, op)));
}

static void user_fire(struct timer *timer)
{
    struct rig_user *user = (struct rig_user *)((char *)timer - offsetof(struct rig_user, timer));

    if (user->rig->loop.now_ns >= user->rig->until_ns) {
        return;
    }
    user->begun_ns = user->rig->loop.now_ns;
    user->rig->busy++;
    user->op.status = OP_OK;
    user_choose(user);
    user_go(user);
}

static uint64_t rig_bytes(const struct model_settings *settings)
{
    struct model_footprint print;
    struct error err;

    must(model_footprint(settings, &print, &err) == 0);
    return print.total_bytes;
}

static void rig_begin(struct rig *rig, const struct model_settings *settings)
{
    struct error err;

    memset(rig, 0, sizeof(*rig));
    rig->settings = *settings;
    rig->user_count = settings->sessions;
    must(loop_virtual_open(&rig->loop, settings->sessions * 2 + 8192, &err) == 0);
}

static void rig_open_target(struct rig *rig, const struct model_settings *settings)
{
    struct error err;
    struct model_place place = {
        .loop = &rig->loop,
        .data = rig->data,
        .log = rig->data,
        .one_drive = true,
        .buffers = rig->buffers,
        .buffer_bytes = rig->buffers ? model_buffer_bytes(settings) : 0,
    };

    rig->workload = settings->is_tpcc ? tpcc_open(&settings->tpcc, &err)
                                      : sysbench_open(&settings->sysbench, &err);
    must(rig->workload);
    rig->target = target_model_open(settings, &place, 0, &err);
    if (rig->target == NULL) {
        fprintf(stderr, "%s\n", err.text);
    }
    must(rig->target);
    rig->users = mem_array(rig->user_count, sizeof(*rig->users));
    must(rig->users);
    for (uint32_t i = 0; i < rig->user_count; i++) {
        struct rig_user *user = &rig->users[i];

        user->rig = rig;
        user->id = i;
        user->op.done = user_done;
        user->op.spent_ns = user->spent_ns;
        user->timer.fire = user_fire;
        rng_init(&user->rng, settings->seed, i);
    }
}

void rig_open(struct rig *rig, const struct model_settings *settings, int64_t latency_ns,
              struct drive *(*wrap)(struct drive *, void *), void *context)
{
    struct error err;

    rig_begin(rig, settings);
    rig->data = drive_null_open(&rig->loop, rig_bytes(settings), latency_ns, &err);
    must(rig->data);
    rig->data = wrap ? wrap(rig->data, context) : rig->data;
    rig_open_target(rig, settings);
}

void rig_open_stamped(struct rig *rig, const struct model_settings *settings)
{
    struct error err;
    struct drive_sim_params params = {
        .name = "test",
        .capacity_bytes = (rig_bytes(settings) + 65535) / 65536 * 65536,
        .dies = 8,
        .read_ns = 60000,
        .command_ns = 1390,
        .fixed_ns = 17000,
        .write_ack_ns = 15000,
        .link_read_bytes_per_s = 3000000000,
        .link_write_bytes_per_s = 3000000000,
        .cache_bytes = 16 << 20,
        .program_bytes_per_s = 2000000000,
        .stripe_bytes = 96 << 10,
        .over_provisioning = 0.07,
        .write_amplification = 2,
    };

    rig_begin(rig, settings);
    rig->data = drive_sim_open(&rig->loop, &params, 1, true, &err);
    must(rig->data);
    rig->data = drive_stamp_open(rig->data, 0, settings->page_bytes, 1, &err);
    must(rig->data);
    rig->buffers = mem_large(model_buffer_bytes(settings));
    must(rig->buffers);
    rig_open_target(rig, settings);
}

void rig_warm(struct rig *rig, uint64_t transactions)
{
    rig->target->ops->warm(rig->target, true);
    for (uint64_t i = 0; i < transactions; i++) {
        struct rig_user *user = &rig->users[i % rig->user_count];

        user_choose(user);
        while (rig->workload->ops->next(rig->workload, &user->txn, &user->op)) {
            user->op.status = OP_OK;
            must(rig->target->ops->begin(rig->target, user->id, &user->op));
            must(user->op.status == OP_OK);
        }
    }
    rig->target->ops->warm(rig->target, false);
}

void rig_run(struct rig *rig, int64_t ns)
{
    rig->until_ns = rig->loop.now_ns + ns;
    for (uint32_t i = 0; i < rig->user_count; i++) {
        loop_arm(&rig->loop, &rig->users[i].timer, rig->loop.now_ns + i);
    }
    loop_run(&rig->loop, rig->until_ns);
    /* what is under way ends; the background goes on for as long */
    for (uint32_t i = 0; i < 1000 && rig->busy > 0; i++) {
        loop_run(&rig->loop, rig->loop.now_ns + 100000000);
    }
    rig->target->ops->stop(rig->target);
    loop_run(&rig->loop, rig->loop.now_ns + 10000000000);
}

uint32_t rig_checks(struct rig *rig)
{
    struct target_check checks[32];
    uint32_t failed = 0, count = rig->target->ops->check(rig->target, checks, 32);

    must(count >= 10);
    for (uint32_t i = 0; i < count; i++) {
        if (!checks[i].passed) {
            fprintf(stderr, "%s: expected %.0f, found %.0f\n", checks[i].name, checks[i].expected,
                    checks[i].found);
            failed++;
        }
    }
    return failed;
}

void rig_close(struct rig *rig)
{
    rig->target->ops->free(rig->target);
    rig->workload->ops->free(rig->workload);
    drive_close(rig->data);
    mem_large_free(rig->buffers, model_buffer_bytes(&rig->settings));
    loop_close(&rig->loop);
    mem_free(rig->users);
}
