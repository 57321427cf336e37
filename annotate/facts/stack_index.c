// SPDX-License-Identifier: GPL-2.0-or-later
/* An index of the facts about stack memory: see facts.h. */

#include "annotate/facts/facts.h"
#include "base/memory.h"

/* If a fact covers more pieces than this on average, the pieces are given up and all facts are
 * searched. In real functions few variables share a position. */
#define OVERLAP 16

/* Memory from `low` up to the next piece of the same base. */
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

/* A place where a fact begins or ends. */
struct cut {
	uint8_t reg;
	int64_t offset;
};

COMPARISON(compare_cuts, struct cut, ASCENDING(reg) ASCENDING(offset))

static void add_piece(struct stack_index *index, const struct cut *cut)
{
	struct stack_base *base = &index->bases[index->base_count];

	if (!index->base_count || base[-1].reg != cut->reg) {
		*base = (struct stack_base){ .reg = cut->reg, .first = index->piece_count };
		index->base_count++;
	}
	index->bases[index->base_count - 1].count++;
	index->pieces[index->piece_count++].low = cut->offset;
}

/* Cuts the memory around each base into pieces, one from each place where a fact begins or ends to
 * the next. */
static void cut_into_pieces(struct stack_index *index, const struct stack_fact *facts, size_t count)
{
	_cleanup_free_ struct cut *cuts = xrealloc_array(NULL, 2 * count, sizeof(*cuts));
	bool has_base[REG_COUNT + 1] = { 0 };
	size_t bases = 0, used = 0;

	for (size_t i = 0; i < count; i++) {
		uint8_t reg = facts[i].base_reg;
		bool *has = &has_base[reg < REG_COUNT ? reg : REG_COUNT];

		bases += !*has;
		*has = true;
		/* inlined functions mostly have many facts about one place */
		if (i && reg == facts[i - 1].base_reg && facts[i].offset == facts[i - 1].offset &&
		    facts[i].size == facts[i - 1].size)
			continue;
		cuts[used++] = (struct cut){ reg, facts[i].offset };
		cuts[used++] = (struct cut){ reg, end_of(&facts[i]) };
	}
	qsort(cuts, used, sizeof(*cuts), compare_cuts);
	index->bases = xcalloc(bases, sizeof(*index->bases));
	index->pieces = xcalloc(used, sizeof(*index->pieces));
	for (size_t i = 0; i < used; i++)
		if (!i || compare_cuts(&cuts[i], &cuts[i - 1]) != 0)
			add_piece(index, &cuts[i]);
}

/* Returns the last piece of the base that begins at or before `offset`; NULL if none does. */
static struct stack_piece *piece_at(const struct stack_index *index, const struct stack_base *base,
				    int64_t offset)
{
	size_t first = base->first;
	size_t after =
		partition_point(first, first + base->count, i, index->pieces[i].low <= offset);

	return after > first ? &index->pieces[after - 1] : NULL;
}

static const struct stack_base *base_of(const struct stack_index *index, uint8_t reg)
{
	return array_find(i, index->bases, index->base_count, index->bases[i].reg == reg);
}

/* The pieces that a fact covers: [first, end). */
struct covered {
	struct stack_piece *first, *end;
};

static struct covered covered_by(const struct stack_index *index, const struct stack_fact *fact)
{
	const struct stack_base *base = base_of(index, fact->base_reg);
	struct stack_piece *last = index->pieces + base->first + base->count;
	struct covered covered = { piece_at(index, base, fact->offset), NULL };

	for (covered.end = covered.first; covered.end < last && covered.end->low < end_of(fact);)
		covered.end++;
	return covered;
}

/* Counts the entries of each piece's list. Returns their sum, or just more than OVERLAP * count if
 * there are too many. */
static size_t stack_index_count_members(struct stack_index *index, const struct stack_fact *facts,
					size_t count)
{
	size_t total = 0;

	for (size_t i = 0; i < count && total <= OVERLAP * count; i++) {
		struct covered covered = covered_by(index, &facts[i]);

		for (struct stack_piece *piece = covered.first; piece < covered.end; piece++)
			piece->count++;
		total += (size_t)(covered.end - covered.first);
	}
	return total;
}

static void fill_pieces(struct stack_index *index, const struct stack_fact *facts, size_t count,
			size_t total)
{
	uint32_t next = 0;

	index->numbers = xrealloc_array(NULL, total + 1, sizeof(*index->numbers));
	for (size_t i = 0; i < index->piece_count; i++) {
		index->pieces[i].first = next;
		next += index->pieces[i].count;
		index->pieces[i].count = 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct covered covered = covered_by(index, &facts[i]);

		for (struct stack_piece *piece = covered.first; piece < covered.end; piece++)
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
	total = stack_index_count_members(index, facts, count);
	if (total <= OVERLAP * count) {
		fill_pieces(index, facts, count, total);
		return;
	}
	index->base_count = 0;
	index->numbers = xrealloc_array(NULL, count, sizeof(*index->numbers));
	for (uint32_t i = 0; i < count; i++)
		index->numbers[i] = i;
	index->unsorted = (uint32_t)count;
}

void stack_index_deinit(struct stack_index *index)
{
	free_all(index->bases, index->pieces, index->numbers);
	*index = (struct stack_index){ 0 };
}

void stack_candidates_start(struct stack_candidates *candidates, const struct stack_index *index)
{
	candidates->count = 0;
	if (index->unsorted)
		candidates->runs[candidates->count++] =
			(struct stack_run){ index->numbers, index->numbers + index->unsorted };
}

void stack_candidates_add(struct stack_candidates *candidates, const struct stack_index *index,
			  const struct stack_base *base, int64_t offset)
{
	const struct stack_piece *piece = piece_at(index, base, offset);

	if (piece && piece->count)
		candidates->runs[candidates->count++] =
			(struct stack_run){ index->numbers + piece->first,
					    index->numbers + piece->first + piece->count };
}
