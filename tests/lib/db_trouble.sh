# What a user does wrong, and what servers do: read it after db_cases.sh.
. "$ROOT/tests/lib/dying.sh"

# refused NAME CODE REGEX CMD...: one clear message, no password, this exit code
refused() {
    refused_name=$1 refused_code=$2 refused_like=$3
    shift 3
    run "$@"
    is "$refused_name: exit code" "$code" "$refused_code"
    like "$refused_name: the message" "$err" "$refused_like"
    is "$refused_name: one message" "$(printf '%s\n' "$err" |
        grep -E '^rawtps: ' | grep -Evc '^rawtps: (hint|warning): ')" 1
    unlike "$refused_name: no password" "$out$err" 'secret|WRONGPW'
}

# at USER:PASSWORD DATABASE: a URL of the server with those
at() {
    printf %s "$url" | sed "s|//[^@]*@|//$1@|; s|/bench\$|/$2|; s|/bench?|/$2?|"
}

case_trouble() {
    server_start "$kind" s "$@"
    url=$(server_get s url)
    tpcc="run $scenario --warehouses 1 --threads 4 --connections 4"
    tpcc="$tpcc --set phases.precondition=0s --set phases.sample=1s"
    many='--warehouses 1 --threads 300 --connections 300'

    refused 'no such server' 3 'rawtps: .*(refused|connect)' \
        "$RAWTPS" $tpcc --target "${url%%://*}://bench@127.0.0.1:1/bench"
    refused 'a wrong password' 3 'rawtps: .*(password|denied)' \
        "$RAWTPS" $tpcc --target "$(at bench:WRONGPW bench)"
    refused 'no such database' 3 'rawtps: .*([Dd]atabase|denied).*nowhere' \
        "$RAWTPS" $tpcc --target "$(at bench:secret nowhere)"
    refused 'no tables' 3 'rawtps: .*tables: 0 of 9 tables are there' \
        "$RAWTPS" $tpcc --target "$url"
    like 'what would help' "$err" 'rawtps load'
    refused 'a URL that is none' 2 'rawtps: --target' \
        "$RAWTPS" $tpcc --target db1
    refused 'no server at all' 2 'rawtps: which server' "$RAWTPS" load $scenario

    run "$RAWTPS" load $scenario --target "$url" --warehouses 1 --no-check
    is 'loaded' "$code" 0
    run "$RAWTPS" run $scenario --warehouses 10 --target "$url" --for 1s
    is 'the wrong scale: exit code' "$code" 3
    like 'the wrong scale: how many there are, how many are wanted' "$err" \
        'the database has 1 warehouses, the scenario says 10'
    refused 'too many connections' 3 'connections: 300 connections are wanted, [0-9]+ too many' \
        "$RAWTPS" run $scenario $many --target "$url" --for 1s
    like 'too many connections: how to mend it' "$err" 'max_connections to [0-9]+'
    run "$RAWTPS" plan $scenario $many --target "$url"
    is 'plan: the same' "$code" 3
    like 'plan: it says so' "$err$out" '300 connections are wanted, [0-9]+ too many'

    server_sql s 'ALTER TABLE rawtps_load RENAME TO others_load' >/dev/null
    refused "another tool's tables" 3 'schema: the tables were made by another tool' \
        "$RAWTPS" $tpcc --target "$url"
    server_sql s 'ALTER TABLE others_load RENAME TO rawtps_load' >/dev/null
    case_read_only
    case_goes_away
    [ "$kind" != mysql ] || case_stalls # one process, which can be held
    server_sql s 'DROP TABLE stock' >/dev/null
    refused 'a table is gone' 3 'tables: 8 of 9 tables are there' "$RAWTPS" $tpcc --target "$url"
    server_stop s
    case_disk_full
}

# who waits for a server when the sample ends is not missing from Little's law
case_stalls() {
    "$RAWTPS" run $scenario --warehouses 1 --threads 4 --target "$url" --for 6s --quiet \
        --set phases.precondition=0s --out stalled >out 2>err </dev/null &
    stalled=$!
    sleep 4
    kill -STOP "$(server_get s pid)"
    sleep 4
    kill -CONT "$(server_get s pid)"
    wait "$stalled"
    like 'a server that stalls until the end: users are under way' "$(cat out)" \
        '^ N = .* of 4, [0-9.]+ more under way when the sample ended.*: cut off$'
    unlike 'and none is missing' "$(cat err)" 'check failed: X \(R'
}

# a disk that is too small: nothing is half there, and with room the load goes on
case_disk_full() {
    server_start "$kind" s
    url=$(server_get s url)
    server_stop s
    full=$(server_get s dir)/data/$([ "$kind" = postgresql ] && echo base || echo bench)
    mv "$full" "$full.moved" && mkdir "$full"
    if ! mount -t tmpfs -o size=100m tmpfs "$full" 2>/dev/null; then
        rmdir "$full" && mv "$full.moved" "$full"
        skip 'a full disk' 'a small file system cannot be mounted here'
        return
    fi
    trap 'server_kill s; umount "$full"; servers_end; tap_end' EXIT
    cp -a "$full.moved/." "$full" && chown --reference="$full.moved" "$full"
    chmod --reference="$full.moved" "$full"
    server_again s
    refused 'a full disk' 3 'loading .*([Nn]o space left|is full)' \
        "$RAWTPS" load $scenario --warehouses 1 --target "$url"
    like 'what it says then' "$err" "hint: the server's disk is full; the load goes on from here"
    mount -o remount,size=900m "$full"
    run "$RAWTPS" load $scenario --warehouses 1 --target "$url"
    is 'with more room the load goes on' "$code" 0
    like 'and the data are whole' "$out" '^20 of 20 rules hold$'
    mount -o remount,size=$(($(du -sk "$full" | cut -f 1) + 1000))k "$full"
    run "$RAWTPS" $tpcc --target "$url" --set phases.sample=5s
    is 'a run on a full disk does not pass' "$code" 1
    like 'it says why' "$err" 'error [0-9A-Z]+, [0-9]+ times?.*([Nn]o space left|full)'
    server_kill s
    umount "$full"
    trap 'servers_end; tap_end' EXIT
}

case_read_only() {
    case $kind in
    postgresql) server_sql s 'ALTER ROLE bench SET default_transaction_read_only = 1' >/dev/null ;;
    mysql)
        # SUPER writes all the same: the user must not have it
        server_sql s "CREATE USER plain@localhost IDENTIFIED BY 'secret';
            GRANT SELECT, INSERT, UPDATE, DELETE ON bench.* TO plain@localhost;
            SET GLOBAL read_only = 1" >/dev/null
        ;;
    esac
    [ "$kind" = postgresql ] && reader=$url || reader=$(at plain:secret bench)
    refused 'a read-only server' 3 'read.only' "$RAWTPS" $tpcc --target "$reader"
    case $kind in
    postgresql) server_sql s 'ALTER ROLE bench SET default_transaction_read_only = 0' >/dev/null ;;
    mysql) server_sql s 'SET GLOBAL read_only = 0' >/dev/null ;;
    esac
}

# the server does not come back: the run ends after its patience, with what it has
case_goes_away() {
    while_dying $tpcc --set phases.sample=60s --set target.patience=2s --target "$url" --out away \
        --interval 1s
    is 'the server is gone for good: exit code' "$code" 3
    like 'the message' "$err" '^rawtps: .*the server has not been reached for'
    like 'the partial result is kept' "$(cat away/run.json)" '"ended": *"failed"'
    like 'and shown' "$out" '^Partial result: failed'
    like 'with what was measured' "$(cat away/intervals.csv)" '^([^,]*,){5}[1-9]'
    server_again s
}
