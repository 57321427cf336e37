// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof check: rules on layouts that a build, or a recording of it, must keep.
 *
 * Without -i the rules are checked against the debug information of the programs that are named.
 * With -i the programs are the objects of the recording that have samples, and rules on heat are
 * checked, too.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf/debug.h"
#include "profiler/base/memory.h"
#include "profiler/base/cursor.h"
#include "profiler/commands/commands.h"
#include "profiler/cli/sandbox.h"
#include "profiler/cli/input.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/objects/dso.h"
#include "profiler/resolve/layout_facts.h"
#include "report/filter.h"
#include "report/json.h"
#include "report/layout/rules.h"

#define TYPES_MAX     64          /* of one name in one object */
#define DEPTH_MAX     32          /* of nested members */
#define FILE_SIZE_MAX (16U << 20) /* of a file of rules */
#define DEVIATIONS    3.0         /* of a share, beyond which a rule is broken */
#define HOT_READ      0.05        /* of the type's samples: a field that is hot to read */
/* samples that write: a field with fewer is not known to be written by several threads */
#define WRITES_MIN 10
#define USED_SHARE 0.01 /* of the type's samples: a field with less is not used */

static struct {
	struct input_options input;
	uint64_t cacheline;
	bool json;
} options;

enum rule_verdict_kind { RULE_KEPT, RULE_BROKEN, RULE_UNKNOWN, RULE_VERDICTS };

/* The state of checking one file of rules. */
struct checking {
	const char *path;
	struct layout_rules rules;
	struct debug_reader **readers; /* one for each object */
	const char **objects;          /* their paths */
	size_t object_count, object_capacity;
	struct advice *facts; /* of all types with samples; NULL: there is no recording */
	uint64_t cacheline;
	struct json *json; /* NULL: text */
	size_t counts[RULE_VERDICTS];
	struct strbuf text;
};

/* ---- types and fields ---- */

/* Finds the member of a path such as "conn.flags". Anonymous records are looked into. */
static bool find_field(const struct type *type, const char *path, int depth, uint64_t *offset,
		       uint64_t *size)
{
	const char *point = strchr(path, '.');
	size_t length = point ? (size_t)(point - path) : strlen(path), count;
	const struct type *record = type_strip(type);
	const struct member *members;

	while (record->kind == TYPE_ARRAY)
		record = type_strip(type_target(record));
	if (!type_is_record(record) || depth > DEPTH_MAX)
		return false;
	members = type_members(record, &count);
	for (size_t i = 0; i < count; i++) {
		const struct member *member = &members[i];
		uint64_t inner = 0, inner_size = type_size_or(member->type, 0);

		if (member->offset < 0)
			continue;
		if (!member->name || member->is_base) {
			if (!find_field(member->type, path, depth + 1, &inner, &inner_size))
				continue;
		} else if (strncmp(member->name, path, length) != 0 || member->name[length]) {
			continue;
		} else if (point &&
			   !find_field(member->type, point + 1, depth + 1, &inner, &inner_size)) {
			continue;
		}
		*offset = (uint64_t)member->offset + inner;
		*size = inner_size;
		return true;
	}
	return false;
}

/* ---- verdicts ---- */

static void report_verdict(struct checking *checking, const struct layout_rule *rule,
			   enum rule_verdict_kind verdict, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static void report_verdict(struct checking *checking, const struct layout_rule *rule,
			   enum rule_verdict_kind verdict, const char *format, ...)
{
	static const char *const words[] = { "ok", "FAILED", "unknown" };
	static const char *const names[] = { "kept", "broken", "unknown" };
	_cleanup_strbuf_ struct strbuf reason = STRBUF_INIT;
	size_t start = checking->text.length;
	va_list arguments;

	va_start(arguments, format);
	strbuf_add_vformat(&reason, format, arguments);
	va_end(arguments);
	checking->counts[verdict]++;
	if (checking->json) {
		json_object(checking->json, NULL);
		json_unsigned(checking->json, "line", rule->line);
		json_string(checking->json, "rule", rule->text);
		json_string(checking->json, "verdict", names[verdict]);
		json_string(checking->json, "reason", reason.data);
		json_end(checking->json);
		return;
	}
	if (options.input.quiet && verdict != RULE_BROKEN)
		return;
	strbuf_add_format(&checking->text, "%s:%u: %s: %s", checking->path, rule->line,
			  words[verdict], rule->text);
	if (reason.length)
		strbuf_add_format(&checking->text, ": %s", reason.data);
	strbuf_end_line(&checking->text, start);
}

/* Returns the bytes of holes and padding of a record, nested records as they are. */
static uint64_t hole_bytes(const struct type *type)
{
	struct advice_type facts = { 0 };
	struct arena arena = { 0 };
	uint64_t end = 0, holes = 0;

	layout_facts_declare(type, &arena, &facts);
	for (size_t i = 0; i < facts.member_count; i++) {
		const struct advice_member *member = &facts.members[i];

		holes += member->offset > end ? member->offset - end : 0;
		if (member->offset + member->size > end)
			end = member->offset + member->size;
	}
	holes += facts.size > end ? facts.size - end : 0;
	arena_deinit(&arena);
	return holes;
}

/*
 * Checks a rule about one type of one object. Returns whether it is kept, with what was found in
 * *reason. A field that the type lacks breaks the rule.
 */
static bool check_layout(const struct checking *checking, const struct layout_rule *rule,
			 const struct type *type, struct strbuf *reason)
{
	const struct type *record = type_strip(type);
	size_t line_count = type_size_or(record, 0) / checking->cacheline + 1;
	_cleanup_free_ bool *lines = xcalloc(line_count, sizeof(*lines));
	uint64_t count = 0, value, offset = 0, size;

	for (size_t i = 0; i < rule->field_count; i++) {
		if (!find_field(record, rule->fields[i], 0, &offset, &size)) {
			strbuf_add_format(reason, "'%s' has no field '%s'", rule->type,
					  rule->fields[i]);
			return false;
		}
		for (uint64_t at = offset / checking->cacheline;
		     at < line_count && at * checking->cacheline < offset + (size ? size : 1);
		     at++) {
			count += !lines[at];
			lines[at] = true;
		}
	}
	switch (rule->kind) {
	case CHECK_SIZE:
		strbuf_add_format(reason, "the size is %" PRIu64, type_size_or(record, 0));
		return layout_rule_holds(rule, type_size_or(record, 0));
	case CHECK_OFFSET:
		strbuf_add_format(reason, "the offset is %" PRIu64, offset);
		return layout_rule_holds(rule, offset);
	case CHECK_HOLES:
		value = hole_bytes(type);
		strbuf_add_format(reason, "holes and padding are %" PRIu64 " bytes", value);
		return layout_rule_holds(rule, value);
	case CHECK_LINE:
		value = offset / checking->cacheline;
		strbuf_add_format(reason, "'%s' is in line %" PRIu64 " (offset %" PRIu64 ")",
				  rule->fields[0], value, offset);
		return value == rule->number;
	default:
		strbuf_add_format(reason, "the fields are in %" PRIu64 " lines", count);
		return count <= rule->number;
	}
}

/* Checks the rule against all types of its name in all objects. */
static void check_types(struct checking *checking, const struct layout_rule *rule)
{
	const struct type *found[TYPES_MAX];
	bool any = false;
	_cleanup_strbuf_ struct strbuf reason = STRBUF_INIT;

	for (size_t i = 0; i < checking->object_count; i++) {
		size_t count = debug_reader_types_named(checking->readers[i], rule->type, found,
							TYPES_MAX);

		for (size_t k = 0; k < count && k < TYPES_MAX; k++) {
			if (!type_is_record(type_strip(found[k])) ||
			    found[k]->flags & TYPE_DECLARATION || !type_size_or(found[k], 0))
				continue;
			any = true;
			strbuf_reset(&reason);
			if (check_layout(checking, rule, found[k], &reason))
				continue;
			report_verdict(checking, rule, RULE_BROKEN, "%s in %s", reason.data,
				       checking->objects[i]);
			return;
		}
	}
	if (any)
		report_verdict(checking, rule, RULE_KEPT, "%s", reason.data);
	else
		report_verdict(checking, rule, RULE_BROKEN, "no object has a type '%s'",
			       rule->type);
}

/* ---- heat ---- */

static int compare_samples(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? 1 : a > b ? -1 : 0;
}

/* Returns the standard deviation of the share part / whole. One sample is added on either side,
 * because a share of 0 or 1 would seem certain otherwise. */
static double deviation(uint64_t part, uint64_t whole)
{
	double share = ((double)part + 1) / ((double)whole + 2);

	return sqrt(share * (1 - share) / (double)whole);
}

/* Sets *first and *end to the indices of the members that mark the start and the end of a cacheline
 * group of the kernel's. The index of a missing marker is type->member_count. */
static void find_group(const struct advice_type *type, const char *group, size_t *first,
		       size_t *end)
{
	_cleanup_free_ char *begins = xasprintf("__cacheline_group_begin__%s", group);
	_cleanup_free_ char *ends = xasprintf("__cacheline_group_end__%s", group);

	*first = *end = type->member_count;
	for (size_t i = 0; i < type->member_count; i++) {
		if (!strcmp(type->members[i].name, begins))
			*first = i;
		if (!strcmp(type->members[i].name, ends) && *first < i)
			*end = i;
	}
}

static bool is_chosen(const struct layout_rule *rule, const struct advice_type *type, size_t member,
		      size_t first, size_t end)
{
	if (rule->group)
		return member > first && member < end;
	for (size_t i = 0; i < rule->field_count; i++)
		if (!strcmp(rule->fields[i], type->members[member].name))
			return true;
	return false;
}

/* Returns whether this many samples are surely more than USED_SHARE of the type's. */
static bool is_used(uint64_t samples, uint64_t total)
{
	return (double)samples / (double)total - DEVIATIONS * deviation(samples, total) >
	       USED_SHARE;
}

/* Checks that the fields of the rule, or of its group, that are used lie in at most rule->number
 * lines. */
static void check_field_heat(struct checking *checking, const struct layout_rule *rule,
			     const struct advice_type *type)
{
	_cleanup_free_ bool *lines = xcalloc(type->line_count + 1, sizeof(*lines));
	uint64_t count = 0;
	size_t first = 0, end = 0;
	const char *last = "";

	if (rule->group)
		find_group(type, rule->group, &first, &end);
	if (rule->group && end <= first) {
		report_verdict(checking, rule, RULE_BROKEN, "'%s' has no group '%s'", rule->type,
			       rule->group);
		return;
	}
	for (size_t i = 0; i < type->member_count; i++) {
		const struct advice_member *member = &type->members[i];
		uint64_t line = member->offset / checking->cacheline;

		if (!is_chosen(rule, type, i, first, end) ||
		    !is_used(member->samples, type->samples))
			continue;
		for (; line * checking->cacheline < member->offset + member->size; line++) {
			if (line >= type->line_count || lines[line])
				continue;
			lines[line] = true;
			count++;
			last = member->name;
		}
	}
	report_verdict(checking, rule, count <= rule->number ? RULE_KEPT : RULE_BROKEN,
		       "hot fields are in %" PRIu64 " lines%s%s%s", count,
		       *last ? "; the last is '" : "", last, *last ? "'" : "");
}

/*
 * Reports that a rule on lines cannot be judged, because samples that were somewhere in an array
 * may be in the `sum` samples' lines as well as in others. Returns false if they make no
 * difference.
 */
static bool is_untold(struct checking *checking, const struct layout_rule *rule,
		      const struct advice_type *type, uint64_t sum)
{
	uint64_t most = sum + type->somewhere;

	if (!type->somewhere ||
	    (double)most / (double)type->samples + DEVIATIONS * deviation(most, type->samples) <
		    rule->share)
		return false;
	report_verdict(checking, rule, RULE_UNKNOWN,
		       "cannot tell: %.1f%% of %" PRIu64
		       " samples are somewhere in an array, in a line that is not known",
		       100 * (double)type->somewhere / (double)type->samples, type->samples);
	return true;
}

static void check_heat(struct checking *checking, const struct layout_rule *rule,
		       const struct advice_type *type)
{
	_cleanup_free_ uint64_t *samples = xcalloc(type->line_count + 1, sizeof(*samples));
	uint64_t sum = 0;
	double share;

	if (type->samples < HEAT_SAMPLES) {
		report_verdict(checking, rule, RULE_UNKNOWN,
			       "%" PRIu64 " samples are too few; %d are needed", type->samples,
			       HEAT_SAMPLES);
		return;
	}
	if (rule->field_count || rule->group) {
		check_field_heat(checking, rule, type);
		return;
	}
	memcpy(samples, type->line_samples, type->line_count * sizeof(*samples));
	if (type->line_count)
		qsort(samples, type->line_count, sizeof(*samples), compare_samples);
	for (size_t i = 0; i < type->line_count && i < rule->number; i++)
		sum += samples[i];
	share = (double)sum / (double)type->samples;
	if (share + DEVIATIONS * deviation(sum, type->samples) < rule->share &&
	    is_untold(checking, rule, type, sum))
		return;
	report_verdict(checking, rule,
		       share + DEVIATIONS * deviation(sum, type->samples) < rule->share
			       ? RULE_BROKEN
			       : RULE_KEPT,
		       "%.1f%% of %" PRIu64 " samples are in the %" PRIu64 " hottest lines",
		       100 * share, type->samples, rule->number);
}

/* Returns whether the field is surely read by more than HOT_READ of the type's samples. */
static bool is_hot_read(const struct advice_type *type, const struct advice_member *member)
{
	return (double)member->loads / (double)type->samples -
		       DEVIATIONS * deviation(member->loads, type->samples) >
	       HOT_READ;
}

/* Returns the hot field that shares a line with member number `written`, or NULL. */
static const struct advice_member *hot_neighbour(const struct checking *checking,
						 const struct advice_type *type, size_t written)
{
	const struct advice_member *writer = &type->members[written];
	uint64_t first = writer->offset / checking->cacheline,
		 last = (writer->offset + writer->size - 1) / checking->cacheline;

	for (size_t i = 0; i < type->member_count; i++) {
		const struct advice_member *member = &type->members[i];

		if (i != written && member->size && is_hot_read(type, member) &&
		    member->offset / checking->cacheline <= last &&
		    (member->offset + member->size - 1) / checking->cacheline >= first)
			return member;
	}
	return NULL;
}

static bool check_sharing_of(struct checking *checking, const struct layout_rule *rule,
			     const struct advice_type *type)
{
	for (size_t i = 0; i < type->member_count; i++) {
		const struct advice_member *member = &type->members[i], *other;

		if (member->writers < 2 || member->stores < WRITES_MIN || !member->size)
			continue;
		other = hot_neighbour(checking, type, i);
		if (!other)
			continue;
		report_verdict(checking, rule, RULE_BROKEN,
			       "'%s' of %s is written by %u threads in line %" PRIu64
			       ", where '%s' is hot to read",
			       member->name, type->name, member->writers,
			       member->offset / checking->cacheline, other->name);
		return false;
	}
	return true;
}

static bool is_type_of(const struct layout_rule *rule, const struct advice_type *type)
{
	return !rule->type || type_name_matches(rule->type, type->name);
}

/* Checks a rule that needs samples against all types that it is about. */
static void check_recorded(struct checking *checking, const struct layout_rule *rule)
{
	size_t count = 0;

	if (!checking->facts) {
		report_verdict(checking, rule, RULE_UNKNOWN, "it needs a recording (-i)");
		return;
	}
	for (size_t i = 0; i < checking->facts->type_count; i++) {
		const struct advice_type *type = &checking->facts->types[i];

		if (!is_type_of(rule, type) || !type->samples)
			continue;
		count++;
		if (rule->kind == CHECK_HEAT) {
			check_heat(checking, rule, type);
			return;
		}
		if (type->samples >= HEAT_SAMPLES && !check_sharing_of(checking, rule, type))
			return;
	}
	if (count && rule->kind == CHECK_SHARING)
		report_verdict(checking, rule, RULE_KEPT, "none of %zu types has one", count);
	else
		report_verdict(checking, rule, RULE_UNKNOWN, "no sample accesses the type");
}

static void check_all(struct checking *checking)
{
	for (size_t i = 0; i < checking->rules.count; i++) {
		const struct layout_rule *rule = &checking->rules.items[i];

		if (layout_rule_needs_recording(rule))
			check_recorded(checking, rule);
		else
			check_types(checking, rule);
	}
}

/* ---- input ---- */

static struct error *read_rules(struct checking *checking)
{
	_cleanup_close_ int fd = -1;
	struct stat status;
	size_t done = 0;

	RETURN_ERROR(ordinary_file_open(checking->path, &fd, &status));
	if (status.st_size > FILE_SIZE_MAX)
		return error_create(ERROR_OTHER,
				    "%s has more than %u bytes: it is not a file of rules",
				    checking->path, FILE_SIZE_MAX);
	_cleanup_free_ char *text = xcalloc(1, (size_t)status.st_size + 1);

	while (done < (size_t)status.st_size) {
		ssize_t got = read(fd, text + done, (size_t)status.st_size - done);

		if (got < 0)
			return error_errno(errno, "cannot read %s", checking->path);
		if (!got)
			break;
		done += (size_t)got;
	}
	return layout_rules_parse(text, checking->path, &checking->rules);
}

static struct error *add_object(struct checking *checking, struct dso *dso, bool required)
{
	const char *problem = NULL;
	struct debug_object *debug;
	struct debug_reader *reader;

	if (!dso_image(dso, &options.input.dso, &problem))
		return required ? error_create(ERROR_NOT_FOUND, "%s", problem) : NULL;
	debug = dso_debug(dso, &options.input.dso, &problem);
	if (!debug)
		return required ? error_create(ERROR_NO_DEBUG_INFO, "%s has no types: %s",
					       dso->long_name,
					       problem ? problem : "it has no debug information")
				: NULL;
	RETURN_ERROR(debug_reader_open(debug, &reader));
	if (checking->object_count >= checking->object_capacity) {
		checking->object_capacity =
			checking->object_capacity ? 2 * checking->object_capacity : 8;
		checking->readers = xrealloc_array(checking->readers, checking->object_capacity,
						   sizeof(*checking->readers));
		checking->objects = xrealloc_array(checking->objects, checking->object_capacity,
						   sizeof(*checking->objects));
	}
	checking->readers[checking->object_count] = reader;
	checking->objects[checking->object_count++] = dso->long_name;
	return NULL;
}

/* Opens the debug information of the programs that are named. */
static struct error *open_programs(struct checking *checking, struct dso_table *table, int count,
				   char **paths)
{
	for (int i = 0; i < count; i++) {
		_cleanup_free_ char *path = realpath(paths[i], NULL);

		if (!path)
			return error_errno(errno, "cannot open %s", paths[i]);
		RETURN_ERROR(add_object(checking,
					dso_table_get(table, &(struct dso_origin){ .name = path }),
					true));
	}
	return NULL;
}

static int compare_objects(const void *left, const void *right)
{
	const struct dso *const *a = left, *const *b = right;

	return (*a)->id < (*b)->id ? -1 : (*a)->id > (*b)->id;
}

/* Opens the recording: its objects with samples, and the facts of all types. */
static struct error *open_recording(struct checking *checking, struct input *input)
{
	struct layout_facts_options facts = { .most = UINT32_MAX,
					      .dso = &options.input.dso,
					      .no_infer = options.input.no_infer,
					      .threads = options.input.threads,
					      .cacheline = checking->cacheline,
					      .no_code = true };
	_cleanup_free_ struct dso **objects = NULL;
	size_t count = 0;

	RETURN_ERROR(input_open(&options.input, input));
	RETURN_ERROR(input_resolve(
		&options.input,
		&(struct input_needs){ .needs = LAYOUT_FACTS_NEEDS, .details = DETAILS_MAX },
		input));
	if (!options.cacheline)
		facts.cacheline = checking->cacheline = input_cacheline(input);
	objects = xcalloc(input->resolution->place_count + 1, sizeof(*objects));
	for (size_t i = 0; i < input->resolution->place_count; i++)
		if (input->resolution->places[i].dso)
			objects[count++] = input->resolution->places[i].dso;
	if (count)
		qsort(objects, count, sizeof(*objects), compare_objects);
	for (size_t i = 0; i < count; i++)
		if (!i || objects[i] != objects[i - 1])
			RETURN_ERROR(add_object(checking, objects[i], false));
	return layout_facts_create(input->resolution, input->counts, &facts, &checking->facts);
}

static void print_json(struct checking *checking)
{
	struct json json = JSON_INIT(write_stdout, NULL);

	json_object(&json, NULL);
	json_string(&json, "format", "dtprof-check");
	json_unsigned(&json, "version", 1);
	json_array(&json, "rules");
	checking->json = &json;
	check_all(checking);
	checking->json = NULL;
	json_end(&json);
	json_end(&json);
	json_finish(&json);
}

static void print_text(struct checking *checking)
{
	check_all(checking);
	if (!options.input.quiet)
		strbuf_add_format(&checking->text,
				  "%zu rule%s: %zu kept, %zu broken, %zu unknown\n",
				  checking->rules.count, checking->rules.count == 1 ? "" : "s",
				  checking->counts[RULE_KEPT], checking->counts[RULE_BROKEN],
				  checking->counts[RULE_UNKNOWN]);
	fwrite(checking->text.data, 1, checking->text.length, stdout);
}

/* ---- the command ---- */

static const struct option_spec check_specs[] = {
	{ OPTION_U64, 0, "cacheline", &options.cacheline, "BYTES",
	  "assume cachelines of this size (the recorded machine's,\nor 64)", NULL },
	{ OPTION_FLAG, 0, "json", &options.json, NULL, "print JSON (Documentation/json.md)", NULL },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Input", NULL },
	INPUT_OPTION_SPECS(options.input),
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, NULL },
};

static const struct command_usage check_usage = {
	.name = "check",
	.synopsis = "[OPTIONS] RULES [PROGRAM...]",
	.summary = "Check that layouts keep the rules of a file. Status 1: a rule is broken.",
	.options = check_specs,
};

static struct error *run(struct checking *checking, struct dso_table *table, struct input *input,
			 int rest, char **argv)
{
	RETURN_ERROR(read_rules(checking));
	if (options.input.path)
		RETURN_ERROR(open_recording(checking, input));
	RETURN_ERROR(open_programs(checking, table, rest - 1, argv + 1));
	if (options.json)
		print_json(checking);
	else
		print_text(checking);
	return NULL;
}

static void checking_deinit(struct checking *checking)
{
	for (size_t i = 0; i < checking->object_count; i++)
		debug_reader_close(checking->readers[i]);
	free(checking->readers);
	free(checking->objects);
	layout_facts_destroy(checking->facts);
	layout_rules_deinit(&checking->rules);
	strbuf_deinit(&checking->text);
}

static struct error *check_options(int rest)
{
	if (!rest)
		return error_create(ERROR_OTHER,
				    "a file of rules is missing: dtprof check RULES PROGRAM...");
	if (rest < 2 && !options.input.path)
		return error_create(ERROR_OTHER,
				    "nothing to check: name a program, or a recording with -i");
	if (options.cacheline && (options.cacheline < 8 || options.cacheline > 4096 ||
				  (options.cacheline & (options.cacheline - 1))))
		return error_create(ERROR_OTHER, "--cacheline takes a power of two from 8 to 4096");
	return NULL;
}

int command_check(int argc, char **argv)
{
	struct checking checking = { .text = STRBUF_INIT };
	struct dso_table table = { 0 };
	struct input input = { 0 };
	struct error *error;
	int rest, status;

	if (!command_begin(argc, argv, &check_usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	options.input.dso.build_id_folder = global_options.build_id_folder;
	error = check_options(rest);
	if (error)
		return command_fail_usage(error);
	checking.path = argv[0];
	checking.cacheline = options.cacheline ? options.cacheline : CACHELINE_DEFAULT;
	sandbox_for(NULL, NULL, options.input.verbose);
	error = run(&checking, &table, &input, rest, argv);
	/* 1 is for broken rules */
	status = error                          ? (command_fail(error), 2)
		 : checking.counts[RULE_BROKEN] ? EXIT_FAILURE
						: EXIT_SUCCESS;
	checking_deinit(&checking);
	dso_table_deinit(&table);
	input_close(&input);
	return status;
}
