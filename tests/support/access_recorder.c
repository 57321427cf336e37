// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes functions from the symbol table and their memory instructions from the decoder, and writes
 * a sample for each. */
#include "base/arch/x86_64.h"
#include "tests/support/access_recorder.h"

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/insn.h"
#include "dwarf/elf/image.h"
#include "base/memory.h"
#include "tests/support/perf_data_writer.h"

#define PROCESS 4242
/* the address at which Linux loads a PIE without randomization */
#define LOAD_BASE UINT64_C(0x555555554000)
/* of the library */
#define LIBRARY_BASE UINT64_C(0x7ffff0000000)
#define PAGE         UINT64_C(4096)

struct access_place {
	uint64_t address;
	uint32_t pid;
	uint64_t data; /* its data address; 0: none */
	bool store;
};

struct access_places {
	struct access_place *items;
	size_t count;
	size_t capacity;
};

/* "lookup" also asks for "lookup.cold" and "lookup.part.0". */
static bool is_wanted(const char *const *functions, const char *name)
{
	if (!functions)
		return true;
	for (; *functions; functions++) {
		size_t length = strlen(*functions);

		if (strncmp(name, *functions, length) == 0 &&
		    (name[length] == '\0' || name[length] == '.'))
			return true;
	}
	return false;
}

/* push, call and similar instructions access memory, too, but a return address has no type */
static bool is_stack_bookkeeping(const struct insn *insn, const struct operand *memory)
{
	switch (insn->operation) {
	case OP_PUSH:
	case OP_POP:
	case OP_CALL:
	case OP_RETURN:
	case OP_LEAVE: return memory->base == REG_RSP || memory->base == REG_RBP;
	default: return false;
	}
}

static void collect_function(struct decoder *decoder, const uint8_t *bytes, size_t size,
			     uint64_t address, unsigned int most, struct access_places *places)
{
	const size_t end = places->count + (most ?: UINT32_MAX);
	struct insn insn;

	for (size_t offset = 0; offset < size && places->count < end; offset += insn.length) {
		decoder_decode(decoder, bytes + offset, size - offset, address + offset, &insn);
		if (insn.length == 0)
			return;

		const struct operand *memory = insn_memory(&insn, false);

		if (!memory || is_stack_bookkeeping(&insn, memory))
			continue;
		array_reserve(places->items, places->count, places->capacity);
		places->items[places->count++] =
			(struct access_place){ .address = insn.address,
					       .store = memory->write && !memory->read };
	}
}

static void collect(const struct elf_image *image, struct decoder *decoder,
		    const struct access_request *request, struct access_places *places)
{
	size_t count;
	const struct symbol *symbols = elf_image_symbols(image, &count);
	uint64_t done = 0; /* aliases share a function's instructions */

	for (size_t i = 0; i < count; i++) {
		const struct symbol *symbol = &symbols[i];
		size_t available;
		const uint8_t *bytes;

		if ((symbol->type != STT_FUNC && symbol->type != STT_NOTYPE) ||
		    symbol->address < done || !is_wanted(request->functions, symbol->name))
			continue;
		bytes = elf_image_code(image, symbol->address, &available);
		if (!bytes)
			continue;
		if (available > symbol->size)
			available = symbol->size;
		collect_function(decoder, bytes, available, symbol->address, request->first,
				 places);
		done = symbol->address + available;
	}
}

static void shuffle(struct access_places *places)
{
	uint64_t state = 88172645463325252ULL;

	for (size_t i = places->count; i > 1; i--) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;

		size_t other = state % i;
		struct access_place item = places->items[i - 1];

		places->items[i - 1] = places->items[other];
		places->items[other] = item;
	}
}

/* The maps that the dynamic loader makes of the executable segments. */
static void add_maps(struct perf_data_writer *writer, const struct elf_image *image, uint32_t pid,
		     const char *path, uint64_t base)
{
	size_t size;
	const uint8_t *data = elf_image_data(image, &size);
	const Elf64_Ehdr *header = (const void *)data;

	for (unsigned int i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *segment =
			(const void *)(data + header->e_phoff + i * sizeof(*segment));

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;

		uint64_t start = segment->p_vaddr & -PAGE;
		uint64_t end = (segment->p_vaddr + segment->p_memsz + PAGE - 1) & -PAGE;

		perf_data_add_map(writer, pid, base + start, end - start, segment->p_offset & -PAGE,
				  path);
	}
}

static uint32_t process_count(const struct access_request *request)
{
	return request->processes ? request->processes : 1;
}

/* Adds the maps of an object at `base` in all processes, and its build id. */
static void add_object(struct perf_data_writer *writer, const struct access_request *request,
		       const struct elf_image *image, const char *file, uint64_t base)
{
	_cleanup_free_ char *path = realpath(file, NULL);
	const struct build_id *build_id = elf_image_build_id(image);

	for (uint32_t i = 0; i < process_count(request); i++)
		add_maps(writer, image, PROCESS + i, path, base);
	if (build_id->size)
		perf_data_add_build_id(writer, path, build_id->bytes, build_id->size);
}

static struct error *add_library(struct perf_data_writer *writer,
				 const struct access_request *request)
{
	struct elf_image *image;

	RETURN_ERROR(elf_image_open(request->library, &image));
	add_object(writer, request, image, request->library, LIBRARY_BASE);
	elf_image_close(image);
	return NULL;
}

static struct error *write_samples(const struct access_request *request,
				   const struct elf_image *image, struct access_places *places)
{
	uint64_t base = elf_image_type(image) == ET_DYN ? LOAD_BASE : 0;
	struct perf_data_writer writer;
	struct error *error = NULL;

	perf_data_writer_init(&writer);
	for (uint32_t i = 0; i < process_count(request); i++)
		perf_data_add_comm(&writer, PROCESS + i, PROCESS + i, "recorded");
	add_object(&writer, request, image, request->object, base);
	if (request->library)
		error = add_library(&writer, request);
	for (size_t i = 0; i < places->count && request->data_map; i++)
		perf_data_add_data_map(
			&writer,
			&(struct written_data_map){
				.pid = places->items[i].pid,
				.start = places->items[i].data & -PAGE,
				.length = request->data_map,
				.offset = request->shared ? places->items[i].data & 0xfffff000 : 0,
				.inode = request->shared ? 77 : 0,
				.shared = request->shared,
				.path = request->shared ? "/dev/shm/memory" : "//anon" });
	for (size_t i = 0; i < places->count; i++) {
		perf_data_add_sample(
			&writer, &(struct written_sample){ .ip = base + places->items[i].address,
							   .pid = places->items[i].pid,
							   .tid = places->items[i].pid,
							   .address = places->items[i].data,
							   .period = 1,
							   .weight = 50,
							   .store = places->items[i].store });
	}
	if (!error)
		error = perf_data_write(&writer, request->output);
	perf_data_writer_deinit(&writer);
	return error;
}

static void repeat_places(struct access_places *places, const struct access_request *request)
{
	size_t once = places->count;
	unsigned int repeat = request->repeat > 1 ? request->repeat : 1;

	places->items = xrealloc_array(places->items, once * repeat, sizeof(*places->items));
	places->capacity = once * repeat;
	for (unsigned int i = 1; i < repeat; i++)
		memcpy(places->items + i * once, places->items, once * sizeof(*places->items));
	places->count = once * repeat;
	for (size_t i = 0; i < places->count; i++) {
		places->items[i].pid = PROCESS + (uint32_t)(i / once) % process_count(request);
		if (request->address)
			places->items[i].data = request->address((unsigned int)(i / once));
	}
}

struct error *access_recorder_write(const struct access_request *request, size_t *samples)
{
	struct access_places places = { 0 };
	struct elf_image *image = NULL;
	struct decoder *decoder = NULL;
	struct error *error;

	error = elf_image_open(request->object, &image);
	if (!error)
		error = decoder_check(&arch_x86_64);
	if (!error) {
		decoder = decoder_create(&arch_x86_64);
		collect(image, decoder, request, &places);
		if (places.count == 0)
			error = error_create(ERROR_NOT_FOUND, "%s: no memory instruction found",
					     request->object);
	}
	if (!error) {
		repeat_places(&places, request);
		if (request->shuffle)
			shuffle(&places);
		error = write_samples(request, image, &places);
	}
	if (!error)
		*samples = places.count;
	decoder_destroy(decoder);
	elf_image_close(image);
	free(places.items);
	return error;
}
