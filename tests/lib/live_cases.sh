# Cases of `calibrate` and `fidelity --measure`, which hold on both kinds of servers:
# `. "$ROOT/tests/lib/live_cases.sh"`, after tap.sh and servers.sh. Each function prints TAP.

. "$ROOT/tests/lib/dying.sh"

trap 'servers_end; tap_end' EXIT

# live_start KIND: a server s with two warehouses, as durable as it can be; sets $kind, $url,
# $scenario and $profile
live_start() {
    kind=$1
    case $kind in
    postgresql)
        scenario=tpcc-postgres profile=postgres
        server_start postgresql s shared_buffers=32MB full_page_writes=on
        ;;
    mysql)
        scenario=tpcc-mariadb profile=innodb
        server_start mysql s innodb_buffer_pool_size=32M innodb_lru_scan_depth=256 \
            innodb_doublewrite=1 innodb_flush_log_at_trx_commit=1 performance_schema=ON
        ;;
    esac
    url=$(server_get s url)
}

# no_database COMMAND...: a database that is not there
no_database() {
    run "$RAWTPS" "$@" --target "${url%/bench}/nothing_here"
    is "$kind: $1, no such database: exit code" "$code" 3
    like "$kind: $1, no such database: the server's words" "$err" 'nothing_here'
    is "$kind: $1, no such database: nothing else is printed" "$out" ''
}

# no_tables COMMAND...: an empty database, and one that another tool made
no_tables() {
    run "$RAWTPS" "$@" --target "$url"
    is "$kind: $1, no tables: exit code" "$code" 3
    like "$kind: $1, no tables: so it says" "$err" 'no tables that rawtps has loaded'
    like "$kind: $1, no tables: and what to do" "$err" 'rawtps load tpcc-'

    server_sql s 'CREATE TABLE sbtest1 (id int PRIMARY KEY, k int, c char(120), pad char(60))'
    run "$RAWTPS" "$@" sysbench-sql --set workload.tables=1 --set workload.rows=1000 --threads 1 \
        --target "$url"
    is "$kind: $1, another tool's table: exit code" "$code" 3
    like "$kind: $1, another tool's table: so it says" "$err" 'no tables that rawtps has loaded'
    is "$kind: $1, another tool's table is left alone" \
        "$(server_sql s 'SELECT count(*) FROM sbtest1')" 0
    server_sql s 'DROP TABLE sbtest1'
}

# bad_words COMMAND...: what cannot be meant
bad_words() {
    run "$RAWTPS" "$@"
    is "$1 without a server: exit code" "$code" 2
    like "$1 without a server: so it says" "$err" 'which server\? --target is missing'
    run "$RAWTPS" "$@" tpcc-1500-4vm --target "$url"
    is "$1, several VMs: exit code" "$code" 2
    like "$1, several VMs: what to do" "$err" 'set vms=1'
    run "$RAWTPS" "$@" tpcb-postgres --target "$url"
    is "$1, a workload without a model: exit code" "$code" 2
    run "$RAWTPS" "$@" "$scenario" --target 'fake://'
    is "$1, a fake server: exit code" "$code" 2
    run "$RAWTPS" "$@" "$scenario" --target "$url" --warehouses 3
    is "$1, another size than was loaded: exit code" "$code" 3
    like "$1, another size: both are named" "$err" 'has 2 warehouses, the scenario says 3'
}

# gone COMMAND...: the server dies while it is measured, and does not come back
gone() {
    while_dying "$@" --target "$url" --set target.patience=2s --for 60s
    is "$kind: $1, the server is gone: exit code" "$code" 3
    like "$kind: $1, the server is gone: so it says" "$err" 'the server has not been reached for'
    like "$kind: $1, the server is gone: which" "$err" '@[^ ]*/bench'
    is "$kind: $1, the server is gone: nothing else is printed" "$out" ''
    server_again s
}
