/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events share a table: those of a group do, side by side, unless --no-group. */
#ifndef DTPROF_COMMANDS_EVENT_GROUPS_H
#define DTPROF_COMMANDS_EVENT_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/strbuf.h"
#include "profiler/ingest/session.h"

struct event_group {
	uint32_t *events; /* indexes, the leader first */
	uint32_t count;
};

struct event_groups {
	struct event_group *groups;
	size_t count;
	uint32_t *group_of;  /* for each event: its group, */
	uint32_t *member_of; /* and its place in that */
};

void event_groups_init(struct event_groups *groups, const struct session *session, bool separate);
void event_groups_release(struct event_groups *groups);
/* "cycles", or "anon group { cycles, instructions }" as perf has it */
void event_group_name(const struct event_group *group, const struct session *session, struct strbuf *name);

#endif
