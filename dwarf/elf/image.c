// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opens an ELF file: identifies it, reads its headers into one form for both ELF classes, and
 * checks them, so that no other file has to doubt where a section is. Then it finds sections,
 * segments and bytes by address.
 */
#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>

#include "dwarf/elf/image_private.h"
#include "base/cursor.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- what a file is ---- */

static struct error *what_it_is(const uint8_t *data, size_t size, const char *name)
{
	static const struct {
		const char *magic;
		size_t length;
		const char *what;
	} kinds[] = {
		{ "MZ", 2,
		  "a PE or kernel boot image; the ELF file it was made of (vmlinux) is needed" },
		{ "\x1f\x8b", 2, "gzip-compressed" },
		{ "\xfd"
		  "7zXZ",
		  5, "xz-compressed" },
		{ "\x28\xb5\x2f\xfd", 4, "zstd-compressed" },
		{ "!<arch>\n", 8, "an archive of object files" },
		{ "#!", 2, "a script" },
		{ "PERFILE2", 8, "a perf.data file" },
	};

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (size >= kinds[i].length && !memcmp(data, kinds[i].magic, kinds[i].length))
			return error_create(ERROR_FORMAT, "%s: not an ELF file but %s", name,
					    kinds[i].what);
	return error_create(ERROR_FORMAT, "%s: not an ELF file", name);
}

static const char *machine_name(uint16_t machine, char *buffer, size_t size)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} names[] = {
		{ EM_ARM, "ARM" },         { EM_RISCV, "RISC-V" },        { EM_PPC64, "PowerPC64" },
		{ EM_S390, "S/390" },      { EM_MIPS, "MIPS" },           { EM_BPF, "BPF" },
		{ EM_SPARCV9, "SPARC64" }, { EM_LOONGARCH, "LoongArch" },
	};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (names[i].machine == machine)
			return names[i].name;
	snprintf(buffer, size, "ELF machine %u", machine);
	return buffer;
}

static struct error *elf_identity_check(const uint8_t *data, size_t size, const char *name)
{
	uint16_t type, machine;
	char buffer[32];

	if (size < SELFMAG || memcmp(data, ELFMAG, SELFMAG) != 0)
		return what_it_is(data, size, name);
	if (size < sizeof(Elf32_Ehdr) ||
	    (data[EI_CLASS] == ELFCLASS64 && size < sizeof(Elf64_Ehdr)))
		return error_create(ERROR_FORMAT, "%s: ends within the ELF header, at %zu bytes",
				    name, size);
	if (data[EI_CLASS] != ELFCLASS64 && data[EI_CLASS] != ELFCLASS32)
		return error_create(ERROR_FORMAT, "%s: unknown ELF class %u", name, data[EI_CLASS]);
	if (data[EI_DATA] != ELFDATA2LSB)
		return error_create(ERROR_UNSUPPORTED,
				    "%s: a big-endian ELF file; only those of x86-64, i386 and "
				    "AArch64 are read",
				    name);
	memcpy(&type, data + offsetof(Elf64_Ehdr, e_type), sizeof(type));
	memcpy(&machine, data + offsetof(Elf64_Ehdr, e_machine), sizeof(machine));
	if (!arch_of_machine(machine) && (machine != EM_386 || data[EI_CLASS] != ELFCLASS32))
		return error_create(ERROR_UNSUPPORTED,
				    "%s: an ELF file for %s; only those of x86-64, i386 and "
				    "AArch64 are read",
				    name, machine_name(machine, buffer, sizeof(buffer)));
	if (type == ET_CORE)
		return error_create(ERROR_UNSUPPORTED, "%s: a core file, not a program or library",
				    name);
	if (type != ET_EXEC && type != ET_DYN && type != ET_REL)
		return error_create(ERROR_UNSUPPORTED, "%s: unknown ELF file type %u", name, type);
	return NULL;
}

/* ---- build ids ---- */

/* Names and descriptions are padded to 4 bytes. The 8-byte aligned notes that x86-64 has for GNU
 * properties can be read the same way, because their descriptions are multiples of 8. */
static size_t padding(uint32_t size)
{
	return -size & 3;
}

static const uint8_t *build_id_note_find(const void *notes, size_t size, size_t *length)
{
	struct cursor cursor = cursor_of(notes, size, false);

	while (cursor_left(&cursor)) {
		uint32_t name_size = cursor_u32(&cursor);
		uint32_t description_size = cursor_u32(&cursor);
		uint32_t type = cursor_u32(&cursor);
		const uint8_t *name = cursor_bytes(&cursor, name_size);
		const uint8_t *description;

		cursor_skip(&cursor, padding(name_size));
		description = cursor_bytes(&cursor, description_size);
		if (cursor.failed)
			return NULL;
		if (type == NT_GNU_BUILD_ID && name_size == sizeof("GNU") &&
		    !memcmp(name, "GNU", sizeof("GNU")) && description_size) {
			*length = description_size;
			return description;
		}
		cursor_skip(&cursor, padding(description_size));
	}
	return NULL;
}

static struct build_id first_bytes(const uint8_t *bytes, size_t length)
{
	struct build_id build_id = { .size = length < BUILD_ID_SIZE ? length : BUILD_ID_SIZE };

	memcpy(build_id.bytes, bytes, build_id.size);
	return build_id;
}

bool build_id_from_notes(const void *notes, size_t size, struct build_id *build_id)
{
	size_t length = 0;
	const uint8_t *bytes = build_id_note_find(notes, size, &length);

	*build_id = (struct build_id){ 0 };
	if (bytes)
		*build_id = first_bytes(bytes, length);
	return bytes;
}

static bool take_notes(struct elf_image *image, const uint8_t *notes, size_t size)
{
	image->build_id = build_id_note_find(notes, size, &image->build_id_size);
	if (image->build_id)
		image->build_id_head = first_bytes(image->build_id, image->build_id_size);
	return image->build_id;
}

/* Finds the build id, first in sections: a debug file's segments lack contents. */
static void elf_build_id_load(struct elf_image *image)
{
	for (size_t i = 1; i < image->part_count; i++) {
		const struct elf_part *part = &image->parts[i];

		if (part->type == SHT_NOTE && part->contents &&
		    take_notes(image, part->contents, part->size))
			return;
	}
	for (size_t i = 0; i < image->segment_count && !image->part_count; i++) {
		const Elf64_Phdr *segment = &image->segments[i];

		if (segment->p_type == PT_NOTE && segment->p_offset <= image->size &&
		    segment->p_filesz <= image->size - segment->p_offset &&
		    take_notes(image, image->data + segment->p_offset, segment->p_filesz))
			return;
	}
}

struct build_id_text build_id_text(const struct build_id *build_id)
{
	static const char digits[] = "0123456789abcdef";
	struct build_id_text text = { "" };

	for (size_t i = 0; i < build_id->size && i < BUILD_ID_SIZE; i++) {
		text.hex[2 * i] = digits[build_id->bytes[i] >> 4];
		text.hex[2 * i + 1] = digits[build_id->bytes[i] & 15];
	}
	return text;
}

static int hex_digit(char digit)
{
	return digit >= '0' && digit <= '9'   ? digit - '0'
	       : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
					      : -1;
}

const char *build_id_parse(const char *text, struct build_id *build_id)
{
	int high, low;

	while (build_id->size < BUILD_ID_SIZE && (high = hex_digit(text[0])) >= 0 &&
	       (low = hex_digit(text[1])) >= 0) {
		build_id->bytes[build_id->size++] = (uint8_t)(high << 4 | low);
		text += 2;
	}
	return text;
}

/* The first bytes of ids of a content. */
static const uint8_t content_mark[4] = { 0xd7, 'd', 't', 0 };

static bool is_of_content(const struct build_id *id)
{
	return id->size == BUILD_ID_SIZE && !memcmp(id->bytes, content_mark, sizeof(content_mark));
}

void build_id_add_content(struct build_id *id, const void *bytes, size_t size)
{
	uint64_t words[2], hash = hash_bytes(bytes, size);
	uint8_t *place = id->bytes + sizeof(content_mark);

	_Static_assert(BUILD_ID_SIZE == sizeof(content_mark) + sizeof(words), "an id is filled");
	memcpy(words, place, sizeof(words));
	words[0] = hash_combine(words[0], hash);
	words[1] = hash_combine(words[1], ~hash + size);
	id->size = BUILD_ID_SIZE;
	memcpy(id->bytes, content_mark, sizeof(content_mark));
	memcpy(place, words, sizeof(words));
}

bool build_id_equal(const struct build_id *left, const struct build_id *right)
{
	return left->size == right->size && !memcmp(left->bytes, right->bytes, left->size);
}

/* ---- sections in the order of their addresses ---- */

struct section_place {
	uint64_t address;
	uint32_t index;
};

COMPARISON(compare_places, struct section_place, ASCENDING(address) ASCENDING(index))

/* .tbss takes up no addresses: the section after it begins at the same one. */
static bool takes_addresses(const struct elf_part *part)
{
	return part->flags & SHF_ALLOC && part->size && part->size <= UINT64_MAX - part->address &&
	       !(part->flags & SHF_TLS && part->type == SHT_NOBITS);
}

/* Fills in by_address. */
static void sort_sections(struct elf_image *image)
{
	_cleanup_free_ struct section_place *places =
		xcalloc(image->part_count + 1, sizeof(*places));
	size_t count = 0;

	for (size_t i = 1; i < image->part_count; i++)
		if (takes_addresses(&image->parts[i]))
			places[count++] = (struct section_place){ image->parts[i].address, i };
	array_sort(places, count, compare_places);
	image->by_address = xcalloc(count + 1, sizeof(*image->by_address));
	image->by_address_count = count;
	for (size_t i = 0; i < count; i++)
		image->by_address[i] = places[i].index;
}

/* ---- headers ---- */

#define PAGE_SIZE ((size_t)4096)

/* A field of a 64-bit header that has the value of the 32-bit one. */
#define WIDE(field) .field = narrow.field

/* Defines a function that returns the header of either class at `bytes` as a 64-bit one. */
#define HEADER_READER(function, header, ...)                                                       \
	static Elf64_##header function(const uint8_t *bytes, bool is_64)                           \
	{                                                                                          \
		Elf64_##header wide;                                                               \
		Elf32_##header narrow;                                                             \
                                                                                                   \
		if (is_64)                                                                         \
			return memcpy(&wide, bytes, sizeof(wide)), wide;                           \
		memcpy(&narrow, bytes, sizeof(narrow));                                            \
		return (Elf64_##header){ __VA_ARGS__ };                                            \
	}

HEADER_READER(read_file_header, Ehdr, WIDE(e_type), WIDE(e_phoff), WIDE(e_shoff), WIDE(e_phentsize),
	      WIDE(e_phnum), WIDE(e_shentsize), WIDE(e_shnum), WIDE(e_shstrndx))
HEADER_READER(read_section_header, Shdr, WIDE(sh_name), WIDE(sh_type), WIDE(sh_flags),
	      WIDE(sh_addr), WIDE(sh_offset), WIDE(sh_size), WIDE(sh_link), WIDE(sh_info),
	      WIDE(sh_addralign), WIDE(sh_entsize))
HEADER_READER(read_program_header, Phdr, WIDE(p_type), WIDE(p_flags), WIDE(p_offset), WIDE(p_vaddr),
	      WIDE(p_filesz), WIDE(p_memsz), WIDE(p_align))

/* Returns the start of a table of `count` headers, or NULL and *error: it is not all there. */
static const uint8_t *header_table(const struct elf_image *image, const char *what, uint64_t offset,
				   uint64_t count, uint64_t entry_size, uint64_t expected_size,
				   struct error **error)
{
	if (entry_size != expected_size) {
		*error = error_create(ERROR_FORMAT,
				      "%s: %s headers of %" PRIu64 " bytes instead of %" PRIu64,
				      image->path, what, entry_size, expected_size);
		return NULL;
	}
	if (offset > image->size || count > (image->size - offset) / entry_size) {
		*error = error_create(ERROR_FORMAT,
				      "%s: the %s headers at offset %" PRIu64
				      " lie past the end of the file; has it been cut short?",
				      image->path, what, offset);
		return NULL;
	}
	return image->data + offset;
}

static struct error *load_segments(struct elf_image *image, const Elf64_Ehdr *header,
				   uint64_t count)
{
	size_t entry_size = image->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	const uint8_t *table;
	struct error *error;

	if (!header->e_phoff || !count)
		return NULL;
	table = header_table(image, "program", header->e_phoff, count, header->e_phentsize,
			     entry_size, &error);
	if (!table)
		return error;
	image->segments = xcalloc(count, sizeof(*image->segments));
	image->segment_count = count;
	for (size_t i = 0; i < count; i++)
		image->segments[i] = read_program_header(table + i * entry_size, image->is_64);
	return NULL;
}

static struct error *load_section(const struct elf_image *image, const Elf64_Shdr *header,
				  size_t index, struct elf_part *part)
{
	*part = (struct elf_part){
		.type = header->sh_type,
		.link = header->sh_link,
		.info = header->sh_info,
		.flags = header->sh_flags,
		.address = header->sh_addr,
		.size = header->sh_size,
		.alignment = header->sh_addralign,
	};
	if (header->sh_type == SHT_NULL || header->sh_type == SHT_NOBITS)
		return NULL;
	if (header->sh_offset > image->size || header->sh_size > image->size - header->sh_offset)
		return error_create(ERROR_FORMAT,
				    "%s: section %zu, %" PRIu64 " bytes at offset %" PRIu64
				    ", ends past the end of the file; has it been cut short?",
				    image->path, index, (uint64_t)header->sh_size,
				    (uint64_t)header->sh_offset);
	part->contents = image->data + header->sh_offset;
	return NULL;
}

static struct error *name_sections(struct elf_image *image, const uint8_t *table, size_t entry_size,
				   uint64_t names)
{
	const struct elf_part *strings;
	size_t limit;

	if (names >= image->part_count || !image->parts[names].contents)
		return error_create(ERROR_FORMAT, "%s: no section %" PRIu64 " to name the sections",
				    image->path, names);
	strings = &image->parts[names];
	limit = elf_string_limit(strings->contents, strings->size);
	for (size_t i = 0; i < image->part_count; i++) {
		Elf64_Shdr header = read_section_header(table + i * entry_size, image->is_64);

		if (header.sh_name >= limit)
			return error_create(ERROR_FORMAT,
					    "%s: the name of section %zu is not in the file",
					    image->path, i);
		image->parts[i].name = (const char *)strings->contents + header.sh_name;
	}
	return NULL;
}

/* Checks the entry size and the linked section of tables whose readers rely on them. */
static struct error *check_table(const struct elf_image *image, size_t index, uint64_t entry_size)
{
	const struct elf_part *part = &image->parts[index];
	const struct elf_part *linked =
		part->link < image->part_count ? &image->parts[part->link] : NULL;
	uint64_t expected = 0;
	bool linked_fits = true;

	if (!part->contents)
		return NULL;
	switch (part->type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
		expected = image->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
		linked_fits = linked && linked->type == SHT_STRTAB;
		break;
	case SHT_RELA: expected = image->is_64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela); break;
	case SHT_REL: expected = image->is_64 ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel); break;
	default: return NULL;
	}
	if (part->size && entry_size != expected)
		return error_create(ERROR_FORMAT,
				    "%s: section %s has entries of %" PRIu64
				    " bytes instead of %" PRIu64,
				    image->path, part->name, entry_size, expected);
	if (!linked_fits)
		return error_create(ERROR_FORMAT, "%s: section %s has no string table", image->path,
				    part->name);
	return NULL;
}

/* Reads the section headers. Section header 0 has counts that do not fit (gABI, "ELF Header"). */
static struct error *load_sections(struct elf_image *image, const Elf64_Ehdr *header,
				   uint64_t *segment_count)
{
	size_t entry_size = image->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint64_t count = header->e_shnum, names = header->e_shstrndx;
	const uint8_t *table;
	struct error *error;
	Elf64_Shdr first;

	*segment_count = header->e_phnum;
	if (!header->e_shoff)
		return NULL;
	table = header_table(image, "section", header->e_shoff, 1, header->e_shentsize, entry_size,
			     &error);
	if (!table)
		return error;
	first = read_section_header(table, image->is_64);
	if (!count)
		count = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (*segment_count == PN_XNUM)
		*segment_count = first.sh_info;
	table = header_table(image, "section", header->e_shoff, count, header->e_shentsize,
			     entry_size, &error);
	if (!table)
		return error;
	if (!count)
		return NULL;
	image->parts = xcalloc(count, sizeof(*image->parts));
	image->part_count = count;
	for (size_t i = 0; i < count; i++) {
		Elf64_Shdr section = read_section_header(table + i * entry_size, image->is_64);

		RETURN_ERROR(load_section(image, &section, i, &image->parts[i]));
	}
	RETURN_ERROR(name_sections(image, table, entry_size, names));
	for (size_t i = 0; i < count; i++)
		RETURN_ERROR(check_table(
			image, i,
			read_section_header(table + i * entry_size, image->is_64).sh_entsize));
	if (image->type == ET_REL)
		elf_relocatable_lay_out(image);
	sort_sections(image);
	return NULL;
}

static struct error *image_load(struct elf_image *image)
{
	uint64_t segment_count;
	Elf64_Ehdr header;

	RETURN_ERROR(elf_identity_check(image->data, image->size, image->path));
	assert(image->data); /* or it would have been refused */
	image->is_64 = image->data[EI_CLASS] == ELFCLASS64;
	header = read_file_header(image->data, image->is_64);
	image->type = header.e_type;
	image->machine = header.e_machine;
	RETURN_ERROR(load_sections(image, &header, &segment_count));
	RETURN_ERROR(load_segments(image, &header, segment_count));
	if (image->type == ET_REL)
		RETURN_ERROR(elf_relocatable_apply(image));
	elf_build_id_load(image);
	return NULL;
}

/* Opens the bytes at `data`. If they are `mapped`, takes over the mapping, also after an error. */
static struct error *image_create(const void *data, size_t size, bool mapped, const char *name,
				  struct elf_image **result)
{
	struct elf_image *image = xcalloc(1, sizeof(*image));
	struct error *error;

	image->path = xstrdup(name);
	image->data = data;
	image->size = size;
	image->mapped = mapped;
	image->fd = -1;
	image->lazy = xcalloc(1, sizeof(*image->lazy));
	pthread_mutex_init(&image->lazy->symbols_lock, NULL);
	pthread_mutex_init(&image->lazy->relocations_lock, NULL);
	error = image_load(image);
	if (error) {
		elf_image_close(image);
		return error;
	}
	*result = image;
	return NULL;
}

struct error *elf_image_open_owned(uint8_t *data, size_t size, const char *name,
				   struct elf_image **result)
{
	struct error *error = image_create(data, size, false, name, result);

	if (error)
		free(data);
	else
		(*result)->unpacked = data;
	return error;
}

/* Takes over the mapping, also after an error. */
static struct error *create_from_file(const void *data, size_t size, const char *path,
				      struct elf_image **result)
{
	uint8_t *unpacked = NULL;
	size_t unpacked_size;
	struct error *error;

	error = elf_unpack(data, size, path, &unpacked, &unpacked_size);
	if (error || unpacked)
		munmap((void *)data, size);
	else
		return image_create(data, size, true, path, result);
	if (error)
		return error;
	return elf_image_open_owned(unpacked, unpacked_size, path, result);
}

struct error *elf_image_open_memory(const void *data, size_t size, const char *name,
				    struct elf_image **result)
{
	return image_create(data, size, false, name, result);
}

/* Returns memory with the bytes of a file, which munmap() frees, or MAP_FAILED. */
static void *map_copy(int fd, size_t size)
{
	uint8_t *data =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (data == MAP_FAILED || file_has_at(fd, data, size, 0))
		return data;
	munmap(data, size);
	return MAP_FAILED;
}

static struct error *map_file(const char *path, int *fd, void **data, size_t *size,
			      struct stat *status)
{
	RETURN_ERROR(ordinary_file_open(path, fd, status));
	if (!status->st_size)
		return error_create(ERROR_FORMAT, "%s: not an ELF file but empty", path);
	*size = status->st_size;
	*data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, *fd, 0);
	/* files of sysfs can be read only, before Linux 6.16 */
	if (*data == MAP_FAILED && errno == ENODEV)
		*data = map_copy(*fd, *size);
	if (*data == MAP_FAILED && *size <= FILE_SIZE_USUAL)
		check_library_memory();
	return *data == MAP_FAILED ? error_errno(errno, "%s: cannot be mapped", path) : NULL;
}

/* Files from this size on stay open for elf_image_peek(). */
#define SIZE_OF_OPEN ((size_t)8 << 20)

struct error *elf_image_open(const char *path, struct elf_image **result)
{
	_cleanup_close_ int fd = -1;
	size_t size = 0;
	void *data = NULL;
	struct stat status;

	RETURN_ERROR(map_file(path, &fd, &data, &size, &status));
	RETURN_ERROR(create_from_file(data, size, path, result));
	(*result)->file = status;
	if ((*result)->mapped && size >= SIZE_OF_OPEN) {
		(*result)->fd = fd;
		/* noting its time takes nearly half of a peek; refused for files of others */
		(void)fcntl(fd, F_SETFL, O_NOATIME);
		fd = -1;
	}
	return NULL;
}

const void *elf_image_peek(const struct elf_image *image, const void *bytes, size_t size,
			   void *buffer)
{
	size_t start = (size_t)((const uint8_t *)bytes - image->data);

	return image->fd >= 0 && start <= image->size && size <= image->size - start &&
			       pread(image->fd, buffer, size, (off_t)start) == (ssize_t)size
		       ? buffer
		       : bytes;
}

const struct stat *elf_image_file(const struct elf_image *image)
{
	return &image->file;
}

struct error *elf_image_probe(const char *path)
{
	_cleanup_close_ int fd = -1;
	struct error *error;
	size_t size = 0;
	void *data = NULL;
	struct stat status;

	RETURN_ERROR(map_file(path, &fd, &data, &size, &status));
	error = elf_is_packed(data, size) ? NULL : elf_identity_check(data, size, path);
	munmap(data, size);
	return error;
}

void elf_image_close(struct elf_image *image)
{
	if (!image)
		return;
	struct hash_map *names = atomic_load(&image->lazy->names);

	if (names)
		hash_map_deinit(names);
	free(names);
	elf_symbols_destroy(atomic_load(&image->lazy->symbols));
	elf_relocations_destroy(atomic_load(&image->lazy->relocations));
	pthread_mutex_destroy(&image->lazy->symbols_lock);
	pthread_mutex_destroy(&image->lazy->relocations_lock);
	free_all(image->lazy, image->segments, image->by_address, image->parts);
	if (image->mapped)
		munmap((void *)image->data, image->size);
	if (image->fd >= 0)
		close(image->fd);
	free_all(image->unpacked, image->added, image->changed_pages);
	arena_deinit(&image->added_names);
	free_all(image->relocated, image->path, image);
}

bool elf_image_was_given_symbols(const struct elf_image *image)
{
	return image->added_count;
}

void elf_image_add_symbols(struct elf_image *image, const struct symbol *symbols, size_t count)
{
	image->added = xrealloc_array(image->added, image->added_count + count, sizeof(*symbols));
	for (size_t i = 0; i < count; i++) {
		struct symbol *added = &image->added[image->added_count++];

		*added = symbols[i];
		added->name = arena_strdup(&image->added_names, symbols[i].name);
	}
}

void elf_image_set_symbol_file(struct elf_image *image, const struct elf_image *file)
{
	if (image->type != ET_REL && elf_symbol_table_of(image, SHT_SYMTAB).count <= 1)
		image->symbol_file = file;
}

const struct elf_image *elf_image_symbol_file(const struct elf_image *image)
{
	return image->symbol_file;
}

const char *elf_image_path(const struct elf_image *image)
{
	return image->path;
}

const void *elf_image_data(const struct elf_image *image, size_t *size)
{
	*size = image->size;
	return image->data;
}

void elf_image_done_with(const struct elf_image *image, const void *bytes, size_t size)
{
	size_t start = (size_t)((const uint8_t *)bytes - image->data), end = start + size;

	/* relocated bytes differ from those in the file */
	if (!image->mapped || image->type == ET_REL || start > image->size ||
	    size > image->size - start)
		return;
	/* only whole pages: the pages at both ends hold other data, too */
	start = round_up(start, PAGE_SIZE);
	end = end / PAGE_SIZE * PAGE_SIZE;
	if (start < end)
		(void)madvise((void *)(image->data + start), end - start, MADV_DONTNEED);
}

static bool is_changed(const struct elf_image *image, size_t page)
{
	return image->changed_pages && image->changed_pages[page / 8] >> page % 8 & 1;
}

/* Shorter runs between changed pages are kept: each call interrupts all processors that run the
 * program. */
#define DONE_RUN_MIN (8 * PAGE_SIZE)

void elf_image_done_with_code(const struct elf_image *image, uint64_t low, uint64_t high)
{
	array_each (const struct elf_part, part, image->parts, image->part_count) {
		uint64_t start = low > part->address ? low - part->address : 0,
			 stop = high > part->address ? high - part->address : 0;

		if (!(part->flags & SHF_EXECINSTR) || !part->contents)
			continue;
		size_t first = (size_t)(part->contents - image->data), next;
		size_t end = first + (stop < part->size ? stop : part->size);

		/* from one changed page to the next */
		for (size_t at = first + start; start < part->size && at < end;
		     at = (next / PAGE_SIZE + 1) * PAGE_SIZE) {
			for (next = at; next < end && !is_changed(image, next / PAGE_SIZE);)
				next = (next / PAGE_SIZE + 1) * PAGE_SIZE;
			next = next < end ? next : end;
			if (next - at >= DONE_RUN_MIN)
				elf_image_done_with(image, image->data + at, next - at);
		}
	}
}

int elf_image_type(const struct elf_image *image)
{
	return image->type;
}

const struct arch *elf_image_arch(const struct elf_image *image)
{
	return arch_of_machine(image->machine);
}

const struct build_id *elf_image_build_id(const struct elf_image *image)
{
	return &image->build_id_head;
}

bool elf_image_is_build(const struct elf_image *image, const struct build_id *id)
{
	struct build_id content = { 0 };

	if (image->build_id_size || !is_of_content(id))
		return build_id_equal(&image->build_id_head, id);
	for (size_t at = 0; at < image->size; at += CONTENT_CHUNK)
		build_id_add_content(&content, image->data + at,
				     image->size - at < CONTENT_CHUNK ? image->size - at
								      : CONTENT_CHUNK);
	return build_id_equal(&content, id);
}

const struct elf_part *elf_part_named(const struct elf_image *image, const char *name)
{
	for (size_t i = 1; i < image->part_count; i++)
		if (!strcmp(image->parts[i].name, name))
			return &image->parts[i];
	return NULL;
}

const uint8_t *elf_image_contents(const struct elf_image *image, const char *name, size_t *size)
{
	const struct elf_part *part = elf_part_named(image, name);

	if (!part || !part->contents || part->flags & SHF_COMPRESSED)
		return NULL;
	*size = part->size;
	return part->contents;
}

bool elf_image_has_debug_info(const struct elf_image *image)
{
	const struct elf_part *part = elf_part_named(image, ".debug_info");

	if (!part)
		part = elf_part_named(image, ".zdebug_info");
	return part && part->contents && part->size;
}

const char *elf_image_other_debug_format(const struct elf_image *image)
{
	/* tcc before 0.9.28 and old compilers; gcc -gctf and Solaris; DWARF 1; ECOFF */
	static const char *const formats[][2] = { { ".stab", "stabs" },
						  { ".ctf", "CTF" },
						  { ".SUNW_ctf", "CTF" },
						  { ".debug", "DWARF 1" },
						  { ".mdebug", "ECOFF" } };

	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		const struct elf_part *part = elf_part_named(image, formats[i][0]);

		if (part && part->contents && part->size)
			return formats[i][1];
	}
	return NULL;
}

/* ---- sections, segments and bytes by address ---- */

const struct elf_part *elf_part_at(const struct elf_image *image, uint64_t address)
{
	/* quick, because most numbers in code are no addresses */
	if (!image->by_address_count || address < image->parts[image->by_address[0]].address)
		return NULL;
	size_t next = partition_point(1, image->by_address_count, i,
				      image->parts[image->by_address[i]].address <= address);
	const struct elf_part *part = &image->parts[image->by_address[next - 1]];

	return address - part->address < part->size ? part : NULL;
}

static void image_describe(const struct elf_part *part, struct elf_section *result)
{
	*result = (struct elf_section){
		.name = part->name,
		.address = part->address,
		.size = part->size,
		.executable = part->flags & SHF_EXECINSTR,
		.writable = part->flags & SHF_WRITE,
		.thread_local_ = part->flags & SHF_TLS,
		.per_cpu = starts_with(part->name, ".data..percpu"),
	};
}

bool elf_image_section_at(const struct elf_image *image, uint64_t address,
			  struct elf_section *result)
{
	const struct elf_part *part = elf_part_at(image, address);

	if (part)
		image_describe(part, result);
	return part;
}

bool elf_image_section_numbered(const struct elf_image *image, size_t number,
				struct elf_section *result)
{
	if (number >= image->by_address_count)
		return false;
	image_describe(&image->parts[image->by_address[number]], result);
	return true;
}

bool elf_image_section_named(const struct elf_image *image, const char *name,
			     struct elf_section *result)
{
	const struct elf_part *part = elf_part_named(image, name);

	if (part)
		image_describe(part, result);
	return part;
}

/* True if `segment` holds `address` and the file has the contents; *available is how many bytes
 * there are from `address` on. Needed for files without section headers. */
static bool segment_holds(const struct elf_image *image, const Elf64_Phdr *segment,
			  uint64_t address, size_t *available)
{
	uint64_t size = segment->p_filesz;

	if (segment->p_type != PT_LOAD || segment->p_offset > image->size)
		return false;
	lower_to(size, image->size - segment->p_offset);
	if (address < segment->p_vaddr || address - segment->p_vaddr >= size)
		return false;
	*available = size - (address - segment->p_vaddr);
	return true;
}

const uint8_t *elf_image_bytes(const struct elf_image *image, uint64_t address, size_t *available)
{
	const struct elf_part *part = elf_part_at(image, address);

	if (part) {
		if (!part->contents)
			return NULL;
		*available = part->size - (address - part->address);
		return part->contents + (address - part->address);
	}
	if (image->part_count)
		return NULL;
	array_each (const Elf64_Phdr, segment, image->segments, image->segment_count) {
		if (segment_holds(image, segment, address, available))
			return image->data + segment->p_offset + (address - segment->p_vaddr);
	}
	return NULL;
}

const uint8_t *elf_image_code(const struct elf_image *image, uint64_t address, size_t *available)
{
	return elf_image_arch(image) ? elf_image_bytes(image, address, available) : NULL;
}

static bool within(uint64_t address, size_t size, uint64_t start, uint64_t length)
{
	return address >= start && size <= length && address - start <= length - size;
}

static bool is_relro(const struct elf_image *image, const struct elf_part *part, uint64_t address,
		     size_t size)
{
	if (image->type == ET_REL)
		return starts_with(part->name, ".data.rel.ro");
	return any_of(i, 0, image->segment_count,
		      image->segments[i].p_type == PT_GNU_RELRO &&
			      within(address, size, image->segments[i].p_vaddr,
				     image->segments[i].p_memsz));
}

/* True if no program changes these bytes, which are all in `part`. The kernel's .rodata is flagged
 * writable because of variables in it that only the kernel's initialization writes
 * (include/asm-generic/vmlinux.lds.h, RO_DATA). */
static bool image_is_constant(const struct elf_image *image, const struct elf_part *part,
			      uint64_t address, size_t size)
{
	uint64_t start = 0, end = 0;

	if (!(part->flags & SHF_WRITE) || is_relro(image, part, address, size))
		return true;
	if (image->type == ET_REL || strcmp(part->name, ".rodata") != 0)
		return false;
	/* the kernel's variables that only its initialization writes */
	return elf_image_symbol_address(image, "__start_ro_after_init", &start) &&
	       elf_image_symbol_address(image, "__end_ro_after_init", &end) && start < end &&
	       (address >= end || address + size <= start);
}

/* Reads a constant that a relocation fills in. It is known if it is an address in this object and
 * the caller asks for all of it. In relocatable files it has been filled in already. */
static bool read_relocated(const struct elf_image *image, uint64_t address, void *buffer,
			   size_t size)
{
	struct elf_relocation relocation;
	const char *name;
	uint64_t target;

	if (image->type == ET_REL) {
		if (!elf_image_relocation_at(image, address, &relocation) || !relocation.defined)
			return false;
		return elf_image_read(image, address, buffer, size, false);
	}
	if (size != sizeof(target) || !elf_image_slot(image, address, &name, &target) || !target)
		return false;
	memcpy(buffer, &target, sizeof(target));
	return true;
}

bool elf_image_read(const struct elf_image *image, uint64_t address, void *buffer, size_t size,
		    bool constant)
{
	const struct elf_part *part;
	size_t available = 0;
	const uint8_t *bytes = elf_image_bytes(image, address, &available);

	if (!bytes || size > available)
		return false;
	if (constant) {
		part = elf_part_at(image, address);
		if (!part || !image_is_constant(image, part, address, size))
			return false;
		if (elf_relocations_touch(image, address, size))
			return read_relocated(image, address, buffer, size);
	}
	memcpy(buffer, bytes, size);
	return true;
}

static bool offset_in_segments(const struct elf_image *image, uint64_t offset, bool executable,
			       uint64_t *address)
{
	/* first the segments as they are, then all of the pages in which they begin and end */
	for (unsigned int rounded = 0; rounded < 2; rounded++) {
		array_each (const Elf64_Phdr, segment, image->segments, image->segment_count) {
			uint64_t before = rounded ? segment->p_offset % PAGE_SIZE : 0;
			uint64_t size = segment->p_filesz;

			if (segment->p_type != PT_LOAD ||
			    ((segment->p_flags & PF_X) != 0) != executable ||
			    before > segment->p_vaddr || size > UINT64_MAX - 2 * PAGE_SIZE)
				continue;
			size += before;
			if (rounded)
				size = round_up(size, PAGE_SIZE);
			if (offset < segment->p_offset - before ||
			    offset - (segment->p_offset - before) >= size)
				continue;
			*address =
				segment->p_vaddr - before + (offset - (segment->p_offset - before));
			return true;
		}
	}
	return false;
}

bool elf_image_offset_to_address(const struct elf_image *image, uint64_t offset, uint64_t *address)
{
	for (size_t i = 1; image->type == ET_REL && i < image->part_count; i++) {
		const struct elf_part *part = &image->parts[i];

		if (!part->contents || !(part->flags & SHF_EXECINSTR) ||
		    offset < (uint64_t)(part->contents - image->data) ||
		    offset - (uint64_t)(part->contents - image->data) >= part->size)
			continue;
		*address = part->address + (offset - (uint64_t)(part->contents - image->data));
		return true;
	}
	return offset_in_segments(image, offset, true, address);
}

bool elf_image_offset_to_data(const struct elf_image *image, uint64_t offset, uint64_t *address)
{
	return offset_in_segments(image, offset, false, address) ||
	       elf_image_offset_to_address(image, offset, address);
}

bool elf_image_has_data(const struct elf_image *image, uint64_t address)
{
	array_each (const Elf64_Phdr, segment, image->segments, image->segment_count) {
		if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_X) &&
		    address - segment->p_vaddr < segment->p_memsz)
			return true;
	}
	return false;
}

bool elf_image_span(const struct elf_image *image, uint64_t address, uint64_t *start, uint64_t *end)
{
	const uint64_t near = UINT64_C(1) << 31;
	bool found = false;

	array_each (const Elf64_Phdr, segment, image->segments, image->segment_count) {
		uint64_t last = segment->p_vaddr + segment->p_memsz;
		uint64_t apart = segment->p_vaddr > address ? segment->p_vaddr - address
							    : address - segment->p_vaddr;

		if (segment->p_type != PT_LOAD || last < segment->p_vaddr || apart >= near)
			continue;
		if (!found || segment->p_vaddr < *start)
			*start = segment->p_vaddr;
		if (!found || last > *end)
			*end = last;
		found = true;
	}
	return found;
}

bool elf_image_code_segment(const struct elf_image *image, uint64_t *address, uint64_t *size)
{
	const Elf64_Phdr *found = NULL;

	array_each (const Elf64_Phdr, segment, image->segments, image->segment_count) {
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || !segment->p_memsz)
			continue;
		if (found || segment->p_memsz > UINT64_MAX - PAGE_SIZE)
			return false;
		found = segment;
	}
	if (!found)
		return false;
	*address = found->p_vaddr / PAGE_SIZE * PAGE_SIZE;
	*size = found->p_memsz + found->p_vaddr % PAGE_SIZE;
	return true;
}

bool elf_image_tls_segment(const struct elf_image *image, uint64_t *size, uint64_t *alignment)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		if (image->segments[i].p_type != PT_TLS)
			continue;
		*size = image->segments[i].p_memsz;
		*alignment = image->segments[i].p_align ?: 1;
		return true;
	}
	return false;
}
