// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The input of report, annotate and mem: opening the file, choosing and counting its samples,
 * resolving them, and warning of what is missing.
 */
#include "profiler/cli/input.h"

#include <ctype.h>
#include <inttypes.h>

#include "annotate/rules/rules.h"
#include "dwarf/elf/image.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/trouble.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/slices.h"

/* ---- groups of events ---- */

/* Returns the leader of an event's group. perf samples mem-loads-aux, too, which loads need to be
 * active: as in perf report, these samples say nothing, and are in no table with those of loads. */
static uint32_t leader_of(const struct event *events, uint32_t event)
{
	uint32_t leader = events[event].group_leader;

	return strstr(events[leader].name, "mem-loads-aux") ? event : leader;
}

/* Sets leads[i] for each event that leads a group. Returns false if the file has no groups. */
static bool find_leaders(const struct event *events, size_t count, bool *leads)
{
	bool any = false;

	for (uint32_t i = 0; i < count; i++)
		if (leader_of(events, i) != i)
			leads[leader_of(events, i)] = any = true;
	return any;
}

/* Returns the first event with samples that is not of blocked time; `count`: there is none. */
static uint32_t first_on_cpu(const struct event *events, size_t count)
{
	uint32_t i = 0;

	while (i < count && (events[i].off_cpu || !events[i].samples))
		i++;
	return i;
}

/* Makes samples of blocked time count as those of the event `first`. */
static void join_blocked(struct event_groups *groups, const struct event *events, size_t count,
			 uint32_t first)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!events[i].off_cpu || !events[i].samples)
			continue;
		groups->group_of[i] = groups->group_of[first];
		groups->member_of[i] = groups->member_of[first];
		groups->groups[groups->group_of[first]].blocked = i + 1;
	}
}

/* Sets the flags that the group's heading depends on. Call it when the group has its events. */
static void set_title(struct event_group *group, const struct grouping *grouping, bool recorded,
		      const bool *leads, size_t event_count)
{
	uint32_t first = group->events[0];
	bool made = !recorded && (grouping->all || grouping->none);

	group->plural = group->count > 1 || (made ? !first && event_count > 1 : leads[first]);
	group->named = group->plural && !made && !grouping->none;
}

void event_groups_init(struct event_groups *groups, const struct session *session,
		       const struct grouping *grouping)
{
	size_t count;
	const struct event *events = session_events(session, &count);
	_cleanup_free_ bool *leads = xcalloc(count, sizeof(*leads));
	bool recorded = find_leaders(events, count, leads), all = grouping->all && !recorded;
	_cleanup_free_ uint32_t *group_of_leader =
		xcalloc(count, sizeof(*group_of_leader)); /* + 1; 0: none yet */
	uint32_t first = grouping->off_cpu ? first_on_cpu(events, count) : (uint32_t)count;

	*groups = (struct event_groups){ .groups = xcalloc(count, sizeof(*groups->groups)),
					 .group_of = xcalloc(count, sizeof(*groups->group_of)),
					 .member_of = xcalloc(count, sizeof(*groups->member_of)) };
	for (uint32_t i = 0; i < count; i++) {
		uint32_t leader = grouping->none ? i : all ? 0 : leader_of(events, i);

		if (!events[i].samples || (first < count && events[i].off_cpu))
			continue;
		if (!group_of_leader[leader])
			group_of_leader[leader] = ++groups->count;
		groups->group_of[i] = group_of_leader[leader] - 1;

		struct event_group *group = &groups->groups[groups->group_of[i]];

		groups->member_of[i] = group->count;
		group->events =
			xrealloc_array(group->events, group->count + 1, sizeof(*group->events));
		group->events[group->count++] = i;
	}
	if (first < count)
		join_blocked(groups, events, count, first);
	for (size_t i = 0; i < groups->count; i++)
		set_title(&groups->groups[i], grouping, recorded, leads, count);
}

void event_groups_deinit(struct event_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		free(groups->groups[i].events);
	free_all(groups->groups, groups->group_of, groups->member_of);
	*groups = (struct event_groups){ 0 };
}

void event_group_name(const struct event_group *group, const struct session *session,
		      struct strbuf *name)
{
	const struct event *events = session_events(session, NULL);
	const struct event *leader = &events[events[group->events[0]].group_leader];

	if (group->named)
		strbuf_add_format(name, "%s { ", leader->group_name ?: "anon group");
	for (uint32_t i = 0; i < group->count; i++)
		strbuf_add_format(name, "%s%s", i ? ", " : "", events[group->events[i]].name);
	if (group->named)
		strbuf_add_string(name, " }");
	if (group->blocked)
		strbuf_add_format(name, " + %s", events[group->blocked - 1].name);
}

/* ---- choice of samples ---- */

static struct error *bad_time(const char *text)
{
	return error_other("--time: '%s' is not START,STOP in seconds, N%%/K or A%%-B%%", text);
}

static void add_range(struct sample_choice *choice, uint64_t first, uint64_t last)
{
	array_add(choice->ranges, choice->range_count, choice->range_capacity) =
		(struct time_range){ first, last };
}

/* Parses "13166.25": seconds, with up to nine digits after the point. */
static bool parse_seconds(const char *text, size_t length, uint64_t *time)
{
	uint64_t seconds = 0, fraction = 0, unit = NS_PER_S;
	size_t i = 0;

	for (; i < length && isdigit((unsigned char)text[i]); i++) {
		if (seconds > UINT64_MAX / NS_PER_S / 10)
			return false;
		seconds = seconds * 10 + (uint64_t)(text[i] - '0');
	}
	if (!i || seconds > UINT64_MAX / NS_PER_S - 1)
		return false;
	if (i < length && text[i] == '.')
		for (i++; i < length && isdigit((unsigned char)text[i]) && unit > 1; i++) {
			unit /= 10;
			fraction += unit * (uint64_t)(text[i] - '0');
		}
	*time = seconds * NS_PER_S + fraction;
	return i == length;
}

/* Parses "START,STOP", either of which may be missing; several with blanks between. */
static struct error *parse_times(struct sample_choice *choice, const char *text)
{
	const char *all = text;

	while (*text) {
		size_t length = strcspn(text, " "), start = strcspn(text, ", ");
		uint64_t first = 0, last = UINT64_MAX;

		if (start >= length || (start && !parse_seconds(text, start, &first)) ||
		    (start + 1 < length &&
		     !parse_seconds(text + start + 1, length - start - 1, &last)) ||
		    last < first)
			return bad_time(all);
		add_range(choice, first, last);
		text += length;
		text += strspn(text, " ");
	}
	return choice->range_count ? NULL : bad_time(all);
}

static void input_add_share(struct sample_choice *choice, const struct time_range *whole,
			    double from, double to)
{
	double total = (double)(whole->last - whole->first);
	uint64_t first = whole->first + (uint64_t)(from * total + 0.5),
		 last = whole->first + (uint64_t)(to * total + 0.5);

	/* slices do not overlap, and the last one includes the last sample */
	if (last > first && last != whole->last)
		last--;
	add_range(choice, first, last);
}

/* Parses "10%", "10%/2" or "10%-30%"; several with commas between. */
static struct error *parse_shares(struct sample_choice *choice, const char *text,
				  const struct time_range *whole)
{
	const char *all = text;

	while (*text) {
		char *end;
		double share = strtod(text, &end) / 100, from = 0, to = share;

		if (end == text || *end != '%' || !(share >= 0))
			return bad_time(all);
		text = end + 1;
		if (*text == '/') {
			long slice = strtol(text + 1, &end, 10);

			from = share * (double)(slice - 1);
			to = share * (double)slice;
			if (end == text + 1 || slice < 1 || !(share > 0))
				return bad_time(all);
			text = end;
		} else if (*text == '-') {
			from = share;
			to = strtod(text + 1, &end) / 100;
			if (end == text + 1 || *end != '%')
				return bad_time(all);
			text = end + 1;
		}
		if (!(from >= 0 && from <= to && to <= 1) || (*text && *text != ','))
			return bad_time(all);
		input_add_share(choice, whole, from, to);
		text += *text == ',';
	}
	return NULL;
}

struct error *sample_choice_init(struct sample_choice *choice, struct session *session)
{
	const char *time = choice->time;
	struct time_range whole;

	if (choice->cpu_list)
		RETURN_ERROR(number_set_parse(&choice->cpus, choice->cpu_list,
					      "--cpu takes processors"));
	if (!time)
		return NULL;
	if (!strchr(time, '%'))
		return parse_times(choice, time);
	if (!session_sample_times(session, &whole))
		return error_other("--time: the samples have no times");
	return parse_shares(choice, time, &whole);
}

struct error *sample_choice_set_pids(struct sample_choice *choice, const char *pids)
{
	for (const char *at = pids; at; at = *at == ',' ? at + 1 : NULL) {
		char *end;
		long pid = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : -1;

		if (pid < 0 || pid > INT32_MAX || (*end && *end != ','))
			return error_other(
				"--pid takes numbers of processes with commas between, not '%s'",
				pids);
		array_add(choice->pids, choice->pid_count, choice->pid_capacity) = (int32_t)pid;
		at = end;
	}
	return NULL;
}

void sample_choice_deinit(struct sample_choice *choice)
{
	free_all(choice->ranges, choice->pids);
	choice->ranges = NULL;
	choice->pids = NULL;
}

static void sample_choice_apply(const struct sample_choice *choice, struct count_options *options)
{
	options->ranges = choice->ranges;
	options->range_count = choice->range_count;
	options->cpus = choice->cpu_list ? &choice->cpus : NULL;
	options->pids = choice->pids;
	options->pid_count = choice->pid_count;
}

bool sample_choice_has(const struct sample_choice *choice, const struct sample *sample)
{
	if (!choice->ranges && !choice->cpu_list && !choice->pids)
		return true;
	struct count_options options = { 0 };

	sample_choice_apply(choice, &options);
	return count_is_wanted(&options, sample->time, sample->cpu, (int32_t)sample->pid);
}

/* ---- --debug type-profile ---- */

#define LINE "-----------------------------------------------------------"

/* The samples taken at one instruction, by where their data addresses come from. */
struct trace_sums {
	uint64_t recorded, computed, unknown;
};

/* All members but `counts` are zero-initialized; `counts` may be NULL until samples are counted. */
struct type_trace_printer {
	const struct sample_counts *counts;
	const struct dso *dso;    /* the object of the next traces */
	struct hash_map by_place; /* of dso and address; value: index in sums */
	struct trace_sums *sums;
	size_t count, capacity;
};

static uint64_t place_key(const struct dso *dso, uint64_t address)
{
	return hash_combine((uintptr_t)dso, address);
}

static void add_up(struct type_trace_printer *printer)
{
	array_each (const struct counted, entry, printer->counts->entries, printer->counts->count) {
		struct trace_sums *sums =
			hash_map_item(&printer->by_place, place_key(entry->dso, entry->address),
				      printer->sums, printer->count, printer->capacity, NULL);

		*(!entry->data_known     ? &sums->unknown
		  : entry->data_computed ? &sums->computed
					 : &sums->recorded) += entry->samples;
	}
}

static void trace_print_object(void *data, const struct dso *dso)
{
	struct type_trace_printer *printer = data;
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	printer->dso = dso;
	progress_end();
	strbuf_add_format(
		&text, "===========================================================\nobject: %s\n",
		dso ? dso->long_name : "[unknown]");
	fputs(text.data, stderr);
}

static void print_addresses(struct type_trace_printer *printer, uint64_t address)
{
	const uint32_t *index;

	if (!printer->count)
		add_up(printer);
	index = hash_map_find(&printer->by_place, place_key(printer->dso, address));
	if (!index)
		return;

	const struct trace_sums *sums = &printer->sums[*index];

	if (sums->recorded || sums->computed)
		fprintf(stderr,
			"data addresses: %" PRIu64 " recorded, %" PRIu64
			" computed from registers, %" PRIu64 " not known\n",
			sums->recorded, sums->computed, sums->unknown);
}

static void trace_print(void *data, uint64_t address, const char *text)
{
	struct type_trace_printer *printer = data;

	fprintf(stderr, LINE "\naddress: %#" PRIx64 "\n", address);
	if (printer->counts)
		print_addresses(printer, address);
	while (*text) {
		size_t length = strcspn(text, "\n");
		_cleanup_strbuf_ struct strbuf line = STRBUF_TEXT;

		strbuf_add(&line, text, length);
		strbuf_end_line(&line, 0);
		fputs(line.data, stderr);
		text += length + (text[length] == '\n');
	}
}

static void type_trace_printer_deinit(struct type_trace_printer *printer)
{
	hash_map_deinit(&printer->by_place);
	free(printer->sums);
}

/* ---- the file ---- */

static void warn_of_file(void *data, const char *message)
{
	const struct input_options *options = data;

	if (options->quiet)
		return;
	progress_end();
	warning("%s", message);
}

struct error *parse_modules_option(void *dso_options, const char *argument)
{
	struct dso_options *options = dso_options;

	if (argument)
		options->modules = argument;
	return NULL;
}

struct error *parse_symfs_option(void *symfs, const char *argument)
{
	const char *comma = strrchr(argument, ',');

	if (comma && strcmp(comma, ",flat") != 0 && strcmp(comma, ",hierarchy") != 0)
		return error_other("'%s' is not a layout; the layouts are hierarchy and flat",
				   comma + 1);
	if (comma == argument)
		return error_other("a folder is missing before '%s'", comma);

	_cleanup_free_ char *folder =
		comma ? xstrndup(argument, (size_t)(comma - argument)) : xstrdup(argument);
	struct stat status;

	if (stat(folder, &status) < 0)
		return error_errno(errno, "%s", folder);
	if (!S_ISDIR(status.st_mode))
		return error_other("%s is not a folder", folder);
	*(const char **)symfs = argument;
	return NULL;
}

struct error *parse_itrace_option(void *itrace_options, const char *argument)
{
	return itrace_parse(itrace_options, argument);
}

struct error *parse_no_rule_option(void *unused _unused_, const char *argument)
{
	struct error *error = rules_switch_off(argument);

	return error ? error_prefix(error, "--no-rule") : NULL;
}

/* Returns the command's needs, with NEED_TYPE if late samples must be charged: a data address
 * belongs to the access that a sample is charged to, and charging takes types. The types of blocked
 * time are of what callers wait for. */
static uint64_t needs_of(const struct input_options *options, const struct input_needs *needs,
			 const struct session *session)
{
	uint64_t all = needs->needs;

	if (options->blame != BLAME_SAMPLED &&
	    (needs->charges || needs->needs & (NEED_DATA_ADDRESS | NEED_ELEMENT)) &&
	    session_any_event(session, event, event_is_late(event)))
		all |= NEED_TYPE;
	if (all & NEED_TYPE && session_has_blocked_time(session))
		all |= NEED_CHAIN | NEED_SYMBOL;
	return all;
}

/* Returns the fields that samples are counted by for these needs. Late samples also need the
 * branches before them, which tell how control reached the sampled instruction. */
static uint64_t count_fields(const struct input_options *options, uint64_t needs,
			     const struct session *session)
{
	uint64_t fields = resolve_count_fields(needs);

	if (needs & NEED_TYPE && options->blame != BLAME_SAMPLED &&
	    session_any_event(session, event,
			      event_is_late(event) &&
				      event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK))
		fields |= COUNT_CAME_FROM;
	return fields;
}

static const char *input_path(const struct input_options *options)
{
	struct stat status;

	if (options->path)
		return options->path;
	/* as in perf, a pipe on standard input is the file */
	if (!fstat(STDIN_FILENO, &status) && S_ISFIFO(status.st_mode))
		return "-";
	return "perf.data";
}

/* Checks that -k names an object file. dso_image() compares it with the recorded one. */
static struct error *check_vmlinux(const char *path)
{
	struct error *error = elf_is_core(path) ? NULL : elf_image_probe(path);

	if (!error && !elf_is_core(path) && elf_is_program(path))
		error = error_create(ERROR_FORMAT, "%s is a program, not a kernel", path);
	return error ? error_prefix(error, "-k") : NULL;
}

char *header_value(const struct session *session, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	size_t length = strlen(name);

	session_header_text(session, &text);
	for (const char *line = text.data; line; line = strchr(line, '\n')) {
		const char *value;

		line += *line == '\n';
		if (!starts_with(line, "# ") || strncmp(line + 2, name, length) != 0)
			continue;
		value = line + 2 + length;
		value += strspn(value, " ");
		if (*value == ':' && value[1] == ' ')
			return xstrndup(value + 2, strcspn(value + 2, "\n"));
	}
	return NULL;
}

struct error *input_not_named(struct error *error)
{
	return error->code != ERROR_NOT_FOUND
		       ? error
		       : error_prefix(error, "nothing to read here: 'dtprof record' makes a "
					     "perf.data file, -i FILE names another one");
}

struct error *input_open(const struct input_options *options, struct input *input)
{
	RETURN_ERROR(
		operands_init(&input->operands, &options->dso, options->blame != BLAME_SAMPLED));

	struct session_options session_options = { .force = options->dso.force,
						   .threads = options->threads,
						   .itrace = options->itrace,
						   .lock_time = options->lock_time,
						   .dso = options->dso,
						   .operands = operands_finder(&input->operands),
						   .warn = warn_of_file,
						   .warn_data = (void *)options };
	const char *path = input->path = input_path(options);

	input->quiet = options->quiet;
	struct error *error;

	/* files that were named must exist */
	if (options->dso.vmlinux)
		RETURN_ERROR(check_vmlinux(options->dso.vmlinux));
	if (options->dso.kallsyms && access(options->dso.kallsyms, R_OK) < 0)
		return error_errno(errno, "--kallsyms: cannot open %s", options->dso.kallsyms);
	progress_show("Reading", path);
	error = session_open(path, &session_options, &input->session);
	progress_end();
	return error && !options->path ? input_not_named(error) : error;
}

/* ---- what is missing ---- */

void warn_of_trouble(const struct input_options *options, const struct input *input,
		     const struct shown_samples *shown)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	if (options->quiet)
		return;
	/* messages on a terminal are short; elsewhere they may be kept as a log */
	trouble_text(options, input, shown, isatty(STDERR_FILENO), 0, &text);
	for (char *line = text.data; line && *line; line += strlen(line) + 1) {
		line[strcspn(line, "\n")] = '\0';
		warning("%s", line);
	}
}

/* Returns whether the samples have to be charged before their addresses or elements are known. */
static bool needs_charges(const struct session *session, uint64_t needs)
{
	return session_any_event(
		session, event,
		(needs & NEED_DATA_ADDRESS && event_is_late(event) && event_checks_data(event)) ||
			(needs & NEED_ELEMENT && event_has_data(event)));
}

/* Charges each sample of a timer to an access, so that counting computes the data address of that
 * access. Without this, an address would be that of the nearest load before the sample. Every
 * command that shows or uses addresses has them from here, so that they agree. Also finds the
 * accesses to arrays whose elements are told apart. */
static struct error *find_charges(const struct input_options *options, uint64_t needs,
				  struct input *input)
{
	struct input_options quiet = *options;

	if (input->charged || options->blame == BLAME_SAMPLED ||
	    !needs_charges(input->session, needs))
		return NULL;
	input->charged = true;
	quiet.quiet = true;
	RETURN_ERROR(
		input_resolve(&quiet,
			      &(struct input_needs){ .needs = NEED_TYPE | NEED_DSO | NEED_ADDRESS,
						     .again = true },
			      input));
	struct error *error = operands_charge(&input->operands, input->resolution);

	input_forget(input);
	return error;
}

static struct resolve_options resolve_options_of(const struct input_options *options,
						 const struct input_needs *needs,
						 struct input *input)
{
	return (struct resolve_options){ .needs = needs_of(options, needs, input->session),
					 .blame = options->blame,
					 .operands = &input->operands,
					 .kept = &input->kept,
					 .keep = needs->again,
					 .slices = needs->slices,
					 .dso = options->dso,
					 .no_infer = options->no_infer,
					 .no_inline = needs->no_inline,
					 .full_source_path = needs->full_source_path,
					 .no_demangle = needs->no_demangle,
					 /* the kernel's files have been read already */
					 .threads = input->ahead && needs->kernel_only
							    ? 1
							    : options->threads,
					 .progress = progress_show };
}

static struct count_options count_options_of(const struct input_options *options,
					     const struct input_needs *needs,
					     const struct input *input)
{
	struct count_options count = { .fields = count_fields(
					       options, needs_of(options, needs, input->session),
					       input->session),
				       .time_quantum = needs->time_quantum,
				       .details = needs->details,
				       .outline = needs->slices,
				       .chain_limit = needs->chain_limit,
				       .uncounted = needs->uncounted,
				       .kernel_only = needs->kernel_only,
				       .each = needs->each,
				       .each_data = needs->each_data };

	if (needs->choice)
		sample_choice_apply(needs->choice, &count);
	return count;
}

/* ---- the kernel, read at the same time ---- */

/*
 * The recording is opened and its samples are counted by a thread of its own, and the kernel is
 * read by the caller's, whose heap has large pages. First the symbols of -k's file are read; the
 * rest has to wait until the recording is open, and shows which files are those of its kernels.
 */
struct kernel_ahead {
	struct error *(*read)(void *data);
	void *data;
	struct error *error;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock: */
	bool opened;             /* the file of -k is open, as far as it can be */
	bool found;              /* the recording's kernels are known, and their files open: */
	bool ended;              /* the recording's thread has ended */
	bool done;               /* the kernels are read */
	struct session *session; /* when `found` is set, and so are those below */
	const struct dso_options *options;
	bool debug;
};

static void set_state(struct kernel_ahead *ahead, bool *state)
{
	pthread_mutex_lock(&ahead->lock);
	*state = true;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
}

/* Waits until one of the states is set. */
static void await_state(struct kernel_ahead *ahead, const bool *state, const bool *other)
{
	pthread_mutex_lock(&ahead->lock);
	while (!*state && !*other)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	pthread_mutex_unlock(&ahead->lock);
}

static void *read_recording(void *argument)
{
	struct kernel_ahead *ahead = argument;

	ahead->error = ahead->read(ahead->data);
	set_state(ahead, &ahead->ended);
	return NULL;
}

/* Waits for the recording's kernels, and reads them. */
static void read_kernels(struct kernel_ahead *ahead)
{
	struct dso *const *dsos = NULL;
	size_t count = 0;

	await_state(ahead, &ahead->found, &ahead->ended);
	if (ahead->found)
		dsos = session_dsos(ahead->session, &count);
	for (size_t i = 0; i < count; i++)
		if (dsos[i]->kind == DSO_KERNEL)
			dso_read_ahead(dsos[i], ahead->options, ahead->debug);
	set_state(ahead, &ahead->done);
}

/* Opens the file of -k, and reads its symbols. The other thread tells what is wrong with it. */
static void open_vmlinux(struct kernel_ahead *ahead, const char *path, struct elf_image **result)
{
	struct elf_image *image = NULL;

	if (path && !elf_is_core(path))
		error_destroy(elf_image_open(path, &image));
	*result = image;
	set_state(ahead, &ahead->opened);
	/* a file without symbols gets those of a list */
	if (image && elf_image_has_symbols(image))
		elf_image_read_symbols(image);
}

struct error *input_read_with_kernel(struct input_options *options, struct input *input,
				     struct error *(*read)(void *data), void *data)
{
	struct kernel_ahead ahead = { .read = read,
				      .data = data,
				      .lock = PTHREAD_MUTEX_INITIALIZER,
				      .changed = PTHREAD_COND_INITIALIZER };
	pthread_t thread;

	options->dso.opened_vmlinux = &input->vmlinux;
	input->ahead = &ahead;
	if ((options->threads ?: parallel_default_threads()) < 2 ||
	    pthread_create(&thread, NULL, read_recording, &ahead) != 0) {
		input->ahead = NULL;
		return read(data);
	}
	open_vmlinux(&ahead, options->dso.vmlinux, &input->vmlinux);
	read_kernels(&ahead);
	pthread_join(thread, NULL);
	input->ahead = NULL;
	return ahead.error;
}

/* Lets the other thread read the kernels. Their files are opened here, because counting asks for
 * file addresses, too, and a file is opened by one thread. */
static void begin_ahead(struct kernel_ahead *ahead, const struct input_options *options,
			const struct input_needs *needs, struct session *session)
{
	size_t count;
	struct dso *const *dsos = session_dsos(session, &count);

	await_state(ahead, &ahead->opened, &ahead->opened);
	for (size_t i = 0; i < count; i++)
		if (dsos[i]->kind == DSO_KERNEL)
			(void)dso_image(dsos[i], &options->dso, NULL);
	ahead->options = &options->dso;
	ahead->debug = needs->kernel_ahead == AHEAD_DEBUG;
	ahead->session = session;
	set_state(ahead, &ahead->found);
}

/* Counts the samples, while the kernel is read, if somebody does. */
static struct error *count_first(const struct count_options *count,
				 const struct input_options *options,
				 const struct input_needs *needs, struct input *input)
{
	struct kernel_ahead *ahead = needs->kernel_ahead ? input->ahead : NULL;
	struct error *error;

	if (ahead)
		begin_ahead(ahead, options, needs, input->session);
	error = session_count_by(input->session, count, &input->counts);
	if (!error && needs->counted)
		needs->counted(needs->each_data);
	if (ahead)
		await_state(ahead, &ahead->done, &ahead->done);
	return error;
}

struct error *input_resolve(const struct input_options *options, const struct input_needs *needs,
			    struct input *input)
{
	struct resolve_options resolve_options = resolve_options_of(options, needs, input);
	struct count_options count = count_options_of(options, needs, input);
	struct type_trace_printer printer = { 0 };
	struct error *error;

	if (global_options.debug_type_profile) {
		resolve_options.trace_object = trace_print_object;
		resolve_options.trace = trace_print;
		resolve_options.trace_data = &printer;
		resolve_options.kept = NULL; /* answers are traced when they are found */
	}
	RETURN_ERROR(find_charges(options, resolve_options.needs, input));
	progress_show("Counting samples", NULL);
	error = count_first(&count, options, needs, input);
	printer.counts = input->counts;
	if (!error)
		error = resolve(input->session, input->counts, &resolve_options,
				&input->resolution);
	type_trace_printer_deinit(&printer);
	progress_end();
	if (!error && !needs->tells_trouble)
		warn_of_trouble(options, input, NULL);
	return error;
}

/* A visitor of slices, which sees each as the input's counts. */
struct slice_visit {
	struct input *input;
	struct error *(*visit)(void *data);
	void *data;
};

static struct error *visit_slice(struct sample_counts *counts, void *data)
{
	const struct slice_visit *visit = data;

	visit->input->counts = counts;
	return visit->visit(visit->data);
}

struct error *input_each_slice(const struct input_options *options, const struct input_needs *needs,
			       struct input *input, struct error *(*visit)(void *data), void *data)
{
	struct resolve_options resolve_options = resolve_options_of(options, needs, input);
	struct count_options count = count_options_of(options, needs, input);
	struct sample_counts *outline = input->counts;
	struct slices *slices = slices_create(input->session, &count, outline);
	struct slice_visit slice_visit = { input, visit, data };
	struct error *error = resolve_slices(input->resolution, outline, slices, &resolve_options,
					     visit_slice, &slice_visit);

	slices_destroy(slices);
	input->counts = outline;
	return error;
}

uint64_t input_cacheline(const struct input *input)
{
	uint64_t recorded = session_cacheline(input->session);

	return recorded ?: CACHELINE_DEFAULT;
}

void input_forget(struct input *input)
{
	resolution_destroy(input->resolution);
	sample_counts_destroy(input->counts);
	input->resolution = NULL;
	input->counts = NULL;
}

void input_warn_if_empty(const struct input *input)
{
	if (!session_totals(input->session)->samples && !input->quiet)
		warning("the file has no samples");
}

struct error *input_need_samples(const struct input *input)
{
	if (session_totals(input->session)->samples)
		return NULL;
	return error_create(ERROR_NOT_FOUND, "%s has no samples: nothing is written", input->path);
}

int input_status(const struct input *input)
{
	const struct session_totals *totals =
		input->session ? session_totals(input->session) : NULL;

	return totals && totals->incomplete ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* With -q, no warning said why the file is incomplete. */
static void tell_incomplete(const struct input *input)
{
	const struct session_totals *totals =
		input->session && input->quiet ? session_totals(input->session) : NULL;

	if (totals && totals->incomplete_why)
		note("%s", totals->incomplete_why);
}

void input_close(struct input *input)
{
	tell_incomplete(input);
	input_forget(input);
	kept_answers_deinit(&input->kept);
	session_close(input->session);
	operands_deinit(&input->operands);
	elf_image_close(input->vmlinux);
}

void input_leave(struct input *input)
{
	/* what it points to stays reachable, so that it is no leak */
	static struct input left __attribute__((used, unused));

	/* the sanitizer reports memory that was not freed */
	if (HAS_ADDRESS_SANITIZER) {
		input_close(input);
	} else {
		tell_incomplete(input);
		left = *input;
	}
}
