// SPDX-License-Identifier: GPL-2.0-or-later
/* The map of an address at a moment, compared with a plain search through all maps. */
#include "tests/support/unit.h"

#include <stdlib.h>

#include "base/memory.h"
#include "profiler/ingest/timeline.h"

#define MAPS   200
#define SPACES 12

struct world {
	struct map maps[MAPS];
	uint32_t map_space[MAPS]; /* the space that the map belongs to */
	size_t map_count;
	struct address_space spaces[SPACES];
	size_t space_count;
};

static uint32_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % limit;
}

static void add_map(struct world *world, uint32_t space, uint64_t start, uint64_t last,
		    uint64_t time)
{
	struct address_space *into = &world->spaces[space];
	uint32_t index = (uint32_t)world->map_count++;

	world->maps[index] = (struct map){ .since = { time, index }, .start = start, .last = last };
	world->map_space[index] = space;
	array_reserve(into->maps, into->map_count, into->map_capacity);
	into->maps[into->map_count++] = index;
}

static uint32_t add_space(struct world *world, uint32_t parent, uint64_t limit)
{
	world->spaces[world->space_count] =
		(struct address_space){ .parent = parent, .limit = { limit, 0 } };
	return (uint32_t)world->space_count++;
}

static void index_all(struct world *world)
{
	for (size_t i = 0; i < world->space_count; i++)
		address_space_index(&world->spaces[i], world->maps);
}

static void release_all(struct world *world)
{
	for (size_t i = 0; i < world->space_count; i++)
		address_space_deinit(&world->spaces[i]);
}

/* Returns the newest of the space's own maps, else the one that its parent had at the time of the
 * fork. */
static uint32_t find_plainly(const struct world *world, uint32_t space, uint64_t address,
			     struct moment moment)
{
	while (space != SPACE_NONE) {
		for (size_t i = world->map_count; i-- > 0;)
			if (world->map_space[i] == space && address >= world->maps[i].start &&
			    address <= world->maps[i].last &&
			    !moment_before(moment, world->maps[i].since))
				return (uint32_t)i;
		if (moment_before(world->spaces[space].limit, moment))
			moment = world->spaces[space].limit;
		space = world->spaces[space].parent;
	}
	return MAP_NONE;
}

static uint32_t find(const struct world *world, uint32_t space, uint64_t address, uint64_t time,
		     struct map_view *view)
{
	address_space_find(world->spaces, space, world->maps, address,
			   (struct moment){ time, UINT64_MAX }, view);
	return view->map;
}

static void the_newest_map_wins_from_its_time_on(void **state)
{
	struct world world = { 0 };
	struct map_view view;
	uint32_t space = add_space(&world, SPACE_NONE, UINT64_MAX);

	(void)state;
	add_map(&world, space, 0x1000, 0x4fff, 10);
	add_map(&world, space, 0x2000, 0x2fff, 20);
	index_all(&world);
	assert_int_equal(find(&world, space, 0x2800, 9, &view), MAP_NONE);
	assert_int_equal(find(&world, space, 0x2800, 10, &view), 0);
	assert_int_equal(view.since.time, 10);
	assert_int_equal(view.until.time, 20);
	assert_int_equal(find(&world, space, 0x2800, 20, &view), 1);
	assert_int_equal(view.first, 0x2000);
	assert_int_equal(view.last, 0x2fff);
	assert_int_equal(find(&world, space, 0x3000, 20, &view), 0);
	assert_int_equal(find(&world, space, 0x5000, 20, &view), MAP_NONE);
	assert_int_equal(find(&world, space, 0xfff, 20, &view), MAP_NONE);
	assert_int_equal(view.last, 0xfff);
	release_all(&world);
}

static void a_fork_shares_what_was_there(void **state)
{
	struct world world = { 0 };
	struct map_view view;
	uint32_t parent = add_space(&world, SPACE_NONE, UINT64_MAX);
	uint32_t child = add_space(&world, parent, 15);

	(void)state;
	add_map(&world, parent, 0x1000, 0x1fff, 10);
	/* added after the fork: only the parent has it */
	add_map(&world, parent, 0x1000, 0x1fff, 20);
	add_map(&world, child, 0x3000, 0x3fff, 30);
	index_all(&world);
	assert_int_equal(find(&world, parent, 0x1000, 40, &view), 1);
	assert_int_equal(find(&world, child, 0x1000, 40, &view), 0);
	assert_int_equal(find(&world, child, 0x3000, 29, &view), MAP_NONE);
	assert_int_equal(find(&world, child, 0x3000, 30, &view), 2);
	assert_int_equal(find(&world, parent, 0x3000, 30, &view), MAP_NONE);
	release_all(&world);
}

static void maps_to_the_end_of_addresses(void **state)
{
	struct world world = { 0 };
	struct map_view view;
	uint32_t space = add_space(&world, SPACE_NONE, UINT64_MAX);

	(void)state;
	add_map(&world, space, 0, UINT64_MAX, 1);
	add_map(&world, space, UINT64_MAX, UINT64_MAX, 2);
	index_all(&world);
	assert_int_equal(find(&world, space, 0, 5, &view), 0);
	assert_int_equal(find(&world, space, UINT64_MAX - 1, 5, &view), 0);
	assert_int_equal(find(&world, space, UINT64_MAX, 5, &view), 1);
	release_all(&world);
}

static void make_random_world(struct world *world)
{
	size_t spaces = 1 + random_below(SPACES - 1);
	size_t maps = random_below(MAPS);
	uint64_t time = 0;

	for (size_t i = 0; i < spaces; i++)
		add_space(world, i && random_below(3) ? random_below((uint32_t)i) : SPACE_NONE,
			  random_below(60));
	for (size_t i = 0; i < maps; i++) {
		uint64_t start = random_below(64);

		time += random_below(2);
		add_map(world, random_below((uint32_t)spaces), start, start + random_below(24),
			time);
	}
	index_all(world);
}

/* Checks that an answer is right for all addresses and times for which it claims to be valid. */
static void check_view(const struct world *world, uint32_t space, const struct map_view *view,
		       struct moment asked)
{
	uint64_t last = view->last < 100 ? view->last : 100;

	assert_false(moment_before(asked, view->since));
	assert_true(moment_before(asked, view->until));
	for (uint64_t address = view->first; address <= last; address++)
		assert_int_equal(find_plainly(world, space, address, asked), view->map);
	for (uint64_t time = view->since.time + 1; time < view->until.time && time < 120; time++)
		assert_int_equal(
			find_plainly(world, space, view->first, (struct moment){ time, 0 }),
			view->map);
}

static void random_worlds(void **state)
{
	(void)state;
	random_state = 1;
	for (int round = 0; round < 150; round++) {
		struct world world = { 0 };

		make_random_world(&world);
		for (int question = 0; question < 300; question++) {
			uint32_t space = random_below((uint32_t)world.space_count);
			struct moment moment = { random_below(110), random_below(MAPS) };
			uint64_t address = random_below(96);
			struct map_view view;

			address_space_find(world.spaces, space, world.maps, address, moment, &view);
			assert_int_equal(view.map, find_plainly(&world, space, address, moment));
			check_view(&world, space, &view, moment);
		}
		release_all(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_map_wins_from_its_time_on),
		cmocka_unit_test(a_fork_shares_what_was_there),
		cmocka_unit_test(maps_to_the_end_of_addresses),
		cmocka_unit_test(random_worlds),
	};

	return cmocka_run_group_tests_name("address space", tests, NULL, NULL);
}
