/* engine/load_known: what a database holds already: whose tables they are, and how far a load is.
 */
#ifndef RAWTPS_ENGINE_LOAD_KNOWN_H
#define RAWTPS_ENGINE_LOAD_KNOWN_H

#include "sql/sql.h"
#include "workload/sql_schema.h"

/* A part of this name holds the instant that all rows of the load take for now. */
#define KNOWN_NOW "now "

struct load_known {
    char database[64];
    bool has_row;               /* rawtps_load is there, with its row */
    bool has_load;              /* rawtps_load is there */
    struct sql_schema_load row; /* what it says */
    char taken[80];             /* the first table that has one of our names, "" if none */
    char now[24];               /* "" if not known */
    char **parts;               /* names of committed parts, sorted */
    uint32_t part_count, part_limit;
    bool failed; /* memory ran out */
};

/* Errors: EXIT_FAILED with the server's words. */
int load_known_read(struct load_known *known, struct sql_plain *plain,
                    const struct sql_schema *schema, struct error *err);
/* May a load of `schema` go on here? EXIT_USAGE: another tool's tables, another size or seed. */
int load_known_judge(const struct load_known *known, const struct sql_schema *schema,
                     struct error *err);
bool load_known_part(const struct load_known *known, const char *name);
void load_known_free(struct load_known *known);

#endif
