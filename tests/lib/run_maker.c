#include "run_maker.h"

#include "base/mem.h"
#include "base/must.h"
#include "base/text.h"
#include "stats/hdr_log.h"
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FROM_S = 10 };

static void put(char *to, size_t size, const char *word)
{
    snprintf(to, size, "%s", word ? word : "");
}
#define PUT(field, word) put(field, sizeof(field), word)

static struct run_recipe filled(const struct run_recipe *recipe)
{
    struct run_recipe ret = *recipe;

    ret.tps = ret.tps > 0 ? ret.tps : 100;
    ret.users = ret.users > 0 ? ret.users : 4;
    ret.vms = ret.vms > 0 ? ret.vms : 1;
    ret.seconds = ret.seconds > 0 ? ret.seconds : 60;
    ret.tail = ret.tail > 0 ? ret.tail : 1;
    ret.held = ret.held > 0 ? ret.held : 1;
    ret.seed = ret.seed > 0 ? ret.seed : 1;
    ret.ended = ret.ended ? ret.ended : "complete";
    ret.label = ret.label ? ret.label : "";
    ret.model = ret.model ? ret.model : "D1";
    ret.serial = ret.serial ? ret.serial : "SERIAL0001";
    ret.firmware = ret.firmware ? ret.firmware : "1.0";
    ret.kernel = ret.kernel ? ret.kernel : "6.1.0";
    ret.form_factor = ret.form_factor ? ret.form_factor : "U.2";
    ret.scenario = ret.scenario ? ret.scenario : "points";
    ret.kind = ret.kind ? ret.kind : "point";
    return ret;
}

/* How many ended in that second: the rate, a little up and down, and in the end the rate exactly.
 */
static uint64_t count_of(const struct run_recipe *recipe, uint32_t second)
{
    double until = recipe->tps * (second + 1), from = recipe->tps * second;
    double wave = recipe->tps * 0.02;

    until += (second + 1) % 3 == 1 ? wave : 0;
    from += second % 3 == 1 ? wave : 0;
    return (uint64_t)(floor(until) - floor(from));
}

/* Times around users / tps whose mean is that. */
static void second_of(const struct run_recipe *recipe, uint32_t second, struct hist *ret)
{
    double mean_ns = recipe->users * recipe->held / recipe->tps * 1e9;
    uint64_t count = count_of(recipe, second);
    double slow = 0.02 * (recipe->tail - 1);

    hist_init(ret);
    for (uint64_t i = 0; i < count; i++) {
        double share = count > 1 ? (double)i / (double)(count - 1) : 0.5;
        double times = (0.5 + share) * (i % 50 == 49 ? recipe->tail : 1) / (1 + slow);

        hist_record(ret, (int64_t)(mean_ns * times));
    }
}

static void fill_vm(const struct run_recipe *recipe, uint32_t vms, struct result_vm *vm)
{
    struct hist *all = mem_zalloc(sizeof(*all)), *one = mem_zalloc(sizeof(*one));
    double least = INFINITY;

    PUT(vm->ended, recipe->ended);
    vm->users = recipe->users * vms;
    vm->sample_from_ns = (int64_t)FROM_S * 1000000000;
    vm->sample_until_ns = vm->sample_from_ns + (int64_t)recipe->seconds * 1000000000;
    for (uint32_t s = 0; s < recipe->seconds; s++) {
        second_of(recipe, s, one);
        least = fmin(least, (double)one->count);
        for (uint32_t v = 0; v < vms; v++) {
            hist_merge(all, one);
        }
    }
    vm->txn_count = 1;
    PUT(vm->txns[0].kind, recipe->kind);
    vm->txns[0].due = vm->txns[0].done = all->count;
    result_latency_of(&vm->txns[0].response, all);
    vm->response = vm->service = vm->txns[0].service = vm->txns[0].response;
    vm->tps_cv = 0.01;
    vm->worst_second_tps = least * vms;
    vm->io_count = 1;
    PUT(vm->ios[0].verb, "read");
    PUT(vm->ios[0].area, "data");
    vm->ios[0].count = all->count * 3;
    vm->ios[0].bytes = vm->ios[0].count * 8192;
    PUT(vm->steady.preset, "pts");
    mem_free(all);
    mem_free(one);
}

void run_maker_result(const struct run_recipe *given, const char *id, struct result *ret)
{
    struct run_recipe recipe = filled(given);
    struct error err;

    must(result_init(ret, recipe.vms, &err) == 0);
    PUT(ret->run.id, id);
    PUT(ret->run.tool, "rawtps");
    PUT(ret->run.version, "0.1.0");
    PUT(ret->run.build_id, "0123456789abcdef");
    PUT(ret->run.label, recipe.label);
    PUT(ret->run.ended, recipe.ended);
    snprintf(ret->run.started_utc, sizeof(ret->run.started_utc), "2026-01-01T%02u:%02u:00Z",
             recipe.minute / 60 % 24, recipe.minute % 60);
    ret->run.seed = recipe.seed;
    ret->run.virtual_time = recipe.virtual_time;
    ret->run.pair = recipe.pair;
    PUT(ret->scenario.name, recipe.scenario);
    PUT(ret->scenario.settings, recipe.settings);
    PUT(ret->scenario.sha256, "9f3cabcdef");
    PUT(ret->scenario.scale, "1");
    if (recipe.config_sum) {
        ret->scenario.config_count = 1;
        PUT(ret->scenario.configs[0].name, "small");
        PUT(ret->scenario.configs[0].sha256, recipe.config_sum);
        ret->scenario.configs[0].text = mem_strdup("");
    }
    ret->scenario.text = mem_strdup("");
    PUT(ret->host.hostname, "rig");
    PUT(ret->host.kernel, recipe.kernel);
    PUT(ret->host.cpu_model, "CPU");
    ret->drive_count = 1;
    PUT(ret->drives[0].kind, "nvme");
    PUT(ret->drives[0].model, recipe.model);
    PUT(ret->drives[0].model_sha256, recipe.model_sum ? recipe.model_sum : "");
    PUT(ret->drives[0].serial, recipe.serial);
    PUT(ret->drives[0].firmware, recipe.firmware);
    PUT(ret->drives[0].form_factor, recipe.form_factor);
    ret->drives[0].capacity_bytes = 3840755982336;
    ret->drives[0].link = recipe.link;
    if (recipe.celsius > 0) {
        ret->drives[0].health = (struct result_health){recipe.celsius,
                                                       recipe.celsius,
                                                       recipe.celsius,
                                                       recipe.celsius,
                                                       recipe.throttled_s,
                                                       0,
                                                       0};
    }
    ret->drives[0].logical_block_bytes = ret->drives[0].physical_block_bytes = 4096;
    for (uint32_t v = 0; v < recipe.vms; v++) {
        snprintf(ret->vms[v].name, sizeof(ret->vms[v].name), "vm%u", v);
        fill_vm(&recipe, 1, &ret->vms[v]);
    }
    fill_vm(&recipe, recipe.vms, &ret->aggregate);
    ret->vms[0].integrity.checked = ret->aggregate.integrity.checked = true;
    ret->vms[0].integrity.stamps_checked = ret->aggregate.integrity.stamps_checked = 1000;
    ret->vms[0].integrity.stamp_errors = ret->aggregate.integrity.stamp_errors =
        recipe.stamp_errors;
    result_derive(ret);
}

static void write_file(const char *dir, const char *name, const struct text *text)
{
    char path[600];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    file = fopen(path, "w");
    must(file && fwrite(text_string(text), 1, text->length, file) == text->length);
    must(fclose(file) == 0);
}

static void write_seconds(const struct run_recipe *recipe, const char *path)
{
    struct text rows = {0}, lines = {0};
    struct hist *one = mem_zalloc(sizeof(*one));
    struct hdr_log *log;
    struct error err;

    must(one && hdr_log_open(&log, &err) == 0);
    text_add(&rows, result_interval_header);
    hdr_log_header(&lines, 0);
    for (uint32_t s = 0; s < recipe->seconds; s++) {
        struct result_interval row = {.start_ns = (int64_t)(FROM_S + s) * 1000000000,
                                      .length_ns = 1000000000,
                                      .hit_ratio = NAN};
        char tag[32];

        PUT(row.phase, "sample");
        second_of(recipe, s, one);
        for (int32_t v = 0; v <= (int32_t)recipe->vms; v++) {
            uint64_t vms = v < (int32_t)recipe->vms ? 1 : recipe->vms;

            row.vm = v < (int32_t)recipe->vms ? v : -1;
            row.due = row.done = one->count * vms;
            row.tps = (double)row.done;
            row.mean_ns = hist_mean(one);
            row.read_bytes = row.done * 3 * 8192;
            result_interval_line(&row, &rows);
            if (row.vm >= 0) {
                snprintf(tag, sizeof(tag), "vm%d.point", v);
                hdr_log_line(log, &lines, tag, row.start_ns, row.length_ns, one);
            }
        }
    }
    write_file(path, "intervals.csv", &rows);
    write_file(path, "latency.hlog", &lines);
    hdr_log_close(log);
    mem_free(one);
    text_free(&rows);
    text_free(&lines);
}

void run_maker_dir(const struct run_recipe *given, const char *path)
{
    struct run_recipe recipe = filled(given);
    const char *id = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    struct text text = {0};
    struct result result;

    must(mkdir(path, 0777) == 0);
    run_maker_result(given, id, &result);
    result_write_json(&result, &text);
    write_file(path, "run.json", &text);
    text_free(&text);
    result_free(&result);
    if (!recipe.no_files) {
        write_seconds(&recipe, path);
    }
}

void run_maker_place(char ret[64])
{
    snprintf(ret, 64, "/tmp/rawtps-runs-XXXXXX");
    must(mkdtemp(ret) != NULL);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    return remove(path);
}

void run_maker_clear(const char *place)
{
    nftw(place, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
