// SPDX-License-Identifier: GPL-2.0-or-later
/* What comes through --control, carried out: see recording.h. */
#include <string.h>

#include "profiler/record/recording.h"

/* One event by its name, with the group that it belongs to; all without a name. */
static void switch_events(struct recording *recording, const char *name, bool on)
{
	const struct event_list *events = &recording->events;
	bool found = false;

	if (!name && on)
		counters_enable(&recording->counters, events, false);
	else if (!name)
		counters_disable(&recording->counters, events, false);
	for (size_t i = 0; name && i < events->count; i++) {
		if (strcmp(events->items[i].name, name) || events->items[i].follower)
			continue;
		counters_switch(&recording->counters, events->items[i].leader, on);
		found = true;
	}
	if (name && !found)
		recording_say(recording, RECORD_WARNING,
			      "--control: there is no event '%s' ('evlist' lists them)", name);
}

static void list_events(const struct recording *recording)
{
	for (size_t i = 0; i < recording->events.count; i++)
		recording_say(recording, RECORD_NOTE, "event: %s", recording->events.items[i].name);
}

/* What SIGUSR2 does. */
static void take_snapshot(struct recording *recording)
{
	if (recording->options->switch_on_signal)
		recording->switch_now = true;
	else
		recording_say(recording, RECORD_WARNING, "--control: 'snapshot' needs --switch-output");
}

static void carry_out(struct recording *recording, const struct control_command *command)
{
	switch (command->verb) {
	case CONTROL_ENABLE: switch_events(recording, command->argument, true); break;
	case CONTROL_DISABLE: switch_events(recording, command->argument, false); break;
	case CONTROL_EVENT_LIST: list_events(recording); break;
	case CONTROL_SNAPSHOT: take_snapshot(recording); break;
	case CONTROL_STOP: recording->done = true; break;
	case CONTROL_PING: break;
	case CONTROL_UNKNOWN:
		recording_say(recording, RECORD_WARNING,
			      "--control: '%s' is none of enable, disable, evlist, snapshot, stop, ping",
			      command->line);
	}
	/* An answer to everything: who waits for one must not wait for ever because of a misspelling. */
	control_acknowledge(&recording->control);
}

struct error *recording_handle_control(struct recording *recording, bool *closed)
{
	struct control_command command;

	RETURN_ERROR(control_read(&recording->control, closed));
	while (control_next(&recording->control, &command)) {
		carry_out(recording, &command);
		control_command_release(&command);
	}
	return NULL;
}
