#!/bin/bash
# The model is held against a live server: the same data, buffer, users and settings, figure by
# figure.
# limit: 180, must-run
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/servers.sh"
. "$ROOT/tests/lib/live_cases.sh"

# ratio QUANTITY: model / measured of a row of live.csv
ratio() {
    awk -F, -v q="$1" '$2 == q && $4 > 0 { print $3 / $4 }' live.csv
}

# near NAME QUANTITY LOW HIGH: so short a sample says only whether both count the same thing
near() {
    found=$(ratio "$2")
    ok "$kind: $1 (ratio ${found:-none})" awk -v x="$found" -v low="$3" -v high="$4" \
        'BEGIN { exit !(x != "" && x >= low && x <= high) }'
}

compared() {
    like "$kind: judged, and the exit code says how" "$code" '^[01]$'
    cp out live.csv
    like "$kind: a row a figure" "$out" '^live/.*,page reads,[0-9.]+,[0-9.]+,'
    near 'page reads are of one size' 'page reads' 0.2 5
    near 'log bytes are of one size' 'log bytes' 0.3 3
    near 'the model keeps pace' 'transactions a second (paced)' 0.8 1.25
    near 'reads by table have the same names' 'reads of stock' 0.1 10
    near 'and of the rows of orders' 'reads of customer' 0.1 10
    unlike "$kind: no table is unknown to the model" "$out" ',reads of [a-z_.]+,0,[1-9]'
    unlike "$kind: accounting holds" "$err" 'accounting'
    unlike "$kind: no password" "$out$err" secret
    rows=$(server_sql s 'SELECT count(*) FROM warehouse')
    is "$kind: the data are there yet" "$rows" 2
}

for kind in mysql postgresql; do
    live_start $kind
    no_database fidelity --measure
    no_tables fidelity --measure --for 5s
    run "$RAWTPS" load $scenario --target "$url" --warehouses 2 --no-check --quiet
    is "$kind: loaded" "$code" 0
    run "$RAWTPS" fidelity --measure --target "$url" --for 8s --seeds 1 --format csv
    compared
    if [ $kind = mysql ]; then
        bad_words fidelity --measure
        run "$RAWTPS" fidelity --target "$url"
        is 'a server without --measure: exit code' "$code" 2
        like 'what was meant' "$err" 'a server is measured with --measure'
        run "$RAWTPS" fidelity --measure $scenario again --target "$url"
        is 'two scenarios' "$code" 2
    fi
    gone fidelity --measure
    server_stop s
done
