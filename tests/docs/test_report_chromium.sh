#!/bin/bash
# limit: 200
# The HTML report as a reader's browser shows it: drawn, quiet, nothing loaded, and it zooms.
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/report_run.sh"
needs python3
command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
    command -v google-chrome >/dev/null || skip_all 'chromium is not installed'
report_run plain
hostile plain evil
"$RAWTPS" report plain --html plain.html 2>/dev/null
"$RAWTPS" report evil --html evil.html 2>/dev/null
export HOME=$PWD

# shows NAME: the value that the browser's report has under this name
shows() { sed -n "s/^$1 //p" out; }

run python3 "$ROOT/tests/lib/chromium_page.py" plain.html plain.png --zoom-early
is 'the browser shows it' "$code" 0
is 'no word on the console' "$(shows errors)" 0
is 'no request but for the page' "$(shows requests)" 0
charts=$(shows canvases)
ok 'several charts' test "${charts:-0}" -ge 5
is 'every one is drawn' "$(shows drawn)" "$charts of $charts"
ok 'a picture of it is not empty' test "$(shows screenshot_bytes)" -gt 30000
cat > zoomed.py <<'P'
import json
import sys

before, after = (json.loads(line.split(" ", 1)[1]) for line in sys.stdin)
narrower = [b[1] - b[0] < 0.5 * (a[1] - a[0]) for a, b in zip(before, after)]
print("all" if all(narrower) and len(set(map(tuple, after))) == 1 and len(after) > 2 else after)
P
is 'dragging zooms all charts over time alike' \
    "$(grep -E '^(before|after) ' out | python3 zoomed.py)" all
ok 'the far ones are drawn after the page is shown' test "$(shows undrawn)" -ge 1
is 'with the stretch to which the others were zoomed meanwhile' \
    "$(grep -E '^(before|early) ' out | sort | python3 zoomed.py)" all

run python3 "$ROOT/tests/lib/chromium_page.py" plain.html paper.png --paper
is 'on paper no chart is cut off' "$(shows cut)" "0 of $charts"
ok 'charts of which nothing is shown do not hold up the page' test "$(shows hidden_ms)" -lt 4000
is 'nor is that an error' "$(shows errors)" 0

run python3 "$ROOT/tests/lib/chromium_page.py" evil.html evil.png --dark
is 'hostile words do nothing' "$(shows hostile)" undefined
is 'and cause no error' "$(shows errors)" 0
is 'nor a request' "$(shows requests)" 0
is 'dark where the reader wants it dark' "$(shows background)" 'rgb(13, 17, 23)'

run python3 "$ROOT/tests/lib/chromium_page.py" plain.html still.png --no-script
ok 'without script the tables are there' test "$(shows tables)" -ge 8
ok 'and the bars' test "$(shows svgs)" -ge 4
is 'and no canvas' "$(shows canvases)" 0

# a sweep: latency over throughput, a curve that may bend back
for users in 1 8 64; do
    "$RAWTPS" run corners-4k-randread --virtual --set drive.like=h3200-u2 --for 200ms --quiet \
        --set workload.outstanding=$users --out "d$users" >/dev/null 2>&1
done
run "$RAWTPS" report d1 d8 d64 --html sweep.html
is 'several runs are a page' "$code" 0
run python3 "$ROOT/tests/lib/chromium_page.py" sweep.html sweep.png
is 'no word on the console of a sweep' "$(shows errors)" 0
is 'its curve is drawn' "$(shows drawn)" '1 of 1'
