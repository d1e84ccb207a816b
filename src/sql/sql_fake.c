#include <errno.h>

#include "sql_drivers.h"
const struct sql_ops sql_fake_ops = {.name = "fake"};
