#include "io/stamp.h"

#include <string.h>

#include "base/checksum.h"
#include "base/must.h"
#include "base/rng.h"

enum { LANES = 4, BODY_WORDS = (STAMP_SECTOR_BYTES - sizeof(struct stamp)) / 8 };
#define STAMP_MAGIC 0x52a37c95u
enum { MAGIC_FLIPS = 4 }; /* a magic with no more wrong bits was ours once */

_Static_assert(sizeof(struct stamp) == 32, "a stamp is eight words of four bytes");
_Static_assert(BODY_WORDS % LANES == 0, "the lanes fill the body evenly");

const char *const stamp_verdict_names[STAMP_VERDICTS] = {
    [STAMP_RIGHT] = "right", [STAMP_CORRUPT] = "corrupt", [STAMP_TORN] = "torn",
    [STAMP_STALE] = "stale", [STAMP_LOST] = "lost",       [STAMP_MISDIRECTED] = "misdirected"};

/* Marsaglia's xorshift (2003, shifts 13, 7, 17), four side by side so that none waits. */
static inline uint64_t step(uint64_t x)
{
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ x << 17;
}

static void fill_body(uint8_t *body, uint64_t lane[LANES])
{
    uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];

    for (int i = 0; i < BODY_WORDS; i += LANES) {
        uint64_t words[LANES] = {a = step(a), b = step(b), c = step(c), d = step(d)};

        memcpy(body + 8 * i, words, sizeof(words));
    }
    lane[0] = a;
    lane[1] = b;
    lane[2] = c;
    lane[3] = d;
}

void stamp_page(void *page, uint32_t page_bytes, uint32_t vm, uint64_t number, uint32_t version,
                uint64_t body_seed)
{
    struct stamp stamp = {
        .magic = STAMP_MAGIC, .vm = vm, .page = number, .version = version, .spare = 0};
    uint64_t lane[LANES];
    uint8_t *at = page;

    must(page_bytes % STAMP_SECTOR_BYTES == 0);
    for (int i = 0; i < LANES; i++) {
        lane[i] = rng_hash(rng_hash(body_seed) + (uint64_t)i) | 1;
    }
    for (; stamp.sector < page_bytes / STAMP_SECTOR_BYTES; stamp.sector++) {
        uint32_t crc;

        memcpy(at, &stamp, sizeof(stamp));
        fill_body(at + sizeof(stamp), lane);
        crc = crc32c(0, at, STAMP_SECTOR_BYTES);
        memcpy(at + offsetof(struct stamp, crc), &crc, sizeof(crc));
        at += STAMP_SECTOR_BYTES;
    }
}

/* What one sector holds. */
enum holds { HOLDS_RIGHT, HOLDS_OLD, HOLDS_FOREIGN, HOLDS_OTHER, HOLDS_DAMAGED };

static bool sound(const uint8_t *sector, uint32_t crc)
{
    uint8_t copy[STAMP_SECTOR_BYTES];

    memcpy(copy, sector, sizeof(copy));
    memset(copy + offsetof(struct stamp, crc), 0, sizeof(crc));
    return crc32c(0, copy, sizeof(copy)) == crc;
}

static enum holds look(const uint8_t *sector, const struct stamp *want, struct stamp *ret_found)
{
    memcpy(ret_found, sector, sizeof(*ret_found));
    if (ret_found->magic != STAMP_MAGIC &&
        __builtin_popcount(ret_found->magic ^ STAMP_MAGIC) > MAGIC_FLIPS) {
        return HOLDS_FOREIGN;
    }
    if (!sound(sector, ret_found->crc)) {
        return HOLDS_DAMAGED;
    }
    if (ret_found->vm != want->vm || ret_found->page != want->page ||
        ret_found->sector != want->sector) {
        return HOLDS_OTHER;
    }
    return ret_found->version == want->version ? HOLDS_RIGHT : HOLDS_OLD;
}

static void find(struct stamp_finding *ret, const struct stamp *found, uint32_t sector,
                 enum holds holds)
{
    ret->sector = sector;
    ret->no_stamp = holds == HOLDS_FOREIGN;
    ret->found_vm = holds == HOLDS_FOREIGN ? 0 : found->vm;
    ret->found_version = holds == HOLDS_FOREIGN ? 0 : found->version;
    ret->found_page = holds == HOLDS_FOREIGN ? 0 : found->page;
}

static enum stamp_verdict verdict_of(const uint32_t count[], uint32_t sectors, bool mixed)
{
    if (count[HOLDS_RIGHT] == sectors) {
        return STAMP_RIGHT;
    }
    if (count[HOLDS_DAMAGED]) {
        return STAMP_CORRUPT;
    }
    if (count[HOLDS_OTHER]) {
        return STAMP_MISDIRECTED;
    }
    if (mixed || (count[HOLDS_OLD] != sectors && count[HOLDS_FOREIGN] != sectors)) {
        return STAMP_TORN;
    }
    return STAMP_STALE;
}

enum stamp_verdict stamp_judge(const void *page, uint32_t page_bytes, uint32_t vm, uint64_t number,
                               uint32_t version, struct stamp_finding *ret)
{
    struct stamp want = {.vm = vm, .page = number, .version = version}, found;
    uint32_t count[HOLDS_DAMAGED + 1] = {0}, old = 0, sectors = page_bytes / STAMP_SECTOR_BYTES;
    enum holds worst = HOLDS_RIGHT;
    bool mixed = false;

    for (; want.sector < sectors; want.sector++) {
        enum holds holds =
            look((const uint8_t *)page + want.sector * STAMP_SECTOR_BYTES, &want, &found);

        if (holds > worst) {
            worst = holds;
            find(ret, &found, want.sector, holds);
        }
        if (holds == HOLDS_OLD) {
            mixed |= count[HOLDS_OLD] > 0 && found.version != old;
            old = found.version;
        }
        count[holds]++;
    }
    if (worst != HOLDS_RIGHT) {
        ret->vm = vm;
        ret->page = number;
        ret->offset = number * page_bytes;
        ret->expected_version = version;
        ret->verdict = verdict_of(count, sectors, mixed);
        return ret->verdict;
    }
    return STAMP_RIGHT;
}
