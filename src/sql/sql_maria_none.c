#include <errno.h>

#include "sql_drivers.h"

const struct sql_ops *sql_maria_driver(const struct sql_plain_ops **ret_plain, struct error *err)
{
    error_set(err, EXIT_FAILED, -ENOSYS, "this rawtps was built without MySQL and MariaDB");
    error_hint(err, "install libmariadb-dev (`make deps` does) and build it again");
    return NULL;
}
