#include "close_to.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void close_to(const char *what, double got, double want, double percent)
{
    if (got < want * (1 - percent / 100) || got > want * (1 + percent / 100)) {
        fail_msg("%s: %.4g, expected %.4g within %.3g %%", what, got, want, percent);
    }
}
