/* report/redact_parts: how a serial number is made unreadable. */
#ifndef RAWTPS_REPORT_REDACT_PARTS_H
#define RAWTPS_REPORT_REDACT_PARTS_H

#include <stdint.h>

enum { REDACT_LEAST = 4 }; /* bytes: what is shorter stands in too many words by chance */

struct result;

/* Every serial number that is known, each once: of drives, and permitted by --erase. */
struct serials {
    char (*words)[64];
    uint32_t count, limit;
};

/* What is too short, or known, is left out; where there is no memory, it is not known. */
void serials_add(struct serials *serials, const char *serial);
void serials_collect(struct serials *serials, const struct result *result);
void serials_free(struct serials *serials);
void serials_cross_out(const struct serials *serials, char *string);
/* Of a result, wherever they stand; its drives have none then. */
void serials_redact(const struct serials *serials, struct result *result);

/* As many 'x' wherever it stands in string, which may be NULL. */
void redact_cross_out(char *string, const char *serial);

#endif
