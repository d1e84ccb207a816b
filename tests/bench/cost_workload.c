/* rooms: base workload. What a transaction costs the workload: cost_workload tpcc|sysbench|block
 * [N]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "workload/block.h"
#include "workload/sysbench.h"
#include "workload/tpcc.h"

enum { USERS = 10000 };

static struct workload *open_workload(const char *name, struct error *err)
{
    if (strcmp(name, "tpcc") == 0) {
        struct tpcc_settings tpcc = {
            .warehouses = 1000, .users = USERS, .deck = true, .wait_factor = 0.229, .seed = 1};

        return tpcc_open(&tpcc, err);
    }
    if (strcmp(name, "sysbench") == 0) {
        struct sysbench_settings sysbench;

        sysbench_defaults(&sysbench);
        sysbench.tables = 100;
        sysbench.rows = 10000000;
        return sysbench_open(&sysbench, err);
    }
    return block_open(
        &(struct block_settings){
            .stream_count = 1,
            .users = 1,
            .range_bytes = (uint64_t)1 << 40,
            .align_bytes = 4096,
            .streams = {{.name = "data",
                         .share = 1,
                         .read = 0.7,
                         .random = 1,
                         .read_sizes = {{8192, 1}},
                         .write_sizes = {{8192, 1}},
                         .read_size_count = 1,
                         .write_size_count = 1}},
        },
        err);
}

/* The least that a target can do. */
static void answer(struct op *op)
{
    op->rows = 1;
    op->answer[0] = 3001;
    op->answer[1] = 10;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "tpcc";
    uint32_t n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1000000;
    static struct user_deck decks[USERS];
    struct error err;
    struct workload *workload = open_workload(name, &err);
    struct rng rng;
    struct txn txn;
    struct pause pause;
    struct op op = {0};
    uint64_t ops = 0;
    struct timespec from, until;

    if (!workload) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    rng_init(&rng, 1, 0);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    for (uint32_t i = 0; i < n; i++) {
        workload->ops->choose(workload, i % USERS, &decks[i % USERS], &rng, &txn, &pause);
        while (workload->ops->next(workload, &txn, &op)) {
            answer(&op);
            ops++;
        }
        workload->ops->ended(workload, &txn, txn.rolled_back);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &until);
    printf("%s: %.0f ns a transaction of %.2f operations\n", name,
           ((double)(until.tv_sec - from.tv_sec) * 1e9 + (double)(until.tv_nsec - from.tv_nsec)) /
               n,
           (double)ops / n);
    workload->ops->free(workload);
    return 0;
}
