#include "tpcc_txn.h"

static const struct catalog_table tables[TPCC_TABLES] = {
    [TPCC_WAREHOUSE] = {"warehouse"},
    [TPCC_DISTRICT] = {"district"},
    [TPCC_CUSTOMER] = {"customer"},
    [TPCC_HISTORY] = {"history"},
    [TPCC_ORDERS] = {"orders"},
    [TPCC_NEW_ORDERS] = {"new_order"},
    [TPCC_ORDER_LINE] = {"order_line"},
    [TPCC_STOCK] = {"stock"},
    [TPCC_ITEM] = {"item"},
};

/* BEGIN, COMMIT and ROLLBACK have no table. */
const struct catalog_statement tpcc_statements[TPCC_STATEMENTS] = {
    [TPCC_S_BEGIN] = {"begin", OP_BEGIN, 0},
    [TPCC_S_COMMIT] = {"commit", OP_COMMIT, 0},
    [TPCC_S_ROLLBACK] = {"rollback", OP_ROLLBACK, 0},

    [TPCC_S_NO_WAREHOUSE] = {"new_order.warehouse", OP_SELECT, TPCC_WAREHOUSE},
    [TPCC_S_NO_CUSTOMER] = {"new_order.customer", OP_SELECT, TPCC_CUSTOMER},
    [TPCC_S_NO_DISTRICT] = {"new_order.district_for_update", OP_SELECT, TPCC_DISTRICT},
    [TPCC_S_NO_DISTRICT_SET] = {"new_order.district_set", OP_UPDATE, TPCC_DISTRICT},
    [TPCC_S_NO_ORDER] = {"new_order.insert_order", OP_INSERT, TPCC_ORDERS},
    [TPCC_S_NO_NEW_ORDER] = {"new_order.insert_new_order", OP_INSERT, TPCC_NEW_ORDERS},
    [TPCC_S_NO_ITEM] = {"new_order.item", OP_SELECT, TPCC_ITEM},
    [TPCC_S_NO_STOCK] = {"new_order.stock_for_update", OP_SELECT, TPCC_STOCK},
    [TPCC_S_NO_STOCK_SET] = {"new_order.stock_set", OP_UPDATE, TPCC_STOCK},
    [TPCC_S_NO_LINE] = {"new_order.insert_line", OP_INSERT, TPCC_ORDER_LINE},

    [TPCC_S_PAY_WAREHOUSE_ADD] = {"payment.warehouse_add", OP_UPDATE, TPCC_WAREHOUSE},
    [TPCC_S_PAY_WAREHOUSE] = {"payment.warehouse", OP_SELECT, TPCC_WAREHOUSE},
    [TPCC_S_PAY_DISTRICT_ADD] = {"payment.district_add", OP_UPDATE, TPCC_DISTRICT},
    [TPCC_S_PAY_DISTRICT] = {"payment.district", OP_SELECT, TPCC_DISTRICT},
    [TPCC_S_PAY_BY_NAME] = {"payment.customer_by_name", OP_SELECT, TPCC_CUSTOMER},
    [TPCC_S_PAY_CUSTOMER] = {"payment.customer_for_update", OP_SELECT, TPCC_CUSTOMER},
    [TPCC_S_PAY_CUSTOMER_ADD] = {"payment.customer_add", OP_UPDATE, TPCC_CUSTOMER},
    [TPCC_S_PAY_HISTORY] = {"payment.insert_history", OP_INSERT, TPCC_HISTORY},

    [TPCC_S_OS_BY_NAME] = {"order_status.customer_by_name", OP_SELECT, TPCC_CUSTOMER},
    [TPCC_S_OS_CUSTOMER] = {"order_status.customer", OP_SELECT, TPCC_CUSTOMER},
    [TPCC_S_OS_LAST_ORDER] = {"order_status.last_order", OP_SELECT, TPCC_ORDERS},
    [TPCC_S_OS_LINES] = {"order_status.lines", OP_SELECT, TPCC_ORDER_LINE},

    [TPCC_S_DEL_OLDEST] = {"delivery.oldest_for_update", OP_SELECT, TPCC_NEW_ORDERS},
    [TPCC_S_DEL_REMOVE] = {"delivery.delete_new_order", OP_DELETE, TPCC_NEW_ORDERS},
    [TPCC_S_DEL_ORDER] = {"delivery.order", OP_SELECT, TPCC_ORDERS},
    [TPCC_S_DEL_CARRIER] = {"delivery.order_carrier", OP_UPDATE, TPCC_ORDERS},
    [TPCC_S_DEL_LINES] = {"delivery.lines_date", OP_UPDATE, TPCC_ORDER_LINE},
    [TPCC_S_DEL_SUM] = {"delivery.lines_sum", OP_SELECT, TPCC_ORDER_LINE},
    [TPCC_S_DEL_CUSTOMER] = {"delivery.customer_add", OP_UPDATE, TPCC_CUSTOMER},

    [TPCC_S_SL_DISTRICT] = {"stock_level.district", OP_SELECT, TPCC_DISTRICT},
    [TPCC_S_SL_COUNT] = {"stock_level.count", OP_SELECT, TPCC_STOCK},

    [TPCC_S_CALL_NEW_ORDER] = {"new_order.call", OP_INSERT, TPCC_ORDERS},
    [TPCC_S_CALL_PAYMENT] = {"payment.call", OP_UPDATE, TPCC_CUSTOMER},
    [TPCC_S_CALL_ORDER_STATUS] = {"order_status.call", OP_SELECT, TPCC_ORDERS},
    [TPCC_S_CALL_DELIVERY] = {"delivery.call", OP_UPDATE, TPCC_ORDERS},
    [TPCC_S_CALL_STOCK_LEVEL] = {"stock_level.call", OP_SELECT, TPCC_STOCK},
};

/* Limits of the 90th percentile: clause 5.2.5.3. */
#define SECOND_NS 1000000000ll
const struct catalog_kind tpcc_kinds[TPCC_KINDS] = {
    [TPCC_NEW_ORDER] = {"new_order", 0, 5 * SECOND_NS, false},
    [TPCC_PAYMENT] = {"payment", 0, 5 * SECOND_NS, false},
    [TPCC_ORDER_STATUS] = {"order_status", 0, 5 * SECOND_NS, false},
    [TPCC_DELIVERY] = {"delivery", 0, 5 * SECOND_NS, true},
    [TPCC_STOCK_LEVEL] = {"stock_level", 0, 20 * SECOND_NS, false},
};

const struct tpcc_waits tpcc_waits[TPCC_KINDS] = {
    [TPCC_NEW_ORDER] = {18, 12}, [TPCC_PAYMENT] = {3, 12},    [TPCC_ORDER_STATUS] = {2, 10},
    [TPCC_DELIVERY] = {2, 5},    [TPCC_STOCK_LEVEL] = {2, 5},
};

const uint8_t tpcc_deck[TPCC_KINDS] = {
    [TPCC_NEW_ORDER] = 10, [TPCC_PAYMENT] = 10,    [TPCC_ORDER_STATUS] = 1,
    [TPCC_DELIVERY] = 1,   [TPCC_STOCK_LEVEL] = 1,
};

static const struct catalog catalog = {
    .name = "tpcc",
    .tables = tables,
    .statements = tpcc_statements,
    .kinds = tpcc_kinds,
    .table_count = TPCC_TABLES,
    .statement_count = TPCC_STATEMENTS,
    .kind_count = TPCC_KINDS,
};

const struct catalog *tpcc_catalog(void)
{
    return &catalog;
}
