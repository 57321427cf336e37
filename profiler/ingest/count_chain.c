// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements count_chain.h. A recorded list (perf_event_open(2), PERF_SAMPLE_CALLCHAIN) has the
 * innermost frame first. Markers from PERF_CONTEXT_MAX on tell which address space the following
 * addresses belong to.
 */
#include "profiler/ingest/count_chain.h"

#include <stdbool.h>
#include <stdlib.h>

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"
#include "profiler/ingest/session_private.h"

/* ---- the table of frames ---- */

#define FIRST_SLOTS 1024

void chain_table_init(struct chain_table *table)
{
	*table = (struct chain_table){ .slot_count = FIRST_SLOTS };
	table->slots = xcalloc(FIRST_SLOTS, sizeof(*table->slots));
	array_reserve(table->nodes, table->count, table->capacity);
	table->nodes[table->count++] = (struct chain_node){ 0 };
}

void chain_table_deinit(struct chain_table *table)
{
	free(table->nodes);
	free(table->slots);
	*table = (struct chain_table){ 0 };
}

static uint64_t node_hash(uint32_t caller, const struct chain_place *place)
{
	return hash_combine(hash_combine(place->ip, place->offset), (uint64_t)caller << 32 | place->dso);
}

static bool is_node(const struct chain_node *node, uint32_t caller, const struct chain_place *place)
{
	return node->caller == caller && node->place.ip == place->ip && node->place.offset == place->offset &&
	       node->place.dso == place->dso && node->place.level == place->level;
}

static void grow_slots(struct chain_table *table)
{
	size_t mask;

	free(table->slots);
	table->slot_count *= 2;
	table->slots = xcalloc(table->slot_count, sizeof(*table->slots));
	mask = table->slot_count - 1;
	for (uint32_t number = 1; number < table->count; number++) {
		const struct chain_node *node = &table->nodes[number];
		size_t slot = node_hash(node->caller, &node->place) & mask;

		while (table->slots[slot])
			slot = (slot + 1) & mask;
		table->slots[slot] = number;
	}
}

uint32_t chain_table_add(struct chain_table *table, uint32_t caller, const struct chain_place *place)
{
	if (table->count * 2 > table->slot_count)
		grow_slots(table);

	size_t mask = table->slot_count - 1, slot = node_hash(caller, place) & mask;

	while (table->slots[slot]) {
		if (is_node(&table->nodes[table->slots[slot]], caller, place))
			return table->slots[slot];
		slot = (slot + 1) & mask;
	}
	array_reserve(table->nodes, table->count, table->capacity);
	table->nodes[table->count] = (struct chain_node){ .caller = caller, .place = *place };
	table->slots[slot] = (uint32_t)table->count;
	return (uint32_t)table->count++;
}

/* ---- chains as they are recorded ---- */

/* enum perf_callchain_context, whose later values older headers lack. */
#define CONTEXT_HYPERVISOR    ((uint64_t)-32)
#define CONTEXT_KERNEL        ((uint64_t)-128)
#define CONTEXT_USER          ((uint64_t)-512)
#define CONTEXT_USER_DEFERRED ((uint64_t)-640) /* a cookie follows, and nothing more */
#define CONTEXT_GUEST_KERNEL  ((uint64_t)-2176)
#define CONTEXT_GUEST_USER    ((uint64_t)-2560)

struct deferred_chain {
	struct sample_words words;
};

/* Reads a PERF_RECORD_CALLCHAIN_DEFERRED: cookie, number, addresses. */
static void take_deferred(const struct session *session, const struct raw_record *record, void *data)
{
	struct cursor cursor = cursor_of(record->data, record->size, session->header.swap);
	struct deferred_chains *deferred = data;
	bool created;

	if (record->type != RECORD_CALLCHAIN_DEFERRED)
		return;
	cursor_skip(&cursor, RECORD_HEADER_SIZE);

	uint64_t cookie = cursor_u64(&cursor), count = cursor_u64(&cursor);

	if (cursor.failed || count > cursor_left(&cursor) / 8)
		return;

	uint32_t *index = hash_map_insert(&deferred->by_cookie, cookie, &created);

	if (created) {
		*index = (uint32_t)deferred->count;
		array_reserve(deferred->chains, deferred->count, deferred->capacity);
		deferred->count++;
	}
	deferred->chains[*index].words = (struct sample_words){ .data = cursor_bytes(&cursor, 8 * count),
								.count = count,
								.swap = session->header.swap };
}

void chain_counter_init(struct chain_counter *counter, struct session *session,
			const struct count_options *options)
{
	*counter = (struct chain_counter){
		.limit = options->chain_limit ? options->chain_limit : COUNT_CHAIN_MAX,
	};
	stack_walker_init(&counter->walker, session);
	chain_table_init(&counter->table);
	session_each_record(session, take_deferred, &counter->deferred);
}

void chain_counter_deinit(struct chain_counter *counter)
{
	free(counter->deferred.chains);
	hash_map_deinit(&counter->deferred.by_cookie);
	stack_walker_deinit(&counter->walker);
	free(counter->frames);
	counter->frames = NULL;
}

/* Returns the level that a marker sets, or 0 if the marker is unknown. */
static char context_level(uint64_t context)
{
	switch (context) {
	case CONTEXT_HYPERVISOR: return 'H';
	case CONTEXT_KERNEL: return 'k';
	case CONTEXT_USER:
	case CONTEXT_USER_DEFERRED: return '.';
	case CONTEXT_GUEST_KERNEL: return 'g';
	case CONTEXT_GUEST_USER: return 'u';
	default: return 0;
	}
}

struct chain_reader {
	struct chain_counter *counter;
	struct placer *placer;
	uint32_t space;
	struct moment moment;
	char level;
	bool has_user; /* frames of user space were recorded */
};

static void add_frame(void *data, uint64_t ip)
{
	struct chain_reader *reader = data;
	struct chain_counter *counter = reader->counter;
	uint32_t space = placer_space(reader->placer->timeline, reader->level, reader->space);
	const struct placer_map *map = placer_map(reader->placer, space, ip, reader->moment);

	array_reserve(counter->frames, counter->frame_count, counter->frame_capacity);
	counter->frames[counter->frame_count++] = (struct chain_place){
		.ip = ip, .offset = ip + map->to_file, .dso = map->dso, .level = reader->level
	};
}

/*
 * Returns whether the sample has the calls that the processor keeps (LBR,
 * PERF_SAMPLE_BRANCH_CALL_STACK), the last one first. They replace the frames of user space that
 * frame pointers give. If the sample is in the kernel, the innermost known place is where the last
 * call went.
 */
static bool has_branch_calls(const struct sample *sample)
{
	return sample->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK &&
	       sample->branches.count;
}

static void add_branch_calls(struct chain_reader *reader, const struct sample *sample)
{
	const struct sample_words *entries = &sample->branches.entries;

	reader->level = '.';
	reader->has_user = true;
	add_frame(reader, session_sample_level(sample) == '.' ? sample->ip : sample_word(entries, 1));
	for (uint64_t i = 0; i < sample->branches.count && i < reader->counter->limit; i++)
		if (sample_word(entries, 3 * i))
			add_frame(reader, sample_word(entries, 3 * i));
}

/* Adds the frames of a list. Returns false at an unknown marker: the level of the addresses after
 * it is not known, so as in perf the chain does not count. */
static bool read_words(struct chain_reader *reader, const struct sample *sample,
		       const struct sample_words *words, bool follow)
{
	for (uint64_t i = 0; i < words->count; i++) {
		uint64_t word = sample_word(words, i);

		if (word < PERF_CONTEXT_MAX) {
			reader->has_user |= reader->level == '.';
			add_frame(reader, word);
			continue;
		}
		reader->level = context_level(word);
		if (!reader->level)
			return false;
		if (word == CONTEXT_USER && has_branch_calls(sample)) {
			add_branch_calls(reader, sample);
			return true;
		}
		if (word != CONTEXT_USER_DEFERRED)
			continue;
		if (!follow || i + 1 >= words->count)
			return true;

		const struct deferred_chains *deferred = &reader->counter->deferred;
		const uint32_t *index = hash_map_find(&deferred->by_cookie, sample_word(words, i + 1));

		return !index || read_words(reader, sample, &deferred->chains[*index].words, false);
	}
	return true;
}

uint32_t chain_counter_add(struct chain_counter *counter, struct placer *placer, uint32_t space,
			   const struct sample *sample, struct moment moment)
{
	struct chain_reader reader = {
		.counter = counter, .placer = placer, .space = space, .moment = moment, .level = '.'
	};
	uint32_t chain = CHAIN_NONE;

	counter->frame_count = 0;
	if (!read_words(&reader, sample, &sample->callchain, true))
		return CHAIN_NONE;
	if (!reader.has_user && stack_walker_can(&counter->walker, sample)) {
		struct walked_sample walked = { .sample = sample, .space = space, .moment = moment };

		reader.level = '.';
		stack_walker_walk(&counter->walker, placer, &walked, counter->limit, add_frame, &reader);
	}
	for (size_t i = counter->frame_count; i-- > 0;)
		chain = chain_table_add(&counter->table, chain, &counter->frames[i]);
	return chain;
}
