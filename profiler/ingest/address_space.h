/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which map an address was in at a moment.
 *
 * perf records no unmaps: a map holds until a newer one covers it. So the map of an address at a moment is
 * the newest of those that cover it and are not younger than the moment. An address space keeps its maps in a
 * segment tree over the addresses where maps begin and end; each node lists, by age, the maps that cover all
 * of it. A lookup climbs from a leaf to the root: O(log n) nodes, a binary search in each, whatever the maps.
 *
 * A forked process shares its parent's maps as they were at the fork: its own maps come first, then the
 * parent's. Such chains are at most ADDRESS_SPACE_DEPTH long.
 */
#ifndef DTPROF_INGEST_ADDRESS_SPACE_H
#define DTPROF_INGEST_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADDRESS_SPACE_DEPTH 64

/* When something holds: the record's time, and for equal times its place in the file. */
struct moment {
	uint64_t time;
	uint64_t position;
};

#define MOMENT_FIRST ((struct moment){ 0, 0 })
#define MOMENT_NEVER ((struct moment){ UINT64_MAX, UINT64_MAX })

static inline bool moment_before(struct moment a, struct moment b)
{
	return a.time != b.time ? a.time < b.time : a.position < b.position;
}

struct map {
	struct moment since;
	uint64_t start;
	uint64_t last;        /* inclusive */
	uint64_t file_offset; /* of start */
	uint64_t inode;       /* of the file; 0: not recorded */
	uint32_t protection;  /* PROT_READ ..., as far as recorded */
	uint32_t flags;       /* MAP_SHARED ... */
	struct dso *dso;      /* NULL: what was here is gone (a BPF program that was unloaded) */
};

#define MAP_NONE   UINT32_MAX
#define SPACE_NONE UINT32_MAX

struct address_space {
	uint32_t parent; /* SPACE_NONE: none */
	uint32_t depth;
	struct moment limit; /* the parent's maps up to then */
	uint32_t *maps;      /* indices in the array of all maps, oldest first */
	uint32_t map_count;
	uint32_t map_capacity;
	/* the tree, after address_space_index() */
	uint64_t *edges; /* sorted: interval i is [edges[i], edges[i + 1]) */
	uint32_t edge_count;
	uint32_t leaves; /* a power of two; node 1 is the root, leaf i is node leaves + i */
	size_t *lists;   /* node n's maps are entries[lists[n] .. lists[n + 1]) */
	uint32_t *entries;
};

/* What an answer is good for: these addresses, from `since` until before `until`. */
struct map_view {
	uint32_t map; /* MAP_NONE: none */
	uint64_t first;
	uint64_t last; /* inclusive */
	struct moment since;
	struct moment until;
};

/* `maps` is the array of all maps. Call once, when all are there. */
void address_space_index(struct address_space *space, const struct map *maps);
/* `spaces` is the array of all spaces, indexed; thread-safe. */
void address_space_find(const struct address_space *spaces, uint32_t space, const struct map *maps,
			uint64_t address, struct moment moment, struct map_view *view);
void address_space_deinit(struct address_space *space);

#endif
