#include "target/target_sql.h"

#include "base/mem.h"
#include "base/must.h"
#include "target_sql_link.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)SQL_TEXT_POSTGRES == (int)SQL_POSTGRES, "one order of dialects");
_Static_assert((int)SQL_TEXT_MARIADB == (int)SQL_MARIADB, "one order of dialects");
_Static_assert((int)SQL_TEXT_PARAMS <= (int)SQL_PARAMS, "a call holds a statement's parameters");

static struct target_sql *sql_of(const struct target *target)
{
    return (struct target_sql *)((char *)(uintptr_t)target - offsetof(struct target_sql, target));
}

/* The texts of a statement's parameters, packed one behind the other. */
static void bind_params(struct link_call *call, const struct op *op)
{
    const struct sql_text *text = call->text;
    uint32_t used = 0;

    for (uint32_t i = 0; i < text->param_count; i++) {
        const struct sql_text_param *param = &text->params[i];
        struct sql_value *value = &call->call.params[i];

        if (param->from == SQL_FROM_KEY) {
            *value = (struct sql_value){.kind = SQL_INT, .number = op->key[param->key]};
            continue;
        }
        *value = (struct sql_value){.kind = SQL_TEXT, .text = call->texts + used};
        value->bytes = sql_text_write(param, op, &call->link->memory, call->texts + used,
                                      SQL_TEXT_BYTES - used);
        used += value->bytes;
        must(used <= SQL_TEXT_BYTES);
    }
}

static void row(struct sql_call *sql_call, const struct sql_value *columns, uint32_t count)
{
    struct link_call *call = (struct link_call *)sql_call;
    const struct sql_text *text = call->text;

    if (call->any_row && !text->every_row) {
        return;
    }
    call->any_row = true;
    for (uint32_t i = 0; i < text->column_count && i < count; i++) {
        const struct sql_value *value = &columns[i];

        sql_text_read(text, i, value->kind == SQL_INT ? value->number : 0,
                      value->kind == SQL_TEXT ? value->text : NULL, value->bytes,
                      &call->link->memory, call->op);
    }
}

static void ask(struct link *link, struct op *op, bool ahead)
{
    struct target_sql *target = link->target;
    uint32_t id = sql_texts_of(target->settings.texts, op);
    struct link_call *call = link_call_new(link, ahead ? CALL_AHEAD : CALL_ASK);

    call->link = link;
    call->text = sql_texts_at(target->settings.texts, id);
    call->op = ahead ? &target->scratch : op;
    call->call.row = call->text->column_count > 0 ? row : NULL;
    bind_params(call, op);
    sql_text_begin(&link->memory, call->op);
    link->op = ahead ? NULL : op;
    link_send(link, call, &target->statements[id]);
}

static void roll_back(struct link *link)
{
    struct target_sql *target = link->target;
    struct link_call *call = link_call_new(link, CALL_ROLLBACK);

    call->text = target->rollback_text;
    call->op = &target->scratch;
    call->call.row = NULL;
    link_send(link, call, &target->statements[target->rollback_id]);
}

/* Ask, or if something sent ahead has failed by now, roll back. True: op is answered. */
static bool ask_or_roll_back(struct link *link, struct op *op)
{
    struct target_sql *target = link->target;
    const struct sql_text *text;
    bool ahead;

    if (link->outcome != OUTCOME_FINE || link->gone) {
        link->op = op;
        link->asked_ns = target->loop->now_ns;
        roll_back(link);
        return false;
    }
    link->in_txn = link->in_txn || op->verb == OP_BEGIN;
    text = sql_texts_at(target->settings.texts, sql_texts_of(target->settings.texts, op));
    ahead = target->settings.pipeline && link->in_txn && !text->needed &&
            link->flying + 2 < target->call_limit;
    if (!ahead) {
        link->asked_ns = target->loop->now_ns;
    }
    ask(link, op, ahead);
    if (ahead) {
        op->status = OP_OK;
        op->rows = 1;
    }
    return ahead;
}

/* Who waits longest gets the connection. Its first operation is sent. */
static void serve(struct target_sql *target, struct link *link)
{
    uint32_t number = target->wait_first;
    struct link_session *session = &target->sessions[number];
    struct op *op = session->op;
    int64_t waited_ns = target->loop->now_ns - session->since_ns;

    target->wait_first = session->next;
    target->waiting--;
    session->op = NULL;
    session->link = (uint32_t)(link - target->links);
    link->session = number;
    link->state = LINK_BUSY;
    target->busy++;
    target->counts.wait_ns += waited_ns;
    if (op->spent_ns) {
        op->spent_ns[SPENT_SESSION] += waited_ns;
    }
    if (ask_or_roll_back(link, op)) {
        op->done(op);
    }
}

void target_sql_ready(struct target_sql *target, struct link *link)
{
    if (target->waiting > 0 && !target->stopped) {
        serve(target, link);
        return;
    }
    link->state = LINK_IDLE;
    link->session = NO_SESSION_HERE;
    link->next_idle = target->idle;
    target->idle = (uint32_t)(link - target->links);
}

static void wait_in_line(struct target_sql *target, uint32_t number, struct op *op)
{
    struct link_session *session = &target->sessions[number];

    session->op = op;
    session->since_ns = target->loop->now_ns;
    if (target->waiting++ == 0) {
        target->wait_first = number;
    } else {
        target->sessions[target->wait_last].next = number;
    }
    target->wait_last = number;
    target->counts.waits++;
}

static bool target_begin(struct target *base, uint32_t number, struct op *op)
{
    struct target_sql *target = sql_of(base);
    struct link_session *session = &target->sessions[number];
    struct link *link;

    must(number < target->settings.sessions && session->op == NULL);
    if (session->link != NO_LINK) {
        return ask_or_roll_back(&target->links[session->link], op);
    }
    if (target->idle == NO_LINK || target->waiting > 0) {
        wait_in_line(target, number, op);
        return false;
    }
    link = &target->links[target->idle];
    target->idle = link->next_idle;
    link->session = number;
    link->state = LINK_BUSY;
    target->busy++;
    session->link = (uint32_t)(link - target->links);
    return ask_or_roll_back(link, op);
}

/* The transaction is over: its connection goes to the next one, and its user hears of it. */
static void release(struct link *link, struct op *op, enum op_status status)
{
    struct target_sql *target = link->target;
    struct link_session *session = &target->sessions[link->session];

    if (op->spent_ns) {
        op->spent_ns[SPENT_SERVER] += target->loop->now_ns - link->asked_ns;
    }
    op->status = (uint8_t)status;
    session->link = NO_LINK;
    link->session = NO_SESSION_HERE;
    link->op = NULL;
    link->in_txn = false;
    link->outcome = OUTCOME_FINE;
    target->busy--;
    if (link->gone) {
        link_lost(link);
    } else {
        target_sql_ready(target, link);
    }
    op->done(op);
}

static enum op_status status_of(const struct link *link)
{
    switch ((enum link_outcome)link->outcome) {
    case OUTCOME_RETRY:
        return OP_RETRY;
    case OUTCOME_SKIPPED:
        return OP_SKIPPED;
    case OUTCOME_FAILED:
        return OP_FAILED;
    case OUTCOME_FINE:
        break;
    }
    return OP_OK;
}

static bool is_ignored(const struct target_sql *target, const char *state)
{
    for (uint32_t i = 0; i < target->settings.ignore_count; i++) {
        if (strcmp(target->settings.ignore[i], state) == 0) {
            return true;
        }
    }
    return false;
}

/* The table of codes is for people: what does not fit any more goes to its last row. */
static void count_code(struct target_sql *target, const struct sql_call *call,
                       enum link_outcome outcome)
{
    struct target_sql_counts *counts = &target->counts;
    struct target_sql_code *code = counts->codes;
    uint32_t i = 0;

    while (i < counts->code_count && strcmp(code[i].state, call->state) != 0) {
        i++;
    }
    if (i == counts->code_count && i < TARGET_SQL_CODES) {
        counts->code_count++;
        snprintf(code[i].state, sizeof(code[i].state), "%s", call->state);
        snprintf(code[i].error, sizeof(code[i].error), "%s", call->error);
        code[i].retried = outcome == OUTCOME_RETRY;
        code[i].ignored = outcome == OUTCOME_SKIPPED;
    }
    code[i < TARGET_SQL_CODES ? i : TARGET_SQL_CODES - 1].count++;
    counts->retried += outcome == OUTCOME_RETRY;
    counts->skipped += outcome == OUTCOME_SKIPPED;
    counts->refused += outcome == OUTCOME_FAILED;
    target->deadlocks += strcmp(call->state, "40P01") == 0 || strcmp(call->state, "1213") == 0;
    target->lock_timeouts += strcmp(call->state, "55P03") == 0 || strcmp(call->state, "1205") == 0;
}

/* Nobody knows whether a commit that was under way then has come about. */
static bool ends_session(const char *state)
{
    static const char *const states[] = {"1053", "1317", "1927", "40003"};

    for (uint32_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
        if (strcmp(state, states[i]) == 0) {
            return true;
        }
    }
    return strncmp(state, "08", 2) == 0 || strncmp(state, "57P0", 4) == 0;
}

static bool commits(const struct link *link, const struct link_call *call)
{
    const struct catalog *catalog = sql_texts_catalog(link->target->settings.texts);
    uint8_t verb = catalog->statements[call->text->statement].verb;

    return verb == OP_COMMIT || (!link->in_txn && verb >= OP_UPDATE && verb <= OP_DELETE);
}

/* A procedure that rolls back by its own rules ends well, without a row. */
static bool rolled_itself_back(const struct target_sql *target, struct link_call *call)
{
    if (!call->text->whole || call->call.fate != SQL_REFUSED ||
        strcmp(call->call.state, sql_text_rolled_back[target->settings.url.dialect]) != 0) {
        return false;
    }
    call->call.rows = 0;
    call->call.fate = SQL_DONE;
    return true;
}

static enum link_outcome outcome_of(struct link *link, const struct link_call *call)
{
    struct target_sql *target = link->target;
    const struct sql_call *answer = &call->call;
    enum link_outcome outcome = answer->fate == SQL_RETRY ? OUTCOME_RETRY : OUTCOME_FAILED;

    if (answer->fate == SQL_DONE) {
        return OUTCOME_FINE;
    }
    if (answer->fate == SQL_GONE) {
        link->gone = true;
        target->counts.unknown += commits(link, call);
        return OUTCOME_FAILED;
    }
    if (call->text->duplicate_retries && strcmp(answer->state, "23505") == 0) {
        outcome = OUTCOME_RETRY;
    }
    if (is_ignored(target, answer->state)) {
        outcome = OUTCOME_SKIPPED;
    }
    target->counts.unknown += commits(link, call) && ends_session(answer->state);
    count_code(target, answer, outcome);
    return outcome;
}

static void count_statement(struct target_sql *target, const struct link_call *call)
{
    struct target_sql_statement *row_of = &target->by_statement[call->text->statement];
    int64_t took_ns = target->loop->now_ns - call->sent_ns;

    row_of->count++;
    row_of->errors += call->call.fate != SQL_DONE;
    row_of->empty += call->call.fate == SQL_DONE && call->call.rows == 0 && !call->text->utility;
    row_of->sum_ns += took_ns;
    row_of->max_ns = took_ns > row_of->max_ns ? took_ns : row_of->max_ns;
}

/* The operation that waits is answered: well, or (rolled back already) ill. */
static void answer(struct link *link, const struct link_call *call, bool rolled_back)
{
    struct target_sql *target = link->target;
    struct op *op = link->op;

    if (link->outcome != OUTCOME_FINE && link->in_txn && !link->gone && !rolled_back) {
        roll_back(link);
        return;
    }
    if (link->outcome == OUTCOME_FINE && !call->text->tells_rows) {
        op->rows = call->call.rows;
    }
    target->commits += link->outcome == OUTCOME_FINE && op->verb == OP_COMMIT;
    if (link->outcome != OUTCOME_FINE || !link->in_txn || op->verb == OP_COMMIT ||
        op->verb == OP_ROLLBACK) {
        release(link, op, status_of(link));
        return;
    }
    if (op->spent_ns) {
        op->spent_ns[SPENT_SERVER] += target->loop->now_ns - link->asked_ns;
    }
    op->status = OP_OK;
    link->op = NULL;
    op->done(op);
}

void target_sql_judge(struct link *link, struct link_call *call)
{
    if (rolled_itself_back(link->target, call)) {
        call->op->answer[0] = 0;
    }
    count_statement(link->target, call);
    if (call->purpose == CALL_ROLLBACK) {
        /* a server that will not roll back does so when the connection ends */
        link->gone = link->gone || call->call.fate != SQL_DONE;
        answer(link, call, true);
        return;
    }
    if (link->outcome == OUTCOME_FINE) {
        link->outcome = (uint8_t)outcome_of(link, call);
    } else {
        /* whatever comes after the first error follows from it */
        link->gone = link->gone || call->call.fate == SQL_GONE;
    }
    if (call->purpose == CALL_ASK) {
        answer(link, call, false);
    }
}

static void target_facts(const struct target *base, struct target_facts *ret)
{
    const struct target_sql *target = sql_of(base);

    *ret = (struct target_facts){.commits_waited = target->commits,
                                 .lock_timeouts = target->lock_timeouts,
                                 .deadlocks = target->deadlocks};
}

static uint32_t target_check(struct target *base, struct target_check *ret, uint32_t limit)
{
    const struct target_sql *target = sql_of(base);
    uint32_t flying = 0;

    if (limit == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < target->settings.connections; i++) {
        flying += target->links[i].flying;
    }
    *ret = (struct target_check){
        .name = "sql.calls_answered",
        .expected = (double)target->begun,
        .found = (double)(target->answered + flying),
        .passed = target->begun == target->answered + flying,
        .exit = EXIT_WANTING,
    };
    return 1;
}

static void target_warm(struct target *base, bool on)
{
}

static void target_stop(struct target *base)
{
    struct target_sql *target = sql_of(base);

    target->stopped = true;
    for (uint32_t i = 0; i < target->settings.connections; i++) {
        if (target->links[i].state == LINK_DOWN) {
            loop_disarm(target->loop, &target->links[i].timer);
        }
    }
}

void target_sql_close(struct target *base)
{
    struct target_sql *target = sql_of(base);

    target->stopped = target->closing = true;
    for (uint32_t i = 0; target->links && i < target->settings.connections; i++) {
        struct link *link = &target->links[i];

        loop_disarm(target->loop, &link->timer);
        target->ops->close(link->sql);
        link->sql = NULL;
    }
}

static void target_free(struct target *base)
{
    struct target_sql *target = sql_of(base);

    target_sql_close(base);
    mem_large_free(target->sessions, target->bytes_of[0]);
    mem_large_free(target->links, target->bytes_of[1]);
    mem_large_free(target->calls, target->bytes_of[2]);
    mem_free(target->by_statement);
    mem_free(target->statements);
    mem_free(target);
}

static const struct target_ops target_sql_ops = {
    .name = "sql",
    .begin = target_begin,
    .facts = target_facts,
    .check = target_check,
    .warm = target_warm,
    .stop = target_stop,
    .free = target_free,
};

void target_sql_init(struct target *target, uint32_t vm)
{
    target->ops = &target_sql_ops;
    target->vm = vm;
}
