// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/code_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/member.h"
#include "dwarf/demangle.h"
#include "profiler/base/memory.h"

#define CONTEXT 5 /* lines of source before the first of a place, as objdump */

/* A function on its way to lines. */
struct maker {
	const struct code_function *function;
	const struct code_lines_options *options;
	struct code_lines *lines;
	struct debug_reader *reader; /* NULL: no debug information */
	const struct elf_image *image;
	size_t next_sample;
	/* the source that was shown last, and how far the file of each was shown */
	const char *file;
	unsigned int number;
	struct shown_file {
		const char *file;
		unsigned int last;
	} * shown;
	size_t shown_count, shown_capacity;
};

static struct code_line *add_line(struct code_lines *lines)
{
	array_reserve(lines->items, lines->count, lines->capacity);
	lines->items[lines->count] = (struct code_line){ 0 };
	return &lines->items[lines->count++];
}

/* ---- source ---- */

static unsigned int *shown_up_to(struct maker *maker, const char *file)
{
	for (size_t i = 0; i < maker->shown_count; i++)
		if (!strcmp(maker->shown[i].file, file))
			return &maker->shown[i].last;
	array_reserve(maker->shown, maker->shown_count, maker->shown_capacity);
	maker->shown[maker->shown_count] = (struct shown_file){ .file = file };
	return &maker->shown[maker->shown_count++].last;
}

static void add_source_line(struct maker *maker, const char *file, unsigned int number, const char *text)
{
	struct code_line *line = add_line(maker->lines);

	line->source = arena_strdup(&maker->lines->texts, text);
	line->file = file;
	line->number = number;
}

/* "/build/prog-1.0/src/a.c", two parts stripped, below DIR: "DIR/src/a.c". Relative paths are left alone, as
 * by objdump's options of these names. */
static const char *source_line_at(struct maker *maker, const char *file, unsigned int number)
{
	const struct code_lines_options *options = maker->options;
	struct strbuf path _cleanup_strbuf_ = STRBUF_INIT;
	const char *rest = file;

	if (!options->prefix || *file != '/')
		return source_files_line(options->sources, file, number);
	for (unsigned int i = 0; i < options->strip; i++) {
		const char *slash = strchr(rest + 1, '/');

		if (!slash)
			break;
		rest = slash;
	}
	strbuf_add_format(&path, "%s%s", options->prefix, rest);
	return source_files_line(options->sources, path.data, number);
}

/* Lines on the way to this one that were not shown before; going back, that line alone. */
static void add_source(struct maker *maker, const char *file, unsigned int number)
{
	bool other_file = !maker->file || strcmp(maker->file, file) != 0;
	unsigned int *last, first;

	if (!other_file && maker->number == number)
		return;
	maker->file = file;
	maker->number = number;
	if (!source_line_at(maker, file, number))
		return;
	if (other_file) {
		const char *slash = maker->options->full_paths ? NULL : strrchr(file, '/');
		char *name _cleanup_free_ = xasprintf("%s:%u", slash ? slash + 1 : file, number);

		add_source_line(maker, file, number, name);
	}
	last = shown_up_to(maker, file);
	first = number > CONTEXT ? number - CONTEXT : 1;
	if (first <= *last)
		first = *last + 1;
	if (first > number)
		first = number;
	for (unsigned int i = first; i <= number; i++)
		add_source_line(maker, file, i, source_line_at(maker, file, i));
	if (number > *last)
		*last = number;
}

/* ---- instructions ---- */

static const char *bytes_text(struct maker *maker, const struct insn *insn)
{
	const uint8_t *bytes = maker->function->bytes + (insn->address - maker->function->address);
	char text[3 * 16 + 1] = "";

	for (unsigned int i = 0; i < insn->length && i < 16; i++)
		snprintf(text + (size_t)3 * i, sizeof(text) - (size_t)3 * i, "%02x ", bytes[i]);
	return arena_strdup(&maker->lines->texts, text);
}

/* "# 33760 <absentkey+0x8>": what lies at an address of this object; NULL: nothing with a name. */
static const char *reference_text(struct maker *maker, uint64_t address)
{
	const struct symbol *symbol = elf_image_object_at(maker->image, address);
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	if (!symbol)
		symbol = dso_symbol_at(maker->function->dso, maker->options->dso, address);
	if (!symbol)
		return NULL;

	char *readable _cleanup_free_ = demangle(symbol->name);

	strbuf_add_format(&text, "# %" PRIx64 " <%s", address, readable ? readable : symbol->name);
	if (address > symbol->address)
		strbuf_add_format(&text, "+%#" PRIx64, address - symbol->address);
	strbuf_add_char(&text, '>');
	return arena_strdup(&maker->lines->texts, text.data);
}

static bool is_inside(const struct code_function *function, uint64_t address)
{
	const struct insn *last = &function->insns[function->insn_count - 1];

	return address >= function->address && address < last->address + last->length;
}

static void add_jump(struct maker *maker, const struct insn *insn, struct code_line *line)
{
	const struct operand *target = insn->operand_count ? &insn->operands[0] : NULL;
	bool direct = target && target->kind == OPERAND_IMMEDIATE;

	switch (insn->operation) {
	case OP_CALL: line->jump = JUMP_CALL; break;
	case OP_RETURN: line->jump = JUMP_RETURN; return;
	case OP_JUMP:
	case OP_BRANCH: line->jump = JUMP_OUTSIDE; break;
	default: return;
	}
	if (!direct)
		return;
	if (line->jump == JUMP_OUTSIDE && is_inside(maker->function, (uint64_t)target->value)) {
		line->jump = JUMP_INSIDE;
		line->target = (uint64_t)target->value;
	} else {
		line->reference = reference_text(maker, (uint64_t)target->value);
	}
}

static void add_reference(struct maker *maker, const struct insn *insn, struct code_line *line)
{
	for (unsigned int i = 0; i < insn->operand_count && !line->reference; i++)
		if (insn->operands[i].kind == OPERAND_MEMORY && insn->operands[i].rip_relative)
			line->reference = reference_text(maker, (uint64_t)insn->operands[i].value);
}

/* As perf, no word where no type was found: --type-stat and --debug say why. */
static void add_type(struct maker *maker, const struct access *access, struct code_line *line)
{
	struct strbuf field _cleanup_strbuf_ = STRBUF_INIT;

	if (access->kind == ACCESS_UNKNOWN || access->kind == ACCESS_NO_CODE || access_is_none(access) ||
	    access->kind == ACCESS_STACK)
		return;
	line->type.name = arena_strdup(&maker->lines->texts, access_type_name(access));
	if (access->kind != ACCESS_TYPE)
		return;
	line->type.typed = true;
	line->type.offset = access->offset;
	if (access_member_path(access, &field))
		line->type.field = arena_strdup(&maker->lines->texts, field.data);
}

static void add_counts(struct maker *maker, const struct insn *insn, struct code_line *line)
{
	const struct code_function *function = maker->function;
	struct access_count *sums[2] = { NULL, NULL }; /* as sampled, as charged */

	while (maker->next_sample < function->sample_count) {
		const struct code_sample *sample = &function->samples[maker->next_sample];

		if (sample->address >= insn->address + insn->length)
			break;
		struct access_count **counts = &sums[sample->charged];

		if (!*counts)
			*counts = arena_alloc(&maker->lines->texts,
					      maker->options->event_count * sizeof(**counts));
		access_count_add(&(*counts)[sample->event], &sample->count);
		maker->next_sample++;
	}
	line->counts = sums[false];
	line->charged = sums[true];
}

static void add_instruction(struct maker *maker, size_t index)
{
	const struct code_function *function = maker->function;
	const struct insn *insn = &function->insns[index];
	struct arena *texts = &maker->lines->texts;
	struct insn_text text;
	const char *file;
	unsigned int number;
	bool has_source =
		maker->reader && debug_reader_line(maker->reader, insn->address, &file, &number) && number;

	if (has_source && maker->options->source)
		add_source(maker, file, number);

	struct code_line *line = add_line(maker->lines);

	decoder_text(maker->options->decoder, function->bytes + (insn->address - function->address),
		     insn->length, insn->address, maker->options->syntax, &text);
	line->address = insn->address;
	line->mnemonic = arena_strdup(texts, text.mnemonic);
	line->operands = arena_strdup(texts, text.operands);
	if (has_source) {
		line->file = file;
		line->number = number;
	}
	if (maker->options->show_bytes)
		line->bytes = bytes_text(maker, insn);
	add_jump(maker, insn, line);
	add_reference(maker, insn, line);
	if (function->accesses)
		add_type(maker, &function->accesses[index], line);
	add_counts(maker, insn, line);
}

static int compare_addresses(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void mark_targets(struct code_lines *lines)
{
	uint64_t *targets _cleanup_free_ = xcalloc(lines->count, sizeof(*targets));
	size_t count = 0;

	for (size_t i = 0; i < lines->count; i++)
		if (lines->items[i].jump == JUMP_INSIDE)
			targets[count++] = lines->items[i].target;
	if (count)
		qsort(targets, count, sizeof(*targets), compare_addresses);
	for (size_t i = 0; i < lines->count && count; i++)
		if (!lines->items[i].source)
			lines->items[i].is_target = bsearch(&lines->items[i].address, targets, count,
							    sizeof(*targets), compare_addresses) != NULL;
}

struct error *code_lines_make(const struct code_function *function, const struct code_lines_options *options,
			      struct code_lines *lines)
{
	const char *problem;
	struct maker maker = { .function = function, .options = options, .lines = lines };
	struct debug_object *debug = dso_debug(function->dso, options->dso, &problem);

	maker.image = dso_image(function->dso, options->dso, &problem);
	if (debug)
		RETURN_ERROR(debug_reader_open(debug, &maker.reader));
	for (size_t i = 0; i < function->insn_count; i++)
		add_instruction(&maker, i);
	mark_targets(lines);
	if (maker.reader)
		debug_reader_close(maker.reader);
	free(maker.shown);
	return NULL;
}

void code_lines_release(struct code_lines *lines)
{
	free(lines->items);
	arena_release(&lines->texts);
	*lines = (struct code_lines){ 0 };
}
