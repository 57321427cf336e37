// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof from the outside: what it prints, where, and with which exit status. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/access_recorder.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

static char *folder, *program, *data;

static char *in_folder(const char *name)
{
	return xasprintf("%s/%s", folder, name);
}

static int set_up(void **state)
{
	static const char *const functions[] = { "sum", NULL };
	_cleanup_process_ struct process_result result = { 0 };
	size_t samples;

	(void)state;
	folder = scratch_create();
	program = in_folder("list");
	data = in_folder("perf.data");
	process_run((const char *const[]){ process_compiler(), "-O0", "-g", "-Wl,--build-id", "-o",
					   program, "tests/workloads/summed_list.c", NULL },
		    &result);
	if (result.status)
		return -1;

	struct error *error = access_recorder_write(
		&(struct access_request){
			.object = program, .output = data, .functions = functions },
		&samples);

	if (error)
		print_error("%s\n", error->message);
	return error ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_remove(folder);
	free(program);
	free(data);
	return 0;
}

/* Run through the shell; %D is dtprof, %F the recording, %P the program, %T the folder. */
static void run(struct process_result *result, const char *command)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	for (; *command; command++) {
		if (*command != '%') {
			strbuf_add_char(&text, *command);
			continue;
		}
		command++;
		strbuf_add_string(&text, *command == 'D'   ? dtprof_path()
					 : *command == 'F' ? data
					 : *command == 'P' ? program
							   : folder);
	}
	process_shell(text.data, result);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

static void assert_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' in:\n%s", part, text);
}

/*
 * The command fails with this status, prints this to standard error, and nothing to standard
 * output.
 */
static void assert_refused(const char *command, int status, const char *message)
{
	_cleanup_process_ struct process_result result = { 0 };

	run(&result, command);
	assert_has(result.errors.data, message);
	process_check_status(&result, status);
	assert_string_equal(result.output.data, "");
}

static void assert_prints(const char *command, const char *part)
{
	_cleanup_process_ struct process_result result = { 0 };

	run(&result, command);
	if (result.status)
		fail_msg("%s: status %d: %s", command, result.status, result.errors.data);
	assert_has(result.output.data, part);
}

static void test_unknown_fields(void **state)
{
	(void)state;
	assert_refused("%D script -i %F -F sim", 129, "script: -F: unknown field 'sim'; did you");
}

/* Explanations of --help fit a terminal of 80 columns, which is assumed if there is none. */
static void test_help_fits_terminals(void **state)
{
	static const char *const commands[] = {
		"",     "record", "report",      "annotate",       "mem report", "c2c report",
		"diff", "layout", "script",      "check",          "export",     "archive",
		"list", "lock",   "lock report", "lock contention"
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *command = xasprintf("%%D %s --help", commands[i]);

		run(&result, command);
		for (char *line = strtok(result.output.data, "\n"); line; line = strtok(NULL, "\n"))
			if (strncmp(line, "Usage: ", 7) != 0 && strlen(line) > 80)
				fail_msg("%s: %s", command, line);
	}
}

/* Names that select nothing are errors that tell what there is; a type's spelling may differ a
 * little. */
static void test_names_that_no_sample_has(void **state)
{
	_cleanup_process_ struct process_result near = { 0 }, some = { 0 };

	(void)state;
	assert_refused("%D report -i %F -s type --types=noed", 1, "did you mean 'node'?");
	assert_refused("%D report -i %F -s type --types=", 129, "--types: needs a name");
	assert_refused("%D report -i %F -s type --types=,", 129, "--types: needs a name");
	assert_refused("%D annotate -i %F --stdio --data-type=", 1, "the name is empty");
	assert_refused("%D layout -i %F --type=", 1, "the name is empty");
	/* "node" is in the word, but not as a word of it */
	assert_refused("%D report -i %F -s type --types=snodelike", 1,
		       "those with the most samples are");
	assert_refused("%D report -i %F -s type --types=my_node", 1, "did you mean 'node'?");
	assert_refused("%D report -i %F -s type --types=zebra", 1,
		       "--types: no sample is known to access a type 'zebra'; those with the most "
		       "samples are '");
	assert_refused("%D report -i %F -S smu", 1,
		       "no sample is in a function 'smu'; did you mean 'sum'?");
	assert_refused("%D report -i %F -c nobody", 1,
		       "--comms: no sample is of a command 'nobody'");
	assert_refused("%D report -i %F -d libz.so", 1, "those with the most samples are 'list'");
	assert_refused(
		"%D annotate -i %F --data-type=zebra", 1,
		"no sample is known to access a type 'zebra'; those with the most samples are '");
	/* all instances of a template are not what one instance asks for */
	assert_refused("%D annotate -i %F --data-type='Node<int>'", 1,
		       "no sample is known to access a type 'Node<int>'; did you mean 'node'?");
	run(&near, "%D report -i %F -s type --types=Node");
	process_check_status(&near, 0);
	assert_has(near.errors.data, "no type 'Node' is accessed: taking 'node'");
	assert_has(near.output.data, "struct node");
	/* one of several is a warning */
	run(&some, "%D report -i %F -s sym -S sum,smu");
	process_check_status(&some, 0);
	assert_has(some.errors.data, "did you mean 'sum'?");
	assert_has(some.output.data, "] sum");
}

static void test_output_file_and_rows(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	run(&result,
	    "%D report -i %F -s typeoff --max-rows 1 -o %T/table && grep -vc '^#\\|^$' %T/table");
	process_check_status(&result, 0);
	assert_string_equal(result.output.data, "1\n");
	/* without a type, the code of all functions; with one, the type */
	assert_prints("%D annotate -i %F --stdio", "Disassembly of list");
	assert_prints("%D annotate -i %F --stdio --data-type=node", "Annotate type: 'struct node'");
	/* as in pahole, a name is a type */
	assert_prints("%D annotate -i %F --stdio --layout node", "struct node {");
	assert_refused("%D annotate -i %F --stdio --layout noed", 1, "did you mean 'node'?");
	assert_refused("%D annotate -i %F --stdio --data-type='struct noed'", 1,
		       "did you mean 'node'?");
}

/* A program that is compiled anew, and then deleted, keeps its types: record keeps a copy. */
static void test_objects_are_kept(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, gone = { 0 };

	(void)state;
	run(&result, "export HOME=%T/home; mkdir $HOME; cd %T && printf 'struct kept { long first, "
		     "sum; } s; "
		     "int main(void) { for (long i = 0; i < 300000000; i++) s.sum += i; return 0; "
		     "}' > kept.c && "
		     "cc -O0 -g -Wl,--build-id -o kept kept.c && %D record -e cpu-clock -o "
		     "kept.data ./kept");
	if (result.status)
		skip_because("this machine cannot record cpu-clock");
	run(&gone,
	    "export HOME=%T/home; rm %T/kept; %D report -i %T/kept.data -s type,sym -d kept; "
	    "ls $HOME/.debug%T/kept/*");
	assert_has(gone.output.data, "struct kept");
	assert_has(gone.output.data, "] main");
	assert_has(gone.output.data, "elf");
}

/* HOME may name a folder that does not exist, as for users of services: then nothing is kept. */
static void test_a_home_is_never_made(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, made = { 0 };

	(void)state;
	run(&result, "HOME=%T/absent/home %D record -e cpu-clock -o %T/homeless.data sh -c 'i=0; "
		     "while [ $i -lt 300000 ]; do i=$((i+1)); done'");
	if (result.status)
		skip_because("this machine cannot record cpu-clock");
	run(&made, "%D report -i %T/homeless.data -s dso; ls %T/absent");
	assert_has(made.output.data, "%");
	assert_has(made.errors.data, "No such file");
}

static void test_help(void **state)
{
	(void)state;
	assert_prints("%D --help", "    report ");
	assert_prints("%D -h", "Usage: dtprof [OPTIONS] COMMAND");
	assert_prints("%D help report", "Usage: dtprof report [OPTIONS]");
	assert_prints("%D help", "Commands:");
	assert_prints("%D help --help", "Commands:");
	assert_prints("%D list --help", "Usage: dtprof list [OPTIONS] [rules | hw |");
	assert_prints("%D list rules", "\n  far-scalar\n");
	assert_refused("%D report -i %F --no-rule=far", 129, "--no-rule: no rule 'far'");
	assert_prints("%D report --help", "typeoff ");
	assert_prints("%D annotate -h", "--type-stat");
	assert_prints("%D --version", "dtprof version ");
	assert_prints("%D --version -v", "libelf");
}

static void test_what_is_not_understood(void **state)
{
	(void)state;
	assert_refused("%D reprot", 129,
		       "dtprof: 'reprot' is not a dtprof command; did you mean 'report'?\n");
	assert_refused("%D --hepl", 129, "unknown option --hepl");
	assert_refused("%D help xyzzy", 129, "dtprof help: 'xyzzy' is not a dtprof command");
	assert_refused("%D report -s tpye", 129,
		       "dtprof report: unknown --sort key 'tpye'; did you mean 'type'?\n");
	assert_refused("%D report --srot type", 129, "did you mean --sort?");
	assert_refused("%D report --no-pager", 129,
		       "goes before the command: dtprof --no-pager report");
	assert_refused("%D report %F", 129, "-i FILE names a file to read");
	assert_refused("%D report -t . -i %F", 129, "the separator may not be '.' or empty");
	assert_refused("%D report --color=red", 129, "--color: 'red' is not auto, always or never");
	assert_refused("%D annotate --debug everything", 129,
		       "'everything' is unknown; the only key is type-profile");
	assert_refused("%D --debug everything report", 129,
		       "'everything' is unknown; the only key is type-profile");
	assert_refused("%D record -c 0 true", 129,
		       "-c takes a number of events, at least 1, not '0'");
	assert_refused("%D record -c x true", 129,
		       "-c takes a number of events, at least 1, not 'x'");
	assert_refused("%D report --symfs=/,round", 129,
		       "--symfs: 'round' is not a layout; the layouts are hierarchy and flat");
	assert_refused("%D report -i %F --symfs %T/nowhere", 129,
		       "/nowhere: No such file or directory");
	assert_refused("%D report -i %F --symfs %P", 129, "is not a folder");
	assert_refused("%D report -i %F -s ''", 129, "--sort: keys are missing");
	assert_refused("%D report -i %F -k /bin/sh", 1, "/bin/sh is a program, not a kernel");
	assert_refused("%D annotate --symfs ,flat", 129,
		       "--symfs: a folder is missing before ',flat'");
	assert_refused("%D report --pid=x", 129,
		       "--pid takes numbers separated by commas, not 'x'");
}

static void test_what_cannot_be_read(void **state)
{
	(void)state;
	assert_refused("%D report -i %T/none", 1, "none: No such file or directory\n");
	assert_refused("%D report -i %F --kallsyms %T/none", 1,
		       "none: No such file or directory\n");
	assert_refused("%D report -i %F -s dso,sym -k %T/none", 1,
		       "none: No such file or directory\n");
	assert_refused("%D annotate -i %F -k %T", 1, ": not a regular file\n");
	assert_refused("%D report -i %F -k %F", 1, ": not an ELF file but a perf.data file\n");
	assert_refused("%D report -i %P", 1, "is not a perf.data file");
	assert_refused("cd %T && mkdir -p empty && cd empty && %D report", 1,
		       "'dtprof record' makes a perf.data file");
	assert_refused("%D annotate -i %F --data-type=nod", 1,
		       "a type 'nod'; did you mean 'node'?");
}

static void test_table(void **state)
{
	(void)state;
	assert_prints("%D report -i %F -s comm,dso,sym",
		      "#\n"
		      "# Overhead  Command   Shared Object  Symbol \n"
		      "# ........  ........  .............  .......\n"
		      "#\n"
		      "   100.00%  recorded  list           [.] sum\n"
		      "\n");
	assert_prints("%D report -i %F -s typeoff", "%  struct node +8 (key)\n");
	assert_prints("%D report -i %F -s typeoff --hex", "%  struct node +0x8 (key)\n");
	assert_prints("%D report -i %F -s type,typeoff --hierarchy -q",
		      "%     struct node +0 (next)\n");
	assert_prints("%D report -i %F -t '|' -s dso,typeoff",
		      "|list         |struct node +8 (key)\n");
	assert_prints("cat %F | %D report -i - -s type", "struct node");
	assert_prints("cat %F | %D report -s type", "struct node");
	assert_prints("%D report -i %F --header-only", "# captured on    : ");
	assert_prints("cp %F %T/old && touch -d '2001-02-03 04:05' %T/old && %D report -i - "
		      "--header-only <%T/old",
		      "# captured on    : Sat Feb  3 04:05:00 2001\n");
	/* the header of a pipe has the time at which it was made */
	assert_prints("cat %F | %D report -i - --header-only | sed -n '1p;3p'",
		      "# ========\n# header version : 1\n");
	assert_prints("%D report -i %F --dsos list", "# dso: list\n");
}

static void test_annotated_type(void **state)
{
	(void)state;
	assert_prints("%D annotate -i %F --data-type=node",
		      "    0.00      16    16      char[]       name;\n");
	/* the compiler puts the bitfield after the name */
	assert_prints("%D annotate -i %F --data-type='struct node'",
		      "    0.00      32     1      int          used:3;\n");
	assert_prints("%D annotate -i %F --data-type=entry", "Annotate type: 'struct node' in ");
	assert_prints("%D annotate -i %F --data-type='no*'", "Annotate type: 'struct node' in ");
	assert_prints("%D annotate -i %F --type-stat", "How types were found\n");
	assert_prints("%D annotate -i %F --insn-stat", "Name/opcode ");
}

static void test_story(void **state)
{
	static const char *const commands[] = { "%D --debug type-profile report -i %F -s type",
						"%D report --debug=type-profile -i %F -s type" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		_cleanup_process_ struct process_result result = { 0 };

		run(&result, commands[i]);
		process_check_status(&result, 0);
		assert_has(result.errors.data, "find data type for ");
		assert_has(result.errors.data, " at sum+0x");
		assert_lacks(result.output.data, "find data type for ");
	}
}

static void test_no_debug_information(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, quiet = { 0 };

	(void)state;
	run(&result, "cp %P %T/kept && strip -g %P && %D report -i %F -s type; cp %T/kept %P");
	process_check_status(&result, 0);
	assert_has(result.errors.data,
		   "dtprof report: warning: 2 samples (20.0%) are in objects without debug "
		   "information: build with -g: list\n");
	assert_has(result.errors.data, "20.0% of the samples have no type: 20.0% list without "
				       "debug information\n");
	assert_has(result.output.data, "(unknown)");
	run(&quiet, "strip -g %P && %D report -q -i %F -s type; cp %T/kept %P");
	assert_string_equal(quiet.errors.data, "");
}

/* Creates $at, the program's folder in a new cache %T/cache. */
#define IN_CACHE                                                                                   \
	"id=$(readelf -n %P | sed -n 's/.*Build ID: //p') && "                                     \
	"at=%T/cache/.build-id/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-) && mkdir -p $at && "

/* The program is only in a cache of perf, and not in the default one. */
static void test_copies_by_build_id(void **state)
{
	_cleanup_process_ struct process_result report = { 0 }, annotate = { 0 }, elsewhere = { 0 };

	(void)state;
	run(&report,
	    IN_CACHE "mv %P $at/elf && %D --buildid-dir %T/cache report -i %F -s sym,type");
	run(&annotate, "%D --buildid-dir=%T/cache annotate -i %F --data-type=node");
	run(&elsewhere,
	    "%D --buildid-dir %T report -i %F -s sym,type; mv %T/cache/.build-id/*/*/elf %P; "
	    "rm -r %T/cache");
	assert_has(report.output.data, "struct node");
	assert_has(annotate.output.data, " key;");
	assert_lacks(elsewhere.output.data, "struct node");
	assert_refused("%D --buildid-dir", 129, "--buildid-dir needs ");
}

/* The unstripped program of the same build id, from before it was stripped. */
static void test_stripped_program_with_a_copy(void **state)
{
	static const char *const commands[] = {
		/* the program, its debug file, and the program in the layout of an older perf */
		"cp %P $at/elf",
		"objcopy --only-keep-debug %P $at/debug && cp %P $at/elf && strip $at/elf",
		"rmdir $at && cp %P $at",
	};
	_cleanup_process_ struct process_result symbols = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *report =
			xasprintf("%scp %%P %%T/kept && %s && strip %%P && "
				  "%%D --buildid-dir %%T/cache report -i %%F -s sym,type; "
				  "mv %%T/kept %%P; rm -r %%T/cache",
				  IN_CACHE, commands[i]);

		run(&result, report);
		assert_string_equal(result.errors.data, "");
		assert_has(result.output.data, "] sum ");
		assert_has(result.output.data, "struct node");
	}
	/* a program with symbols only */
	run(&symbols, IN_CACHE "cp %P %T/kept && strip -g %P && cp %P $at/elf && strip %P && "
			       "%D --buildid-dir %T/cache report -i %F -s sym,type; "
			       "mv %T/kept %P; rm -r %T/cache");
	assert_has(symbols.output.data, "] sum ");
	assert_has(symbols.errors.data,
		   "are in objects without debug information: build with -g: ");
}

/* Writes a recording with one sample for each access of the functions, a NULL-terminated list. */
static void record_accesses(const char *object, const char *const *functions, const char *recording)
{
	size_t samples;

	assert_null(access_recorder_write(&(struct access_request){ .object = object,
								    .output = recording,
								    .functions = functions },
					  &samples));
}

/* Compiles sources in the test's folder; each object has these flags. */
static void build_shared(const char *flags, const char *output, const char *sources)
{
	_cleanup_free_ char *command =
		xasprintf("cd %s && g++ -O1 -shared -fPIC -Wl,--build-id %s -o %s %s", folder,
			  flags, output, sources);
	_cleanup_process_ struct process_result built = { 0 };

	process_shell(command, &built);
	if (built.status)
		fail_msg("%s: %s", command, built.errors.data);
}

/* Line tables without types are named as the reason, with the option that gives types. */
static void test_lines_only(void **state)
{
	static const char *const functions[] = { "sum", NULL };
	_cleanup_free_ char *object = in_folder("lines"), *recording = in_folder("lines.data");
	_cleanup_process_ struct process_result built = { 0 }, whole = { 0 }, lines = { 0 };

	(void)state;
	run(&whole, "%D report -i %F -s type");
	assert_lacks(whole.errors.data, "line tables");
	process_run((const char *const[]){ process_compiler(), "-O1", "-g1", "-Wl,--build-id", "-o",
					   object, "tests/workloads/summed_list.c", NULL },
		    &built);
	process_check_status(&built, 0);
	record_accesses(object, functions, recording);
	run(&lines, "%D report -i %T/lines.data -s type");
	assert_has(lines.errors.data, "in code with line tables only: build with -g, not -g1");
	assert_has(lines.output.data, "line tables only in the debug information");
}

/* Assemblers describe functions and lines, and no types: nobody is told to build with -g. */
static void test_no_types(void **state)
{
	static const char *const functions[] = { "sum", NULL };
	_cleanup_free_ char *object = in_folder("assembled"), *recording = in_folder("asm.data");
	_cleanup_process_ struct process_result built = { 0 }, result = { 0 };

	(void)state;
	need_compiler("gcc");
	run(&built, "gcc -O1 -S -o %T/sum.s tests/workloads/summed_list.c && "
		    "gcc -g -Wl,--build-id -o %T/assembled %T/sum.s");
	process_check_status(&built, 0);
	record_accesses(object, functions, recording);
	run(&result, "%D report -i %T/asm.data -s type");
	assert_has(result.errors.data, "code whose debug information has no types");
	assert_has(result.errors.data, "describes no types");
	assert_lacks(result.errors.data, "build with -g");
}

/* The records of Swift have no members in the debug information, whatever the options. */
static void test_no_members(void **state)
{
	static const char *const functions[] = { "load", NULL };
	_cleanup_free_ char *object = in_folder("swift"), *recording = in_folder("swift.data");
	_cleanup_process_ struct process_result built = { 0 }, result = { 0 };

	(void)state;
	need_compiler("gcc");
	/* as swiftc writes it: DW_LANG_Swift is 0x1e */
	run(&built, "gcc -O1 -g -dA -S -o %T/swift.s tests/workloads/unknown_base.c && "
		    "sed -i 's/0x[0-9a-f]*\\t# DW_AT_language$/0x1e/' %T/swift.s && "
		    "gcc -Wl,--build-id -o %T/swift %T/swift.s");
	process_check_status(&built, 0);
	record_accesses(object, functions, recording);
	run(&result, "%D report -i %T/swift.data -s type");
	assert_has(result.errors.data, "that of Swift no members");
	assert_lacks(result.errors.data, "build with -g");
}

/* Classes that are only declared are named, with what gives their fields. */
static void test_only_declared(void **state)
{
	static const char source[] = "struct node { virtual ~node(); long key; };\n"
				     "extern \"C\" long key_of(node *n) { return n->key; }\n";
	static const char *const functions[] = { "key_of", NULL };
	_cleanup_free_ char *object = in_folder("declared.so"), *file = in_folder("declared.cc"),
			    *recording = in_folder("declared.data");
	_cleanup_process_ struct process_result built = { 0 }, declared = { 0 };

	(void)state;
	need_compiler("g++");
	file_write(file, source, sizeof(source) - 1);
	process_run((const char *const[]){ "g++", "-O1", "-g", "-shared", "-fPIC", "-Wl,--build-id",
					   "-o", object, file, NULL },
		    &built);
	process_check_status(&built, 0);
	record_accesses(object, functions, recording);
	run(&declared, "%D report -i %T/declared.data -s type");
	assert_has(declared.errors.data, "only declared in the units that use them, such as node:");
	assert_has(declared.errors.data, "-fstandalone-debug");
	assert_has(declared.output.data, "node");
}

/* The definition of a class that a program only declares is in the library that has its virtual
 * table. If that library has no debug information, it is named. */
static void test_declared_here_defined_there(void **state)
{
	static const char class[] = "struct node { virtual ~node(); long uses, key; };\n";
	static const char user[] = "#include \"node.h\"\n"
				   "extern \"C\" long key_of(node *n) { return n->key; }\n";
	static const char owner[] = "#include \"node.h\"\nnode::~node() {}\n";
	static const char *const functions[] = { "key_of", NULL };
	static const struct {
		const char *flags, *library, *field, *message;
	} builds[] = {
		{ "-g", "there.so", "node +16 (key)", NULL },
		{ "", "there.so", "node +16 (no field)",
		  "install the debug information of there.so, which has its virtual table" },
		{ "", NULL, "node +16 (no field)",
		  "build the file that defines their virtual functions with -g" },
	};
	_cleanup_free_ char *here = in_folder("here.so"), *there = in_folder("there.so"),
			    *recording = in_folder("here.data"), *header = in_folder("node.h"),
			    *user_file = in_folder("user.cc"), *owner_file = in_folder("owner.cc");
	size_t samples;

	(void)state;
	need_compiler("g++");
	file_write(header, class, sizeof(class) - 1);
	file_write(user_file, user, sizeof(user) - 1);
	file_write(owner_file, owner, sizeof(owner) - 1);
	build_shared("-g", "here.so", "user.cc");
	for (size_t i = 0; i < COUNT_OF(builds); i++) {
		const struct access_request request = { .object = here,
							.library = builds[i].library ? there : NULL,
							.output = recording,
							.functions = functions };
		_cleanup_process_ struct process_result report = { 0 }, annotate = { 0 };

		build_shared(builds[i].flags, "there.so", "owner.cc");
		assert_null(access_recorder_write(&request, &samples));
		run(&report, "%D report -i %T/here.data -s type,typeoff");
		assert_has(report.output.data, builds[i].field);
		if (builds[i].message) {
			assert_has(report.errors.data, builds[i].message);
			continue;
		}
		assert_lacks(report.errors.data, "only declared");
		run(&annotate, "%D annotate -i %T/here.data --data-type=node --stdio");
		assert_has(annotate.output.data,
			   "100.00      16     8      long int          key;");
	}
	/* the unit of the same object that was built without -g */
	build_shared("-g -c", "user.o", "user.cc");
	build_shared("", "here.so", "user.o owner.cc");
	record_accesses(here, functions, recording);
	_cleanup_process_ struct process_result one = { 0 };

	run(&one, "%D report -i %T/here.data -s type,typeoff");
	assert_has(one.errors.data, "build the file of here.so that defines node::~node with -g");
}

/* The virtual table of a class can be asked for like any type, but its layout is the compiler's. */
static void test_virtual_table_as_a_type(void **state)
{
	static const char source[] =
		"struct shape { virtual long area(); virtual long edge(); long id; };\n"
		"long shape::area() { return id; }\nlong shape::edge() { return id; }\n"
		"extern \"C\" long edge_of(shape *s) { return s->edge() + 1; }\n";
	static const char *const functions[] = { "edge_of", NULL };
	_cleanup_free_ char *object = in_folder("table.so"), *file = in_folder("table.cc"),
			    *recording = in_folder("table.data");
	_cleanup_process_ struct process_result report = { 0 }, annotate = { 0 }, layout = { 0 };

	(void)state;
	need_compiler("g++");
	file_write(file, source, sizeof(source) - 1);
	build_shared("-g", "table.so", "table.cc");
	record_accesses(object, functions, recording);
	run(&report, "%D report -i %T/table.data -s type,typeoff");
	assert_has(report.output.data, "vtable for shape +24 (shape::edge)");
	run(&annotate, "%D annotate -i %T/table.data --stdio --data-type='vtable for shape'");
	assert_has(annotate.output.data, "100.00       0    32  vtable for shape {");
	assert_has(annotate.output.data, "100.00      24     8      void* shape::edge;");
	run(&layout, "%D layout -i %T/table.data --type='vtable for shape'");
	assert_has(layout.output.data, "No advice: the compiler makes it for a class");
}

/* Assembly has no types however it is assembled: nobody is told to build it with -g. */
static void test_assembly(void **state)
{
	static const char *const functions[] = { "sum", NULL };
	_cleanup_free_ char *object = in_folder("assembly"),
			    *recording = in_folder("assembly.data");
	_cleanup_free_ char *command =
		xasprintf("cd %s && %s -O1 -S -o sum.s $OLDPWD/tests/workloads/summed_list.c && "
			  "%s -g -Wl,--build-id -o assembly sum.s",
			  folder, process_compiler(), process_compiler());
	_cleanup_process_ struct process_result built = { 0 }, shown = { 0 };

	(void)state;
	process_shell(command, &built);
	if (built.status)
		fail_msg("%s: %s", command, built.errors.data);
	record_accesses(object, functions, recording);
	run(&shown, "%D report -i %T/assembly.data -s type");
	assert_has(shown.output.data, "(unknown)");
	assert_lacks(shown.errors.data, "line tables");
}

static void test_colours(void **state)
{
	_cleanup_process_ struct process_result piped = { 0 }, wanted = { 0 }, refused = { 0 };

	(void)state;
	run(&piped, "%D report -i %F");
	assert_lacks(piped.output.data, "\033");
	run(&wanted, "NO_COLOR=1 %D report -i %F --color=always");
	assert_has(wanted.output.data, "\033[31m 100.00%\033[m  recorded");
	run(&refused, "%D report -i %F --color=never");
	assert_string_equal(refused.output.data, piped.output.data);
}

static void test_a_reader_that_leaves(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, ignored = { 0 };

	(void)state;
	run(&result, "%D report -i %F --debug=x 2>/dev/null; %D report -i %F -s symoff | true");
	assert_string_equal(result.errors.data, "");
	run(&ignored, "trap '' PIPE; %D report -i %F -s symoff | true");
	assert_string_equal(ignored.errors.data, "");
}

static void test_a_full_disk(void **state)
{
	(void)state;
	assert_refused("%D report -i %F -s symoff >/dev/full", 1,
		       "writing the output: No space left on device\n");
	/* the first of several writes fails, and the last one has nothing to write */
	assert_refused("%D report --help >/dev/full", 1,
		       "writing the output: No space left on device\n");
	assert_refused("%D report -i %F --html=/dev/full", 1,
		       "cannot write '/dev/full': No space left on device\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_output_file_and_rows),
		cmocka_unit_test(test_objects_are_kept),
		cmocka_unit_test(test_a_home_is_never_made),
		cmocka_unit_test(test_help_fits_terminals),
		cmocka_unit_test(test_unknown_fields),
		cmocka_unit_test(test_names_that_no_sample_has),
		cmocka_unit_test(test_what_is_not_understood),
		cmocka_unit_test(test_what_cannot_be_read),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_annotated_type),
		cmocka_unit_test(test_story),
		cmocka_unit_test(test_no_debug_information),
		cmocka_unit_test(test_copies_by_build_id),
		cmocka_unit_test(test_stripped_program_with_a_copy),
		cmocka_unit_test(test_lines_only),
		cmocka_unit_test(test_no_types),
		cmocka_unit_test(test_no_members),
		cmocka_unit_test(test_only_declared),
		cmocka_unit_test(test_declared_here_defined_there),
		cmocka_unit_test(test_virtual_table_as_a_type),
		cmocka_unit_test(test_assembly),
		cmocka_unit_test(test_colours),
		cmocka_unit_test(test_a_reader_that_leaves),
		cmocka_unit_test(test_a_full_disk),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
