// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of a kernel by a file of the form of /proc/kallsyms: see kallsyms.h. */
#include "profiler/ingest/kallsyms.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of several names at an address perf shows the last of the file, whatever it is; until they are sorted, a
 * symbol's size is its number there. */
static int compare_addresses(const void *left, const void *right)
{
	const struct symbol *a = left;
	const struct symbol *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->size < b->size ? -1 : a->size > b->size;
}

struct kallsyms_line {
	uint64_t address;
	char type; /* as nm(1) has it */
	const char *name;
	size_t name_length;
	bool is_module;
};

/* False: none. Addresses are all 0 for whom kernel.kptr_restrict hides them from. */
static bool parse_line(const char *line, struct kallsyms_line *result)
{
	char *end;

	result->address = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	result->type = end[1];
	result->name = end + 3;
	result->name_length = strcspn(result->name, "\t\n");
	result->is_module = result->name[result->name_length] == '\t';
	return result->name_length;
}

static struct error *each_line(const char *path, void (*take)(void *data, const struct kallsyms_line *line),
			       void *data)
{
	_cleanup_free_ char *text = NULL;
	size_t text_size = 0;
	struct kallsyms_line line;
	FILE *file = fopen(path, "re");

	if (!file)
		return error_errno(errno, "cannot open %s", path);
	while (getline(&text, &text_size, file) > 0)
		if (parse_line(text, &line))
			take(data, &line);
	fclose(file);
	return NULL;
}

struct place_list {
	const struct kallsyms_place *place;
	struct jit_map *map;
	size_t capacity;
	uint64_t reference; /* address of the place's reference symbol in the file */
	bool has_end;       /* the kernel ends where the place says, with its text or its data */
	uint64_t first;     /* address of the first function in the file; 0: none yet */
	bool any;           /* some symbol has an address */
};

static bool is_text(const struct kallsyms_line *line)
{
	return strchr("tTwW", line->type);
}

/* Of "A", absolute, are the per-cpu variables of kernels whose list tells them apart. */
static bool is_data(const struct kallsyms_line *line)
{
	return strchr("dDbBrRvV", line->type);
}

/* "ffffffffc0410000 t virtblk_probe\t[virtio_blk]" */
static bool is_of(const struct kallsyms_line *line, const char *module)
{
	const char *name = line->name + line->name_length + 1;
	size_t length = module ? strlen(module) : 0;

	if (!module || !line->is_module)
		return !module && !line->is_module;
	return *name == '[' && !strncmp(name + 1, module, length) && name[length + 1] == ']';
}

static bool is_named(const struct kallsyms_line *line, const char *name)
{
	return strlen(name) == line->name_length && !strncmp(line->name, name, line->name_length);
}

/* Symbols of the kernel by which it is told from others, and where it was. */
static void take_bound(struct place_list *list, const struct kallsyms_line *line)
{
	if (list->place->reference_symbol && is_named(line, list->place->reference_symbol))
		list->reference = line->address;
	/* maps end with the data where the recorder's list had it */
	if (line->address == list->place->kernel_end &&
	    (is_named(line, "_etext") || is_named(line, "_edata")))
		list->has_end = true;
}

static void take_of_place(void *data, const struct kallsyms_line *line)
{
	struct place_list *list = data;
	struct jit_map *map = list->map;

	list->any |= line->address != 0;
	if (!line->is_module)
		take_bound(list, line);
	if (!line->address || line->is_module != (list->place->module != NULL))
		return;
	bool text = is_text(line);

	if ((!text && !(list->place->with_data && is_data(line))) || !is_of(line, list->place->module))
		return;
	if (text && (!list->first || line->address < list->first))
		list->first = line->address;
	array_reserve(map->symbols, map->count, list->capacity);
	map->symbols[map->count] = (struct symbol){
		.address = line->address,
		.size = map->count,
		.name = arena_strndup(&map->arena, line->name, line->name_length),
		.type = text ? STT_FUNC : STT_OBJECT,
		.binding = STB_GLOBAL,
	};
	map->count++;
}

/* Other kernels' lists have per-cpu variables as data: of the kernel below its text, of a module anywhere. */
static void drop_per_cpu(struct place_list *list)
{
	const struct kallsyms_place *place = list->place;
	struct jit_map *map = list->map;
	size_t kept = 0;

	for (size_t i = 0; i < map->count; i++) {
		uint64_t address = map->symbols[i].address;
		bool inside =
			place->module ? address - place->load_address < place->end : address >= list->first;

		if (inside || map->symbols[i].type == STT_FUNC)
			map->symbols[kept++] = map->symbols[i];
	}
	map->count = kept;
}

/* From the addresses of the file's boot to the recorded ones; of a module, which may be anywhere in another
 * boot, to distances from where it was loaded. */
static struct error *move_to_place(const struct place_list *list, const char *path)
{
	const struct kallsyms_place *place = list->place;
	uint64_t moved = list->reference ? list->reference - place->reference_address : 0;

	if (place->module && moved)
		return error_create(ERROR_FORMAT,
				    "%s is of another boot: it does not tell where the module %s was", path,
				    place->module);
	for (size_t i = 0; i < list->map->count; i++)
		list->map->symbols[i].address -= place->module ? place->load_address : moved;
	return NULL;
}

/*
 * At the next one; the last one where its map does. Asked of data, text does not reach into it: of the kernel
 * it ends with the map, of a module, whose map has its data as well, the last function has no known end.
 */
static void end_symbol(struct jit_map *map, size_t index, const struct kallsyms_place *place)
{
	struct symbol *symbol = &map->symbols[index];
	bool last = index + 1 == map->count;
	uint64_t end = last ? place->end : symbol[1].address;

	if (place->with_data && symbol->type == STT_FUNC && (last || end > place->end))
		end = last ? 0 : place->end;
	symbol->size = end > symbol->address ? end - symbol->address : 0;
}

struct error *kallsyms_read(const char *path, const struct kallsyms_place *place, struct jit_map *map)
{
	struct place_list list = { .map = map, .place = place };

	*map = (struct jit_map){ 0 };
	RETURN_ERROR(each_line(path, take_of_place, &list));
	if (!list.any)
		return error_create(
			ERROR_PERMISSION,
			"%s has no addresses: kernel.kptr_restrict hid them, or kernel.perf_event_paranoid "
			"above 1; read it as root, or give a copy with --kallsyms that root made",
			path);
	if (place->kernel_end && (list.reference != place->reference_address || !list.has_end))
		return error_create(
			ERROR_FORMAT,
			"%s is of another kernel or boot than the recorded one, which has no build "
			"id: give the recorded one's with --kallsyms, or its vmlinux with -k",
			path);
	if (!map->count)
		return error_create(ERROR_FORMAT, "%s has no functions of %s", path,
				    place->module ? place->module : "the kernel");
	if (place->with_data)
		drop_per_cpu(&list);
	RETURN_ERROR(move_to_place(&list, path));
	qsort(map->symbols, map->count, sizeof(*map->symbols), compare_addresses);
	for (size_t i = 0; i < map->count; i++)
		end_symbol(map, i, place);
	return NULL;
}

struct symbol_list {
	struct arena arena;
	struct symbol *symbols;
	size_t count;
	size_t capacity;
	uint64_t text; /* where the kernel's text begins */
};

/* A second name of code that also runs before the kernel is where it was linked to: types have the first. */
static bool is_early_alias(const struct kallsyms_line *line)
{
	return !strncmp(line->name, "__pi_", 5);
}

static void take_symbol(void *data, const struct kallsyms_line *line)
{
	struct symbol_list *list = data;

	if (line->is_module || strchr("uU", line->type))
		return;
	array_reserve(list->symbols, list->count, list->capacity);

	struct symbol *symbol = &list->symbols[list->count++];

	*symbol = (struct symbol){
		.address = line->address,
		.name = arena_strndup(&list->arena, line->name, line->name_length),
		.binding = strchr("wWvV", line->type) || is_early_alias(line) ? STB_WEAK
			   : line->type >= 'a' && line->type <= 'z'           ? STB_LOCAL
									      : STB_GLOBAL,
	};
	if (!strcmp(symbol->name, "_text"))
		list->text = line->address;
}

static struct error *move_symbols(struct symbol_list *list, const char *path, const struct elf_image *image)
{
	struct elf_section text;

	if (!list->text)
		return error_create(
			ERROR_FORMAT,
			"%s does not tell where _text is: kernel.kptr_restrict may hide the addresses", path);
	if (!elf_image_section_named(image, ".text", &text))
		return error_create(ERROR_FORMAT, "%s has no .text", elf_image_path(image));
	/* what lies below are numbers, and places in the per-cpu section, which do not move */
	for (size_t i = 0; i < list->count; i++) {
		if (list->symbols[i].address >= list->text)
			list->symbols[i].address -= list->text - text.address;
	}
	return NULL;
}

struct error *kallsyms_give(const char *path, struct elf_image *image)
{
	struct symbol_list list = { 0 };
	struct error *error = each_line(path, take_symbol, &list);

	if (!error)
		error = move_symbols(&list, path, image);
	if (!error)
		elf_image_add_symbols(image, list.symbols, list.count);
	arena_deinit(&list.arena);
	free(list.symbols);
	return error;
}

struct mark_list {
	struct kallsyms_mark *marks;
	size_t count;
};

static void take_mark(void *data, const struct kallsyms_line *line)
{
	struct mark_list *list = data;

	if (line->is_module || line->name[0] != '_')
		return; /* of a hundred thousand names few are asked for */
	for (size_t i = 0; i < list->count; i++)
		if (is_named(line, list->marks[i].name))
			list->marks[i].address = line->address;
}

struct error *kallsyms_find(const char *path, struct kallsyms_mark *marks, size_t count)
{
	struct mark_list list = { marks, count };

	return each_line(path, take_mark, &list);
}
