/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF programs as a recording has them: their machine code, functions, lines, types and maps, from
 * the features BPF_PROG_INFO and BPF_BTF of perf.data (perf's Documentation/
 * perf.data-file-format.txt; perf_bpil in tools/perf/util/bpf-utils.h; bpf_prog_info in
 * linux/bpf.h).
 *
 * perf's features say nothing of maps. dtprof's recorder adds what it asks the kernel: after the
 * arrays that perf knows, at the end of a program's data, are the maps and the names of what its
 * code calls, and a trailer. perf reads and ignores them.
 *
 * A program points into the recording's bytes, which outlive it. Nothing there is trusted: lengths
 * are checked when a program is added, and a program whose parts do not fit is left out.
 */
#pragma once

#include "base/arch/arch.h"
#include "base/cursor.h"

/* Arrays of struct bpf_prog_info, by their bits in perf_bpil.arrays. */
enum bpf_array {
	BPF_ARRAY_CODE,      /* jited_prog_insns */
	BPF_ARRAY_INSNS,     /* xlated_prog_insns */
	BPF_ARRAY_MAPS,      /* map_ids */
	BPF_ARRAY_FUNCTIONS, /* jited_ksyms: their addresses */
	BPF_ARRAY_SIZES,     /* jited_func_lens */
	BPF_ARRAY_FUNC_INFO,
	BPF_ARRAY_LINES,       /* line_info */
	BPF_ARRAY_JITED_LINES, /* jited_line_info: their addresses */
	BPF_ARRAY_TAGS,
	BPF_ARRAY_COUNT,
};

/* The place of an array in struct bpf_prog_info: offsets in bytes. */
struct bpf_array_place {
	size_t pointer, count; /* of its 64-bit pointer and 32-bit number of elements */
	size_t element_size;   /* offset of a 32-bit number with the size of an element; 0: */
	size_t size;           /* the size */
};
extern const struct bpf_array_place bpf_array_places[BPF_ARRAY_COUNT];

/* The start of a program in BPF_PROG_INFO; struct bpf_prog_info and the arrays' bytes follow, whose
 * pointers are offsets in these bytes. */
struct bpf_recorded_program {
	uint32_t info_size, data_size;
	uint64_t arrays; /* bits of enum bpf_array */
};

#define BPF_MAGIC "dtprofB1"

struct bpf_recorded_map {
	uint32_t id, type; /* enum bpf_map_type */
	uint32_t key_size, value_size, entries;
	uint32_t btf, key_type, value_type; /* ids; 0: none */
	char name[16];                      /* without a NUL if it is as long */
};

/* A function of the kernel that the code calls. */
struct bpf_recorded_symbol {
	uint64_t address;
	char name[56]; /* as above */
};

struct bpf_recorded_trailer {
	uint32_t maps, symbols; /* numbers of them; the maps come first */
	char magic[8];
};

struct bpf_bytes {
	const uint8_t *data;
	size_t count, element_size; /* elements, and bytes of each */
};

struct bpf_program {
	uint32_t id, btf_id;
	struct bpf_bytes arrays[BPF_ARRAY_COUNT];
	struct bpf_bytes maps, symbols; /* of struct bpf_recorded_map, bpf_recorded_symbol */
	const void *btf;                /* NULL: not recorded */
	size_t btf_size;
};

struct bpf_programs {
	const struct arch *arch; /* of their code */
	struct bpf_program *items;
	size_t count, capacity;
};

/* Adds the programs of BPF_PROG_INFO. Returns false at the first that does not fit. */
bool bpf_programs_add(struct bpf_programs *programs, struct cursor infos);
/* Gives the programs their BTF, of the feature BPF_BTF. Returns false as above. */
bool bpf_programs_add_btf(struct bpf_programs *programs, struct cursor btf);
void bpf_programs_deinit(struct bpf_programs *programs);

/* Copies an element, of which the array may have less than `size` bytes: the rest is 0. */
void bpf_element(const struct bpf_bytes *bytes, size_t index, void *element, size_t size);

/* Finds the program with a function that begins at `address`. NULL: it was not recorded. */
const struct bpf_program *bpf_programs_find(const struct bpf_programs *programs, uint64_t address,
					    size_t *function);
