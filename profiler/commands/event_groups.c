// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/event_groups.h"

#include <stdlib.h>

#include "profiler/base/memory.h"

/* Whether each event leads others; false: none does, as the file has no groups. */
static bool find_leaders(const struct event *events, size_t count, bool *leads)
{
	bool any = false;

	for (uint32_t i = 0; i < count; i++)
		if (events[i].group_leader != i)
			leads[events[i].group_leader] = any = true;
	return any;
}

/* What the group is called; it has its events. */
static void set_title(struct event_group *group, const struct grouping *grouping, bool recorded,
		      const bool *leads, size_t event_count)
{
	uint32_t first = group->events[0];
	bool made = !recorded && (grouping->all || grouping->none);

	group->plural = group->count > 1 || (made ? !first && event_count > 1 : leads[first]);
	group->named = group->plural && !made && !grouping->none;
}

void event_groups_init(struct event_groups *groups, const struct session *session,
		       const struct grouping *grouping)
{
	size_t count;
	const struct event *events = session_events(session, &count);
	bool *leads _cleanup_free_ = xcalloc(count, sizeof(*leads));
	bool recorded = find_leaders(events, count, leads), all = grouping->all && !recorded;
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

		groups->member_of[i] = group->count;
		group->events = xrealloc_array(group->events, group->count + 1, sizeof(*group->events));
		group->events[group->count++] = i;
	}
	for (size_t i = 0; i < groups->count; i++)
		set_title(&groups->groups[i], grouping, recorded, leads, count);
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

	if (group->named)
		strbuf_add_format(name, "%s { ", leader->group_name ? leader->group_name : "anon group");
	for (uint32_t i = 0; i < group->count; i++)
		strbuf_add_format(name, "%s%s", i ? ", " : "", events[group->events[i]].name);
	if (group->named)
		strbuf_add_string(name, " }");
}
