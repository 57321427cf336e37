// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The symbols of an image, read from .symtab, .dynsym and the PLT when first asked for, in the
 * order that image.h promises, and looked up by address and by name.
 */
#include <inttypes.h>
#include <stdio.h>

#include "dwarf/elf/symbol_runs.h"
#include "base/memory.h"
#include "base/text.h"

static size_t elf_name_length(const char *name)
{
	const char *at = *name ? strchr(name + 1, '@') : NULL;

	return at ? (size_t)(at - name) : strlen(name);
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
	struct symbol_runs list;
	struct symbol_runs thread_local_; /* STT_TLS */
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
	struct symbol_runs known; /* the drafts before there were stubs; see import_of() */
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
	size_t most = full.count + dynamic.count + loader->image->added_count + 1;
	struct elf_symbol entry;

	symbol_drafts_init(drafts, loader->image, most);
	symbol_drafts_init(&loader->thread_local_, NULL, 0);
	drafts->table = full;
	drafts->capacity = most;
	drafts->items = xrealloc_array(NULL, most, sizeof(*drafts->items));
	for (size_t i = 1; i < full.count; i++) {
		i = plain ? symbol_drafts_note_usual(drafts, i) : i;
		if (!elf_symbol_table_read(&full, i, &entry) || !entry.name ||
		    entry.name == full.strings)
			continue;
		if (entry.type == STT_NOTYPE && entry.binding == STB_GLOBAL && entry.part)
			note_name(loader->result, entry.name, entry.value);
		if (!elf_symbol_is_wanted(&entry))
			continue;
		if (plain && entry.type != STT_TLS)
			symbol_drafts_note(drafts, entry.value, entry.size, i);
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

static const char *ifunc_of(const struct symbol *symbols, size_t count)
{
	const struct symbol *best = NULL;

	array_each (const struct symbol, symbol, symbols, count)
		if (symbol_is_function(symbol) && (!best || is_better_ifunc(symbol, best)))
			best = symbol;
	return best ? best->name : NULL;
}

/* Returns the name of a function that is no stub: those are not there yet. */
static const char *known_ifunc(struct loader *loader, uint64_t address)
{
	size_t count;
	const struct symbol *symbols;

	if (!loader->known.runs) {
		symbol_runs_init(&loader->known, &loader->drafts);
		symbol_runs_read(&loader->known);
	}
	symbols = symbol_runs_at(&loader->known, address, NULL, &count);
	return ifunc_of(symbols, count);
}

/* Returns the name of a stub's callee. An IRELATIVE relocation has no symbol: the name of the
 * function that chooses the callee stands for it. */
static const char *import_of(struct loader *loader, const struct elf_relocation *relocation)
{
	char buffer[32];
	const char *name = relocation->name;

	if (!name)
		name = known_ifunc(loader, relocation->target);
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
	symbol_runs_deinit(&loader.known);
	symbol_runs_init(&result->list, &loader.drafts);
	symbol_runs_init(&result->thread_local_, &loader.thread_local_);
	symbol_runs_read(&result->thread_local_);
	free_all(result->list.drafts.items, result->list.drafts.blocks);
	result->list.drafts.items = NULL;
	result->list.drafts.blocks = NULL;
	hash_map_deinit(&loader.seen);
	elf_image_done_with_names(image);
	return result;
}

static struct elf_symbols *symbols_of(const struct elf_image *image)
{
	struct elf_lazy *lazy = image->lazy;

	return elf_lazy_get(&lazy->symbols, &lazy->symbols_lock, load_symbols(image));
}

void elf_image_read_symbols(const struct elf_image *image)
{
	(void)symbols_of(image);
}

void elf_symbols_destroy(struct elf_symbols *symbols)
{
	if (!symbols)
		return;
	symbol_runs_deinit(&symbols->list);
	symbol_runs_deinit(&symbols->thread_local_);
	symbol_drafts_deinit(&symbols->list.drafts);
	symbol_drafts_deinit(&symbols->thread_local_.drafts);
	free(symbols->imports);
	arena_deinit(&symbols->arena);
	free(symbols);
}

const struct symbol *elf_image_symbols(const struct elf_image *image, size_t *count)
{
	struct symbol_runs *list = &symbols_of(image)->list;

	if (!atomic_load_explicit(&list->read, memory_order_acquire)) {
		pthread_mutex_lock(&image->lazy->symbols_lock);
		symbol_runs_read(list);
		elf_image_done_with_names(image);
		pthread_mutex_unlock(&image->lazy->symbols_lock);
	}
	*count = list->drafts.count;
	return list->symbols;
}

const struct symbol *elf_image_symbols_at(const struct elf_image *image, uint64_t address,
					  size_t *count)
{
	return symbol_runs_at(&symbols_of(image)->list, address, &image->lazy->symbols_lock, count);
}

const char *elf_symbols_ifunc_at(const struct elf_image *image, uint64_t address)
{
	size_t count;
	const struct symbol *symbols = elf_image_symbols_at(image, address, &count);

	return ifunc_of(symbols, count);
}

const struct symbol *elf_image_tls_symbols(const struct elf_image *image, size_t *count)
{
	const struct symbol_runs *list = &symbols_of(image)->thread_local_;

	*count = list->drafts.count;
	return list->symbols;
}

const struct symbol *elf_image_function_at(const struct elf_image *image, uint64_t address)
{
	return symbol_runs_covering(&symbols_of(image)->list, address, false,
				    &image->lazy->symbols_lock);
}

const struct symbol *elf_image_object_at(const struct elf_image *image, uint64_t address)
{
	return symbol_runs_covering(&symbols_of(image)->list, address, true,
				    &image->lazy->symbols_lock);
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
	const struct symbol *thread_local_ = symbols->thread_local_.symbols;
	size_t count = symbols->list.drafts.count,
	       thread_local_count = symbols->thread_local_.drafts.count;

	hash_map_reserve(numbers, count + thread_local_count);
	for (unsigned int local = 0; local < 2; local++)
		add_names(numbers, symbols->list.symbols, count, 0, local);
	for (unsigned int local = 0; local < 2; local++)
		add_names(numbers, thread_local_, thread_local_count, count, local);
	return numbers;
}

const struct symbol *elf_image_symbol_named(const struct elf_image *image, const char *name)
{
	struct elf_lazy *lazy = image->lazy;
	/* before taking the lock: when symbols are first read, this takes the same lock */
	size_t count;
	const struct symbol *all = elf_image_symbols(image, &count);
	const struct elf_symbols *symbols = symbols_of(image);
	const uint32_t *number =
		hash_map_find(elf_lazy_get(&lazy->names, &lazy->symbols_lock, load_names(symbols)),
			      hash_bytes(name, strlen(name)));
	const struct symbol *symbol = !number ? NULL
				      : *number < count
					      ? &all[*number]
					      : &symbols->thread_local_.symbols[*number - count];

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
