// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements kernel.h. */
#include "profiler/objects/kernel.h"

#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <sys/utsname.h>

#include "dwarf/elf/image.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/cursor.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "profiler/objects/dso_open.h"
#include "profiler/objects/symbol_map.h"

/* ---- the running kernel ---- */

/* Bytes of a file of ELF notes that are read. Those of a kernel are much shorter. */
#define NOTES_MAX 16384

/* Returns whether the notes in a file of sysfs have this build id. */
static bool notes_have(const char *path, const struct build_id *build_id)
{
	_cleanup_strbuf_ struct strbuf notes = STRBUF_INIT;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct build_id found;

	return fd >= 0 && file_read_all(fd, NOTES_MAX, &notes) &&
	       build_id_from_notes(notes.data, notes.length, &found) &&
	       build_id_equal(&found, build_id);
}

bool running_kernel_is(const struct build_id *build_id)
{
	return build_id->size && notes_have("/sys/kernel/notes", build_id);
}

bool running_kernel_has_module(const char *name, const struct build_id *build_id)
{
	_cleanup_free_ char *path = xasprintf("/sys/module/%s/notes/.note.gnu.build-id", name);

	return build_id->size && !strchr(name, '/') && notes_have(path, build_id);
}

/* Finds the vDSO in this process. Returns false if the kernel maps none. */
static bool vdso_range(FILE *maps, uintptr_t *start, uintptr_t *end)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, maps) > 0)
		if (strstr(line, " [vdso]") &&
		    sscanf(line, "%" SCNxPTR "-%" SCNxPTR, start, end) == 2)
			return true;
	return false;
}

struct error *vdso_image_open(struct elf_image **result)
{
	uintptr_t start;
	uintptr_t end;
	FILE *maps = fopen("/proc/self/maps", "re");

	if (!maps)
		return error_errno(errno, "cannot open /proc/self/maps");
	bool found = vdso_range(maps, &start, &end);

	RETURN_ERROR(read_file_close(maps, "/proc/self/maps"));
	if (!found || end <= start)
		return error_create(ERROR_NOT_FOUND, "this kernel has no [vdso]");
	return elf_image_open_memory((const void *)start, end - start, "[vdso]", result);
}

/* ---- a kernel's memory ---- */

/* The sections that the kernel's linker script marks with symbols
 * (include/asm-generic/vmlinux.lds.h, arch/x86/kernel/vmlinux.lds.S). The text comes first. */
static const struct {
	const char *name;
	const char *low;  /* symbol at its start */
	const char *high; /* symbol at its end */
	uint32_t type;    /* SHT_* */
	uint64_t flags;   /* SHF_* */
} kernel_sections[] = {
	{ ".text", "_text", "_etext", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR },
	{ ".rodata", "__start_rodata", "__end_rodata", SHT_PROGBITS, SHF_ALLOC },
	{ ".notes", "__start_notes", "__stop_notes", SHT_NOTE, SHF_ALLOC },
	{ ".orc_unwind_ip", "__start_orc_unwind_ip", "__stop_orc_unwind_ip", SHT_PROGBITS,
	  SHF_ALLOC },
	{ ".orc_unwind", "__start_orc_unwind", "__stop_orc_unwind", SHT_PROGBITS, SHF_ALLOC },
	{ ".BTF", "__start_BTF", "__stop_BTF", SHT_PROGBITS, SHF_ALLOC },
	/* what is in them is not read: they tell which symbols are data */
	{ ".data", "_sdata", "_edata", SHT_NOBITS, SHF_ALLOC | SHF_WRITE },
	{ ".bss", "__bss_start", "__bss_stop", SHT_NOBITS, SHF_ALLOC | SHF_WRITE },
	{ ".data..percpu", "__per_cpu_start", "__per_cpu_end", SHT_NOBITS, SHF_ALLOC | SHF_WRITE },
};

#define SECTION_COUNT COUNT_OF(kernel_sections)

static struct error *find_ranges(const char *path, const char *symbols,
				 struct core_range ranges[SECTION_COUNT])
{
	struct kallsyms_mark marks[2 * SECTION_COUNT];

	for (size_t i = 0; i < SECTION_COUNT; i++) {
		marks[2 * i] = (struct kallsyms_mark){ .name = kernel_sections[i].low };
		marks[2 * i + 1] = (struct kallsyms_mark){ .name = kernel_sections[i].high };
	}
	RETURN_ERROR(kallsyms_find(symbols, marks, 2 * SECTION_COUNT));
	if (!marks[0].address || !marks[1].address)
		return error_create(ERROR_PERMISSION,
				    "%s does not tell where in %s the kernel's text is: "
				    "kernel.kptr_restrict may hide the addresses",
				    symbols, path);
	for (size_t i = 0; i < SECTION_COUNT; i++)
		ranges[i] = (struct core_range){ .name = kernel_sections[i].name,
						 .low = marks[2 * i].address,
						 .high = marks[2 * i + 1].address,
						 .type = kernel_sections[i].type,
						 .flags = kernel_sections[i].flags };
	return NULL;
}

struct error *kcore_open_btf(const char *path, const char *symbols, struct elf_image **result)
{
	struct core_range ranges[SECTION_COUNT];

	RETURN_ERROR(find_ranges(path, symbols, ranges));
	for (size_t i = 0; i < SECTION_COUNT; i++)
		if (!strcmp(ranges[i].name, ".BTF") && ranges[i].low)
			return elf_core_open(path, &ranges[i], 1, result);
	return error_create(ERROR_NO_DEBUG_INFO, "%s: no BTF of the kernel (__start_BTF in %s)",
			    path, symbols);
}

/* Opens a kernel's memory with `symbols`. Addresses are those at which the kernel ran. */
static struct error *kcore_open(const char *path, const char *symbols, struct elf_image **result)
{
	struct core_range ranges[SECTION_COUNT];
	struct elf_image *image;

	RETURN_ERROR(find_ranges(path, symbols, ranges));
	RETURN_ERROR(elf_core_open(path, ranges, SECTION_COUNT, &image));

	struct error *error = kallsyms_add_to_image(symbols, image);

	if (error)
		elf_image_close(image);
	else
		*result = image;
	return error;
}

/* ---- paths ---- */

#define DEBUG_FOLDER "/usr/lib/debug"
/* The depth at which a search for a module ends. Folders of modules are less deep. */
#define MODULE_DEPTH_MAX 16

/* Adds a path where a file may be, under `symfs`, which may be NULL, and its name in a tree of the
 * other kind (before or after /usr was merged) where the link between both is missing, as in an
 * unpacked package. */
static void add_path(struct name_list *list, const char *symfs, const char *path)
{
	_cleanup_free_ char *other = dso_path_merged(path);

	array_add(list->names, list->count, list->capacity) = dso_path_in(symfs, path);
	if (other)
		array_add(list->names, list->count, list->capacity) = dso_path_in(symfs, other);
}

static void add_formatted(struct name_list *list, const char *symfs, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add_formatted(struct name_list *list, const char *symfs, const char *format, ...)
{
	VARIADIC_TEXT(path, format);
	add_path(list, symfs, path);
}

static void add_cached(struct name_list *list, const struct dso *dso, const char *name)
{
	_cleanup_free_ char *path = dso_path_cached(dso, name);

	if (path)
		add_path(list, NULL, path);
}

/* Returns whether a recorded release can be a part of a path without leading elsewhere, and of a
 * package's name, which advice says how to install, without being more to a shell. */
static bool is_safe_release(const char *release)
{
	static const char usual[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789.+~_-";

	return release && *release && *release != '.' && !release[strspn(release, usual)];
}

/* Lists the paths where a vmlinux with debug information may be, the most likely one first. */
static void list_kernel_paths(const struct dso *dso, const struct dso_options *options,
			      struct name_list *list)
{
	const char *symfs = options ? options->symfs : NULL, *release = dso->release;
	const struct build_id *build_id = &dso->build_id;

	if (is_safe_release(release)) {
		add_formatted(list, symfs, DEBUG_FOLDER "/boot/vmlinux-%s", release);
		add_formatted(list, symfs, DEBUG_FOLDER "/lib/modules/%s/vmlinux", release);
		add_formatted(list, symfs, DEBUG_FOLDER "/boot/vmlinux-%s.debug", release);
	}
	if (build_id->size >= 2) {
		const struct build_id_text id = build_id_text(build_id);

		add_formatted(list, symfs, DEBUG_FOLDER "/.build-id/%.2s/%s.debug", id.hex,
			      id.hex + 2);
		add_cached(list, dso, "vmlinux");
		add_cached(list, dso, "elf");
		/* perf searches the current folder, too. The build id tells the right one. */
		add_path(list, symfs, "vmlinux");
	}
	if (is_safe_release(release)) {
		add_formatted(list, symfs, "/lib/modules/%s/build/vmlinux", release);
		add_formatted(list, symfs, "/boot/vmlinux-%s", release);
		add_formatted(list, symfs, "/lib/modules/%s/vmlinux", release);
	}
}

char *dso_module_name(const struct dso *dso)
{
	const char *name = dso->short_name + (dso->short_name[0] == '[');

	return xstrndup(name, strcspn(name, "]"));
}

/* Returns "kernel/fs/ext4/ext4.ko" for "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz", or NULL if the
 * path is not of this form. The caller frees it. */
static char *path_in_release(const char *path, const char *release)
{
	_cleanup_free_ char *folder =
		is_safe_release(release) ? xasprintf("/lib/modules/%s/", release) : NULL;
	const char *found = folder ? strstr(path, folder) : NULL;
	const char *end = found ? strstr(found, ".ko") : NULL;

	return end ? xstrndup(found + strlen(folder), (size_t)(end + 3 - (found + strlen(folder))))
		   : NULL;
}

/* Adds the files of a module ("....ko") in a folder: plain, compressed, with debug. */
static void add_module_files(struct name_list *list, const char *symfs, const char *folder,
			     const char *place)
{
	static const char *const suffixes[] = { "", ".debug", ".xz", ".zst", ".gz" };

	for (size_t i = 0; i < COUNT_OF(suffixes); i++)
		add_formatted(list, symfs, "%s/%s%s", folder, place, suffixes[i]);
}

/* Adds the paths of a module in all trees that may exist for its release. `place` is its path below
 * /lib/modules/RELEASE. */
static void add_module_trees(struct name_list *list, const char *place, const char *release,
			     const char *vmlinux, const char *symfs)
{
	_cleanup_free_ char *folder = vmlinux ? folder_of(vmlinux) : NULL;
	_cleanup_free_ char *modules = xasprintf("/lib/modules/%s", release);
	_cleanup_free_ char *debug = xasprintf(DEBUG_FOLDER "%s", modules);
	_cleanup_free_ char *beside = xasprintf("%s/..%s", folder ?: "", modules);
	_cleanup_free_ char *merged = xasprintf("%s/../usr%s", folder ?: "", modules);

	add_module_files(list, symfs, modules, place);
	add_module_files(list, symfs, debug, place);
	if (!vmlinux)
		return;
	/* For .../boot/vmlinux-6.1 there is .../lib/modules/6.1; else vmlinux is in
	 * .../lib/modules/6.1 itself, or in the folder of a build. */
	add_module_files(list, NULL, beside, place);
	add_module_files(list, NULL, merged, place);
	add_module_files(list, NULL, folder, place);
	if (starts_with(place, "kernel/"))
		add_module_files(list, NULL, folder, place + strlen("kernel/"));
}

/* Returns the first file of the module below `folder`, or NULL. The caller frees the path. */
static char *find_module_below(const char *folder, const char *module)
{
	char *const roots[] = { (char *)folder, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	char *found = NULL;
	FTSENT *entry;

	while (walk && !found && (entry = fts_read(walk))) {
		if (entry->fts_info == FTS_D && entry->fts_level > MODULE_DEPTH_MAX)
			fts_set(walk, entry, FTS_SKIP);
		if ((entry->fts_info == FTS_F || entry->fts_info == FTS_NSOK) &&
		    is_module_file(entry->fts_name, strlen(entry->fts_name), module))
			found = xstrdup(entry->fts_path);
	}
	if (walk)
		fts_close(walk);
	return found;
}

/* Adds the files of a module whose path was not recorded, by searching the trees of its release. */
static void add_module_by_name(struct name_list *list, const char *module, const char *release,
			       const char *vmlinux, const char *symfs)
{
	_cleanup_free_ char *beside = vmlinux ? folder_of(vmlinux) : NULL;
	_cleanup_names_ struct name_list trees = { 0 };

	add_formatted(&trees, symfs, "/lib/modules/%s", release);
	add_formatted(&trees, symfs, DEBUG_FOLDER "/lib/modules/%s", release);
	if (vmlinux) {
		add_formatted(&trees, NULL, "%s/../lib/modules/%s", beside, release);
		add_formatted(&trees, NULL, "%s/../usr/lib/modules/%s", beside, release);
		add_formatted(&trees, NULL, "%s/kernel", beside);
	}
	for (size_t i = 0; i < trees.count; i++) {
		_cleanup_free_ char *found = find_module_below(trees.names[i], module);

		if (found)
			add_path(list, NULL, found);
	}
}

/* Lists the paths where the file of a module may be. Its recorded name is a path such as
 * "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz" or only "[ext4]". */
static void list_module_paths(const struct dso *dso, const struct dso_options *options,
			      struct name_list *list)
{
	const char *symfs = options ? options->symfs : NULL,
		   *vmlinux = options ? options->vmlinux : NULL;
	const char *name = dso->long_name, *release = dso->release;
	_cleanup_free_ char *place = path_in_release(name, release);

	if (*name == '[') {
		_cleanup_free_ char *module = xstrndup(name + 1, strcspn(name + 1, "]"));

		if (is_safe_release(release) && !strchr(module, '/'))
			add_module_by_name(list, module, release, vmlinux, symfs);
		return;
	}
	add_path(list, symfs, name);
	if (place)
		add_module_trees(list, place, release, vmlinux, symfs);
}

char *kernel_debug_package(const char *release)
{
	static const char *const ubuntu[] = { "-generic", "-lowlatency", "-azure", "-aws",
					      "-gcp",     "-kvm",        "-oracle" };
	static const char *const red_hat[] = { ".fc", ".el", ".amzn" };

	if (!is_safe_release(release))
		return NULL;
	for (size_t i = 0; i < COUNT_OF(ubuntu); i++)
		if (ends_with(release, ubuntu[i]))
			return xasprintf("linux-image-unsigned-%s-dbgsym", release);
	for (size_t i = 0; i < COUNT_OF(red_hat); i++)
		if (strstr(release, red_hat[i]))
			return xasprintf("kernel-debuginfo-%s", release);
	if (ends_with(release, "-amd64"))
		return xasprintf("linux-image-%s-dbg", release);
	if (ends_with(release, "-default"))
		return xstrdup("kernel-default-debuginfo");
	return NULL;
}

/* ---- the files of a kernel and its modules ---- */

/* Opens the boot image with the code of the running kernel, or of one below --symfs. */
static struct elf_image *dso_open_boot_image(const struct dso *dso,
					     const struct dso_options *options, char **problem)
{
	const char *symfs = options ? options->symfs : NULL, *release = dso->release;
	bool running = running_kernel_is(&dso->build_id);
	struct elf_image *image = NULL;
	_cleanup_names_ struct name_list list = { 0 };
	struct utsname system;

	if (running && uname(&system) == 0)
		release = system.release;
	if (!(running || (symfs && dso->build_id.size)) || !is_safe_release(release))
		return NULL;
	add_formatted(&list, symfs, "/boot/vmlinuz-%s", release);
	add_formatted(&list, symfs, "/lib/modules/%s/vmlinuz", release);
	for (size_t i = 0; !image && i < list.count; i++)
		if (ordinary_file_exists(list.names[i]))
			image = dso_try_image(dso, list.names[i], problem);
	return image;
}

const char *dso_kernel_memory_symbols(const struct dso *dso, const struct dso_options *options)
{
	if (options && options->kallsyms)
		return options->kallsyms;
	return dso->kernel && running_kernel_is(&dso->kernel->build_id) ? RUNNING_KERNEL_SYMBOLS
									: NULL;
}

/* Returns the path of a list of the kernel's symbols, of any boot, or NULL. The caller frees it. */
static char *dso_kernel_symbols(const struct dso *dso, const struct dso_options *options)
{
	const char *path = dso_kernel_memory_symbols(dso, options);

	if (path)
		return xstrdup(path);
	return dso->kernel ? dso_path_cached(dso->kernel, "kallsyms") : NULL;
}

/* Returns whether a kernel without a build id may be the running one, because it has the same
 * release. (Older pipes have no build ids.) Its list of symbols then tells. */
static bool dso_may_be_running(const struct dso *dso, const struct dso_options *options)
{
	const struct dso *kernel = dso->kernel;
	struct utsname system;

	if (!kernel || kernel->kind != DSO_KERNEL || kernel->build_id.size ||
	    !kernel->reference_symbol || !kernel->release || (options && options->symfs))
		return false;
	return uname(&system) == 0 && strcmp(kernel->release, system.release) == 0;
}

struct error *dso_read_kernel_symbols(const struct dso *dso, const struct dso_options *options,
				      bool with_data, struct symbol_map *map)
{
	_cleanup_free_ char *path = dso_kernel_symbols(dso, options);
	_cleanup_free_ char *module = NULL;
	struct kallsyms_place place = {
		.reference_symbol = dso->kernel ? dso->kernel->reference_symbol : NULL,
		.reference_address = dso->kernel ? dso->kernel->reference_address : 0,
		.end = dso->text_size,
		.with_data = with_data,
	};

	if (dso->kind == DSO_MODULE) {
		module = dso_module_name(dso);
		place.module = module;
		place.load_address = dso->load_address;
	} else {
		place.end += dso->reference_address;
	}
	if (path)
		return kallsyms_read(path, &place, map);
	if (!dso_may_be_running(dso, options))
		return NULL;
	place.kernel_end = dso->kernel->reference_address + dso->kernel->text_size;

	struct error *error = kallsyms_read(RUNNING_KERNEL_SYMBOLS, &place, map);

	/* If the list belongs to another kernel, the message for the kernel says so. The messages
	 * for modules say that their files are missing. */
	if (dso->kind != DSO_MODULE)
		return error;
	error_destroy(error);
	return NULL;
}

/* Returns a message that says what to install or to give if there is no vmlinux. */
static char *dso_kernel_missing(const struct dso *dso, const struct dso_options *options)
{
	_cleanup_free_ char *symbols = dso_kernel_symbols(dso, options);
	_cleanup_free_ char *package = kernel_debug_package(dso->release);
	struct strbuf text = STRBUF_INIT;

	strbuf_add_format(&text, "no vmlinux for %s", dso->long_name);
	if (dso->release)
		strbuf_add_format(&text, " of %s", dso->release);
	if (dso->build_id.size)
		strbuf_add_format(&text, ", build id %s", build_id_text(&dso->build_id).hex);
	strbuf_add_string(&text, ": ");
	if (package)
		strbuf_add_format(&text, "install %s, or ", package);
	strbuf_add_string(&text, "give its path, or that of its boot image (vmlinuz), with -k");
	if (!symbols && dso->kind == DSO_KERNEL)
		strbuf_add_string(&text,
				  ", or for names alone a copy of its " RUNNING_KERNEL_SYMBOLS
				  " with --kallsyms");
	/* Readable kernel memory has the code; other messages name what is missing. */
	if (running_kernel_is(&dso->build_id) && access(RUNNING_KERNEL_BTF "/vmlinux", R_OK) == 0 &&
	    access(RUNNING_KERNEL_MEMORY, R_OK) != 0)
		strbuf_add_string(
			&text,
			"; for types its code alone is missing, they are in " RUNNING_KERNEL_BTF);
	return strbuf_detach(&text);
}

/* Returns whether the text of the image is as long as the recorded one. This tells kernels of one
 * release apart if no build id was recorded. */
static bool has_recorded_text(const struct dso *dso, const struct elf_image *image)
{
	const struct symbol *start =
		dso->reference_symbol ? elf_image_symbol_named(image, dso->reference_symbol) : NULL;
	const struct symbol *end = elf_image_symbol_named(image, "_etext");

	return start && end && end->address - start->address == dso->text_size;
}

static struct elf_image *dso_search_kernel(const struct dso *dso, const struct dso_options *options,
					   char **problem)
{
	_cleanup_names_ struct name_list list = { 0 };
	struct elf_image *image = NULL;

	list_kernel_paths(dso, options, &list);
	for (size_t i = 0; i < list.count && !image; i++) {
		if (!ordinary_file_exists(list.names[i]))
			continue;
		image = dso_try_image(dso, list.names[i], problem);
		if (!image || dso->build_id.size || has_recorded_text(dso, image))
			continue;
		free(*problem);
		*problem = xasprintf("%s is another kernel than the recorded one, which has no "
				     "build id: not used; give the path of the right one with -k",
				     list.names[i]);
		elf_image_close(image);
		image = NULL;
	}
	return image;
}

/* Opens a kernel's memory, which has the code that ran, including all patches. */
static struct elf_image *dso_open_kernel_memory(const struct dso *dso,
						const struct dso_options *options, const char *path,
						char **problem)
{
	const char *symbols = dso_kernel_memory_symbols(dso, options);
	struct elf_image *image = NULL;
	struct error *error =
		symbols ? kcore_open(path, symbols, &image)
			: error_create(ERROR_NOT_FOUND,
				       "%s is a kernel's memory: give the symbols of the same boot "
				       "with --kallsyms (a copy of " RUNNING_KERNEL_SYMBOLS ")",
				       path);

	/* The copy may lack the notes with the build id. */
	if (!error && !elf_image_build_id(image)->size && running_kernel_is(&dso->build_id))
		return image;
	return dso_check_image(dso, path, image, error, problem);
}

/* Opens the running kernel without debug information: its memory or its boot image. */
static struct elf_image *dso_open_running_kernel(const struct dso *dso,
						 const struct dso_options *options, char **problem)
{
	_cleanup_free_ char *memory_problem = NULL;
	struct elf_image *image = NULL;

	if (running_kernel_is(&dso->build_id) && access(RUNNING_KERNEL_MEMORY, R_OK) == 0)
		image = dso_open_kernel_memory(dso, options, RUNNING_KERNEL_MEMORY,
					       &memory_problem);
	if (!image)
		image = dso_open_boot_image(dso, options, problem);
	if (!image && memory_problem) {
		_cleanup_free_ char *earlier_problem = *problem;

		*problem = xasprintf("%s; %s", earlier_problem, memory_problem);
	}
	return image;
}

/* Returns the file of -k if it is open already and the recorded one, or NULL. Another one is left
 * to its owner, who may be reading it. */
static struct elf_image *take_opened(const struct dso *dso, const struct dso_options *options)
{
	struct elf_image *image = options->opened_vmlinux ? *options->opened_vmlinux : NULL;

	if (!image || (dso->build_id.size && !elf_image_is_build(image, &dso->build_id)))
		return NULL;
	*options->opened_vmlinux = NULL;
	return image;
}

static struct elf_image *dso_find_kernel_image(const struct dso *dso,
					       const struct dso_options *options, char **problem)
{
	struct elf_image *image;

	if (options && options->vmlinux && elf_is_core(options->vmlinux))
		return dso_open_kernel_memory(dso, options, options->vmlinux, problem);
	if (options && options->vmlinux)
		return take_opened(dso, options) ?: dso_try_image(dso, options->vmlinux, problem);
	*problem = dso_kernel_missing(dso, options);
	/* The kernel of a guest is not on this machine. */
	bool search = !options || !options->no_vmlinux;

	image = dso->kind == DSO_KERNEL && search ? dso_search_kernel(dso, options, problem) : NULL;
	if (!image && search)
		image = dso_fetch_image(dso, DEBUGINFOD_DEBUG_INFO, problem);
	return image ?: dso_open_running_kernel(dso, options, problem);
}

/* If the file has no symbols, those of the kernel's list are added before anybody asks for them.
 * Without a list, the companion may have them. */
struct elf_image *dso_open_kernel(struct dso *dso, const struct dso_options *options,
				  char **symbol_source, char **problem)
{
	struct elf_image *image = dso_find_kernel_image(dso, options, problem);

	/* If the file of -k is not used, a message says so, even if symbols come from elsewhere. */
	dso->refused = !image && dso->kind == DSO_KERNEL && options && options->vmlinux;
	if (!image || elf_image_has_symbols(image))
		return image;
	_cleanup_free_ char *symbols = dso_kernel_symbols(dso, options);

	if (elf_image_was_given_symbols(image)) {
		*symbol_source = xstrdup(symbols);
		return image;
	}

	_cleanup_error_ struct error *error =
		symbols ? kallsyms_add_to_image(symbols, image)
			: error_create(ERROR_NOT_FOUND,
				       "%s has no symbols: give them with --kallsyms (a copy "
				       "of " RUNNING_KERNEL_SYMBOLS ", or the System.map)",
				       elf_image_path(image));

	if (!error) {
		*symbol_source = xstrdup(symbols);
		return image;
	}
	free(*problem);
	*problem = xstrdup(error->message);
	return image;
}

char *dso_kernel_debug_folder(const struct dso_options *options)
{
	const char *slash = options && options->vmlinux ? strrchr(options->vmlinux, '/') : NULL;

	return slash ? xasprintf("%.*s/..", (int)(slash - options->vmlinux), options->vmlinux)
		     : NULL;
}

static bool image_has_code(const struct elf_image *image)
{
	struct elf_section text;
	size_t available;

	return elf_image_section_named(image, ".text", &text) &&
	       elf_image_bytes(image, text.address, &available);
}

/* Files without code are passed over here; dso_open_debug_file() finds them. */
struct elf_image *dso_open_module(struct dso *dso, const struct dso_options *options,
				  char **problem)
{
	struct name_list list = { 0 };
	struct elf_image *image = NULL;

	list_module_paths(dso, options, &list);
	for (size_t i = 0; i < list.count && !image; i++) {
		if (!ordinary_file_exists(list.names[i]))
			continue;
		image = dso_try_image(dso, list.names[i], problem);
		/* files below --symfs, or beside the kernel of -k, are the user's choice */
		if (!options || (!options->symfs && !options->vmlinux))
			image = dso_judged_image(dso, image, problem);
		if (image && !image_has_code(image)) {
			elf_image_close(image);
			image = NULL;
		}
	}
	name_list_deinit(&list);
	_cleanup_free_ char *cached = dso_path_cached(dso, "elf");

	if (!image && cached)
		image = dso_try_image(dso, cached, problem);
	if (!image)
		image = dso_fetch_image(dso, DEBUGINFOD_EXECUTABLE, problem);
	if (!image && !*problem) {
		_cleanup_free_ char *package = kernel_debug_package(dso->release);

		*problem =
			xasprintf("no file of the module %s: install %s, or give the folder that "
				  "it is below with --symfs",
				  dso->long_name, package ?: "its kernel's debug package");
	}
	return image;
}
