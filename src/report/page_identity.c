#include "doc_run_parts.h"

#include "base/units.h"
#include "figures.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void row(struct doc *doc, const char *name, const char *value)
{
    if (value[0] != '\0') {
        doc_cell(doc, "%s", name);
        doc_cell(doc, "%s", value);
    }
}

static void health_rows(struct doc *doc, const struct result_drive *drive)
{
    char words[FIGURE_TEXT * 2];

    row(doc, "link", result_link_say(&drive->link, words, sizeof(words)));
    if (isfinite(drive->power_state)) {
        doc_cell(doc, "power state");
        doc_cell(doc, "PS%.0f", drive->power_state);
    }
    if (isfinite(drive->numa_node)) {
        doc_cell(doc, "NUMA node");
        doc_cell(doc, "%.0f", drive->numa_node);
    }
    row(doc, "temperature", run_temperature(drive, words, sizeof(words)));
    if (isfinite(result_throttled_s(&drive->health))) {
        doc_cell(doc, "throttled");
        doc_cell(doc, "%.0f s", result_throttled_s(&drive->health));
    }
}

static void drive_rows(struct doc *doc, const struct result_drive *drive)
{
    char size[UNITS_TEXT];

    row(doc, "drive", drive->model);
    row(doc, "serial number", drive->serial);
    row(doc, "firmware", drive->firmware);
    row(doc, "form factor", drive->form_factor);
    row(doc, "kind", drive->kind);
    row(doc, "path", drive->path);
    if (drive->capacity_bytes > 0) {
        doc_cell(doc, "capacity");
        doc_cell(doc, "%s, %" PRIu64 " bytes",
                 units_format_size_decimal(drive->capacity_bytes, size, sizeof(size)),
                 drive->capacity_bytes);
    }
    if (drive->logical_block_bytes > 0) {
        doc_cell(doc, "blocks");
        doc_cell(doc, "%" PRIu32 " bytes logical, %" PRIu32 " physical", drive->logical_block_bytes,
                 drive->physical_block_bytes);
    }
    health_rows(doc, drive);
    row(doc, "requests", drive->how);
    row(doc, "flush", drive->flush);
    row(doc, "queue", drive->queue);
}

static void share_row(struct doc *doc, const char *name, double share)
{
    char words[FIGURE_TEXT];

    if (isfinite(share)) {
        row(doc, name, figure_percent(share, words));
    }
}

static void interference_rows(struct doc *doc, const struct result_interference *interference)
{
    share_row(doc, "waited for a CPU", interference->run_delay_share);
    share_row(doc, "CPUs stolen", interference->steal_share);
    share_row(doc, "pressure on CPU", interference->pressure_cpu);
    share_row(doc, "pressure on I/O", interference->pressure_io);
    share_row(doc, "pressure on memory", interference->pressure_memory);
    if (interference->throttled_periods > 0) {
        doc_cell(doc, "CPU limit reached");
        doc_cell(doc, "%.0f of %.0f periods", interference->throttled_periods,
                 interference->periods);
    }
}

static void host_rows(struct doc *doc, const struct result *result)
{
    char memory[UNITS_TEXT];

    row(doc, "host", result->host.hostname);
    row(doc, "CPU", result->host.cpu_model);
    if (result->host.cores > 0) {
        doc_cell(doc, "cores");
        doc_cell(doc, "%" PRIu32, result->host.cores);
    }
    if (result->host.memory_bytes > 0) {
        row(doc, "memory", units_format_size(result->host.memory_bytes, memory, sizeof(memory)));
    }
    row(doc, "kernel", result->host.kernel);
    row(doc, "governor", result->host.governor);
    interference_rows(doc, &result->host.interference);
}

void page_identity(struct doc *doc, const struct result *result)
{
    static const struct doc_column columns[] = {{"what", "what", DOC_LEFT}, {"is", "is", DOC_LEFT}};

    doc_heading(doc, 2, "Identity");
    doc_table(doc, "identity", columns, 2);
    for (uint32_t i = 0; i < result->drive_count; i++) {
        drive_rows(doc, &result->drives[i]);
    }
    if (!result->run.virtual_time) {
        host_rows(doc, result);
    }
    doc_cell(doc, "tool");
    doc_cell(doc, "%s %s", result->run.tool, result->run.version);
    row(doc, "build", result->run.build_id);
    doc_cell(doc, "scenario");
    doc_cell(doc, "%s, scale %s", result->scenario.name, result->scenario.scale);
    row(doc, "scenario SHA-256", result->scenario.sha256);
    doc_cell(doc, "seed");
    doc_cell(doc, "%" PRIu64, result->run.seed);
    row(doc, "label", result->run.label);
    row(doc, "started", result->run.started_utc);
    row(doc, "run", result->run.id);
}

void page_reproduce(struct doc *doc, const struct result *result, const char *run_dir)
{
    struct text line;

    doc_heading(doc, 2, "To repeat it");
    text_init(&line);
    for (uint32_t i = 0; i < result->run.command_count; i++) {
        text_add(&line, i > 0 ? " " : "");
        text_add_word(&line, result->run.command[i]);
    }
    if (line.length > 0) {
        doc_pair(doc, "command", "%s", text_string(&line));
    }
    doc_pair(doc, "seed", "%" PRIu64, result->run.seed);
    doc_pair(doc, "raw data", "run.json, intervals.csv, latency.hlog, events.jsonl%s%s",
             run_dir && run_dir[0] != '\0' ? " in " : "", run_dir ? run_dir : "");
    doc->failed = doc->failed || line.failed;
    text_free(&line);
}
