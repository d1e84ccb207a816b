#include <errno.h>
#include <stdio.h>

#include "base/mem.h"
#include "sql_mysql.h"

/* LOAD DATA LOCAL of what is in memory; where the server forbids it, INSERTs of many rows. */
struct plain_maria {
    MYSQL *mysql;
    struct text statement; /* of the load; INSERT: up to VALUES */
    bool insert;
    uint32_t packet_bytes; /* largest that the server takes */
    const char *data;      /* what the library reads as a file */
    uint32_t bytes;
};

static int plain_error(MYSQL *mysql, struct error *err)
{
    unsigned number = mysql_errno(mysql);

    return error_set(err, EXIT_FAILED,
                     number == CR_SERVER_LOST || number == CR_SERVER_GONE_ERROR ? -ECONNRESET
                                                                                : -EIO,
                     "%s [%u]", mysql_error(mysql), number);
}

static void plain_close(void *self)
{
    struct plain_maria *plain = self;

    if (plain->mysql) {
        mysql_close(plain->mysql);
    }
    text_free(&plain->statement);
    mem_free(plain);
}

static int plain_open(void **ret, const struct sql_url *url, struct error *err)
{
    struct plain_maria *plain = mem_zalloc(sizeof(*plain));
    struct sql_mysql_place place;
    unsigned on = 1;
    int code;

    if (plain) {
        plain->mysql = sql_mysql_open(url, &place);
    }
    if (plain == NULL || plain->mysql == NULL) {
        mem_free(plain);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a connection");
    }
    mysql_optionsv(plain->mysql, MYSQL_OPT_LOCAL_INFILE, &on);
    if (!mysql_real_connect(plain->mysql, place.host, place.user, place.password, place.database,
                            place.port, place.socket, place.flags) ||
        (sql_mysql_by_tls(url) && !mysql_get_ssl_cipher(plain->mysql))) {
        code = sql_mysql_error(err, url, plain->mysql);
        plain_close(plain);
        return code;
    }
    *ret = plain;
    return 0;
}

static void plain_rows(MYSQL_RES *result,
                       void (*row)(void *context, const struct sql_value *columns, uint32_t count),
                       void *context)
{
    uint32_t columns = mysql_num_fields(result);
    const MYSQL_FIELD *fields = mysql_fetch_fields(result);
    struct sql_value values[SQL_COLUMNS];
    MYSQL_ROW texts;

    columns = columns < SQL_COLUMNS ? columns : SQL_COLUMNS;
    while ((texts = mysql_fetch_row(result)) != NULL) {
        const unsigned long *lengths = mysql_fetch_lengths(result);

        for (uint32_t c = 0; c < columns; c++) {
            if (texts[c] == NULL) {
                values[c] = (struct sql_value){.kind = SQL_NULL};
            } else {
                sql_maria_value(&values[c], texts[c], lengths[c], (uint8_t)fields[c].type);
            }
        }
        if (row) {
            row(context, values, columns);
        }
    }
}

/* Every result of a text; the first error counts. */
static int plain_results(MYSQL *mysql,
                         void (*row)(void *context, const struct sql_value *columns,
                                     uint32_t count),
                         void *context, struct error *err)
{
    int more;

    do {
        MYSQL_RES *result = mysql_use_result(mysql);

        if (result) {
            plain_rows(result, row, context);
            mysql_free_result(result);
        }
        if (mysql_errno(mysql)) {
            return plain_error(mysql, err);
        }
        more = mysql_next_result(mysql);
    } while (more == 0);
    return more > 0 ? plain_error(mysql, err) : 0;
}

static int plain_run(void *self, const char *text,
                     void (*row)(void *context, const struct sql_value *columns, uint32_t count),
                     void *context, struct error *err)
{
    struct plain_maria *plain = self;

    if (mysql_real_query(plain->mysql, text, strlen(text))) {
        return plain_error(plain->mysql, err);
    }
    return plain_results(plain->mysql, row, context, err);
}

/* ---- loading --------------------------------------------------------------------------------- */

static int file_open(void **ret, const char *name, void *context)
{
    *ret = context;
    return 0;
}

static int file_read(void *context, char *buf, unsigned size)
{
    struct plain_maria *plain = context;
    uint32_t bytes = plain->bytes < size ? plain->bytes : size;

    memcpy(buf, plain->data, bytes);
    plain->data += bytes;
    plain->bytes -= bytes;
    return (int)bytes;
}

static void file_close(void *context)
{
}

static int file_error(void *context, char *buf, unsigned size)
{
    snprintf(buf, size, "rows could not be read");
    return 1;
}

static void take_number(void *context, const struct sql_value *columns, uint32_t count)
{
    int64_t *numbers = context;

    numbers[0] = columns[0].number;
    numbers[1] = columns[1].number;
}

static int plain_load_begin(void *self, const char *table, const char *columns,
                            enum sql_plain_format *ret_format, struct error *err)
{
    struct plain_maria *plain = self;
    int64_t numbers[2] = {0};
    int code = plain_run(plain, "SELECT @@global.local_infile, @@max_allowed_packet", take_number,
                         numbers, err);

    if (code) {
        return code;
    }
    plain->insert = numbers[0] == 0;
    plain->packet_bytes = (uint32_t)(numbers[1] < UINT32_MAX ? numbers[1] : UINT32_MAX);
    text_clear(&plain->statement);
    if (plain->insert) {
        text_addf(&plain->statement, "INSERT INTO %s", table);
    } else {
        text_addf(&plain->statement,
                  "LOAD DATA LOCAL INFILE 'rows' INTO TABLE %s CHARACTER SET utf8mb4 FIELDS "
                  "TERMINATED BY X'09' ESCAPED BY X'5C' LINES TERMINATED BY X'0A'",
                  table);
    }
    if (columns) {
        text_addf(&plain->statement, " (%s)", columns);
    }
    text_add(&plain->statement, plain->insert ? " VALUES " : "");
    *ret_format = plain->insert ? PLAIN_VALUES : PLAIN_TABS;
    return plain->statement.failed ? error_set(err, EXIT_FAILED, -ENOMEM, "no memory") : 0;
}

struct warning {
    char text[300];
    bool there;
};

static void take_warning(void *context, const struct sql_value *columns, uint32_t count)
{
    struct warning *warning = context;

    if (!warning->there && count >= 3 && columns[0].bytes && columns[0].text[0] != 'N') {
        warning->there = true;
        snprintf(warning->text, sizeof(warning->text), "%.*s", (int)columns[2].bytes,
                 columns[2].text);
    }
}

/* LOCAL makes warnings of what INSERT refuses, and leaves the rows out. */
static int load_judge(struct plain_maria *plain, uint64_t taken, uint32_t rows, bool warned,
                      struct error *err)
{
    struct warning warning = {0};
    int code = 0;

    if (warned || taken != rows) {
        code = plain_run(plain, "SHOW WARNINGS LIMIT 64", take_warning, &warning, err);
    }
    if (code == 0 && (warning.there || taken != rows)) {
        code = error_set(err, EXIT_FAILED, -EIO, "the server took %llu of %u rows%s%s",
                         (unsigned long long)taken, rows, warning.there ? ": " : "", warning.text);
    }
    return code;
}

static int plain_load_piece(void *self, const char *data, uint32_t bytes, uint32_t rows,
                            struct error *err)
{
    struct plain_maria *plain = self;
    struct text *text = &plain->statement;
    size_t head = text->length;
    bool failed;

    if (plain->insert) {
        text_add_bytes(text, data, bytes);
        failed = text->failed || mysql_real_query(plain->mysql, text->data, text->length);
        text_cut(text, head);
    } else {
        plain->data = data;
        plain->bytes = bytes;
        mysql_set_local_infile_handler(plain->mysql, file_open, file_read, file_close, file_error,
                                       plain);
        failed = mysql_real_query(plain->mysql, text->data, text->length);
    }
    if (failed) {
        return plain_error(plain->mysql, err);
    }
    return load_judge(plain, mysql_affected_rows(plain->mysql), rows,
                      mysql_warning_count(plain->mysql) > 0, err);
}

static int plain_load_end(void *self, struct error *err)
{
    return 0; /* every piece was a statement */
}

static void plain_load_abandon(void *self)
{
}

const struct sql_plain_ops sql_maria_plain_ops = {
    .dialect = SQL_MARIADB,
    .piece_bytes = 1 << 20,
    .open = plain_open,
    .run = plain_run,
    .load_begin = plain_load_begin,
    .load_piece = plain_load_piece,
    .load_end = plain_load_end,
    .load_abandon = plain_load_abandon,
    .close = plain_close,
};
