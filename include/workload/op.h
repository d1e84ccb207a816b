/* workload/op: the one currency. A workload asks, a target answers. */
#ifndef RAWTPS_WORKLOAD_OP_H
#define RAWTPS_WORKLOAD_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"

enum op_verb {
    OP_BEGIN,
    OP_COMMIT,
    OP_ROLLBACK,
    OP_SELECT,
    OP_UPDATE,
    OP_INSERT,
    OP_DELETE,
    OP_READ, /* blocks */
    OP_WRITE,
    OP_FLUSH,
    OP_TRIM,
    OP_VERBS
};

enum op_status {
    OP_OK,
    OP_RETRY,   /* deadlock, serialization failure, lock timeout: the whole transaction again */
    OP_FAILED,  /* counted; the transaction is over */
    OP_LOST,    /* data came back wrong: the run is void */
    OP_SKIPPED, /* an error that is not to count as failure; the transaction is over */
};

/* Where the time of a transaction went. */
enum spent_kind {
    SPENT_CPU,     /* waiting for and using a core */
    SPENT_LOCK,    /* waiting for row locks */
    SPENT_READ,    /* waiting for page reads */
    SPENT_LOG,     /* waiting for the log to be durable (and for log space) */
    SPENT_SESSION, /* waiting for a connection or worker */
    SPENT_SERVER,  /* round trips to a server, which does all of the above unseen */
    SPENT_KINDS
};
extern const char *const spent_names[SPENT_KINDS];

enum { OP_KEYS = 8, OP_ANSWERS = 2 };

/*
 * One operation. The workload fills verb, statement and key (rows) or verb, offset and bytes
 * (blocks); the target fills status and answer. What key and answer mean is the statement's
 * (workload/tpcc.h, workload/sysbench.h).
 */
struct op {
    uint8_t verb, status;
    uint16_t statement; /* index into catalog->statements */
    uint32_t rows;      /* rows found or changed: the target's answer */
    int64_t *spent_ns;  /* SPENT_KINDS counters of the asking transaction; targets add */
    void (*done)(struct op *);
    union {
        int64_t key[OP_KEYS];
        struct {
            uint64_t offset;
            uint32_t bytes, stream;
        };
    };
    int64_t answer[OP_ANSWERS];
};

/*
 * A transaction under way, as its workload keeps it. All input is drawn by choose(), so
 * restart() can ask the same again. Private to the workload behind `kind`.
 */
enum { TXN_STATE_BYTES = 152 };
struct txn {
    uint16_t kind;        /* index into catalog->kinds */
    uint16_t step;        /* where next() stands */
    uint32_t rolled_back; /* 1 once the transaction has decided to roll back by its own rules */
    union {
        uint8_t bytes[TXN_STATE_BYTES];
        uint64_t align;
    } state;
};

#endif
