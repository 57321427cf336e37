/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events share a table, side by side: those of a group, unless --no-group; with --group all of a file
 * without groups. */
#ifndef DTPROF_COMMANDS_EVENT_GROUPS_H
#define DTPROF_COMMANDS_EVENT_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/strbuf.h"
#include "profiler/ingest/session.h"

struct event_group {
	uint32_t *events; /* indexes; none without samples, unless these are kept */
	uint32_t count;
	/* "events", as perf says it of the first of several, whichever of them have samples: of a group, be
	 * it shown as one or not, and with --group and --no-group of all events of a file without groups */
	bool plural;
	bool named; /* recorded as a group, and shown as one */
};

struct event_groups {
	struct event_group *groups;
	size_t count;
	uint32_t *group_of;  /* for each such event: its group, */
	uint32_t *member_of; /* and its place in that */
};

struct grouping {
	bool none;       /* --no-group: each event by itself */
	bool all;        /* --group: if the file has no groups, all events in one */
	bool keep_empty; /* --no-skip-empty: also events without samples */
};

/* For tables of options; the first one is found before it is taken for the negation of the second. */
#define GROUPING_OPTION_SPECS(grouping)                                                                      \
	{ OPTION_FLAG, 0, "no-group", &(grouping).none, NULL, "each event by itself, also those of a group", \
	  NULL },                                                                                            \
	{                                                                                                    \
		OPTION_FLAG, 0, "group", &(grouping).all, NULL,                                              \
			"events side by side, also where they were not recorded as\na group", NULL           \
	}

/* After the samples were counted: events without any belong to no group. */
void event_groups_init(struct event_groups *groups, const struct session *session,
		       const struct grouping *grouping);
void event_groups_release(struct event_groups *groups);
/* "cycles", or "anon group { cycles, instructions }" as perf has it */
void event_group_name(const struct event_group *group, const struct session *session, struct strbuf *name);

#endif
