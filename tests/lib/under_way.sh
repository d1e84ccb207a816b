# Runs on a scratch file that something is done to while they are under way; beside tap.sh.

# scratch_scenarios SAMPLE: model.yaml, a database, and bare.yaml, bare requests, with that sample
scratch_scenarios() {
    cat >model.yaml <<Y
workload: {kind: tpcc, warehouses: 1, users: 20, cycle: 100ms}
database: {profile: innodb, buffer: 16MiB}
drive: {kind: uring}
phases: {precondition: 0s, sample: $1}
Y
    cat >bare.yaml <<Y
workload: {kind: block, outstanding: 2, read: 50%, size: 8KiB, rate: 500/s}
drive: {kind: uring, capacity: 64MiB}
phases: {precondition: 0s, sample: $1, fill: yes}
Y
}

# begin FILE OUT SECOND: a run of a scenario on scratch.img, at that second of its sample when this
# returns; its pid is $pid
begin() {
    rm -rf err "$2"
    "$RAWTPS" run "$1" --drive scratch.img --interval 200ms --out "$2" >out 2>err </dev/null &
    pid=$!
    for _ in $(seq 200); do
        ! grep -q "^00:00:0$3 sample" err || return 0
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    cat err
    skip_all 'no run on a file here'
}

# it is over: $code, $out, $err
end() {
    code=0
    wait "$pid" 2>/dev/null || code=$?
    out=$(cat out) err=$(cat err)
}
