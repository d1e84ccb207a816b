#include "report/doc_gate.h"

#include <string.h>

#include "doc_gate_parts.h"

/* What is left out until the comment fits. */
struct shape {
    uint32_t rows, notes;
    bool details;
};

static const char *mark_of(enum gate_verdict verdict)
{
    static const char *const marks[GATE_VERDICTS] = {
        [GATE_PASS] = "\u2705", [GATE_SKIPPED] = "\u2705", [GATE_INCONCLUSIVE] = "\u2753",
        [GATE_FAIL] = "\u274c", [GATE_INVALID] = "\u26d4", [GATE_VOID] = "\u26d4"};

    return marks[verdict];
}

/* Render what `doc` holds, and empty it. */
static void add_part(struct doc *doc, struct text *ret)
{
    doc_markdown(doc, ret);
    ret->failed = ret->failed || doc->failed;
    doc_free(doc);
    doc_init(doc);
}

/* In a code span, where nothing but a back quote ends it; a reader's shell sees one line. */
static void add_code(struct text *ret, const char *string)
{
    for (; *string != '\0'; string++) {
        bool odd = (unsigned char)*string < ' ' || *string == '`' || *string == 0x7f;

        text_add_char(ret, odd ? '?' : *string);
    }
}

static void add_details(struct doc *doc, const struct gate *gate, struct text *ret)
{
    text_add(ret, "\n<details><summary>What must hold, and the runs</summary>\n\n");
    doc_gate_sides(doc, gate);
    doc_gate_checks(doc, gate, true);
    doc_gate_history(doc, gate);
    add_part(doc, ret);
    text_add(ret, "\n</details>\n");
}

static void add_comment(const struct gate *gate, const struct shape *shape, struct text *ret)
{
    struct doc doc;

    doc_init(&doc);
    text_addf(ret, "### %s %s: ", mark_of(gate->verdict), gate_verdict_names[gate->verdict]);
    doc_paragraph(&doc, "%s (gate %s)", gate->words, gate->file->name);
    add_part(&doc, ret);
    if (gate->next[0] != '\0') {
        text_add(ret, "\n**Next:** ");
        doc_paragraph(&doc, "%s", gate->next);
        add_part(&doc, ret);
    }
    text_add_char(ret, '\n');
    doc_gate_rows(&doc, gate, shape->rows);
    doc_gate_notes(&doc, gate, shape->notes);
    add_part(&doc, ret);
    if (shape->details) {
        add_details(&doc, gate, ret);
    }
    text_add(ret, "\nRepeat it by `rawtps gate ");
    add_code(ret, gate->file->path);
    text_add(ret, "`\n");
    doc_free(&doc);
}

void doc_gate_markdown(const struct gate *gate, struct text *ret)
{
    static const struct shape shapes[] = {
        {4096, 64, true}, {4096, 64, false}, {100, 20, false}, {30, 5, false}};
    size_t begin = ret->length;

    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        text_cut(ret, begin);
        add_comment(gate, &shapes[i], ret);
        if (ret->failed || ret->length - begin < DOC_GATE_MARKDOWN) {
            return;
        }
    }
}
