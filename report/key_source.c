// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys of the source: line, file, language. */
#include "report/keys.h"

static void source_line_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->place->source_line);
}

static int source_line_order(const struct row_view *a, const struct row_view *b)
{
	return alphabetical(a->result->place->source_line, b->result->place->source_line);
}

static unsigned int source_line_width(const struct row_view *row, const struct cell_format *format)
{
	(void)format;
	return text_width(row->result->place->source_line);
}

static void source_line_cell(const struct row_view *row, const struct cell_format *format,
			     struct strbuf *buffer)
{
	const char *text = row->result->place->source_line;

	strbuf_add_format(buffer, "%-.*s", (int)format->width, text ? text : "");
}

const struct key key_source_line = {
	.name = "srcline",
	.header = "Source:Line",
	.summary = "file and line of the source",
	.needs = NEED_SOURCE_LINE,
	.identity = source_line_identity,
	.order = source_line_order,
	.width = source_line_width,
	.cell = source_line_cell,
};

static void source_file_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->place->source_file);
}

static int source_file_order(const struct row_view *a, const struct row_view *b)
{
	return alphabetical(a->result->place->source_file, b->result->place->source_file);
}

static unsigned int source_file_width(const struct row_view *row, const struct cell_format *format)
{
	(void)format;
	return text_width(row->result->place->source_file);
}

static void source_file_cell(const struct row_view *row, const struct cell_format *format,
			     struct strbuf *buffer)
{
	const char *text = row->result->place->source_file;

	strbuf_add_format(buffer, "%-.*s", (int)format->width, text ? text : "");
}

const struct key key_source_file = {
	.name = "srcfile",
	.header = "Source File",
	.summary = "file of the source",
	.needs = NEED_SOURCE_LINE,
	.identity = source_file_identity,
	.order = source_file_order,
	.width = source_file_width,
	.cell = source_file_cell,
};

static void language_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->place->language);
}

static int language_order(const struct row_view *a, const struct row_view *b)
{
	return alphabetical(a->result->place->language, b->result->place->language);
}

static unsigned int language_width(const struct row_view *row, const struct cell_format *format)
{
	(void)format;
	return text_width(row->result->place->language);
}

static void language_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	const char *text = row->result->place->language;

	strbuf_add_format(buffer, "%-.*s", (int)format->width, text ? text : "");
}

const struct key key_language = {
	.name = "lang",
	.header = "Language",
	.summary = "language of the source",
	.needs = NEED_LANGUAGE,
	.identity = language_identity,
	.order = language_order,
	.width = language_width,
	.cell = language_cell,
};
