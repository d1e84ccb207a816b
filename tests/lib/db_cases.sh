# Cases that hold on both kinds of servers: `. "$ROOT/tests/lib/db_cases.sh"`, after tap.sh and
# servers.sh, with $kind set to postgresql or mysql. Each function prints TAP.

trap 'servers_end; tap_end' EXIT

case $kind in
postgresql) scenario=tpcc-postgres ;;
mysql) scenario=tpcc-mariadb ;;
esac
sbtest='sysbench-sql --set workload.tables=4 --set workload.rows=10k'

# rows TABLE [WHERE]: how many
rows() {
    server_sql s "SELECT count(*) FROM $1 ${2-}"
}

# all_hold NAME: the rules of `check` hold, and none was left out
all_hold() {
    run "$RAWTPS" check $2 --target "$url"
    is "$1: every rule holds" "$code" 0
    like "$1: and so it says" "$out" "^$3 of $3 rules hold\$"
    unlike "$1: none is broken" "$out" '^BROKEN'
}

# ---- load --------------------------------------------------------------------------------------

case_load() {
    server_start "$kind" s
    url=$(server_get s url)

    "$RAWTPS" load $scenario --target "$url" --warehouses 2 --jobs 2 --interval 200ms \
        >out 2>err </dev/null &
    pid=$!
    for _ in $(seq 200); do
        parts=$(server_sql s 'SELECT count(*) FROM rawtps_load_part' 2>/dev/null)
        [ "${parts:-0}" -lt 4 ] || break
        sleep 0.05
    done
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    like 'progress has rate and ETA' "$(cat err)" 'rows [0-9.]+ %, .* of about .*/s, ETA '
    sleep 0.3 # for the server to see it
    before=$(server_sql s 'SELECT count(*) FROM rawtps_load_part')
    ok 'a load that was killed has kept parts' test "$before" -ge 4

    run "$RAWTPS" run $scenario --target "$url" --warehouses 2 --for 1s --out unfinished
    is 'a database that is not finished is not run' "$code" 3
    like 'and why' "$err" '^rawtps: .*the load of this database was broken off'

    run "$RAWTPS" load $scenario --target "$url" --warehouses 2 --jobs 2
    is 'the load goes on' "$code" 0
    like 'it says that it did' "$out" 'rows \(after about [0-9 ]+ of an earlier load\)'
    like 'it checks the data' "$out" '^20 of 20 rules hold$'
    is 'warehouses' "$(rows warehouse)" 2
    is 'districts' "$(rows district)" 20
    is 'customers' "$(rows customer)" 60000
    is 'history' "$(rows history)" 60000
    is 'orders' "$(rows orders)" 60000
    is 'new orders' "$(rows new_order)" 18000
    is 'stock' "$(rows stock)" 200000
    is 'items' "$(rows item)" 100000
    lines=$(rows order_line)
    ok 'lines are 600,000 within 1 %' test "$lines" -ge 594000 -a "$lines" -le 606000
    is 'lines are those of the orders' "$(server_sql s 'SELECT sum(o_ol_cnt) FROM orders')" "$lines"
    found=$(server_sql s 'SELECT count(DISTINCT c_last) FROM customer
        WHERE c_id <= 1000 AND c_d_id = 3 AND c_w_id = 2')
    is 'every name is there once in the first 1,000 customers' "$found" 1000
    found=$(server_sql s 'SELECT c_last FROM customer
        WHERE c_id = 372 AND c_d_id = 1 AND c_w_id = 1')
    is 'customer 372 is PRICALLYOUGHT' "$found" PRICALLYOUGHT

    run "$RAWTPS" load $scenario --target "$url" --warehouses 2 --no-check
    is 'a load that is complete is left alone' "$code" 0
    like 'and so it says' "$out" 'is loaded already: nothing to do'
    is 'nothing was added' "$(rows history)" 60000
    run "$RAWTPS" plan $scenario --target "$url" --warehouses 2 --set target.procedures=yes
    like 'stored procedures that are not there are missed beforehand' "$out" \
        '^ +refused +procedures: 0 of the 5 stored procedures are there'

    run "$RAWTPS" load $scenario --target "$url" --warehouses 3
    is 'another size is refused' "$code" 2
    like 'it says which' "$err" 'has 2 warehouses, the scenario says 3'
    like 'and what would help' "$err" '--replace bench'
    run "$RAWTPS" check $scenario --target "$url" --warehouses 3
    is 'and is not checked' "$code" 2
    like 'it says why' "$err" 'has 2 warehouses, the scenario says 3'
    like 'and how to check it' "$err" 'hint: name the size that is there: --warehouses'
    run "$RAWTPS" load $scenario --target "$url" --warehouses 2 --replace other
    is 'another name is no permission' "$code" 2
    is 'nothing was dropped' "$(rows warehouse)" 2
    run "$RAWTPS" load $sbtest --target "$url" --replace bench --no-check
    is 'the right name is' "$code" 0
    found=$(server_sql s "SELECT count(*) FROM information_schema.tables
        WHERE table_name = 'warehouse'")
    is 'the tables of the earlier workload are gone' "$found" 0
    is 'and the new ones there' "$(rows sbtest4)" 10000

    for change in "c = concat('x', substring(c from 2)) WHERE id = 7" \
        "pad = concat('-', substring(pad from 2)) WHERE id = 8" \
        'c = substring(c from 2) WHERE id = 9'; do
        server_sql s "UPDATE sbtest2 SET $change" >/dev/null
    done
    run "$RAWTPS" check $sbtest --target "$url"
    is 'texts that are no groups of digits are found' "$code" 4
    like 'by their rule' "$out" '^BROKEN sbtest.text '
    is 'all of them' "$(printf '%s\n' "$out" | grep -c '^ *2, [789], ')" 3

    server_sql s 'DROP TABLE rawtps_load' >/dev/null
    run "$RAWTPS" load $sbtest --target "$url"
    is "another tool's tables are refused" "$code" 2
    like 'it says which table' "$err" 'has a table sbtest[1-4] that rawtps did not make'

    # made by another user, who lets nobody look
    server_sql s 'CREATE TABLE warehouse (w_id INTEGER PRIMARY KEY)' >/dev/null
    for i in 1 2 3 4; do
        server_sql s "DROP TABLE sbtest$i" >/dev/null
    done
    server_sql s 'DROP TABLE rawtps_load_part' >/dev/null
    run "$RAWTPS" load $scenario --target "$url" --warehouses 1
    is "another user's tables are refused" "$code" 2
    like 'it says which table' "$err" 'has a table warehouse that rawtps did not make'
    is 'none is made beside them' "$(server_sql s "SELECT count(*) FROM information_schema.tables
        WHERE table_name IN ('district', 'rawtps_load')")" 0
}

# ---- check -------------------------------------------------------------------------------------

# breach RULES TABLE BREAKS MENDS WHERE: two lists of statements, and the rules that should see it
breach() {
    seen="$seen $1"
    echo "UPDATE $2 SET $3 WHERE $5" >>breaks
    echo "UPDATE $2 SET $4 WHERE $5" >>mends
}

breaches() {
    seen='3 5 11'
    echo 'DELETE FROM new_order WHERE no_d_id = 4 AND no_o_id = 2500' >breaks
    echo 'INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (1, 4, 2500)' >mends
    breach '1 8' warehouse 'w_ytd = w_ytd + 0.01' 'w_ytd = w_ytd - 0.01' 'w_id = 1'
    breach '4 6' orders 'o_ol_cnt = o_ol_cnt + 1' 'o_ol_cnt = o_ol_cnt - 1' \
        'o_d_id = 7 AND o_id = 9'
    breach 7 order_line 'ol_delivery_d = NULL' "ol_delivery_d = '2026-01-01'" \
        'ol_d_id = 2 AND ol_o_id = 5 AND ol_number = 1'
    breach '10 12' customer 'c_balance = c_balance + 1' 'c_balance = c_balance - 1' \
        'c_d_id = 1 AND c_id = 8'
    breach '2 R1' district 'd_next_o_id = 3002' 'd_next_o_id = 3001' 'd_id = 3'
    breach 9 district 'd_ytd = d_ytd + 1' 'd_ytd = d_ytd - 1' 'd_id = 8'
    breach R2 customer 'c_payment_cnt = 2' 'c_payment_cnt = 1' 'c_d_id = 1 AND c_id = 9'
    breach R4 customer 'c_delivery_cnt = 1' 'c_delivery_cnt = 0' 'c_d_id = 1 AND c_id = 9'
    breach R3 stock 's_ytd = 3' 's_ytd = 0' 's_i_id = 77'
    breach R5 stock 's_quantity = s_quantity + 200' 's_quantity = s_quantity - 200' 's_i_id = 78'
    breach R6 orders 'o_all_local = 0' 'o_all_local = 1' 'o_d_id = 7 AND o_id = 9'
}

# each_of FILE: the administrator runs every line of it
each_of() {
    while read -r sql; do
        server_sql s "$sql" >/dev/null </dev/null
    done <"$1"
}

case_check() {
    server_start "$kind" s
    url=$(server_get s url)

    run "$RAWTPS" check $scenario --target "$url" --warehouses 1
    is 'without tables there is nothing to check' "$code" 3
    like 'what to do then' "$err" 'rawtps load'
    run "$RAWTPS" load $scenario --target "$url" --warehouses 1
    is 'loaded' "$code" 0
    like 'and checked' "$out" '^20 of 20 rules hold$'

    breaches
    each_of breaks
    run "$RAWTPS" check $scenario --target "$url" --warehouses 1
    is 'broken: exit code' "$code" 4
    for rule in $seen; do
        like "tpcc.$rule sees it" "$out" "^BROKEN tpcc.$rule "
    done
    like 'a rule that is kept is kept' "$out" '^pass   tpcc.R8 '
    like 'the row is shown' "$out" '^ *1, 300000.01, 300000.00$'
    like 'and what its columns are' "$out" '1 row: w, w_ytd, sum of h_amount'
    like 'a row that is missing is found' "$out" '^ *1, 4, 2500, 1, 0$'

    each_of mends
    all_hold 'mended' "$scenario --warehouses 1" 20
}

# ran NAME: a run ended well; Little's law may not hold where the sample is so short
ran() {
    case $code:$(printf '%s\n' "$err" | grep 'check failed' | grep -v 'X (R + Z)') in
    0: | 1:) pass "$1" ;;
    *) fail "$1" "$(tap_shown)" ;;
    esac
}

# ---- run ---------------------------------------------------------------------------------------

# answered NAME DIR: every type has ended well, at least once
answered() {
    for type in new_order payment order_status delivery stock_level deferred; do
        like "$1: $type" "$out" "^ *$type +[1-9]"
    done
}

case_run() {
    server_start "$kind" s
    url=$(server_get s url)
    run "$RAWTPS" load $scenario --target "$url" --warehouses 2 --no-check \
        --set target.procedures=yes
    is 'loaded' "$code" 0

    run "$RAWTPS" plan $scenario --target "$url" --warehouses 2
    is 'plan asks the server' "$code" 0
    like 'it tells its version' "$out" '(PostgreSQL|MariaDB|MySQL) [0-9]'
    unlike 'and no password' "$out$err" secret

    set -- --warehouses 2 --set phases.precondition=0s --set workload.users=8 --connections 8
    run "$RAWTPS" run $scenario "$@" --target "$url" --for 20s --check --out plain
    ran 'run'
    answered 'run'
    like 'run: what was committed is there' "$(cat plain/run.json)" 'R1 orders grew by'
    like 'run: all rules hold after it' "$out" '^20 of 20 rules hold$'
    like 'run: pages are not ours to check' "$out" "^ integrity +pages are the server's own, 2 of 2"
    like 'run: statements are told apart' "$out" '^ *new_order\.stock_for_update +[1-9]'
    like 'run: the server is in the result' "$(cat plain/run.json)" \
        '"flavour": *"(PostgreSQL|MariaDB|MySQL)"'
    like 'run: and its settings' "$(cat plain/run.json)" \
        '"(synchronous_commit|innodb_flush_log_at_trx_commit)"'
    unlike 'no password anywhere' "$(cat out err plain/*)" secret

    # several loops, an open loop, fewer connections than users
    run "$RAWTPS" run $scenario "$@" --target "$url" --for 3s --set target.loops=2 \
        --set target.connections=4 --set workload.rate=200/s --out loops
    ran 'two loops, open loop'
    like 'two loops: all types' "$out" '^ *stock_level +[1-9]'

    # text statements and, where there is one, the pipeline; the check after the outage is of all
    run "$RAWTPS" run $scenario "$@" --target "$url" --for 2s --set target.prepared=no --out text
    ran 'text statements'
    run "$RAWTPS" run $scenario "$@" --target "$url" --for 2s --set target.procedures=yes \
        --out procedures
    ran 'procedures'
    like 'procedures: a transaction is one call' "$out" '^ *new_order\.call +[1-9]'
    if [ "$kind" = postgresql ]; then
        run "$RAWTPS" run $scenario "$@" --target "$url" --for 2s --set target.pipeline=yes \
            --out pipeline
        ran 'pipeline'
    fi
    case_outage "$@"
    case_sbtest
}

# connections are killed, then the server: the run goes on
case_outage() {
    [ "$kind" = mysql ] || server_sql s CHECKPOINT # so that it is soon up again
    "$RAWTPS" run $scenario "$@" --target "$url" --for 15s --check --interval 1s --out outage \
        >out 2>err </dev/null &
    pid=$!
    sleep 4
    case $kind in
    postgresql)
        server_sql s "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE usename = 'bench'" >/dev/null
        ;;
    mysql)
        for id in $(server_sql s "SELECT id FROM information_schema.processlist
            WHERE user = 'bench'"); do
            server_sql s "KILL $id"
        done 2>/dev/null
        ;;
    esac
    sleep 2
    server_kill s
    sleep 1
    server_again s
    code=0
    wait "$pid" || code=$?
    out=$(cat out) err=$(cat err)
    # what is held up as long as that may or may not keep N = X (R + Z) within its bounds
    like 'an outage: the run goes on to its end' "$code" '^[01]$'
    like 'it counts the connections' "$err$out" 'connections were lost, [0-9]+ made again'
    like 'and says that the server was started again' "$err$out" 'server was started again'
    like 'transactions ended after it' "$(tail -n 1 outage/intervals.csv)" '^([^,]*,){5}[1-9]'
    ended=$(grep -Eo '"ended": ?"[a-z]+"' outage/run.json | head -n 1 | tr -d ' ')
    is 'the result is complete' "$ended" '"ended":"complete"'
    like 'after the outage: every rule holds' "$out" '^20 of 20 rules hold$'
    unlike 'no commit that was answered is lost, none is there twice' "$err" 'R[12] .* grew by'
}

case_sbtest() {
    run "$RAWTPS" load $sbtest --target "$url" --replace bench
    is 'sbtest is loaded' "$code" 0
    run "$RAWTPS" run $sbtest --target "$url" --threads 8 --for 10s --set phases.precondition=0s \
        --check --out sbtest
    ran 'sbtest'
    like 'sbtest: all rules hold after it' "$out" '^5 of 5 rules hold$'
    # more sockets than the ring takes at once, when they are opened and when they are closed
    run "$RAWTPS" run $sbtest --target "$url" --threads 300 --for 3s --set phases.precondition=0s \
        --out crowd
    ran 'sbtest under 300 connections'
    server_sql s 'DELETE FROM sbtest2 WHERE id = 77' >/dev/null
    run "$RAWTPS" check $sbtest --target "$url"
    is 'a lost row: exit code' "$code" 4
    like 'it is named' "$out" '2, missing, 77'
}
