/* target/model_random: secondary indexes that grow at random places, by splits of their leaves. */
#ifndef RAWTPS_TARGET_MODEL_RANDOM_H
#define RAWTPS_TARGET_MODEL_RANDOM_H

#include "model_core.h"

/*
 * Records in each leaf, and the leaves that split off it: 6 bytes a leaf. A leaf as loaded and its
 * siblings share the ranks of the first; which of them holds a row is chosen by the row's hash.
 */
struct model_random {
    uint16_t *fill;
    uint32_t
        *next; /* leaf that split off, counted with the grown ones behind the loaded; 0: none */
    enum index_id id;
    uint32_t leaves;
    uint32_t freed;       /* leaf that was merged away last; the one before it in its `next` */
    uint32_t merge_below; /* innodb: a leaf with fewer records looks for one to merge with */
    uint64_t splits, merges;
};

/* full: every leaf holds what it can, as CREATE INDEX leaves it; else between half and full. */
int random_open(struct model_random *random, const struct model *m, enum index_id id, bool full,
                struct error *err);
void random_close(struct model_random *random);
uint64_t random_memory_bytes(const struct model_index *index);

/* The page that holds a row of a rank. */
uint32_t random_page(const struct model_random *random, const struct model *m, uint64_t rank,
                     uint64_t hash);
/* Insert a row: s->leaf and s->split; logs the entry and the split. */
void random_insert(struct model_random *random, struct model *m, struct model_session *s,
                   uint64_t rank, uint64_t hash);
/* Remove a row: s->leaf, and s->split if it is merged with the leaf beside it. */
void random_remove(struct model_random *random, struct model *m, struct model_session *s,
                   uint64_t rank, uint64_t hash);
/*
 * A row's key changes to one beside it: the new entry comes before the old one goes, so a full leaf
 * splits (innodb), and is merged again.
 */
void random_change(struct model_random *random, struct model *m, struct model_session *s,
                   uint64_t rank, uint64_t hash);
/* The touches of what random_insert chose: both leaves, and in innodb the neighbours, of a split.
 */
void random_plan(const struct model *m, const struct model_session *s, struct plan *plan,
                 enum index_id id);

#endif
