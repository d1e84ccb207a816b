/* base/must: what can only be our own mistake ends the program, always. */
#ifndef RAWTPS_BASE_MUST_H
#define RAWTPS_BASE_MUST_H

/*
 * Ends the program with the place and the condition if the condition is false. Always on, in
 * every build: a wrong number is worse than none. Never for what a user, a file or a drive can do.
 */
#define must(cond)                                                                                 \
    do {                                                                                           \
        if (__builtin_expect(!(cond), 0)) {                                                        \
            must_fail(#cond, __FILE__, __LINE__);                                                  \
        }                                                                                          \
    } while (0)

__attribute__((noreturn, cold)) void must_fail(const char *cond, const char *file, int line);

#endif
