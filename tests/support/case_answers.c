// SPDX-License-Identifier: GPL-2.0-or-later
/* Compiles a case and asks the engine about each of its instructions: see case_answers.h. */
#include "tests/support/unit.h"

#include "tests/support/case_answers.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/rules/rules.h"
#include "annotate/solve/type_resolver.h"
#include "annotate/types/member.h"
#include "disasm/insn.h"
#include "dwarf/btf/btf.h"
#include "base/hash.h"
#include "base/memory.h"
#include "tests/support/btf_of_dwarf.h"
#include "tests/support/files.h"
#include "tests/support/kept.h"
#include "tests/support/process.h"

#define INSN_MAX    20000 /* of one function; a case has a few */
#define INLINED_MAX 16

static void must(struct error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

/* ---- the compiler ---- */

/* The layout of arch/x86/kernel/vmlinux.lds.S, shortened. */
#define KERNEL_LAYOUT                                                                              \
	"SECTIONS { .data..percpu %s : { *(.data..percpu) } . = 0xffffffff81000000; "              \
	".text : { *(.text .text.*) } .rodata : { *(.rodata .rodata.*) } "                         \
	".data : { *(.data .data.*) } .bss : { *(.bss .bss.*) } .notes : { *(.note.*) } "          \
	".eh_frame : { *(.eh_frame) } }"

#define KERNEL_FLAGS                                                                               \
	"-ffreestanding -fno-stack-protector -fcf-protection=none -fno-pic -mcmodel=kernel "       \
	"-mno-sse "                                                                                \
	"-nostdlib -static -no-pie"

/* The calls of functions that are not there lead nowhere. */
#define FIXED_FLAGS "-no-pie -fno-pie -nostdlib -Wl,-e,0 -Wl,--unresolved-symbols=ignore-all"

#define RUST_FLAGS "-C debuginfo=2 --edition 2021 --crate-type cdylib"

static char *command_of(const struct case_file *file, const struct case_run *run,
			const char *object)
{
	if (file->language == CASE_RUST)
		return xasprintf("%s %s " RUST_FLAGS " -o '%s' '%s'", run->compiler, run->flags,
				 object, file->path);
	if (file->kernel)
		return xasprintf("echo '" KERNEL_LAYOUT "' > '%s.lds' && %s -g -w " KERNEL_FLAGS
				 " -Wl,-T,'%s.lds' %s -o '%s' '%s'",
				 file->per_cpu_start ? file->per_cpu_start : "0", object,
				 run->compiler, object, run->flags, object, file->path);
	if (file->fixed)
		return xasprintf("%s -g -w " FIXED_FLAGS " %s -o '%s' '%s'", run->compiler,
				 run->flags, object, file->path);
	return xasprintf("%s -g -w -shared -fPIC %s -o '%s' '%s' -lm", run->compiler, run->flags,
			 object, file->path);
}

char *case_object_path(const struct case_file *file, const struct case_run *run, const char *folder)
{
	_cleanup_free_ char *command = command_of(file, run, "");

	return xasprintf("%s/%s-%016llx.so", folder, file->name,
			 (unsigned long long)hash_bytes(command, strlen(command)));
}

/* Returns a hash of the compiler that a command runs: its path, size and time. */
static uint64_t hash_of_compiler(const char *command)
{
	_cleanup_free_ char *name = xstrndup(command, strcspn(command, " "));
	_cleanup_free_ char *find =
		xasprintf("stat -Lc '%%n %%s %%Y' \"$(command -v '%s')\"", name);
	_cleanup_process_ struct process_result result = { 0 };

	process_shell(find, &result);
	return hash_bytes(result.output.data, result.output.length);
}

/*
 * Returns the path of the run's object from an earlier run of the tests, which the caller frees, or
 * NULL if none is to be kept ($CASE_CACHE is not set). The name tells the command, the compiler and
 * the source. Headers of the system change with the compiler.
 */
static char *cached_object(const struct case_file *file, const struct case_run *run)
{
	const char *folder = getenv("CASE_CACHE");
	_cleanup_free_ char *command = command_of(file, run, "");
	_cleanup_free_ uint8_t *source = NULL;
	uint64_t key;
	size_t size;

	if (!folder || !*folder)
		return NULL;
	source = file_read(file->path, &size);
	key = hash_combine(hash_of_compiler(run->compiler), hash_bytes(source, size));
	key = hash_combine(key, hash_bytes(command, strlen(command)));
	return xasprintf("%s/%s-%016" PRIx64 ".so", folder, file->name, key);
}

char *case_compile(const struct case_file *file, const struct case_run *run, const char *object)
{
	_cleanup_free_ char *command = command_of(file, run, object);
	_cleanup_free_ char *cached = cached_object(file, run);
	_cleanup_process_ struct process_result result = { 0 };

	if (cached && access(cached, R_OK) == 0) {
		file_copy(cached, object);
		return NULL;
	}
	process_shell(command, &result);
	if (result.status)
		return xasprintf("%s\n%s", command, result.errors.data);
	if (cached) {
		_cleanup_free_ char *partial = xasprintf("%s.%d", cached, (int)getpid());

		file_copy(object, partial);
		if (rename(partial, cached))
			unlink(partial);
	}
	return NULL;
}

bool case_unpack(const struct case_file *file, const struct case_run *run, const char *object)
{
	_cleanup_free_ char *command = xasprintf("%s %s " RUST_FLAGS, run->compiler, run->flags);

	return file->language == CASE_RUST && kept_program(file->path, command, object);
}

/* ---- the answers ---- */

struct asked {
	const struct case_file *file;
	const struct case_run *run;
	struct elf_image *image;
	struct debug_object *dwarf; /* for lines; types may come from BTF */
	struct debug_object *debug;
	uint8_t *btf_bytes;
	struct btf *btf;
	struct debug_reader *reader; /* of `dwarf` */
	struct type_resolver *resolver;
	struct decoder *decoder;
};

static void asked_open(struct asked *asked, const char *object)
{
	struct type_resolver_options options = { .threads = 1,
						 .no_infer = asked->run->no_infer,
						 .check = true,
						 .fused = asked->run->fused };
	size_t size;

	must(elf_image_open(object, &asked->image));
	must(debug_object_open(asked->image, asked->image, &asked->dwarf));
	asked->reader = debug_reader_open(asked->dwarf);
	asked->debug = asked->dwarf;
	if (asked->file->btf) {
		asked->btf_bytes =
			btf_of_dwarf(asked->image, asked->dwarf, asked->file->unprototyped,
				     asked->file->unprototyped_count, &size);
		must(btf_open_memory(asked->btf_bytes, size, NULL, asked->file->name, &asked->btf));
		must(btf_object_open(asked->image, asked->btf, &asked->debug));
	}
	must(type_resolver_create(asked->image, asked->debug, &options, &asked->resolver));
	asked->decoder = decoder_create(elf_image_arch(asked->image));
}

static void asked_close(struct asked *asked)
{
	decoder_destroy(asked->decoder);
	type_resolver_destroy(asked->resolver);
	debug_reader_close(asked->reader);
	if (asked->debug != asked->dwarf)
		debug_object_close(asked->debug);
	debug_object_close(asked->dwarf);
	btf_close(asked->btf);
	free(asked->btf_bytes);
	elf_image_close(asked->image);
}

static bool is_case(const struct case_file *file, const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return path && strcmp(slash ? slash + 1 : path, file->name) == 0;
}

/* Returns the innermost line of the case that the code at `address` belongs to, or 0. */
static unsigned int line_of(const struct asked *asked, uint64_t address)
{
	struct inlined_call calls[INLINED_MAX];
	const char *path;
	unsigned int line;

	if (debug_reader_line(asked->reader, address, &path, &line) && is_case(asked->file, path))
		return line;
	for (size_t i = debug_reader_inlined(asked->reader, address, calls, INLINED_MAX); i-- > 0;)
		if (is_case(asked->file,
			    debug_reader_call_file(asked->reader, address, calls[i].call_file)))
			return (unsigned int)calls[i].call_line;
	return 0;
}

static char *text_of(const struct access *access)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;
	struct strbuf text = STRBUF_INIT;

	strbuf_add_string(&text, access_type_name(access));
	if (access->kind == ACCESS_TYPE) {
		strbuf_add_format(&text, " +%lld", (long long)access->offset);
		if (access_member_path(access, &path))
			strbuf_add_format(&text, " (%s)", path.data);
	} else if (access->kind == ACCESS_UNKNOWN || access->kind == ACCESS_NO_CODE) {
		strbuf_add_format(&text, ": %s", access_reason_name(access->reason));
	}
	return strbuf_detach(&text);
}

static void add_found(struct case_answers *answers, const struct asked *asked, size_t function,
		      const struct access *access, const char *insn)
{
	struct case_found *found;

	answers->found = xrealloc_array(answers->found, answers->found_count + 1, sizeof(*found));
	found = &answers->found[answers->found_count++];
	*found = (struct case_found){ .line = line_of(asked, access->address),
				      .function = function,
				      .text = text_of(access),
				      .insn = xstrdup(insn),
				      .kind = access->kind,
				      .how = access->how,
				      .rule = access->rule,
				      .size = access->size,
				      .read = access->read,
				      .write = access->write };
}

/* Returns the index of the function. foo, foo.cold, foo.part.0 and foo.isra.0 are one function in
 * the source. */
static size_t function_of(struct case_answers *answers, const struct symbol *symbol)
{
	size_t length = strcspn(symbol->name, ".");

	for (size_t i = 0; i < answers->function_count; i++)
		if (strlen(answers->functions[i].name) == length &&
		    strncmp(answers->functions[i].name, symbol->name, length) == 0)
			return i;
	answers->functions = xrealloc_array(answers->functions, answers->function_count + 1,
					    sizeof(*answers->functions));
	answers->functions[answers->function_count] =
		(struct case_function){ .name = xstrndup(symbol->name, length),
					.code = STRBUF_INIT };
	return answers->function_count++;
}

/* With `fused` only jumps are asked about. Without it a jump accesses nothing, so any answer for
 * one is wrong. */
static bool is_wanted(const struct asked *asked, const struct insn *insn,
		      const struct access *access)
{
	if (access->kind == ACCESS_NO_MEMORY || access->kind == ACCESS_STACK)
		return false;
	return !asked->run->fused || insn->operation == OP_BRANCH;
}

static void ask_function(struct asked *asked, const struct symbol *symbol,
			 struct case_answers *answers)
{
	size_t available, count = 0, function = function_of(answers, symbol);
	const uint8_t *bytes = elf_image_bytes(asked->image, symbol->address, &available);
	_cleanup_free_ struct insn *insns = xcalloc(symbol->size + 1, sizeof(*insns));
	_cleanup_free_ uint64_t *addresses = xcalloc(symbol->size + 1, sizeof(*addresses));
	_cleanup_free_ struct access *results = xcalloc(symbol->size + 1, sizeof(*results));

	assert_non_null(bytes);
	assert_true(symbol->size <= available);
	for (uint64_t at = 0; at < symbol->size; at += insns[count++].length) {
		decoder_decode(asked->decoder, bytes + at, symbol->size - at, symbol->address + at,
			       &insns[count]);
		addresses[count] = symbol->address + at;
	}
	type_resolver_resolve(asked->resolver, addresses, NULL, count, results);
	for (size_t i = 0; i < count; i++) {
		uint64_t at = addresses[i] - symbol->address;
		char text[160];

		decoder_format(asked->decoder, bytes + at, symbol->size - at, addresses[i], text,
			       sizeof(text));
		strbuf_add_format(&answers->functions[function].code, "%s\n", text);
		if (is_wanted(asked, &insns[i], &results[i])) {
			results[i].address = addresses[i];
			add_found(answers, asked, function, &results[i], text);
		}
	}
}

void case_answers_read(const struct case_file *file, const struct case_run *run, const char *object,
		       struct case_answers *answers)
{
	struct asked asked = { .file = file, .run = run };
	size_t count;

	*answers = (struct case_answers){ 0 };
	if (run->no_rules)
		must(rules_switch_off(run->no_rules));
	asked_open(&asked, object);
	const struct symbol *symbols = elf_image_symbols(asked.image, &count);

	for (size_t i = 0; i < count; i++)
		if (symbols[i].type == STT_FUNC && symbols[i].size && symbols[i].size <= INSN_MAX)
			ask_function(&asked, &symbols[i], answers);
	asked_close(&asked);
	memset(rules_off, 0, sizeof(rules_off));
}

void case_answers_deinit(struct case_answers *answers)
{
	for (size_t i = 0; i < answers->function_count; i++) {
		free(answers->functions[i].name);
		strbuf_deinit(&answers->functions[i].code);
	}
	for (size_t i = 0; i < answers->found_count; i++) {
		free(answers->found[i].text);
		free(answers->found[i].insn);
	}
	free(answers->functions);
	free(answers->found);
}

/* ---- comparing ---- */

static bool mark_holds(const char *mark, const struct case_found *found)
{
	static const char rule[] = "rule ";

	if (strncmp(mark, rule, strlen(rule)) == 0)
		return found->rule != RULE_NONE &&
		       strcmp(mark + strlen(rule), rule_name(found->rule)) == 0;
	if (strcmp(mark, "load") == 0)
		return found->read;
	if (strcmp(mark, "store") == 0)
		return found->write;
	return strcmp(mark, access_how_name(found->how)) == 0;
}

/* True if the answer is one of those that are stated: "A or B". */
static bool is_one_of(const struct case_answer *stated, const char *text)
{
	static const char or [] = " or ";
	const char *wanted = stated->text, *next = wanted;

	for (; next; wanted = next + strlen(or)) {
		next = strstr(wanted, or);
		size_t length = next ? (size_t)(next - wanted) : strlen(wanted);

		if (strncmp(text, wanted, length) == 0 &&
		    (!text[length] || (stated->prefix && !next)))
			return true;
	}
	return false;
}

bool case_answer_matches(const struct case_answer *stated, const struct case_found *found)
{
	static const char nothing[] = "none";
	const char *text = found->text, *wanted = stated->text;
	char *save = NULL;

	if (strncmp(wanted, nothing, strlen(nothing)) == 0 && (!wanted[4] || wanted[4] == ' ')) {
		static const char unknown[] = "(unknown): ";
		size_t length = strlen(wanted);

		if (strncmp(text, unknown, strlen(unknown)) != 0)
			return false;
		text += strlen(unknown);
		if (length > 6 && (strncmp(text, wanted + 6, length - 7) != 0 || text[length - 7]))
			return false;
	} else if (!is_one_of(stated, text)) {
		return false;
	}
	_cleanup_free_ char *marks = xstrdup(stated->marks ? stated->marks : "");

	for (char *mark = strtok_r(marks, ",", &save); mark; mark = strtok_r(NULL, ",", &save))
		if (!mark_holds(mark + strspn(mark, " "), found))
			return false;
	return true;
}
