// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements strbuf.h. */
#include "base/strbuf.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"

#define FIRST_CAPACITY 64

char strbuf_empty[1];

static void strbuf_grow(struct strbuf *buffer, size_t extra)
{
	size_t wanted = buffer->length + extra + 1;

	if (wanted <= buffer->capacity)
		return;
	size_t capacity = buffer->capacity ? 2 * buffer->capacity : FIRST_CAPACITY;

	raise_to(capacity, wanted);
	char *data = buffer->capacity ? buffer->data : NULL;

	buffer->data = xrealloc_array(data, capacity, 1);
	buffer->capacity = capacity;
}

char *strbuf_extend(struct strbuf *buffer, size_t length)
{
	strbuf_grow(buffer, length);
	buffer->length += length;
	buffer->data[buffer->length] = '\0';
	return buffer->data + buffer->length - length;
}

static void add_as_it_is(struct strbuf *buffer, const void *data, size_t length)
{
	if (length)
		memcpy(strbuf_extend(buffer, length), data, length);
}

void strbuf_add(struct strbuf *buffer, const void *data, size_t length)
{
	size_t start = buffer->length;

	add_as_it_is(buffer, data, length);
	if (buffer->printable)
		make_lines_printable(buffer->data + start, length, "\t");
}

void(strbuf_add_string)(struct strbuf *buffer, const char *string)
{
	strbuf_add(buffer, string, strlen(string));
}

void strbuf_add_trusted(struct strbuf *buffer, const char *text)
{
	add_as_it_is(buffer, text, strlen(text));
}

void strbuf_add_text(struct strbuf *buffer, const struct strbuf *text)
{
	assert(text->printable);
	add_as_it_is(buffer, text->data, text->length);
}

void strbuf_add_char(struct strbuf *buffer, char character)
{
	*strbuf_extend(buffer, 1) = character;
}

void strbuf_add_repeated(struct strbuf *buffer, char character, size_t count)
{
	if (count)
		memset(strbuf_extend(buffer, count), character, count);
}

void strbuf_add_number(struct strbuf *buffer, uint64_t number)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	char digits[20]; /* UINT64_MAX has as many */
	size_t first = sizeof(digits);

	/* two digits at a time: the division takes most of the time */
	for (; number >= 100; number /= 100)
		memcpy(&digits[first -= 2], &pairs[2 * (number % 100)], 2);
	if (number >= 10)
		memcpy(&digits[first -= 2], &pairs[2 * number], 2);
	else
		digits[--first] = (char)('0' + number);
	add_as_it_is(buffer, digits + first, sizeof(digits) - first);
}

void strbuf_pad(struct strbuf *buffer, size_t start, size_t width)
{
	size_t written = buffer->length - start;

	if (written < width)
		strbuf_add_repeated(buffer, ' ', width - written);
}

/* Returns how many control characters there are besides tabs. */
static size_t count_controls(const char *text, size_t length)
{
	size_t count = 0, size;

	for (size_t i = 0; i < length; i += size) {
		char character[4] = "";

		if (length - i >= 8 && !may_be_unprintable(text + i)) {
			size = 8;
			continue;
		}
		memcpy(character, text + i, length - i < 4 ? length - i : 4);
		size = make_character_printable(character, length - i < 4 ? length - i : 4);
		count += text[i] != '\t' && memcmp(character, text + i, size) != 0;
	}
	return count;
}

/* Makes the text from `start` on printable, which was formatted from `format`, and keeps the
 * newlines of the format. For this it is formatted again, with a byte for each newline that is
 * nowhere in the text; if there is none, no newline is kept. */
static void keep_newlines_of_format(struct strbuf *buffer, size_t start, const char *format,
				    va_list arguments)
{
	const char *text = buffer->data + start;
	size_t length = buffer->length - start;
	int mark = 1;

	if (count_controls(text, length) == count_controls(format, strlen(format)))
		return;
	while (mark < 0x20 && (mark == '\t' || memchr(text, mark, length) || strchr(format, mark)))
		mark++;
	if (mark < 0x20) {
		_cleanup_free_ char *marked = xstrndup(format, strlen(format));

		for (char *at = marked; (at = strchr(at, '\n'));)
			*at = (char)mark;
		vsnprintf(buffer->data + start, length + 1, marked, arguments);
	}

	char kept[] = { '\t', (char)mark, '\0' };

	make_lines_printable(buffer->data + start, length, kept);
	for (char *at = buffer->data + start; mark < 0x20 && (at = strchr(at, mark));)
		*at = '\n';
}

void strbuf_add_vformat(struct strbuf *buffer, const char *format, va_list arguments)
{
	size_t start = buffer->length;
	size_t room = buffer->capacity ? buffer->capacity - buffer->length : 0;
	va_list again;

	/* Format into the free room first: most texts fit. */
	va_copy(again, arguments);
	int length = vsnprintf(room ? buffer->data + buffer->length : NULL, room, format, again);
	va_end(again);
	if (length <= 0) {
		if (room)
			buffer->data[buffer->length] = '\0';
		return;
	}
	va_copy(again, arguments);
	if ((size_t)length >= room) {
		strbuf_grow(buffer, (size_t)length);
		vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, arguments);
	}
	buffer->length += (size_t)length;
	if (buffer->printable)
		keep_newlines_of_format(buffer, start, format, again);
	va_end(again);
}

void strbuf_add_format(struct strbuf *buffer, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	strbuf_add_vformat(buffer, format, arguments);
	va_end(arguments);
}

size_t make_character_printable(char *text, size_t length)
{
	size_t size = utf8_sequence(text, length);
	bool is_control = size ? utf8_is_control(text, size)
			       : (unsigned char)text[0] >= 0x80 && (unsigned char)text[0] < 0xa0;

	if (!size)
		size = 1;
	if (is_control)
		memset(text, '?', size);
	return size;
}

void make_lines_printable(char *text, size_t length, const char *kept)
{
	for (size_t i = 0; i < length;) {
		if (length - i >= 8 && !may_be_unprintable(text + i))
			i += 8;
		else if ((text[i] >= ' ' && text[i] < 0x7f) || (text[i] && strchr(kept, text[i])))
			i++;
		else
			i += make_character_printable(text + i, length - i);
	}
}

void strbuf_add_c_comment(struct strbuf *buffer, const char *text)
{
	size_t start = buffer->length;

	for (; *text; text++) {
		strbuf_add_char(buffer, *text);
		if ((text[0] == '*' && text[1] == '/') || (text[0] == '/' && text[1] == '*'))
			strbuf_add_char(buffer, ' ');
	}
	make_printable(buffer->data + start, buffer->length - start);
}

void strbuf_add_shell_word(struct strbuf *buffer, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";
	size_t start = buffer->length;

	if (*word && *word != '-' && !word[strspn(word, plain)]) {
		strbuf_add_string(buffer, word);
		return;
	}
	strbuf_add_char(buffer, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			strbuf_add_string(buffer, "'\\'");
		strbuf_add_char(buffer, *word);
	}
	strbuf_add_char(buffer, '\'');
	make_printable(buffer->data + start, buffer->length - start);
}

void strbuf_add_seconds(struct strbuf *buffer, int width, uint64_t time, bool nanoseconds)
{
	strbuf_add_format(buffer, "%*" PRIu64 ".%0*" PRIu64, width, time / NS_PER_S,
			  nanoseconds ? 9 : 6, time % NS_PER_S / (nanoseconds ? 1 : NS_PER_US));
}

void strbuf_add_wall_time(struct strbuf *buffer, uint64_t time, bool nanoseconds)
{
	time_t seconds = (time_t)(time / NS_PER_S);
	char date[64] = "";
	struct tm local;

	if (localtime_r(&seconds, &local))
		(void)strftime(date, sizeof(date), "%F %T", &local);
	strbuf_add_format(buffer, "%s.%0*" PRIu64, date, nanoseconds ? 9 : 6,
			  time % NS_PER_S / (nanoseconds ? 1 : NS_PER_US));
}

void strbuf_add_printable(struct strbuf *buffer, const char *string)
{
	size_t start = buffer->length;

	strbuf_add_string(buffer, string);
	make_printable(buffer->data + start, buffer->length - start);
}

void strbuf_truncate(struct strbuf *buffer, size_t length)
{
	buffer->length = length;
	if (buffer->capacity)
		buffer->data[length] = '\0';
}

void strbuf_trim(struct strbuf *buffer, size_t start)
{
	size_t length = buffer->length;

	while (length > start && buffer->data[length - 1] == ' ')
		length--;
	strbuf_truncate(buffer, length);
}

void strbuf_add_base64(struct strbuf *buffer, const uint8_t *bytes, size_t length)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < length; i += 3) {
		uint32_t group = (uint32_t)bytes[i] << 16 |
				 (i + 1 < length ? (uint32_t)bytes[i + 1] << 8 : 0) |
				 (i + 2 < length ? bytes[i + 2] : 0);

		strbuf_add_char(buffer, digits[group >> 18]);
		strbuf_add_char(buffer, digits[group >> 12 & 63]);
		strbuf_add_char(buffer, i + 1 < length ? digits[group >> 6 & 63] : '=');
		strbuf_add_char(buffer, i + 2 < length ? digits[group & 63] : '=');
	}
}

void strbuf_reset(struct strbuf *buffer)
{
	strbuf_truncate(buffer, 0);
}

char *strbuf_detach(struct strbuf *buffer)
{
	char *string = buffer->capacity ? buffer->data : xstrdup("");

	*buffer = (struct strbuf){ .data = strbuf_empty, .printable = buffer->printable };
	return string;
}

void strbuf_deinit(struct strbuf *buffer)
{
	if (buffer->capacity)
		free(buffer->data);
	*buffer = (struct strbuf){ .data = strbuf_empty, .printable = buffer->printable };
}
