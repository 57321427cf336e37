// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof export: the samples of a file, with their types, in the formats of other programs
 * (report/export/).
 */

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/web.h"
#include "profiler/commands/annotate.h"
#include "profiler/commands/commands.h"
#include "profiler/cli/sandbox.h"
#include "profiler/cli/names.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "dwarf/types/type.h"
#include "report/export/export.h"
#include "report/filter.h"

static struct {
	struct input_options input;
	struct filter filter;
	struct sample_choice choice;
	const struct export_format *format;
	const char *output; /* NULL: standard output */
	const char *credentials;
	bool type_frames, addresses, no_types;
	bool later; /* a receiver could not be asked, or asks for another attempt */
} options;

/* ---- options ---- */

/* In the order of --help. */
static const struct export_format *const formats[] = {
	&export_pprof, &export_speedscope, &export_folded,     &export_firefox,
	&export_otlp,  &export_csv,        &export_data_types, NULL,
};

static struct error *parse_format(void *value _unused_, const char *argument)
{
	struct nearest nearest = { .word = argument };

	for (const struct export_format *const *format = formats; *format; format++) {
		if (!strcmp((*format)->name, argument)) {
			options.format = *format;
			return NULL;
		}
		nearest_consider(&nearest, (*format)->name);
	}
	if (nearest.best)
		return error_other("there is no format '%s'; did you mean '%s'?", argument,
				   nearest.best);
	return error_other("there is no format '%s' (dtprof export --help lists them)", argument);
}

// clang-format off
static const struct option_spec export_options[] = {
	GROUP("Output"),
	{ OPTION_CALL, 0, "format", NULL, "NAME", "write this format; the list is below", parse_format },
	OPTION(STRING, 'o', "output", &options.output, "FILE", "write to this file (standard output); otlp: a receiver's\nhttps://HOST[:PORT], too"),
	OPTION(STRING, 0, "credentials", &options.credentials, "FILE", "user and password for a receiver (dtprof store)"),
	FLAG(0, "type-frames", &options.type_frames, "pprof: show the field and the type as frames below the function"),
	FLAG(0, "addresses", &options.addresses, "otlp: show the data addresses of samples"),
	LOCK_TIME_SPEC(options.input),
	FLAG(0, "no-types", &options.no_types, "leave out types and lines, which need debug information,\nand so memory"),
	GROUP("Choosing samples (lists are separated by commas)"),
	NAME_OPTION_SPECS(options.filter),
	OPTION(STRING, 'C', "cpu", &options.choice.cpu_list, "LIST", "on these processors, such as 0-3,8"),
	OPTION(STRING, 0, "time", &options.choice.time, "RANGES", "of these times, as in report"),
	GROUP("Input"),
	INPUT_OPTION_SPECS(options.input),
	OPTIONS_END,
};
// clang-format on

static const struct command_usage export_usage = {
	.name = "export",
	.synopsis = "--format=NAME [-o FILE] [OPTIONS]",
	.summary = "Write the samples of a perf.data file, with their types and fields, for other "
		   "programs.",
	.options = export_options,
};

static void print_formats(void)
{
	printf("\nFormats:\n");
	for (const struct export_format *const *format = formats; *format; format++)
		print_term((*format)->name, 19, (*format)->summary);
}

/* ---- rows ---- */

struct row_list {
	struct export_row *items;
	size_t count, capacity;
};

/* Makes a row of each counted entry that the filter accepts. */
static void collect_rows(const struct input *input, struct row_list *rows)
{
	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);
		const struct access *access = &entry_place(input->resolution, i)->access;
		struct access_count count;

		if (!filter_accepts(&options.filter, &result))
			continue;
		count = count_accesses(&input->counts->entries[i], access);
		array_add(rows->items, rows->count, rows->capacity) = (struct export_row){
			.event = result.event,
			.samples = count.samples,
			.period = count.period,
			.latency = count.weight,
			.loads = count.loads,
			.stores = count.stores,
			.comm = result.thread ?: result.comm,
			.pid = result.pid,
			.tid = result.tid,
			.place = result.place,
			.span = result.span,
			.type_size = access->type ? type_size_or(access->type, 0) : 0,
			.type_shape = access->type ? type_shape(type_strip(access->type)) : 0,
			.time = result.time,
			.chain = result.chain,
			.data_address = result.data_address
		};
	}
}

/* ---- objects ---- */

struct exported_objects {
	struct export_object *items;
	size_t count;
	struct arena texts;
};

/* Lists the objects whose build ids were recorded. */
static void list_objects(const struct session *session, struct exported_objects *objects)
{
	size_t count;
	struct dso *const *dsos = session_dsos(session, &count);

	objects->items = xcalloc(count + 1, sizeof(*objects->items));
	for (size_t i = 0; i < count; i++) {
		if (!dsos[i] || !dsos[i]->build_id.size)
			continue;
		objects->items[objects->count++] = (struct export_object){
			dsos[i]->long_name,
			arena_strdup(&objects->texts, build_id_text(&dsos[i]->build_id).hex)
		};
	}
}

/* ---- output ---- */

#define ANSWER_MAX 65536 /* bytes of a receiver's */
#define PATIENCE   30    /* seconds to connect, and without a byte */

struct export_output {
	FILE *file;
	struct output_file named; /* of -o */
	struct strbuf body;       /* for a receiver */
};

static void export_write_bytes(void *data, const char *bytes, size_t length)
{
	struct export_output *output = data;

	if (output->file)
		fwrite(bytes, 1, length, output->file);
	else
		strbuf_add(&output->body, bytes, length);
}

static bool goes_to_stdout(void)
{
	return !options.output || !strcmp(options.output, "-");
}

/* Returns the port of the receiver that the profile is sent to; 0: none. */
static unsigned int receiver_port(void)
{
	const char *output = options.output ?: "";

	return starts_with(output, "http://")    ? web_port(output + strlen("http://"), 80)
	       : starts_with(output, "https://") ? web_port(output + strlen("https://"), 443)
						 : 0;
}

static struct error *open_output(const char *input, struct export_output *output)
{
	output->body = (struct strbuf)STRBUF_INIT;
	if (receiver_port())
		return NULL;
	if (goes_to_stdout()) {
		output->file = stdout;
		return NULL;
	}
	RETURN_ERROR(output_file_open(options.output, input, OUTPUT_PRIVATE, &output->named));
	output->file = output->named.stream;
	return NULL;
}

static bool export_keep_answer(const void *bytes, size_t size, void *data)
{
	struct strbuf *answer = data;

	if (size > ANSWER_MAX - answer->length)
		return false;
	strbuf_add(answer, bytes, size);
	return true;
}

static struct error *send_profile(const struct export_output *output)
{
	const char *host = strstr(options.output, "//") + 2;
	_cleanup_free_ char *url = xasprintf("%s%s", options.output,
					     strchr(host, '/') ? "" : "/v1development/profiles");
	_cleanup_strbuf_ struct strbuf answer = STRBUF_INIT;
	struct web_user user = { 0 };
	struct web_request request = { .url = url,
				       .body = output->body.data,
				       .size = output->body.length,
				       .content = "Content-Type: application/x-protobuf",
				       .user = &user,
				       .patience = PATIENCE,
				       .keep = export_keep_answer,
				       .data = &answer };
	long status;
	struct web *web;
	struct error *error = web_open("sending", &web);

	if (!error && options.credentials)
		error = web_user_read(options.credentials, &user);
	if (!error) {
		error = web_ask(web, &request, &status);
		options.later = error && error->code != ERROR_PERMISSION;
	}
	if (!error)
		error = export_otlp_answer(status, answer.data, answer.length, &options.later);
	web_close(web);
	web_user_deinit(&user);
	return error ? error_prefix(error, "%s", options.output) : NULL;
}

/* Ends the output: what is complete gets its name, or is sent. */
static struct error *close_output(struct export_output *output, bool complete)
{
	struct error *error = output_file_close(&output->named, complete);

	if (!error && complete && !output->file)
		error = send_profile(output);
	strbuf_deinit(&output->body);
	return error;
}

/* ---- the command ---- */

/* Slices of time: as many as a screen has columns. Each has rows of its own, so large recordings
 * have fewer: with all of them 4,000,000 samples took 2 GB and sixty times as long. */
#define TIME_SLICES_MAX 2000
#define TIME_SLICES_MIN 20
#define SLICED_SAMPLES  50000000 /* samples times slices, at most */

/* The times of the chosen format. All 0 if it shows none, or the samples have none. */
struct export_times {
	struct time_range range;
	uint64_t slice; /* exact times would keep all samples apart */
};

/* Goes through all samples, so it is done once, and not for formats without times. */
static struct export_times find_times(struct session *session)
{
	struct export_times times = { 0 };
	uint64_t samples, slices;

	if (!options.format->dated || !session_sample_times(session, &times.range))
		return (struct export_times){ 0 };
	samples = session_totals(session)->samples;
	slices = samples ? SLICED_SAMPLES / samples : TIME_SLICES_MAX;
	slices = slices < TIME_SLICES_MIN   ? TIME_SLICES_MIN
		 : slices > TIME_SLICES_MAX ? TIME_SLICES_MAX
					    : slices;
	times.slice = (times.range.last - times.range.first) / slices + 1;
	return times;
}

/* Returns the time of the first sample in ns since 1970: by the recording's clock, else by when its
 * file was complete. 0: samples have no times. */
static uint64_t first_sample_wall(const struct session *session, const struct export_times *times)
{
	struct session_clock clock;
	size_t size;
	int64_t modified;

	if (!times->range.last)
		return 0;
	if (session_clock(session, &clock))
		return clock.wall + times->range.first - clock.reference;
	session_recording(session, &size, &modified);
	return (uint64_t)modified - (times->range.last - times->range.first);
}

static struct error *write_profile(const struct input *input, const struct export_times *times)
{
	size_t event_count;
	const struct event *events = session_events(input->session, &event_count);
	_cleanup_free_ struct export_event *shown = xcalloc(event_count + 1, sizeof(*shown));
	struct row_list rows = { 0 };
	struct exported_objects objects = { 0 };
	struct export_output output = { 0 };
	_cleanup_free_ char *command = header_value(input->session, "cmdline");
	_cleanup_free_ char *hostname = header_value(input->session, "hostname");
	size_t size;
	int64_t modified;
	const void *recording = session_recording(input->session, &size, &modified);

	/* an agent's recording of an idle machine has none, which is no failure */
	if (receiver_port() && !session_totals(input->session)->samples) {
		input_warn_if_empty(input);
		return NULL;
	}
	RETURN_ERROR(input_need_samples(input));
	RETURN_ERROR(open_output(input->path, &output));
	for (size_t i = 0; i < event_count; i++)
		shown[i] = (struct export_event){ events[i].name, event_is_timer(&events[i]) };
	collect_rows(input, &rows);
	list_objects(input->session, &objects);

	struct export_profile profile = { .events = shown,
					  .event_count = event_count,
					  .rows = rows.items,
					  .row_count = rows.count,
					  .frames = input->resolution->frames,
					  .objects = objects.items,
					  .object_count = objects.count,
					  .type_frames = options.type_frames,
					  .command = command,
					  .hostname = hostname,
					  .cacheline = input_cacheline(input),
					  .start = times->range.first,
					  .wall = first_sample_wall(input->session, times),
					  .recording = hash_bytes(recording, size),
					  .time_slice = times->slice,
					  .duration = times->range.last - times->range.first };
	struct error *error = options.format->write(&profile, export_write_bytes, &output);
	struct error *problem = close_output(&output, !error);

	free_all(rows.items, objects.items);
	arena_deinit(&objects.texts);
	if (!error)
		return problem;
	error_destroy(problem);
	return error;
}

static struct error *run_export(struct input *input)
{
	uint64_t needs = NEED_SYMBOL | NEED_DSO | NEED_ADDRESS | NEED_COMM | NEED_PID | NEED_TID |
			 NEED_WEIGHT | NEED_DATA_SOURCE;
	struct export_times times;

	RETURN_ERROR(input_open(&options.input, input));
	RETURN_ERROR(sample_choice_init(&options.choice, input->session));
	needs |= options.no_types ? 0
				  : NEED_TYPE | NEED_FIELD_NAME | NEED_ELEMENT | NEED_SOURCE_LINE;
	needs |= options.format->timed ? NEED_TIME : 0;
	needs |= options.addresses ? NEED_DATA_ADDRESS : 0;
	times = find_times(input->session);
	needs |= filter_needs(&options.filter) |
		 (session_has_chains(input->session) ? NEED_CHAIN : 0);
	RETURN_ERROR(input_resolve(&options.input,
				   &(struct input_needs){ .needs = needs,
							  .full_source_path = true,
							  .choice = &options.choice,
							  .time_quantum = times.slice,
							  .chain_limit = EXPORT_FRAMES_MAX / 2 },
				   input));
	return write_profile(input, &times);
}

int command_export(int argc, char **argv)
{
	_cleanup_input_ struct input input = { 0 };
	int rest, status;

	if (!command_begin(argc, argv, &export_usage, OPTIONS_ANYWHERE, &rest, &status)) {
		if (status == EXIT_SUCCESS)
			print_formats();
		return status;
	}
	if (rest)
		return command_fail_usage(error_other(
			"unexpected argument '%s' (-i FILE names a file to read)", argv[0]));
	if (!options.format)
		return command_fail_usage(error_other(
			"--format=NAME is missing (dtprof export --help lists the formats)"));
	if (options.type_frames && options.format != &export_pprof)
		return command_fail_usage(error_other("--type-frames is for pprof; the stacks of "
						      "folded and speedscope begin with the type"));
	if (options.format->binary && goes_to_stdout() && isatty(STDOUT_FILENO))
		return command_fail(error_other(
			"%s is not text, so it is not written to a terminal: use -o FILE",
			options.format->name));
	unsigned int port = receiver_port();

	if (options.format != &export_otlp && (options.addresses || port))
		return command_fail_usage(error_other("--addresses and receivers are for otlp"));
	if (port > UINT16_MAX || (port && strchr(options.output, '@')))
		return command_fail_usage(error_other(
			"a receiver is called https://HOST[:PORT][/PATH], without a user, whom "
			"--credentials names"));
	if (options.credentials && !port)
		return command_fail_usage(error_other("--credentials is for receivers (-o URL)"));
	if (port)
		sandbox_for_server(port, NULL, options.input.verbose);
	else
		sandbox_for(options.output, NULL, options.input.verbose);
	struct error *error = run_export(&input);

	status = error ? command_fail(error) : input_status(&input);
	if (status == EXIT_FAILURE && options.later)
		status = EXIT_LATER;
	filter_deinit(&options.filter);
	sample_choice_deinit(&options.choice);
	return status;
}
