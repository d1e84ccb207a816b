#include "workload_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

struct fixture *fixture_of(struct workload *workload)
{
    struct fixture *fix = calloc(1, sizeof(*fix));

    assert_non_null(fix);
    assert_non_null(workload);
    fix->workload = workload;
    rng_init(&fix->rng, 42, 0);
    return fix;
}

void fixture_close(struct fixture *fix)
{
    fix->workload->ops->free(fix->workload);
    free(fix);
}

void fixture_choose(struct fixture *fix, uint32_t user)
{
    fix->workload->ops->choose(fix->workload, user, &fix->deck, &fix->rng, &fix->txn, &fix->pause);
}
