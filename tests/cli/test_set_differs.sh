#!/bin/sh
# Runs that differ in what was set on the command line, or in a file that was edited, are no runs of
# one test: `compare --strict`, `gate` and `bench-pair --resume` say so.
# limit: 60
. "$ROOT/tests/lib/tap.sh"

cat > tiny.yaml <<'Y'
workload: {kind: block, size: 8KiB, read: 100%, outstanding: 2}
drive: {kind: null, latency: 10ms, capacity: 1GiB}
phases: {settle: 1s, sample: 60s}
Y

# made DIR SEED [option...]
made() {
    dir=$1 seed=$2
    shift 2
    "$RAWTPS" run tiny.yaml --virtual --quiet --seed "$seed" --out "$dir" "$@" >/dev/null ||
        fail "run $dir"
}
sizes='workload.size=[{size: 4K, share: 50%}, {size: 16K, share: 50%}]'
for seed in 1 2 3; do
    made old/$seed $seed
    made sizes/$seed $seed --set "$sizes"
    made hot/$seed $seed --set 'workload.hot={share: 90%, range: 10%}'
    made hotter/$seed $seed --set 'workload.hot={share: 90%, range: 10%}' \
        --set workload.hot.share=95%
done

# other A B WORDS: neither compared nor judged, and WORDS are said
other() {
    run "$RAWTPS" compare --strict "a=$1" "b=$2"
    is "$1, $2: --strict refuses" "$code" 6
    like "$1, $2: for its settings" "$err" "$3"
    printf 'version: 1\nbaseline: {runs: %s/*}\ncandidate: {runs: %s/*}\n' "$1" "$2" > g.yaml
    printf 'metrics:\n  - {metric: tps, margin: 3%%}\n' >> g.yaml
    run "$RAWTPS" gate g.yaml
    is "$1, $2: no gate" "$code" 6
    like "$1, $2: is invalid" "$out$err" 'INVALID'
}
run "$RAWTPS" report hot/1
like 'a report shows what was set' "$out" '^ set +workload.hot=\{range:10%,share:90%\}'
run "$RAWTPS" report old/1
unlike 'and nothing where nothing was' "$out" '^ set '

other old sizes 'workload.size=\[\{share:50%,size:4K\}'
other hot hotter 'workload.hot=\{range:10%,share:95%\}'
run "$RAWTPS" compare --strict a=hot/1 b=hot/2
unlike 'the same settings are the same scenario' "$err" 'scenario'

# files of the same name
model=$ROOT/scenarios/drives/sata-slow.yaml
cp "$model" drive.yaml
{ cat "$ROOT/vm-configs/small.yaml"; } > vm.yaml
printf 'vm: ./vm.yaml\nworkload: {kind: sysbench, tables: 2, rows: 10k, threads: 2}\n' > db.yaml
printf 'drive: {like: ./drive.yaml}\nphases: {sample: 2s}\n' >> db.yaml
pair() {
    run "$RAWTPS" bench-pair db.yaml --virtual --set-b drive.like=gen5-fast --runs 2 --out pair \
        --quiet "$@"
}
pair
is 'a series' "$code$err" 0
pair --resume
is 'the same again: nothing to do' "$code" 0
pair --resume --set 'database={buffer: 24MiB}'
is 'a section that is set: another' "$code" 2
like 'which is said' "$err" 'settings was none, now it is database=\{buffer:24MiB\}'
echo '# edited' >> drive.yaml
pair --resume
is 'a drive model that was edited: another' "$code" 2
like 'which is said, too' "$err" "the drive model's file was "
"$RAWTPS" run db.yaml --virtual --quiet --out edited/1 > /dev/null || fail run
run "$RAWTPS" compare --strict a=pair/01-A b=edited
like 'the file stands behind the model' "$out" 'model [^|]* file@[0-9a-f]{8} \| .* file@'
unlike 'which --strict does not mind' "$err" 'model'
cp "$model" drive.yaml
echo '# edited' >> vm.yaml
pair --resume
is 'a VM config that was edited: another' "$code" 2
"$RAWTPS" run db.yaml --virtual --quiet --out config/1 > /dev/null || fail run
run "$RAWTPS" compare --strict a=pair/01-A b=config
is 'is another scenario' "$code" 6
like 'by its file' "$err" 'scenario .*file@[0-9a-f]{8} \| .* file@'

# bytes written before the sample: of a faster drive they are a result, of a longer time a set-up
cat > write.yaml <<'Y'
workload: {kind: block, size: 64KiB, read: 0%, outstanding: 4}
drive: {like: sata-slow, capacity: 100GB}
phases: {settle: 5s, sample: 45s}
Y
# written DIR [option...]: three runs
written() {
    dir=$1
    shift
    for seed in 1 2 3; do
        "$RAWTPS" run write.yaml --virtual --quiet --seed $seed --out "$dir/$seed" "$@" \
            > /dev/null || fail "run $dir"
    done
}
# judged DIR: against slow, by a gate that asks for the same bytes
judged() {
    printf 'version: 1\nbaseline: {runs: slow/*}\ncandidate: {runs: %s/*}\n' "$1" > g.yaml
    printf 'require: {steady_state: no, min_runs: 3, same: [precondition_bytes]}\n' >> g.yaml
    printf 'metrics: [{metric: tps, margin: 50%%}]\n' >> g.yaml
    run "$RAWTPS" gate g.yaml
}
written slow
written fast --set drive.like=gen5-fast
written long --set phases.settle=20s
run "$RAWTPS" compare slow fast --strict
like 'a faster drive takes more' "$out" 'preconditioned .* MB \| .* GB \(asked alike\)'
unlike 'which is no other set-up' "$(sed -n '/^ comparable/,$p' out)" 'preconditioned'
judged fast
unlike 'nor one that a gate minds' "$out$err" 'preconditioned:'
is 'it judges' "$code" 0
run "$RAWTPS" compare slow long --strict
is 'a longer time is refused' "$code" 6
like 'as another set-up' "$(sed -n '/^ comparable/,$p' out)" 'preconditioned'
judged long
is 'by the gate, too' "$code" 6
like 'which says so' "$out$err" 'preconditioned: '
