#!/bin/bash
# Every consistency rule finds the row that breaks it (mysql).
# limit: 240, must-run
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/servers.sh"
kind=mysql
. "$ROOT/tests/lib/db_cases.sh"

case_check
