// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fills a store as a fleet does: fleet STORE HOSTS BATCHES [ROWS [SECONDS [FIRST]]]. Each host,
 * from number FIRST (0) on, adds BATCHES of ROWS facts (300), SECONDS apart (300), at the same
 * times as the others. The facts are chosen among 4,000 fields of 600 types, of one build in eight
 * containers on all hosts, the first ones most often, as in real recordings. Prints how many
 * batches a second the store took.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/memory.h"
#include "profiler/store/store.h"

#define FIELDS    4000
#define TYPES     600
#define FUNCTIONS 1500
#define GROUPS    8
#define START     (INT64_C(20400) * 86400)

static char types[TYPES][32], fields[FIELDS][32], functions[FUNCTIONS][32];
static char groups[GROUPS][96], images[GROUPS][32];

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> 33;
}

static double elapsed(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static void make_facts(uint64_t seed, struct store_fact *facts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t a = next_random(&seed) % FIELDS, b = next_random(&seed) % FIELDS,
			 field = a * b / FIELDS, samples = 1 + next_random(&seed) % 16;

		facts[i] = (struct store_fact){
			.event = "cycles",
			.object = "/usr/bin/server",
			.build = "83f6ed1a0c2e44d5",
			.type = types[field % TYPES],
			.field = fields[field],
			.offset = (int64_t)(field / TYPES) * 8,
			.function = functions[(field * 7 + a % 3) % FUNCTIONS],
			.samples = samples,
			.period = samples * 4000000,
			.loads = samples * 3 / 4,
			.stores = samples / 4,
			.cgroup = groups[field % GROUPS],
			.image = images[field % GROUPS],
		};
	}
}

static struct error *fill(struct store *store, unsigned int first, unsigned int hosts,
			  unsigned int batches, size_t rows, unsigned int seconds)
{
	_cleanup_free_ struct store_fact *facts = xcalloc(rows, sizeof(*facts));
	bool known;

	for (unsigned int number = 0; number < batches; number++)
		for (unsigned int host = first; host < first + hosts; host++) {
			char name[32];
			struct store_batch batch = { .host = name,
						     .kernel = "6.1.0-56-cloud-amd64",
						     .processor = host % 3 ? "Xeon" : "EPYC",
						     .time = START + (int64_t)number * seconds,
						     .samples = rows };

			snprintf(name, sizeof(name), "host%04u", host);
			snprintf(batch.id, sizeof(batch.id), "%016x%016x", host, number);
			make_facts((uint64_t)host << 32 | number, facts, rows);
			RETURN_ERROR(store_add(store, &batch, facts, rows, &known));
		}
	return store_commit(store);
}

int main(int argc, char **argv)
{
	struct store *store;
	struct timespec start;

	if (argc < 4) {
		fprintf(stderr, "usage: fleet STORE HOSTS BATCHES [ROWS [SECONDS [FIRST]]]\n");
		return 129;
	}
	for (int i = 0; i < TYPES; i++)
		snprintf(types[i], sizeof(types[i]), "struct type_%d", i);
	for (int i = 0; i < FIELDS; i++)
		snprintf(fields[i], sizeof(fields[i]), "member_%d", i);
	for (int i = 0; i < GROUPS; i++) {
		snprintf(groups[i], sizeof(groups[i]), "/system.slice/docker-%064d.scope", i);
		snprintf(images[i], sizeof(images[i]), "registry.example/server:%d", i / 2);
	}
	for (int i = 0; i < FUNCTIONS; i++)
		snprintf(functions[i], sizeof(functions[i]), "function_%d", i);
	unsigned int hosts = (unsigned int)atoi(argv[2]), batches = (unsigned int)atoi(argv[3]),
		     rows = argc > 4 ? (unsigned int)atoi(argv[4]) : 300,
		     seconds = argc > 5 ? (unsigned int)atoi(argv[5]) : 300,
		     first = argc > 6 ? (unsigned int)atoi(argv[6]) : 0;
	struct error *error =
		store_open(&(struct store_place){ .path = argv[1], .create = true }, &store);

	clock_gettime(CLOCK_MONOTONIC, &start);
	if (!error)
		error = fill(store, first, hosts, batches, rows, seconds);
	if (error)
		fprintf(stderr, "fleet: %s\n", error->message);
	else
		printf("%u batches of %u rows: %.1f s, %.0f batches a second\n", hosts * batches,
		       rows, elapsed(&start), hosts * batches / elapsed(&start));
	store_close(store);
	return error != NULL;
}
