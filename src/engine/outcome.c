#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/mem.h"
#include "base/units.h"
#include "host.h"
#include "outcome_vm.h"
#include "run_state.h"

static void copy_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from == NULL ? "" : from);
}

/* A phase that --for has cut short. */
static bool outcome_shorter(const struct plan *plan)
{
    for (uint32_t p = 0; p < plan->phase_count; p++) {
        if (plan->phases[p].requested_ns > plan->phases[p].length_ns) {
            return true;
        }
    }
    return false;
}

static void outcome_scenario(struct run *run)
{
    const struct plan *plan = run->plan;
    struct result *result = run->result;

    copy_text(result->scenario.name, sizeof(result->scenario.name), plan->name);
    copy_text(result->scenario.sha256, sizeof(result->scenario.sha256), plan->sha256);
    plan_settings(plan, result->scenario.settings, sizeof(result->scenario.settings));
    copy_text(result->scenario.basis, sizeof(result->scenario.basis), plan->basis);
    copy_text(result->scenario.scale, sizeof(result->scenario.scale), plan->scale_text);
    result->scenario.text = mem_strdup(plan->text);
    result->scenario.comparable = plan->scale == 1.0 && !outcome_shorter(plan);
    for (uint32_t i = 0; i < plan->config_count; i++) {
        copy_text(result->scenario.configs[i].name, sizeof(result->scenario.configs[i].name),
                  plan->configs[i].name);
        copy_text(result->scenario.configs[i].sha256, sizeof(result->scenario.configs[i].sha256),
                  plan->configs[i].sha256);
        result->scenario.configs[i].text = mem_strdup(plan->configs[i].text);
    }
    result->scenario.config_count = plan->config_count;
    for (uint32_t i = 0; i < plan->warning_count; i++) {
        result_warn(result, "%s", plan->warnings[i]);
    }
}

static void outcome_command(struct run *run)
{
    uint32_t count = run->options->command_count;

    run->result->run.command = mem_array(count > 0 ? count : 1, sizeof(char *));
    for (uint32_t i = 0; run->result->run.command != NULL && i < count; i++) {
        run->result->run.command[i] = mem_strdup(run->options->command[i]);
        run->result->run.command_count = i + 1;
    }
}

static void outcome_run(struct run *run)
{
    struct result *result = run->result;
    time_t seconds = (time_t)(run->started_unix_ms / 1000);
    struct tm utc;

    copy_text(result->run.id, sizeof(result->run.id), run->has_dir ? run->dir.id : run->plan->name);
    copy_text(result->run.tool, sizeof(result->run.tool), "rawtps");
    copy_text(result->run.version, sizeof(result->run.version), run->options->tool_version);
    copy_text(result->run.build_id, sizeof(result->run.build_id), run->options->build_id);
    copy_text(result->run.label, sizeof(result->run.label), run->options->label);
    if (run->options->pair != NULL) {
        result->run.pair = *run->options->pair;
    }
    copy_text(result->run.ended, sizeof(result->run.ended), "running");
    gmtime_r(&seconds, &utc);
    strftime(result->run.started_utc, sizeof(result->run.started_utc), "%Y-%m-%dT%H:%M:%SZ", &utc);
    result->run.started_ms = (uint32_t)(run->started_unix_ms % 1000);
    result->run.seed = run->plan->seed;
    result->run.virtual_time = run->plan->virtual_time;
    result->run.memory_bytes = run->plan->memory_bytes;
    outcome_command(run);
    host_facts(result);
}

static void outcome_drive(struct run *run)
{
    struct result_drive *drive = &run->result->drives[0];
    struct drive_facts facts = {0};
    struct world *world = &run->worlds[0];

    if (run->plan->drive == PLAN_DRIVE_NONE) {
        run_describe_servers(run);
        return;
    }
    run->result->drive_count = 1;
    if (run->place.open) {
        facts = run->place.guard.facts;
    } else if (world->bottom != NULL) {
        drive_facts(world->bottom, &facts);
    }
    copy_text(drive->kind, sizeof(drive->kind), facts.kind);
    copy_text(drive->path, sizeof(drive->path), facts.path);
    copy_text(drive->model, sizeof(drive->model), facts.model);
    copy_text(drive->serial, sizeof(drive->serial), facts.serial);
    copy_text(drive->firmware, sizeof(drive->firmware), facts.firmware);
    copy_text(drive->form_factor, sizeof(drive->form_factor),
              run->plan->form_factor[0] != '\0' ? run->plan->form_factor : facts.form_factor);
    copy_text(drive->how, sizeof(drive->how), world->how[0] != '\0' ? world->how : facts.how);
    copy_text(drive->flush, sizeof(drive->flush), facts.flush);
    copy_text(drive->queue, sizeof(drive->queue), facts.queue);
    drive->capacity_bytes = facts.capacity_bytes;
    drive->logical_block_bytes = facts.logical_block_bytes;
    drive->physical_block_bytes = facts.physical_block_bytes;
    drive->write_amplification = facts.write_amplification;
    drive->link = (struct result_link){facts.link.speed_gt_s, facts.link.most_gt_s,
                                       facts.link.lanes, facts.link.most_lanes};
    drive->numa_node = facts.numa_node[0] != '\0' ? strtod(facts.numa_node, NULL) : NAN;
}

/* What makes figures another drive's, or another day's. */
static void outcome_warn_link(struct run *run)
{
    const struct result_link *link = &run->result->drives[0].link;
    char words[64];

    if (run->result->drive_count > 0 && result_link_degraded(link)) {
        result_warn(run->result, "the drive's link is below its best: %s",
                    result_link_say(link, words, sizeof(words)));
    }
}

static void outcome_warn_heat(struct run *run)
{
    const struct result_health *health = &run->result->drives[0].health;
    char most[32] = "";

    if (run->result->drive_count == 0 || !(result_throttled_s(health) > 0)) {
        return;
    }
    if (!isnan(health->temperature_max_c)) {
        snprintf(most, sizeof(most), " (at most %.0f °C)", health->temperature_max_c);
    }
    if (health->throttled_s > 0) {
        result_warn(run->result, "the drive was too hot and slowed down for %.0f s of the sample%s",
                    fmax(1, health->throttled_s), most);
    } else {
        result_warn(run->result,
                    "the drive was at or above its own limits of temperature for %.0f "
                    "minutes of the sample%s",
                    health->warning_temp_minutes + health->critical_temp_minutes, most);
    }
}

static void outcome_warn_host(struct run *run)
{
    const struct result_interference *host = &run->result->host.interference;

    if (host->throttled_periods > 0) {
        result_warn(run->result,
                    "the host, not the drive, may have set these figures: the control group's CPU "
                    "limit held rawtps up in %.0f of %.0f periods",
                    host->throttled_periods, host->periods);
    } else if (result_interfered(host)) {
        result_warn(run->result,
                    "the host, not the drive, may have set these figures: of the time that its "
                    "threads were ready to run they waited %.0f%% for a CPU%s",
                    host->run_delay_share * 100,
                    host->steal_share > 0.02 ? " (the hypervisor takes part of them)" : "");
    }
}

void outcome_early(struct run *run)
{
    outcome_scenario(run);
    outcome_run(run);
    if (run->plan->drive != PLAN_DRIVE_NONE) { /* servers are described once they are asked */
        outcome_drive(run);
    }
    if (run->plan->drive == PLAN_DRIVE_SIM) {
        copy_text(run->result->drives[0].kind, sizeof(run->result->drives[0].kind), "sim");
        copy_text(run->result->drives[0].path, sizeof(run->result->drives[0].path),
                  run->plan->sim.name);
        copy_text(run->result->drives[0].model, sizeof(run->result->drives[0].model),
                  run->plan->sim.model);
        copy_text(run->result->drives[0].model_sha256, sizeof(run->result->drives[0].model_sha256),
                  run->plan->drive_sha256);
        run->result->drives[0].capacity_bytes = run->plan->drive_capacity_bytes;
    }
    for (uint32_t i = 0; i < run->plan->vm_count; i++) {
        outcome_vm_begin(run, i);
    }
    run->result->run.exit_code = result_exit_code(run->result);
}

void outcome_void(struct run *run, const struct error *err)
{
    struct result *result = run->result;

    copy_text(result->run.ended, sizeof(result->run.ended), run->place.cut ? "void" : "failed");
    error_format(err, result->run.error, sizeof(result->run.error));
    for (uint32_t i = 0; i < run->plan->vm_count; i++) {
        copy_text(result->vms[i].ended, sizeof(result->vms[i].ended), result->run.ended);
    }
    result->run.exit_code = err->exit; /* as the program ends */
}

static void outcome_warn_log(struct run *run)
{
    uint32_t least = run->place.open ? run->place.guard.facts.dio_align_bytes : 0;
    char has[UNITS_TEXT], asked[UNITS_TEXT];

    for (uint32_t i = 0; i < run->plan->vm_count; i++) {
        const struct plan_vm *vm = &run->plan->vms[i];

        if (vm->target == PLAN_MODEL && vm->model.log_block_bytes < least) {
            result_warn(run->result,
                        "the drive takes multiples of %s: so large are the log's blocks, not %s "
                        "(database.log_block)",
                        units_format_size_exact(least, has, sizeof(has)),
                        units_format_size_exact(vm->model.log_block_bytes, asked, sizeof(asked)));
            return;
        }
    }
}

void outcome_begin(struct run *run)
{
    outcome_drive(run);
    outcome_warn_link(run);
    outcome_warn_log(run);
    if (run->place.filled) {
        result_warn(run->result,
                    "the drive was filled by an earlier run for this layout: not filled "
                    "again (phases.fill: yes does)%s",
                    run->plan->stamps ? "; pages are judged from their first write in this run on"
                                      : "");
    }
}

static const char *rule_name(enum plan_rule rule)
{
    static const char *const names[] = {"fixed", "amount", "until_steady", "done"};

    return names[rule];
}

static void outcome_phases(struct run *run)
{
    struct result *result = run->result;
    const struct world *world = &run->worlds[0];

    result->phase_count = run->plan->phase_count;
    for (uint32_t p = 0; p < run->plan->phase_count; p++) {
        const struct plan_phase *phase = &run->plan->phases[p];
        struct result_phase *ret = &result->phases[p];

        copy_text(ret->name, sizeof(ret->name), phase->name);
        copy_text(ret->rule, sizeof(ret->rule), rule_name(phase->rule));
        ret->from_ns = world->phase_from_ns[p];
        ret->until_ns = world->phase_until_ns[p];
        ret->bytes_written = run->phase_bytes[p];
        ret->requested_ns = phase->requested_ns > 0 ? phase->requested_ns : phase->length_ns;
    }
}

static void outcome_precondition(struct run *run)
{
    struct result *result = run->result;
    uint64_t capacity = result->drives[0].capacity_bytes, sampled = 0;

    for (uint32_t i = 0; i < run->plan->vm_count; i++) {
        const struct record *sample = &run->totals[i].sample;

        sampled += sample->ios[IO_WRITE * IO_AREAS + IO_DATA].bytes +
                   sample->ios[IO_WRITE * IO_AREAS + IO_LOG].bytes;
    }
    result->precondition.bytes_written = run->written_bytes - sampled;
    result->precondition.capacity_share =
        capacity > 0 ? (double)result->precondition.bytes_written / (double)capacity : 0;
}

static void outcome_cost(struct run *run)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    run->result->run.wall_ns = run_wall_ns() - run->wall_start_ns;
    run->result->run.cpu_ns =
        ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
        ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
    run->result->run.peak_memory_bytes = (uint64_t)usage.ru_maxrss * 1024;
}

void outcome_update(struct run *run)
{
    outcome_phases(run);
    outcome_precondition(run);
    for (uint32_t i = 0; i < run->plan->vm_count; i++) {
        outcome_vm(run, i);
    }
    outcome_aggregate(run);
    health_tell(&run->health, &run->result->drives[0]);
    interference_tell(run);
    outcome_cost(run);
    result_derive(run->result);
}

static const char *ended_word(const struct run *run)
{
    if (run->place.cut) {
        return "void";
    }
    for (uint32_t w = 0; w < run->world_count; w++) {
        const struct world *world = &run->worlds[w];

        for (uint32_t i = 0; i < world->vm_count; i++) {
            if (world->vms[i] != NULL && world->vms[i]->lost) {
                return "void";
            }
        }
    }
    for (uint32_t w = 0; w < run->world_count; w++) {
        if (run->worlds[w].failed) {
            return "failed";
        }
    }
    for (uint32_t w = 0; w < run->world_count; w++) {
        if (run->worlds[w].interrupted) {
            return "interrupted";
        }
    }
    return shared_hurried(&run->shared) ? "interrupted" : "complete";
}

void outcome_files(struct run *run)
{
    if (run->has_dir) {
        run_dir_look(&run->dir);
    }
    if (run->has_dir && run->dir.failed) {
        result_warn(run->result, "results are incomplete: %s", run->dir.error.text);
        if (run->result->run.error[0] == '\0') {
            error_format(&run->dir.error, run->result->run.error, sizeof(run->result->run.error));
        }
        result_check(run->result, "files that could not be written", "run", 0, 1, 0, false,
                     EXIT_FAILED);
        run->result->run.exit_code = result_exit_code(run->result);
    }
}

/* Checks that count answers fail by these, and by nothing else. */
static void outcome_warn_unanswered(struct run *run)
{
    uint32_t unanswered = 0;

    for (uint32_t w = 0; w < run->world_count; w++) {
        const struct world *world = &run->worlds[w];

        unanswered += run->abandoned  ? atomic_load(&world->waiting)
                      : world->failed ? 0 /* its error says why */
                                      : world->unanswered;
    }
    if (unanswered > 0 && shared_hurried(&run->shared)) {
        result_warn(run->result,
                    "%u requests were in flight when the run was ended at once: nobody waited for "
                    "their answers, and checks that count answers fail",
                    unanswered);
    } else if (unanswered > 0) {
        result_warn(run->result,
                    "the drive did not answer %u requests within %d s after the run was to end: "
                    "look at the kernel's log (dmesg); checks that count answers fail",
                    unanswered, (int)(WORLD_DRAIN_NS / 1000000000));
    }
}

static void outcome_early_errors(struct run *run)
{
    if (run->early_errors > 0) {
        result_check(run->result, "I/O errors before the sample", "run", 0,
                     (double)run->early_errors, 0, false, EXIT_FAILED);
    }
}

static void outcome_warn_standstill(struct run *run)
{
    char stood[UNITS_TEXT];

    if (run->stood_ns > 0) {
        result_warn(
            run->result,
            "rawtps stood still for %s or more of the sample, stopped or without a CPU: figures "
            "are of the drive and of that",
            units_format_duration(run->stood_ns, stood, sizeof(stood)));
    }
}

static void outcome_warm_up(struct run *run)
{
    const struct result_steady *steady = &run->result->aggregate.steady;

    if (steady->judged && steady->warm_up_short_s > 0) {
        result_warn(run->result, "warm-up too short by %u s (MSER-5): a longer precondition",
                    steady->warm_up_short_s);
    }
}

void outcome_finish(struct run *run)
{
    struct result *result = run->result;

    copy_text(result->run.ended, sizeof(result->run.ended), ended_word(run));
    if (run->place.cut) {
        error_format(&run->place.error, result->run.error, sizeof(result->run.error));
        result_check(result, "what was written to the file is there", "run", 1, 0, 0, false,
                     EXIT_WRONG_DATA);
    }
    for (uint32_t w = 0; w < run->world_count; w++) {
        if (run->worlds[w].failed && result->run.error[0] == '\0') {
            error_format(&run->worlds[w].error, result->run.error, sizeof(result->run.error));
        }
    }
    outcome_drive(run);
    outcome_warn_unanswered(run);
    for (uint32_t i = 0; i < run->plan->vm_count; i++) {
        outcome_vm_finish(run, i);
        copy_text(result->vms[i].ended, sizeof(result->vms[i].ended), result->run.ended);
    }
    outcome_files(run);
    outcome_early_errors(run);
    outcome_update(run);
    outcome_warn_standstill(run);
    outcome_warm_up(run);
    outcome_warn_heat(run);
    outcome_warn_host(run);
}
