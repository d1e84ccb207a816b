#include <string.h>

#include "base/must.h"
#include "sql_texts.h"

/* Clause 4.3.2.3. */
static const char *const syllables[10] = {"BAR", "OUGHT", "ABLE",  "PRI",   "PRES",
                                          "ESE", "ANTI",  "CALLY", "ATION", "EING"};

uint32_t tpcc_sql_name(uint32_t number, char ret[TPCC_NAME_BYTES + 1])
{
    char *end = ret;

    must(number < TPCC_NAMES);
    end = stpcpy(end, syllables[number / 100]);
    end = stpcpy(end, syllables[number / 10 % 10]);
    end = stpcpy(end, syllables[number % 10]);
    return (uint32_t)(end - ret);
}

#define WHERE_CUSTOMER " FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?"
#define WHERE_NAME     " FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ?"
#define WHERE_LINES    " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?"

/* Two texts: of a customer of good credit, and of one of bad credit. */
#define PAYS                                                                                       \
    "UPDATE customer SET c_balance = c_balance - @, c_ytd_payment = c_ytd_payment + @, "           \
    "c_payment_cnt = c_payment_cnt + 1"
#define IS_CUSTOMER " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?"

static const struct sql_draft bad_credit = {
    .text = {PAYS ", c_data = left(?::varchar || c_data, 500)" IS_CUSTOMER,
             PAYS ", c_data = left(concat(?, c_data), 500)" IS_CUSTOMER},
    .keys = "33B012",
    .columns = "",
};

/* '#' is the district; clause numbers are those of the transactions in tpcc_*.c. */
static const struct sql_draft drafts[TPCC_STATEMENTS] = {
    [TPCC_S_BEGIN] = {.text = {"BEGIN"}, .keys = "", .columns = "", .utility = true},
    [TPCC_S_COMMIT] =
        {.text = {"COMMIT"}, .keys = "", .columns = "", .needed = true, .utility = true},
    [TPCC_S_ROLLBACK] =
        {.text = {"ROLLBACK"}, .keys = "", .columns = "", .needed = true, .utility = true},

    [TPCC_S_NO_WAREHOUSE] = {.text = {"SELECT w_tax FROM warehouse WHERE w_id = ?"},
                             .keys = "0",
                             .columns = "t"},
    [TPCC_S_NO_CUSTOMER] = {.text = {"SELECT c_discount, c_last, c_credit" WHERE_CUSTOMER},
                            .keys = "012",
                            .columns = "t"},
    [TPCC_S_NO_DISTRICT] = {.text = {"SELECT d_next_o_id, d_tax FROM district "
                                     "WHERE d_w_id = ? AND d_id = ? FOR UPDATE"},
                            .keys = "01",
                            .columns = "au",
                            .needed = true},
    [TPCC_S_NO_DISTRICT_SET] = {.text = {"UPDATE district SET d_next_o_id = ? "
                                         "WHERE d_w_id = ? AND d_id = ?"},
                                .keys = "201",
                                .columns = ""},
    [TPCC_S_NO_ORDER] =
        {.text = {"INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt, "
                  "o_all_local) VALUES (?, ?, ?, ?, now(), ?, ?)"},
         .keys = "012345",
         .columns = ""},
    [TPCC_S_NO_NEW_ORDER] = {.text = {"INSERT INTO new_order (no_w_id, no_d_id, no_o_id) "
                                      "VALUES (?, ?, ?)"},
                             .keys = "012",
                             .columns = ""},
    [TPCC_S_NO_ITEM] = {.text = {"SELECT i_price, i_name, i_data FROM item WHERE i_id = ?"},
                        .keys = "0",
                        .columns = "x",
                        .needed = true},
    [TPCC_S_NO_STOCK] = {.text = {"SELECT s_quantity, s_dist_#, s_data FROM stock "
                                  "WHERE s_w_id = ? AND s_i_id = ? FOR UPDATE"},
                         .keys = "01",
                         .columns = "as",
                         .needed = true},
    [TPCC_S_NO_STOCK_SET] =
        {.text = {"UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, "
                  "s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ? "
                  "WHERE s_w_id = ? AND s_i_id = ?"},
         .keys = "23401",
         .columns = ""},
    [TPCC_S_NO_LINE] =
        {.text = {"INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, "
                  "ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) "
                  "VALUES (?, ?, ?, ?, ?, ?, ?, @, ?)"},
         .keys = "01234567D",
         .columns = ""},

    [TPCC_S_PAY_WAREHOUSE_ADD] = {.text = {"UPDATE warehouse SET w_ytd = w_ytd + @ WHERE w_id = ?"},
                                  .keys = "10",
                                  .columns = ""},
    [TPCC_S_PAY_WAREHOUSE] =
        {.text = {"SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip "
                  "FROM warehouse WHERE w_id = ?"},
         .keys = "0",
         .columns = "w"},
    [TPCC_S_PAY_DISTRICT_ADD] = {.text = {"UPDATE district SET d_ytd = d_ytd + @ "
                                          "WHERE d_w_id = ? AND d_id = ?"},
                                 .keys = "201",
                                 .columns = ""},
    [TPCC_S_PAY_DISTRICT] =
        {.text = {"SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip "
                  "FROM district WHERE d_w_id = ? AND d_id = ?"},
         .keys = "01",
         .columns = "d"},
    [TPCC_S_PAY_BY_NAME] = {.text = {"SELECT c_id" WHERE_NAME " ORDER BY c_first"},
                            .keys = "01N",
                            .columns = "m",
                            .needed = true},
    [TPCC_S_PAY_CUSTOMER] =
        {.text = {"SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, "
                  "c_city, c_state, c_zip, c_phone, c_since, c_credit_lim, c_discount, "
                  "c_balance, CASE WHEN c_credit = 'BC' THEN c_data END" WHERE_CUSTOMER
                  " FOR UPDATE"},
         .keys = "012",
         .columns = "c",
         .needed = true},
    [TPCC_S_PAY_CUSTOMER_ADD] = {.text = {PAYS IS_CUSTOMER}, .keys = "33012", .columns = ""},
    [TPCC_S_PAY_HISTORY] =
        {.text = {"INSERT INTO history (h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, "
                  "h_date, h_amount, h_data) VALUES (?, ?, ?, ?, ?, now(), @, ?)"},
         .keys = "012345H",
         .columns = ""},

    [TPCC_S_OS_BY_NAME] = {.text = {"SELECT c_id, c_balance, c_first, c_middle" WHERE_NAME
                                    " ORDER BY c_first"},
                           .keys = "01N",
                           .columns = "m",
                           .needed = true},
    [TPCC_S_OS_CUSTOMER] = {.text = {"SELECT c_balance, c_first, c_middle, c_last" WHERE_CUSTOMER},
                            .keys = "012",
                            .columns = ""},
    [TPCC_S_OS_LAST_ORDER] = {.text = {"SELECT o_id, o_ol_cnt, o_carrier_id, o_entry_d FROM orders "
                                       "WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? "
                                       "ORDER BY o_id DESC LIMIT 1"},
                              .keys = "012",
                              .columns = "ab",
                              .needed = true},
    [TPCC_S_OS_LINES] =
        {.text = {"SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d "
                  "FROM order_line" WHERE_LINES},
         .keys = "012",
         .columns = ""},

    [TPCC_S_DEL_OLDEST] =
        {.text = {"SELECT no_o_id FROM new_order WHERE no_w_id = ? AND no_d_id = ? "
                  "ORDER BY no_o_id LIMIT 1 FOR UPDATE"},
         .keys = "01",
         .columns = "a",
         .needed = true},
    [TPCC_S_DEL_REMOVE] = {.text = {"DELETE FROM new_order "
                                    "WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?"},
                           .keys = "012",
                           .columns = ""},
    [TPCC_S_DEL_ORDER] = {.text = {"SELECT o_c_id, o_ol_cnt FROM orders "
                                   "WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?"},
                          .keys = "012",
                          .columns = "ab",
                          .needed = true},
    [TPCC_S_DEL_CARRIER] = {.text = {"UPDATE orders SET o_carrier_id = ? "
                                     "WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?"},
                            .keys = "3012",
                            .columns = ""},
    [TPCC_S_DEL_LINES] = {.text = {"UPDATE order_line SET ol_delivery_d = now()" WHERE_LINES},
                          .keys = "012",
                          .columns = ""},
    [TPCC_S_DEL_SUM] = {.text = {"SELECT sum(ol_amount) FROM order_line" WHERE_LINES},
                        .keys = "012",
                        .columns = "x",
                        .needed = true},
    [TPCC_S_DEL_CUSTOMER] = {.text = {"UPDATE customer SET c_balance = c_balance + @, "
                                      "c_delivery_cnt = c_delivery_cnt + 1" IS_CUSTOMER},
                             .keys = "3012",
                             .columns = ""},

    [TPCC_S_SL_DISTRICT] =
        {.text = {"SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?"},
         .keys = "01",
         .columns = "a",
         .needed = true},
    [TPCC_S_SL_COUNT] =
        {.text = {"SELECT count(DISTINCT s_i_id) FROM order_line, stock "
                  "WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ? - 20 "
                  "AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?"},
         .keys = "012203",
         .columns = "a"},

    [TPCC_S_CALL_NEW_ORDER] = {.text = {"SELECT rawtps_new_order(?, ?, ?, ?, ?, ?)"},
                               .keys = "01234L",
                               .columns = "a",
                               .needed = true,
                               .whole = true},
    [TPCC_S_CALL_PAYMENT] = {.text = {"SELECT rawtps_payment(?, ?, ?, ?, ?, ?, @)"},
                             .keys = "01234o6",
                             .columns = "a",
                             .needed = true,
                             .whole = true},
    [TPCC_S_CALL_ORDER_STATUS] =
        {{"SELECT rawtps_order_status(?, ?, ?, ?)"}, "012n", "a", .needed = true, .whole = true},
    [TPCC_S_CALL_DELIVERY] =
        {{"SELECT rawtps_delivery(?, ?)"}, "01", "a", .needed = true, .whole = true},
    [TPCC_S_CALL_STOCK_LEVEL] =
        {{"SELECT rawtps_stock_level(?, ?, ?)"}, "012", "a", .needed = true, .whole = true},
};

static uint32_t text_of(const struct sql_texts *texts, const struct op *op)
{
    uint32_t first = texts->first[op->statement];

    must(op->statement < TPCC_STATEMENTS);
    switch (op->statement) {
    case TPCC_S_NO_STOCK:
        must(op->key[2] >= 1 && op->key[2] <= TPCC_DISTRICTS);
        return first + (uint32_t)op->key[2] - 1;
    case TPCC_S_PAY_CUSTOMER_ADD:
        return first + (op->key[6] != 0);
    default:
        return first;
    }
}

static void add_stock(struct sql_texts *texts)
{
    struct sql_draft draft = drafts[TPCC_S_NO_STOCK];

    for (uint32_t d = 1; d <= TPCC_DISTRICTS; d++) {
        draft.text[0] = d < 10 ? "SELECT s_quantity, s_dist_0#, s_data FROM stock "
                                 "WHERE s_w_id = ? AND s_i_id = ? FOR UPDATE"
                               : drafts[TPCC_S_NO_STOCK].text[0];
        sql_texts_add(texts, TPCC_S_NO_STOCK, &draft, d);
    }
}

void tpcc_sql_build(struct sql_texts *texts)
{
    texts->of = text_of;
    for (uint32_t i = 0; i < TPCC_STATEMENTS; i++) {
        if (i == TPCC_S_NO_STOCK) {
            add_stock(texts);
        } else {
            sql_texts_add(texts, i, &drafts[i], 0);
        }
        if (i == TPCC_S_PAY_CUSTOMER_ADD) {
            sql_texts_add(texts, i, &bad_credit, 0);
        }
    }
}
