/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collecting the facts of records, for the files that implement layout_facts.h: layout_facts.c
 * (samples) and code_regions.c (code).
 */
#pragma once

#include "annotate/access.h"
#include "annotate/solve/type_resolver.h"
#include "disasm/cfg.h"
#include "dwarf/types/function.h"
#include "base/hash.h"
#include "profiler/resolve/layout_facts.h"
#include "profiler/resolve/shared_addresses.h"

struct order_use;
struct loop_forest;
struct abi;

/* Returns the name of a function as texts show it, in the arena. Functions that the compiler made
 * (those of OpenMP) have only a mangled name in the debug information. */
const char *function_shown_name(struct arena *arena, const char *name);

/* Returns how many objects there are if `samples` random samples of them are expected to find
 * `distinct` different ones. If all samples differ, returns half the square of their number, which
 * is about the least that is likely. */
double objects_drawn_from(uint64_t samples, uint64_t distinct);
/* Returns how many of `all` elements samples go to, at least, by those that were met once and twice
 * (Chao 1984); 0 if all of them, as far as that tells. */
double objects_met_often(uint64_t samples, uint64_t once, uint64_t twice, double all);
/* Returns how many elements of `size` bytes there are between the first and the last object of each
 * array, summed over the arrays. `objects` has different addresses in ascending order. An object
 * that is much farther from its neighbour than most others are, in another mapping or on a stack,
 * begins another array. */
double objects_in_arrays(const uint64_t *objects, size_t count, uint64_t size);
/* Returns whether so many of the objects are arrays of their own that objects_in_arrays() may leave
 * most out: arrays that samples hit rarely have elements far from each other. */
bool objects_are_alone(const uint64_t *objects, size_t count);
/* Returns the same without the objects that do not lie a multiple of `size` from most others. */
double objects_as_elements(const uint64_t *objects, size_t count, uint64_t size);

/* A sample of a wanted type whose object's address is known. */
struct addressed_sample {
	uint32_t type;
	int32_t pid, tid; /* pid: 0 for the kernel's types, which all processes share */
	uint64_t insn;    /* file address of the access */
	const struct dso *dso;
	uint32_t region;       /* advice_region.number, for layout_find_paces() */
	uint64_t time, object; /* ns, address of the object */
	int32_t member;        /* -1: none */
	uint64_t samples;
};

/* A wanted type while its facts are collected. */
struct chosen_type {
	const struct type *type;
	struct dso *dso;
	uint64_t samples, within; /* as in struct advice_type */
	struct advice_type *facts;
	size_t region_capacity, copy_capacity;
	struct advice_process *processes; /* in any order, until layout_find_objects() */
	size_t process_count, process_capacity;
	struct hash_map by_pid;  /* index in processes */
	struct hash_map sharers; /* the pids that use a process's objects */
	int32_t pid;             /* of that with the most samples */
	/* the combinations of member, thread or processor, and direction that were counted */
	struct hash_map threads;
};

struct sampled_function {
	struct dso *dso;
	uint64_t entry, samples;
	struct cfg *code;
	struct function *function;
	size_t first_access; /* of its instructions among those of the object */
};

/* An address of code: the samples that were taken there, and those that belong there, because they
 * are charged to its access, or were taken there and are charged to none. */
struct sampled_address {
	struct dso *dso;
	uint64_t address, taken, own;
};

/* A call of a bulk memory function, with the argument that its samples count for. */
struct sampled_call {
	struct dso *dso;
	uint64_t address; /* in the call */
	uint8_t argument; /* as bulk_argument() numbers it */
	uint8_t length;   /* the argument with the number of bytes */
	struct access access;
	uint64_t samples;
};

struct facts_collector {
	const struct resolution *resolution;
	const struct sample_counts *counts;
	const struct layout_facts_options *options;
	struct advice *advice;
	struct chosen_type *wanted;
	size_t wanted_count, wanted_capacity;
	struct hash_map by_type; /* index in wanted + 1 */
	struct hash_map named;   /* whether a type has the name that was asked for */
	struct shared_addresses shared;
	struct addressed_sample *seen;
	size_t seen_count, seen_capacity;
	struct sampled_function *functions;
	size_t function_count, function_capacity;
	struct sampled_address *addresses; /* by object and address */
	size_t address_count;
	struct sampled_call *calls; /* the same */
	size_t call_count, call_capacity;
	/* of type (NULL: any), object and address of an access: index in charges */
	struct hash_map charged;
	struct hash_map regions; /* of the same keys: number of the access's region */
	uint32_t region_count;   /* regions that have a number */
	uint64_t *charges;
	size_t charge_count, charge_capacity;
	struct order_use *code_uses; /* see code_constraints.c */
	size_t code_use_count, code_use_capacity;
	uint64_t total; /* samples of all events */
	uint64_t user;  /* those of user space */
};

/* Returns the record that an ACCESS_TYPE is in, of an array of records one element, and sets the
 * offset into it: the outermost one, or that of the name that was asked for. NULL: none. */
const struct type *layout_record_of(struct facts_collector *collector, const struct access *access,
				    uint64_t *offset);
/* A record that an access is in, and the offset in it. */
struct layout_record {
	const struct type *type;
	uint64_t offset;
	bool within; /* it is in another record that the access is in */
};

/* Records in records; no program has more that have lines of their own. */
#define LAYOUT_RECORDS_MAX 8

/* Returns which member each instruction of a function accesses, for its loops; to be freed. */
struct loop_member *layout_loop_members(const struct cfg *code, const struct access *accesses);
/* Lists the records for which samples of the access count: the one of layout_record_of(), and
 * without a name to search for the elements of arrays in it, whose layout may be changed as that of
 * any record, or all in it (options->parts). Returns their number. */
size_t layout_records_of(struct facts_collector *collector, const struct access *access,
			 struct layout_record *records);
/* Returns the wanted type, or NULL if the type is not wanted. */
struct chosen_type *layout_wanted_find(const struct facts_collector *collector,
				       const struct type *type);
/* Returns the key of facts_collector.charged. */
static inline uint64_t layout_charge_key(const struct type *type, const struct dso *dso,
					 uint64_t address)
{
	return hash_combine(hash_combine((uintptr_t)type, (uintptr_t)dso), address);
}

/* Set what the data addresses of samples show: the objects of each type, for each process by
 * itself; how long loops take from one object to the next; and members that are used at one time.
 * Objects are counted by the regions of code, and paces set facts about objects: in this order. */
void layout_find_objects(struct facts_collector *collector);
void layout_find_paces(struct facts_collector *collector);
void layout_find_nears(struct facts_collector *collector);

/* Sets the addresses of samples, and the calls of bulk memory functions that they count for. */
void layout_find_addresses(struct facts_collector *collector);
/* Returns the samples of the addresses [low, high) of an object, as one sum. */
struct sampled_address layout_samples_between(const struct facts_collector *collector,
					      const struct dso *dso, uint64_t low, uint64_t high);

/* Reads the code of all functions with samples and adds its regions to the facts, and constraints
 * to those of objects whose sources are not here. */
struct error *layout_collect_code(struct facts_collector *collector);

/* Find code that depends on the layout of wanted types whose sources are not here. */
void layout_find_code_uses(struct facts_collector *collector, const struct loop_forest *forest,
			   const struct abi *abi, const struct sampled_function *function,
			   const struct access *accesses);
void layout_find_code_calls(struct facts_collector *collector, struct type_resolver *resolver,
			    const struct sampled_function *functions, size_t count);
/* Adds a constraint to each type for each kind of place that was found. */
void layout_keep_code_uses(struct facts_collector *collector);
