// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof mem: record and report of memory accesses, with perf mem's options.
 *
 * `mem record` and `mem report` run record and report with a few options of their own. `mem report
 * -D` prints each sample in a line instead, in perf's form.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/elf/image.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "profiler/commands/commands.h"
#include "profiler/cli/input.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/commands/record.h"
#include "profiler/commands/report.h"
#include "profiler/ingest/sample.h"
#include "profiler/record/event.h"
#include "report/text.h"

struct mem_dump_options {
	const char *separator; /* NULL: a space */
	const char *cpus;      /* -C; NULL: all */
	bool physical_address;
	bool data_page_size;
	bool resolved; /* -U: only samples in functions with a known name */
};

/* ---- mem report -D ---- */

struct dump {
	struct session *session;
	const struct dso_options *dso;
	const struct mem_dump_options *options;
	struct sample_choice choice;
	struct strbuf text; /* the text of all lines */
	struct dumped *lines;
	size_t count, capacity;
};

/* One line of the dump. */
struct dumped {
	uint64_t time;
	size_t start; /* index in the text */
};

static bool is_chosen(const struct dump *dump, const struct sample *sample)
{
	return dump->choice.all_cpus || number_set_has(&dump->choice.cpus, sample->cpu);
}

static void add_symbol(struct strbuf *line, const struct dso *dso, const struct symbol *symbol)
{
	_cleanup_free_ char *readable = symbol ? symbol_demangle(symbol->name) : NULL;

	strbuf_add_format(line, "%s:%s", dso ? dso->long_name : "???",
			  readable ? readable
			  : symbol ? symbol->name
				   : "???");
}

static struct error *dump_sample(const struct sample *sample, void *data)
{
	struct dump *dump = data;
	struct strbuf *line = &dump->text;
	size_t start = line->length;
	const char *separator = dump->options->separator ? dump->options->separator : " ";
	char page[PAGE_SIZE_TEXT];
	struct place place;

	if (!is_chosen(dump, sample))
		return NULL;
	session_locate(dump->session, sample, session_sample_level(sample), sample->ip, &place);
	const struct symbol *symbol =
		place.dso ? dso_symbol_at(place.dso, dump->dso, place.address) : NULL;

	if (dump->options->resolved && !symbol)
		return NULL;
	array_reserve(dump->lines, dump->count, dump->capacity);
	dump->lines[dump->count++] = (struct dumped){ sample->clock, start };
	strbuf_add_format(line, "%d%s%d%s0x%" PRIx64 "%s0x%" PRIx64 "%s", sample->pid, separator,
			  sample->tid, separator, sample->ip, separator, sample->address,
			  separator);
	if (dump->options->physical_address)
		strbuf_add_format(line, "0x%016" PRIx64 "%s", sample->physical_address, separator);
	if (dump->options->data_page_size)
		strbuf_add_format(line, "%s%s", page_size_text(sample->data_page_size, page),
				  separator);
	strbuf_add_format(line, "%" PRIu64 "%s0x%" PRIx64 "%s", sample->weight, separator,
			  sample->data_source, separator);
	add_symbol(line, place.dso, symbol);
	strbuf_end_line(line, start);
	return NULL;
}

/* Orders by time, as in perf; lines of one time stay in the file's order. */
static int compare_lines(const void *left, const void *right)
{
	const struct dumped *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void print_lines(struct dump *dump)
{
	qsort(dump->lines, dump->count, sizeof(*dump->lines), compare_lines);
	for (size_t i = 0; i < dump->count; i++) {
		const char *line = dump->text.data + dump->lines[i].start;

		_cleanup_strbuf_ struct strbuf whole = STRBUF_TEXT;

		strbuf_add(&whole, line, strcspn(line, "\n"));
		strbuf_add_char(&whole, '\n');
		print_text(&whole);
	}
}

static struct error *dump_session(struct dump *dump)
{
	RETURN_ERROR(sample_choice_init(&dump->choice, NULL, dump->options->cpus, dump->session));
	RETURN_ERROR(session_each_sample(dump->session, dump_sample, dump));
	pager_start();
	printf("# PID, TID, IP, ADDR, %s%sLOCAL WEIGHT, DSRC, SYMBOL\n",
	       dump->options->physical_address ? "PHYS ADDR, " : "",
	       dump->options->data_page_size ? "DATA PAGE SIZE, " : "");
	if (dump->count)
		print_lines(dump);
	return NULL;
}

static struct error *mem_dump(const struct input_options *input_options,
			      const struct mem_dump_options *options)
{
	struct input input = { 0 };
	struct error *error = input_open(input_options, &input);
	struct dump dump = { .session = input.session,
			     .dso = &input_options->dso,
			     .options = options,
			     .text = STRBUF_TEXT };

	if (!error)
		error = dump_session(&dump);
	sample_choice_deinit(&dump.choice);
	strbuf_deinit(&dump.text);
	free(dump.lines);
	input_close(&input);
	return error;
}

/* ---- the command ---- */

#define SORT_LOADS  "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked"
#define SORT_STORES "mem,sym,dso,symbol_daddr,dso_daddr,tlb,locked" /* stores have no latency */
#define SORT_TYPES  "mem,snoop,tlb,type"

static struct {
	unsigned int operations; /* MEMORY_LOADS, MEMORY_STORES */
	struct mem_dump_options dump;
	bool raw;   /* -D */
	bool types; /* -T */
	char *sort; /* the value for -s, allocated */
} mem = { .operations = MEMORY_LOADS | MEMORY_STORES };

static struct error *parse_operations(void *value, const char *argument)
{
	unsigned int *operations = value;

	*operations = 0;
	while (*argument) {
		size_t length = strcspn(argument, ",");

		if (length == strlen("load") && !strncmp(argument, "load", length))
			*operations |= MEMORY_LOADS;
		else if (length == strlen("store") && !strncmp(argument, "store", length))
			*operations |= MEMORY_STORES;
		else
			return error_create(ERROR_OTHER, "'%.*s' is neither load nor store",
					    (int)length, argument);
		argument += length + (argument[length] == ',');
	}
	return *operations ? NULL : error_create(ERROR_OTHER, "load or store is missing");
}

/* ---- record ---- */

static bool record_physical;

static const struct option_spec record_specs[] = {
	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Memory accesses", NULL },
	{ OPTION_CALL, 't', "type", &mem.operations, "TYPES", "load, store or both (load,store)",
	  parse_operations },
	{ OPTION_FLAG, 'p', "phys-data", &record_physical, NULL, "the data's physical address",
	  NULL },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, NULL },
};

static bool is_number(const char *word)
{
	return *word && !word[strspn(word, "0123456789")];
}

static void prepare_record(struct record_arguments *arguments)
{
	struct record_options *record = &arguments->record;

	record->operations = mem.operations;
	record->attr.physical_address |= record_physical;
	/* -p PID, as other commands have it, is -p and a command PID */
	if (record_physical && record->workload && is_number(record->workload[0]) &&
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
		.summary = "Sample memory accesses into a file, as perf mem "
			   "record does.",
		.options = record_specs,
		.prepare = prepare_record,
		.list = list_memory_events
	};

	return command_record_as(argc, argv, &variant);
}

/* ---- report ---- */

static const struct option_spec report_specs[] = {
	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Memory accesses", NULL },
	{ OPTION_CALL, 't', "type", &mem.operations, "TYPES",
	  "load, store or both (load,store); columns that only loads\nhave are left out for stores",
	  parse_operations },
	{ OPTION_FLAG, 'T', "type-profile", &mem.types, NULL, "by data type: -s " SORT_TYPES,
	  NULL },
	{ OPTION_FLAG, 'D', "dump-raw-samples", &mem.raw, NULL,
	  "print each sample in a line, as recorded", NULL },
	{ OPTION_FLAG, 'p', "phys-data", &mem.dump.physical_address, NULL,
	  "show the data's physical addresses, too", NULL },
	{ OPTION_FLAG, 0, "data-page-size", &mem.dump.data_page_size, NULL,
	  "show the size of the data's page, too", NULL },
	{ OPTION_CALL, 'x', "field-separator", &report_options.print.separator, "TEXT",
	  "separate columns with this, and do not align them", report_parse_separator },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, NULL },
};

/* Sets the keys. As in perf, -p and --data-page-size add their key to the others. */
static void choose_sort(void)
{
	struct layout_options *layout = &report_options.layout;
	const char *base = layout->sort                       ? layout->sort
			   : mem.types                        ? SORT_TYPES
			   : report_is_for_screen()           ? MEMORY_SCREEN_SORT
			   : !(mem.operations & MEMORY_LOADS) ? SORT_STORES
			   : mem.dump.physical_address || mem.dump.data_page_size ? SORT_LOADS
										  : NULL;

	if (!base)
		return;
	mem.sort = xasprintf("%s%s%s%s", base, mem.types && layout->sort ? ",type" : "",
			     mem.dump.physical_address ? ",phys_daddr" : "",
			     mem.dump.data_page_size ? ",data_page_size" : "");
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

static struct error *dump(void)
{
	mem.dump.separator = report_options.print.separator;
	mem.dump.cpus = report_options.cpus;
	mem.dump.resolved = report_options.filter.resolved;
	return mem_dump(&report_options.input, &mem.dump);
}

static int mem_report(int argc, char **argv)
{
	static const struct report_variant variant = {
		.name = "mem report",
		.summary = "Show memory accesses by where the data came from, as perf "
			   "mem report does.",
		.options = report_specs,
		.prepare = prepare_report,
		.instead = dump,
		.is_instead = &mem.raw
	};
	int status = command_report_as(argc, argv, &variant);

	free(mem.sort);
	return status;
}

/* ---- mem ---- */

static const struct option_spec mem_specs[] = {
	{ OPTION_CALL, 't', "type", &mem.operations, "TYPES", "load, store or both (load,store)",
	  parse_operations },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, NULL },
};

static const struct command_usage mem_usage = {
	.name = "mem",
	.synopsis = "[-t TYPES] record|report [OPTIONS]",
	.summary =
		"Record memory accesses, and report where their data came from ('dtprof mem record "
		"--help', 'dtprof "
		"mem report --help').",
	.options = mem_specs,
};

int command_mem(int argc, char **argv)
{
	return command_pair(argc, argv, &mem_usage, mem_record, mem_report);
}
