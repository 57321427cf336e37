// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds relocations by the address that they write to: those of the dynamic linker, which fill GOT
 * entries and pointers, and in a relocatable file those of the linker, which fill code and data.
 * The architecture has a table of their types. Also gives the sections of relocatable files
 * addresses, and applies their relocations.
 */
#include <sys/mman.h>

#include "dwarf/elf/image_private.h"
#include "base/text.h"

/* ---- relocations by address ---- */

struct entry {
	uint64_t address;
	int64_t addend;
	uint32_t symbol; /* index in `symbols`; 0: none */
	uint32_t type;   /* of the architecture */
};

struct elf_relocations {
	struct elf_symbol_table symbols;
	struct entry *entries; /* sorted by address */
	size_t count, capacity;
	const struct elf_part *plt; /* .rela.plt, whose entries PLT stubs refer to by number */
};

/* Returns the architecture whose relocations are read; those of the i386 are not. */
static const struct arch *arch_of(const struct elf_image *image)
{
	const struct arch *arch = elf_image_arch(image);

	return arch ?: arch_default();
}

static struct relocation_type type_of(const struct elf_image *image, uint32_t type)
{
	const struct arch *arch = arch_of(image);

	if (type < arch->relocation_count)
		return arch->relocations[type];
	return (struct relocation_type){ .kind = RELOCATION_OTHER, .size = arch->pointer_size };
}

COMPARISON(relocations_compare_entries, struct entry,
	   ASCENDING(address) ASCENDING(type) ASCENDING(symbol) ASCENDING(addend))

static struct entry entry_of(const uint8_t *bytes, uint64_t base)
{
	Elf64_Rela rela;

	memcpy(&rela, bytes, sizeof(rela));
	return (struct entry){
		.address = rela.r_offset + base,
		.addend = rela.r_addend,
		.symbol = ELF64_R_SYM(rela.r_info),
		.type = ELF64_R_TYPE(rela.r_info),
	};
}

static void add_relocation(struct elf_relocations *relocations, struct entry entry)
{
	array_add(relocations->entries, relocations->count, relocations->capacity) = entry;
}

/* True for the tables that matter: in a program those that are loaded into memory, which are the
 * dynamic linker's; in a relocatable file those of sections that are loaded. *base is the address
 * that their offsets count from. */
static bool is_wanted(const struct elf_image *image, const struct elf_part *table, uint64_t *base)
{
	if (!table->contents)
		return false;
	*base = 0;
	if (image->type != ET_REL)
		return table->flags & SHF_ALLOC;
	if (table->info >= image->part_count || !(image->parts[table->info].flags & SHF_ALLOC))
		return false;
	*base = image->parts[table->info].address;
	return true;
}

/* True if entries may have symbols: in static programs the link is to .symtab or none. */
static bool has_symbols(const struct elf_image *image, const struct elf_part *table)
{
	return table->link < image->part_count &&
	       image->parts[table->link].type == (image->type == ET_REL ? SHT_SYMTAB : SHT_DYNSYM);
}

static void add_rela(const struct elf_image *image, struct elf_relocations *relocations,
		     const struct elf_part *table, uint64_t base)
{
	for (size_t i = 0; i < table->size / sizeof(Elf64_Rela); i++) {
		struct entry entry = entry_of(table->contents + i * sizeof(Elf64_Rela), base);

		if (!entry.symbol || has_symbols(image, table))
			add_relocation(relocations, entry);
	}
}

/* Adds a RELR relocation, whose addend is in the file at the address that it writes to. */
static bool add_relative(const struct elf_image *image, struct elf_relocations *relocations,
			 uint64_t address)
{
	struct entry entry = { .address = address, .type = arch_of(image)->relative_relocation };
	size_t available = 0;
	const uint8_t *bytes = elf_image_bytes(image, address, &available);

	/* each relocation has 8 bytes of its own: only a hostile bitmap makes more of them */
	if (!bytes || available < sizeof(entry.addend) ||
	    relocations->count > image->size / sizeof(entry.addend))
		return false;
	memcpy(&entry.addend, bytes, sizeof(entry.addend));
	add_relocation(relocations, entry);
	return true;
}

/* Adds a RELR table (gABI, "Relative Relocation Table"): an even word is an address, an odd word a
 * bitmap of the relocated ones among the next 63 words. */
static void add_relr(const struct elf_image *image, struct elf_relocations *relocations,
		     const struct elf_part *table)
{
	uint64_t next = 0;

	for (size_t i = 0; i < table->size / sizeof(uint64_t); i++) {
		uint64_t word;

		memcpy(&word, table->contents + i * sizeof(word), sizeof(word));
		if (!(word & 1)) {
			if (word < next || !add_relative(image, relocations, word))
				return;
			next = word + sizeof(word);
			continue;
		}
		for (unsigned int bit = 1; bit < 64; bit++)
			if (word >> bit & 1 &&
			    !add_relative(image, relocations, next + (bit - 1) * sizeof(word)))
				return;
		next += 63 * sizeof(word);
	}
}

static struct elf_relocations *relocations_load(const struct elf_image *image)
{
	struct elf_relocations *relocations = xcalloc(1, sizeof(*relocations));

	if (!image->is_64)
		return relocations;
	relocations->symbols =
		elf_symbol_table_of(image, image->type == ET_REL ? SHT_SYMTAB : SHT_DYNSYM);
	for (size_t i = 1; i < image->part_count; i++) {
		const struct elf_part *part = &image->parts[i];
		uint64_t base;

		if (part->type == SHT_RELR && part->contents && part->flags & SHF_ALLOC) {
			add_relr(image, relocations, part);
		} else if (part->type == SHT_RELA && is_wanted(image, part, &base)) {
			add_rela(image, relocations, part, base);
			if (!strcmp(part->name, ".rela.plt"))
				relocations->plt = part;
		}
	}
	array_sort(relocations->entries, relocations->count, relocations_compare_entries);
	return relocations;
}

static const struct elf_relocations *relocations_of(const struct elf_image *image)
{
	struct elf_lazy *lazy = image->lazy;

	return elf_lazy_get(&lazy->relocations, &lazy->relocations_lock, relocations_load(image));
}

void elf_relocations_destroy(struct elf_relocations *relocations)
{
	if (!relocations)
		return;
	free_all(relocations->entries, relocations);
}

/* Returns the index of the first relocation at `address` or above. */
static size_t first_from(const struct elf_relocations *relocations, uint64_t address)
{
	return partition_point(0, relocations->count, i, relocations->entries[i].address < address);
}

static const struct entry *find(const struct elf_relocations *relocations, uint64_t address)
{
	size_t index = first_from(relocations, address);

	if (index == relocations->count || relocations->entries[index].address != address)
		return NULL;
	return &relocations->entries[index];
}

/* The most bytes that a relocation writes. */
#define WIDEST 16

bool elf_relocations_touch(const struct elf_image *image, uint64_t address, size_t size)
{
	const struct elf_relocations *relocations = relocations_of(image);
	size_t index = first_from(relocations, address < WIDEST ? 0 : address - WIDEST + 1);

	for (; index < relocations->count; index++) {
		const struct entry *entry = &relocations->entries[index];

		if (entry->address >= address && entry->address - address >= size)
			return false;
		unsigned int width = type_of(image, entry->type).size;

		if (entry->address >= address ? width > 0 : address - entry->address < width)
			return true;
	}
	return false;
}

static bool resolve(const struct elf_image *image, const struct entry *entry,
		    struct elf_relocation *result, struct elf_symbol *symbol)
{
	enum relocation_kind kind = type_of(image, entry->type).kind;
	/* A slot holds its symbol alone: ld -z mark-plt has the stub's address in the addend. */
	int64_t addend = kind == RELOCATION_GOT_SLOT ? 0 : entry->addend;

	*symbol = (struct elf_symbol){ 0 };
	*result = (struct elf_relocation){
		.kind = kind,
		.addend = addend,
		.defined = true,
		.target = (uint64_t)addend,
	};
	if (!entry->symbol)
		return true;
	if (!elf_symbol_table_read(&relocations_of(image)->symbols, entry->symbol, symbol))
		return false;
	if (symbol->name && symbol->name[0] && symbol->type != STT_SECTION)
		result->name = symbol->name;
	result->defined = symbol->part || symbol->index == SHN_ABS;
	result->target = result->defined ? symbol->value + (uint64_t)addend : 0;
	return true;
}

bool elf_image_relocation_at(const struct elf_image *image, uint64_t address,
			     struct elf_relocation *result)
{
	const struct elf_relocations *relocations = relocations_of(image);
	const struct entry *entry = find(relocations, address);
	struct elf_symbol symbol;

	return entry && resolve(image, entry, result, &symbol);
}

bool elf_relocations_plt_entry(const struct elf_image *image, uint32_t index,
			       struct elf_relocation *relocation)
{
	const struct elf_relocations *relocations = relocations_of(image);
	struct elf_symbol symbol;
	struct entry entry;

	if (!relocations->plt || index >= relocations->plt->size / sizeof(Elf64_Rela))
		return false;
	entry = entry_of(relocations->plt->contents + index * sizeof(Elf64_Rela), 0);
	return resolve(image, &entry, relocation, &symbol);
}

static bool read_u64(const struct elf_image *image, uint64_t address, uint64_t *value)
{
	return elf_image_read(image, address, value, sizeof(*value), false);
}

/* Finds the target of a slot without a relocation, as in programs at a fixed address. */
static bool constant_slot(const struct elf_image *image, uint64_t address, uint64_t *target)
{
	const struct elf_part *part = elf_part_at(image, address);
	uint64_t value;

	if (image->type != ET_EXEC || !image->is_64 || !part ||
	    (strcmp(part->name, ".got") != 0 && strcmp(part->name, ".got.plt") != 0 &&
	     !starts_with(part->name, ".data.rel.ro")))
		return false;
	if (!read_u64(image, address, &value) || !elf_part_at(image, value))
		return false;
	*target = value;
	return true;
}

bool elf_image_slot(const struct elf_image *image, uint64_t address, const char **name,
		    uint64_t *target)
{
	const struct elf_relocations *relocations = relocations_of(image);
	const struct entry *entry = find(relocations, address);
	struct elf_relocation relocation;
	struct elf_symbol symbol;

	*name = NULL;
	*target = 0;
	if (!entry)
		return constant_slot(image, address, target);
	if (!resolve(image, entry, &relocation, &symbol))
		return false;
	switch (relocation.kind) {
	case RELOCATION_BASE_RELATIVE: *target = entry->addend; return true;
	case RELOCATION_INDIRECT: *name = elf_symbols_ifunc_at(image, entry->addend); return true;
	case RELOCATION_ABSOLUTE:
		if (type_of(image, entry->type).size != arch_of(image)->pointer_size)
			return false;
		/* fall through */
	case RELOCATION_GOT_SLOT:
		if (!relocation.addend)
			*name = relocation.name;
		if (symbol.type != STT_GNU_IFUNC)
			*target = relocation.target;
		return true;
	default: return false;
	}
}

/* Finds the variable of a slot that the linker filled with its offset from the thread pointer
 * (initial exec). In TLS variant II, it is a negative number. */
static bool constant_tls_slot(const struct elf_image *image, uint64_t address, uint64_t *offset)
{
	const struct elf_part *part = elf_part_at(image, address);
	uint64_t size, alignment, value, before = arch_of(image)->thread_control_block;

	if (!image->is_64 || !part || strcmp(part->name, ".got") != 0 ||
	    !read_u64(image, address, &value) || !elf_image_tls_segment(image, &size, &alignment) ||
	    size > INT64_MAX || alignment > INT64_MAX)
		return false;
	if (before) {
		before = round_up(before, alignment);
		*offset = value - before;
		return value >= before && *offset < size;
	}
	size = round_up(size, alignment);
	if (!value || -value > size)
		return false;
	*offset = size + value;
	return true;
}

bool elf_image_tls_slot(const struct elf_image *image, uint64_t address, uint64_t *offset,
			const char **name)
{
	const struct elf_relocations *relocations = relocations_of(image);
	const struct entry *entry = find(relocations, address);
	const struct entry *second;
	struct elf_relocation relocation;
	struct elf_symbol symbol;

	*name = NULL;
	if (!entry)
		return constant_tls_slot(image, address, offset);
	if (type_of(image, entry->type).kind == RELOCATION_TLS_MODULE) {
		/* module and offset are a pair of slots; the second is a constant, without a
		 * relocation, for variables that are not visible outside */
		second = find(relocations, address + 8);
		if (!second)
			return !entry->symbol && read_u64(image, address + 8, offset);
		entry = second;
	}
	if (!resolve(image, entry, &relocation, &symbol))
		return false;
	if (relocation.kind != RELOCATION_TLS_FROM_POINTER &&
	    relocation.kind != RELOCATION_TLS_OFFSET &&
	    relocation.kind != RELOCATION_TLS_DESCRIPTOR)
		return false;
	*name = entry->addend ? NULL : relocation.name;
	*offset = relocation.defined ? relocation.target : ELF_TLS_ELSEWHERE;
	return true;
}

/*
 * ---- relocatable files ----
 *
 * ET_REL: kernel modules and object files. Their sections and undefined symbols get addresses, and
 * their contents are relocated; see image.h.
 *
 * The order of the sections is that of the kernel's loader (layout_sections() in
 * kernel/module/main.c): code first, then read-only data, then writable data, each in the order of
 * the section table; sections that only initialization needs are elsewhere. So code has the same
 * distance from the module's address in memory as it has here from BASE. The layout depends only on
 * section headers, which a stripped module and its debug file share.
 */

/* The address of the first section: not 0, "none" in debug information, nor a small number. */
#define BASE          ((uint64_t)0x52400000)
#define PAGE          ((uint64_t)4096)
#define ALIGNMENT_MAX ((uint64_t)1 << 20)
/* The room for each undefined symbol is so large that offsets from one do not reach the next. It is
 * made smaller if the symbols would not all fit below 2 GiB. */
#define IMPORT_ROOM  ((uint64_t)65536)
#define IMPORTS_ROOM ((uint64_t)512 << 20)

enum section_group {
	GROUP_TEXT,
	GROUP_READ_ONLY,
	GROUP_WRITABLE,
	GROUP_INIT,
	GROUP_PER_CPU,
	GROUP_COUNT
};

static enum section_group group_of(const struct elf_part *part)
{
	if (starts_with(part->name, ".init"))
		return GROUP_INIT;
	if (!strcmp(part->name, ".data..percpu"))
		return GROUP_PER_CPU;
	if (part->flags & SHF_EXECINSTR)
		return GROUP_TEXT;
	return part->flags & SHF_WRITE ? GROUP_WRITABLE : GROUP_READ_ONLY;
}

static uint64_t aligned(uint64_t address, uint64_t alignment)
{
	return alignment > ALIGNMENT_MAX ? address : round_up(address, alignment);
}

static void lay_out_imports(struct elf_image *image, uint64_t next)
{
	struct elf_symbol_table table = elf_symbol_table_of(image, SHT_SYMTAB);

	image->import_base = aligned(next, ALIGNMENT_MAX);
	image->import_count = table.count < IMPORTS_ROOM / 16 ? table.count : 0;
	image->import_room = IMPORT_ROOM;
	while (image->import_room > 16 && image->import_room * image->import_count > IMPORTS_ROOM)
		image->import_room /= 2;
}

void elf_relocatable_lay_out(struct elf_image *image)
{
	uint64_t next = BASE;

	for (enum section_group group = 0; group < GROUP_COUNT; group++) {
		next = aligned(next, PAGE);
		for (size_t i = 1; i < image->part_count; i++) {
			struct elf_part *part = &image->parts[i];

			if (!(part->flags & SHF_ALLOC) || group_of(part) != group)
				continue;
			part->address = next = aligned(next, part->alignment);
			next = part->size > INT64_MAX - next ? INT64_MAX : next + part->size;
		}
	}
	lay_out_imports(image, next < INT64_MAX / 2 ? next : BASE);
}

uint64_t elf_image_load_base(const struct elf_image *image)
{
	return image->type == ET_REL ? BASE : 0;
}

static uint64_t import_address(const struct elf_image *image, uint32_t symbol)
{
	return symbol < image->import_count ? image->import_base + symbol * image->import_room : 0;
}

const char *elf_image_import_at(const struct elf_image *image, uint64_t address, uint64_t *offset)
{
	struct elf_symbol symbol;

	if (image->type != ET_REL || address < image->import_base ||
	    address - image->import_base >= image->import_count * image->import_room)
		return NULL;

	struct elf_symbol_table table = elf_symbol_table_of(image, SHT_SYMTAB);
	uint64_t distance = address - image->import_base;

	*offset = distance % image->import_room;
	if (!elf_symbol_table_read(&table, distance / image->import_room, &symbol) ||
	    symbol.index != SHN_UNDEF || !symbol.name || !symbol.name[0])
		return NULL;
	return symbol.name;
}

static bool symbol_address(const struct elf_symbol_table *symbols, uint32_t index,
			   uint64_t *address)
{
	struct elf_symbol symbol;

	*address = 0;
	if (!index)
		return true;
	if (!elf_symbol_table_read(symbols, index, &symbol) || symbol.type == STT_TLS)
		return false;
	*address = symbol.part || symbol.index == SHN_ABS ? symbol.value
							  : import_address(symbols->image, index);
	return *address || symbol.part || symbol.index == SHN_ABS;
}

static void apply_entry(const struct elf_symbol_table *symbols, const struct elf_part *part,
			uint8_t *contents, uint64_t size, const Elf64_Rela *rela)
{
	struct relocation_type type = type_of(symbols->image, ELF64_R_TYPE(rela->r_info));
	const struct arch *arch = arch_of(symbols->image);
	unsigned int width = type.size;
	uint64_t value;

	if ((!type.in_object && (!arch->relocate_insn || width != 4)) || rela->r_offset > size ||
	    width > size - rela->r_offset ||
	    !symbol_address(symbols, ELF64_R_SYM(rela->r_info), &value))
		return;
	value += (uint64_t)rela->r_addend;
	if (!type.in_object) {
		arch->relocate_insn(ELF64_R_TYPE(rela->r_info), value,
				    part->address + rela->r_offset, contents + rela->r_offset);
		return;
	}
	if (type.kind == RELOCATION_PC_RELATIVE)
		value -= part->address + rela->r_offset;
	memcpy(contents + rela->r_offset, &value, width);
}

static void apply_table(const struct elf_symbol_table *symbols, const struct elf_part *table,
			const struct elf_part *part, uint8_t *contents, uint64_t size)
{
	for (size_t i = 0; i < table->size / sizeof(Elf64_Rela); i++) {
		Elf64_Rela rela;

		memcpy(&rela, table->contents + i * sizeof(rela), sizeof(rela));
		apply_entry(symbols, part, contents, size, &rela);
	}
}

static bool is_table(const struct elf_image *image, const struct elf_part *part)
{
	return image->type == ET_REL && image->is_64 && part->type == SHT_RELA && part->contents &&
	       part->info < image->part_count;
}

void elf_image_relocate(const struct elf_image *image, size_t section, uint8_t *contents,
			size_t size)
{
	struct elf_symbol_table symbols = elf_symbol_table_of(image, SHT_SYMTAB);

	for (size_t i = 1; i < image->part_count; i++)
		if (is_table(image, &image->parts[i]) && image->parts[i].info == section)
			apply_table(&symbols, &image->parts[i], &image->parts[section], contents,
				    size);
}

/* Makes the bytes of the image writable: a mapping is private, others are copied. */
static struct error *relocations_make_writable(struct elf_image *image)
{
	uint8_t *copy;

	if (image->mapped) {
		if (!mprotect((void *)image->data, image->size, PROT_READ | PROT_WRITE))
			return NULL;
		if (image->size <= FILE_SIZE_USUAL)
			check_library_memory();
		return error_errno(errno, "%s: cannot be relocated", image->path);
	}
	copy = image->relocated = xmalloc(image->size);
	memcpy(copy, image->data, image->size);
	array_each (struct elf_part, part, image->parts, image->part_count) {
		if (part->contents)
			part->contents = copy + (part->contents - image->data);
		part->name = (const char *)copy + ((const uint8_t *)part->name - image->data);
	}
	image->data = copy;
	return NULL;
}

/* Checks that section names still end: relocations may have written over them. */
static struct error *check_names(const struct elf_image *image)
{
	for (size_t i = 0; i < image->part_count; i++) {
		const char *name = image->parts[i].name;

		if (!memchr(name, 0, (size_t)(image->data + image->size - (const uint8_t *)name)))
			return error_create(
				ERROR_FORMAT,
				"%s: its relocations write over the names of its sections",
				image->path);
	}
	return NULL;
}

/* Checks that the tables have room: in a damaged file many sections may be one table. */
static struct error *check_tables(const struct elf_image *image)
{
	uint64_t left = image->size;

	for (size_t i = 1; i < image->part_count; i++) {
		const struct elf_part *part = &image->parts[i];

		if (!is_table(image, part))
			continue;
		if (part->size > left)
			return error_create(ERROR_FORMAT, "%s: its relocation tables overlap",
					    image->path);
		left -= part->size;
	}
	return NULL;
}

struct error *elf_relocatable_apply(struct elf_image *image)
{
	struct elf_symbol_table symbols;

	RETURN_ERROR(check_tables(image));
	RETURN_ERROR(relocations_make_writable(image));
	symbols = elf_symbol_table_of(image, SHT_SYMTAB);
	for (size_t i = 1; i < image->part_count; i++) {
		const struct elf_part *table = &image->parts[i], *part;

		if (!is_table(image, table))
			continue;
		part = &image->parts[table->info];
		/* symbol and relocation tables are never relocated, whatever the file says */
		if (part->contents && !(part->flags & SHF_COMPRESSED) && part->type == SHT_PROGBITS)
			apply_table(&symbols, table, part, (uint8_t *)part->contents, part->size);
	}
	return check_names(image);
}
