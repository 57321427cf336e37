// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes what debug information says of places in code and data: functions, source lines, inlined
 * calls and variables. dwarf/companion/object.c reads it. */

#include "annotate/index/private.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"

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

/* The place from which on code has another source line. */
struct line_row {
	uint64_t address;
	const char *file; /* NULL: none is known */
	unsigned int line;
};

/* The place from which on code has other inlined calls. */
struct inlined_row {
	uint64_t address;
	size_t first, count; /* in place_rows.calls */
};

struct kept_inlined_call {
	struct inlined_call call;
	const char *file;
};

/* The places of one run, as they are read. */
struct place_rows {
	struct line_row *lines;
	size_t line_count, line_capacity;
	struct inlined_row *inlined;
	size_t inlined_count, inlined_capacity;
	struct kept_inlined_call *calls;
	size_t call_count, call_capacity;
};

static void read_lines(struct debug_reader *reader, const struct code_run *run,
		       struct place_rows *rows)
{
	uint64_t at = run->low;
	struct line_row last = { 0 };

	for (size_t i = 0; i < run->note_count; at += run->notes[i++].length) {
		struct line_row row = { .address = at };

		if (!debug_reader_line(reader, at, &row.file, &row.line))
			row = (struct line_row){ .address = at };
		if (row.file == last.file && row.line == last.line)
			continue;
		array_add(rows->lines, rows->line_count, rows->line_capacity) = last = row;
	}
}

/* More calls are never inlined into each other. */
#define INLINED_MAX 256

static bool is_same_call(const struct inlined_call *left, const struct inlined_call *right)
{
	return left->name == right->name && left->call_file == right->call_file &&
	       left->call_line == right->call_line;
}

static void read_inlined(struct debug_reader *reader, const struct code_run *run,
			 struct place_rows *rows)
{
	struct inlined_call calls[INLINED_MAX];

	for (size_t i = 0; i < run->bound_count; i++) {
		size_t count = debug_reader_inlined(reader, run->bounds[i], calls, INLINED_MAX);

		array_add(rows->inlined, rows->inlined_count, rows->inlined_capacity) =
			(struct inlined_row){ run->bounds[i], rows->call_count, count };
		for (size_t k = 0; k < count; k++) {
			array_add(rows->calls, rows->call_count,
				  rows->call_capacity) = (struct kept_inlined_call){
				.call = calls[k],
				.file = calls[k].call_file == UINT64_MAX
						? NULL
						: debug_reader_call_file(reader, run->bounds[i],
									 calls[k].call_file)
			};
		}
	}
}

static void write_lines(struct companion_builder *builder, const struct code_run *run,
			const struct place_rows *rows)
{
	struct companion_writer *writer = companion_builder_part(builder, COMPANION_LINES);
	struct strbuf *item = &writer->item;
	_cleanup_strbuf_ struct strbuf lines = STRBUF_INIT, files = STRBUF_INIT;
	uint64_t last = run->low, last_file = 0, last_line = 0, number = 0;

	companion_add_uleb(item, run->high - run->low);
	companion_add_uleb(item, rows->line_count);
	for (size_t i = 0; i < rows->line_count; i++) {
		const struct line_row *row = &rows->lines[i];

		if (!i || row->file != row[-1].file)
			number = companion_builder_string(builder, row->file);
		companion_add_uleb(item, row->address - last);
		companion_add_uleb(&lines,
				   zigzag(row->line - last_line) << 1 | (number != last_file));
		if (number != last_file)
			companion_add_sleb(&files, (int64_t)(number - last_file));
		last = row->address;
		last_file = number;
		last_line = row->line;
	}
	strbuf_add(item, lines.data, lines.length);
	strbuf_add(item, files.data, files.length);
	companion_writer_end_item(writer, run->low);
}

static void write_inlined(struct companion_builder *builder, const struct code_run *run,
			  const struct place_rows *rows)
{
	struct companion_writer *writer = companion_builder_part(builder, COMPANION_INLINED);
	struct strbuf *item = &writer->item;
	const struct kept_inlined_call *before = rows->calls;
	uint64_t last = run->low;
	size_t last_count = 0;

	for (size_t i = 0; i < rows->inlined_count; i++) {
		const struct inlined_row *row = &rows->inlined[i];
		const struct kept_inlined_call *calls = rows->calls + row->first;
		size_t same = 0;

		while (same < row->count && same < last_count &&
		       is_same_call(&calls[same].call, &before[same].call))
			same++;
		if (i && same == row->count && same == last_count)
			continue;
		companion_add_uleb(item, row->address - last);
		companion_add_uleb(item, same);
		companion_add_uleb(item, row->count - same);
		for (size_t k = same; k < row->count; k++) {
			companion_add_uleb(item,
					   companion_builder_string(builder, calls[k].call.name));
			companion_add_uleb(item, companion_builder_string(builder, calls[k].file));
			companion_add_uleb(item, calls[k].call.call_line);
		}
		last = row->address;
		before = calls;
		last_count = row->count;
	}
	companion_writer_end_item(writer, run->low);
}

/* ---- all runs */

/* The runs whose places are in memory at a time. */
#define RUNS_AT_ONCE 4096

struct place_job {
	struct debug_object *debug;
	struct debug_reader **readers; /* by thread */
	const struct code_run *runs;
	struct place_rows *rows; /* by run */
};

static void read_places(size_t item, unsigned int thread, void *data)
{
	const struct place_job *job = data;
	size_t count;

	if (!job->readers[thread])
		error_destroy(debug_reader_open(job->debug, &job->readers[thread]));
	read_lines(job->readers[thread], &job->runs[item], &job->rows[item]);
	read_inlined(job->readers[thread], &job->runs[item], &job->rows[item]);
	/* read here, where there are threads, for index_add_records() */
	if (job->runs[item].range_count)
		debug_reader_records(job->readers[thread], job->runs[item].low, &count);
}

void index_add_places(struct companion_builder *builder, struct debug_object *debug,
		      struct debug_reader *reader, const struct code_runs *runs,
		      unsigned int threads)
{
	_cleanup_free_ struct debug_reader **readers = xcalloc(threads, sizeof(*readers));

	for (size_t first = 0, count; first < runs->count; first += count) {
		count = runs->count - first < RUNS_AT_ONCE ? runs->count - first : RUNS_AT_ONCE;
		_cleanup_free_ struct place_rows *rows = xcalloc(count, sizeof(*rows));
		struct place_job job = { debug, readers, runs->items + first, rows };

		parallel_for(count, threads, read_places, &job);
		for (size_t i = 0; i < count; i++) {
			write_code_of(builder, reader, &job.runs[i]);
			write_lines(builder, &job.runs[i], &rows[i]);
			write_inlined(builder, &job.runs[i], &rows[i]);
			free(rows[i].lines);
			free(rows[i].inlined);
			free(rows[i].calls);
		}
	}
	for (unsigned int i = 0; i < threads; i++)
		debug_reader_close(readers[i]);
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
