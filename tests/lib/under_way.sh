# Runs on a scratch file that something is done to while they are under way; beside tap.sh.

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
