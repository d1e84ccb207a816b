#!/bin/sh
# limit: 300
# Other HDR tools read what a run leaves: counts, percentiles and maxima of the histogram log, as
# the npm package hdr-histogram-js decodes it, are those of run.json.
. "$ROOT/tests/lib/tap.sh"
needs node npm

# a percentile is the highest value of a bucket, so they differ by at most 1/128
package=hdr-histogram-js@3.0.1
modules=$BUILD/npm/node_modules
mkdir -p "$BUILD/npm"
[ -d "$modules/hdr-histogram-js" ] ||
    flock "$BUILD/npm.lock" npm install --prefix "$BUILD/npm" --no-save --no-audit --no-fund \
        --ignore-scripts --loglevel=error "$package" >npm.out 2>&1 ||
    { [ "${CI-}" = true ] && fail "npm installs $package" "$(cat npm.out)" && exit 1; } ||
    skip_all "npm cannot install $package: $(tail -n 1 npm.out)"

cat > read.js <<'J'
const fs = require("fs");
const hdr = require("hdr-histogram-js");
const run = JSON.parse(fs.readFileSync("dir/run.json", "utf8"));
const name = fs.readdirSync("dir").find(file => file.endsWith(".hlog"));
const log = fs.readFileSync("dir/" + name, "utf8");
const wrong = [];

// the reader skips the column of the maximum: it is held against run.json here, in milliseconds
const columns = {}, merged = {};
const reader = new hdr.HistogramLogReader(log);
const lines = log.split("\n").filter(line => line.startsWith("Tag="));
let read = 0;
for (let one; (one = reader.nextIntervalHistogram()) !== null; read++) {
    const fields = lines[read].split(",");
    const from_ns = Number(fields[1]) * 1e9;
    if (fields[0] !== "Tag=" + one.tag) {
        wrong.push(`line ${read}: tag ${one.tag}, not ${fields[0]}`);
    }
    const decoded_ms = one.maxValue / 1e6, column_ms = Number(fields[3]);
    if (column_ms > decoded_ms + 0.001 || decoded_ms > column_ms * (1 + 1 / 128) + 0.001) {
        wrong.push(`line ${read}: maximum ${column_ms} ms, decoded ${decoded_ms} ms`);
    }
    const vm = run.vms[Number(/^vm(\d+)/.exec(one.tag)[1])];
    if (from_ns < vm.sample_from_ns - 1 || from_ns >= vm.sample_until_ns - 1) {
        continue;
    }
    columns[one.tag] = Math.max(columns[one.tag] || 0, column_ms * 1e6);
    if (merged[one.tag]) {
        merged[one.tag].add(one);
    } else {
        merged[one.tag] = one;
    }
}
if (read !== lines.length) {
    wrong.push(`${read} of ${lines.length} lines were read`);
}

// nearest rank rounds up here, to the nearest there: a neighbour will do
function quantile_is(found, share, ours) {
    const n = found.totalCount;
    return [-1, 0, 1].some(step => {
        const percent = Math.min(100, Math.max(0, 100 * (share * n + step) / n));
        const theirs = found.getValueAtPercentile(percent);
        return Math.abs(theirs - ours) <= ours / 128 + 1;
    });
}

let compared = 0;
function hold(tag, ours) {
    const found = merged[tag];
    if (!ours || ours.count === 0) {
        return;
    }
    compared++;
    if (!found || found.totalCount !== ours.count) {
        wrong.push(`${tag}: ${found ? found.totalCount : 0} values, not ${ours.count}`);
        return;
    }
    for (const [key, share] of [["p50_ns", 0.5], ["p95_ns", 0.95], ["p99_ns", 0.99],
                                ["p99_9_ns", 0.999]]) {
        if (!quantile_is(found, share, ours[key])) {
            const theirs = found.getValueAtPercentile(100 * share);
            wrong.push(`${tag}: ${key} ${theirs}, ours ${ours[key]}`);
        }
    }
    if (found.maxValue < ours.max_ns || found.maxValue > ours.max_ns * (1 + 1 / 128) + 1) {
        wrong.push(`${tag}: maximum ${found.maxValue}, ours ${ours.max_ns}`);
    }
    if (Math.abs(columns[tag] - ours.max_ns) > 500.5) {
        wrong.push(`${tag}: column ${columns[tag]} ns, ours ${ours.max_ns}`);
    }
}

run.vms.forEach((vm, i) => {
    for (const txn of vm.txns) {
        hold(`vm${i}.${txn.kind}`, txn.response);
        hold(`vm${i}.${txn.kind}.service`, txn.service);
    }
    for (const io of vm.ios) {
        hold(`vm${i}.io.${io.verb}.${io.area}`, io.latency);
    }
});
console.log(wrong.slice(0, 20).join("\n"));
console.log(`compared ${compared}`);
J

# read NAME LEAST ARG...: a run whose log is read
read_log() {
    name=$1 least=$2
    shift 2
    rm -rf dir
    run "$RAWTPS" run "$@" --virtual --quiet --out dir
    ok "$name runs" test "$code" -le 1
    run env NODE_PATH="$modules" node read.js
    is "$name: node reads it" "$code$err" 0
    is "$name: nothing differs" "$(sed '$d' out | tr -d '\n')" ''
    ok "$name: at least $least histograms were held against each other" \
        test "$(sed -n 's/^compared //p' out)" -ge "$least"
}

read_log 'TPC-C' 14 quick --for 10s
read_log 'bare requests' 4 block-8k-70-30 --for 2s
