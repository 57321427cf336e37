// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof mem: record and report of memory accesses, with perf mem's options.
 *
 * `mem record` and `mem report` run record and report with a few options of their own.
 */

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/commands/commands.h"
#include "profiler/cli/options.h"
#include "profiler/commands/record.h"
#include "profiler/commands/report.h"

/* ---- the command ---- */

#define SORT_LOADS  "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked"
#define SORT_STORES "mem,sym,dso,symbol_daddr,dso_daddr,tlb,locked" /* stores have no latency */
#define SORT_TYPES  "mem,snoop,tlb,type"

static struct {
	unsigned int operations; /* MEMORY_LOADS, MEMORY_STORES */
	bool types;              /* -T */
	bool physical_address;   /* -p */
	bool data_page_size;
	char *sort; /* the value for -s, allocated */
} mem = { .operations = MEMORY_LOADS | MEMORY_STORES };

static struct error *parse_operations(void *value, const char *argument)
{
	unsigned int *operations = value;

	*operations = 0;
	each_word (word, length, argument)
		if (text_is(word, length, "load"))
			*operations |= MEMORY_LOADS;
		else if (text_is(word, length, "store"))
			*operations |= MEMORY_STORES;
		else
			return error_other("'%.*s' is neither load nor store", (int)length, word);
	return *operations ? NULL : error_other("load or store is missing");
}

/* ---- record ---- */

static bool record_physical;

static const struct option_spec record_specs[] = {
	GROUP("Memory accesses"),
	{ OPTION_CALL, 't', "type", &mem.operations, "TYPES", "load, store or both (load,store)",
	  parse_operations },
	FLAG('p', "phys-data", &record_physical, "the data's physical address"),
	OPTIONS_END,
};

static void mem_prepare_record(struct record_arguments *arguments)
{
	struct record_options *record = &arguments->record;

	record->operations = mem.operations;
	record->attr.physical_address |= record_physical;
	/* -p PID, as other commands have it, is -p and a command PID */
	if (record_physical && record->workload && *record->workload[0] &&
	    !record->workload[0][strspn(record->workload[0], "0123456789")] &&
	    access(record->workload[0], X_OK))
		warning("-p is --phys-data, as in perf mem record: --pid %s records a process",
			record->workload[0]);
	if (!record->events)
		return;
	/* as in perf, samples of any event get what the report shows */
	record->attr.data_address = true;
	record->attr.weight = true;
}

static int mem_record(int argc, char **argv)
{
	static const struct record_variant variant = {
		.name = "mem record",
		.summary = "Sample memory accesses into a file, as perf mem record does.",
		.options = record_specs,
		.prepare = mem_prepare_record,
		.list = list_memory_events
	};

	return command_record_as(argc, argv, &variant);
}

/* ---- report ---- */

static const struct option_spec report_specs[] = {
	GROUP("Memory accesses"),
	{ OPTION_CALL, 't', "type", &mem.operations, "TYPES",
	  "load, store or both (load,store); columns that only loads\nhave are left out for stores",
	  parse_operations },
	FLAG('T', "type-profile", &mem.types, "by data type: -s " SORT_TYPES),
	FLAG('p', "phys-data", &mem.physical_address, "show the data's physical addresses, too"),
	FLAG(0, "data-page-size", &mem.data_page_size, "show the size of the data's page, too"),
	{ OPTION_CALL, 'x', "field-separator", &report_options.print.separator, "TEXT",
	  "separate columns with this, and do not align them", report_parse_separator },
	OPTIONS_END,
};

/* Sets the keys. As in perf, -p and --data-page-size add their key to the others. */
static void choose_sort(void)
{
	struct layout_options *layout = &report_options.layout;
	const char *base = layout->sort
				   ?: mem.types                            ? SORT_TYPES
			      : report_is_for_screen()                     ? MEMORY_SCREEN_SORT
			      : !(mem.operations & MEMORY_LOADS)           ? SORT_STORES
			      : mem.physical_address || mem.data_page_size ? SORT_LOADS
									   : NULL;

	if (!base)
		return;
	mem.sort = xasprintf("%s%s%s%s", base, mem.types && layout->sort ? ",type" : "",
			     mem.physical_address ? ",phys_daddr" : "",
			     mem.data_page_size ? ",data_page_size" : "");
	layout->sort = mem.sort;
}

static void prepare_report(void)
{
	report_options.memory_mode = true;
	/* on a screen the types take their place */
	report_options.layout.show_samples = !report_is_for_screen();
	/* --fields replaces the default columns */
	if (!report_options.layout.fields)
		choose_sort();
}

static int mem_report(int argc, char **argv)
{
	static const struct report_variant variant = {
		.name = "mem report",
		.summary = "Show memory accesses by where the data came from, as perf mem report "
			   "does.",
		.options = report_specs,
		.prepare = prepare_report,
	};
	int status = command_report_as(argc, argv, &variant);

	free(mem.sort);
	return status;
}

/* ---- mem ---- */

static const struct option_spec mem_specs[] = {
	{ OPTION_CALL, 't', "type", &mem.operations, "TYPES", "load, store or both (load,store)",
	  parse_operations },
	OPTIONS_END,
};

static const struct command_usage mem_usage = {
	.name = "mem",
	.synopsis = "[-t TYPES] record|report [OPTIONS]",
	.summary = "Record memory accesses, and report where their data came from ('dtprof mem "
		   "record --help', 'dtprof mem report --help').",
	.options = mem_specs,
};

int command_mem(int argc, char **argv)
{
	return command_pair(argc, argv, &mem_usage, mem_record, mem_report);
}
