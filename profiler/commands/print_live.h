/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints variables and objects in the memory of a process or a core file, by their types.
 *
 * An expression is the name of a variable with static storage, followed by members (.member, and
 * ->member for a pointer) and indexes ([3]); a * before it follows the pointer that it is.
 */
#pragma once

#include "profiler/commands/print_memory.h"
#include "profiler/commands/print_value.h"
#include "profiler/objects/bpf_map.h"
#include "profiler/objects/dso.h"
#include "profiler/resolve/hot_objects.h"

struct live_root {
	const struct type *type; /* canonical; the caller keeps its reader open */
	uint64_t address;
	const char *name;             /* what the line before it begins with */
	const struct hot_object *hot; /* its samples */
};

struct print_live {
	struct process_memory *memory;
	const char *object;            /* the only file whose variables count; NULL: all */
	const struct dso_options *dso; /* where files are */
	const char *expression;        /* or, with an address, the name of a type */
	bool has_address;
	uint64_t address;
	unsigned int depth; /* how many pointers in a row are followed */
	bool json;
	struct value_options value;
	const struct live_root *roots; /* objects that are shown in place of an expression */
	size_t root_count;
};

struct error *print_live(const struct print_live *live);

/* ---- print_map.c ---- */

/* Prints a BPF map by its types: C initializers, or the JSON of `bpftool -j map dump`. */
struct error *print_map(const struct bpf_map *map, const struct value_options *options, bool json);
