#include "doc_run_parts.h"

#include "base/text.h"
#include "base/units.h"
#include "figures.h"
#include "stats/steady.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void checks_line(struct doc *doc, const struct result *result)
{
    uint32_t failed = 0;

    for (uint32_t i = 0; i < result->check_count; i++) {
        failed += !result->checks[i].passed;
    }
    doc_pair(doc, "run", "%s, %" PRIu32 " of %" PRIu32 " checks passed, exit code %d",
             result->run.ended, result->check_count - failed, result->check_count,
             (int)result->run.exit_code);
    if (result->run.exit_code == EXIT_FINE) {
        doc_verdict(doc, DOC_GOOD, "ok");
    } else {
        doc_verdict(doc, DOC_BAD, "not ok");
    }
}

/* N and X (R + Z) with few enough digits to see 2 %. */
static const char *concurrency(double value, char buf[FIGURE_TEXT])
{
    if (value >= 0 && value < 1000) {
        snprintf(buf, FIGURE_TEXT, "%.1f", value);
        return buf;
    }
    return figure_number(value, buf);
}

static void little_line(struct doc *doc, const struct result *result)
{
    const struct result_audit *audit = &result->aggregate.audit;
    char held[FIGURE_TEXT], n[FIGURE_TEXT], think[FIGURE_TEXT], ceiling[FIGURE_TEXT];
    char share[FIGURE_TEXT], more[FIGURE_TEXT], cut_off[FIGURE_TEXT + 48] = "";
    bool ok = strcmp(audit->verdict, "ok") == 0;

    concurrency(audit->concurrency, held);
    if (strcmp(audit->verdict, "cut off") == 0) {
        snprintf(cut_off, sizeof(cut_off), ", %s more under way when the sample ended",
                 concurrency(audit->cut_off, more));
    }
    if (strcmp(audit->verdict, "open loop") == 0) {
        doc_pair(doc, "X·R", "%s under way on average", held);
        doc_verdict(doc, DOC_PLAIN, "open loop");
        return;
    }
    if (audit->ceiling_tps > 0) {
        doc_pair(doc, "N = X·(R+Z)", "%s of %s%s; Z %s, ceiling N/Z %s/s, %s of it", held,
                 figure_count(audit->users, n), cut_off,
                 figure_duration(audit->think_mean_ns, think),
                 figure_number(audit->ceiling_tps, ceiling),
                 figure_percent(audit->ceiling_share, share));
    } else {
        doc_pair(doc, "N = X·R", "%s of %s%s", held, figure_count(audit->users, n), cut_off);
    }
    doc_verdict(doc,
                ok                         ? DOC_GOOD
                : audit->verdict[0] == 'i' ? DOC_BAD
                                           : DOC_DOUBTFUL,
                audit->verdict);
}

static void fairness_line(struct doc *doc, const struct result *result)
{
    char buf[FIGURE_TEXT];

    if (result->vm_count > 1) {
        doc_pair(doc, "fairness", "(max-min)/mean of the VMs' %s %s",
                 run_is_bare(result) ? "IOPS" : "TPS", figure_percent(result->fairness, buf));
    }
}

static void steady_line(struct doc *doc, const struct result *result)
{
    const struct result_steady *steady = &result->aggregate.steady;
    const struct result_vm *all = &result->aggregate;
    const struct steady_preset *preset = steady_preset(steady->preset);
    char range[FIGURE_TEXT], excursion[FIGURE_TEXT], drift[FIGURE_TEXT], worst[FIGURE_TEXT];
    bool tps_holds = steady_within(preset != NULL ? preset : steady_preset(NULL),
                                   steady->range_share, steady->excursion_share);

    figure_number(all->worst_second_tps, worst);
    if (!steady->judged) {
        doc_pair(doc, "steady", "lowest second %s", worst);
        doc_verdict(doc, DOC_PLAIN, "sample too short to judge");
        return;
    }
    doc_pair(doc, "steady",
             "range %s, excursion %s, drift %s (p %.2f) in %" PRIu32 " rounds, lowest second %s",
             figure_percent(steady->range_share, range),
             figure_percent(steady->excursion_share, excursion),
             figure_percent(steady->drift_share, drift), steady->drift_p, steady->rounds, worst);
    doc_verdict(doc, steady->reached ? DOC_GOOD : DOC_DOUBTFUL,
                steady->reached ? "steady" : "not steady");
    if (!steady->reached && tps_holds && steady->lat_range_share > 0) {
        doc_pair(doc, "", "mean latency: range %s, excursion %s",
                 figure_percent(steady->lat_range_share, range),
                 figure_percent(steady->lat_excursion_share, excursion));
    }
}

/* "0 wrong of 117 396 pages checked", and those that nothing is known of. */
static const char *pages_checked(const struct result_integrity *integrity, char *buf, size_t size)
{
    char errors[FIGURE_TEXT], checked[FIGURE_TEXT], unjudged[FIGURE_TEXT];
    int used;

    if (integrity->stamps_checked == 0 && integrity->stamps_unjudged > 0) {
        snprintf(buf, size, "no page checked: this run had written none of the %s that it read",
                 figure_count(integrity->stamps_unjudged, unjudged));
        return buf;
    }
    used = snprintf(buf, size, "%s wrong of %s pages checked",
                    figure_count(integrity->stamp_errors, errors),
                    figure_count(integrity->stamps_checked, checked));

    if (integrity->stamps_unjudged > 0 && used > 0 && (size_t)used < size) {
        snprintf(buf + used, size - (size_t)used, " (%s more not: this run had not written them)",
                 figure_count(integrity->stamps_unjudged, unjudged));
    }
    return buf;
}

static void integrity_line(struct doc *doc, const struct result *result)
{
    const struct result_integrity *integrity = &result->aggregate.integrity;
    char pages[4 * FIGURE_TEXT + 80];
    uint32_t broken, rules = result_rules(result, &broken);

    pages_checked(integrity, pages, sizeof(pages));
    if (!integrity->checked && rules == 0) {
        doc_pair(doc, "integrity", "not checked%s",
                 result->server_count > 0 ? " so far: `rawtps check`, or --check of a run" : "");
        return;
    }
    if (rules == 0) {
        doc_pair(doc, "integrity", "%s", pages);
    } else if (!integrity->checked) {
        doc_pair(doc, "integrity", "%s, %" PRIu32 " of %" PRIu32 " consistency rules hold",
                 result->server_count > 0   ? "pages are the server's own"
                 : result->run.virtual_time ? "no page to check in a drive that holds no data"
                                            : "pages carry no stamps",
                 rules - broken, rules);
    } else {
        doc_pair(doc, "integrity", "%s, %" PRIu32 " of %" PRIu32 " consistency rules hold", pages,
                 rules - broken, rules);
    }
    if (integrity->stamp_errors > 0 || broken > 0) {
        doc_verdict(doc, DOC_BAD, "VOID");
    } else if (rules > 0 || integrity->stamps_checked > 0) {
        doc_verdict(doc, DOC_GOOD, "ok");
    }
    if (integrity->first[0] != '\0') {
        doc_pair(doc, "", "first: %s", integrity->first);
    }
}

const char *run_temperature(const struct result_drive *drive, char *ret, size_t size)
{
    const struct result_health *health = &drive->health;
    /* who did not look in between knows the two ends alone: fmin and fmax pass over NAN */
    double least = fmin(health->temperature_min_c,
                        fmin(health->temperature_start_c, health->temperature_end_c));
    double most = fmax(health->temperature_max_c,
                       fmax(health->temperature_start_c, health->temperature_end_c));

    if (!isfinite(health->temperature_start_c) || !isfinite(health->temperature_end_c)) {
        ret[0] = '\0';
    } else if (most - least < 0.5) {
        snprintf(ret, size, "%.0f °C", health->temperature_end_c);
    } else {
        snprintf(ret, size, "%.0f to %.0f °C, %.0f at the end", least, most,
                 health->temperature_end_c);
    }
    return ret;
}

/* Link and warmth, as far as they are known. */
static void drive_place(const struct result_drive *drive, struct text *line)
{
    char words[FIGURE_TEXT * 2];

    if (result_link_say(&drive->link, words, sizeof(words))[0] != '\0') {
        text_addf(line, ", link %s", words);
    }
    if (run_temperature(drive, words, sizeof(words))[0] != '\0') {
        text_addf(line, ", %s", words);
    }
    if (result_throttled_s(&drive->health) > 0) {
        text_addf(line, ", throttled for %.0f s", result_throttled_s(&drive->health));
    }
}

static void drive_line(struct doc *doc, const struct result *result)
{
    const struct result_drive *drive = &result->drives[0];
    char size[UNITS_TEXT], wa[FIGURE_TEXT], before[UNITS_TEXT], share[FIGURE_TEXT];
    struct text line;

    if (result->drive_count == 0) {
        return;
    }
    text_init(&line);
    text_add(&line, units_format_size_decimal(drive->capacity_bytes, size, sizeof(size)));
    drive_place(drive, &line);
    if (result->precondition.bytes_written > 0) {
        text_addf(
            &line, ", %s written before the sample (%s of it)",
            units_format_size_decimal(result->precondition.bytes_written, before, sizeof(before)),
            figure_percent(result->precondition.capacity_share, share));
    }
    if (drive->write_amplification > 0) {
        text_addf(&line, ", write amplification %s", figure_number(drive->write_amplification, wa));
    }
    if (drive->how[0] != '\0') {
        text_addf(&line, ", %s", drive->how);
    }
    if (drive->flush[0] != '\0') {
        text_addf(&line, ", flush: %s", drive->flush);
    }
    doc_pair(doc, "drive", "%s", text_string(&line));
    doc->failed = doc->failed || line.failed;
    text_free(&line);
}

void run_verdicts(struct doc *doc, const struct result *result)
{
    little_line(doc, result);
    fairness_line(doc, result);
    steady_line(doc, result);
    integrity_line(doc, result);
    drive_line(doc, result);
    checks_line(doc, result);
}

/* A second or more shorter than the scenario says. */
static bool is_short(const struct result_phase *phase)
{
    double length_ns = fmax(0, run_span_ns(phase->from_ns, phase->until_ns));

    return (double)phase->requested_ns >= length_ns + 1e9;
}

static void phases_line(struct doc *doc, const struct result *result)
{
    char is[UNITS_TEXT], asked[UNITS_TEXT];
    struct text line;

    text_init(&line);
    for (uint32_t i = 0; i < result->phase_count; i++) {
        const struct result_phase *phase = &result->phases[i];
        double length_ns = fmax(0, run_span_ns(phase->from_ns, phase->until_ns));

        text_addf(&line, "%s%s %s", i > 0 ? ", " : "", phase->name,
                  units_format_clock((int64_t)length_ns, is, sizeof(is)));
        if (is_short(phase)) {
            text_addf(&line, " of %s",
                      units_format_clock(phase->requested_ns, asked, sizeof(asked)));
        }
    }
    if (line.length > 0) {
        doc_pair(doc, "phases", "%s", text_string(&line));
    }
    doc->failed = doc->failed || line.failed;
    text_free(&line);
}

static void cost_line(struct doc *doc, const struct result *result)
{
    char wall[FIGURE_TEXT], cpu[FIGURE_TEXT], memory[FIGURE_TEXT];

    if (result->run.wall_ns > 0) {
        doc_pair(doc, "cost", "%s of wall time, %s of CPU, %s of memory",
                 figure_duration((double)result->run.wall_ns, wall),
                 figure_duration((double)result->run.cpu_ns, cpu),
                 figure_size((double)result->run.peak_memory_bytes, memory));
    }
}

static void notes(struct doc *doc, const struct result *result)
{
    bool shorter = false;

    for (uint32_t i = 0; i < result->phase_count; i++) {
        shorter = shorter || is_short(&result->phases[i]);
    }
    doc_note(doc,
             "Percentiles from merged histograms, never averaged; latency counts from when a "
             "%s was due.",
             run_is_bare(result) ? "request" : "transaction");
    if (!result->scenario.comparable || shorter) {
        doc_note(doc, "Not at full scale or full length: comparable only with runs of this scale "
                      "and these phases.");
    }
    if (run_is_tpcc(result)) {
        doc_note(doc, "TPC-C-derived; not comparable with published TPC results.");
    }
}

void run_provenance(struct doc *doc, const struct result *result)
{
    const struct result_drive *drive = &result->drives[0];

    for (uint32_t i = 0; i < result->warning_count; i++) {
        doc_paragraph(doc, "warning: %s", result->warnings[i]);
    }
    doc_heading(doc, 2, "Where this comes from");
    doc_pair(doc, "scenario", "%s%s%.8s, scale %s, seed %" PRIu64 "%s%s", result->scenario.name,
             result->scenario.sha256[0] != '\0' ? "@" : "", result->scenario.sha256,
             result->scenario.scale, result->run.seed,
             result->scenario.basis[0] != '\0' ? ", basis: " : "", result->scenario.basis);
    if (result->scenario.settings[0] != '\0') {
        doc_pair(doc, "set", "%s", result->scenario.settings);
    }
    phases_line(doc, result);
    if (result->drive_count > 0) {
        doc_pair(doc, "drive", "%s%s%s%s%s", drive->model[0] != '\0' ? drive->model : drive->kind,
                 drive->firmware[0] != '\0' ? ", firmware " : "", drive->firmware,
                 drive->serial[0] != '\0' ? ", serial " : "", drive->serial);
    }
    doc_pair(doc, "tool", "%s %s%s%s", result->run.tool, result->run.version,
             result->run.started_utc[0] != '\0' ? ", started " : "", result->run.started_utc);
    cost_line(doc, result);
    notes(doc, result);
}
