/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of an image, read from .symtab, .dynsym and the PLT when first asked for, in the order that
 * elf_image.h promises, and looked up by address and name.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dwarf/elf_image_private.h"
#include "dwarf/elf_symbol_drafts.h"
#include "profiler/base/hash.h"

struct stub_import {
	uint64_t address;
	const char *name;
};

struct elf_symbols {
	struct symbol *symbols;
	size_t count;
	struct symbol *thread_local_; /* STT_TLS */
	size_t thread_local_count;
	struct symbol_cover functions;
	struct symbol_cover objects;
	struct symbol_cover thread_local_cover;
	struct stub_import *imports; /* sorted */
	size_t import_count;
	uint64_t init_written_start, init_written_end;
	struct arena arena; /* names that are not in the file as they are here */
};

struct loader {
	const struct elf_image *image;
	struct elf_symbols *result;
	struct symbol_drafts drafts;
	struct symbol_drafts thread_local_;
	struct hash_map seen; /* name and address of .symtab's, if there is a .dynsym as well */
};

/* A name that has to be made; NULL where all of them would be larger than twice the file, which no linker
 * writes. */
static const char *make_name(struct loader *loader, const char *name, size_t length, const char *suffix)
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

bool elf_symbol_is_wanted(const struct elf_symbol *entry)
{
	if (!entry->name || !entry->name[0] || !entry->part || !(entry->part->flags & SHF_ALLOC))
		return false;
	switch (entry->type) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
	case STT_TLS: return true;
	case STT_NOTYPE:
		/* hidden ones are the linker's own marks */
		return entry->part->flags & SHF_EXECINSTR && entry->visibility != STV_HIDDEN &&
		       entry->visibility != STV_INTERNAL && strncmp(entry->name, ".L", 2) != 0;
	default: return false;
	}
}

/* Whether the other table had it already. */
static bool was_seen(struct loader *loader, const char *name, size_t length, uint64_t address)
{
	bool created;

	hash_map_insert(&loader->seen, hash_combine(hash_bytes(name, length), address), &created);
	return !created;
}

static void add_entry(struct loader *loader, const struct elf_symbol *entry, bool check_seen)
{
	size_t length = elf_name_length(entry->name);
	const char *name = entry->name;
	struct symbol symbol;

	if (length >= LONGEST_SYMBOL_NAME || (check_seen && was_seen(loader, name, length, entry->value)))
		return;
	if (name[length])
		name = make_name(loader, name, length, "");
	if (!name)
		return;
	symbol = (struct symbol){
		.address = entry->value,
		.size = entry->size,
		.name = name,
		.type = entry->type,
		.binding = entry->binding,
	};
	if (entry->type == STT_TLS)
		symbol_drafts_add(&loader->thread_local_, symbol, entry->value);
	else
		symbol_drafts_add(&loader->drafts, symbol, entry->part->address + entry->part->size);
}

static void note_init_written(struct elf_symbols *result, const char *name, uint64_t address)
{
	if (!strcmp(name, "__start_ro_after_init"))
		result->init_written_start = address;
	else if (!strcmp(name, "__end_ro_after_init"))
		result->init_written_end = address;
}

/* What is none of these in code is a label there, in data an object. */
static void add_given(struct loader *loader, const struct symbol *given)
{
	const struct elf_part *part = elf_part_at(loader->image, given->address);
	struct symbol symbol = *given;

	note_init_written(loader->result, given->name, given->address);
	if (!part || strlen(given->name) >= LONGEST_SYMBOL_NAME)
		return;
	if (symbol.type == STT_NOTYPE)
		symbol.type = part->flags & SHF_EXECINSTR ? STT_FUNC : STT_OBJECT;
	symbol_drafts_add(&loader->drafts, symbol, part->address + part->size);
}

static void add_tables(struct loader *loader)
{
	struct elf_symbol_table full = elf_symbol_table_of(loader->image, SHT_SYMTAB);
	struct elf_symbol_table dynamic = elf_symbol_table_of(loader->image, SHT_DYNSYM);
	bool both = full.count && dynamic.count;
	struct elf_symbol entry;

	for (size_t i = 1; elf_symbol_table_read(&full, i, &entry); i++) {
		if (entry.name && entry.type == STT_NOTYPE && entry.part)
			note_init_written(loader->result, entry.name, entry.value);
		if (elf_symbol_is_wanted(&entry))
			add_entry(loader, &entry, both);
	}
	for (size_t i = 1; elf_symbol_table_read(&dynamic, i, &entry); i++)
		if (elf_symbol_is_wanted(&entry))
			add_entry(loader, &entry, both);
	for (size_t i = 0; i < loader->image->added_count; i++)
		add_given(loader, &loader->image->added[i]);
}

bool elf_image_has_symbols(const struct elf_image *image)
{
	return elf_symbol_table_of(image, SHT_SYMTAB).count > 1 ||
	       elf_symbol_table_of(image, SHT_DYNSYM).count > 1;
}

/* Other functions there are helpers of the C library ("memset_ifunc"), underscores its own aliases
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
	size_t low = 0, high = symbols->count;

	while (low < high) { /* the first symbol at `address` or above */
		size_t middle = low + (high - low) / 2;

		if (symbols->symbols[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < symbols->count && symbols->symbols[low].address == address; low++) {
		const struct symbol *symbol = &symbols->symbols[low];

		if (symbol_is_function(symbol) && (!best || is_better_ifunc(symbol, best)))
			best = symbol;
	}
	return best ? best->name : NULL;
}

/* What a stub calls. IRELATIVE has no symbol: the function that chooses is named as what it chooses. */
static const char *import_of(struct loader *loader, const struct elf_stub *stub)
{
	char buffer[32];
	const char *name = stub->relocation.name;

	if (!name)
		name = ifunc_at(loader->result, stub->relocation.target);
	if (name)
		return make_name(loader, name, elf_name_length(name), "");
	/* as objdump has it */
	snprintf(buffer, sizeof(buffer), "*ABS*+0x%" PRIx64, stub->relocation.target);
	return make_name(loader, buffer, strlen(buffer), "");
}

static void add_stub(struct loader *loader, const struct elf_stub *stub)
{
	struct elf_symbols *result = loader->result;
	const char *name = ".plt";

	if (stub->relocation.type != R_X86_64_NONE) {
		const char *import = import_of(loader, stub);

		if (!import)
			return;
		result->imports[result->import_count++] = (struct stub_import){ stub->address, import };
		name = make_name(loader, import, strlen(import), "@plt");
		if (!name)
			return;
	}
	symbol_drafts_add(&loader->drafts,
			  (struct symbol){
				  .address = stub->address,
				  .size = stub->size,
				  .name = name,
				  .type = STT_FUNC,
				  .binding = STB_LOCAL,
			  },
			  stub->address + stub->size);
}

static int compare_imports(const void *left, const void *right)
{
	const struct stub_import *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* The other symbols must be in `result` already. */
static void add_stubs(struct loader *loader)
{
	_cleanup_free_ struct elf_stub *stubs = NULL;
	struct elf_symbols *result = loader->result;
	size_t count;

	elf_plt_stubs(loader->image, &stubs, &count);
	result->imports = xcalloc(count + 1, sizeof(*result->imports));
	for (size_t i = 0; i < count; i++)
		add_stub(loader, &stubs[i]);
	qsort(result->imports, result->import_count, sizeof(*result->imports), compare_imports);
}

static void limit_thread_local(struct loader *loader)
{
	uint64_t size, alignment;

	if (!elf_image_tls_segment(loader->image, &size, &alignment))
		return;
	for (size_t i = 0; i < loader->thread_local_.count; i++)
		loader->thread_local_.drafts[i].limit = size;
}

bool symbol_is_data(const struct symbol *symbol)
{
	return symbol->type == STT_OBJECT;
}

static bool is_thread_local(const struct symbol *symbol)
{
	return symbol->type == STT_TLS;
}

static void finish_drafts(struct loader *loader)
{
	symbol_drafts_sort(&loader->drafts);
	symbol_drafts_find_ends(&loader->drafts);
	free(loader->result->symbols);
	loader->result->symbols = symbol_drafts_finish(&loader->drafts, &loader->result->count);
}

/* Names stay where they are, all else has been copied. */
static void done_with_table(const struct elf_image *image, uint32_t type)
{
	struct elf_symbol_table table = elf_symbol_table_of(image, type);

	if (table.count)
		elf_image_done_with(image, table.entries,
				    table.count * (image->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym)));
}

static struct elf_symbols *load(const struct elf_image *image)
{
	struct elf_symbols *result = xcalloc(1, sizeof(*result));
	struct loader loader = { .image = image, .result = result };

	add_tables(&loader);
	finish_drafts(&loader);
	add_stubs(&loader);
	if (loader.drafts.count != result->count)
		finish_drafts(&loader);
	limit_thread_local(&loader);
	symbol_drafts_sort(&loader.thread_local_);
	symbol_drafts_find_ends(&loader.thread_local_);
	result->thread_local_ = symbol_drafts_finish(&loader.thread_local_, &result->thread_local_count);
	symbol_drafts_release(&loader.drafts);
	symbol_drafts_release(&loader.thread_local_);
	hash_map_release(&loader.seen);
	symbol_cover_build(&result->functions, result->symbols, result->count, symbol_is_function);
	symbol_cover_build(&result->objects, result->symbols, result->count, symbol_is_data);
	symbol_cover_build(&result->thread_local_cover, result->thread_local_, result->thread_local_count,
			   is_thread_local);
	done_with_table(image, SHT_SYMTAB);
	done_with_table(image, SHT_DYNSYM);
	return result;
}

static const struct elf_symbols *symbols_of(const struct elf_image *image)
{
	struct elf_lazy *lazy = image->lazy;
	struct elf_symbols *symbols = atomic_load_explicit(&lazy->symbols, memory_order_acquire);

	if (symbols)
		return symbols;
	pthread_mutex_lock(&lazy->symbols_lock);
	symbols = atomic_load_explicit(&lazy->symbols, memory_order_relaxed);
	if (!symbols) {
		symbols = load(image);
		atomic_store_explicit(&lazy->symbols, symbols, memory_order_release);
	}
	pthread_mutex_unlock(&lazy->symbols_lock);
	return symbols;
}

void elf_symbols_destroy(struct elf_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->symbols);
	free(symbols->thread_local_);
	free(symbols->functions.ranges);
	free(symbols->objects.ranges);
	free(symbols->thread_local_cover.ranges);
	free(symbols->imports);
	arena_release(&symbols->arena);
	free(symbols);
}

void elf_symbols_init_written(const struct elf_image *image, uint64_t *start, uint64_t *end)
{
	const struct elf_symbols *symbols = symbols_of(image);

	*start = symbols->init_written_start;
	*end = symbols->init_written_end;
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

const struct symbol *elf_image_function_at(const struct elf_image *image, uint64_t address)
{
	const struct elf_symbols *symbols = symbols_of(image);

	return symbol_cover_find(&symbols->functions, symbols->symbols, address);
}

const struct symbol *elf_image_object_at(const struct elf_image *image, uint64_t address)
{
	const struct elf_symbols *symbols = symbols_of(image);

	return symbol_cover_find(&symbols->objects, symbols->symbols, address);
}

const struct symbol *elf_image_tls_symbol_at(const struct elf_image *image, uint64_t offset)
{
	const struct elf_symbols *symbols = symbols_of(image);

	return symbol_cover_find(&symbols->thread_local_cover, symbols->thread_local_, offset);
}

const char *elf_image_plt_import(const struct elf_image *image, uint64_t address)
{
	uint64_t offset;
	const char *imported = elf_image_import_at(image, address, &offset);

	if (imported)
		return offset ? NULL : imported;

	const struct elf_symbols *symbols = symbols_of(image);
	struct stub_import key = { .address = address };
	const struct stub_import *import =
		bsearch(&key, symbols->imports, symbols->import_count, sizeof(key), compare_imports);

	return import ? import->name : NULL;
}
