// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands at a terminal of 80 columns, report's tables first: one line of heading, aligned
 * columns, long names of C++ without their template arguments, and below the table one line for
 * each kind of trouble. And screens of the browser, in terminals of other sizes and kinds.
 * tests/commands/golden has each screen, without its colours. UPDATE_GOLDEN=1 rewrites them; look
 * at the changes.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "report/text.h"
#include "tests/support/files.h"
#include "tests/support/hit_recorder.h"
#include "tests/support/perf_image.h"
#include "tests/support/process.h"

static const struct hit hits[] = {
	{ "find_name", 0, LOADS, 101, 9, 300, 0 },  { "find_name", 1, LOADS, 101, 1, 4, 0 },
	{ "find_name", 2, LOADS, 101, 3, 4, 0 },    { "find_name", 3, LOADS, 101, 2, 4, 0 },
	{ "find_price", 0, LOADS, 102, 6, 9, 0 },   { "find_price", 1, LOADS, 102, 4, 4, 0 },
	{ "find_price", 1, STORES, 102, 12, 4, 0 }, { NULL, 0, 0, 0, 0, 0, 0 },
};

/* The same accesses in another recording: fewer of one field, and no stores. */
static const struct hit later_hits[] = {
	{ "find_name", 0, LOADS, 101, 40, 300, 0 }, { "find_name", 1, LOADS, 101, 1, 4, 0 },
	{ "find_name", 2, LOADS, 101, 3, 4, 0 },    { "find_price", 0, LOADS, 102, 2, 9, 0 },
	{ "find_price", 1, LOADS, 102, 4, 4, 0 },   { NULL, 0, 0, 0, 0, 0, 0 },
};

static const char *program, *data, *stripped, *other;

static void build(void)
{
	_cleanup_process_ struct process_result result = { 0 };

	program = scratch_file("exchange");
	data = scratch_file("perf.data");
	stripped = scratch_file("stripped.data");
	other = scratch_file("plain");

	_cleanup_free_ char *command =
		xasprintf("g++ -fno-rtti " HIT_PROGRAM_FLAGS
			  " -o %s tests/workloads/screen.cc && cp %s %s && "
			  "mkdir -p %s && echo /. > %s/base-files.list && echo %s > "
			  "%s/exchange-tools:amd64.list",
			  program, program, other, scratch_file("dpkg/info"),
			  scratch_file("dpkg/info"), other, scratch_file("dpkg/info"));

	process_shell(command, &result);
	if (result.status)
		fail_msg("%s: %s", command, result.errors.data);
	hit_recorder_write(program, data, hits);
	hit_recorder_write(other, stripped, hits);

	_cleanup_process_ struct process_result strip = { 0 };
	/* a file that was changed after the recording would not be believed */
	_cleanup_free_ char *strip_command =
		xasprintf("strip --preserve-dates -g %s && touch %s", other, stripped);

	process_shell(strip_command, &strip);
	process_check_status(&strip, 0);
}

static void need_program(void)
{
	need_compiler("g++");
	if (!program)
		build();
}

/* Removes escape sequences, and the scratch folder from paths. */
static void make_plain(struct strbuf *text)
{
	_cleanup_free_ char *old = strbuf_detach(text);
	size_t folder = strlen(scratch_folder());

	for (const char *at = old; *at; at++) {
		if (*at == '\033') {
			at += strcspn(at, "mK");
		} else if (!strncmp(at, scratch_folder(), folder)) {
			strbuf_add_string(text, "DIR");
			at += folder - 1;
		} else {
			strbuf_add_char(text, *at);
		}
	}
}

static void assert_fits(const char *text, size_t columns)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		if (text_columns(text, length) > columns)
			fail_msg("longer than %zu columns: %.*s", columns, (int)length, text);
		text += length + (text[length] == '\n');
	}
}

/* Appends what a command shows, whose exit status must be `status`. */
static void add_screen_text(const char *arguments, unsigned int columns, int status,
			    struct strbuf *screens)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *dtprof = realpath(dtprof_path(), NULL);
	_cleanup_free_ char *command =
		xasprintf("cd %s && DPKG_ADMINDIR=%s DEBUGINFOD_URLS=http://localhost:1 %s %s",
			  scratch_folder(), scratch_file("dpkg"), dtprof, arguments);

	terminal_run(command, columns, 24, &result);
	if (result.status != status)
		fail_msg("%s: %s", command, result.output.data);
	strbuf_add(screens, result.output.data, result.output.length);
}

/* Appends the screen of a command, which must fit, with DIR for the scratch folder. */
static void add_screen(const char *arguments, unsigned int columns, int status,
		       struct strbuf *screens)
{
	_cleanup_strbuf_ struct strbuf screen = STRBUF_INIT;

	add_screen_text(arguments, columns, status, &screen);
	make_plain(&screen);
	assert_fits(screen.data, columns);
	strbuf_add(screens, screen.data, screen.length);
}

static void check_command(const char *name, const char *arguments, unsigned int columns)
{
	_cleanup_strbuf_ struct strbuf screen = STRBUF_INIT;
	_cleanup_free_ char *path = xasprintf("tests/commands/golden/screen-%s.txt", name);

	add_screen(arguments, columns, 0, &screen);
	assert_golden(path, screen.data);
}

static void check(const char *name, const char *options, const char *file, unsigned int columns)
{
	_cleanup_free_ char *arguments =
		xasprintf("report --stdio --blame=sampled -i %s %s", file, options);

	check_command(name, arguments, columns);
}

static void test_types(void **state)
{
	(void)state;
	need_program();
	check("types", "-s type,typeoff --no-group", data, 80);
	check("types-narrow", "-s type,typeoff --no-group", data, 48);
	check("offsets", "-s typeoff", data, 80);
	check("functions", "-s sym,type,typeoff,how", data, 80);
	check("hierarchy", "-s type,typeoff --hierarchy --no-group", data, 80);
	check("levels", "-s sym,{type,typeoff} --hierarchy --no-group", data, 60);
	check("default", "--no-group", data, 80);
	check("chosen", "-s sym,typecln --no-group -c :101 --by weight", data, 80);
}

/* A terminal that does not know its size, as serial lines and some containers give, has 80
 * columns. */
static void test_unknown_width(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	need_program();

	_cleanup_free_ char *command =
		xasprintf("LC_ALL=C.UTF-8 %s report --stdio --blame=sampled -s type,typeoff "
			  "--no-group -i %s",
			  dtprof_path(), data);

	terminal_run(command, 0, 0, &result);
	process_check_status(&result, 0);
	make_plain(&result.output);
	assert_golden("tests/commands/golden/screen-types.txt", result.output.data);
}

/* -v shows names whole on a terminal that is too narrow for them. */
static void test_whole_names(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	need_program();

	_cleanup_free_ char *command = xasprintf(
		"%s report -v --stdio -s type,typeoff --no-group -i %s", dtprof_path(), data);

	terminal_run(command, 48, 24, &result);
	process_check_status(&result, 0);
	assert_non_null(strstr(result.output.data, "market::Allocator<market::Pair<"));
	assert_null(strstr(result.output.data, "\u2026"));
}

static void test_trouble(void **state)
{
	(void)state;
	need_program();
	check("no-debug-information", "-s type,typeoff --no-group", stripped, 80);

	_cleanup_free_ char *elsewhere =
		xasprintf("-s type,typeoff --no-group --symfs %s", scratch_file("dpkg/info"));

	check("no-file", elsewhere, data, 80);
}

/* With -v, each object has a line with its path and its package, below the table as well. */
static void test_trouble_of_each_object(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	const char *table, *trouble, *detail;

	(void)state;
	need_program();

	_cleanup_free_ char *command = xasprintf(
		"DPKG_ADMINDIR=%s DEBUGINFOD_URLS=http://localhost:1 %s report --stdio -v "
		"-s type,typeoff --no-group -i %s",
		scratch_file("dpkg"), dtprof_path(), stripped);

	terminal_run(command, 400, 24, &result);
	process_check_status(&result, 0);
	table = strstr(result.output.data, "(unknown)");
	trouble = strstr(result.output.data,
			 "31 samples (83.8%) are in objects without debug information: ");
	detail = strstr(result.output.data, "\n  31: no debug information in /");
	assert_true(table && trouble > table && detail > trouble);
	assert_non_null(strstr(detail, "/plain: apt install exchange-tools-dbgsym\n"));
}

/* Debian's unstable distribution has the name of the next one: only what apt reads tells them
 * apart. */
static void test_archive_of_debug_packages(void **state)
{
	static const char *const lists[][2] = { { "mirror_dists_sid_InRelease", "unstable-debug" },
						{ "mirror_dists_next_InRelease", "-debug main" } };
	_cleanup_process_ struct process_result debian = { 0 };

	(void)state;
	need_program();
	process_shell("grep -qx ID=debian /etc/os-release && grep -q VERSION_CODENAME= "
		      "/etc/os-release",
		      &debian);
	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *command = xasprintf(
			"mkdir -p %s && touch %s/%s && DPKG_ADMINDIR=%s "
			"DEBUGINFOD_URLS=http://localhost:1 %s report --stdio -v -s type -i %s; "
			"rm -r %s",
			scratch_file("apt/lists"), scratch_file("apt/lists"), lists[i][0],
			scratch_file("dpkg"), dtprof_path(), stripped, scratch_file("apt"));
		const char *line, *unstable;

		terminal_run(command, 400, 24, &result);
		process_check_status(&result, 0);
		line = strstr(result.output.data, lists[i][1]);
		unstable = strstr(result.output.data, "unstable-debug");
		assert_int_equal(line != NULL, !debian.status);
		assert_int_equal(unstable != NULL, !debian.status && !i);
	}
}

/* A screen of each other command that reads recordings, and one of events. */
/* True if the kernel opens software events for this user. */
static bool lists_software(void)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command = xasprintf("%s list sw", dtprof_path());

	process_shell(command, &result);
	return strstr(result.output.data, "page-faults");
}

static void test_commands(void **state)
{
	_cleanup_free_ char *newer = NULL;

	(void)state;
	need_program();
	newer = xstrdup(scratch_file("newer.data"));
	hit_recorder_write(program, newer, later_hits);
	check_command("diff", "diff perf.data newer.data", 80);
	check_command("diff-narrow", "diff perf.data newer.data", 60);
	check_command("mem", "mem report --stdio --no-group -i perf.data", 80);
	check_command("script",
		      "script --blame=sampled -F comm,tid,event,weight,sym,field,how "
		      "-S find_price -i perf.data",
		      80);
	if (lists_software())
		check_command("list", "list sw", 80);
	check_command("script-fields",
		      "script --blame=sampled -F comm,tid,type,field,how -i perf.data", 70);

	/* what the machine has differs, but it fits */
	_cleanup_strbuf_ struct strbuf events = STRBUF_INIT;

	add_screen("record -e list", 80, 0, &events);
	assert_non_null(strstr(events.data, "  chosen because: "));
}

/* Fields of types whose names are longer than the line, nested and not. */
static void test_fields(void **state)
{
	(void)state;
	need_program();
	check_command("fields", "annotate --stdio --data-type=Node -i perf.data", 80);
	check_command("fields-narrow", "annotate --stdio --data-type=Node --by-symbol -i perf.data",
		      56);
	check_command("layout", "annotate --stdio --layout --no-group -i perf.data", 80);
	check_command("layout-narrow",
		      "annotate --stdio --layout --no-group --data-type=Node -i perf.data", 56);
}

/* Removes escape sequences, and replaces tabs by the blanks that a terminal shows for them. */
static void show_text(struct strbuf *text)
{
	_cleanup_free_ char *old = strbuf_detach(text);
	size_t line = 0;

	for (const char *at = old; *at; at++) {
		if (*at == '\033')
			at += strcspn(at, "mK");
		else if (*at == '\t')
			strbuf_add_repeated(text, ' ', 8 - (text->length - line) % 8);
		else if (*at != '\r')
			strbuf_add_char(text, *at);
		if (*at == '\n')
			line = text->length;
	}
}

static void run_at_terminal(const char *arguments, unsigned int columns, struct strbuf *screen)
{
	add_screen_text(arguments, columns, 0, screen);
	/* the folder may have a long name */
	make_plain(screen);
	show_text(screen);
	assert_fits(screen->data, columns);
}

/* Code, its source and the types beside it fit, at the tab stops of a terminal. */
static void test_code(void **state)
{
	static const unsigned int widths[] = { 100, 80, 60 };

	(void)state;
	need_program();
	for (size_t i = 0; i < COUNT_OF(widths); i++) {
		_cleanup_strbuf_ struct strbuf types = STRBUF_INIT, source = STRBUF_INIT;

		run_at_terminal("annotate --stdio --code-with-type --blame=sampled -i perf.data "
				"find_price",
				widths[i], &types);
		assert_non_null(strstr(types.data, "# data-type: "));
		run_at_terminal("annotate --stdio --blame=sampled -i perf.data", widths[i],
				&source);
		assert_non_null(strstr(source.data, "A line of source that is"));
		assert_non_null(strstr(source.data, "broken in two. */"));
	}
}

/* Returns the text without white space and without the signs of comments; the caller frees it. */
static char *without_blanks(const char *text)
{
	struct strbuf rest = STRBUF_INIT;

	for (; *text; text++)
		if (!strchr(" \t\r\n#", *text))
			strbuf_add_char(&rest, *text);
	return strbuf_detach(&rest);
}

/* Code of a JIT compiler has no types, and the screen says so. */
static void test_code_made_at_run_time(void **state)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					      .config = PERF_COUNT_SW_CPU_CLOCK,
					      .sample_period = 1000,
					      .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID };
	const char *const path = scratch_file("jit.data");
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_strbuf_ struct strbuf screen = STRBUF_INIT;
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t size;

	(void)state;
	perf_image_init(&image);
	perf_image_event(&image, &attr, NULL, 0);
	put32(&image.body, 7), put32(&image.body, 7);
	put64(&image.body, 0x10000), put64(&image.body, 0x1000), put64(&image.body, 0);
	put_string(&image.body, "//anon");
	perf_image_record(&image, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	for (int i = 0; i < 3; i++) {
		put64(&image.body, 0x10010);
		put32(&image.body, 7), put32(&image.body, 7);
		perf_image_record(&image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	}
	bytes = perf_image_file(&image, &size);
	file_write(path, bytes, size);
	run_at_terminal("report --stdio -s type -i jit.data", 80, &screen);
	assert_non_null(strstr(screen.data, "3 samples (100.0%) in code that was made at run time "
					    "(by a JIT compiler)"));
}

/* perf's tables of cachelines are as wide as they are, but without rows they have no headings. */
static void test_no_cachelines(void **state)
{
	_cleanup_strbuf_ struct strbuf screen = STRBUF_INIT;

	(void)state;
	need_program();
	run_at_terminal("c2c report --stdio -i perf.data", 80, &screen);
	assert_non_null(strstr(screen.data, "# no cacheline has accesses that -d counts"));
	assert_null(strstr(screen.data, "RmtHitm"));
}

/* Long lines of perf's are broken on a terminal, and have all their words. */
static void test_broken_lines(void **state)
{
	static const char *const commands[] = {
		"report --header-only -i perf.data",
		"script --header-only -i perf.data",
	};

	(void)state;
	need_program();
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		_cleanup_process_ struct process_result piped = { 0 };
		_cleanup_strbuf_ struct strbuf screen = STRBUF_INIT;
		_cleanup_free_ char *dtprof = realpath(dtprof_path(), NULL);
		_cleanup_free_ char *command =
			xasprintf("cd %s && %s %s", scratch_folder(), dtprof, commands[i]);

		run_at_terminal(commands[i], 60, &screen);
		process_shell(command, &piped);
		process_check_status(&piped, 0);

		_cleanup_free_ char *expected = without_blanks(piped.output.data);
		_cleanup_free_ char *shown = without_blanks(screen.data);

		assert_string_equal(shown, expected);
	}
}

/* A sampled place has a line of its own where it does not fit, with the object's name and as much
 * of the function's as there is room for. */
static void test_places(void **state)
{
	_cleanup_strbuf_ struct strbuf wide = STRBUF_INIT, narrow = STRBUF_INIT,
				       whole = STRBUF_INIT;

	(void)state;
	need_program();
	run_at_terminal("script --blame=sampled -F comm,event,ip,sym,dso -i perf.data", 200, &wide);
	assert_null(strstr(wide.data, ": \n"));
	assert_non_null(strstr(wide.data, "/exchange)"));
	run_at_terminal("script --blame=sampled -F comm,event,ip,sym,dso -i perf.data", 60,
			&narrow);
	assert_non_null(strstr(narrow.data, ": \n        "));
	assert_non_null(strstr(narrow.data, " find_price (exchange)\n"));
	add_screen_text("script -v --blame=sampled -F comm,event,ip,sym,dso -i perf.data", 60, 0,
			&whole);
	assert_non_null(strstr(whole.data, "/exchange)"));
}

/* The messages for mistyped words. */
static void test_errors(void **state)
{
	static const struct {
		const char *arguments;
		int status;
	} mistakes[] = {
		{ "repot", 129 },
		{ "report -i nowhere.data", 1 },
		{ "report --stdio -i perf.data -s tpye", 129 },
		{ "report --stdio -i perf.data -S find_prise", 1 },
		{ "report --stdio -i perf.data --symbol-filter=price_of", 1 },
		{ "report --stdio -i perf.data --types=Nope", 1 },
		{ "annotate -i perf.data --stdio --data-type=Ordr", 1 },
		{ "annotate -i perf.data --stdio order", 1 },
		{ "layout -i perf.data --data-type=Ordr", 1 },
		{ "layout order", 129 },
		{ "c2c report -i perf.data", 1 },
		{ "diff", 1 },
		{ "diff perf.data nowhere.data", 1 },
		{ "script -i perf.data -F tpye", 129 },
		{ "script -i perf.data -F ip,cpu,phys_addr", 1 },
		{ "record --user nobody", 129 },
	};
	_cleanup_strbuf_ struct strbuf screens = STRBUF_INIT;

	(void)state;
	need_program();
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		strbuf_add_format(&screens, "$ dtprof %s\n", mistakes[i].arguments);
		add_screen(mistakes[i].arguments, 80, mistakes[i].status, &screens);
	}
	assert_golden("tests/commands/golden/screen-errors.txt", screens.data);
}

/* Perf's form is what programs read, so a pipe has it, and --perf-format shows it at a terminal. */
static void test_perf_format(void **state)
{
	_cleanup_process_ struct process_result terminal = { 0 }, piped = { 0 }, screen = { 0 };
	(void)state;
	need_program();

	_cleanup_free_ char *command =
		xasprintf("%s report --stdio --blame=sampled -i %s -s type,typeoff --no-group",
			  dtprof_path(), data);
	_cleanup_free_ char *forced =
		xasprintf("%s --perf-format --max-name 1000 --color=never", command);
	_cleanup_free_ char *readable = xasprintf("%s --no-perf-format", command);

	process_shell(command, &piped);
	process_check_status(&piped, 0);
	assert_non_null(strstr(piped.output.data, "# Overhead"));
	assert_non_null(strstr(piped.output.data, "::Node +16 (entry_of_this_node.key)"));
	terminal_run(forced, 80, 24, &terminal);
	process_check_status(&terminal, 0);
	assert_string_equal(terminal.output.data, piped.output.data);
	/* so has a file that is written from a terminal */
	_cleanup_free_ char *written = xasprintf("%s -o %s", command, scratch_file("report.txt"));
	_cleanup_process_ struct process_result file = { 0 };
	size_t length;

	terminal_run(written, 80, 24, &file);
	process_check_status(&file, 0);
	_cleanup_free_ uint8_t *bytes = file_read(scratch_file("report.txt"), &length);

	assert_int_equal(length, piped.output.length);
	assert_memory_equal(bytes, piped.output.data, length);
	/* without a terminal, names are not cut */
	process_shell(readable, &screen);
	process_check_status(&screen, 0);
	assert_null(strstr(screen.output.data, "#"));
	assert_non_null(strstr(screen.output.data,
			       "market::Ledger<double, market::Order*, market::Allocator<"));
}

/* ---- the browser ---- */

/* Returns the screen after `keys`; see browser_screen.sh. The caller frees it. */
static char *browse(const char *size, const char *settings, const char *keys)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command = xasprintf("tests/support/browser_screen.sh %s 'env "
						 "DTPROF_CONFIG= DEBUGINFOD_URLS= %s %s report "
						 "--blame=sampled -i %s' %s",
						 size, settings, dtprof_path(), data, keys);

	process_shell(command, &result);
	if (result.status == 77)
		skip_because("tmux does not start here");
	if (result.status || !result.output.length)
		fail_msg("%s: %s%s", command, result.output.data, result.errors.data);
	make_plain(&result.output);
	return strbuf_detach(&result.output);
}

static void check_browser(const char *name, const char *size, const char *settings,
			  const char *keys)
{
	_cleanup_free_ char *path = xasprintf("tests/commands/golden/browser-%s.txt", name);
	_cleanup_free_ char *screen = browse(size, settings, keys);
	size_t length;

	if (getenv("UPDATE_GOLDEN")) {
		file_write(path, screen, strlen(screen));
		return;
	}

	_cleanup_free_ uint8_t *bytes = file_read(path, &length);
	_cleanup_free_ char *expected = xstrndup((const char *)bytes, length);

	if (strcmp(expected, screen))
		print_error("%s (%s, %s, %s):\n%s\n", name, size, settings, keys, screen);
	assert_string_equal(screen, expected);
}

#define UTF8 "LC_ALL=C.UTF-8 TERM=screen"

static void test_browser(void **state)
{
	(void)state;
	if (!process_exists("tmux"))
		skip_because("no tmux here");
	need_program();
	check_browser("types", "80x24", UTF8, "");
	check_browser("wide", "200x60", UTF8, "");
	/* neither colours nor a poor terminal change the text */
	check_browser("types", "80x24", UTF8 " NO_COLOR=1", "");
	check_browser("types", "80x24", "LC_ALL=C.UTF-8 TERM=vt100", "");
	/* a terminal whose size has changed shows the same as one that had this size from the
	 * start */
	check_browser("types", "200x60", UTF8, "=80x24");
	check_browser("wide", "80x24", UTF8, "=200x60");
	check_browser("layout", "80x24", UTF8, "Enter");
	check_browser("layout-ascii", "80x24", "LC_ALL=C TERM=vt100", "Enter");
	check_browser("users", "80x24", UTF8, "2");
	check_browser("stores", "80x24", UTF8, "Tab");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_width),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_whole_names),
		cmocka_unit_test(test_trouble),
		cmocka_unit_test(test_trouble_of_each_object),
		cmocka_unit_test(test_archive_of_debug_packages),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_no_cachelines),
		cmocka_unit_test(test_code_made_at_run_time),
		cmocka_unit_test(test_broken_lines),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_perf_format),
		cmocka_unit_test(test_browser),
	};

	return cmocka_run_group_tests(tests, NULL, scratch_tear_down);
}
