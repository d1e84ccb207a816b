#include "result/result.h"

#include "base/mem.h"
#include "base/must.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const result_spent_names[RESULT_SPENT] = {"cpu", "lock",    "read",
                                                      "log", "session", "server"};

void result_interval_figures(struct result_interval *row, const struct hist *responses)
{
    row->tps = row->length_ns > 0 ? (double)row->done * 1e9 / (double)row->length_ns : 0;
    row->mean_ns = hist_mean(responses);
    row->stddev_ns = hist_stddev(responses);
    row->p50_ns = hist_quantile(responses, 0.5);
    row->p95_ns = hist_quantile(responses, 0.95);
    row->p99_ns = hist_quantile(responses, 0.99);
    row->p99_9_ns = hist_quantile(responses, 0.999);
    row->max_ns = responses->max_ns;
}

void result_latency_of(struct result_latency *ret, const struct hist *hist)
{
    *ret = (struct result_latency){
        .count = hist->count,
        .min_ns = hist->min_ns,
        .max_ns = hist->max_ns,
        .sum_ns = hist->sum_ns,
        .sumsq_ns2 = hist->sumsq_ns2,
        .mean_ns = hist_mean(hist),
        .stddev_ns = hist_stddev(hist),
        .p50_ns = hist_quantile(hist, 0.50),
        .p90_ns = hist_quantile(hist, 0.90),
        .p95_ns = hist_quantile(hist, 0.95),
        .p99_ns = hist_quantile(hist, 0.99),
        .p99_9_ns = hist_quantile(hist, 0.999),
        .p99_99_ns = hist_quantile(hist, 0.9999),
        .p99_999_ns = hist_quantile(hist, 0.99999),
    };
}

void result_latency_add(struct result_latency *into, const struct result_latency *from)
{
    struct hist moments = {0};

    if (from->count == 0) {
        return;
    }
    moments.count = into->count + from->count;
    moments.sum_ns = (int64_t)((uint64_t)into->sum_ns + (uint64_t)from->sum_ns);
    moments.sumsq_ns2 = into->sumsq_ns2 + from->sumsq_ns2;
    moments.min_ns = into->count == 0 || from->min_ns < into->min_ns ? from->min_ns : into->min_ns;
    moments.max_ns = from->max_ns > into->max_ns ? from->max_ns : into->max_ns;
    *into = (struct result_latency){
        .count = moments.count,
        .min_ns = moments.min_ns,
        .max_ns = moments.max_ns,
        .sum_ns = moments.sum_ns,
        .sumsq_ns2 = moments.sumsq_ns2,
        .mean_ns = hist_mean(&moments),
        .stddev_ns = hist_stddev(&moments),
    };
}

double result_fact(const struct result_vm *vm, const char *name)
{
    for (uint32_t i = 0; i < vm->fact_count; i++) {
        if (strcmp(vm->facts[i].name, name) == 0) {
            return vm->facts[i].value;
        }
    }
    return NAN;
}

void result_fact_set(struct result_vm *vm, const char *name, double value)
{
    uint32_t i = 0;

    must(strlen(name) < sizeof(vm->facts[0].name));
    while (i < vm->fact_count && strcmp(vm->facts[i].name, name) != 0) {
        i++;
    }
    must(i < RESULT_FACTS);
    if (i == vm->fact_count) {
        snprintf(vm->facts[i].name, sizeof(vm->facts[i].name), "%s", name);
        vm->fact_count++;
    }
    vm->facts[i].value = value;
}

int result_init(struct result *result, uint32_t vm_count, struct error *err)
{
    *result = (struct result){.schema_version = RESULT_SCHEMA_VERSION};
    result->vms = mem_array(vm_count, sizeof(*result->vms));
    result->checks = mem_array(RESULT_CHECKS, sizeof(*result->checks));
    result->warnings = mem_array(RESULT_WARNINGS, sizeof(*result->warnings));
    result->servers = mem_array(RESULT_SERVERS, sizeof(*result->servers));
    if (!result->vms || !result->checks || !result->warnings || !result->servers) {
        result_free(result);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the result of %u VMs", vm_count);
    }
    result->vm_count = vm_count;
    for (uint32_t i = 0; i < RESULT_DRIVES; i++) {
        result_health_forget(&result->drives[i]);
    }
    result_interference_forget(&result->host.interference);
    snprintf(result->aggregate.name, sizeof(result->aggregate.name), "all");
    return 0;
}

void result_free(struct result *result)
{
    for (uint32_t i = 0; i < result->run.command_count; i++) {
        mem_free(result->run.command[i]);
    }
    for (uint32_t i = 0; i < result->scenario.config_count; i++) {
        mem_free(result->scenario.configs[i].text);
    }
    mem_free(result->run.command);
    mem_free(result->scenario.text);
    mem_free(result->vms);
    mem_free(result->checks);
    mem_free(result->warnings);
    mem_free(result->servers);
    *result = (struct result){0};
}

void result_warn(struct result *result, const char *format, ...)
{
    uint32_t at = result->warning_count < RESULT_WARNINGS ? result->warning_count : 0;
    char line[sizeof(result->warnings[0])];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    for (uint32_t i = 0; i < result->warning_count; i++) {
        if (strcmp(result->warnings[i], line) == 0) {
            return;
        }
    }
    if (result->warning_count == RESULT_WARNINGS) {
        at = RESULT_WARNINGS - 1;
        snprintf(line, sizeof(line), "and more warnings: events.jsonl has them all");
    } else {
        result->warning_count++;
    }
    memcpy(result->warnings[at], line, sizeof(line));
}

uint32_t result_rules(const struct result *result, uint32_t *ret_broken)
{
    uint32_t rules = 0;

    *ret_broken = 0;
    for (uint32_t i = 0; i < result->check_count; i++) {
        const struct result_check *check = &result->checks[i];
        bool rule = check->exit == EXIT_WRONG_DATA && strcmp(check->name, "wrong pages") != 0;

        rules += rule;
        *ret_broken += rule && !check->passed;
    }
    return rules;
}

void result_check(struct result *result, const char *name, const char *scope, double expected,
                  double found, double tolerance, bool passed, enum exit_code exit)
{
    struct result_check *check;
    uint32_t i = 0;

    while (i < result->check_count && (strcmp(result->checks[i].name, name) != 0 ||
                                       strcmp(result->checks[i].scope, scope) != 0)) {
        i++;
    }
    if (i == RESULT_CHECKS) {
        result_warn(result, "more than %d checks: some that passed are not listed", RESULT_CHECKS);
        for (i = 0; i < RESULT_CHECKS && (passed || !result->checks[i].passed); i++) {
        }
        if (i == RESULT_CHECKS) {
            return;
        }
    }
    result->check_count += i == result->check_count;
    check = &result->checks[i];
    *check = (struct result_check){.expected = expected,
                                   .found = found,
                                   .tolerance = tolerance,
                                   .passed = passed,
                                   .exit = exit};
    must(strlen(name) < sizeof(check->name) && strlen(scope) < sizeof(check->scope));
    snprintf(check->name, sizeof(check->name), "%s", name);
    snprintf(check->scope, sizeof(check->scope), "%s", scope);
}
