#include "args.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

/* What several options mean at once is the plan's to say: most are texts here. */
const struct key args_plan_rows[ARGS_PLAN_ROWS] = {
    {.name = "virtual",
     .type = KEY_FLAG,
     KEY_FIELD(struct args, virtual_time),
     .fallback = "",
     .help = "in virtual time, on the scenario's simulated drive: touches no drive"},
    {.name = "drive",
     .type = KEY_STRING,
     KEY_FIELD(struct args, drive),
     .fallback = "",
     .placeholder = "PATH",
     .letter = 'd',
     .help = "in real time, on this block device or file; a file that is not there is made"},
    {.name = "erase",
     .type = KEY_STRING,
     KEY_FIELD(struct args, erase),
     .fallback = "",
     .placeholder = "SERIAL",
     .help = "permits to overwrite the drive of exactly this serial number (a loop device: its "
             "backing file; a file: its path), and nothing else"},
    {.name = "expect-size",
     .type = KEY_SIZE,
     KEY_FIELD(struct args, expect_bytes),
     .fallback = "",
     .help = "refuse the drive unless it has this size"},
    {.name = "for",
     .type = KEY_STRING,
     KEY_FIELD(struct args, sample),
     .fallback = "",
     .placeholder = "TIME",
     .letter = 't',
     .help = "length of the sample; the scenario's preconditioning is shortened in the same "
             "proportion, one that --set sets is not"},
    {.name = "scale",
     .type = KEY_STRING,
     KEY_FIELD(struct args, scale),
     .fallback = "",
     .placeholder = "F",
     .letter = 's',
     .help = "shrink database, users, buffer and disks together, as 1/400, or to the largest that "
             "fits the drive: fit"},
    {.name = "set",
     .type = KEY_STRING,
     .fallback = "",
     .placeholder = "KEY=VALUE",
     .many = true,
     .help = "any key of the scenario, as drive.like=h3200-u2; may be given again"},
    {.name = "seed",
     .type = KEY_STRING,
     KEY_FIELD(struct args, seed),
     .fallback = "",
     .placeholder = "N",
     .help = "seed of everything that is drawn"},
};

const struct key args_server_rows[ARGS_SERVER_ROWS] = {
    {.name = "target",
     .type = KEY_STRING,
     KEY_FIELD(struct args, target),
     .fallback = "",
     .placeholder = "URL",
     .help = "ask this server: postgresql://user@host:port/database or mysql://...; a password in "
             "~/.pgpass, ~/.my.cnf, PGPASSWORD or MYSQL_PWD is not seen by others"},
    {.name = "vm",
     .type = KEY_STRING,
     .fallback = "",
     .placeholder = "NAME=URL",
     .many = true,
     .help = "the server of one VM of several; may be given again"},
    {.name = "warehouses",
     .type = KEY_STRING,
     KEY_FIELD(struct args, warehouses),
     .fallback = "",
     .placeholder = "N",
     .letter = 'w',
     .help = "workload.warehouses: the size of a TPC-C database"},
    {.name = "threads",
     .type = KEY_STRING,
     KEY_FIELD(struct args, threads),
     .fallback = "",
     .placeholder = "N",
     .help = "users of a VM: workload.threads of sysbench, else workload.users"},
    {.name = "connections",
     .type = KEY_STRING,
     KEY_FIELD(struct args, connections),
     .fallback = "",
     .placeholder = "N",
     .letter = 'c',
     .help = "target.connections: what the users of a VM share"},
};

void args_request(const struct args *args, const struct options *options, struct args_request *ret)
{
    ret->request = (struct plan_request){
        .scenario = options->word_count > 0 ? options->words[0] : NULL,
        .sets = ret->sets,
        .set_count = options_values(options, "set", ret->sets),
        .target = args->target,
        .servers = ret->servers,
        .server_count = options_values(options, "vm", ret->servers),
        .warehouses = args->warehouses,
        .threads = args->threads,
        .connections = args->connections,
        .virtual_time = args->virtual_time,
        .drive = args->drive,
        .erase = args->erase,
        .scale = args->scale,
        .sample = args->sample,
        .seed = args->seed,
        .expect_bytes = args->expect_bytes,
    };
}

int args_plan(const struct args *args, const struct options *options, struct plan **ret,
              struct error *err)
{
    struct args_request words;
    struct plan *plan;
    int rc;

    if (args->virtual_time && args->drive) {
        error_set(err, EXIT_USAGE, -EINVAL, "--virtual and --drive exclude each other");
        return error_hint(err, "--set drive.like=NAME chooses the simulated drive");
    }
    plan = mem_zalloc(sizeof(*plan));
    if (plan == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the plan");
    }
    args_request(args, options, &words);
    rc = plan_build(plan, &words.request, err);
    if (rc < 0) {
        mem_free(plan);
        return rc;
    }
    *ret = plan;
    return 0;
}

int args_plan_servers(const struct args *args, const struct options *options, struct plan **ret,
                      struct error *err)
{
    struct plan *plan;

    if (args_plan(args, options, &plan, err) < 0) {
        return err->code;
    }
    if (plan->drive != PLAN_DRIVE_NONE) {
        args_plan_free(plan);
        error_set(err, EXIT_USAGE, -EINVAL, "which server? --target is missing");
        return error_hint(err, "--target postgresql://user@host/database, or mysql://...");
    }
    *ret = plan;
    return 0;
}

void args_plan_free(struct plan *plan)
{
    plan_free(plan);
    mem_free(plan);
}
