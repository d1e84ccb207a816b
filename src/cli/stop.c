#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

/* A handler has no argument to carry these. */
static volatile int asked;
static volatile int silent;
static const char *volatile words;

static void handle(int number)
{
    int saved = errno;

    if (asked) {
        _exit(EXIT_INTERRUPTED);
    }
    asked = 1;
    if (!silent && write(STDERR_FILENO, words, strlen(words)) < 0) {
        errno = 0; /* nobody reads it: nothing is lost */
    }
    errno = saved;
}

void stop_catch(bool quiet)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART}, before;

    silent = quiet;
    words = isatty(STDERR_FILENO) ? "\nrawtps: stopping; once more stops at once\n"
                                  : "rawtps: stopping; once more stops at once\n";
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(SIGHUP, &action, NULL);
    }
}

const volatile int *stop_flag(void)
{
    return &asked;
}
