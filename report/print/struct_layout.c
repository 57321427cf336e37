// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the layout of a type as pahole does (annotated.h), with nested records expanded as by
 * its option -E, and below it the heat of each cacheline. Wording and widths are those of pahole
 * (dwarves). On a terminal, members are indented by less and names are shortened, so that all lines
 * fit.
 */
#include "report/print/annotated.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "report/text.h"

/* ---- gaps ---- */

#define BYTE 8

static uint64_t first_bit(const struct annotated_line *line, int64_t base)
{
	return (uint64_t)(line->offset - base) * BYTE + line->bit_offset;
}

uint64_t layout_unit_start(const struct annotated_line *line, int64_t base)
{
	uint64_t first = first_bit(line, base), unit = line->unit * BYTE;

	return unit ? first / unit * unit : first;
}

/* Sets *start and *end to the bits that a bitfield's storage unit occupies. */
static void bit_unit(const struct annotated_line *line, int64_t base, uint64_t *start,
		     uint64_t *end)
{
	uint64_t first = first_bit(line, base), unit = line->unit * BYTE;

	*start = layout_unit_start(line, base);
	*end = *start + unit;
	/* A packed bitfield may straddle units: then it occupies whole bytes. */
	if (first + line->bit_size > *end) {
		*start = first / BYTE * BYTE;
		*end = round_up(first + line->bit_size, BYTE);
	}
}

struct layout_gap layout_gap(const struct layout_fill *fill, const struct annotated_line *line,
			     int64_t base, uint64_t size)
{
	uint64_t start = line ? first_bit(line, base) : size * BYTE, unit_start = start, unit_end;
	uint64_t position = fill->end;
	struct layout_gap gap = { 0 };

	if (start <= position)
		return gap;
	if (fill->unit_end > position) {
		uint64_t rest = fill->unit_end < start ? fill->unit_end : start;

		gap.bits = rest - position;
		position = rest;
	}
	if (line && line->bit_size) {
		bit_unit(line, base, &unit_start, &unit_end);
		raise_to(unit_start, position);
	}
	gap.bytes = (unit_start - position) / BYTE;
	gap.bits += (unit_start - position) % BYTE + (start - unit_start);
	return gap;
}

void layout_take(struct layout_fill *fill, const struct annotated_line *line, int64_t base)
{
	uint64_t start, unit_end = 0,
			end = first_bit(line, base) + (line->bit_size ?: line->size * BYTE);

	if (end <= fill->end)
		return;
	if (line->bit_size)
		bit_unit(line, base, &start, &unit_end);
	/* `bool flag:1` may lie in the larger unit of `unsigned int mode:2` before it. */
	if (line->bit_size && fill->unit_end > unit_end)
		unit_end = fill->unit_end;
	*fill = (struct layout_fill){ .end = end, .unit_end = unit_end };
}

bool layout_is_empty(const struct annotated_type *type, size_t index)
{
	return all_of(i, index, annotated_line_end(type, index), type->lines[i].opens);
}

/* Returns a line's place: its first bit, or a unit's last one, after its bitfields. */
static int64_t position(const struct annotated_line *line)
{
	return line->offset * BYTE + line->bit_offset + (line->is_unit ? line->bit_size - 1 : 0);
}

static int by_position(const void *left, const void *right, void *data)
{
	const struct annotated_line *lines = data;
	const struct annotated_line *a = &lines[*(const size_t *)left],
				    *b = &lines[*(const size_t *)right];

	COMPARE(position(a), position(b));
	COMPARE(a, b);
	return 0;
}

size_t *layout_members(const struct annotated_type *type, size_t record, size_t *count)
{
	size_t end = annotated_line_end(type, record);
	size_t *members = xcalloc(end - record, sizeof(*members));

	*count = 0;
	for (size_t i = record + 1; i < end; i = annotated_line_end(type, i))
		members[(*count)++] = i;
	if (*count && !type->lines[record].is_union)
		qsort_r(members, *count, sizeof(*members), by_position, (void *)type->lines);
	return members;
}

/* ---- heat and false sharing ---- */

/*
 * Prints below a layout how hot each cacheline is, which accessed fields are in it, and which of
 * them may be falsely shared: one thread writes a field while another thread, which does not use
 * that field, uses its neighbours and loses the cacheline each time.
 *
 * If samples have data addresses, false sharing is reported for cachelines of memory in which it
 * was seen. Otherwise, and always for the heat, all objects of the type are taken together and
 * cachelines are counted from the start of the type, as if each object were aligned. Accesses to
 * unknown elements of an array are somewhere in all of its cachelines.
 */

#define NAMES_SHOWN   8
#define DEPTH_MAX     64
#define SHARE_COLUMNS 9 /* of " 100.00%," */

/* A field with accesses. A union with a name counts as one field, because its members share their
 * bytes; so do the scalars of a union without a name. */
struct hot_field {
	const char *path;
	uint64_t cacheline, last; /* different ones if it is not known where the accesses were */
	uint64_t samples, stores;
	const struct annotated_thread *threads;
	size_t thread_count;
};

struct hot_fields {
	struct hot_field *items;
	size_t count, capacity;
	struct arena texts;
};

static uint64_t samples_of(const struct annotated_type *type, const struct annotated_line *line)
{
	return sum_over(uint64_t, event, 0, type->event_count, line->counts[event].samples);
}

/* Returns the path of a line, "key.id", without base classes, by its at[1..depth - 1]. A union
 * without a name is "key.(union at 8)". */
static char *path_of(struct arena *texts, const struct annotated_line *const *at,
		     const struct annotated_line *line)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	for (uint32_t depth = 1; depth <= line->depth; depth++) {
		const struct annotated_line *part = depth < line->depth ? at[depth] : line;

		assert(part);
		if (part->name)
			strbuf_add_format(&path, "%s%s", path.length ? "." : "", part->name);
	}
	if (line->is_union && !line->name)
		strbuf_add_format(&path, "%s(union at %" PRId64 ")", path.length ? "." : "",
				  line->offset);
	return arena_strdup(texts, path.length ? path.data : "(anonymous)");
}

/* Adds the accesses of threads to those of `field`. */
static void merge_threads(struct hot_field *field, struct annotated_thread *merged,
			  const struct annotated_line *line)
{
	array_each (const struct annotated_thread, thread, line->threads, line->thread_count) {
		size_t known = 0;

		while (known < field->thread_count && merged[known].id != thread->id)
			known++;
		if (known == field->thread_count)
			merged[field->thread_count++] =
				(struct annotated_thread){ .id = thread->id };
		merged[known].loads += thread->loads;
		merged[known].stores += thread->stores;
		field->stores += thread->stores;
	}
}

/* True if a line is a scalar of an unnamed union, whose line is `parent`. */
static bool shares_bytes(const struct annotated_line *parent, const struct annotated_line *line)
{
	return parent->is_union && !parent->name && parent->depth && !line->opens &&
	       line->depth == parent->depth + 1;
}

/* Adds a field with the samples that a line has in each cacheline. */
static void add_places(const struct annotated_line *line, size_t since, struct hot_field field,
		       struct hot_fields *fields)
{
	array_each (const struct annotated_spread, place, line->spread, line->spread_count) {
		size_t known = since;

		while (known < fields->count && (fields->items[known].cacheline != place->first ||
						 fields->items[known].last != place->last))
			known++;
		if (known == fields->count) {
			field.cacheline = place->first;
			field.last = place->last;
			field.samples = 0;
			array_add(fields->items, fields->count, fields->capacity) = field;
		}
		fields->items[known].samples += place->samples;
	}
}

/* Adds a field of the lines from `index` on up to `end` that are scalars of a union without a name,
 * and this union; or, if `index` is another line, of it and all lines in it. */
static void struct_layout_add_field(const struct annotated_type *type, size_t index,
				    const struct annotated_line *const *at, uint64_t cacheline,
				    struct hot_fields *fields)
{
	const struct annotated_line *line = &type->lines[index], *hottest = line;
	size_t end = annotated_line_end(type, index), count = 0, before = fields->count;
	bool nameless = line->is_union && !line->name && line->depth;
	struct hot_field field = { .cacheline = (uint64_t)line->offset / cacheline,
				   .last = (uint64_t)line->offset / cacheline,
				   .samples = samples_of(type, line) };

	for (size_t i = index; i < end; i++)
		count += type->lines[i].thread_count;

	struct annotated_thread *merged =
		arena_alloc(&fields->texts, (count + 1) * sizeof(*merged));

	field.threads = merged;
	for (size_t i = index; i < end; i++) {
		const struct annotated_line *part = &type->lines[i];

		if (nameless && i > index && part->depth == line->depth + 1 && part->opens)
			field.samples -= samples_of(type, part);
		if (nameless && i > index && !shares_bytes(line, part))
			continue;
		merge_threads(&field, merged, part);
		if (nameless &&
		    (hottest == line || samples_of(type, part) > samples_of(type, hottest)))
			hottest = part;
	}
	if (!field.samples)
		return;
	/* of most accesses it is not known which scalar they are to */
	if (2 * samples_of(type, hottest) < field.samples)
		hottest = line;
	field.path = path_of(&fields->texts, at, hottest);
	for (size_t i = index; i < end; i++)
		if (!nameless || i == index || shares_bytes(line, &type->lines[i]))
			add_places(&type->lines[i], before, field, fields);
	if (fields->count == before)
		array_add(fields->items, fields->count, fields->capacity) = field;
}

COMPARISON(compare_fields, struct hot_field,
	   ASCENDING(cacheline) ASCENDING(last) DESCENDING(samples) BY_TEXT(path))

static void collect_fields(const struct annotated_type *type, uint64_t cacheline,
			   struct hot_fields *fields)
{
	const struct annotated_line *at[DEPTH_MAX + 1] = { NULL };
	size_t next;

	for (size_t i = 1; i < type->line_count; i = next) {
		const struct annotated_line *line = &type->lines[i];
		bool is_whole =
			!line->opens || (line->is_union && line->name) || line->depth >= DEPTH_MAX;

		next = is_whole ? annotated_line_end(type, i) : i + 1;
		if (line->depth < DEPTH_MAX)
			at[line->depth] = line;
		/* counted for the union */
		if (line->depth > 1 && shares_bytes(at[line->depth - 1], line))
			continue;
		is_whole |= line->is_union && line->depth;
		if (is_whole && line->offset >= 0 && samples_of(type, line))
			struct_layout_add_field(type, i, at, cacheline, fields);
	}
	array_sort(fields->items, fields->count, compare_fields);
}

/* Appends the fields that have accesses in the cachelines, or somewhere in them. */
static void add_fields_of(const struct annotated_type *type,
			  const struct annotated_options *options,
			  const struct annotated_cacheline *lines, const struct hot_fields *fields,
			  size_t column, struct strbuf *words)
{
	bool first = true;

	if (lines->first != lines->last)
		strbuf_add_string(words, "somewhere in ");
	array_each (const struct hot_field, field, fields->items, fields->count) {
		size_t start;

		if (field->cacheline != lines->first || field->last != lines->last)
			continue;
		strbuf_add_string(words, first ? "" : ", ");
		first = false;
		start = words->length;
		strbuf_add_string(words, field->path);
		if (options->width)
			text_shorten(words, start,
				     annotated_left(options->width, column + SHARE_COLUMNS));
		strbuf_add_format(words, " %.2f%%", percent_of(field->samples, type->samples));
	}
	/* bytes that a memory function goes over */
	if (first && lines->first != lines->last)
		strbuf_add_string(words, "these lines");
}

static void print_heat(const struct annotated_type *type, const struct annotated_options *options,
		       const struct hot_fields *fields, struct strbuf *buffer)
{
	size_t column =
		field_columns_width(&options->columns, type->event_count) + strlen("  cacheline  ");

	field_columns_print_headings(&options->columns, type->event_count, buffer);
	strbuf_add_string(buffer, "  cacheline  fields\n");
	array_each (const struct annotated_cacheline, lines, type->cachelines,
		    type->cacheline_count) {
		_cleanup_strbuf_ struct strbuf words = STRBUF_INIT, numbers = STRBUF_INIT;

		field_columns_print(&options->columns, lines->counts, type->lines[0].counts,
				    type->event_count, options->colour, buffer);
		if (lines->first == lines->last)
			strbuf_add_number(&numbers, lines->first);
		else
			text_add_lines(&numbers, lines->first, lines->last);
		strbuf_add_format(buffer, "  %9s  ", numbers.data);
		add_fields_of(type, options, lines, fields, column, &words);
		make_printable(words.data, words.length);
		text_add_wrapped(buffer, words.data, column, options->width, column);
		strbuf_add_char(buffer, '\n');
	}
	strbuf_add_char(buffer, '\n');
}

/* ---- false sharing ---- */

/* True if a thread uses `other` but not the written `field`. Adds such threads to `threads`. */
static bool is_disturbed(const struct hot_field *field, const struct hot_field *other,
			 int32_t *threads, size_t *thread_count)
{
	bool disturbed = false;

	for (size_t i = 0; i < other->thread_count; i++) {
		int32_t thread = other->threads[i].id;
		size_t known = 0;

		if (any_of(i, 0, field->thread_count, field->threads[i].id == thread))
			continue;
		disturbed = true;
		while (known < *thread_count && threads[known] != thread)
			known++;
		if (known == *thread_count && known < NAMES_SHOWN)
			threads[(*thread_count)++] = thread;
	}
	return disturbed;
}

#define SENTENCE_WIDTH 80 /* columns of a terminal */

static void struct_layout_add_thread(struct strbuf *buffer, bool first, int32_t thread)
{
	strbuf_add_format(buffer, "%s%d", first ? "" : ", ", thread);
}

static void add_threads(struct strbuf *buffer, const int32_t *threads, size_t count)
{
	for (size_t i = 0; i < count && i < NAMES_SHOWN; i++) {
		if (threads[i] < 0)
			strbuf_add_format(buffer, "%s0 on cpu %d", i ? ", " : "", -1 - threads[i]);
		else
			struct_layout_add_thread(buffer, !i, threads[i]);
	}
	if (count > NAMES_SHOWN)
		strbuf_add_format(buffer, " and %zu more", count - NAMES_SHOWN);
}

static void print_sharing(const struct annotated_sharing *sharing, struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_add_format(&text, "%s is written by tid ", sharing->field);
	add_threads(&text, sharing->writers, sharing->writer_count);
	strbuf_add_string(&text, "; in the same cacheline ");
	for (size_t i = 0; i < sharing->neighbour_count && i < NAMES_SHOWN; i++)
		strbuf_add_format(&text, "%s%s", i ? ", " : "", sharing->neighbours[i]);
	if (sharing->neighbour_count > NAMES_SHOWN)
		strbuf_add_format(&text, " and %zu more", sharing->neighbour_count - NAMES_SHOWN);
	strbuf_add_string(&text, " by tid ");
	add_threads(&text, sharing->threads, sharing->thread_count);
	strbuf_add_format(&text, " (seen in %" PRIu64 " cacheline%s)", sharing->cachelines,
			  sharing->cachelines == 1 ? "" : "s");
	text_add_sentence(buffer, &text, 2, SENTENCE_WIDTH);
}

/* Prints the type's sharings of one sort below a heading, or nothing if there are none. */
static void print_sharings_that_are(bool latent, const struct annotated_type *type,
				    const char *heading, struct strbuf *buffer)
{
	bool any = false;

	for (size_t i = 0; i < type->sharing_count; i++) {
		if (type->sharings[i].latent != latent)
			continue;
		if (!any)
			strbuf_add_trusted(buffer, heading);
		any = true;
		print_sharing(&type->sharings[i], buffer);
	}
	if (any)
		strbuf_add_char(buffer, '\n');
}

/* Prints the false sharing that data addresses show. */
static void print_sharings(const struct annotated_type *type, struct strbuf *buffer)
{
	if (type->objects)
		strbuf_add_format(
			buffer,
			"%" PRIu64 " object%s seen, %" PRIu64 " of them aligned to cachelines\n\n",
			type->objects, type->objects == 1 ? "" : "s", type->aligned_objects);
	if (!type->sharing_count)
		return;
	print_sharings_that_are(false, type,
				"False sharing (threads use different bytes of one cacheline in\n"
				"turns; see c2c report):\n",
				buffer);
	print_sharings_that_are(
		true, type, "Latent false sharing (on other processors, or at other addresses):\n",
		buffer);
}

/* Prints one line for a written field and all fields that it disturbs. False if there are none. */
static bool print_hint(const struct hot_fields *fields, size_t index, struct strbuf *buffer)
{
	const struct hot_field *field = &fields->items[index];
	int32_t threads[NAMES_SHOWN];
	size_t thread_count = 0, shown = 0, writers = 0;
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT, text = STRBUF_INIT;

	array_indexed (const struct hot_field, other, i, fields->items, fields->count) {
		if (i == index || other->cacheline != field->cacheline ||
		    other->last != field->last || field->last != field->cacheline ||
		    !is_disturbed(field, other, threads, &thread_count))
			continue;
		if (shown++ < NAMES_SHOWN)
			strbuf_add_format(&names, "%s'%s'", shown > 1 ? ", " : "", other->path);
	}
	if (!shown)
		return false;
	strbuf_add_format(&text, "cacheline %" PRIu64 ": '%s' is written by tid ", field->cacheline,
			  field->path);
	for (size_t i = 0; i < field->thread_count && writers < NAMES_SHOWN; i++)
		if (field->threads[i].stores)
			struct_layout_add_thread(&text, !writers++, field->threads[i].id);
	strbuf_add_string(&text, "; its neighbours ");
	strbuf_add_string(&text, names.data);
	if (shown > NAMES_SHOWN)
		strbuf_add_format(&text, " and %zu more", shown - NAMES_SHOWN);
	strbuf_add_string(&text, " are used by tid ");
	for (size_t i = 0; i < thread_count; i++)
		struct_layout_add_thread(&text, !i, threads[i]);
	text_add_sentence(buffer, &text, 2, SENTENCE_WIDTH);
	return true;
}

static void print_hints(const struct hot_fields *fields, struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf hints = STRBUF_TEXT;

	for (size_t i = 0; i < fields->count; i++)
		if (fields->items[i].stores)
			print_hint(fields, i, &hints);
	if (!hints.length)
		return;
	strbuf_add_string(buffer, "Possible false sharing (addresses of data are not known: all "
				  "objects are\ntaken together, as if aligned):\n");
	strbuf_add_text(buffer, &hints);
	strbuf_add_char(buffer, '\n');
}

/* Prints the heat of the cachelines, if there are several fields and a line's size. */
static void print_cacheline_heat(const struct annotated_type *type,
				 const struct annotated_options *options, struct strbuf *buffer)
{
	struct hot_fields fields = { 0 };

	if (!options->cacheline)
		return;
	if (type->line_count > 1) {
		collect_fields(type, options->cacheline, &fields);
		print_heat(type, options, &fields, buffer);
	}
	if (type->addressed)
		print_sharings(type, buffer);
	else
		print_hints(&fields, buffer);
	free(fields.items);
	arena_deinit(&fields.texts);
}

/* ---- layouts ---- */

#define INDENT          8
#define TERMINAL_INDENT 4
#define TYPE_WIDTH      26
#define NAME_WIDTH      22
#define COMMENT_WIDTH   (TYPE_WIDTH + 1 + NAME_WIDTH)
#define PLACE_FORMAT    "/* %5" PRId64 " %5" PRIu64 " */" /* offset and size */

static void add_offset_and_size(struct strbuf *comment, const struct annotated_line *line)
{
	if (line->is_unsized)
		strbuf_add_format(comment, "/* %5" PRId64 " %5s */", line->offset, "?");
	else
		strbuf_add_format(comment, PLACE_FORMAT, line->offset, line->size);
}

struct layout_page {
	const struct annotated_type *type;
	const struct annotated_options *options;
	struct strbuf *buffer;
	size_t figures_width;
	size_t room;            /* after the figures; 0: no limit */
	size_t member_room;     /* the same without the comment with offset and size */
	size_t indent;          /* of members against their record */
	uint64_t next_boundary; /* offset of the next cacheline boundary to mark */
};

/* Sums over the members of one record. */
struct layout_totals {
	uint64_t members;     /* number of members */
	uint64_t bytes, bits; /* sizes of all other members, and of bitfields */
	uint64_t holes, hole_bytes;
	uint64_t bit_holes, hole_bits;
	uint64_t paddings, padding_bytes; /* padding inside records among the members */
	struct layout_gap padding;        /* padding at the end of this record */
};

static size_t indentation(const struct layout_page *page, uint32_t depth)
{
	return annotated_indentation(depth, page->indent, page->member_room);
}

/* Begins a line without figures. Returns where it starts in the buffer. */
static size_t begin_line(const struct layout_page *page, uint32_t depth)
{
	size_t start = page->buffer->length;

	strbuf_add_repeated(page->buffer, ' ', page->figures_width + 2 + indentation(page, depth));
	return start;
}

/* Prints a line without figures, which is indented by less if it does not fit otherwise. */
static void add_line(const struct layout_page *page, uint32_t depth, const struct strbuf *text)
{
	size_t blanks = indentation(page, depth), room = annotated_left(page->room, text->length);

	strbuf_add_repeated(page->buffer, ' ',
			    page->figures_width + 2 + (room && room < blanks ? room : blanks));
	strbuf_add(page->buffer, text->data, text->length);
	strbuf_add_char(page->buffer, '\n');
}

static void struct_layout_add_figures(const struct layout_page *page,
				      const struct annotated_line *line)
{
	field_columns_print(&page->options->columns, line->counts, page->type->lines[0].counts,
			    page->type->event_count, page->options->colour, page->buffer);
	strbuf_add_repeated(page->buffer, ' ', 2);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* Prints a comment on a hole between members, after an empty line unless *apart says that there is
 * one. */
static void add_comment(const struct layout_page *page, uint32_t depth, bool *apart, uint64_t count,
			const char *unit)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!*apart)
		strbuf_add_char(page->buffer, '\n');
	*apart = true;
	strbuf_add_format(&text, "/* XXX %" PRIu64 " %s%s hole, try to pack */", count, unit,
			  plural(count));
	add_line(page, depth, &text);
}

static void end_comments(const struct layout_page *page, bool apart)
{
	if (apart)
		strbuf_add_char(page->buffer, '\n');
}

/* Returns the offset that is printed for a member: for a bitfield, that of its storage unit. */
static int64_t offset_of(const struct annotated_line *line, int64_t base)
{
	return line->bit_size ? base + (int64_t)(layout_unit_start(line, base) / 8) : line->offset;
}

static void struct_layout_mark_boundary(struct layout_page *page, const struct annotated_line *line,
					int64_t base)
{
	int64_t place = offset_of(line, base);
	uint64_t cacheline = page->options->cacheline, offset = (uint64_t)place;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!cacheline || place < 0 || offset < page->next_boundary)
		return;

	uint64_t number = offset / cacheline, boundary = number * cacheline;

	strbuf_add_format(&text, "/* --- cacheline %" PRIu64 " boundary (%" PRIu64 " bytes)",
			  number, boundary);
	if (offset > boundary)
		strbuf_add_format(&text, " was %" PRIu64 " byte%s ago", offset - boundary,
				  plural(offset - boundary));
	strbuf_add_string(&text, " --- */");
	add_line(page, line->depth, &text);
	page->next_boundary = boundary + cacheline;
}

/* Ends a member or record, whose text is at `text`, with a comment in its column. */
static void add_place(const struct layout_page *page, const struct annotated_line *line,
		      size_t text, const struct strbuf *comment)
{
	struct strbuf *buffer = page->buffer;
	size_t column = COMMENT_WIDTH + (line->depth ? page->indent : 0), written;

	if (page->member_room && column > page->member_room)
		column = page->member_room;
	written = indentation(page, line->depth) +
		  text_columns(buffer->data + text, buffer->length - text);
	strbuf_add_repeated(buffer, ' ', written < column ? column - written : 1);
	strbuf_add(buffer, comment->data, comment->length);
}

/* Prints a member: its type, its name and its offset and size, each in its column. */
static void struct_layout_add_member(const struct layout_page *page,
				     const struct annotated_line *line, int64_t base)
{
	struct strbuf *buffer = page->buffer;
	size_t start = buffer->length, text, blanks = indentation(page, line->depth),
	       outer = indentation(page, line->depth ? line->depth - 1 : 0),
	       width = outer < TYPE_WIDTH ? TYPE_WIDTH - outer : 0;
	const char *name = line->declarator;
	bool named = *name || line->bit_size;
	_cleanup_strbuf_ struct strbuf rest = STRBUF_INIT, comment = STRBUF_INIT;

	if (named)
		strbuf_add_format(&rest, " %s", name);
	else if (line->is_base)
		strbuf_add_string(&rest, " (base)");
	if (line->bit_size)
		strbuf_add_format(&rest, ":%u", line->bit_size);
	strbuf_add_char(&rest, ';');
	strbuf_add_repeated(buffer, ' ', blanks);
	text = buffer->length;
	if (line->is_unit)
		strbuf_add_format(buffer, "/* %s */", line->name);
	else
		annotated_declare(buffer, line->base, named ? width : 0, rest.data,
				  annotated_left(page->member_room, blanks + 1),
				  page->options->ellipsis);
	if (line->bit_size)
		strbuf_add_format(&comment, "/* %5" PRId64 ":%2" PRId64 " %2" PRIu64 " */",
				  offset_of(line, base),
				  (line->offset - offset_of(line, base)) * 8 + line->bit_offset,
				  line->unit);
	else
		add_offset_and_size(&comment, line);
	add_place(page, line, text, &comment);
	strbuf_end_line(buffer, start);
}

/* Prints the elements of an array that are told apart, each in a line below it. */
static void add_elements(const struct layout_page *page, const struct annotated_line *line)
{
	struct annotated_line element = *line;

	element.depth++;
	array_each (const struct annotated_part, part, line->parts, line->part_count) {
		size_t start, text, blanks = indentation(page, element.depth);
		_cleanup_strbuf_ struct strbuf comment = STRBUF_INIT;

		field_columns_print(&page->options->columns, part->counts,
				    page->type->lines[0].counts, page->type->event_count,
				    page->options->colour, page->buffer);
		start = page->buffer->length;
		strbuf_add_repeated(page->buffer, ' ', 2 + blanks);
		text = page->buffer->length;
		annotated_declare(page->buffer, part->label, 0, "",
				  annotated_left(page->member_room, blanks + 1),
				  page->options->ellipsis);
		if (part->offset >= 0)
			strbuf_add_format(&comment, PLACE_FORMAT, part->offset, part->size);
		add_place(page, &element, text, &comment);
		strbuf_end_line(page->buffer, start);
	}
}

static void open_record(const struct layout_page *page, const struct annotated_line *line)
{
	size_t start, blanks = indentation(page, line->depth);

	struct_layout_add_figures(page, line);
	start = page->buffer->length;
	strbuf_add_repeated(page->buffer, ' ', blanks);
	annotated_declare(page->buffer, line->depth ? line->base : line->type, 0,
			  line->is_base ? " (base) {" : " {", annotated_left(page->room, blanks),
			  page->options->ellipsis);
	strbuf_end_line(page->buffer, start);
}

static void close_record(const struct layout_page *page, const struct annotated_line *line)
{
	struct strbuf *buffer = page->buffer;
	size_t start = begin_line(page, line->depth), text = buffer->length;
	_cleanup_strbuf_ struct strbuf comment = STRBUF_INIT;

	strbuf_add_format(buffer, "}%s%s;", *line->declarator ? " " : "", line->declarator);
	if (page->member_room)
		text_shorten(buffer, text,
			     annotated_left(page->member_room, indentation(page, line->depth) + 1));
	add_offset_and_size(&comment, line);
	add_place(page, line, text, &comment);
	strbuf_end_line(buffer, start);
}

static uint64_t record_size(const struct annotated_line *line)
{
	return line->element_size ?: line->size;
}

/* Adds a member to the totals, but no padding of a base class that is used. */
static void count_member(struct layout_totals *totals, struct layout_fill *fill,
			 const struct annotated_line *line, int64_t base, bool empty)
{
	uint64_t start = (uint64_t)(line->offset - base) * 8,
		 before = start > fill->end ? start : fill->end;

	totals->members++;
	if (empty)
		return;
	layout_take(fill, line, base);
	if (line->bit_size)
		totals->bits += line->bit_size;
	else if (fill->end > before)
		totals->bytes += (fill->end - before) / 8;
}

static void comment_gap(const struct layout_page *page, uint32_t depth, struct layout_gap gap,
			bool *apart, struct layout_totals *totals)
{
	if (gap.bits) {
		add_comment(page, depth, apart, gap.bits, "bit");
		totals->bit_holes++;
		totals->hole_bits += gap.bits;
	}
	if (gap.bytes) {
		add_comment(page, depth, apart, gap.bytes, "byte");
		totals->holes++;
		totals->hole_bytes += gap.bytes;
	}
}

/* Prints a comment on a record's padding, as pahole does, but also of elements. */
static void comment_padding(const struct layout_page *page, const struct annotated_line *line,
			    uint64_t bytes, struct layout_totals *totals, bool *apart)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!*apart)
		strbuf_add_char(page->buffer, '\n');
	*apart = true;
	strbuf_add_format(&text, "/* XXX %s has %" PRIu64 " byte%s of padding */",
			  line->element_size ? "each element" : "last struct", bytes,
			  plural(bytes));
	add_line(page, line->depth, &text);
	if (line->element_size)
		return;
	totals->paddings++;
	totals->padding_bytes += bytes;
}

static void print_members(struct layout_page *page, size_t record, struct layout_totals *totals);

/* Prints a member and, if it is a record, its members. Adds its padding to the totals of the
 * enclosing record. If not `padded`, another member uses the padding at its end. */
static void print_member(struct layout_page *page, size_t index, int64_t base, bool padded,
			 struct layout_totals *totals, bool *apart)
{
	const struct annotated_line *line = &page->type->lines[index];
	struct layout_totals inner = { 0 };

	if (!line->is_unit)
		struct_layout_mark_boundary(page, line, base);
	if (!line->opens || line->depth >= DEPTH_MAX) {
		struct_layout_add_figures(page, line);
		struct_layout_add_member(page, line, base);
		add_elements(page, line);
		return;
	}
	open_record(page, line);
	add_elements(page, line);
	print_members(page, index, &inner);
	close_record(page, line);
	if (inner.padding.bytes && padded && !line->is_variant && !line->is_union &&
	    !layout_is_empty(page->type, index))
		comment_padding(page, line, inner.padding.bytes, totals, apart);
}

/* Returns whether the next member with data begins before this one ends. */
static bool is_overlapped(const struct annotated_type *type, const size_t *members, size_t count,
			  size_t index)
{
	const struct annotated_line *line = &type->lines[members[index]];

	for (size_t i = index + 1; i < count; i++)
		if (!layout_is_empty(type, members[i]) && !type->lines[members[i]].is_unit)
			return type->lines[members[i]].offset < line->offset + (int64_t)line->size;
	return false;
}

static void print_members(struct layout_page *page, size_t record, struct layout_totals *totals)
{
	const struct annotated_type *type = page->type;
	const struct annotated_line *parent = &type->lines[record];
	size_t count;
	_cleanup_free_ size_t *members = layout_members(type, record, &count);
	struct layout_fill fill = { 0 };
	bool apart = false;
	uint64_t boundary = page->next_boundary;

	/* A variant's discriminant comes before its own members. */
	if (count && parent->is_variant)
		fill.end = (uint64_t)(type->lines[members[0]].offset - parent->offset) * 8;
	for (size_t i = 0; i < count; i++) {
		const struct annotated_line *line = &type->lines[members[i]];
		/* the bitfields of a unit have its bytes */
		bool empty = layout_is_empty(type, members[i]) || line->is_unit;

		if (!parent->is_union && !empty && !line->is_variant)
			comment_gap(page, line->depth, layout_gap(&fill, line, parent->offset, 0),
				    &apart, totals);
		end_comments(page, apart);
		apart = false;
		if (!line->is_unit)
			count_member(totals, &fill, line, parent->offset, empty);
		/* Print each member of a union as if it were the only one. */
		if (parent->is_union)
			page->next_boundary = boundary;
		print_member(page, members[i], parent->offset,
			     !parent->is_union && !is_overlapped(type, members, count, i), totals,
			     &apart);
	}
	if (parent->is_union)
		page->next_boundary = boundary;
	end_comments(page, apart && record);
	totals->padding = layout_gap(&fill, NULL, parent->offset, record_size(parent));
}

static void add_total(const struct layout_page *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add_total(const struct layout_page *page, const char *format, ...)
{
	size_t column = page->figures_width + 2 + indentation(page, 1);
	_cleanup_strbuf_ struct strbuf words = STRBUF_INIT;
	va_list arguments;

	strbuf_add_string(&words, "/* ");
	va_start(arguments, format);
	strbuf_add_vformat(&words, format, arguments);
	va_end(arguments);
	strbuf_add_string(&words, " */");
	begin_line(page, 1);
	text_add_wrapped(page->buffer, words.data, column, page->options->width, column + 3);
	strbuf_add_char(page->buffer, '\n');
}

static void print_totals(const struct layout_page *page, const struct layout_totals *totals)
{
	uint64_t size = record_size(&page->type->lines[0]), cacheline = page->options->cacheline;

	strbuf_add_char(page->buffer, '\n');
	if (page->type->lines[0].is_unsized)
		add_total(page, "size unknown: it depends on the object, members: %" PRIu64,
			  totals->members);
	else if (cacheline)
		add_total(page, "size: %" PRIu64 ", cachelines: %" PRIu64 ", members: %" PRIu64,
			  size, (size + cacheline - 1) / cacheline, totals->members);
	else
		add_total(page, "size: %" PRIu64 ", members: %" PRIu64, size, totals->members);
	/* as pahole: nothing is said of a sum of no bytes */
	if (totals->holes && totals->bytes)
		add_total(page, "sum members: %" PRIu64 ", holes: %" PRIu64 ", sum holes: %" PRIu64,
			  totals->bytes, totals->holes, totals->hole_bytes);
	else if (totals->bit_holes && totals->bytes)
		add_total(page, "sum members: %" PRIu64, totals->bytes);
	if (totals->bit_holes)
		add_total(page,
			  "sum bitfield members: %" PRIu64 " bits, bit holes: %" PRIu64
			  ", sum bit holes: %" PRIu64 " bits",
			  totals->bits, totals->bit_holes, totals->hole_bits);
	else if (totals->holes && totals->bits)
		add_total(page, "sum bitfield members: %" PRIu64 " bits (%" PRIu64 " bytes)",
			  totals->bits, totals->bits / 8);
	if (page->type->virtual_bases)
		add_total(page,
			  "virtual bases, and padding: %" PRIu64 " (%s, where the vtable tells)",
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
	struct layout_page page = { .type = type,
				    .options = options,
				    .buffer = buffer,
				    .figures_width = field_columns_width(&options->columns,
									 type->event_count),
				    .next_boundary = options->cacheline };
	const struct annotated_line *line = &type->lines[0];
	struct layout_totals totals = { 0 };
	int place = snprintf(NULL, 0, PLACE_FORMAT, (int64_t)line->size, line->size);

	page.room = annotated_left(options->width, page.figures_width + 2);
	page.member_room = annotated_left(page.room, (size_t)place);
	page.indent =
		annotated_indent(type, options->width ? TERMINAL_INDENT : INDENT, page.member_room);
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
		struct_layout_add_figures(&page, line);
		struct_layout_add_member(&page, line, 0);
	}
	strbuf_add_char(buffer, '\n');
	print_cacheline_heat(type, options, buffer);
}
