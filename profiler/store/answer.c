// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of an answer, of either kind of store: their sums, texts and order. */
#include "base/memory.h"
#include "profiler/store/store_private.h"

const char *const store_sum_columns[] = { "samples", "period", "latency", "loads", "stores" };

bool store_wants_sum(const struct store_choice *choice, enum store_order order, size_t sum)
{
	return !sum || sum == (size_t)order || !choice->brief;
}

static int compare_rows(const void *left, const void *right, void *data)
{
	const struct store_row *a = left, *b = right;
	const struct store_answer *answer = data;

	/* the largest first; hosts are often alike */
	if (answer->order < STORE_BY_HOSTS)
		COMPARE(b->sums[answer->order], a->sums[answer->order]);
	if (answer->order == STORE_BY_HOSTS) {
		COMPARE(b->hosts, a->hosts);
		COMPARE(b->samples, a->samples);
	}
	for (size_t i = 0; i < answer->key_count; i++)
		COMPARE(strcmp(a->keys[i], b->keys[i]), 0);
	return 0;
}

void store_answer_sort(struct store_answer *answer)
{
	if (answer->count)
		qsort_r(answer->rows, answer->count, sizeof(*answer->rows), compare_rows, answer);
	if (answer->most && answer->most < answer->count)
		answer->count = answer->most;
}

void number_texts_deinit(struct number_texts *texts)
{
	arena_deinit(&texts->arena);
	hash_map_deinit(&texts->places);
	free(texts->items);
}

void store_answer_deinit(struct store_answer *answer)
{
	number_texts_deinit(&answer->texts);
	free(answer->rows);
}
