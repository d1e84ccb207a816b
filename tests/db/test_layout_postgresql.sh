#!/bin/bash
# Tables and indexes that `rawtps load` makes in PostgreSQL are as large as the model has them: a
# model of other sizes reads other numbers of pages.
# limit: 120, must-run
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/servers.sh"
trap 'servers_end; tap_end' EXIT

server_start postgresql s autovacuum=off maintenance_work_mem=64MB
url=$(server_get s url)

# TABLE pages, as rawtps plan says
planned() {
    "$RAWTPS" plan "$@" --virtual | awk '
        /^  table or index/ { on = 1; next }
        on && NF == 0 { exit }
        on { split($0, field, /  +/); gsub(/ /, "", field[4]); print field[2], field[4] }'
}

# close NAME FOUND MODEL MORE: within 2 % and so many pages: what is no leaf, and a page begun
close() {
    ok "$1: $2 pages, model $3" awk -v a="$2" -v b="$3" -v more="$4" \
        'BEGIN { d = a - b; exit !(b > 0 && (d < 0 ? -d : d) <= 0.02 * a + more) }'
}

# compare MODEL_NAME SERVER_NAME MORE
compare() {
    found=$(server_sql s "SELECT relpages FROM pg_class WHERE relname = '$2'")
    close "$2" "${found:-0}" "$(sed -n "s/^$1 //p" planned)" "$3"
}

run "$RAWTPS" load tpcc-postgres --warehouses 1 --set target.index_set=full --no-check --quiet \
    --target "$url"
is 'TPC-C is loaded' "$code" 0
planned tpcc-postgres --warehouses 1 --set database.index_set=full >planned
is 'the model has its tables and indexes' "$(wc -l <planned)" 21
compare customer customer 1
compare history history 1
compare orders orders 1
compare new_orders new_order 1
compare order_line order_line 1
compare stock stock 1
compare item item 1
# of an index, a page that describes it and inner ones besides
compare idx_customer customer_name 3
compare idx_orders orders_customer 3
compare fkey_order_line_2 order_line_stock 3
compare fkey_stock_2 stock_item 3
compare fkey_history_1 history_customer 3
compare fkey_history_2 history_district 3
compare customer_pkey customer_pkey 3
compare orders_pkey orders_pkey 3
compare new_orders_pkey new_order_pkey 3
compare order_line_pkey order_line_pkey 3
compare stock_pkey stock_pkey 3
compare item_pkey item_pkey 3

sbtest='sysbench-sql --set workload.tables=1 --set workload.rows=50000 --threads 1'
run "$RAWTPS" load $sbtest --replace bench --no-check --quiet --target "$url"
is 'sbtest is loaded' "$code" 0
planned $sbtest --set database.profile=postgres --set database.k_fill=pristine >planned
compare sbtest sbtest1 1
compare sbtest.k k_1 3
compare sbtest_pkey sbtest1_pkey 3
