# A small run to report on, and a hostile copy of it: `. "$ROOT/tests/lib/report_run.sh"` after
# tap.sh. Two VMs of Sysbench on a simulated drive, in virtual time.

report_run() { # DIR
    cat > small.yaml <<'Y'
vms: 2
vm: small
workload:
  kind: sysbench
  tables: 4
  rows: 100k
  threads: 8
database:
  profile: innodb
drive:
  kind: sim
  like: gen5-fast
phases:
  start: warm
  precondition: 3s
  sample: 20s
Y
    "$RAWTPS" run small.yaml --virtual --quiet --label 'first try' --out "$1" >/dev/null
}

# hostile FROM TO: every string that a drive, a host or a user may choose tries to get out
hostile() {
    mkdir -p "$2" && cp "$1"/* "$2"/
    python3 - "$2/run.json" <<'P'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    run = json.load(file)
evil = "<script>window.hostile=1</script><img src=x onerror='window.hostile=2'>\"'\u0001\u001b[31m"
run["run"]["label"] = "</script><script>hostile=3</script>\u2028"
run["run"]["command"] = ["rawtps", "run", evil, "--erase", "SERIAL-4711"]
run["scenario"]["name"] = "<!--<script>" + "a\"b'c"
run["drives"][0]["model"] = "<script>hostile=4"
run["drives"][0]["serial"] = "SERIAL-4711"
run["drives"][0]["firmware"] = "\"><svg onload=h()>"
run["drives"][0]["path"] = "/dev/disk/by-id/x_SERIAL-4711"
run["warnings"] = [evil, "drive SERIAL-4711 is warm"]
for vm, name in zip(run["vms"], ("</title><b>", "x\u0007y")):
    vm["name"] = name
for vm in run["vms"] + [run["aggregate"]]:
    vm["txns"][0]["kind"] = "</script><i>"
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(run, file)
P
}
