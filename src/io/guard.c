#include "io/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "guard_rules.h"
#include "signature.h"
#include "superblock.h"

#define SYSFS "/sys"
enum { LINGER_NS = 20000000, LINGER_LOOKS = 50 };
static const char NOTHING_PERMITS[] = "nothing permits this: choose another drive or file";

/* One look at a target: what both guard_open and guard_look go through. */
struct look {
    const struct guard_request *request;
    const char *asked;   /* as it was typed */
    char path[PATH_MAX]; /* resolved */
    struct stat st;
    struct disk disk; /* block devices */
    bool touch;       /* guard_open: may create and grow */
    struct guard *guard;
};

/*
 * A run that was killed gives its drive back a little after it is gone: the kernel ends its ring in
 * the background. False: that was long enough.
 */
static bool linger(uint32_t *looks)
{
    struct timespec wait = {.tv_nsec = LINGER_NS};

    if (++*looks > LINGER_LOOKS) {
        return false;
    }
    nanosleep(&wait, NULL);
    return true;
}

static int refuse(const struct look *look, struct error *err, const char *found)
{
    error_set(err, EXIT_USAGE, -EBUSY, "%s %s", look->asked, found);
    return error_hint(err, "%s", NOTHING_PERMITS);
}

static int cannot_open(const struct look *look, int code, struct error *err)
{
    error_set(err, EXIT_FAILED, code, "%s cannot be opened: %s", look->asked, strerror(-code));
    if (code == -EPERM && geteuid() == 0) { /* root is kept out by an attribute alone */
        return error_hint(err, "`lsattr` says whether it is immutable; `chattr -i` ends that");
    }
    switch (-code) {
    case EACCES:
    case EPERM:
        return error_hint(err, "run as a user who may %s it (a drive: root, or group disk)",
                          look->request->write ? "write" : "read");
    case EMFILE:
        return error_hint(err, "more files must be open at once: `ulimit -n` is too low");
    case EROFS:
        return error_hint(err, "its file system is mounted read-only");
    case EINVAL:
        return error_hint(err, "its file system has no direct I/O: choose a file on ext4 or xfs, "
                               "or a drive");
    default:
        return code;
    }
}

/* ---- what both kinds need -------------------------------------------------------------------- */

static int check_direct(const struct look *look, struct error *err)
{
    struct statx st;

    if (statx(look->guard->fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &st) == 0 &&
        (st.stx_mask & STATX_DIOALIGN) && st.stx_dio_offset_align == 0) {
        return cannot_open(look, -EINVAL, err);
    }
    return 0;
}

static int check_size(const struct look *look, struct error *err)
{
    uint64_t expected = look->request->expect_bytes, found = look->guard->facts.capacity_bytes;

    if (expected && expected != found) {
        error_set(err, EXIT_USAGE, -EINVAL, "%s %s %llu bytes, not %llu as expected", look->asked,
                  look->guard->fd < 0 ? "would be made with" : "has", (unsigned long long)found,
                  (unsigned long long)expected);
        return error_hint(err, "is it the right drive? --expect-size must be its size exactly");
    }
    return 0;
}

static int confirm(const struct look *look, const char *found, const char *typed,
                   const char *typed_is, struct error *err)
{
    const char *erase = look->request->erase;
    struct text word = {0};

    if (erase && strcmp(erase, typed) == 0) {
        return 0;
    }
    if (erase) {
        error_set(err, EXIT_USAGE, -EPERM, "%s: --erase names %.64s, but its %s is %.256s",
                  look->asked, erase, typed_is, typed);
    } else {
        error_set(err, EXIT_USAGE, -EPERM, "%s %s, and this would overwrite it", look->asked,
                  found);
    }
    text_add_word(&word, typed);
    error_hint(err, "to lose all that is on it: --erase %.450s", text_string(&word));
    text_free(&word);
    return err->code;
}

/* ---- block devices --------------------------------------------------------------------------- */

static int check_unused(const struct look *look, struct error *err)
{
    char found[FOUND_BYTES];

    return guard_rule_used(&look->disk, look->st.st_rdev, found) ? refuse(look, err, found) : 0;
}

/* udev may look into a drive for a moment: give it a second. */
static int check_opened(const struct look *look, struct error *err)
{
    struct timespec wait = {.tv_nsec = 100000000};
    char found[FOUND_BYTES];

    for (int left = 10; guard_rule_opened(look->st.st_rdev, found); left--) {
        if (left == 0) {
            return refuse(look, err, found);
        }
        nanosleep(&wait, NULL);
    }
    return 0;
}

static int check_writable(const struct look *look, struct error *err)
{
    int read_only = 0;

    if (ioctl(look->guard->fd, BLKROGET, &read_only) < 0 || !read_only) {
        return 0;
    }
    error_set(err, EXIT_FAILED, -EROFS, "%s is read-only, and the scenario writes", look->asked);
    return error_hint(err, "`blockdev --setrw` makes it writable, if the drive itself is");
}

static int block_confirm(const struct look *look, struct error *err)
{
    char found[FOUND_BYTES], holds[FOUND_BYTES + 16], size[UNITS_TEXT];
    struct signature signature = {""};
    int code;

    if (look->guard->ours) {
        snprintf(holds, sizeof(holds), "holds an earlier fill of rawtps (%s)",
                 look->guard->superblock.scenario);
    } else if (guard_rule_partitions(&look->disk, found)) {
        snprintf(holds, sizeof(holds), "%s", found);
    } else {
        code = signature_find(&signature, look->guard->fd, err);
        if (code < 0) {
            return error_wrap(err, "%s", look->asked);
        }
        units_format_size_decimal(look->guard->facts.capacity_bytes, size, sizeof(size));
        if (signature.text[0]) {
            snprintf(holds, sizeof(holds), "holds %s", signature.text);
        } else {
            snprintf(holds, sizeof(holds), "is a %s drive of %s", look->disk.kind, size);
        }
    }
    return confirm(look, holds, look->disk.typed, look->disk.typed_is, err);
}

static int block_hold(struct look *look, struct error *err)
{
    int mode = look->request->write && look->touch ? O_RDWR : O_RDONLY;
    uint32_t looks = 0;
    struct stat st;

    do {
        look->guard->fd = open(look->path, mode | O_EXCL | O_DIRECT | O_CLOEXEC);
    } while (look->guard->fd < 0 && errno == EBUSY && linger(&looks));
    if (look->guard->fd < 0) {
        return errno == EBUSY ? refuse(look, err, "is in use by someone else (EBUSY)")
                              : cannot_open(look, -errno, err);
    }
    if (fstat(look->guard->fd, &st) < 0 || !S_ISBLK(st.st_mode) || st.st_rdev != look->st.st_rdev) {
        return refuse(look, err, "became another device while it was looked at");
    }
    return 0;
}

static int block_open(struct look *look, struct error *err)
{
    struct guard *guard = look->guard;
    int code;

    guard->block_device = true;
    if (disk_find(&look->disk, look->st.st_rdev, SYSFS) < 0) {
        error_set(err, EXIT_FAILED, -ENODEV, "%s: the kernel shows no such drive in " SYSFS,
                  look->asked);
        return error_hint(err, "is " SYSFS " mounted here?");
    }
    code = check_unused(look, err);
    code = code < 0 ? code : block_hold(look, err);
    if (code < 0) {
        return code;
    }
    drive_facts_of_fd(guard->fd, SYSFS, &guard->facts);
    guard->ours = superblock_read(guard->fd, &guard->superblock);
    code = look->request->write ? check_opened(look, err) : 0;
    code = code == 0 && look->request->write ? check_writable(look, err) : code;
    code = code < 0 ? code : check_size(look, err);
    if (code == 0 && guard->facts.capacity_bytes == 0) {
        code = error_set(err, EXIT_FAILED, -ENOMEDIUM, "%s has no size: no medium, or not set up",
                         look->asked);
    }
    return code < 0 || !look->request->write ? code : block_confirm(look, err);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int no_space(const struct look *look, uint64_t needed, uint64_t free_bytes,
                    struct error *err)
{
    char want[UNITS_TEXT], have[UNITS_TEXT];

    units_format_size(needed, want, sizeof(want));
    units_format_size(free_bytes, have, sizeof(have));
    error_set(err, EXIT_FAILED, -ENOSPC, "%s needs %s more, and its file system has %s free",
              look->asked, want, have);
    return error_hint(err, "free some, take a smaller --scale, or another drive");
}

static uint64_t free_bytes_at(const char *path)
{
    struct statvfs vfs;

    return statvfs(path, &vfs) == 0 ? (uint64_t)vfs.f_bavail * vfs.f_frsize : UINT64_MAX;
}

static uint64_t file_planned_bytes(const struct look *look)
{
    uint64_t bytes = (uint64_t)look->st.st_size;

    if (look->request->write && look->request->create_bytes > bytes) {
        bytes = (look->request->create_bytes + 4095) / 4096 * 4096;
    }
    return bytes;
}

static int check_space(const struct look *look, const char *where, struct error *err)
{
    uint64_t has = (uint64_t)look->st.st_blocks * 512, planned = file_planned_bytes(look);
    uint64_t free_bytes = free_bytes_at(where);

    if (planned == 0) {
        return error_set(err, EXIT_USAGE, -EINVAL, "%s is empty, and no size is planned",
                         look->asked);
    }
    return planned > has && planned - has > free_bytes
               ? no_space(look, planned - has, free_bytes, err)
               : 0;
}

/* Blocks for all of it: a file that grows while it is measured measures the file system. */
static int file_grow(const struct look *look, struct error *err)
{
    uint64_t planned = file_planned_bytes(look);
    int fd = look->guard->fd, code;

    while (fallocate(fd, 0, 0, (off_t)planned) < 0) {
        code = -errno;
        if (code == -EINTR) {
            continue;
        }
        if (ftruncate(fd, look->st.st_size) == 0 && (code == -ENOSPC || code == -EDQUOT)) {
            return no_space(look, planned - (uint64_t)look->st.st_blocks * 512,
                            free_bytes_at(look->path), err);
        }
        error_set(err, EXIT_FAILED, code, "%s: %llu bytes cannot be reserved: %s", look->asked,
                  (unsigned long long)planned, strerror(-code));
        if (code == -EFBIG) {
            return error_hint(err, "files may not be as large: `ulimit -f`, or its file system");
        }
        return code == -EOPNOTSUPP
                   ? error_hint(err, "its file system cannot reserve blocks: ext4 and xfs can")
                   : code;
    }
    return 0;
}

static void file_facts(const struct look *look)
{
    struct drive_facts *facts = &look->guard->facts;
    struct statfs fs;

    drive_facts_of_fd(look->guard->fd, SYSFS, facts);
    if (fstatfs(look->guard->fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC) {
        snprintf(facts->model, sizeof(facts->model), "memory (tmpfs)");
        snprintf(facts->flush, sizeof(facts->flush), "no-op (memory)");
    }
}

static int file_lock(const struct look *look, struct error *err)
{
    struct flock lock = {.l_type = look->request->write ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
    uint32_t looks = 0;

    do {
        if (!look->touch || fcntl(look->guard->fd, F_OFD_SETLK, &lock) == 0 || errno == ENOLCK ||
            errno == EINVAL) {
            return 0;
        }
    } while (linger(&looks));
    return refuse(look, err, "is in use: another run holds its lock");
}

/* Nothing was ever written to it: there is nothing to lose. */
static bool file_is_empty(int fd)
{
    return lseek(fd, 0, SEEK_DATA) < 0 && errno == ENXIO;
}

static int file_confirm(const struct look *look, struct error *err)
{
    const char *erase = look->request->erase;

    if (look->guard->ours || file_is_empty(look->guard->fd) ||
        (erase && strcmp(erase, look->asked) == 0)) {
        return 0;
    }
    return confirm(look, "is not a file that rawtps made", look->path, "path", err);
}

/* It is ours from now on, even if the run that fills it is cut off. */
static int file_claim(struct look *look, struct error *err)
{
    struct guard *guard = look->guard;
    struct superblock empty = {.filled_bytes = 0};
    int code = file_grow(look, err);

    if (code < 0) {
        return code;
    }
    if (!guard->ours) {
        code = guard_write_superblock(guard, &empty, err);
    }
    guard->facts.capacity_bytes = drive_bytes(guard->fd);
    return code;
}

static int file_check(struct look *look, struct error *err)
{
    struct guard *guard = look->guard;
    int code;

    file_facts(look);
    code = check_direct(look, err);
    code = code < 0 ? code : file_lock(look, err);
    if (code < 0) {
        return code;
    }
    guard->ours = superblock_read(guard->fd, &guard->superblock);
    code = check_size(look, err);
    if (code == 0 && look->request->write) {
        code = file_confirm(look, err);
        code = code < 0 ? code : check_space(look, look->path, err);
        if (code == 0 && look->touch) {
            code = file_claim(look, err);
        }
    } else if (code == 0 && guard->facts.capacity_bytes == 0) {
        code = error_set(err, EXIT_USAGE, -ENODATA, "%s is empty: there is nothing to read",
                         look->asked);
    }
    return code;
}

static int file_open(struct look *look, struct error *err)
{
    int mode = look->request->write ? O_RDWR : O_RDONLY;
    char found[FOUND_BYTES];
    struct stat st;

    if (look->request->write && guard_rule_file_used(look->path, found)) {
        return refuse(look, err, found);
    }
    look->guard->fd = open(look->path, mode | O_DIRECT | O_CLOEXEC);
    if (look->guard->fd < 0) {
        return cannot_open(look, -errno, err);
    }
    if (fstat(look->guard->fd, &st) < 0 || st.st_dev != look->st.st_dev ||
        st.st_ino != look->st.st_ino) {
        return refuse(look, err, "became another file while it was looked at");
    }
    return file_check(look, err);
}

/* ---- what is not there yet ------------------------------------------------------------------- */

/* Resolve the folder, so that a link cannot lead a new file under /dev. */
static int resolve_new(struct look *look, char folder[PATH_MAX], struct error *err)
{
    char parent[PATH_MAX];
    const char *slash = strrchr(look->asked, '/'), *name = slash ? slash + 1 : look->asked;
    struct stat st;
    int n;

    snprintf(parent, sizeof(parent), "%.*s",
             slash == look->asked ? 1 : (int)(slash ? slash - look->asked : 1),
             slash ? look->asked : ".");
    if (realpath(parent, folder) == NULL || name[0] == '\0') {
        return error_set(err, EXIT_FAILED, -ENOENT, "%s: there is no folder %s", look->asked,
                         parent);
    }
    if (strcmp(folder, "/dev") == 0 || strncmp(folder, "/dev/", 5) == 0) {
        error_set(err, EXIT_USAGE, -ENODEV,
                  "%s: there is no such drive, and nothing is created "
                  "under /dev",
                  look->asked);
        return error_hint(err, "`lsblk -o NAME,SIZE,MODEL,SERIAL` lists the drives");
    }
    if (lstat(look->asked, &st) == 0) {
        return error_set(err, EXIT_USAGE, -ENOENT, "%s is a link that leads nowhere", look->asked);
    }
    n = snprintf(look->path, sizeof(look->path), "%s/%s", strcmp(folder, "/") ? folder : "", name);
    if (n < 0 || (size_t)n >= sizeof(look->path)) {
        return error_set(err, EXIT_USAGE, -ENAMETOOLONG, "%s: the path is too long", look->asked);
    }
    return 0;
}

static void planned_facts(const struct look *look)
{
    struct drive_facts *facts = &look->guard->facts;

    snprintf(facts->kind, sizeof(facts->kind), "file");
    snprintf(facts->path, sizeof(facts->path), "%.255s", look->path);
    facts->capacity_bytes = file_planned_bytes(look);
}

static int file_make(struct look *look, struct error *err)
{
    struct guard *guard = look->guard;
    int code;

    guard->fd = open(look->path, O_RDWR | O_CREAT | O_EXCL | O_DIRECT | O_CLOEXEC, 0644);
    if (guard->fd < 0) {
        code = -errno;
        if (code == -EINVAL) {
            unlink(look->path);
        }
        return cannot_open(look, code, err);
    }
    guard->created = true;
    file_facts(look);
    code = check_direct(look, err);
    code = code < 0 ? code : file_lock(look, err);
    code = code < 0 ? code : file_claim(look, err);
    if (code < 0) {
        guard_unmake(guard, look->path);
    }
    return code;
}

static int absent_open(struct look *look, struct error *err)
{
    char folder[PATH_MAX];
    int code;

    memset(&look->st, 0, sizeof(look->st));
    code = resolve_new(look, folder, err);
    if (code < 0) {
        return code;
    }
    if (!look->request->write || look->request->create_bytes == 0) {
        error_set(err, EXIT_FAILED, -ENOENT, "%s does not exist", look->asked);
        return error_hint(err, "name a drive or a file that a run has filled");
    }
    planned_facts(look);
    code = check_size(look, err);
    code = code < 0 ? code : check_space(look, folder, err);
    if (code == 0 && !look->touch && access(folder, W_OK) < 0) {
        code = cannot_open(look, -errno, err);
    }
    return code < 0 || !look->touch ? code : file_make(look, err);
}

/* ---- together -------------------------------------------------------------------------------- */

static int look_at(struct look *look, struct error *err)
{
    const char *is = "is neither a drive nor a file";

    if (realpath(look->asked, look->path) == NULL) {
        return errno == ENOENT ? absent_open(look, err) : cannot_open(look, -errno, err);
    }
    if (stat(look->path, &look->st) < 0) {
        return cannot_open(look, -errno, err);
    }
    if (S_ISBLK(look->st.st_mode)) {
        return block_open(look, err);
    }
    if (S_ISREG(look->st.st_mode)) {
        return file_open(look, err);
    }
    if (S_ISDIR(look->st.st_mode)) {
        is = "is a folder, not a drive or a file";
    } else if (S_ISCHR(look->st.st_mode)) {
        is = "is a character device, not a drive or a file";
    }
    error_set(err, EXIT_USAGE, -ENOTBLK, "%s %s", look->asked, is);
    return error_hint(err, "`lsblk -o NAME,SIZE,MODEL,SERIAL` lists the drives");
}

static int guard_try(struct guard *guard, const struct guard_request *request, bool touch,
                     struct error *err)
{
    struct look look = {.request = request, .asked = request->path, .touch = touch, .guard = guard};
    int code;

    memset(guard, 0, sizeof(*guard));
    guard->fd = -1;
    if (request->path == NULL || request->path[0] == '\0') {
        return error_set(err, EXIT_USAGE, -EINVAL, "no drive is named");
    }
    code = look_at(&look, err);
    if (code < 0) {
        guard_close(guard);
    }
    return code;
}

int guard_open(struct guard *guard, const struct guard_request *request, struct error *err)
{
    return guard_try(guard, request, true, err);
}

int guard_look(const struct guard_request *request, struct drive_facts *ret, struct error *err)
{
    struct guard guard;
    int code = guard_try(&guard, request, false, err);

    *ret = guard.facts;
    guard_close(&guard);
    return code;
}

bool guard_made_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct superblock superblock;
    struct stat st;
    bool made;

    if (fd < 0) {
        return false;
    }
    made = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && superblock_read(fd, &superblock);
    close(fd);
    return made;
}

int64_t guard_hole_between(const struct guard *guard, uint64_t from, uint64_t until)
{
    off_t hole;

    if (guard->block_device) {
        return -1;
    }
    hole = lseek(guard->fd, (off_t)from, SEEK_HOLE);
    if (hole < 0) {
        return errno == ENXIO && from < until ? (int64_t)from : -1; /* the file ends before */
    }
    return (uint64_t)hole < until ? (int64_t)hole : -1;
}

bool guard_file_bytes(const struct guard *guard, uint64_t *ret_bytes, uint64_t *ret_allocated)
{
    struct stat st;

    if (guard->block_device || fstat(guard->fd, &st) < 0) {
        return false;
    }
    *ret_bytes = (uint64_t)st.st_size;
    *ret_allocated = (uint64_t)st.st_blocks * 512;
    return true;
}

int guard_write_superblock(struct guard *guard, const struct superblock *superblock,
                           struct error *err)
{
    int code = superblock_write(guard->fd, superblock);

    if (code < 0) {
        return error_set(err, EXIT_FAILED, code, "%s: the first block cannot be written: %s",
                         guard->facts.path, strerror(-code));
    }
    guard->ours = superblock_read(guard->fd, &guard->superblock);
    if (!guard->ours) {
        return error_set(err, EXIT_WRONG_DATA, -EIO, "%s: the first block was not kept",
                         guard->facts.path);
    }
    return 0;
}

void guard_unmake(const struct guard *guard, const char *path)
{
    struct stat ours, there;

    if (guard->created && fstat(guard->fd, &ours) == 0 && lstat(path, &there) == 0 &&
        ours.st_dev == there.st_dev && ours.st_ino == there.st_ino) {
        unlink(path);
    }
}

void guard_close(struct guard *guard)
{
    struct flock none = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

    if (guard->fd >= 0) {
        fcntl(guard->fd, F_OFD_SETLK, &none); /* a ring that is being ended may hold the file yet */
        close(guard->fd);
    }
    guard->fd = -1;
}
