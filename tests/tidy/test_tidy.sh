#!/bin/sh
# Each rule of tests/tidy/check sees the breach that it is there for, and lets a right tree pass.
. "$ROOT/tests/lib/tap.sh"

# fresh: a small tree in which every rule holds
fresh() {
    rm -rf tree
    mkdir -p tree/src/base tree/src/io tree/src/cli tree/include/base tree/include/io \
        tree/tests/tidy
    cp "$ROOT/src/README.md" tree/src/README.md
    echo 'DisableFormat: true' > tree/.clang-format
    cat > tree/include/base/heap.h <<'END'
/* base/heap: the smallest first. */
#ifndef RAWTPS_BASE_HEAP_H
#define RAWTPS_BASE_HEAP_H

#include <stdint.h>

/* A number: printf(, TODOS, exit( in a comment are no breach. */
int64_t heap_first(const int64_t *heap);

#endif
END
    cat > tree/src/base/heap.c <<'END'
#include "base/heap.h"

int64_t heap_first(const int64_t *heap)
{
    return heap[0];
}
END
    cat > tree/src/io/ring.h <<'END'
/* io/ring: the ring itself. */
#ifndef RAWTPS_IO_RING_H
#define RAWTPS_IO_RING_H

#include <liburing.h>

#endif
END
    cat > tree/src/io/uring.c <<'END'
#include "ring.h"
#include <sys/uio.h>

#include "base/heap.h"
END
    cat > tree/src/cli/main.c <<'END'
#include <stdio.h>

int main(void)
{
    printf("fine\n");
    return 0;
}
END
}

# sees NAME FINDING: the check prints this finding (a regular expression), and nothing else
sees() {
    run "$ROOT/tests/tidy/check" --root tree
    like "$1" "$out" "$2"
    is "$1: and nothing else" "$(printf '%s\n' "$out" | grep -Evc "$2") $code" '0 1'
    fresh
}

lines() {
    awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) print text }'
}

fresh
run "$ROOT/tests/tidy/check" --root tree
is 'a right tree passes' "$out$err$code" 0

sed -i '/uio/a #include "io/loop.h"' tree/src/io/uring.c
sees 'a public header that is not there' '^src/io/uring.c:3: room: "io/loop.h" is no public'

sed -i '1a #include "io/loop.h"' tree/src/base/heap.c
sed 's/heap/loop/; s/base/io/; s/HEAP/LOOP/g; s/BASE/IO/g; s/heap_/loop_/' \
    tree/include/base/heap.h > tree/include/io/loop.h
sees 'a room that the row does not name' '^src/base/heap.c:2: room: base may not use io$'

mkdir tree/src/attic && touch tree/src/attic/old.c
sees 'a folder that is no room' '^src/attic/old.c:1: room: lies in no room'

echo '/* base/hidden: private. */' > tree/src/base/hidden.h
printf '#ifndef RAWTPS_BASE_HIDDEN_H\n#define RAWTPS_BASE_HIDDEN_H\n#endif\n' \
    >> tree/src/base/hidden.h
sed -i '/uio/a #include "hidden.h"' tree/src/io/uring.c
sees 'a private header of another room' '^src/io/uring.c:3: room: "hidden.h" is no private header'

sed -i '/uio/a #include "../base/heap.h"' tree/src/io/uring.c
sees 'a way around' '^src/io/uring.c:3: room: "../base/heap.h" is neither'

sed -i 's/<stdint.h>/"heap_private.h"/; s/int64_t/long/g' tree/include/base/heap.h
sed -i 's/int64_t/long/g' tree/src/base/heap.c
sees 'a public header that uses a private one' \
    '^include/base/heap.h:5: (room: .* private|header: does not compile)'

sed -i '1a #include <base/heap.h>' tree/src/io/uring.c
sees 'one of ours in angle brackets' '^src/io/uring.c:2: room: <base/heap.h> is ours'

printf '#include <liburing.h>\n' > tree/src/io/loop.c
sees 'a library in a second file' '^src/io/loop.c:1: library: liburing '

printf '#include <blkid/blkid.h>\n' > tree/src/io/nvme.c
printf '#include <blkid/blkid.h>\n' > tree/src/io/nvmf.c
sees 'a library that any one file may have, in two' '^src/io/nvmf.c:1: library: .*nvme.c already'

printf '#include <yaml.h>\n' > tree/src/base/yaml.c
sees 'a library of another room' '^src/base/yaml.c:1: library: libyaml belongs to plan/yaml.c'

printf '#include <glib.h>\n' > tree/src/base/text.c
sees 'a library in no table' '^src/base/text.c:1: library: <glib.h> is in no table'

sed -i '1s/.*/\/* A heap. *\//' tree/include/base/heap.h
sees 'a header without its first line' '^include/base/heap.h:1: header: does not begin with'

sed -i 's/BASE_HEAP_H/HEAP_H/' tree/include/base/heap.h
sees 'a header without its guard' '^include/base/heap.h:1: header: has no guard RAWTPS_BASE_HEAP_H'

sed -i 's/#include <stdint.h>//' tree/include/base/heap.h
sees 'a header that does not compile alone' '^include/base/heap.h:[0-9]+: header: does not compile'

cp tree/src/base/heap.c tree/src/io/heap.c
sees 'two files of one name' '^src/io/heap.c:1: name: .* src/base/heap.c'

printf '/* TO%s: later */\n' DO >> tree/src/base/heap.c
sees 'a mark of unfinished work' '^src/base/heap.c:7: word: TO'

printf 'see https://%s.org/x\n' pypi > tree/README.md
sees 'the host of a registry' '^README.md:1: word: pypi'

printf 'cd %swork/main\n' / > tree/run.md
sees 'a place on one machine' '^run.md:1: word: .work$'

{ printf 'int heap_long(void);\nint heap_long(void)\n{\n'; lines 69 '    heap_first(0);'
    printf '}\n'; } >> tree/src/base/heap.c
sees 'a long function' '^src/base/heap.c:9: long-function: heap_long has 71 lines$'

lines 651 '' > tree/src/base/long.c
echo 'int x;' >> tree/src/base/long.c
sees 'a long file' '^src/base/long.c:1: (long-file: 652 lines|format)'

for what in 'printf("x");' 'exit(1);' 'abort();' 'perror("x");' 'fputs("x", stderr);'; do
    sed -i "s/    return/    $what\n    return/" tree/src/base/heap.c
    sees "printing or ending outside cli: $what" '^src/base/heap.c:5: print: '
done

printf 'void must_fail(void);\nvoid must_fail(void)\n{\n    abort();\n}\n' > tree/src/base/must.c
run "$ROOT/tests/tidy/check" --root tree
is 'must.c may end the program' "$out" ''
fresh

echo 'typedef struct heap heap_t;' >> tree/src/base/heap.c
sees 'a struct with a typedef' '^src/base/heap.c:7: typedef: '

sed -i 's/heap_first/get_first/' tree/include/base/heap.h tree/src/base/heap.c
sees 'a public function without its noun' '^include/base/heap.h:8: prefix: get_first '

printf '# x: \ty\n' > tree/x.yaml
sees 'a tab' '^x.yaml:1: space: tab'
printf 'x \n' > tree/x.md
sees 'white space at the end of a line' '^x.md:1: space: trailing'
{ printf '# '; lines 100 x | tr -d '\n'; echo; } > tree/x.sh
sees 'a long line' '^x.sh:1: space: 102 columns'
printf 'x' > tree/x.md
sees 'no newline at the end' '^x.md:1: space: no newline'

echo 'print src/base/heap.c:abort  # to be tested' > tree/tests/tidy/exceptions
sees 'an exception that is no longer needed' '^tests/tidy/exceptions:1: exception: is no longer'
sed -i 's/    return/    abort();\n    return/' tree/src/base/heap.c
echo 'print src/base/heap.c:abort' > tree/tests/tidy/exceptions
sees 'an exception without a reason' '^(tests/tidy/exceptions:1: exception: is not|src/base/heap)'
sed -i 's/    return/    abort();\n    return/' tree/src/base/heap.c
echo 'print src/base/heap.c:abort  # to be tested' > tree/tests/tidy/exceptions
run "$ROOT/tests/tidy/check" --root tree
is 'an exception that is needed' "$out" ''
fresh

if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    cp "$ROOT/.clang-format" tree/.clang-format
    echo 'int   x ;' >> tree/src/base/heap.c
    run "$ROOT/tests/tidy/check" --root tree
    like 'another format' "$out" '^src/base/heap.c:[0-9]+: format: '
else
    skip 'another format' 'clang-format 14 is not installed'
fi
