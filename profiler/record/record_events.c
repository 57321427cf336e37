// SPDX-License-Identifier: GPL-2.0-or-later
/* Which events are recorded, and how: see recording.h. */
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/record/breakpoint.h"
#include "profiler/record/cgroup.h"
#include "profiler/record/event_default.h"
#include "profiler/record/recording.h"
#include "profiler/record/registers.h"

static struct error *check_frequency(struct recording *recording)
{
	const struct record_options *options = recording->options;
	uint64_t limit = recording->rights.max_sample_rate;

	if (recording->attr.period || !limit)
		return NULL;
	if (options->maximum_frequency) {
		recording->attr.frequency = limit;
		recording_say(recording, RECORD_NOTE, "sampling at the kernel's maximum of %lu Hz", limit);
		return NULL;
	}
	if (recording->attr.frequency <= limit)
		return NULL;
	if (options->frequency_given)
		return error_create(ERROR_OTHER,
				    "-F %lu is more than the kernel allows: use at most -F %lu (or -F max), "
				    "or as root: sysctl "
				    "kernel.perf_event_max_sample_rate=%lu",
				    recording->attr.frequency, limit, recording->attr.frequency);
	recording_say(recording, RECORD_WARNING,
		      "sampling at %lu Hz instead of %lu: kernel.perf_event_max_sample_rate is %lu", limit,
		      recording->attr.frequency, limit);
	recording->attr.frequency = limit;
	return NULL;
}

/*
 * Of the default events of a hybrid machine those whose cores are not among the CPUs asked for count nothing.
 * Who names such an event is told so, but nobody named these.
 */
static void drop_other_cores(struct recording *recording)
{
	const char *wanted = recording->options->target.cpu_list;
	struct event_list *list = &recording->events;

	for (size_t i = list->count; wanted && i-- > 0;) {
		const struct pmu *pmu = list->items[i].pmu;

		if (list->items[i].leader == i && pmu && pmu->cpus && !cpu_lists_meet(pmu->cpus, wanted))
			event_list_drop(list, i);
	}
}

/* Make the list from text, complete the attrs and see what of them the kernel takes. */
static struct error *prepare(struct recording *recording, const char *text, const struct attr_options *attr,
			     bool chosen)
{
	const struct record_options *options = recording->options;
	bool restricted, system_wide = options->target.system_wide;
	int first_cpu = options->target.cpu_list ? atoi(options->target.cpu_list) : 0;

	RETURN_ERROR(event_parse(&recording->events, options->root, text));
	if (chosen)
		drop_other_cores(recording);
	recording->stop_workload = attr->enable_on_exec && breakpoint_pending(&recording->events);
	attr_configure(&recording->events, attr, &recording->rights, &restricted);
	if (options->cgroups)
		RETURN_ERROR(cgroup_assign(&recording->events, options->cgroups));
	if (recording->stop_workload)
		recording->attr.enable_on_exec = false;
	RETURN_ERROR(counters_probe(&recording->events, &recording->rights, system_wide, first_cpu));
	RETURN_ERROR(breakpoint_probe(&recording->events));
	if (restricted) {
		_cleanup_free_ char *advice = rights_advice(&recording->rights, 1);

		recording_say(recording, RECORD_WARNING, "user space only, the kernel is left out: %s",
			      advice);
	}
	return NULL;
}

/* Without hardware: where the timer hits, the registers of the instruction that has not run yet hold its
 * operands. */
static struct error *prepare_clock(struct recording *recording)
{
	struct attr_options attr = recording->attr;

	attr.interrupt_registers |= registers_general();
	recording->attr = attr;
	/* Where the computed addresses point to: maps of data as well as of code. */
	recording->attr.data_maps = attr.data_maps = true;
	return prepare(recording, "cpu-clock", &attr, true);
}

static struct error *choose_default(struct recording *recording)
{
	const char *root = recording->options->root;
	enum memory_source source = memory_source_find(root);
	unsigned int all = MEMORY_LOADS | MEMORY_STORES;
	unsigned int operations = recording->options->operations ? recording->options->operations : all;
	_cleanup_free_ char *text =
		memory_source_events(root, source, operations, recording->options->latency);

	if (operations != all && source != MEMORY_SOURCE_INTEL)
		recording_say(recording, RECORD_WARNING,
			      "this machine's event does not tell loads from stores: both "
			      "are recorded");
	if (source != MEMORY_SOURCE_CLOCK && !*text)
		return error_create(ERROR_UNSUPPORTED, "this machine has no event for %s",
				    operations == MEMORY_LOADS ? "loads" : "stores");
	if (source != MEMORY_SOURCE_CLOCK) {
		struct error *error = prepare(recording, text, &recording->attr, true);

		if (!error) {
			recording_say(recording, RECORD_DETAIL, "recording %s: %s", text,
				      memory_source_reason(source));
			return NULL;
		}
		/* A virtual machine may name events in sysfs that its host does not give it. */
		if (error->code != ERROR_UNSUPPORTED)
			return error;
		recording_say(recording, RECORD_WARNING, "%s cannot be used: %s", text, error->message);
		error_free(error);
		event_list_release(&recording->events);
	}
	recording_say(recording, RECORD_NOTE, "%s", memory_source_reason(MEMORY_SOURCE_CLOCK));
	return prepare_clock(recording);
}

/* As perf: who asks for cycles where there are none wants a profile by time. */
static struct error *prepare_given(struct recording *recording, const char *text)
{
	struct error *error = prepare(recording, text, &recording->attr, false);
	bool cycles = strcmp(text, "cycles") == 0 || strcmp(text, "cpu-cycles") == 0;

	if (!error || error->code != ERROR_UNSUPPORTED || !cycles)
		return error;
	error_free(error);
	event_list_release(&recording->events);
	recording_say(recording, RECORD_WARNING,
		      "this machine does not count cycles: cpu-clock is recorded instead");
	return prepare(recording, "cpu-clock", &recording->attr, false);
}

struct error *recording_choose_events(struct recording *recording)
{
	const struct record_options *options = recording->options;

	RETURN_ERROR(check_frequency(recording));
	if (options->target.cpu_list)
		RETURN_ERROR(cpu_list_check(options->target.cpu_list));
	if (options->target.system_wide && !rights_allow_system_wide(&recording->rights)) {
		_cleanup_free_ char *advice = rights_advice(&recording->rights, 0);

		return error_create(ERROR_PERMISSION, "no permission to record system-wide: %s", advice);
	}
	return options->events ? prepare_given(recording, options->events) : choose_default(recording);
}
