/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of one function of a BPF program as an ELF file with BTF, so that it is looked up like
 * any other code.
 *
 * The kernel's JIT keeps the calling convention of C, so arguments are found by the BTF of the
 * function. Three things that a compiler would have described are added to the BTF:
 *
 * - Maps that are arrays, and the sections of variables, lie at fixed addresses, which the code
 *   has as constants: they are variables of the file.
 * - A lookup in a map returns a pointer to its value. The call's target is replaced by a function
 *   of this file that is declared to return it, "NAME:MAP", after the address of the code.
 * - The kernel's inlined lookup in a hash table returns the element that has the value, and the
 *   code then adds the offset of the value. Here the call returns the value, and 0 is added. The
 *   code in between is the kernel's own: the section BPF_OWN_CODE lists it.
 *
 * Programs read most contexts (struct __sk_buff) as they are declared, but the verifier makes each
 * access one to another struct of the kernel. Such a context is a struct named BPF_CONTEXT with the
 * declared struct as its only member; offsets in it mean nothing.
 */
#pragma once

#include "base/error.h"
#include "dwarf/elf/image.h"
#include "profiler/objects/bpf_programs.h"

/* An element of an array whose values are not multiples of 8 bytes: a struct with member `value`.
 */
#define BPF_ELEMENT  "(map element)"
#define BPF_CONTEXT  "(context)"
#define BPF_OWN_CODE ".own_code" /* struct bpf_own_code */

/* Code between the addresses accesses memory of the kernel's own. */
struct bpf_own_code {
	uint64_t start, end;
};

/* Makes the image. `data` is its file, which the caller frees after closing it. */
struct error *bpf_image_make(const struct bpf_program *program, size_t function,
			     const struct arch *arch, const char *name, void **data,
			     struct elf_image **image);

/* A line of source, as the program's BTF has it. Strings live as long as the program. */
struct bpf_line {
	const char *file, *text;
	unsigned int line;
};

/* Finds the line of an address in a function. */
bool bpf_line_at(const struct bpf_program *program, uint64_t address, struct bpf_line *line);
