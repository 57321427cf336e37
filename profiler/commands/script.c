// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof script: one line for each sample, in the order of their times, as perf script prints it;
 * or with the type and field that was accessed, as text, JSON or comma-separated values.
 *
 * Samples are counted by their exact time, processor and address, and so each entry is one sample:
 * what a table shows of a sample, a line shows, too.
 *
 * In order: the fields, the values of one sample, the lines, the options.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/base/text.h"
#include "profiler/commands/branches.h"
#include "profiler/commands/commands.h"
#include "profiler/cli/input.h"
#include "profiler/cli/names.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/trouble.h"
#include "profiler/commands/records.h"
#include "profiler/ingest/format.h"
#include "report/filter.h"
#include "report/json.h"
#include "report/key/key.h"
#include "report/text.h"

/* ---- fields ---- */

/* The fields of a line, in the order in which they are printed. */
enum script_field {
	FIELD_COMM,
	FIELD_PID,
	FIELD_TID,
	FIELD_CPU,
	FIELD_TIME,
	FIELD_PERIOD,
	FIELD_EVENT,
	FIELD_TRACE,
	FIELD_ADDR,
	FIELD_DATA_SRC,
	FIELD_WEIGHT,
	FIELD_INS_LAT,
	FIELD_RETIRE_LAT,
	FIELD_IP,
	FIELD_SYM,
	FIELD_SYMOFF,
	FIELD_DSO,
	FIELD_SRCLINE,
	FIELD_BRSTACK,
	FIELD_BRSTACKSYM,
	FIELD_BRSTACKOFF,
	FIELD_PHYS_ADDR,
	FIELD_DATA_PAGE_SIZE,
	FIELD_CODE_PAGE_SIZE,
	FIELD_CGROUP,
	FIELD_TYPE,
	FIELD_TYPEOFF,
	FIELD_FIELD,
	FIELD_OBJECT,
	FIELD_ACC,
	FIELD_HOW,
	FIELD_BLAME,
	FIELD_CHARGED,
	FIELDS
};

#define BIT(field) (UINT64_C(1) << (field))

static const struct {
	const char *name;
	uint64_t needs;
	const char *summary;
} fields[FIELDS] = {
	[FIELD_COMM] = { "comm", NEED_COMM, "name of the task" },
	[FIELD_PID] = { "pid", NEED_PID, "process" },
	[FIELD_TID] = { "tid", NEED_TID, "thread" },
	[FIELD_CPU] = { "cpu", NEED_CPU, "processor" },
	[FIELD_TIME] = { "time", 0, "time in seconds; in JSON and CSV in nanoseconds" },
	[FIELD_PERIOD] = { "period", 0, "what the sample stands for" },
	[FIELD_EVENT] = { "event", 0, "name of the event" },
	[FIELD_TRACE] = { "trace", NEED_TRACE_TEXT,
			  "a tracepoint's record as the kernel prints it" },
	[FIELD_ADDR] = { "addr", NEED_DATA_ADDRESS,
			 "data address, recorded or computed from registers" },
	[FIELD_DATA_SRC] = { "data_src", NEED_DATA_SOURCE, "where the data came from" },
	[FIELD_WEIGHT] = { "weight", NEED_WEIGHT, "weight, usually the latency in cycles" },
	[FIELD_INS_LAT] = { "ins_lat", NEED_WEIGHT2, "second part of the weight" },
	[FIELD_RETIRE_LAT] = { "retire_lat", NEED_WEIGHT3, "third part of the weight" },
	[FIELD_IP] = { "ip", 0, "sampled address; if call chains were recorded, all of its chain" },
	[FIELD_SYM] = { "sym", NEED_SYMBOL | NEED_ADDRESS, "function of the sampled address" },
	[FIELD_SYMOFF] = { "symoff", NEED_SYMBOL | NEED_ADDRESS, "offset in the function" },
	[FIELD_DSO] = { "dso", NEED_DSO, "path of the program or library" },
	[FIELD_SRCLINE] = { "srcline", NEED_SOURCE_LINE | NEED_ADDRESS, "file and line" },
	[FIELD_BRSTACK] = { "brstack", NEED_BRANCH_STACK,
			    "branches before the sample: from/to/flags, the newest first" },
	[FIELD_BRSTACKSYM] = { "brstacksym", NEED_BRANCH_STACK | NEED_SYMBOL | NEED_ADDRESS,
			       "the same with functions and offsets in place of addresses" },
	[FIELD_BRSTACKOFF] = { "brstackoff", NEED_BRANCH_STACK,
			       "the same with offsets in the files of the objects" },
	[FIELD_PHYS_ADDR] = { "phys_addr", NEED_PHYSICAL_ADDRESS, "physical address of the data" },
	[FIELD_DATA_PAGE_SIZE] = { "data_page_size", NEED_DATA_PAGE_SIZE,
				   "size of the page of the data" },
	[FIELD_CODE_PAGE_SIZE] = { "code_page_size", NEED_CODE_PAGE_SIZE,
				   "size of the page of the code" },
	[FIELD_CGROUP] = { "cgroup", NEED_CGROUP, "path of the control group" },
	[FIELD_TYPE] = { "type", NEED_TYPE,
			 "type that was accessed, or in parentheses why there is none" },
	[FIELD_TYPEOFF] = { "typeoff", NEED_TYPE, "offset in the type" },
	[FIELD_FIELD] = { "field", NEED_TYPE, "path of the field there" },
	[FIELD_OBJECT] = { "object", NEED_TYPE | NEED_DATA_ADDRESS,
			   "address of the object of that type" },
	[FIELD_ACC] = { "acc", NEED_TYPE, "load, store or rmw, and how many bytes" },
	[FIELD_HOW] = { "how", NEED_TYPE, "how the type was found" },
	[FIELD_BLAME] = { "blame", NEED_TYPE, "which access the sample was charged to" },
	[FIELD_CHARGED] = { "charged", NEED_TYPE | NEED_SYMBOL | NEED_ADDRESS,
			    "instruction of that access, as function and offset" },
};

/* The kinds of events that -F chooses fields for, as in perf. */
enum event_class {
	CLASS_HARDWARE,
	CLASS_SOFTWARE,
	CLASS_TRACEPOINT,
	CLASS_BREAKPOINT,
	CLASS_OTHER,
	CLASSES
};

static const struct {
	const char *name;
	enum event_class class;
} class_names[] = { { "hw", CLASS_HARDWARE },
		    { "sw", CLASS_SOFTWARE },
		    { "trace", CLASS_TRACEPOINT },
		    { "raw", CLASS_OTHER },
		    { "break", CLASS_BREAKPOINT } };

static enum event_class class_of(const struct event *event)
{
	switch (event->attr.type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE: return CLASS_HARDWARE;
	case PERF_TYPE_SOFTWARE: return CLASS_SOFTWARE;
	case PERF_TYPE_TRACEPOINT: return CLASS_TRACEPOINT;
	case PERF_TYPE_BREAKPOINT: return CLASS_BREAKPOINT;
	default: return CLASS_OTHER;
	}
}

/* The arguments of -F, in order. */
struct field_choice {
	uint64_t set, added, removed; /* bits of enum script_field */
	bool is_set;
};

/* Records besides samples, as perf's options group them. */
enum shown_kind {
	SHOW_TASKS,
	SHOW_MAPS,
	SHOW_SWITCHES,
	SHOW_NAMESPACES,
	SHOW_CGROUPS,
	SHOW_LOST,
	SHOW_ROUNDS,
	SHOW_BPF,
	SHOW_TEXT_POKES,
	SHOWN_KINDS
};

static struct {
	struct input_options input;
	struct filter filter;
	struct field_choice choices[CLASSES];
	const char *cpus, *time;
	bool json, csv, nanoseconds, header, header_only, full_header, no_chains, latency,
		no_demangle;
	bool relative_time, delta_time;
	bool dump;
	bool shows[SHOWN_KINDS]; /* records besides samples, by enum shown_kind */
	unsigned int max_stack;
} options = { .max_stack = COUNT_CHAIN_MAX };

static struct error *find_field(const char *word, size_t length, uint64_t *bits)
{
	_cleanup_free_ char *name = xstrndup(word, length);
	struct nearest nearest = { .word = name };

	for (size_t i = 0; i < FIELDS; i++) {
		if (!strcmp(name, fields[i].name)) {
			*bits = BIT(i);
			return NULL;
		}
		nearest_consider(&nearest, fields[i].name);
	}
	if (nearest.best)
		return error_create(ERROR_OTHER, "unknown field '%s'; did you mean '%s'?", name,
				    nearest.best);
	return error_create(ERROR_OTHER, "unknown field '%s' (dtprof script --help lists them)",
			    name);
}

static struct error *add_fields(struct field_choice *choice, const char *text)
{
	bool first = true;

	for (; *text; first = false) {
		size_t length = strcspn(text, ",");
		char sign = *text == '+' || *text == '-' ? *text : '\0';
		uint64_t bits = 0;

		RETURN_ERROR(find_field(text + !!sign, length - !!sign, &bits));
		if (!sign && first)
			*choice = (struct field_choice){ .is_set = true };
		if (!sign && !choice->is_set)
			return error_create(ERROR_OTHER,
					    "fields with and without a sign cannot be combined");
		*(sign == '-' ? &choice->removed : sign ? &choice->added : &choice->set) |= bits;
		*(sign == '-' ? &choice->added : &choice->removed) &= ~bits;
		text += length + (text[length] == ',');
	}
	return first ? error_create(ERROR_OTHER, "fields are missing") : NULL;
}

/* OPTION_CALL of -F: "[KIND:]FIELD,..." chooses fields for the events of one kind, or of all
 * kinds. */
static struct error *parse_fields(void *unused, const char *argument)
{
	const char *colon = strchr(argument, ':');

	(void)unused;
	if (!colon) {
		for (size_t i = 0; i < CLASSES; i++)
			RETURN_ERROR(add_fields(&options.choices[i], argument));
		return NULL;
	}
	for (size_t i = 0; i < COUNT_OF(class_names); i++)
		if (strlen(class_names[i].name) == (size_t)(colon - argument) &&
		    !strncmp(class_names[i].name, argument, (size_t)(colon - argument)))
			return add_fields(&options.choices[class_names[i].class], colon + 1);
	return error_create(ERROR_OTHER, "'%.*s' is not hw, sw, trace, break or raw",
			    (int)(colon - argument), argument);
}

/* The fields that only some recordings have, and the options of dtprof record for them. */
static const struct {
	enum script_field field;
	uint64_t sample_type;
	const char *option;
} recorded[] = {
	{ FIELD_CPU, PERF_SAMPLE_CPU, "--sample-cpu" },
	{ FIELD_TIME, PERF_SAMPLE_TIME, "-T" },
	{ FIELD_DATA_SRC, PERF_SAMPLE_DATA_SRC, "-d" },
	{ FIELD_WEIGHT, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, "-W" },
	{ FIELD_INS_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "-W" },
	{ FIELD_RETIRE_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "-W" },
	{ FIELD_BRSTACK, PERF_SAMPLE_BRANCH_STACK, "-b" },
	{ FIELD_BRSTACKSYM, PERF_SAMPLE_BRANCH_STACK, "-b" },
	{ FIELD_BRSTACKOFF, PERF_SAMPLE_BRANCH_STACK, "-b" },
	{ FIELD_PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR, "--phys-data" },
	{ FIELD_DATA_PAGE_SIZE, PERF_SAMPLE_DATA_PAGE_SIZE, "--data-page-size" },
	{ FIELD_CODE_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE, "--code-page-size" },
	{ FIELD_CGROUP, PERF_SAMPLE_CGROUP, "--all-cgroups" },
};

/* Returns the fields that samples of the event have: those that were recorded or can be
 * computed. */
static uint64_t recorded_fields(const struct event *event)
{
	uint64_t bits = UINT64_MAX >> (64 - FIELDS);

	for (size_t i = 0; i < COUNT_OF(recorded); i++)
		if (!(event->attr.sample_type & recorded[i].sample_type))
			bits &= ~BIT(recorded[i].field);
	return event->attr.type == PERF_TYPE_TRACEPOINT ? bits : bits & ~BIT(FIELD_TRACE);
}

/* Returns an error if -F names a field that the samples of no event have, as perf does: lines
 * without it would not be what was asked for. */
static struct error *check_recorded(const struct event *events, size_t count)
{
	uint64_t wanted = 0, had = 0;

	for (size_t i = 0; i < count; i++) {
		const struct field_choice *choice = &options.choices[class_of(&events[i])];

		wanted |= choice->set | choice->added;
		had |= recorded_fields(&events[i]);
	}
	for (size_t i = 0; i < COUNT_OF(recorded); i++)
		if (wanted & ~had & BIT(recorded[i].field))
			return error_create(ERROR_NOT_FOUND,
					    "-F: the samples have no '%s' (dtprof record %s)",
					    fields[recorded[i].field].name, recorded[i].option);
	return NULL;
}

/* Returns the fields that perf shows without -F. */
static uint64_t default_fields(const struct event *event)
{
	uint64_t bits = BIT(FIELD_COMM) | BIT(FIELD_TID) | BIT(FIELD_CPU) | BIT(FIELD_TIME) |
			BIT(FIELD_EVENT);
	uint64_t code = BIT(FIELD_IP) | BIT(FIELD_SYM) | BIT(FIELD_SYMOFF) | BIT(FIELD_DSO);
	uint64_t data = BIT(FIELD_DATA_SRC) | BIT(FIELD_WEIGHT) | BIT(FIELD_INS_LAT) |
			BIT(FIELD_RETIRE_LAT) | BIT(FIELD_PHYS_ADDR) | BIT(FIELD_DATA_PAGE_SIZE) |
			BIT(FIELD_CODE_PAGE_SIZE);

	if (event->attr.sample_type & PERF_SAMPLE_ADDR)
		data |= BIT(FIELD_ADDR);
	if (class_of(event) == CLASS_TRACEPOINT)
		return bits | BIT(FIELD_TRACE) |
		       (event->attr.sample_type & PERF_SAMPLE_CALLCHAIN && !options.no_chains ? code
											      : 0);
	return (bits | code | data | BIT(FIELD_PERIOD)) & recorded_fields(event);
}

static uint64_t event_fields(const struct event *event)
{
	const struct field_choice *choice = &options.choices[class_of(event)];
	uint64_t bits = choice->is_set ? choice->set : default_fields(event);

	return ((bits | choice->added) & ~choice->removed) & recorded_fields(event);
}

/* ---- one sample ---- */

struct script {
	struct input *input;
	const struct event *events;
	size_t event_count;
	uint64_t *fields; /* of each event */
	uint64_t all;     /* of all events */
	int event_width;  /* of the longest name of an event with samples */
	uint64_t first_time, last_time;
	size_t source_width; /* columns of data sources so far */
	size_t width;        /* of the terminal; 0: none */
	struct strbuf text;
};

/* A sample with what a line needs besides the result. */
struct script_line {
	const struct event *event;
	const struct resolved_place *place;
	struct result result;
	uint64_t fields;
	/* of the sampled instruction; `result` is about the one that the sample is charged to */
	const char *symbol;
	uint64_t symbol_offset;
	const char *dso;
	bool has_chain;
	uint32_t branch_stack; /* as in struct counted */
};

static const char *readable_name(struct script *script, const char *symbol)
{
	return resolve_symbol_name(script->input->resolution, symbol);
}

/* Sets the symbol and the object of the sampled instruction, which may be another one than the
 * access that the sample is charged to. */
static void find_sampled(struct script *script, struct script_line *line)
{
	const struct symbol *symbol;

	line->symbol = line->result.place->symbol;
	line->symbol_offset = line->result.place->address - line->result.place->symbol_address;
	line->dso = line->result.place->dso_path;
	if (!(line->fields & (BIT(FIELD_SYM) | BIT(FIELD_SYMOFF))) || !line->place->dso ||
	    line->place->sampled == line->result.place->address)
		return;
	symbol = dso_symbol_at(line->place->dso, &options.input.dso, line->place->sampled);
	line->symbol = symbol ? readable_name(script, symbol->name) : NULL;
	line->symbol_offset = symbol ? line->place->sampled - symbol->address : 0;
}

static struct script_line line_of(struct script *script, size_t entry)
{
	const struct resolution *resolution = script->input->resolution;
	struct script_line line = { .result = resolution_result(resolution, script->input->counts,
								entry),
				    .place = &resolution->places[resolution->place_of[entry]] };

	line.branch_stack = script->input->counts->entries[entry].branch_stack;
	line.event = &script->events[line.result.event];
	line.fields = script->fields[line.result.event];
	line.has_chain = line.fields & BIT(FIELD_IP) && line.result.chain && !options.no_chains;
	find_sampled(script, &line);
	return line;
}

/* Sets *address to where the accessed object begins. Returns false if that is not known. */
static bool object_address(const struct result *result, uint64_t *address)
{
	*address = result->data_address - (uint64_t)result->place->offset;
	return result->data_known && result->place->typed;
}

/* ---- text, as perf prints it ---- */

static void add_time(const struct script *script, uint64_t time, struct strbuf *text)
{
	uint64_t shown = options.relative_time ? time - script->first_time : time;

	if (options.delta_time)
		shown = script->last_time ? time - script->last_time : 0;
	if (options.nanoseconds)
		strbuf_add_format(text, "%5" PRIu64 ".%09" PRIu64 ": ", shown / NS_PER_S,
				  shown % NS_PER_S);
	else
		strbuf_add_format(text, "%5" PRIu64 ".%06" PRIu64 ": ", shown / NS_PER_S,
				  shown % NS_PER_S / NS_PER_US);
}

static void add_place(const struct script_line *line, uint64_t ip, const char *symbol,
		      uint64_t offset, bool inlined, const char *dso, struct strbuf *text)
{
	strbuf_add_format(text, "%16" PRIx64, ip);
	if (line->fields & BIT(FIELD_SYM)) {
		strbuf_add_format(text, " %s", symbol ? symbol : "[unknown]");
		if (symbol && line->fields & BIT(FIELD_SYMOFF))
			strbuf_add_format(text, "+0x%" PRIx64, offset);
	}
	if (line->fields & BIT(FIELD_DSO) && !inlined)
		strbuf_add_format(text, " (%s)", dso ? dso : "[unknown]");
}

static void add_source_line(const struct script_line *line, const struct result_place *place,
			    struct strbuf *text)
{
	if (line->fields & BIT(FIELD_SRCLINE) && place->source_line)
		strbuf_add_format(text, "\n  %s", place->source_line);
}

static void add_chain(const struct script *script, const struct script_line *line,
		      struct strbuf *text)
{
	const struct result_frame *frames = script->input->resolution->frames;
	unsigned int left = options.max_stack;

	for (uint32_t i = line->result.chain; i && left--; i = frames[i].caller) {
		const struct result_place *place = frames[i].place;

		strbuf_add_string(text, "\n\t");
		add_place(line, frames[i].ip, place->symbol, place->address - place->symbol_address,
			  place->inlined, place->dso_path, text);
		add_source_line(line, place, text);
		strbuf_add_string(text, place->inlined ? " (inlined)" : "");
	}
	strbuf_add_char(text, '\n');
}

static void add_data_fields(struct script *script, const struct script_line *line,
			    struct strbuf *text)
{
	const struct result *result = &line->result;

	if (line->fields & BIT(FIELD_ADDR))
		strbuf_add_format(text, "%16" PRIx64 " ",
				  result->data_known ? result->data_address : 0);
	if (line->fields & BIT(FIELD_DATA_SRC)) {
		size_t start;

		strbuf_add_format(text, "%16" PRIx64 " ", result->data_source);
		start = text->length;
		data_source_add_text(result->data_source, text);
		/* as in perf, as wide as the widest so far */
		strbuf_pad(text, start, script->source_width);
		script->source_width = text->length - start;
	}
	if (line->fields & BIT(FIELD_WEIGHT))
		strbuf_add_format(text, "%16" PRIu64, result->weight);
	if (line->fields & BIT(FIELD_INS_LAT))
		strbuf_add_format(text, "%16" PRIu64, result->weight2);
	if (line->fields & BIT(FIELD_RETIRE_LAT))
		strbuf_add_format(text, "%16" PRIu64, result->weight3);
}

#define TYPE_LEAST  16
#define FIELD_LEAST 12

/* Sets how many columns the names of a type and its field take: all, or on a terminal what the rest
 * of the line leaves them, the type first. */
static void share_columns(const struct script *script, const struct strbuf *text, size_t rest,
			  size_t *type, size_t *field)
{
	const char *newline = memrchr(text->data, '\n', text->length);
	const char *line = newline ? newline + 1 : text->data;
	size_t taken = text_columns(line, (size_t)(text->data + text->length - line)) + rest;
	size_t room = script->width > taken ? script->width - taken : 0;

	if (!script->width || *type + *field <= room)
		return;
	if (*type > room / 2 && *field > room / 2)
		*type = *field = room / 2;
	else if (*type > room / 2)
		*type = room - *field;
	else
		*field = room - *type;
	*type = *type > TYPE_LEAST ? *type : TYPE_LEAST;
	*field = *field > FIELD_LEAST ? *field : FIELD_LEAST;
}

static void add_types(const struct script *script, const struct script_line *line,
		      struct strbuf *text)
{
	const struct result_place *place = line->result.place;
	const char *type = line->fields & BIT(FIELD_TYPE) ? place->type : NULL,
		   *field = line->fields & BIT(FIELD_FIELD) ? place->field : NULL;
	size_t type_columns = type ? text_columns(type, strlen(type)) : 0,
	       field_columns = field ? text_columns(field, strlen(field)) : 0;
	_cleanup_strbuf_ struct strbuf offset = STRBUF_INIT, rest = STRBUF_INIT;
	uint64_t object;

	if (line->fields & BIT(FIELD_TYPEOFF) && place->typed)
		strbuf_add_format(&offset, " %+" PRId64, place->offset);
	if (line->fields & BIT(FIELD_OBJECT) && object_address(&line->result, &object))
		strbuf_add_format(&rest, " of 0x%" PRIx64, object);
	if (line->fields & BIT(FIELD_ACC))
		strbuf_add_format(&rest, " %s", place->access);
	if (line->fields & BIT(FIELD_HOW))
		strbuf_add_format(&rest, " %s", place->how);
	if (line->fields & BIT(FIELD_BLAME))
		strbuf_add_format(&rest, " %s", place->blame);
	if (line->fields & BIT(FIELD_CHARGED))
		strbuf_add_format(&rest, " %s+0x%" PRIx64,
				  place->symbol ? place->symbol : "[unknown]",
				  place->address - place->symbol_address);
	share_columns(script, text,
		      text_columns(offset.data, offset.length) +
			      text_columns(rest.data, rest.length) + !!type + (field ? 3 : 0),
		      &type_columns, &field_columns);
	if (type) {
		size_t start = text->length + 1;

		strbuf_add_format(text, " %s", type);
		text_shorten_name(text, start, type_columns, terminal_ellipsis());
	}
	strbuf_add(text, offset.data, offset.length);
	if (field) {
		size_t start = text->length + 2;

		strbuf_add_format(text, " (%s", field);
		text_shorten_name(text, start, field_columns, terminal_ellipsis());
		strbuf_add_char(text, ')');
	}
	strbuf_add(text, rest.data, rest.length);
}

static void add_start(struct script *script, const struct script_line *line, struct strbuf *text)
{
	const struct result *result = &line->result;
	uint64_t bits = line->fields;

	if (bits & BIT(FIELD_COMM))
		strbuf_add_format(text, line->has_chain ? "%s " : "%16s ",
				  result->comm ? result->comm : "");
	if (bits & BIT(FIELD_PID) && bits & BIT(FIELD_TID))
		strbuf_add_format(text, "%7d/%-7d ", result->pid, result->tid);
	else if (bits & (BIT(FIELD_PID) | BIT(FIELD_TID)))
		strbuf_add_format(text, "%7d ", bits & BIT(FIELD_PID) ? result->pid : result->tid);
	if (bits & BIT(FIELD_CPU))
		strbuf_add_format(text, "[%03d] ", result->cpu);
	if (bits & BIT(FIELD_TIME))
		add_time(script, result->time, text);
	if (bits & BIT(FIELD_PERIOD))
		strbuf_add_format(text, "%10" PRIu64 " ", result->period);
	if (bits & BIT(FIELD_EVENT))
		strbuf_add_format(text, "%*s: ", script->event_width, line->event->name);
	if (bits & BIT(FIELD_TRACE))
		strbuf_add_format(text, "%s", result->trace_text ? result->trace_text : "");
}

#define BRANCH_FIELDS (BIT(FIELD_BRSTACK) | BIT(FIELD_BRSTACKSYM) | BIT(FIELD_BRSTACKOFF))

static struct branch_stack_view branches_of(const struct script *script,
					    const struct script_line *line, enum script_field field)
{
	return (struct branch_stack_view){
		.counts = script->input->counts,
		.resolution = script->input->resolution,
		.form = field == FIELD_BRSTACKSYM   ? BRANCH_SYMBOLS
			: field == FIELD_BRSTACKOFF ? BRANCH_OFFSETS
						    : BRANCH_ADDRESSES,
		.shows_dso = line->fields & BIT(FIELD_DSO),
	};
}

/* Adds the branches in one form: as in perf, the first that was asked for. */
static void add_branches(const struct script *script, const struct script_line *line,
			 struct strbuf *text)
{
	for (enum script_field field = FIELD_BRSTACK; field <= FIELD_BRSTACKOFF; field++)
		if (line->fields & BIT(field)) {
			struct branch_stack_view view = branches_of(script, line, field);

			branch_stack_add_text(&view, line->branch_stack, text);
			return;
		}
}

static void print_text(struct script *script, const struct script_line *line)
{
	const struct result *result = &line->result;
	struct strbuf *text = &script->text;
	char page[PAGE_SIZE_TEXT];

	add_start(script, line, text);
	add_data_fields(script, line, text);
	if (line->fields & BIT(FIELD_CGROUP))
		strbuf_add_format(text, " %s",
				  result->cgroup_name ? result->cgroup_name : "unknown");
	if (line->has_chain) {
		add_chain(script, line, text);
	} else if (line->fields & BIT(FIELD_IP)) {
		strbuf_add_char(text, ' ');
		add_place(line, result->ip, line->symbol, line->symbol_offset, false, line->dso,
			  text);
		add_source_line(line, result->place, text);
	}
	add_branches(script, line, text);
	if (line->fields & BIT(FIELD_PHYS_ADDR))
		strbuf_add_format(text, "%16" PRIx64, result->physical_address);
	if (line->fields & BIT(FIELD_DATA_PAGE_SIZE))
		strbuf_add_format(text, " %s", page_size_text(result->data_page_size, page));
	if (line->fields & BIT(FIELD_CODE_PAGE_SIZE))
		strbuf_add_format(text, " %s", page_size_text(result->code_page_size, page));
	add_types(script, line, text);
	strbuf_add_char(text, '\n');
}

/* ---- values, for JSON and CSV ---- */

struct script_value {
	enum { VALUE_NONE, VALUE_TEXT, VALUE_UNSIGNED, VALUE_SIGNED } kind;
	const char *text;
	uint64_t number;
};

static struct script_value text_value(const char *text)
{
	return (struct script_value){ .kind = text ? VALUE_TEXT : VALUE_NONE, .text = text };
}

static struct script_value number_value(bool known, uint64_t number)
{
	return (struct script_value){ .kind = known ? VALUE_UNSIGNED : VALUE_NONE,
				      .number = number };
}

static struct script_value signed_value(bool known, int64_t number)
{
	return (struct script_value){ .kind = known ? VALUE_SIGNED : VALUE_NONE,
				      .number = (uint64_t)number };
}

/* Returns the value of a field about code or types. A text that has to be made is written to
 * `room`. */
static struct script_value code_value(const struct script_line *line, enum script_field field,
				      struct strbuf *room)
{
	const struct result_place *place = line->result.place;

	switch (field) {
	case FIELD_SYM: return text_value(line->symbol);
	case FIELD_SYMOFF: return number_value(line->symbol, line->symbol_offset);
	case FIELD_DSO: return text_value(line->dso);
	case FIELD_SRCLINE: return text_value(place->source_line);
	case FIELD_CHARGED:
		if (!place->symbol)
			return (struct script_value){ 0 };
		strbuf_add_format(room, "%s+0x%" PRIx64, place->symbol,
				  place->address - place->symbol_address);
		return text_value(room->data);
	case FIELD_TYPE: return text_value(place->type);
	case FIELD_TYPEOFF: return signed_value(place->typed, place->offset);
	case FIELD_FIELD: return text_value(place->field);
	case FIELD_ACC: return text_value(place->access);
	case FIELD_HOW: return text_value(place->how);
	default: return text_value(place->blame);
	}
}

static struct script_value value_of(const struct script *script, const struct script_line *line,
				    enum script_field field, struct strbuf *room)
{
	const struct result *result = &line->result;
	struct branch_stack_view branches;
	uint64_t object;
	bool known;

	switch (field) {
	case FIELD_COMM: return text_value(result->comm);
	case FIELD_PID: return signed_value(true, result->pid);
	case FIELD_TID: return signed_value(true, result->tid);
	case FIELD_CPU: return signed_value(true, result->cpu);
	case FIELD_TIME: return number_value(true, result->time);
	case FIELD_PERIOD: return number_value(true, result->period);
	case FIELD_EVENT: return text_value(line->event->name);
	case FIELD_TRACE: return text_value(result->trace_text);
	case FIELD_ADDR: return number_value(result->data_known, result->data_address);
	case FIELD_DATA_SRC:
		data_source_add_text(result->data_source, room);
		return text_value(room->data);
	case FIELD_WEIGHT: return number_value(true, result->weight);
	case FIELD_INS_LAT: return number_value(true, result->weight2);
	case FIELD_RETIRE_LAT: return number_value(true, result->weight3);
	case FIELD_IP: return number_value(true, result->ip);
	case FIELD_PHYS_ADDR: return number_value(true, result->physical_address);
	case FIELD_DATA_PAGE_SIZE: return number_value(true, result->data_page_size);
	case FIELD_CODE_PAGE_SIZE: return number_value(true, result->code_page_size);
	case FIELD_CGROUP: return text_value(result->cgroup_name);
	case FIELD_BRSTACK:
	case FIELD_BRSTACKSYM:
	case FIELD_BRSTACKOFF:
		branches = branches_of(script, line, field);
		branch_stack_add_text(&branches, line->branch_stack, room);
		return text_value(room->length ? room->data + strspn(room->data, " ") : NULL);
	case FIELD_OBJECT:
		known = object_address(result, &object);
		return number_value(known, object);
	default: return code_value(line, field, room);
	}
}

/* Adds the names of the frames, the innermost first. A frame without a symbol has its address. */
static void add_json_chain(const struct script *script, const struct script_line *line,
			   struct json *json)
{
	const struct result_frame *frames = script->input->resolution->frames;
	unsigned int left = options.max_stack;
	char address[24];

	json_array(json, "chain");
	for (uint32_t i = line->result.chain; i && left--; i = frames[i].caller) {
		snprintf(address, sizeof(address), "0x%" PRIx64, frames[i].ip);
		json_string(json, NULL,
			    frames[i].place->symbol ? frames[i].place->symbol : address);
	}
	json_end(json);
}

static void print_json(struct script *script, const struct script_line *line)
{
	struct json json = JSON_INIT(write_stdout, NULL);

	json.compact = true;
	json_object(&json, NULL);
	for (enum script_field field = 0; field < FIELDS; field++) {
		_cleanup_strbuf_ struct strbuf room = STRBUF_INIT;

		if (!(script->all & BIT(field)))
			continue;
		if (BIT(field) & line->fields & BRANCH_FIELDS) {
			struct branch_stack_view view = branches_of(script, line, field);

			branch_stack_add_json(&view, line->branch_stack, fields[field].name, &json);
			continue;
		}

		struct script_value value = line->fields & BIT(field)
						    ? value_of(script, line, field, &room)
						    : (struct script_value){ 0 };

		switch (value.kind) {
		case VALUE_NONE: json_null(&json, fields[field].name); break;
		case VALUE_TEXT: json_string(&json, fields[field].name, value.text); break;
		case VALUE_UNSIGNED: json_unsigned(&json, fields[field].name, value.number); break;
		case VALUE_SIGNED:
			json_signed(&json, fields[field].name, (int64_t)value.number);
			break;
		}
	}
	if (line->has_chain)
		add_json_chain(script, line, &json);
	json_end(&json);
	json_finish(&json);
}

static void print_csv_names(const struct script *script)
{
	bool first = true;

	for (enum script_field field = 0; field < FIELDS; field++)
		if (script->all & BIT(field)) {
			printf("%s%s", first ? "" : ",", fields[field].name);
			first = false;
		}
	putchar('\n');
}

static void print_csv(struct script *script, const struct script_line *line)
{
	struct strbuf *text = &script->text;
	bool first = true;

	for (enum script_field field = 0; field < FIELDS; field++) {
		_cleanup_strbuf_ struct strbuf room = STRBUF_INIT;

		if (!(script->all & BIT(field)))
			continue;

		struct script_value value = line->fields & BIT(field)
						    ? value_of(script, line, field, &room)
						    : (struct script_value){ 0 };

		strbuf_add_string(text, first ? "" : ",");
		first = false;
		switch (value.kind) {
		case VALUE_NONE: break;
		case VALUE_TEXT: csv_add_text(text, value.text); break;
		case VALUE_UNSIGNED: strbuf_add_number(text, value.number); break;
		case VALUE_SIGNED:
			strbuf_add_format(text, "%" PRId64, (int64_t)value.number);
			break;
		}
	}
	strbuf_add_char(text, '\n');
}

/* ---- other records ---- */

/* The line of a record that is no sample. */
struct other_line {
	uint64_t time, position;
	char *text;
};

/* The lines that the options show, sorted by time, and those of one time as in the file. */
struct other_lines {
	struct other_line *items;
	size_t count, capacity;
	size_t printed;
	uint64_t clock; /* the latest time so far, for records without one */
	struct script *script;
	const struct sample_choice *choice;
};

static bool is_shown(uint32_t type)
{
	static const struct {
		uint32_t type;
		enum shown_kind kind;
	} kinds[] = {
		{ PERF_RECORD_COMM, SHOW_TASKS },
		{ PERF_RECORD_FORK, SHOW_TASKS },
		{ PERF_RECORD_EXIT, SHOW_TASKS },
		{ PERF_RECORD_MMAP, SHOW_MAPS },
		{ PERF_RECORD_MMAP2, SHOW_MAPS },
		{ PERF_RECORD_SWITCH, SHOW_SWITCHES },
		{ PERF_RECORD_SWITCH_CPU_WIDE, SHOW_SWITCHES },
		{ PERF_RECORD_NAMESPACES, SHOW_NAMESPACES },
		{ PERF_RECORD_CGROUP, SHOW_CGROUPS },
		{ PERF_RECORD_LOST, SHOW_LOST },
		{ PERF_RECORD_FINISHED_ROUND, SHOW_ROUNDS },
		{ PERF_RECORD_KSYMBOL, SHOW_BPF },
		{ PERF_RECORD_BPF_EVENT, SHOW_BPF },
		{ PERF_RECORD_TEXT_POKE, SHOW_TEXT_POKES },
	};

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (kinds[i].type == type)
			return options.shows[kinds[i].kind];
	return false;
}

/* Adds the columns before the words of a record: those of the first event's samples. */
static void add_other_start(const struct script *script, const struct record_view *record,
			    struct strbuf *text)
{
	uint64_t bits = script->event_count ? script->fields[0] : 0;
	struct record_task task = record_task(record);

	if (bits & BIT(FIELD_COMM))
		strbuf_add_format(
			text, "%16s ",
			session_view_comm(script->input->session, record, task.pid, task.tid));
	make_printable(text->data, text->length);
	/* as in perf: the name is that of the thread that the record is about, the numbers are not
	 */
	if (script->event_count && script->events[0].attr.sample_id_all)
		task = (struct record_task){ record->pid, record->tid };
	if (bits & BIT(FIELD_PID) && bits & BIT(FIELD_TID))
		strbuf_add_format(text, "%7d/%-7d ", task.pid, task.tid);
	else if (bits & (BIT(FIELD_PID) | BIT(FIELD_TID)))
		strbuf_add_format(text, "%7d ", bits & BIT(FIELD_PID) ? task.pid : task.tid);
	if (bits & BIT(FIELD_CPU))
		strbuf_add_format(text, "[%03d] ", record->cpu);
	if (bits & BIT(FIELD_TIME))
		add_time(script, record->time, text);
}

static void keep_other(const struct record_view *record, void *data)
{
	struct other_lines *lines = data;
	struct strbuf text = STRBUF_INIT;

	if (record->time > lines->clock)
		lines->clock = record->time;
	if (!is_shown(record->type))
		return;
	if (record->type != PERF_RECORD_FINISHED_ROUND) {
		if (!lines->choice->all_cpus && !number_set_has(&lines->choice->cpus, record->cpu))
			return;
		add_other_start(lines->script, record, &text);
	}
	record_add_text(record, &text);
	array_reserve(lines->items, lines->count, lines->capacity);
	lines->items[lines->count++] = (struct other_line){
		.time = record->type == PERF_RECORD_FINISHED_ROUND ? lines->clock : record->time,
		.position = record->position,
		.text = strbuf_detach(&text),
	};
}

static int compare_others(const void *left, const void *right)
{
	const struct other_line *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->position < b->position ? -1 : a->position > b->position;
}

static void find_others(struct script *script, const struct sample_choice *choice,
			struct other_lines *lines)
{
	bool any = false;

	*lines = (struct other_lines){ .script = script, .choice = choice };
	for (size_t i = 0; i < SHOWN_KINDS; i++)
		any |= options.shows[i];
	if (any)
		session_each_view(script->input->session, keep_other, lines);
	if (lines->count)
		qsort(lines->items, lines->count, sizeof(*lines->items), compare_others);
}

/* Prints the lines up to a time. */
static void print_others(struct other_lines *lines, uint64_t until)
{
	for (; lines->printed < lines->count && lines->items[lines->printed].time <= until;
	     lines->printed++)
		fputs(lines->items[lines->printed].text, stdout);
}

static void other_lines_deinit(struct other_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		free(lines->items[i].text);
	free(lines->items);
}

/* ---- all samples ---- */

static int compare_entries(const void *left, const void *right, void *data)
{
	const struct sample_counts *counts = data;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	uint64_t first = counts->entries[a].time, second = counts->entries[b].time;

	if (first != second)
		return first < second ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void print_line(struct script *script, const struct script_line *line)
{
	if (options.json)
		print_json(script, line);
	else if (options.csv)
		print_csv(script, line);
	else
		print_text(script, line);
	if (!options.json) {
		/* a call chain makes a sample several lines, so newlines stay */
		make_lines_printable(script->text.data, script->text.length, "\n\t");
		fwrite(script->text.data, 1, script->text.length, stdout);
		strbuf_reset(&script->text);
	}
}

static void print_samples(struct script *script, const struct sample_choice *choice)
{
	struct sample_counts *counts = script->input->counts;
	_cleanup_free_ uint32_t *order = xcalloc(counts->count + 1, sizeof(*order));
	struct other_lines others;
	struct result result;

	for (size_t i = 0; i < counts->count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, counts->count, sizeof(*order), compare_entries, counts);
	script->first_time = counts->count ? counts->entries[order[0]].time : 0;
	for (size_t i = 0; i < counts->count; i++) {
		result = resolution_result(script->input->resolution, counts, order[i]);
		int width = (int)strlen(script->events[result.event].name);

		if (width > script->event_width)
			script->event_width = width;
	}
	find_others(script, choice, &others);
	if (options.csv && !options.input.quiet)
		print_csv_names(script);
	for (size_t i = 0; i < counts->count; i++) {
		struct script_line line = line_of(script, order[i]);
		uint64_t left = line.result.samples;

		if (!filter_accepts(&options.filter, &line.result))
			continue;
		print_others(&others, line.result.time);
		/* samples of one moment, processor and address share their period */
		line.result.period /= left ? left : 1;
		for (; left; left--)
			print_line(script, &line);
		script->last_time = line.result.time;
	}
	print_others(&others, UINT64_MAX);
	other_lines_deinit(&others);
}

/* ---- the command ---- */

static struct error *refuse_scripts(void *unused, const char *argument)
{
	(void)unused;
	return error_create(
		ERROR_UNSUPPORTED,
		"-s: scripts are not run here; --json and --csv write what programs read (%s)",
		argument);
}

static const struct option_spec specs[] = {
	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Lines", NULL },
	{ OPTION_CALL, 'F', "fields", NULL, "[KIND:]FIELDS",
	  "show these fields, separated by commas; +FIELD and -FIELD\nchange perf's default; KIND "
	  "is hw, sw, "
	  "trace, break or raw",
	  parse_fields },
	{ OPTION_FLAG, 0, "json", &options.json, NULL, "print a JSON object in each line", NULL },
	{ OPTION_FLAG, 0, "csv", &options.csv, NULL,
	  "print comma-separated values, the names first", NULL },
	{ OPTION_FLAG, 'G', "hide-call-graph", &options.no_chains, NULL, "show no call chains",
	  NULL },
	{ OPTION_UNSIGNED, 0, "max-stack", &options.max_stack, "N",
	  "show at most N frames of a chain (127)", NULL },
	{ OPTION_FLAG, 0, "ns", &options.nanoseconds, NULL, "show times in nanoseconds", NULL },
	{ OPTION_FLAG, 0, "reltime", &options.relative_time, NULL,
	  "show times since the first sample", NULL },
	{ OPTION_FLAG, 0, "deltatime", &options.delta_time, NULL,
	  "show times since the sample before", NULL },
	{ OPTION_FLAG, 0, "show-task-events", &options.shows[SHOW_TASKS], NULL,
	  "also show when tasks begin, end and change their name", NULL },
	{ OPTION_FLAG, 0, "show-mmap-events", &options.shows[SHOW_MAPS], NULL,
	  "also show maps of code and data", NULL },
	{ OPTION_FLAG, 0, "show-switch-events", &options.shows[SHOW_SWITCHES], NULL,
	  "also show context switches", NULL },
	{ OPTION_FLAG, 0, "show-namespace-events", &options.shows[SHOW_NAMESPACES], NULL,
	  "also show namespaces", NULL },
	{ OPTION_FLAG, 0, "show-cgroup-events", &options.shows[SHOW_CGROUPS], NULL,
	  "also show control groups", NULL },
	{ OPTION_FLAG, 0, "show-lost-events", &options.shows[SHOW_LOST], NULL,
	  "also show where records were lost", NULL },
	{ OPTION_FLAG, 0, "show-round-events", &options.shows[SHOW_ROUNDS], NULL,
	  "also show where perf has emptied all buffers", NULL },
	{ OPTION_FLAG, 0, "show-bpf-events", &options.shows[SHOW_BPF], NULL,
	  "also show programs of BPF and their symbols", NULL },
	{ OPTION_FLAG, 0, "show-text-poke-events", &options.shows[SHOW_TEXT_POKES], NULL,
	  "also show where the kernel changed its code", NULL },
	{ OPTION_FLAG, 'D', "dump-raw-trace", &options.dump, NULL,
	  "print each record with its bytes and fields instead of lines", NULL },
	{ OPTION_FLAG, 0, "header", &options.header, NULL, "begin with the file's header", NULL },
	{ OPTION_FLAG, 0, "header-only", &options.header_only, NULL, "print only the header",
	  NULL },
	{ OPTION_FLAG, 'I', "show-info", &options.full_header, NULL,
	  "with --header, print long lists in full", NULL },
	{ OPTION_FLAG, 0, "no-demangle", &options.no_demangle, NULL, "show names as in the object",
	  NULL },
	{ OPTION_CALL, 's', "script", NULL, "NAME", NULL, refuse_scripts },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Choosing samples (lists are separated by commas)",
	  NULL },
	NAME_OPTION_SPECS(options.filter),
	{ OPTION_CALL, 0, "pid", &options.filter.pids, "LIST", "of these processes",
	  parse_pids_option },
	{ OPTION_CALL, 0, "tid", &options.filter.tids, "LIST", "of these threads",
	  parse_tids_option },
	{ OPTION_STRING, 'C', "cpu", &options.cpus, "LIST", "on these processors, such as 0-3,8",
	  NULL },
	{ OPTION_STRING, 0, "time", &options.time, "RANGES",
	  "at these times, as dtprof report takes them", NULL },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Input", NULL },
	INPUT_OPTION_SPECS(options.input),
	PERF_OPTION_SPECS,
	{ OPTION_CALL, 0, "unwind-style", NULL, "LIST", NULL, ignore_option },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, NULL },
};

static const struct command_usage script_usage = {
	.name = "script",
	.synopsis = "[OPTIONS]",
	.summary = "Show each sample of a perf.data file in a line, with the type that it accessed",
	.options = specs,
};

static void print_fields(void)
{
	printf("\nFields of -F:\n");
	for (size_t i = 0; i < FIELDS; i++)
		print_term(fields[i].name, 23, fields[i].summary);
}

static uint64_t choose_fields(struct script *script)
{
	uint64_t needs = NEED_TIME | NEED_IP | NEED_CPU | NEED_TID | NEED_PID | NEED_DSO |
			 filter_needs(&options.filter);
	bool chains = false;

	script->events = session_events(script->input->session, &script->event_count);
	script->fields = xcalloc(script->event_count, sizeof(*script->fields));
	for (size_t i = 0; i < script->event_count; i++) {
		script->fields[i] = event_fields(&script->events[i]);
		script->all |= script->fields[i];
		chains |= script->fields[i] & BIT(FIELD_IP) &&
			  script->events[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	}
	for (size_t i = 0; i < FIELDS; i++)
		if (script->all & BIT(i))
			needs |= fields[i].needs;
	return needs | (chains && !options.no_chains ? NEED_CHAIN | NEED_SYMBOL | NEED_ADDRESS : 0);
}

static void print_header(const struct input *input)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	session_header_text(input->session, options.full_header, &text);
	fwrite(text.data, 1, text.length, stdout);
}

static void write_text(struct strbuf *text)
{
	fwrite(text->data, 1, text->length, stdout);
	strbuf_reset(text);
}

/* Returns whether no sample was chosen by times within the recording. This is no mistake: programs
 * read a recording in slices of time, some of which have no samples. */
static bool is_between_samples(const struct sample_choice *choice, const struct input *input)
{
	struct time_range whole;

	if (input->counts->count || !choice->range_count ||
	    !session_sample_times(input->session, &whole))
		return false;
	for (size_t i = 0; i < choice->range_count; i++)
		if (choice->ranges[i].first <= whole.last && choice->ranges[i].last >= whole.first)
			return true;
	return false;
}

static struct error *run_script(struct script *script, struct sample_choice *choice)
{
	struct input *input = script->input;
	unsigned int width = terminal_width();
	bool at_end = width && !options.json && !options.csv, types;
	uint64_t needs;

	RETURN_ERROR(input_open(&options.input, input));
	if (options.header_only || (options.header && !options.json && !options.csv))
		print_header(input);
	if (options.header_only)
		return NULL;
	if (options.dump) {
		pager_start();
		dump_records(input->session, write_text);
		return NULL;
	}
	needs = choose_fields(script);
	RETURN_ERROR(check_recorded(script->events, script->event_count));
	types = needs & NEED_TYPE;
	script->width = width;
	RETURN_ERROR(sample_choice_init(choice, options.time, options.cpus, input->session));
	RETURN_ERROR(input_resolve(&options.input,
				   &(struct input_needs){ .needs = needs,
							  .choice = choice,
							  .no_demangle = options.no_demangle,
							  .chain_limit = options.max_stack,
							  .tells_trouble = true },
				   input));
	if (!is_between_samples(choice, input)) {
		RETURN_ERROR(times_check(choice, options.time, input));
		RETURN_ERROR(names_check(&options.filter, input));
	}
	pager_start();
	print_samples(script, choice);
	/* after the lines, also where both go to one place */
	if (at_end && types)
		trouble_print(&options.input, input, width);
	else if (types)
		warn_of_trouble(&options.input, input, NULL);
	return NULL;
}

int command_script(int argc, char **argv)
{
	struct input input = { 0 };
	struct script script = { .input = &input, .text = STRBUF_INIT };
	struct sample_choice choice = { 0 };
	struct error *error;
	int rest, status;

	if (!command_begin(argc, argv, &script_usage, OPTIONS_ANYWHERE, &rest, &status)) {
		if (status == EXIT_SUCCESS)
			print_fields();
		return status;
	}
	options.input.dso.build_id_folder = global_options.build_id_folder;
	if (rest)
		return command_fail_usage(
			error_create(ERROR_OTHER,
				     "unexpected argument '%s': scripts are not run here; "
				     "--json and --csv write what programs read",
				     argv[0]));
	if (options.json && options.csv)
		return command_fail_usage(
			error_create(ERROR_OTHER, "--json and --csv cannot be combined"));
	for (size_t i = 0; i < SHOWN_KINDS; i++)
		if (options.shows[i] && (options.json || options.csv))
			return command_fail_usage(error_create(
				ERROR_OTHER,
				"--show-...-events are lines of text: leave out --json and --csv"));
	if (!options.max_stack)
		return command_fail_usage(
			error_create(ERROR_OTHER, "--max-stack must be at least 1"));
	error = run_script(&script, &choice);
	status = error ? command_fail(error) : input_status(&input);
	free(script.fields);
	strbuf_deinit(&script.text);
	input_close(&input);
	filter_deinit(&options.filter);
	sample_choice_deinit(&choice);
	return status;
}
