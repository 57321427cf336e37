// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptions of tracepoints, and values of their fields. libtraceevent is called only here. */
#include "profiler/ingest/tracepoint.h"

#include <ctype.h>
#include <inttypes.h>
#include <traceevent/event-parse.h>

#include "base/cursor.h"
#include "base/text.h"

/* ---- descriptions ---- */

/* Returns the rest of the line that begins with "KEY: ", or NULL. */
static const char *format_value(const char *text, size_t size, const char *key, size_t *length)
{
	size_t key_length = strlen(key);

	while (size > key_length) {
		const char *end = memchr(text, '\n', size);
		size_t line = end ? (size_t)(end - text) : size;

		if (line > key_length && !memcmp(text, key, key_length)) {
			*length = line - key_length;
			return text + key_length;
		}
		if (!end)
			break;
		text += line + 1;
		size -= line + 1;
	}
	return NULL;
}

#define EVENT_NAME_MAX 1024 /* bytes; the rest of a longer name is dropped */

/* Adds a tracepoint by its description, unless its id is known already. */
static void take_format(struct tracepoint_names *names, const char *system, const char *text,
			size_t size)
{
	size_t name_length = 0;
	size_t id_length = 0;
	const char *name = format_value(text, size, "name: ", &name_length);
	const char *id_text = format_value(text, size, "ID: ", &id_length);
	char digits[24];
	bool created;

	if (!name || !id_text || id_length >= sizeof(digits))
		return;
	memcpy(digits, id_text, id_length);
	digits[id_length] = '\0';
	uint32_t *index = hash_map_insert(&names->by_id, strtoull(digits, NULL, 10), &created);

	if (!created)
		return;
	_cleanup_free_ char *full =
		xasprintf("%s:%.*s", system,
			  (int)(name_length < EVENT_NAME_MAX ? name_length : EVENT_NAME_MAX), name);

	*index = (uint32_t)names->count;
	array_reserve(names->names, names->count, names->capacity);
	array_reserve(names->formats, names->count, names->format_capacity);
	names->formats[names->count] = (struct tracepoint_format){ text, size };
	names->names[names->count++] = arena_strdup(&names->arena, full);
}

/* Returns the next text, whose size stands before it. Sets cursor->failed if it is cut off. */
static const char *take_sized(struct cursor *cursor, size_t *size)
{
	uint64_t length = cursor_u64(cursor);
	const char *text = length <= cursor_left(cursor) ? cursor_bytes(cursor, length) : NULL;

	if (!text)
		cursor->failed = true;
	*size = text ? length : 0;
	return text;
}

/* Skips the head, "header_page", "header_event" and the formats of ftrace's own events. Sets the
 * byte order of the cursor. Returns false if the data does not begin like tracing data. */
static bool take_head(struct cursor *cursor, unsigned int *long_size)
{
	static const char magic[] = "\027\010\104tracing";
	const char *bytes = cursor_bytes(cursor, sizeof(magic) - 1);
	size_t size;

	if (!bytes || memcmp(bytes, magic, sizeof(magic) - 1) != 0)
		return false;
	(void)cursor_string(cursor);           /* version */
	cursor->swap = cursor_u8(cursor) != 0; /* written big-endian; this program runs on x86 */
	*long_size = cursor_u8(cursor);
	cursor_skip(cursor, 4); /* size of a page */
	for (int i = 0; i < 2; i++) {
		(void)cursor_string(cursor); /* "header_page", "header_event" */
		(void)take_sized(cursor, &size);
	}
	uint32_t count = cursor_u32(cursor);

	for (uint32_t i = 0; i < count && !cursor->failed; i++)
		(void)take_sized(cursor, &size);
	return !cursor->failed;
}

void tracepoint_names_read(struct tracepoint_names *names, const void *data, size_t size)
{
	struct cursor cursor = cursor_of(data, size, false);

	*names = (struct tracepoint_names){ 0 };
	if (!take_head(&cursor, &names->long_size))
		return;
	uint32_t systems = cursor_u32(&cursor);

	for (uint32_t s = 0; s < systems && !cursor.failed; s++) {
		const char *system = cursor_string(&cursor);
		uint32_t count = cursor_u32(&cursor);

		for (uint32_t i = 0; i < count && !cursor.failed; i++) {
			size_t length;
			const char *text = take_sized(&cursor, &length);

			if (text && system)
				take_format(names, system, text, length);
		}
	}
}

const char *tracepoint_names_find(const struct tracepoint_names *names, uint64_t id)
{
	const uint32_t *index = hash_map_find(&names->by_id, id);

	return index ? names->names[*index] : NULL;
}

const struct tracepoint_format *tracepoint_format_find(const struct tracepoint_names *names,
						       uint64_t id)
{
	const uint32_t *index = hash_map_find(&names->by_id, id);

	return index ? &names->formats[*index] : NULL;
}

void tracepoint_names_deinit(struct tracepoint_names *names)
{
	hash_map_deinit(&names->by_id);
	arena_deinit(&names->arena);
	free_all(names->names, names->formats);
}

/* ---- the fields of a description ---- */

#define DIGITS  "0123456789"
#define LETTERS "_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define BLANKS  " \t"

/* Returns what is behind the word at `at`, or NULL. */
static const char *after_word(const char *at)
{
	return strspn(at, LETTERS) ? at + strspn(at, LETTERS DIGITS) : NULL;
}

/* Returns what is behind "KEY8;" and the blanks around the number; NULL: it is not there. */
static const char *after_number(const char *at, const char *key)
{
	if (!at || !starts_with(at, key))
		return NULL;
	at += strlen(key);
	at += strspn(at, BLANKS);
	size_t digits = strspn(at, DIGITS);

	if (!digits || digits > 9 || at[digits] != ';')
		return NULL;
	at += digits + 1;
	return at + strspn(at, BLANKS);
}

/*
 * Returns whether a line is given to libtraceevent: "\tfield:char
 * comm[16];\toffset:8;\tsize:16;\tsigned:0;", without "signed" before Linux 2.6.32, or
 * "\tfield:__data_loc char[] name;...". Versions 1.7.1 and 1.8.4 of the library read a null pointer
 * if a declaration has no type, or an unprintable byte after '[', and leak memory if it is a
 * single word (event_read_fields() in their event-parse.c).
 */
static bool is_field_line(const char *line)
{
	const char *at = line + strspn(line, BLANKS), *next, *word;
	size_t words = 0;

	if (!starts_with(at, "field:"))
		return false;
	at += strlen("field:");
	for (next = at + strspn(at, BLANKS); (word = after_word(next)); words++) {
		at = word;
		next = at + strspn(at, " *");
	}
	at += strspn(at, " ");
	if (*at == '[') {
		at += 1 + strspn(at + 1, LETTERS DIGITS " +*()/-");
		if (*at != ']')
			return false;
		at++;
		at = after_word(at + strspn(at, " ")) ?: at;
		at += strspn(at, " ");
	}
	if (words < 2 || *at != ';')
		return false;
	at++;
	at = after_number(after_number(at + strspn(at, BLANKS), "offset:"), "size:");
	at = at && *at ? after_number(at, "signed:") : at;
	return at && !*at;
}

/* libtraceevent takes words such as LOCAL_PR_FMT for a string, because formats of some kernels had
 * them in its place; as the name of a field it makes the whole description unreadable. */
#define REPLACED_WORD "_PR_FMT"

/* Bytes of a line. Longer ones are left out; the kernel writes none. */
#define FIELD_LINE_MAX 1024

/* Adds a line without "__attribute__((user))" and its like, which leak in libtraceevent. */
static void add_without_attributes(struct strbuf *text, const char *line, size_t length)
{
	static const char attribute[] = "__attribute__";
	const char *end = line + length, *found;

	while ((found = memmem(line, (size_t)(end - line), attribute, strlen(attribute)))) {
		const char *after = found + strlen(attribute);
		int depth = 0;

		strbuf_add(text, line, (size_t)(found - line));
		for (; after < end && (depth || *after == '(' || *after == ' '); after++)
			depth += (*after == '(') - (*after == ')');
		line = after;
	}
	strbuf_add(text, line, (size_t)(end - line));
}

static bool is_line_of(const char *line, size_t length, const char *begin)
{
	return length >= strlen(begin) && !memcmp(line, begin, strlen(begin));
}

/*
 * Adds a description with the fields of `format` and nothing else. The print format is left out:
 * nothing reads it, and libtraceevent's parser crashes on some (Documentation/measurements.md).
 */
static void add_description(struct strbuf *text, const char *format, size_t size)
{
	strbuf_add_string(text, "name: event\nID: 1\nformat:\n\n");
	while (size) {
		const char *end = memchr(format, '\n', size);
		size_t length = end ? (size_t)(end - format) : size, start = text->length;

		if (is_line_of(format, length, "print fmt"))
			break;
		if (length <= FIELD_LINE_MAX && !memchr(format, '\0', length) &&
		    !memmem(format, length, REPLACED_WORD, strlen(REPLACED_WORD))) {
			add_without_attributes(text, format, length);
			if (is_field_line(text->data + start))
				strbuf_add_char(text, '\n');
			else
				strbuf_truncate(text, start);
		}
		size -= length + (end != NULL);
		format += length + (end != NULL);
	}
	strbuf_add_string(text, "\nprint fmt: \"\"\n");
}

static struct tracepoint_field copy_field(const struct tep_format_field *field, struct arena *arena)
{
	bool is_array = field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC);

	return (struct tracepoint_field){
		.name = arena_strdup(arena, field->name),
		.offset = (uint32_t)field->offset,
		.size = (uint32_t)field->size,
		.is_common = starts_with(field->name, "common_"),
		.is_signed = field->flags & TEP_FIELD_IS_SIGNED,
		.is_pointer = field->flags & TEP_FIELD_IS_POINTER,
		.is_long = field->flags & TEP_FIELD_IS_LONG,
		.is_array = is_array,
		.is_string = field->flags & TEP_FIELD_IS_STRING,
		.is_dynamic = field->flags & TEP_FIELD_IS_DYNAMIC,
		.is_relative = field->flags & TEP_FIELD_IS_RELATIVE,
	};
}

const struct tracepoint_field *tracepoint_fields_parse(const char *format, size_t size,
						       unsigned int long_size, struct arena *arena,
						       size_t *count)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_free_ struct tracepoint_field *fields = NULL;
	size_t capacity = 0;
	struct tep_handle *library;
	const struct tep_event *event = NULL;

	*count = 0;
	if (size > TRACEPOINT_FORMAT_MAX)
		return NULL;
	add_description(&text, format, size);
	library = text.length ? tep_alloc() : NULL;
	if (!library)
		return NULL;
	tep_set_loglevel(TEP_LOG_NONE); /* it prints to stderr otherwise */
	tep_set_long_size(library, (int)long_size);
	if (tep_parse_event(library, text.data, text.length, "") == TEP_ERRNO__SUCCESS)
		event = tep_get_first_event(library);
	for (const struct tep_format_field *field = event ? event->format.fields : NULL; field;
	     field = field->next)
		array_add(fields, *count, capacity) = copy_field(field, arena);
	tep_free(library);
	if (!*count)
		return NULL;

	const struct tracepoint_field *kept = arena_copy(arena, fields, *count * sizeof(*fields));

	return kept;
}

/* ---- values ---- */

/* Returns a number of 1, 2, 4 or 8 bytes; a signed one is sign-extended. */
static uint64_t tracepoint_number(const uint8_t *bytes, uint32_t size, bool swap, bool is_signed)
{
	struct cursor cursor = cursor_of(bytes, size, swap);

	switch (size) {
	case 1: return is_signed ? (uint64_t)(int8_t)cursor_u8(&cursor) : cursor_u8(&cursor);
	case 2: return is_signed ? (uint64_t)(int16_t)cursor_u16(&cursor) : cursor_u16(&cursor);
	case 4: return is_signed ? (uint64_t)(int32_t)cursor_u32(&cursor) : cursor_u32(&cursor);
	default: return cursor_u64(&cursor);
	}
}

static void tracepoint_add_number(const struct tracepoint_field *field, uint64_t value,
				  struct strbuf *text)
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

/* Returns whether the bytes up to the first zero are printable. */
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

/* Sets *bytes to the value in the `size` bytes of `raw`; for a dynamic field, to the bytes that it
 * points to. Returns false if `raw`, which may be NULL, does not have all of them. */
static bool tracepoint_field_bytes(const struct tracepoint_field *field, const uint8_t *raw,
				   size_t size, bool swap, const uint8_t **bytes, size_t *length)
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

static bool tracepoint_is_number(const struct tracepoint_field *field)
{
	return !field->is_array &&
	       (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
}

bool tracepoint_field_any_number(const struct tracepoint_field *field, const uint8_t *raw,
				 size_t size, bool swap, uint64_t *value)
{
	const uint8_t *bytes;
	size_t length;

	if (!tracepoint_is_number(field) ||
	    !tracepoint_field_bytes(field, raw, size, swap, &bytes, &length))
		return false;
	*value = tracepoint_number(bytes, field->size, swap, field->is_signed);
	return true;
}

/* Adds the value as perf prints it: numbers in decimal, pointers and unsigned longs in hexadecimal,
 * arrays as ARRAY[01, 02] or, if they are printable, as text. False if the data does not have all
 * of it. */
static bool tracepoint_field_text(const struct tracepoint_field *field, const uint8_t *raw,
				  size_t size, bool swap, struct strbuf *text)
{
	const uint8_t *bytes;
	size_t length;

	if (!tracepoint_field_bytes(field, raw, size, swap, &bytes, &length))
		return false;
	if (tracepoint_is_number(field))
		tracepoint_add_number(
			field, tracepoint_number(bytes, field->size, swap, field->is_signed), text);
	else
		add_array(field, bytes, length, text);
	return true;
}

bool tracepoint_fields_text(const struct tracepoint_field *fields, size_t count, const uint8_t *raw,
			    size_t size, bool swap, struct strbuf *text)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		size_t start = text->length;

		if (fields[i].is_common)
			continue;
		strbuf_add_format(text, " %s=", fields[i].name);
		if (tracepoint_field_text(&fields[i], raw, size, swap, text)) {
			any = true;
			continue;
		}
		strbuf_truncate(text, start);
	}
	return any;
}
