/* target/model_new_order: innodb's new_order: rows come at one end of a district, go at the other.
 */
#ifndef RAWTPS_TARGET_MODEL_NEW_ORDER_H
#define RAWTPS_TARGET_MODEL_NEW_ORDER_H

#include "model_core.h"

/*
 * A leaf that holds the last rows of one district and the first of the next is split and merged by
 * turns. An insert right behind the one before it leaves a sixteenth of the page free: where less
 * is left the leaf splits there, and the rows of the next district move (btr_cur_optimistic_insert,
 * dict_index_get_space_reserve, btr_page_get_split_rec_to_right). Purge takes the first row of a
 * district; that makes one of the two leaves fall below half, and both fit in one page, as a merge
 * keeps no room free (btr_cur_pessimistic_delete, btr_can_merge_with_page). Loading in the order of
 * the keys ends every leaf just there, so this begins with the first orders, and lasts as long as
 * about as many rows come to a leaf as are delivered from it.
 */

/* Rows with keys from (district, order) to where `next` begins. Leaves are counted as index_page.
 */
struct new_order_leaf {
    uint32_t district, order;
    uint32_t prev, next; /* in the order of keys */
    uint32_t rows;
    uint32_t last; /* 1 + the district whose insert was the last change; 0: another change was */
};

/* The rows [oldest, end) of a district, those that are marked as deleted included. */
struct new_order_ends {
    uint32_t oldest, end;
    uint32_t head, tail; /* leaves where the oldest lies, and where the next one goes */
};

struct model_new_order {
    struct new_order_leaf *leaves; /* NULL: not innodb */
    struct new_order_ends *ends;
    uint32_t count, districts;
    uint32_t freed;       /* leaf that was given back last; the one before it in its `next` */
    uint32_t full;        /* rows that fit in a page */
    uint32_t kept;        /* from so many on an insert in order splits */
    uint32_t merge_below; /* a leaf with fewer looks for one to merge with */
    uint64_t splits, merges;
};

int new_order_open(struct model_new_order *queue, const struct model *m, struct error *err);
void new_order_close(struct model_new_order *queue);
uint64_t new_order_memory_bytes(const struct model_settings *settings,
                                const struct model_index *index);

/* The page of a row; and whether a page is in use. */
uint32_t new_order_page(const struct model *m, uint32_t district, uint32_t o);
bool new_order_holds(const struct model *m, uint32_t page);
/* A row behind all of its district: s->leaf and s->split, for random_plan; logs the split. */
void new_order_insert(struct model *m, struct model_session *s, uint32_t district);
/* It was rolled back. */
void new_order_withdraw(struct model *m, uint32_t district);
/* A row is marked as deleted: s->leaf. It goes at once if there is no purge. */
void new_order_mark(struct model *m, struct model_session *s, uint32_t district);
/* That was rolled back: rows from `oldest` on are there. */
void new_order_return(struct model *m, uint32_t district, uint32_t oldest);
/* Rows below `oldest` go: s->leaf, and s->split if it was merged. */
void new_order_purge(struct model *m, struct model_session *s, uint32_t district, uint32_t oldest);
/* The optimizer's estimate of a district, and its oldest row. */
void new_order_dive(const struct model *m, struct plan *plan, uint32_t district);

#endif
