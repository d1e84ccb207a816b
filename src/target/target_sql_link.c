#include "target_sql_link.h"

#include "base/must.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define BACKOFF_LAST_NS 5000000000ll
/* How soon a connection that must wait for others to be opened looks again. */
#define CROWD_NS 5000000ll

static struct link *link_of_timer(struct timer *timer)
{
    return (struct link *)((char *)timer - offsetof(struct link, timer));
}

static void link_up(struct link *link)
{
    struct target_sql *target = link->target;

    if (target->connected++ == 0 && target->started) {
        int64_t gap_ns = target->loop->now_ns - target->gap_since_ns;

        target->counts.longest_gap_ns =
            gap_ns > target->counts.longest_gap_ns ? gap_ns : target->counts.longest_gap_ns;
    }
    target->counts.reconnects += target->started;
    link->backoff_ns = LINK_BACKOFF_FIRST_NS;
    target_sql_ready(target, link);
}

static void link_back_off(struct link *link)
{
    int64_t wait_ns = link->backoff_ns;

    link->state = LINK_DOWN;
    link->backoff_ns = wait_ns * 2 > BACKOFF_LAST_NS ? BACKOFF_LAST_NS : wait_ns * 2;
    link_open_at(link, link->target->loop->now_ns + wait_ns);
}

static void link_down(struct target_sql *target)
{
    if (--target->connected == 0) {
        target->gap_since_ns = target->loop->now_ns;
    }
}

void link_lost(struct link *link)
{
    struct target_sql *target = link->target;

    must(link->flying == 0);
    target->counts.lost++;
    link_down(target);
    link_back_off(link);
}

/* The first connection that is refused ends the beginning; later ones are tried again. */
static void link_refused(struct link *link, const struct error *err)
{
    struct target_sql *target = link->target;

    if (!target->started && !target->failed) {
        target->failed = true;
        target->failure = *err;
        if (target->connected > 0) {
            error_wrap(&target->failure, "connection %u of %u", target->connected + 1,
                       target->settings.connections);
        }
    }
    link_back_off(link);
}

static void link_set_up(struct link *link)
{
    struct target_sql *target = link->target;

    if (target->settings.isolation == ISOLATION_DEFAULT) {
        link_up(link);
        return;
    }
    link->state = LINK_SETUP;
    link_send(link, link_call_new(link, CALL_SETUP), &target->statements[target->text_count]);
}

static void link_setup_answered(struct link *link, const struct sql_call *call)
{
    struct error err = {0};

    if (call->fate == SQL_DONE) {
        link_up(link);
        return;
    }
    error_set(&err, EXIT_FAILED, -5, "%s: %s",
              sql_isolation_names[link->target->settings.isolation],
              call->error[0] != '\0' ? call->error : "the connection was lost");
    link_refused(link, &err);
}

static void link_connected(void *context, struct sql *sql, const struct error *err)
{
    struct link *link = context;
    struct target_sql *target = link->target;

    target->opening--;
    if (target->closing) {
        return;
    }
    if (err) {
        link_refused(link, err);
        return;
    }
    link_set_up(link);
}

static void link_open(struct link *link)
{
    struct target_sql *target = link->target;
    struct error err = {0};
    struct sql *old = link->sql;

    if (target->stopped || (target->failed && !target->started)) {
        return;
    }
    if (target->opening >= LINK_OPENING) {
        link_open_at(link, target->loop->now_ns + CROWD_NS);
        return;
    }
    link->sql = NULL;
    link->gone = link->in_txn = false;
    link->outcome = OUTCOME_FINE;
    target->ops->close(old);
    target->opening++;
    link->state = LINK_OPENING_NOW;
    if (target->ops->connect(&link->sql, target->loop, &target->settings.url, &target->options,
                             link_connected, link, &err) < 0) {
        target->opening--;
        link_refused(link, &err);
    }
}

static void link_answered(struct link *link, struct link_call *call)
{
    struct target_sql *target = link->target;

    must(call == &link->calls[link->head] && link->flying > 0);
    link->head = (link->head + 1) % target->call_limit;
    link->flying--;
    target->answered++;
    if (target->closing) {
        return;
    }
    if (call->purpose == CALL_SETUP) {
        link_setup_answered(link, &call->call);
        return;
    }
    target_sql_judge(link, call);
}

/* Answers that came from inside begin(), in order. */
static void link_look(struct link *link)
{
    while (link->flying > 0 && link->calls[link->head].answered) {
        struct link_call *call = &link->calls[link->head];

        call->answered = false;
        link_answered(link, call);
    }
}

static void link_fire(struct timer *timer)
{
    struct link *link = link_of_timer(timer);

    if (link->state == LINK_DOWN) {
        link_open(link);
    } else {
        link_look(link);
    }
}

void link_open_at(struct link *link, int64_t due_ns)
{
    link->timer.fire = link_fire;
    loop_disarm(link->target->loop, &link->timer);
    if (!link->target->stopped) {
        loop_arm(link->target->loop, &link->timer, due_ns);
    }
}

struct link_call *link_call_new(struct link *link, enum link_purpose purpose)
{
    uint32_t limit = link->target->call_limit;
    struct link_call *call = &link->calls[(link->head + link->flying) % limit];

    must(link->flying < limit);
    link->flying++;
    call->purpose = (uint8_t)purpose;
    call->text = NULL;
    call->op = NULL;
    call->answered = call->any_row = false;
    return call;
}

static void link_done(struct sql_call *sql_call)
{
    struct link_call *call = (struct link_call *)sql_call;
    struct link *link = call->link;

    if (link->sending || (link->flying > 0 && link->calls[link->head].answered)) {
        call->answered = true;
        link->timer.fire = link_fire;
        if (!timer_armed(&link->timer)) {
            loop_arm(link->target->loop, &link->timer, link->target->loop->now_ns);
        }
        return;
    }
    link_answered(link, call);
}

void link_send(struct link *link, struct link_call *call, const struct sql_statement *statement)
{
    struct target_sql *target = link->target;
    bool outer = link->sending;

    call->link = link;
    call->sent_ns = target->loop->now_ns;
    call->call.statement = statement;
    call->call.done = link_done;
    call->call.fate = SQL_DONE;
    call->call.rows = 0;
    call->call.state[0] = call->call.error[0] = '\0';
    target->begun++;
    link->sending = true;
    target->ops->begin(link->sql, &call->call);
    link->sending = outer;
}
