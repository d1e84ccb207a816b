/* rooms: base io. The loop hears of sockets: once or each time, and never after it was told not to.
 * must-run
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/drive_types.h"
#include "uring_rig.h"

enum { PAIRS = 300 };

struct ear {
    struct poll_wait wait;
    struct loop *loop;
    int other;
    uint32_t heard, bytes;
    bool ended;
    struct ear *closes; /* whom it closes when it hears */
};

static void ear_hear(struct poll_wait *wait)
{
    struct ear *ear = (struct ear *)wait;
    char buf[64];
    ssize_t n = recv(wait->fd, buf, sizeof(buf), MSG_DONTWAIT);

    ear->heard++;
    ear->bytes += n > 0 ? (uint32_t)n : 0;
    if (ear->closes) {
        loop_unpoll(ear->loop, &ear->closes->wait);
        ear->closes = NULL;
    }
}

static void ear_open(struct ear *ear, struct loop *loop, bool stays)
{
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    *ear = (struct ear){
        .wait = {.fd = pair[0], .events = POLLIN, .stays = stays}, .loop = loop, .other = pair[1]};
    ear->wait.ready = ear_hear;
    loop_poll(loop, &ear->wait);
}

static void ear_close(struct ear *ear)
{
    loop_unpoll(ear->loop, &ear->wait);
    close(ear->wait.fd);
    close(ear->other);
}

static void say(const struct ear *ear)
{
    assert_int_equal(write(ear->other, "x", 1), 1);
}

static void no_drive_open(struct loop *loop, uint32_t polls)
{
    struct uring_options options = {.polls = polls};
    struct error err = {0};

    if (loop_uring_open(loop, 8, &options, uring_rig_clock_ns(), &err) < 0) {
        fail_msg("%s (%s)", err.text, err.hint);
    }
    assert_true(loop_polls(loop));
}

static void turn(struct loop *loop)
{
    loop->in_flight++;                /* something is owed, so that the loop does not end at once */
    loop_run(loop, loop->now_ns + 1); /* opening took time: what is the time now? */
    loop_run(loop, loop->now_ns + 5000000);
    loop->in_flight--;
}

static void a_socket_is_heard_once_or_each_time(void **state)
{
    struct loop loop;
    struct ear once, stays;

    no_drive_open(&loop, 4);
    ear_open(&once, &loop, false);
    ear_open(&stays, &loop, true);
    assert_int_equal(loop.in_flight, 1);
    for (int i = 0; i < 3; i++) {
        say(&once);
        say(&stays);
        turn(&loop);
    }
    assert_int_equal(once.heard, 1);
    assert_int_equal(stays.heard, 3);
    assert_int_equal(stays.bytes, 3);
    assert_int_equal(loop.in_flight, 0);
    ear_close(&once);
    ear_close(&stays);
    loop_close(&loop);
}

static void a_closed_wait_is_not_called_though_its_event_is_there(void **state)
{
    struct loop loop;
    struct ear first, second, third;

    no_drive_open(&loop, 2);
    ear_open(&first, &loop, true);
    ear_open(&second, &loop, true);
    turn(&loop);
    first.closes = &second;
    second.closes = &first;
    say(&first);
    say(&second);
    turn(&loop);
    assert_int_equal(first.heard + second.heard, 1);
    /* and the place is another's at once */
    ear_open(&third, &loop, true);
    say(&third);
    turn(&loop);
    assert_int_equal(third.heard, 1);
    assert_int_equal(first.heard + second.heard, 1);
    ear_close(&first);
    ear_close(&second);
    ear_close(&third);
    loop_close(&loop);
}

static void hundreds_begin_at_once(void **state)
{
    static struct ear ears[PAIRS];
    struct loop loop;

    no_drive_open(&loop, PAIRS);
    for (int i = 0; i < PAIRS; i++) {
        ear_open(&ears[i], &loop, true);
    }
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < PAIRS; i++) {
            say(&ears[i]);
        }
        turn(&loop);
        for (int i = 0; i < PAIRS; i++) {
            assert_int_equal(ears[i].bytes, round);
        }
    }
    for (int i = 0; i < PAIRS; i++) {
        ear_close(&ears[i]);
    }
    loop_close(&loop);
}

static void a_lost_peer_is_heard(void **state)
{
    struct loop loop;
    struct ear ear;

    no_drive_open(&loop, 1);
    ear_open(&ear, &loop, true);
    turn(&loop);
    assert_int_equal(ear.heard, 0);
    shutdown(ear.other, SHUT_RDWR);
    turn(&loop);
    assert_true(ear.heard > 0);
    assert_true(ear.wait.revents & (POLLHUP | POLLIN));
    ear_close(&ear);
    loop_close(&loop);
}

/* ---- the loop reads and sends ---------------------------------------------------------------- */

static void ear_takes(struct poll_wait *wait)
{
    struct ear *ear = (struct ear *)wait;

    ear->heard++;
    if (!wait->reads) {
        return;
    }
    for (int32_t i = 0; i < wait->result; i++) {
        assert_int_equal((uint8_t)wait->data[i], (uint8_t)(ear->bytes++ * 7));
    }
    ear->ended = ear->ended || wait->result <= 0;
}

static void what_comes_is_read_in_order_to_the_end(void **state)
{
    struct loop loop;
    struct ear ears[2];
    static char data[2][100000];

    no_drive_open(&loop, 4);
    for (int i = 0; i < 2; i++) {
        ear_open(&ears[i], &loop, false);
        loop_unpoll(&loop, &ears[i].wait);
        ears[i].wait.stays = ears[i].wait.reads = true;
        ears[i].wait.ready = ear_takes;
        loop_poll(&loop, &ears[i].wait);
        if (!ears[i].wait.reads) {
            skip();
        }
        for (uint32_t b = 0; b < sizeof(data[i]); b++) {
            data[i][b] = (char)(b * 7);
        }
    }
    turn(&loop);
    for (uint32_t part = 0; part < 10; part++) { /* more than all buffers hold, over time */
        for (int i = 0; i < 2; i++) {
            loop_send(&loop, ears[i].other, data[i] + 10000 * part, 10000);
        }
        turn(&loop);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ears[i].bytes, sizeof(data[i]));
        assert_false(ears[i].ended);
        shutdown(ears[i].other, SHUT_WR);
    }
    turn(&loop);
    assert_true(ears[0].ended && ears[1].ended);
    ear_close(&ears[0]);
    ear_close(&ears[1]);
    loop_close(&loop);
}

static void more_than_the_buffers_hold_at_once_is_not_lost(void **state)
{
    static struct ear ears[PAIRS];
    static char data[20000];
    struct loop loop;
    uint32_t heard = 0;

    for (uint32_t b = 0; b < sizeof(data); b++) {
        data[b] = (char)(b * 7);
    }
    no_drive_open(&loop, PAIRS);
    for (int i = 0; i < PAIRS; i++) {
        ear_open(&ears[i], &loop, false);
        loop_unpoll(&loop, &ears[i].wait);
        ears[i].wait.stays = ears[i].wait.reads = true;
        ears[i].wait.ready = ear_takes;
        loop_poll(&loop, &ears[i].wait);
        if (!ears[i].wait.reads) {
            skip();
        }
        assert_int_equal(write(ears[i].other, data, sizeof(data)), sizeof(data));
    }
    for (int t = 0; t < 100 && heard < PAIRS; t++) {
        turn(&loop);
        heard = 0;
        for (int i = 0; i < PAIRS; i++) {
            heard += ears[i].bytes == sizeof(data);
        }
    }
    assert_int_equal(heard, PAIRS);
    for (int i = 0; i < PAIRS; i++) {
        ear_close(&ears[i]);
    }
    loop_close(&loop);
}

static void a_bad_socket_is_an_error_and_sockets_and_a_drive_share_a_loop(void **state)
{
    struct uring_rig rig;
    struct ear ear, bad = {.wait = {.fd = 9999, .events = POLLIN, .ready = ear_hear}};

    uring_rig_open(&rig, (struct uring_options){.polls = 8});
    ear_open(&ear, &rig.loop, true);
    loop_poll(&rig.loop, &bad.wait);
    uring_rig_walk(&rig, false);
    say(&ear);
    uring_rig_walk(&rig, true);
    assert_int_equal(ear.heard, 1);
    assert_int_equal(bad.heard, 1);
    assert_true(bad.wait.revents & POLLERR);
    ear_close(&ear);
    uring_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_socket_is_heard_once_or_each_time),
        cmocka_unit_test(a_closed_wait_is_not_called_though_its_event_is_there),
        cmocka_unit_test(hundreds_begin_at_once),
        cmocka_unit_test(a_lost_peer_is_heard),
        cmocka_unit_test(what_comes_is_read_in_order_to_the_end),
        cmocka_unit_test(more_than_the_buffers_hold_at_once_is_not_lost),
        cmocka_unit_test(a_bad_socket_is_an_error_and_sockets_and_a_drive_share_a_loop),
    };

    return cmocka_run_group_tests_name("uring_polls", tests, NULL, NULL);
}
