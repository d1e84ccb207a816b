#include "io/loop.h"

static void virtual_wait(struct loop *loop, int64_t until_ns)
{
    loop->now_ns = until_ns;
}

static void virtual_close(struct loop *loop)
{
}

static const struct loop_ops loop_virtual_ops = {
    .name = "virtual",
    .wait = virtual_wait,
    .close = virtual_close,
};

int loop_virtual_open(struct loop *loop, uint32_t limit, struct error *err)
{
    return loop_init(loop, &loop_virtual_ops, limit, err);
}
