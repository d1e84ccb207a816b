#include <errno.h>

#include "sql_drivers.h"

const struct sql_ops *sql_pg_driver(const struct sql_plain_ops **ret_plain, struct error *err)
{
    error_set(err, EXIT_FAILED, -ENOSYS, "this rawtps was built without PostgreSQL");
    error_hint(err, "install libpq-dev (`make deps` does) and build it again");
    return NULL;
}
