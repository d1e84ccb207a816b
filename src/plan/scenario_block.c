#include "scenario.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* `size: 4K` or a list of sizes with shares, into sizes[BLOCK_SIZES]. */
static int read_sizes(const struct item *item, uint32_t single, struct block_size *sizes,
                      uint32_t *ret_count, struct error *err)
{
    double sum = 0;

    *ret_count = 0;
    if (!item || item->kind == ITEM_SCALAR) {
        sizes[(*ret_count)++] = (struct block_size){.bytes = single, .share = 1};
    } else if (item->kind == ITEM_MAP) {
        return item_error(item, err, "%s: a size or a list is expected, not a section", item->key);
    } else if (item->count < 1 || item->count > BLOCK_SIZES) {
        return item_error(item, err, "%s: must be 1 to %d sizes, not %u", item->key, BLOCK_SIZES,
                          item->count);
    } else {
        for (const struct item *row = item->child; row; row = row->next) {
            if (section_read(SECTION_SIZES, row, &sizes[*ret_count], NULL, err)) {
                return err->code;
            }
            sum += sizes[(*ret_count)++].share;
        }
        if (fabs(sum - 1) > 0.001) {
            return item_error(item, err, "%s: the shares add up to %g %%, not 100 %%", item->key,
                              sum * 100);
        }
        for (uint32_t i = 0; i < *ret_count; i++) {
            sizes[i].share /= sum;
        }
    }
    for (uint32_t i = 0; i < *ret_count; i++) {
        if (sizes[i].bytes % 512 != 0) {
            return item_error(item, err, "%s: must be a multiple of 512, not %u", item->key,
                              sizes[i].bytes);
        }
    }
    return 0;
}

/* What is not read by rows: sizes, hot range, shares that depend on others. */
static int finish_stream(const struct item *map, struct scenario_stream *ret, struct error *err)
{
    const struct item *size = item_get(map, "size"), *read = item_get(map, "read_size"),
                      *write = item_get(map, "write_size"), *hot = item_get(map, "hot");
    struct block_stream *stream = &ret->stream;

    if (!item_get(map, "read")) {
        return item_key_error(map, err, "\"read\" is missing: a share such as 70%% is expected");
    }
    if (read_sizes(read ? read : size, read ? ret->read_size : ret->size, stream->read_sizes,
                   &stream->read_size_count, err) ||
        read_sizes(write ? write : size, write ? ret->write_size : ret->size, stream->write_sizes,
                   &stream->write_size_count, err) ||
        (hot && section_read(SECTION_HOT, hot, ret, NULL, err))) {
        return err->code;
    }
    stream->random = item_get(map, "random") ? ret->random : ret->place == 0 ? 1 : 0;
    if (item_get(map, "random") && item_get(map, "place")) {
        return item_key_error(item_get(map, "random"), err,
                              "random and place say the same: give one");
    }
    if (!(stream->from < stream->to)) {
        return item_error(item_get(map, "to") ? item_get(map, "to") : item_get(map, "from"), err,
                          "from must be below to");
    }
    return 0;
}

/* Keys of a stream beside a list of streams would be ignored: they are refused. */
static int refuse_beside_streams(const struct item *map, struct error *err)
{
    const struct section *section = section_of(SECTION_STREAMS);

    for (const struct item *item = map->child; item; item = item->next) {
        if (key_find(section->rows, section->count, item->key)) {
            return item_key_error(item, err, "%s: belongs into each of the streams", item->key);
        }
    }
    return 0;
}

static int read_streams(const struct item *list, struct block_settings *block, struct error *err)
{
    double sum = 0;

    if (list->kind != ITEM_LIST || list->count < 1 || list->count > BLOCK_STREAMS) {
        return item_error(list, err, "streams: a list of 1 to %d streams is expected",
                          BLOCK_STREAMS);
    }
    for (const struct item *item = list->child; item; item = item->next) {
        struct scenario_stream stream = {.size = 4096};

        stream.stream.to = 1;
        if (section_read(SECTION_STREAMS, item, &stream, NULL, err) ||
            finish_stream(item, &stream, err)) {
            return err->code;
        }
        sum += stream.stream.share;
        block->streams[block->stream_count++] = stream.stream;
    }
    if (fabs(sum - 1) > 0.001) {
        return item_error(list, err, "streams: the shares add up to %g %%, not 100 %%", sum * 100);
    }
    for (uint32_t i = 0; i < block->stream_count; i++) {
        block->streams[i].share /= sum;
    }
    return 0;
}

int scenario_read_block(const struct item *map, struct scenario_workload *workload, uint64_t given,
                        struct error *err)
{
    const struct item *outstanding = item_get(map, "outstanding"),
                      *streams = item_get(map, "streams");
    struct block_settings *block = &workload->block;

    if (outstanding->kind == ITEM_LIST) {
        return item_error(outstanding, err,
                          "outstanding: a number or a section is expected, not a list");
    }
    if (outstanding->kind == ITEM_MAP) {
        if (section_read(SECTION_OUTSTANDING, outstanding, workload, NULL, err)) {
            return err->code;
        }
        if ((uint64_t)workload->threads * workload->queue > 65536) {
            return item_error(outstanding, err,
                              "outstanding: threads x queue must be at most 65536");
        }
        block->users = workload->threads * workload->queue;
    }
    if (!section_has(SECTION_BLOCK, given, "users")) {
        workload->users = block->users;
    }
    block->users = workload->users;
    if (block->align_bytes % 512 != 0) {
        return item_error(item_get(map, "align"), err, "align: must be a multiple of 512, not %u",
                          block->align_bytes);
    }
    if (workload->range.share > 1) {
        return item_error(item_get(map, "range"), err, "range: must be at most 100%%");
    }
    if (streams) {
        return refuse_beside_streams(map, err) ? err->code : read_streams(streams, block, err);
    }
    snprintf(workload->stream.stream.name, sizeof(workload->stream.stream.name), "io");
    workload->stream.stream.share = 1;
    if (finish_stream(map, &workload->stream, err)) {
        return err->code;
    }
    block->streams[0] = workload->stream.stream;
    block->stream_count = 1;
    return 0;
}
