#!/bin/sh
# A firmware that is 10 % slower is found, and the same firmware is never called slower: whole runs,
# judged by `rawtps gate`. Once on a simulated drive whose flash reads slower, and once on a loop
# device whose I/O the kernel's cgroup throttles. The machine's own speed is no drive's: it changes
# with whatever else runs. So old and new firmware are both limits of the cgroup, the new one 10 %
# lower, and the device behind them is faster than either.
# limit: 120, alone
. "$ROOT/tests/lib/tap.sh"

IOPS=1000
RUNS=5

cat > gate.yaml <<'Y'
version: 1
name: slow firmware
baseline: {runs: old/*}
candidate: {runs: CANDIDATE/*}
require: {steady_state: no, same: [scenario, vms, serial]} # samples are short
metrics: [{metric: iops, margin: 4%}]
outputs: {junit: CANDIDATE.xml, markdown: CANDIDATE.md}
Y
for side in slow same; do sed "s/CANDIDATE/$side/g" gate.yaml > $side.yaml; done

judge() { # what was slowed
    run "$RAWTPS" gate slow.yaml
    printf '%s\n' "$out" | sed 's/^/# /'
    case $code,$1 in
    [56],loop*) # other programs took the machine's speed, and the gate says so
        skip "$1: 10 % slower is found wanting" "$(grep ' answer ' out)"
        return
        ;;
    esac
    is "$1: 10 % slower is found wanting" "$code" 1
    like "$1: JUnit names the row" "$(cat slow.xml)" 'gate.iops" name="aggregate margin 4%"'
    like "$1: as a regression" "$(cat slow.xml)" '<failure type="regression"'
    like "$1: Markdown names it" "$(cat slow.md)" '^\| iops \| aggregate .* FAIL \|$'
    run "$RAWTPS" gate same.yaml
    printf '%s\n' "$out" | sed 's/^/# /'
    case $code in
    0) pass "$1: the same firmware passes" ;;
    5 | 6)
        like "$1: the same firmware may be too noisy, and the runs needed are said" "$out" \
            'needs? .*[0-9]+ runs a side|[0-9]+ runs a side are needed|add [0-9]+ runs'
        ;;
    *) fail "$1: the same firmware" "exit $code
$out" ;;
    esac
}

# ---- a simulated drive ----

cat > sim.yaml <<'Y'
workload: {kind: block, size: 8KiB, read: 100%, outstanding: 4}
drive: {like: h3201-e1s}
phases: {settle: 1s, sample: 2s}
Y
sed 's/^read: .*/read: 70us/' "$ROOT/scenarios/drives/h3201-e1s.yaml" > slow-drive.yaml
i=0
while [ $i -lt $RUNS ]; do
    i=$((i + 1))
    run "$RAWTPS" run sim.yaml --virtual -q --seed $i --out old/$i
    run "$RAWTPS" run sim.yaml --virtual -q --seed $((i + 100)) --out same/$i
    run "$RAWTPS" run sim.yaml --virtual -q --seed $((i + 200)) --out slow/$i \
        --set drive.like="$PWD/slow-drive.yaml"
done
judge 'simulated drive'
run "$RAWTPS" gate same.yaml
is 'simulated drive: it passes, not only is it not refused' "$code" 0
rm -r old slow same

# ---- a loop device ----

throttle=''
[ "$(id -u)" = 0 ] || throttle='not root'
command -v losetup >/dev/null || throttle='losetup is not installed'
group=''
if [ -z "$throttle" ]; then
    for place in /sys/fs/cgroup/blkio /sys/fs/cgroup; do
        group=$place/rawtps-gate-$$
        [ -w $place/cgroup.procs ] && mkdir $group 2>/dev/null && break
        group=''
    done
    if [ -f "$group/blkio.throttle.read_iops_device" ]; then
        limit_file=$group/blkio.throttle.read_iops_device
    elif [ -f "$group/io.max" ]; then
        limit_file=$group/io.max
    else
        throttle='no cgroup that throttles I/O'
        [ -z "$group" ] || rmdir "$group"
    fi
fi
if [ -n "$throttle" ]; then
    skip 'loop device: 10 % slower is found wanting' "$throttle"
    exit 0
fi

dd if=/dev/urandom of=image bs=1M count=64 2>/dev/null
device=$(losetup -f --show image) # behind the page cache: no disk's own speed is in it
clean() {
    tap_code=$?
    [ -z "$device" ] || losetup -d "$device"
    rmdir "$group"
    (exit $tap_code)
}
trap 'clean; tap_end' EXIT
if [ -z "$device" ]; then
    skip 'loop device: 10 % slower is found wanting' 'no loop device'
    exit 0
fi
number=$(cat "/sys/block/${device#/dev/}/dev")
printf '# %s throttled by %s: %s reads/s and 10 %% less\n' "$device" "$limit_file" $IOPS

cat > real.yaml <<'Y'
workload: {kind: block, size: 8KiB, read: 100%, outstanding: 4}
drive: {kind: uring}
phases: {settle: 300ms, sample: 3s, fill: no}
Y

firmware() { # OUT reads/s
    case $limit_file in
    */io.max) echo "$number riops=$2" > "$limit_file" ;;
    *) echo "$number $2" > "$limit_file" ;;
    esac
    run sh -c 'echo $$ > "$1/cgroup.procs" && shift && exec "$@"' - "$group" \
        "$RAWTPS" run real.yaml --drive "$device" --erase "$PWD/image" -q --out "$1"
    [ "$code" = 0 ] || fail "run $1" "$err"
}

# old slow same, same slow old, old slow same ...: a drift of the machine falls on all alike
i=0
while [ $i -lt $RUNS ]; do
    i=$((i + 1))
    if [ $((i % 2)) = 1 ]; then order='old slow same'; else order='same slow old'; fi
    for side in $order; do
        if [ $side = slow ]; then limit=$((IOPS * 9 / 10)); else limit=$IOPS; fi
        firmware $side/$i $limit
    done
done
judge 'loop device'
