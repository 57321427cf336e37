// SPDX-License-Identifier: GPL-2.0-or-later
/* Build ids: see build_id.h. */
#include "profiler/record/build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "profiler/base/memory.h"

#define MAX_NOTES_SIZE      (1 << 20)
#define MAX_PROGRAM_HEADERS 512
#define MAX_VDSO_SIZE       (64 * 1024)

static bool notes_at(int fd, uint64_t offset, uint64_t size, struct build_id *id)
{
	if (!size || size > MAX_NOTES_SIZE)
		return false;
	_cleanup_free_ void *notes = xmalloc(size);
	ssize_t length = pread(fd, notes, size, offset);

	return length > 0 && build_id_from_notes(notes, length, id);
}

static bool search_headers_64(int fd, const Elf64_Ehdr *header, struct build_id *id)
{
	for (unsigned int i = 0; i < header->e_phnum && i < MAX_PROGRAM_HEADERS; i++) {
		Elf64_Phdr program;

		if (pread(fd, &program, sizeof(program), header->e_phoff + i * sizeof(program)) !=
		    sizeof(program))
			return false;
		if (program.p_type == PT_NOTE && notes_at(fd, program.p_offset, program.p_filesz, id))
			return true;
	}
	return false;
}

static bool search_headers_32(int fd, const Elf32_Ehdr *header, struct build_id *id)
{
	for (unsigned int i = 0; i < header->e_phnum && i < MAX_PROGRAM_HEADERS; i++) {
		Elf32_Phdr program;

		if (pread(fd, &program, sizeof(program), header->e_phoff + i * sizeof(program)) !=
		    sizeof(program))
			return false;
		if (program.p_type == PT_NOTE && notes_at(fd, program.p_offset, program.p_filesz, id))
			return true;
	}
	return false;
}

bool build_id_of_file(int fd, struct build_id *id)
{
	union {
		uint8_t ident[EI_NIDENT];
		Elf64_Ehdr wide;
		Elf32_Ehdr narrow;
	} header;
	/* Objects of another byte order do not run here. */
	const int order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	if (pread(fd, &header, sizeof(header), 0) < (ssize_t)sizeof(header.narrow) ||
	    memcmp(header.ident, ELFMAG, SELFMAG) || header.ident[EI_DATA] != order)
		return false;
	if (header.ident[EI_CLASS] == ELFCLASS64)
		return search_headers_64(fd, &header.wide, id);
	return header.ident[EI_CLASS] == ELFCLASS32 && search_headers_32(fd, &header.narrow, id);
}

bool build_id_of_path(const char *path, struct build_id *id)
{
	/* A map may name a device or a fifo: do not wait for it. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd >= 0 && build_id_of_file(fd, id);
}

static bool notes_file(struct build_id *id, const char *format, ...)
{
	uint8_t notes[8192];
	va_list arguments;

	va_start(arguments, format);
	_cleanup_free_ char *path = xvasprintf(format, arguments);
	va_end(arguments);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	return length > 0 && build_id_from_notes(notes, length, id);
}

bool build_id_of_kernel(const char *root, struct build_id *id)
{
	return notes_file(id, "%s/sys/kernel/notes", root);
}

bool build_id_of_module(const char *root, const char *name, struct build_id *id)
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
		    programs[i].p_offset + programs[i].p_filesz <= MAX_VDSO_SIZE &&
		    build_id_from_notes(image + programs[i].p_offset, programs[i].p_filesz, id))
			return true;
	}
	return false;
}
