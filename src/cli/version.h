/* cli/version: which program this is. */
#ifndef RAWTPS_CLI_VERSION_H
#define RAWTPS_CLI_VERSION_H

#include <stdint.h>

extern const char version_number[];   /* of the file VERSION: "0.1.0" */
extern const char version_features[]; /* optional parts that were built in, parted by spaces */
extern const char version_compiler[]; /* "gcc 13.2.0" */

/* The linker's build id in hexadecimal, "" if the program carries none. Returns buf. */
const char *version_build_id(char *buf, uint64_t size);

#endif
