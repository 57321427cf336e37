/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The objects whose code was mapped during a recording, each once, for the file's table of build ids. */
#ifndef DTPROF_RECORD_OBJECT_TABLE_H
#define DTPROF_RECORD_OBJECT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/strbuf.h"
#include "profiler/record/build_id.h"

struct object {
	char *name;         /* as in the map records */
	struct build_id id; /* size 0: not known yet */
	bool kernel;
};

/* Zero-initialized is empty. */
struct object_table {
	struct object *objects;
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots; /* index + 1 of objects by hash of the name; 0: free */
	uint32_t slot_count;
};

/* `id` may be NULL. A later build id of the same name wins: the file was replaced. */
void object_table_add(struct object_table *table, const char *name, bool kernel, const struct build_id *id);
/* Read the missing build ids, from the files as they are now, and write the feature's content. */
void object_table_finish(struct object_table *table, const char *root, struct strbuf *content);
void object_table_release(struct object_table *table);

#endif
