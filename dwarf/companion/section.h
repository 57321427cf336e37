/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sections of a companion: items by key, in blocks that are packed one by one
 * (Documentation/companion.md).
 *
 * A section is written from its first item to its last. It is read item by item: a block is
 * unpacked when the first of its items is asked for, and stays unpacked. Readers may be threads.
 */
#pragma once

#include <pthread.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "dwarf/elf/image.h"

/* ---- numbers ---- */

/* Append numbers as cursor_uleb() and cursor_sleb() read them. */
void companion_add_uleb(struct strbuf *buffer, uint64_t value);
void companion_add_sleb(struct strbuf *buffer, int64_t value);

/* ---- writing ---- */

/* The most lanes of an item: parts that are like the same parts of other items. A block has all
 * items' first lanes, then all second ones, each packed by itself, which is a fifth smaller. */
#define COMPANION_LANES 5

/* A part of a block: the heads of its items, or a lane. */
struct companion_written {
	struct strbuf bytes; /* they are replaced when they are packed */
	size_t size;         /* before that */
	int level;           /* zstd's, with which they are packed */
};

/* A zero-initialized writer, whose lanes are empty, is ready for the first item. */
struct companion_writer {
	struct strbuf lanes[COMPANION_LANES]; /* the caller appends those of the next item */
	size_t ends[COMPANION_LANES];         /* of the last complete item of the block */
	struct strbuf steps;                  /* of the block: distances of keys */
	struct strbuf sizes[COMPANION_LANES]; /* of the block: sizes of the items in each lane */
	struct companion_written *written;    /* of all blocks that are complete */
	uint64_t *first_keys;                 /* of these blocks */
	size_t written_count, written_capacity, key_capacity;
	size_t lane_count;
	uint64_t first_key; /* of the block */
	uint64_t last_key;  /* of the last item */
	uint64_t run_end;   /* of the last run of code; 0: there was none */
	size_t item_count;  /* in the block */
	size_t block_size;
	size_t block_count;
	int level;
};

/* A block is packed, by this level of zstd, when its items have `block_size` bytes. Larger ones are
 * packed better, and take longer to unpack where only one item is wanted. */
void companion_writer_init(struct companion_writer *writer, size_t lane_count, size_t block_size,
			   int level);
void companion_writer_deinit(struct companion_writer *writer);
/* Begins the item of a run of code, whose key is `low`. The run ends at the key of the next item:
 * an item without bytes is added for this, unless another run follows at once. */
void companion_writer_begin_run(struct companion_writer *writer, uint64_t low, uint64_t high);
/* Ends the item that was appended to the lanes. Keys ascend. */
void companion_writer_end_item(struct companion_writer *writer, uint64_t key);
/* Packs the blocks of all writers, which get no more items. */
void companion_writers_pack(struct companion_writer *writers, size_t count, unsigned int threads);
/* Appends the section of a writer that was packed to `section`. */
void companion_writer_finish(const struct companion_writer *writer, struct strbuf *section);

/* ---- reading ---- */

/* A block that was unpacked. */
struct companion_block {
	uint8_t *bytes;
	size_t count;
	uint64_t first_key;
	uint64_t *keys; /* NULL: they are consecutive */
	uint32_t
		*starts; /* in `bytes`, of each lane of each item, and of one more item: the ends */
};

/* The frames of a block: the heads of its items, and the lanes. */
struct companion_frame {
	uint32_t packed_size, size;
};

struct companion_directory_entry {
	uint64_t key; /* of the block's first item */
	size_t offset;
	struct companion_frame frames[1 + COMPANION_LANES];
	struct companion_block *block; /* atomic; NULL: it was not unpacked yet */
};

/* Unpacks the blocks of all sections, one by one. */
struct companion_unpacker {
	pthread_mutex_t lock;
	struct ZSTD_DCtx_s *context; /* NULL: nothing was unpacked yet */
};

void companion_unpacker_deinit(struct companion_unpacker *unpacker);

/* A zero-initialized section has no items. */
struct companion_section {
	const struct elf_image *file;
	struct companion_unpacker *unpacker;
	const uint8_t *bytes; /* of the packed blocks */
	struct companion_directory_entry *blocks;
	size_t block_count, lane_count;
	bool open;
};

/* Opens a section whose bytes are those of `file`, and taken from `budget` when unpacked. */
struct error *companion_section_open(struct companion_section *section, size_t lane_count,
				     const struct elf_image *file,
				     struct companion_unpacker *unpacker, const void *bytes,
				     size_t size, uint64_t *budget);
void companion_section_close(struct companion_section *section);

/* The key of an item, and that of the next one; UINT64_MAX: there is none. */
struct companion_span {
	uint64_t low, high;
};

/* Finds the item with the greatest key that is not greater than `key`, and sets *found to its span.
 * lanes[], of as many as the section has, begin and end with its lanes. False: there is none. */
bool companion_section_item(struct companion_section *section, uint64_t key,
			    struct companion_span *found, struct cursor *lanes);
/* One block of a section, for a reader that goes over it mostly in the order of keys: the section
 * keeps none for it. A zero-initialized one has none. */
struct companion_window {
	struct companion_block block;
	struct ZSTD_DCtx_s *context;
	size_t number; /* of the block, from 1 on; 0: none */
};

/* The same as companion_section_item(); the item is valid until the next call. */
bool companion_window_item(struct companion_window *window, struct companion_section *section,
			   uint64_t key, struct companion_span *found, struct cursor *lanes);
void companion_window_close(struct companion_window *window);
/* Finds the item with exactly this key. */
bool companion_section_item_of(struct companion_section *section, uint64_t key,
			       struct cursor *lanes);
/* Calls `visit` for each item, in order, until it returns false. */
void companion_section_each(struct companion_section *section,
			    bool (*visit)(void *data, uint64_t key, struct cursor *lanes),
			    void *data);
