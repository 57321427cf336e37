/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of an object that may know something of the places whose values are wanted
 * (distant.h): for an argument the callers, for a member the functions of the unit that may load or
 * store it, for a tag those that may test it. Code is searched as bytes; nothing is decoded or
 * solved here.
 */
#pragma once

#include "annotate/evidence/distant.h"
#include "dwarf/debug.h"
#include "dwarf/elf/image.h"

/* A sorted list of functions. Zero-initialized is empty. The owner frees `items`. */
struct knowing_functions {
	uint64_t *items; /* addresses in them */
	size_t count, capacity;
};

void knowing_functions_add(struct knowing_functions *list, uint64_t address);
/* Sorts the list, and removes duplicates. */
void knowing_functions_sort(struct knowing_functions *list);
/* True if a sorted list has the address. */
bool knowing_functions_has(const struct knowing_functions *list, uint64_t address);

/* Returns the size of the function's code, or 0 if no symbol has it. */
uint64_t knowing_functions_code_size(const struct elf_image *image, uint64_t entry);

struct knowing_search {
	const struct elf_image *image;
	struct debug_reader *reader;
	struct distant_facts *facts;
};

/* True if no evidence on the fact was collected so far, and functions of a unit may know of it. */
bool knowing_functions_are_of_unit(const struct distant_fact *fact);
/* Finds these functions of a unit. Threads may do this for several facts, each with a reader of its
 * own. */
void knowing_functions_find(const struct elf_image *image, struct debug_reader *reader,
			    struct distant_fact *fact);

/* Lists the functions that know something of places for which no evidence was collected so far, and
 * marks these places as asked. Those of units have been found before. */
struct knowing_functions knowing_functions_list(const struct knowing_search *search);
