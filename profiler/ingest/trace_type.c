// SPDX-License-Identifier: GPL-2.0-or-later
/* Types in print formats, of casts and sizes: see trace_program.h. */
#include <ctype.h>
#include <string.h>

#include "profiler/ingest/trace_program.h"

/* Words of the kernel's types, and what they are; "long" is said by the recording. */
static const struct {
	const char *name;
	struct trace_type type;
} type_names[] = {
	{ "char", { 1, true, false, 0, false } },      { "short", { 2, true, false, 0, false } },
	{ "int", { 4, true, false, 0, false } },       { "bool", { 1, false, false, 0, false } },
	{ "_Bool", { 1, false, false, 0, false } },    { "u8", { 1, false, false, 0, false } },
	{ "u16", { 2, false, false, 0, false } },      { "u32", { 4, false, false, 0, false } },
	{ "u64", { 8, false, false, 0, false } },      { "s8", { 1, true, false, 0, false } },
	{ "s16", { 2, true, false, 0, false } },       { "s32", { 4, true, false, 0, false } },
	{ "s64", { 8, true, false, 0, false } },       { "__u8", { 1, false, false, 0, false } },
	{ "__u16", { 2, false, false, 0, false } },    { "__u32", { 4, false, false, 0, false } },
	{ "__u64", { 8, false, false, 0, false } },    { "__s32", { 4, true, false, 0, false } },
	{ "__s64", { 8, true, false, 0, false } },     { "uint8_t", { 1, false, false, 0, false } },
	{ "uint16_t", { 2, false, false, 0, false } }, { "uint32_t", { 4, false, false, 0, false } },
	{ "uint64_t", { 8, false, false, 0, false } }, { "gfp_t", { 4, false, false, 0, false } },
	{ "dev_t", { 4, false, false, 0, false } },    { "pid_t", { 4, true, false, 0, false } },
	{ "sector_t", { 8, false, false, 0, false } }, { "loff_t", { 8, true, false, 0, false } },
	{ "umode_t", { 2, false, false, 0, false } },  { "__le32", { 4, false, false, 0, false } },
};

static bool name_type(const char *word, size_t length, struct trace_type *type)
{
	for (size_t i = 0; i < sizeof(type_names) / sizeof(*type_names); i++)
		if (trace_is_word(word, length, type_names[i].name)) {
			*type = type_names[i].type;
			return true;
		}
	return false;
}

static void take_type_word(struct trace_parser *parser, size_t length, unsigned int *longs, bool *is_unsigned,
			   struct trace_type *type)
{
	const char *word = parser->at;
	struct trace_type named;

	if (trace_is_word(word, length, "unsigned"))
		*is_unsigned = true;
	else if (trace_is_word(word, length, "long"))
		(*longs)++;
	else if (trace_is_word(word, length, "size_t") || trace_is_word(word, length, "ino_t"))
		*type = (struct trace_type){ .size = (uint8_t)parser->program->long_size };
	else if (trace_is_word(word, length, "enum"))
		*type = (struct trace_type){ .size = 4, .is_signed = true };
	else if (name_type(word, length, &named) && !(*longs && named.size == 4))
		*type = named;
	parser->at += length;
}

/* "unsigned long *" up to a ')'; false: what stands there is no type, and parser->at as before. */
bool trace_parse_type(struct trace_parser *parser, struct trace_type *type)
{
	const char *begin = parser->at;
	unsigned int longs = 0, stars = 0, words = 0;
	bool is_unsigned = false;
	size_t length;

	*type = (struct trace_type){ 0 };
	while ((length = trace_parse_word(parser)) && !isdigit((unsigned char)*parser->at) &&
	       !trace_is_word(parser->at, length, "REC")) {
		take_type_word(parser, length, &longs, &is_unsigned, type);
		words++;
	}
	while (words && trace_parse_take(parser, '*'))
		stars++;
	if (!words || !trace_parse_next_is(parser, ")")) {
		parser->at = begin;
		return false;
	}
	if (longs)
		*type = (struct trace_type){ .size = longs > 1 ? 8 : (uint8_t)parser->program->long_size,
					     .is_signed = true };
	else if (is_unsigned && !type->size)
		*type = (struct trace_type){ .size = 4 };
	if (is_unsigned)
		type->is_signed = false;
	if (stars)
		*type = (struct trace_type){ .size = (uint8_t)parser->program->long_size,
					     .is_pointer = true,
					     .element_size = stars > 1 ? (uint8_t)parser->program->long_size
								       : type->size,
					     .element_signed = stars == 1 && type->is_signed };
	return true;
}
