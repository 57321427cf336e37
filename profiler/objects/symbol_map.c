// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements symbol_map.h. */
#include "profiler/objects/symbol_map.h"

#include <fcntl.h>
#include <inttypes.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- maps of just-in-time compilers ---- */

/* Longer lines are cut off; no known runtime writes longer names. */
#define MAP_LINE_MAX 16384
/* Larger files are not read: a runtime's are smaller, unless they are mostly holes. */
#define MAP_FILE_MAX ((off_t)4 << 30)

struct jit_line {
	struct symbol symbol;
	size_t order; /* number of the line in the file */
};

COMPARISON(jit_line_compare, struct jit_line, ASCENDING(symbol.address) ASCENDING(order))

/* Parses "7f00 40 name". Returns false if the line is of another form. */
static bool jit_map_line(struct symbol_map *map, const char *line, struct symbol *symbol)
{
	char *end;

	*symbol = (struct symbol){ .type = STT_FUNC, .binding = STB_GLOBAL };
	symbol->address = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return false;
	const char *size = end;

	symbol->size = strtoull(size, &end, 16);
	if (end == size || *end != ' ')
		return false;
	end += strspn(end, " ");
	size_t length = strcspn(end, "\n");

	if (!length)
		return false;
	symbol->name = arena_strndup(&map->arena, end, length);
	return true;
}

/* Keeps the last line for each address, because a runtime reuses the addresses of old code. */
static void jit_map_fill(struct symbol_map *map, struct jit_line *lines, size_t count)
{
	if (!count)
		return;
	array_sort(lines, count, jit_line_compare);
	map->symbols = xcalloc(count, sizeof(*map->symbols));
	for (size_t i = 0; i < count; i++) {
		if (map->count && map->symbols[map->count - 1].address == lines[i].symbol.address)
			map->count--;
		map->symbols[map->count++] = lines[i].symbol;
	}
}

/* Opens the file `name` in the folder with the descriptor `folder`. `path` is for messages. */
static struct error *jit_map_open(int folder, const char *name, const char *path, bool force,
				  FILE **file)
{
	_cleanup_close_ int descriptor = -1;
	const char *why;
	struct stat status;

	/* Opening a device or a pipe may have effects, so only ordinary files are opened. */
	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return error_errno(errno, "cannot open %s", path);
	if (S_ISREG(status.st_mode)) {
		descriptor = openat(folder, name,
				    O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
		if (descriptor < 0 || fstat(descriptor, &status) < 0)
			return error_errno(errno, "cannot open %s", path);
	}
	if (!S_ISREG(status.st_mode))
		return error_create(ERROR_FORMAT, "%s is not an ordinary file", path);
	if (status.st_size > MAP_FILE_MAX)
		return error_create(ERROR_FORMAT,
				    "%s is not a map of symbols: it is larger than 4 GB", path);
	if (!force && (why = file_distrust(&status)))
		return error_create(ERROR_PERMISSION, "%s %s: not used (use -f to override)", path,
				    why);
	if (!(*file = fdopen(descriptor, "r")))
		return error_errno(errno, "cannot read %s", path);
	descriptor = -1; // NOLINT(clang-analyzer-deadcode.DeadStores): the clean-up reads it
	return NULL;
}

/* Reads the lines of `file` and closes it. */
static struct error *jit_map_parse(FILE *file, const char *path, struct symbol_map *map)
{
	_cleanup_free_ struct jit_line *lines = NULL;
	struct error *error = NULL;
	char line[MAP_LINE_MAX];
	bool whole = true;
	size_t number = 0; /* of the current line */
	size_t count = 0;
	size_t capacity = 0;

	while (!error && fgets(line, sizeof(line), file)) {
		bool begins = whole;
		size_t length = strlen(line);

		number += begins;
		whole = length && line[length - 1] == '\n';
		/* fgets() stopped at a NUL: this is a hole, which may have billions of NULs. */
		if (!whole && length < sizeof(line) - 1 && !feof(file))
			error = error_create(ERROR_FORMAT,
					     "%s is not text at line %zu: the rest is not read",
					     path, number);
		if (!begins || error)
			continue;
		array_reserve(lines, count, capacity);
		lines[count].order = count;
		if (jit_map_line(map, line, &lines[count].symbol))
			count++;
	}
	struct error *unread = read_file_close(file, path);

	jit_map_fill(map, lines, count);
	if (error)
		error_destroy(unread);
	return error ?: unread;
}

struct error *jit_map_read(const char *path, bool force, struct symbol_map *map)
{
	FILE *file = NULL;

	*map = (struct symbol_map){ 0 };
	RETURN_ERROR(jit_map_open(AT_FDCWD, path, path, force, &file));
	return jit_map_parse(file, path, map);
}

/* Finds a process's number in its own namespace: the last of "NStgid: 4711 1". */
static struct error *pid_in_own_namespace(int32_t pid, int *number)
{
	static const char key[] = "NStgid:";
	_cleanup_free_ char *line = NULL;
	char path[64];
	size_t size = 0;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/status", pid);

	FILE *file = fopen(path, "re");

	if (!file)
		return error_errno(errno, "cannot open %s", path);
	while (!found && getline(&line, &size, file) > 0) {
		const char *last = strrchr(line, '\t');

		found = starts_with(line, key) && last && sscanf(last, "%d", number) == 1;
	}
	RETURN_ERROR(read_file_close(file, path));
	return found ? NULL : error_create(ERROR_NOT_FOUND, "%s has no %s", path, key);
}

struct error *jit_map_read_in_namespace(int32_t pid, bool force, struct symbol_map *map)
{
	_cleanup_close_ int root = -1, folder = -1;
	char path[96], name[32];
	FILE *file = NULL;
	int number = 0;

	*map = (struct symbol_map){ 0 };
	RETURN_ERROR(pid_in_own_namespace(pid, &number));
	snprintf(path, sizeof(path), "/proc/%" PRId32 "/root", pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* A link in that root would lead to files of this one. */
	if (root >= 0)
		folder = openat(root, "tmp", O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	snprintf(name, sizeof(name), "perf-%d.map", number);
	snprintf(path, sizeof(path), "/proc/%" PRId32 "/root/tmp/%s", pid, name);
	if (folder < 0)
		return error_create(ERROR_NOT_FOUND, "cannot open the folder of %s", path);
	RETURN_ERROR(jit_map_open(folder, name, path, force, &file));
	return jit_map_parse(file, path, map);
}

const struct symbol *symbol_map_find(const struct symbol_map *map, uint64_t address)
{
	size_t after = partition_point(0, map->count, i, map->symbols[i].address <= address);
	const struct symbol *symbol = after ? &map->symbols[after - 1] : NULL;

	return symbol && address - symbol->address < symbol->size ? symbol : NULL;
}

void symbol_map_deinit(struct symbol_map *map)
{
	free(map->symbols);
	arena_deinit(&map->arena);
	*map = (struct symbol_map){ 0 };
}

/* ---- lists of kernels ---- */

/* Sorts symbols with equal addresses in the order of the file, because perf shows the last one.
 * Until they are sorted, the size of a symbol is its line number. */
COMPARISON(compare_symbols, struct symbol, ASCENDING(address) ASCENDING(size))

/* The state of kallsyms_read(). */
struct place_reader {
	const struct kallsyms_place *place;
	struct symbol_map *map;
	size_t capacity;    /* of map->symbols */
	uint64_t reference; /* address of the reference symbol in the file */
	bool has_end;       /* the kernel's text or data ends where the place says */
	uint64_t first;     /* address of the first function in the file; 0: none yet */
	bool any;           /* some symbol has an address */
};

static bool is_text(const struct kernel_symbol *symbol)
{
	return strchr("tTwW", symbol->type);
}

/* Absolute symbols ("A") are per-cpu variables, in kernels that list them as such. */
static bool is_data(const struct kernel_symbol *symbol)
{
	return strchr("dDbBrRvV", symbol->type);
}

/* Returns whether a symbol belongs to the module, "[virtio_blk]", or to the kernel if `module` is
 * NULL. */
static bool belongs_to(const struct kernel_symbol *symbol, const char *module)
{
	size_t length = strlen(symbol->module);

	return module ? length > 2 && text_is(symbol->module + 1, length - 2, module) : !length;
}

/* Notes the symbols that tell which kernel and which boot the file describes. */
static void note_bounds(struct place_reader *list, const struct kernel_symbol *symbol)
{
	if (list->place->reference_symbol && !strcmp(symbol->name, list->place->reference_symbol))
		list->reference = symbol->address;
	/* The map of the kernel ends with its data if the list that record read had data. */
	if (symbol->address == list->place->kernel_end &&
	    (!strcmp(symbol->name, "_etext") || !strcmp(symbol->name, "_edata")))
		list->has_end = true;
}

static bool take_symbol_of_place(void *data, const struct kernel_symbol *symbol)
{
	struct place_reader *list = data;
	struct symbol_map *map = list->map;

	list->any |= symbol->address != 0;
	if (!*symbol->module)
		note_bounds(list, symbol);
	if (!symbol->address || !belongs_to(symbol, list->place->module))
		return true;
	bool text = is_text(symbol);

	if (!text && !(list->place->with_data && is_data(symbol)))
		return true;
	if (text && (!list->first || symbol->address < list->first))
		list->first = symbol->address;
	array_reserve(map->symbols, map->count, list->capacity);
	map->symbols[map->count] = (struct symbol){
		.address = symbol->address,
		.size = map->count,
		.name = arena_strdup(&map->arena, symbol->name),
		.type = text ? STT_FUNC : STT_OBJECT,
		.binding = STB_GLOBAL,
	};
	map->count++;
	return true;
}

/* Drops per-cpu variables listed as data: below the text, or outside of a module. */
static void drop_per_cpu(struct place_reader *list)
{
	const struct kallsyms_place *place = list->place;
	struct symbol_map *map = list->map;
	size_t kept = 0;

	for (size_t i = 0; i < map->count; i++) {
		uint64_t address = map->symbols[i].address;
		bool inside = place->module ? address - place->load_address < place->end
					    : address >= list->first;

		if (inside || map->symbols[i].type == STT_FUNC)
			map->symbols[kept++] = map->symbols[i];
	}
	map->count = kept;
}

/* Moves the symbols to the recorded addresses. Those of a module, which may be anywhere in another
 * boot, become offsets from its load address. */
static struct error *move_to_recorded_place(const struct place_reader *list, const char *path)
{
	const struct kallsyms_place *place = list->place;
	uint64_t moved = list->reference ? list->reference - place->reference_address : 0;

	if (place->module && moved)
		return error_create(ERROR_FORMAT,
				    "%s was written during another boot: it does not tell where "
				    "the module %s was",
				    path, place->module);
	for (size_t i = 0; i < list->map->count; i++)
		list->map->symbols[i].address -= place->module ? place->load_address : moved;
	return NULL;
}

/* Sets the size of a symbol: it ends at the next one, and the last one at the end of its map. If
 * data is read as well, text ends at the latest with the kernel's map. The map of a module includes
 * its data, so the end of its last function is not known. */
static void end_symbol(struct symbol_map *map, size_t index, const struct kallsyms_place *place)
{
	struct symbol *symbol = &map->symbols[index];
	bool last = index + 1 == map->count;
	uint64_t end = last ? place->end : symbol[1].address;

	if (place->with_data && symbol->type == STT_FUNC && (last || end > place->end))
		end = last ? 0 : place->end;
	symbol->size = end > symbol->address ? end - symbol->address : 0;
}

struct error *kallsyms_read(const char *path, const struct kallsyms_place *place,
			    struct symbol_map *map)
{
	struct place_reader list = { .map = map, .place = place };

	*map = (struct symbol_map){ 0 };
	RETURN_ERROR(kallsyms_each(path, take_symbol_of_place, &list));
	if (!list.any)
		return error_create(ERROR_PERMISSION,
				    "%s has no addresses: kernel.kptr_restrict hid them, or "
				    "kernel.perf_event_paranoid above 1; read it as root, or give "
				    "a copy with --kallsyms that root made",
				    path);
	if (place->kernel_end && (list.reference != place->reference_address || !list.has_end))
		return error_create(
			ERROR_FORMAT,
			"%s describes another kernel or boot than the recorded one, which has no "
			"build id: give that one's symbols with --kallsyms, or its vmlinux with -k",
			path);
	if (!map->count)
		return error_create(ERROR_FORMAT, "%s has no functions of %s", path,
				    place->module ?: "the kernel");
	if (place->with_data)
		drop_per_cpu(&list);
	RETURN_ERROR(move_to_recorded_place(&list, path));
	sort_unless_sorted(map->symbols, map->count, sizeof(*map->symbols), compare_symbols);
	for (size_t i = 0; i < map->count; i++)
		end_symbol(map, i, place);
	return NULL;
}

/* The state of kallsyms_add_to_image(). */
struct symbol_list {
	struct arena arena;
	struct symbol *symbols;
	size_t count, capacity;
	uint64_t text; /* address of _text */
};

/* Returns whether the symbol is early code's second name. Types have the first. */
static bool is_early_alias(const struct kernel_symbol *symbol)
{
	return starts_with(symbol->name, "__pi_");
}

static bool take_kernel_symbol(void *data, const struct kernel_symbol *symbol)
{
	struct symbol_list *list = data;

	if (*symbol->module || strchr("uU", symbol->type))
		return true;
	array_add(list->symbols, list->count, list->capacity) = (struct symbol){
		.address = symbol->address,
		.name = arena_strdup(&list->arena, symbol->name),
		.binding = strchr("wWvV", symbol->type) || is_early_alias(symbol) ? STB_WEAK
			   : symbol->type >= 'a' && symbol->type <= 'z'           ? STB_LOCAL
										  : STB_GLOBAL,
	};
	if (!strcmp(symbol->name, "_text"))
		list->text = symbol->address;
	return true;
}

static struct error *move_to_image(struct symbol_list *list, const char *path,
				   const struct elf_image *image)
{
	struct elf_section text;

	if (!list->text)
		return error_create(ERROR_FORMAT,
				    "%s does not tell where _text is: kernel.kptr_restrict may "
				    "hide the addresses",
				    path);
	if (!elf_image_section_named(image, ".text", &text))
		return error_create(ERROR_FORMAT, "%s has no .text", elf_image_path(image));
	/* Lower symbols are numbers and offsets in the per-cpu section, which do not move. */
	for (size_t i = 0; i < list->count; i++)
		if (list->symbols[i].address >= list->text)
			list->symbols[i].address -= list->text - text.address;
	return NULL;
}

struct error *kallsyms_add_to_image(const char *path, struct elf_image *image)
{
	struct symbol_list list = { 0 };
	struct error *error = kallsyms_each(path, take_kernel_symbol, &list);

	if (!error)
		error = move_to_image(&list, path, image);
	if (!error)
		elf_image_add_symbols(image, list.symbols, list.count);
	arena_deinit(&list.arena);
	free(list.symbols);
	return error;
}
