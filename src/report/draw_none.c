#include "canvas.h"

#include <errno.h>
#include <stddef.h>

int canvas_open(struct canvas **ret, enum draw_format format, double width, double height,
                const char *title, const char *created_utc, struct text *out, struct error *err)
{
    error_set(err, EXIT_FAILED, -ENOSYS, "this rawtps was built without cairo");
    return error_hint(err, "--html needs nothing; or install libcairo2-dev and build again");
}

struct pen *canvas_pen(struct canvas *canvas)
{
    return NULL;
}

void canvas_page(struct canvas *canvas)
{
}

int canvas_close(struct canvas *canvas, struct error *err)
{
    return 0;
}
