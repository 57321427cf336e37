// SPDX-License-Identifier: GPL-2.0-or-later
/* Objects and their build ids: see objects.h. */
#include "profiler/record/objects.h"

#include <elf.h>
#include <fcntl.h>
#include <perf/event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"
#include "profiler/record/writer.h"

/* ---- build ids ---- */

/* Many times what linkers and kernels make; in bytes, or a number of headers. */
#define NOTES_SIZE_MAX      (1 << 20)
#define NOTES_FILE_MAX      8192
#define PROGRAM_HEADERS_MAX 512
#define VDSO_SIZE_MAX       (64 * 1024)

/* Reads a build id from the notes at an offset of a file. */
static bool notes_at(int fd, uint64_t offset, uint64_t size, struct build_id *id)
{
	if (!size || size > NOTES_SIZE_MAX)
		return false;
	_cleanup_free_ void *notes = xmalloc(size);
	ssize_t length = pread(fd, notes, size, offset);

	return length > 0 && build_id_from_notes(notes, length, id);
}

/*
 * Reads program header `index` of a table at `offset`, of 64 or 32 bits. Returns false if it is cut
 * off.
 */
static bool read_program_header(int fd, bool wide, uint64_t offset, unsigned int index,
				Elf64_Phdr *program)
{
	Elf32_Phdr narrow;

	if (wide)
		return pread(fd, program, sizeof(*program), offset + index * sizeof(*program)) ==
		       sizeof(*program);
	if (pread(fd, &narrow, sizeof(narrow), offset + index * sizeof(narrow)) != sizeof(narrow))
		return false;
	*program = (Elf64_Phdr){ .p_type = narrow.p_type,
				 .p_offset = narrow.p_offset,
				 .p_filesz = narrow.p_filesz };
	return true;
}

bool build_id_of_file(int fd, struct build_id *id)
{
	union {
		uint8_t ident[EI_NIDENT];
		Elf64_Ehdr wide;
		Elf32_Ehdr narrow;
	} header;
	Elf64_Phdr program;
	/* Objects of the other byte order do not run here. */
	const int order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	if (pread(fd, &header, sizeof(header), 0) < (ssize_t)sizeof(header.narrow) ||
	    memcmp(header.ident, ELFMAG, SELFMAG) || header.ident[EI_DATA] != order)
		return false;
	bool wide = header.ident[EI_CLASS] == ELFCLASS64;
	uint64_t offset = wide ? header.wide.e_phoff : header.narrow.e_phoff;
	unsigned int count = wide ? header.wide.e_phnum : header.narrow.e_phnum;

	if (!wide && header.ident[EI_CLASS] != ELFCLASS32)
		return false;
	for (unsigned int i = 0; i < count && i < PROGRAM_HEADERS_MAX; i++) {
		if (!read_program_header(fd, wide, offset, i, &program))
			return false;
		if (program.p_type == PT_NOTE &&
		    notes_at(fd, program.p_offset, program.p_filesz, id))
			return true;
	}
	return false;
}

bool build_id_of_path(const char *path, struct build_id *id)
{
	/* The path of a map may be a device or a fifo, which must not be waited for. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd >= 0 && build_id_of_file(fd, id);
}

/* Reads a build id from a file of notes in sysfs. */
static bool notes_file(struct build_id *id, const char *format, ...)
{
	uint8_t notes[NOTES_FILE_MAX];
	va_list arguments;

	va_start(arguments, format);
	_cleanup_free_ char *path = xvasprintf(format, arguments);
	va_end(arguments);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	return length > 0 && build_id_from_notes(notes, length, id);
}

/* Read the build id of the running kernel, or of one of its modules. */
static bool build_id_of_kernel(const char *root, struct build_id *id)
{
	return notes_file(id, "%s/sys/kernel/notes", root);
}

static bool build_id_of_module(const char *root, const char *name, struct build_id *id)
{
	return notes_file(id, "%s/sys/module/%s/notes/.note.gnu.build-id", root, name);
}

bool build_id_of_vdso(struct build_id *id)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;

	if (!image || memcmp(image, ELFMAG, SELFMAG) || image[EI_CLASS] != ELFCLASS64)
		return false;

	const Elf64_Phdr *programs = (const Elf64_Phdr *)(image + header->e_phoff);

	for (unsigned int i = 0; i < header->e_phnum; i++) {
		if (programs[i].p_type == PT_NOTE &&
		    programs[i].p_offset + programs[i].p_filesz <= VDSO_SIZE_MAX &&
		    build_id_from_notes(image + programs[i].p_offset, programs[i].p_filesz, id))
			return true;
	}
	return false;
}

/* ---- the table ---- */

/* Pads records to a multiple of 8 bytes, which perf since 6.16 needs in streams. */
#define RECORD_PADDING  (8 - sizeof(struct perf_record_header_build_id) % 8)
#define KERNEL_MAP_NAME "[kernel.kallsyms]"

static void rehash(struct object_table *table)
{
	free(table->slots);
	table->slot_count = table->slot_count ? table->slot_count * 2 : 64;
	table->slots = xcalloc(table->slot_count, sizeof(*table->slots));
	for (uint32_t i = 0; i < table->count; i++) {
		const char *name = table->objects[i].name;
		uint32_t slot = hash_bytes(name, strlen(name)) & (table->slot_count - 1);

		while (table->slots[slot])
			slot = (slot + 1) & (table->slot_count - 1);
		table->slots[slot] = i + 1;
	}
}

static struct object *find_or_add(struct object_table *table, const char *name, bool kernel)
{
	if (table->count * 2 >= table->slot_count)
		rehash(table);

	uint32_t slot = hash_bytes(name, strlen(name)) & (table->slot_count - 1);

	for (; table->slots[slot]; slot = (slot + 1) & (table->slot_count - 1)) {
		struct object *object = &table->objects[table->slots[slot] - 1];

		if (strcmp(object->name, name) == 0)
			return object;
	}
	array_reserve(table->objects, table->count, table->capacity);
	table->objects[table->count] = (struct object){ .name = xstrdup(name), .kernel = kernel };
	table->slots[slot] = ++table->count;
	return &table->objects[table->count - 1];
}

void object_table_add(struct object_table *table, const char *name, bool kernel,
		      const struct build_id *id)
{
	/* The name of the kernel's map ends in its reference symbol: "[kernel.kallsyms]_text". */
	bool kernel_map = kernel && strncmp(name, KERNEL_MAP_NAME, strlen(KERNEL_MAP_NAME)) == 0;
	struct object *object = find_or_add(table, kernel_map ? KERNEL_MAP_NAME : name, kernel);

	if (id && id->size)
		object->id = *id;
}

static void read_build_id(struct object *object, const char *root)
{
	if (strcmp(object->name, KERNEL_MAP_NAME) == 0) {
		build_id_of_kernel(root, &object->id);
	} else if (object->kernel) {
		const char *base = strrchr(object->name, '/');
		char *name = xstrdup(base ? base + 1 : object->name + (*object->name == '['));

		name[strcspn(name, ".]")] = '\0';
		for (char *letter = name; *letter; letter++)
			*letter = *letter == '-' ? '_' : *letter;
		build_id_of_module(root, name, &object->id);
		free(name);
	} else if (strcmp(object->name, "[vdso]") == 0) {
		build_id_of_vdso(&object->id);
	} else if (*object->name == '/' && object->name[1] != '/') {
		build_id_of_path(object->name, &object->id);
	}
}

static void put_object(const struct object *object, struct strbuf *content)
{
	static const char zeros[FILE_NAME_ALIGN + 8];
	size_t length = strlen(object->name) + 1;
	size_t padded =
		(length + FILE_NAME_ALIGN - 1) / FILE_NAME_ALIGN * FILE_NAME_ALIGN + RECORD_PADDING;
	struct perf_record_header_build_id record = {
		.header = { .misc = (object->kernel ? PERF_RECORD_MISC_KERNEL
						    : PERF_RECORD_MISC_USER) |
				    PERF_RECORD_MISC_BUILD_ID_SIZE,
			    .size = sizeof(record) + padded },
		.pid = -1,
	};

	memcpy(record.data, object->id.bytes, sizeof(record.data));
	record.size = object->id.size;
	strbuf_add(content, &record, sizeof(record));
	strbuf_add(content, object->name, length);
	strbuf_add(content, zeros, padded - length);
}

void object_table_finish(struct object_table *table, const char *root, struct strbuf *content)
{
	for (uint32_t i = 0; i < table->count; i++) {
		if (!table->objects[i].id.size)
			read_build_id(&table->objects[i], root);
		if (table->objects[i].id.size)
			put_object(&table->objects[i], content);
	}
}

void object_table_deinit(struct object_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		free(table->objects[i].name);
	free(table->objects);
	free(table->slots);
	*table = (struct object_table){ 0 };
}
