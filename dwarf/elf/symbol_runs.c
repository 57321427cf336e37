// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbol tables as they are in the file, and their symbols by address: see symbol_runs.h. */
#include "dwarf/elf/symbol_runs.h"

#include "base/text.h"

/* ---- symbol tables, as they are in the file ---- */

size_t elf_string_limit(const uint8_t *strings, size_t size)
{
	const uint8_t *last = size ? memrchr(strings, 0, size) : NULL;

	return last ? last - strings + 1 : 0;
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

/* ---- drafts ---- */

#define BLOCK_SYMBOLS 16 /* of a block, about */

void symbol_drafts_init(struct symbol_drafts *drafts, const struct elf_image *image, size_t symbols)
{
	size_t parts = image ? image->by_address_count : 0,
	       all_parts = image ? image->part_count : 0, most = symbols / BLOCK_SYMBOLS, count;

	*drafts = (struct symbol_drafts){ .image = image };
	drafts->part_block = xcalloc(all_parts + 1, sizeof(*drafts->part_block));
	memset(drafts->part_block, 0xff, all_parts * sizeof(*drafts->part_block));
	do {
		uint64_t end = 0;

		count = 0;
		for (size_t i = 0; i < parts && count <= most + parts; i++) {
			const struct elf_part *part = &image->parts[image->by_address[i]];

			drafts->overlap |=
				part->address < end || part->size > UINT64_MAX - part->address;
			end = part->address + part->size;
			drafts->part_block[part - image->parts] = (uint32_t)count;
			if (part->flags & SHF_EXECINSTR &&
			    (!drafts->code || part->size > drafts->code->size))
				drafts->code = part;
			count += (part->size >> drafts->shift) + 1;
		}
	} while (count > most + parts && ++drafts->shift < 63);
	drafts->block_count = count ?: 1;
	drafts->blocks = xcalloc(drafts->block_count, sizeof(*drafts->blocks));
	array_each (struct symbol_block, block, drafts->blocks, drafts->block_count)
		block->lowest = UINT64_MAX;
}

/* Returns the number of an address' block, which is not lower than those of lower addresses. `part`
 * may be the section that has the address. */
static inline size_t block_of(const struct symbol_drafts *drafts, uint64_t address,
			      const struct elf_part *part)
{
	const struct elf_image *image = drafts->image;

	if (!part || drafts->overlap || address - part->address >= part->size ||
	    drafts->part_block[part - image->parts] == UINT32_MAX) {
		size_t after =
			!image ? 0
			       : partition_point(0, image->by_address_count, i,
						 image->parts[image->by_address[i]].address <=
							 address);

		if (!after)
			return 0;
		part = &image->parts[image->by_address[after - 1]];
	}
	uint64_t inside = address - part->address;

	/* what is behind a section is in its last block */
	lower_to(inside, part->size);
	return drafts->part_block[part - image->parts] + (inside >> drafts->shift);
}

static inline void note_draft(struct symbol_drafts *drafts, uint64_t address, uint64_t size,
			      const struct elf_part *part, size_t index)
{
	size_t number = block_of(drafts, address, part);
	struct symbol_block *block = &drafts->blocks[number];

	block->count++;
	lower_to(block->lowest, address);
	raise_to(block->end, size < UINT64_MAX - address ? address + size : UINT64_MAX);
	array_add(drafts->items, drafts->count, drafts->capacity) =
		(struct symbol_draft){ (uint32_t)number, (uint32_t)index };
}

void symbol_drafts_note(struct symbol_drafts *drafts, uint64_t address, uint64_t size, size_t index)
{
	note_draft(drafts, address, size, NULL, index);
}

bool symbol_is_data(const struct symbol *symbol)
{
	return symbol->type == STT_OBJECT;
}

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

size_t symbol_drafts_note_usual(struct symbol_drafts *drafts, size_t index)
{
	const struct elf_symbol_table *table = &drafts->table;
	const struct elf_image *image = table->image;

	if (image != drafts->image || image->type == ET_REL)
		return index;
	for (; index < table->count; index++) {
		Elf64_Sym entry = read_entry(table->entries, index, image->is_64);
		unsigned int type = ELF64_ST_TYPE(entry.st_info);

		if (!entry.st_name || entry.st_name >= table->string_limit || !entry.st_shndx ||
		    entry.st_shndx >= SHN_LORESERVE || entry.st_shndx >= image->part_count)
			break;
		const struct elf_part *part = &image->parts[entry.st_shndx];

		if (type == STT_FUNC || type == STT_OBJECT) {
			if (part->flags & SHF_ALLOC)
				note_draft(drafts, entry.st_value, entry.st_size, part, index);
		} else if (type != STT_NOTYPE || ELF64_ST_BIND(entry.st_info) != STB_LOCAL ||
			   part->flags & SHF_EXECINSTR) {
			break; /* local labels of data are no symbols */
		}
	}
	return index;
}

void symbol_drafts_add(struct symbol_drafts *drafts, struct symbol symbol, uint64_t limit)
{
	symbol_drafts_note(drafts, symbol.address, symbol.size,
			   drafts->table.count + drafts->made_count);
	array_add(drafts->made, drafts->made_count, drafts->made_capacity) = limited(symbol, limit);
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

void symbol_drafts_deinit(struct symbol_drafts *drafts)
{
	free_all(drafts->items, drafts->made, drafts->part_block, drafts->blocks);
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

static void symbol_cover_destroy(struct symbol_cover *cover)
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

/* ---- symbols in the order of their addresses ---- */

/* Makes runs of the blocks. */
static void find_runs(struct symbol_runs *list)
{
	const struct symbol_drafts *drafts = &list->drafts;
	uint64_t end = 0;
	size_t symbols = 0, count = 0;

	list->run_of = xrealloc_array(NULL, drafts->block_count, sizeof(*list->run_of));
	list->runs = xcalloc(drafts->block_count + 1, sizeof(*list->runs));
	array_indexed (const struct symbol_block, block, i, drafts->blocks, drafts->block_count) {
		if (block->count && (!count || end <= block->lowest)) {
			list->runs[count].first = symbols;
			list->runs[count++].lowest = block->lowest;
		}
		list->run_of[i] = count ? (uint32_t)count - 1 : 0;
		symbols += block->count;
		raise_to(end, block->end);
	}
	list->runs[count].first = symbols;
	list->runs[count].lowest = UINT64_MAX;
	list->run_count = count;
}

void symbol_runs_init(struct symbol_runs *list, const struct symbol_drafts *drafts)
{
	_cleanup_free_ size_t *next = xrealloc_array(NULL, drafts->block_count, sizeof(*next));
	size_t start = 0;

	*list = (struct symbol_runs){ .drafts = *drafts };
	array_indexed (const struct symbol_block, block, i, drafts->blocks, drafts->block_count) {
		next[i] = start;
		start += block->count;
	}
	list->indices = xrealloc_array(NULL, drafts->count + 1, sizeof(*list->indices));
	array_each (const struct symbol_draft, draft, drafts->items, drafts->count)
		list->indices[next[draft->block]++] = draft->index;
	find_runs(list);
	list->symbols = xmalloc_sparse(drafts->count + 1, sizeof(*list->symbols));
}

void symbol_runs_deinit(struct symbol_runs *list)
{
	for (size_t i = 0; i < list->run_count; i++) {
		symbol_cover_destroy(atomic_load(&list->runs[i].functions));
		symbol_cover_destroy(atomic_load(&list->runs[i].objects));
	}
	free_all(list->indices, list->run_of, list->runs);
	free_sparse(list->symbols, list->drafts.count + 1, sizeof(*list->symbols));
}

/* Reads the symbols of a run, and sorts them. */
static void read_run(struct symbol_runs *list, struct symbol_run *run)
{
	const struct symbol_drafts *drafts = &list->drafts;
	size_t count = run[1].first - run->first;
	_cleanup_free_ struct sort_key *room = xrealloc_array(NULL, 2 * count + 1, sizeof(*room));
	struct symbol *symbols = list->symbols + run->first;

	for (size_t i = 0; i < count; i++) {
		size_t index = list->indices[run->first + i];

		room[i] = (struct sort_key){ symbol_drafts_read(drafts, index).address, index };
	}
	struct sort_key *keys = sort_keys(room, room + count, count);

	for (size_t start = 0, end; start < count; start = end) {
		uint64_t address = keys[start].key;

		for (end = start + 1; end < count && keys[end].key == address;)
			end++;
		uint64_t next = end < count ? keys[end].key : run[1].lowest;

		if (end - start > 1)
			sort_by_rank(drafts, keys + start, end - start);
		for (size_t i = start; i < end; i++)
			symbols[i] = symbol_drafts_read(drafts, keys[i].index);
		if (end - start > 1 || symbols[start].no_size)
			end_group(symbols + start, end - start, next);
	}
	atomic_store_explicit(&run->read, true, memory_order_release);
}

void symbol_runs_read(struct symbol_runs *list)
{
	array_each (struct symbol_run, run, list->runs, list->run_count)
		if (!atomic_load_explicit(&run->read, memory_order_relaxed))
			read_run(list, run);
	atomic_store_explicit(&list->read, true, memory_order_release);
}

/* Apart from the next function, which would save more registers with it. */
static __attribute__((noinline)) void read_once(struct symbol_runs *list, struct symbol_run *run,
						pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	if (!atomic_load_explicit(&run->read, memory_order_relaxed))
		read_run(list, run);
	pthread_mutex_unlock(lock);
}

/* Returns the run that has the symbols at an address, and those that cover it, read; NULL: there is
 * none. */
static inline struct symbol_run *symbol_runs_run(struct symbol_runs *list, uint64_t address,
						 pthread_mutex_t *lock)
{
	struct symbol_run *run =
		&list->runs[list->run_of[block_of(&list->drafts, address, list->drafts.code)]];

	if (address < run->lowest && run != list->runs)
		run--;
	if (address < run->lowest)
		return NULL;
	if (!atomic_load_explicit(&run->read, memory_order_acquire))
		read_once(list, run, lock);
	return run;
}

const struct symbol *symbol_runs_at(struct symbol_runs *list, uint64_t address,
				    pthread_mutex_t *lock, size_t *count)
{
	const struct symbol_run *run = symbol_runs_run(list, address, lock);
	const struct symbol *symbols = list->symbols;
	size_t first = run ? partition_point(run->first, run[1].first, i,
					     symbols[i].address < address)
			   : 0,
	       end = first;

	while (run && end < run[1].first && symbols[end].address == address)
		end++;
	*count = end - first;
	return symbols + first;
}

const struct symbol *symbol_runs_covering(struct symbol_runs *list, uint64_t address, bool data,
					  pthread_mutex_t *lock)
{
	struct symbol_run *run = symbol_runs_run(list, address, lock);

	if (!run)
		return NULL;
	const struct symbol *symbols = list->symbols + run->first;
	const struct symbol_cover *cover =
		elf_lazy_get(data ? &run->objects : &run->functions, lock,
			     symbol_cover_create(symbols, run[1].first - run->first,
						 data ? symbol_is_data : symbol_is_function));

	return symbol_cover_find(cover, symbols, address);
}
