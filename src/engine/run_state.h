/* engine/run_state: what the main thread of a run knows: totals, series, files. */
#ifndef RAWTPS_ENGINE_RUN_STATE_H
#define RAWTPS_ENGINE_RUN_STATE_H

#include "base/text.h"
#include "engine/run.h"
#include "health.h"
#include "interference.h"
#include "place.h"
#include "servers.h"
#include "stats/hdr_log.h"
#include "stats/steady.h"
#include "world.h"

/* Some values an interval of the sample, of one VM or of all. Planned before the start. */
struct series {
    double *tps, *lat_avg_ns, *lat_p99_ns;
    uint32_t count, limit;
};

/* What the main thread keeps of one VM. */
struct vm_total {
    struct record phase;        /* since the phase under way began */
    struct record sample;       /* the sample's */
    struct target_facts last;   /* cumulative facts at the end of the last interval */
    struct target_facts before; /* and when the sample began */
    uint64_t open_last[CATALOG_KINDS + 1], open_before[CATALOG_KINDS + 1];
    /* record.waiting, as of the last interval, and when the phase began */
    uint64_t waiting_last, waiting_before;
    struct series series;
    uint32_t first_world, world_count;                /* the loops that drive it */
    struct record joined;                             /* of several loops: one interval of all */
    char tags[CATALOG_KINDS + 1][2][HDR_LOG_TAG_MAX]; /* response, service */
    char io_tags[RECORD_IOS][HDR_LOG_TAG_MAX];
};

struct run {
    const struct plan *plan;
    const struct run_options *options;
    struct shared shared;
    struct world *worlds;
    uint32_t world_count;
    struct place place;
    struct health health;                    /* of the drive */
    struct host_load load_before, load_last; /* the sample's; real time only */
    bool load_begun;
    struct outbox *outboxes; /* one a world; real time only */
    int64_t waits_from_ns;   /* worlds wait for answers since then (wall); 0: they do not */
    int64_t hurried_ns;      /* it was asked to end at once; 0: not yet */
    bool abandoned;          /* worlds did not come back in time: they are left where they are */
    bool marked;             /* the servers' counters are those of the sample's beginning */
    struct server *servers;  /* one a VM, where VMs ask servers; else NULL */

    struct vm_total *totals; /* one a VM */
    struct series all_series;
    uint32_t phase; /* under way; UINT32_MAX before the first */
    int64_t phase_from_ns;
    struct steady_watch watch;         /* of the phase, for until_steady */
    bool steady;                       /* and what it has said */
    uint64_t written_bytes;            /* since the run began, the fill included */
    uint64_t early_errors;             /* of I/O before the sample */
    int64_t stood_ns;                  /* of the sample, in which no interval was ended in time */
    uint64_t phase_bytes[PLAN_PHASES]; /* the same by phase */

    struct result_interval *now, *so_far; /* vm_count + 1 rows each */
    struct hist *responses;               /* of the last interval, all VMs */
    struct hist *scratch, *scratch_all;

    bool has_dir;
    struct run_dir dir;
    struct hdr_log *hdr;
    struct text lines, json;
    int64_t wall_start_ns, last_json_ns, started_unix_ms;
    struct result *result;
};

/* The preset by which this run is judged: the scenario's, or the default. */
const struct steady_preset *run_preset(const struct run *run);

/* The VM's own (its first loop's), wherever its world is; NULL before the worlds are open. */
static inline struct vm *run_find_vm(struct run *run, uint32_t i)
{
    for (uint32_t w = 0; w < run->world_count; w++) {
        struct world *world = &run->worlds[w];

        if (i >= world->first_vm && i - world->first_vm < world->vm_count) {
            return world->vms[i - world->first_vm];
        }
    }
    return NULL;
}

/* tally.c: what records say, as rows. records: one a VM, of one interval. */
void tally_interval(struct run *run, struct record *const *records);

/* run_servers.c: what a run does with real servers beyond asking them. */
int run_open_servers(struct run *run, struct error *err);
void run_close_servers(struct run *run);
void run_mark_servers(struct run *run);     /* their counters, once the sample has begun */
void run_finish_servers(struct run *run);   /* all is over: counters, what went wrong */
void run_describe_servers(struct run *run); /* into the result */
/* What the servers counted in the sample, as facts of VM i. */
const struct target_facts *run_server_facts(struct run *run, uint32_t i, bool before);

/* health.c: ask a simulated drive, at the end of every interval (before: the phase until then), */
void health_of_virtual(struct run *run, uint32_t before);
/* or a real one, as the sample begins, now and then in it, and when all is over (last). */
void health_of_real(struct run *run, bool last);

/* interference.c: look at the host, in real time: once the sample has begun, */
void interference_begin(struct run *run);
void interference_look(struct run *run); /* and at the end of each of its intervals; else nothing */
void interference_tell(struct run *run); /* what is known of the sample so far */

/* view.c: show the watcher where the run is. */
void view_show(struct run *run);
void view_show_fill(struct run *run, const char *phase, double share);
void view_show_waits(struct run *run); /* what its worlds wait for, if they do for a while now */

/* journal.c: the files of a run directory. */
int journal_open(struct run *run, struct error *err);
void journal_interval(struct run *run, struct record *const *records);
void journal_event(struct run *run, int64_t at_ns, const char *event, const char *text);
void journal_state(struct run *run, bool force); /* run.json, at most once a second of wall time */
void journal_early(struct run *run); /* run.json of a run of which nothing is measured */
void journal_close(struct run *run);

/* outcome.c: totals become a result. */
void outcome_early(struct run *run); /* what is known before the drive is filled */
void outcome_begin(struct run *run); /* and when the run's clock begins */
void outcome_void(struct run *run, const struct error *err); /* it never came to that */
void outcome_update(struct run *run);                        /* from the totals so far */
void outcome_finish(struct run *run); /* and what is known when all is over */
void outcome_files(struct run *run);  /* a run whose files are not whole has failed */

int64_t run_wall_ns(void); /* CLOCK_MONOTONIC: files and process cost only, never a measurement */

#endif
