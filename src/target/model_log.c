#include "model_log.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"

enum { SECTOR_BYTES = 512 };

static void log_pump(struct model_log *log);

uint64_t log_buffer_bytes(uint32_t depth, uint32_t write_bytes, uint32_t block_bytes)
{
    return (uint64_t)depth * (write_bytes + 2 * (uint64_t)block_bytes);
}

/* ---- answers -----------------------------------------------------------------------------------
 */

static void log_advance(struct model_log *log, uint64_t end)
{
    must(end >= log->durable && end <= log->lsn);
    log->durable = end;
}

/* A new epoch, unless the one whose place it takes is not durable yet. */
static void log_next_epoch(struct model_log *log)
{
    if (log->durable >= log->epoch_end[(log->epoch + 1) % LOG_EPOCHS]) {
        log->epoch_end[log->epoch % LOG_EPOCHS] = log->lsn;
        log->epoch++;
    }
}

static void log_flush_done(struct io *io)
{
    struct model_log *log = (struct model_log *)(uintptr_t)io->owner;

    log->flushing = false;
    if (io->result < 0) {
        log->error = log->error ? log->error : io->result;
    } else {
        log_advance(log, log->flush_end);
    }
    log_pump(log);
    log->advanced(log);
}

static void log_flush(struct model_log *log)
{
    struct io *io = &log->flush;

    log->flushing = true;
    log->flush_end = log->written;
    log->flush_count++;
    io->verb = IO_FLUSH;
    io->offset = 0;
    io->bytes = 0;
    drive_submit(log->drive, io);
}

/* Writes may be answered out of order; what counts is the part without a gap. */
static bool log_retire(struct model_log *log)
{
    uint64_t before = log->written;

    while (log->in_flight > 0 && log->writes[log->first].done) {
        struct log_write *write = &log->writes[log->first];

        write->busy = write->done = false;
        log->written = write->end;
        log->first = log->first + 1 == log->is.depth ? 0 : log->first + 1;
        log->in_flight--;
    }
    return log->written != before;
}

static void log_write_done(struct io *io)
{
    struct model_log *log = (struct model_log *)(uintptr_t)io->owner;
    struct log_write *write = (struct log_write *)io;

    if (io->result != (int32_t)io->bytes) {
        log->error = log->error ? log->error : io->result < 0 ? io->result : -EIO;
    }
    write->done = true;
    if (log->error) {
        log_retire(log);
        log->advanced(log);
        return;
    }
    if (!log_retire(log)) {
        return;
    }
    if (log->is.fua || !log->is.sync) {
        log_advance(log, log->written);
        log_pump(log);
        log->advanced(log);
    } else {
        log_pump(log);
    }
}

/* ---- writing -----------------------------------------------------------------------------------
 */

/* Two words of each sector change: no two writes carry the same sector. */
static void log_freshen(struct model_log *log, uint64_t *words, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes / 8; i += SECTOR_BYTES / 8) {
        uint64_t r = rng_u64(&log->rng);

        words[i + (r & 63)] ^= r;
        words[i + (r >> 58)] += r | 1;
    }
}

static uint64_t round_up(uint64_t x, uint64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

/*
 * Everything pending, at most write_bytes and not beyond the ring's end. With rewrite_last the
 * write begins with the block that the one before it ended in.
 */
static void log_write_next(struct model_log *log)
{
    struct log_write *write = &log->writes[(log->first + log->in_flight) % log->is.depth];
    uint32_t block = log->is.block_bytes;
    uint64_t head = log->position % block, at = log->position - head;
    uint64_t room = log->is.capacity_bytes - at % log->is.capacity_bytes;
    uint64_t most = (room < log->is.write_bytes ? room : log->is.write_bytes) - head;
    uint64_t bytes = log->lsn - log->issued;

    must(!write->busy);
    bytes = bytes < most ? bytes : most;
    write->busy = true;
    log->issued += bytes;
    write->end = log->issued;
    log->in_flight++;
    log_next_epoch(log);
    struct io *io = &write->io;

    io->verb = IO_WRITE;
    io->flags = IO_NO_STAMP | (log->is.fua ? IO_FUA : 0);
    io->offset = log->is.offset + at % log->is.capacity_bytes;
    io->bytes = (uint32_t)round_up(head + bytes, block);
    log->position = log->is.rewrite_last ? log->position + bytes : at + io->bytes;
    log->physical_bytes += io->bytes;
    log->padding_bytes += io->bytes - bytes;
    log->write_count++;
    if (io->data) {
        log_freshen(log, io->data, io->bytes);
    }
    drive_submit(log->drive, io);
}

/*
 * With flushes a group is what was pending when it began, and its flush; the next begins when it is
 * durable. With FUA (and where nobody waits) up to `depth` writes are on their way at once.
 */
static void log_pump(struct model_log *log)
{
    bool grouped = !log->is.fua && log->is.sync;

    if (log->error || log->flushing) {
        return;
    }
    if (!grouped) {
        log->group_end = log->wanted;
    } else if (log->durable == log->group_end && log->wanted > log->durable) {
        log->group_end = log->lsn;
    }
    while (log->issued < log->group_end && log->in_flight < log->is.depth) {
        log_write_next(log);
    }
    if (grouped && log->in_flight == 0 && log->written > log->durable) {
        log->group_end = log->written;
        log_flush(log);
    }
}

void log_want(struct model_log *log, uint64_t lsn)
{
    must(lsn <= log->lsn);
    if (log->free_of_charge || lsn <= log->wanted) {
        return;
    }
    log->wanted = lsn;
    log_pump(log);
}

uint64_t log_append(struct model_log *log, uint32_t bytes)
{
    log->lsn += bytes;
    log->record_bytes += bytes;
    if (log->free_of_charge) {
        log->skipped_bytes += log->lsn - log->issued;
        log->issued = log->written = log->durable = log->wanted = log->group_end = log->lsn;
    }
    return log->lsn;
}

void log_append_image(struct model_log *log, uint32_t bytes)
{
    log->image_bytes += bytes;
    log->record_bytes -= bytes;
    log_append(log, bytes);
}

bool log_epoch_durable(const struct model_log *log, uint32_t epoch)
{
    if (log->free_of_charge || log->durable == log->lsn) {
        return true;
    }
    uint32_t age = (log->epoch - epoch) % LOG_EPOCHS;

    return age > 0 && log->durable >= log->epoch_end[(log->epoch - age) % LOG_EPOCHS];
}

bool log_idle(const struct model_log *log)
{
    return log->in_flight == 0 && !log->flushing;
}

int log_open(struct model_log *log, const struct log_settings *settings, struct drive *drive,
             void *buffers, uint64_t seed, struct error *err)
{
    uint64_t stride = log_buffer_bytes(1, settings->write_bytes, settings->block_bytes);

    memset(log, 0, sizeof(*log));
    must(settings->depth >= 1 && settings->depth <= LOG_WRITES_MOST);
    must(settings->write_bytes >= settings->block_bytes);
    must(settings->write_bytes % settings->block_bytes == 0);
    must(!settings->rewrite_last || settings->depth == 1);
    must(settings->capacity_bytes % settings->block_bytes == 0);
    log->is = *settings;
    log->drive = drive;
    rng_init(&log->rng, seed, (uint64_t)settings->vm << 32 | 0x106);
    log->writes = mem_array(settings->depth, sizeof(*log->writes));
    if (log->writes == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u log writes", settings->depth);
    }
    for (uint32_t i = 0; i < settings->depth; i++) {
        struct io *io = &log->writes[i].io;

        io->area = IO_LOG;
        io->vm = (uint8_t)settings->vm;
        io->owner = (uint64_t)(uintptr_t)log;
        io->done = log_write_done;
        io->data = buffers ? (char *)buffers + i * stride : NULL;
        for (uint64_t j = 0; io->data && j < stride / 8; j++) {
            ((uint64_t *)io->data)[j] = rng_u64(&log->rng);
        }
    }
    log->flush.area = IO_LOG;
    log->flush.flags = IO_NO_STAMP;
    log->flush.vm = (uint8_t)settings->vm;
    log->flush.owner = (uint64_t)(uintptr_t)log;
    log->flush.done = log_flush_done;
    return 0;
}

void log_close(struct model_log *log)
{
    mem_free(log->writes);
    log->writes = NULL;
}
