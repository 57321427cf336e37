// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements affinity.h. */
#include "report/layout/affinity.h"

#include <stdlib.h>

/* Records have more members than this only if they were generated. Affinities are then left out. */
#define MEMBERS_MAX 2000

/* Returns whether the use has bytes of the member. */
static bool has_member(const struct advice_type *type, const struct advice_use *use,
		       uint32_t member)
{
	const struct advice_member *m = &type->members[member];

	return use->offset < m->offset + m->size && m->offset < use->offset + use->size;
}

/* Returns whether the region uses both members (or one, if they are equal) through one base. */
static bool used_together(const struct advice_type *type, const struct advice_region *region,
			  uint32_t first, uint32_t second)
{
	for (size_t i = 0; i < region->use_count; i++) {
		if (!has_member(type, &region->uses[i], first))
			continue;
		for (size_t k = 0; k < region->use_count; k++)
			if (region->uses[k].base == region->uses[i].base &&
			    has_member(type, &region->uses[k], second))
				return true;
	}
	return false;
}

double affinity_between(const struct advice_type *type, uint32_t first, uint32_t second)
{
	uint64_t total = advice_region_samples(type), together = 0;

	for (size_t i = 0; i < type->region_count; i++)
		if (used_together(type, &type->regions[i], first, second))
			together += type->regions[i].samples;
	return total ? (double)together / (double)total : 0;
}

double affinity_use(const struct advice_type *type, uint32_t member)
{
	uint64_t total = advice_region_samples(type), used = 0;

	for (size_t i = 0; i < type->region_count; i++) {
		const struct advice_region *region = &type->regions[i];

		for (size_t k = 0; k < region->use_count; k++) {
			if (region->uses[k].walk == WALK_SAME ||
			    !has_member(type, &region->uses[k], member))
				continue;
			used += region->samples;
			break;
		}
	}
	return total ? (double)used / (double)total : 0;
}

static int compare_affinities(const void *left, const void *right)
{
	const struct advice_affinity *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->second < b->second ? -1 : a->second > b->second;
}

void affinity_make(struct advice_type *type, struct arena *arena)
{
	_cleanup_free_ struct advice_affinity *found = NULL;
	_cleanup_free_ bool *used = xcalloc(type->member_count + 1, sizeof(*used));
	size_t count = 0, capacity = 0;

	if (type->member_count > MEMBERS_MAX)
		return;
	for (uint32_t i = 0; i < type->member_count; i++)
		for (size_t k = 0; k < type->region_count && !used[i]; k++)
			used[i] = used_together(type, &type->regions[k], i, i);
	for (uint32_t i = 0; i < type->member_count; i++) {
		for (uint32_t k = i + 1; k < type->member_count && used[i]; k++) {
			double weight = used[k] ? affinity_between(type, i, k) : 0;

			if (weight <= 0)
				continue;
			array_reserve(found, count, capacity);
			found[count++] = (struct advice_affinity){ i, k, weight };
		}
	}
	if (!count)
		return;
	qsort(found, count, sizeof(*found), compare_affinities);
	type->affinities = arena_copy(arena, found, count * sizeof(*found));
	type->affinity_count = count;
}

/* Appends the text between double quotes as DOT wants it. */
static void add_quoted(const char *text, struct strbuf *buffer)
{
	strbuf_add_char(buffer, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			strbuf_add_char(buffer, '\\');
		strbuf_add_char(buffer, *text);
	}
	strbuf_add_char(buffer, '"');
}

void affinity_print_dot(const struct advice_type *type, struct strbuf *buffer)
{
	size_t start = buffer->length;

	strbuf_add_string(buffer, "graph ");
	add_quoted(type->name, buffer);
	strbuf_add_string(buffer, " {");
	strbuf_end_line(buffer, start);
	for (uint32_t i = 0; i < type->member_count; i++) {
		const struct advice_member *member = &type->members[i];

		start = buffer->length;
		strbuf_add_format(buffer, "\tm%u [label=", i);
		_cleanup_strbuf_ struct strbuf label = STRBUF_INIT;

		strbuf_add_format(&label, "%s (%.1f%%)", member->name,
				  type->samples
					  ? 100.0 * (double)member->samples / (double)type->samples
					  : 0);
		add_quoted(label.data, buffer);
		strbuf_add_string(buffer, "];");
		strbuf_end_line(buffer, start);
	}
	for (size_t i = 0; i < type->affinity_count; i++) {
		const struct advice_affinity *pair = &type->affinities[i];

		strbuf_add_format(buffer,
				  "\tm%u -- m%u [weight=%.0f, penwidth=%.1f, label=\"%.0f%%\"];\n",
				  pair->first, pair->second, 1 + 100 * pair->weight,
				  1 + 5 * pair->weight, 100 * pair->weight);
	}
	strbuf_add_string(buffer, "}\n");
}
