/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types, functions and variables as BTF (the kernel's Documentation/bpf/btf.rst), written by
 * libbpf.
 *
 * Types are numbered in the order in which they are added, those that a type leads to right after
 * it, so the same calls give the same bytes. Functions come after the types and variables at the
 * end, with a BTF_KIND_DATASEC for each section.
 *
 * BTF cannot say everything, so: C++ classes are structs, their references pointers, and base
 * classes nameless members; a record with members of several variants (Rust's enums) is a union of
 * them; complex numbers, and numbers of a size that BTF does not have, are arrays of bytes. A
 * record that is larger than BTF can describe is only declared. struct btf_losses counts these.
 */
#pragma once

#include "dwarf/types/function.h"
#include "base/error.h"

struct btf_encoder;

/* Counts the things that BTF cannot say. */
struct btf_losses {
	size_t records;   /* too large: only declared */
	size_t functions; /* without a name, with too many parameters or one that has no name */
	size_t variables; /* without a type, a name or a section: left out */
};

struct btf_encoder *btf_encoder_create(void);
void btf_encoder_destroy(struct btf_encoder *encoder);

/* Adds a type with all that it leads to, unless it is there already. */
void btf_encoder_add_type(struct btf_encoder *encoder, const struct type *type);
/* Adds a function. One of the same name and type is added once. */
void btf_encoder_add_function(struct btf_encoder *encoder, const char *name,
			      const struct prototype *prototype, bool external);
/* Adds a variable that is `offset` bytes into a section of `section_size` bytes. */
void btf_encoder_add_variable(struct btf_encoder *encoder, const char *section,
			      uint64_t section_size, const struct global *variable, uint64_t offset,
			      bool external);

/* Writes everything that was added. The caller frees *data. Call it once. */
struct error *btf_encoder_finish(struct btf_encoder *encoder, void **data, size_t *size,
				 struct btf_losses *losses);
