#include "sql_procedures.h"

/*
 * The statements are those of tpcc_sql.c, in their order. They are functions, since a function is
 * one statement to both servers: whatever ends it ill takes all of it back.
 */
struct procedure {
    const char *name;
    const char *takes[SQL_TEXT_DIALECTS]; /* the second NULL: as the first */
    const char *drop;                     /* types of the parameters, for PostgreSQL */
    const char *declares[SQL_TEXT_DIALECTS];
    const char *body[SQL_TEXT_DIALECTS];
};

#define DIST                                                                                       \
    "CASE p_d WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 "                  \
    "WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 "     \
    "WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END"

#define NEW_ORDER_HEAD                                                                             \
    "SELECT w_tax INTO v_tax FROM warehouse WHERE w_id = p_w;\n"                                   \
    "SELECT c_discount INTO v_tax FROM customer "                                                  \
    "WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c;\n"                                        \
    "SELECT d_next_o_id INTO v_o FROM district WHERE d_w_id = p_w AND d_id = p_d FOR UPDATE;\n"    \
    "UPDATE district SET d_next_o_id = v_o + 1 WHERE d_w_id = p_w AND d_id = p_d;\n"               \
    "INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) "         \
    "VALUES (p_w, p_d, v_o, p_c, now(), p_lines, p_local);\n"                                      \
    "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (p_w, p_d, v_o);\n"

#define NEW_ORDER_LINE                                                                             \
    "SELECT s_quantity, " DIST " INTO v_stock, v_dist FROM stock "                                 \
    "WHERE s_w_id = v_supply AND s_i_id = v_item FOR UPDATE;\n"                                    \
    "UPDATE stock SET s_quantity = CASE WHEN v_stock - v_quantity >= 10 "                          \
    "THEN v_stock - v_quantity ELSE v_stock - v_quantity + 91 END, s_ytd = s_ytd + v_quantity, "   \
    "s_order_cnt = s_order_cnt + 1, "                                                              \
    "s_remote_cnt = s_remote_cnt + CASE WHEN v_supply = p_w THEN 0 ELSE 1 END "                    \
    "WHERE s_w_id = v_supply AND s_i_id = v_item;\n"                                               \
    "INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, "      \
    "ol_quantity, ol_amount, ol_dist_info) VALUES (p_w, p_d, v_o, v_number, v_item, v_supply, "    \
    "v_quantity, v_quantity * v_price, v_dist);\n"

/* MariaDB has no arrays: elements 4 i + 1 to 4 i + 4 of the list. */
#define TAKE_LINE                                                                                  \
    "SET v_supply = substring_index(substring_index(p_list, ',', 4 * v_i + 1), ',', -1), "         \
    "v_item = substring_index(substring_index(p_list, ',', 4 * v_i + 2), ',', -1), "               \
    "v_number = substring_index(substring_index(p_list, ',', 4 * v_i + 3), ',', -1), "             \
    "v_quantity = substring_index(substring_index(p_list, ',', 4 * v_i + 4), ',', -1);\n"
#define FIND_ITEM                                                                                  \
    "SET v_price = (SELECT i_price FROM item WHERE i_id = v_item);\n"                              \
    "IF v_price IS NULL THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'unused item'; END IF;\n"

static const char new_order_postgres[] =
    NEW_ORDER_HEAD "FOR i IN 0 .. p_lines - 1 LOOP\n"
                   "v_supply := v_list[4 * i + 1]; v_item := v_list[4 * i + 2];\n"
                   "v_number := v_list[4 * i + 3]; v_quantity := v_list[4 * i + 4];\n"
                   "SELECT i_price INTO v_price FROM item WHERE i_id = v_item;\n"
                   "IF NOT FOUND THEN RAISE EXCEPTION 'unused item' USING ERRCODE = 'RT001'; END "
                   "IF;\n" NEW_ORDER_LINE "END LOOP;\nRETURN 1;\n";

static const char new_order_maria[] =
    NEW_ORDER_HEAD "WHILE v_i < p_lines DO\n" TAKE_LINE FIND_ITEM NEW_ORDER_LINE
                   "SET v_i = v_i + 1;\nEND WHILE;\nRETURN 1;\n";

/* Clause 2.5.2.2: position n/2 rounded up. MySQL counts rows by a variable alone. */
#define MIDDLE_POSTGRES "LIMIT 1 OFFSET (v_n + 1) / 2 - 1;\n"
#define MIDDLE_MARIA    "LIMIT v_n, 1;\n"
#define BY_NAME(w, d, none, count, middle)                                                         \
    "IF v_c = 0 THEN\n"                                                                            \
    "SELECT count(*) INTO v_n FROM customer WHERE c_w_id = " w " AND c_d_id = " d                  \
    " AND c_last = p_name;\n"                                                                      \
    "IF v_n = 0 THEN " none " END IF;\n" count                                                     \
    "SELECT c_id INTO v_c FROM customer WHERE c_w_id = " w " AND c_d_id = " d                      \
    " AND c_last = p_name ORDER BY c_first, c_id " middle "END IF;\n"
#define BY_NAME_POSTGRES(w, d) BY_NAME(w, d, NONE_POSTGRES, "", MIDDLE_POSTGRES)
#define BY_NAME_MARIA(w, d)                                                                        \
    BY_NAME(w, d, NONE_MARIA, "SET v_n = (v_n + 1) DIV 2 - 1;\n", MIDDLE_MARIA)

#define PAYMENT_HEAD                                                                               \
    "UPDATE warehouse SET w_ytd = w_ytd + p_amount WHERE w_id = p_w;\n"                            \
    "SELECT w_name INTO v_w_name FROM warehouse WHERE w_id = p_w;\n"                               \
    "UPDATE district SET d_ytd = d_ytd + p_amount WHERE d_w_id = p_w AND d_id = p_d;\n"            \
    "SELECT d_name INTO v_d_name FROM district WHERE d_w_id = p_w AND d_id = p_d;\n"

#define PAYMENT_TAIL                                                                               \
    "SELECT c_credit INTO v_credit FROM customer "                                                 \
    "WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_id = v_c FOR UPDATE;\n"                         \
    "UPDATE customer SET c_balance = c_balance - p_amount, "                                       \
    "c_ytd_payment = c_ytd_payment + p_amount, c_payment_cnt = c_payment_cnt + 1, "                \
    "c_data = CASE WHEN v_credit = 'BC' THEN left(concat(v_c, ' ', p_c_d, ' ', p_c_w, ' ', p_d, "  \
    "' ', p_w, ' ', p_amount, '|', c_data), 500) ELSE c_data END "                                 \
    "WHERE c_w_id = p_c_w AND c_d_id = p_c_d AND c_id = v_c;\n"                                    \
    "INSERT INTO history (h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_date, h_amount, h_data) "  \
    "VALUES (p_c_w, p_c_d, v_c, p_w, p_d, now(), p_amount, "                                       \
    "concat(v_w_name, '    ', v_d_name));\nRETURN v_c;\n"

#define NONE_POSTGRES "RAISE EXCEPTION 'no such name' USING ERRCODE = 'RT001';"
#define NONE_MARIA    "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no such name';"

static const char payment_postgres[] =
    "v_c := p_c;\n" PAYMENT_HEAD BY_NAME_POSTGRES("p_c_w", "p_c_d") PAYMENT_TAIL;
static const char payment_maria[] =
    "SET v_c = p_c;\n" PAYMENT_HEAD BY_NAME_MARIA("p_c_w", "p_c_d") PAYMENT_TAIL;

#define ORDER_STATUS                                                                               \
    "SELECT c_balance INTO v_balance FROM customer "                                               \
    "WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = v_c;\n"                                        \
    "SELECT max(o_id) INTO v_n FROM orders "                                                       \
    "WHERE o_w_id = p_w AND o_d_id = p_d AND o_c_id = v_c;\n"                                      \
    "SELECT count(ol_amount) INTO v_n FROM order_line "                                            \
    "WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_n;\nRETURN v_n;\n"

static const char order_status_postgres[] =
    "v_c := p_c;\n" BY_NAME_POSTGRES("p_w", "p_d") ORDER_STATUS;
static const char order_status_maria[] =
    "SET v_c = p_c;\n" BY_NAME_MARIA("p_w", "p_d") ORDER_STATUS;

#define DELIVER                                                                                    \
    "DELETE FROM new_order WHERE no_w_id = p_w AND no_d_id = v_d AND no_o_id = v_o;\n"             \
    "SELECT o_c_id INTO v_c FROM orders WHERE o_w_id = p_w AND o_d_id = v_d AND o_id = v_o;\n"     \
    "UPDATE orders SET o_carrier_id = p_carrier "                                                  \
    "WHERE o_w_id = p_w AND o_d_id = v_d AND o_id = v_o;\n"                                        \
    "UPDATE order_line SET ol_delivery_d = now() "                                                 \
    "WHERE ol_w_id = p_w AND ol_d_id = v_d AND ol_o_id = v_o;\n"                                   \
    "SELECT sum(ol_amount) INTO v_sum FROM order_line "                                            \
    "WHERE ol_w_id = p_w AND ol_d_id = v_d AND ol_o_id = v_o;\n"                                   \
    "UPDATE customer SET c_balance = c_balance + v_sum, c_delivery_cnt = c_delivery_cnt + 1 "      \
    "WHERE c_w_id = p_w AND c_d_id = v_d AND c_id = v_c;\n"
static const char delivery_postgres[] =
    "FOR v_d IN 1 .. 10 LOOP\n"
    "SELECT no_o_id INTO v_o FROM new_order WHERE no_w_id = p_w AND no_d_id = v_d "
    "ORDER BY no_o_id LIMIT 1 FOR UPDATE;\n"
    "IF NOT FOUND THEN v_skipped := v_skipped | (1 << v_d); CONTINUE; END IF;\n" DELIVER
    "END LOOP;\nRETURN v_skipped;\n";

static const char delivery_maria[] =
    "WHILE v_d < 10 DO\n"
    "SET v_d = v_d + 1;\n"
    "SET v_o = (SELECT no_o_id FROM new_order WHERE no_w_id = p_w AND no_d_id = v_d "
    "ORDER BY no_o_id LIMIT 1 FOR UPDATE);\n"
    "IF v_o IS NULL THEN SET v_skipped = v_skipped | (1 << v_d);\n"
    "ELSE\n" DELIVER "END IF;\n"
    "END WHILE;\nRETURN v_skipped;\n";

#define STOCK_LEVEL                                                                                \
    "SELECT d_next_o_id INTO v_o FROM district WHERE d_w_id = p_w AND d_id = p_d;\n"               \
    "SELECT count(DISTINCT s_i_id) INTO v_n FROM order_line, stock "                               \
    "WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id < v_o AND ol_o_id >= v_o - 20 "             \
    "AND s_w_id = p_w AND s_i_id = ol_i_id AND s_quantity < p_threshold;\nRETURN v_n;\n"

static const struct procedure procedures[] = {
    {"rawtps_new_order",
     {"p_w int, p_d int, p_c int, p_lines int, p_local int, p_list text"},
     "int, int, int, int, int, text",
     {"v_list int[] = string_to_array(p_list, ',')::int[]; v_tax numeric; v_o int; v_supply int; "
      "v_item int; v_number int; v_quantity int; v_price numeric; v_stock int; v_dist text;",
      "DECLARE v_tax numeric(4,4); DECLARE v_o, v_supply, v_item, v_number, v_quantity, v_stock, "
      "v_i int DEFAULT 0; DECLARE v_price numeric(5,2); DECLARE v_dist char(24);"},
     {new_order_postgres, new_order_maria}},
    {"rawtps_payment",
     {"p_w int, p_d int, p_c_w int, p_c_d int, p_c int, p_name text, p_amount numeric",
      "p_w int, p_d int, p_c_w int, p_c_d int, p_c int, p_name varchar(16), "
      "p_amount numeric(12,2)"},
     "int, int, int, int, int, text, numeric",
     {"v_c int; v_n bigint; v_w_name text; v_d_name text; v_credit text;",
      "DECLARE v_c, v_n int; DECLARE v_w_name, v_d_name varchar(10); DECLARE v_credit char(2);"},
     {payment_postgres, payment_maria}},
    {"rawtps_order_status",
     {"p_w int, p_d int, p_c int, p_name text", "p_w int, p_d int, p_c int, p_name varchar(16)"},
     "int, int, int, text",
     {"v_c int; v_n bigint; v_balance numeric;",
      "DECLARE v_c, v_n int; DECLARE v_balance numeric(12,2);"},
     {order_status_postgres, order_status_maria}},
    {"rawtps_delivery",
     {"p_w int, p_carrier int"},
     "int, int",
     {"v_o int; v_c int; v_sum numeric; v_skipped int = 0;",
      "DECLARE v_d, v_skipped int DEFAULT 0; DECLARE v_o, v_c int; DECLARE v_sum numeric(12,2);"},
     {delivery_postgres, delivery_maria}},
    {"rawtps_stock_level",
     {"p_w int, p_d int, p_threshold int"},
     "int, int, int",
     {"v_o int; v_n bigint;", "DECLARE v_o, v_n int;"},
     {STOCK_LEVEL, STOCK_LEVEL}},
};
enum { PROCEDURES = sizeof(procedures) / sizeof(*procedures) };

uint32_t sql_procedures_count(void)
{
    return PROCEDURES;
}

static void add_takes(struct text *ret, const struct procedure *procedure,
                      enum sql_text_dialect dialect)
{
    const char *takes = procedure->takes[dialect];

    text_add(ret, takes ? takes : procedure->takes[0]);
}

/* MySQL, unlike MariaDB, does not replace functions. */
bool sql_procedures_create(enum sql_text_dialect dialect, uint32_t i, struct text *ret)
{
    bool postgres = dialect == SQL_TEXT_POSTGRES;
    const struct procedure *procedure;

    if (!postgres && i % 2 == 0) {
        return sql_procedures_drop(dialect, i / 2, ret);
    }
    i = postgres ? i : i / 2;
    if (i >= PROCEDURES) {
        return false;
    }
    procedure = &procedures[i];
    text_addf(ret, "CREATE%s FUNCTION %s(", postgres ? " OR REPLACE" : "", procedure->name);
    add_takes(ret, procedure, dialect);
    if (postgres) {
        text_addf(ret, ") RETURNS bigint LANGUAGE plpgsql AS $$\nDECLARE %s\nBEGIN\n%sEND $$",
                  procedure->declares[dialect], procedure->body[dialect]);
    } else {
        text_addf(ret, ") RETURNS bigint NOT DETERMINISTIC MODIFIES SQL DATA\nBEGIN\n%s\n%sEND",
                  procedure->declares[dialect], procedure->body[dialect]);
    }
    return true;
}

bool sql_procedures_drop(enum sql_text_dialect dialect, uint32_t i, struct text *ret)
{
    if (i >= PROCEDURES) {
        return false;
    }
    text_addf(ret, "DROP FUNCTION IF EXISTS %s", procedures[i].name);
    if (dialect == SQL_TEXT_POSTGRES) {
        text_addf(ret, "(%s)", procedures[i].drop);
    }
    return true;
}
