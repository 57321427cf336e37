/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps of a process: finds the one that an address was in at a moment.
 *
 * perf records no unmaps, so a map holds until a newer one covers it: the map of an address at a
 * moment is the newest that covers it and is not younger than the moment. An address space keeps
 * its maps in a segment tree over the addresses where maps begin and end. Each node lists, by age,
 * the maps that cover all of it. A lookup climbs from a leaf to the root: O(log n) nodes with a
 * binary search in each.
 *
 * A forked process shares the maps that its parent had at the fork: its own maps are searched
 * first, then the parent's. Such chains are at most ADDRESS_SPACE_DEPTH_MAX long.
 */
#ifndef DTPROF_INGEST_ADDRESS_SPACE_H
#define DTPROF_INGEST_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Processes that fork in turn without calling exec; a daemon does so a few times. */
#define ADDRESS_SPACE_DEPTH_MAX 64

/* The time of a record; records with equal times are ordered by position. */
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
	struct dso *dso;      /* NULL: nothing is here any more (an unloaded BPF program) */
};

#define MAP_NONE   UINT32_MAX
#define SPACE_NONE UINT32_MAX

struct address_space {
	uint32_t parent; /* SPACE_NONE: none */
	uint32_t depth;
	struct moment limit; /* younger maps of the parent do not belong to this space */
	uint32_t *maps;      /* indices in the array of all maps, oldest first */
	uint32_t map_count;
	uint32_t map_capacity;
	/* The tree, after address_space_index(): */
	uint64_t *edges; /* sorted: interval i is [edges[i], edges[i + 1]) */
	uint32_t edge_count;
	uint32_t leaves; /* a power of two; node 1 is the root, leaf i is node leaves + i */
	size_t *lists;   /* node n has entries[lists[n]] to entries[lists[n + 1] - 1] */
	uint32_t *entries;
};

/*
 * The answer for an address. It holds for the addresses from `first` to `last`, from `since` until
 * before `until`.
 */
struct map_view {
	uint32_t map; /* MAP_NONE: none */
	uint64_t first;
	uint64_t last; /* inclusive */
	struct moment since;
	struct moment until;
};

/*
 * Builds the tree. Call it once, when the space has all its maps. `maps` is the array of all maps.
 */
void address_space_index(struct address_space *space, const struct map *maps);
/*
 * Sets *view to the map of an address in spaces[space] at a moment. All spaces must have been
 * indexed. Thread-safe.
 */
void address_space_find(const struct address_space *spaces, uint32_t space, const struct map *maps,
			uint64_t address, struct moment moment, struct map_view *view);
/* Frees the arrays, but not the maps that they refer to. */
void address_space_deinit(struct address_space *space);

#endif
