/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of a session, by index and by the ids that their records carry. */
#ifndef DTPROF_INGEST_EVENT_TABLE_H
#define DTPROF_INGEST_EVENT_TABLE_H

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session.h"

/* Zero-initialized is empty. Events move while they are added: take pointers afterwards. */
struct event_table {
	struct event *events;
	struct sample_layout *layouts; /* one an event */
	size_t count;
	size_t capacity;
	size_t layout_capacity;
	struct hash_map by_id;
	struct arena arena; /* ids and names */
};

#define EVENT_NONE UINT32_MAX

/* `ids`: `id_count` words of 64 bits as the file has them, not aligned. Names are set later. */
void event_table_add(struct event_table *table, const struct perf_event_attr *attr, const uint8_t *ids,
		     size_t id_count, bool swap);
/* Index of the event with this id, or EVENT_NONE. */
uint32_t event_table_find(const struct event_table *table, uint64_t id);
/* The event of a record whose id field says `id`: what synthesized records have, 0, is the first one's. */
uint32_t event_table_resolve(const struct event_table *table, uint64_t id);
/* Only where the event has no name yet. */
void event_table_name(struct event_table *table, uint32_t index, const char *name);
void event_table_deinit(struct event_table *table);

/* The name that perf makes of an attr without one ("cycles:u", "L1-dcache-load-misses"); to be freed. */
char *event_name_from_attr(const struct perf_event_attr *attr);

#endif
