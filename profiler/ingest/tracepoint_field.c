// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/ingest/tracepoint_field.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "profiler/base/cursor.h"

/* ---- the description ---- */

/* A part of the description; it ends nowhere in particular. */
struct part {
	const char *text;
	size_t length;
};

static bool part_has(struct part part, const char *word)
{
	return memmem(part.text, part.length, word, strlen(word)) != NULL;
}

static struct part part_trim(struct part part)
{
	while (part.length && isspace((unsigned char)part.text[part.length - 1]))
		part.length--;
	while (part.length && isspace((unsigned char)*part.text)) {
		part.text++;
		part.length--;
	}
	return part;
}

/* What stands between `key` and the next ';' of the line. */
static bool part_after(struct part line, const char *key, struct part *value)
{
	const char *begin = memmem(line.text, line.length, key, strlen(key));
	const char *end;

	if (!begin)
		return false;
	begin += strlen(key);
	end = memchr(begin, ';', (size_t)(line.text + line.length - begin));
	if (!end)
		return false;
	*value = part_trim((struct part){ begin, (size_t)(end - begin) });
	return true;
}

static bool part_number(struct part line, const char *key, uint32_t *number)
{
	struct part digits;
	uint64_t value = 0;

	if (!part_after(line, key, &digits) || !digits.length || digits.length > 9)
		return false;
	for (size_t i = 0; i < digits.length; i++) {
		if (!isdigit((unsigned char)digits.text[i]))
			return false;
		value = 10 * value + (uint64_t)(digits.text[i] - '0');
	}
	*number = (uint32_t)value;
	return true;
}

static bool is_name_character(char character)
{
	return isalnum((unsigned char)character) || character == '_';
}

/* "char prev_comm[16]", "__data_loc char[] name", "const void * ip" */
static bool take_declaration(struct part declaration, struct arena *arena, struct tracepoint_field *field)
{
	struct part type = declaration;
	size_t length = 0;

	if (type.length && type.text[type.length - 1] == ']') {
		while (type.length && type.text[type.length - 1] != '[')
			type.length--;
		type.length -= type.length != 0;
		field->is_array = true;
	}
	type = part_trim(type);
	while (length < type.length && is_name_character(type.text[type.length - length - 1]))
		length++;
	if (!length)
		return false;
	type.length -= length;
	field->name = arena_strndup(arena, type.text + type.length, length);
	type = part_trim(type);
	field->is_relative = part_has(type, "__rel_loc");
	field->is_dynamic = field->is_relative || part_has(type, "__data_loc");
	field->is_array |= field->is_dynamic || part_has(type, "[");
	field->is_string =
		field->is_array && (part_has(type, "char") || part_has(type, "u8") || part_has(type, "s8"));
	field->is_pointer = type.length && type.text[type.length - 1] == '*';
	field->is_long = part_has(type, "long");
	return type.length != 0;
}

/* "u32 words[4]" by their number; of others by the size of the type's name. */
static uint32_t element_size(struct part declaration, const struct tracepoint_field *field)
{
	static const struct {
		const char *name;
		uint32_t size;
	} types[] = { { "u64", 8 }, { "s64", 8 }, { "u32", 4 },   { "s32", 4 }, { "u16", 2 }, { "s16", 2 },
		      { "u8", 1 },  { "s8", 1 },  { "short", 2 }, { "int", 4 }, { "char", 1 } };
	const char *open = memrchr(declaration.text, '[', declaration.length);
	uint32_t count = 0;

	for (const char *digit = open ? open + 1 : NULL;
	     digit && digit < declaration.text + declaration.length && isdigit((unsigned char)*digit) &&
	     count < 100000;
	     digit++)
		count = 10 * count + (uint32_t)(*digit - '0');
	if (count && !field->is_dynamic)
		return field->size % count ? 0 : field->size / count;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types) && !field->is_long; i++)
		if (part_has(declaration, types[i].name))
			return types[i].size;
	return 0;
}

static bool take_line(struct part line, struct arena *arena, struct tracepoint_field *field)
{
	struct part declaration;
	uint32_t is_signed = 0;

	*field = (struct tracepoint_field){ 0 };
	if (!part_after(line, "field:", &declaration) || !part_number(line, "offset:", &field->offset) ||
	    !part_number(line, "size:", &field->size) || !take_declaration(declaration, arena, field))
		return false;
	(void)part_number(line, "signed:", &is_signed); /* kernels before 2.6.32 do not say */
	field->is_signed = is_signed != 0;
	if (field->is_array)
		field->element_size = element_size(declaration, field);
	field->is_common = !strncmp(field->name, "common_", strlen("common_"));
	return true;
}

const struct tracepoint_field *tracepoint_fields_parse(const char *format, size_t size, struct arena *arena,
						       size_t *count)
{
	struct tracepoint_field *fields = NULL;
	size_t capacity = 0;

	*count = 0;
	while (size) {
		const char *end = memchr(format, '\n', size);
		struct part line = { format, end ? (size_t)(end - format) : size };
		struct tracepoint_field field;

		if (line.length > strlen("print fmt") && !memcmp(line.text, "print fmt", strlen("print fmt")))
			break;
		if (take_line(line, arena, &field)) {
			array_reserve(fields, *count, capacity);
			fields[(*count)++] = field;
		}
		size -= line.length + (end != NULL);
		format += line.length + (end != NULL);
	}
	if (!*count)
		return NULL;

	const struct tracepoint_field *kept = arena_copy(arena, fields, *count * sizeof(*fields));

	free(fields);
	return kept;
}

/* ---- values ---- */

uint64_t tracepoint_number(const uint8_t *bytes, uint32_t size, bool swap, bool is_signed)
{
	struct cursor cursor = cursor_of(bytes, size, swap);

	switch (size) {
	case 1: return is_signed ? (uint64_t)(int8_t)cursor_u8(&cursor) : cursor_u8(&cursor);
	case 2: return is_signed ? (uint64_t)(int16_t)cursor_u16(&cursor) : cursor_u16(&cursor);
	case 4: return is_signed ? (uint64_t)(int32_t)cursor_u32(&cursor) : cursor_u32(&cursor);
	default: return cursor_u64(&cursor);
	}
}

static void add_number(const struct tracepoint_field *field, uint64_t value, struct strbuf *text)
{
	if (field->is_pointer || (field->is_long && !field->is_signed))
		strbuf_add_format(text, "0x%" PRIx64, value);
	else if (field->is_long && field->size == 4)
		strbuf_add_format(text, "0x%" PRIx32, (uint32_t)value);
	else if (field->is_signed)
		strbuf_add_format(text, "%*" PRId64, field->size == 2 ? 2 : 1, (int64_t)value);
	else
		strbuf_add_format(text, "%" PRIu64, value);
}

/* A text ends at its first zero byte. */
static bool is_text(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size && bytes[i]; i++)
		if (!isprint(bytes[i]) && !isspace(bytes[i]))
			return false;
	return true;
}

static void add_array(const struct tracepoint_field *field, const uint8_t *bytes, size_t size,
		      struct strbuf *text)
{
	if (field->is_string && is_text(bytes, size)) {
		strbuf_add(text, bytes, strnlen((const char *)bytes, size));
		return;
	}
	strbuf_add_string(text, "ARRAY[");
	for (size_t i = 0; i < size; i++)
		strbuf_add_format(text, "%s%02x", i ? ", " : "", bytes[i]);
	strbuf_add_char(text, ']');
}

static bool is_number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

bool tracepoint_field_bytes(const struct tracepoint_field *field, const uint8_t *raw, size_t size, bool swap,
			    const uint8_t **bytes, size_t *length)
{
	uint64_t offset = field->offset, wanted = field->size;

	if (!raw || offset > size || wanted > size - offset)
		return false;
	if (field->is_dynamic) {
		if (wanted != 4)
			return false;

		uint64_t where = tracepoint_number(raw + offset, 4, swap, false);

		offset = (where & 0xffff) + (field->is_relative ? offset + wanted : 0);
		wanted = where >> 16;
		if (offset > size || wanted > size - offset)
			return false;
	}
	*bytes = raw + offset;
	*length = wanted;
	return true;
}

bool tracepoint_field_text(const struct tracepoint_field *field, const uint8_t *raw, size_t size, bool swap,
			   struct strbuf *text, uint64_t *first)
{
	const uint8_t *bytes;
	size_t length;

	if (!tracepoint_field_bytes(field, raw, size, swap, &bytes, &length))
		return false;
	*first = 0;
	for (size_t i = 0; i < 8; i++)
		*first = *first << 8 | (i < length ? bytes[i] : 0);
	if (field->is_array || !is_number_size(field->size))
		add_array(field, bytes, length, text);
	else
		add_number(field, tracepoint_number(bytes, field->size, swap, field->is_signed), text);
	return true;
}

bool tracepoint_fields_text(const struct tracepoint_field *fields, size_t count, const uint8_t *raw,
			    size_t size, bool swap, struct strbuf *text)
{
	bool any = false;
	uint64_t first;

	for (size_t i = 0; i < count; i++) {
		size_t start = text->length;

		if (fields[i].is_common)
			continue;
		strbuf_add_format(text, " %s=", fields[i].name);
		if (tracepoint_field_text(&fields[i], raw, size, swap, text, &first)) {
			any = true;
			continue;
		}
		text->length = start;
		text->data[start] = '\0';
	}
	return any;
}
