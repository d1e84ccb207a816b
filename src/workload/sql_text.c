#include "workload/sql_text.h"

#include "base/mem.h"
#include "base/must.h"
#include "sql_texts.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const sql_text_rolled_back[SQL_TEXT_DIALECTS] = {"RT001", "1644"};

/* Letters of a draft's keys and columns. */
static const struct {
    char letter;
    uint8_t from, key;
} froms[] = {
    {'D', SQL_FROM_DIST_INFO, 0}, {'H', SQL_FROM_H_DATA, 0}, {'B', SQL_FROM_C_DATA, 0},
    {'N', SQL_FROM_NAME, 2},      {'n', SQL_FROM_NAME, 3},   {'o', SQL_FROM_NAME, 5},
    {'C', SQL_FROM_C, 2},         {'c', SQL_FROM_C, 3},      {'p', SQL_FROM_PAD, 3},
    {'L', SQL_FROM_LINES, 0},
};

/* a, b: answers 0 and 1; with x money (2 digits), with t tax (4 digits). */
static const struct {
    char letter;
    struct sql_text_column column;
} intos[] = {
    {'-', {SQL_INTO_NOTHING, 0, 0}},   {'a', {SQL_INTO_ANSWER, 0, 0}},
    {'b', {SQL_INTO_ANSWER, 1, 0}},    {'x', {SQL_INTO_ANSWER, 0, 2}},
    {'t', {SQL_INTO_ANSWER, 0, 4}},    {'u', {SQL_INTO_ANSWER, 1, 4}},
    {'m', {SQL_INTO_MIDDLE, 0, 0}},    {'c', {SQL_INTO_CREDIT, 0, 0}},
    {'s', {SQL_INTO_DIST_INFO, 0, 0}}, {'w', {SQL_INTO_W_NAME, 0, 0}},
    {'d', {SQL_INTO_D_NAME, 0, 0}},    {'r', {SQL_INTO_ROWS, 0, 0}},
};

static struct sql_text_param param_of(char letter)
{
    if (letter >= '0' && letter <= '7') {
        return (struct sql_text_param){SQL_FROM_KEY, (uint8_t)(letter - '0')};
    }
    for (uint32_t i = 0; i < sizeof(froms) / sizeof(*froms); i++) {
        if (froms[i].letter == letter) {
            return (struct sql_text_param){froms[i].from, froms[i].key};
        }
    }
    must(!"a parameter's letter");
    return (struct sql_text_param){0};
}

static struct sql_text_column column_of(char letter)
{
    for (uint32_t i = 0; i < sizeof(intos) / sizeof(*intos); i++) {
        if (intos[i].letter == letter) {
            return intos[i].column;
        }
    }
    must(!"a column's letter");
    return (struct sql_text_column){0};
}

/* The money of a parameter is an integer times an exact decimal in both dialects. */
static void write_param(struct text *ret, enum sql_text_dialect dialect, uint32_t number,
                        bool money)
{
    if (dialect == SQL_TEXT_POSTGRES) {
        text_addf(ret, money ? "($%u::bigint * 0.01)" : "$%u", number);
    } else {
        text_add(ret, money ? "(? * 0.01)" : "?");
    }
}

static uint32_t write_draft(struct text *ret, enum sql_text_dialect dialect, const char *draft,
                            uint32_t number)
{
    uint32_t params = 0;

    for (const char *at = draft; *at != '\0'; at++) {
        if (*at == '?' || *at == '@') {
            write_param(ret, dialect, ++params, *at == '@');
        } else if (*at == '#') {
            text_addf(ret, "%u", number);
        } else {
            text_add_char(ret, *at);
        }
    }
    return params;
}

static struct sql_text *new_text(struct sql_texts *texts)
{
    if (texts->count == texts->limit) {
        uint32_t limit = texts->limit > 0 ? texts->limit * 2 : 64;
        struct sql_text *grown = mem_resize(texts->texts, limit * sizeof(*grown));

        if (!grown) {
            texts->failed = true;
            return NULL;
        }
        texts->texts = grown;
        texts->limit = limit;
    }
    return &texts->texts[texts->count++];
}

void sql_texts_add(struct sql_texts *texts, uint32_t statement, const struct sql_draft *draft,
                   uint32_t number)
{
    const char *own = draft->text[texts->dialect] ? draft->text[texts->dialect] : draft->text[0];
    struct sql_text *text = texts->failed ? NULL : new_text(texts);
    struct text written;
    uint32_t params;

    must(statement < SQL_TEXTS_STATEMENTS);
    if (!text) {
        return;
    }
    if (texts->first[statement] == UINT32_MAX) {
        texts->first[statement] = texts->count - 1;
    }
    text_init(&written);
    params = write_draft(&written, texts->dialect, own, number);
    must(params == strlen(draft->keys) && params <= SQL_TEXT_PARAMS);
    text->text = mem_strdup(text_string(&written));
    texts->failed |= written.failed || !text->text;
    text_free(&written);
    text->statement = (uint16_t)statement;
    text->utility = draft->utility;
    text->needed = draft->needed;
    text->duplicate_retries = draft->duplicate_retries;
    text->whole = draft->whole;
    text->param_count = (uint8_t)params;
    for (uint32_t i = 0; i < params; i++) {
        text->params[i] = param_of(draft->keys[i]);
    }
    text->column_count = (uint8_t)strlen(draft->columns);
    must(text->column_count <= SQL_TEXT_COLUMNS);
    for (uint32_t i = 0; i < text->column_count; i++) {
        text->columns[i] = column_of(draft->columns[i]);
        text->every_row |= text->columns[i].into == SQL_INTO_MIDDLE;
        text->tells_rows |= text->columns[i].into == SQL_INTO_ROWS;
    }
}

struct sql_texts *sql_texts_open(const struct sql_texts_settings *settings, struct error *err)
{
    struct sql_texts *texts = mem_zalloc(sizeof(*texts));

    must((settings->tpcc != NULL) + (settings->sysbench != NULL) + (settings->tpcb != NULL) == 1);
    if (!texts) {
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the statements");
        return NULL;
    }
    texts->dialect = settings->dialect;
    memset(texts->first, 0xff, sizeof(texts->first));
    if (settings->tpcc) {
        texts->catalog = tpcc_catalog();
        tpcc_sql_build(texts);
    } else if (settings->sysbench) {
        texts->catalog = sysbench_catalog();
        sysbench_sql_build(texts, settings->sysbench->tables);
    } else {
        texts->catalog = tpcb_catalog();
        tpcb_sql_build(texts);
    }
    if (texts->failed) {
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the statements");
        sql_texts_free(texts);
        return NULL;
    }
    return texts;
}

void sql_texts_free(struct sql_texts *texts)
{
    if (!texts) {
        return;
    }
    for (uint32_t i = 0; i < texts->count; i++) {
        mem_free((char *)(uintptr_t)texts->texts[i].text);
    }
    mem_free(texts->texts);
    mem_free(texts);
}

enum sql_text_dialect sql_texts_dialect(const struct sql_texts *texts)
{
    return texts->dialect;
}

const struct catalog *sql_texts_catalog(const struct sql_texts *texts)
{
    return texts->catalog;
}

uint32_t sql_texts_count(const struct sql_texts *texts)
{
    return texts->count;
}

const struct sql_text *sql_texts_at(const struct sql_texts *texts, uint32_t id)
{
    must(id < texts->count);
    return &texts->texts[id];
}

uint32_t sql_texts_of(const struct sql_texts *texts, const struct op *op)
{
    return texts->of(texts, op);
}

uint32_t sql_text_money(int64_t cents, char *buf)
{
    uint64_t size = cents < 0 ? 0 - (uint64_t)cents : (uint64_t)cents;

    return (uint32_t)sprintf(buf, "%s%llu.%02u", cents < 0 ? "-" : "",
                             (unsigned long long)(size / 100), (unsigned)(size % 100));
}

/* Clause 2.5.2.2: c_id, c_d_id, c_w_id, d_id, w_id and h_amount; key: c_w c_d c amount w d. */
static uint32_t write_c_data(const struct op *op, char *buf, uint32_t size)
{
    char amount[24];

    sql_text_money(op->key[3], amount);
    return (uint32_t)snprintf(buf, size, "%lld %lld %lld %lld %lld %s|", (long long)op->key[2],
                              (long long)op->key[1], (long long)op->key[0], (long long)op->key[5],
                              (long long)op->key[4], amount);
}

static uint32_t write_bytes(char *buf, uint32_t size, const char *text, uint32_t bytes)
{
    must(bytes <= size);
    memcpy(buf, text, bytes);
    return bytes;
}

uint32_t sql_text_write(const struct sql_text_param *param, const struct op *op,
                        const struct sql_text_memory *memory, char *buf, uint32_t size)
{
    char own[SYSBENCH_C_BYTES + 1];
    int64_t key = op->key[param->key];

    switch ((enum sql_text_from)param->from) {
    case SQL_FROM_DIST_INFO:
        return write_bytes(buf, size, memory->dist_info, (uint32_t)strlen(memory->dist_info));
    case SQL_FROM_H_DATA:
        return (uint32_t)snprintf(buf, size, "%s    %s", memory->w_name, memory->d_name);
    case SQL_FROM_C_DATA:
        return write_c_data(op, buf, size);
    case SQL_FROM_NAME:
        return write_bytes(buf, size, own, tpcc_sql_name((uint32_t)key, own));
    case SQL_FROM_C:
        sysbench_sql_c((uint64_t)key, own);
        return write_bytes(buf, size, own, SYSBENCH_C_BYTES);
    case SQL_FROM_PAD:
        sysbench_sql_pad((uint64_t)key, own);
        return write_bytes(buf, size, own, SYSBENCH_PAD_BYTES);
    case SQL_FROM_LINES:
        return tpcc_sql_lines((const struct txn *)(intptr_t)op->key[7], buf, size);
    case SQL_FROM_KEY:
        break;
    }
    must(!"a parameter that is a text");
    return 0;
}

int64_t sql_text_decimal(const char *data, uint32_t bytes, uint32_t scale)
{
    bool minus = bytes > 0 && data[0] == '-', behind = false;
    uint64_t value = 0;
    uint32_t left = scale;

    for (uint32_t i = minus || (bytes > 0 && data[0] == '+'); i < bytes; i++) {
        if (data[i] == '.') {
            behind = true;
        } else if (data[i] < '0' || data[i] > '9' || (behind && left == 0)) {
            break;
        } else {
            value = value * 10 + (uint64_t)(data[i] - '0');
            left -= behind;
        }
    }
    while (left > 0) {
        value *= 10;
        left--;
    }
    return minus ? -(int64_t)value : (int64_t)value;
}

void sql_text_begin(struct sql_text_memory *memory, struct op *op)
{
    memory->rows = memory->first = memory->held = 0;
}

/*
 * Position n/2 rounded up of n rows that come one by one: the ring holds the rows from the middle
 * on, and moves on by one for every second row.
 */
static void read_middle(struct sql_text_memory *memory, int64_t value, int64_t *answer)
{
    memory->rows++;
    if (memory->held < SQL_TEXT_ROWS) {
        memory->ring[(memory->first + memory->held++) % SQL_TEXT_ROWS] = (uint16_t)value;
    }
    if (memory->rows > 1 && memory->rows % 2 == 1 && memory->held > 1) {
        memory->first = (memory->first + 1) % SQL_TEXT_ROWS;
        memory->held--;
    }
    *answer = memory->ring[memory->first];
}

static void keep(char *into, uint32_t size, const char *data, uint32_t bytes)
{
    uint32_t kept = bytes < size ? bytes : size - 1;

    if (data) {
        memcpy(into, data, kept);
    }
    into[data ? kept : 0] = '\0';
}

static int64_t scaled(int64_t number, const char *data, uint32_t bytes, uint32_t scale)
{
    if (data) {
        return sql_text_decimal(data, bytes, scale);
    }
    while (scale > 0) {
        number *= 10;
        scale--;
    }
    return number;
}

void sql_text_read(const struct sql_text *text, uint32_t column, int64_t number, const char *data,
                   uint32_t bytes, struct sql_text_memory *memory, struct op *op)
{
    const struct sql_text_column *into = &text->columns[column];

    must(column < text->column_count);
    switch ((enum sql_text_into)into->into) {
    case SQL_INTO_NOTHING:
        break;
    case SQL_INTO_ANSWER:
        op->answer[into->answer] = scaled(number, data, bytes, into->scale);
        break;
    case SQL_INTO_MIDDLE:
        read_middle(memory, scaled(number, data, bytes, 0), &op->answer[into->answer]);
        break;
    case SQL_INTO_CREDIT:
        op->answer[into->answer] = data && bytes >= 2 && data[0] == 'B' && data[1] == 'C';
        break;
    case SQL_INTO_DIST_INFO:
        keep(memory->dist_info, sizeof(memory->dist_info), data, bytes);
        break;
    case SQL_INTO_W_NAME:
        keep(memory->w_name, sizeof(memory->w_name), data, bytes);
        break;
    case SQL_INTO_D_NAME:
        keep(memory->d_name, sizeof(memory->d_name), data, bytes);
        break;
    case SQL_INTO_ROWS:
        op->rows = (uint32_t)scaled(number, data, bytes, 0);
        break;
    }
}
