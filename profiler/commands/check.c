// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof check: rules on layouts that a build, or a recording of it, must keep.
 *
 * Without -i the rules are checked against the debug information of the programs that are named.
 * With -i the programs are the objects of the recording that have samples, and rules on heat are
 * checked, too.
 */

#include <inttypes.h>
#include <math.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/cursor.h"
#include "base/text.h"
#include "base/type_name.h"
#include "dwarf/debug.h"
#include "profiler/commands/check_rules.h"
#include "profiler/commands/commands.h"
#include "profiler/cli/input.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/sandbox.h"
#include "profiler/objects/dso.h"
#include "profiler/resolve/layout_facts.h"
#include "report/json.h"
#include "report/layout/rules.h"

/* ---- the rules ---- */

#define TYPES_MAX  64   /* of one name in one object */
#define DEPTH_MAX  32   /* of nested members */
#define DEVIATIONS 3.0  /* of a share, beyond which a rule is broken */
#define HOT_READ   0.05 /* of the type's samples: a field that is hot to read */
/* samples that write: a field with fewer is not known to be written by several threads */
#define WRITES_MIN 10
#define USED_SHARE 0.01 /* of the type's samples: a field with less is not used */

/* Sets the verdict and its reason. */
static void report_verdict(struct rule_checker *checker, enum rule_verdict_kind verdict,
			   const char *format, ...) __attribute__((format(printf, 3, 4)));
static void report_verdict(struct rule_checker *checker, enum rule_verdict_kind verdict,
			   const char *format, ...)
{
	va_list arguments;

	checker->verdict = verdict;
	strbuf_reset(&checker->reason);
	va_start(arguments, format);
	strbuf_add_vformat(&checker->reason, format, arguments);
	va_end(arguments);
}

/* ---- types and fields ---- */

static bool find_field(const struct type *type, const char *path, int depth, uint64_t *offset,
		       uint64_t *size);

/* Finds the path from one member on: the member has the first name of the path, or has none, or is
 * a base class, whose name is that of its type. */
static bool find_in_member(const struct member *member, const char *path, int depth,
			   uint64_t *offset, uint64_t *size)
{
	const char *point = strchr(path, '.');
	size_t length = point ? (size_t)(point - path) : strlen(path);
	const char *name = member->is_base ? type_strip(member->type)->name : member->name;
	bool named;

	/* names of templates and of compilers (_vptr.Shape) may have points */
	if (name && !strncmp(name, path, strlen(name)) &&
	    (path[strlen(name)] == '.' || !path[strlen(name)])) {
		length = strlen(name);
		point = path[length] ? path + length : NULL;
	}
	named = name && !strncmp(name, path, length) && !name[length];

	*offset = 0;
	*size = member->size;
	if (member->offset < 0)
		return false;
	if (named ? point && !find_field(member->type, point + 1, depth + 1, offset, size)
		  : (member->name && !member->is_base) ||
			    !find_field(member->type, path, depth + 1, offset, size))
		return false;
	*offset += (uint64_t)member->offset;
	return true;
}

/* Finds the member of a path such as "conn.flags". Anonymous records and base classes are looked
 * into; a class's own members hide those of its bases. */
static bool find_field(const struct type *type, const char *path, int depth, uint64_t *offset,
		       uint64_t *size)
{
	const struct type *record = type_strip(type);
	const struct member *members;
	size_t count;

	while (record->kind == TYPE_ARRAY)
		record = type_strip(type_target(record));
	if (!type_is_record(record) || depth > DEPTH_MAX)
		return false;
	members = type_members(record, &count);
	for (int bases = 0; bases < 2; bases++)
		for (size_t i = 0; i < count; i++)
			if (members[i].is_base == bases &&
			    find_in_member(&members[i], path, depth, offset, size))
				return true;
	return false;
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

/* Returns the bytes of holes and padding of a record, nested records as they are. */
static uint64_t hole_bytes(const struct type *type)
{
	struct advice_type facts = { 0 };
	_cleanup_arena_ struct arena arena = { 0 };
	uint64_t end = 0, holes = 0;

	layout_facts_declare(type, &arena, &facts);
	array_each (const struct advice_member, member, facts.members, facts.member_count) {
		holes += member->offset > end ? member->offset - end : 0;
		raise_to(end, member->offset + member->size);
	}
	holes += facts.size > end ? facts.size - end : 0;
	return holes;
}

/* Returns the bytes of a record, or up to the end of its last member at a known place. */
static uint64_t extent_of(const struct type *record)
{
	size_t count;
	const struct member *members = type_members(record, &count);

	return type_size_or(record, members_end(members, count));
}

/*
 * Checks a rule about one type of one object. Returns whether it is kept, with what was found in
 * *reason. A field that the type lacks breaks the rule.
 */
static bool check_fields(const struct rule_checker *checker, const struct layout_rule *rule,
			 const struct type *type, struct strbuf *reason)
{
	const struct type *record = type_strip(type);
	size_t line_count = extent_of(record) / checker->cacheline + 1;
	_cleanup_free_ bool *lines = xcalloc(line_count, sizeof(*lines));
	uint64_t count = 0, value, offset = 0, size;

	for (size_t i = 0; i < rule->field_count; i++) {
		if (!find_field(record, rule->fields[i], 0, &offset, &size)) {
			strbuf_add_format(reason, "'%s' has no field '%s'", rule->type,
					  rule->fields[i]);
			return false;
		}
		for (uint64_t at = offset / checker->cacheline;
		     at < line_count && at * checker->cacheline < offset + (size ?: 1); at++) {
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
		value = offset / checker->cacheline;
		strbuf_add_format(reason, "'%s' is in line %" PRIu64 " (offset %" PRIu64 ")",
				  rule->fields[0], value, offset);
		return value == rule->number;
	default:
		strbuf_add_format(reason, "the fields are in %" PRIu64 " lines", count);
		return count <= rule->number;
	}
}

/* Checks a rule about the size or the lines of a group. */
static bool check_group(const struct rule_checker *checker, const struct layout_rule *rule,
			const struct type *type, struct strbuf *reason)
{
	struct advice_type facts = { 0 };
	struct arena arena = { 0 };
	uint64_t begin = 0, end = 0, lines;
	size_t first, last;
	bool found;

	layout_facts_declare(type, &arena, &facts);
	find_group(&facts, rule->group, &first, &last);
	found = last < facts.member_count;
	if (found) {
		begin = facts.members[first].offset;
		end = facts.members[last].offset;
	}
	arena_deinit(&arena);
	if (!found) {
		strbuf_add_format(reason, "'%s' has no group '%s'", rule->type, rule->group);
		return false;
	}
	if (rule->kind == CHECK_SIZE) {
		strbuf_add_format(reason, "the group has %" PRIu64 " bytes", end - begin);
		return layout_rule_holds(rule, end - begin);
	}
	lines = end > begin ? (end - 1) / checker->cacheline - begin / checker->cacheline + 1 : 0;
	strbuf_add_format(reason, "the group is in %" PRIu64 " lines", lines);
	return lines <= rule->number;
}

/* ---- the types that a rule is about ---- */

static bool is_object(const struct layout_rule *rule, const char *path)
{
	return !rule->object || (path && !strcmp(base_name(path), rule->object));
}

/* Returns whether samples access the type. */
static bool is_sampled(const struct rule_checker *checker, const struct type *type)
{
	return checker->facts &&
	       any_of(i, 0, checker->facts->type_count,
		      checker->facts->types[i].id == type && checker->facts->types[i].samples);
}

/* Lists the records of the rule's name in one object; if samples access some, these alone. */
static size_t find_types(const struct rule_checker *checker, const struct layout_rule *rule,
			 size_t object, const struct type *found[TYPES_MAX])
{
	const struct type *all[TYPES_MAX];
	size_t count = debug_reader_types_called(checker->objects[object].reader, rule->type, all,
						 TYPES_MAX),
	       used = 0;
	uint64_t size;

	for (int sampled = 1; sampled >= 0 && !used; sampled--)
		for (size_t k = 0; k < count && k < TYPES_MAX; k++)
			if (type_is_record(type_strip(all[k])) &&
			    !(type_strip(all[k])->flags & TYPE_DECLARATION) &&
			    (type_size(all[k], &size) ||
			     type_strip(all[k])->flags & TYPE_DYNAMIC) &&
			    (!sampled || is_sampled(checker, all[k])))
				found[used++] = all[k];
	return used;
}

/* Returns whether the type is one of several instances of the template that the rule names. */
static bool is_instance(const struct layout_rule *rule, const char *name)
{
	return rule->type && name && !strpbrk(rule->type, "<[") && strpbrk(name, "<[");
}

static bool lacks_field(const struct layout_rule *rule, const struct type *type)
{
	uint64_t offset, size;

	return any_of(i, 0, rule->field_count,
		      !find_field(type, rule->fields[i], 0, &offset, &size));
}

/* Checks the rule against all types of its name in all objects; if `whole`, against those alone
 * that have its fields. Returns whether there is one. */
static bool check_types_of(struct rule_checker *checker, const struct layout_rule *rule, bool whole)
{
	const struct type *found[TYPES_MAX];
	bool any = false, instances = false;
	size_t all = 0;
	_cleanup_strbuf_ struct strbuf reason = STRBUF_INIT;

	for (size_t i = 0; i < checker->object_count; i++) {
		size_t count = is_object(rule, checker->objects[i].dso->long_name)
				       ? find_types(checker, rule, i, found)
				       : 0;

		for (size_t k = 0; k < count; k++) {
			if (whole && lacks_field(rule, found[k]))
				continue;
			any = true;
			instances |= is_instance(rule, found[k]->name);
			if (type_strip(found[k])->flags & TYPE_DYNAMIC &&
			    (rule->kind == CHECK_SIZE || rule->kind == CHECK_HOLES)) {
				report_verdict(checker, RULE_UNKNOWN,
					       "the size of '%s' is not a constant", rule->type);
				return true;
			}
			strbuf_reset(&reason);
			all++;
			if (rule->group ? check_group(checker, rule, found[k], &reason)
					: check_fields(checker, rule, found[k], &reason))
				continue;
			strbuf_add_string(&reason, " in ");
			if (is_instance(rule, found[k]->name))
				strbuf_add_format(&reason, "%s of ", found[k]->name);
			report_verdict(checker, RULE_BROKEN, "%s%s", reason.data,
				       checker->objects[i].dso->long_name);
			return true;
		}
	}
	if (any && instances && all > 1)
		strbuf_add_format(&reason, "; all %zu instances keep the rule", all);
	if (any)
		report_verdict(checker, RULE_KEPT, "%s", reason.data);
	return any;
}

/* Makes the first part of the fields, or of the group, the end of the type's name: types of Go have
 * points ("main.Node"). Returns false if they have different ones, or no other. */
static bool lengthen_type(struct layout_rule *rule, struct arena *arena)
{
	const char *names[] = { rule->group };
	const char **parts = rule->group ? names : rule->fields;
	size_t count = rule->group ? 1 : rule->field_count, length = 0;

	for (size_t i = 0; i < count; i++) {
		const char *rest = layout_rule_after_point(parts[i]);

		if (!rest || (i && (strncmp(parts[i], parts[0], length) != 0 ||
				    (size_t)(rest - parts[i]) != length)))
			return false;
		length = (size_t)(rest - parts[i]);
	}
	if (!count)
		return false;

	_cleanup_free_ char *type = xasprintf("%s.%.*s", rule->type, (int)(length - 1), parts[0]);
	const char **rests = arena_alloc(arena, count * sizeof(*rests));

	for (size_t i = 0; i < count; i++)
		rests[i] = parts[i] + length;
	rule->type = arena_strdup(arena, type);
	rule->fields = rests;
	rule->group = rule->group ? rests[0] : NULL;
	return true;
}

/* Reports that no object has the rule's type. If that is an instance of a template, another one of
 * the template is named: users may leave out arguments that have defaults. */
static void report_missing(struct rule_checker *checker, const struct layout_rule *rule)
{
	_cleanup_free_ char *template = xstrndup(rule->type, strcspn(rule->type, "<"));
	const struct type *other[TYPES_MAX];
	size_t count = 0;

	for (size_t i = 0; strchr(rule->type, '<') && i < checker->object_count && !count; i++)
		count = debug_reader_types_called(checker->objects[i].reader, template, other,
						  TYPES_MAX);
	if (count && other[0]->name)
		report_verdict(checker, RULE_BROKEN,
			       "no object has a type '%s'; another instance is '%s'", rule->type,
			       other[0]->name);
	else
		report_verdict(checker, RULE_BROKEN, "no object has a type '%s'", rule->type);
}

/* A name that no object has is compared with all names of types, in all their spellings. A file of
 * rules may have 50,000 such names, or long ones, and a program as many types. This is the most
 * names that are missed; one counts again for each MISSED_BYTES that it has. */
#define MISSED_MAX   1024
#define MISSED_BYTES 32

static void check_types(struct rule_checker *checker, const struct layout_rule *rule)
{
	struct layout_rule tried = *rule;
	_cleanup_arena_ struct arena arena = { 0 };
	bool object = false, found = false, was_skipped = checker->missed >= MISSED_MAX;

	for (size_t i = 0; i < checker->object_count; i++)
		object |= is_object(rule, checker->objects[i].dso->long_name);
	/* Go's package fmt has a type fmt: the name of fmt.pp's field goes on after it */
	while (checker->missed < MISSED_MAX && !(found = check_types_of(checker, &tried, true)) &&
	       lengthen_type(&tried, &arena))
		checker->missed++;
	found = found || (checker->missed < MISSED_MAX && check_types_of(checker, rule, false));
	if (!found)
		checker->missed += 1 + strlen(rule->type) / MISSED_BYTES;
	if (!found && was_skipped)
		report_verdict(checker, RULE_UNKNOWN,
			       "not looked for: too many names of the rules before are of no type");
	else if (!object)
		report_verdict(checker, RULE_UNKNOWN, "'%s' is not among the objects",
			       rule->object);
	else if (!found)
		report_missing(checker, rule);
}

/* ---- heat ---- */

COMPARISON(compare_samples, uint64_t, COMPARE(*b, *a);)

/* Returns the standard deviation of the share part / whole. One sample is added on either side,
 * because a share of 0 or 1 would seem certain otherwise. */
static double deviation(uint64_t part, uint64_t whole)
{
	double share = ((double)part + 1) / ((double)whole + 2);

	return sqrt(share * (1 - share) / (double)whole);
}

static bool check_rules_is_chosen(const struct layout_rule *rule, const struct advice_type *type,
				  size_t member, size_t first, size_t end)
{
	if (rule->group)
		return member > first && member < end;
	return any_of(i, 0, rule->field_count,
		      !strcmp(rule->fields[i], type->members[member].name));
}

/* Returns whether this many samples are surely more than USED_SHARE of the type's. */
static bool is_used(uint64_t samples, uint64_t total)
{
	return (double)samples / (double)total - DEVIATIONS * deviation(samples, total) >
	       USED_SHARE;
}

/* Checks that the used fields of the rule, or its group, lie in at most rule->number lines. */
static void check_field_heat(struct rule_checker *checker, const struct layout_rule *rule,
			     const struct advice_type *type)
{
	_cleanup_free_ bool *lines = xcalloc(type->line_count + 1, sizeof(*lines));
	uint64_t count = 0, samples = 0;
	size_t first = 0, end = 0;
	const char *last = "";

	if (rule->group)
		find_group(type, rule->group, &first, &end);
	if (rule->group && end <= first) {
		report_verdict(checker, RULE_BROKEN, "'%s' has no group '%s'", rule->type,
			       rule->group);
		return;
	}
	array_indexed (const struct advice_member, member, i, type->members, type->member_count) {
		uint64_t line = member->offset / checker->cacheline;

		if (!check_rules_is_chosen(rule, type, i, first, end))
			continue;
		samples += member->samples;
		if (!is_used(member->samples, type->samples))
			continue;
		for (; line * checker->cacheline < member->offset + member->size; line++) {
			if (line >= type->line_count || lines[line])
				continue;
			lines[line] = true;
			count++;
			last = member->name;
		}
	}
	if (!samples) {
		report_verdict(checker, RULE_UNKNOWN, "no sample accesses a field of the %s",
			       rule->group ? "group" : "rule");
		return;
	}
	report_verdict(checker, count <= rule->number ? RULE_KEPT : RULE_BROKEN,
		       "hot fields are in %" PRIu64 " lines%s%s%s", count,
		       *last ? "; the last is '" : "", last, *last ? "'" : "");
}

/* Reports that a rule on lines cannot be judged, because samples that were somewhere in an array
 * may be in the `sum` samples' lines as well as in others. False if they make no difference. */
static bool is_untold(struct rule_checker *checker, const struct layout_rule *rule,
		      const struct advice_type *type, uint64_t sum)
{
	uint64_t most = sum + type->somewhere;

	if (!type->somewhere ||
	    (double)most / (double)type->samples + DEVIATIONS * deviation(most, type->samples) <
		    rule->share)
		return false;
	report_verdict(checker, RULE_UNKNOWN,
		       "cannot tell: %.1f%% of %" PRIu64
		       " samples are somewhere in an array, in a line that is not known",
		       100 * (double)type->somewhere / (double)type->samples, type->samples);
	return true;
}

static void check_heat_of(struct rule_checker *checker, const struct layout_rule *rule,
			  const struct advice_type *type)
{
	_cleanup_free_ uint64_t *samples = xcalloc(type->line_count + 1, sizeof(*samples));
	uint64_t sum = 0;
	double share;

	if (type->samples < HEAT_SAMPLES) {
		report_verdict(checker, RULE_UNKNOWN,
			       "%" PRIu64 " samples are too few; %d are needed", type->samples,
			       HEAT_SAMPLES);
		return;
	}
	if (rule->field_count || rule->group) {
		check_field_heat(checker, rule, type);
		return;
	}
	memcpy(samples, type->line_samples, type->line_count * sizeof(*samples));
	array_sort(samples, type->line_count, compare_samples);
	for (size_t i = 0; i < type->line_count && i < rule->number; i++)
		sum += samples[i];
	share = (double)sum / (double)type->samples;
	if (share + DEVIATIONS * deviation(sum, type->samples) < rule->share &&
	    is_untold(checker, rule, type, sum))
		return;
	report_verdict(checker,
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
static const struct advice_member *hot_neighbour(const struct rule_checker *checker,
						 const struct advice_type *type, size_t written)
{
	const struct advice_member *writer = &type->members[written];
	uint64_t first = writer->offset / checker->cacheline,
		 last = (writer->offset + writer->size - 1) / checker->cacheline;

	array_indexed (const struct advice_member, member, i, type->members, type->member_count) {
		if (i != written && member->size && is_hot_read(type, member) &&
		    member->offset / checker->cacheline <= last &&
		    (member->offset + member->size - 1) / checker->cacheline >= first)
			return member;
	}
	return NULL;
}

static bool check_sharing_of(struct rule_checker *checker, const struct advice_type *type)
{
	for (size_t i = 0; i < type->member_count; i++) {
		const struct advice_member *member = &type->members[i], *other;

		if (member->writers < 2 || member->stores < WRITES_MIN || !member->size)
			continue;
		other = hot_neighbour(checker, type, i);
		if (!other)
			continue;
		report_verdict(checker, RULE_BROKEN,
			       "'%s' of %s is written by %u threads in line %" PRIu64
			       ", where '%s' is hot to read",
			       member->name, type->name, member->writers,
			       member->offset / checker->cacheline, other->name);
		return false;
	}
	return true;
}

static bool is_type_of(const struct layout_rule *rule, const struct advice_type *type)
{
	return is_object(rule, type->object) &&
	       (rule->type ? type_name_matches(rule->type, type->name)
			   : type->samples > type->within);
}

/* Checks the rule on heat against the first type of its name, which has the most samples; and if
 * that is an instance of a template, against all instances that have enough. The verdict is the one
 * on the first instance that breaks the rule, or that cannot be judged. */
static void check_heat(struct rule_checker *checker, const struct layout_rule *rule, size_t first)
{
	const struct advice_type *types = checker->facts->types;
	bool instances = is_instance(rule, types[first].name);
	size_t kept = 0;

	for (size_t i = first; i < checker->facts->type_count; i++) {
		if (i != first && (!is_instance(rule, types[i].name) ||
				   !is_type_of(rule, &types[i]) || types[i].samples < HEAT_SAMPLES))
			continue;
		check_heat_of(checker, rule, &types[i]);
		if (instances && checker->verdict != RULE_KEPT)
			strbuf_add_format(&checker->reason, " (%s)", types[i].name);
		if (!instances || checker->verdict != RULE_KEPT)
			return;
		kept++;
	}
	if (kept > 1)
		strbuf_add_format(&checker->reason, "; all %zu instances keep the rule", kept);
}

/* Checks a rule that needs samples against all types that it is about. */
static void check_recorded(struct rule_checker *checker, const struct layout_rule *rule)
{
	size_t count = 0;

	if (!checker->facts) {
		report_verdict(checker, RULE_UNKNOWN, "it needs a recording (-i)");
		return;
	}
	if (checker->no_threads && rule->kind == CHECK_SHARING) {
		report_verdict(checker, RULE_UNKNOWN, "a store does not know which threads write");
		return;
	}
	array_indexed (const struct advice_type, type, i, checker->facts->types,
		       checker->facts->type_count) {
		if (!is_type_of(rule, type) || !type->samples)
			continue;
		count++;
		if (rule->kind == CHECK_HEAT) {
			check_heat(checker, rule, i);
			return;
		}
		if (type->samples >= HEAT_SAMPLES && !check_sharing_of(checker, type))
			return;
	}
	if (count && rule->kind == CHECK_SHARING)
		report_verdict(checker, RULE_KEPT, "none of %zu types has one", count);
	else
		report_verdict(checker, RULE_UNKNOWN, "no sample accesses the type");
}

/* Returns the verdict, and sets checker->reason. */
static enum rule_verdict_kind rule_check(struct rule_checker *checker,
					 const struct layout_rule *rule)
{
	report_verdict(checker, RULE_UNKNOWN, "it is not judged");
	if (layout_rule_needs_recording(rule))
		check_recorded(checker, rule);
	else
		check_types(checker, rule);
	return checker->verdict;
}

/* ---- objects ---- */

/* Adds an object. Without debug information it is an error if `required`, else it is left out. */
static struct error *rule_checker_add(struct rule_checker *checker, struct dso *dso,
				      const struct dso_options *options, bool required)
{
	const char *problem = NULL;
	struct debug_object *debug;
	struct debug_reader *reader;

	if (!dso_image(dso, options, &problem))
		return required ? error_create(ERROR_NOT_FOUND, "%s", problem) : NULL;
	debug = dso_debug(dso, options, &problem);
	if (!debug)
		return required ? error_create(ERROR_NO_DEBUG_INFO, "%s has no types: %s",
					       dso->long_name,
					       problem ?: "it has no debug information")
				: NULL;
	reader = debug_reader_open(debug);
	array_add(checker->objects, checker->object_count, checker->object_capacity) =
		(struct checked_object){ dso, reader };
	return NULL;
}

ADDRESS_COMPARISON(compare_objects, struct dso, ASCENDING(id))

struct error *rule_checker_record(struct rule_checker *checker, const struct input *input,
				  const struct input_options *options)
{
	struct layout_facts_options facts = { .most = UINT32_MAX,
					      .dso = &options->dso,
					      .no_infer = options->no_infer,
					      .threads = options->threads,
					      .cacheline = checker->cacheline,
					      .no_code = true,
					      .parts = true };
	_cleanup_free_ struct dso **objects =
		xcalloc(input->resolution->place_count + 1, sizeof(*objects));
	size_t count = 0;

	for (size_t i = 0; i < input->resolution->place_count; i++)
		if (input->resolution->places[i].dso)
			objects[count++] = input->resolution->places[i].dso;
	array_sort(objects, count, compare_objects);
	for (size_t i = 0; i < count; i++)
		if (!i || objects[i] != objects[i - 1])
			RETURN_ERROR(rule_checker_add(checker, objects[i], &options->dso, false));
	return layout_facts_create(input->resolution, input->counts, &facts, &checker->facts);
}

void rule_checker_deinit(struct rule_checker *checker)
{
	for (size_t i = 0; i < checker->object_count; i++)
		debug_reader_close(checker->objects[i].reader);
	free(checker->objects);
	layout_facts_destroy(checker->facts);
	strbuf_deinit(&checker->reason);
}

/* ---- rules that were made from a recording ---- */

/* Returns the verdict on a line of text; RULE_BROKEN, with the reason, if it is no rule. */
static enum rule_verdict_kind check_line(struct rule_checker *checker, const char *line)
{
	struct layout_rules rules;
	struct error *error = layout_rules_parse(line, "", &rules);
	enum rule_verdict_kind verdict = RULE_BROKEN;

	if (error || rules.count != 1) {
		report_verdict(checker, RULE_BROKEN, "rules cannot have such a name");
		error_destroy(error);
	} else {
		verdict = rule_check(checker, &rules.items[0]);
	}
	layout_rules_deinit(&rules);
	return verdict;
}

void rules_add_kept(struct rule_checker *checker, const char *text, const char *name,
		    const char *object, struct strbuf *buffer)
{
	bool any = false;
	size_t length;

	for (; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");

		_cleanup_free_ char *line = xstrndup(text, length);
		_cleanup_free_ char *full =
			xasprintf("%s: %s", object ? base_name(object) : "", line);
		size_t start = buffer->length;

		if (*line == '#')
			strbuf_add_string(buffer, line);
		else if (check_line(checker, line) == RULE_KEPT)
			strbuf_add_string(buffer, line);
		else if (object && check_line(checker, full) == RULE_KEPT)
			strbuf_add_string(buffer, full);
		else
			strbuf_add_format(buffer, "# left out: %s: %s", line, checker->reason.data);
		any |= buffer->data[start] != '#';
		strbuf_end_line(buffer, start);
	}
	if (!any) {
		size_t start = buffer->length;

		strbuf_add_format(buffer, "# %s: no rules", name);
		strbuf_end_line(buffer, start);
	}
}

#define FILE_SIZE_MAX (16U << 20) /* of a file of rules */

static struct {
	struct input_options input;
	uint64_t cacheline;
	bool json;
} options;

/* The state of checking one file of rules. */
struct checking {
	const struct check_request *request;
	const char *path;
	struct layout_rules rules;
	struct rule_checker checker;
	struct json *json; /* NULL: text */
	size_t counts[RULE_VERDICTS];
	struct strbuf text;
};

static void print_verdict(struct checking *checking, const struct layout_rule *rule,
			  enum rule_verdict_kind verdict)
{
	static const char *const words[] = { "ok", "FAILED", "unknown" };
	static const char *const names[] = { "kept", "broken", "unknown" };
	const char *reason = checking->checker.reason.data;
	size_t start = checking->text.length;

	if (checking->json) {
		json_object(checking->json, NULL);
		json_unsigned(checking->json, "line", rule->line);
		json_string(checking->json, "rule", rule->text);
		json_string(checking->json, "verdict", names[verdict]);
		json_string(checking->json, "reason", reason);
		json_end(checking->json);
		return;
	}
	if (checking->request->input->quiet && verdict != RULE_BROKEN)
		return;
	strbuf_add_format(&checking->text, "%s:%u: %s: %s: %s", checking->path, rule->line,
			  words[verdict], rule->text, reason);
	strbuf_end_line(&checking->text, start);
}

static void check_all(struct checking *checking)
{
	array_each (const struct layout_rule, rule, checking->rules.items, checking->rules.count) {
		enum rule_verdict_kind verdict = rule_check(&checking->checker, rule);

		checking->counts[verdict]++;
		print_verdict(checking, rule, verdict);
	}
}

/* ---- input ---- */

static struct error *read_rules(struct checking *checking)
{
	_cleanup_close_ int fd = -1;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct stat status;

	if (strcmp(checking->path, "-") != 0)
		RETURN_ERROR(ordinary_file_open(checking->path, &fd, &status));
	if (!file_read_all(fd < 0 ? STDIN_FILENO : fd, FILE_SIZE_MAX, &text))
		return error_errno(errno, "cannot read %s", checking->path);
	if (text.length > FILE_SIZE_MAX)
		return error_other("%s has more than %u bytes: it is not a file of rules",
				   checking->path, FILE_SIZE_MAX);
	return layout_rules_parse(text.data, checking->path, &checking->rules);
}

/* Opens the debug information of the programs that are named. */
static struct error *open_programs(struct checking *checking, struct dso_table *table)
{
	const struct check_request *request = checking->request;

	for (int i = 0; i < request->count; i++) {
		_cleanup_free_ char *path = realpath(request->programs[i], NULL);

		if (!path)
			return error_errno(errno, "cannot open %s", request->programs[i]);
		RETURN_ERROR(
			rule_checker_add(&checking->checker,
					 dso_table_get(table, &(struct dso_origin){ .name = path }),
					 &request->input->dso, true));
	}
	return NULL;
}

/* Opens the recording: its objects with samples, and the facts of all types. */
static struct error *open_recording(struct checking *checking, struct input *input)
{
	const struct check_request *request = checking->request;

	RETURN_ERROR(input_open(request->input, input));
	RETURN_ERROR(input_resolve(
		request->input,
		&(struct input_needs){ .needs = LAYOUT_FACTS_NEEDS, .details = DETAILS_MAX },
		input));
	if (!request->cacheline)
		checking->checker.cacheline = input_cacheline(input);
	return rule_checker_record(&checking->checker, input, request->input);
}

static void check_print_json(struct checking *checking)
{
	struct json json = JSON_INIT(write_stdout, NULL);

	json_start(&json, NULL, "dtprof-check", 1);
	json_array(&json, "rules");
	checking->json = &json;
	check_all(checking);
	checking->json = NULL;
	json_finish(&json);
}

static void print_findings(struct checking *checking)
{
	check_all(checking);
	if (!checking->request->input->quiet)
		strbuf_add_format(&checking->text,
				  "%zu rule%s: %zu kept, %zu broken, %zu unknown\n",
				  checking->rules.count, checking->rules.count == 1 ? "" : "s",
				  checking->counts[RULE_KEPT], checking->counts[RULE_BROKEN],
				  checking->counts[RULE_UNKNOWN]);
	print_text(&checking->text);
}

/* ---- the command ---- */

static const struct option_spec check_specs[] = {
	OPTION(U64, 0, "cacheline", &options.cacheline, "BYTES",
	       "assume cachelines of this size (the recorded machine's,\nor 64)"),
	FLAG(0, "json", &options.json, "print JSON (Documentation/json.md)"),

	GROUP("Input"),
	INPUT_OPTION_SPECS(options.input),
	OPTIONS_END,
};

static const struct command_usage check_usage = {
	.name = "check",
	.synopsis = "[OPTIONS] RULES [PROGRAM...]",
	.summary = "Check that layouts keep the rules of a file. Status 1: a rule is broken.",
	.options = check_specs,
};

static struct error *check_run(struct checking *checking, struct dso_table *table,
			       struct input *input)
{
	const struct check_request *request = checking->request;

	RETURN_ERROR(read_rules(checking));
	if (request->input->path)
		RETURN_ERROR(open_recording(checking, input));
	RETURN_ERROR(open_programs(checking, table));
	if (request->add_heat)
		RETURN_ERROR(request->add_heat(&checking->checker, request->data));
	if (request->json)
		check_print_json(checking);
	else
		print_findings(checking);
	return NULL;
}

struct error *check_files(const struct check_request *request, bool *broken, bool *incomplete)
{
	struct checking checking = { .request = request,
				     .path = request->rules,
				     .text = STRBUF_TEXT,
				     .checker = { .reason = STRBUF_TEXT,
						  .cacheline = request->cacheline
								       ?: CACHELINE_DEFAULT } };
	struct dso_table table = { 0 };
	struct input input = { 0 };
	struct error *error = check_run(&checking, &table, &input);

	*broken = checking.counts[RULE_BROKEN] != 0;
	if (incomplete)
		*incomplete = input_status(&input) != EXIT_SUCCESS;
	rule_checker_deinit(&checking.checker);
	layout_rules_deinit(&checking.rules);
	strbuf_deinit(&checking.text);
	dso_table_deinit(&table);
	input_close(&input);
	return error;
}

static struct error *check_check_options(int rest)
{
	if (!rest)
		return error_other("a file of rules is missing: dtprof check RULES PROGRAM...");
	if (rest < 2 && !options.input.path)
		return error_other("nothing to check: name a program, or a recording with -i");
	if (options.cacheline &&
	    (options.cacheline < 8 || options.cacheline > 4096 || !has_one_bit(options.cacheline)))
		return error_other("--cacheline takes a power of two from 8 to 4096");
	return NULL;
}

int command_check(int argc, char **argv)
{
	bool broken = false, incomplete = false;
	struct error *error;
	int rest, status;

	if (!command_begin(argc, argv, &check_usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	error = check_check_options(rest);
	if (error)
		return command_fail_usage(error);
	sandbox_for(NULL, NULL, options.input.verbose);
	error = check_files(&(struct check_request){ .input = &options.input,
						     .rules = argv[0],
						     .programs = argv + 1,
						     .count = rest - 1,
						     .cacheline = options.cacheline,
						     .json = options.json },
			    &broken, &incomplete);
	/* 1 is for broken rules */
	return error        ? (command_fail(error), 2)
	       : broken     ? EXIT_FAILURE
	       : incomplete ? 2
			    : EXIT_SUCCESS;
}
