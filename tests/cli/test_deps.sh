#!/bin/bash
# tools/deps where nothing can be installed says so once, with what to do.
# limit: 30
. "$ROOT/tests/lib/tap.sh"

# a system without compiler, libraries, root and sudo; apt-get would fail if it were called
mkdir bin
for tool in sh bash sed sort tr cat find grep uname; do
    ln -s "$(command -v $tool)" "bin/$tool"
done
printf '#!/bin/sh\necho 1000\n' >bin/id
printf '#!/bin/sh\nexit 0\n' >bin/apt-cache
printf '#!/bin/sh\necho apt-get was called >&2\nexit 100\n' >bin/apt-get
chmod +x bin/id bin/apt-cache bin/apt-get

run env -i PATH="$PWD/bin" sh "$ROOT/tools/deps" build
is 'what is needed is missing: exit code' "$code" 1
is 'nothing on stdout' "$out" ''
is 'two lines' "$(grep -c . err)" 2
like 'why' "$err" '^tools/deps: .*not root, and there is no sudo'
like 'what to do' "$err" '^As root: apt-get install .* gcc .*make'
unlike 'no sudo is looked for, nothing is tried' "$err" 'not found|apt-get was called'
