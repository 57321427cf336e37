// SPDX-License-Identifier: GPL-2.0-or-later
/* A few lines of source and what the type engine says of them: see snippet.h. */
#include "tests/support/snippet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "annotate/type_resolver.h"
#include "annotate/member.h"
#include "dwarf/btf/btf.h"
#include "disasm/insn.h"
#include "profiler/base/memory.h"
#include "tests/support/process.h"

#define INSN_MAX 20000

/* As arch/x86/kernel/vmlinux.lds.S has it, in short. */
#define KERNEL_LAYOUT                                                                                        \
	"SECTIONS { .data..percpu %s : { *(.data..percpu) } . = 0xffffffff81000000; "                        \
	".text : { *(.text .text.*) } .rodata : { *(.rodata .rodata.*) } "                                   \
	".data : { *(.data .data.*) } .bss : { *(.bss .bss.*) } .notes : { *(.note.*) } "                    \
	".eh_frame : { *(.eh_frame) } }"

static void must(struct error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

static bool is_rust(const struct snippet *snippet)
{
	return snippet->language && strcmp(snippet->language, "rust") == 0;
}

static const char *compiler_of(const struct snippet *snippet)
{
	if (snippet->compiler)
		return snippet->compiler;
	if (is_rust(snippet))
		return "rustc";
	return snippet->language && strcmp(snippet->language, "c++") == 0 ? "c++" : "cc";
}

static char *command_of(const struct snippet *snippet, const char *folder, const char *object,
			const char *source)
{
	const char *compiler = compiler_of(snippet);

	if (is_rust(snippet))
		return xasprintf(
			"cd '%s' && %s -C debuginfo=2 --edition 2021 --crate-type cdylib %s -o '%s' '%s'",
			folder, compiler, snippet->flags ? snippet->flags : "-C opt-level=3", object, source);
	if (snippet->kernel)
		return xasprintf(
			"cd '%s' && echo '" KERNEL_LAYOUT "' > layout.lds && "
			"%s -g -w %s -ffreestanding -fno-stack-protector -fcf-protection=none -fno-pic "
			"-mcmodel=kernel -mno-sse -nostdlib -static -no-pie -Wl,-T,layout.lds -o '%s' '%s'",
			folder, snippet->per_cpu_start ? snippet->per_cpu_start : "0", compiler,
			snippet->flags ? snippet->flags : "-O2", object, source);
	return xasprintf("cd '%s' && %s -g -shared -fPIC -w %s -o '%s' '%s' -lm", folder, compiler,
			 snippet->flags ? snippet->flags : "-O2", object, source);
}

static bool compile(const struct snippet *snippet, const char *folder, const char *object)
{
	bool cxx = snippet->language && strcmp(snippet->language, "c++") == 0;
	const char *suffix = is_rust(snippet) ? "rs" : cxx ? "cc" : "c";
	_cleanup_free_ char *source = xasprintf("%s/snippet.%s", folder, suffix);
	_cleanup_free_ char *command = command_of(snippet, folder, object, source);
	_cleanup_process_ struct process_result result = { 0 };

	if (!process_exists(compiler_of(snippet)))
		return false;
	FILE *file = fopen(source, "w");

	assert_non_null(file);
	fputs(snippet->source, file);
	assert_int_equal(fclose(file), 0);
	process_shell(command, &result);
	if (result.status)
		fail_msg("%s\n%s", command, result.errors.data);
	return true;
}

/* foo, foo.cold, foo.part.0, foo.isra.0: one function to whoever wrote it */
static bool is_of(const struct symbol *symbol, const char *function)
{
	size_t length = strlen(function);

	return (symbol->type == 2 /* STT_FUNC */) && strncmp(symbol->name, function, length) == 0 &&
	       (symbol->name[length] == '\0' || symbol->name[length] == '.');
}

static void add_answer(const struct access *access, struct strbuf *answers)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	if (access->kind == ACCESS_NO_MEMORY || access->kind == ACCESS_STACK)
		return;
	strbuf_add_string(answers, access_type_name(access));
	if (access->kind == ACCESS_TYPE) {
		strbuf_add_format(answers, " +%lld", (long long)access->offset);
		if (access_member_path(access, &path))
			strbuf_add_format(answers, " (%s)", path.data);
		strbuf_add_format(answers, "\t%s", access_how_name(access->how));
	} else if (access->kind == ACCESS_UNKNOWN || access->kind == ACCESS_NO_CODE) {
		strbuf_add_format(answers, ": %s", access_reason_name(access->reason));
	}
	strbuf_add_char(answers, '\n');
}

static size_t instructions(const struct elf_image *image, struct decoder *decoder,
			   const struct symbol *symbol, uint64_t *addresses, struct strbuf *code)
{
	size_t available, count = 0;
	const uint8_t *bytes = elf_image_bytes(image, symbol->address, &available);
	uint64_t at = 0;

	assert_non_null(bytes);
	assert_true(symbol->size <= available);
	while (at < symbol->size && count < INSN_MAX) {
		struct insn insn;
		char text[160];

		decoder_decode(decoder, bytes + at, symbol->size - at, symbol->address + at, &insn);
		decoder_format(decoder, bytes + at, symbol->size - at, symbol->address + at, text,
			       sizeof(text));
		strbuf_add_format(code, "%s\n", text);
		addresses[count++] = symbol->address + at;
		at += insn.length;
	}
	return count;
}

struct written_btf {
	uint8_t *bytes;
	struct btf *btf;
};

static void open_debug(const struct snippet *snippet, const struct elf_image *image,
		       struct written_btf *types, struct debug_object **debug)
{
	struct btf_writer *writer;
	size_t size;

	if (!snippet->btf) {
		must(debug_object_open(image, image, debug));
		return;
	}
	writer = btf_writer_create(NULL, false);
	snippet->btf(writer);
	types->bytes = btf_writer_finish(writer, &size);
	must(btf_open_memory(types->bytes, size, NULL, "snippet", &types->btf));
	must(debug_object_open_btf(image, types->btf, debug));
}

static void ask(const struct snippet *snippet, const char *object, struct strbuf *answers,
		struct strbuf *code)
{
	struct elf_image *image;
	struct debug_object *debug;
	struct written_btf types = { 0 };
	struct type_resolver *resolver;
	struct decoder *decoder;
	struct type_resolver_options options = {
		.threads = 1, .no_infer = snippet->no_infer, .check = true, .fused = snippet->fused
	};
	size_t symbol_count, functions = 0;
	_cleanup_free_ uint64_t *addresses = xcalloc(INSN_MAX, sizeof(*addresses));
	_cleanup_free_ struct access *results = xcalloc(INSN_MAX, sizeof(*results));

	must(elf_image_open(object, &image));
	open_debug(snippet, image, &types, &debug);
	must(type_resolver_create(image, debug, &options, &resolver));
	must(decoder_create(&decoder));
	const struct symbol *symbols = elf_image_symbols(image, &symbol_count);

	for (size_t i = 0; i < symbol_count; i++) {
		if (!is_of(&symbols[i], snippet->function))
			continue;
		size_t count = instructions(image, decoder, &symbols[i], addresses, code);

		functions++;
		must(type_resolver_resolve(resolver, addresses, NULL, count, results));
		for (size_t j = 0; j < count; j++)
			add_answer(&results[j], answers);
	}
	decoder_destroy(decoder);
	type_resolver_destroy(resolver);
	debug_object_close(debug);
	btf_close(types.btf);
	free(types.bytes);
	elf_image_close(image);
	if (!functions)
		fail_msg("no function %s in the object", snippet->function);
}

bool snippet_answers(const struct snippet *snippet, struct strbuf *answers, struct strbuf *code)
{
	char *folder = scratch_create();
	_cleanup_free_ char *object = xasprintf("%s/snippet.so", folder);
	bool compiled = compile(snippet, folder, object);

	if (compiled)
		ask(snippet, object, answers, code);
	scratch_remove(folder);
	return compiled;
}

static bool has_line(const char *text, const char *start)
{
	size_t length = strlen(start);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, start, length) == 0)
			return true;
	}
	return false;
}

/* Of both lists at most `count`, and up to the first NULL. */
static void expect(const struct snippet *snippet, const char *const *found, const char *const *forbidden,
		   size_t count, const struct strbuf *answers, const struct strbuf *code)
{
	for (size_t i = 0; i < count && found[i]; i++)
		if (!has_line(answers->data, found[i]))
			fail_msg("%s, %s: \"%s\" is not among the answers:\n%s\nof:\n%s",
				 compiler_of(snippet), snippet->function, found[i], answers->data,
				 code->data);
	for (size_t i = 0; i < count && forbidden[i]; i++)
		if (has_line(answers->data, forbidden[i]))
			fail_msg("%s, %s: \"%s\" is among the answers:\n%s\nof:\n%s", compiler_of(snippet),
				 snippet->function, forbidden[i], answers->data, code->data);
}

bool snippet_holds(const struct snippet *snippet, const char *const *found, const char *const *forbidden,
		   size_t count)
{
	_cleanup_strbuf_ struct strbuf answers = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf code = STRBUF_INIT;

	if (!snippet_answers(snippet, &answers, &code))
		return false;
	expect(snippet, found, forbidden, count, &answers, &code);
	return true;
}

bool snippet_expect(const struct snippet *snippet, const char *const *found, const char *const *forbidden)
{
	if (snippet_holds(snippet, found, forbidden, SIZE_MAX))
		return true;
	print_message("%s: skipped, no %s here\n", snippet->function, compiler_of(snippet));
	return false;
}

static bool check_with(const struct expectation *expectation, const char *compiler)
{
	_cleanup_strbuf_ struct strbuf answers = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf code = STRBUF_INIT;
	struct snippet snippet = expectation->snippet;

	snippet.compiler = compiler;
	if (!snippet_answers(&snippet, &answers, &code))
		return false;
	/* a pattern is one compiler's; the answers must hold whatever was made of the source */
	for (size_t i = 0; i < 4 && expectation->code[i] && strcmp(compiler, "gcc") == 0; i++)
		if (!strstr(code.data, expectation->code[i]))
			fail_msg("%s: no \"%s\" in the code of this compiler:\n%s", snippet.function,
				 expectation->code[i], code.data);
	expect(&snippet, expectation->found, expectation->forbidden, EXPECTED, &answers, &code);
	return true;
}

void snippet_check(const struct expectation *expectation)
{
	bool cxx = expectation->snippet.language && strcmp(expectation->snippet.language, "c++") == 0;
	bool any = check_with(expectation, cxx ? "g++" : "gcc");

	if (!expectation->gcc_only)
		any |= check_with(expectation, cxx ? "clang++" : "clang");
	if (!any) {
		print_message("skipped: neither gcc nor clang is here\n");
		skip();
	}
}
