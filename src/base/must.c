#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>

void must_fail(const char *cond, const char *file, int line)
{
    fprintf(stderr, "rawtps: %s:%d: this must hold and does not: %s\n", file, line, cond);
    fprintf(stderr, "rawtps: this is a mistake of rawtps, not of yours; please report it\n");
    abort();
}
