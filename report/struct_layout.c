// SPDX-License-Identifier: GPL-2.0-or-later
/* Words and widths are those of pahole (dwarves), with nested records opened as by its -E. */
#include "report/struct_layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/printable.h"
#include "report/text.h"
#include "report/cacheline_heat.h"

#define INDENT        8
#define TYPE_WIDTH    26
#define NAME_WIDTH    22
#define COMMENT_WIDTH (TYPE_WIDTH + 1 + NAME_WIDTH)
#define DEPTH_MAX     64

struct page {
	const struct annotated_type *type;
	const struct annotated_options *options;
	struct strbuf *buffer;
	size_t figures_width;
	uint64_t next_boundary; /* of cachelines: the next one to mark */
};

/* Of one record. */
struct totals {
	uint64_t members;     /* how many */
	uint64_t bytes, bits; /* of them: all but bitfields, and these */
	uint64_t holes, hole_bytes;
	uint64_t bit_holes, hole_bits;
	uint64_t paddings, padding_bytes; /* of records among the members */
	struct layout_gap padding;        /* its own */
};

static void add_blanks(struct strbuf *buffer, size_t count)
{
	strbuf_add_format(buffer, "%*s", (int)count, "");
}

/* Where the text of a line without figures starts. */
static size_t begin_line(const struct page *page, uint32_t depth)
{
	size_t start = page->buffer->length;

	add_blanks(page->buffer, page->figures_width + 2 + (size_t)depth * INDENT);
	return start;
}

static void add_figures(const struct page *page, const struct annotated_line *line)
{
	field_columns_print(&page->options->columns, line->counts, page->type->lines[0].counts,
			    page->type->event_count, page->options->colour, page->buffer);
	add_blanks(page->buffer, 2);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* Comments between members stand apart from them. */
static void add_comment(const struct page *page, uint32_t depth, bool *apart, const char *format,
			uint64_t count, const char *more)
{
	if (!*apart)
		strbuf_add_char(page->buffer, '\n');
	*apart = true;
	begin_line(page, depth);
	strbuf_add_format(page->buffer, "/* XXX %" PRIu64, count);
	strbuf_add_format(page->buffer, format, plural(count), more);
	strbuf_add_string(page->buffer, " */\n");
}

static void end_comments(const struct page *page, bool apart)
{
	if (apart)
		strbuf_add_char(page->buffer, '\n');
}

/* Of bitfields that is where their storage unit begins, as it is said of them. */
static int64_t offset_of(const struct annotated_line *line, int64_t base)
{
	return line->bit_size ? base + (int64_t)(layout_unit_start(line, base) / 8) : line->offset;
}

static void mark_boundary(struct page *page, const struct annotated_line *line, int64_t base)
{
	int64_t place = offset_of(line, base);
	uint64_t cacheline = page->options->cacheline, offset = (uint64_t)place;

	if (!cacheline || place < 0 || offset < page->next_boundary)
		return;

	uint64_t number = offset / cacheline, boundary = number * cacheline;

	begin_line(page, line->depth);
	strbuf_add_format(page->buffer, "/* --- cacheline %" PRIu64 " boundary (%" PRIu64 " bytes)", number,
			  boundary);
	if (offset > boundary)
		strbuf_add_format(page->buffer, " was %" PRIu64 " byte%s ago", offset - boundary,
				  plural(offset - boundary));
	strbuf_add_string(page->buffer, " --- */\n");
	page->next_boundary = boundary + cacheline;
}

/* "struct list *", "next" and where it is, each in its column. */
static void add_member(const struct page *page, const struct annotated_line *line, int64_t base)
{
	struct strbuf *buffer = page->buffer;
	size_t start = buffer->length, text;
	int indent = line->depth ? (int)(line->depth - 1) * INDENT : 0,
	    width = indent < TYPE_WIDTH ? TYPE_WIDTH - indent : 0;
	const char *name = line->declarator;

	add_blanks(buffer, (size_t)line->depth * INDENT);
	text = buffer->length;
	if (*name || line->bit_size) {
		text_add_columns(buffer, line->base, (size_t)width);
		strbuf_add_format(buffer, " %s", name);
	} else
		strbuf_add_format(buffer, "%s%s", line->base, line->is_base ? " (base)" : "");
	if (line->bit_size)
		strbuf_add_format(buffer, ":%u", line->bit_size);
	strbuf_add_char(buffer, ';');

	size_t written = text_columns(buffer->data + text, buffer->length - text),
	       room = COMMENT_WIDTH - (size_t)indent;

	add_blanks(buffer, written < room ? room - written : 1);
	if (line->bit_size)
		strbuf_add_format(buffer, "/* %5" PRId64 ":%2" PRId64 " %2" PRIu64 " */",
				  offset_of(line, base),
				  (line->offset - offset_of(line, base)) * 8 + line->bit_offset, line->unit);
	else
		strbuf_add_format(buffer, "/* %5" PRId64 " %5" PRIu64 " */", line->offset, line->size);
	strbuf_end_line(buffer, start);
}

static void open_record(const struct page *page, const struct annotated_line *line)
{
	size_t start;

	add_figures(page, line);
	start = page->buffer->length;
	add_blanks(page->buffer, (size_t)line->depth * INDENT);
	strbuf_add_format(page->buffer, "%s%s {", line->depth ? line->base : line->type,
			  line->is_base ? " (base)" : "");
	strbuf_end_line(page->buffer, start);
}

static void close_record(const struct page *page, const struct annotated_line *line)
{
	struct strbuf *buffer = page->buffer;
	size_t start = begin_line(page, line->depth), text = buffer->length,
	       room = COMMENT_WIDTH - (size_t)(line->depth - 1) * INDENT;

	strbuf_add_format(buffer, "}%s%s;", *line->declarator ? " " : "", line->declarator);

	size_t written = text_columns(buffer->data + text, buffer->length - text);

	add_blanks(buffer, written < room && room < COMMENT_WIDTH + 1 ? room - written : 1);
	strbuf_add_format(buffer, "/* %5" PRId64 " %5" PRIu64 " */", line->offset, line->size);
	strbuf_end_line(buffer, start);
}

static uint64_t record_size(const struct annotated_line *line)
{
	return line->element_size ? line->element_size : line->size;
}

/* What a member adds: a base class whose padding the next member uses is not counted in full. */
static void count_member(struct totals *totals, struct layout_fill *fill, const struct annotated_line *line,
			 int64_t base, bool empty)
{
	uint64_t start = (uint64_t)(line->offset - base) * 8, before = start > fill->end ? start : fill->end;

	totals->members++;
	if (empty)
		return;
	layout_take(fill, line, base);
	if (line->bit_size)
		totals->bits += line->bit_size;
	else if (fill->end > before)
		totals->bytes += (fill->end - before) / 8;
}

static void comment_gap(const struct page *page, uint32_t depth, struct layout_gap gap, bool *apart,
			struct totals *totals)
{
	if (gap.bits) {
		add_comment(page, depth, apart, " bit%s hole, try to pack", gap.bits, "");
		totals->bit_holes++;
		totals->hole_bits += gap.bits;
	}
	if (gap.bytes) {
		add_comment(page, depth, apart, " byte%s hole, try to pack", gap.bytes, "");
		totals->holes++;
		totals->hole_bytes += gap.bytes;
	}
}

/* As pahole; of arrays, into which it does not look, besides: it is there in each element. */
static void comment_padding(const struct page *page, const struct annotated_line *line, uint64_t bytes,
			    struct totals *totals, bool *apart)
{
	if (!*apart)
		strbuf_add_char(page->buffer, '\n');
	*apart = true;
	begin_line(page, line->depth);
	strbuf_add_format(page->buffer, "/* XXX %s has %" PRIu64 " byte%s of padding */\n",
			  line->element_size ? "each element" : "last struct", bytes, plural(bytes));
	if (line->element_size)
		return;
	totals->paddings++;
	totals->padding_bytes += bytes;
}

static void print_members(struct page *page, size_t record, struct totals *totals);

/* A member, opened if it is a record; adds to *totals what the record that it is a member of has of it. Not
 * `padded`: what is padding at its end, another member uses. */
static void print_member(struct page *page, size_t index, int64_t base, bool padded, struct totals *totals,
			 bool *apart)
{
	const struct annotated_line *line = &page->type->lines[index];
	struct totals inner = { 0 };

	mark_boundary(page, line, base);
	if (!line->opens || line->depth >= DEPTH_MAX) {
		add_figures(page, line);
		add_member(page, line, base);
		return;
	}
	open_record(page, line);
	print_members(page, index, &inner);
	close_record(page, line);
	if (inner.padding.bytes && padded && !line->is_variant && !line->is_union &&
	    !layout_is_empty(page->type, index))
		comment_padding(page, line, inner.padding.bytes, totals, apart);
}

/* Whether the next member with data begins before this one ends. */
static bool is_overlapped(const struct annotated_type *type, const size_t *members, size_t count,
			  size_t index)
{
	const struct annotated_line *line = &type->lines[members[index]];

	for (size_t i = index + 1; i < count; i++)
		if (!layout_is_empty(type, members[i]))
			return type->lines[members[i]].offset < line->offset + (int64_t)line->size;
	return false;
}

static void print_members(struct page *page, size_t record, struct totals *totals)
{
	const struct annotated_type *type = page->type;
	const struct annotated_line *parent = &type->lines[record];
	size_t count;
	size_t *members _cleanup_free_ = layout_members(type, record, &count);
	struct layout_fill fill = { 0 };
	bool apart = false;
	uint64_t boundary = page->next_boundary;

	/* before its own members a variant has what tells that it is there */
	if (count && parent->is_variant)
		fill.end = (uint64_t)(type->lines[members[0]].offset - parent->offset) * 8;
	for (size_t i = 0; i < count; i++) {
		const struct annotated_line *line = &type->lines[members[i]];
		bool empty = layout_is_empty(type, members[i]);

		if (!parent->is_union && !empty && !line->is_variant)
			comment_gap(page, line->depth, layout_gap(&fill, line, parent->offset, 0), &apart,
				    totals);
		end_comments(page, apart);
		apart = false;
		count_member(totals, &fill, line, parent->offset, empty);
		/* each is as if it were there alone: has the boundaries in it, and padding that the others
		 * use */
		if (parent->is_union)
			page->next_boundary = boundary;
		print_member(page, members[i], parent->offset,
			     !parent->is_union && !is_overlapped(type, members, count, i), totals, &apart);
	}
	if (parent->is_union)
		page->next_boundary = boundary;
	end_comments(page, apart && record);
	totals->padding = layout_gap(&fill, NULL, parent->offset, record_size(parent));
}

static void add_total(const struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_total(const struct page *page, const char *format, ...)
{
	va_list arguments;

	begin_line(page, 1);
	strbuf_add_string(page->buffer, "/* ");
	va_start(arguments, format);
	strbuf_add_vformat(page->buffer, format, arguments);
	va_end(arguments);
	strbuf_add_string(page->buffer, " */\n");
}

static void print_totals(const struct page *page, const struct totals *totals)
{
	uint64_t size = record_size(&page->type->lines[0]), cacheline = page->options->cacheline;

	strbuf_add_char(page->buffer, '\n');
	if (cacheline)
		add_total(page, "size: %" PRIu64 ", cachelines: %" PRIu64 ", members: %" PRIu64, size,
			  (size + cacheline - 1) / cacheline, totals->members);
	else
		add_total(page, "size: %" PRIu64 ", members: %" PRIu64, size, totals->members);
	if (totals->holes)
		add_total(page, "sum members: %" PRIu64 ", holes: %" PRIu64 ", sum holes: %" PRIu64,
			  totals->bytes, totals->holes, totals->hole_bytes);
	else if (totals->bit_holes)
		add_total(page, "sum members: %" PRIu64, totals->bytes);
	if (totals->bit_holes)
		add_total(page,
			  "sum bitfield members: %" PRIu64 " bits, bit holes: %" PRIu64
			  ", sum bit holes: %" PRIu64 " bits",
			  totals->bits, totals->bit_holes, totals->hole_bits);
	else if (totals->holes && totals->bits)
		add_total(page, "sum bitfield members: %" PRIu64 " bits (%" PRIu64 " bytes)", totals->bits,
			  totals->bits / 8);
	if (page->type->virtual_bases)
		add_total(page, "virtual bases, and padding: %" PRIu64 " (%s, where the vtable tells)",
			  totals->padding.bytes, page->type->virtual_bases);
	else if (totals->padding.bytes)
		add_total(page, "padding: %" PRIu64, totals->padding.bytes);
	if (totals->padding.bits)
		add_total(page, "bit_padding: %" PRIu64 " bits", totals->padding.bits);
	if (totals->paddings)
		add_total(page, "paddings: %" PRIu64 ", sum paddings: %" PRIu64, totals->paddings,
			  totals->padding_bytes);
	if (cacheline && size % cacheline)
		add_total(page, "last cacheline: %" PRIu64 " bytes", size % cacheline);
}

void print_struct_layout(const struct annotated_type *type, const struct annotated_options *options,
			 struct strbuf *buffer)
{
	struct page page = { .type = type,
			     .options = options,
			     .buffer = buffer,
			     .figures_width = field_columns_width(&options->columns, type->event_count),
			     .next_boundary = options->cacheline };
	const struct annotated_line *line = &type->lines[0];
	struct totals totals = { 0 };

	print_type_heading(type, options, buffer);
	field_columns_print_headings(&options->columns, type->event_count, buffer);
	strbuf_add_string(buffer, "  layout\n");
	if (line->opens) {
		open_record(&page, line);
		print_members(&page, 0, &totals);
		print_totals(&page, &totals);
		begin_line(&page, 0);
		strbuf_add_string(buffer, "};\n");
	} else {
		add_figures(&page, line);
		add_member(&page, line, 0);
	}
	strbuf_add_char(buffer, '\n');
	print_cacheline_heat(type, options, buffer);
}
