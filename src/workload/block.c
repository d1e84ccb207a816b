#include "workload/block.h"

#include "base/mem.h"
#include "base/must.h"
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { SECTOR_BYTES = 512 };
static const uint64_t whole = (uint64_t)1 << 32; /* shares are 32-bit fractions */

/* Requests of one size: the places where one may begin are first + i x unit, i below slots. */
struct size {
    uint64_t limit; /* cumulative share, of `whole` */
    uint64_t first, unit, slots, hot_slots;
    uint32_t bytes;
};

struct stream {
    uint64_t limit, read_limit, random_limit, hot_limit; /* of `whole` */
    uint64_t from, to, hot_to, cursor;
    struct size reads[BLOCK_SIZES], writes[BLOCK_SIZES];
};

struct block {
    struct workload workload;
    struct block_settings settings; /* names of kinds lie here */
    struct catalog catalog;
    struct catalog_kind kinds[BLOCK_STREAMS];
    struct stream streams[BLOCK_STREAMS];
};

/* A request as it lies in struct txn. */
struct request {
    uint64_t offset;
    uint32_t bytes;
    uint8_t verb;
};
_Static_assert(sizeof(struct request) <= TXN_STATE_BYTES, "a request fits a transaction");

static struct block *block_of(const struct workload *workload)
{
    return (struct block *)((char *)(uintptr_t)workload - offsetof(struct block, workload));
}

static struct request *request_of(struct txn *txn)
{
    return (struct request *)&txn->state;
}

static const struct catalog *catalog_of(const struct workload *workload)
{
    return &block_of(workload)->catalog;
}

static uint64_t random_place(const struct stream *stream, const struct size *size, uint32_t r,
                             struct rng *rng)
{
    uint64_t slot;

    if (size->hot_slots == 0) {
        slot = rng_below(rng, size->slots);
    } else if (r < stream->hot_limit) {
        slot = rng_below(rng, size->hot_slots);
    } else {
        slot = size->hot_slots + rng_below(rng, size->slots - size->hot_slots);
    }
    return size->first + slot * size->unit;
}

static uint64_t round_up(uint64_t x, uint64_t unit)
{
    uint64_t over = (unit & (unit - 1)) == 0 ? x & (unit - 1) : x % unit;

    return over == 0 ? x : x + unit - over;
}

static uint64_t next_place(struct stream *stream, const struct size *size)
{
    uint64_t at = round_up(stream->cursor, size->unit);

    if (at + size->bytes > stream->to) {
        at = size->first;
    }
    stream->cursor = at + size->bytes;
    return at;
}

static void choose(struct workload *workload, uint32_t user, struct user_deck *deck,
                   struct rng *rng, struct txn *txn, struct pause *pause)
{
    struct block *block = block_of(workload);
    struct request *request = request_of(txn);
    struct rng dice = *rng; /* whatever is written meanwhile, its state stays in registers */
    uint64_t a = rng_u64(&dice), b = rng_u64(&dice);
    uint32_t which = (uint32_t)a, how = (uint32_t)(a >> 32), where = (uint32_t)b;
    uint32_t big = (uint32_t)(b >> 32), kind = 0;
    struct stream *stream = block->streams;
    const struct size *size;

    for (; which >= stream->limit; stream++) {
        kind++;
    }
    request->verb = how < stream->read_limit ? OP_READ : OP_WRITE;
    size = request->verb == OP_READ ? stream->reads : stream->writes;
    while (big >= size->limit) {
        size++;
    }
    request->bytes = size->bytes;
    if (where < stream->random_limit) {
        uint32_t r = (uint32_t)rng_u64(&dice);

        request->offset = random_place(stream, size, r, &dice);
    } else {
        request->offset = next_place(stream, size);
    }
    *rng = dice;
    txn->kind = (uint16_t)kind;
    txn->step = 0;
    txn->rolled_back = 0;
    *pause = (struct pause){0};
}

static bool next(struct workload *workload, struct txn *txn, struct op *op)
{
    const struct request *request = request_of(txn);

    if (txn->step > 0) {
        return false;
    }
    txn->step = 1;
    op->verb = request->verb;
    op->statement = 0;
    op->offset = request->offset;
    op->bytes = request->bytes;
    op->stream = txn->kind;
    return true;
}

static void restart(struct workload *workload, struct txn *txn)
{
    txn->step = 0;
}

static void ended(struct workload *workload, const struct txn *txn, bool rolled_back)
{
}

static void block_free(struct workload *workload)
{
    mem_free(block_of(workload));
}

static const struct workload_ops block_ops = {
    .catalog = catalog_of,
    .choose = choose,
    .next = next,
    .restart = restart,
    .ended = ended,
    .free = block_free,
};

static bool is_share(double x)
{
    return x >= 0 && x <= 1;
}

static uint64_t fraction(double share)
{
    return (uint64_t)(share * (double)whole);
}

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b;

    while (y != 0) {
        uint64_t rest = x % y;

        x = y;
        y = rest;
    }
    return a / x * b;
}

/* Slots that begin within the hot part; 0 if all are alike. */
static uint64_t hot_slots(const struct stream *stream, const struct size *size)
{
    uint64_t hot;

    if (stream->hot_to == 0 || size->slots == 1) {
        return 0;
    }
    hot = stream->hot_to > size->first ? (stream->hot_to - size->first) / size->unit : 0;
    hot = hot == 0 ? 1 : hot;
    return hot < size->slots ? hot : size->slots - 1;
}

static int fill_size(const struct block *block, uint32_t index, uint32_t bytes, struct size *size,
                     struct error *err)
{
    const struct stream *stream = &block->streams[index];
    const char *name = block->settings.streams[index].name;

    if (bytes == 0 || bytes % SECTOR_BYTES != 0) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "a request of stream %s must be of a multiple of %d bytes, not %u", name,
                         SECTOR_BYTES, bytes);
    }
    size->bytes = bytes;
    size->unit = common_multiple(bytes, block->settings.align_bytes);
    must(size->unit > 0);
    size->first = round_up(stream->from, size->unit);
    if (size->first + bytes > stream->to) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "no request of %u bytes fits the part of stream %s, which ends at %llu",
                         bytes, name, (unsigned long long)stream->to);
    }
    size->slots = (stream->to - size->first - bytes) / size->unit + 1;
    size->hot_slots = hot_slots(stream, size);
    return 0;
}

/* Sizes with their cumulative shares, which need not sum to 1. */
static int fill_sizes(const struct block *block, uint32_t index, const struct block_size *sizes,
                      uint32_t count, struct size *ret, struct error *err)
{
    double sum = 0, so_far = 0;
    uint32_t last = 0;

    if (count == 0 || count > BLOCK_SIZES) {
        return error_set(err, EXIT_USAGE, -EINVAL, "stream %s needs 1 to %d sizes, not %u",
                         block->settings.streams[index].name, BLOCK_SIZES, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!(sizes[i].share >= 0 && sizes[i].share < 1e9)) {
            return error_set(err, EXIT_USAGE, -EINVAL, "a size's share must be 0 or more, not %g",
                             sizes[i].share);
        }
        sum += sizes[i].share;
        last = sizes[i].share > 0 ? i : last;
    }
    if (!(sum > 0)) {
        return error_set(err, EXIT_USAGE, -EINVAL, "the shares of the sizes of stream %s are all 0",
                         block->settings.streams[index].name);
    }
    for (uint32_t i = 0; i < count; i++) {
        int ret_code = fill_size(block, index, sizes[i].bytes, &ret[i], err);

        if (ret_code < 0) {
            return ret_code;
        }
        so_far += sizes[i].share;
        ret[i].limit = i >= last ? whole : fraction(so_far / sum);
    }
    return 0;
}

static int shares_check(const struct block_stream *from, struct error *err)
{
    if (!is_share(from->share) || !is_share(from->read) || !is_share(from->random) ||
        !is_share(from->hot_share) || !is_share(from->hot_range) || !is_share(from->from) ||
        !is_share(from->to)) {
        return error_set(err, EXIT_USAGE, -EINVAL, "the shares of stream %s must be 0 to 1",
                         from->name);
    }
    if (from->hot_share > 0 && !(from->hot_range > 0)) {
        return error_set(err, EXIT_USAGE, -EINVAL, "stream %s has a hot share, but no hot range",
                         from->name);
    }
    return 0;
}

static int fill_stream(struct block *block, uint32_t index, struct error *err)
{
    const struct block_stream *from = &block->settings.streams[index];
    struct stream *stream = &block->streams[index];
    uint64_t range = block->settings.range_bytes;
    int ret = shares_check(from, err);

    if (ret < 0) {
        return ret;
    }
    stream->from = stream->cursor = (uint64_t)(from->from * (double)range);
    stream->to = from->to > 0 && from->to < 1 ? (uint64_t)(from->to * (double)range) : range;
    if (stream->from >= stream->to) {
        return error_set(err, EXIT_USAGE, -EINVAL, "the part of stream %s is empty", from->name);
    }
    stream->read_limit = fraction(from->read);
    stream->random_limit = fraction(from->random);
    stream->hot_limit = fraction(from->hot_share);
    if (from->hot_share > 0 && from->hot_range < 1) {
        stream->hot_to =
            stream->from + (uint64_t)((double)(stream->to - stream->from) * from->hot_range);
    }
    if (from->read > 0) {
        ret = fill_sizes(block, index, from->read_sizes, from->read_size_count, stream->reads, err);
    }
    if (ret == 0 && from->read < 1) {
        ret = fill_sizes(block, index, from->write_sizes, from->write_size_count, stream->writes,
                         err);
    }
    return ret;
}

static int fill_streams(struct block *block, struct error *err)
{
    struct block_settings *settings = &block->settings;
    double sum = 0;
    uint32_t last = 0;

    if (settings->stream_count == 0 || settings->stream_count > BLOCK_STREAMS) {
        return error_set(err, EXIT_USAGE, -EINVAL, "1 to %d streams are possible, not %u",
                         BLOCK_STREAMS, settings->stream_count);
    }
    settings->align_bytes = settings->align_bytes > 0 ? settings->align_bytes : SECTOR_BYTES;
    for (uint32_t i = 0; i < settings->stream_count; i++) {
        int ret = fill_stream(block, i, err);

        if (ret < 0) {
            return ret;
        }
        sum += settings->streams[i].share;
        last = settings->streams[i].share > 0 ? i : last;
        block->streams[i].limit = fraction(sum < 1 ? sum : 1);
        block->kinds[i] = (struct catalog_kind){.name = settings->streams[i].name,
                                                .share = settings->streams[i].share};
    }
    if (!(fabs(sum - 1) < 1e-6)) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "the shares of the streams must sum to 1, not %g", sum);
    }
    block->streams[last].limit = whole;
    return 0;
}

struct workload *block_open(const struct block_settings *settings, struct error *err)
{
    struct block *block = mem_zalloc(sizeof(*block));

    if (!block) {
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a workload");
        return NULL;
    }
    block->workload.ops = &block_ops;
    block->settings = *settings;
    if (fill_streams(block, err) < 0) {
        mem_free(block);
        return NULL;
    }
    block->catalog = (struct catalog){
        .name = "block",
        .kinds = block->kinds,
        .kind_count = (uint16_t)settings->stream_count,
    };
    return &block->workload;
}

static uint32_t largest_of(const struct block_size *sizes, uint32_t count, uint32_t largest)
{
    for (uint32_t i = 0; i < count; i++) {
        largest = sizes[i].bytes > largest ? sizes[i].bytes : largest;
    }
    return largest;
}

static uint32_t all_bits(const struct block_size *sizes, uint32_t count)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < count; i++) {
        bits |= sizes[i].bytes;
    }
    return bits;
}

uint32_t block_unit_bytes(const struct block_settings *settings)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < settings->stream_count; i++) {
        const struct block_stream *stream = &settings->streams[i];

        bits |= all_bits(stream->read_sizes, stream->read_size_count) |
                all_bits(stream->write_sizes, stream->write_size_count);
    }
    return bits & -bits;
}

uint32_t block_largest_bytes(const struct block_settings *settings)
{
    uint32_t largest = 0;

    for (uint32_t i = 0; i < settings->stream_count; i++) {
        const struct block_stream *stream = &settings->streams[i];

        largest = largest_of(stream->read_sizes, stream->read_size_count, largest);
        largest = largest_of(stream->write_sizes, stream->write_size_count, largest);
    }
    return largest;
}
