#!/bin/bash
# All transactions leave the data consistent, through lost connections and a crash too (mysql).
# limit: 240, must-run
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/servers.sh"
kind=mysql
. "$ROOT/tests/lib/db_cases.sh"

case_run
