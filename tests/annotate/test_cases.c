// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The type engine on the source files of tests/annotate/cases. Each file states beside its accesses
 * which types they have; tests/README.md describes how.
 *
 *	test_cases [FILE...]           tests these cases (otherwise all)
 *	test_cases --show FILE...      prints the files with the answers that the engine gives now
 *
 * A file is compiled once for each of its runs. An answer is compared if its function has an
 * EXPECT: then the answers at each line must be those of the line's EXPECT and MAY, and each EXPECT
 * must be found. Spill slots and stack protectors are the compiler's own, and need no EXPECT.
 */
#include "tests/support/unit.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "annotate/rules/rules.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "tests/support/case_answers.h"
#include "tests/support/case_file.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

#define CASES "tests/annotate/cases/"

/* One object, which several runs may share. */
struct compilation {
	const struct case_file *file;
	const struct case_run *run;
	char *object;
	bool is_kept;  /* it was not compiled here */
	char *failure; /* NULL: it compiled */
};

struct suite {
	char *folder;
	struct case_file *files;
	char **errors; /* of reading each file, or NULL */
	size_t file_count;
	struct compilation *compilations;
	size_t compilation_count;
};

static struct suite suite;

/* ---- compiling ---- */

#define LIBCXX_FLAG "-stdlib=libc++"

/* Returns whether the compiler's version is at least that of "NAME MAJOR.MINOR". */
static bool is_at_least(const struct case_file *file, const char *version)
{
	_cleanup_process_ struct process_result result = { 0 };
	unsigned int needed[2] = { 0 }, here[2];
	_cleanup_free_ char *command =
		xasprintf("%.*s --version", (int)strcspn(version, " "), version);
	const char *text;

	if (sscanf(version, "%*s %u.%u", &needed[0], &needed[1]) < 1)
		fail_msg("%s: \"%s\" is not COMPILER MAJOR.MINOR", file->path, version);
	process_shell(command, &result);
	text = result.output.data + strcspn(result.output.data, "0123456789");
	if (result.status || sscanf(text, "%u.%u", &here[0], &here[1]) != 2)
		fail_msg("%s tells no version: %s", command, result.output.data);
	return here[0] != needed[0] ? here[0] > needed[0] : here[1] >= needed[1];
}

/* True if the run's compiler and library are on this machine, in a version that the case is for.
 * Packages of clang leave LLVM's C++ library out. */
static bool can_compile(const struct case_file *file, const struct case_run *run)
{
	size_t length = strlen(run->compiler);
	_cleanup_free_ char *command = xasprintf(
		"%s%s", run->compiler, strstr(run->flags, LIBCXX_FLAG) ? " " LIBCXX_FLAG : "");

	if (!compiler_works(command) || (file->since && !is_at_least(file, file->since)))
		return false;
	for (size_t i = 0; i < file->before_count; i++)
		if (strncmp(file->before[i], run->compiler, length) == 0 &&
		    file->before[i][length] == ' ' && is_at_least(file, file->before[i]))
			return false;
	return true;
}

static const struct compilation *find_compilation(const struct case_file *file,
						  const struct case_run *run)
{
	_cleanup_free_ char *object = case_object_path(file, run, suite.folder);

	for (size_t i = 0; i < suite.compilation_count; i++)
		if (strcmp(suite.compilations[i].object, object) == 0)
			return &suite.compilations[i];
	return NULL;
}

static void compile(size_t item, unsigned int thread, void *data)
{
	struct compilation *compilation = &suite.compilations[item];

	(void)thread, (void)data;
	if (!compilation->is_kept)
		compilation->failure =
			case_compile(compilation->file, compilation->run, compilation->object);
}

/* Adds the run's object, unless another run has the same, or it can neither be compiled here nor is
 * kept. */
static void add_compilation(const struct case_file *file, const struct case_run *run)
{
	_cleanup_free_ char *object = case_object_path(file, run, suite.folder);
	bool is_compiled = can_compile(file, run);

	if (find_compilation(file, run) || (!is_compiled && !case_unpack(file, run, object)))
		return;
	suite.compilations = xrealloc_array(suite.compilations, suite.compilation_count + 1,
					    sizeof(*suite.compilations));
	suite.compilations[suite.compilation_count++] = (struct compilation){
		.file = file, .run = run, .object = xstrdup(object), .is_kept = !is_compiled
	};
}

static void suite_init(char **paths, size_t count)
{
	suite.folder = scratch_create();
	suite.files = xcalloc(count, sizeof(*suite.files));
	suite.errors = xcalloc(count, sizeof(*suite.errors));
	suite.file_count = count;
	for (size_t i = 0; i < count; i++) {
		struct case_file *file = &suite.files[i];

		suite.errors[i] = case_file_read(paths[i], file);
		for (size_t j = 0; j < file->run_count; j++)
			add_compilation(file, &file->runs[j]);
	}
	parallel_for(suite.compilation_count, parallel_default_threads(), compile, NULL);
}

static void suite_deinit(void)
{
	for (size_t i = 0; i < suite.compilation_count; i++) {
		free(suite.compilations[i].object);
		free(suite.compilations[i].failure);
	}
	for (size_t i = 0; i < suite.file_count; i++) {
		case_file_deinit(&suite.files[i]);
		free(suite.errors[i]);
	}
	free(suite.compilations);
	free(suite.files);
	free(suite.errors);
	scratch_remove(suite.folder);
}

/* ---- comparing ---- */

/* True if the answer is for code that the compiler added and nobody wrote. */
static bool is_compilers_own(const struct case_found *found)
{
	return found->kind == ACCESS_SPILL || found->kind == ACCESS_CANARY ||
	       found->kind == ACCESS_LITERAL;
}

static bool is_about(const struct case_answers *answers, const struct case_expectation *expectation,
		     const struct case_found *found)
{
	if (expectation->function)
		return strcmp(answers->functions[found->function].name, expectation->function) == 0;
	return expectation->line == found->line;
}

/* Functions with an EXPECT that is about this run. */
static bool *tested_functions(const struct case_file *file, const struct case_run *run,
			      const struct case_answers *answers)
{
	bool *tested = xcalloc(answers->function_count + 1, sizeof(*tested));

	for (size_t i = 0; i < answers->found_count; i++)
		for (size_t j = 0; j < file->expectation_count; j++)
			if (file->expectations[j].required &&
			    case_expectation_holds(file, &file->expectations[j], run) &&
			    is_about(answers, &file->expectations[j], &answers->found[i]))
				tested[answers->found[i].function] = true;
	return tested;
}

static void add_complaint(struct strbuf *complaints, const struct case_file *file,
			  const struct case_run *run, unsigned int line, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

static void add_complaint(struct strbuf *complaints, const struct case_file *file,
			  const struct case_run *run, unsigned int line, const char *format, ...)
{
	va_list arguments;

	strbuf_add_format(complaints, "%s:%u: %s %s%s%s: ", file->path, line, run->compiler,
			  run->flags, run->name ? ", " : "", run->name ? run->name : "");
	va_start(arguments, format);
	strbuf_add_vformat(complaints, format, arguments);
	va_end(arguments);
	strbuf_add_char(complaints, '\n');
}

static void describe(const struct case_found *found, struct strbuf *text)
{
	strbuf_add_format(text, "%s", found->text);
	if (found->kind == ACCESS_TYPE || found->rule != RULE_NONE)
		strbuf_add_format(text, " [%s%s%s]", access_how_name(found->how),
				  found->rule != RULE_NONE ? ", rule " : "",
				  found->rule != RULE_NONE ? rule_name(found->rule) : "");
	strbuf_add_format(text, " at %s", found->insn);
}

static void complain_of_missing(const struct case_file *file, const struct case_run *run,
				const struct case_answers *answers,
				const struct case_expectation *expectation,
				struct strbuf *complaints)
{
	_cleanup_strbuf_ struct strbuf instead = STRBUF_INIT;

	for (size_t i = 0; i < answers->found_count; i++) {
		if (!is_about(answers, expectation, &answers->found[i]))
			continue;
		strbuf_add_string(&instead, instead.length ? "; " : "");
		describe(&answers->found[i], &instead);
	}
	add_complaint(complaints, file, run, expectation->line, "expected %s; found %s",
		      expectation->answer.source,
		      instead.length ? instead.data : "no access at this line");
}

/* "EXPECT: nothing": there is no access in this run. */
static bool is_nothing(const struct case_expectation *expectation)
{
	return strcmp(expectation->answer.text, "nothing") == 0;
}

static void complain_of_any(const struct case_file *file, const struct case_run *run,
			    const struct case_answers *answers,
			    const struct case_expectation *expectation, struct strbuf *complaints)
{
	for (size_t i = 0; i < answers->found_count; i++)
		if (is_about(answers, expectation, &answers->found[i]) &&
		    !is_compilers_own(&answers->found[i])) {
			complain_of_missing(file, run, answers, expectation, complaints);
			return;
		}
}

/* True if an access to several members at once has the one that is stated: "struct node +8 (key)"
 * is in 16 bytes of a struct node from +0 on. Newer compilers join accesses. */
static bool covers(const struct case_found *found, const struct case_answer *stated)
{
	const char *place = strstr(stated->text, " +");
	size_t length = place ? (size_t)(place - stated->text) : 0;
	long long offset, at;

	return place && !stated->prefix && !stated->marks && found->kind == ACCESS_TYPE &&
	       strncmp(found->text, stated->text, length + 2) == 0 &&
	       sscanf(found->text + length, " +%lld", &at) == 1 &&
	       sscanf(place, " +%lld", &offset) == 1 && at < offset && offset < at + found->size;
}

static void check_required(const struct case_file *file, const struct case_run *run,
			   const struct case_answers *answers, struct strbuf *complaints)
{
	for (size_t i = 0; i < file->expectation_count; i++) {
		const struct case_expectation *expectation = &file->expectations[i];
		bool met = false;

		if (!expectation->required || !case_expectation_holds(file, expectation, run))
			continue;
		if (is_nothing(expectation)) {
			complain_of_any(file, run, answers, expectation, complaints);
			continue;
		}
		for (size_t j = 0; j < answers->found_count && !met; j++)
			met = is_about(answers, expectation, &answers->found[j]) &&
			      (case_answer_matches(&expectation->answer, &answers->found[j]) ||
			       covers(&answers->found[j], &expectation->answer));
		if (!met)
			complain_of_missing(file, run, answers, expectation, complaints);
	}
}

static bool is_allowed(const struct case_file *file, const struct case_run *run,
		       const struct case_answers *answers, const struct case_found *found)
{
	for (size_t i = 0; i < file->expectation_count; i++) {
		const struct case_expectation *expectation = &file->expectations[i];

		if (case_expectation_holds(file, expectation, run) &&
		    (!found->line || is_about(answers, expectation, found)) &&
		    case_answer_matches(&expectation->answer, found))
			return true;
	}
	return is_compilers_own(found);
}

static bool is_forbidden(const struct case_file *file, const struct case_found *found)
{
	for (size_t i = 0; i < file->forbidden_count; i++)
		if (strncmp(found->text, file->forbidden[i], strlen(file->forbidden[i])) == 0)
			return true;
	return false;
}

static void check_found(const struct case_file *file, const struct case_run *run,
			const struct case_answers *answers, struct strbuf *complaints)
{
	_cleanup_free_ bool *tested = tested_functions(file, run, answers);

	for (size_t i = 0; i < answers->found_count; i++) {
		const struct case_found *found = &answers->found[i];
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		if (!tested[found->function] ||
		    (is_allowed(file, run, answers, found) && !is_forbidden(file, found)))
			continue;
		describe(found, &text);
		add_complaint(complaints, file, run, found->line, "%s, which is not expected",
			      text.data);
	}
}

/* Checks that gcc's code has the pattern. Other compilers write another one; the answers must be
 * right for them, too. */
static void check_code(const struct case_file *file, const struct case_run *run,
		       const struct case_answers *answers, struct strbuf *complaints)
{
	_cleanup_free_ bool *tested = tested_functions(file, run, answers);
	_cleanup_strbuf_ struct strbuf code = STRBUF_INIT;

	if (strcmp(run->compiler, "gcc") != 0 && strcmp(run->compiler, "g++") != 0)
		return;
	for (size_t i = 0; i < answers->function_count; i++)
		if (tested[i])
			strbuf_add_string(&code, answers->functions[i].code.data);
	for (size_t i = 0; i < file->code_count; i++)
		if (!strstr(code.data, file->code[i]))
			add_complaint(complaints, file, run, 1, "no \"%s\" in the code:\n%s",
				      file->code[i], code.data);
}

static void check_run(const struct case_file *file, const struct case_run *run,
		      struct strbuf *complaints)
{
	const struct compilation *compilation = find_compilation(file, run);
	struct case_answers answers;

	if (compilation->failure) {
		add_complaint(complaints, file, run, 1, "does not compile: %s",
			      compilation->failure);
		return;
	}
	case_answers_read(file, run, compilation->object, &answers);
	check_required(file, run, &answers, complaints);
	check_found(file, run, &answers, complaints);
	check_code(file, run, &answers, complaints);
	case_answers_deinit(&answers);
}

/* ---- rules ---- */

/* Programs that test the rules which cases cannot test, and the names of these rules. */
static const struct {
	const char *program, *rules;
} tested_elsewhere[] = {
	{ "tests/annotate/test_go.sh", "slice-element captured-variable" },
	{ "tests/commands/test_other_languages.sh", "described-element" },
};

static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += length)
		if ((at == text || strchr(" \"\n", at[-1])) && strchr(" \"\n", at[length]))
			return true;
	return false;
}

/* True if another program tests the rule: the list says so, and the program has the rule's name. */
static bool is_tested_elsewhere(enum rule_id rule)
{
	for (size_t i = 0; i < COUNT_OF(tested_elsewhere); i++) {
		if (!has_word(tested_elsewhere[i].rules, rule_name(rule)))
			continue;
		size_t size;
		_cleanup_free_ uint8_t *bytes = file_read(tested_elsewhere[i].program, &size);
		_cleanup_free_ char *text = xstrndup((const char *)bytes, size);

		return has_word(text, rule_name(rule));
	}
	return false;
}

/* True if a case names the rule in a RULES line. */
static bool has_case(enum rule_id rule)
{
	for (size_t i = 0; i < suite.file_count; i++)
		for (size_t j = 0; j < suite.files[i].rule_count; j++)
			if (strcmp(suite.files[i].rules[j], rule_name(rule)) == 0)
				return true;
	return false;
}

/* A rule without a case may be broken or lost without notice. */
static void check_rules(void **state)
{
	_cleanup_strbuf_ struct strbuf needless = STRBUF_INIT;

	(void)state;
	for (unsigned int rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
		if (!has_case(rule) && !is_tested_elsewhere(rule))
			strbuf_add_format(&needless, " %s", rule_name(rule));
	if (needless.length)
		fail_msg("rules without a case (name them in its RULES line, see "
			 "tests/README.md):%s",
			 needless.data);
}

/* Returns true if the case fails without the rule, or may do so with a compiler that is not here.
 * Some rules need the library, which kept programs lack. */
static bool needs_rule(const struct case_file *file, const char *rule)
{
	_cleanup_strbuf_ struct strbuf complaints = STRBUF_INIT;

	for (size_t i = 0; i < file->run_count && !complaints.length; i++) {
		struct case_run run = file->runs[i];

		const struct compilation *compilation = find_compilation(file, &run);

		if (!compilation || compilation->is_kept)
			return true;
		_cleanup_free_ char *off = xasprintf("%s%s%s", run.no_rules ? run.no_rules : "",
						     run.no_rules ? "," : "", rule);

		run.no_rules = off;
		check_run(file, &run, &complaints);
	}
	return complaints.length;
}

/* Complains of each rule in the case's RULES line without which the case passes. */
static void check_needs(const struct case_file *file, struct strbuf *complaints)
{
	for (size_t i = 0; i < file->rule_count; i++)
		if (!needs_rule(file, file->rules[i]))
			strbuf_add_format(complaints, "%s: passes without the rule %s\n",
					  file->path, file->rules[i]);
}

static void check_case(void **state)
{
	size_t index = (size_t)((struct case_file *)*state - suite.files), done = 0;
	const struct case_file *file = *state;
	struct strbuf complaints = STRBUF_INIT;

	if (suite.errors[index])
		fail_msg("%s", suite.errors[index]);
	for (size_t i = 0; i < file->run_count; i++)
		if (find_compilation(file, &file->runs[i])) {
			check_run(file, &file->runs[i], &complaints);
			done++;
		}
	if (!done)
		skip_because("needs %s%s%s%s", file->since ? file->since : file->runs[0].compiler,
			     file->since ? " or later" : "",
			     file->before_count ? " of an older version" : "",
			     strstr(file->runs[0].flags, LIBCXX_FLAG) ? " with libc++" : "");
	if (!complaints.length)
		check_needs(file, &complaints);
	if (complaints.length)
		fail_msg("\n%s", complaints.data);
	strbuf_deinit(&complaints);
}

/* ---- --show ---- */

/* The answers for one line: each text once, with the runs that gave it. */
struct shown {
	unsigned int line;
	char *text;
	uint32_t runs; /* a bit each */
};

/* The runs of one name. All of them should give the same answers; those that only some give are
 * shown as MAY. */
struct run_group {
	const char *name; /* NULL: without one */
	uint32_t runs;
};

struct showing {
	const struct case_file *file;
	struct shown *shown;
	size_t count;
	struct run_group groups[32];
	size_t group_count;
};

static void note_run(struct showing *showing, const char *name, unsigned int run)
{
	for (size_t i = 0; i < showing->group_count; i++) {
		const char *other = showing->groups[i].name;

		if (name == other || (name && other && strcmp(name, other) == 0)) {
			showing->groups[i].runs |= 1u << run;
			return;
		}
	}
	showing->groups[showing->group_count++] = (struct run_group){ name, 1u << run };
}

static void note_found(struct showing *showing, const struct case_found *found, unsigned int run)
{
	for (size_t i = 0; i < showing->count; i++)
		if (showing->shown[i].line == found->line &&
		    strcmp(showing->shown[i].text, found->text) == 0) {
			showing->shown[i].runs |= 1u << run;
			return;
		}
	showing->shown =
		xrealloc_array(showing->shown, showing->count + 1, sizeof(*showing->shown));
	showing->shown[showing->count++] =
		(struct shown){ found->line, xstrdup(found->text), 1u << run };
}

static bool is_given_by(const struct shown *shown, const struct run_group *group)
{
	return (shown->runs & group->runs) == group->runs;
}

static bool groups_agree(const struct showing *showing, unsigned int line)
{
	for (size_t i = 0; i < showing->count; i++)
		for (size_t j = 1; j < showing->group_count && showing->shown[i].line == line; j++)
			if (is_given_by(&showing->shown[i], &showing->groups[j]) !=
			    is_given_by(&showing->shown[i], &showing->groups[0]))
				return false;
	return true;
}

static void add_item(const struct shown *shown, bool first, const char *marker, const char *label,
		     struct strbuf *text)
{
	static const char unknown[] = "(unknown): ";

	if (first)
		strbuf_add_format(text, "%s%s%s%s: ", text->length ? " " : "", marker,
				  label ? " " : "", label ? label : "");
	else
		strbuf_add_string(text, "; ");
	if (strncmp(shown->text, unknown, strlen(unknown)) == 0)
		strbuf_add_format(text, "none (%s)", shown->text + strlen(unknown));
	else
		strbuf_add_string(text, shown->text);
}

static void add_required(const struct showing *showing, const struct run_group *group,
			 const char *label, unsigned int line, struct strbuf *text)
{
	bool any = false;

	for (size_t i = 0; i < showing->count; i++)
		if (showing->shown[i].line == line && is_given_by(&showing->shown[i], group)) {
			add_item(&showing->shown[i], !any, "EXPECT", label, text);
			any = true;
		}
	if (label && !any)
		strbuf_add_format(text, "%sEXPECT %s: nothing", text->length ? " " : "", label);
}

/* Appends the answers that some runs of a group give, and others do not. */
static void add_possible(const struct showing *showing, unsigned int line, struct strbuf *text)
{
	bool any = false;

	for (size_t i = 0; i < showing->count; i++) {
		bool partly = false;

		if (showing->shown[i].line != line)
			continue;
		for (size_t j = 0; j < showing->group_count; j++)
			partly |= (showing->shown[i].runs & showing->groups[j].runs) &&
				  !is_given_by(&showing->shown[i], &showing->groups[j]);
		if (!partly)
			continue;
		add_item(&showing->shown[i], !any, "MAY", NULL, text);
		any = true;
	}
}

static void add_answers(const struct showing *showing, unsigned int line, struct strbuf *text)
{
	bool agree = groups_agree(showing, line);

	for (size_t i = 0; i < showing->group_count && (i == 0 || !agree); i++)
		add_required(showing, &showing->groups[i], agree ? NULL : showing->groups[i].name,
			     line, text);
	add_possible(showing, line, text);
}

#define COLUMNS_MAX 110

/* Returns the columns of a text, in which a tab counts as eight. */
static size_t columns(const char *text, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count = text[i] == '\t' ? (count / 8 + 1) * 8 : count + 1;
	return count;
}

/* Prints the line with `answers` instead of its old ones: at its end if there is room, else below
 * it. */
static void show_line(const struct case_file *file, unsigned int line, const char *answers)
{
	const char *text = line ? file->lines[line - 1] : "";
	size_t length = strlen(text);

	if (strstr(text, "// EXPECT:") || strstr(text, "// EXPECT ") || strstr(text, "// MAY")) {
		case_line_code(text, &length);
		if (!length)
			return;
	}
	printf("%.*s", (int)length, text);
	if (*answers && columns(text, length) + strlen(answers) + 4 > COLUMNS_MAX)
		printf("\n%.*s// %s", (int)strspn(text, "\t "), text, answers);
	else if (*answers)
		printf(" // %s", answers);
	printf("\n");
}

static void show(const struct case_file *file)
{
	struct showing showing = { .file = file };

	for (unsigned int i = 0; i < file->run_count && i < 32; i++) {
		struct case_answers answers;
		const struct compilation *compilation = find_compilation(file, &file->runs[i]);

		if (!compilation)
			continue;
		if (compilation->failure) {
			printf("%s\n", compilation->failure);
			continue;
		}
		note_run(&showing, file->runs[i].name, i);
		case_answers_read(file, &file->runs[i], compilation->object, &answers);
		for (size_t j = 0; j < answers.found_count; j++)
			if (!is_compilers_own(&answers.found[j]))
				note_found(&showing, &answers.found[j], i);
		case_answers_deinit(&answers);
	}
	for (unsigned int line = 1; line <= file->line_count; line++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		add_answers(&showing, line, &text);
		show_line(file, line, text.data);
	}
	for (size_t i = 0; i < showing.count; i++)
		free(showing.shown[i].text);
	free(showing.shown);
}

/* ---- all of them ---- */

static int check_all(bool with_rules)
{
	_cleanup_free_ struct CMUnitTest *tests = xcalloc(suite.file_count + 1, sizeof(*tests));
	size_t count = suite.file_count;

	for (size_t i = 0; i < suite.file_count; i++)
		tests[i] = (struct CMUnitTest){ .name = suite.files[i].name,
						.test_func = check_case,
						.initial_state = &suite.files[i] };
	if (with_rules)
		tests[count++] = (struct CMUnitTest){ .name = "each rule has a case",
						      .test_func = check_rules };
	return _cmocka_run_group_tests("cases", tests, count, NULL, NULL);
}

int main(int argc, char **argv)
{
	bool showing = argc > 1 && strcmp(argv[1], "--show") == 0;
	glob_t all = { 0 };
	int status = 0;

	argc -= 1 + showing;
	argv += 1 + showing;
	if (!argc) {
		glob(CASES "*.{c,cc,rs,S}", GLOB_BRACE, NULL, &all);
		argc = (int)all.gl_pathc;
		argv = all.gl_pathv;
	}
	suite_init(argv, (size_t)argc);
	for (size_t i = 0; showing && i < suite.file_count; i++)
		show(&suite.files[i]);
	if (!showing)
		status = check_all(all.gl_pathc > 0);
	suite_deinit();
	globfree(&all);
	return status;
}
