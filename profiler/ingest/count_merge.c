// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables in which threads count, and their merge into one sorted list (count.h). */

#include "base/memory.h"
#include "base/parallel.h"
#include "profiler/ingest/count.h"
#include "profiler/ingest/session_private.h"
#include "profiler/ingest/timeline.h"

#define FIRST_SLOT_COUNT 4096 /* a power of two */

void count_table_init(struct count_table *table, unsigned int words)
{
	*table = (struct count_table){ .words = words,
				       .stride = words + COUNTERS,
				       .mask = FIRST_SLOT_COUNT - 1 };
	table->slots = xcalloc(FIRST_SLOT_COUNT, sizeof(*table->slots));
}

void count_table_deinit(struct count_table *table)
{
	free_all(table->entries, table->slots);
	*table = (struct count_table){ 0 };
}

static uint32_t *count_table_free_slot(const struct count_table *table, uint64_t hash)
{
	uint32_t i = (uint32_t)hash & table->mask;

	while (table->slots[i])
		i = (i + 1) & table->mask;
	return &table->slots[i];
}

static void count_table_grow(struct count_table *table)
{
	size_t slots = 4 * ((size_t)table->mask + 1);

	free(table->slots);
	table->slots = xcalloc(slots, sizeof(*table->slots));
	table->mask = (uint32_t)(slots - 1);
	for (uint32_t i = 0; i < table->count; i++)
		*count_table_free_slot(table,
				       count_table_hash(table->entries + (size_t)i * table->stride,
							table->words)) = i + 1;
}

uint64_t *count_table_add(struct count_table *table, const uint64_t *key, uint64_t hash)
{
	if (2 * ((uint64_t)table->count + 1) > table->mask)
		count_table_grow(table);
	if (table->count == table->capacity) {
		table->capacity = table->capacity ? 2 * table->capacity : FIRST_SLOT_COUNT / 2;
		table->entries = xrealloc_array(table->entries, table->capacity,
						table->stride * sizeof(*table->entries));
	}
	uint64_t *entry = table->entries + (size_t)table->count * table->stride;

	memcpy(entry, key, table->words * sizeof(*key));
	memset(entry + table->words, 0, COUNTERS * sizeof(*entry));
	*count_table_free_slot(table, hash) = ++table->count;
	return entry + table->words;
}

/* ---- merging ---- */

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Adds the entries of all tables to the first one. */
static void count_merge_tables(struct count_result *results, size_t count)
{
	struct count_table *into = &results[0].table;

	for (size_t i = 1; i < count; i++) {
		const struct count_table *from = &results[i].table;

		for (uint32_t entry = 0; entry < from->count; entry++) {
			const uint64_t *words = from->entries + (size_t)entry * from->stride;
			uint64_t *sums = count_table_get(into, words);

			for (unsigned int c = 0; c < COUNTER_WEIGHT_MAX; c++)
				sums[c] += words[from->words + c];
			sums[COUNTER_WEIGHT_MAX] = greater(sums[COUNTER_WEIGHT_MAX],
							   words[from->words + COUNTER_WEIGHT_MAX]);
		}
	}
}

COMPARISON(compare_tids, uint32_t, BY_VALUE)

/* Names threads without a name by their tids, so that comm ids are always the same. */
static void count_name_threads(struct session *session, const struct count_table *table,
			       uint64_t fields)
{
	_cleanup_free_ uint32_t *tids = NULL;
	size_t count = 0;
	size_t capacity = 0;

	for (uint32_t i = 0; fields & COUNT_COMM && i < table->count; i++) {
		uint64_t word =
			table->entries[(size_t)i * table->stride + (fields & COUNT_PLACE ? 2 : 1)];

		if (!(word & COUNT_KEY_UNNAMED))
			continue;
		array_add(tids, count, capacity) = (uint32_t)word;
	}
	array_sort(tids, count, compare_tids);
	for (size_t i = 0; i < count; i++)
		if (!i || tids[i] != tids[i - 1])
			session_thread_comm(session, (int32_t)tids[i]);
}

/* The functions counted_*() unpack parts of keys and results. */
static void counted_place(struct session *session, uint64_t fields, uint32_t dso, uint64_t offset,
			  struct counted *counted)
{
	counted->dso = dso ? session->timeline.dsos.dsos[dso - 1] : NULL;
	if (fields & COUNT_PLACE)
		counted->address = session_file_address(session, counted->dso, offset);
}

static void counted_data_flags(uint64_t flags, struct counted *counted)
{
	counted->data_known = flags & COUNT_DATA_KNOWN;
	counted->data_computed = flags & COUNT_DATA_COMPUTED;
	counted->data_shared = flags & COUNT_DATA_SHARED;
	counted->data_stack = flags >> COUNT_DATA_STACK_SHIFT & 3;
}

/* Returns the kernel if the address is in its data, else NULL. The map of a kernel ends with its
 * text, so its data is recognized by symbols. Per-cpu variables have other addresses. */
static struct dso *kernel_of_data(struct session *session, uint64_t address)
{
	const struct dso_table *dsos = &session->timeline.dsos;
	struct dso *kernel = dsos->kernel ? dsos->dsos[dsos->kernel->id] : NULL;

	/* Nearly all addresses are in memory and stacks below the kernel: no search. */
	if (!kernel || !address_is_kernel(address) ||
	    (kernel->reference_symbol && address < kernel->reference_address))
		return NULL;
	return dso_data_symbol_at(kernel, &session->options.dso,
				  dso_data_address(kernel, &session->options.dso, address))
		       ? kernel
		       : NULL;
}

static void counted_data(struct session *session, uint64_t fields, const uint64_t **next,
			 struct counted *counted)
{
	if (fields & COUNT_DATA_ADDRESS) {
		counted->data_address = *(*next)++;
		uint64_t where = *(*next)++, offset = *(*next)++;
		struct dso *dso =
			(uint32_t)where ? session->timeline.dsos.dsos[(uint32_t)where - 1] : NULL;

		if (!dso && counted->level == 'k')
			dso = kernel_of_data(session, counted->data_address);
		counted_data_flags(where, counted);
		counted->data_dso = dso;
		counted->data_file_address =
			where & COUNT_DATA_IN_OBJECT || !dso
				? offset
				: dso_data_address(dso, &session->options.dso, offset);
	}
	if (fields & COUNT_DATA_CHECK) {
		uint64_t flags = *(*next)++;

		counted_data_flags(flags, counted);
		counted->check_in_object = flags & COUNT_DATA_IN_OBJECT;
		counted->check_address = *(*next)++;
	}
	if (fields & COUNT_DATA_RANGE) {
		counted->data_begin = *(*next)++;
		counted->data_end = *(*next)++;
		counted->data_last = *(*next)++;
		for (size_t i = 0; i < DATA_KEPT_MAX; i++)
			counted->data_kept[i] = *(*next)++;
	}
	if (fields & COUNT_ELEMENT) {
		counted->element_known = (uint8_t) * (*next)++;
		counted->element_index = *(*next)++;
		counted->element_address = *(*next)++;
	}
}

static void counted_from_entry(struct session *session, uint64_t fields, const uint64_t *words,
			       unsigned int key_words, struct counted *counted)
{
	uint64_t first = *words;
	const uint64_t *next = words + 1;
	uint64_t offset = fields & COUNT_PLACE ? *next++ : 0;

	*counted = (struct counted){
		.event = (uint32_t)(first >> COUNT_KEY_EVENT_SHIFT),
		.store = first >> COUNT_KEY_STORE_SHIFT & 1,
		.after = first >> COUNT_KEY_AFTER_SHIFT & 1,
		.exact = first >> COUNT_KEY_EXACT_SHIFT & 1,
		.coarse = first >> COUNT_KEY_COARSE_SHIFT & 1,
		.samples = words[key_words + COUNTER_SAMPLES],
		.period = words[key_words + COUNTER_PERIOD],
		.weight_total = words[key_words + COUNTER_WEIGHT],
		.weight_max = words[key_words + COUNTER_WEIGHT_MAX],
	};
	if (fields & COUNT_LEVEL_FIELDS)
		counted->level = placer_level(first >> COUNT_KEY_LEVEL_SHIFT &
					      PERF_RECORD_MISC_CPUMODE_MASK);
	if (fields & (COUNT_PLACE | COUNT_DSO))
		counted_place(session, fields, (uint32_t)first, offset, counted);
	if (fields & COUNT_COMM) {
		uint64_t comm = *next++;

		counted->comm = comm & COUNT_KEY_UNNAMED
					? session_thread_comm(session, (int32_t)comm)
					: (uint32_t)comm;
	}
	if (fields & COUNT_CPU)
		counted->cpu = (int32_t)*next++;
	if (fields & (COUNT_PID | COUNT_TID)) {
		counted->pid = (int32_t)(*next >> 32);
		counted->tid = (int32_t)*next++;
	}
	if (fields & COUNT_WEIGHT)
		counted->weight = *next++;
	if (fields & COUNT_DATA_SOURCE)
		counted->data_source = *next++;
	counted_data(session, fields, &next, counted);
#define UNPACK(NAME, type, member)                                                                 \
	if (fields & COUNT_##NAME)                                                                 \
		counted->member = (type)*next++;
	COUNTED_FIELDS(UNPACK, UNPACK, UNPACK)
#undef UNPACK
}

/* Compares all fields. DSOs are compared by their numbers, and none comes first. */
static int counted_compare(const void *left, const void *right)
{
	const struct counted *a = left;
	const struct counted *b = right;

	COMPARE(a->event, b->event);
	COMPARE(a->dso ? a->dso->id + 1 : 0, b->dso ? b->dso->id + 1 : 0);
	COMPARE(a->address, b->address);
	COMPARE(a->level, b->level);
	COMPARE(a->comm, b->comm);
	COMPARE(a->pid, b->pid);
	COMPARE(a->tid, b->tid);
	COMPARE(a->cpu, b->cpu);
	COMPARE(a->store, b->store);
	COMPARE(a->weight, b->weight);
	COMPARE(a->data_source, b->data_source);
	COMPARE(a->after, b->after);
	COMPARE(a->exact, b->exact);
	COMPARE(a->coarse, b->coarse);
	COMPARE(a->data_known, b->data_known);
	COMPARE(a->data_computed, b->data_computed);
	COMPARE(a->data_shared, b->data_shared);
	COMPARE(a->data_stack, b->data_stack);
	COMPARE(a->data_address, b->data_address);
	COMPARE(a->data_dso ? a->data_dso->id + 1 : 0, b->data_dso ? b->data_dso->id + 1 : 0);
	COMPARE(a->data_file_address, b->data_file_address);
	COMPARE(a->check_in_object, b->check_in_object);
	COMPARE(a->check_address, b->check_address);
	COMPARE(a->data_begin, b->data_begin);
	COMPARE(a->data_end, b->data_end);
	COMPARE(a->data_last, b->data_last);
	for (size_t i = 0; i < DATA_KEPT_MAX; i++)
		COMPARE(a->data_kept[i], b->data_kept[i]);
	COMPARE(a->element_known, b->element_known);
	COMPARE(a->element_index, b->element_index);
	COMPARE(a->element_address, b->element_address);
#define COMPARE_FIELD(NAME, type, member) COMPARE(a->member, b->member);
	COUNTED_FIELDS(COMPARE_FIELD, COMPARE_FIELD, COMPARE_FIELD)
#undef COMPARE_FIELD
	return 0;
}

static int compare_times(const void *left, const void *right, void *data)
{
	const struct counted *entries = data;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	COMPARE(entries[a].time, entries[b].time);
	COMPARE(a, b);
	return 0;
}

uint32_t *sample_counts_by_time(const struct sample_counts *counts)
{
	uint32_t *order = xcalloc(counts->count + 1, sizeof(*order));

	for (size_t i = 0; i < counts->count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, counts->count, sizeof(*order), compare_times, counts->entries);
	return order;
}

/* Merges entries that became equal: two segments may share a page of the file. */
static void counted_merge_equal(struct sample_counts *counts)
{
	size_t used = 0;

	for (size_t i = 0; i < counts->count; i++) {
		struct counted *last = used ? &counts->entries[used - 1] : NULL;

		if (last && !counted_compare(last, &counts->entries[i])) {
			last->samples += counts->entries[i].samples;
			last->period += counts->entries[i].period;
			last->weight_total += counts->entries[i].weight_total;
			last->weight_max = greater(last->weight_max, counts->entries[i].weight_max);
		} else {
			counts->entries[used++] = counts->entries[i];
		}
	}
	counts->count = used;
}

static void counted_frames(struct session *session, const struct chain_table *chains,
			   struct sample_counts *counts)
{
	counts->frame_count = chains->count;
	if (chains->count)
		counts->frames = xcalloc(chains->count, sizeof(*counts->frames));
	for (size_t i = 1; i < chains->count; i++) {
		const struct chain_node *node = &chains->nodes[i];
		struct dso *dso =
			node->place.dso ? session->timeline.dsos.dsos[node->place.dso - 1] : NULL;

		counts->frames[i] = (struct counted_frame){
			.caller = node->caller,
			.level = node->place.level,
			.stands = node->place.stands,
			.dso = dso,
			.address = session_file_address(session, dso, node->place.offset),
			.offset = node->place.offset,
			.ip = node->place.ip,
		};
	}
}

static void counted_texts(struct trace_texts *texts, struct sample_counts *counts)
{
	for (size_t i = 0; texts->count && i < counts->count; i++)
		counts->entries[i].trace_text = texts->texts[counts->entries[i].text];
	counts->record_texts = texts->pool;
	texts->pool = (struct string_pool){ 0 };
}

/* One entry in this many may be divided later (blame.md) without copying the table: it has room for
 * the parts. Room that is not used is never touched, and takes no memory. */
#define SPARE_SHARE 4

struct sample_counts *count_merge(struct session *session, uint64_t fields,
				  struct count_result *results, size_t result_count)
{
	struct sample_counts *counts = xcalloc(1, sizeof(*counts));
	struct count_table *all = &results[0].table;

	count_merge_tables(results, result_count);
	for (size_t i = 1; i < result_count; i++)
		count_table_deinit(&results[i].table);
	count_name_threads(session, all, fields);
	counts->capacity = all->count + all->count / SPARE_SHARE + 1;
	counts->entries = xrealloc_array(NULL, counts->capacity, sizeof(*counts->entries));
	counts->count = all->count;
	parallel_get_pages(counts->entries, counts->count * sizeof(*counts->entries),
			   (unsigned int)result_count);
	for (uint32_t i = 0; i < all->count; i++)
		counted_from_entry(session, fields, all->entries + (size_t)i * all->stride,
				   all->words, &counts->entries[i]);
	count_table_deinit(all);
	counted_frames(session, &results[0].chains, counts);
	chain_table_deinit(&results[0].chains);
	sort_unless_sorted(counts->entries, counts->count, sizeof(*counts->entries),
			   counted_compare);
	counted_merge_equal(counts);
	counted_texts(&results[0].texts, counts);
	trace_texts_deinit(&results[0].texts);
	return counts;
}

void sample_counts_destroy(struct sample_counts *counts)
{
	if (!counts)
		return;
	free_all(counts->entries, counts->frames);
	string_pool_deinit(&counts->record_texts);
	free(counts);
}
