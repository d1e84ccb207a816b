#include "io_side.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static int side_trim(int fd, const struct io *io)
{
    uint64_t range[2] = {io->offset, io->bytes};
    struct stat st;

    if (fstat(fd, &st) < 0) {
        return -errno;
    }
    if (S_ISBLK(st.st_mode)) {
        return ioctl(fd, BLKDISCARD, range) < 0 ? -errno : 0;
    }
    return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)io->offset,
                     (off_t)io->bytes) < 0
               ? -errno
               : 0;
}

static int side_do(const struct io *io)
{
    int fd = (int)io->real.tries, code;

    do {
        code = io->verb == IO_TRIM ? side_trim(fd, io) : fdatasync(fd) < 0 ? -errno : 0;
    } while (code == -EINTR);
    return code == -EAGAIN ? -EIO : code;
}

static void side_answer(struct io_side *side, struct io *io, int result)
{
    uint64_t one = 1;

    io->result = result;
    pthread_mutex_lock(&side->lock);
    io->next = side->answered;
    side->answered = io;
    pthread_mutex_unlock(&side->lock);
    while (write(side->wake, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
}

static void *side_run(void *context)
{
    struct io_side *side = context;

    pthread_mutex_lock(&side->lock);
    while (!side->quit) {
        struct io *io = side->asked;

        if (io == NULL) {
            pthread_cond_wait(&side->more, &side->lock);
            continue;
        }
        side->asked = io->next;
        pthread_mutex_unlock(&side->lock);
        side_answer(side, io, side_do(io));
        pthread_mutex_lock(&side->lock);
    }
    pthread_mutex_unlock(&side->lock);
    return NULL;
}

void io_side_init(struct io_side *side)
{
    memset(side, 0, sizeof(*side));
    pthread_mutex_init(&side->lock, NULL);
    pthread_cond_init(&side->more, NULL);
    side->wake = -1;
}

static int side_start(struct io_side *side)
{
    int code;

    side->wake = eventfd(0, EFD_CLOEXEC);
    if (side->wake < 0) {
        return -errno;
    }
    code = pthread_create(&side->thread, NULL, side_run, side);
    if (code) {
        close(side->wake);
        side->wake = -1;
        return -code;
    }
    side->started = true;
    return 0;
}

int io_side_ask(struct io_side *side, struct io *io, int fd)
{
    int code = side->started ? 0 : side_start(side);

    if (code < 0) {
        return code;
    }
    io->real.tries = (uint32_t)fd;
    io->next = NULL;
    side->owed++;
    pthread_mutex_lock(&side->lock);
    if (side->asked) {
        side->asked_last->next = io;
    } else {
        side->asked = io;
    }
    side->asked_last = io;
    pthread_cond_signal(&side->more);
    pthread_mutex_unlock(&side->lock);
    return 0;
}

struct io *io_side_take(struct io_side *side)
{
    struct io *answered;

    pthread_mutex_lock(&side->lock);
    answered = side->answered;
    side->answered = NULL;
    pthread_mutex_unlock(&side->lock);
    for (struct io *io = answered; io; io = io->next) {
        side->owed--;
    }
    return answered;
}

void io_side_close(struct io_side *side)
{
    if (side->started) {
        pthread_mutex_lock(&side->lock);
        side->quit = true;
        pthread_cond_signal(&side->more);
        pthread_mutex_unlock(&side->lock);
        pthread_join(side->thread, NULL);
        close(side->wake);
    }
    pthread_cond_destroy(&side->more);
    pthread_mutex_destroy(&side->lock);
}
