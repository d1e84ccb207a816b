/* cli/fidelity_show: what `rawtps fidelity` prints. */
#ifndef RAWTPS_CLI_FIDELITY_SHOW_H
#define RAWTPS_CLI_FIDELITY_SHOW_H

#include "base/text.h"
#include "engine/fidelity.h"

enum fidelity_format {
    FIDELITY_TEXT,
    FIDELITY_MARKDOWN,
    FIDELITY_CSV,
    FIDELITY_JSON,
    FIDELITY_FORMATS
};
extern const char *const fidelity_format_names[FIDELITY_FORMATS];

void fidelity_show(const struct fidelity_outcome *outcomes, uint32_t count, uint32_t seeds,
                   enum fidelity_format format, struct text *ret);

#endif
