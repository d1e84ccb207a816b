// What operations become as SQL: money to the cent, the middle row, the texts of rows, schemas.
// rooms: base workload
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "workload/sql_schema.h"

static const struct tpcc_settings tpcc = {.warehouses = 12, .users = 1, .seed = 7};
static struct sysbench_settings sbtest;

static int64_t decimal(const char *text, uint32_t scale)
{
    return sql_text_decimal(text, (uint32_t)strlen(text), scale);
}

/* A binary fraction would lose a cent here and there: 0.29 * 100 is 28.999999999999996. */
static void money_is_exact(void **state)
{
    char buf[24];

    assert_int_equal(decimal("0.29", 2), 29);
    assert_int_equal(decimal("-10.00", 2), -1000);
    assert_int_equal(decimal("300000.00", 2), 30000000);
    assert_int_equal(decimal("9999999999.99", 2), 999999999999);
    assert_int_equal(decimal("0.2", 4), 2000);
    assert_int_equal(decimal("5", 2), 500);
    assert_int_equal(decimal("", 2), 0);
    assert_int_equal(decimal("1.999", 2), 199);
    for (int64_t cents = -100100; cents < 100100; cents += 7) {
        uint32_t bytes = sql_text_money(cents, buf);

        assert_int_equal(bytes, strlen(buf));
        assert_int_equal(sql_text_decimal(buf, bytes, 2), cents);
    }
    sql_text_money(-5, buf);
    assert_string_equal(buf, "-0.05");
    sql_text_money(INT64_MIN, buf);
    assert_string_equal(buf, "-92233720368547758.08");
}

static struct sql_texts *open_texts(enum sql_text_dialect dialect)
{
    struct sql_texts_settings settings = {.dialect = dialect, .tpcc = &tpcc};
    struct error err;
    struct sql_texts *texts = sql_texts_open(&settings, &err);

    assert_non_null(texts);
    return texts;
}

static const struct sql_text *text_of(const struct sql_texts *texts, uint16_t statement, int64_t k2)
{
    struct op op = {.statement = statement, .key = {1, 1, k2}};

    return sql_texts_at(texts, sql_texts_of(texts, &op));
}

/* Clause 2.5.2.2: position n/2 rounded up, counted from 1. */
static void the_middle_row_of_a_name_is_taken(void **state)
{
    struct sql_texts *texts = open_texts(SQL_TEXT_POSTGRES);
    const struct sql_text *text = text_of(texts, TPCC_S_PAY_BY_NAME, 0);
    struct sql_text_memory memory = {0};

    for (uint32_t n = 1; n <= 2 * SQL_TEXT_ROWS; n++) {
        struct op op = {0};

        sql_text_begin(&memory, &op);
        for (uint32_t i = 1; i <= n; i++) {
            sql_text_read(text, 0, 7 * i, NULL, 0, &memory, &op);
        }
        assert_int_equal(op.answer[0], 7 * ((n + 1) / 2));
    }
    for (uint32_t i = 1; i <= 5000; i++) { /* more than any district has: no harm is done */
        struct op op = {0};

        sql_text_read(text, 0, i, NULL, 0, &memory, &op);
    }
    sql_texts_free(texts);
}

static void parameters_follow_the_text(void **state)
{
    struct sql_texts *pg = open_texts(SQL_TEXT_POSTGRES), *maria = open_texts(SQL_TEXT_MARIADB);
    const struct sql_text *text = text_of(pg, TPCC_S_DEL_CUSTOMER, 3);

    assert_string_equal(text->text, "UPDATE customer SET c_balance = c_balance + ($1::bigint * "
                                    "0.01), c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = $2 "
                                    "AND c_d_id = $3 AND c_id = $4");
    assert_int_equal(text->params[0].key, 3);
    assert_int_equal(text->params[3].key, 2);
    text = text_of(maria, TPCC_S_DEL_CUSTOMER, 3);
    assert_string_equal(text->text, "UPDATE customer SET c_balance = c_balance + (? * 0.01), "
                                    "c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = ? "
                                    "AND c_d_id = ? AND c_id = ?");
    assert_non_null(strstr(text_of(pg, TPCC_S_NO_STOCK, 3)->text, "s_dist_03"));
    assert_non_null(strstr(text_of(pg, TPCC_S_NO_STOCK, 10)->text, "s_dist_10"));
    sql_texts_free(pg);
    sql_texts_free(maria);
}

static void texts_between_statements_are_remembered(void **state)
{
    struct sql_texts *texts = open_texts(SQL_TEXT_POSTGRES);
    struct sql_text_memory memory = {0};
    struct op op = {.statement = TPCC_S_PAY_CUSTOMER_ADD, .key = {3, 2, 17, 123456, 1, 4, 1}};
    struct sql_text_param h_data = {SQL_FROM_H_DATA, 0}, c_data = {SQL_FROM_C_DATA, 0};
    char buf[SQL_TEXT_BYTES + 1];
    uint32_t n;

    sql_text_read(text_of(texts, TPCC_S_PAY_WAREHOUSE, 0), 0, 0, "Wabcdefg", 8, &memory, &op);
    sql_text_read(text_of(texts, TPCC_S_PAY_DISTRICT, 0), 0, 0, "Dabcdefghi", 10, &memory, &op);
    n = sql_text_write(&h_data, &op, &memory, buf, SQL_TEXT_BYTES);
    buf[n] = '\0';
    assert_string_equal(buf, "Wabcdefg    Dabcdefghi");
    n = sql_text_write(&c_data, &op, &memory, buf, SQL_TEXT_BYTES);
    buf[n] = '\0';
    assert_string_equal(buf, "17 2 3 4 1 1234.56|");
    sql_texts_free(texts);
}

static void check_groups(const char *text, uint32_t groups)
{
    for (uint32_t i = 0; i < groups * 12 - 1; i++) {
        assert_true(i % 12 == 11 ? text[i] == '-' : isdigit((unsigned char)text[i]));
    }
    assert_int_equal(text[groups * 12 - 1], '\0');
}

static void texts_of_sbtest_have_the_form_of_sysbench(void **state)
{
    char c[SYSBENCH_C_BYTES + 1], again[SYSBENCH_C_BYTES + 1], pad[SYSBENCH_PAD_BYTES + 1];
    uint32_t digits[10] = {0};

    for (uint64_t seed = 0; seed < 1000; seed++) {
        sysbench_sql_c(seed, c);
        sysbench_sql_pad(seed, pad);
        check_groups(c, 10);
        check_groups(pad, 5);
        sysbench_sql_c(seed, again);
        assert_string_equal(c, again);
        sysbench_sql_c(seed + 1, again);
        assert_string_not_equal(c, again);
        assert_memory_not_equal(c, pad, SYSBENCH_PAD_BYTES);
        for (uint32_t i = 0; c[i] != '\0'; i++) {
            digits[c[i] == '-' ? 0 : c[i] - '0'] += c[i] != '-';
        }
    }
    for (uint32_t i = 0; i < 10; i++) { /* 11,000 each; 5 standard deviations are 498 */
        assert_in_range(digits[i], 10500, 11500);
    }
}

static void last_names_are_those_of_the_standard(void **state)
{
    char name[TPCC_NAME_BYTES + 1];
    uint32_t longest = 0;

    assert_int_equal(tpcc_sql_name(371, name), 13);
    assert_string_equal(name, "PRICALLYOUGHT");
    tpcc_sql_name(40, name);
    assert_string_equal(name, "BARPRESBAR");
    for (uint32_t i = 0; i < TPCC_NAMES; i++) {
        uint32_t bytes = tpcc_sql_name(i, name);

        longest = bytes > longest ? bytes : longest;
    }
    assert_int_equal(longest, TPCC_NAME_BYTES);
}

static void statements_of_sbtest_name_their_table(void **state)
{
    struct sql_texts_settings settings = {.dialect = SQL_TEXT_MARIADB, .sysbench = &sbtest};
    struct error err;
    struct sql_texts *texts;
    struct op op = {.statement = SYSBENCH_S_INSERT, .key = {99, 5, 1, 1}};

    sysbench_defaults(&sbtest);
    sbtest.tables = 100;
    texts = sql_texts_open(&settings, &err);
    assert_non_null(texts);
    assert_int_equal(sql_texts_count(texts), 3 + 10 * 100);
    assert_string_equal(sql_texts_at(texts, sql_texts_of(texts, &op))->text,
                        "INSERT INTO sbtest100 (id, k, c, pad) VALUES (?, ?, ?, ?)");
    op.key[1] = 0; /* the server's own number */
    assert_string_equal(sql_texts_at(texts, sql_texts_of(texts, &op))->text,
                        "INSERT INTO sbtest100 (k, c, pad) VALUES (?, ?, ?)");
    op.statement = SYSBENCH_S_POINT;
    op.key[0] = 0;
    assert_string_equal(sql_texts_at(texts, sql_texts_of(texts, &op))->text,
                        "SELECT c FROM sbtest1 WHERE id = ?");
    sql_texts_free(texts);
}

static uint32_t count(const struct sql_schema *schema, enum sql_schema_stage stage,
                      const char *word)
{
    struct text text;
    uint32_t n = 0;

    text_init(&text);
    for (uint32_t i = 0; sql_schema_statement(schema, stage, i, &text, NULL); i++) {
        n += strstr(text_string(&text), word) != NULL;
    }
    text_free(&text);
    return n;
}

static void schemas_hold_what_was_asked_for(void **state)
{
    struct sql_schema schema = {.dialect = SQL_TEXT_POSTGRES, .tpcc = &tpcc};
    struct error err;

    assert_int_equal(count(&schema, SQL_SCHEMA_TABLES, "CREATE TABLE"), 9);
    assert_int_equal(count(&schema, SQL_SCHEMA_INDEXES, "CREATE INDEX"), 2);
    assert_int_equal(count(&schema, SQL_SCHEMA_INDEXES, "PRIMARY KEY"), 8);
    assert_int_equal(count(&schema, SQL_SCHEMA_KEYS, "FOREIGN KEY"), 0);
    schema.index_full = schema.foreign_keys = schema.history_key = true;
    assert_int_equal(count(&schema, SQL_SCHEMA_INDEXES, "CREATE INDEX"), 6);
    assert_int_equal(count(&schema, SQL_SCHEMA_INDEXES, "PRIMARY KEY"), 9);
    assert_int_equal(count(&schema, SQL_SCHEMA_KEYS, "FOREIGN KEY"), 10);
    schema.partitions = 4;
    schema.options = "WITH (fillfactor=90)";
    assert_int_equal(count(&schema, SQL_SCHEMA_TABLES, "PARTITION OF"), 24);
    assert_int_equal(count(&schema, SQL_SCHEMA_TABLES, "fillfactor"), 24 + 3);
    schema.dialect = SQL_TEXT_MARIADB;
    assert_true(sql_schema_check(&schema, &err) < 0);
    assert_int_equal(err.exit, EXIT_USAGE);
    schema.foreign_keys = false;
    assert_int_equal(sql_schema_check(&schema, &err), 0);
    assert_int_equal(count(&schema, SQL_SCHEMA_TABLES, "PARTITIONS 4"), 6);
    assert_int_equal(count(&schema, SQL_SCHEMA_TABLES, "PRIMARY KEY"), 9);
}

static void the_load_says_which_names_it_drew(void **state)
{
    struct sql_schema schema = {.dialect = SQL_TEXT_POSTGRES, .tpcc = &tpcc};
    struct sql_schema_load load;
    struct tpcc_constants own, beside;

    sql_schema_load_of(&schema, &load);
    tpcc_constants(7, &own);
    assert_int_equal(load.c_load, own.c_last_load);
    assert_int_equal(load.scale, 12);
    for (uint64_t seed = 0; seed < 500; seed++) { /* clause 2.1.6.1, whoever loaded it */
        uint32_t apart;

        tpcc_constants_beside(seed, load.c_load, &beside);
        apart =
            beside.c_last > load.c_load ? beside.c_last - load.c_load : load.c_load - beside.c_last;
        assert_in_range(apart, 65, 119);
        assert_true(apart != 96 && apart != 112);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(money_is_exact),
        cmocka_unit_test(the_middle_row_of_a_name_is_taken),
        cmocka_unit_test(parameters_follow_the_text),
        cmocka_unit_test(texts_between_statements_are_remembered),
        cmocka_unit_test(texts_of_sbtest_have_the_form_of_sysbench),
        cmocka_unit_test(last_names_are_those_of_the_standard),
        cmocka_unit_test(statements_of_sbtest_name_their_table),
        cmocka_unit_test(schemas_hold_what_was_asked_for),
        cmocka_unit_test(the_load_says_which_names_it_drew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
