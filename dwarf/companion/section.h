/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sections of a companion: items by key, in blocks that are packed one by one
 * (Documentation/companion.md).
 *
 * A section is written from its first item to its last. It is read item by item: a block is
 * unpacked when the first of its items is asked for, and stays unpacked. Readers may be threads.
 */
#ifndef DTPROF_DWARF_COMPANION_SECTION_H
#define DTPROF_DWARF_COMPANION_SECTION_H

#include <pthread.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/strbuf.h"

/* ---- numbers ---- */

/* Append numbers as cursor_uleb() and cursor_sleb() read them. */
void companion_add_uleb(struct strbuf *buffer, uint64_t value);
void companion_add_sleb(struct strbuf *buffer, int64_t value);

/* ---- writing ---- */

/* A zero-initialized writer is ready for the first item. */
struct companion_writer {
	struct strbuf item;      /* the item that is being written; the caller appends to it */
	struct strbuf heads;     /* of the block: distances of keys, and sizes of items */
	struct strbuf bodies;    /* of the block */
	struct strbuf directory; /* of all blocks that are complete */
	struct strbuf blocks;    /* these blocks, packed */
	uint64_t first_key;      /* of the block */
	uint64_t last_key;       /* of the last item */
	uint64_t last_first_key; /* of the last complete block */
	size_t item_count;       /* in the block */
	size_t block_count;
};

#define COMPANION_WRITER_INIT                                                                      \
	{                                                                                          \
		.item = STRBUF_INIT, .heads = STRBUF_INIT, .bodies = STRBUF_INIT,                  \
		.directory = STRBUF_INIT, .blocks = STRBUF_INIT                                    \
	}

/* Ends the item that writer->item has, which becomes empty. Keys ascend. */
void companion_writer_end_item(struct companion_writer *writer, uint64_t key);
/* Appends the section to `section`, and frees the writer's memory. */
void companion_writer_finish(struct companion_writer *writer, struct strbuf *section);

/* ---- reading ---- */

/* A block that was unpacked. */
struct companion_block {
	uint8_t *bytes;
	size_t count;
	uint64_t first_key;
	uint64_t *keys;   /* NULL: they are consecutive */
	uint32_t *starts; /* of the items in `bytes`; one more than there are items: the end */
};

struct companion_directory_entry {
	uint64_t key; /* of the block's first item */
	size_t offset;
	size_t packed_size;
	size_t size;
	struct companion_block *block; /* atomic; NULL: it was not unpacked yet */
};

/* A zero-initialized section has no items. */
struct companion_section {
	const uint8_t *bytes; /* of the packed blocks */
	struct companion_directory_entry *blocks;
	size_t block_count;
	pthread_mutex_t lock;
	bool open;
};

/* Opens a section of the caller's bytes, which are taken from `budget` when unpacked. */
struct error *companion_section_open(struct companion_section *section, const void *bytes,
				     size_t size, uint64_t *budget);
void companion_section_close(struct companion_section *section);

/* Finds the item with the greatest key that is not greater than `key`, and sets *found to its key.
 * The cursor is at its first byte, and ends with it. False: there is none. */
bool companion_section_item(struct companion_section *section, uint64_t key, uint64_t *found,
			    struct cursor *item);
/* One block of a section, for a reader that goes over it mostly in the order of keys: the section
 * keeps none for it. A zero-initialized one has none. */
struct companion_window {
	struct companion_block block;
	size_t number; /* of the block, from 1 on; 0: none */
};

/* The same as companion_section_item(); the item is valid until the next call. */
bool companion_window_item(struct companion_window *window, struct companion_section *section,
			   uint64_t key, uint64_t *found, struct cursor *item);
void companion_window_close(struct companion_window *window);
/* Finds the item with exactly this key. */
bool companion_section_item_of(struct companion_section *section, uint64_t key,
			       struct cursor *item);
/* Calls `visit` for each item, in order, until it returns false. */
void companion_section_each(struct companion_section *section,
			    bool (*visit)(void *data, uint64_t key, struct cursor *item),
			    void *data);

#endif
