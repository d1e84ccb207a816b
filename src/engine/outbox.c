#include "world.h"

int outbox_init(struct outbox *outbox, uint32_t kind_count, struct error *err)
{
    atomic_init(&outbox->head, 0);
    atomic_init(&outbox->tail, 0);
    for (uint32_t i = 0; i < OUTBOX_SLOTS; i++) {
        int rc = record_init(&outbox->slots[i], kind_count, err);

        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

void outbox_free(struct outbox *outbox)
{
    for (uint32_t i = 0; i < OUTBOX_SLOTS; i++) {
        record_free(&outbox->slots[i]);
    }
}

bool outbox_push(struct outbox *outbox, struct record *record)
{
    unsigned head = atomic_load_explicit(&outbox->head, memory_order_relaxed);
    unsigned tail = atomic_load_explicit(&outbox->tail, memory_order_acquire);
    struct record *slot = &outbox->slots[head % OUTBOX_SLOTS], swap;

    if (head - tail == OUTBOX_SLOTS) {
        return false;
    }
    swap = *slot;
    *slot = *record;
    *record = swap;
    record_reset(record);
    atomic_store_explicit(&outbox->head, head + 1, memory_order_release);
    return true;
}

struct record *outbox_peek(struct outbox *outbox)
{
    unsigned tail = atomic_load_explicit(&outbox->tail, memory_order_relaxed);
    unsigned head = atomic_load_explicit(&outbox->head, memory_order_acquire);

    return head == tail ? NULL : &outbox->slots[tail % OUTBOX_SLOTS];
}

void outbox_pop(struct outbox *outbox)
{
    atomic_fetch_add_explicit(&outbox->tail, 1, memory_order_release);
}
