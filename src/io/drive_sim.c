#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "base/rng.h"
#include "base/units.h"
#include "drive_sim_gc.h"
#include "drive_sim_heat.h"
#include "io/drive_types.h"

/*
 * Servers in a row. Command server, dies and the link of the writes are met in the order of
 * submission, so what happens there is known at once; only the link of the reads is met in another
 * order, when the dies are through: a read takes two timers, all else one.
 */
struct die {
    int64_t free_ns;    /* reads: when the last of them is through */
    int64_t program_ns; /* when the program work is through */
    int64_t hold_ns; /* no suspension before; beyond free_ns: a program is suspended until then */
};

struct drive_sim {
    struct drive drive; /* first */
    struct drive_sim_params params;
    double read_ns_per_byte, write_ns_per_byte;
    double drain_bytes_per_ns; /* with a write amplification of 1 */
    int64_t read_min_ns, program_unit_ns, progress_ns;
    uint64_t read_spread_ns, suspend_spread_ns;

    int64_t command_ns, command_free_ns, link_read_free_ns, link_write_free_ns;
    double level_bytes; /* acknowledged or waiting for room in the cache, and not yet programmed */
    int64_t level_at_ns, collect_ns; /* collect: until then flash is collected, nothing drains */
    double unit_bytes, until_collect_bytes; /* its garbage is next; what must drain before */
    uint64_t stripe_left_bytes;
    double stripe_media_bytes;
    struct rng read_rng, program_rng, collect_rng;
    uint64_t die_key;
    uint8_t *store; /* NULL: holds no data */
    struct die *dies;
    struct sim_gc gc;
    struct sim_heat heat;
};

static inline struct drive_sim *sim_of(const struct drive *drive)
{
    return (struct drive_sim *)(uintptr_t)drive;
}

static inline struct io *io_of(struct timer *timer)
{
    return (struct io *)((char *)timer - offsetof(struct io, timer));
}

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t whole_ns(double ns)
{
    return (int64_t)(ns + 0.5);
}

/* Uniform in [0, spread_ns] from 32 random bits. */
static inline int64_t spread(uint64_t bits, uint64_t spread_ns)
{
    return (int64_t)(((bits & 0xffffffffu) * (spread_ns + 1)) >> 32);
}

static inline int64_t serve(int64_t *free_ns, int64_t at_ns, int64_t for_ns)
{
    return *free_ns = later(*free_ns, at_ns) + for_ns;
}

/* ---- the write cache ------------------------------------------------------------------------- */

/* Where garbage is collected by and by, all programs serve it in their share. */
static inline double drain_rate(const struct drive_sim *sim)
{
    double raw = sim->drain_bytes_per_ns * sim->heat.speed;

    return sim->params.gc_unit_bytes > 0 ? raw : raw / sim->gc.now;
}

/* For how long all programs serve the garbage of so many bytes, where it is collected in one go. */
static inline double collection_ns(const struct drive_sim *sim, double bytes)
{
    return bytes * (sim->gc.now - 1) / drain_rate(sim);
}

/* Victims hold more or less garbage: 0 to 2 units, or stalls would beat time with the load. */
static inline double next_unit_bytes(struct drive_sim *sim)
{
    return 2 * (double)sim->params.gc_unit_bytes * rng_unit(&sim->collect_rng);
}

/* When so many bytes have drained that are there now. */
static int64_t drained_ns(const struct drive_sim *sim, int64_t at_ns, double bytes)
{
    double ns = bytes / drain_rate(sim);

    if (sim->params.gc_unit_bytes > 0 && bytes >= sim->until_collect_bytes) {
        /* the collection that is next, and as many more as are to be expected */
        ns += collection_ns(sim, sim->unit_bytes + bytes - sim->until_collect_bytes);
    }
    return later(at_ns, sim->collect_ns) + whole_ns(ns);
}

/* The same, where what has drained is followed by the collection of its garbage. */
static void drain_units(struct drive_sim *sim, int64_t at_ns)
{
    double rate = drain_rate(sim);
    int64_t from_ns = later(sim->level_at_ns, sim->collect_ns);

    while (at_ns > from_ns && sim->level_bytes > 0) {
        double can = (double)(at_ns - from_ns) * rate, left = sim->until_collect_bytes;
        double bytes = can < sim->level_bytes ? can : sim->level_bytes;

        bytes = bytes < left ? bytes : left;
        sim->level_bytes -= bytes;
        sim->until_collect_bytes -= bytes;
        if (bytes < left) {
            return;
        }
        sim->collect_ns =
            from_ns + 1 + whole_ns(bytes / rate + collection_ns(sim, sim->unit_bytes));
        sim->until_collect_bytes = sim->unit_bytes = next_unit_bytes(sim);
        from_ns = sim->collect_ns;
    }
}

static inline double level_at(struct drive_sim *sim, int64_t at_ns)
{
    if (at_ns > sim->level_at_ns) {
        if (sim->params.gc_unit_bytes > 0) {
            drain_units(sim, at_ns);
        } else {
            sim->level_bytes -= (double)(at_ns - sim->level_at_ns) * drain_rate(sim);
            sim->level_bytes = sim->level_bytes > 0 ? sim->level_bytes : 0;
        }
        sim->level_at_ns = at_ns;
    }
    return sim->level_bytes;
}

/* Each full stripe becomes program work of one die. */
static void program(struct drive_sim *sim, int64_t at_ns, uint64_t offset, uint32_t bytes)
{
    double media = sim_gc_write(&sim->gc, offset, bytes), media_per_byte = media / bytes;
    uint64_t left = bytes;

    sim->heat.joules += media * sim->heat.program_joules_per_byte;

    while (left >= sim->stripe_left_bytes) {
        struct die *die = &sim->dies[rng_below(&sim->program_rng, sim->params.dies)];
        double whole = sim->stripe_media_bytes + (double)sim->stripe_left_bytes * media_per_byte;
        double share = whole / sim->params.stripe_bytes;

        serve(&die->program_ns, later(at_ns, die->free_ns),
              whole_ns(share * (double)sim->program_unit_ns));
        left -= sim->stripe_left_bytes;
        sim->stripe_left_bytes = sim->params.stripe_bytes;
        sim->stripe_media_bytes = 0;
    }
    sim->stripe_left_bytes -= left;
    sim->stripe_media_bytes += (double)left * media_per_byte;
}

static int64_t write_done_ns(struct drive_sim *sim, struct io *io, int64_t at_ns)
{
    double level, over;

    at_ns = serve(&sim->link_write_free_ns, at_ns, whole_ns(io->bytes * sim->write_ns_per_byte));
    level = level_at(sim, at_ns) + io->bytes;
    sim->level_bytes = level;
    program(sim, at_ns, io->offset, io->bytes);
    if ((io->flags & IO_FUA) && sim->params.flush_ns > 0) {
        return drained_ns(sim, at_ns, level) + sim->params.flush_ns;
    }
    over = level - (double)sim->params.cache_bytes;
    if (over > 0) {
        at_ns = drained_ns(sim, at_ns, over);
    }
    return at_ns + sim->params.write_ack_ns;
}

static int64_t flush_done_ns(struct drive_sim *sim, int64_t at_ns)
{
    if (sim->params.flush_ns > 0) {
        at_ns = later(at_ns, sim->link_write_free_ns);
        return drained_ns(sim, at_ns, level_at(sim, at_ns)) + sim->params.flush_ns;
    }
    return at_ns + sim->params.fixed_ns + sim->params.write_ack_ns;
}

/* ---- reads ----------------------------------------------------------------------------------- */

/*
 * A die loses time for programs: the cache has room so much later. Counted in host bytes, which
 * bring their garbage with them however it is collected.
 */
static inline void programs_lose(struct drive_sim *sim, struct die *die, int64_t lost_ns)
{
    double rate = sim->drain_bytes_per_ns * sim->heat.speed / sim->gc.now;

    die->program_ns += lost_ns;
    sim->level_bytes += (double)lost_ns * rate / sim->params.dies;
}

/*
 * A read that meets a program suspends it: the voltages go down, the read, the voltages go up, and
 * the program gets on for a while before the next may suspend it. Reads that come while it is
 * suspended are served in the same pause.
 */
static int64_t read_between_programs(struct drive_sim *sim, struct die *die, int64_t at_ns,
                                     uint64_t bits, int64_t read_ns)
{
    int64_t down_ns;

    if (at_ns <= die->free_ns && die->hold_ns > die->free_ns) {
        programs_lose(sim, die, read_ns);
        die->hold_ns += read_ns;
        return die->free_ns += read_ns;
    }
    at_ns = later(later(at_ns, die->free_ns), die->hold_ns);
    down_ns = sim->params.program_suspend_min_ns + spread(bits >> 32, sim->suspend_spread_ns);
    if (die->program_ns <= at_ns + down_ns) {
        return die->free_ns = die->program_ns + read_ns;
    }
    programs_lose(sim, die, 2 * down_ns + read_ns);
    die->free_ns = at_ns + down_ns + read_ns;
    die->hold_ns = die->free_ns + down_ns + sim->progress_ns;
    return die->free_ns;
}

static inline int64_t die_read(struct drive_sim *sim, uint64_t stripe, int64_t at_ns)
{
    uint64_t bits = rng_u64(&sim->read_rng), hash = rng_hash(stripe ^ sim->die_key);
    struct die *die = &sim->dies[((__uint128_t)hash * sim->params.dies) >> 64];
    int64_t read_ns = sim->read_min_ns + spread(bits, sim->read_spread_ns);

    if (die->program_ns > at_ns && die->program_ns > die->free_ns) {
        return read_between_programs(sim, die, at_ns, bits, read_ns);
    }
    return serve(&die->free_ns, at_ns, read_ns);
}

/* A large read asks every die that holds a stripe of it at once. */
static int64_t dies_done_ns(struct drive_sim *sim, const struct io *io, int64_t at_ns)
{
    uint64_t stripe = io->offset / sim->params.stripe_bytes;
    uint64_t in = io->offset - stripe * sim->params.stripe_bytes;
    int64_t done_ns = die_read(sim, stripe, at_ns);

    for (uint64_t b = sim->params.stripe_bytes - in; b < io->bytes; b += sim->params.stripe_bytes) {
        done_ns = later(done_ns, die_read(sim, ++stripe, at_ns));
    }
    return done_ns;
}

/* ---- requests -------------------------------------------------------------------------------- */

static void move_data(struct drive_sim *sim, struct io *io)
{
    if (io->verb == IO_READ && io->data) {
        memcpy(io->data, sim->store + io->offset, io->bytes);
    } else if (io->verb == IO_WRITE && io->data) {
        memcpy(sim->store + io->offset, io->data, io->bytes);
    } else if (io->verb == IO_TRIM) {
        memset(sim->store + io->offset, 0, io->bytes);
    }
}

static void sim_fire(struct timer *timer)
{
    struct io *io = io_of(timer);
    struct drive_sim *sim = (struct drive_sim *)(uintptr_t)io->mark;

    if (sim->store) {
        move_data(sim, io);
    }
    io->done_ns = sim->drive.loop->now_ns;
    io->result = io->verb <= IO_WRITE ? (int32_t)io->bytes : 0;
    drive_answered(io);
}

static void sim_fire_link(struct timer *timer)
{
    struct io *io = io_of(timer);
    struct drive_sim *sim = (struct drive_sim *)(uintptr_t)io->mark;
    struct loop *loop = sim->drive.loop;
    int64_t at_ns =
        serve(&sim->link_read_free_ns, loop->now_ns, whole_ns(io->bytes * sim->read_ns_per_byte));

    timer->fire = sim_fire;
    loop_arm(loop, timer, at_ns + sim->params.fixed_ns + sim->params.stack_ns);
}

/* Slowed down, commands are taken less often and programs take longer. */
static void set_speed(struct drive_sim *sim)
{
    double speed = sim->heat.speed;

    sim->command_ns = whole_ns((double)sim->params.command_ns / speed);
    sim->program_unit_ns = later(1, whole_ns((double)sim->params.stripe_bytes * sim->params.dies /
                                             (sim->drain_bytes_per_ns * speed)));
    sim->progress_ns = sim->program_unit_ns /
                       (sim->params.suspends > 0 ? sim->params.suspends : DRIVE_SIM_SUSPENDS);
}

static void feel_heat(struct drive_sim *sim, int64_t at_ns)
{
    level_at(sim, at_ns); /* at the speed until now */
    if (sim_heat_at(&sim->heat, &sim->params, at_ns)) {
        set_speed(sim);
    }
}

static void sim_submit(struct drive *drive, struct io *io)
{
    struct drive_sim *sim = sim_of(drive);
    struct loop *loop = drive->loop;
    int64_t at_ns;

    must(io->offset <= drive->capacity_bytes && io->bytes <= drive->capacity_bytes - io->offset &&
         (io->offset | io->bytes) % 512 == 0);
    io->sent_ns = loop->now_ns;
    io->mark = (uintptr_t)sim;
    io->timer.fire = sim_fire;
    if (sim->params.throttle_at > 0) {
        feel_heat(sim, loop->now_ns);
    }
    at_ns = serve(&sim->command_free_ns, loop->now_ns, sim->command_ns);
    switch ((enum io_verb)io->verb) {
    case IO_READ:
        must(io->bytes > 0);
        sim->heat.joules += io->bytes * sim->heat.read_joules_per_byte;
        io->timer.fire = sim_fire_link;
        level_at(sim, at_ns);
        loop_arm(loop, &io->timer, dies_done_ns(sim, io, at_ns));
        return;
    case IO_WRITE:
        must(io->bytes > 0);
        at_ns = write_done_ns(sim, io, at_ns);
        break;
    case IO_FLUSH:
        at_ns = flush_done_ns(sim, at_ns);
        break;
    case IO_TRIM:
        sim_gc_trim(&sim->gc, io->offset, io->bytes);
        at_ns += sim->params.fixed_ns;
        break;
    case IO_VERBS:
        must(false);
    }
    loop_arm(loop, &io->timer, at_ns + sim->params.stack_ns);
}

/* ---- open and close -------------------------------------------------------------------------- */

static void sim_facts(const struct drive *drive, struct drive_facts *ret)
{
    const struct drive_sim *sim = sim_of(drive);
    const struct drive_sim_params *p = &sim->params;
    char cache[UNITS_TEXT], flush[UNITS_TEXT];

    snprintf(ret->kind, sizeof(ret->kind), "sim");
    snprintf(ret->path, sizeof(ret->path), "%s", p->name);
    snprintf(ret->model, sizeof(ret->model), "%s", p->model);
    snprintf(ret->form_factor, sizeof(ret->form_factor), "%s", p->form_factor);
    snprintf(ret->firmware, sizeof(ret->firmware), "%s", p->firmware);
    ret->logical_block_bytes = ret->physical_block_bytes = 512;
    ret->dio_align_bytes = drive->align_bytes;
    ret->link = (struct drive_link){p->link_gt_s, p->link_gt_s, p->link_lanes, p->link_lanes};
    snprintf(ret->how, sizeof(ret->how), "simulated, %u dies, write cache %s", p->dies,
             units_format_size(p->cache_bytes, cache, sizeof(cache)));
    if (sim->heat.throttled_ns > 0) {
        uint64_t length = strlen(ret->how);

        snprintf(ret->how + length, sizeof(ret->how) - length, ", %s too hot",
                 units_format_duration(sim->heat.throttled_ns, flush, sizeof(flush)));
    }
    if (p->flush_ns > 0) {
        snprintf(ret->flush, sizeof(ret->flush), "cache drained, then %s",
                 units_format_duration(p->flush_ns, flush, sizeof(flush)));
    } else {
        snprintf(ret->flush, sizeof(ret->flush), "no-op (no volatile cache)");
    }
    if (sim->gc.host_bytes > 0) {
        ret->write_amplification = sim->gc.media_bytes / sim->gc.host_bytes;
    }
}

/* Where heat is not imitated it has no temperature, and is never slowed down by it. */
static void sim_health(const struct drive *drive, struct drive_health *ret)
{
    const struct drive_sim *sim = sim_of(drive);

    ret->throttled_s = (double)sim->heat.throttled_ns * 1e-9;
    if (sim_heat_imitated(&sim->params)) {
        ret->celsius = sim->heat.celsius;
    }
}

static void sim_close(struct drive *drive)
{
    struct drive_sim *sim = sim_of(drive);

    if (sim->store) {
        mem_large_free(sim->store, drive->capacity_bytes);
    }
    mem_free(sim->dies);
    mem_free(sim);
}

static const struct drive_ops drive_sim_ops = {
    .name = "sim",
    .submit = sim_submit,
    .facts = sim_facts,
    .health = sim_health,
    .close = sim_close,
};

const char *drive_sim_wrong(const struct drive_sim_params *p)
{
    if (p->capacity_bytes < 512 || p->capacity_bytes % 512) {
        return "capacity must be a multiple of 512 bytes, and not 0";
    }
    if (p->dies < 1 || p->dies > 65536) {
        return "dies must be 1 to 65536";
    }
    if (p->read_ns < 1 || p->read_jitter < 0 || p->read_jitter > 1) {
        return "read must be above 0 and read_jitter 0 to 1";
    }
    if (p->program_suspend_min_ns < 0 || p->program_suspend_max_ns < p->program_suspend_min_ns) {
        return "program_suspend_max must not be below program_suspend_min";
    }
    if (p->command_ns < 0 || p->fixed_ns < 0 || p->write_ack_ns < 1 || p->flush_ns < 0 ||
        p->stack_ns < 0) {
        return "command, fixed, flush and stack must not be negative, write_ack not below 1ns";
    }
    if (p->link_read_bytes_per_s < 1 || p->link_write_bytes_per_s < 1 ||
        p->program_bytes_per_s < 1) {
        return "link_read, link_write and program must be above 0";
    }
    if (p->cache_bytes < 1 || p->stripe_bytes < 512) {
        return "cache must be above 0 and stripe at least 512 bytes";
    }
    if (p->throttle_at > 0 &&
        (p->throttle_to <= 0 || p->throttle_to > 1 || p->heat < 0 || p->heat_time_ns < 1 ||
         p->power_idle < 0 || p->power_read < 0 || p->power_program < 0)) {
        return "throttle_at needs throttle_to, above 0 and at most 100%, and heat_time; heat, "
               "power_idle, power_read and power_program must not be below 0";
    }
    if (p->write_amplification != 0 ? p->write_amplification < 1 : p->over_provisioning <= 0) {
        return "write_amplification must be 1 or more, or 0 with over_provisioning above 0";
    }
    return NULL;
}

static void sim_init(struct drive_sim *sim, struct loop *loop, uint64_t seed)
{
    const struct drive_sim_params *p = &sim->params;
    double read_ns = (double)p->read_ns;

    sim->read_ns_per_byte = 1e9 / (double)p->link_read_bytes_per_s;
    sim->write_ns_per_byte = 1e9 / (double)p->link_write_bytes_per_s;
    sim->drain_bytes_per_ns = (double)p->program_bytes_per_s / 1e9;
    sim->read_min_ns = whole_ns(read_ns * (1 - p->read_jitter));
    sim->read_spread_ns = (uint64_t)whole_ns(read_ns * 2 * p->read_jitter);
    sim->suspend_spread_ns = (uint64_t)(p->program_suspend_max_ns - p->program_suspend_min_ns);
    sim_heat_init(&sim->heat, p);
    set_speed(sim);
    sim->stripe_left_bytes = p->stripe_bytes;
    rng_init(&sim->read_rng, seed, 1);
    rng_init(&sim->program_rng, seed, 2);
    rng_init(&sim->collect_rng, seed, 3);
    sim->until_collect_bytes = sim->unit_bytes = next_unit_bytes(sim);
    sim->die_key = rng_hash(seed);
    sim_gc_init(&sim->gc, p);
    sim->drive = (struct drive){.ops = &drive_sim_ops,
                                .loop = loop,
                                .capacity_bytes = p->capacity_bytes,
                                .align_bytes = 512};
}

uint64_t drive_sim_memory_bytes(const struct drive_sim_params *params)
{
    return sizeof(struct drive_sim) + params->dies * sizeof(struct die);
}

struct drive *drive_sim_open(struct loop *loop, const struct drive_sim_params *params,
                             uint64_t seed, bool store, struct error *err)
{
    const char *wrong = drive_sim_wrong(params);
    struct drive_sim *sim;

    if (wrong) {
        error_set(err, EXIT_USAGE, -EINVAL, "simulated drive %s: %s", params->name, wrong);
        return NULL;
    }
    sim = mem_zalloc(sizeof(*sim));
    if (sim) {
        sim->params = *params;
        sim->dies = mem_array(params->dies, sizeof(*sim->dies));
        sim->store = store ? mem_large(params->capacity_bytes) : NULL;
    }
    if (sim == NULL || sim->dies == NULL || (store && sim->store == NULL)) {
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for simulated drive %s", params->name);
        if (sim) {
            sim->drive.capacity_bytes = params->capacity_bytes;
            sim_close(&sim->drive);
        }
        return NULL;
    }
    sim_init(sim, loop, seed);
    return &sim->drive;
}
