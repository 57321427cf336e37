// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements bpf_keep.h. */
#include "profiler/record/bpf_keep.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "base/files.h"
#include "base/memory.h"
#include "profiler/objects/bpf_programs.h"
#include "profiler/record/target.h"

/* Bytes of the arrays of one program, and of its BTF. */
#define ARRAYS_MAX ((size_t)64 << 20)
#define BTF_MAX    ((size_t)64 << 20)
/* Programs that are kept. */
#define PROGRAMS_MAX 4096

static uint32_t word_of(const struct bpf_prog_info *info, size_t offset)
{
	uint32_t word;

	memcpy(&word, (const char *)info + offset, sizeof(word));
	return word;
}

static void set_pointer(struct bpf_prog_info *info, size_t offset, uint64_t value)
{
	memcpy((char *)info + offset, &value, sizeof(value));
}

/* Returns the bytes of an array, rounded up to 8. */
static size_t array_size(const struct bpf_prog_info *info, const struct bpf_array_place *place)
{
	size_t each = place->element_size ? word_of(info, place->element_size) : place->size;

	return round_up(word_of(info, place->count) * each, 8);
}

/* Asks for the arrays, whose sizes the kernel has said, into `data`. Pointers are then offsets. */
static bool read_arrays(int fd, struct bpf_prog_info *info, uint8_t *data, uint64_t *arrays)
{
	struct bpf_prog_info asked = { 0 };
	uint32_t size = sizeof(asked);
	size_t offset = 0;

	array_indexed (const struct bpf_array_place, place, i, bpf_array_places, BPF_ARRAY_COUNT) {
		if (!word_of(info, place->count))
			continue;
		/* counts and sizes of elements are both sides': what fits, what is known */
		memcpy((char *)&asked + place->count, (char *)info + place->count, 4);
		if (place->element_size)
			memcpy((char *)&asked + place->element_size,
			       (char *)info + place->element_size, 4);
		set_pointer(&asked, place->pointer, (uintptr_t)(data + offset));
		*arrays |= 1ULL << i;
		offset += array_size(info, place);
	}
	if (bpf_obj_get_info_by_fd(fd, &asked, &size))
		return false;
	offset = 0;
	array_indexed (const struct bpf_array_place, place, i, bpf_array_places, BPF_ARRAY_COUNT) {
		if (!(*arrays & 1ULL << i))
			continue;
		/* what the kernel keeps from this user has no elements now */
		if (word_of(&asked, place->count) != word_of(info, place->count))
			return false;
		set_pointer(&asked, place->pointer, offset);
		offset += array_size(info, place);
	}
	*info = asked;
	return true;
}

static void keep_map(uint32_t id, struct strbuf *maps)
{
	struct bpf_map_info info = { 0 };
	uint32_t size = sizeof(info);
	_cleanup_close_ int fd = bpf_map_get_fd_by_id(id);

	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &size)) {
		struct bpf_recorded_map map = { .id = info.id,
						.type = info.type,
						.key_size = info.key_size,
						.value_size = info.value_size,
						.entries = info.max_entries,
						.btf = info.btf_id,
						.key_type = info.btf_key_type_id,
						.value_type = info.btf_value_type_id };

		memcpy(map.name, info.name, sizeof(map.name));
		strbuf_add(maps, &map, sizeof(map));
	}
}

static void keep_btf(struct bpf_keep *keep, uint32_t id)
{
	struct bpf_btf_info info = { 0 };
	uint32_t size = sizeof(info), head[2] = { id };
	bool created;
	int fd;

	hash_map_insert(&keep->known_btf, id, &created);
	fd = id && created ? bpf_btf_get_fd_by_id(id) : -1;
	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &size) && info.btf_size &&
	    info.btf_size <= BTF_MAX) {
		_cleanup_free_ uint8_t *bytes = xcalloc(1, info.btf_size);

		head[1] = info.btf_size;
		info = (struct bpf_btf_info){ .btf = (uintptr_t)bytes, .btf_size = head[1] };
		size = sizeof(info);
		if (!bpf_obj_get_info_by_fd(fd, &info, &size)) {
			strbuf_add(&keep->btf, head, sizeof(head));
			strbuf_add(&keep->btf, bytes, head[1]);
			keep->btf_count++;
		}
	}
	close(fd);
}

static void keep_program(struct bpf_keep *keep, int fd)
{
	struct bpf_prog_info info = { 0 };
	struct bpf_recorded_program start = { .info_size = sizeof(info) };
	struct kept_program program = { STRBUF_INIT, STRBUF_INIT };
	uint32_t size = sizeof(info);
	size_t sum = 0;

	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return;
	for (size_t i = 0; i < BPF_ARRAY_COUNT; i++)
		sum += array_size(&info, &bpf_array_places[i]);

	_cleanup_free_ uint8_t *data = sum <= ARRAYS_MAX ? xcalloc(1, sum + 1) : NULL;

	if (!data || !info.jited_prog_len || !read_arrays(fd, &info, data, &start.arrays))
		return;
	start.data_size = (uint32_t)sum;
	strbuf_add(&program.bytes, &start, sizeof(start));
	strbuf_add(&program.bytes, &info, sizeof(info));
	strbuf_add(&program.bytes, data, sum);
	for (uint32_t i = 0; i < info.nr_map_ids; i++)
		keep_map(((const uint32_t *)(data + info.map_ids))[i], &program.maps);
	keep_btf(keep, info.btf_id);
	array_add(keep->programs, keep->count, keep->capacity) = program;
}

void bpf_keep_add(struct bpf_keep *keep, uint32_t id)
{
	bool created;
	int fd;

	if (keep->count == PROGRAMS_MAX)
		return;
	hash_map_insert(&keep->known, id, &created);
	fd = created ? bpf_prog_get_fd_by_id(id) : -1;
	if (fd < 0)
		return;
	keep_program(keep, fd);
	close(fd);
}

/* ---- writing ---- */

/* Adds the addresses that the code may call. A byte of a call may be one of another instruction:
 * then no function is there. */
static void add_targets(const struct kept_program *program, struct hash_map *targets)
{
	const struct bpf_recorded_program *start = (const void *)program->bytes.data;
	const struct bpf_prog_info *info = (const void *)(start + 1);
	const uint8_t *data = (const uint8_t *)(info + 1), *code = data + info->jited_prog_insns;
	const uint64_t *functions = (const void *)(data + info->jited_ksyms);
	const uint32_t *sizes = (const void *)(data + info->jited_func_lens);
	uint32_t left = info->jited_prog_len;

	for (uint32_t i = 0; i < info->nr_jited_ksyms && i < info->nr_jited_func_lens; i++) {
		uint32_t size = sizes[i] < left ? sizes[i] : left;

		for (uint32_t at = 0; at + 5 <= size; at++) {
			int32_t distance;

			if (code[at] != 0xe8)
				continue;
			memcpy(&distance, code + at + 1, sizeof(distance));
			hash_map_insert(targets,
					functions[i] + at + 5 + (uint64_t)(int64_t)distance, NULL);
		}
		code += size;
		left -= size;
	}
}

/* The kernel's functions that are called. */
struct called_functions {
	const struct hash_map *targets;
	struct strbuf *symbols;
};

static bool take_called(void *data, const struct kernel_symbol *symbol)
{
	const struct called_functions *called = data;
	struct bpf_recorded_symbol recorded = { .address = symbol->address };

	if ((symbol->type != 't' && symbol->type != 'T') ||
	    !hash_map_find(called->targets, symbol->address))
		return true;
	memcpy(recorded.name, symbol->name, strnlen(symbol->name, sizeof(recorded.name) - 1));
	strbuf_add(called->symbols, &recorded, sizeof(recorded));
	return true;
}

struct error *bpf_keep_write(const struct bpf_keep *keep, const char *root, struct strbuf *infos,
			     struct strbuf *btf)
{
	_cleanup_strbuf_ struct strbuf symbols = STRBUF_INIT;
	_cleanup_map_ struct hash_map targets = { 0 };
	uint32_t count = (uint32_t)keep->count;
	struct error *error;

	if (!count)
		return NULL;
	array_each (const struct kept_program, program, keep->programs, keep->count)
		add_targets(program, &targets);
	error = kernel_symbols_each(root, take_called,
				    &(struct called_functions){ &targets, &symbols });
	/* without the list, calls have no names */
	if (error && error->code == ERROR_NOT_FOUND) {
		error_destroy(error);
		error = NULL;
	}
	strbuf_add(infos, &count, sizeof(count));
	array_each (const struct kept_program, program, keep->programs, keep->count) {
		struct bpf_recorded_program start;
		struct bpf_recorded_trailer trailer = {
			.maps = (uint32_t)(program->maps.length / sizeof(struct bpf_recorded_map)),
			.symbols = (uint32_t)(symbols.length / sizeof(struct bpf_recorded_symbol)),
		};

		memcpy(trailer.magic, BPF_MAGIC, sizeof(trailer.magic));
		memcpy(&start, program->bytes.data, sizeof(start));
		start.data_size +=
			(uint32_t)(program->maps.length + symbols.length + sizeof(trailer));
		strbuf_add(infos, &start, sizeof(start));
		strbuf_add(infos, program->bytes.data + sizeof(start),
			   program->bytes.length - sizeof(start));
		strbuf_add(infos, program->maps.data, program->maps.length);
		strbuf_add(infos, symbols.data, symbols.length);
		strbuf_add(infos, &trailer, sizeof(trailer));
	}
	strbuf_add(btf, &keep->btf_count, sizeof(keep->btf_count));
	strbuf_add(btf, keep->btf.data, keep->btf.length);
	return error;
}

void bpf_keep_deinit(struct bpf_keep *keep)
{
	for (size_t i = 0; i < keep->count; i++) {
		strbuf_deinit(&keep->programs[i].bytes);
		strbuf_deinit(&keep->programs[i].maps);
	}
	free(keep->programs);
	hash_map_deinit(&keep->known);
	hash_map_deinit(&keep->known_btf);
	strbuf_deinit(&keep->btf);
}
