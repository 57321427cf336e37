/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The objects of one type that samples of a recording hit most, by their data addresses. */
#pragma once

#include "base/memory.h"
#include "profiler/resolve/resolve.h"

/* Samples of one object at one place. */
struct hot_spot {
	uint64_t offset;   /* bytes from the start of the object */
	const char *field; /* as member_path() has it; "": no field */
	uint64_t samples;
};

struct hot_object {
	uint64_t address, samples;
	struct hot_spot *spots; /* sorted by offset and field */
	size_t spot_count;
};

struct hot_objects {
	const struct type *type; /* canonical, of the recording's debug information; NULL: none */
	uint64_t samples;        /* of the type in the process, also without an object's address */
	uint64_t addressed;      /* those whose object is known */
	size_t seen;             /* different objects */
	struct hot_object *objects; /* those with the most samples first */
	size_t count;
	struct arena arena; /* of the objects, their spots and fields */
};

/* The needs of resolve(), as a set of enum result_need. */
#define HOT_OBJECTS_NEEDS                                                                          \
	(NEED_TYPE | NEED_DSO | NEED_SYMBOL | NEED_PID | NEED_DATA_ADDRESS | NEED_ELEMENT)

/* Finds at most `most` objects of the structs whose name type_name_matches(); with NULL, of the
 * struct with the most samples whose object is known. Only samples of the process count; of all if
 * `pid` is 0. Objects on stacks are left out. Nothing is found if `type` is NULL afterwards. Call
 * hot_objects_deinit() in any case. */
void hot_objects_find(const struct resolution *resolution, const struct sample_counts *counts,
		      const char *name, int32_t pid, size_t most, struct hot_objects *result);
void hot_objects_deinit(struct hot_objects *objects);
