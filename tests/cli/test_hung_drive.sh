#!/bin/bash
# A drive that does not answer: Ctrl-C says what is waited for and for how long, a second one ends
# the run at once, and the result says how it ended. The drive hangs by a library that keeps the
# ring's requests to itself while there is a file `hang`.
# limit: 120, not-sanitized
. "$ROOT/tests/lib/tap.sh"
needs gcc

cat >hang.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <liburing.h>
#include <time.h>
#include <unistd.h>

static int hangs(const struct __kernel_timespec *until)
{
    struct timespec wait = {0, 10000000};

    if (access("hang", F_OK) != 0) {
        return 0;
    }
    if (until) {
        wait = (struct timespec){until->tv_sec, until->tv_nsec};
    }
    nanosleep(&wait, NULL);
    return 1;
}

int io_uring_submit_and_wait_timeout(struct io_uring *ring, struct io_uring_cqe **cqe, unsigned n,
                                     struct __kernel_timespec *ts, sigset_t *mask)
{
    int (*real)(struct io_uring *, struct io_uring_cqe **, unsigned, struct __kernel_timespec *,
                sigset_t *) = dlsym(RTLD_NEXT, __func__);

    return hangs(ts) ? -ETIME : real(ring, cqe, n, ts, mask);
}

int io_uring_submit_and_wait(struct io_uring *ring, unsigned n)
{
    int (*real)(struct io_uring *, unsigned) = dlsym(RTLD_NEXT, __func__);

    return hangs(NULL) ? -ETIME : real(ring, n);
}

int io_uring_submit_and_get_events(struct io_uring *ring)
{
    int (*real)(struct io_uring *) = dlsym(RTLD_NEXT, __func__);

    return hangs(NULL) ? -ETIME : real(ring);
}
C
gcc -shared -fPIC -o hang.so hang.c -ldl 2>err || skip_all "no library: $(cat err)"

cat >bare.yaml <<'Y'
workload: {kind: block, outstanding: 4, read: 50%, size: 8KiB}
drive: {kind: uring, capacity: 64MiB}
phases: {precondition: 0s, sample: 1h, interval: 200ms}
Y

# begin OUT WORDS: a run is under way, until its stderr has the words; its pid is $pid
begin() {
    rm -f err
    LD_PRELOAD=$PWD/hang.so "$RAWTPS" run bare.yaml --drive scratch.img --interval 200ms \
        --out "$1" >out 2>err </dev/null &
    pid=$!
    until_said "$2" || skip_all "no run on a file here: $(cat err)"
}

until_said() {
    for _ in $(seq 100); do
        ! grep -q "$1" err || return 0
        kill -0 "$pid" 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}

end() {
    from=$(date +%s)
    code=0
    wait "$pid" 2>/dev/null || code=$?
    took=$(($(date +%s) - from))
    out=$(cat out) err=$(cat err)
}

# interrupted NAME: the result of that run says so, and what the program ended with
interrupted() {
    like "$1: run.json says how it ended" "$(cat "$1/run.json")" '"ended": ?"interrupted"'
    like "$1: and with which code" "$(cat "$1/run.json")" '"exit_code": ?130,?$'
    unlike "$1: not that it runs" "$(cat "$1/run.json")" '"ended": ?"running"'
}

begin sample 'sample'
sleep 0.5
touch hang
sleep 0.5
kill -INT "$pid"
ok 'the first one says what is waited for' until_said '^rawtps: waiting for 4 requests in flight'
like 'and for how long, and what to do' "$(cat err)" \
    '^rawtps: waiting for 4 requests in flight, (30|29) s more at most; once more does not wait$'
kill -INT "$pid"
end
is 'the second one: exit code' "$code" 130
ok "it ends at once, after $took s" test "$took" -le 3
is 'without a table' "$out" ''
like 'what is kept is said' "$err" '^rawtps: interrupted: the result is partial .*: sample$'
like 'a failed check says what it means' "$err" \
    '^rawtps: check failed: every request was answered \(vm0\): expected [0-9]+, found [0-9]+'
like 'so does a warning' "$err" '4 requests were in flight when the run was ended at once'
interrupted sample
rm hang

rm -f scratch.img
touch hang
begin fill 'fill'
kill -INT "$pid"
ok 'a fill that hangs says so too' until_said '^rawtps: waiting for [1-8] requests in flight'
kill -TERM "$pid"
end
is 'its second signal: exit code' "$code" 130
ok "it ends at once, after $took s" test "$took" -le 3
interrupted fill
rm hang

rm -f scratch.img
begin patient 'sample'
touch hang
sleep 0.5
kill -INT "$pid"
end
is 'who waits: exit code' "$code" 130
ok "it is over in time, after $took s" test "$took" -le 36
like 'the wait is said again' "$err" '^rawtps: waiting for 4 requests in flight, (20|19|18) s more'
like 'the drive is blamed' "$err" 'the drive did not answer 4 requests within 30 s after the run'
like 'the table is printed' "$out" '^Partial result: interrupted'
interrupted patient
