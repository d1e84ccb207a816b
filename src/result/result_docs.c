#include "result/schema.h"

#include "base/text.h"
#include "result_schema.h"
#include <stdio.h>
#include <string.h>

static const struct {
    enum exit_code exit;
    const char *meaning, *examples;
} exits[] = {
    {EXIT_FINE, "pass, fine", "the run is complete and its checks hold"},
    {EXIT_WANTING, "found wanting", "a check of a run failed, a published row contradicts itself"},
    {EXIT_USAGE, "wrong usage or scenario",
     "unknown option, bad YAML, unknown key, a result of another `schema_version`"},
    {EXIT_FAILED, "could not run, or the measurement failed",
     "permission, device missing, I/O failure, a VM lost, the run was killed"},
    {EXIT_WRONG_DATA, "data came back wrong",
     "a page stamp does not match, a consistency rule is broken; the run is void"},
    {EXIT_INCONCLUSIVE, "inconclusive", "more runs are needed"},
    {EXIT_INVALID, "invalid comparison", "not comparable, not steady"},
    {EXIT_INTERRUPTED, "interrupted", "partial results are kept and marked"},
};

static const char *type_of(const struct schema_key *key)
{
    static const char *const names[] = {
        [KEY_I64] = "int",       [KEY_U64] = "int",     [KEY_U32] = "int",
        [KEY_U128] = "str",      [KEY_NUM] = "num",     [KEY_BOOL] = "bool",
        [KEY_STR] = "str",       [KEY_TEXT] = "str",    [KEY_CONSTANT] = "str",
        [KEY_OBJECT] = "object", [KEY_LIST] = "array",  [KEY_ONE] = "array",
        [KEY_STRINGS] = "[str]", [KEY_LINES] = "[str]", [KEY_SIZES] = "object",
        [KEY_FACTS] = "object",
    };

    return names[key->type];
}

static void add_key(struct text *out, const struct schema_key *key)
{
    bool nullable = key->flags & KEY_UNKNOWN || key->type == KEY_NUM;
    const char *apart = key->help[0] != '\0' ? "; " : "";

    text_addf(out, "| `%s` | %s%s | %s", key->name, type_of(key), nullable ? " or null" : "",
              key->help);
    if (key->of) {
        text_addf(out, "%ssee %s", apart, key->of->name);
        apart = "; ";
    }
    if (key->type == KEY_CONSTANT) {
        text_addf(out, "%s`%s`", apart, key->constant);
        apart = "; ";
    }
    if (key->flags & KEY_REQUIRED) {
        text_addf(out, "%srequired", apart);
        apart = "; ";
    }
    if (key->flags & KEY_HERE) {
        text_addf(out, "%snot in the digest", apart);
    }
    text_add(out, " |\n");
}

void result_schema_exits(struct text *ret)
{
    text_add(ret, "## Exit codes\n\n| code | meaning | examples |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof(exits) / sizeof(exits[0]); i++) {
        text_addf(ret, "| %d | %s | %s |\n", (int)exits[i].exit, exits[i].meaning,
                  exits[i].examples);
    }
    text_add(ret, "\nIf several apply, the first of 2, 4, 130, 3, 6, 1, 5, 0 counts.\n\n");
}

static void add_files(struct text *out)
{
    const char *end = strchr(result_interval_header, '\n');

    text_add(
        out,
        "## The run directory\n\n"
        "`results/<UTC>-<scenario>-<shortid>/`; `results/LATEST` points to the last one.\n\n"
        "| file | content | how it is written |\n|---|---|---|\n"
        "| `run.json` | the keys below | every interval: temporary name, fsync, rename |\n"
        "| `intervals.csv` | a row an interval and VM, and one for all | appended, fsync every "
        "interval |\n"
        "| `latency.hlog` | HDR histogram log 1.3: a line an interval, VM and kind | appended, "
        "fsync every interval |\n"
        "| `events.jsonl` | an object an event | appended |\n"
        "| `stdout.log` | what was printed | appended |\n\n"
        "A crash loses at most the interval under way; readers drop a torn last line.\n"
        "Columns of `intervals.csv` (`vm` is a number or `all`; `due` counts what fell due in "
        "the interval; an empty `hit_ratio` is unknown; `pause_ns` is the keying and think time of "
        "what ended, all together, and what users spent on transactions that failed or were "
        "skipped):\n\n```\n");
    text_add_bytes(out, result_interval_header, (size_t)(end - result_interval_header));
    text_add(out, "\n```\n\n");
}

void result_schema_markdown(struct text *ret)
{
    text_add(ret, "# What a run leaves behind\n\n"
                  "Generated from the table in `src/result/result_schema.c`.\n\n");
    result_schema_exits(ret);
    add_files(ret);
    text_addf(
        ret,
        "## run.json, schema version %d\n\n"
        "`int` is a 64-bit integer (above 2^63 - 1 a decimal string), `num` a double. Instants "
        "and durations\nare `_ns` (instants since the start barrier), sizes `_bytes`, shares "
        "plain ratios, MB 10^6 bytes.\nUnknown is `null`, never 0. Adding a key keeps "
        "`schema_version`; readers pass over keys that they do\nnot know, and refuse another "
        "version. The digest is the SHA-256 of the document without the keys marked\n`not in "
        "the digest`: equal for equal runs in virtual time.\n",
        RESULT_SCHEMA_VERSION);
    for (uint32_t i = 0; i < SCHEMA_OBJECTS; i++) {
        const struct schema *schema = schema_objects[i];

        text_addf(ret, "\n### %s\n\n| key | type | content |\n|---|---|---|\n", schema->name);
        for (uint32_t j = 0; j < schema->key_count; j++) {
            add_key(ret, &schema->keys[j]);
        }
    }
}
