// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The symbols of an image, read from .symtab, .dynsym and the PLT when first asked for, in the
 * order that image.h promises, and looked up by address and by name.
 */
#include <inttypes.h>
#include <stdio.h>

#include "dwarf/elf/image_private.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- symbol tables, as they are in the file ---- */

size_t elf_string_limit(const uint8_t *strings, size_t size)
{
	const uint8_t *last = size ? memrchr(strings, 0, size) : NULL;

	return last ? last - strings + 1 : 0;
}

static size_t elf_name_length(const char *name)
{
	const char *at = *name ? strchr(name + 1, '@') : NULL;

	return at ? (size_t)(at - name) : strlen(name);
}

/* Finds the table of section indices that do not fit st_shndx (SHN_LORESERVE and above). */
static void find_extended(const struct elf_image *image, size_t table_index,
			  struct elf_symbol_table *table)
{
	for (size_t i = 1; i < image->part_count; i++) {
		const struct elf_part *part = &image->parts[i];

		if (part->type != SHT_SYMTAB_SHNDX || part->link != table_index || !part->contents)
			continue;
		table->extended = part->contents;
		table->extended_count = part->size / sizeof(uint32_t);
		return;
	}
}

struct elf_symbol_table elf_symbol_table_of(const struct elf_image *image, uint32_t table_type)
{
	struct elf_symbol_table table = { .image = image };

	for (size_t i = 1; i < image->part_count; i++) {
		const struct elf_part *part = &image->parts[i];
		const struct elf_part *strings;

		if (part->type != table_type || !part->contents)
			continue;
		strings = &image->parts[part->link]; /* checked when opened */
		if (!strings->contents)
			continue;
		table.entries = part->contents;
		table.count = part->size / (image->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
		table.strings = (const char *)strings->contents;
		table.string_limit = elf_string_limit(strings->contents, strings->size);
		find_extended(image, i, &table);
		break;
	}
	return table;
}

static Elf64_Sym read_entry(const uint8_t *entries, size_t index, bool is_64)
{
	Elf64_Sym wide;
	Elf32_Sym narrow;

	if (is_64) {
		memcpy(&wide, entries + index * sizeof(wide), sizeof(wide));
		return wide;
	}
	memcpy(&narrow, entries + index * sizeof(narrow), sizeof(narrow));
	return (Elf64_Sym){
		.st_name = narrow.st_name,
		.st_info = narrow.st_info,
		.st_other = narrow.st_other,
		.st_shndx = narrow.st_shndx,
		.st_value = narrow.st_value,
		.st_size = narrow.st_size,
	};
}

static inline bool read_symbol(const struct elf_symbol_table *table, size_t index,
			       struct elf_symbol *symbol)
{
	const struct elf_image *image = table->image;
	uint32_t section;
	Elf64_Sym entry;

	if (index >= table->count)
		return false;
	entry = read_entry(table->entries, index, image->is_64);
	*symbol = (struct elf_symbol){
		.name = entry.st_name < table->string_limit ? table->strings + entry.st_name : NULL,
		.value = entry.st_value,
		.size = entry.st_size,
		.type = ELF64_ST_TYPE(entry.st_info),
		.binding = ELF64_ST_BIND(entry.st_info),
		.visibility = ELF64_ST_VISIBILITY(entry.st_other),
		.index = entry.st_shndx,
	};
	section = entry.st_shndx;
	if (section == SHN_XINDEX) {
		if (index >= table->extended_count)
			return true;
		memcpy(&section, table->extended + index * sizeof(section), sizeof(section));
	} else if (section >= SHN_LORESERVE) {
		return true;
	}
	if (section == SHN_UNDEF || section >= image->part_count)
		return true;
	symbol->part = &image->parts[section];
	if (image->type == ET_REL && symbol->type != STT_TLS)
		symbol->value += symbol->part->address;
	return true;
}

bool elf_symbol_table_read(const struct elf_symbol_table *table, size_t index,
			   struct elf_symbol *symbol)
{
	return read_symbol(table, index, symbol);
}

/*
 * ---- PLT stubs ----
 *
 * Their forms differ by linker and flags (lazy, -z now, IBT, retpoline), but nearly all jump
 * through a GOT slot, and the relocation of that slot names the callee. Only the lazy half of an
 * IBT pair pushes the number of that relocation instead. The architecture recognizes the forms.
 */

/* Finds the relocation of a stub at `address`. False: it calls nothing. */
static bool relocation_of_stub(const struct elf_image *image, const struct plt_stub *stub,
			       uint64_t address, struct elf_relocation *relocation)
{
	switch (stub->kind) {
	case PLT_SLOT:
		return elf_image_relocation_at(image, address + (uint64_t)stub->slot, relocation);
	case PLT_NUMBER: return elf_relocations_plt_entry(image, stub->number, relocation);
	default: return false;
	}
}

/*
 * ---- symbols while they are collected ----
 *
 * They are sorted by address, at one address the best first, and those without a size get one. Tens
 * of thousands are sorted by small keys, and read from the file in their order.
 */

#define LONGEST_SYMBOL_NAME 65536 /* bytes; longer ones are ignored */

/* Zero-initialized is empty. */
struct symbol_drafts {
	/* by address; the index counts the entries of `table` that are taken as they are, and then
	 * the symbols in `made` */
	struct sort_key *keys;
	size_t count, capacity;
	struct elf_symbol_table table;
	struct symbol *made;
	size_t made_count, made_capacity;
};

bool symbol_is_function(const struct symbol *symbol)
{
	return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC ||
	       symbol->type == STT_NOTYPE;
}

/* Ranks the symbols at one address as perf does, so that names agree. Functions come before data.
 * The best one has, in this order: a size, a type other than a label's, no weak binding, global
 * binding, few leading underscores, a long name; and it is not one of the kernel's old aliases of
 * system calls. */
static uint64_t rank_of(const struct symbol *symbol)
{
	size_t length = strlen(symbol->name);
	size_t underscores = strspn(symbol->name, "_");
	uint64_t rank = !symbol_is_function(symbol);

	rank = rank << 1 | symbol->no_size;
	rank = rank << 1 | (symbol->type == STT_NOTYPE);
	rank = rank << 1 | (symbol->binding == STB_WEAK);
	rank = rank << 1 | (symbol->binding != STB_GLOBAL);
	rank = rank << 8 | (underscores < 255 ? underscores : 255);
	rank = rank << 17 | (length < LONGEST_SYMBOL_NAME ? LONGEST_SYMBOL_NAME - length : 0);
	return rank << 1 |
	       (starts_with(symbol->name, "SyS") || starts_with(symbol->name, "compat_SyS"));
}

/* Completes a symbol. Without a size it ends at `limit`, the end of its section, at the latest. */
static inline struct symbol limited(struct symbol symbol, uint64_t limit)
{
	symbol.no_size = !symbol.size;
	if (symbol.no_size && limit > symbol.address)
		symbol.size = limit - symbol.address;
	lower_to(symbol.size, UINT64_MAX - symbol.address);
	return symbol;
}

static void symbol_drafts_add(struct symbol_drafts *drafts, struct symbol symbol, uint64_t limit)
{
	array_add(drafts->keys, drafts->count, drafts->capacity) =
		(struct sort_key){ symbol.address, drafts->table.count + drafts->made_count };
	array_add(drafts->made, drafts->made_count, drafts->made_capacity) = limited(symbol, limit);
}

/* Makes a symbol of an entry of a table that is in a section. */
static inline struct symbol symbol_of(const struct elf_symbol *entry, const char *name)
{
	return (struct symbol){
		.address = entry->value,
		.size = entry->size,
		.name = name,
		.type = entry->type,
		.binding = entry->binding,
	};
}

static inline struct symbol symbol_drafts_read(const struct symbol_drafts *drafts, size_t index)
{
	const struct elf_symbol_table *table = &drafts->table;
	struct elf_symbol entry;

	if (index >= table->count)
		return drafts->made[index - table->count];
	Elf64_Sym raw = read_entry(table->entries, index, table->image->is_64);

	/* most have a size, and need no section */
	if (raw.st_size && table->image->type != ET_REL)
		return limited((struct symbol){ .address = raw.st_value,
						.size = raw.st_size,
						.name = table->strings + raw.st_name,
						.type = ELF64_ST_TYPE(raw.st_info),
						.binding = ELF64_ST_BIND(raw.st_info) },
			       0);
	read_symbol(table, index, &entry);
	return limited(symbol_of(&entry, entry.name), entry.part->address + entry.part->size);
}

COMPARISON(compare_ranks, struct sort_key, ASCENDING(key))

/* Sorts the keys of symbols at one address by their ranks, and then by their order. */
static void sort_by_rank(const struct symbol_drafts *drafts, struct sort_key *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct symbol symbol = symbol_drafts_read(drafts, keys[i].index);

		keys[i].key = rank_of(&symbol) << 32 | (uint32_t)keys[i].index;
	}
	qsort(keys, count, sizeof(*keys), compare_ranks);
}

/* Gives sizes to symbols at one address; the next symbol is at `next`. A symbol without a size gets
 * that of an alias; if there is none, it ends where the next one begins, or at its limit. */
static void end_group(struct symbol *symbols, size_t count, uint64_t next)
{
	uint64_t sizes[2] = { 0, 0 }; /* of the best object and the best function that have one */

	for (size_t i = 0; i < count; i++) {
		uint64_t *size = &sizes[symbol_is_function(&symbols[i])];

		if (!symbols[i].no_size)
			*size = *size ?: symbols[i].size;
		else if (*size)
			symbols[i].size = *size;
		else if (symbols[i].size > next - symbols[i].address)
			symbols[i].size = next - symbols[i].address;
	}
}

/* Returns the drafts as symbols, sorted, which the caller frees. The keys change. */
static struct symbol *symbol_drafts_sorted(struct symbol_drafts *drafts)
{
	size_t count = drafts->count;
	_cleanup_free_ struct sort_key *other = xrealloc_array(NULL, count + 1, sizeof(*other));
	struct sort_key *keys = sort_keys(drafts->keys, other, count);
	struct symbol *symbols = xrealloc_array(NULL, count + 1, sizeof(*symbols));

	for (size_t start = 0, end; start < count; start = end) {
		uint64_t address = keys[start].key;

		for (end = start + 1; end < count && keys[end].key == address;)
			end++;
		uint64_t next = end < count ? keys[end].key : UINT64_MAX;

		if (end - start > 1)
			sort_by_rank(drafts, keys + start, end - start);
		for (size_t i = start; i < end; i++)
			symbols[i] = symbol_drafts_read(drafts, keys[i].index);
		if (end - start > 1 || symbols[start].no_size)
			end_group(symbols + start, end - start, next);
	}
	return symbols;
}

static void symbol_drafts_deinit(struct symbol_drafts *drafts)
{
	free_all(drafts->keys, drafts->made);
}

/*
 * ---- which symbol covers an address ----
 *
 * Symbols may overlap. So they are cut into disjoint ranges, once, in which an address is then
 * found by a binary search.
 */

struct symbol_range {
	uint64_t start, end;
	uint32_t symbol; /* index */
};

struct symbol_cover {
	struct symbol_range *ranges; /* sorted */
	size_t count, capacity;
};

/* A stack of symbols that have begun and may not have ended, the innermost on top. */
struct open_symbols {
	uint32_t *indices;
	size_t count, capacity;
};

/* Covers [start, end) with the open symbols and closes those that end there. */
static void cover_until(struct symbol_cover *cover, const struct symbol *symbols,
			struct open_symbols *open, uint64_t start, uint64_t end)
{
	while (open->count && start < end) {
		uint32_t index = open->indices[open->count - 1];
		uint64_t symbol_end = symbols[index].address + symbols[index].size;
		uint64_t stop = symbol_end < end ? symbol_end : end;

		if (stop > start) {
			array_add(cover->ranges, cover->count, cover->capacity) =
				(struct symbol_range){ start, stop, index };
			start = stop;
		}
		if (symbol_end <= end)
			open->count--;
	}
}

/* True for a label within a sized function, which is only a place in this function. */
static bool is_inner_label(const struct symbol *symbols, const struct open_symbols *open,
			   const struct symbol *label)
{
	const struct symbol *outer;

	if (label->type != STT_NOTYPE || !open->count)
		return false;
	outer = &symbols[open->indices[open->count - 1]];
	return outer->type == STT_FUNC && label->address - outer->address < outer->size;
}

/* Covers all of a symbol that shares nothing of it with others. False: it may share some. */
static inline bool cover_alone(struct symbol_cover *cover, const struct symbol *symbols,
			       size_t count, size_t index)
{
	const struct symbol *symbol = &symbols[index];
	uint64_t end = symbol->address + symbol->size;

	if (index + 1 < count && (symbols[index + 1].address < end || !symbol->size))
		return false;
	if (symbol->size)
		array_add(cover->ranges, cover->count, cover->capacity) =
			(struct symbol_range){ symbol->address, end, (uint32_t)index };
	return true;
}

static struct symbol_cover *symbol_cover_create(const struct symbol *symbols, size_t count,
						bool (*wanted)(const struct symbol *symbol))
{
	struct symbol_cover *cover = xcalloc(1, sizeof(*cover));
	struct open_symbols open = { 0 };
	uint64_t position = 0;
	size_t next;

	for (size_t first = 0; first < count; first = next) {
		uint64_t address = symbols[first].address;

		for (next = first + 1; next < count && symbols[next].address == address;)
			next++;
		if (next == first + 1 && !wanted(&symbols[first]))
			continue;
		cover_until(cover, symbols, &open, position, address);
		position = address;
		if (!open.count && cover_alone(cover, symbols, count, first))
			continue;
		/* the best symbol comes first: push it last, to be on top */
		for (size_t i = next; i-- > first;) {
			if (!symbols[i].size || !wanted(&symbols[i]) ||
			    is_inner_label(symbols, &open, &symbols[i]))
				continue;
			array_add(open.indices, open.count, open.capacity) = i;
		}
	}
	cover_until(cover, symbols, &open, position, UINT64_MAX);
	array_fit(cover->ranges, cover->count, cover->capacity);
	free(open.indices);
	return cover;
}

void elf_cover_destroy(struct symbol_cover *cover)
{
	if (cover)
		free(cover->ranges);
	free(cover);
}

static const struct symbol *symbol_cover_find(const struct symbol_cover *cover,
					      const struct symbol *symbols, uint64_t address)
{
	size_t low = partition_point(0, cover->count, i, cover->ranges[i].end <= address);

	if (low == cover->count || cover->ranges[low].start > address)
		return NULL;
	return &symbols[cover->ranges[low].symbol];
}

/* ---- all symbols of an image ---- */

struct stub_import {
	uint64_t address;
	const char *name;
};

/* The third bytes of the names below, which all begin with '_'. */
#define NOTED_THIRD "elst"

/* Labels of the kernel that are asked for by name. They are noted when all symbols are read: an
 * index of all names would take as long. */
static const char *const noted_names[] = {
	"__start_ro_after_init",
	"__end_ro_after_init",
	"_text",
	"_stext",
	"__lock_text_start",
	"__lock_text_end",
	"__sched_text_start",
	"__sched_text_end",
	"__start___jump_table",
	"__stop___jump_table",
};

struct elf_symbols {
	struct symbol *symbols;
	size_t count;
	struct symbol *thread_local_; /* STT_TLS */
	size_t thread_local_count;
	struct stub_import *imports; /* sorted */
	size_t import_count, import_capacity;
	struct {
		uint64_t address;
		bool found, differs; /* it is at several addresses */
	} noted[COUNT_OF(noted_names)];
	struct arena arena; /* names that had to be made */
};

struct loader {
	const struct elf_image *image;
	struct elf_symbols *result;
	struct symbol_drafts drafts;
	struct symbol_drafts thread_local_;
	uint64_t thread_local_size;
	/* hashes of name and address, used if there are both .symtab and .dynsym */
	struct hash_map seen;
};

/* Returns a copy of `length` bytes of `name` with `suffix` after them. NULL once all copies
 * together are larger than twice the file, which happens only with damaged files. */
static const char *make_name(struct loader *loader, const char *name, size_t length,
			     const char *suffix)
{
	size_t suffix_length = strlen(suffix);
	char *copy;

	if (length >= LONGEST_SYMBOL_NAME ||
	    loader->result->arena.total / 2 > loader->image->size + LONGEST_SYMBOL_NAME)
		return NULL;
	copy = arena_alloc(&loader->result->arena, length + suffix_length + 1);
	memcpy(copy, name, length);
	memcpy(copy + length, suffix, suffix_length + 1);
	return copy;
}

static inline bool elf_symbol_is_wanted(const struct elf_symbol *entry)
{
	if (!entry->name || !entry->part || !(entry->part->flags & SHF_ALLOC))
		return false;
	switch (entry->type) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
	case STT_TLS: return true;
	case STT_NOTYPE:
		/* hidden ones are marks that the linker has made */
		return entry->part->flags & SHF_EXECINSTR && entry->visibility != STV_HIDDEN &&
		       entry->visibility != STV_INTERNAL && !starts_with(entry->name, ".L");
	default: return false;
	}
}

/* True if a symbol of this name and address was added already: from the other table. */
static bool was_seen(struct loader *loader, const char *name, size_t length, uint64_t address)
{
	bool created;

	hash_map_insert(&loader->seen, hash_combine(hash_bytes(name, length), address), &created);
	return !created;
}

/* Returns the name of a symbol without its version; NULL: it is too long, or was added already. */
static const char *checked_name(struct loader *loader, const struct elf_symbol *entry,
				bool check_seen)
{
	size_t length = elf_name_length(entry->name);

	if (!length || length >= LONGEST_SYMBOL_NAME ||
	    (check_seen && was_seen(loader, entry->name, length, entry->value)))
		return NULL;
	return entry->name[length] ? make_name(loader, entry->name, length, "") : entry->name;
}

static void add_entry(struct loader *loader, struct elf_symbol entry, bool plain, bool check_seen)
{
	const char *name = plain ? entry.name : checked_name(loader, &entry, check_seen);
	bool thread_local_ = entry.type == STT_TLS;

	if (name)
		symbol_drafts_add(thread_local_ ? &loader->thread_local_ : &loader->drafts,
				  symbol_of(&entry, name),
				  thread_local_ ? loader->thread_local_size
						: entry.part->address + entry.part->size);
}

static void note_name(struct elf_symbols *result, const char *name, uint64_t address)
{
	/* many names begin with "__", few go on like those that are noted */
	if (name[0] != '_' || !name[1] || !strchr(NOTED_THIRD, name[2]))
		return;
	for (size_t i = 0; i < COUNT_OF(noted_names); i++) {
		if (strcmp(noted_names[i], name) != 0)
			continue;
		result->noted[i].differs |=
			result->noted[i].found && result->noted[i].address != address;
		result->noted[i].found = true;
		result->noted[i].address = address;
	}
}

/* Adds a symbol of elf_image_add_symbols(): without a type, a function in code, else data. */
static void add_given(struct loader *loader, const struct symbol *given)
{
	const struct elf_part *part = elf_part_at(loader->image, given->address);
	struct symbol symbol = *given;

	note_name(loader->result, given->name, given->address);
	if (!part || strlen(given->name) >= LONGEST_SYMBOL_NAME)
		return;
	if (symbol.type == STT_NOTYPE)
		symbol.type = part->flags & SHF_EXECINSTR ? STT_FUNC : STT_OBJECT;
	symbol_drafts_add(&loader->drafts, symbol, part->address + part->size);
}

/* Returns the image whose .symtab is that of `image`. */
static const struct elf_image *full_symbols_of(const struct elf_image *image)
{
	return image->symbol_file ?: image;
}

/* Returns whether no name of a table has a version or is too long: then none is looked at. They
 * are all over the file, so that waiting for them would take half of the time. */
static bool names_are_plain(const struct elf_symbol_table *table)
{
	const size_t block = LONGEST_SYMBOL_NAME / 2; /* the longest ones have one without an end */
	/* those of a kernel have no versions */
	bool versions = !elf_part_named(table->image, ".altinstructions");

	for (size_t at = 0; at < table->string_limit; at += block) {
		size_t left = table->string_limit - at, size = left < block ? left : block;

		if ((versions && memchr(table->strings + at, '@', size)) ||
		    !memchr(table->strings + at, '\0', size))
			return false;
	}
	return true;
}

static void add_tables(struct loader *loader)
{
	struct elf_symbol_table full =
		elf_symbol_table_of(full_symbols_of(loader->image), SHT_SYMTAB);
	struct elf_symbol_table dynamic = elf_symbol_table_of(loader->image, SHT_DYNSYM);
	bool both = full.count && dynamic.count, plain = !both && names_are_plain(&full);
	struct symbol_drafts *drafts = &loader->drafts;
	struct elf_symbol entry;

	drafts->table = full;
	drafts->capacity = full.count + dynamic.count + loader->image->added_count + 1;
	drafts->keys = xrealloc_array(NULL, drafts->capacity, sizeof(*drafts->keys));
	for (size_t i = 1; read_symbol(&full, i, &entry); i++) {
		if (!entry.name || entry.name == full.strings)
			continue;
		if (entry.type == STT_NOTYPE && entry.binding == STB_GLOBAL && entry.part)
			note_name(loader->result, entry.name, entry.value);
		if (!elf_symbol_is_wanted(&entry))
			continue;
		if (plain && entry.type != STT_TLS)
			drafts->keys[drafts->count++] = (struct sort_key){ entry.value, i };
		else
			add_entry(loader, entry, plain, both);
	}
	for (size_t i = 1; elf_symbol_table_read(&dynamic, i, &entry); i++)
		if (elf_symbol_is_wanted(&entry))
			add_entry(loader, entry, false, both);
	for (size_t i = 0; i < loader->image->added_count; i++)
		add_given(loader, &loader->image->added[i]);
}

bool elf_image_has_symbols(const struct elf_image *image)
{
	return elf_symbol_table_of(image, SHT_SYMTAB).count > 1 ||
	       elf_symbol_table_of(image, SHT_DYNSYM).count > 1;
}

/* True if `symbol` is a better name for an IFUNC than `than`. Other function symbols at its address
 * are helpers of the C library ("memset_ifunc"), and names with underscores are its own aliases
 * ("__libc_memmove"). */
static bool is_better_ifunc(const struct symbol *symbol, const struct symbol *than)
{
	if (symbol->type != STT_GNU_IFUNC || than->type != STT_GNU_IFUNC)
		return symbol->type == STT_GNU_IFUNC && than->type != STT_GNU_IFUNC;
	return strspn(symbol->name, "_") < strspn(than->name, "_");
}

static const char *ifunc_at(const struct elf_symbols *symbols, uint64_t address)
{
	const struct symbol *best = NULL;
	size_t low = partition_point(0, symbols->count, i, symbols->symbols[i].address < address);

	for (; low < symbols->count && symbols->symbols[low].address == address; low++) {
		const struct symbol *symbol = &symbols->symbols[low];

		if (symbol_is_function(symbol) && (!best || is_better_ifunc(symbol, best)))
			best = symbol;
	}
	return best ? best->name : NULL;
}

/* Sorts a copy of what there is: the stubs are not there yet. */
static void sort_known(struct loader *loader)
{
	struct symbol_drafts known = loader->drafts;

	known.keys = xrealloc_array(NULL, known.count + 1, sizeof(*known.keys));
	memcpy(known.keys, loader->drafts.keys, known.count * sizeof(*known.keys));
	loader->result->symbols = symbol_drafts_sorted(&known);
	loader->result->count = known.count;
	free(known.keys);
}

/* Returns the name of a stub's callee. An IRELATIVE relocation has no symbol: the name of the
 * function that chooses the callee stands for it. */
static const char *import_of(struct loader *loader, const struct elf_relocation *relocation)
{
	char buffer[32];
	const char *name = relocation->name;

	if (!name && !loader->result->symbols)
		sort_known(loader);
	if (!name)
		name = ifunc_at(loader->result, relocation->target);
	if (name)
		return make_name(loader, name, elf_name_length(name), "");
	/* as objdump writes it */
	snprintf(buffer, sizeof(buffer), "*ABS*+0x%" PRIx64, relocation->target);
	return make_name(loader, buffer, strlen(buffer), "");
}

/* Adds a stub whose GOT slot has this relocation; of the kind RELOCATION_NONE, the stub enters the
 * dynamic linker. */
static void add_stub(struct loader *loader, uint64_t address, uint32_t size,
		     const struct elf_relocation *relocation)
{
	struct elf_symbols *result = loader->result;
	const char *name = ".plt";

	if (relocation->kind != RELOCATION_NONE) {
		const char *import = import_of(loader, relocation);

		if (!import)
			return;
		array_add(result->imports, result->import_count, result->import_capacity) =
			(struct stub_import){ address, import };
		name = make_name(loader, import, strlen(import), "@plt");
		if (!name)
			return;
	}
	symbol_drafts_add(&loader->drafts,
			  (struct symbol){
				  .address = address,
				  .size = size,
				  .name = name,
				  .type = STT_FUNC,
				  .binding = STB_LOCAL,
			  },
			  address + size);
}

/* Adds the stubs of a section. */
static void scan_stubs(struct loader *loader, const struct elf_part *part)
{
	const struct arch *arch = elf_image_arch(loader->image);
	struct elf_relocation relocation = { 0 };
	struct plt_stub stub;

	for (uint64_t position = 0; arch && position < part->size; position += stub.size) {
		uint64_t address = part->address + position;

		stub = arch->plt_stub(part->contents + position, part->size - position, address);
		/* the first entry of a lazy PLT */
		if (stub.kind == PLT_ENTRY && !position)
			add_stub(loader, address, stub.size, &(struct elf_relocation){ 0 });
		else if (relocation_of_stub(loader->image, &stub, address, &relocation))
			add_stub(loader, address, stub.size, &relocation);
	}
}

COMPARISON(compare_imports, struct stub_import, ASCENDING(address))

/* Adds the PLT stubs. All other symbols must be among the drafts already. */
static void add_stubs(struct loader *loader)
{
	const struct elf_image *image = loader->image;
	struct elf_symbols *result = loader->result;

	for (size_t i = 1; i < image->part_count && image->is_64 && image->type != ET_REL; i++) {
		const struct elf_part *part = &image->parts[i];

		if (part->contents && part->flags & SHF_EXECINSTR &&
		    (!strcmp(part->name, ".plt") || starts_with(part->name, ".plt.") ||
		     !strcmp(part->name, ".iplt")))
			scan_stubs(loader, part);
	}
	array_sort(result->imports, result->import_count, compare_imports);
}

bool symbol_is_data(const struct symbol *symbol)
{
	return symbol->type == STT_OBJECT;
}

/* Gives back the pages of a symbol table and its names, few of which are looked at again. */
static void done_with_table(const struct elf_image *image, uint32_t type)
{
	struct elf_symbol_table table = elf_symbol_table_of(image, type);

	if (!table.count)
		return;
	elf_image_done_with(image, table.entries,
			    table.count * (image->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym)));
	elf_image_done_with(image, table.strings, table.string_limit);
}

void elf_image_done_with_names(const struct elf_image *image)
{
	done_with_table(full_symbols_of(image), SHT_SYMTAB);
	done_with_table(image, SHT_DYNSYM);
}

static struct elf_symbols *load_symbols(const struct elf_image *image)
{
	struct elf_symbols *result = xcalloc(1, sizeof(*result));
	struct loader loader = { .image = image, .result = result };
	uint64_t alignment;

	elf_image_tls_segment(image, &loader.thread_local_size, &alignment);
	add_tables(&loader);
	add_stubs(&loader);
	free(result->symbols);
	result->count = loader.drafts.count;
	result->symbols = symbol_drafts_sorted(&loader.drafts);
	result->thread_local_count = loader.thread_local_.count;
	result->thread_local_ = symbol_drafts_sorted(&loader.thread_local_);
	symbol_drafts_deinit(&loader.drafts);
	symbol_drafts_deinit(&loader.thread_local_);
	hash_map_deinit(&loader.seen);
	elf_image_done_with_names(image);
	return result;
}

static const struct elf_symbols *symbols_of(const struct elf_image *image)
{
	struct elf_lazy *lazy = image->lazy;

	return elf_lazy_get(&lazy->symbols, &lazy->symbols_lock, load_symbols(image));
}

void elf_symbols_destroy(struct elf_symbols *symbols)
{
	if (!symbols)
		return;
	free_all(symbols->symbols, symbols->thread_local_, symbols->imports);
	arena_deinit(&symbols->arena);
	free(symbols);
}

const char *elf_symbols_ifunc_at(const struct elf_image *image, uint64_t address)
{
	return ifunc_at(symbols_of(image), address);
}

const struct symbol *elf_image_symbols(const struct elf_image *image, size_t *count)
{
	const struct elf_symbols *symbols = symbols_of(image);

	*count = symbols->count;
	return symbols->symbols;
}

const struct symbol *elf_image_tls_symbols(const struct elf_image *image, size_t *count)
{
	const struct elf_symbols *symbols = symbols_of(image);

	*count = symbols->thread_local_count;
	return symbols->thread_local_;
}

/* Returns the symbol that covers an address, of those that are wanted. The cover of functions is
 * built when the first one is looked for, and so is that of data. */
static const struct symbol *covered_by(const struct elf_image *image,
				       _Atomic(struct symbol_cover *) *cover, uint64_t address,
				       bool (*wanted)(const struct symbol *symbol))
{
	/* before taking the lock, as below */
	const struct elf_symbols *symbols = symbols_of(image);
	const struct symbol_cover *built =
		elf_lazy_get(cover, &image->lazy->symbols_lock,
			     symbol_cover_create(symbols->symbols, symbols->count, wanted));

	return symbol_cover_find(built, symbols->symbols, address);
}

const struct symbol *elf_image_function_at(const struct elf_image *image, uint64_t address)
{
	return covered_by(image, &image->lazy->functions, address, symbol_is_function);
}

const struct symbol *elf_image_object_at(const struct elf_image *image, uint64_t address)
{
	return covered_by(image, &image->lazy->objects, address, symbol_is_data);
}

const char *elf_image_plt_import(const struct elf_image *image, uint64_t address)
{
	uint64_t offset;
	const char *imported = elf_image_import_at(image, address, &offset);

	if (imported)
		return offset ? NULL : imported;

	const struct elf_symbols *symbols = symbols_of(image);
	size_t at =
		partition_point(0, symbols->import_count, i, symbols->imports[i].address < address);

	return at < symbols->import_count && symbols->imports[at].address == address
		       ? symbols->imports[at].name
		       : NULL;
}

/* ---- symbols by name ---- */

/* Adds the local symbols, or the others, that are the first of their names. */
static void add_names(struct hash_map *numbers, const struct symbol *symbols, size_t count,
		      size_t first, bool local)
{
	bool created;

	for (size_t i = 0; i < count; i++) {
		if ((symbols[i].binding == STB_LOCAL) != local)
			continue;
		uint32_t *number = hash_map_insert(
			numbers, hash_bytes(symbols[i].name, strlen(symbols[i].name)), &created);

		if (created)
			*number = (uint32_t)(first + i);
	}
}

static struct hash_map *load_names(const struct elf_symbols *symbols)
{
	struct hash_map *numbers = xcalloc(1, sizeof(*numbers));
	size_t count = symbols->count, thread_local_count = symbols->thread_local_count;

	hash_map_reserve(numbers, count + thread_local_count);
	for (unsigned int local = 0; local < 2; local++)
		add_names(numbers, symbols->symbols, count, 0, local);
	for (unsigned int local = 0; local < 2; local++)
		add_names(numbers, symbols->thread_local_, thread_local_count, count, local);
	return numbers;
}

const struct symbol *elf_image_symbol_named(const struct elf_image *image, const char *name)
{
	struct elf_lazy *lazy = image->lazy;
	/* before taking the lock: when symbols are first read, this takes the same lock */
	const struct elf_symbols *symbols = symbols_of(image);
	const uint32_t *number =
		hash_map_find(elf_lazy_get(&lazy->names, &lazy->symbols_lock, load_names(symbols)),
			      hash_bytes(name, strlen(name)));
	const struct symbol *symbol = !number ? NULL
				      : *number < symbols->count
					      ? &symbols->symbols[*number]
					      : &symbols->thread_local_[*number - symbols->count];

	return symbol && strcmp(symbol->name, name) == 0 ? symbol : NULL;
}

bool elf_image_symbol_address(const struct elf_image *image, const char *name, uint64_t *address)
{
	const struct elf_symbols *symbols = symbols_of(image);
	size_t i = 0;

	while (i < COUNT_OF(noted_names) && strcmp(noted_names[i], name) != 0)
		i++;
	if (i < COUNT_OF(noted_names) && symbols->noted[i].found && !symbols->noted[i].differs) {
		*address = symbols->noted[i].address;
		return true;
	}
	const struct symbol *symbol = elf_image_symbol_named(image, name);

	if (symbol)
		*address = symbol->address;
	return symbol;
}
