#!/bin/bash
# What the model must know of a server is measured, and a scenario takes the file that is made.
# limit: 180, must-run
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/servers.sh"
. "$ROOT/tests/lib/live_cases.sh"

# is_between NAME TEXT LOW HIGH: a decimal number within bounds
is_between() {
    ok "$1" awk -v x="$2" -v low="$3" -v high="$4" 'BEGIN { exit !(x + 0 >= low && x + 0 <= high) }'
}

bad_files() {
    : >there.yaml
    run "$RAWTPS" calibrate --target "$url" -o there.yaml
    is 'a file that is there: exit code' "$code" 2
    like 'it is named' "$err" 'there.yaml is there already'
    is 'and kept' "$(wc -c <there.yaml)" 0
    run "$RAWTPS" calibrate --target "$url" -o no/such/place.yaml
    is 'a file that cannot be made: exit code' "$code" 3
    like 'why' "$err" 'cannot make no/such/place.yaml: No such file'
    run "$RAWTPS" calibrate --target "$url" --for 1s -o short.yaml
    is 'a time that is too short' "$code" 2
}

interrupted() {
    "$RAWTPS" calibrate --target "$url" --for 60s -o late.yaml >out 2>err </dev/null &
    pid=$!
    sleep 2
    kill -INT "$pid"
    code=0
    wait "$pid" || code=$?
    is 'interrupted: exit code' "$code" 130
    not_ok 'interrupted: no file is left' test -e late.yaml
}

calibrated() { # the file of this kind of server
    file=$kind.yaml
    like "$kind: the profile" "$(cat "$file")" "^  profile: $profile\$"
    like "$kind: the buffer is the server's" "$(cat "$file")" '^  buffer: 32MiB +# '
    like "$kind: whose tables they are" "$(cat "$file")" '^  tpcc_tables: rawtps +# '
    like "$kind: commits wait for the log" "$(cat "$file")" '^  log_sync: '
    unlike "$kind: every value says how it was found" \
        "$(sed -n '/^vcpus/,$p' "$file" | grep -v 'profile:\|^database:')" '^[^#]*$'
    unlike "$kind: no password" "$(cat "$file" err)" secret
    like "$kind: CPU is that of the server's processes" "$(cat "$file")" \
        '^# CPU, .* a transaction: measured: .*/proc/'
    like "$kind: the flush of the log" "$(cat "$file")" '^# Flush of the log: [0-9.]+[mun]?s \('
    cpu=$(sed -n 's/^  cpu_statement: \([0-9.]*\)us .*/\1/p' "$file")
    is_between "$kind: CPU of a statement is possible" "$cpu" 2 5000
    # so short a run of PostgreSQL may end before its checkpoint: it has written next to nothing
    [ "$kind" != mysql ] ||
        like "$kind: what writes pages beside it is told apart" "$(cat "$file")" \
            '^  cpu_page_write: [0-9.]+[mu]s +# [0-9]+us a transaction'
    log=$(sed -n 's/.* \([0-9]*\) bytes of log.*/\1/p' "$file")
    is_between "$kind: log bytes a transaction are possible" "$log" 1000 200000
}

usable() {
    run "$RAWTPS" plan $scenario --virtual --warehouses 2 --set vm=$kind.yaml
    is "$kind: a scenario takes it" "$code" 0
    like "$kind: the buffer comes from it" "$out" 'database.buffer +32 ?MiB'
    run "$RAWTPS" run $scenario --virtual --warehouses 2 --threads 8 --for 2s --quiet \
        --set vm=$kind.yaml --out virtual-$kind
    like "$kind: and runs with it" "$code" '^[01]$'
    unlike "$kind: nothing of it is left out" "$(cat virtual-$kind/run.json)" 'are left out'
}

for kind in mysql postgresql; do
    live_start $kind
    no_database calibrate
    no_tables calibrate --for 5s
    run "$RAWTPS" calibrate $scenario --load --warehouses 2 --threads 4 --target "$url" --for 5s \
        -o $kind.yaml
    is "$kind: tables are loaded, and all is measured" "$code" 0
    calibrated
    usable
    if [ $kind = mysql ]; then
        like 'whether neighbours are written too, as the drive says' "$(cat mysql.yaml)" \
            '^  flush_neighbors: (yes|no) +# innodb_flush_neighbors is 1, and its drive is '
        bad_words calibrate
        bad_files
        run "$RAWTPS" calibrate --target "$(server_get s tcp_url)" --for 5s --quiet
        is 'without a scenario and a file: exit code' "$code" 0
        like 'it finds what was loaded' "$out" '^# Measured with TPC-C, 2 warehouses, 8 users'
        is 'quiet is quiet' "$err" ''
        # an address that does not say that it is this host's
        run "$RAWTPS" calibrate --for 5s --quiet \
            --target "$(server_get s tcp_url | sed 's/127\.0\.0\.1/0.0.0.0/')"
        is 'a server elsewhere: exit code' "$code" 0
        like 'its CPU is worked out from times, and it says so' "$out" \
            "^# CPU, .*: derived: one user's statements .*, since the server is on another host"
        like 'its cores are what it says' "$out" '^vcpus: .*thread_pool_size'
        unlike 'and no password' "$out" secret
        interrupted
    fi
    gone calibrate
    server_stop s
done
