// SPDX-License-Identifier: GPL-2.0-or-later
/* Modifiers of events, with the meaning that perf-list(1) gives them. */
#include "profiler/record/event_modifier.h"

#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"

/* u, k, h name what is counted; all that is not named is excluded. Letters of a second set add to the first.
 */
static void count_only(struct event_spec *spec, char letter)
{
	struct perf_event_attr *attr = &spec->attr;

	if (!spec->exclude_given)
		attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 1;
	spec->exclude_given = true;
	if (letter == 'u')
		attr->exclude_user = 0;
	else if (letter == 'k')
		attr->exclude_kernel = 0;
	else
		attr->exclude_hv = 0;
}

static void count_guest_or_host(struct event_spec *spec, char letter)
{
	struct perf_event_attr *attr = &spec->attr;

	if (!spec->guest_given)
		attr->exclude_guest = attr->exclude_host = 1;
	spec->guest_given = true;
	if (letter == 'G')
		attr->exclude_guest = 0;
	else
		attr->exclude_host = 0;
}

static struct error *modify_one(struct event_spec *spec, char letter)
{
	switch (letter) {
	case 'u':
	case 'k':
	case 'h': count_only(spec, letter); break;
	case 'G':
	case 'H': count_guest_or_host(spec, letter); break;
	case 'I': spec->attr.exclude_idle = 1; break;
	case 'p':
		if (spec->attr.precise_ip == 3)
			return error_create(ERROR_OTHER, "event '%s': more than three modifiers 'p'",
					    spec->name);
		spec->attr.precise_ip++;
		break;
	case 'P': spec->highest_precision = true; break;
	case 'S': spec->group_read = true; break;
	case 'D': spec->attr.pinned = 1; break;
	case 'W': spec->weak_group = true; break;
	case 'e': spec->attr.exclusive = 1; break;
	default:
		return error_create(ERROR_OTHER,
				    "event '%s': unknown modifier '%c' (there are u k h G H I p P S D W e)",
				    spec->name, letter);
	}
	return NULL;
}

struct error *event_modify(struct event_spec *spec, const char *modifiers)
{
	if (!*modifiers)
		return NULL;
	for (const char *letter = modifiers; *letter; letter++)
		RETURN_ERROR(modify_one(spec, *letter));

	char shown[16] = "";
	size_t length = strlen(spec->name), count = 0;

	/* How the event is scheduled is no part of its name. */
	for (const char *letter = modifiers; *letter && count < sizeof(shown) - 1; letter++) {
		if (strchr("ukhGHIpP", *letter))
			shown[count++] = *letter;
	}
	if (!count)
		return NULL;
	/* A PMU event's modifiers follow its slash; breakpoints are named by their whole text. */
	bool slash = length && spec->name[length - 1] == '/';
	bool named = strchr(spec->name, ':') != NULL && !spec->tracepoint;
	char *name = spec->attr.type == PERF_TYPE_BREAKPOINT
			     ? xstrdup(spec->name)
			     : xasprintf("%s%s%s", spec->name, slash || named ? "" : ":", shown);

	free(spec->name);
	spec->name = name;
	return NULL;
}
