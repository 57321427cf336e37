// SPDX-License-Identifier: GPL-2.0-or-later
/* Changes of shares between builds: fleets without a change have false alarms at most as often as
 * the level says, and a change that all hosts show is found. */
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "profiler/store/changes.h"

#define FIELDS 60
#define LEVEL  0.05

static uint64_t state;

static double uniform(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(state >> 11) + 0.5) / (double)(UINT64_C(1) << 53);
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Returns a number of samples as drawing them gives. */
static uint64_t drawn(double mean)
{
	double wanted = mean + sqrt(mean) * normal() + 0.5;

	return wanted > 0 ? (uint64_t)wanted : 0;
}

struct fleet {
	int hosts[2];
	bool same;      /* both builds run on the same hosts */
	double spread;  /* of the shares of hosts: standard deviation of their logarithms */
	double samples; /* of a host */
	double factor;  /* of field 7 in the second build */
};

/* Fills in the samples of a fleet: hosts have habits, and differ in how much they do. */
static struct build_changes *make_fleet(const struct fleet *fleet)
{
	struct build_changes *changes = build_changes_create();
	double habits[64][FIELDS];

	for (int side = 0; side < 2; side++)
		for (int host = 0; host < fleet->hosts[side]; host++) {
			double busy = fleet->samples * exp(0.5 * normal());
			uint64_t all = 0;
			char name[32], field[32];

			snprintf(name, sizeof(name), "%s%d", side && !fleet->same ? "new" : "host",
				 host);
			for (int f = 0; f < FIELDS; f++) {
				if (!side || !fleet->same)
					habits[host][f] = exp(fleet->spread * normal());
				uint64_t samples = drawn(busy * habits[host][f] / (f + 1) / 4 *
							 exp(0.05 * normal()) *
							 (side && f == 7 ? fleet->factor : 1));

				snprintf(field, sizeof(field), "struct t +%d", f);
				all += samples;
				if (samples)
					build_changes_add(changes, side, field, name, samples);
			}
			build_changes_add_host(changes, side, name, all);
		}
	return changes;
}

static const struct fleet fleets[] = {
	{ { 3, 3 }, false, 0.3, 3000, 1 },   { { 10, 10 }, false, 0.3, 3000, 1 },
	{ { 30, 5 }, false, 0.5, 3000, 1 },  { { 12, 12 }, true, 0.6, 3000, 1 },
	{ { 40, 40 }, false, 0.1, 300, 1 },  { { 20, 20 }, true, 0.0, 30000, 1 },
	{ { 60, 12 }, false, 1.0, 1000, 1 },
};

static void fleets_without_a_change_raise_few_alarms(void **unused)
{
	(void)unused;
	state = 12345;
	for (size_t i = 0; i < COUNT_OF(fleets); i++) {
		int alarms = 0, rounds = 400;

		for (int round = 0; round < rounds; round++) {
			struct build_changes *changes = make_fleet(&fleets[i]);
			size_t count, sure = 0;
			const struct field_change *found =
				build_changes_find(changes, LEVEL, &count);

			assert_true(count > 10);
			for (size_t f = 0; f < count; f++)
				sure += found[f].sure;
			alarms += sure != 0;
			build_changes_destroy(changes);
		}
		/* three standard deviations above the level */
		if (alarms > LEVEL * rounds + 3 * sqrt(LEVEL * (1 - LEVEL) * rounds))
			fail_msg("fleet %zu: %d of %d fleets without a change have one", i, alarms,
				 rounds);
	}
}

static void a_change_on_all_hosts_is_found(void **unused)
{
	static const struct fleet cases[] = {
		{ { 20, 20 }, false, 0.2, 10000, 2 },
		{ { 20, 20 }, true, 0.3, 10000, 1.5 },
		{ { 50, 50 }, false, 0.3, 3000, 1.5 },
	};

	(void)unused;
	state = 54321;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		int hits = 0;

		for (int round = 0; round < 100; round++) {
			struct build_changes *changes = make_fleet(&cases[i]);
			size_t count;
			const struct field_change *found =
				build_changes_find(changes, LEVEL, &count);

			for (size_t f = 0; f < count; f++)
				hits += found[f].sure && !strcmp(found[f].name, "struct t +7") &&
					found[f].share[1] > found[f].share[0];
			build_changes_destroy(changes);
		}
		if (hits < 80)
			fail_msg("case %zu: the change was found %d times of 100", i, hits);
	}
}

/* A field that one host of many has is no change of the build. */
static void one_odd_host_is_no_change(void **unused)
{
	struct build_changes *changes = build_changes_create();
	size_t count;

	(void)unused;
	for (int side = 0; side < 2; side++)
		for (int host = 0; host < 10; host++) {
			char name[32];

			snprintf(name, sizeof(name), "host%d.%d", side, host);
			build_changes_add_host(changes, side, name, 10000);
			build_changes_add(changes, side, "a", name, 5000 + (uint64_t)host);
			if (side && host == 3)
				build_changes_add(changes, side, "b", name, 4000);
		}
	const struct field_change *found = build_changes_find(changes, LEVEL, &count);

	assert_int_equal(count, 2);
	assert_string_equal(found[0].name, "b");
	assert_false(found[0].sure);
	assert_true(found[0].probability > 0.1);
	assert_false(found[1].sure);
	build_changes_destroy(changes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fleets_without_a_change_raise_few_alarms),
		cmocka_unit_test(a_change_on_all_hosts_is_found),
		cmocka_unit_test(one_odd_host_is_no_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
