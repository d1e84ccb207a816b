/* lib/drive_file: the drive descriptions of scenarios/drives/, for tests below room plan. */
#ifndef RAWTPS_LIB_DRIVE_FILE_H
#define RAWTPS_LIB_DRIVE_FILE_H

#include "io/drive_types.h"

/*
 * Reads $ROOT/scenarios/drives/NAME.yaml: one `key: value` a line, every key once, each with its
 * basis. Fails the test (must) if one is missing, unknown or cannot be read.
 */
void drive_file_read(const char *name, struct drive_sim_params *ret);

#endif
