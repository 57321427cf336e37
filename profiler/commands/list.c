// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof list: the events of this machine, those that sample memory first; or the rules of the type
 * engine. */
#include <fnmatch.h>

#include "annotate/rules/rules.h"
#include "base/memory.h"
#include "profiler/commands/commands.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "report/text.h"
#include "profiler/record/open.h"
#include "profiler/record/event.h"

static const char *const root = "";

static bool raw; /* --raw-dump */

/* Says that a list is not whole. Returns it. */
static struct name_list said(struct name_list list, const char *of)
{
	if (list.problem)
		warning("not all %s are listed: %s", of, strerror(list.problem));
	return list;
}

/* Opens a PMU for its names. False: it has none, or cannot be read, which is said. */
static bool open_listed(const char *name, struct pmu **pmu)
{
	_cleanup_error_ struct error *error = pmu_open(root, name, pmu);

	if (error && error->code != ERROR_NOT_FOUND)
		warning("%s", error->message);
	return !error;
}

/* Returns why this user cannot open these events, or NULL. */
static struct error *refusal(const char *text)
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
	event_list_deinit(&list);
	return error;
}

/* Prints a line that begins with `start`, which is wrapped on a terminal. */
static void print_words(const char *start, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void print_words(const char *start, const char *format, ...)
{
	_cleanup_strbuf_ struct strbuf words = STRBUF_TEXT, line = STRBUF_TEXT;
	size_t indent = strlen(start);
	va_list arguments;

	va_start(arguments, format);
	strbuf_add_vformat(&words, format, arguments);
	va_end(arguments);
	strbuf_add(&line, start, indent);
	text_add_wrapped(&line, words.data, indent, terminal_width(), indent + 4);
	printf("%s\n", line.data);
}

static void print_memory_source(enum memory_source source, bool there, bool chosen)
{
	static const char *const names[] = {
		[MEMORY_SOURCE_INTEL] = "Intel precise loads and stores (PEBS)",
		[MEMORY_SOURCE_AMD] = "AMD instruction based sampling (IBS)",
		[MEMORY_SOURCE_ARM] = "Arm statistical profiling extension (SPE)",
		[MEMORY_SOURCE_CLOCK] = "timer with registers (cpu-clock)",
	};
	_cleanup_free_ char *events =
		memory_source_events(root, source, MEMORY_LOADS | MEMORY_STORES, 0);
	_cleanup_error_ struct error *why = there ? refusal(events) : NULL;

	print_words(chosen ? "  * " : "    ", "%s: %s%s", names[source], why ? "not usable: " : "",
		    !there ? "not on this machine"
		    : why  ? why->message
			   : events);
}

void list_memory_events(void)
{
	enum memory_source found = memory_source_find(root), chosen = found;
	_cleanup_free_ char *events =
		memory_source_events(root, found, MEMORY_LOADS | MEMORY_STORES, 0);
	_cleanup_error_ struct error *why = refusal(events);

	if (why)
		chosen = MEMORY_SOURCE_CLOCK;
	printf("Memory sampling (* is what 'dtprof record' takes without -e):\n");
	print_memory_source(MEMORY_SOURCE_INTEL, found == MEMORY_SOURCE_INTEL,
			    chosen == MEMORY_SOURCE_INTEL);
	print_memory_source(MEMORY_SOURCE_AMD,
			    sysfs_exists(root, "/sys/bus/event_source/devices/ibs_op/type"),
			    chosen == MEMORY_SOURCE_AMD);
	print_memory_source(MEMORY_SOURCE_ARM, found == MEMORY_SOURCE_ARM,
			    chosen == MEMORY_SOURCE_ARM);
	print_memory_source(MEMORY_SOURCE_CLOCK, true, chosen == MEMORY_SOURCE_CLOCK);
	print_words("  ", "chosen because: %s", memory_source_reason(chosen));
}

static void print_pmus(void)
{
	_cleanup_names_ struct name_list names = said(pmu_names(root), "PMUs");

	printf("\nEvents of PMUs, as PMU/event,term=value/:\n");
	for (size_t i = 0; i < names.count; i++) {
		struct pmu *pmu;

		if (!open_listed(names.names[i], &pmu))
			continue;
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

/* ---- chosen events, one in a line ---- */

enum event_kind {
	KIND_HARDWARE,
	KIND_SOFTWARE,
	KIND_CACHE,
	KIND_PMU,
	KIND_TRACEPOINT,
	EVENT_KINDS
};

static const struct {
	const char *words[3]; /* arguments that stand for this kind, as in perf */
	const char *title;    /* perf's name of it */
} kinds[EVENT_KINDS] = {
	[KIND_HARDWARE] = { { "hw", "hardware" }, "Hardware event" },
	[KIND_SOFTWARE] = { { "sw", "software" }, "Software event" },
	[KIND_CACHE] = { { "cache", "hwcache" }, "Hardware cache event" },
	[KIND_PMU] = { { "pmu" }, "Kernel PMU event" },
	[KIND_TRACEPOINT] = { { "tracepoint" }, "Tracepoint event" },
};

struct listed_event {
	enum event_kind kind;
	char *name;
};

struct catalogue {
	struct listed_event *items;
	size_t count, capacity;
	bool warned; /* that events are missing, other than those that the machine lacks */
};

/* Adds an event, whose name it takes. */
static void catalogue_add(struct catalogue *catalogue, enum event_kind kind, char *name)
{
	array_add(catalogue->items, catalogue->count, catalogue->capacity) =
		(struct listed_event){ kind, name };
}

static void catalogue_deinit(struct catalogue *catalogue)
{
	for (size_t i = 0; i < catalogue->count; i++)
		free(catalogue->items[i].name);
	free(catalogue->items);
}

static void add_generic(struct catalogue *catalogue, enum event_kind kind, uint32_t type)
{
	_cleanup_names_ struct name_list names = event_name_list(type);

	for (size_t i = 0; i < names.count; i++) {
		_cleanup_error_ struct error *why = refusal(names.names[i]);

		if (why && (why->code == ERROR_OTHER || why->code == ERROR_PERMISSION) &&
		    !catalogue->warned) {
			warning("not all events are listed: %s", why->message);
			catalogue->warned = true;
		}
		if (!why)
			catalogue_add(catalogue, kind, xstrdup(names.names[i]));
	}
}

static void add_pmus(struct catalogue *catalogue)
{
	_cleanup_names_ struct name_list names = said(pmu_names(root), "PMUs");

	for (size_t i = 0; i < names.count; i++) {
		struct pmu *pmu;

		if (!open_listed(names.names[i], &pmu))
			continue;
		for (size_t j = 0; j < pmu->events.count; j++)
			catalogue_add(catalogue, KIND_PMU,
				      xasprintf("%s/%s/", pmu->name, pmu->events.names[j]));
		pmu_close(pmu);
	}
}

static void add_tracepoints(struct catalogue *catalogue)
{
	_cleanup_free_ char *directory = tracepoint_directory(root);
	_cleanup_names_ struct name_list systems =
		directory ? said(sysfs_list(root, "%s/events", directory), "tracepoints")
			  : (struct name_list){ 0 };

	for (size_t i = 0; i < systems.count; i++) {
		_cleanup_names_ struct name_list names =
			said(sysfs_list(root, "%s/events/%s", directory, systems.names[i]),
			     "tracepoints");

		for (size_t j = 0; j < names.count; j++) {
			int64_t id;

			if (sysfs_read_number(&id, root, "%s/events/%s/%s/id", directory,
					      systems.names[i], names.names[j]))
				catalogue_add(catalogue, KIND_TRACEPOINT,
					      xasprintf("%s:%s", systems.names[i], names.names[j]));
		}
	}
}

/* ---- all events, for people ---- */

static void print_kind(const struct catalogue *catalogue, enum event_kind kind, const char *title)
{
	bool any = false;

	for (size_t i = 0; i < catalogue->count; i++) {
		if (catalogue->items[i].kind != kind)
			continue;
		if (!any)
			printf("\n%s:\n", title);
		any = true;
		printf("  %s\n", catalogue->items[i].name);
	}
	if (!any)
		printf("\n%s: none on this machine\n", title);
}

static void print_tracepoints(const struct catalogue *catalogue)
{
	_cleanup_free_ char *directory = tracepoint_directory(root);

	if (directory) {
		print_kind(catalogue, KIND_TRACEPOINT,
			   "Tracepoints, as SYSTEM:NAME or with patterns");
		return;
	}
	printf("\n");
	print_words("", "Tracepoints: tracefs is not mounted or not readable (mount -t tracefs "
			"nodev /sys/kernel/tracing)");
}

static void catalogue_read(struct catalogue *catalogue)
{
	add_generic(catalogue, KIND_HARDWARE, PERF_TYPE_HARDWARE);
	add_generic(catalogue, KIND_SOFTWARE, PERF_TYPE_SOFTWARE);
	add_generic(catalogue, KIND_CACHE, PERF_TYPE_HW_CACHE);
	add_pmus(catalogue);
	add_tracepoints(catalogue);
}

void list_events(void)
{
	struct catalogue catalogue = { 0 };

	list_memory_events();
	catalogue_read(&catalogue);
	print_kind(&catalogue, KIND_HARDWARE, "Hardware events");
	print_kind(&catalogue, KIND_CACHE, "Cache events");
	print_kind(&catalogue, KIND_SOFTWARE, "Software events");
	printf("\nRaw events: rNNN, NNN being the hexadecimal code of the CPU's manual\n");
	printf("\n");
	print_words("",
		    "Breakpoints on memory: mem:ADDRESS[/LENGTH][:rwx], the address a number, a "
		    "variable or a field of one (mem:stats.hits:w)");
	print_pmus();
	print_tracepoints(&catalogue);
	catalogue_deinit(&catalogue);
}

/* ---- choosing ---- */

static bool means_kind(enum event_kind kind, const char *word)
{
	return any_of(i, 0, COUNT_OF(kinds[kind].words),
		      kinds[kind].words[i] && !strcmp(kinds[kind].words[i], word));
}

static bool means_any_kind(const char *word)
{
	return any_of(kind, 0, EVENT_KINDS, means_kind((enum event_kind)kind, word));
}

/* True if one of the arguments means the event: its kind, a pattern, or a part of its name. */
static bool list_is_chosen(const struct listed_event *event, char **words, int count)
{
	bool chosen = count == 0;

	for (int i = 0; i < count && !chosen; i++) {
		if (means_any_kind(words[i]))
			chosen = means_kind(event->kind, words[i]);
		else if (words[i][strcspn(words[i], "*?[")])
			chosen = fnmatch(words[i], event->name, 0) == 0;
		else
			chosen = strcasestr(event->name, words[i]) != NULL;
	}
	return chosen;
}

/* Prints the names of the chosen events. Returns how many it has printed. */
static size_t print_chosen(const struct catalogue *catalogue, char **words, int count)
{
	size_t printed = 0;

	array_each (const struct listed_event, event, catalogue->items, catalogue->count) {
		if (!list_is_chosen(event, words, count))
			continue;
		if (raw)
			printf("%s%s", printed ? " " : "", event->name);
		else
			printf("  %-50s [%s]\n", event->name, kinds[event->kind].title);
		printed++;
	}
	return printed;
}

static struct error *print_catalogue(char **words, int count)
{
	struct catalogue catalogue = { 0 };

	catalogue_read(&catalogue);

	size_t printed = print_chosen(&catalogue, words, count);

	catalogue_deinit(&catalogue);
	if (!printed && !any_of(i, 0, (size_t)count, means_any_kind(words[i])))
		return error_create(ERROR_NOT_FOUND,
				    "no event of this machine is called '%s' (dtprof list)",
				    words[0]);
	return NULL;
}

/* Prints an indented line, which is wrapped at a terminal. */
static void print_indented(unsigned int column, const char *text)
{
	if (terminal_width())
		print_definition("", column, text);
	else
		printf("%*s%s\n", (int)column, "", text);
}

/* Prints an example. At a terminal its comment has a line of its own if one is not enough. */
static void print_example(unsigned int column, const char *example)
{
	const char *comment = strstr(example, " /* ");

	if (!comment)
		comment = strstr(example, " // ");
	if (!comment || !terminal_width() || column + strlen(example) <= terminal_width()) {
		print_indented(column, example);
		return;
	}
	_cleanup_free_ char *code = xasprintf("%.*s", (int)(comment - example), example);

	print_indented(column, code);
	print_indented(column, comment + 1);
}

static void list_rules(void)
{
	unsigned int stage = STAGE_COUNT;

	print_indented(0, "Rules of the type engine, in the order in which they are tried; "
			  "--no-rule=NAME switches one off:");
	for (unsigned int i = RULE_NONE + 1; i < RULE_COUNT; i++) {
		if (rules[i].stage != stage)
			printf("\n%s:\n", rule_stage_name(rules[i].stage));
		stage = rules[i].stage;
		printf("  %s\n", rules[i].name);
		print_indented(6, rules[i].reason);
		print_example(6, rules[i].example);
	}
}

int command_list(int argc, char **argv)
{
	static const struct option_spec specs[] = {
		FLAG(0, "raw-dump", &raw, "print names alone, in one line"),
		{ .kind = OPTION_END },
	};
	static const struct command_usage usage = {
		.name = "list",
		.synopsis = "[OPTIONS] [rules | hw | sw | cache | pmu | tracepoint | PATTERN ...]",
		.summary = "List the events that can be recorded on this machine, or the rules by "
			   "which types are found.",
		.options = specs
	};
	struct error *error = NULL;
	int rest, status;

	if (!command_begin(argc, argv, &usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	if (rest == 1 && !strcmp(argv[0], "rules"))
		list_rules();
	else if (rest || raw)
		error = print_catalogue(argv, rest);
	else
		list_events();
	return error ? command_fail(error) : EXIT_SUCCESS;
}
