#include "sql_procedures.h"

uint32_t sql_procedures_count(void)
{
    return 0;
}

bool sql_procedures_create(enum sql_text_dialect dialect, uint32_t i, struct text *ret)
{
    return false;
}

bool sql_procedures_drop(enum sql_text_dialect dialect, uint32_t i, struct text *ret)
{
    return false;
}
