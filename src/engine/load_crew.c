#include "load_crew.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

/* The caller looks after so long. */
#define LOOK_NS 200000000ll

static void crew_fail(struct load_crew *crew, const struct error *err)
{
    pthread_mutex_lock(&crew->lock);
    if (!atomic_load(&crew->failed)) {
        crew->error = *err;
        atomic_store(&crew->failed, true);
    }
    pthread_mutex_unlock(&crew->lock);
}

static void *hand_work(void *argument)
{
    struct load_hand *hand = argument;
    struct load_crew *crew = hand->crew;
    struct error err = {0};
    int rc = sql_plain_open(&hand->plain, crew->url, &err);

    if (rc == 0 && crew->session[0] != '\0') {
        rc = sql_plain_run(hand->plain, crew->session, NULL, NULL, &err);
    }
    while (rc == 0 && !load_crew_stopping(crew)) {
        uint32_t i = atomic_fetch_add(&crew->next, 1);

        if (i >= crew->items) {
            break;
        }
        rc = crew->item(crew->context, hand, i, &err);
        atomic_fetch_add(&crew->done, rc == 0);
    }
    if (rc < 0 && !(rc == -EINTR && load_crew_stopping(crew))) {
        crew_fail(crew, &err);
    }
    if (hand->plain != NULL) {
        sql_plain_close(hand->plain);
    }
    atomic_fetch_sub(&crew->hands_busy, 1);
    return NULL;
}

static void crew_watch(struct load_crew *crew)
{
    struct timespec wait = {.tv_nsec = 5000000};
    int64_t since_ns = 0;

    while (atomic_load(&crew->hands_busy) > 0) {
        nanosleep(&wait, NULL);
        since_ns += wait.tv_nsec;
        if (since_ns >= LOOK_NS) {
            crew->look(crew->context);
            since_ns = 0;
        }
    }
    crew->look(crew->context);
}

static void crew_start(struct load_crew *crew, struct load_hand *hands, uint32_t count)
{
    struct error err = {0};
    uint32_t i;
    int rc = 0;

    atomic_store(&crew->hands_busy, count);
    for (i = 0; i < count; i++) {
        hands[i].crew = crew;
        rc = pthread_create(&hands[i].thread, NULL, hand_work, &hands[i]);
        if (rc != 0) {
            break;
        }
    }
    if (rc != 0) {
        error_set(&err, EXIT_FAILED, -rc, "starting a thread: %s", strerror(rc));
        crew_fail(crew, &err);
        atomic_fetch_sub(&crew->hands_busy, count - i);
    }
    crew_watch(crew);
    for (uint32_t j = 0; j < i; j++) {
        pthread_join(hands[j].thread, NULL);
    }
}

int load_crew_run(struct load_crew *crew, struct error *err)
{
    uint32_t count = crew->hands < crew->items ? crew->hands : crew->items;
    struct load_hand *hands = mem_array(count > 0 ? count : 1, sizeof(*hands));

    if (hands == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u connections", count);
    }
    pthread_mutex_init(&crew->lock, NULL);
    crew_start(crew, hands, count);
    pthread_mutex_destroy(&crew->lock);
    mem_free(hands);
    if (atomic_load(&crew->failed)) {
        *err = crew->error;
        return err->code;
    }
    if (atomic_load(&crew->done) < crew->items) {
        return error_set(err, EXIT_INTERRUPTED, -EINTR, "interrupted: what is loaded stays");
    }
    return 0;
}
