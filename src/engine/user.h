/* engine/user: DUE, ASK, ANSWER, END: the life of a virtual user. */
#ifndef RAWTPS_ENGINE_USER_H
#define RAWTPS_ENGINE_USER_H

#include "vm.h"

/* stream: of its chance; others' differ. */
void user_init(struct user *user, uint32_t id, bool worker, uint64_t seed, uint64_t stream);
/*
 * Choose a transaction as one who is amid a pause, and wait until it is due. spread: 0 to 1,
 * uniform over the users.
 */
void user_first(struct user *user, double spread);

#endif
