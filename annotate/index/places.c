// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes what debug information says of places in code and data: functions, source lines, inlined
 * calls and variables. dwarf/companion/object.c reads it. */

#include "annotate/facts/arguments.h"
#include "annotate/facts/bulk.h"
#include "annotate/index/private.h"
#include "annotate/solve/type_resolver.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "dwarf/companion/lines.h"

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
	size_t count = sum_over(size_t, i, 0, run->note_count,
				(run->notes[i].flags & NOTE_NO_RETURN) != 0);

	companion_add_uleb(item, count);
	for (size_t i = 0; count && i < run->note_count; i++) {
		at += run->notes[i].length;
		if (!(run->notes[i].flags & NOTE_NO_RETURN))
			continue;
		companion_add_uleb(item, at - last);
		last = at;
	}
}

/* Returns small numbers for small distances, whatever their sign. */
static uint64_t zigzag(uint64_t distance)
{
	return distance << 1 ^ -(distance >> 63);
}

/* The place from which on code has another source line. */
struct placed_line {
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
	struct arena arena;                      /* of the outline */
	const struct function_outline *function; /* NULL: none begins with the run */
	struct passed_pointer *pointers;         /* records, if its code goes on from there */
	size_t pointer_count;
	struct placed_line *lines;
	size_t line_count, line_capacity;
	struct inlined_row *inlined;
	size_t inlined_count, inlined_capacity;
	struct kept_inlined_call *calls;
	size_t call_count, call_capacity;
};

/* Adds the line of an instruction, if it is another one than before. */
static void add_line(struct place_rows *rows, uint64_t address, const char *file, unsigned int line)
{
	const struct placed_line *last =
		rows->line_count ? &rows->lines[rows->line_count - 1] : &(struct placed_line){ 0 };

	if (!file)
		line = 0;
	if (file != last->file || line != last->line)
		array_add(rows->lines, rows->line_count, rows->line_capacity) =
			(struct placed_line){ .address = address, .file = file, .line = line };
}

static void read_lines(struct debug_reader *reader, const struct code_run *run,
		       struct place_rows *rows)
{
	size_t count, next = 0;
	uint64_t at = run->low;
	const struct source_row *known =
		run->has_function ? debug_reader_source_rows(reader, run->low, run->high,
							     &rows->arena, &count)
				  : NULL;

	for (size_t i = 0; i < run->note_count; at += run->notes[i++].length) {
		const char *file = NULL;
		unsigned int line = 0;

		/* code without a function may be of several units */
		if (!run->has_function) {
			if (!debug_reader_line(reader, at, &file, &line))
				file = NULL;
			add_line(rows, at, file, line);
			continue;
		}
		while (known && next < count && known[next].address <= at)
			next++;
		if (next)
			add_line(rows, at, known[next - 1].file, known[next - 1].line);
	}
}

/* More calls are never inlined into each other. */
#define INLINED_MAX 256

/* The beginning or end of a range of a scope. */
struct scope_bound {
	uint64_t address;
	uint32_t scope;
	bool end;
};

COMPARISON(compare_bounds, struct scope_bound, ASCENDING(address) ASCENDING(scope) ASCENDING(end))

/* Lists where scopes begin and end in the run. */
static struct scope_bound *list_bounds(const struct code_run *run,
				       const struct function_outline *outline, size_t *count)
{
	struct scope_bound *bounds = NULL;
	size_t capacity = 0;

	*count = 0;
	array_indexed (const struct inlined_scope, scope, i, outline->scopes,
		       outline->scope_count) {
		array_each (const struct address_range, range, scope->ranges, scope->range_count) {
			if (range->high <= run->low || range->low >= run->high ||
			    range->low >= range->high)
				continue;
			array_add(bounds, *count, capacity) = (struct scope_bound){
				.address = range->low > run->low ? range->low : run->low, .scope = i
			};
			array_add(bounds, *count, capacity) = (struct scope_bound){
				.address = range->high, .scope = i, .end = true
			};
		}
	}
	array_sort(bounds, *count, compare_bounds);
	return bounds;
}

/* The scopes that hold an address, those around others first. */
struct open_scopes {
	const struct function_outline *outline;
	uint32_t *ranges;   /* by scope: how many of its ranges are open */
	const char **files; /* by scope: that of its call, once it was asked for */
	uint32_t *items;
	size_t count;
};

static void open_or_close(struct open_scopes *open, const struct scope_bound *bound)
{
	size_t place = partition_point(0, open->count, i, open->items[i] < bound->scope);
	uint32_t *ranges = &open->ranges[bound->scope];

	if (bound->end) {
		if (!--*ranges)
			memmove(open->items + place, open->items + place + 1,
				(--open->count - place) * sizeof(*open->items));
	} else if (!(*ranges)++) {
		memmove(open->items + place + 1, open->items + place,
			(open->count++ - place) * sizeof(*open->items));
		open->items[place] = bound->scope;
	}
}

/* True if all scopes around the scope hold the address, too. */
static bool is_within(const struct open_scopes *open, uint32_t scope)
{
	while ((scope = open->outline->scopes[scope].parent) != UINT32_MAX)
		if (!open->ranges[scope])
			return false;
	return true;
}

/* Returns the file of the call of a scope at an address; NULL: it is not known. A number of a file
 * means the same all over a function. */
static const char *file_of_call(struct debug_reader *reader, const struct open_scopes *open,
				uint64_t address, uint32_t scope)
{
	uint64_t number = open->outline->scopes[scope].call.call_file;

	if (!open->files[scope] && number != UINT64_MAX)
		open->files[scope] = debug_reader_call_file(reader, address, number);
	return open->files[scope];
}

static void add_inlined_row(struct debug_reader *reader, const struct open_scopes *open,
			    uint64_t address, struct place_rows *rows)
{
	struct inlined_row row = { .address = address, .first = rows->call_count };

	for (size_t i = 0; i < open->count && row.count < INLINED_MAX; i++) {
		const struct inlined_scope *scope = &open->outline->scopes[open->items[i]];

		if (!scope->inlined || !is_within(open, open->items[i]))
			continue;
		row.count++;
		array_add(rows->calls, rows->call_count, rows->call_capacity) =
			(struct kept_inlined_call){ .call = scope->call,
						    .file = file_of_call(reader, open, address,
									 open->items[i]) };
	}
	array_add(rows->inlined, rows->inlined_count, rows->inlined_capacity) = row;
}

static void read_inlined(struct debug_reader *reader, const struct code_run *run,
			 const struct function_outline *outline, struct place_rows *rows)
{
	size_t count;
	_cleanup_free_ struct scope_bound *bounds = list_bounds(run, outline, &count);
	_cleanup_free_ uint32_t *ranges = xcalloc(outline->scope_count + 1, sizeof(*ranges)),
				*items = xcalloc(outline->scope_count + 1, sizeof(*items));
	_cleanup_free_ const char **files = xcalloc(outline->scope_count + 1, sizeof(*files));
	struct open_scopes open = {
		.outline = outline, .ranges = ranges, .files = files, .items = items
	};

	for (size_t i = 0; i < count; i++) {
		open_or_close(&open, &bounds[i]);
		if (bounds[i].address < run->high &&
		    (i + 1 == count || bounds[i + 1].address != bounds[i].address))
			add_inlined_row(reader, &open, bounds[i].address, rows);
	}
}

/* Reads which records the arguments of a function point to. */
static void read_pointers(struct debug_reader *reader, const struct arch *arch,
			  const struct code_run *run, struct place_rows *rows)
{
	struct passed_pointer pointers[REG_COUNT];
	struct function *function = debug_reader_function(reader, run->low);
	size_t count = function ? arguments_pointers(abi_of(arch), function, pointers) : 0;

	for (size_t i = 0; i < count; i++)
		if (type_is_record(type_strip(pointers[i].type)))
			pointers[rows->pointer_count++] = pointers[i];
	rows->pointers =
		arena_copy(&rows->arena, pointers, rows->pointer_count * sizeof(*pointers));
	function_destroy(function);
}

static void read_function(struct debug_reader *reader, const struct code_run *run,
			  struct place_rows *rows)
{
	const struct function_outline *outline =
		run->has_function ? debug_reader_outline(reader, run->low, &rows->arena) : NULL;

	if (!outline)
		return;
	if (run->entry == run->low && outline->range_count)
		rows->function = outline;
	read_inlined(reader, run, outline, rows);
}

static void write_outline(struct companion_builder *builder, const struct function_outline *outline,
			  struct strbuf *item)
{
	uint64_t low = outline->ranges->low;

	companion_add_uleb(item, companion_builder_string(builder, outline->name));
	strbuf_add(item, &outline->language, 1);
	companion_add_uleb(item, outline->range_count - 1);
	for (size_t i = 1; i < outline->range_count; i++) {
		const struct address_range *range = &outline->ranges[i];

		companion_add_sleb(item, (int64_t)(range->low - low));
		companion_add_uleb(item, range->high - range->low);
		low = range->low;
	}
}

static void write_pointers(struct companion_builder *builder, const struct place_rows *rows,
			   struct strbuf *item)
{
	companion_add_uleb(item, rows->pointer_count);
	for (size_t i = 0; i < rows->pointer_count; i++) {
		strbuf_add(item, &rows->pointers[i].reg, 1);
		companion_add_uleb(item, companion_builder_type(builder, rows->pointers[i].type));
	}
}

/* Returns the name of the bulk memory function at an address, or NULL. */
static const char *bulk_symbol(const struct elf_image *image, uint64_t address)
{
	const struct symbol *symbol = elf_image_function_at(image, address);

	return symbol && bulk_function_named(symbol->name, type_resolver_is_kernel(image))
		       ? symbol->name
		       : NULL;
}

static void write_code_of(struct companion_builder *builder, const struct elf_image *image,
			  struct debug_reader *reader, const struct code_run *run,
			  const struct place_rows *rows)
{
	struct companion_writer *writer = companion_builder_part(builder, COMPANION_FUNCTIONS);
	struct strbuf *item = &writer->lanes[0];
	const char *bulk = bulk_symbol(image, run->low);
	uint8_t flags = (run->has_function ? COMPANION_RUN_HAS_FUNCTION : 0) |
			(run->is_symbol ? COMPANION_RUN_IS_SYMBOL : 0) |
			(bulk ? COMPANION_RUN_IS_BULK : 0);

	if (rows->function && rows->pointer_count)
		flags |= COMPANION_RUN_HAS_POINTERS;
	companion_writer_begin_run(writer, run->low, run->high);
	companion_add_sleb(item, run->has_function ? (int64_t)(run->entry - run->low) : 0);
	strbuf_add(item, &flags, 1);
	if (bulk)
		companion_add_uleb(item, companion_builder_string(builder, bulk));
	write_pads(reader, run, item);
	write_no_returns(run, item);
	if (rows->function)
		write_outline(builder, rows->function, item);
	if (flags & COMPANION_RUN_HAS_POINTERS)
		write_pointers(builder, rows, item);
	companion_writer_end_item(writer, run->low);
}

/* The rows of a run that are being written. */
struct line_writer {
	struct companion_builder *builder;
	struct strbuf *lanes; /* by enum line_lane */
	struct line_places places;
	struct line_site *sites;
	size_t count, capacity;
	struct hash_index index; /* of sites, by site_hash() */
	/* the inlined calls of the last row that was in others than the one before it, and their
	 * sites: most rows differ from that one in the innermost calls alone */
	const struct kept_inlined_call *calls;
	size_t call_count;
	struct line_site *path;
	uint32_t *numbers;
	uint32_t site;           /* of the last row */
	uint64_t address;        /* of the last row */
	const struct placed_line *placed; /* the last one; NULL: none */
	uint64_t file, line;              /* its own */
};

static uint64_t site_hash(const struct line_site *site)
{
	return hash_combine(hash_combine(hash_combine(site->parent, site->name), site->call_file),
			    site->call_line);
}

/* Returns the number of a site; UINT32_MAX: it is new. */
static uint32_t known_site(const struct line_writer *writer, const struct line_site *wanted)
{
	hash_index_each (number, &writer->index, site_hash(wanted)) {
		const struct line_site *site = &writer->sites[number];

		if (site->parent == wanted->parent && site->name == wanted->name &&
		    site->call_file == wanted->call_file && site->call_line == wanted->call_line)
			return number;
	}
	return UINT32_MAX;
}

static uint32_t add_site(struct line_writer *writer, const struct line_site *site)
{
	hash_index_add(&writer->index, site_hash(site), (uint32_t)writer->count);
	array_add(writer->sites, writer->count, writer->capacity) = *site;
	return (uint32_t)writer->count - 1;
}

/* Goes to a line in a function, and returns the number that says so: the distance from the line
 * that is expected there, and whether the file is another one. */
static uint64_t move_to(struct line_writer *writer, uint64_t name, uint64_t file, uint64_t line)
{
	uint64_t known = line_place_of(&writer->places, name)->file;
	uint64_t from = line_place_of(&writer->places, known == file ? name : file)->line;

	line_place_move(&writer->places, name, file, line);
	return zigzag(line - from) << 1 | (known != file);
}

/* Writes inlined calls that no row was in yet, each in the one before. */
static void write_new_sites(struct line_writer *writer, const struct line_site *sites, size_t count,
			    uint32_t parent)
{
	struct strbuf *lane = &writer->lanes[LINE_CALLS];

	companion_add_uleb(lane, 0);
	companion_add_uleb(lane, count - 1);
	companion_add_uleb(lane, writer->count - 1 - parent);
	for (size_t i = 0; i < count; i++) {
		struct line_site site = sites[i];
		uint64_t code =
			move_to(writer, writer->sites[parent].name, site.call_file, site.call_line);

		site.parent = parent;
		companion_add_uleb(lane, site.name);
		companion_add_uleb(lane, code);
		if (code & 1)
			companion_add_uleb(lane, site.call_file);
		line_place_begin(&writer->places, &site);
		parent = add_site(writer, &site);
	}
}

static bool is_same_call(const struct kept_inlined_call *a, const struct kept_inlined_call *b)
{
	return a->call.name == b->call.name && a->file == b->file &&
	       a->call.call_line == b->call.call_line;
}

/* Finds the sites of inlined calls, up to the first one that is new, which ends the return value.
 * Sets *at to the last site that is known. */
static size_t find_path(struct line_writer *writer, const struct kept_inlined_call *calls,
			size_t count, uint32_t *at)
{
	size_t known = 0;

	*at = 0;
	while (known < count && known < writer->call_count &&
	       is_same_call(&calls[known], &writer->calls[known]))
		*at = writer->numbers[known++];
	for (size_t i = known; i < count; i++) {
		writer->path[i] = (struct line_site){
			.name = companion_builder_string(writer->builder, calls[i].call.name),
			.call_file = companion_builder_string(writer->builder, calls[i].file),
			.call_line = calls[i].call.call_line,
			.parent = *at,
		};
		uint32_t number = known == i ? known_site(writer, &writer->path[i]) : UINT32_MAX;

		if (number != UINT32_MAX)
			*at = writer->numbers[known++] = number;
	}
	for (size_t i = known; i < count; i++)
		writer->numbers[i] = (uint32_t)(writer->count + i - known);
	writer->calls = calls;
	writer->call_count = count;
	return known;
}

/* Enters the inlined calls of a row. Returns whether they are others than those of the last one. */
static bool enter_site(struct line_writer *writer, const struct kept_inlined_call *calls,
		       size_t count)
{
	uint32_t at, last = writer->site;
	size_t known = find_path(writer, calls, count, &at);

	writer->site = count ? writer->numbers[count - 1] : 0;
	if (writer->site == last)
		return false;
	if (known == count)
		companion_add_uleb(&writer->lanes[LINE_CALLS], writer->count - at);
	else
		write_new_sites(writer, writer->path + known, count - known, at);
	return true;
}

/* Writes a row: from `address` on, code is of these calls and this line; NULL: as before. */
static void write_row(struct line_writer *writer, uint64_t address, const struct placed_line *line,
		      const struct inlined_row *inlined, const struct kept_inlined_call *calls)
{
	bool entered = inlined && enter_site(writer, calls + inlined->first, inlined->count);

	if (line) {
		if (!writer->placed || writer->placed->file != line->file)
			writer->file = companion_builder_string(writer->builder, line->file);
		writer->line = line->line;
		writer->placed = line;
	} else if (!entered) {
		return;
	}
	uint64_t code =
		move_to(writer, writer->sites[writer->site].name, writer->file, writer->line);

	companion_add_uleb(&writer->lanes[LINE_STEPS], address - writer->address);
	companion_add_uleb(&writer->lanes[LINE_LINES], code << 1 | entered);
	if (code & 1)
		companion_add_uleb(&writer->lanes[LINE_CALLS], writer->file);
	writer->address = address;
}

/* Writes the lines and the inlined calls of a run, in the order of their addresses. */
static void write_lines(struct companion_builder *builder, const struct code_run *run,
			const struct place_rows *rows)
{
	struct companion_writer *part = companion_builder_part(builder, COMPANION_LINES);
	struct line_site path[INLINED_MAX];
	uint32_t numbers[INLINED_MAX];
	struct line_writer writer = { .builder = builder,
				      .lanes = part->lanes,
				      .path = path,
				      .numbers = numbers,
				      .address = run->low };
	size_t i = 0, k = 0;

	add_site(&writer, &(struct line_site){ .parent = UINT32_MAX });
	companion_writer_begin_run(part, run->low, run->high);
	while (i < rows->line_count || k < rows->inlined_count) {
		uint64_t line_at = i < rows->line_count ? rows->lines[i].address : UINT64_MAX,
			 call_at = k < rows->inlined_count ? rows->inlined[k].address : UINT64_MAX,
			 at = line_at < call_at ? line_at : call_at;

		write_row(&writer, at, line_at == at ? &rows->lines[i++] : NULL,
			  call_at == at ? &rows->inlined[k++] : NULL, rows->calls);
	}
	companion_writer_end_item(part, run->low);
	line_places_deinit(&writer.places);
	hash_index_deinit(&writer.index);
	free(writer.sites);
}

/* ---- all runs */

/* The runs whose places are in memory at a time. */
#define RUNS_AT_ONCE 4096

struct place_job {
	struct companion_builder *builder;
	const struct elf_image *image;
	struct debug_object *debug;
	struct debug_reader *reader, **readers; /* the latter by thread */
	unsigned int threads;
	struct places {
		const struct code_run *runs;
		size_t count;
		struct place_rows rows[RUNS_AT_ONCE]; /* by run */
	} * read, *next;                              /* those of `read` are not written yet */
	size_t functions;
};

static void read_places(size_t item, unsigned int thread, void *data)
{
	const struct place_job *job = data;
	const struct code_run *run = &job->next->runs[item];

	if (!job->readers[thread])
		job->readers[thread] = debug_reader_open(job->debug);
	read_function(job->readers[thread], run, &job->next->rows[item]);
	if (run->goes_on)
		read_pointers(job->readers[thread], elf_image_arch(job->image), run,
			      &job->next->rows[item]);
	read_lines(job->readers[thread], run, &job->next->rows[item]);
}

static void write_places(struct place_job *job)
{
	array_indexed (struct place_rows, rows, i, job->read->rows, job->read->count) {
		job->functions += rows->function != NULL;
		write_code_of(job->builder, job->image, job->reader, &job->read->runs[i], rows);
		write_lines(job->builder, &job->read->runs[i], rows);
		arena_deinit(&rows->arena);
		free_all(rows->lines, rows->inlined, rows->calls);
		*rows = (struct place_rows){ 0 };
	}
}

/* One thread writes places while the others read the next ones. */
static void read_or_write(size_t item, unsigned int thread _unused_, void *data)
{
	struct place_job *job = data;

	if (item)
		parallel_for(job->next->count, job->threads, read_places, job);
	else
		write_places(job);
}

size_t index_add_places(struct companion_builder *builder, const struct elf_image *image,
			struct debug_object *debug, struct debug_reader *reader,
			const struct code_runs *runs, unsigned int threads)
{
	_cleanup_free_ struct debug_reader **readers = xcalloc(threads, sizeof(*readers));
	_cleanup_free_ struct places *places = xcalloc(2, sizeof(*places));
	struct place_job job = { .builder = builder,
				 .image = image,
				 .debug = debug,
				 .reader = reader,
				 .readers = readers,
				 .threads = threads,
				 .read = &places[0],
				 .next = &places[1] };
	size_t left = runs->count;

	do {
		struct places *read = job.next;

		read->runs = runs->items + (runs->count - left);
		read->count = left < RUNS_AT_ONCE ? left : RUNS_AT_ONCE;
		left -= read->count;
		parallel_for(2, threads == 1 ? 1 : 2, read_or_write, &job);
		job.next = job.read;
		job.read = read;
	} while (job.read->count);
	for (unsigned int i = 0; i < threads; i++)
		debug_reader_close(readers[i]);
	return job.functions;
}

struct name_writer {
	struct companion_builder *builder;
	uint64_t count;
	bool all; /* not only records */
};

static void list_name(struct name_writer *names, uint8_t kind, const char *name,
		      const struct type *type)
{
	struct companion_writer *writer = companion_builder_part(names->builder, COMPANION_NAMES);
	struct strbuf *item = &writer->lanes[0];

	strbuf_add(item, &kind, 1);
	companion_add_uleb(item, companion_builder_string(names->builder, name));
	companion_add_uleb(item, companion_builder_type(names->builder, type));
	companion_writer_end_item(writer, names->count++);
}

static void add_type_name(void *data, const struct type *type)
{
	struct name_writer *names = data;
	const struct type *record = type_strip(type);
	size_t count;

	if (type_is_record(record) && type_members(record, &count)) {
		record = type_canonical(record);
		companion_builder_type(names->builder, record);
	}
	if (names->all && (type->kind == TYPE_TYPEDEF || type_is_record(record)))
		list_name(names, COMPANION_TYPE_NAME, NULL,
			  type->kind == TYPE_TYPEDEF ? type : record);
}

static void add_function_name(void *data, const char *name, const struct prototype *prototype,
			      bool external _unused_)
{
	if (prototype->return_type)
		list_name(data, COMPANION_FUNCTION_NAME, name, prototype->return_type);
}

static void add_variable_name(void *data, const struct global *variable, bool external _unused_)
{
	list_name(data, COMPANION_VARIABLE_NAME, variable->name, variable->type);
}

void index_add_names(struct companion_builder *builder, struct debug_reader *reader,
		     const struct elf_image *image)
{
	/* the sources of kernels are not read for records */
	struct name_writer names = { builder, 0, !type_resolver_is_kernel(image) };
	const struct debug_visitor visitor = { &names, add_type_name,
					       names.all ? add_function_name : NULL,
					       names.all ? add_variable_name : NULL };

	debug_reader_each(reader, &visitor);
}

void index_add_files(struct companion_builder *builder, struct debug_reader *reader)
{
	struct companion_writer *writer = companion_builder_part(builder, COMPANION_FILES);
	_cleanup_arena_ struct arena arena = { 0 };
	size_t count = 0;
	const char *const *files = debug_reader_source_files(reader, &arena, &count);

	for (size_t i = 0; i < count; i++) {
		companion_add_uleb(&writer->lanes[0], companion_builder_string(builder, files[i]));
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
		companion_add_uleb(&writer->lanes[0], global.size);
		companion_add_uleb(&writer->lanes[0],
				   companion_builder_string(builder, global.name));
		companion_add_uleb(&writer->lanes[0], companion_builder_type(builder, global.type));
		companion_add_uleb(&writer->lanes[0], global.piece_offset << 1 | global.piece);
		companion_writer_end_item(writer, global.address);
		end = global.address + global.size;
	}
}
