// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the separate debug file of an image, and the alternate file that dwz made for several. The
 * places and their order are those of gdb: "Debugging Information in Separate Files" and "Searching
 * for dwz" in its manual, gdb/symfile.c and gdb/dwarf2/dwz.c. Also opens the symbols that a
 * stripped image carries in itself.
 */
#include <limits.h>
#include <zlib.h>

#include "dwarf/elf/image_private.h"
#include "base/cursor.h"
#include "base/strbuf.h"
#include "base/text.h"

/* ---- separate debug files ---- */

#define DEBUG_FOLDER "/usr/lib/debug"

static const char *const default_directories[] = { DEBUG_FOLDER, NULL };

/* The checksum of larger files is not calculated: a sparse file can have any size, and reading one
 * of 1 TB takes half an hour. Debug files of that size have build ids. */
#define LARGEST_SUMMED ((size_t)2 << 30)
/* The checksum is calculated in pieces, so that no more of the file is in memory at once. */
#define SUMMED_AT_ONCE ((size_t)16 << 20)

/* Returns the CRC-32 (ISO 3309, zlib's) of the whole file, as .gnu_debuglink stores it. */
static uint32_t crc32_of(const struct elf_image *image)
{
	uLong crc = crc32_z(0, NULL, 0);

	for (size_t at = 0; at < image->size; at += SUMMED_AT_ONCE) {
		size_t size = image->size - at < SUMMED_AT_ONCE ? image->size - at : SUMMED_AT_ONCE;

		crc = crc32_z(crc, image->data + at, size);
		elf_image_done_with(image, image->data + at, size);
	}
	return (uint32_t)crc;
}

/* The build id and checksum that a candidate must have to be the debug file. */
struct wanted {
	const struct elf_image
		*image; /* the image whose debug file is wanted; it is never its own */
	const uint8_t *build_id;
	size_t build_id_size; /* 0: none */
	bool has_crc;         /* compared if one of the two files has no build id */
	uint32_t crc;
	struct error *problem; /* why the first candidate that is there could not be used */
};

/* True if what is at `path` may be the file, so that failing to read it is an error. */
static bool exists(const char *path)
{
	struct stat status;

	return stat(path, &status) ? errno == EACCES || errno == EIO : S_ISREG(status.st_mode);
}

/* Keeps the first problem, which is the one that is reported. */
static void keep_problem(struct wanted *wanted, struct error *error)
{
	if (wanted->problem)
		error_destroy(error);
	else
		wanted->problem = error;
}

/* True if the candidate has the checksum that the link stores. */
static bool sum_fits(const struct elf_image *candidate, struct wanted *wanted)
{
	if (candidate->size <= LARGEST_SUMMED)
		return crc32_of(candidate) == wanted->crc;
	keep_problem(wanted,
		     error_create(ERROR_FORMAT,
				  "%s: %zu bytes are too many to check that it is the debug file "
				  "of %s (its .gnu_debuglink has a checksum, and no build id): not "
				  "used; link the program with --build-id",
				  candidate->path, candidate->size, wanted->image->path));
	return false;
}

/* True if the file at `path` exists and is the right one. */
static bool fits(const char *path, struct wanted *wanted)
{
	struct elf_image *image;
	struct error *error;
	bool result = false;

	if (!exists(path) || same_file(path, elf_image_path(wanted->image), false))
		return false;
	error = elf_image_open(path, &image);
	if (error) {
		keep_problem(wanted, error);
		return false;
	}
	if (wanted->build_id_size && image->build_id_size)
		result = wanted->build_id_size == image->build_id_size &&
			 !memcmp(wanted->build_id, image->build_id, image->build_id_size);
	else if (wanted->has_crc)
		result = sum_fits(image, wanted);
	elf_image_close(image);
	return result;
}

/* Takes over `path`: moves it to *result if the file is the right one, else frees it. */
static bool take_if_right(char *path, struct wanted *wanted, char **result)
{
	if (fits(path, wanted)) {
		*result = path;
		return true;
	}
	free(path);
	return false;
}

static bool try_build_id(struct wanted *wanted, const char *directory, char **result)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	if (wanted->build_id_size < 2 || wanted->build_id_size > PATH_MAX / 4)
		return false;
	strbuf_add_format(&path, "%s/.build-id/%02x/", directory, wanted->build_id[0]);
	for (size_t i = 1; i < wanted->build_id_size; i++)
		strbuf_add_format(&path, "%02x", wanted->build_id[i]);
	strbuf_add_string(&path, ".debug");
	return take_if_right(strbuf_detach(&path), wanted, result);
}

/* Returns the folder without symbolic links, or as it is where there is no file (in memory). */
static char *real_folder_of(const char *path)
{
	_cleanup_free_ char *real = realpath(path, NULL);
	char *folder = folder_of(real ?: path);

	return folder;
}

/* Returns the string at the beginning of a section, or NULL, and what follows, padded. */
static const char *link_section(const struct elf_image *image, const char *section,
				size_t alignment, const uint8_t **rest, size_t *rest_size)
{
	const struct elf_part *part = elf_part_named(image, section);
	size_t length;

	if (!part || !part->contents)
		return NULL;
	length = strnlen((const char *)part->contents, part->size);
	if (!length || length == part->size)
		return NULL;
	length = (length + alignment) / alignment * alignment; /* with the NUL */
	*rest = part->contents + (length < part->size ? length : part->size);
	*rest_size = length < part->size ? part->size - length : 0;
	return (const char *)part->contents;
}

/* Returns `path` as it is called in the tree that the folder of debug files belongs to: for the
 * folder ROOT/usr/lib/debug and a file below ROOT, the rest of its path. */
static const char *path_in_tree(const char *directory, const char *path)
{
	_cleanup_free_ char *root = NULL, *real = NULL;
	size_t length;

	if (!ends_with(directory, DEBUG_FOLDER))
		return path;
	root = xstrndup(directory, strlen(directory) - strlen(DEBUG_FOLDER));
	real = realpath(root, NULL);
	length = real ? strlen(real) : 0;
	return length > 1 && !strncmp(path, real, length) && path[length] == '/' ? path + length
										 : path;
}

static bool try_debug_link(const struct elf_image *image, struct wanted *wanted,
			   const char *const *directories, char **result)
{
	_cleanup_free_ char *folder = real_folder_of(elf_image_path(image));
	const uint8_t *crc;
	size_t crc_size;
	const char *name = link_section(image, ".gnu_debuglink", 4, &crc, &crc_size);

	/* the link is a plain file name; a path would lead out of the folders that are searched */
	if (!name || strchr(name, '/') || crc_size < sizeof(wanted->crc))
		return false;
	memcpy(&wanted->crc, crc, sizeof(wanted->crc));
	wanted->has_crc = true;
	if (take_if_right(xasprintf("%s/%s", folder, name), wanted, result) ||
	    take_if_right(xasprintf("%s/.debug/%s", folder, name), wanted, result))
		return true;
	for (size_t i = 0; directories[i]; i++)
		if (take_if_right(xasprintf("%s%s%s/%s", directories[i],
					    folder[0] == '/' ? "" : "/",
					    path_in_tree(directories[i], folder), name),
				  wanted, result))
			return true;
	return false;
}

/* Tries the places where distributions put debug files under the program's own path. They are not
 * named by a link, so only the build id decides. */
static bool try_own_path(const struct elf_image *image, struct wanted *wanted,
			 const char *const *directories, char **result)
{
	_cleanup_free_ char *real = realpath(elf_image_path(image), NULL);
	_cleanup_free_ char *folder = real ? folder_of(real) : NULL;

	if (!real || !wanted->build_id_size)
		return false;
	wanted->has_crc = false;
	if (take_if_right(xasprintf("%s/.debug/%s", folder, strrchr(real, '/') + 1), wanted,
			  result))
		return true;
	for (size_t i = 0; directories[i]; i++) {
		const char *path = path_in_tree(directories[i], real);

		if (take_if_right(xasprintf("%s%s.debug", directories[i], path), wanted, result) ||
		    take_if_right(xasprintf("%s%s", directories[i], path), wanted, result))
			return true;
	}
	return false;
}

struct error *elf_image_find_debug_file(const struct elf_image *image,
					const char *const *directories, char **path)
{
	struct wanted wanted = {
		.image = image,
		.build_id = image->build_id,
		.build_id_size = image->build_id_size,
	};

	*path = NULL;
	if (!directories)
		directories = default_directories;
	for (size_t i = 0; directories[i]; i++)
		if (try_build_id(&wanted, directories[i], path)) {
			error_destroy(wanted.problem);
			return NULL;
		}
	if (!try_debug_link(image, &wanted, directories, path) &&
	    !try_own_path(image, &wanted, directories, path))
		return wanted.problem;
	error_destroy(wanted.problem);
	return NULL;
}

static bool try_alt_folder(const char *name, struct wanted *wanted, const char *directory,
			   char **result)
{
	const char *shared = strstr(name, ".dwz/");

	return try_build_id(wanted, directory, result) ||
	       (shared && take_if_right(xasprintf("%s/%s", directory, shared), wanted, result));
}

/* Tries the folders of debug files of the trees that the image may belong to, ROOT/usr/lib/debug
 * for each folder ROOT above it, and then the others. */
static bool try_alt_folders(const struct elf_image *image, const char *name, struct wanted *wanted,
			    const char *const *directories, char **result)
{
	_cleanup_free_ char *real = realpath(elf_image_path(image), NULL);
	char *slash;

	while (real && (slash = strrchr(real, '/')) && slash != real) {
		*slash = '\0';
		_cleanup_free_ char *own = xasprintf("%s" DEBUG_FOLDER, real);

		if (try_alt_folder(name, wanted, own, result))
			return true;
	}
	for (size_t i = 0; directories[i]; i++)
		if (try_alt_folder(name, wanted, directories[i], result))
			return true;
	return false;
}

struct error *elf_image_find_alt_file(const struct elf_image *image, const char *const *directories,
				      char **path)
{
	_cleanup_free_ char *folder = real_folder_of(elf_image_path(image));
	struct wanted wanted = { .image = image };
	struct build_id shown = { 0 };
	const char *name = link_section(image, ".gnu_debugaltlink", 1, &wanted.build_id,
					&wanted.build_id_size);

	*path = NULL;
	if (!name)
		return NULL;
	if (!wanted.build_id_size)
		return error_create(ERROR_FORMAT, "%s: .gnu_debugaltlink has no build id",
				    image->path);
	if (!directories)
		directories = default_directories;
	if (take_if_right(name[0] == '/' ? xstrdup(name) : xasprintf("%s/%s", folder, name),
			  &wanted, path) ||
	    try_alt_folders(image, name, &wanted, directories, path)) {
		error_destroy(wanted.problem);
		return NULL;
	}
	if (wanted.problem)
		return wanted.problem;
	shown.size = wanted.build_id_size < BUILD_ID_SIZE ? wanted.build_id_size : BUILD_ID_SIZE;
	memcpy(shown.bytes, wanted.build_id, shown.size);
	return error_create(ERROR_NO_DEBUG_INFO,
			    "%s: its debug information continues in %s (build id %s), which is not "
			    "there; it comes with the same package of debug information",
			    image->path, name, build_id_text(&shown).hex);
}

/*
 * ---- embedded symbols ----
 *
 * "MiniDebugInfo" in gdb's manual: .gnu_debugdata is an ELF file of its own, compressed with xz.
 * Its sections have no contents except a .symtab with the functions that .dynsym lacks.
 */

/* True if the embedded image is of the same file: type, machine, class and build id. */
static bool embedded_fits(const struct elf_image *embedded, const struct elf_image *image)
{
	return embedded->type == image->type && embedded->machine == image->machine &&
	       embedded->is_64 == image->is_64 &&
	       (!embedded->build_id_size ||
		build_id_equal(&embedded->build_id_head, &image->build_id_head));
}

struct error *elf_image_open_embedded(const struct elf_image *image, struct elf_image **result)
{
	const struct elf_part *part = elf_part_named(image, ".gnu_debugdata");
	_cleanup_free_ char *name = NULL;
	struct elf_image *embedded;
	const struct symbol *symbols;
	uint8_t *unpacked;
	size_t size, count;

	*result = NULL;
	/* the sections of a relocatable file have other addresses here */
	if (!part || !part->contents || image->type == ET_REL ||
	    elf_symbol_table_of(image, SHT_SYMTAB).count > 1)
		return NULL;
	name = xasprintf("%s: .gnu_debugdata", image->path);
	RETURN_ERROR(elf_unpack_section(part->contents, part->size, name, &unpacked, &size));
	RETURN_ERROR(elf_image_open_owned(unpacked, size, name, &embedded));
	if (!embedded_fits(embedded, image)) {
		elf_image_close(embedded);
		return error_create(ERROR_FORMAT, "%s was made of another file: not used", name);
	}
	/* a function without a size ends where the next one begins, in whichever table */
	symbols = elf_image_symbols(image, &count);
	elf_image_add_symbols(embedded, symbols, count);
	*result = embedded;
	return NULL;
}
