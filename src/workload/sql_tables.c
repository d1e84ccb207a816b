#include "sql_tables.h"

#define COLUMNS(list) list, sizeof(list) / sizeof(*(list))
#define ADDRESS(p)                                                                                 \
    {p "_street_1", "varchar(20)"}, {p "_street_2", "varchar(20)"}, {p "_city", "varchar(20)"},    \
        {p "_state", "char(2)"},                                                                   \
    {                                                                                              \
        p "_zip", "char(9)"                                                                        \
    }

/* Clause 1.3.1, with wider counters (WORKLOADS.md 1.2). */
static const struct sql_table_column warehouse[] = {
    {"w_id", "int NOT NULL"},  {"w_name", "varchar(10)"},  ADDRESS("w"),
    {"w_tax", "numeric(4,4)"}, {"w_ytd", "numeric(12,2)"},
};
static const struct sql_table_column district[] = {
    {"d_id", "int NOT NULL"},  {"d_w_id", "int NOT NULL"}, {"d_name", "varchar(10)"}, ADDRESS("d"),
    {"d_tax", "numeric(4,4)"}, {"d_ytd", "numeric(12,2)"}, {"d_next_o_id", "int"},
};
static const struct sql_table_column customer[] = {
    {"c_id", "int NOT NULL"},
    {"c_d_id", "int NOT NULL"},
    {"c_w_id", "int NOT NULL"},
    {"c_first", "varchar(16)"},
    {"c_middle", "char(2)"},
    {"c_last", "varchar(16)"},
    ADDRESS("c"),
    {"c_phone", "char(16)"},
    {"c_since", "~"},
    {"c_credit", "char(2)"},
    {"c_credit_lim", "numeric(12,2)"},
    {"c_discount", "numeric(4,4)"},
    {"c_balance", "numeric(12,2)"},
    {"c_ytd_payment", "numeric(12,2)"},
    {"c_payment_cnt", "int"},
    {"c_delivery_cnt", "int"},
    {"c_data", "varchar(500)"},
};
#define HISTORY                                                                                    \
    {"h_c_id", "int"}, {"h_c_d_id", "int"}, {"h_c_w_id", "int"}, {"h_d_id", "int"},                \
        {"h_w_id", "int NOT NULL"}, {"h_date", "~"}, {"h_amount", "numeric(6,2)"},                 \
    {                                                                                              \
        "h_data", "varchar(24)"                                                                    \
    }
static const struct sql_table_column history[] = {HISTORY};
static const struct sql_table_column history_with_key[] = {HISTORY, {"h_id", "&"}};
static const struct sql_table_column orders[] = {
    {"o_id", "int NOT NULL"}, {"o_d_id", "int NOT NULL"},  {"o_w_id", "int NOT NULL"},
    {"o_c_id", "int"},        {"o_entry_d", "~"},          {"o_carrier_id", "int"},
    {"o_ol_cnt", "smallint"}, {"o_all_local", "smallint"},
};
static const struct sql_table_column new_order[] = {
    {"no_o_id", "int NOT NULL"},
    {"no_d_id", "int NOT NULL"},
    {"no_w_id", "int NOT NULL"},
};
static const struct sql_table_column order_line[] = {
    {"ol_o_id", "int NOT NULL"},   {"ol_d_id", "int NOT NULL"}, {"ol_w_id", "int NOT NULL"},
    {"ol_number", "int NOT NULL"}, {"ol_i_id", "int"},          {"ol_supply_w_id", "int"},
    {"ol_delivery_d", "~"},        {"ol_quantity", "smallint"}, {"ol_amount", "numeric(6,2)"},
    {"ol_dist_info", "char(24)"},
};
static const struct sql_table_column stock[] = {
    {"s_i_id", "int NOT NULL"}, {"s_w_id", "int NOT NULL"}, {"s_quantity", "smallint"},
    {"s_dist_01", "char(24)"},  {"s_dist_02", "char(24)"},  {"s_dist_03", "char(24)"},
    {"s_dist_04", "char(24)"},  {"s_dist_05", "char(24)"},  {"s_dist_06", "char(24)"},
    {"s_dist_07", "char(24)"},  {"s_dist_08", "char(24)"},  {"s_dist_09", "char(24)"},
    {"s_dist_10", "char(24)"},  {"s_ytd", "bigint"},        {"s_order_cnt", "int"},
    {"s_remote_cnt", "int"},    {"s_data", "varchar(50)"},
};
static const struct sql_table_column item[] = {
    {"i_id", "int NOT NULL"},    {"i_im_id", "int"},        {"i_name", "varchar(24)"},
    {"i_price", "numeric(5,2)"}, {"i_data", "varchar(50)"},
};

static const struct sql_table tpcc_tables[TPCC_TABLES] = {
    [TPCC_WAREHOUSE] = {"warehouse", COLUMNS(warehouse), "w_id", NULL},
    [TPCC_DISTRICT] = {"district", COLUMNS(district), "d_w_id, d_id", NULL},
    [TPCC_CUSTOMER] = {"customer", COLUMNS(customer), "c_w_id, c_d_id, c_id", "c_w_id"},
    [TPCC_HISTORY] = {"history", COLUMNS(history), NULL, "h_w_id"},
    [TPCC_ORDERS] = {"orders", COLUMNS(orders), "o_w_id, o_d_id, o_id", "o_w_id"},
    [TPCC_NEW_ORDERS] = {"new_order", COLUMNS(new_order), "no_w_id, no_d_id, no_o_id", "no_w_id"},
    [TPCC_ORDER_LINE] = {"order_line", COLUMNS(order_line), "ol_w_id, ol_d_id, ol_o_id, ol_number",
                         "ol_w_id"},
    [TPCC_STOCK] = {"stock", COLUMNS(stock), "s_w_id, s_i_id", "s_w_id"},
    [TPCC_ITEM] = {"item", COLUMNS(item), "i_id", NULL},
};
const struct sql_table sql_tables_history_key = {"history", COLUMNS(history_with_key),
                                                 "h_id, h_w_id", "h_w_id"};

static const struct sql_table_key tpcc_keys[] = {
    {"customer_name", TPCC_CUSTOMER, "c_w_id, c_d_id, c_last, c_first", NULL, false},
    {"orders_customer", TPCC_ORDERS, "o_w_id, o_d_id, o_c_id, o_id", NULL, false},
    {"order_line_stock", TPCC_ORDER_LINE, "ol_supply_w_id, ol_i_id", NULL, true},
    {"stock_item", TPCC_STOCK, "s_i_id", NULL, true},
    {"history_customer", TPCC_HISTORY, "h_c_w_id, h_c_d_id, h_c_id", NULL, true},
    {"history_district", TPCC_HISTORY, "h_w_id, h_d_id", NULL, true},
    {"district_fk", TPCC_DISTRICT, "d_w_id", "warehouse (w_id)", false},
    {"customer_fk", TPCC_CUSTOMER, "c_w_id, c_d_id", "district (d_w_id, d_id)", false},
    {"history_fk1", TPCC_HISTORY, "h_c_w_id, h_c_d_id, h_c_id", "customer (c_w_id, c_d_id, c_id)",
     false},
    {"history_fk2", TPCC_HISTORY, "h_w_id, h_d_id", "district (d_w_id, d_id)", false},
    {"orders_fk", TPCC_ORDERS, "o_w_id, o_d_id, o_c_id", "customer (c_w_id, c_d_id, c_id)", false},
    {"new_order_fk", TPCC_NEW_ORDERS, "no_w_id, no_d_id, no_o_id", "orders (o_w_id, o_d_id, o_id)",
     false},
    {"order_line_fk1", TPCC_ORDER_LINE, "ol_w_id, ol_d_id, ol_o_id",
     "orders (o_w_id, o_d_id, o_id)", false},
    {"order_line_fk2", TPCC_ORDER_LINE, "ol_supply_w_id, ol_i_id", "stock (s_w_id, s_i_id)", false},
    {"stock_fk1", TPCC_STOCK, "s_w_id", "warehouse (w_id)", false},
    {"stock_fk2", TPCC_STOCK, "s_i_id", "item (i_id)", false},
};
const struct sql_tables sql_tables_tpcc = {tpcc_tables, tpcc_keys, TPCC_TABLES,
                                           sizeof(tpcc_keys) / sizeof(*tpcc_keys)};

static const struct sql_table_column sbtest[] = {
    {"id", "&"},
    {"k", "int NOT NULL DEFAULT 0"},
    {"c", "char(120) NOT NULL DEFAULT ''"},
    {"pad", "char(60) NOT NULL DEFAULT ''"},
};
static const struct sql_table sysbench_tables[] = {{"sbtest#", COLUMNS(sbtest), "id", NULL}};
static const struct sql_table_key sysbench_keys[] = {{"k_#", 0, "k", NULL, false}};
const struct sql_tables sql_tables_sysbench = {sysbench_tables, sysbench_keys, 1, 1};

static const struct sql_table_column branches[] = {
    {"bid", "int NOT NULL"}, {"bbalance", "int"}, {"filler", "char(88)"}};
static const struct sql_table_column tellers[] = {
    {"tid", "int NOT NULL"}, {"bid", "int"}, {"tbalance", "int"}, {"filler", "char(84)"}};
static const struct sql_table_column accounts[] = {
    {"aid", "int NOT NULL"}, {"bid", "int"}, {"abalance", "int"}, {"filler", "char(84)"}};
static const struct sql_table_column big_accounts[] = {
    {"aid", "bigint NOT NULL"}, {"bid", "int"}, {"abalance", "int"}, {"filler", "char(84)"}};
static const struct sql_table_column tpcb_history[] = {{"tid", "int"},    {"bid", "int"},
                                                       {"aid", "bigint"}, {"delta", "int"},
                                                       {"mtime", "~"},    {"filler", "char(22)"}};

static const struct sql_table tpcb_tables[] = {
    {"pgbench_branches", COLUMNS(branches), "bid", NULL},
    {"pgbench_tellers", COLUMNS(tellers), "tid", NULL},
    {"pgbench_accounts", COLUMNS(accounts), "aid", NULL},
    {"pgbench_history", COLUMNS(tpcb_history), NULL, NULL},
};
const struct sql_table sql_tables_big_accounts = {"pgbench_accounts", COLUMNS(big_accounts), "aid",
                                                  NULL};
static const struct sql_table_key tpcb_keys[] = {
    {"pgbench_tellers_fk", 1, "bid", "pgbench_branches (bid)", false},
    {"pgbench_accounts_fk", 2, "bid", "pgbench_branches (bid)", false},
    {"pgbench_history_fk1", 3, "bid", "pgbench_branches (bid)", false},
    {"pgbench_history_fk2", 3, "tid", "pgbench_tellers (tid)", false},
};
const struct sql_tables sql_tables_tpcb = {tpcb_tables, tpcb_keys, 4,
                                           sizeof(tpcb_keys) / sizeof(*tpcb_keys)};
