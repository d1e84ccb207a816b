/* target/model_random: secondary indexes that grow at random places, by splits of their leaves. */
#ifndef RAWTPS_TARGET_MODEL_RANDOM_H
#define RAWTPS_TARGET_MODEL_RANDOM_H

#include "model_core.h"

/*
 * The leaves in the order of their keys, which are places in [0, loaded << shift): records in each,
 * where it begins, and which comes next; 12 bytes a leaf, and 4 for each that was loaded, to find
 * the leaf in which its range begins. Leaves are counted with the grown ones behind the loaded.
 */
struct model_random {
    uint16_t *fill;
    uint16_t *heap; /* records that the page has had room for, those that were removed included */
    uint32_t *next, *from, *head;
    enum index_id id;
    uint32_t loaded, leaves, shift;
    uint32_t freed;       /* leaf that was merged away last; the one before it in its `next` */
    uint32_t merge_below; /* innodb: a leaf with fewer records looks for one to merge with */
    uint32_t tidy_room;   /* innodb: for fewer records than these a page is not reorganized */
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
/* Remove a row, now or when it is purged: s->leaf, and s->split if it is merged with the leaf
 * beside it. */
void random_remove(struct model_random *random, struct model *m, struct model_session *s,
                   uint64_t rank, uint64_t hash);
void random_purge(struct model_random *random, struct model *m, struct model_session *s,
                  uint32_t place);
/* A leaf that was given back comes into use again, without a read: its page. */
uint32_t random_renew(struct model *m, enum index_id id, uint32_t leaf);
/* The index on k (model_sysbench.c). */
struct model_random *sysbench_k(struct model *m);
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
