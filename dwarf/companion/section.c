// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements section.h. A section is
 *
 *   number of blocks, size of the packed directory, size of the directory: three 32-bit numbers
 *   the directory, packed: for each block the distance of its first key from that of the block
 *     before it, its packed size, its size (ULEB128)
 *   the blocks, packed: the number of items; for each item the distance of its key from the one
 *     before it, and its size; then the items
 *
 * Packed means one frame of Zstandard (RFC 8878).
 */
#include "dwarf/companion/section.h"

#include <zstd.h>

#include "base/memory.h"

/* A block is packed when its items have this many bytes. Larger ones are packed better, and take
 * longer to unpack where only one item is wanted. */
#define BLOCK_SIZE 65536
/* zstd's level: higher ones gain little on blocks of this size. */
#define PACKING_LEVEL 9
#define HEADER_SIZE   12

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

/* Appends the packed bytes; returns their size. */
static size_t pack(struct strbuf *to, const struct strbuf *bytes)
{
	size_t room = ZSTD_compressBound(bytes->length), size;
	_cleanup_free_ char *packed = xmalloc(room);

	size = ZSTD_compress(packed, room, bytes->data, bytes->length, PACKING_LEVEL);
	if (ZSTD_isError(size))
		abort(); /* only memory can be missing */
	strbuf_add(to, packed, size);
	return size;
}

static void end_block(struct companion_writer *writer)
{
	struct strbuf block = STRBUF_INIT;

	if (!writer->item_count)
		return;
	companion_add_uleb(&block, writer->item_count);
	strbuf_add(&block, writer->heads.data, writer->heads.length);
	strbuf_add(&block, writer->bodies.data, writer->bodies.length);
	companion_add_uleb(&writer->directory, writer->first_key - writer->last_first_key);
	companion_add_uleb(&writer->directory, pack(&writer->blocks, &block));
	companion_add_uleb(&writer->directory, block.length);
	strbuf_deinit(&block);
	strbuf_reset(&writer->heads);
	strbuf_reset(&writer->bodies);
	writer->last_first_key = writer->first_key;
	writer->item_count = 0;
	writer->block_count++;
}

void companion_writer_end_item(struct companion_writer *writer, uint64_t key)
{
	if (!writer->item_count)
		writer->first_key = writer->last_key = key;
	companion_add_uleb(&writer->heads, key - writer->last_key);
	companion_add_uleb(&writer->heads, writer->item.length);
	strbuf_add(&writer->bodies, writer->item.data, writer->item.length);
	strbuf_reset(&writer->item);
	writer->last_key = key;
	writer->item_count++;
	if (writer->bodies.length >= BLOCK_SIZE)
		end_block(writer);
}

static void add_u32(struct strbuf *buffer, size_t value)
{
	uint8_t bytes[4];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	strbuf_add(buffer, bytes, sizeof(bytes));
}

void companion_writer_finish(struct companion_writer *writer, struct strbuf *section)
{
	struct strbuf directory = STRBUF_INIT;

	end_block(writer);
	pack(&directory, &writer->directory);
	add_u32(section, writer->block_count);
	add_u32(section, directory.length);
	add_u32(section, writer->directory.length);
	strbuf_add(section, directory.data, directory.length);
	strbuf_add(section, writer->blocks.data, writer->blocks.length);
	strbuf_deinit(&directory);
	strbuf_deinit(&writer->item);
	strbuf_deinit(&writer->heads);
	strbuf_deinit(&writer->bodies);
	strbuf_deinit(&writer->directory);
	strbuf_deinit(&writer->blocks);
}

/* ---- reading ---- */

static struct error *section_damaged(const char *what)
{
	return error_create(ERROR_FORMAT, "a section of the companion is damaged: %s", what);
}

/* Unpacks one frame of exactly `size` bytes; NULL: it is none. The caller frees the result. */
static uint8_t *unpack_frame(const uint8_t *packed, size_t packed_size, size_t size)
{
	uint8_t *bytes = xmalloc(size ? size : 1);

	if (ZSTD_decompress(bytes, size, packed, packed_size) == size)
		return bytes;
	free(bytes);
	return NULL;
}

static struct error *read_directory(struct companion_section *section, struct cursor directory,
				    size_t left, uint64_t *budget)
{
	uint64_t key = 0, offset = 0;

	for (size_t i = 0; i < section->block_count; i++) {
		struct companion_directory_entry *entry = &section->blocks[i];
		uint64_t step = cursor_uleb(&directory), packed_size = cursor_uleb(&directory),
			 size = cursor_uleb(&directory);

		if (directory.failed || packed_size > left - offset || size > *budget ||
		    size > UINT32_MAX || (i && !step) || step > UINT64_MAX - key)
			return section_damaged("its directory does not fit it");
		*budget -= size;
		key += step;
		*entry = (struct companion_directory_entry){
			.key = key, .offset = offset, .packed_size = packed_size, .size = size
		};
		offset += packed_size;
	}
	return cursor_left(&directory) || offset != left ? section_damaged("it has further bytes")
							 : NULL;
}

struct error *companion_section_open(struct companion_section *section, const void *bytes,
				     size_t size, uint64_t *budget)
{
	struct cursor header = cursor_of(bytes, size, false);
	uint32_t count = cursor_u32(&header), packed_size = cursor_u32(&header),
		 directory_size = cursor_u32(&header);
	const uint8_t *packed = cursor_bytes(&header, packed_size);

	if (!packed || directory_size > *budget || count > directory_size)
		return section_damaged("it ends within its directory");
	_cleanup_free_ uint8_t *directory = unpack_frame(packed, packed_size, directory_size);

	if (!directory)
		return section_damaged("its directory cannot be unpacked");
	*budget -= directory_size;
	section->bytes = packed + packed_size;
	section->block_count = count;
	section->blocks = xcalloc(count ? count : 1, sizeof(*section->blocks));
	pthread_mutex_init(&section->lock, NULL);
	section->open = true;
	return read_directory(section, cursor_of(directory, directory_size, false),
			      cursor_left(&header), budget);
}

static void block_deinit(struct companion_block *block)
{
	free(block->bytes);
	free(block->keys);
	free(block->starts);
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
	pthread_mutex_destroy(&section->lock);
	*section = (struct companion_section){ 0 };
}

/* Reads the heads of a block's items. A damaged block loses the items from the damage on. */
static void read_heads(struct companion_block *block, size_t size)
{
	struct cursor heads = cursor_of(block->bytes, size, false);
	uint64_t count = cursor_uleb(&heads), key = block->first_key;
	size_t start = 0, bodies;
	bool consecutive = true;

	if (count > cursor_left(&heads) / 2)
		count = 0;
	block->keys = xcalloc(count ? count : 1, sizeof(*block->keys));
	block->starts = xcalloc(count + 1, sizeof(*block->starts));
	for (size_t i = 0; i < count; i++) {
		uint64_t step = cursor_uleb(&heads), length = cursor_uleb(&heads);

		if (heads.failed || step > UINT64_MAX - key || length > size - start) {
			count = i;
			break;
		}
		block->keys[i] = key += step;
		block->starts[i] = (uint32_t)start;
		consecutive &= key - block->first_key == i;
		start += length;
	}
	block->starts[count] = (uint32_t)start;
	bodies = heads.position;
	while (count && block->starts[count] > size - bodies)
		count--;
	block->count = count;
	for (size_t i = 0; i <= count; i++)
		block->starts[i] += (uint32_t)bodies;
	if (consecutive) {
		free(block->keys);
		block->keys = NULL;
	}
}

static void unpack_block(const struct companion_section *section, size_t number,
			 struct companion_block *block)
{
	const struct companion_directory_entry *entry = &section->blocks[number];

	*block = (struct companion_block){ .first_key = entry->key };
	block->bytes =
		unpack_frame(section->bytes + entry->offset, entry->packed_size, entry->size);
	read_heads(block, block->bytes ? entry->size : 0);
}

/* Returns a block, unpacked; it has no items if it is damaged. */
static const struct companion_block *block_at(struct companion_section *section, size_t number)
{
	struct companion_directory_entry *entry = &section->blocks[number];
	struct companion_block *block = __atomic_load_n(&entry->block, __ATOMIC_ACQUIRE);

	if (block)
		return block;
	pthread_mutex_lock(&section->lock);
	block = entry->block;
	if (!block) {
		block = xcalloc(1, sizeof(*block));
		unpack_block(section, number, block);
		__atomic_store_n(&entry->block, block, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&section->lock);
	return block;
}

static uint64_t key_of(const struct companion_block *block, size_t item)
{
	return block->keys ? block->keys[item] : block->first_key + item;
}

static struct cursor item_of_block(const struct companion_block *block, size_t item)
{
	return cursor_of(block->bytes + block->starts[item],
			 block->starts[item + 1] - block->starts[item], false);
}

/* Finds the item of a block with the greatest key that is not greater than `key`. */
static bool find_in_block(const struct companion_block *block, uint64_t key, uint64_t *found,
			  struct cursor *item)
{
	size_t place = partition_point(0, block->count, i, key_of(block, i) <= key);

	if (!place)
		return false;
	*found = key_of(block, place - 1);
	*item = item_of_block(block, place - 1);
	return true;
}

/* Returns the number, from 1 on, of the block that may have the item; 0: none. */
static size_t number_for(const struct companion_section *section, uint64_t key)
{
	return partition_point(0, section->block_count, i, section->blocks[i].key <= key);
}

bool companion_section_item(struct companion_section *section, uint64_t key, uint64_t *found,
			    struct cursor *item)
{
	size_t number = number_for(section, key);

	return number && find_in_block(block_at(section, number - 1), key, found, item);
}

bool companion_window_item(struct companion_window *window, struct companion_section *section,
			   uint64_t key, uint64_t *found, struct cursor *item)
{
	size_t number = number_for(section, key);

	if (!number)
		return false;
	if (window->number != number) {
		companion_window_close(window);
		unpack_block(section, number - 1, &window->block);
		window->number = number;
	}
	return find_in_block(&window->block, key, found, item);
}

void companion_window_close(struct companion_window *window)
{
	block_deinit(&window->block);
	*window = (struct companion_window){ 0 };
}

bool companion_section_item_of(struct companion_section *section, uint64_t key, struct cursor *item)
{
	uint64_t found;

	return companion_section_item(section, key, &found, item) && found == key;
}

void companion_section_each(struct companion_section *section,
			    bool (*visit)(void *data, uint64_t key, struct cursor *item),
			    void *data)
{
	for (size_t i = 0; i < section->block_count; i++) {
		const struct companion_block *block = block_at(section, i);

		for (size_t k = 0; k < block->count; k++) {
			struct cursor item = item_of_block(block, k);

			if (!visit(data, key_of(block, k), &item))
				return;
		}
	}
}
