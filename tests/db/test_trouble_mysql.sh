#!/bin/bash
# Whatever is wrong with a server is said in one clear message, with its exit code (mysql).
# limit: 180, must-run
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/servers.sh"
kind=mysql
. "$ROOT/tests/lib/db_cases.sh"
. "$ROOT/tests/lib/db_trouble.sh"

case_trouble max_connections=100
