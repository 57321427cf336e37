// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes and reads .dtprof.symbols: an ELF file (elf_image_copy_symbols()) in lanes, which are a
 * fifth smaller when packed than the entries are. */

#include "dwarf/companion/build.h"
#include "dwarf/companion/private.h"

/* The members of an entry that are kept as they are. */
struct symbol_kind {
	uint8_t info, other;
	uint16_t section;
};

/* Values are counted from the last one of the same section, by the section's number modulo this:
 * a unit's code and data are in several sections, in each of which the next unit goes on. */
#define SECTIONS 256

void companion_builder_symbols(struct companion_builder *builder, const struct elf_image *file)
{
	struct companion_writer *writer = companion_builder_part(builder, COMPANION_SYMBOLS);
	_cleanup_strbuf_ struct strbuf copy = STRBUF_INIT;
	size_t entries, count = elf_image_copy_symbols(file, &copy, &entries);
	size_t names = entries + count * sizeof(Elf64_Sym);
	uint64_t last[SECTIONS] = { 0 };

	if (!count)
		return;
	strbuf_add(&writer->lanes[SYMBOL_FILE], copy.data, entries);
	strbuf_add(&writer->lanes[SYMBOL_NAMES], copy.data + names, copy.length - names);
	for (size_t i = 0; i < count; i++) {
		Elf64_Sym symbol;

		memcpy(&symbol, copy.data + entries + i * sizeof(symbol), sizeof(symbol));
		companion_add_sleb(&writer->lanes[SYMBOL_VALUES],
				   (int64_t)(symbol.st_value - last[symbol.st_shndx % SECTIONS]));
		companion_add_uleb(&writer->lanes[SYMBOL_SIZES], symbol.st_size);
		strbuf_add(
			&writer->lanes[SYMBOL_KINDS],
			&(struct symbol_kind){ symbol.st_info, symbol.st_other, symbol.st_shndx },
			sizeof(struct symbol_kind));
		last[symbol.st_shndx % SECTIONS] = symbol.st_value;
	}
	companion_writer_end_item(writer, 0);
}

/* Makes the file of its lanes, and returns its size; 0: they are damaged. */
static size_t make_file(struct cursor *lanes, size_t count, uint8_t *file)
{
	const struct cursor *start = &lanes[SYMBOL_FILE];
	const struct cursor *names = &lanes[SYMBOL_NAMES];
	uint8_t *to = file + start->size;
	uint64_t values[SECTIONS] = { 0 };

	memcpy(file, start->data, start->size);
	for (size_t i = 0; i < count; i++, to += sizeof(Elf64_Sym)) {
		struct symbol_kind kind;

		memcpy(&kind, cursor_bytes(&lanes[SYMBOL_KINDS], sizeof(kind)), sizeof(kind));
		uint64_t *value = &values[kind.section % SECTIONS];

		*value += (uint64_t)cursor_sleb(&lanes[SYMBOL_VALUES]);
		Elf64_Sym symbol = { .st_name = (uint32_t)lanes[SYMBOL_NAMES].position,
				     .st_info = kind.info,
				     .st_other = kind.other,
				     .st_shndx = kind.section,
				     .st_value = *value,
				     .st_size = cursor_uleb(&lanes[SYMBOL_SIZES]) };

		memcpy(to, &symbol, sizeof(symbol));
		if (!cursor_string(&lanes[SYMBOL_NAMES]))
			return 0;
	}
	memcpy(to, names->data, names->size);
	to += names->size;
	return lanes[SYMBOL_VALUES].failed || lanes[SYMBOL_SIZES].failed ? 0 : (size_t)(to - file);
}

const struct elf_image *companion_symbols(struct companion *companion)
{
	struct companion_window window = { 0 };
	struct cursor lanes[SYMBOL_LANES];
	struct companion_span span;
	size_t packed;

	elf_image_data(companion->file, &packed);
	if (companion->symbols ||
	    !companion_window_item(&window, companion_section_of(companion, COMPANION_SYMBOLS), 0,
				   &span, lanes))
		return companion->symbols;
	size_t count = lanes[SYMBOL_KINDS].size / sizeof(struct symbol_kind);

	/* a symbol takes some bytes, packed; more of them than that are damage */
	if (count <= packed) {
		companion->symbol_file =
			xmalloc(lanes[SYMBOL_FILE].size + lanes[SYMBOL_NAMES].size +
				count * sizeof(Elf64_Sym) + 1);
		size_t size = make_file(lanes, count, companion->symbol_file);

		error_destroy(elf_image_open_memory(companion->symbol_file, size, "symbols",
						    &companion->symbols));
	}
	companion_window_close(&window);
	return companion->symbols;
}
