#include "checks_rules.h"

/*
 * TPC-C 3.3.2, and house rules. Both sides of a rule are put under one another and added up by key,
 * so that a side that is missing is 0 and compared too, and an empty sum is 0; one hash aggregation
 * each, exact decimals. Every row that comes back breaks the rule.
 */
static const struct check_rule rules[] = {
    {"tpcc.1", "each warehouse: w_ytd is the sum of its d_ytd", "w, w_ytd, sum of d_ytd",
     "SELECT w, SUM(a), SUM(b) FROM (SELECT w_id AS w, w_ytd AS a, 0 AS b FROM warehouse "
     "UNION ALL SELECT d_w_id, 0, d_ytd FROM district) t GROUP BY w HAVING SUM(a) <> SUM(b)",
     NULL},
    {"tpcc.2", "each district: d_next_o_id - 1 is the greatest o_id, and the greatest no_o_id",
     "w, d, d_next_o_id - 1, o_id, no_o_id",
     "SELECT w, d, MAX(n), MAX(o), MAX(x) FROM ("
     "SELECT d_w_id AS w, d_id AS d, d_next_o_id - 1 AS n, 0 AS o, 0 AS x FROM district "
     "UNION ALL SELECT o_w_id, o_d_id, 0, MAX(o_id), 0 FROM orders GROUP BY o_w_id, o_d_id "
     "UNION ALL SELECT no_w_id, no_d_id, 0, 0, MAX(no_o_id) FROM new_order "
     "GROUP BY no_w_id, no_d_id) t GROUP BY w, d "
     "HAVING MAX(n) <> MAX(o) OR (MAX(x) > 0 AND MAX(x) <> MAX(n))",
     NULL},
    {"tpcc.3", "each district: its rows of new_order are numbered without a gap",
     "w, d, last - first + 1, rows",
     "SELECT no_w_id, no_d_id, MAX(no_o_id) - MIN(no_o_id) + 1, COUNT(*) FROM new_order "
     "GROUP BY no_w_id, no_d_id HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)",
     NULL},
    {"tpcc.4", "each district: the sum of o_ol_cnt is the number of its order lines",
     "w, d, sum of o_ol_cnt, lines",
     "SELECT w, d, SUM(a), SUM(b) FROM ("
     "SELECT o_w_id AS w, o_d_id AS d, SUM(o_ol_cnt) AS a, 0 AS b FROM orders "
     "GROUP BY o_w_id, o_d_id "
     "UNION ALL SELECT ol_w_id, ol_d_id, 0, COUNT(*) FROM order_line GROUP BY ol_w_id, ol_d_id"
     ") t GROUP BY w, d HAVING SUM(a) <> SUM(b)",
     NULL},
    {"tpcc.5", "each order: o_carrier_id is null exactly while it has a row in new_order",
     "w, d, o, carrier null, new_order rows",
     "SELECT w, d, o, SUM(a), SUM(b) FROM ("
     "SELECT o_w_id AS w, o_d_id AS d, o_id AS o, 1 AS a, 0 AS b FROM orders "
     "WHERE o_carrier_id IS NULL "
     "UNION ALL SELECT no_w_id, no_d_id, no_o_id, 0, 1 FROM new_order"
     ") t GROUP BY w, d, o HAVING SUM(a) <> SUM(b)",
     NULL},
    {"tpcc.6", "each order: o_ol_cnt is the number of its order lines", "w, d, o, o_ol_cnt, lines",
     "SELECT w, d, o, SUM(a), SUM(b) FROM ("
     "SELECT o_w_id AS w, o_d_id AS d, o_id AS o, o_ol_cnt AS a, 0 AS b FROM orders "
     "UNION ALL SELECT ol_w_id, ol_d_id, ol_o_id, 0, COUNT(*) FROM order_line "
     "GROUP BY ol_w_id, ol_d_id, ol_o_id) t GROUP BY w, d, o HAVING SUM(a) <> SUM(b)",
     NULL},
    {"tpcc.7", "each line: ol_delivery_d is null exactly while its order has no carrier",
     "w, d, o, carrier null, lines without date, lines with",
     "SELECT w, d, o, SUM(a), SUM(b), SUM(c) FROM ("
     "SELECT o_w_id AS w, o_d_id AS d, o_id AS o, 1 AS a, 0 AS b, 0 AS c FROM orders "
     "WHERE o_carrier_id IS NULL "
     "UNION ALL SELECT ol_w_id, ol_d_id, ol_o_id, 0, COUNT(*) - COUNT(ol_delivery_d), "
     "COUNT(ol_delivery_d) FROM order_line GROUP BY ol_w_id, ol_d_id, ol_o_id) t "
     "GROUP BY w, d, o HAVING (SUM(a) > 0 AND SUM(c) > 0) OR (SUM(a) = 0 AND SUM(b) > 0)",
     NULL},
    {"tpcc.8", "each warehouse: w_ytd is the sum of its h_amount", "w, w_ytd, sum of h_amount",
     "SELECT w, SUM(a), SUM(b) FROM (SELECT w_id AS w, w_ytd AS a, 0 AS b FROM warehouse "
     "UNION ALL SELECT h_w_id, 0, SUM(h_amount) FROM history GROUP BY h_w_id) t "
     "GROUP BY w HAVING SUM(a) <> SUM(b)",
     NULL},
    {"tpcc.9", "each district: d_ytd is the sum of its h_amount", "w, d, d_ytd, sum of h_amount",
     "SELECT w, d, SUM(a), SUM(b) FROM ("
     "SELECT d_w_id AS w, d_id AS d, d_ytd AS a, 0 AS b FROM district "
     "UNION ALL SELECT h_w_id, h_d_id, 0, SUM(h_amount) FROM history GROUP BY h_w_id, h_d_id"
     ") t GROUP BY w, d HAVING SUM(a) <> SUM(b)",
     NULL},
    {"tpcc.10", "each customer: c_balance is his delivered ol_amount less his h_amount",
     "w, d, c, c_balance, delivered less paid",
     "SELECT w, d, c, SUM(a), SUM(b) FROM ("
     "SELECT c_w_id AS w, c_d_id AS d, c_id AS c, c_balance AS a, 0 AS b FROM customer "
     "UNION ALL SELECT h_c_w_id, h_c_d_id, h_c_id, 0, -SUM(h_amount) FROM history "
     "GROUP BY h_c_w_id, h_c_d_id, h_c_id "
     "UNION ALL SELECT o_w_id, o_d_id, o_c_id, 0, SUM(ol_amount) FROM orders "
     "JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id "
     "WHERE ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id"
     ") t GROUP BY w, d, c HAVING SUM(a) <> SUM(b)",
     NULL},
    {"tpcc.11", "each district: orders less new_order rows are 2,100 and what was delivered",
     "w, d, orders - new_order, 2100 + delivered",
     "SELECT w, d, SUM(a), SUM(b) FROM ("
     "SELECT o_w_id AS w, o_d_id AS d, COUNT(*) AS a, 0 AS b FROM orders GROUP BY o_w_id, o_d_id "
     "UNION ALL SELECT no_w_id, no_d_id, -COUNT(*), 0 FROM new_order GROUP BY no_w_id, no_d_id "
     "UNION ALL SELECT c_w_id, c_d_id, 0, SUM(c_delivery_cnt) FROM customer "
     "GROUP BY c_w_id, c_d_id "
     "UNION ALL SELECT d_w_id, d_id, 0, 2100 FROM district"
     ") t GROUP BY w, d HAVING SUM(a) <> SUM(b)",
     NULL},
    {"tpcc.12", "each customer: c_balance + c_ytd_payment is his delivered ol_amount",
     "w, d, c, c_balance + c_ytd_payment, delivered",
     "SELECT w, d, c, SUM(a), SUM(b) FROM ("
     "SELECT c_w_id AS w, c_d_id AS d, c_id AS c, c_balance + c_ytd_payment AS a, 0 AS b "
     "FROM customer "
     "UNION ALL SELECT o_w_id, o_d_id, o_c_id, 0, SUM(ol_amount) FROM orders "
     "JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id "
     "WHERE ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id"
     ") t GROUP BY w, d, c HAVING SUM(a) <> SUM(b)",
     NULL},
    {"tpcc.R1", "each district: as many orders as d_next_o_id has given numbers",
     "w, d, d_next_o_id - 1, orders",
     "SELECT w, d, SUM(a), SUM(b) FROM ("
     "SELECT d_w_id AS w, d_id AS d, d_next_o_id - 1 AS a, 0 AS b FROM district "
     "UNION ALL SELECT o_w_id, o_d_id, 0, COUNT(*) FROM orders GROUP BY o_w_id, o_d_id"
     ") t GROUP BY w, d HAVING SUM(a) <> SUM(b)",
     NULL},
    {"tpcc.R2", "each customer: c_payment_cnt is the number of his rows in history",
     "w, d, c, c_payment_cnt, history rows",
     "SELECT w, d, c, SUM(a), SUM(b) FROM ("
     "SELECT c_w_id AS w, c_d_id AS d, c_id AS c, c_payment_cnt AS a, 0 AS b FROM customer "
     "UNION ALL SELECT h_c_w_id, h_c_d_id, h_c_id, 0, COUNT(*) FROM history "
     "GROUP BY h_c_w_id, h_c_d_id, h_c_id) t GROUP BY w, d, c HAVING SUM(a) <> SUM(b)",
     NULL},
    {"tpcc.R3", "each stock: s_ytd, s_order_cnt, s_remote_cnt are those of the lines sold",
     "w, i, s_ytd, sold, s_order_cnt, lines, s_remote_cnt, remote lines",
     "SELECT w, i, SUM(a), SUM(x), SUM(b), SUM(y), SUM(c), SUM(z) FROM ("
     "SELECT s_w_id AS w, s_i_id AS i, s_ytd AS a, 0 AS x, s_order_cnt AS b, 0 AS y, "
     "s_remote_cnt AS c, 0 AS z FROM stock "
     "WHERE s_ytd <> 0 OR s_order_cnt <> 0 OR s_remote_cnt <> 0 "
     "UNION ALL SELECT ol_supply_w_id, ol_i_id, 0, SUM(ol_quantity), 0, COUNT(*), 0, "
     "SUM(CASE WHEN ol_supply_w_id <> ol_w_id THEN 1 ELSE 0 END) FROM order_line "
     "WHERE ol_o_id > 3000 GROUP BY ol_supply_w_id, ol_i_id) t GROUP BY w, i "
     "HAVING SUM(a) <> SUM(x) OR SUM(b) <> SUM(y) OR SUM(c) <> SUM(z)",
     NULL},
    {"tpcc.R4",
     "each customer: c_delivery_cnt is the number of his orders delivered since the load",
     "w, d, c, c_delivery_cnt, delivered",
     "SELECT w, d, c, SUM(a), SUM(b) FROM ("
     "SELECT c_w_id AS w, c_d_id AS d, c_id AS c, c_delivery_cnt AS a, 0 AS b FROM customer "
     "WHERE c_delivery_cnt <> 0 "
     "UNION ALL SELECT o_w_id, o_d_id, o_c_id, 0, COUNT(*) FROM orders "
     "WHERE o_id > 2100 AND o_carrier_id IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id"
     ") t GROUP BY w, d, c HAVING SUM(a) <> SUM(b)",
     NULL},
    {"tpcc.R5", "each stock: s_quantity is 10 to 100", "w, i, s_quantity",
     "SELECT s_w_id, s_i_id, s_quantity FROM stock WHERE s_quantity NOT BETWEEN 10 AND 100", NULL},
    {"tpcc.R6", "each order: o_all_local is 0 exactly if a line comes from another warehouse",
     "w, d, o, o_all_local, remote lines",
     "SELECT w, d, o, SUM(a), SUM(b) FROM ("
     "SELECT o_w_id AS w, o_d_id AS d, o_id AS o, 1 - o_all_local AS a, 0 AS b FROM orders "
     "WHERE o_all_local <> 1 "
     "UNION ALL SELECT DISTINCT ol_w_id, ol_d_id, ol_o_id, 0, 1 FROM order_line "
     "WHERE ol_supply_w_id <> ol_w_id) t GROUP BY w, d, o HAVING SUM(a) <> SUM(b)",
     NULL},
    {"tpcc.R7", "each line sold: ol_amount is ol_quantity x i_price",
     "w, d, o, number, ol_amount, quantity x price",
     "SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_amount, ol_quantity * i_price "
     "FROM order_line JOIN item ON i_id = ol_i_id "
     "WHERE ol_o_id > 3000 AND ol_amount <> ol_quantity * i_price",
     NULL},
    {"tpcc.R8", "each customer: c_data has at most 500 characters", "w, d, c, length",
     "SELECT c_w_id, c_d_id, c_id, LENGTH(c_data) FROM customer WHERE LENGTH(c_data) > 500", NULL},
};

const struct check_rule *check_rules_tpcc(uint32_t *ret_count)
{
    *ret_count = sizeof(rules) / sizeof(rules[0]);
    return rules;
}
