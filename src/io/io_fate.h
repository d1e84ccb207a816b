/* io/io_fate: what an answer of the kernel means for a request, and for the run. */
#ifndef RAWTPS_IO_IO_FATE_H
#define RAWTPS_IO_IO_FATE_H

#include "io/drive.h"

enum io_fate {
    FATE_DONE,   /* all bytes moved */
    FATE_SHORT,  /* some: the rest is asked for again, IO_TRIES times */
    FATE_AGAIN,  /* not taken: asked for again */
    FATE_FAILED, /* the request failed; the run goes on */
    FATE_ENDS,   /* our mistake, or the target is gone: the run ends */
};
enum { IO_TRIES = 3 };

/* result: of one transfer; wanted: its bytes (0 for flush and trim). IO.md's table. */
enum io_fate io_fate(const struct io *io, int32_t result, uint32_t wanted);

/* Why the run ends, with what was asked for. EXIT_FAILED. */
int io_fate_error(struct error *err, const struct io *io, int32_t result);

#endif
