/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that make a companion. */
#pragma once

#include "annotate/index/index.h"
#include "dwarf/companion/build.h"

enum note_flag {
	NOTE_MEMORY = 1, /* its answer is asked for */
	NOTE_TWO = 2,    /* another one for stores, too */
	NOTE_FUSED = 4,  /* a conditional jump after a comparison of memory */
	NOTE_CALL = 8,
	NOTE_BULK = 16,      /* a call of, or jump to, a bulk memory function */
	NOTE_NO_RETURN = 32, /* a call that never returns */
};

/* An instruction. */
struct note {
	uint8_t length;
	uint8_t flags;
};

/* A run of code without a gap, of one function or of none. */
struct code_run {
	uint64_t low, high;
	uint64_t entry;               /* of the function */
	bool has_function, is_symbol; /* see COMPANION_RUN_HAS_FUNCTION */
	bool goes_on; /* from what an argument may point to, to other members or elements */
	struct note *notes;           /* of the instructions */
	size_t note_count;
	struct strbuf accesses[ACCESS_LANES]; /* its item in .dtprof.access */
	struct kept_call *calls; /* of bulk memory functions, in the order of addresses */
	size_t call_count, call_capacity;
};

/* An item of .dtprof.calls. */
struct kept_call {
	uint64_t address;
	struct strbuf item;
};

struct code_runs {
	struct code_run *items;
	size_t count, capacity;
};

/* Lists all code of the object in the order of its addresses. */
void runs_find(const struct elf_image *image, struct debug_object *debug,
	       struct debug_reader *reader, struct code_runs *runs, unsigned int threads);
/* Notes the instructions of all runs. */
void runs_decode(const struct elf_image *image, struct debug_object *debug, struct code_runs *runs,
		 unsigned int threads);
void runs_deinit(struct code_runs *runs);

/* Writes functions, source lines and inlined calls of all runs. Returns how many functions. */
size_t index_add_places(struct companion_builder *builder, const struct elf_image *image,
			struct debug_object *debug, struct debug_reader *reader,
			const struct code_runs *runs, unsigned int threads);
/* Names the records that the object declares. */
void index_add_names(struct companion_builder *builder, struct debug_reader *reader,
		     const struct elf_image *image);
/* Writes the names of the source files that were compiled. */
void index_add_files(struct companion_builder *builder, struct debug_reader *reader);
/* Writes the variables of an object. */
void index_add_variables(struct companion_builder *builder, struct debug_reader *reader,
			 const struct elf_image *image);
