// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements lines.h, and reads what was written with it. */
#include "dwarf/companion/lines.h"

#include "dwarf/companion/private.h"

struct line_place *line_place_of(struct line_places *places, uint64_t string)
{
	uint64_t hash = hash_mix(string);

	hash_index_each (number, &places->index, hash)
		if (places->items[number].string == string)
			return &places->items[number];
	hash_index_add(&places->index, hash, (uint32_t)places->count);
	array_add(places->items, places->count, places->capacity) =
		(struct line_place){ .string = string };
	return &places->items[places->count - 1];
}

void line_place_move(struct line_places *places, uint64_t function, uint64_t file, uint64_t line)
{
	line_place_of(places, file)->line = line;
	struct line_place *place = line_place_of(places, function);

	place->file = file;
	place->line = line;
}

void line_place_begin(struct line_places *places, const struct line_site *site)
{
	struct line_place *place = line_place_of(places, site->name);

	if (place->file)
		return;
	place->file = site->call_file;
	place->line = site->call_line;
}

void line_places_deinit(struct line_places *places)
{
	free(places->items);
	hash_index_deinit(&places->index);
}

/* ---- reading ---- */

/* The rows of a run that are being read. */
struct row_reader {
	struct cursor lanes[LINE_LANES];
	struct line_places places;
	uint32_t site; /* of the last row */
};

/* Reads the place in a function that code goes to; `code` is what move_to() has returned. */
static struct line_place read_place(struct row_reader *rows, uint64_t function, uint64_t code)
{
	struct line_place place = *line_place_of(&rows->places, function);

	if (code & 1) {
		place.file = cursor_uleb(&rows->lanes[LINE_CALLS]);
		place.line = line_place_of(&rows->places, place.file)->line;
	}
	place.line += code >> 2 ^ -(code >> 1 & 1);
	line_place_move(&rows->places, function, place.file, place.line);
	return place;
}

/* Goes to the call that a row is in: one of before, or the innermost of some new ones. */
static void read_site(struct row_reader *rows, struct companion_lines *lines)
{
	struct cursor *lane = &rows->lanes[LINE_CALLS];
	uint64_t back = cursor_uleb(lane), calls = back ? 0 : cursor_uleb(lane) + 1,
		 distance = back ? back - 1 : cursor_uleb(lane);

	if (distance >= lines->site_count) {
		lane->failed = true;
		return;
	}
	rows->site = (uint32_t)(lines->site_count - 1 - distance);
	for (; calls && !lane->failed; calls--) {
		struct line_site site = { .name = cursor_uleb(lane), .parent = rows->site };
		struct line_place place =
			read_place(rows, lines->sites[rows->site].name, cursor_uleb(lane));

		site.call_file = place.file;
		site.call_line = place.line;
		line_place_begin(&rows->places, &site);
		rows->site = (uint32_t)lines->site_count;
		array_add(lines->sites, lines->site_count, lines->site_capacity) = site;
	}
}

/* Reads the rows of a run, up to one that is damaged. */
static void read_rows(struct row_reader *rows, struct companion_lines *lines)
{
	struct cursor *steps = &rows->lanes[LINE_STEPS], *codes = &rows->lanes[LINE_LINES];
	uint64_t address = lines->span.low;

	while (cursor_left(steps)) {
		uint64_t code = cursor_uleb(codes);

		address += cursor_uleb(steps);
		if (code & 1)
			read_site(rows, lines);
		struct line_place place =
			read_place(rows, lines->sites[rows->site].name, code >> 1);

		if (steps->failed || codes->failed || rows->lanes[LINE_CALLS].failed)
			return;
		array_add(lines->rows, lines->count, lines->capacity) =
			(struct companion_line){ .address = address,
						 .site = rows->site,
						 .line = (uint32_t)place.line,
						 .file = place.file };
	}
}

/* Returns the row that an address is in; NULL: there is none. */
static const struct companion_line *row_at(struct debug_reader *reader, uint64_t address)
{
	struct companion_lines *lines = &((struct companion_reader *)reader)->lines;
	struct companion *companion = companion_of_reader(reader);
	struct row_reader rows = { .site = 0 };

	if (address < lines->span.low || address >= lines->span.high) {
		lines->count = lines->site_count = 0;
		lines->span = (struct companion_span){ 0 };
		if (!companion_section_item(companion_section_of(companion, COMPANION_LINES),
					    address, &lines->span, rows.lanes))
			return NULL;
		array_add(lines->sites, lines->site_count, lines->site_capacity) =
			(struct line_site){ .parent = UINT32_MAX };
		read_rows(&rows, lines);
		line_places_deinit(&rows.places);
	}
	size_t place = partition_point(0, lines->count, i, lines->rows[i].address <= address);

	return place ? &lines->rows[place - 1] : NULL;
}

/* More calls are never inlined into each other. */
#define DEPTH_MAX 256

bool companion_line_at(struct debug_reader *reader, uint64_t address, const char **file,
		       unsigned int *line)
{
	const struct companion_line *row = row_at(reader, address);

	*file = row ? companion_string(companion_of_reader(reader), row->file) : NULL;
	*line = row ? row->line : 0;
	return *file;
}

size_t companion_inlined_at(struct debug_reader *reader, uint64_t address,
			    struct inlined_call *calls, size_t capacity)
{
	struct companion *companion = companion_of_reader(reader);
	const struct companion_line *row = row_at(reader, address);
	const struct line_site *sites = ((struct companion_reader *)reader)->lines.sites;
	size_t depth = 0, used;

	for (uint32_t i = row ? row->site : 0; i && depth <= DEPTH_MAX; i = sites[i].parent)
		depth++;
	if (!depth || depth > DEPTH_MAX)
		return 0;
	used = depth < capacity ? depth : capacity;
	for (uint32_t i = row->site; i; i = sites[i].parent) {
		const struct line_site *site = &sites[i];

		if (--depth < used)
			calls[depth] =
				(struct inlined_call){ companion_string(companion, site->name),
						       site->call_file ?: UINT64_MAX,
						       site->call_line };
	}
	return used;
}

void companion_lines_deinit(struct companion_lines *lines)
{
	free_all(lines->rows, lines->sites);
}
