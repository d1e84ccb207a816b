#!/bin/bash
# slow, limit: 240
# What the documents tell the reader to type works as it is written there, what is shipped runs,
# and what the documents point at is there.
#
# Every command of README.md, CONTRIBUTING.md and docs/ is given to the shell, in the order of the
# document, in one directory for each. `rawtps` is then a script (bin/rawtps, below) that first
# plans each `run` exactly as it is written, and then runs it for 2 seconds, the laboratory's
# scenarios at 1/300 (in virtual time) or 1/4000 (on a file). A command that names a device, SERIAL
# or a server, or needs the results of many runs or of a server, is parsed and not run. Of `make`
# it is asked whether the target is there.
. "$ROOT/tests/lib/tap.sh"
needs python3

# ---- bin/rawtps: what a reader types, shortened --------------------------------------------------

mkdir -p bin
cat > bin/rawtps <<'W'
#!/bin/bash
case " $* " in
*/dev/* | *SERIAL* | *://* | *' compare '* | *' gate '* | *' history '* | *' bench-pair '* | \
    *' fidelity'* | *my-server.yaml*)
    echo "only parsed: rawtps $*" >&2
    exec "$RAWTPS" "$@" --help
    ;;
esac
if [ "$1" = audit ]; then # what it looks at may contradict itself
    "$RAWTPS" "$@"
    [ $? -le 1 ]
    exit
fi
[ "$1" = run ] || exec "$RAWTPS" "$@"
plan=() run=() real= scenario= scaled=
shift
while [ $# -gt 0 ]; do
    case $1 in
    --for=* | -t?*) plan+=("$1") ;;
    --for | -t) plan+=("$1" "$2") && shift ;;
    --scale=* | -s?*) plan+=("$1") scaled=${1#*=} ;;
    --scale | -s) plan+=("$1" "$2") scaled=$2 && shift ;;
    --drive=* | -d?*) plan+=("$1") run+=("$1") real=yes ;;
    --drive | -d) plan+=("$1" "$2") run+=("$1" "$2") real=yes && shift ;;
    --set | --seed | --erase | --expect-size) plan+=("$1" "$2") run+=("$1" "$2") && shift ;;
    --out | -o | --results | --label | --format | -f | --interval | -i | --progress | --color)
        run+=("$1" "$2") && shift ;;
    --virtual | --set=* | --seed=* | --erase=* | --expect-size=*) plan+=("$1") run+=("$1") ;;
    -*) run+=("$1") ;;
    *) plan+=("$1") run+=("$1") scenario=$1 ;;
    esac
    shift
done
"$RAWTPS" plan "${plan[@]}" >plan.out || exit
case $real$scenario in
yes*tpcc-* | yes*sysbench-*) run+=(--scale 1/4000) ;;
*tpcc-* | *sysbench-*) run+=(--scale 1/300) ;;
*) [ -z "$scaled" ] || run+=(--scale "$scaled") ;;
esac
exec "$RAWTPS" run "${run[@]}" --for 2s
W
cat > bin/make <<'W'
#!/bin/bash
for word in "$@"; do
    case $word in
    -* | *=*) ;;
    *) grep -Eq "^$word:" "$ROOT/Makefile" || { echo "no target $word" >&2 && exit 2; } ;;
    esac
done
W
chmod +x bin/rawtps bin/make

# ---- commands of the documents -------------------------------------------------------------------

# One file a command, named by document and line. A block with prompts holds commands and what they
# print; one without holds commands alone, and examples in a text that is a program's are indented.
cat > extract.py <<'P'
import os
import re
import sys

root, folder = sys.argv[1:]
documents = ["README.md", "CONTRIBUTING.md"] + sorted(
    "docs/" + name for name in os.listdir(root + "/docs") if name.endswith(".md"))
TYPED = re.compile(r"^(?:\w+=\S* +)*(?:build/)?(?:rawtps|make)(?: |$)")


def blocks(lines):
    block = None
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            if block is not None:
                yield language, block
            language, block = line[3:].strip(), [] if block is None else None
        elif block is not None:
            block.append((number, line.rstrip("\n")))


def joined(block):
    """Lines that end in a backslash go on with the next."""
    held = None
    for number, line in block:
        number, line = (held[0], held[1] + line.strip()) if held else (number, line)
        held = (number, line[:-1]) if line.endswith("\\") else None
        if not held:
            yield number, line


def commands(language, block):
    prompts = any(line.startswith("$ ") for _, line in block)
    lines = list(joined(block))
    for at, (number, line) in enumerate(lines):
        if prompts:
            typed = line[2:] if line.startswith("$ ") else ""
        elif language in ("console", "sh", "bash", "shell"):
            typed = line
        else:
            typed = line.strip() if line.startswith("  rawtps ") else ""
        if TYPED.match(typed) or re.search(r"\| *rawtps ", typed):
            after = lines[at + 1][1] if prompts and at + 1 < len(lines) else ""
            yield number, typed, after.startswith("rawtps: ")


for document in documents:
    if not os.path.exists(os.path.join(root, document)):
        continue
    with open(os.path.join(root, document), encoding="utf-8") as text:
        lines = text.readlines()
    for language, block in blocks(lines):
        for number, typed, fails in commands(language, block):
            name = "%s:%04d" % (document.replace("/", "_"), number)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write("%s\n%s\n" % (typed, "# fails" if fails else ""))
P

mkdir commands
run python3 extract.py "$ROOT" commands
is 'commands are found' "$code$err" 0
ok 'README.md shows a run' grep -lq 'rawtps run' commands/README.md:*

here=$PWD
for file in commands/*; do
    place=$here/places/${file##*/}
    place=${place%:*}
    if [ ! -d "$place" ]; then
        mkdir -p "$place/build"
        ln -s "$ROOT/scenarios" "$ROOT/vm-configs" "$place"
        ln -s "$here/bin/rawtps" "$place/build/rawtps"
    fi
    cd "$place" || exit 1
    run env PATH="$here/bin:$PATH" bash "$here/$file"
    typed=$(head -n 1 "$here/$file")
    if grep -q '^# fails' "$here/$file"; then
        not_ok "${file#commands/}: $typed" test "$code" = 0
    else
        ok "${file#commands/}: $typed" test "$code" = 0
    fi
    grep '^only parsed' err | sed 's/^/# /'
    cd "$here" || exit 1
done

# ---- what the documents say and point at ---------------------------------------------------------

cat > links.py <<'P'
import os
import re
import sys

root = sys.argv[1]
for folder in ("", "docs", "src"):
    for name in sorted(os.listdir(os.path.join(root, folder))):
        path = os.path.join(folder, name)
        if not name.endswith(".md"):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as text:
            for number, line in enumerate(text, 1):
                for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", line):
                    if not os.path.exists(os.path.join(root, folder, target)):
                        print("%s:%d: %s is not there" % (path, number, target))
                if re.search(r"@@\w+@@", line):
                    print("%s:%d: %s" % (path, number, line.strip()))
P
run python3 links.py "$ROOT"
is 'every link leads to a file, nothing is left to be filled in' "$out$err" ''

# columns NAME: the words of the table's head in a text
columns() { grep -E '^ VM +TPS ' "$1" | head -n 1 | tr -s ' '; }
run "$RAWTPS" run quick --virtual --quiet --for 2s --out table
if [ -f "$ROOT/README.md" ] && [ -n "$(columns "$ROOT/README.md")" ]; then
    is 'the table of README.md has the columns of today' "$(columns "$ROOT/README.md")" \
        "$(columns out)"
fi

# ---- what is shipped -----------------------------------------------------------------------------

# runs NAME ARG...: in virtual time
runs() {
    name=$1
    shift
    rm -rf dir
    run "$RAWTPS" run "$@" --virtual --quiet --out dir
    ok "$name runs" test "$code" = 0
}

for path in "$ROOT"/scenarios/*.yaml; do
    ! grep -q '^target:' "$path" || continue # a server answers those: tests/db
    ! grep -q '^groups:' "$path" || continue # published figures: tests/cli/test_audit.sh
    run "$RAWTPS" plan "$path" --virtual
    is "${path##*/} is planned" "$code$err" 0
    scale=()
    ! grep -Eq '^ +kind: +(tpcc|sysbench)' "$path" || scale=(--scale 1/300)
    runs "${path##*/}" "$path" "${scale[@]}" --for 2s
done
for path in "$ROOT"/scenarios/drives/*.yaml; do
    name=${path##*/}
    runs "drive $name" block-8k-randread --set "drive.like=${name%.yaml}" --for 1s
done
for path in "$ROOT"/vm-configs/*.yaml; do
    name=${path##*/}
    runs "VM $name" quick --set "vm=${name%.yaml}" --for 1s --scale 1/4
done
