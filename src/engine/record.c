#include "record.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"

int record_init(struct record *record, uint32_t kind_count, struct error *err)
{
    memset(record, 0, sizeof(*record));
    record->kinds = mem_array(kind_count, sizeof(*record->kinds));
    if (record->kinds == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the recorder");
    }
    record->kind_count = kind_count;
    return 0;
}

void record_free(struct record *record)
{
    mem_free(record->kinds);
    record->kinds = NULL;
}

void record_reset(struct record *record)
{
    struct kind_record *kinds = record->kinds;
    uint32_t kind_count = record->kind_count;

    memset(kinds, 0, kind_count * sizeof(*kinds));
    memset(record, 0, sizeof(*record));
    record->kinds = kinds;
    record->kind_count = kind_count;
}

static void kind_add(struct kind_record *into, const struct kind_record *from)
{
    into->due += from->due;
    into->done += from->done;
    into->rolled_back += from->rolled_back;
    into->failed += from->failed;
    into->skipped += from->skipped;
    into->retries += from->retries;
    into->open = from->open;
    into->pause_ns += from->pause_ns;
    record_spent(into->spent_ns, from->spent_ns);
    hist_merge(&into->response, &from->response);
    hist_merge(&into->service, &from->service);
}

void record_io_size(struct io_record *io, uint32_t bytes, uint64_t count)
{
    uint32_t i;

    for (i = 0; i < io->size_count; i++) {
        if (io->sizes[i].bytes == bytes) {
            io->sizes[i].count += count;
            return;
        }
    }
    if (i == RECORD_SIZES) {
        io->sizes[RECORD_SIZES - 1].count += count;
        return;
    }
    io->sizes[i].bytes = i == RECORD_SIZES - 1 ? 0 : bytes;
    io->sizes[i].count = count;
    io->size_count++;
}

static void io_add(struct io_record *into, const struct io_record *from)
{
    into->count += from->count;
    into->bytes += from->bytes;
    into->errors += from->errors;
    for (uint32_t i = 0; i < from->size_count; i++) {
        record_io_size(into, from->sizes[i].bytes, from->sizes[i].count);
    }
    hist_merge(&into->latency, &from->latency);
}

void record_add(struct record *into, const struct record *from)
{
    must(into->kind_count == from->kind_count);
    if (into->until_ns == 0) {
        into->from_ns = from->from_ns;
        into->cycles_from_ns = from->cycles_from_ns;
    }
    into->until_ns = from->until_ns;
    into->phase = from->phase;
    into->facts = from->facts;
    into->cycles_until_ns = from->cycles_until_ns;
    into->fill_share = from->fill_share;
    into->waiting = from->waiting;
    for (uint32_t i = 0; i < into->kind_count; i++) {
        kind_add(&into->kinds[i], &from->kinds[i]);
    }
    for (uint32_t i = 0; i < RECORD_IOS; i++) {
        io_add(&into->ios[i], &from->ios[i]);
    }
}

/* Facts that loops of one VM count apart. */
static void facts_join(struct target_facts *into, const struct target_facts *from)
{
    into->rows_read += from->rows_read;
    into->rows_written += from->rows_written;
    into->commits_waited += from->commits_waited;
    into->lock_waits += from->lock_waits;
    into->deadlocks += from->deadlocks;
    into->lock_timeouts += from->lock_timeouts;
}

void record_join(struct record *into, const struct record *from)
{
    uint64_t open[CATALOG_KINDS + 1] = {0};
    struct target_facts facts = into->facts;
    int64_t from_ns = into->until_ns > 0 ? into->from_ns : from->from_ns;
    int64_t until_ns = into->until_ns;
    int64_t cycles_from_ns = into->cycles_from_ns, cycles_until_ns = into->cycles_until_ns;
    uint64_t waiting = into->waiting;

    for (uint32_t i = 0; i < into->kind_count; i++) {
        open[i] = into->kinds[i].open;
    }
    record_add(into, from);
    for (uint32_t i = 0; i < into->kind_count; i++) {
        into->kinds[i].open += open[i];
    }
    into->from_ns = from_ns < from->from_ns ? from_ns : from->from_ns;
    into->until_ns = until_ns > from->until_ns ? until_ns : from->until_ns;
    into->cycles_from_ns = cycles_from_ns + from->cycles_from_ns;
    into->cycles_until_ns += cycles_until_ns;
    into->waiting += waiting;
    facts_join(&into->facts, &facts);
}

void record_txn_unended(struct kind_record *kind, enum txn_end end, int64_t response_ns)
{
    kind->failed += end == TXN_FAILED;
    kind->skipped += end == TXN_SKIPPED;
    kind->pause_ns += response_ns; /* else users would be missing from N */
}
