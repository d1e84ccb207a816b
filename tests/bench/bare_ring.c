/* rooms: base. The least that io_uring itself costs here, to hold fio and rawtps against:
 * bare_ring FILE BYTES DEPTH READ_SHARE SECONDS. No clock a request, no statistics, no model: one
 * ring with registered buffers and file, every answer at once followed by the next request.
 * Prints: I/Os, I/Os a second. */
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/must.h"
#include "base/rng.h"

enum { HEAD_BYTES = 1 << 20, LOOKS = 64 };

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct bare {
    struct io_uring ring;
    struct rng rng;
    char *data;
    uint64_t blocks;
    uint32_t bytes;
    double read_share;
};

static void bare_ask(struct bare *bare, uint64_t slot)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&bare->ring);
    char *data = bare->data + slot * bare->bytes;
    uint64_t offset = HEAD_BYTES + rng_below(&bare->rng, bare->blocks) * bare->bytes;

    must(sqe);
    if (rng_unit(&bare->rng) < bare->read_share) {
        io_uring_prep_read_fixed(sqe, 0, data, bare->bytes, offset, 0);
    } else {
        io_uring_prep_write_fixed(sqe, 0, data, bare->bytes, offset, 0);
    }
    sqe->flags |= IOSQE_FIXED_FILE;
    sqe->user_data = slot;
}

static void bare_open(struct bare *bare, const char *path, uint32_t depth)
{
    struct io_uring_params params = {.flags =
                                         IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN};
    int fd = open(path, O_RDWR | O_DIRECT);
    struct iovec all = {.iov_len = (size_t)depth * bare->bytes};

    must(fd >= 0 && posix_memalign(&all.iov_base, 2 << 20, all.iov_len) == 0);
    bare->data = memset(all.iov_base, 0x5a, all.iov_len);
    bare->blocks = ((uint64_t)lseek(fd, 0, SEEK_END) - 2 * HEAD_BYTES) / bare->bytes;
    must(io_uring_queue_init_params(depth, &bare->ring, &params) == 0);
    must(io_uring_register_files(&bare->ring, &fd, 1) == 0);
    must(io_uring_register_buffers(&bare->ring, &all, 1) == 0);
}

int main(int argc, char **argv)
{
    struct bare bare = {0};
    uint32_t depth = argc == 6 ? (uint32_t)atoi(argv[3]) : 0;
    uint64_t done = 0;
    double from, until;

    if (depth == 0) {
        fprintf(stderr, "usage: bare_ring FILE BYTES DEPTH READ_SHARE SECONDS\n");
        return 2;
    }
    bare.bytes = (uint32_t)atoi(argv[2]);
    bare.read_share = atof(argv[4]);
    rng_init(&bare.rng, 1, 1);
    bare_open(&bare, argv[1], depth);
    from = seconds();
    until = from + atof(argv[5]);
    for (uint32_t i = 0; i < depth; i++) {
        bare_ask(&bare, i);
    }
    for (uint32_t turn = 1; turn % LOOKS != 0 || seconds() < until; turn++) {
        struct io_uring_cqe *cqe;
        unsigned head, n = 0;

        must(io_uring_submit_and_wait(&bare.ring, 1) >= 0);
        io_uring_for_each_cqe(&bare.ring, head, cqe)
        {
            must(cqe->res == (int32_t)bare.bytes);
            bare_ask(&bare, cqe->user_data);
            n++;
        }
        io_uring_cq_advance(&bare.ring, n);
        done += n;
    }
    printf("%llu %.0f\n", (unsigned long long)done, (double)done / (seconds() - from));
    return 0;
}
