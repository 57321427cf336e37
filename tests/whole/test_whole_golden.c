// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The output of annotate, byte for byte. tests/whole/golden has each text, for recordings that are
 * written here, of programs whose instructions and addresses no compiler chooses. UPDATE_GOLDEN=1
 * build/tests/whole/test_whole_golden writes the files again.
 */
#include "tests/support/unit.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/support/files.h"
#include "tests/support/hit_recorder.h"
#include "tests/support/json_check.h"
#include "tests/support/process.h"

#define LOAD(level, more)                                                                          \
	(PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, level) | PERF_MEM_S(LVL, HIT) | (more))
#define STORE(level, more)                                                                         \
	(PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, level) | PERF_MEM_S(LVL, HIT) | (more))

static const struct hit c_hits[] = {
	{ "writer", 0, STORES, 101, 9, 4, STORE(L1, PERF_MEM_S(LOCK, LOCKED)) },
	{ "writer", 1, STORES, 101, 1, 4, STORE(L1, 0) },
	{ "writer", 2, STORES, 101, 2, 5, STORE(L1, 0) },
	{ "writer", 3, STORES, 101, 3, 6, STORE(L2, 0) },
	{ "reader", 0, LOADS, 102, 7, 300, LOAD(REM_CCE1, PERF_MEM_S(SNOOP, HITM)) },
	{ "reader", 0, LOADS, 103, 1, 20, LOAD(L3, 0) },
	{ "reader", 1, LOADS, 102, 2, 5, LOAD(L1, 0) },
	{ "reader", 3, LOADS, 102, 4, 90, LOAD(LOC_RAM, PERF_MEM_S(TLB, MISS)) },
	{ "reader", 4, LOADS, 102, 2, 7, LOAD(L2, 0) },
	{ NULL, 0, 0, 0, 0, 0, 0 },
};

static const struct hit cxx_hits[] = {
	{ "browse", 0, LOADS, 101, 3, 4, LOAD(L1, 0) },
	{ "browse", 1, LOADS, 101, 1, 4, LOAD(L1, 0) },
	{ "browse", 2, LOADS, 101, 4, 9, LOAD(L2, 0) },
	{ "browse", 3, LOADS, 101, 2, 4, LOAD(L1, 0) },
	{ "browse", 4, STORES, 101, 5, 4, STORE(L1, 0) },
	{ NULL, 0, 0, 0, 0, 0, 0 },
};

#define TURNS 8 /* each side of a verdict needs this many samples */

/* Two threads with a counter each, 24 bytes apart in lines of 32, that take turns; the first object
 * is aligned. */
static const struct hit shared_turn[] = {
	{ "writer", 0, STORES, 101, 1, 4, STORE(L1, 0) },
	{ "reader", 0, LOADS, 102, 1, 300, LOAD(L3, 0) },
	{ "writer", 1, STORES, 101, 2, 4, STORE(L1, 0) },
	{ "reader", 0, LOADS, 102, 2, 280, LOAD(L3, 0) },
	{ "writer", 0, STORES, 102, 1, 4, STORE(L1, 0) },
	{ "writer", 0, STORES, 101, 1, 4, STORE(L1, 0) },
};
static const uint64_t turn_places[] = {
	0x7f0000, 0x7f0008, 0x7f0014, 0x7f0008, 0x7f0018, 0x7f0000
};
#define TURN_LENGTH (sizeof(turn_places) / sizeof(*turn_places))

enum recording { OF_C, OF_CXX, OF_SHARED, RECORDINGS };

struct program {
	char *path, *data; /* NULL: it could not be built here */
};

struct setting {
	char *folder;
	struct program programs[RECORDINGS];
};

static void build(struct setting *setting, enum recording recording, const char *compiler,
		  const char *source, const char *name, const struct hit *hits,
		  const uint64_t *places)
{
	_cleanup_process_ struct process_result result = { 0 };
	struct program *program = &setting->programs[recording];
	_cleanup_free_ char *command =
		xasprintf("%s " HIT_PROGRAM_FLAGS " -o %s/%s tests/workloads/%s", compiler,
			  setting->folder, name, source);

	_cleanup_free_ char *first = xstrndup(compiler, strcspn(compiler, " "));

	if (!compiler_works(first))
		return;
	process_shell(command, &result);
	if (result.status) {
		print_message("%s\n%s", command, result.errors.data);
		return;
	}
	program->path = xasprintf("%s/%s", setting->folder, name);
	program->data = xasprintf("%s/%s.data", setting->folder, name);
	hit_recorder_write_data(program->path, program->data, hits, places);
}

static void build_shared(struct setting *setting)
{
	struct hit hits[TURNS * TURN_LENGTH + 1];
	uint64_t places[TURNS * TURN_LENGTH];

	for (size_t i = 0; i < TURNS * TURN_LENGTH; i++) {
		hits[i] = shared_turn[i % TURN_LENGTH];
		places[i] = turn_places[i % TURN_LENGTH];
	}
	hits[TURNS * TURN_LENGTH] = (struct hit){ 0 };
	build(setting, OF_SHARED, "gcc", "golden.c", "shared", hits, places);
}

static int set_up(void **state)
{
	struct setting *setting = xcalloc(1, sizeof(*setting));

	*state = setting;
	setting->folder = scratch_create();
	/* clang does not say where parameters of naked functions are */
	build(setting, OF_C, "gcc", "golden.c", "golden.c", c_hits, NULL);
	build_shared(setting);
	build(setting, OF_CXX, "g++ -fno-rtti", "golden.cc", "golden.cc", cxx_hits, NULL);
	return 0;
}

static int tear_down(void **state)
{
	struct setting *setting = *state;

	scratch_remove(setting->folder);
	for (size_t i = 0; i < RECORDINGS; i++) {
		free(setting->programs[i].path);
		free(setting->programs[i].data);
	}
	free(setting);
	return 0;
}

/* Replaces every `from` in `text` by `to`. */
static void replace(struct strbuf *text, const char *from, const char *to)
{
	_cleanup_free_ char *old = strbuf_detach(text);
	const char *rest = old, *found;

	for (; (found = strstr(rest, from)); rest = found + strlen(from)) {
		strbuf_add(text, rest, (size_t)(found - rest));
		strbuf_add_string(text, to);
	}
	strbuf_add_string(text, rest);
}

/* Removes the padding that compilers put after a function without an epilogue. */
static void drop_fillers(struct strbuf *text)
{
	_cleanup_free_ char *old = strbuf_detach(text);
	char *rest = old, *line;

	while ((line = strsep(&rest, "\n")) && rest)
		if (!strstr(line, "ud2") && !strstr(line, " nop"))
			strbuf_add_format(text, "%s\n", line);
}

static void read_file(const char *path, struct strbuf *text)
{
	size_t size;
	_cleanup_free_ uint8_t *bytes = file_read(path, &size);

	strbuf_add(text, (const char *)bytes, size);
}

/* Asserts that the JSON matches its schema. */
static void assert_valid(const char *name, const char *text)
{
	_cleanup_strbuf_ struct strbuf schema = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf problem = STRBUF_INIT;
	size_t length = strlen(name);

	if (length < 5 || strcmp(name + length - 5, ".json") != 0)
		return;
	read_file("Documentation/annotate.schema.json", &schema);
	if (!json_check(text, schema.data, &problem))
		fail_msg("%s: %s", name, problem.data);
}

/* Returns the working folder, which is in the paths of sources. */
static const char *working_folder(char *folder, size_t size)
{
	assert_non_null(getcwd(folder, size));
	return folder;
}

static void assert_output(const struct setting *setting, const struct program *program,
			  const char *name, const char *options)
{
	_cleanup_process_ struct process_result result = { 0 };
	char folder[PATH_MAX];
	_cleanup_free_ char *path = xasprintf("tests/whole/golden/%s", name);
	_cleanup_free_ char *command = xasprintf("%s annotate --blame=sampled -i %s %s",
						 dtprof_path(), program->data, options);

	process_shell(command, &result);
	if (result.status)
		fail_msg("%s: %s", command, result.errors.data);
	replace(&result.output, setting->folder, "DIR");
	assert_valid(name, result.output.data);
	replace(&result.output, working_folder(folder, sizeof(folder)), "HERE");
	if (!strstr(name, ".json"))
		drop_fillers(&result.output);
	assert_golden(path, result.output.data);
}

static const struct golden {
	const char *name;
	const char *options;
	enum recording recording;
} goldens[] = {
	{ "types.txt", "--stdio --data-type", OF_C },
	{ "types-hex.txt", "--data-type=counter --hex -n --no-group", OF_C },
	{ "columns.txt",
	  "--data-type=counter -F "
	  "samples,weight_mean,weight_max,loads,stores,l1,l2,l3,ram,remote,hitm,tlb,locked "
	  "--no-group",
	  OF_C },
	{ "parts.txt", "--data-type=counter --by-symbol --elements", OF_C },
	{ "layout.txt", "--layout --data-type=counter", OF_C },
	{ "code.txt", "--stdio --code-with-type", OF_C },
	{ "code-lines.txt", "reader --no-source -M intel -n --no-group", OF_C },
	{ "stat.txt", "--type-stat --insn-stat --data-type=counter -n", OF_C },
	{ "types.json", "--json --type-stat --insn-stat --data-type=counter --elements --by-symbol",
	  OF_C },
	{ "layout.json", "--json --layout --data-type=counter --no-group", OF_C },
	{ "types.csv", "--csv --data-type=counter", OF_C },
	{ "code.csv", "--csv --code-with-type --no-group", OF_C },
	{ "class.txt", "--data-type=shop::Book", OF_CXX },
	{ "sharing.txt", "--layout --data-type=counter", OF_SHARED },
	{ "sharing.json", "--json --layout --data-type=counter --no-group", OF_SHARED },
	{ "class-names.txt", "--data-type='shop::B*' --max-name 8 --no-group", OF_CXX },
	{ "class-layout.txt", "--data-type=Book --layout --cacheline 64", OF_CXX },
};

static void test_outputs(void **state)
{
	const struct setting *setting = *state;

	for (size_t i = 0; i < sizeof(goldens) / sizeof(*goldens); i++) {
		const struct program *program = &setting->programs[goldens[i].recording];

		if (program->data)
			assert_output(setting, program, goldens[i].name, goldens[i].options);
		else
			print_message("%s: skipped, there is no %s\n", goldens[i].name,
				      goldens[i].recording == OF_CXX ? "g++" : "gcc");
	}
}

/* Without data addresses c2c report says in one line that it has no evidence. */
static void test_sharing_without_addresses(void **state)
{
	const struct setting *setting = *state;
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command = NULL;

	if (!setting->programs[OF_C].data)
		skip_because("there is no gcc");
	command = xasprintf("%s c2c report -i %s", dtprof_path(), setting->programs[OF_C].data);
	process_shell(command, &result);
	assert_int_not_equal(result.status, 0);
	assert_int_equal(result.output.length, 0);
	assert_non_null(strstr(result.errors.data, "no sample has a data address"));
	assert_true(strcspn(result.errors.data, "\n") <= 80);
}

/* Its instructions include those that compilers add. */
static void test_code_as_json(void **state)
{
	const struct setting *setting = *state;
	_cleanup_process_ struct process_result result = { 0 };

	if (!setting->programs[OF_C].data)
		skip_because("there is no gcc");
	_cleanup_free_ char *command =
		xasprintf("%s annotate --blame=sampled -i %s --json --code-with-type",
			  dtprof_path(), setting->programs[OF_C].data);

	process_shell(command, &result);
	process_check_status(&result, 0);
	assert_valid("code.json", result.output.data);
	assert_non_null(strstr(result.output.data, "\"mnemonic\": \"incq\""));
	assert_non_null(strstr(result.output.data, "\"field\": \"trail.x\""));
}

static void assert_refused(const struct setting *setting, const char *options, int status,
			   const char *message)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command = xasprintf("%s annotate -i %s %s", dtprof_path(),
						 setting->programs[OF_C].data, options);

	process_shell(command, &result);
	process_check_status(&result, status);
	if (!strstr(result.errors.data, message))
		fail_msg("%s: %s", options, result.errors.data);
}

static void test_what_cannot_be_done_is_said(void **state)
{
	const struct setting *setting = *state;

	if (!setting->programs[OF_C].data)
		return;
	assert_refused(setting, "-F percnt", 129, "did you mean 'percent'?");
	assert_refused(setting, "--json --csv", 129, "--json and --csv cannot be combined");
	assert_refused(setting, "--csv --type-stat", 129,
		       "--type-stat and --csv cannot be combined");
	assert_refused(setting, "--layout --by-symbol", 129, "--layout and --by-symbol cannot");
	assert_refused(setting, "-M arm", 129, "takes att or intel, not 'arm'");
	assert_refused(setting, "raeder", 1,
		       "no sample is in a function 'raeder'; did you mean 'reader'?");
	assert_refused(setting, "--data-type=couter", 1, "did you mean 'counter'?");
	assert_refused(setting, "--data-type counter", 1,
		       "for a type of that name use --data-type='counter'");
}

static void test_sources_elsewhere(void **state)
{
	const struct setting *setting = *state;
	_cleanup_process_ struct process_result found = { 0 }, lost = { 0 };

	if (!setting->programs[OF_C].data)
		return;
	_cleanup_free_ char *command =
		xasprintf("%s annotate -i %s reader", dtprof_path(), setting->programs[OF_C].data);
	_cleanup_free_ char *elsewhere = xasprintf("%s --prefix /nowhere", command);

	process_shell(command, &found);
	process_shell(elsewhere, &lost);
	process_check_status(&lost, 0);
	assert_non_null(strstr(found.output.data, "int reader(struct counter *counter)"));
	assert_null(strstr(lost.output.data, "int reader(struct counter *counter)"));
	assert_non_null(strstr(lost.output.data, "movswl"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_sharing_without_addresses),
		cmocka_unit_test(test_code_as_json),
		cmocka_unit_test(test_what_cannot_be_done_is_said),
		cmocka_unit_test(test_sources_elsewhere),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
