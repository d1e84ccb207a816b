#include "doc_run_parts.h"

#include "base/units.h"
#include "figures.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void server_line(struct doc *doc, const struct result_server *server, bool named)
{
    char buffer[UNITS_TEXT], data[UNITS_TEXT];

    doc_pair(doc, named ? server->vm : "server", "%s %s, %s", server->flavour, server->version,
             server->url);
    doc_pair(doc, "", "buffer %s, database %s, isolation %s; %" PRIu32 " connections, %s%s%s%s",
             units_format_size(server->buffer_bytes, buffer, sizeof(buffer)),
             units_format_size(server->database_bytes, data, sizeof(data)), server->isolation,
             server->connections, server->prepared ? "prepared" : "text",
             server->pipeline ? ", pipelined" : "", server->procedures ? ", procedures" : "",
             server->loops > 1 ? ", several loops" : "");
    doc_pair(doc, "durability", "%s",
             server->durable ? "a commit survives a power cut" : "answered commits may be lost");
    doc_verdict(doc, server->durable ? DOC_GOOD : DOC_DOUBTFUL,
                server->durable ? "durable" : "not durable");
}

void run_servers(struct doc *doc, const struct result *result)
{
    if (result->server_count == 0) {
        return;
    }
    doc_heading(doc, 2, result->server_count == 1 ? "The server" : "The servers");
    for (uint32_t i = 0; i < result->server_count; i++) {
        server_line(doc, &result->servers[i], result->server_count > 1);
    }
}

static double per(double amount, double number)
{
    return number > 0 ? amount / number : NAN;
}

void run_statements(struct doc *doc, const struct result *result)
{
    static const struct doc_column columns[] = {
        {"statement", "statement", DOC_LEFT}, {"count", "count", DOC_RIGHT},
        {"a txn", "per_txn", DOC_RIGHT},      {"avg", "avg_ns", DOC_RIGHT},
        {"max", "max_ns", DOC_RIGHT},         {"of the time", "share", DOC_RIGHT},
        {"errors", "errors", DOC_RIGHT},      {"no row", "empty", DOC_RIGHT},
    };
    const struct result_vm *all = &result->aggregate;
    double sum_ns = 0;

    for (uint32_t i = 0; i < all->statement_count; i++) {
        sum_ns += (double)all->statements[i].sum_ns;
    }
    if (sum_ns <= 0) {
        return;
    }
    doc_heading(doc, 2, "Statements, from sent to answered");
    doc_table(doc, "statements", columns, sizeof(columns) / sizeof(*columns));
    for (uint32_t i = 0; i < all->statement_count; i++) {
        const struct result_statement *row = &all->statements[i];

        if (row->count == 0) {
            continue;
        }
        doc_cell(doc, "%s", row->name);
        doc_cell_count(doc, row->count);
        doc_cell_number(doc, per((double)row->count, (double)all->response.count));
        doc_cell_duration(doc, per((double)row->sum_ns, (double)row->count));
        doc_cell_duration(doc, (double)row->max_ns);
        doc_cell_share(doc, per((double)row->sum_ns, sum_ns), true);
        doc_cell_count(doc, row->errors);
        doc_cell_count(doc, row->empty);
    }
}
