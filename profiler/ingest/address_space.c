// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements address_space.h. */
#include "profiler/ingest/address_space.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/search.h"

static int compare_edges(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* Lists the addresses where maps begin and end. */
static void address_space_edges(struct address_space *space, const struct map *maps)
{
	uint32_t count = 0;

	space->edges = xrealloc_array(NULL, 2 * (size_t)space->map_count, sizeof(*space->edges));
	for (uint32_t i = 0; i < space->map_count; i++) {
		const struct map *map = &maps[space->maps[i]];

		space->edges[count++] = map->start;
		if (map->last != UINT64_MAX)
			space->edges[count++] = map->last + 1;
	}
	qsort(space->edges, count, sizeof(*space->edges), compare_edges);
	for (uint32_t i = 0; i < count; i++)
		if (i == 0 || space->edges[i] != space->edges[i - 1])
			space->edges[space->edge_count++] = space->edges[i];
}

/* Returns the index of the last edge that is not above `address`, or edge_count. */
static uint32_t address_space_interval(const struct address_space *space, uint64_t address)
{
	uint32_t after =
		(uint32_t)partition_point(0, space->edge_count, i, space->edges[i] <= address);

	return after ? after - 1 : space->edge_count;
}

/* Adds a map to the nodes that make up its addresses. While `entries` is NULL it only counts. */
static void address_space_enter(struct address_space *space, const struct map *map, uint32_t index,
				uint32_t *used)
{
	uint32_t low = space->leaves + address_space_interval(space, map->start);
	uint32_t high = space->leaves + address_space_interval(space, map->last) + 1;

	for (; low < high; low /= 2, high /= 2) {
		uint32_t nodes[2];
		unsigned int count = 0;

		if (low & 1)
			nodes[count++] = low++;
		if (high & 1)
			nodes[count++] = --high;
		for (unsigned int i = 0; i < count; i++) {
			if (space->entries)
				space->entries[space->lists[nodes[i]] + used[nodes[i]]] = index;
			used[nodes[i]]++;
		}
	}
}

void address_space_index(struct address_space *space, const struct map *maps)
{
	if (!space->map_count)
		return;
	address_space_edges(space, maps);
	space->leaves = 1;
	while (space->leaves < space->edge_count)
		space->leaves *= 2;
	size_t nodes = 2 * (size_t)space->leaves;
	_cleanup_free_ uint32_t *used = xcalloc(nodes, sizeof(*used));

	for (uint32_t i = 0; i < space->map_count; i++)
		address_space_enter(space, &maps[space->maps[i]], space->maps[i], used);
	space->lists = xcalloc(nodes + 1, sizeof(*space->lists));
	for (size_t i = 0; i < nodes; i++)
		space->lists[i + 1] = space->lists[i] + used[i];
	space->entries = xcalloc(space->lists[nodes], sizeof(*space->entries));
	memset(used, 0, nodes * sizeof(*used));
	for (uint32_t i = 0; i < space->map_count; i++)
		address_space_enter(space, &maps[space->maps[i]], space->maps[i], used);
}

/* The newest map of a space at an interval and a moment, and when the next one comes. */
struct interval_state {
	uint32_t map; /* MAP_NONE: none */
	struct moment until;
};

/* Takes the maps of one node into account: the newest at the moment, and the next one. */
static void address_space_visit(const struct address_space *space, const struct map *maps,
				uint32_t node, struct moment moment, struct interval_state *state)
{
	size_t first = space->lists[node];
	size_t end = space->lists[node + 1];
	size_t after = partition_point(first, end, i,
				       !moment_before(moment, maps[space->entries[i]].since));

	if (after < end && moment_before(maps[space->entries[after]].since, state->until))
		state->until = maps[space->entries[after]].since;
	/* Newer maps have higher numbers. */
	if (after > first && (state->map == MAP_NONE || space->entries[after - 1] > state->map))
		state->map = space->entries[after - 1];
}

/*
 * Finds the interval of `address`, and narrows the view to it. Returns false if the address is
 * below all maps.
 */
static bool address_space_narrow(const struct address_space *space, uint64_t address,
				 uint32_t *interval, struct map_view *view)
{
	uint64_t next = 0; /* first edge above the address; 0: none */

	if (!space->edge_count)
		return false;
	*interval = address_space_interval(space, address);
	bool inside = *interval != space->edge_count;

	if (!inside)
		next = space->edges[0];
	else if (*interval + 1 < space->edge_count)
		next = space->edges[*interval + 1];
	if (inside && space->edges[*interval] > view->first)
		view->first = space->edges[*interval];
	if (next && next - 1 < view->last)
		view->last = next - 1;
	return inside;
}

void address_space_find(const struct address_space *spaces, uint32_t space, const struct map *maps,
			uint64_t address, struct moment moment, struct map_view *view)
{
	/*
	 * The limit of a space has passed: nothing that its parent does later changes the answer.
	 */
	bool frozen = false;

	*view = (struct map_view){
		.map = MAP_NONE, .last = UINT64_MAX, .since = MOMENT_FIRST, .until = MOMENT_NEVER
	};
	while (space != SPACE_NONE && view->map == MAP_NONE) {
		const struct address_space *here = &spaces[space];
		struct interval_state state = { .map = MAP_NONE, .until = MOMENT_NEVER };
		uint32_t interval;

		if (address_space_narrow(here, address, &interval, view))
			for (uint32_t node = here->leaves + interval; node; node /= 2)
				address_space_visit(here, maps, node, moment, &state);
		view->map = state.map;
		if (!frozen && moment_before(state.until, view->until))
			view->until = state.until;
		if (!frozen && state.map != MAP_NONE)
			view->since = maps[state.map].since;
		if (moment_before(here->limit, moment)) {
			moment = here->limit;
			if (!frozen && state.map == MAP_NONE)
				view->since = moment;
			frozen = true;
		}
		space = here->parent;
	}
}

void address_space_deinit(struct address_space *space)
{
	free(space->maps);
	free(space->edges);
	free(space->lists);
	free(space->entries);
}
