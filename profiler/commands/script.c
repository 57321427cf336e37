// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof script: one line for each sample, in the order of their times, as perf script prints it;
 * or with the type and field that was accessed, as text, JSON or comma-separated values.
 *
 * Samples are counted by their exact time, processor and address, a slice of the recording at a
 * time, and so each entry is one sample: what a table shows of a sample, a line shows, too.
 *
 * In order: the values of one sample, the lines, the options.
 */

#include <inttypes.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/commands/commands.h"
#include "profiler/cli/sandbox.h"
#include "profiler/cli/input.h"
#include "profiler/cli/names.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/trouble.h"
#include "profiler/ingest/session.h"
#include "report/filter.h"
#include "report/json.h"
#include "report/key/key.h"
#include "report/text.h"

/*
 * ---- the fields
 *
 * The fields that dtprof script prints of a sample: their names, and the choice that -F makes.
 */

/*
 * The fields of a line, in the order in which they are printed: name, needs, and of those that only
 * some recordings have, the bits of sample_type and the option of dtprof record; summary; and the
 * value in JSON and CSV, as value_of() has it.
 */
/* clang-format off */
#define SCRIPT_FIELDS(ROW) \
	ROW(COMM, "comm", NEED_COMM, 0, NULL, "name of the task", text_value(result->comm)) \
	ROW(PID, "pid", NEED_PID, 0, NULL, "process", signed_value(true, result->pid)) \
	ROW(TID, "tid", NEED_TID, 0, NULL, "thread", signed_value(true, result->tid)) \
	ROW(CPU, "cpu", NEED_CPU, PERF_SAMPLE_CPU, "--sample-cpu", "processor", signed_value(true, result->cpu)) \
	ROW(TOD, "tod", 0, PERF_SAMPLE_TIME, "-k", "time of day, if the clock of the samples was chosen (-k)", text_value(time_of_day(line, room))) \
	ROW(TIME, "time", 0, PERF_SAMPLE_TIME, "-T", "time in seconds; in JSON and CSV in nanoseconds", number_value(true, result->time)) \
	ROW(PERIOD, "period", 0, 0, NULL, "what the sample stands for", number_value(true, result->period)) \
	ROW(EVENT, "event", 0, 0, NULL, "name of the event", text_value(line->event->name)) \
	ROW(TRACE, "trace", NEED_TRACE_TEXT, 0, NULL, "the fields of a tracepoint's record", text_value(result->trace_text)) \
	ROW(ADDR, "addr", NEED_DATA_ADDRESS, 0, NULL, "data address, recorded or computed from registers", number_value(result->data_known, result->data_address)) \
	ROW(DATA_SRC, "data_src", NEED_DATA_SOURCE, PERF_SAMPLE_DATA_SRC, "-d", "where the data came from", text_value(data_source(result, room))) \
	ROW(WEIGHT, "weight", NEED_WEIGHT, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, "-W", "weight, usually the latency in cycles", number_value(true, result->weight)) \
	ROW(INS_LAT, "ins_lat", NEED_WEIGHT2, PERF_SAMPLE_WEIGHT_STRUCT, "-W", "second part of the weight", number_value(true, result->weight2)) \
	ROW(RETIRE_LAT, "retire_lat", NEED_WEIGHT3, PERF_SAMPLE_WEIGHT_STRUCT, "-W", "third part of the weight", number_value(true, result->weight3)) \
	ROW(IP, "ip", 0, 0, NULL, "sampled address; if call chains were recorded, all of its chain", number_value(true, result->ip)) \
	ROW(SYM, "sym", NEED_SYMBOL | NEED_ADDRESS, 0, NULL, "function of the sampled address", text_value(line->symbol)) \
	ROW(SYMOFF, "symoff", NEED_SYMBOL | NEED_ADDRESS, 0, NULL, "offset in the function", number_value(line->symbol, line->symbol_offset)) \
	ROW(DSO, "dso", NEED_DSO, 0, NULL, "path of the program or library", text_value(line->dso)) \
	ROW(SRCLINE, "srcline", NEED_SOURCE_LINE | NEED_ADDRESS, 0, NULL, "file and line", text_value(place->source_line)) \
	ROW(PHYS_ADDR, "phys_addr", NEED_PHYSICAL_ADDRESS, PERF_SAMPLE_PHYS_ADDR, "--phys-data", "physical address of the data", number_value(true, result->physical_address)) \
	ROW(DATA_PAGE_SIZE, "data_page_size", NEED_DATA_PAGE_SIZE, PERF_SAMPLE_DATA_PAGE_SIZE, "--data-page-size", "size of the page of the data", number_value(true, result->data_page_size)) \
	ROW(CODE_PAGE_SIZE, "code_page_size", NEED_CODE_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE, "--code-page-size", "size of the page of the code", number_value(true, result->code_page_size)) \
	ROW(CGROUP, "cgroup", NEED_CGROUP, PERF_SAMPLE_CGROUP, "--all-cgroups", "path of the control group", text_value(result->cgroup_name)) \
	ROW(SYMBOL_DADDR, "symbol_daddr", NEED_DATA_ADDRESS, 0, NULL, "variable at the data address, and the offset in it", text_value(add_data_symbol(result, room) ? room->data : NULL)) \
	ROW(DSO_DADDR, "dso_daddr", NEED_DATA_ADDRESS, 0, NULL, "path of the program or library that has the data address,\n[heap], [stack]", text_value(data_path(result))) \
	ROW(TYPE, "type", NEED_TYPE, 0, NULL, "type that was accessed, or in parentheses why there is none", text_value(place->type)) \
	ROW(TYPEOFF, "typeoff", NEED_TYPE | NEED_ELEMENT, 0, NULL, "offset in the type", signed_value(place->typed, result->span.offset)) \
	ROW(FIELD, "field", NEED_TYPE | NEED_FIELD_NAME, 0, NULL, "path of the field there", text_value(place->field)) \
	ROW(OBJECT, "object", NEED_TYPE | NEED_DATA_ADDRESS | NEED_ELEMENT, 0, NULL, "address of the object of that type", object_value(result)) \
	ROW(ACC, "acc", NEED_TYPE, 0, NULL, "load, store or rmw, and how many bytes", text_value(place->access)) \
	ROW(HOW, "how", NEED_TYPE, 0, NULL, "how the type was found", text_value(place->how)) \
	ROW(BLAME, "blame", NEED_TYPE, 0, NULL, "which access the sample was charged to", text_value(place->blame)) \
	ROW(CHARGED, "charged", NEED_TYPE | NEED_SYMBOL | NEED_ADDRESS, 0, NULL, "instruction of that access, as function and offset", text_value(charged_to(place, room)))
/* clang-format on */

enum script_field {
#define FIELD_ID(id, ...) FIELD_##id,
	SCRIPT_FIELDS(FIELD_ID)
#undef FIELD_ID
		FIELD_COUNT
};

#define FIELD_BIT(field) (UINT64_C(1) << (field))

struct script_field_info {
	const char *name;
	uint64_t needs;       /* set of enum result_need */
	uint64_t sample_type; /* 0: each recording has it */
	const char *option;
	const char *summary; /* for --help */
};

/* The arguments of -F, in order. Zero-initialized is perf's default. */
struct field_choice {
	uint64_t set, added, removed; /* bits of enum script_field */
	bool is_set;
};

static const struct script_field_info script_fields[FIELD_COUNT] = {
#define FIELD_INFO(id, name, needs, sample_type, option, summary, value)                           \
	[FIELD_##id] = { name, needs, sample_type, option, summary },
	SCRIPT_FIELDS(FIELD_INFO)
#undef FIELD_INFO
};

static struct error *script_fields_find_field(const char *word, size_t length, uint64_t *bits)
{
	_cleanup_free_ char *name = xstrndup(word, length);
	struct nearest nearest = { .word = name };

	for (size_t i = 0; i < FIELD_COUNT; i++) {
		if (!strcmp(name, script_fields[i].name)) {
			*bits = FIELD_BIT(i);
			return NULL;
		}
		nearest_consider(&nearest, script_fields[i].name);
	}
	if (nearest.best)
		return error_other("unknown field '%s'; did you mean '%s'?", name, nearest.best);
	return error_other("unknown field '%s' (dtprof script --help lists them)", name);
}

/* OPTION_CALL of -F into a struct field_choice. */
static struct error *script_fields_parse(void *data, const char *text)
{
	struct field_choice *choice = data;
	bool first = true;

	for (; *text; first = false) {
		size_t length = strcspn(text, ",");
		char sign = *text == '+' || *text == '-' ? *text : '\0';
		uint64_t bits = 0;

		RETURN_ERROR(script_fields_find_field(text + !!sign, length - !!sign, &bits));
		if (!sign && first)
			*choice = (struct field_choice){ .is_set = true };
		if (!sign && !choice->is_set)
			return error_other("fields with and without a sign cannot be combined");
		*(sign == '-' ? &choice->removed : sign ? &choice->added : &choice->set) |= bits;
		*(sign == '-' ? &choice->added : &choice->removed) &= ~bits;
		text += length + (text[length] == ',');
	}
	return first ? error_other("fields are missing") : NULL;
}

/* Returns the fields that samples of the event have: recorded ones, or computed. */
static uint64_t recorded_fields(const struct event *event)
{
	uint64_t bits = UINT64_MAX >> (64 - FIELD_COUNT);

	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (script_fields[i].sample_type &&
		    !(event->attr.sample_type & script_fields[i].sample_type))
			bits &= ~FIELD_BIT(i);
	return event->attr.type == PERF_TYPE_TRACEPOINT ? bits : bits & ~FIELD_BIT(FIELD_TRACE);
}

/* Returns an error if -F names a field that the samples of no event have, as perf does: lines
 * without it would not be what was asked for. `clock`: their times of day are known. */
static struct error *script_fields_check(const struct field_choice *choice,
					 const struct event *events, size_t count, bool clock)
{
	uint64_t wanted = choice->set | choice->added, had = 0;

	for (size_t i = 0; i < count; i++)
		had |= recorded_fields(&events[i]);
	had &= clock ? UINT64_MAX : ~FIELD_BIT(FIELD_TOD);
	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (script_fields[i].option && wanted & ~had & FIELD_BIT(i))
			return error_create(ERROR_NOT_FOUND,
					    "-F: the samples have no '%s' (dtprof record %s)",
					    script_fields[i].name, script_fields[i].option);
	return NULL;
}

/* Returns whether perf shows what was recorded of the data without being asked: for events of the
 * processor's own PMU that have no general name. */
static bool shows_data(const struct event *event)
{
	return event->attr.type == PERF_TYPE_RAW || starts_with(event->name, "cpu_core/") ||
	       starts_with(event->name, "cpu_atom/");
}

/* Returns the fields that perf shows without -F. */
static uint64_t default_fields(const struct event *event, bool chains)
{
	uint64_t bits = FIELD_BIT(FIELD_COMM) | FIELD_BIT(FIELD_TID) | FIELD_BIT(FIELD_CPU) |
			FIELD_BIT(FIELD_TIME) | FIELD_BIT(FIELD_EVENT);
	uint64_t code = FIELD_BIT(FIELD_IP) | FIELD_BIT(FIELD_SYM) | FIELD_BIT(FIELD_SYMOFF) |
			FIELD_BIT(FIELD_DSO);
	uint64_t data = FIELD_BIT(FIELD_DATA_SRC) | FIELD_BIT(FIELD_WEIGHT) |
			FIELD_BIT(FIELD_INS_LAT) | FIELD_BIT(FIELD_RETIRE_LAT) |
			FIELD_BIT(FIELD_PHYS_ADDR) | FIELD_BIT(FIELD_DATA_PAGE_SIZE) |
			FIELD_BIT(FIELD_CODE_PAGE_SIZE);

	if (event->attr.sample_type & PERF_SAMPLE_ADDR)
		data |= FIELD_BIT(FIELD_ADDR);
	if (event->attr.type == PERF_TYPE_TRACEPOINT)
		return bits | FIELD_BIT(FIELD_TRACE) |
		       (event->attr.sample_type & PERF_SAMPLE_CALLCHAIN && chains ? code : 0);
	return (bits | code | (shows_data(event) ? data : 0) | FIELD_BIT(FIELD_PERIOD)) &
	       recorded_fields(event);
}

/* Returns the bits of the fields that samples of the event show: those that -F chooses, or perf's
 * default, as far as they are known. `chains`: call chains are shown. */
static uint64_t script_fields_of(const struct field_choice *choice, const struct event *event,
				 bool chains)
{
	uint64_t bits = choice->is_set ? choice->set : default_fields(event, chains);

	return ((bits | choice->added) & ~choice->removed) & recorded_fields(event);
}

static struct {
	struct input_options input;
	struct filter filter;
	struct field_choice choice;
	struct sample_choice samples;
	bool json, csv, nanoseconds, header, header_only, no_chains, no_demangle;
	unsigned int max_stack;
} options = { .max_stack = COUNT_CHAIN_MAX };

#define FOLD_INDENT 4 /* of further lines on a terminal */

/* ---- one sample ---- */

struct script {
	struct input *input;
	const struct event *events;
	size_t event_count;
	uint64_t *fields;           /* of each event */
	uint64_t all;               /* of all events */
	int event_width;            /* of the longest name of an event with samples */
	struct session_clock clock; /* FIELD_TOD */
	size_t source_width;        /* columns of data sources so far */
	size_t width;               /* of the terminal; 0: none */
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
	const struct session_clock *clock;
};

/* Sets symbol and object of the sampled instruction, perhaps not the charged one. */
static void find_sampled(struct script *script, struct script_line *line)
{
	const struct symbol *symbol;

	line->symbol = line->result.place->symbol;
	line->symbol_offset = line->result.place->address - line->result.place->symbol_address;
	line->dso = line->result.place->dso_path;
	if (!(line->fields & (FIELD_BIT(FIELD_SYM) | FIELD_BIT(FIELD_SYMOFF))) ||
	    !line->place->dso || line->place->sampled == line->result.place->address)
		return;
	symbol = dso_symbol_at(line->place->dso, &options.input.dso, line->place->sampled);
	line->symbol = symbol ? resolve_symbol_name(script->input->resolution, symbol->name) : NULL;
	line->symbol_offset = symbol ? line->place->sampled - symbol->address : 0;
}

static struct script_line line_of(struct script *script, size_t entry)
{
	const struct resolution *resolution = script->input->resolution;
	struct script_line line = {
		.result = resolution_result(resolution, script->input->counts, entry),
		.place = entry_place(resolution, entry),
		.clock = &script->clock,
	};

	line.event = &script->events[line.result.event];
	line.fields = script->fields[line.result.event];
	line.has_chain =
		line.fields & FIELD_BIT(FIELD_IP) && line.result.chain && !options.no_chains;
	find_sampled(script, &line);
	return line;
}

/* Sets *address to where the accessed object begins. Returns false if that is not known. */
static bool object_address(const struct result *result, uint64_t *address)
{
	return result->place->typed &&
	       access_span_object(&result->span, result->data_address, address);
}

/* Adds the symbol of the data address, and the offset in a variable, as the key symbol_daddr of
 * report has them. Returns false if it has none. */
static bool add_data_symbol(const struct result *result, struct strbuf *text)
{
	const struct result_data *data = result->data;

	if (!result->data_known || !data || !data->symbol)
		return false;
	strbuf_add_string(text, data->symbol);
	if (data->is_variable)
		strbuf_add_format(text, "+0x%" PRIx64, data->address - data->symbol_address);
	return true;
}

/* Returns the path of the object that has the data address; NULL: none. */
static const char *data_path(const struct result *result)
{
	return result->data_known && result->data ? result->data->dso_path : NULL;
}

/* ---- text, as perf prints it ---- */

static void add_time(uint64_t time, struct strbuf *text)
{
	strbuf_add_seconds(text, 5, time, options.nanoseconds);
	strbuf_add_string(text, ": ");
}

/* Appends the time of day, as perf does. */
static void add_time_of_day(const struct session_clock *clock, uint64_t time, struct strbuf *text)
{
	strbuf_add_wall_time(text, clock->wall + (time - clock->reference), options.nanoseconds);
}

#define SYMBOL_LEAST 24

/* Cuts the names of a symbol and an object to `room` columns together: the object's folder first,
 * then the symbol, and the object where that leaves fewer than SYMBOL_LEAST. */
static void fit_names(struct strbuf *symbol, struct strbuf *object, size_t room)
{
	size_t first = text_columns(symbol->data, symbol->length);
	size_t second = text_columns(object->data, object->length);
	const char *slash = object->length ? strrchr(object->data, '/') : NULL;

	if (first + second <= room)
		return;
	if (slash) {
		_cleanup_free_ char *name = xstrdup(slash + 1);

		strbuf_reset(object);
		strbuf_add_string(object, name);
		second = text_columns(object->data, object->length);
		if (first + second <= room)
			return;
	}
	if (first > SYMBOL_LEAST)
		first = room > second + SYMBOL_LEAST ? room - second : SYMBOL_LEAST;
	second = room > first ? room - first : 1;
	text_shorten_name(symbol, 0, first, terminal_ellipsis());
	text_shorten_name(object, 0, second, terminal_ellipsis());
}

/* Adds an address and what is there, on a terminal in at most `room` columns (0: any). */
static void add_place(const struct script_line *line, uint64_t ip, const char *symbol,
		      uint64_t offset, bool inlined, const char *dso, size_t room,
		      struct strbuf *text)
{
	bool has_symbol = line->fields & FIELD_BIT(FIELD_SYM),
	     has_object = line->fields & FIELD_BIT(FIELD_DSO) && !inlined;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT, object = STRBUF_INIT;
	size_t taken = 16 + has_symbol + 3 * has_object;

	strbuf_add_format(text, "%16" PRIx64, ip);
	if (has_symbol)
		strbuf_add_string(&name, symbol ?: "[unknown]");
	if (has_symbol && symbol && line->fields & FIELD_BIT(FIELD_SYMOFF))
		strbuf_add_format(&name, "+0x%" PRIx64, offset);
	if (has_object)
		strbuf_add_string(&object, dso ?: "[unknown]");
	make_printable(name.data, name.length);
	make_printable(object.data, object.length);
	if (room)
		fit_names(&name, &object, room > taken ? room - taken : 1);
	if (has_symbol)
		strbuf_add_format(text, " %s", name.data);
	if (has_object)
		strbuf_add_format(text, " (%s)", object.data);
}

static void script_add_source_line(const struct script_line *line, const struct result_place *place,
				   struct strbuf *text)
{
	if (!(line->fields & FIELD_BIT(FIELD_SRCLINE)) || !place->source_line)
		return;
	strbuf_add_string(text, "\n  ");
	strbuf_add_printable(text, place->source_line);
}

#define FRAME_COLUMN 8 /* a tab */

/* Returns the columns that are left on a terminal after those that are taken; 0: no limit. */
static size_t room_after(const struct script *script, size_t taken)
{
	return !script->width ? 0 : script->width > taken ? script->width - taken : 1;
}

static void add_chain(const struct script *script, const struct script_line *line,
		      struct strbuf *text)
{
	const struct result_frame *frames = script->input->resolution->frames;
	unsigned int left = options.max_stack;

	for (uint32_t i = line->result.chain; i && left--; i = frames[i].caller) {
		const struct result_place *place = frames[i].place;
		size_t mark = place->inlined ? strlen(" (inlined)") : 0;

		strbuf_add_string(text, "\n\t");
		add_place(line, frames[i].ip, place->symbol,
			  place->address + place->returned - place->symbol_address, place->inlined,
			  place->dso_path, room_after(script, FRAME_COLUMN + mark), text);
		script_add_source_line(line, place, text);
		strbuf_add_string(text, place->inlined ? " (inlined)" : "");
	}
	strbuf_add_char(text, '\n');
}

static void add_data_fields(struct script *script, const struct script_line *line,
			    struct strbuf *text)
{
	const struct result *result = &line->result;

	if (line->fields & FIELD_BIT(FIELD_ADDR))
		strbuf_add_format(text, "%16" PRIx64 " ",
				  result->data_known ? result->data_address : 0);
	if (line->fields & FIELD_BIT(FIELD_DATA_SRC)) {
		size_t start;

		strbuf_add_format(text, "%16" PRIx64 " ", result->data_source);
		start = text->length;
		data_source_add_text(result->data_source, text);
		/* as in perf, as wide as the widest so far */
		strbuf_pad(text, start, script->source_width);
		script->source_width = text->length - start;
	}
	if (line->fields & FIELD_BIT(FIELD_WEIGHT))
		strbuf_add_format(text, "%16" PRIu64, result->weight);
	if (line->fields & FIELD_BIT(FIELD_INS_LAT))
		strbuf_add_format(text, "%16" PRIu64, result->weight2);
	if (line->fields & FIELD_BIT(FIELD_RETIRE_LAT))
		strbuf_add_format(text, "%16" PRIu64, result->weight3);
}

#define TYPE_LEAST  16
#define FIELD_LEAST 12

/* Sets how many columns the names of a type and its field take: as many as they need, or on a
 * terminal what the rest of the line leaves, the type first. */
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

static void script_add_types(const struct script *script, const struct script_line *line,
			     struct strbuf *text)
{
	const struct result_place *place = line->result.place;
	const char *type = line->fields & FIELD_BIT(FIELD_TYPE) ? place->type : NULL,
		   *field = line->fields & FIELD_BIT(FIELD_FIELD) ? place->field : NULL;
	size_t type_columns = type ? text_columns(type, strlen(type)) : 0,
	       field_columns = field ? text_columns(field, strlen(field)) : 0;
	_cleanup_strbuf_ struct strbuf offset = STRBUF_INIT, rest = STRBUF_INIT;
	uint64_t object;

	if (line->fields & FIELD_BIT(FIELD_TYPEOFF) && place->typed)
		strbuf_add_format(&offset, " %+" PRId64, line->result.span.offset);
	if (line->fields & FIELD_BIT(FIELD_OBJECT) && object_address(&line->result, &object))
		strbuf_add_format(&rest, " of 0x%" PRIx64, object);
	if (line->fields & FIELD_BIT(FIELD_ACC))
		strbuf_add_format(&rest, " %s", place->access);
	if (line->fields & FIELD_BIT(FIELD_HOW))
		strbuf_add_format(&rest, " %s", place->how);
	if (line->fields & FIELD_BIT(FIELD_BLAME))
		strbuf_add_format(&rest, " %s", place->blame);
	if (line->fields & FIELD_BIT(FIELD_CHARGED))
		strbuf_add_format(&rest, " %s+0x%" PRIx64, place->symbol ?: "[unknown]",
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

static void add_data_place(const struct script_line *line, struct strbuf *text)
{
	const char *path = data_path(&line->result);

	if (line->fields & FIELD_BIT(FIELD_SYMBOL_DADDR)) {
		strbuf_add_char(text, ' ');
		if (!add_data_symbol(&line->result, text))
			strbuf_add_string(text, "[unknown]");
	}
	if (line->fields & FIELD_BIT(FIELD_DSO_DADDR))
		strbuf_add_format(text, " (%s)", path ?: "[unknown]");
}

static void add_start(struct script *script, const struct script_line *line, struct strbuf *text)
{
	const struct result *result = &line->result;
	uint64_t bits = line->fields;

	if (bits & FIELD_BIT(FIELD_COMM))
		strbuf_add_format(text, line->has_chain ? "%s " : "%16s ", result->comm ?: "");
	if (bits & FIELD_BIT(FIELD_PID) && bits & FIELD_BIT(FIELD_TID))
		strbuf_add_format(text, "%7d/%-7d ", result->pid, result->tid);
	else if (bits & (FIELD_BIT(FIELD_PID) | FIELD_BIT(FIELD_TID)))
		strbuf_add_format(text, "%7d ",
				  bits & FIELD_BIT(FIELD_PID) ? result->pid : result->tid);
	if (bits & FIELD_BIT(FIELD_CPU))
		strbuf_add_format(text, "[%03d] ", result->cpu);
	if (bits & FIELD_BIT(FIELD_TOD)) {
		add_time_of_day(&script->clock, result->time, text);
		strbuf_add_char(text, ' ');
	}
	if (bits & FIELD_BIT(FIELD_TIME))
		add_time(result->time, text);
	if (bits & FIELD_BIT(FIELD_PERIOD))
		strbuf_add_format(text, "%10" PRIu64 " ", result->period);
	if (bits & FIELD_BIT(FIELD_EVENT))
		strbuf_add_format(text, "%*s: ", script->event_width, line->event->name);
	if (bits & FIELD_BIT(FIELD_TRACE))
		strbuf_add_format(text, "%s", result->trace_text ?: "");
}

/* Adds the sampled place: after the rest of the line, or if a terminal has no room for it there, in
 * a line of its own as the frames of a call chain have. */
static void add_sampled(const struct script *script, const struct script_line *line,
			struct strbuf *text)
{
	size_t start = text->length;

	strbuf_add_char(text, ' ');
	add_place(line, line->result.ip, line->symbol, line->symbol_offset, false, line->dso, 0,
		  text);
	if (!script->width || text_columns(text->data, text->length) <= script->width)
		return;
	strbuf_truncate(text, start);
	strbuf_add_string(text, "\n\t");
	add_place(line, line->result.ip, line->symbol, line->symbol_offset, false, line->dso,
		  room_after(script, FRAME_COLUMN), text);
}

static void print_sample(struct script *script, const struct script_line *line)
{
	const struct result *result = &line->result;
	struct strbuf *text = &script->text;
	char page[PAGE_SIZE_TEXT];
	size_t start;

	add_start(script, line, text);
	add_data_fields(script, line, text);
	if (line->fields & FIELD_BIT(FIELD_CGROUP))
		strbuf_add_format(text, " %s", result->cgroup_name ?: "unknown");
	/* only frames and sources begin lines: not a newline in a name */
	make_printable(text->data, text->length);
	if (line->has_chain) {
		add_chain(script, line, text);
	} else if (line->fields & FIELD_BIT(FIELD_IP)) {
		add_sampled(script, line, text);
		script_add_source_line(line, result->place, text);
	}
	start = text->length;
	if (line->fields & FIELD_BIT(FIELD_PHYS_ADDR))
		strbuf_add_format(text, "%16" PRIx64, result->physical_address);
	if (line->fields & FIELD_BIT(FIELD_DATA_PAGE_SIZE))
		strbuf_add_format(text, " %s", page_size_text(result->data_page_size, page));
	if (line->fields & FIELD_BIT(FIELD_CODE_PAGE_SIZE))
		strbuf_add_format(text, " %s", page_size_text(result->code_page_size, page));
	add_data_place(line, text);
	script_add_types(script, line, text);
	strbuf_end_line(text, start);
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

static struct script_value object_value(const struct result *result)
{
	uint64_t object = 0;
	bool known = object_address(result, &object);

	return number_value(known, object);
}

static const char *time_of_day(const struct script_line *line, struct strbuf *room)
{
	add_time_of_day(line->clock, line->result.time, room);
	return room->data;
}

static const char *data_source(const struct result *result, struct strbuf *room)
{
	data_source_add_text(result->data_source, room);
	return room->data;
}

static const char *charged_to(const struct result_place *place, struct strbuf *room)
{
	if (place->symbol)
		strbuf_add_format(room, "%s+0x%" PRIx64, place->symbol,
				  place->address - place->symbol_address);
	return place->symbol ? room->data : NULL;
}

/* Returns the value of a field; a text that is made goes to `room`. */
static struct script_value value_of(const struct script_line *line, enum script_field field,
				    struct strbuf *room)
{
	const struct result *result = &line->result;
	const struct result_place *place = result->place;

	if (!(line->fields & FIELD_BIT(field)))
		return (struct script_value){ 0 };
	switch (field) {
#define FIELD_VALUE(id, name, needs, sample_type, option, summary, value)                          \
	case FIELD_##id: return value;
		SCRIPT_FIELDS(FIELD_VALUE)
#undef FIELD_VALUE
	default: return (struct script_value){ 0 };
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
		json_string(json, NULL, frames[i].place->symbol ?: address);
	}
	json_end(json);
}

static void script_print_json(struct script *script, const struct script_line *line)
{
	struct json json = JSON_INIT(write_stdout, NULL);

	json.compact = true;
	json_object(&json, NULL);
	for (enum script_field field = 0; field < FIELD_COUNT; field++) {
		_cleanup_strbuf_ struct strbuf room = STRBUF_INIT;

		if (!(script->all & FIELD_BIT(field)))
			continue;
		struct script_value value = value_of(line, field, &room);

		switch (value.kind) {
		case VALUE_NONE: json_null(&json, script_fields[field].name); break;
		case VALUE_TEXT: json_string(&json, script_fields[field].name, value.text); break;
		case VALUE_UNSIGNED:
			json_unsigned(&json, script_fields[field].name, value.number);
			break;
		case VALUE_SIGNED:
			json_signed(&json, script_fields[field].name, (int64_t)value.number);
			break;
		}
	}
	if (line->has_chain)
		add_json_chain(script, line, &json);
	json_finish(&json);
}

static void print_csv_names(const struct script *script)
{
	bool first = true;

	for (enum script_field field = 0; field < FIELD_COUNT; field++)
		if (script->all & FIELD_BIT(field)) {
			printf("%s%s", first ? "" : ",", script_fields[field].name);
			first = false;
		}
	putchar('\n');
}

static void print_csv(struct script *script, const struct script_line *line)
{
	struct strbuf *text = &script->text;
	bool first = true;

	for (enum script_field field = 0; field < FIELD_COUNT; field++) {
		_cleanup_strbuf_ struct strbuf room = STRBUF_INIT;

		if (!(script->all & FIELD_BIT(field)))
			continue;

		struct script_value value = value_of(line, field, &room);

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

static void write_text(struct strbuf *text)
{
	print_text(text);
	strbuf_reset(text);
}

/* ---- all samples ---- */

static void print_line(struct script *script, const struct script_line *line)
{
	if (options.json)
		script_print_json(script, line);
	else if (options.csv)
		print_csv(script, line);
	else
		print_sample(script, line);
	if (!options.json) {
		/* a call chain makes a sample several lines, so newlines stay */
		make_lines_printable(script->text.data, script->text.length, "\n\t");
		if (!options.csv)
			text_fold(&script->text, 0, 0, script->width, FOLD_INDENT);
		print_text(&script->text);
		strbuf_reset(&script->text);
	}
}

/* Returns whether --time and --cpu choose a sample, which a filter may see anyway. */
static bool script_is_chosen(const struct sample_choice *choice, const struct result *result)
{
	bool in_range = !choice->range_count;

	for (size_t i = 0; i < choice->range_count && !in_range; i++)
		in_range = result->time >= choice->ranges[i].first &&
			   result->time <= choice->ranges[i].last;
	return in_range && (!choice->cpu_list || number_set_has(&choice->cpus, result->cpu));
}

/* The printing of slices. */
struct line_printer {
	struct script *script;
	const struct sample_choice *choice;
};

static struct error *print_slice(void *data)
{
	struct line_printer *printer = data;
	struct script *script = printer->script;
	struct sample_counts *counts = script->input->counts;
	_cleanup_free_ uint32_t *order = sample_counts_by_time(counts);

	for (size_t i = 0; i < counts->count; i++) {
		struct script_line line = line_of(script, order[i]);
		uint64_t left = line.result.samples;

		if (!script_is_chosen(printer->choice, &line.result) ||
		    !filter_accepts(&options.filter, &line.result))
			continue;
		/* samples of one moment, processor and address share their period */
		line.result.period /= left ?: 1;
		for (; left; left--)
			print_line(script, &line);
	}
	return NULL;
}

/* Sets the width of events' names: as in perf, that of the longest one with samples. */
static void find_event_width(struct script *script)
{
	const struct sample_counts *counts = script->input->counts;

	for (size_t i = 0; i < counts->count; i++) {
		int width = (int)strlen(script->events[counts->entries[i].event].name);

		raise_to(script->event_width, width);
	}
}

static struct error *print_samples(struct script *script, const struct input_needs *needs)
{
	struct line_printer printer = { .script = script, .choice = needs->choice };

	find_event_width(script);
	if (options.csv && !options.input.quiet)
		print_csv_names(script);
	return input_each_slice(&options.input, needs, script->input, print_slice, &printer);
}

/* ---- the command ---- */

// clang-format off
static const struct option_spec specs[] = {
	GROUP("Lines"),
	{ OPTION_CALL, 'F', "fields", &options.choice, "FIELDS", "show these fields, separated by commas; +FIELD and -FIELD\nchange perf's default", script_fields_parse },
	FLAG(0, "json", &options.json, "print a JSON object in each line"),
	FLAG(0, "csv", &options.csv, "print comma-separated values, the names first"),
	FLAG('G', "hide-call-graph", &options.no_chains, "show no call chains"),
	OPTION(UNSIGNED, 0, "max-stack", &options.max_stack, "N", "show at most N frames of a chain (127)"),
	FLAG(0, "ns", &options.nanoseconds, "show times in nanoseconds"),
	FLAG(0, "header", &options.header, "begin with the file's header"),
	FLAG(0, "header-only", &options.header_only, "print only the header"),
	FLAG(0, "no-demangle", &options.no_demangle, "show names as in the object"),
	GROUP("Choosing samples (lists are separated by commas)"),
	NAME_OPTION_SPECS(options.filter),
	{ OPTION_CALL, 0, "pid", &options.filter.pids, "LIST", "of these processes", parse_pids_option },
	{ OPTION_CALL, 0, "tid", &options.filter.tids, "LIST", "of these threads", parse_tids_option },
	OPTION(STRING, 'C', "cpu", &options.samples.cpu_list, "LIST", "on these processors, such as 0-3,8"),
	OPTION(STRING, 0, "time", &options.samples.time, "RANGES", "at these times, as dtprof report takes them"),
	GROUP("Input"),
	INPUT_OPTION_SPECS(options.input),
	OPTIONS_END,
};
// clang-format on

static const struct command_usage script_usage = {
	.name = "script",
	.synopsis = "[OPTIONS]",
	.summary = "Show each sample of a perf.data file in a line, with the type that it accessed",
	.options = specs,
	.alternatives = (const char *const[]){ "json csv", NULL },
};

static void print_fields(void)
{
	printf("\nFields of -F:\n");
	for (size_t i = 0; i < FIELD_COUNT; i++)
		print_term(script_fields[i].name, 23, script_fields[i].summary);
}

static uint64_t choose_fields(struct script *script)
{
	uint64_t needs = NEED_TIME | NEED_IP | NEED_CPU | NEED_TID | NEED_PID | NEED_DSO |
			 filter_needs(&options.filter);
	bool chains = false;

	script->events = session_events(script->input->session, &script->event_count);
	script->fields = xcalloc(script->event_count, sizeof(*script->fields));
	for (size_t i = 0; i < script->event_count; i++) {
		script->fields[i] =
			script_fields_of(&options.choice, &script->events[i], !options.no_chains);
		script->all |= script->fields[i];
		chains |= script->fields[i] & FIELD_BIT(FIELD_IP) &&
			  script->events[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	}
	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (script->all & FIELD_BIT(i))
			needs |= script_fields[i].needs;
	return needs | (chains && !options.no_chains ? NEED_CHAIN | NEED_SYMBOL | NEED_ADDRESS : 0);
}

/* Returns the columns that lines may have, 0: any. With -v, nothing is cut or folded. */
static unsigned int script_line_width(void)
{
	return options.input.verbose ? 0 : terminal_width();
}

static void script_print_header(const struct input *input)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	session_header_text(input->session, &text);
	text_fold(&text, 0, 0, script_line_width(), FOLD_INDENT);
	write_text(&text);
}

/* Returns whether the chosen times are within the recording but have no samples. That is not an
 * error: programs read a recording in slices of time, and some slices have no samples. */
static bool is_between_samples(const struct sample_choice *choice, const struct input *input)
{
	struct time_range whole;

	if (input->counts->count || !choice->range_count ||
	    !session_sample_times(input->session, &whole))
		return false;
	return any_of(i, 0, choice->range_count,
		      choice->ranges[i].first <= whole.last &&
			      choice->ranges[i].last >= whole.first);
}

static struct error *run_script(struct script *script)
{
	struct sample_choice *choice = &options.samples;
	struct input *input = script->input;
	unsigned int width = terminal_width();
	bool at_end = width && !options.json && !options.csv;
	struct input_needs needs = { .choice = choice,
				     .slices = true,
				     .no_demangle = options.no_demangle,
				     .chain_limit = options.max_stack,
				     .tells_trouble = true };

	RETURN_ERROR(input_open(&options.input, input));
	if (options.header_only || (options.header && !options.json && !options.csv))
		script_print_header(input);
	if (options.header_only)
		return NULL;
	needs.needs = choose_fields(script);
	RETURN_ERROR(script_fields_check(&options.choice, script->events, script->event_count,
					 session_clock(input->session, &script->clock)));
	script->width = script_line_width();
	RETURN_ERROR(sample_choice_init(choice, input->session));
	RETURN_ERROR(input_resolve(&options.input, &needs, input));
	input_warn_if_empty(input);
	if (!is_between_samples(choice, input)) {
		RETURN_ERROR(times_check(choice, input));
		RETURN_ERROR(names_check(&options.filter, input));
	}
	pager_start();
	RETURN_ERROR(print_samples(script, &needs));
	/* after the lines, also where both go to one place */
	if (at_end)
		trouble_print(&options.input, input, width);
	else
		warn_of_trouble(&options.input, input, NULL);
	return NULL;
}

int command_script(int argc, char **argv)
{
	_cleanup_input_ struct input input = { 0 };
	struct script script = { .input = &input, .text = STRBUF_TEXT };
	struct error *error;
	int rest, status;

	options.input.itrace.events = ITRACE_ALL; /* as in perf */
	if (!command_begin(argc, argv, &script_usage, OPTIONS_ANYWHERE, &rest, &status)) {
		if (status == EXIT_SUCCESS)
			print_fields();
		return status;
	}
	if (rest)
		return command_fail_usage(
			error_other("unexpected argument '%s': scripts are not run here; --json "
				    "and --csv write what programs read",
				    argv[0]));
	if (!options.max_stack)
		return command_fail_usage(error_other("--max-stack must be at least 1"));
	sandbox_for(NULL, NULL, options.input.verbose);
	error = run_script(&script);
	status = error ? command_fail(error) : input_status(&input);
	free(script.fields);
	strbuf_deinit(&script.text);
	filter_deinit(&options.filter);
	sample_choice_deinit(&options.samples);
	return status;
}
