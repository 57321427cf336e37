// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/event_groups.h"

#include <stdlib.h>

#include "profiler/base/memory.h"

static bool has_groups(const struct event *events, size_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (events[i].group_leader != i)
			return true;
	return false;
}

void event_groups_init(struct event_groups *groups, const struct session *session,
		       const struct grouping *grouping)
{
	size_t count;
	const struct event *events = session_events(session, &count);
	bool all = grouping->all && !has_groups(events, count);
	uint32_t *group_of_leader _cleanup_free_ =
		xcalloc(count, sizeof(*group_of_leader)); /* + 1; 0: none yet */

	*groups = (struct event_groups){ .groups = xcalloc(count, sizeof(*groups->groups)),
					 .group_of = xcalloc(count, sizeof(*groups->group_of)),
					 .member_of = xcalloc(count, sizeof(*groups->member_of)) };
	for (uint32_t i = 0; i < count; i++) {
		uint32_t leader = grouping->none ? i : all ? 0 : events[i].group_leader;

		if (!events[i].samples && !grouping->keep_empty)
			continue;
		if (!group_of_leader[leader])
			group_of_leader[leader] = ++groups->count;
		groups->group_of[i] = group_of_leader[leader] - 1;

		struct event_group *group = &groups->groups[groups->group_of[i]];

		group->forced = all;
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
	const struct event *leader = &events[events[group->events[0]].group_leader];
	bool braces = group->count > 1 && !group->forced;

	if (braces)
		strbuf_add_format(name, "%s { ", leader->group_name ? leader->group_name : "anon group");
	for (uint32_t i = 0; i < group->count; i++)
		strbuf_add_format(name, "%s%s", i ? ", " : "", events[group->events[i]].name);
	if (braces)
		strbuf_add_string(name, " }");
}
