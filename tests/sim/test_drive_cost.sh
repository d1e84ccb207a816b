#!/bin/sh
# slow, not-sanitized
# Instructions that a request costs on the drives of virtual time, loop included, 256 outstanding:
# a full-scale run does 200 million of them.
. "${ROOT:-.}/tests/lib/tap.sh"
. "${ROOT:-.}/tests/lib/cost.sh"

cost_build tests/bench/cost_drive
# costs NAME LIMIT
costs() { cost_is "$1" request "$2" 20000 60000; }

costs null 120
costs read 1200
costs write 900
costs mixed 950
costs stamp 14000
