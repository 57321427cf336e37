// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements section.h: sections of items, as Documentation/companion.md describes them. */
#include "dwarf/companion/section.h"

#include <zstd.h>

#include "base/memory.h"
#include "base/parallel.h"

/* zstd's level for directories */
#define DIRECTORY_LEVEL 15

/* ---- numbers ---- */

void companion_add_uleb(struct strbuf *buffer, uint64_t value)
{
	uint8_t bytes[10];
	size_t count = 0;

	do {
		bytes[count] = value & 0x7f;
		value >>= 7;
		bytes[count++] |= value ? 0x80 : 0;
	} while (value);
	strbuf_add(buffer, bytes, count);
}

void companion_add_sleb(struct strbuf *buffer, int64_t value)
{
	bool more = true;

	while (more) {
		uint8_t byte = value & 0x7f;

		value >>= 7;
		more = !((value == 0 && !(byte & 0x40)) || (value == -1 && byte & 0x40));
		byte |= more ? 0x80 : 0;
		strbuf_add(buffer, &byte, 1);
	}
}

/* ---- writing ---- */

static const struct strbuf empty = STRBUF_INIT;

void companion_writer_init(struct companion_writer *writer, size_t lane_count, size_t block_size,
			   int level)
{
	*writer = (struct companion_writer){
		.lane_count = lane_count, .block_size = block_size, .level = level, .steps = empty
	};
	for (size_t i = 0; i < COMPANION_LANES; i++)
		writer->lanes[i] = writer->sizes[i] = empty;
}

void companion_writer_deinit(struct companion_writer *writer)
{
	for (size_t i = 0; i < COMPANION_LANES; i++) {
		strbuf_deinit(&writer->lanes[i]);
		strbuf_deinit(&writer->sizes[i]);
	}
	strbuf_deinit(&writer->steps);
	array_each (struct companion_written, part, writer->written, writer->written_count)
		strbuf_deinit(&part->bytes);
	free_all(writer->written, writer->first_keys);
}

/* Appends the packed bytes. The context, NULL at first, is kept for the next ones: a new one has
 * more memory that nobody touched yet than most frames have bytes. */
static void pack(ZSTD_CCtx **context, struct strbuf *to, const struct strbuf *bytes, int level)
{
	size_t room = ZSTD_compressBound(bytes->length), size = 0;
	_cleanup_free_ char *packed = xmalloc(room);

	if (!*context)
		*context = ZSTD_createCCtx();
	if (*context)
		size = ZSTD_compressCCtx(*context, packed, room, bytes->data, bytes->length, level);
	if (!*context || ZSTD_isError(size)) {
		errno = ENOMEM; /* nothing else can be missing */
		check_library_memory();
	}
	strbuf_add(to, packed, size);
}

/* Keeps bytes of the block, which become empty. */
static void keep_frame(struct companion_writer *writer, struct strbuf *bytes)
{
	array_add(writer->written, writer->written_count, writer->written_capacity) =
		(struct companion_written){ .bytes = *bytes,
					    .size = bytes->length,
					    .level = writer->level };
	*bytes = empty;
}

static void end_block(struct companion_writer *writer)
{
	struct strbuf heads = STRBUF_INIT;

	if (!writer->item_count)
		return;
	companion_add_uleb(&heads, writer->item_count);
	strbuf_add(&heads, writer->steps.data, writer->steps.length);
	strbuf_reset(&writer->steps);
	for (size_t i = 0; i < writer->lane_count; i++) {
		strbuf_add(&heads, writer->sizes[i].data, writer->sizes[i].length);
		strbuf_reset(&writer->sizes[i]);
		writer->ends[i] = 0;
	}
	array_add(writer->first_keys, writer->block_count, writer->key_capacity) =
		writer->first_key;
	keep_frame(writer, &heads);
	for (size_t i = 0; i < writer->lane_count; i++)
		keep_frame(writer, &writer->lanes[i]);
	writer->item_count = 0;
}

void companion_writer_end_item(struct companion_writer *writer, uint64_t key)
{
	size_t block_size = 0;

	if (!writer->item_count)
		writer->first_key = writer->last_key = key;
	companion_add_uleb(&writer->steps, key - writer->last_key);
	for (size_t i = 0; i < writer->lane_count; i++) {
		companion_add_uleb(&writer->sizes[i], writer->lanes[i].length - writer->ends[i]);
		block_size += writer->ends[i] = writer->lanes[i].length;
	}
	writer->last_key = key;
	writer->item_count++;
	if (block_size >= writer->block_size)
		end_block(writer);
}

void companion_writer_begin_run(struct companion_writer *writer, uint64_t low, uint64_t high)
{
	if (writer->run_end && writer->run_end != low)
		companion_writer_end_item(writer, writer->run_end);
	writer->run_end = high;
}

struct pack_job {
	struct companion_written **parts;
	ZSTD_CCtx **contexts; /* by thread */
};

static void pack_part(size_t item, unsigned int thread, void *data)
{
	const struct pack_job *job = data;
	struct companion_written *part = job->parts[item];
	struct strbuf packed = STRBUF_INIT;

	pack(&job->contexts[thread], &packed, &part->bytes, part->level);
	strbuf_deinit(&part->bytes);
	part->bytes = packed;
}

/* Those that take longest come first, so that the threads end together. */
ADDRESS_COMPARISON(compare_sizes, struct companion_written, DESCENDING(size))

void companion_writers_pack(struct companion_writer *writers, size_t count, unsigned int threads)
{
	_cleanup_free_ struct companion_written **parts = NULL;
	_cleanup_free_ ZSTD_CCtx **contexts = xcalloc(threads, sizeof(*contexts));
	size_t part_count = 0, capacity = 0;

	for (size_t i = 0; i < count; i++) {
		if (writers[i].run_end)
			companion_writer_end_item(&writers[i], writers[i].run_end);
		end_block(&writers[i]);
		array_each (struct companion_written, part, writers[i].written,
			    writers[i].written_count)
			array_add(parts, part_count, capacity) = part;
	}
	array_sort(parts, part_count, compare_sizes);
	parallel_for(part_count, threads, pack_part, &(struct pack_job){ parts, contexts });
	for (unsigned int i = 0; i < threads; i++)
		ZSTD_freeCCtx(contexts[i]);
}

void companion_writer_finish(const struct companion_writer *writer, struct strbuf *section)
{
	_cleanup_strbuf_ struct strbuf directory = STRBUF_INIT, packed = STRBUF_INIT;
	size_t parts = 1 + writer->lane_count;
	ZSTD_CCtx *context = NULL;

	array_indexed (const struct companion_written, part, i, writer->written,
		       writer->written_count) {
		const uint64_t *key = &writer->first_keys[i / parts];

		if (i % parts == 0)
			companion_add_uleb(&directory, i ? key[0] - key[-1] : key[0]);
		companion_add_uleb(&directory, part->bytes.length);
		companion_add_uleb(&directory, part->size);
	}
	pack(&context, &packed, &directory, DIRECTORY_LEVEL);
	ZSTD_freeCCtx(context);
	const uint32_t head[] = { (uint32_t)writer->block_count, (uint32_t)packed.length,
				  (uint32_t)directory.length };

	strbuf_add(section, head, sizeof(head));
	strbuf_add(section, packed.data, packed.length);
	array_each (const struct companion_written, part, writer->written, writer->written_count)
		strbuf_add(section, part->bytes.data, part->bytes.length);
}

/* ---- reading ---- */

static struct error *section_damaged(const char *what)
{
	return error_create(ERROR_FORMAT, "a section of the companion is damaged: %s", what);
}

/* A block is never so large, and the sizes of all lanes add up. */
#define FRAME_MAX (1u << 28)

/* Unpacks a frame to bytes[], which has room for it. False: it is damaged. The context is kept:
 * zstd asks the processor what it can do for each new one, 30 us in a virtual machine. */
static bool unpack_frame(ZSTD_DCtx **context, const uint8_t *packed,
			 const struct companion_frame *frame, uint8_t *bytes)
{
	if (!*context && !(*context = ZSTD_createDCtx())) {
		errno = ENOMEM; /* nothing else can be missing */
		check_library_memory();
		return false;
	}
	return ZSTD_decompressDCtx(*context, bytes, frame->size, packed, frame->packed_size) ==
	       frame->size;
}

void companion_unpacker_deinit(struct companion_unpacker *unpacker)
{
	ZSTD_freeDCtx(unpacker->context);
	pthread_mutex_destroy(&unpacker->lock);
}

static struct error *read_directory(struct companion_section *section, struct cursor directory,
				    size_t left, uint64_t *budget)
{
	uint64_t key = 0, offset = 0;

	array_indexed (struct companion_directory_entry, entry, i, section->blocks,
		       section->block_count) {
		uint64_t step = cursor_uleb(&directory);

		if ((i && !step) || step > UINT64_MAX - key)
			return section_damaged("its directory does not fit it");
		entry->key = key += step;
		entry->offset = offset;
		for (size_t k = 0; k <= section->lane_count; k++) {
			uint64_t packed_size = cursor_uleb(&directory),
				 size = cursor_uleb(&directory);

			if (directory.failed || packed_size > left - offset || size > *budget ||
			    size > FRAME_MAX || packed_size > UINT32_MAX)
				return section_damaged("its directory does not fit it");
			*budget -= size;
			offset += packed_size;
			entry->frames[k] =
				(struct companion_frame){ (uint32_t)packed_size, (uint32_t)size };
		}
	}
	return cursor_left(&directory) || offset != left ? section_damaged("it has further bytes")
							 : NULL;
}

struct error *companion_section_open(struct companion_section *section, size_t lane_count,
				     const struct elf_image *file,
				     struct companion_unpacker *unpacker, const void *bytes,
				     size_t size, uint64_t *budget)
{
	struct cursor header = cursor_of(bytes, size, false);
	uint32_t count = cursor_u32(&header), packed_size = cursor_u32(&header),
		 directory_size = cursor_u32(&header);
	const uint8_t *packed = cursor_bytes(&header, packed_size);

	if (!packed || directory_size > *budget || count > directory_size / (3 + 2 * lane_count))
		return section_damaged("it ends within its directory");
	_cleanup_free_ uint8_t *directory = xmalloc(directory_size ?: 1);

	section->file = file;
	section->unpacker = unpacker;

	if (!unpack_frame(&section->unpacker->context, packed,
			  &(struct companion_frame){ packed_size, directory_size }, directory))
		return section_damaged("its directory cannot be unpacked");
	*budget -= directory_size;
	section->bytes = packed + packed_size;
	section->block_count = count;
	section->lane_count = lane_count;
	section->blocks = xcalloc(count ?: 1, sizeof(*section->blocks));
	section->open = true;
	return read_directory(section, cursor_of(directory, directory_size, false),
			      cursor_left(&header), budget);
}

static void block_deinit(struct companion_block *block)
{
	free_all(block->bytes, block->keys, block->starts);
}

void companion_section_close(struct companion_section *section)
{
	if (!section->open)
		return;
	for (size_t i = 0; i < section->block_count; i++) {
		if (section->blocks[i].block)
			block_deinit(section->blocks[i].block);
		free(section->blocks[i].block);
	}
	free(section->blocks);
	*section = (struct companion_section){ 0 };
}

/* Reads the keys of a block's items. */
static void read_keys(struct companion_block *block, struct cursor *heads)
{
	uint64_t key = block->first_key;
	bool consecutive = true;

	block->keys = xcalloc(block->count ?: 1, sizeof(*block->keys));
	for (size_t i = 0; i < block->count; i++) {
		uint64_t step = cursor_uleb(heads);

		if (step > UINT64_MAX - key)
			heads->failed = true;
		block->keys[i] = key += step;
		consecutive &= key - block->first_key == i;
	}
	if (consecutive) {
		free(block->keys);
		block->keys = NULL;
	}
}

/* Reads where the lanes of a block's items begin. */
static void read_starts(struct companion_block *block, struct cursor *heads,
			const struct companion_frame *lanes, size_t lane_count)
{
	uint32_t start = 0, left;

	block->starts = xcalloc((block->count + 1) * lane_count, sizeof(*block->starts));
	for (size_t lane = 0; lane < lane_count; lane++) {
		uint32_t *starts = block->starts + lane;

		left = lanes[lane].size;
		for (size_t i = 0; i < block->count; i++, starts += lane_count) {
			uint64_t size = cursor_uleb(heads);

			*starts = start;
			if (size > left) {
				heads->failed = true;
				return;
			}
			start += (uint32_t)size;
			left -= (uint32_t)size;
		}
		*starts = start;
		start += left;
	}
}

/* Unpacks the lanes of a block one after the other; NULL: one is damaged. */
static uint8_t *unpack_lanes(const struct companion_section *section, ZSTD_DCtx **context,
			     const uint8_t *packed, const struct companion_frame *lanes)
{
	size_t count = section->lane_count, size = sum_over(size_t, i, 0, count, lanes[i].size);

	uint8_t *bytes = xmalloc(size ?: 1), *to = bytes;

	for (size_t i = 0; i < count; i++) {
		if (!unpack_frame(context, packed, &lanes[i], to)) {
			free(bytes);
			return NULL;
		}
		to += lanes[i].size;
		packed += lanes[i].packed_size;
	}
	return bytes;
}

/* A damaged block has no items. */
static void unpack_block(struct companion_section *section, ZSTD_DCtx **context, size_t number,
			 struct companion_block *block)
{
	const struct companion_directory_entry *entry = &section->blocks[number];
	const struct companion_frame *frames = entry->frames;
	size_t size = 0;

	for (size_t i = 0; i <= section->lane_count; i++)
		size += frames[i].packed_size;
	_cleanup_free_ uint8_t *copy = xmalloc(size ?: 1);
	const uint8_t *packed =
		elf_image_peek(section->file, section->bytes + entry->offset, size, copy);
	_cleanup_free_ uint8_t *bytes = xmalloc(frames[0].size ?: 1);

	*block = (struct companion_block){ .first_key = entry->key };
	if (unpack_frame(context, packed, &frames[0], bytes))
		block->bytes =
			unpack_lanes(section, context, packed + frames[0].packed_size, frames + 1);
	struct cursor heads = cursor_of(bytes, block->bytes ? frames[0].size : 0, false);

	block->count = cursor_uleb(&heads);
	/* each item has a number for its key, and one for each lane */
	if (block->count > cursor_left(&heads) / (1 + section->lane_count))
		block->count = 0;
	read_keys(block, &heads);
	read_starts(block, &heads, frames + 1, section->lane_count);
	if (heads.failed)
		block->count = 0;
}

/* Returns a block, unpacked; it has no items if it is damaged. */
static const struct companion_block *block_at(struct companion_section *section, size_t number)
{
	struct companion_directory_entry *entry = &section->blocks[number];
	struct companion_block *block = __atomic_load_n(&entry->block, __ATOMIC_ACQUIRE);

	if (block)
		return block;
	pthread_mutex_lock(&section->unpacker->lock);
	block = entry->block;
	if (!block) {
		block = xcalloc(1, sizeof(*block));
		unpack_block(section, &section->unpacker->context, number, block);
		__atomic_store_n(&entry->block, block, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&section->unpacker->lock);
	return block;
}

static uint64_t key_of(const struct companion_block *block, size_t item)
{
	return block->keys ? block->keys[item] : block->first_key + item;
}

static void item_of_block(const struct companion_section *section,
			  const struct companion_block *block, size_t item, struct cursor *lanes)
{
	const uint32_t *starts = block->starts + item * section->lane_count;

	for (size_t i = 0; i < section->lane_count; i++)
		lanes[i] = cursor_of(block->bytes + starts[i],
				     starts[section->lane_count + i] - starts[i], false);
}

/* Finds the item with the greatest key that is not greater than `key` in the block of a number. */
static bool find_in_block(const struct companion_section *section, size_t number,
			  const struct companion_block *block, uint64_t key,
			  struct companion_span *found, struct cursor *lanes)
{
	size_t place = partition_point(0, block->count, i, key_of(block, i) <= key);

	if (!place)
		return false;
	found->low = key_of(block, place - 1);
	if (place < block->count)
		found->high = key_of(block, place);
	else
		found->high = number + 1 < section->block_count ? section->blocks[number + 1].key
								: UINT64_MAX;
	item_of_block(section, block, place - 1, lanes);
	return true;
}

/* Returns the number, from 1 on, of the block that may have the item; 0: none. */
static size_t number_for(const struct companion_section *section, uint64_t key)
{
	return partition_point(0, section->block_count, i, section->blocks[i].key <= key);
}

bool companion_section_item(struct companion_section *section, uint64_t key,
			    struct companion_span *found, struct cursor *lanes)
{
	size_t number = number_for(section, key);

	return number &&
	       find_in_block(section, number - 1, block_at(section, number - 1), key, found, lanes);
}

bool companion_window_item(struct companion_window *window, struct companion_section *section,
			   uint64_t key, struct companion_span *found, struct cursor *lanes)
{
	size_t number = number_for(section, key);

	if (!number)
		return false;
	if (window->number != number) {
		block_deinit(&window->block);
		unpack_block(section, &window->context, number - 1, &window->block);
		window->number = number;
	}
	return find_in_block(section, number - 1, &window->block, key, found, lanes);
}

void companion_window_close(struct companion_window *window)
{
	block_deinit(&window->block);
	ZSTD_freeDCtx(window->context);
	*window = (struct companion_window){ 0 };
}

bool companion_section_item_of(struct companion_section *section, uint64_t key,
			       struct cursor *lanes)
{
	struct companion_span found;

	return companion_section_item(section, key, &found, lanes) && found.low == key;
}

void companion_section_each(struct companion_section *section,
			    bool (*visit)(void *data, uint64_t key, struct cursor *lanes),
			    void *data)
{
	for (size_t i = 0; i < section->block_count; i++) {
		const struct companion_block *block = block_at(section, i);

		for (size_t k = 0; k < block->count; k++) {
			struct cursor lanes[COMPANION_LANES];

			item_of_block(section, block, k, lanes);
			if (!visit(data, key_of(block, k), lanes))
				return;
		}
	}
}
