// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements print_memory.h. */
#include "profiler/commands/print_memory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>

#include "base/cursor.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"

/* More segments and notes than the cores of real programs have. */
#define SEGMENTS_MAX 65535
#define NOTES_MAX    ((uint64_t)64 << 20)
/* The name of the note of a kernel's memory. */
#define KERNEL_NOTE "VMCOREINFO"
/* The offset of the process number in a note NT_PRPSINFO. */
#define PRPSINFO_PID 24

static struct memory_range *add_memory_range(struct process_memory *memory)
{
	array_add(memory->ranges, memory->count, memory->capacity) = (struct memory_range){ 0 };
	return &memory->ranges[memory->count - 1];
}

void process_memory_close(struct process_memory *memory)
{
	for (size_t i = 0; i < memory->count; i++)
		free(memory->ranges[i].path);
	if (memory->name && memory->file >= 0)
		close(memory->file);
	free_all(memory->ranges, memory->name, memory->program);
	*memory = (struct process_memory){ .file = -1 };
}

/* ---- a process ---- */

/* Adds the mapping of one line of /proc/PID/maps. */
static void add_map(struct process_memory *memory, char *line)
{
	uint64_t start, end, offset, inode;
	int path = 0;

	line[strcspn(line, "\n")] = 0;
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*x:%*x %" SCNu64 " %n", &start,
		   &end, &offset, &inode, &path) < 4)
		return;

	struct memory_range *range = add_memory_range(memory);

	*range = (struct memory_range){ .start = start, .end = end, .offset = offset };
	if (path && line[path] == '/') {
		range->path = xstrdup(line + path);
		range->inode = inode;
	}
}

static struct error *read_maps(struct process_memory *memory, int folder)
{
	_cleanup_close_ int file = openat(folder, "maps", O_RDONLY | O_CLOEXEC);
	FILE *maps = file < 0 ? NULL : fdopen(file, "r");
	_cleanup_free_ char *line = NULL;
	size_t capacity = 0;

	if (!maps)
		return error_errno(errno, "cannot read the mappings of %s", memory->name);
	file = -1;
	while (getline(&line, &capacity, maps) > 0)
		add_map(memory, line);
	return read_file_close(maps, memory->name);
}

/* All is opened in one folder, which stays that of the process if another one gets its number. */
struct error *process_memory_open(pid_t pid, struct process_memory *memory)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d", (int)pid);
	_cleanup_close_ int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char program[PATH_MAX];
	ssize_t length;
	int file = folder < 0 ? -1 : openat(folder, "mem", O_RDONLY | O_CLOEXEC);

	if (file < 0 && (errno == ENOENT || errno == ESRCH))
		return error_create(ERROR_NOT_FOUND,
				    folder < 0 ? "there is no process %d"
					       : "process %d has no memory of its own: it is a "
						 "thread of the kernel, or has ended",
				    (int)pid);
	if (file < 0)
		return error_errno(errno,
				   "the memory of process %d cannot be read (its owner may, or who "
				   "has CAP_SYS_PTRACE; see kernel.yama.ptrace_scope)",
				   (int)pid);
	*memory = (struct process_memory){ .file = file,
					   .pid = pid,
					   .name = xasprintf("process %d", (int)pid) };
	length = readlinkat(folder, "exe", program, sizeof(program) - 1);
	if (length > 0)
		memory->program = xstrndup(program, (size_t)length);
	return read_maps(memory, folder);
}

/* ---- a core file ---- */

/* Adds the files of a note NT_FILE: a count, the page size, start, end and page of each, then the
 * paths (fs/binfmt_elf.c, fill_files_note()). */
static void add_files(struct process_memory *memory, struct cursor note)
{
	uint64_t count = cursor_u64(&note), page = cursor_u64(&note);
	struct cursor paths = note;

	if (count > cursor_left(&note) / 24)
		return;
	cursor_skip(&paths, count * 24);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t start = cursor_u64(&note), end = cursor_u64(&note),
			 offset = cursor_u64(&note);
		const char *path = cursor_string(&paths);

		if (paths.failed || note.failed || !path)
			return;

		struct memory_range *range = add_memory_range(memory);

		*range = (struct memory_range){
			.start = start, .end = end, .offset = offset * page, .path = xstrdup(path)
		};
		/* the program is mapped first */
		if (!memory->program)
			memory->program = xstrdup(path);
	}
}

/* Reads what a kernel says of itself: lines of NAME=VALUE, numbers in hexadecimal
 * (kernel/crash_core.c). */
static void read_kernel_note(struct process_memory *memory, const char *note, size_t size)
{
	_cleanup_free_ char *text = xstrndup(note, size);
	char *rest = text;

	memory->is_kernel = true;
	for (char *line; (line = strsep(&rest, "\n"));) {
		if (starts_with(line, "KERNELOFFSET="))
			memory->moved = strtoull(strchr(line, '=') + 1, NULL, 16);
		if (starts_with(line, "BUILD-ID="))
			build_id_parse(strchr(line, '=') + 1, &memory->build_id);
	}
}

/* Reads the notes of a segment. The segments of a core do not overlap, so all of them together have
 * at most `left` bytes. */
static void read_notes(struct process_memory *memory, const Elf64_Phdr *segment, uint64_t *left)
{
	_cleanup_free_ uint8_t *bytes = NULL;

	if (segment->p_filesz > *left)
		return;
	*left -= segment->p_filesz;
	bytes = xmalloc(segment->p_filesz + 1);
	if (!file_has_at(memory->file, bytes, segment->p_filesz, segment->p_offset))
		return;

	struct cursor notes = cursor_of(bytes, segment->p_filesz, false);

	while (cursor_left(&notes) >= sizeof(Elf64_Nhdr)) {
		uint32_t name = cursor_u32(&notes), size = cursor_u32(&notes),
			 type = cursor_u32(&notes);
		const char *words = cursor_bytes(&notes, ((size_t)name + 3) & ~(size_t)3);
		const void *content = cursor_bytes(&notes, size);

		if (notes.failed)
			return;
		if (name == sizeof(KERNEL_NOTE) && !memcmp(words, KERNEL_NOTE, name))
			read_kernel_note(memory, content, size);
		if (type == NT_FILE)
			add_files(memory, cursor_of(content, size, false));
		/* struct elf_prpsinfo of 64-bit machines (linux/elfcore.h): pr_pid after two
		 * ids, the flags and four characters */
		if (type == NT_PRPSINFO && size >= PRPSINFO_PID + sizeof(memory->pid))
			memcpy(&memory->pid, (const uint8_t *)content + PRPSINFO_PID,
			       sizeof(memory->pid));
		cursor_skip(&notes, -size & 3);
	}
}

static struct error *read_segments(struct process_memory *memory, const char *path, uint64_t size)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	uint64_t notes_left = size < NOTES_MAX ? size : NOTES_MAX;

	if (!file_has_at(memory->file, &header, sizeof(header), 0) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_CORE ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    header.e_phentsize != sizeof(segment))
		return error_create(ERROR_FORMAT, "%s is no core file of a 64-bit program", path);
	for (size_t i = 0; i < header.e_phnum && i < SEGMENTS_MAX; i++) {
		if (!file_has_at(memory->file, &segment, sizeof(segment),
				 header.e_phoff + i * sizeof(segment)))
			return error_create(ERROR_FORMAT, "%s: its list of segments is cut off",
					    path);
		if (segment.p_type == PT_NOTE)
			read_notes(memory, &segment, &notes_left);
		if (segment.p_type != PT_LOAD || segment.p_vaddr > UINT64_MAX - segment.p_filesz)
			continue;
		*add_memory_range(memory) =
			(struct memory_range){ .start = segment.p_vaddr,
					       .end = segment.p_vaddr + segment.p_filesz,
					       .at = segment.p_offset,
					       .has_bytes = true };
	}
	/* /proc/kcore says who reads it */
	if (memory->is_kernel)
		memory->pid = 0;
	return NULL;
}

/* Files before the bytes of a core at the same address. */
COMPARISON(compare_ranges_of_memory, struct memory_range, ASCENDING(start) ASCENDING(has_bytes))

struct error *process_memory_open_core(const char *path, struct process_memory *memory)
{
	struct stat status;
	int file;

	RETURN_ERROR(ordinary_file_open(path, &file, &status));
	*memory = (struct process_memory){ .file = file,
					   .is_core = true,
					   .size = (uint64_t)status.st_size,
					   .name = xstrdup(path) };
	RETURN_ERROR(read_segments(memory, path, (uint64_t)status.st_size));
	array_sort(memory->ranges, memory->count, compare_ranges_of_memory);
	return NULL;
}

/* ---- reading ---- */

/* Segments that may nest, and be passed over in a search: those of real cores do not. */
#define NESTED_MAX 64

/* Reads bytes of a core up to the end of a segment. */
static size_t read_segment(const struct process_memory *memory, uint64_t address, void *buffer,
			   size_t size)
{
	size_t next = partition_point(0, memory->count, i, memory->ranges[i].start <= address);

	for (size_t tries = 0; next && tries < NESTED_MAX; tries++) {
		const struct memory_range *range = &memory->ranges[--next];

		if (!range->has_bytes || address >= range->end)
			continue;
		lower_to(size, range->end - address);

		return file_read_at(memory->file, buffer, size,
				    range->at + (address - range->start));
	}
	return 0;
}

const struct memory_range *process_memory_file_at(const struct process_memory *memory,
						  uint64_t address)
{
	size_t next = partition_point(0, memory->count, i, memory->ranges[i].start <= address);
	bool inside = false;

	for (size_t tries = 0; next && tries < NESTED_MAX; tries++) {
		const struct memory_range *range = &memory->ranges[--next];

		inside |= address < range->end;
		if (inside && range->path)
			return range;
	}
	return NULL;
}

size_t process_memory_read(const struct process_memory *memory, uint64_t address, void *buffer,
			   size_t size)
{
	size_t done = 0, length = 1;

	while (length && done < size &&
	       address <= (memory->is_core ? UINT64_MAX : INT64_MAX) - size) {
		char *to = (char *)buffer + done;

		length = memory->is_core
				 ? read_segment(memory, address + done, to, size - done)
				 : file_read_at(memory->file, to, size - done, address + done);
		done += length;
	}
	return done;
}
