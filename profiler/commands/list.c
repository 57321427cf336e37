// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof list: the events of this machine, those that sample memory first; or the rules of the type engine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/rules/rules.h"
#include "profiler/base/memory.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/options.h"
#include "profiler/commands/output.h"
#include "profiler/record/open.h"
#include "profiler/record/event.h"
#include "profiler/record/tracepoint.h"

static const char *const root = "";

/*
 * True if the kernel would open these events for a process of this user. *why is a message for the
 * caller to free, or NULL.
 */
static bool usable(const char *text, char **why)
{
	struct event_list list = { 0 };
	struct rights rights;
	size_t failed;
	struct error *error = rights_read(root, &rights);

	if (!error)
		error = event_parse(&list, root, text);
	if (!error) {
		for (size_t i = 0; i < list.count; i++) {
			list.items[i].attr.sample_period = 1000000;
			list.items[i].attr.disabled = 1;
			list.items[i].attr.exclude_kernel = !rights_allow_kernel(&rights);
			list.items[i].attr.exclude_hv = !rights_allow_kernel(&rights);
		}
		error = counters_probe(&list, &rights, false, 0, &failed);
	}
	*why = error ? xstrdup(error->message) : NULL;
	event_list_deinit(&list);
	error_destroy(error);
	return *why == NULL;
}

static void print_memory_source(enum memory_source source, bool there, bool chosen)
{
	static const char *const names[] = {
		[MEMORY_SOURCE_INTEL] = "Intel precise loads and stores (PEBS)",
		[MEMORY_SOURCE_AMD] = "AMD instruction based sampling (IBS)",
		[MEMORY_SOURCE_CLOCK] = "timer with registers (cpu-clock)",
	};
	_cleanup_free_ char *events = memory_source_events(root, source, MEMORY_LOADS | MEMORY_STORES, 30);
	_cleanup_free_ char *why = NULL;

	printf("  %c %s: ", chosen ? '*' : ' ', names[source]);
	if (!there)
		printf("not on this machine\n");
	else if (!usable(events, &why))
		printf("not usable: %s\n", why);
	else
		printf("%s\n", events);
}

static void print_memory_sources(void)
{
	enum memory_source found = memory_source_find(root), chosen = found;
	_cleanup_free_ char *events = memory_source_events(root, found, MEMORY_LOADS | MEMORY_STORES, 30);
	_cleanup_free_ char *why = NULL;

	if (!usable(events, &why))
		chosen = MEMORY_SOURCE_CLOCK;
	printf("Memory sampling (* is what 'dtprof record' takes without -e):\n");
	print_memory_source(MEMORY_SOURCE_INTEL, found == MEMORY_SOURCE_INTEL, chosen == MEMORY_SOURCE_INTEL);
	print_memory_source(MEMORY_SOURCE_AMD,
			    sysfs_exists(root, "/sys/bus/event_source/devices/ibs_op/type"),
			    chosen == MEMORY_SOURCE_AMD);
	print_memory_source(MEMORY_SOURCE_CLOCK, true, chosen == MEMORY_SOURCE_CLOCK);
	printf("  chosen because: %s\n", memory_source_reason(chosen));
}

static void print_generic(const char *title, uint32_t type)
{
	_cleanup_names_ struct name_list names = event_name_list(type);
	bool first = true;

	for (size_t i = 0; i < names.count; i++) {
		_cleanup_free_ char *why = NULL;

		if (!usable(names.names[i], &why))
			continue;
		if (first)
			printf("\n%s:\n", title);
		first = false;
		printf("  %s\n", names.names[i]);
	}
	if (first)
		printf("\n%s: none on this machine\n", title);
}

static void print_pmus(void)
{
	_cleanup_names_ struct name_list names = pmu_names(root);

	printf("\nEvents of PMUs, as PMU/event,term=value/:\n");
	for (size_t i = 0; i < names.count; i++) {
		struct pmu *pmu;
		struct error *error = pmu_open(root, names.names[i], &pmu);

		if (error) {
			error_destroy(error);
			continue;
		}
		if (pmu->events.count || pmu->formats.count)
			printf("  %s: terms", pmu->name);
		for (size_t j = 0; j < pmu->formats.count; j++)
			printf(" %s", pmu->formats.names[j]);
		if (pmu->events.count || pmu->formats.count)
			printf("\n");
		for (size_t j = 0; j < pmu->events.count; j++)
			printf("    %s/%s/\n", pmu->name, pmu->events.names[j]);
		pmu_close(pmu);
	}
}

static void print_tracepoints(void)
{
	_cleanup_free_ char *directory = tracepoint_directory(root);

	if (!directory) {
		printf("\nTracepoints: tracefs is not mounted or not readable (mount -t tracefs nodev "
		       "/sys/kernel/tracing)\n");
		return;
	}
	_cleanup_names_ struct name_list systems = sysfs_list(root, "%s/events", directory);

	printf("\nTracepoints, as SYSTEM:NAME or with patterns:\n");
	for (size_t i = 0; i < systems.count; i++) {
		_cleanup_names_ struct name_list names =
			sysfs_list(root, "%s/events/%s", directory, systems.names[i]);

		for (size_t j = 0; j < names.count; j++) {
			if (sysfs_exists(root, "%s/events/%s/%s/id", directory, systems.names[i],
					 names.names[j]))
				printf("  %s:%s\n", systems.names[i], names.names[j]);
		}
	}
}

void list_events(void)
{
	print_memory_sources();
	print_generic("Hardware events", PERF_TYPE_HARDWARE);
	print_generic("Cache events", PERF_TYPE_HW_CACHE);
	print_generic("Software events", PERF_TYPE_SOFTWARE);
	printf("\nRaw events: rNNN, NNN being the hexadecimal code of the CPU's manual\n");
	printf("\nBreakpoints on memory: mem:ADDRESS[/LENGTH][:rwx], the address a number, a variable or a "
	       "field of one "
	       "(mem:stats.hits:w)\n");
	print_pmus();
	print_tracepoints();
}

static void list_rules(void)
{
	unsigned int stage = STAGE_COUNT;

	printf("Rules of the type engine, in the order in which they are tried; --no-rule=NAME switches one "
	       "off:\n");
	for (unsigned int i = RULE_NONE + 1; i < RULE_COUNT; i++) {
		if (rules[i].stage != stage)
			printf("\n%s:\n", rule_stage_name(rules[i].stage));
		stage = rules[i].stage;
		printf("  %s\n      %s\n      %s\n", rules[i].name, rules[i].reason, rules[i].example);
	}
}

int command_list(int argc, char **argv)
{
	static const struct option_spec options[] = { { .kind = OPTION_END } };
	static const struct command_usage usage = { .name = "list",
						    .synopsis = "[rules]",
						    .summary =
							    "List the events that can be recorded on this "
							    "machine, or the rules by which types are found.",
						    .options = options };
	int rest, status;

	if (!command_begin(argc, argv, &usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	if (rest > 1 || (rest && strcmp(argv[0], "rules") != 0))
		return command_fail_usage(
			error_create(ERROR_OTHER, "dtprof list takes no argument but 'rules'"));
	if (rest)
		list_rules();
	else
		list_events();
	return EXIT_SUCCESS;
}
