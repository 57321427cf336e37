// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/ingest/parallelism.h"

#include <stdlib.h>

#include "profiler/base/memory.h"

void parallelism_add(struct parallelism *parallelism, struct moment moment, int change, bool is_switch)
{
	array_reserve(parallelism->steps, parallelism->count, parallelism->capacity);
	parallelism->steps[parallelism->count++] = (struct parallelism_step){ moment, change };
	parallelism->has_switches |= is_switch;
}

static int compare_steps(const void *left, const void *right)
{
	const struct parallelism_step *a = left, *b = right;

	return moment_before(a->moment, b->moment) ? -1 : moment_before(b->moment, a->moment);
}

void parallelism_build(struct parallelism *parallelism, uint32_t processors)
{
	int64_t running = 1;

	parallelism->processors = processors;
	/* exits alone tell nothing */
	if (!parallelism->has_switches)
		parallelism->count = 0;
	if (parallelism->count)
		qsort(parallelism->steps, parallelism->count, sizeof(*parallelism->steps), compare_steps);
	for (size_t i = 0; i < parallelism->count; i++) {
		running += parallelism->steps[i].running;
		parallelism->steps[i].running = running;
	}
}

uint32_t parallelism_at(const struct parallelism *parallelism, struct moment moment)
{
	size_t low = 0, high = parallelism->count;
	int64_t running;

	/* the first step behind the moment */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (moment_before(moment, parallelism->steps[middle].moment))
			high = middle;
		else
			low = middle + 1;
	}
	running = low ? parallelism->steps[low - 1].running : 1;
	if (parallelism->processors && running > parallelism->processors)
		running = parallelism->processors;
	return running < 1 ? 1 : running > UINT32_MAX ? UINT32_MAX : (uint32_t)running;
}

void parallelism_deinit(struct parallelism *parallelism)
{
	free(parallelism->steps);
	*parallelism = (struct parallelism){ 0 };
}
