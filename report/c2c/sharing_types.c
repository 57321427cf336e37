// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The verdicts as one type sees them. A pairing is two rows of a line, one of which writes bytes
 * that the thread of the other one does not use. The pairings of one field are summed up. Names are
 * sorted before they are shown, so that the result depends on the verdicts alone.
 */
#include "report/c2c/sharing.h"

/* A row of the type that writes, and a row that this disturbs. */
struct pairing {
	const struct sharing_line *line;
	const struct sharing_use *writer, *other;
	bool latent;
};

struct pairings {
	struct pairing *items;
	size_t count, capacity;
};

static const char *field_name(const struct sharing_use *use)
{
	/* a type without members has no name of a field */
	return use->field ?: use->type ?: "?";
}

/* Orders by field and verdict, then by line. */
COMPARISON(compare_pairings, struct pairing,
	   COMPARE(strcmp(field_name(a->writer), field_name(b->writer)), 0);
	   ASCENDING(latent) COMPARE((uint64_t)a->line->pid, (uint64_t)b->line->pid);
	   ASCENDING(line->address) ASCENDING(writer->address) ASCENDING(other->address))

static bool sharing_types_overlap(const struct sharing_use *a, const struct sharing_use *b)
{
	return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* Returns whether a thread uses bytes of the row in this line. */
static bool uses_bytes(const struct sharing_line *line, int32_t tid, const struct sharing_row *row)
{
	return any_of(i, 0, line->row_count,
		      line->rows[i].first->tid == tid &&
			      sharing_types_overlap(line->rows[i].first, row->first));
}

static bool is_latent(const struct sharing_line *line)
{
	return line->verdict == SHARING_LATENT_CPU || line->verdict == SHARING_LATENT_PLACE;
}

/* Returns whether what `writer` writes disturbs the other row, by the line's verdict. */
static bool disturbs(const struct sharing_line *line, const struct sharing_row *writer,
		     const struct sharing_row *other)
{
	if (!writer->writes || other->first->tid == writer->first->tid)
		return false;
	/* the rows of such a line are two objects that would share one */
	if (line->verdict == SHARING_LATENT_PLACE)
		return true;
	return (writer->disturbed || other->disturbed) &&
	       !uses_bytes(line, other->first->tid, writer);
}

/* Adds what a row of the type disturbs in the line. */
static void add_pairings(const struct sharing_line *line, const struct sharing_row *writer,
			 struct pairings *pairings)
{
	array_each (const struct sharing_row, other, line->rows, line->row_count) {
		if (!disturbs(line, writer, other))
			continue;
		array_add(pairings->items, pairings->count, pairings->capacity) =
			(struct pairing){ line, writer->first, other->first, is_latent(line) };
	}
}

static void collect_pairings(const struct sharing *sharing, const void *type,
			     struct pairings *pairings)
{
	array_each (const struct sharing_line, line, sharing->lines, sharing->line_count) {
		if (line->verdict != SHARING_FALSE && line->verdict != SHARING_BOTH &&
		    !is_latent(line))
			continue;
		for (size_t j = 0; j < line->row_count; j++)
			if (line->rows[j].first->type_id == type)
				add_pairings(line, &line->rows[j], pairings);
	}
	array_sort(pairings->items, pairings->count, compare_pairings);
}

static const char *quoted_name(const struct sharing_use *use, struct arena *texts)
{
	_cleanup_free_ char *text = xasprintf("'%s'", field_name(use));

	return arena_strdup(texts, text);
}

/* Returns "'limit'", "'hits' of another object" or "'lock' of struct pool". */
static const char *neighbour_name(const struct pairing *pairing, struct arena *texts)
{
	const struct sharing_use *writer = pairing->writer, *other = pairing->other;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!other->type) {
		strbuf_add_string(&text, other->variable ?: "memory of unknown type");
		return arena_strdup(texts, text.data);
	}
	strbuf_add_format(&text, "'%s'", field_name(other));
	if (other->type_id != writer->type_id)
		strbuf_add_format(&text, " of %s", other->type);
	else if (writer->base != SHARING_NO_BASE && other->base != SHARING_NO_BASE &&
		 writer->base != other->base)
		strbuf_add_string(&text, " of another object");
	return arena_strdup(texts, text.data);
}

COMPARISON(compare_threads, int32_t, BY_VALUE)

/* Sums up the pairings of one field. */
static struct annotated_sharing sharing_of(const struct pairing *pairings, size_t count,
					   struct arena *texts)
{
	const char **neighbours = arena_alloc(texts, count * sizeof(*neighbours));
	int32_t *writers = arena_alloc(texts, count * sizeof(*writers)),
		*threads = arena_alloc(texts, count * sizeof(*threads));
	uint64_t lines = 0;

	for (size_t i = 0; i < count; i++) {
		neighbours[i] = neighbour_name(&pairings[i], texts);
		writers[i] = pairings[i].writer->tid;
		threads[i] = pairings[i].other->tid;
		lines += !i || pairings[i].line != pairings[i - 1].line;
	}
	return (struct annotated_sharing){
		.field = quoted_name(pairings[0].writer, texts),
		.latent = pairings[0].latent,
		.writers = writers,
		.writer_count = sort_unique(writers, count, sizeof(*writers), compare_threads),
		.neighbours = neighbours,
		.neighbour_count =
			sort_unique(neighbours, count, sizeof(*neighbours), compare_strings),
		.threads = threads,
		.thread_count = sort_unique(threads, count, sizeof(*threads), compare_threads),
		.cachelines = lines
	};
}

COMPARISON(compare_sharings, struct annotated_sharing,
	   ASCENDING(latent) DESCENDING(cachelines) BY_TEXT(field))

/* An object of the type. */
struct seen_object {
	int32_t pid;
	uint64_t base;
};

COMPARISON(compare_objects, struct seen_object, COMPARE((uint64_t)a->pid, (uint64_t)b->pid);
	   ASCENDING(base))

static void count_objects(const struct sharing_use *uses, size_t count, const void *type,
			  uint64_t cacheline, struct annotated_type *result)
{
	_cleanup_free_ struct seen_object *seen = xcalloc(count, sizeof(*seen));
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (uses[i].type_id == type && uses[i].base != SHARING_NO_BASE && !uses[i].implied)
			seen[used++] = (struct seen_object){ uses[i].pid, uses[i].base };
	array_sort(seen, used, compare_objects);
	for (size_t i = 0; i < used; i++) {
		if (i && !compare_objects(&seen[i - 1], &seen[i]))
			continue;
		result->objects++;
		result->aligned_objects += seen[i].base % cacheline == 0;
	}
}

void sharing_show_type(const struct sharing *sharing, const struct sharing_use *uses, size_t count,
		       const void *type, struct arena *texts, struct annotated_type *result)
{
	struct pairings pairings = { 0 };
	struct annotated_sharing *shown;
	size_t end;

	result->addressed = sharing->samples;
	count_objects(uses, count, type, sharing->cacheline, result);
	collect_pairings(sharing, type, &pairings);
	shown = arena_alloc(texts, pairings.count * sizeof(*shown));
	for (size_t first = 0; first < pairings.count; first = end) {
		const struct pairing *of = &pairings.items[first];

		for (end = first + 1;
		     end < pairings.count && of->latent == pairings.items[end].latent &&
		     !strcmp(field_name(of->writer), field_name(pairings.items[end].writer));)
			end++;
		shown[result->sharing_count++] = sharing_of(of, end - first, texts);
	}
	array_sort(shown, result->sharing_count, compare_sharings);
	result->sharings = shown;
	free(pairings.items);
}
