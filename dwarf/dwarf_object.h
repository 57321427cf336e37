/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a debug_object; private to dwarf/. */
#ifndef DTPROF_DWARF_DWARF_OBJECT_H
#define DTPROF_DWARF_DWARF_OBJECT_H

#include "dwarf/btf/object.h"
#include "dwarf/debug.h"
#include "dwarf/dwarf_frame.h"
#include "dwarf/dwarf_names.h"
#include "dwarf/dwarf_range.h"
#include "dwarf/dwarf_type.h"
#include "dwarf/dwarf_unit.h"

struct unit_span {
	uint64_t low;
	uint64_t high;
	struct unit *unit;
};

struct debug_object {
	const struct debug_operations *operations; /* see debug.c */
	struct btf_object *btf;                    /* of BTF alone: then nothing below is used; else NULL */
	const struct elf_image *image;
	const struct elf_image *debug_image;
	bool has_all_symbols; /* each variable has one */
	struct dwarf_files *files;
	struct dwarf_names *names;
	struct dwarf_types types;
	struct unit_span *spans; /* sorted by low: which unit an address is in */
	size_t span_count;
	/* all are inserted into under the type table's lock */
	struct concurrent_map prototypes;   /* DIE -> struct dwarf_prototype */
	struct concurrent_map globals;      /* variable's DIE -> its struct global */
	struct concurrent_map lines;        /* unit -> struct line_table */
	struct concurrent_map flexible;     /* unit -> struct flexible_records */
	struct concurrent_map inline_casts; /* unit -> struct inline_casts */
	struct frame_table frames;
	size_t functions_read;                /* atomic */
	struct dwarf_sections image_sections; /* where `image` is another file than `debug_image` */
};

/* dwarf_span.c: fill in spans */
void dwarf_spans_build(struct debug_object *object);
/* The function that covers `address`, and its unit; NULL: none. */
const struct function_entry *dwarf_function_entry(struct debug_object *object, uint64_t address);

/* The unit that `address` is in; NULL: none. */
struct unit *dwarf_unit_at(struct debug_object *object, uint64_t address);

/* A prototype with what is needed to number parameters. */
struct dwarf_prototype {
	struct prototype prototype;
	uint64_t *parameter_dies; /* references of the DIEs that the parameters were read from */
};

/* Of the subprogram DIE at a reference, be it abstract, a declaration or a concrete instance; NULL: it is no
 * subprogram. */
const struct dwarf_prototype *dwarf_prototype(struct debug_object *object, uint64_t reference);

#endif
