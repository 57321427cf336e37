/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols that a stripped object carries along: "MiniDebugInfo" in gdb's manual. .gnu_debugdata is an ELF
 * file of its own, compressed with xz, whose sections have no contents but for a .symtab of the functions
 * that .dynsym does not have.
 */
#include <string.h>

#include "dwarf/elf_image_private.h"
#include "dwarf/elf_unpack.h"

/* It was made of the same file: of the same kind, and with the same build id if it has one. */
static bool fits(const struct elf_image *embedded, const struct elf_image *image)
{
	return embedded->type == image->type && embedded->machine == image->machine &&
	       embedded->is_64 == image->is_64 &&
	       (!embedded->build_id_size || build_id_equal(&embedded->build_id_head, &image->build_id_head));
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
	/* what is laid out anew has other addresses */
	if (!part || !part->contents || image->type == ET_REL ||
	    elf_symbol_table_of(image, SHT_SYMTAB).count > 1)
		return NULL;
	name = xasprintf("%s: .gnu_debugdata", image->path);
	RETURN_ERROR(elf_unpack_section(part->contents, part->size, name, &unpacked, &size));
	RETURN_ERROR(elf_image_open_owned(unpacked, size, name, &embedded));
	if (!fits(embedded, image)) {
		elf_image_close(embedded);
		return error_create(ERROR_FORMAT, "%s was made of another file: not used", name);
	}
	/* a function without a size ends where the next one begins, whichever table has that */
	symbols = elf_image_symbols(image, &count);
	elf_image_add_symbols(embedded, symbols, count);
	*result = embedded;
	return NULL;
}
