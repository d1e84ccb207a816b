/* io/io_side: one thread beside a loop for requests that would block it (trims). */
#ifndef RAWTPS_IO_IO_SIDE_H
#define RAWTPS_IO_IO_SIDE_H

#include <pthread.h>

#include "io/drive.h"

struct io_side {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct io *asked, *asked_last, *answered; /* by io->next; under the lock */
    int wake;                                 /* eventfd: written once for each answer */
    bool started, quit;
    uint32_t owed; /* asked and not taken yet: the loop's alone */
};

void io_side_init(struct io_side *side);
/*
 * Do io (IO_TRIM or IO_FLUSH) on fd, which io->real.tries carries. The first call starts the
 * thread. Errors: negative errno; the request is not taken then.
 */
int io_side_ask(struct io_side *side, struct io *io, int fd);
/* All that is answered, in no order, as a list by io->next, results set. Never waits. */
struct io *io_side_take(struct io_side *side);
void io_side_close(struct io_side *side); /* waits for the request under way */

#endif
