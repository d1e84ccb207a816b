#include "draft.h"

#include "base/mem.h"
#include "base/text.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { CHOICES_MOST = 192 };

/* Where a section's values come from: the scenario's map first, then a file under it. */
struct origin {
    const struct item *map;
    uint64_t below;
    const char *below_name, *else_name;
};

static const char *origin_of(const struct origin *origin, const struct key *row, uint32_t index)
{
    const struct item *item = item_get(origin->map, row->name);

    if (item) {
        return item->given ? "command line" : "scenario";
    }
    return origin->below >> index & 1 ? origin->below_name : origin->else_name;
}

static void add_choice(struct plan *plan, const char *section, const struct key *row,
                       const void *record, const char *from)
{
    struct plan_choice *choice = &plan->choices[plan->choice_count];

    if (plan->choice_count == CHOICES_MOST) {
        return;
    }
    snprintf(choice->path, sizeof(choice->path), "%s%s%s", section, *section ? "." : "", row->name);
    key_format(row, record, choice->value, sizeof(choice->value));
    snprintf(choice->from, sizeof(choice->from), "%s", from);
    plan->choice_count += choice->value[0] != '\0';
}

/* A key that says nothing where it was not given: 0 stands for "none", if it is no value of its
 * own. */
static bool silent(const struct key *row, const void *record, const struct item *item)
{
    char value[80];

    if (item) {
        return item->kind != ITEM_SCALAR;
    }
    key_format(row, record, value, sizeof(value));
    return (row->type == KEY_RATE && strcmp(value, "0/s") == 0) ||
           (!row->or_zero && (row->type == KEY_SIZE || row->type == KEY_EXTENT) &&
            (strcmp(value, "0") == 0 || strcmp(value, "0%") == 0));
}

/* A key of another profile says nothing of this one. */
static bool foreign(enum section_id id, const struct key *row, const void *record)
{
    const struct model_settings *model = record;

    return id == SECTION_DATABASE && !key_is_for(row, model_profile_names[model->profile]);
}

static void add_section(struct plan *plan, const char *name, enum section_id id, const void *record,
                        const struct origin *origin)
{
    const struct section *section = section_of(id);

    for (uint32_t i = 0; i < section->count; i++) {
        const struct key *row = &section->rows[i];

        if (row->type != KEY_GROUP && strcmp(row->name, "about") != 0 &&
            !foreign(id, row, record) && !silent(row, record, item_get(origin->map, row->name))) {
            add_choice(plan, name, row, record, origin_of(origin, row, i));
        }
    }
}

static void add_workload(struct draft *draft, const struct item *root)
{
    static const enum section_id ids[] = {SECTION_TPCC, SECTION_SYSBENCH, SECTION_BLOCK,
                                          SECTION_TPCB};
    struct origin origin = {.map = item_get(root, "workload"), .else_name = "default"};

    add_section(draft->plan, "workload", ids[draft->scenario.workload.kind],
                &draft->scenario.workload, &origin);
}

/* Of the first VM; those of other configs may differ. */
static void add_database(struct draft *draft, const struct item *root)
{
    const struct draft_vm *vm = &draft->vms[0];
    struct origin origin = {.map = item_get(root, "database"),
                            .below = vm->given & ~vm->from_scenario,
                            .below_name = "VM config",
                            .else_name = "profile"};

    if (draft->scenario.workload.kind != PLAN_BLOCK && !draft->servers) {
        add_section(draft->plan, "database", SECTION_DATABASE, &draft->plan->vms[0].model, &origin);
    }
}

/* As it is used; the URL of the first VM, without its password. */
static void add_target(struct draft *draft, const struct item *root)
{
    struct plan *plan = draft->plan;
    struct origin origin = {.map = item_get(root, "target"), .else_name = "default"};
    uint32_t first = plan->choice_count;
    struct text url = {0};

    if (!draft->servers) {
        return;
    }
    draft->scenario.target.sql = plan->vms[0].sql;
    snprintf(draft->scenario.target.url, sizeof(draft->scenario.target.url), "-");
    add_section(plan, "target", SECTION_TARGET, &draft->scenario.target, &origin);
    sql_url_print(&plan->vms[0].sql.url, &url);
    for (uint32_t i = first; i < plan->choice_count; i++) {
        struct plan_choice *choice = &plan->choices[i];

        if (strcmp(choice->path, "target.url") == 0) {
            snprintf(choice->value, sizeof(choice->value), "%.71s", text_string(&url));
            if (draft->request->target || draft->request->server_count > 0) {
                snprintf(choice->from, sizeof(choice->from), "command line");
            }
        } else if (strcmp(choice->path, "target.connections") == 0 &&
                   plan->vms[0].sql.connections == 0) {
            snprintf(choice->value, sizeof(choice->value), "one a user");
        }
    }
    text_free(&url);
}

/* Only what belongs to the kind of drive. */
static void add_drive(struct draft *draft, const struct item *root)
{
    const struct section *section = section_of(SECTION_DRIVE);
    const struct scenario_drive *drive = &draft->scenario.drive;
    const struct key *dies = key_find(section->rows, section->count, "dies");
    const struct key *batch = key_find(section->rows, section->count, "batch");
    const struct item *map = item_get(root, "drive");
    struct origin origin = {.map = map, .else_name = "default"};
    bool sim = drive->kind == PLAN_DRIVE_SIM, real = drive->kind == PLAN_DRIVE_URING;

    for (uint32_t i = 0; i < section->count; i++) {
        const struct key *row = &section->rows[i];
        bool of_sim = row >= dies || strcmp(row->name, "like") == 0;
        bool of_real = (row >= batch && row < dies) || strcmp(row->name, "path") == 0 ||
                       strcmp(row->name, "stamps") == 0;
        bool of_null = strcmp(row->name, "latency") == 0;

        origin.else_name = row >= dies ? "drive model" : "default";
        if ((of_sim && !sim) || (of_real && !real) || (of_null && (sim || real)) ||
            silent(row, drive, item_get(map, row->name))) {
            continue;
        }
        add_choice(draft->plan, "drive", row, drive, origin_of(&origin, row, i));
    }
}

/* Values that follow from others. */
static void explain_origins(struct draft *draft, const struct item *root)
{
    const struct item *workload = item_get(root, "workload"),
                      *database = item_get(root, "database");
    struct plan *plan = draft->plan;

    for (uint32_t i = 0; i < plan->choice_count; i++) {
        struct plan_choice *choice = &plan->choices[i];
        const char *from = NULL;

        if (strcmp(choice->path, "workload.wait_factor") == 0 && item_get(workload, "cycle")) {
            from = "from cycle";
        } else if (strcmp(choice->path, "workload.cycle") == 0 && !item_get(workload, "cycle")) {
            from = "from wait_factor";
        } else if (strcmp(choice->path, "workload.arrivals") == 0 && item_get(workload, "rate") &&
                   !item_get(workload, "arrivals")) {
            from = "from rate";
        } else if (strcmp(choice->path, "database.growth") == 0 && !item_get(database, "growth")) {
            from = "expected";
        } else if (strcmp(choice->path, "database.buffer") == 0 && !item_get(database, "buffer")) {
            from = "VM config";
        }
        if (from) {
            snprintf(choice->from, sizeof(choice->from), "%s", from);
        }
    }
}

int draft_choices(struct draft *draft, struct error *err)
{
    const struct item *root = draft->scenario.yaml.root;
    struct plan *plan = draft->plan;
    struct origin top = {.map = root, .else_name = "default"};
    struct origin phases = {.map = item_get(root, "phases"), .else_name = "default"};

    plan->choices = mem_array(CHOICES_MOST, sizeof(*plan->choices));
    if (!plan->choices) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a plan");
    }
    add_section(plan, "", SECTION_TOP, &draft->scenario.top, &top);
    add_workload(draft, root);
    add_database(draft, root);
    add_target(draft, root);
    if (!draft->servers) {
        add_drive(draft, root);
    }
    add_section(plan, "phases", SECTION_PHASES, &draft->scenario.phases, &phases);
    explain_origins(draft, root);
    return 0;
}
