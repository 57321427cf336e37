/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols by name: an open hash table that is filled once, when the first name is asked for. */
#include <string.h>

#include "dwarf/elf_image_private.h"
#include "profiler/base/hash.h"

struct symbol_name_slot {
	uint32_t hash;   /* its lower half */
	uint32_t symbol; /* number of the symbol + 1; 0: free */
};

struct elf_names {
	const struct symbol *symbols, *thread_local_;
	size_t count; /* of symbols: thread-local ones are numbered behind them */
	struct symbol_name_slot *slots;
	size_t capacity; /* power of two, more than twice the number of symbols */
};

static const struct symbol *symbol_of(const struct elf_names *names, uint32_t number)
{
	return number < names->count ? &names->symbols[number] : &names->thread_local_[number - names->count];
}

/* The slot that has `name`, or the free one where it would be. */
static struct symbol_name_slot *slot_of(const struct elf_names *names, const char *name, uint64_t hash)
{
	size_t index = hash & (names->capacity - 1);

	for (;; index = (index + 1) & (names->capacity - 1)) {
		struct symbol_name_slot *slot = &names->slots[index];

		if (!slot->symbol ||
		    (slot->hash == (uint32_t)hash && !strcmp(symbol_of(names, slot->symbol - 1)->name, name)))
			return slot;
	}
}

/* Of several of one name the one that is added first stays. */
static void add(struct elf_names *names, size_t number)
{
	const char *name = symbol_of(names, (uint32_t)number)->name;
	uint64_t hash = hash_bytes(name, strlen(name));
	struct symbol_name_slot *slot = slot_of(names, name, hash);

	if (!slot->symbol)
		*slot = (struct symbol_name_slot){ (uint32_t)hash, (uint32_t)number + 1 };
}

static struct elf_names *load(const struct symbol *symbols, size_t count, const struct symbol *thread_local_,
			      size_t thread_local_count)
{
	struct elf_names *names = xcalloc(1, sizeof(*names));

	*names = (struct elf_names){
		.symbols = symbols, .thread_local_ = thread_local_, .count = count, .capacity = 8
	};
	while (names->capacity <= 2 * (count + thread_local_count))
		names->capacity *= 2;
	names->slots = xcalloc(names->capacity, sizeof(*names->slots));
	for (size_t i = 0; i < count; i++)
		if (symbols[i].binding != STB_LOCAL)
			add(names, i);
	for (size_t i = 0; i < count; i++)
		if (symbols[i].binding == STB_LOCAL)
			add(names, i);
	for (size_t i = 0; i < thread_local_count; i++)
		add(names, count + i);
	return names;
}

static const struct elf_names *names_of(const struct elf_image *image)
{
	struct elf_lazy *lazy = image->lazy;
	struct elf_names *names = atomic_load_explicit(&lazy->names, memory_order_acquire);
	const struct symbol *symbols, *thread_local_;
	size_t count, thread_local_count;

	if (names)
		return names;
	symbols = elf_image_symbols(image, &count);
	thread_local_ = elf_image_tls_symbols(image, &thread_local_count);
	pthread_mutex_lock(&lazy->symbols_lock);
	names = atomic_load_explicit(&lazy->names, memory_order_relaxed);
	if (!names) {
		names = load(symbols, count, thread_local_, thread_local_count);
		atomic_store_explicit(&lazy->names, names, memory_order_release);
	}
	pthread_mutex_unlock(&lazy->symbols_lock);
	return names;
}

void elf_names_destroy(struct elf_names *names)
{
	if (!names)
		return;
	free(names->slots);
	free(names);
}

const struct symbol *elf_image_symbol_named(const struct elf_image *image, const char *name)
{
	const struct elf_names *names = names_of(image);
	const struct symbol_name_slot *slot = slot_of(names, name, hash_bytes(name, strlen(name)));

	return slot->symbol ? symbol_of(names, slot->symbol - 1) : NULL;
}

/* What the tables of the file say of a name. */
struct finding {
	uint64_t address;
	size_t count;  /* of symbols that have the name */
	bool is_clear; /* they are at one address, none of them thread-local */
};

static void look_in_table(const struct elf_image *image, uint32_t table_type, const char *name,
			  struct finding *finding)
{
	struct elf_symbol_table table = elf_symbol_table_of(image, table_type);
	size_t length = strlen(name);
	struct elf_symbol entry;

	for (size_t i = 1; elf_symbol_table_read(&table, i, &entry); i++) {
		if (!entry.name || strncmp(entry.name, name, length) != 0 ||
		    elf_name_length(entry.name) != length || !elf_symbol_is_wanted(&entry))
			continue;
		if (entry.type == STT_TLS || (finding->count && entry.value != finding->address))
			finding->is_clear = false;
		finding->address = entry.value;
		finding->count++;
	}
}

bool elf_image_symbol_address(const struct elf_image *image, const char *name, uint64_t *address)
{
	bool is_read = atomic_load_explicit(&image->lazy->names, memory_order_acquire);
	struct finding finding = { .is_clear = true };
	const struct symbol *symbol;

	/* what was added is in no table; stubs of the PLT have a name with an @ */
	if (!is_read && !image->added_count && !strchr(name, '@')) {
		look_in_table(image, SHT_SYMTAB, name, &finding);
		look_in_table(image, SHT_DYNSYM, name, &finding);
		*address = finding.address;
		if (!finding.count || finding.is_clear)
			return finding.count;
	}
	symbol = elf_image_symbol_named(image, name);
	if (symbol)
		*address = symbol->address;
	return symbol;
}
