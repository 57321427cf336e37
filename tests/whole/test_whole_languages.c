// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The type engine on C, C++ and Rust of several compilers, where the address of the data says what
 * the type is: the programs of tests/workloads/languages have the objects of each type in memory of
 * their own, are stepped, and each instruction's answer is held against what it really accessed.
 *
 *     test_whole_languages [PROGRAM...]   lists the wrong lines of programs that are built
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "annotate/solve/type_resolver.h"
#include "annotate/types/member.h"
#include "base/memory.h"
#include "tests/support/process.h"
#include "tests/support/stepper.h"

enum verdict {
	RIGHT_EXACT,
	RIGHT_INNER, /* a part of the object: a member, a base class */
	/* the object's declaration has only bytes there, which the answer fits into */
	RIGHT_OPAQUE,
	NONE,
	WRONG,
	VERDICTS,
};

static const char *const verdict_names[VERDICTS] = { "exact", "inner", "opaque", "none", "wrong" };

struct subject {
	struct elf_image *image;
	struct debug_object *debug;
	struct debug_reader *reader;
	struct type_resolver *resolver;
	struct step_trace trace;
	const struct type **types; /* for each arena; NULL: not found */
};

struct figures {
	size_t verdicts[VERDICTS];
	size_t total;
	size_t reasons[REASON_COUNT];
};

/* The object that an address is in. */
struct truth {
	const struct type *type;
	int64_t offset;
};

static void must(struct error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

static bool same_type(const struct type *a, const struct type *b)
{
	/* a scalar keeps the name of its typedef, but is the same type */
	a = type_canonical(type_strip(a));
	b = type_canonical(type_strip(b));
	return a == b || (type_size_or(a, 0) == type_size_or(b, 0) &&
			  strcmp(type_name_interned(a), type_name_interned(b)) == 0);
}

static bool is_byte(const struct type *type)
{
	return type_strip(type)->kind == TYPE_INTEGER && type_size_or(type, 0) == 1;
}

/* Returns an offset as the type engine gives it: all elements of an array have the same offset. */
static int64_t place_of(const struct type *type, int64_t offset, int depth)
{
	const struct type *plain = type_strip(type);
	size_t count;

	if (depth > 30)
		return offset;
	if (plain->kind == TYPE_ARRAY) {
		const struct type *element = type_target(plain);
		int64_t size = (int64_t)type_size_or(element, 0);

		return size && offset >= 0 ? place_of(element, offset % size, depth + 1) : offset;
	}
	const struct member *members = type_members(plain, &count);

	for (size_t i = 0; i < count; i++) {
		int64_t within = offset - members[i].offset;

		if (within >= 0 && (uint64_t)within < type_size_or(members[i].type, 0))
			return members[i].offset + place_of(members[i].type, within, depth + 1);
	}
	return offset;
}

/* Says whether the bytes at `offset` of an object of type `outer` are at `answer_offset` of an
 * `answer`, or may be one. */
static enum verdict contained(const struct type *outer, int64_t offset, const struct type *answer,
			      int64_t answer_offset, int depth)
{
	const struct type *plain = type_strip(outer);
	enum verdict best = WRONG;
	size_t count;

	if (same_type(outer, answer) &&
	    place_of(outer, offset, 0) == place_of(answer, answer_offset, 0))
		return depth ? RIGHT_INNER : RIGHT_EXACT;
	if (depth > 30)
		return WRONG;
	if (plain->kind == TYPE_ARRAY) {
		const struct type *element = type_target(plain);
		uint64_t size = type_size_or(element, 0);
		int64_t start = offset - answer_offset;

		if (is_byte(element) && type_size_or(answer, 0) > 1 && start >= 0 &&
		    (uint64_t)start + type_size_or(answer, 0) <= type_size_or(plain, 0))
			return RIGHT_OPAQUE;
		return size ? contained(element, offset % (int64_t)size, answer, answer_offset,
					depth + 1)
			    : WRONG;
	}
	const struct member *members = type_members(plain, &count);

	for (size_t i = 0; i < count; i++) {
		int64_t within = offset - members[i].offset;

		if (within < 0 || (uint64_t)within >= type_size_or(members[i].type, 0))
			continue;
		enum verdict verdict =
			contained(members[i].type, within, answer, answer_offset, depth + 1);

		if (verdict < best)
			best = verdict;
	}
	return best;
}

static bool is_vtable(const struct global *global)
{
	return strstr(type_name_interned(global->type), "vtable") != NULL;
}

static bool truth_of(const struct subject *subject, uint64_t data, struct truth *truth)
{
	const struct step_trace *trace = &subject->trace;
	struct global global;

	for (size_t i = 0; i < trace->arena_count; i++) {
		const struct step_arena *arena = &trace->arenas[i];
		const struct type *type = subject->types[i];

		if (data < arena->start || data >= arena->end)
			continue;
		*truth = (struct truth){ type,
					 (int64_t)((data - arena->start) % type_size_or(type, 0)) };
		return true;
	}
	if (data >= trace->stack_low && data < trace->stack_high)
		return false;
	/* tables of virtual functions have a type of their own, with which no pointer is
	 * declared */
	if (!debug_reader_global_at(subject->reader, data - trace->bias, 0, &global) ||
	    is_vtable(&global))
		return false;
	*truth = (struct truth){ global.type, (int64_t)(data - trace->bias - global.address) };
	return true;
}

static enum verdict judge(const struct access *access, const struct truth *truth)
{
	switch (access->kind) {
	case ACCESS_TYPE:
		return contained(truth->type, truth->offset, access->type, access->offset, 0);
	case ACCESS_UNKNOWN:
	case ACCESS_NO_CODE: return NONE;
	}
	return WRONG;
}

static void describe(const struct type *type, int64_t offset, struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	strbuf_add_string(text, type_name_interned(type));
	strbuf_add_format(text, " +%lld", (long long)offset);
	if (member_path(type_strip(type), offset, 0, &path))
		strbuf_add_format(text, " (%s)", path.data);
}

static void tell(const struct subject *subject, const struct access *access,
		 const struct truth *truth, enum verdict verdict)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const struct symbol *symbol = elf_image_function_at(subject->image, access->address);

	strbuf_add_format(&text, "%s %#llx %.60s: is ", verdict_names[verdict],
			  (unsigned long long)access->address, symbol ? symbol->name : "?");
	describe(truth->type, truth->offset, &text);
	strbuf_add_string(&text, ", answer ");
	if (access->kind == ACCESS_TYPE) {
		describe(access->type, access->offset, &text);
		strbuf_add_format(&text, ", %s", access_how_name(access->how));
	} else {
		strbuf_add_format(&text, "%s: %s", access_type_name(access),
				  access_reason_name(access->reason));
	}
	print_message("%s\n", text.data);
}

/* Sorts accesses of one instruction with the same answer together. */
static int by_question(const void *left, const void *right)
{
	const struct step_access *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (int)a->store - (int)b->store;
}

/* Judges all accesses; the worst one of each instruction counts. */
static void judge_all(struct subject *subject, struct figures *figures)
{
	struct step_trace *trace = &subject->trace;
	_cleanup_free_ uint64_t *addresses = xcalloc(trace->count, sizeof(*addresses));
	_cleanup_free_ bool *stores = xcalloc(trace->count, sizeof(*stores));
	_cleanup_free_ struct access *answers = xcalloc(trace->count, sizeof(*answers));

	qsort(trace->accesses, trace->count, sizeof(*trace->accesses), by_question);
	for (size_t i = 0; i < trace->count; i++) {
		addresses[i] = trace->accesses[i].address;
		stores[i] = trace->accesses[i].store;
	}
	type_resolver_resolve(subject->resolver, addresses, stores, trace->count, answers);
	for (size_t i = 0, end; i < trace->count; i = end) {
		enum verdict worst = RIGHT_EXACT;
		struct truth shown = { 0 }, truth;

		for (end = i;
		     end < trace->count && !by_question(&trace->accesses[i], &trace->accesses[end]);
		     end++) {
			if (!truth_of(subject, trace->accesses[end].data, &truth))
				continue;
			enum verdict verdict = judge(&answers[end], &truth);

			if (!shown.type || verdict > worst)
				shown = truth;
			if (verdict > worst)
				worst = verdict;
		}
		if (!shown.type)
			continue;
		figures->total++;
		figures->verdicts[worst]++;
		if (worst == NONE)
			figures->reasons[answers[i].reason]++;
		if (worst >= NONE)
			tell(subject, &answers[i], &shown, worst);
	}
}

/* Returns the type of one of these names, which a bar separates: a library's names change with its
 * version. */
static const struct type *type_of_names(struct subject *subject, const char *names)
{
	_cleanup_free_ char *copy = xstrdup(names);
	const struct type *type;
	char *rest = copy, *name;

	while ((name = strsep(&rest, "|")))
		if (debug_reader_types_named(subject->reader, name, &type, 1))
			return type;
	fail_msg("no type is named %s", names);
	return NULL;
}

static void arena_types(struct subject *subject)
{
	const struct step_trace *trace = &subject->trace;

	subject->types = xcalloc(trace->arena_count, sizeof(*subject->types));
	for (size_t i = 0; i < trace->arena_count; i++) {
		const struct step_arena *arena = &trace->arenas[i];
		struct global cells;

		if (!arena->cells) {
			subject->types[i] = type_of_names(subject, arena->type);
		} else if (debug_reader_global_at(subject->reader, arena->cells, 0, &cells)) {
			subject->types[i] = type_target(type_strip(cells.type));
		} else {
			fail_msg("no variable at %#llx, which tells the type of an arena",
				 (unsigned long long)arena->cells);
		}
		if (!type_size_or(subject->types[i], 0))
			fail_msg("%s has no size", type_name_interned(subject->types[i]));
	}
}

static double share(size_t part, size_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_figures(const char *name, const struct figures *figures,
			  const struct step_trace *trace)
{
	print_message("%s: %zu memory operands in %llu steps:", name, figures->total,
		      (unsigned long long)trace->steps);
	for (unsigned int i = 0; i < VERDICTS; i++)
		print_message(" %s %zu (%.1f %%)", verdict_names[i], figures->verdicts[i],
			      share(figures->verdicts[i], figures->total));
	print_message("\n");
	for (unsigned int i = 0; i < REASON_COUNT; i++)
		if (figures->reasons[i])
			print_message("    none: %zu %s\n", figures->reasons[i],
				      access_reason_name((enum access_reason)i));
}

static void print_story(void *data, uint64_t address, const char *text)
{
	(void)data;
	printf("%#llx:\n%s\n", (unsigned long long)address, text); /* cmocka cuts long messages */
}

/* False: processes cannot be traced here. */
static bool measure(const char *name, const char *program, struct figures *figures, bool traces)
{
	struct subject subject = { 0 };
	bool stepped;

	must(elf_image_open(program, &subject.image));
	must(debug_object_open(subject.image, subject.image, &subject.debug));
	subject.reader = debug_reader_open(subject.debug);
	must(type_resolver_create(
		subject.image, subject.debug,
		&(struct type_resolver_options){ .trace = traces ? print_story : NULL },
		&subject.resolver));
	stepped = step_program(program, subject.image, &subject.trace);
	if (stepped) {
		arena_types(&subject);
		judge_all(&subject, figures);
		print_figures(name, figures, &subject.trace);
	}
	step_trace_deinit(&subject.trace);
	free(subject.types);
	type_resolver_destroy(subject.resolver);
	debug_reader_close(subject.reader);
	debug_object_close(subject.debug);
	elf_image_close(subject.image);
	return stepped;
}

struct build {
	const char *compiler;
	const char *flags;
	const char *source;
};

static void test_language(void **state)
{
	const struct build *build = *state;

	need_compiler(build->compiler);
	char *folder = scratch_create();
	_cleanup_free_ char *program = xasprintf("%s/program", folder);
	_cleanup_free_ char *command =
		xasprintf("%s %s -o '%s' tests/workloads/languages/%s", build->compiler,
			  build->flags, program, build->source);
	_cleanup_process_ struct process_result result = { 0 };
	struct figures figures = { 0 };

	process_shell(command, &result);
	if (result.status)
		fail_msg("%s\n%s", command, result.errors.data);
	bool stepped = measure(build->source, program, &figures, false);

	scratch_remove(folder);
	if (!stepped)
		skip_because("processes cannot be traced here");
	assert_true(figures.total > 50);
	assert_true(share(figures.verdicts[WRONG], figures.total) <= 1);
	assert_true(share(figures.verdicts[NONE], figures.total) <= 10);
}

int main(int argc, char **argv)
{
	static const struct build builds[] = {
		{ "gcc", "-g -O2", "ledger.c" },
		{ "clang", "-g -O2", "ledger.c" },
		{ "g++", "-std=c++17 -g -O2", "shop.cc" },
		{ "clang++", "-std=c++17 -g -O2", "shop.cc" },
		{ "rustc", "-C debuginfo=2 -C opt-level=3 --edition 2021", "depot.rs" },
	};
	enum { BUILDS = sizeof(builds) / sizeof(builds[0]) };
	static struct CMUnitTest tests[BUILDS];
	bool traces = argc > 1 && strcmp(argv[1], "-s") == 0;
	int failed;

	for (int i = 1 + traces; i < argc; i++)
		if (!measure(argv[i], argv[i], &(struct figures){ 0 }, traces))
			print_error("%s: cannot be traced\n", argv[i]);
	if (argc > 1)
		return 0;
	for (size_t i = 0; i < BUILDS; i++)
		tests[i] = (struct CMUnitTest){
			.name = xasprintf("%s %s %s", builds[i].compiler, builds[i].flags,
					  builds[i].source),
			.test_func = test_language,
			.initial_state = (void *)&builds[i],
		};
	failed = cmocka_run_group_tests_name("languages", tests, NULL, NULL);
	for (size_t i = 0; i < BUILDS; i++)
		free((void *)tests[i].name);
	return failed;
}
