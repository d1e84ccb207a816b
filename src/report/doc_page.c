#include "report/doc_page.h"

#include "doc_run_parts.h"
#include "figures.h"
#include <math.h>
#include <string.h>

/* One sentence: what came out, and whether it counts. */
static void verdict(struct doc *doc, const struct result *result)
{
    const struct result_vm *all = &result->aggregate;
    double seconds = run_span_ns(all->sample_from_ns, all->sample_until_ns) / 1e9;
    bool complete = strcmp(result->run.ended, "complete") == 0;
    char tps[FIGURE_TEXT], avg[FIGURE_TEXT], p99[FIGURE_TEXT], max[FIGURE_TEXT];
    uint32_t failed = 0;

    for (uint32_t i = 0; i < result->check_count; i++) {
        failed += !result->checks[i].passed;
    }
    if (!complete || all->response.count == 0) {
        run_state(doc, result);
        return;
    }
    doc_paragraph(doc,
                  "%s %s, response time %s on average, p99 %s, at most %s, over %.0f s; %u of %u "
                  "checks passed.",
                  figure_number(all->tps, tps), run_is_bare(result) ? "IOPS" : "TPS",
                  figure_duration(all->response.mean_ns, avg),
                  figure_duration((double)all->response.p99_ns, p99),
                  figure_duration((double)all->response.max_ns, max), seconds,
                  result->check_count - failed, result->check_count);
    if (failed > 0 || result->run.exit_code != EXIT_FINE) {
        doc_verdict(doc, DOC_BAD, "NOT OK");
    } else if (all->steady.judged && !all->steady.reached) {
        doc_verdict(doc, DOC_DOUBTFUL, "NOT STEADY");
    } else {
        doc_verdict(doc, DOC_GOOD, "OK");
    }
}

void doc_page(struct doc *doc, const struct doc_page_source *source)
{
    const struct result *result = source->result;

    run_head(doc, result, source->run_dir);
    verdict(doc, result);
    page_identity(doc, result);
    doc_heading(doc, 2, "Results");
    page_bars(doc, result);
    run_vms(doc, result);
    page_time(doc, source);
    page_percentiles(doc, result);
    page_heat(doc, source);
    run_types_noted(doc, result);
    run_time_spent(doc, result);
    page_spent(doc, result);
    run_statements(doc, result);
    run_physical_io(doc, result);
    page_sizes(doc, result);
    run_database(doc, result);
    run_servers(doc, result);
    doc_heading(doc, 2, "Audits");
    run_verdicts(doc, result);
    run_failed_checks(doc, result);
    page_steady(doc, source);
    run_provenance(doc, result);
    page_reproduce(doc, result, source->run_dir);
}
