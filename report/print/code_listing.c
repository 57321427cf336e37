// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints annotated code (code_listing.h). Widths and wording are those of perf 7.2 with capstone,
 * which scripts read.
 */
#include "report/print/code_listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"
#include "report/key/key.h"
#include "report/text.h"

#define NUMBER_WIDTH   5 /* of source lines */
#define MNEMONIC_WIDTH 7
#define BYTES_WIDTH    22 /* room for seven bytes, as in objdump */
#define DRAWN_MNEMONIC 6

struct code_page {
	const struct code_listing *listing;
	const struct code_options *options;
	struct strbuf *buffer;
	int address_width;
	int label_width; /* drawn listings: width of the offsets of jump targets */
};

static int figure_width(const struct code_page *page)
{
	return page->options->figure == CODE_PERIOD ? 12 : 8;
}

static int figures_width(const struct code_page *page)
{
	return figure_width(page) * (int)page->listing->event_count;
}

static double percent_of(const struct code_page *page, const struct access_count *count,
			 uint32_t event)
{
	const struct access_count *total = &page->listing->totals[event];
	uint64_t part = page->options->by_hits ? count->samples : count->period,
		 whole = page->options->by_hits ? total->samples : total->period;

	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static const char *base_name(const struct code_page *page, const char *path)
{
	const char *slash = page->options->full_paths ? NULL : strrchr(path, '/');

	return slash ? slash + 1 : path;
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
				  percent_of(page, line->charged, 0));
	else
		strbuf_add_format(page->buffer, "\t\t# charged: %" PRIu64,
				  page->options->figure == CODE_SAMPLES ? line->charged->samples
									: line->charged->period);
}

/* Ends a line and replaces control characters that came from files. Tabs stay: the listing itself
 * has some. */
static void end_line(struct strbuf *buffer, size_t start)
{
	for (char *text = buffer->data + start; text < buffer->data + buffer->length; text++)
		if (*text != '\t')
			make_printable(text, 1);
	strbuf_add_char(buffer, '\n');
}

/* ---- --stdio ---- */

static void print_heading(const struct code_page *page)
{
	static const char *const names[] = { " Percent", " Samples", " Period" };
	const struct code_listing *listing = page->listing;
	struct strbuf *buffer = page->buffer;
	size_t start = buffer->length, length;

	strbuf_add_format(buffer,
			  "%-*s|\tSource code & Disassembly of %s for %s (%" PRIu64
			  " samples, percent: %s)",
			  figures_width(page) + 1, names[page->options->figure],
			  base_name(page, listing->object), listing->events, listing->samples,
			  page->options->percent_type);
	end_line(buffer, start);
	length = buffer->length - start + 4;
	while (length--)
		strbuf_add_char(buffer, '-');
	strbuf_add_char(buffer, '\n');
}

static void add_source(const struct code_page *page, unsigned int number, const char *text)
{
	size_t start = page->buffer->length;

	strbuf_add_format(page->buffer, "%*s: %-*u ", figures_width(page) + 1, "", NUMBER_WIDTH,
			  number);
	strbuf_add_string(page->buffer, text);
	end_line(page->buffer, start);
}

static void add_figures(const struct code_page *page, const struct code_line *line)
{
	static const struct access_count nothing;

	for (uint32_t event = 0; event < page->listing->event_count; event++) {
		const struct access_count *count = line->counts ? &line->counts[event] : &nothing;
		double percent = percent_of(page, count, event);
		const char *shade = page->options->colour ? percent_colour(percent) : NULL;

		if (shade)
			strbuf_add_string(page->buffer, shade);
		if (page->options->figure == CODE_PERCENT)
			strbuf_add_format(page->buffer, "%*.2f", figure_width(page), percent);
		else
			strbuf_add_format(page->buffer, "%*" PRIu64, figure_width(page),
					  page->options->figure == CODE_SAMPLES ? count->samples
										: count->period);
		if (shade)
			strbuf_add_string(page->buffer, COLOUR_RESET);
	}
}

static void add_instruction(const struct code_page *page, const struct code_line *line,
			    bool name_line)
{
	struct strbuf *buffer = page->buffer;
	size_t start;

	add_figures(page, line);
	start = buffer->length;
	strbuf_add_format(buffer, " :   %*" PRIx64 ":       ", page->address_width, line->address);
	if (line->bytes)
		strbuf_add_format(buffer, "%-*s", BYTES_WIDTH, line->bytes);
	if (*line->operands)
		strbuf_add_format(buffer, "%-*s %s", MNEMONIC_WIDTH, line->mnemonic,
				  line->operands);
	else
		strbuf_add_string(buffer, line->mnemonic);
	if (line->reference)
		strbuf_add_format(buffer, "\t%s", line->reference);
	add_type(page, &line->type);
	add_charged(page, line);
	if (name_line)
		strbuf_add_format(buffer, " // %s:%u", base_name(page, line->file), line->number);
	end_line(buffer, start);
}

static bool same_source(const struct code_line *a, const struct code_line *b)
{
	return a && a->number == b->number && strcmp(a->file, b->file) == 0;
}

static void print_plain(struct code_page *page)
{
	const struct code_listing *listing = page->listing;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	const struct code_line *named = NULL; /* the last line whose file and number were printed */

	print_heading(page);
	strbuf_add_format(&name, "%#" PRIx64 " <%s>:", listing->address, listing->symbol);
	add_source(page, 0, name.data);
	for (size_t i = 0; i < listing->line_count; i++) {
		const struct code_line *line = &listing->lines[i];

		if (line->source) {
			add_source(page, line->number, line->source);
		} else {
			bool name_line = page->options->print_lines && line->file &&
					 !same_source(named, line);

			add_instruction(page, line, name_line);
			if (line->file)
				named = line;
		}
	}
}

/* ---- -l: a summary of source lines by their share ---- */

struct line_share {
	const struct code_line *line;
	double percent;
};

static int by_place(const void *left, const void *right)
{
	const struct line_share *a = left, *b = right;
	int order = strcmp(a->line->file, b->line->file);

	return order ? order
		     : (a->line->number > b->line->number) - (a->line->number < b->line->number);
}

static int by_share(const void *left, const void *right)
{
	const struct line_share *a = left, *b = right;

	if (a->percent != b->percent)
		return a->percent < b->percent ? 1 : -1;
	return by_place(left, right);
}

static void print_line_shares(const struct code_page *page)
{
	const struct code_listing *listing = page->listing;
	_cleanup_free_ struct line_share *shares = xcalloc(listing->line_count, sizeof(*shares));
	size_t count = 0, merged = 0;

	for (size_t i = 0; i < listing->line_count; i++) {
		const struct code_line *line = &listing->lines[i];

		if (!line->source && line->file && line->counts)
			shares[count++] =
				(struct line_share){ line, percent_of(page, line->counts, 0) };
	}
	if (count)
		qsort(shares, count, sizeof(*shares), by_place);
	for (size_t i = 0; i < count; i++) {
		if (merged && !by_place(&shares[merged - 1], &shares[i]))
			shares[merged - 1].percent += shares[i].percent;
		else
			shares[merged++] = shares[i];
	}
	if (merged)
		qsort(shares, merged, sizeof(*shares), by_share);
	strbuf_add_format(
		page->buffer,
		"\nSorted summary for file %s\n----------------------------------------------\n\n",
		listing->object);
	for (size_t i = 0; i < merged && shares[i].percent >= page->options->percent_limit; i++) {
		size_t start = page->buffer->length;

		strbuf_add_format(page->buffer, "%8.2f %s:%u", shares[i].percent,
				  base_name(page, shares[i].line->file), shares[i].line->number);
		end_line(page->buffer, start);
	}
}

/* ---- drawn ---- */

static const char *arrow_of(const struct code_line *line)
{
	switch (line->jump) {
	case JUMP_INSIDE: return line->target > line->address ? "\u2193" : "\u2191";
	case JUMP_OUTSIDE:
	case JUMP_CALL: return "\u2192";
	case JUMP_RETURN: return "\u2190";
	default: return " ";
	}
}

static void add_drawn(const struct code_page *page, const struct code_line *line)
{
	const struct code_listing *listing = page->listing;
	struct strbuf *buffer = page->buffer;
	size_t start;

	if (line->counts)
		add_figures(page, line);
	else
		strbuf_add_format(buffer, "%*s", figures_width(page), "");
	start = buffer->length;
	if (line->is_target)
		strbuf_add_format(buffer, "%*" PRIx64 ": ", page->label_width + 2,
				  line->address - listing->address);
	else
		strbuf_add_format(buffer, "%*s", page->label_width + 4, "");
	/* A jump inside shows the label of its target. */
	strbuf_add_format(buffer, "%s ", arrow_of(line));
	if (line->bytes)
		strbuf_add_format(buffer, "%-*s", BYTES_WIDTH, line->bytes);
	strbuf_add_format(buffer, "%-*s ", DRAWN_MNEMONIC, line->mnemonic);
	if (line->jump == JUMP_INSIDE)
		strbuf_add_format(buffer, "%" PRIx64, line->target - listing->address);
	else
		strbuf_add_string(buffer, line->operands);
	while (buffer->length > start && buffer->data[buffer->length - 1] == ' ')
		buffer->data[--buffer->length] = '\0';
	if (line->reference)
		strbuf_add_format(buffer, "\t%s", line->reference);
	add_type(page, &line->type);
	add_charged(page, line);
	end_line(buffer, start);
}

static void print_drawn(struct code_page *page)
{
	const struct code_listing *listing = page->listing;
	size_t start = page->buffer->length;

	for (size_t i = 0; i < listing->line_count; i++)
		if (listing->lines[i].is_target) {
			int width = hexadecimal_width(listing->lines[i].address - listing->address);

			if (width > page->label_width)
				page->label_width = width;
		}
	strbuf_add_format(page->buffer,
			  "Samples: %" PRIu64 "  of event%s '%s', Event count (approx.): %" PRIu64
			  ", [percent: %s]",
			  listing->samples, listing->plural ? "s" : "", listing->events,
			  listing->period, page->options->percent_type);
	end_line(page->buffer, start);
	start = page->buffer->length;
	strbuf_add_format(page->buffer, "%s() %s", listing->symbol, listing->object);
	end_line(page->buffer, start);
	for (size_t i = 0; i < listing->line_count; i++) {
		const struct code_line *line = &listing->lines[i];

		if (!line->source) {
			add_drawn(page, line);
			continue;
		}
		start = page->buffer->length;
		strbuf_add_format(page->buffer, "%*s", figures_width(page) + page->label_width + 6,
				  "");
		strbuf_add_string(page->buffer, line->source);
		end_line(page->buffer, start);
	}
}

void print_code_listing(const struct code_listing *listing, const struct code_options *options,
			struct strbuf *buffer)
{
	struct code_page page = { .listing = listing, .options = options, .buffer = buffer };

	for (size_t i = 0; i < listing->line_count; i++) {
		int width = hexadecimal_width(listing->lines[i].address);

		if (width > page.address_width)
			page.address_width = width;
	}
	if (options->print_lines)
		print_line_shares(&page);
	if (options->drawn)
		print_drawn(&page);
	else
		print_plain(&page);
	strbuf_add_char(buffer, '\n');
}
