// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements changes.h. */
#include "profiler/store/changes.h"

#include <math.h>

#include "base/hash.h"
#include "base/memory.h"

/* The samples of a field on one host, of each build. */
struct host_share {
	uint32_t field, host;
	uint64_t samples[2];
};

struct host_total {
	uint64_t samples[2];
};

struct build_changes {
	struct string_pool pool; /* of names */
	struct hash_map hosts, fields, shares;
	struct host_total *totals; /* by the number of the host */
	size_t host_count, host_capacity;
	struct field_change *fields_met;
	size_t field_count, field_capacity;
	struct host_share *items;
	size_t count, capacity;
	uint64_t total[2];
};

struct build_changes *build_changes_create(void)
{
	return xcalloc(1, sizeof(struct build_changes));
}

void build_changes_destroy(struct build_changes *changes)
{
	if (!changes)
		return;
	string_pool_deinit(&changes->pool);
	hash_map_deinit(&changes->hosts);
	hash_map_deinit(&changes->fields);
	hash_map_deinit(&changes->shares);
	free_all(changes->totals, changes->fields_met, changes->items, changes);
}

static struct host_total *change_host(struct build_changes *changes, const char *name)
{
	const char *interned = string_pool_intern(&changes->pool, name);

	return hash_map_item(&changes->hosts, (uintptr_t)interned, changes->totals,
			     changes->host_count, changes->host_capacity, NULL);
}

void build_changes_add_host(struct build_changes *changes, int side, const char *host,
			    uint64_t samples)
{
	change_host(changes, host)->samples[side] += samples;
	changes->total[side] += samples;
}

void build_changes_add(struct build_changes *changes, int side, const char *field, const char *host,
		       uint64_t samples)
{
	const char *name = string_pool_intern(&changes->pool, field);
	struct field_change *change =
		hash_map_item(&changes->fields, (uintptr_t)name, changes->fields_met,
			      changes->field_count, changes->field_capacity, NULL);
	uint32_t number = (uint32_t)(change_host(changes, host) - changes->totals),
		 place = (uint32_t)(change - changes->fields_met);
	struct host_share *share =
		hash_map_item(&changes->shares, (uint64_t)place << 32 | number, changes->items,
			      changes->count, changes->capacity, NULL);

	change->name = name;
	change->samples[side] += samples;
	share->field = place;
	share->host = number;
	share->samples[side] += samples;
}

size_t build_changes_hosts(const struct build_changes *changes, int side)
{
	return sum_over(size_t, h, 0, changes->host_count, changes->totals[h].samples[side] != 0);
}

/* Returns the part of a build's samples that a host has. */
static double host_part(const struct build_changes *changes, size_t host, int side)
{
	return changes->total[side]
		       ? (double)changes->totals[host].samples[side] / (double)changes->total[side]
		       : 0;
}

/* Sums over hosts that the errors of all fields need. */
struct host_sums {
	double squares[2], product; /* of the parts of both builds */
	double hosts[2];
	bool paired; /* all hosts ran both builds */
};

static struct host_sums sum_hosts(const struct build_changes *changes)
{
	struct host_sums sums = { .paired = true };

	for (size_t h = 0; h < changes->host_count; h++) {
		double a = host_part(changes, h, 0), b = host_part(changes, h, 1);

		sums.squares[0] += a * a;
		sums.squares[1] += b * b;
		sums.product += a * b;
		sums.paired &= (a > 0) == (b > 0);
	}
	for (int side = 0; side < 2; side++)
		sums.hosts[side] = (double)build_changes_hosts(changes, side);
	return sums;
}

/* Adds what the hosts with samples of a field deviate by from its share of all samples: squares,
 * and the products of both builds. A host without samples of it, which is none of them, has the
 * square of its part times the share; that of the hosts here is taken back. */
static void add_deviations(const struct build_changes *changes, double (*sums)[3])
{
	array_each (const struct host_share, item, changes->items, changes->count) {
		const struct field_change *change = &changes->fields_met[item->field];
		double off[2], none[2];

		for (int side = 0; side < 2; side++) {
			none[side] = -change->share[side] * host_part(changes, item->host, side);
			off[side] = none[side] + (changes->total[side]
							  ? (double)item->samples[side] /
								    (double)changes->total[side]
							  : 0);
		}
		sums[item->field][0] += off[0] * off[0] - none[0] * none[0];
		sums[item->field][1] += off[1] * off[1] - none[1] * none[1];
		sums[item->field][2] += off[0] * off[1] - none[0] * none[1];
	}
}

/* Returns the probability that Student's t is as far from 0, to either side: Wallace's formula,
 * which errs towards larger ones (by less than twice from 2 degrees on). */
static double probability_of(double t, double degrees)
{
	double normal =
		(8 * degrees + 1) / (8 * degrees + 3) * sqrt(degrees * log1p(t * t / degrees));

	return erfc(normal / sqrt(2));
}

/* Sets the error and the probability of a field's change. */
static void judge_field(const struct build_changes *changes, const struct host_sums *sums,
			const double *deviations, struct field_change *change)
{
	double all = (double)changes->total[0] + (double)changes->total[1],
	       pooled = (double)(change->samples[0] + change->samples[1]) / all, between = 0,
	       degrees = INFINITY;
	double drawn = pooled * (1 - pooled) *
		       (1 / (double)changes->total[0] + 1 / (double)changes->total[1]);

	for (int side = 0; side < 2; side++) {
		double share = change->share[side];

		if (sums->hosts[side] < 2)
			continue;
		between += (deviations[side] + sums->squares[side] * share * share) *
			   sums->hosts[side] / (sums->hosts[side] - 1);
		/* hosts with few samples add little */
		degrees = fmin(degrees, 1 / sums->squares[side] - 1);
	}
	if (sums->paired && sums->hosts[0] > 1)
		between -= 2 *
			   (deviations[2] + sums->product * change->share[0] * change->share[1]) *
			   sums->hosts[0] / (sums->hosts[0] - 1);
	change->error = sqrt(fmax(between, drawn));

	double t = (change->share[1] - change->share[0]) / change->error;

	change->probability = degrees < INFINITY ? probability_of(t, fmax(degrees, 0.1))
						 : erfc(fabs(t) / sqrt(2));
}

COMPARISON(compare_probabilities, struct field_change, ASCENDING(probability); BY_TEXT(name))

COMPARISON(compare_changes, struct field_change,
	   COMPARE(fabs(b->share[1] - b->share[0]), fabs(a->share[1] - a->share[0]));
	   BY_TEXT(name))

const struct field_change *build_changes_find(struct build_changes *changes, double level,
					      size_t *count)
{
	struct host_sums sums = sum_hosts(changes);
	double(*deviations)[3] = xcalloc(changes->field_count + 1, sizeof(*deviations));
	double all = (double)changes->total[0] + (double)changes->total[1];
	size_t kept = 0;

	for (size_t f = 0; f < changes->field_count; f++)
		for (int side = 0; side < 2; side++)
			changes->fields_met[f].share[side] =
				changes->total[side]
					? (double)changes->fields_met[f].samples[side] /
						  (double)changes->total[side]
					: 0;
	add_deviations(changes, deviations);
	array_indexed (struct field_change, change, f, changes->fields_met, changes->field_count) {
		if ((double)(change->samples[0] + change->samples[1]) < CHANGES_SHARE * all)
			continue;
		judge_field(changes, &sums, deviations[f], change);
		changes->fields_met[kept++] = *change;
	}
	free(deviations);
	array_sort(changes->fields_met, kept, compare_probabilities);
	for (size_t f = 0;
	     f < kept && changes->fields_met[f].probability * (double)(kept - f) <= level; f++)
		changes->fields_met[f].sure = true;
	array_sort(changes->fields_met, kept, compare_changes);
	*count = kept;
	return changes->fields_met;
}
