/* engine/live_disk: the drive under a server of this host, as far as the server looks at it. */
#ifndef RAWTPS_ENGINE_LIVE_DISK_H
#define RAWTPS_ENGINE_LIVE_DISK_H

#include "sql/sql.h"
#include "target/server_profile.h"

/*
 * MariaDB asks the system about the drive of its data: where it is rotational, pages are written
 * with their dirty neighbours (innodb_flush_neighbors), and from 10.8 on the log is written in its
 * physical blocks. Adds what is found to the profile; nothing if the server is elsewhere, is
 * another one, or tells nothing.
 */
void live_disk_add(struct server_profile *profile, struct sql_plain *plain,
                   const struct sql_url *url, const struct server_facts *server);

#endif
