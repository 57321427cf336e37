// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/event_groups.h"

#include <stdlib.h>

#include "profiler/base/memory.h"

void event_groups_init(struct event_groups *groups, const struct session *session, bool separate)
{
	size_t count;
	const struct event *events = session_events(session, &count);

	*groups = (struct event_groups){ .groups = xcalloc(count, sizeof(*groups->groups)),
					 .group_of = xcalloc(count, sizeof(*groups->group_of)),
					 .member_of = xcalloc(count, sizeof(*groups->member_of)) };
	for (uint32_t i = 0; i < count; i++) {
		uint32_t leader = separate ? i : events[i].group_leader;

		groups->group_of[i] = leader < i ? groups->group_of[leader] : groups->count++;

		struct event_group *group = &groups->groups[groups->group_of[i]];

		groups->member_of[i] = group->count;
		group->events = xrealloc_array(group->events, group->count + 1, sizeof(*group->events));
		group->events[group->count++] = i;
	}
}

void event_groups_release(struct event_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		free(groups->groups[i].events);
	free(groups->groups);
	free(groups->group_of);
	free(groups->member_of);
	*groups = (struct event_groups){ 0 };
}

void event_group_name(const struct event_group *group, const struct session *session, struct strbuf *name)
{
	size_t count;
	const struct event *events = session_events(session, &count);

	if (group->count == 1) {
		strbuf_add_string(name, events[group->events[0]].name);
		return;
	}

	const char *group_name = events[group->events[0]].group_name;

	strbuf_add_format(name, "%s { ", group_name ? group_name : "anon group");
	for (uint32_t i = 0; i < group->count; i++)
		strbuf_add_format(name, "%s%s", i ? ", " : "", events[group->events[i]].name);
	strbuf_add_string(name, " }");
}
