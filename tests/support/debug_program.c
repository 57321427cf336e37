// SPDX-License-Identifier: GPL-2.0-or-later
/* Compiled programs with debug information: see debug_program.h. */
#include "tests/support/debug_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "tests/support/files.h"
#include "tests/support/kept.h"
#include "tests/support/process.h"
#include "tests/support/unit.h"

static void must(struct error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

static void write_source(const char *folder, const struct debug_source *source)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, source->name);
	_cleanup_free_ char *from = xasprintf("tests/dwarf/sources/%s", source->name);
	size_t size = source->text ? strlen(source->text) : 0;
	_cleanup_free_ uint8_t *read = source->text ? NULL : file_read(from, &size);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(source->text || read);
	assert_int_equal(fwrite(source->text ? source->text : (const char *)read, 1, size, file),
			 size);
	assert_int_equal(fclose(file), 0);
}

static bool try_flags(const char *folder, const char *compiler, const char *flags,
		      const char *extension)
{
	_cleanup_process_ struct process_result result = { 0 };
	bool is_rust = strcmp(extension, ".rs") == 0;
	_cleanup_free_ char *command = xasprintf(
		"cd '%s' && echo > empty%s && %s %s %s empty%s -o empty.out", folder, extension,
		compiler, flags, is_rust ? "--crate-type lib" : "-w -shared -fPIC", extension);

	process_shell(command, &result);
	return !result.status;
}

/* Returns whether the compiler knows the flags. Tests build many programs with few flags, so each
 * is tried once. */
static bool knows_flags(const char *folder, const char *compiler, const char *flags,
			const char *name)
{
	static char known[8][256];
	static unsigned int next;
	const char *extension = strrchr(name, '.');
	_cleanup_free_ char *way = xasprintf("%s %s %s", compiler, flags, extension);

	for (unsigned int i = 0; i < 8; i++)
		if (strcmp(known[i], way) == 0)
			return true;
	if (!try_flags(folder, compiler, flags, extension))
		return false;
	snprintf(known[next], sizeof(known[next]), "%s", way);
	next = (next + 1) % 8;
	return true;
}

static bool unpack_kept(const struct debug_program *program, const char *compiler,
			const char *flags, const char *name)
{
	_cleanup_free_ char *source = xasprintf("tests/dwarf/sources/%s", name),
			    *command = xasprintf("%s %s", compiler, flags),
			    *path = xasprintf("%s/prog", program->folder);

	return kept_program(source, command, path);
}

static bool compile(const struct debug_program *program, const char *compiler, const char *flags,
		    const struct debug_source *sources, const char *then)
{
	_cleanup_strbuf_ struct strbuf command = STRBUF_INIT;
	_cleanup_process_ struct process_result compiled = { 0 };

	if (!compiler_works(compiler))
		return unpack_kept(program, compiler, flags, sources->name);
	if (!knows_flags(program->folder, compiler, flags, sources->name))
		return false;
	/* in C23, functions without a prototype have no arguments */
	strbuf_add_format(&command, "cd '%s' && %s %s %s -o prog", program->folder, compiler,
			  ends_with(sources->name, ".c") ? "-std=gnu17" : "", flags);
	for (; sources->name; sources++) {
		write_source(program->folder, sources);
		strbuf_add_format(&command, " %s", sources->name);
	}
	process_shell(command.data, &compiled);
	if (compiled.status)
		fail_msg("%s\n%s", command.data, compiled.errors.data);
	if (!then)
		return true;

	_cleanup_process_ struct process_result after = { 0 };

	strbuf_reset(&command);
	strbuf_add_format(&command, "cd '%s' && %s", program->folder, then);
	process_shell(command.data, &after);
	return !after.status;
}

bool debug_program_build_with(struct debug_program *program, const char *compiler,
			      const char *flags, const struct debug_source *sources,
			      const char *command)
{
	*program = (struct debug_program){ .folder = scratch_create() };
	if (!compile(program, compiler, flags, sources, command)) {
		scratch_remove(program->folder);
		return false;
	}
	program->path = xasprintf("%s/prog", program->folder);
	must(elf_image_open(program->path, &program->image));
	must(debug_object_open(program->image, program->image, &program->object));
	program->reader = debug_reader_open(program->object);
	return true;
}

bool debug_program_build(struct debug_program *program, const char *compiler, const char *flags,
			 const struct debug_source *sources)
{
	return debug_program_build_with(program, compiler, flags, sources, NULL);
}

void debug_program_close(struct debug_program *program)
{
	debug_reader_close(program->reader);
	debug_object_close(program->object);
	elf_image_close(program->image);
	free(program->path);
	scratch_remove(program->folder);
}

void debug_program_each_form(const debug_form *forms, size_t count,
			     const struct debug_source *sources,
			     void (*check)(struct debug_program *program))
{
	size_t built = 0;

	for (size_t i = 0; i < count; i++) {
		struct debug_program program;

		if (!debug_program_build_with(&program, forms[i][0], forms[i][1], sources,
					      forms[i][2]))
			continue;
		print_message("# %s %s %s\n", forms[i][0], forms[i][1],
			      forms[i][2] ? forms[i][2] : "");
		built++;
		check(&program);
		debug_program_close(&program);
	}
	if (!built)
		skip_because("no compiler is here that knows one of the flags");
}

struct function *debug_program_function(struct debug_program *program, const char *name)
{
	const struct symbol *symbol = elf_image_symbol_named(program->image, name);
	struct function *function;

	if (!symbol)
		fail_msg("no symbol %s", name);
	function = debug_reader_function(program->reader, symbol->address);
	if (!function)
		fail_msg("no function %s", name);
	return function;
}

const struct type *debug_program_type(struct debug_program *program, const char *name)
{
	const struct type *type;

	if (!debug_reader_types_named(program->reader, name, &type, 1))
		fail_msg("no type %s", name);
	return type;
}

const struct variable *function_variable(const struct function *function, const char *name)
{
	for (size_t i = 0; i < function->variable_count; i++) {
		if (function->variables[i].name && strcmp(function->variables[i].name, name) == 0)
			return &function->variables[i];
	}
	return NULL;
}

const struct member *type_member(const struct type *type, const char *name)
{
	size_t count;
	const struct member *members = type_members(type, &count);

	for (size_t i = 0; i < count; i++) {
		if (members[i].name && strcmp(members[i].name, name) == 0)
			return &members[i];
	}
	return NULL;
}

static const char *text_of(const struct type *type,
			   void (*format)(const struct type *type, struct strbuf *buffer))
{
	static char texts[4][512];
	static unsigned int next;
	_cleanup_strbuf_ struct strbuf buffer = STRBUF_INIT;

	if (!type)
		return "NULL";
	format(type, &buffer);
	next = (next + 1) % 4;
	snprintf(texts[next], sizeof(texts[next]), "%s", buffer.data);
	return texts[next];
}

const char *name_of(const struct type *type)
{
	return text_of(type, type_name);
}

const char *declaration_of(const struct type *type)
{
	return text_of(type, type_declaration);
}
