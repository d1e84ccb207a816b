#include "workload/op.h"

const char *const spent_names[SPENT_KINDS] = {"cpu", "lock", "read", "log", "session", "server"};
