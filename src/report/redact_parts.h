/* report/redact_parts: how a serial number is made unreadable. */
#ifndef RAWTPS_REPORT_REDACT_PARTS_H
#define RAWTPS_REPORT_REDACT_PARTS_H

enum { REDACT_LEAST = 4 }; /* bytes: what is shorter stands in too many words by chance */

/* As many 'x' wherever it stands in string, which may be NULL. */
void redact_cross_out(char *string, const char *serial);

#endif
