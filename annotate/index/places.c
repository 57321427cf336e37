// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes what debug information says of places in code and data: functions, source lines, inlined
 * calls and variables. dwarf/companion/object.c reads it. */

#include "annotate/index/private.h"
#include "base/hash.h"
#include "base/memory.h"

/* Writes where exceptions out of calls of the run continue. */
static void write_pads(struct debug_reader *reader, const struct code_run *run, struct strbuf *item)
{
	_cleanup_arena_ struct arena arena = { 0 };
	size_t count;
	const struct exception_edge *pads =
		debug_reader_exception_edges(reader, run->low, &arena, &count);

	companion_add_uleb(item, count);
	for (size_t i = 0; i < count; i++) {
		companion_add_sleb(item, (int64_t)(pads[i].low - run->low));
		companion_add_uleb(item, pads[i].high - pads[i].low);
		companion_add_sleb(item, (int64_t)(pads[i].pad - run->low));
	}
}

/* Writes the calls of the run that never return, by the addresses after them. */
static void write_no_returns(const struct code_run *run, struct strbuf *item)
{
	uint64_t at = run->low, last = run->low;
	size_t count = 0;

	for (size_t i = 0; i < run->note_count; i++)
		count += (run->notes[i].flags & NOTE_NO_RETURN) != 0;
	companion_add_uleb(item, count);
	for (size_t i = 0; count && i < run->note_count; i++) {
		at += run->notes[i].length;
		if (!(run->notes[i].flags & NOTE_NO_RETURN))
			continue;
		companion_add_uleb(item, at - last);
		last = at;
	}
}

static void write_code_of(struct companion_builder *builder, struct debug_reader *reader,
			  const struct code_run *run)
{
	struct companion_writer *writer = companion_builder_part(builder, COMPANION_FUNCTIONS);
	struct strbuf *item = &writer->item;
	uint64_t low = run->low;

	companion_add_uleb(item, run->high - run->low);
	companion_add_sleb(item, run->has_function ? (int64_t)(run->entry - run->low) : 0);
	strbuf_add(item, &run->has_function, 1);
	write_pads(reader, run, item);
	write_no_returns(run, item);
	if (run->range_count) {
		companion_add_uleb(item, companion_builder_string(builder, run->name));
		strbuf_add(item, &run->language, 1);
		companion_add_uleb(item, run->range_count - 1);
		for (size_t i = 1; i < run->range_count; i++) {
			companion_add_sleb(item, (int64_t)(run->ranges[i].low - low));
			companion_add_uleb(item, run->ranges[i].high - run->ranges[i].low);
			low = run->ranges[i].low;
		}
	}
	companion_writer_end_item(writer, run->low);
}

/* Returns small numbers for small distances, whatever their sign. */
static uint64_t zigzag(uint64_t distance)
{
	return distance << 1 ^ (uint64_t)((int64_t)distance >> 63);
}

static void write_lines(struct companion_builder *builder, struct debug_reader *reader,
			const struct code_run *run)
{
	struct companion_writer *writer = companion_builder_part(builder, COMPANION_LINES);
	struct strbuf *item = &writer->item;
	uint64_t at = run->low, last = run->low, last_file = 0, last_line = 0;
	const char *file, *known = NULL;
	uint64_t known_number = 0;
	_cleanup_strbuf_ struct strbuf steps = STRBUF_INIT, lines = STRBUF_INIT,
				       files = STRBUF_INIT;
	size_t count = 0;

	companion_add_uleb(item, run->high - run->low);
	for (size_t i = 0; i < run->note_count; at += run->notes[i++].length) {
		uint64_t number = 0;
		unsigned int line = 0;

		if (debug_reader_line(reader, at, &file, &line)) {
			if (file != known)
				known_number = companion_builder_string(builder, file);
			known = file;
			number = known_number;
		}
		if (number == last_file && (!number || line == last_line))
			continue;
		companion_add_uleb(&steps, at - last);
		companion_add_uleb(&lines, zigzag(line - last_line) << 1 | (number != last_file));
		if (number != last_file)
			companion_add_sleb(&files, (int64_t)(number - last_file));
		last = at;
		last_file = number;
		last_line = line;
		count++;
	}
	companion_add_uleb(item, count);
	strbuf_add(item, steps.data, steps.length);
	strbuf_add(item, lines.data, lines.length);
	strbuf_add(item, files.data, files.length);
	companion_writer_end_item(writer, run->low);
}

/* More calls are never inlined into each other. */
#define INLINED_MAX 256

static bool is_same_call(const struct inlined_call *left, const struct inlined_call *right)
{
	return left->name == right->name && left->call_file == right->call_file &&
	       left->call_line == right->call_line;
}

static void write_inlined(struct companion_builder *builder, struct debug_reader *reader,
			  const struct code_run *run)
{
	struct companion_writer *writer = companion_builder_part(builder, COMPANION_INLINED);
	struct strbuf *item = &writer->item;
	struct inlined_call calls[INLINED_MAX], before[INLINED_MAX];
	uint64_t last = run->low;
	size_t last_count = 0;

	for (size_t i = 0; i < run->bound_count; i++) {
		size_t count = debug_reader_inlined(reader, run->bounds[i], calls, INLINED_MAX);
		size_t same = 0;

		while (same < count && same < last_count &&
		       is_same_call(&calls[same], &before[same]))
			same++;
		if (i && same == count && same == last_count)
			continue;
		companion_add_uleb(item, run->bounds[i] - last);
		companion_add_uleb(item, same);
		companion_add_uleb(item, count - same);
		for (size_t k = same; k < count; k++) {
			const char *file = calls[k].call_file == UINT64_MAX
						   ? NULL
						   : debug_reader_call_file(reader, run->bounds[i],
									    calls[k].call_file);

			companion_add_uleb(item, companion_builder_string(builder, calls[k].name));
			companion_add_uleb(item, companion_builder_string(builder, file));
			companion_add_uleb(item, calls[k].call_line);
		}
		last = run->bounds[i];
		last_count = count;
		memcpy(before, calls, count * sizeof(*calls));
	}
	companion_writer_end_item(writer, run->low);
}

void index_add_places(struct companion_builder *builder, struct debug_reader *reader,
		      const struct code_runs *runs)
{
	for (size_t i = 0; i < runs->count; i++) {
		write_code_of(builder, reader, &runs->items[i]);
		write_lines(builder, reader, &runs->items[i]);
		write_inlined(builder, reader, &runs->items[i]);
	}
}

void index_add_records(struct companion_builder *builder, struct debug_reader *reader,
		       const struct code_runs *runs)
{
	struct hash_map units = { 0 };

	for (size_t i = 0; i < runs->count; i++) {
		size_t count;
		bool created;
		/* the list is the unit's own */
		const struct type *const *records =
			runs->items[i].range_count
				? debug_reader_records(reader, runs->items[i].low, &count)
				: NULL;

		if (!records)
			continue;
		hash_map_insert(&units, (uintptr_t)records, &created);
		for (size_t k = 0; created && k < count; k++)
			companion_builder_type(builder, records[k]);
	}
	hash_map_deinit(&units);
}

void index_add_files(struct companion_builder *builder, struct debug_reader *reader)
{
	struct companion_writer *writer = companion_builder_part(builder, COMPANION_FILES);
	_cleanup_arena_ struct arena arena = { 0 };
	size_t count = 0;
	const char *const *files = debug_reader_source_files(reader, &arena, &count);

	for (size_t i = 0; i < count; i++) {
		companion_add_uleb(&writer->item, companion_builder_string(builder, files[i]));
		companion_writer_end_item(writer, i);
	}
}

/* ---- variables ---- */

void index_add_variables(struct companion_builder *builder, struct debug_reader *reader,
			 const struct elf_image *image)
{
	struct companion_writer *writer = companion_builder_part(builder, COMPANION_VARIABLES);
	size_t count;
	const struct symbol *symbols = elf_image_symbols(image, &count);
	uint64_t end = 0;

	for (size_t i = 0; i < count; i++) {
		struct global global;

		if (!symbol_is_data(&symbols[i]) || symbols[i].address < end ||
		    !debug_reader_global_at(reader, symbols[i].address, 0, &global) ||
		    global.thread_local_ || global.address < end || !global.size)
			continue;
		companion_add_uleb(&writer->item, global.size);
		companion_add_uleb(&writer->item, companion_builder_string(builder, global.name));
		companion_add_uleb(&writer->item, companion_builder_type(builder, global.type));
		companion_add_uleb(&writer->item, global.piece_offset << 1 | global.piece);
		companion_writer_end_item(writer, global.address);
		end = global.address + global.size;
	}
}
