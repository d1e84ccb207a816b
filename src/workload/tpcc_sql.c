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
    [TPCC_S_BEGIN] = {{"BEGIN"}, "", "", .utility = true},
    [TPCC_S_COMMIT] = {{"COMMIT"}, "", "", .needed = true, .utility = true},
    [TPCC_S_ROLLBACK] = {{"ROLLBACK"}, "", "", .needed = true, .utility = true},

    [TPCC_S_NO_WAREHOUSE] = {{"SELECT w_tax FROM warehouse WHERE w_id = ?"}, "0", "t"},
    [TPCC_S_NO_CUSTOMER] = {{"SELECT c_discount, c_last, c_credit" WHERE_CUSTOMER}, "012", "t"},
    [TPCC_S_NO_DISTRICT] = {{"SELECT d_next_o_id, d_tax FROM district "
                             "WHERE d_w_id = ? AND d_id = ? FOR UPDATE"},
                            "01",
                            "au",
                            .needed = true},
    [TPCC_S_NO_DISTRICT_SET] = {{"UPDATE district SET d_next_o_id = ? "
                                 "WHERE d_w_id = ? AND d_id = ?"},
                                "201",
                                ""},
    [TPCC_S_NO_ORDER] = {{"INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt, "
                          "o_all_local) VALUES (?, ?, ?, ?, now(), ?, ?)"},
                         "012345",
                         ""},
    [TPCC_S_NO_NEW_ORDER] = {{"INSERT INTO new_order (no_w_id, no_d_id, no_o_id) "
                              "VALUES (?, ?, ?)"},
                             "012",
                             ""},
    [TPCC_S_NO_ITEM] = {{"SELECT i_price, i_name, i_data FROM item WHERE i_id = ?"},
                        "0",
                        "x",
                        .needed = true},
    [TPCC_S_NO_STOCK] = {{"SELECT s_quantity, s_dist_#, s_data FROM stock "
                          "WHERE s_w_id = ? AND s_i_id = ? FOR UPDATE"},
                         "01",
                         "as",
                         .needed = true},
    [TPCC_S_NO_STOCK_SET] = {{"UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, "
                              "s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ? "
                              "WHERE s_w_id = ? AND s_i_id = ?"},
                             "23401",
                             ""},
    [TPCC_S_NO_LINE] = {{"INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, "
                         "ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) "
                         "VALUES (?, ?, ?, ?, ?, ?, ?, @, ?)"},
                        "01234567D",
                        ""},

    [TPCC_S_PAY_WAREHOUSE_ADD] = {{"UPDATE warehouse SET w_ytd = w_ytd + @ WHERE w_id = ?"},
                                  "10",
                                  ""},
    [TPCC_S_PAY_WAREHOUSE] = {{"SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip "
                               "FROM warehouse WHERE w_id = ?"},
                              "0",
                              "w"},
    [TPCC_S_PAY_DISTRICT_ADD] = {{"UPDATE district SET d_ytd = d_ytd + @ "
                                  "WHERE d_w_id = ? AND d_id = ?"},
                                 "201",
                                 ""},
    [TPCC_S_PAY_DISTRICT] = {{"SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip "
                              "FROM district WHERE d_w_id = ? AND d_id = ?"},
                             "01",
                             "d"},
    [TPCC_S_PAY_BY_NAME] = {{"SELECT c_id" WHERE_NAME " ORDER BY c_first"},
                            "01N",
                            "m",
                            .needed = true},
    [TPCC_S_PAY_CUSTOMER] = {{"SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, "
                              "c_city, c_state, c_zip, c_phone, c_since, c_credit_lim, c_discount, "
                              "c_balance, CASE WHEN c_credit = 'BC' THEN c_data END" WHERE_CUSTOMER
                              " FOR UPDATE"},
                             "012",
                             "c",
                             .needed = true},
    [TPCC_S_PAY_CUSTOMER_ADD] = {{PAYS IS_CUSTOMER}, "33012", ""},
    [TPCC_S_PAY_HISTORY] = {{"INSERT INTO history (h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, "
                             "h_date, h_amount, h_data) VALUES (?, ?, ?, ?, ?, now(), @, ?)"},
                            "012345H",
                            ""},

    [TPCC_S_OS_BY_NAME] = {{"SELECT c_id, c_balance, c_first, c_middle" WHERE_NAME
                            " ORDER BY c_first"},
                           "01N",
                           "m",
                           .needed = true},
    [TPCC_S_OS_CUSTOMER] = {{"SELECT c_balance, c_first, c_middle, c_last" WHERE_CUSTOMER},
                            "012",
                            ""},
    [TPCC_S_OS_LAST_ORDER] = {{"SELECT o_id, o_ol_cnt, o_carrier_id, o_entry_d FROM orders "
                               "WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? "
                               "ORDER BY o_id DESC LIMIT 1"},
                              "012",
                              "ab",
                              .needed = true},
    [TPCC_S_OS_LINES] = {{"SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d "
                          "FROM order_line" WHERE_LINES},
                         "012",
                         ""},

    [TPCC_S_DEL_OLDEST] = {{"SELECT no_o_id FROM new_order WHERE no_w_id = ? AND no_d_id = ? "
                            "ORDER BY no_o_id LIMIT 1 FOR UPDATE"},
                           "01",
                           "a",
                           .needed = true},
    [TPCC_S_DEL_REMOVE] = {{"DELETE FROM new_order "
                            "WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?"},
                           "012",
                           ""},
    [TPCC_S_DEL_ORDER] = {{"SELECT o_c_id, o_ol_cnt FROM orders "
                           "WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?"},
                          "012",
                          "ab",
                          .needed = true},
    [TPCC_S_DEL_CARRIER] = {{"UPDATE orders SET o_carrier_id = ? "
                             "WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?"},
                            "3012",
                            ""},
    [TPCC_S_DEL_LINES] = {{"UPDATE order_line SET ol_delivery_d = now()" WHERE_LINES}, "012", ""},
    [TPCC_S_DEL_SUM] = {{"SELECT sum(ol_amount) FROM order_line" WHERE_LINES},
                        "012",
                        "x",
                        .needed = true},
    [TPCC_S_DEL_CUSTOMER] = {{"UPDATE customer SET c_balance = c_balance + @, "
                              "c_delivery_cnt = c_delivery_cnt + 1" IS_CUSTOMER},
                             "3012",
                             ""},

    [TPCC_S_SL_DISTRICT] = {{"SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?"},
                            "01",
                            "a",
                            .needed = true},
    [TPCC_S_SL_COUNT] = {{"SELECT count(DISTINCT s_i_id) FROM order_line, stock "
                          "WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ? - 20 "
                          "AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?"},
                         "012203",
                         "a"},

    [TPCC_S_CALL_NEW_ORDER] = {{"SELECT rawtps_new_order(?, ?, ?, ?, ?, ?)"},
                               "01234L",
                               "a",
                               .needed = true,
                               .whole = true},
    [TPCC_S_CALL_PAYMENT] = {{"SELECT rawtps_payment(?, ?, ?, ?, ?, ?, @)"},
                             "01234o6",
                             "a",
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
