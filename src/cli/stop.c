#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

/* A run that is to end at once and is not over by then will not be. */
enum { LAST_SECONDS = 4 };

/* A handler has no argument to carry these. */
static volatile int asked;
static volatile int silent, gentle, terminal;

static volatile double hurried; /* when the last one was heard */

/* clock_gettime() is safe in a handler (POSIX.1-2008, 2.4.3). */
static double seconds(void)
{
    struct timespec now = {0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void say(const char *words)
{
    if (silent || (terminal && write(STDERR_FILENO, "\n", 1) < 0) ||
        write(STDERR_FILENO, words, strlen(words)) < 0) {
        errno = 0; /* nobody reads it: nothing is lost */
    }
}

static void handle(int number)
{
    int saved = errno;

    /* a key that is held down is not a third wish: what was measured is being written */
    if (asked >= 2 && number != SIGALRM && seconds() - hurried < 1) {
        errno = saved;
        return;
    }
    if (number == SIGALRM || asked >= 2 || (asked == 1 && !gentle)) {
        _exit(EXIT_INTERRUPTED);
    }
    hurried = seconds();
    asked = asked + 1;
    if (asked == 1) {
        say("rawtps: stopping; once more stops at once\n");
    } else {
        alarm(LAST_SECONDS);
        say("rawtps: ending at once: what was measured is kept\n");
    }
    errno = saved;
}

void stop_catch(bool quiet)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART}, before;

    silent = quiet;
    terminal = isatty(STDERR_FILENO);
    sigfillset(&action.sa_mask); /* one at a time: a second one waits for the first's handler */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(SIGHUP, &action, NULL);
    }
}

void stop_gently(bool on)
{
    gentle = on;
}

const volatile int *stop_flag(void)
{
    return &asked;
}
