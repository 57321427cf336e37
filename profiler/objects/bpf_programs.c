// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements bpf_programs.h. */
#include "profiler/objects/bpf_programs.h"

#include <linux/bpf.h>

#include "base/memory.h"

#define PLACE(pointer, count)                                                                      \
	offsetof(struct bpf_prog_info, pointer), offsetof(struct bpf_prog_info, count)
#define RECORDS(size) .element_size = offsetof(struct bpf_prog_info, size)

const struct bpf_array_place bpf_array_places[BPF_ARRAY_COUNT] = {
	[BPF_ARRAY_CODE] = { PLACE(jited_prog_insns, jited_prog_len), .size = 1 },
	[BPF_ARRAY_INSNS] = { PLACE(xlated_prog_insns, xlated_prog_len), .size = 1 },
	[BPF_ARRAY_MAPS] = { PLACE(map_ids, nr_map_ids), .size = sizeof(uint32_t) },
	[BPF_ARRAY_FUNCTIONS] = { PLACE(jited_ksyms, nr_jited_ksyms), .size = sizeof(uint64_t) },
	[BPF_ARRAY_SIZES] = { PLACE(jited_func_lens, nr_jited_func_lens),
			      .size = sizeof(uint32_t) },
	[BPF_ARRAY_FUNC_INFO] = { PLACE(func_info, nr_func_info), RECORDS(func_info_rec_size) },
	[BPF_ARRAY_LINES] = { PLACE(line_info, nr_line_info), RECORDS(line_info_rec_size) },
	[BPF_ARRAY_JITED_LINES] = { PLACE(jited_line_info, nr_jited_line_info),
				    RECORDS(jited_line_info_rec_size) },
	[BPF_ARRAY_TAGS] = { PLACE(prog_tags, nr_prog_tags), .size = BPF_TAG_SIZE },
};

static uint64_t number_at(const struct bpf_prog_info *info, size_t offset, size_t size)
{
	uint64_t number = 0;

	memcpy(&number, (const char *)info + offset, size);
	return number;
}

/* Finds an array in the program's bytes. Returns false if it is not within them. */
static bool take_array(const struct bpf_prog_info *info, const struct bpf_array_place *place,
		       const uint8_t *data, size_t size, struct bpf_bytes *array)
{
	uint64_t offset = number_at(info, place->pointer, 8),
		 count = number_at(info, place->count, 4),
		 each = place->element_size ? number_at(info, place->element_size, 4) : place->size;

	if (!count)
		return true;
	if (!each || offset > size || count > (size - offset) / each)
		return false;
	*array = (struct bpf_bytes){ data + offset, count, each };
	return true;
}

/* Finds the maps and symbols that dtprof's recorder added, if it made the file. */
static void take_additions(struct bpf_program *program, const uint8_t *data, size_t size)
{
	struct bpf_recorded_trailer trailer;
	size_t left = size - sizeof(trailer), symbols, maps;

	if (size < sizeof(trailer))
		return;
	memcpy(&trailer, data + left, sizeof(trailer));
	if (memcmp(trailer.magic, BPF_MAGIC, sizeof(trailer.magic)) != 0)
		return;
	symbols = trailer.symbols * sizeof(struct bpf_recorded_symbol);
	maps = trailer.maps * sizeof(struct bpf_recorded_map);
	if (symbols > left || maps > left - symbols)
		return;
	program->symbols = (struct bpf_bytes){ data + left - symbols, trailer.symbols,
					       sizeof(struct bpf_recorded_symbol) };
	program->maps = (struct bpf_bytes){ data + left - symbols - maps, trailer.maps,
					    sizeof(struct bpf_recorded_map) };
}

/* Returns whether the functions have code: a size each, all of it recorded. */
static bool functions_fit(const struct bpf_program *program)
{
	const struct bpf_bytes *sizes = &program->arrays[BPF_ARRAY_SIZES];
	uint64_t sum = 0;

	for (size_t i = 0; i < sizes->count; i++) {
		uint32_t size;

		bpf_element(sizes, i, &size, sizeof(size));
		sum += size;
	}
	return sizes->count == program->arrays[BPF_ARRAY_FUNCTIONS].count &&
	       sum <= program->arrays[BPF_ARRAY_CODE].count;
}

static bool take_program(struct cursor *infos, struct bpf_program *program)
{
	struct bpf_recorded_program start;
	struct bpf_prog_info info = { 0 };
	const void *bytes = cursor_bytes(infos, sizeof(start));

	if (!bytes)
		return false;
	memcpy(&start, bytes, sizeof(start));

	const void *own = cursor_bytes(infos, start.info_size);
	const uint8_t *data = cursor_bytes(infos, start.data_size);

	if (!own || !data)
		return false;
	/* the recorder's kernel headers may be older or newer than these */
	memcpy(&info, own, start.info_size < sizeof(info) ? start.info_size : sizeof(info));
	*program = (struct bpf_program){ .id = info.id, .btf_id = info.btf_id };
	for (size_t i = 0; i < BPF_ARRAY_COUNT; i++)
		if (start.arrays & 1ULL << i && !take_array(&info, &bpf_array_places[i], data,
							    start.data_size, &program->arrays[i]))
			return false;
	take_additions(program, data, start.data_size);
	return true;
}

bool bpf_programs_add(struct bpf_programs *programs, struct cursor infos)
{
	uint32_t count = cursor_u32(&infos);
	struct bpf_program program;

	for (uint32_t i = 0; i < count; i++) {
		if (!take_program(&infos, &program))
			return false;
		if (program.arrays[BPF_ARRAY_FUNCTIONS].count && functions_fit(&program))
			array_add(programs->items, programs->count, programs->capacity) = program;
	}
	return !infos.failed;
}

bool bpf_programs_add_btf(struct bpf_programs *programs, struct cursor btf)
{
	uint32_t count = cursor_u32(&btf);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t id = cursor_u32(&btf), size = cursor_u32(&btf);
		const void *data = cursor_bytes(&btf, size);

		if (!data)
			return false;
		for (size_t k = 0; k < programs->count && size; k++)
			if (programs->items[k].btf_id == id && id && !programs->items[k].btf) {
				programs->items[k].btf = data;
				programs->items[k].btf_size = size;
			}
	}
	return !btf.failed;
}

void bpf_programs_deinit(struct bpf_programs *programs)
{
	free(programs->items);
}

void bpf_element(const struct bpf_bytes *bytes, size_t index, void *element, size_t size)
{
	size_t known = bytes->element_size < size ? bytes->element_size : size;

	memcpy(element, bytes->data + index * bytes->element_size, known);
	memset((char *)element + known, 0, size - known);
}

const struct bpf_program *bpf_programs_find(const struct bpf_programs *programs, uint64_t address,
					    size_t *function)
{
	for (size_t i = 0; i < programs->count; i++) {
		const struct bpf_bytes *functions = &programs->items[i].arrays[BPF_ARRAY_FUNCTIONS];

		for (size_t k = 0; k < functions->count; k++) {
			uint64_t start;

			bpf_element(functions, k, &start, sizeof(start));
			*function = k;
			if (start == address)
				return &programs->items[i];
		}
	}
	return NULL;
}
