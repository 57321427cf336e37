// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The code of an object, from its first byte to its last: runs that belong to one function or to
 * none, and their instructions. Code without a function is followed symbol by symbol, and without a
 * symbol instruction by instruction, until a function begins.
 */

#include "annotate/facts/no_return.h"
#include "annotate/index/private.h"
#include "annotate/solve/type_resolver.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "disasm/insn.h"

/* A run without a symbol is not longer than this, so that no item of a companion is huge. */
#define UNNAMED_MAX 4096

static struct code_run *add_run(struct code_runs *runs, uint64_t low, uint64_t high)
{
	array_reserve(runs->items, runs->count, runs->capacity);
	runs->items[runs->count] = (struct code_run){
		.low = low,
		.high = high,
		.accesses = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT },
	};
	return &runs->items[runs->count++];
}

/*
 * Returns the end of the part of a function that an address is in. Mostly that is all of the
 * function, which is seen without reading it: the last byte of as many bytes belongs to it, and the
 * one after not.
 */
static uint64_t end_of_function(struct debug_reader *reader, uint64_t address, uint64_t entry,
				uint64_t size)
{
	uint64_t last, next, high = address;
	_cleanup_arena_ struct arena arena = { 0 };

	if (address == entry && size &&
	    debug_reader_function_entry(reader, entry + size - 1, &last, NULL) && last == entry &&
	    (!debug_reader_function_entry(reader, entry + size, &next, NULL) || next != entry))
		return entry + size;
	const struct function_outline *outline = debug_reader_outline(reader, address, &arena);

	for (size_t i = 0; outline && i < outline->range_count; i++)
		if (address >= outline->ranges[i].low && address < outline->ranges[i].high)
			high = outline->ranges[i].high;
	return high;
}

/* True if the debug information describes the function whose code is [low, high), although
 * it does not say so: it names it, as the symbol there, which has all of the code. */
static bool function_of_symbol(const struct elf_image *image, struct debug_reader *reader,
			       uint64_t low, uint64_t high)
{
	struct function *function;

	if (elf_image_function_at(image, low) != elf_image_function_at(image, high - 1))
		return false;
	function = debug_reader_function(reader, low);
	bool known = function && function->range_count && function->ranges[0].low == low;

	function_destroy(function);
	return known;
}

/* Returns the end of the instruction at an address, before `last`; padding, decoded, may seem to go
 * on in the function after it. */
static uint64_t end_of_insn(const struct elf_image *image, struct debug_reader *reader,
			    struct decoder *decoder, uint64_t address, uint64_t last)
{
	size_t available;
	const uint8_t *bytes = elf_image_code(image, address, &available);
	uint64_t length, entry;

	if (!bytes)
		return address;
	length = decoder_length(decoder, bytes,
				available < last - address ? available : last - address);
	for (uint64_t i = 1; i < length; i++)
		if (debug_reader_function_entry(reader, address + i, &entry, NULL))
			return address + i;
	return address + length;
}

/* Returns the end of the code at `address` that belongs to one symbol, or to none. */
static uint64_t end_of_unknown(const struct elf_image *image, struct debug_reader *reader,
			       struct decoder *decoder, uint64_t address, uint64_t end)
{
	const struct symbol *symbol = elf_image_function_at(image, address);
	bool named = symbol && address < symbol->address + symbol->size;
	uint64_t at = address, next = address, entry, last;

	last = named ? symbol->address + symbol->size : address + UNNAMED_MAX;
	if (last > end || last < address)
		last = end;
	do {
		const struct symbol *other;

		at = next;
		other = at > address ? elf_image_function_at(image, at) : NULL;
		if (at >= last || (other && other != symbol && at < other->address + other->size) ||
		    (at > address && debug_reader_function_entry(reader, at, &entry, NULL)))
			break;
		next = end_of_insn(image, reader, decoder, at, last);
	} while (next > at);
	return at;
}

/* A part of a section, which ends where a function begins, and its code. */
struct code_piece {
	uint64_t low, high;
	struct code_runs runs;
};

struct find_job {
	const struct elf_image *image;
	struct debug_object *debug;
	struct code_piece *pieces;
};

static void find_in_piece(const struct elf_image *image, struct debug_reader *reader,
			  struct decoder *decoder, struct code_piece *piece)
{
	uint64_t at = piece->low, end = piece->high;
	size_t available;

	while (at < end && elf_image_code(image, at, &available)) {
		uint64_t next = at, entry, size;
		bool known = debug_reader_function_entry(reader, at, &entry, &size);

		if (known)
			next = end_of_function(reader, at, entry, size);
		known = next > at;
		bool unknown = !known;

		if (unknown) {
			next = end_of_unknown(image, reader, decoder, at, end);
			known = function_of_symbol(image, reader, at, next);
			entry = at;
		}
		if (next <= at)
			break;
		struct code_run *run = add_run(&piece->runs, at, next < end ? next : end);

		run->has_function = known;
		run->is_symbol = known && unknown;
		run->entry = known ? entry : 0;
		at = run->high;
	}
}

static void find_piece(size_t item, unsigned int thread _unused_, void *data)
{
	const struct find_job *job = data;
	struct code_piece *piece = &job->pieces[item];
	struct debug_reader *reader = debug_reader_open(job->debug);
	struct decoder *decoder = decoder_create(elf_image_arch(job->image));

	find_in_piece(job->image, reader, decoder, piece);
	decoder_destroy(decoder);
	debug_reader_close(reader);
}

/* Bytes of code in a piece. */
#define PIECE_SIZE 1048576

/* Returns the first address from `address` on where a function begins, before `end`, or that. */
static uint64_t function_from(struct debug_reader *reader, uint64_t address, uint64_t end)
{
	uint64_t entry, size;

	while (address < end) {
		if (!debug_reader_function_entry(reader, address, &entry, &size))
			address++;
		else if (entry == address)
			return address;
		else
			address = entry < address && size > address - entry ? entry + size
									    : address + 1;
	}
	return end;
}

/* Adds a section's pieces. */
static void cut_section(struct debug_reader *reader, const struct elf_section *section,
			struct code_piece **pieces, size_t *count, size_t *capacity)
{
	uint64_t end = section->address + section->size;

	for (uint64_t at = section->address, next; at < end; at = next) {
		next = end - at > PIECE_SIZE ? function_from(reader, at + PIECE_SIZE, end) : end;
		array_add(*pieces, *count, *capacity) =
			(struct code_piece){ .low = at, .high = next };
	}
}

void runs_find(const struct elf_image *image, struct debug_object *debug,
	       struct debug_reader *reader, struct code_runs *runs, unsigned int threads)
{
	struct elf_section section;
	struct find_job job = { image, debug, NULL };
	size_t available, count = 0, capacity = 0;

	for (size_t i = 0; elf_image_section_numbered(image, i, &section); i++) {
		if (!section.executable || !section.address ||
		    !elf_image_code(image, section.address, &available))
			continue;
		lower_to(section.size, available);
		cut_section(reader, &section, &job.pieces, &count, &capacity);
	}
	parallel_for(count, threads, find_piece, &job);
	array_each (struct code_piece, piece, job.pieces, count) {
		array_each (const struct code_run, run, piece->runs.items, piece->runs.count)
			array_add(runs->items, runs->count, runs->capacity) = *run;
		free(piece->runs.items);
	}
	free(job.pieces);
}

/* ---- instructions ---- */

/* A thread's tools. */
struct noter {
	const struct elf_image *image;
	struct decoder *decoder; /* NULL: not open */
	struct debug_reader *reader;
	struct hash_map named; /* see struct caller */
	bool kernel;
};

struct decode_job {
	const struct elf_image *image;
	struct debug_object *debug;
	struct code_runs *runs;
	struct noter *noters; /* by thread */
};

/* True for a jump out of the run, which may go through a thunk of a kernel and is a return then. */
static bool leaves(const struct code_run *run, const struct insn *insn)
{
	uint64_t target;

	return (insn->operation == OP_JUMP || insn->operation == OP_BRANCH) &&
	       insn_direct_target(insn, &target) && (target < run->low || target >= run->high);
}

static uint8_t flags_of(const struct code_run *run, const struct insn *insn,
			const struct insn *before)
{
	const struct operand *loaded = insn_memory(insn, false);
	const struct operand *stored = insn_memory(insn, true);
	bool asked = loaded || stored || insn->flags & FLAG_UNKNOWN || leaves(run, insn);
	uint8_t flags = asked ? NOTE_MEMORY : 0;

	if (loaded != stored)
		flags |= NOTE_TWO;
	if (insn->operation == OP_CALL)
		flags |= NOTE_CALL;
	/* solve_function_is_fused() has the same condition */
	if (before && insn->operation == OP_BRANCH && insn->condition != CONDITION_NONE &&
	    (before->operation == OP_COMPARE || before->operation == OP_TEST) &&
	    insn_memory(before, false))
		flags |= NOTE_MEMORY | NOTE_FUSED;
	return flags;
}

/* Returns the flags of a call or jump that depend on its target. */
static uint8_t flags_of_target(struct noter *noter, const struct code_run *run,
			       const struct insn *insn)
{
	const struct caller caller = { .image = noter->image,
				       .reader = noter->reader,
				       .decoder = noter->decoder,
				       .address = insn->address,
				       .named = &noter->named };
	uint64_t to, return_address = insn->address + insn->length;
	uint8_t flags = 0;

	if (insn->operation != OP_CALL && !(insn->operation == OP_JUMP && leaves(run, insn)))
		return 0;
	if (type_resolver_bulk(noter->image, insn, noter->kernel))
		flags |= NOTE_BULK;
	if (insn->operation == OP_CALL &&
	    ((insn_direct_target(insn, &to) && call_never_returns(&caller, return_address, to)) ||
	     (insn_slot(insn, &to) && call_through_never_returns(&caller, return_address, to))))
		flags |= NOTE_NO_RETURN;
	return flags;
}

/*
 * Notes whether code goes on from what an argument may point to: to the elements from a member on,
 * or to what is before or behind it. Kernels have too many functions of the last kind. layout asks
 * for this (profiler/resolve/code_constraints.c). *passed has the registers that may still have an
 * argument, in the order of the code.
 */
static void runs_note_passed(struct code_run *run, const struct noter *noter,
			     const struct insn *insn, uint64_t *passed)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	uint64_t copied = 0;

	for (int store = 0; store < 2; store++) {
		const struct operand *memory = insn_memory(insn, store);

		if (memory && memory->kind == OPERAND_MEMORY && !memory->absolute &&
		    *passed & REG_BIT(memory->base))
			run->goes_on |=
				memory->index == REG_NONE
					? memory->value < 0 || (memory->value && !noter->kernel)
					: memory->value >= 0 && memory->size &&
						  memory->scale == memory->size;
	}
	if (insn->operation == OP_MOVE && insn->operand_count == 2 &&
	    to->kind == OPERAND_REGISTER && from->kind == OPERAND_REGISTER &&
	    *passed & REG_BIT(from->reg))
		copied = REG_BIT(to->reg);
	*passed &= ~insn->written;
	if (insn->operation == OP_CALL)
		*passed &= elf_image_arch(noter->image)->call.preserved;
	*passed |= copied;
}

static void decode_run(struct noter *noter, struct code_run *run)
{
	struct insn insns[2];
	size_t capacity = 0, count = 0, available;
	const uint8_t *bytes = elf_image_code(noter->image, run->low, &available);
	uint64_t size = run->high - run->low,
		 passed = GENERAL_MASK & ~REG_BIT(elf_image_arch(noter->image)->stack_pointer);

	if (!bytes)
		return;
	lower_to(size, available);
	for (uint64_t at = 0; at < size; count++) {
		struct insn *insn = &insns[count & 1];

		decoder_decode(noter->decoder, bytes + at, size - at, run->low + at, insn);
		array_reserve(run->notes, count, capacity);
		run->notes[count].length = insn->length;
		run->notes[count].flags = flags_of(run, insn, count ? &insns[~count & 1] : NULL) |
					  flags_of_target(noter, run, insn);
		if (run->has_function && run->entry == run->low)
			runs_note_passed(run, noter, insn, &passed);
		at += insn->length;
	}
	run->note_count = count;
}

/* Runs in one piece of work. */
#define RUNS_PER_PIECE 64

static void open_noter(const struct decode_job *job, struct noter *noter)
{
	noter->image = job->image;
	noter->kernel = type_resolver_is_kernel(job->image);
	noter->reader = debug_reader_open(job->debug);
	noter->decoder = decoder_create(elf_image_arch(job->image));
}

static void decode_runs(size_t item, unsigned int thread, void *data)
{
	const struct decode_job *job = data;
	size_t end = (item + 1) * RUNS_PER_PIECE;

	if (!job->noters[thread].decoder)
		open_noter(job, &job->noters[thread]);
	for (size_t i = item * RUNS_PER_PIECE; i < end && i < job->runs->count; i++)
		decode_run(&job->noters[thread], &job->runs->items[i]);
}

void runs_decode(const struct elf_image *image, struct debug_object *debug, struct code_runs *runs,
		 unsigned int threads)
{
	_cleanup_free_ struct noter *noters = xcalloc(threads, sizeof(*noters));
	struct decode_job job = { image, debug, runs, noters };

	parallel_for((runs->count + RUNS_PER_PIECE - 1) / RUNS_PER_PIECE, threads, decode_runs,
		     &job);
	for (unsigned int i = 0; i < threads; i++) {
		decoder_destroy(noters[i].decoder);
		debug_reader_close(noters[i].reader);
		hash_map_deinit(&noters[i].named);
	}
}

void runs_deinit(struct code_runs *runs)
{
	array_each (struct code_run, run, runs->items, runs->count) {
		free(run->notes);
		for (size_t k = 0; k < ACCESS_LANES; k++)
			strbuf_deinit(&run->accesses[k]);
		for (size_t k = 0; k < run->call_count; k++)
			strbuf_deinit(&run->calls[k].item);
		free(run->calls);
	}
	free(runs->items);
}
