// SPDX-License-Identifier: GPL-2.0-or-later
/* An index of the facts about stack memory: see facts.h. */
#include <stdlib.h>

#include "annotate/facts.h"
#include "profiler/base/memory.h"

/* If more facts than this share a position on average, no pieces are made and all facts are
 * searched. In real functions few variables share a position. */
#define OVERLAP 16

/* Memory from `low` up to the next piece. */
struct stack_piece {
	int64_t low;
	uint32_t first; /* index in `numbers` */
	uint32_t count;
};

static int64_t end_of(const struct stack_fact *fact)
{
	int64_t end;

	return fact->size > INT64_MAX ||
			       __builtin_add_overflow(fact->offset, (int64_t)fact->size, &end)
		       ? INT64_MAX
		       : end;
}

static int compare_offsets(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return a < b ? -1 : a > b;
}

/* Cuts the memory into pieces, one from each place where a fact begins or ends to the next. */
static void cut_into_pieces(struct stack_index *index, const struct stack_fact *facts, size_t count)
{
	int64_t *cuts = xrealloc_array(NULL, 2 * count + 1, sizeof(*cuts));
	size_t cut_count = 0;

	for (size_t i = 0; i < count; i++) {
		if (facts[i].base_reg != REG_NONE)
			continue;
		cuts[cut_count++] = facts[i].offset;
		cuts[cut_count++] = end_of(&facts[i]);
	}
	if (cut_count)
		qsort(cuts, cut_count, sizeof(*cuts), compare_offsets);
	index->pieces = xcalloc(cut_count + 1, sizeof(*index->pieces));
	for (size_t i = 0; i < cut_count; i++)
		if (!i || cuts[i] != cuts[i - 1])
			index->pieces[index->piece_count++].low = cuts[i];
	free(cuts);
}

/* Returns the last piece that begins at or before `offset`; NULL if none does. */
static struct stack_piece *piece_at(const struct stack_index *index, int64_t offset)
{
	size_t after = partition_point(0, index->piece_count, i, index->pieces[i].low <= offset);

	return after ? &index->pieces[after - 1] : NULL;
}

/* Counts the entries of each piece's list. Returns their sum, or just more than OVERLAP * count if
 * there are too many. */
static size_t count_members(struct stack_index *index, const struct stack_fact *facts, size_t count)
{
	size_t total = 0;

	for (size_t i = 0; i < count && total <= OVERLAP * count; i++) {
		if (facts[i].base_reg != REG_NONE)
			continue;
		for (struct stack_piece *piece = piece_at(index, facts[i].offset);
		     piece < index->pieces + index->piece_count && piece->low < end_of(&facts[i]);
		     piece++) {
			piece->count++;
			total++;
		}
	}
	return total;
}

static void fill_pieces(struct stack_index *index, const struct stack_fact *facts, size_t count,
			size_t total)
{
	uint32_t next = 0;
	uint32_t *based;

	index->numbers = xrealloc_array(NULL, total + count + 1, sizeof(*index->numbers));
	index->based = based = index->numbers + total;
	for (size_t i = 0; i < index->piece_count; i++) {
		index->pieces[i].first = next;
		next += index->pieces[i].count;
		index->pieces[i].count = 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (facts[i].base_reg != REG_NONE) {
			based[index->based_count++] = i;
			continue;
		}
		for (struct stack_piece *piece = piece_at(index, facts[i].offset);
		     piece < index->pieces + index->piece_count && piece->low < end_of(&facts[i]);
		     piece++)
			index->numbers[piece->first + piece->count++] = i;
	}
}

void stack_index_build(struct stack_index *index, const struct stack_fact *facts, size_t count)
{
	size_t total;

	*index = (struct stack_index){ 0 };
	if (!count)
		return;
	cut_into_pieces(index, facts, count);
	total = count_members(index, facts, count);
	if (total <= OVERLAP * count) {
		fill_pieces(index, facts, count, total);
		return;
	}
	/* Every fact goes into the list of those with a base register, which is always searched
	 * whole. */
	index->piece_count = 0;
	index->numbers = xrealloc_array(NULL, count, sizeof(*index->numbers));
	for (uint32_t i = 0; i < count; i++)
		index->numbers[i] = i;
	index->based = index->numbers;
	index->based_count = count;
}

void stack_index_deinit(struct stack_index *index)
{
	free(index->pieces);
	free(index->numbers);
	*index = (struct stack_index){ 0 };
}

struct stack_candidates stack_index_at(const struct stack_index *index, bool from_cfa,
				       int64_t offset)
{
	const struct stack_piece *piece = from_cfa ? piece_at(index, offset) : NULL;
	struct stack_candidates candidates = { .based = index->based,
					       .based_end = index->based + index->based_count };

	if (piece) {
		candidates.here = index->numbers + piece->first;
		candidates.here_end = candidates.here + piece->count;
	}
	return candidates;
}
