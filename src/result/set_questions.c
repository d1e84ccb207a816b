#include "set_rows.h"

#include "base/checksum.h"
#include "base/units.h"
#include "fit.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of several drives; what does not fit then is told apart by its checksum. */
enum { ALL_DRIVES = 2304 };

static bool say(struct set_answer *ret, const char *text)
{
    fit_words(ret->text, sizeof(ret->text), text);
    return text[0] != '\0';
}

/* The VM configs of a scenario, whose names are in its text. */
static void sum_configs(const struct result *result, char ret[SHA256_HEX])
{
    struct sha256 sha;

    sha256_init(&sha);
    for (uint32_t i = 0; i < result->scenario.config_count; i++) {
        sha256_add(&sha, result->scenario.configs[i].sha256,
                   strlen(result->scenario.configs[i].sha256));
    }
    sha256_finish_hex(&sha, ret);
}

static bool ask_scenario(const struct result *result, struct set_answer *ret)
{
    const char *settings = result->scenario.settings;
    char all[sizeof(result->scenario.settings) + sizeof(result->scenario.name) + 16];

    snprintf(all, sizeof(all), "%s@%.8s%s%s", result->scenario.name, result->scenario.sha256,
             settings[0] ? " " : "", settings);
    say(ret, all);
    if (result->scenario.config_count > 0) {
        sum_configs(result, ret->files);
    }
    return true;
}

static bool ask_scale(const struct result *result, struct set_answer *ret)
{
    return say(ret, result->scenario.scale);
}

static bool ask_sample(const struct result *result, struct set_answer *ret)
{
    int64_t ns = result->aggregate.sample_until_ns - result->aggregate.sample_from_ns;

    units_format_clock(ns, ret->text, sizeof(ret->text));
    ret->number = (double)ns / 1e9;
    return ns > 0;
}

static bool ask_virtual(const struct result *result, struct set_answer *ret)
{
    return say(ret, result->run.virtual_time ? "virtual" : "real");
}

static bool ask_build(const struct result *result, struct set_answer *ret)
{
    snprintf(ret->text, sizeof(ret->text), "%.31s %.8s", result->run.version, result->run.build_id);
    return result->run.build_id[0] != '\0';
}

static bool ask_vms(const struct result *result, struct set_answer *ret)
{
    snprintf(ret->text, sizeof(ret->text), "%u", result->vm_count);
    ret->number = result->vm_count;
    return true;
}

static bool ask_users(const struct result *result, struct set_answer *ret)
{
    snprintf(ret->text, sizeof(ret->text), "%llu", (unsigned long long)result->aggregate.users);
    ret->number = (double)result->aggregate.users;
    return true;
}

/* A word of the first drive; several drives are told apart by all of theirs. */
static bool ask_drive(const struct result *result, struct set_answer *ret, size_t offset)
{
    char all[ALL_DRIVES] = "";
    bool known = result->drive_count > 0;

    for (uint32_t i = 0; i < result->drive_count; i++) {
        const char *word = (const char *)&result->drives[i] + offset;
        size_t n = strlen(all);

        known = known && word[0] != '\0';
        snprintf(all + n, sizeof(all) - n, "%s%s", i > 0 ? " + " : "", word);
    }
    say(ret, all);
    return known;
}

#define DRIVE_WORD(name, member)                                                                   \
    static bool ask_##name(const struct result *result, struct set_answer *ret)                    \
    {                                                                                              \
        return ask_drive(result, ret, offsetof(struct result_drive, member));                      \
    }
DRIVE_WORD(class, kind)
DRIVE_WORD(serial, serial)
DRIVE_WORD(firmware, firmware)
DRIVE_WORD(form, form_factor)
DRIVE_WORD(scheduler, queue)

static bool ask_model(const struct result *result, struct set_answer *ret)
{
    bool known = ask_drive(result, ret, offsetof(struct result_drive, model));

    if (result->drive_count > 0) {
        snprintf(ret->files, sizeof(ret->files), "%s", result->drives[0].model_sha256);
    }
    return known;
}

static bool ask_capacity(const struct result *result, struct set_answer *ret)
{
    double bytes = 0;

    for (uint32_t i = 0; i < result->drive_count; i++) {
        bytes += (double)result->drives[i].capacity_bytes;
    }
    snprintf(ret->text, sizeof(ret->text), bytes >= 1e9 ? "%.1f GB" : "%.3f GB", bytes / 1e9);
    ret->number = bytes;
    return bytes > 0;
}

static bool ask_lba_format(const struct result *result, struct set_answer *ret)
{
    const struct result_drive *drive = &result->drives[0];

    snprintf(ret->text, sizeof(ret->text), "%u/%u", drive->logical_block_bytes,
             drive->physical_block_bytes);
    return result->drive_count > 0 && drive->logical_block_bytes > 0;
}

/* Drives that are not there have nothing that could be hot. */
static bool is_imagined(const struct result_drive *drive)
{
    return strcmp(drive->kind, "sim") == 0 || strcmp(drive->kind, "null") == 0;
}

/* Several drives are told apart by all of theirs. A link below its best is broken. */
static bool ask_link(const struct result *result, struct set_answer *ret)
{
    char all[ALL_DRIVES] = "", one[48];
    bool known = result->drive_count > 0;

    for (uint32_t i = 0; i < result->drive_count; i++) {
        const struct result_drive *drive = &result->drives[i];
        size_t n = strlen(all);

        result_link_say(&drive->link, one, sizeof(one));
        if (strcmp(drive->kind, "null") == 0) {
            snprintf(one, sizeof(one), "none");
        }
        ret->broken = ret->broken || result_link_degraded(&drive->link);
        known = known && one[0] != '\0';
        snprintf(all + n, sizeof(all) - n, "%s%s", i > 0 ? " + " : "", one);
    }
    say(ret, all);
    return known;
}

/* Of several drives the hottest. */
static bool ask_temperature(const struct result *result, struct set_answer *ret, size_t offset)
{
    bool known = result->drive_count > 0, imagined = known;
    double most = NAN;

    for (uint32_t i = 0; i < result->drive_count; i++) {
        const struct result_drive *drive = &result->drives[i];
        double celsius = *(const double *)(const void *)((const char *)&drive->health + offset);

        imagined = imagined && is_imagined(drive) && isnan(celsius);
        known = known && !isnan(celsius);
        most = fmax(most, celsius);
    }
    if (imagined) {
        return say(ret, "none");
    }
    snprintf(ret->text, sizeof(ret->text), "%.0f °C", most);
    ret->number = most;
    return known;
}

static bool ask_start(const struct result *result, struct set_answer *ret)
{
    return ask_temperature(result, ret, offsetof(struct result_health, temperature_start_c));
}

static bool ask_end(const struct result *result, struct set_answer *ret)
{
    return ask_temperature(result, ret, offsetof(struct result_health, temperature_end_c));
}

static bool ask_throttle(const struct result *result, struct set_answer *ret)
{
    bool known = result->drive_count > 0;
    double most = 0;

    for (uint32_t i = 0; i < result->drive_count; i++) {
        double seconds = result_throttled_s(&result->drives[i].health);

        known = known && !isnan(seconds);
        most = fmax(most, seconds);
    }
    snprintf(ret->text, sizeof(ret->text), most > 0 && most < 10 ? "%.1f s" : "%.0f s", most);
    ret->number = most;
    ret->broken = most > 0;
    return known;
}

/* How much of the time that its threads wanted to run they had no CPU. */
static bool ask_interference(const struct result *result, struct set_answer *ret)
{
    const struct result_interference *interference = &result->host.interference;
    double share = interference->run_delay_share;
    bool known = share >= 0 && share <= 1; /* else NAN, or the result was edited */

    if (result->run.virtual_time) {
        return say(ret, "none");
    }
    if (known) {
        snprintf(ret->text, sizeof(ret->text), "%.1f%% waiting for a CPU%s", share * 100,
                 interference->throttled_periods > 0 ? ", CPU limit reached" : "");
    } else {
        snprintf(ret->text, sizeof(ret->text), "CPU limit reached");
    }
    ret->number = known ? share : NAN;
    ret->broken = result_interfered(interference);
    return known || ret->broken;
}

static bool ask_server(const struct result *result, struct set_answer *ret)
{
    const struct result_server *server = &result->servers[0];
    char all[sizeof(server->flavour) + sizeof(server->version) + 16];

    if (result->server_count == 0) {
        return say(ret, "none");
    }
    snprintf(all, sizeof(all), "%s %s%s", server->flavour, server->version,
             server->durable ? "" : ", not durable");
    return say(ret, all);
}

static bool ask_host(const struct result *result, struct set_answer *ret)
{
    return say(ret, result->host.hostname);
}

static bool ask_cpu(const struct result *result, struct set_answer *ret)
{
    return say(ret, result->host.cpu_model);
}

static bool ask_kernel(const struct result *result, struct set_answer *ret)
{
    return say(ret, result->host.kernel);
}

static bool ask_governor(const struct result *result, struct set_answer *ret)
{
    return say(ret, result->host.governor);
}

static bool ask_conditioned(const struct result *result, struct set_answer *ret)
{
    units_format_size_decimal(result->precondition.bytes_written, ret->text, sizeof(ret->text));
    ret->number = (double)result->precondition.bytes_written;
    return true;
}

static bool ask_age(const struct result *result, struct set_answer *ret)
{
    double seconds = result->precondition.idle_before_s;

    snprintf(ret->text, sizeof(ret->text), "%.0f s", seconds);
    ret->number = seconds;
    return isfinite(seconds) && seconds >= 0;
}

static bool ask_complete(const struct result *result, struct set_answer *ret)
{
    ret->broken = strcmp(result->run.ended, "complete") != 0;
    return say(ret, strcmp(result->run.ended, "running") == 0 ? "killed" : result->run.ended);
}

static bool say_count(struct set_answer *ret, double count)
{
    snprintf(ret->text, sizeof(ret->text), "%.0f", count);
    ret->number = count;
    ret->broken = count > 0;
    return true;
}

static bool ask_errors(const struct result *result, struct set_answer *ret)
{
    double errors = (double)result->aggregate.failed;

    for (uint32_t i = 0; i < result->aggregate.io_count; i++) {
        errors += (double)result->aggregate.ios[i].errors;
    }
    return say_count(ret, errors);
}

static bool ask_stamps(const struct result *result, struct set_answer *ret)
{
    return say_count(ret, (double)result->aggregate.integrity.stamp_errors) &&
           result->aggregate.integrity.checked;
}

static bool ask_consistency(const struct result *result, struct set_answer *ret)
{
    uint32_t broken, rules = result_rules(result, &broken);

    snprintf(ret->text, sizeof(ret->text), "%s", broken > 0 ? "broken" : "holds");
    ret->broken = broken > 0;
    return rules > 0;
}

static bool ask_little(const struct result *result, struct set_answer *ret)
{
    const struct result_audit *audit = &result->aggregate.audit;

    ret->broken = strcmp(audit->verdict, "inconsistent") == 0;
    return say(ret, audit->verdict);
}

static bool ask_steady(const struct result *result, struct set_answer *ret)
{
    const struct result_steady *steady = &result->aggregate.steady;

    ret->broken = !steady->reached;
    say(ret, steady->reached ? "steady" : "not steady");
    return steady->judged;
}

#define SAME(n, t, s, f, ...)                                                                      \
    {                                                                                              \
        .name = (n), .title = (t), .strict = (s), .ask = (f), __VA_ARGS__                          \
    }
#define HOLDS(n, t, f, ...)                                                                        \
    {                                                                                              \
        .name = (n), .title = (t), .strict = true, .invariant = true, .ask = (f), __VA_ARGS__      \
    }

/* RESULTS.md section 9, 1. What is near enough to be the same is ours. */
const struct set_question set_questions[] = {
    SAME("scenario", "scenario", true, ask_scenario),
    SAME("scale", "scale", true, ask_scale),
    SAME("sample", "sample", true, ask_sample, .share = 0.02),
    SAME("virtual_time", "time", true, ask_virtual),
    SAME("build_id", "build", true, ask_build),
    SAME("vms", "VMs", true, ask_vms),
    SAME("users", "users", true, ask_users),
    SAME("device_class", "device class", true, ask_class),
    SAME("model", "model", false, ask_model),
    SAME("serial", "serial", false, ask_serial),
    SAME("firmware", "firmware", false, ask_firmware),
    SAME("form_factor", "form factor", false, ask_form),
    SAME("capacity", "capacity", true, ask_capacity),
    SAME("lba_format", "LBA format", true, ask_lba_format),
    SAME("link", "link", true, ask_link),
    SAME("scheduler", "queue", true, ask_scheduler),
    SAME("server", "server", true, ask_server),
    SAME("host", "host", false, ask_host),
    SAME("cpu", "CPU", true, ask_cpu),
    SAME("kernel", "kernel", true, ask_kernel),
    SAME("governor", "governor", false, ask_governor),
    SAME("precondition_bytes", "preconditioned", true, ask_conditioned, .near = 1e6, .share = 0.05),
    SAME("precondition_age", "idle before", true, ask_age, .near = 60, .share = 0.2),
    SAME("start_temperature", "start temperature", true, ask_start, .near = 5),
    SAME("end_temperature", "end temperature", true, ask_end, .near = 10),
    HOLDS("complete", "runs", ask_complete),
    HOLDS("errors", "errors", ask_errors),
    HOLDS("stamp_errors", "stamp errors", ask_stamps),
    HOLDS("consistency", "consistency", ask_consistency),
    HOLDS("little", "Little's law", ask_little),
    HOLDS("steady_state", "steady state", ask_steady),
    HOLDS("throttle", "throttled", ask_throttle),
    HOLDS("interference", "interference", ask_interference),
};
const uint32_t set_question_count = sizeof(set_questions) / sizeof(set_questions[0]);
