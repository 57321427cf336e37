/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The objects whose code was mapped during a recording, each once, with their build ids (ELF note
 * NT_GNU_BUILD_ID).
 */
#ifndef DTPROF_RECORD_OBJECTS_H
#define DTPROF_RECORD_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/elf/image.h"
#include "profiler/base/strbuf.h"

struct object {
	char *name;         /* as in the map records */
	struct build_id id; /* size 0: not known yet */
	bool kernel;
};

/* The table owns its names. A zero-initialized table is empty. */
struct object_table {
	struct object *objects;
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots; /* index + 1 into objects, by hash of the name; 0: free */
	uint32_t slot_count;
};

/*
 * Adds an object, or a build id to one that is there. `id` may be NULL. A later id of the same name
 * wins, because the file was replaced.
 */
void object_table_add(struct object_table *table, const char *name, bool kernel,
		      const struct build_id *id);
/*
 * Reads missing build ids from the files as they are now, and appends the content of the feature
 * BUILD_ID. Objects without a build id are left out.
 */
void object_table_finish(struct object_table *table, const char *root, struct strbuf *content);
void object_table_deinit(struct object_table *table);

/*
 * Set *id to the build id of an ELF file. Return false if it has none or is no ELF file. The file
 * may contain anything.
 */
bool build_id_of_file(int fd, struct build_id *id);
bool build_id_of_path(const char *path, struct build_id *id);
/* The same for the vDSO of this process, which all 64-bit processes share. */
bool build_id_of_vdso(struct build_id *id);

#endif
