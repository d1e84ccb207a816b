# A loop device of a test's own; beside tap.sh.

# loop_drive SIZE ARG...: $loop, over the file image of that size; gone when the test is
loop_drive() {
    command -v losetup >/dev/null || skip_all 'losetup is not installed'
    truncate -s "$1" image
    shift
    loop=$(losetup -f --show "$@" image 2>/dev/null) || skip_all 'no loop device here'
    trap 'losetup -d "$loop"; tap_end' EXIT
}
