#!/bin/bash
# A load is exact, can be killed and called again, and leaves others' tables alone (postgresql).
# limit: 240, must-run
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/servers.sh"
kind=postgresql
. "$ROOT/tests/lib/db_cases.sh"

case_load
