#include "sql/sql.h"

#include "sql_drivers.h"

const char *const sql_dialect_names[SQL_DIALECTS] = {"postgresql", "mysql"};

const struct sql_ops *sql_ops_of(const struct sql_url *url, struct error *err)
{
    if (url->fake) {
        return &sql_fake_ops;
    }
    return url->dialect == SQL_POSTGRES ? sql_pg_driver(NULL, err) : sql_maria_driver(NULL, err);
}
