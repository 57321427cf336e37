// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints annotated types in the form of perf annotate --data-type, the columns of figures beside
 * their members, and annotated code in the form of perf annotate --stdio (annotated.h).
 */
#include "report/print/annotated.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "report/key/key.h"
#include "report/result.h"
#include "report/text.h"

#define RULE_WIDTH     57 /* below the heading, as in perf */
#define OFFSET_COLUMN  8
#define SIZE_COLUMN    6
#define HEX_COLUMN     11 /* as in perf */
#define INDENT         4
#define TYPE_WIDTH_MAX 40 /* names after a longer type are not aligned */

struct type_page {
	const struct annotated_type *type;
	const struct annotated_options *options;
	struct strbuf *buffer;
	size_t figures_width;
	size_t indent, room;    /* of the declarations; see annotated.h */
	uint64_t next_boundary; /* offset of the next cacheline boundary to mark */
	bool marks_boundaries;
};

static unsigned int number_width(const struct type_page *page)
{
	return page->options->hexadecimal ? 2 * HEX_COLUMN : OFFSET_COLUMN + SIZE_COLUMN;
}

size_t annotated_left(size_t room, size_t taken)
{
	return room > taken ? room - taken : room != 0;
}

size_t annotated_indent(const struct annotated_type *type, size_t indent, size_t room)
{
	uint32_t deepest = 0;

	for (size_t i = 0; i < type->line_count; i++)
		raise_to(deepest, type->lines[i].depth);
	while (room && indent > 1 && deepest * indent > room / 2)
		indent /= 2;
	return indent;
}

size_t annotated_indentation(uint32_t depth, size_t indent, size_t room)
{
	size_t columns = depth * indent;

	return room && columns > room / 2 ? room / 2 : columns;
}

void annotated_declare(struct strbuf *buffer, const char *type, size_t columns, const char *rest,
		       size_t room, const char *ellipsis)
{
	size_t start = buffer->length, taken = text_columns(rest, strlen(rest)), limit, name;

	strbuf_add_string(buffer, type);
	if (room) {
		/* at least a quarter: less would not tell types apart */
		limit = annotated_left(room, taken);
		limit = limit > room / 4 ? limit : room / 4;
		text_shorten_name(buffer, start, limit, ellipsis);
		columns = columns < limit ? columns : limit;
	}
	name = text_columns(buffer->data + start, buffer->length - start);
	strbuf_add_repeated(buffer, ' ', name < columns ? columns - name : 0);
	strbuf_add_string(buffer, rest);
	if (room)
		text_shorten(buffer, start, room);
}

#define WHOLES_SHOWN 8

/* Says which other records the accessed objects are parts of: " in struct node (value): 98.0%". */
static void annotated_add_wholes(const struct annotated_type *type,
				 const struct annotated_options *options, struct strbuf *buffer)
{
	for (size_t i = 0; i < type->whole_count && i < WHOLES_SHOWN; i++) {
		const struct annotated_whole *whole = &type->wholes[i];
		size_t start = buffer->length;
		_cleanup_free_ char *share =
			xasprintf(": %.1f%%", percent_of(whole->samples, type->samples));

		strbuf_add_format(buffer, " in %s", whole->type);
		if (*whole->field)
			strbuf_add_format(buffer, " (%s)", whole->field);
		if (options->width)
			text_shorten_name(buffer, start,
					  annotated_left(options->width, strlen(share)),
					  options->ellipsis);
		strbuf_add_string(buffer, share);
		strbuf_end_line(buffer, start);
	}
	if (type->whole_count > WHOLES_SHOWN)
		strbuf_add_format(buffer, " and in %zu more\n", type->whole_count - WHOLES_SHOWN);
}

void print_type_heading(const struct annotated_type *type, const struct annotated_options *options,
			struct strbuf *buffer)
{
	static const char title[] = "Annotate type: '";
	size_t start = buffer->length, length;

	strbuf_add_format(buffer, "%s%s", title, type->name);
	if (options->width)
		text_shorten_name(buffer, start + strlen(title),
				  annotated_left(options->width, strlen(title) + 1),
				  options->ellipsis);
	strbuf_add_char(buffer, '\'');
	length = buffer->length - start;
	strbuf_add_format(buffer, " in %s (%" PRIu64 " samples):", type->object, type->samples);
	if (options->width && buffer->length - start > options->width) {
		/* the object gets a line of its own */
		strbuf_truncate(buffer, start + length);
		strbuf_end_line(buffer, start);
		start = buffer->length;
		strbuf_add_format(buffer, "  in %s (%" PRIu64 " samples):", type->object,
				  type->samples);
	}
	strbuf_end_line(buffer, start);
	annotated_add_wholes(type, options, buffer);
	for (uint32_t event = 0;
	     event < type->event_count && (type->event_count > 1 || options->name_events);
	     event++) {
		start = buffer->length;
		strbuf_add_format(buffer, " event[%u] = %s", event, type->events[event]);
		strbuf_end_line(buffer, start);
	}
	strbuf_add_repeated(buffer, '=',
			    options->width && options->width < RULE_WIDTH ? options->width
									  : RULE_WIDTH);
	strbuf_add_char(buffer, '\n');
}

static void annotated_print_heading(const struct type_page *page)
{
	bool hex = page->options->hexadecimal;

	print_type_heading(page->type, page->options, page->buffer);
	field_columns_print_headings(&page->options->columns, page->type->event_count,
				     page->buffer);
	strbuf_add_format(page->buffer, "%*s%*s  field\n", hex ? HEX_COLUMN : OFFSET_COLUMN,
			  "offset", hex ? HEX_COLUMN : SIZE_COLUMN, "size");
}

static void annotated_add_figures(const struct type_page *page, const struct access_count *counts)
{
	field_columns_print(&page->options->columns, counts, page->type->lines[0].counts,
			    page->type->event_count, page->options->colour, page->buffer);
}

static void add_numbers(const struct type_page *page, int64_t offset, uint64_t size, bool unsized)
{
	if (unsized)
		strbuf_add_format(
			page->buffer, page->options->hexadecimal ? " %#*" PRIx64 : " %*" PRId64,
			(page->options->hexadecimal ? HEX_COLUMN : OFFSET_COLUMN) - 1, offset);
	if (unsized)
		strbuf_add_format(page->buffer, " %*s  ",
				  (page->options->hexadecimal ? HEX_COLUMN : SIZE_COLUMN) - 1, "?");
	else if (page->options->hexadecimal)
		strbuf_add_format(page->buffer, " %#*" PRIx64 " %#*" PRIx64 "  ", HEX_COLUMN - 1,
				  (uint64_t)offset, HEX_COLUMN - 1, size);
	else
		strbuf_add_format(page->buffer, " %*" PRId64 " %*" PRIu64 "  ", OFFSET_COLUMN - 1,
				  offset, SIZE_COLUMN - 1, size);
}

/* Returns the longest type's width of `line` and its siblings, below TYPE_WIDTH_MAX. */
static size_t sibling_type_width(const struct annotated_type *type, size_t line)
{
	uint32_t depth = type->lines[line].depth;
	size_t widest = 0;

	for (size_t i = line; i < type->line_count && type->lines[i].depth >= depth; i++) {
		size_t width = text_columns(type->lines[i].type, strlen(type->lines[i].type));

		if (type->lines[i].depth == depth && !type->lines[i].opens && width > widest &&
		    width <= TYPE_WIDTH_MAX)
			widest = width;
	}
	return widest;
}

/* Returns whether all members are declared in the order of their offsets. Members of Rust types are
 * not, so a boundary between two lines would not be one in memory. */
static bool is_in_order(const struct annotated_type *type)
{
	bool in_order = true;

	for (size_t record = 0; record < type->line_count && in_order; record++) {
		int64_t last = type->lines[record].offset;

		if (!type->lines[record].opens || type->lines[record].is_union)
			continue;
		for (size_t i = record + 1, end = annotated_line_end(type, record);
		     i < end && in_order; i = annotated_line_end(type, i)) {
			if (type->lines[i].is_unit)
				continue;
			in_order = type->lines[i].is_variant || type->lines[i].offset >= last;
			last = type->lines[i].offset;
		}
	}
	return in_order;
}

static void mark_boundary(struct type_page *page, const struct annotated_line *line)
{
	uint64_t cacheline = page->options->cacheline, offset = line->offset;

	if (!page->marks_boundaries || !line->depth || line->is_unit ||
	    offset < page->next_boundary)
		return;

	uint64_t boundary = offset / cacheline * cacheline;
	size_t column = page->figures_width + number_width(page) + 2, left;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_add_format(&text, "--- cacheline %" PRIu64 " (%" PRIu64 " bytes",
			  boundary / cacheline, boundary);
	if (offset > boundary)
		strbuf_add_format(&text, ", %" PRIu64 " byte%s ago", offset - boundary,
				  offset - boundary == 1 ? "" : "s");
	strbuf_add_string(&text, ") ---");
	left = annotated_left(page->options->width, text.length);
	strbuf_add_repeated(page->buffer, ' ', left && left < column ? left : column);
	strbuf_add(page->buffer, text.data, text.length);
	strbuf_add_char(page->buffer, '\n');
	page->next_boundary = boundary + cacheline;
}

static void annotated_add_declaration(const struct type_page *page,
				      const struct annotated_line *line, size_t type_width)
{
	struct strbuf *buffer = page->buffer;
	const char *name = line->name ?: "";
	size_t start = buffer->length,
	       indentation = annotated_indentation(line->depth, page->indent, page->room);
	_cleanup_strbuf_ struct strbuf rest = STRBUF_INIT;

	if (line->is_unit) {
		strbuf_add_repeated(buffer, ' ', indentation);
		strbuf_add_format(buffer, "/* %s */", name);
		strbuf_end_line(buffer, start);
		return;
	}
	if (*name)
		strbuf_add_format(&rest, " %s", name);
	if (line->is_base && (line->opens || !*name))
		strbuf_add_string(&rest, " (base)");
	if (line->bit_size)
		strbuf_add_format(&rest, ":%u", line->bit_size);
	strbuf_add_string(&rest, line->opens ? " {" : ";");
	strbuf_add_repeated(buffer, ' ', indentation);
	annotated_declare(buffer, line->type, *name && !line->opens ? type_width : 0, rest.data,
			  annotated_left(page->room, indentation), page->options->ellipsis);
	strbuf_end_line(buffer, start);
}

static void annotated_add_parts(const struct type_page *page, const struct annotated_line *line)
{
	size_t indentation =
		annotated_indentation(line->depth, page->indent, page->room) + page->indent;

	array_each (const struct annotated_part, part, line->parts, line->part_count) {
		annotated_add_figures(page, part->counts);

		size_t start = page->buffer->length;

		if (part->offset >= 0)
			add_numbers(page, part->offset, part->size, false);
		else
			strbuf_add_repeated(page->buffer, ' ', number_width(page) + 2);
		strbuf_add_repeated(page->buffer, ' ', indentation);

		size_t label = page->buffer->length;

		strbuf_add_string(page->buffer, part->label);
		if (page->room)
			text_shorten_name(page->buffer, label,
					  annotated_left(page->room, indentation),
					  page->options->ellipsis);
		strbuf_end_line(page->buffer, start);
	}
}

static void close_braces(const struct type_page *page, uint32_t from, uint32_t to)
{
	while (from-- > to) {
		strbuf_add_repeated(page->buffer, ' ',
				    page->figures_width + number_width(page) + 2 +
					    annotated_indentation(from, page->indent, page->room));
		strbuf_add_string(page->buffer, "};\n");
	}
}

void print_annotated_type(const struct annotated_type *type,
			  const struct annotated_options *options, struct strbuf *buffer)
{
	struct type_page page = { .type = type,
				  .options = options,
				  .buffer = buffer,
				  .figures_width =
					  field_columns_width(&options->columns, type->event_count),
				  .next_boundary = options->cacheline,
				  .marks_boundaries = options->cacheline && is_in_order(type) };
	uint32_t open = 0; /* number of open braces */
	/* for each depth, the width of the column with the types */
	_cleanup_free_ size_t *widths = xcalloc(type->line_count + 1, sizeof(*widths));

	page.room = annotated_left(options->width, page.figures_width + number_width(&page) + 2);
	page.indent = annotated_indent(type, INDENT, page.room);
	annotated_print_heading(&page);
	array_indexed (const struct annotated_line, line, i, type->lines, type->line_count) {
		close_braces(&page, open, line->depth);
		open = line->depth;
		if (!i || type->lines[i - 1].depth < line->depth)
			widths[line->depth] = sibling_type_width(type, i);
		mark_boundary(&page, line);
		annotated_add_figures(&page, line->counts);
		add_numbers(&page, line->offset, line->size, line->is_unsized);
		annotated_add_declaration(&page, line, widths[line->depth]);
		annotated_add_parts(&page, line);
		open += line->opens;
	}
	close_braces(&page, open, type->virtual_bases ? 1 : 0);
	if (type->virtual_bases) {
		size_t start = buffer->length;

		strbuf_add_repeated(buffer, ' ',
				    page.figures_width + number_width(&page) + 2 + page.indent);
		annotated_declare(buffer, type->virtual_bases, 0,
				  " (virtual base, where the vtable tells);",
				  annotated_left(page.room, page.indent), options->ellipsis);
		strbuf_end_line(buffer, start);
		close_braces(&page, 1, 0);
	}
	strbuf_add_char(buffer, '\n');
}

size_t annotated_line_end(const struct annotated_type *type, size_t line)
{
	size_t end = line + 1;

	while (end < type->line_count && type->lines[end].depth > type->lines[line].depth)
		end++;
	return end;
}

/* ---- statistics ---- */

COMPARISON(compare_statistics, struct statistic, DESCENDING(count) BY_TEXT(label))

void print_statistics(const char *heading, const struct statistic *statistics, size_t count,
		      uint64_t total, struct strbuf *buffer)
{
	_cleanup_free_ struct statistic *sorted = xcalloc(count, sizeof(*sorted));

	memcpy(sorted, statistics, count * sizeof(*sorted));
	array_sort(sorted, count, compare_statistics);
	strbuf_add_format(buffer,
			  "%s\n-----------------------------------------------------------\n",
			  heading);
	for (size_t i = 0; i < count && sorted[i].count; i++)
		strbuf_add_format(buffer, "%10" PRIu64 "  %5.1f%% : %s\n", sorted[i].count,
				  percent_of(sorted[i].count, total), sorted[i].label);
	strbuf_add_char(buffer, '\n');
}

/* ---- columns ---- */

#define SHARE_WIDTH 8
#define SUM_WIDTH   12

static bool share(uint64_t part, uint64_t whole, double *value)
{
	*value = percent_of(part, whole);
	return whole != 0;
}

static bool percent_value(const struct access_count *count, const struct access_count *total,
			  double *value)
{
	share(count->period, total->period, value);
	return true;
}

const struct field_column field_percent = {
	.name = "percent",
	.header = "Percent",
	.summary = "share of the type's periods",
	.width = SHARE_WIDTH,
	.decimals = 2,
	.percentage = true,
	.value = percent_value,
};

/* Defines a column that shows the sum `member` of struct access_count. */
#define SUM_COLUMN(storage, member, column_header, column_width, column_needs, column_summary)     \
	static bool member##_value(const struct access_count *count,                               \
				   const struct access_count *total, double *value)                \
	{                                                                                          \
		(void)total;                                                                       \
		*value = (double)count->member;                                                    \
		return true;                                                                       \
	}                                                                                          \
	storage const struct field_column field_##member = {                                       \
		.name = #member,                                                                   \
		.header = column_header,                                                           \
		.summary = column_summary,                                                         \
		.needs = column_needs,                                                             \
		.width = column_width,                                                             \
		.value = member##_value,                                                           \
	}

SUM_COLUMN(, samples, "Samples", SHARE_WIDTH, 0, "number of samples");
SUM_COLUMN(, period, "Period", SUM_WIDTH, 0, "sum of the periods");
SUM_COLUMN(static, weight, "Weight", SUM_WIDTH, 0, "sum of the samples' weights (latency)");
SUM_COLUMN(static, weight_max, "W.max", SHARE_WIDTH, NEED_WEIGHT, "the largest weight");
SUM_COLUMN(static, loads, "Loads", SHARE_WIDTH, NEED_DATA_SOURCE, "samples that read");
SUM_COLUMN(static, stores, "Stores", SHARE_WIDTH, NEED_DATA_SOURCE, "samples that write");

static bool weight_mean_value(const struct access_count *count,
			      const struct access_count *total _unused_, double *value)
{
	*value = count->samples ? (double)count->weight / (double)count->samples : 0;
	return count->samples != 0;
}

static const struct field_column field_weight_mean = {
	.name = "weight_mean",
	.header = "W.mean",
	.summary = "the weights' mean",
	.width = SHARE_WIDTH,
	.decimals = 1,
	.value = weight_mean_value,
};

/* Defines a column that shows a share of the samples with a data source. */
#define SOURCE_COLUMN(member, column_name, column_header, column_summary)                          \
	static bool member##_value(const struct access_count *count,                               \
				   const struct access_count *total, double *value)                \
	{                                                                                          \
		(void)total;                                                                       \
		return share(count->member, count->sourced, value);                                \
	}                                                                                          \
	static const struct field_column field_##member = {                                        \
		.name = column_name,                                                               \
		.header = column_header,                                                           \
		.summary = "share of the samples " column_summary,                                 \
		.needs = NEED_DATA_SOURCE,                                                         \
		.width = SHARE_WIDTH,                                                              \
		.decimals = 2,                                                                     \
		.value = member##_value,                                                           \
	}

SOURCE_COLUMN(l1, "l1", "L1%", "whose data was in the first cache");
SOURCE_COLUMN(l2, "l2", "L2%", "whose data was in the second cache");
SOURCE_COLUMN(l3, "l3", "L3%", "whose data was in the third cache");
SOURCE_COLUMN(ram, "ram", "RAM%", "whose data was in memory");
SOURCE_COLUMN(remote, "remote", "Remote%", "whose data was at another socket");
SOURCE_COLUMN(hitm, "hitm", "HITM%", "whose data another processor had modified");
SOURCE_COLUMN(tlb_misses, "tlb", "dTLB%", "that missed the TLB");
SOURCE_COLUMN(locked, "locked", "Locked%", "by locked instructions");

const struct field_column *const all_field_columns[] = {
	&field_percent,    &field_samples, &field_period, &field_weight, &field_weight_mean,
	&field_weight_max, &field_loads,   &field_stores, &field_l1,     &field_l2,
	&field_l3,         &field_ram,     &field_remote, &field_hitm,   &field_tlb_misses,
	&field_locked,     NULL,
};

static struct error *find_column(const char *name, size_t length,
				 const struct field_column **result)
{
	char word[65];
	struct nearest nearest = { .word = word };

	snprintf(word, sizeof(word), "%.*s", (int)(length < 64 ? length : 64), name);
	for (const struct field_column *const *column = all_field_columns; *column; column++) {
		if (!strcasecmp((*column)->name, word)) {
			*result = *column;
			return NULL;
		}
		nearest_consider(&nearest, (*column)->name);
	}
	if (nearest.best)
		return error_other("unknown column '%s'; did you mean '%s'?", word, nearest.best);
	return error_other("unknown column '%s' (dtprof annotate --help lists them)", word);
}

struct error *field_columns_parse(const char *text, struct field_columns *columns)
{
	if (*text == '+')
		text++;
	else
		columns->count = 0;
	while (*(text += strspn(text, ", "))) {
		size_t length = strcspn(text, ", ");
		const struct field_column *column = NULL;
		size_t known = 0;

		RETURN_ERROR(find_column(text, length, &column));
		while (known < columns->count && columns->items[known] != column)
			known++;
		/* No column is added twice, so FIELD_COLUMNS_MAX is enough room. */
		columns->items[known] = column;
		columns->count += known == columns->count;
		text += length;
	}
	if (!columns->count)
		return error_other("--columns needs the name of a column");
	return NULL;
}

uint64_t field_columns_needs(const struct field_columns *columns)
{
	uint64_t needs = 0;

	for (size_t i = 0; i < columns->count; i++)
		needs |= columns->items[i]->needs;
	return needs;
}

static void annotated_print_cell(const struct field_column *column,
				 const struct access_count *count, const struct access_count *total,
				 bool colour, struct strbuf *buffer)
{
	double value;
	int width = (int)column->width;

	if (!column->value(count, total, &value)) {
		strbuf_add_format(buffer, "%*s", width, "-");
		return;
	}

	bool coloured = begin_percent_colour(buffer, value, colour && column->percentage);

	strbuf_add_format(buffer, "%*.*f", width, (int)column->decimals, value);
	if (coloured)
		strbuf_add_string(buffer, COLOUR_RESET);
}

void field_columns_print(const struct field_columns *columns, const struct access_count *counts,
			 const struct access_count *total, size_t event_count, bool colour,
			 struct strbuf *buffer)
{
	for (size_t i = 0; i < columns->count; i++)
		for (size_t event = 0; event < event_count; event++)
			annotated_print_cell(columns->items[i], &counts[event], &total[event],
					     colour, buffer);
}

void field_columns_print_headings(const struct field_columns *columns, size_t event_count,
				  struct strbuf *buffer)
{
	for (size_t i = 0; i < columns->count; i++)
		strbuf_add_format(buffer, "%*s", (int)(columns->items[i]->width * event_count),
				  columns->items[i]->header);
}

size_t field_columns_width(const struct field_columns *columns, size_t event_count)
{
	return sum_over(size_t, i, 0, columns->count, columns->items[i]->width * event_count);
}

/* ---- code ---- */

/* Widths and wording are those of perf 7.2 with capstone, which scripts read. */

#define NUMBER_WIDTH   5 /* of source lines */
#define MNEMONIC_WIDTH 7

struct code_page {
	const struct code_listing *listing;
	const struct code_options *options;
	struct strbuf *buffer;
	int address_width;
};

static int annotated_figure_width(const struct code_page *page)
{
	return page->options->figure == CODE_PERIOD ? 12 : 8;
}

static int figures_width(const struct code_page *page)
{
	return annotated_figure_width(page) * (int)page->listing->event_count;
}

static double line_percent(const struct code_page *page, const struct access_count *count,
			   uint32_t event)
{
	return percent_of(count->period, page->listing->totals[event].period);
}

static const char *file_name(const struct code_page *page, const char *path)
{
	return page->options->full_paths ? path : base_name(path);
}

static int hexadecimal_width(uint64_t number)
{
	int width = 1;

	while (number >>= 4)
		width++;
	return width;
}

static void add_type(const struct code_page *page, const struct code_type *type)
{
	struct strbuf *buffer = page->buffer;
	size_t name;

	if (!type->name)
		return;
	strbuf_add_string(buffer, "\t\t# data-type: ");
	name = buffer->length;
	strbuf_add_string(buffer, type->name);
	if (page->options->max_name)
		text_shorten(buffer, name, page->options->max_name);
	if (!type->typed)
		return;
	if (page->options->hexadecimal)
		strbuf_add_format(buffer, " +%#" PRIx64, (uint64_t)type->offset);
	else
		strbuf_add_format(buffer, " +%" PRId64, type->offset);
	if (type->field)
		strbuf_add_format(buffer, " (%s)", type->field);
}

/* Appends how many of the first event's samples were charged to this instruction. */
static void add_charged(const struct code_page *page, const struct code_line *line)
{
	if (!line->charged)
		return;
	if (page->options->figure == CODE_PERCENT)
		strbuf_add_format(page->buffer, "\t\t# charged: %.2f",
				  line_percent(page, line->charged, 0));
	else
		strbuf_add_format(page->buffer, "\t\t# charged: %" PRIu64,
				  page->options->figure == CODE_SAMPLES ? line->charged->samples
									: line->charged->period);
}

/* Ends a line, which has `column` columns before `start`, and replaces control characters that came
 * from files. Tabs stay: the listing itself has some. Further lines on a terminal begin in column
 * `indent`. */
static void end_line(const struct code_page *page, size_t start, size_t column, size_t indent)
{
	struct strbuf *buffer = page->buffer;

	make_lines_printable(buffer->data + start, buffer->length - start, "\t");
	text_fold(buffer, start, column, page->options->width, indent);
	strbuf_add_char(buffer, '\n');
}

/* Returns the columns that text takes on a terminal, with tab stops every eight. */
static size_t columns_of(const char *text, size_t length)
{
	size_t columns = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\t')
			columns += 8 - columns % 8;
		else
			columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	}
	return columns;
}

/* ---- --stdio ---- */

static void print_code_heading(const struct code_page *page)
{
	static const char *const names[] = { " Percent", " Samples", " Period" };
	const struct code_listing *listing = page->listing;
	struct strbuf *buffer = page->buffer;
	size_t start = buffer->length, length, width = page->options->width;

	strbuf_add_format(buffer,
			  "%-*s|\tSource code & Disassembly of %s for %s (%" PRIu64 " samples",
			  figures_width(page) + 1, names[page->options->figure],
			  file_name(page, listing->object), listing->events, listing->samples);
	length = buffer->length;
	strbuf_add_string(buffer, ", percent: local period)");
	if (width && columns_of(buffer->data + start, buffer->length - start) > width) {
		strbuf_truncate(buffer, length);
		strbuf_add_char(buffer, ')');
	}
	end_line(page, start, 0, 8);
	length = buffer->length - start + 4;
	strbuf_add_repeated(buffer, '-', width && width < length ? width : length);
	strbuf_add_char(buffer, '\n');
}

static void add_source(const struct code_page *page, unsigned int number, const char *text)
{
	size_t start;

	strbuf_add_format(page->buffer, "%*s: %-*u ", figures_width(page) + 1, "", NUMBER_WIDTH,
			  number);
	start = page->buffer->length;
	strbuf_add_string(page->buffer, text);
	end_line(page, start, (size_t)figures_width(page) + NUMBER_WIDTH + 4, INDENT);
}

static void annotated_add_code_figures(const struct code_page *page, const struct code_line *line)
{
	static const struct access_count nothing;

	for (uint32_t event = 0; event < page->listing->event_count; event++) {
		const struct access_count *count = line->counts ? &line->counts[event] : &nothing;
		double percent = line_percent(page, count, event);
		bool coloured = begin_percent_colour(page->buffer, percent, page->options->colour);

		if (page->options->figure == CODE_PERCENT)
			strbuf_add_format(page->buffer, "%*.2f", annotated_figure_width(page),
					  percent);
		else
			strbuf_add_format(page->buffer, "%*" PRIu64, annotated_figure_width(page),
					  page->options->figure == CODE_SAMPLES ? count->samples
										: count->period);
		if (coloured)
			strbuf_add_string(page->buffer, COLOUR_RESET);
	}
}

/* Makes the line from `start` on fit the terminal: its notes, which begin at `notes` with tabs as
 * perf's do, follow the instruction after two blanks, or have a line of their own. Instructions
 * begin in column `indent`. */
static void fit_notes(const struct code_page *page, size_t start, size_t notes, size_t indent)
{
	static const char title[] = "# data-type: ";
	struct strbuf *buffer = page->buffer;
	size_t width = page->options->width, figures = (size_t)figures_width(page);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!width || notes == buffer->length ||
	    figures + columns_of(buffer->data + start, buffer->length - start) <= width)
		return;
	for (size_t i = notes; i < buffer->length; i++) {
		if (buffer->data[i] != '\t')
			strbuf_add_char(&text, buffer->data[i]);
		else if (text.length && buffer->data[i - 1] != '\t')
			strbuf_add_string(&text, "  ");
	}
	strbuf_truncate(buffer, notes);

	size_t length = columns_of(text.data, text.length);
	size_t kept = starts_with(text.data, title) ? strlen(title) : 0;

	if (figures + columns_of(buffer->data + start, notes - start) + 2 + length <= width) {
		strbuf_add_format(buffer, "  %s", text.data);
		return;
	}
	/* further to the left, before anything is cut */
	if (indent + length > width)
		indent = length + figures < width ? width - length : figures;
	if (indent + length > width)
		text_shorten_name(&text, kept, annotated_left(width, indent + kept), "...");
	strbuf_add_char(buffer, '\n');
	strbuf_add_repeated(buffer, ' ', indent);
	strbuf_add_string(buffer, text.data);
}

static void add_instruction(const struct code_page *page, const struct code_line *line)
{
	struct strbuf *buffer = page->buffer;
	size_t start, notes, figures = (size_t)figures_width(page);
	/* where instructions begin: after the figures, and what is before and after the address */
	size_t indent = figures + (size_t)page->address_width + 11;

	annotated_add_code_figures(page, line);
	start = buffer->length;
	strbuf_add_format(buffer, " :   %*" PRIx64 ":       ", page->address_width, line->address);
	if (*line->operands)
		strbuf_add_format(buffer, "%-*s %s", MNEMONIC_WIDTH, line->mnemonic,
				  line->operands);
	else
		strbuf_add_string(buffer, line->mnemonic);
	notes = buffer->length;
	if (line->reference)
		strbuf_add_format(buffer, "\t%s", line->reference);
	add_type(page, &line->type);
	add_charged(page, line);
	make_lines_printable(buffer->data + start, buffer->length - start, "\t");
	fit_notes(page, start, notes, indent);
	text_fold(buffer, start, figures, page->options->width, indent - figures);
	strbuf_add_char(buffer, '\n');
}

static void print_plain(struct code_page *page)
{
	const struct code_listing *listing = page->listing;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	print_code_heading(page);
	strbuf_add_format(&name, "%#" PRIx64 " <%s>:", listing->address, listing->symbol);
	add_source(page, 0, name.data);
	array_each (const struct code_line, line, listing->lines, listing->line_count) {
		if (line->source)
			add_source(page, line->number, line->source);
		else
			add_instruction(page, line);
	}
}

void print_code_listing(const struct code_listing *listing, const struct code_options *options,
			struct strbuf *buffer)
{
	struct code_page page = { .listing = listing, .options = options, .buffer = buffer };

	for (size_t i = 0; i < listing->line_count; i++) {
		int width = hexadecimal_width(listing->lines[i].address);

		raise_to(page.address_width, width);
	}
	print_plain(&page);
	strbuf_add_char(buffer, '\n');
}
