// SPDX-License-Identifier: GPL-2.0-or-later
/* Ring buffers of the kernel, and the records in them: see ring.h. */
#include "profiler/record/ring.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/record/bpf_keep.h"
#include "profiler/record/held.h"
#include "profiler/record/writer.h"

/* ---- rings ---- */

struct error *ring_open(int fd, unsigned int pages, bool overwrite, struct ring *ring)
{
	size_t page_size = sysconf(_SC_PAGESIZE);
	size_t length = (pages + 1) * page_size;
	/* The kernel may overwrite a ring that is mapped without PROT_WRITE. */
	void *memory = mmap(NULL, length, overwrite ? PROT_READ : PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return error_errno(errno, "cannot map a ring buffer of %u pages", pages);
	*ring = (struct ring){
		.fd = fd, .cpu = -1, .tid = -1, .page = memory, .overwrite = overwrite
	};
	ring->data = (uint8_t *)memory + page_size;
	ring->size = pages * page_size;
	return NULL;
}

struct error *ring_open_aux(struct ring *ring, unsigned int pages)
{
	size_t size = pages * (size_t)sysconf(_SC_PAGESIZE);

	/* The kernel takes the place of the area from the header: behind the records. */
	ring->page->aux_offset = ring->size + sysconf(_SC_PAGESIZE);
	ring->page->aux_size = size;

	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
			    ring->page->aux_offset);

	if (memory == MAP_FAILED)
		return error_errno(errno, "cannot map an AUX area of %u pages", pages);
	ring->aux = memory;
	ring->aux_size = size;
	return NULL;
}

void ring_close(struct ring *ring)
{
	if (ring->aux)
		munmap(ring->aux, ring->aux_size);
	ring->aux = NULL;
	if (ring->page)
		munmap(ring->page, ring->size + sysconf(_SC_PAGESIZE));
	ring->page = NULL;
}

struct error *ring_pause(struct ring *ring, bool pause)
{
	return ioctl(ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pause)
		       ? error_errno(errno, "cannot pause a ring buffer")
		       : NULL;
}

static struct ring_span span_of(const uint8_t *data, uint64_t size, uint64_t start, uint64_t end)
{
	uint64_t offset = start & (size - 1), length = end - start;
	uint64_t first = length < size - offset ? length : size - offset;

	return (struct ring_span){ { data + offset, data }, { first, length - first }, end };
}

/* Finds the records of a ring that is written backward. The newest record is at the head. Older
 * ones follow, up to one overwritten in part, or room never written. */
static bool peek_backward(struct ring *ring, struct ring_span *span, uint64_t head)
{
	uint64_t end = head, mask = ring->size - 1;
	/* Records that were taken before begin at the old head. */
	uint64_t limit = ring->tail - head < ring->size ? ring->tail - head : ring->size;

	while (end - head < limit) {
		const struct perf_event_header *header = (const void *)(ring->data + (end & mask));

		if (!header->size || header->size > limit - (end - head) ||
		    header->size < sizeof(*header) || (header->size & 7))
			break;
		end += header->size;
	}
	*span = span_of(ring->data, ring->size, head, end);
	span->end = head;
	return end != head;
}

bool ring_peek(struct ring *ring, struct ring_span *span)
{
	/* Pairs with the kernel's barrier between writing the data and data_head. */
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

	if (head == ring->tail)
		return false;
	if (ring->overwrite)
		return peek_backward(ring, span, head);
	*span = span_of(ring->data, ring->size, ring->tail, head);
	return true;
}

void ring_consume(struct ring *ring, const struct ring_span *span)
{
	ring->tail = span->end;
	/* All reads of the data must be done before the kernel may write there again. */
	if (!ring->overwrite)
		__atomic_store_n(&ring->page->data_tail, span->end, __ATOMIC_RELEASE);
}

bool ring_peek_aux(const struct ring *ring, struct ring_span *span)
{
	/* Pairs with the kernel's barrier between writing the data and aux_head. */
	uint64_t head = ring->aux ? __atomic_load_n(&ring->page->aux_head, __ATOMIC_ACQUIRE)
				  : ring->aux_tail;

	if (head == ring->aux_tail)
		return false;
	*span = span_of(ring->aux, ring->aux_size, ring->aux_tail, head);
	return true;
}

void ring_consume_aux(struct ring *ring, const struct ring_span *span)
{
	ring->aux_tail = span->end;
	__atomic_store_n(&ring->page->aux_tail, span->end, __ATOMIC_RELEASE);
}

/* ---- the records in a span ---- */

/* Copies bytes of a span. A record may wrap, but never a word of it. */
static void copy_bytes(const struct ring_span *span, size_t offset, void *to, size_t size)
{
	uint8_t *bytes = to;

	if (offset < span->size[0]) {
		size_t first = size < span->size[0] - offset ? size : span->size[0] - offset;

		memcpy(bytes, span->data[0] + offset, first);
		bytes += first;
		size -= first;
		offset += first;
	}
	if (size)
		memcpy(bytes, span->data[1] + (offset - span->size[0]), size);
}

static uint64_t word_at(const struct ring_span *span, size_t offset)
{
	uint64_t word;

	copy_bytes(span, offset, &word, sizeof(word));
	return word;
}

static void scan_sample(struct record_scan *scan, const struct ring_span *span, size_t offset,
			size_t size)
{
	scan->samples++;
	if (scan->sample_time_offset + sizeof(uint64_t) > size)
		return;

	uint64_t time = word_at(span, offset + scan->sample_time_offset);

	if (!scan->first_time || time < scan->first_time)
		scan->first_time = time;
	raise_to(scan->last_time, time);
}

/* Adds the object of an executable map; samples are in no other. */
static void scan_map(struct record_scan *scan, const struct ring_span *span, size_t offset,
		     size_t size)
{
	union {
		struct perf_event_header header;
		struct perf_record_mmap map;
		struct perf_record_mmap2 map2;
	} record;

	if (size > sizeof(record))
		return;
	memset((uint8_t *)&record + size - 8, 0, sizeof(record) - size + 8);
	copy_bytes(span, offset, &record, size);
	((uint8_t *)&record)[sizeof(record) - 1] = '\0';

	bool kernel =
		(record.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;

	if (record.header.misc & PERF_RECORD_MISC_MMAP_DATA)
		return;
	if (record.header.type == PERF_RECORD_MMAP) {
		object_table_add(&scan->objects, record.map.filename, kernel, NULL);
		return;
	}

	struct build_id id = { 0 };

	if (record.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		id.size = record.map2.build_id_size <= sizeof(id.bytes) ? record.map2.build_id_size
									: 0;
		memcpy(id.bytes, record.map2.build_id, sizeof(id.bytes));
	}
	if (scan->held && !kernel) {
		struct mapped_file file = { .pid = (pid_t)record.map2.pid,
					    .start = record.map2.start,
					    .end = record.map2.start + record.map2.len,
					    .path = record.map2.filename,
					    .inode = id.size ? 0 : record.map2.ino,
					    .id = id };

		held_files_add(scan->held, &file);
		id = file.id;
	}
	object_table_add(&scan->objects, record.map2.filename, kernel, &id);
}

bool ring_has_new_code(struct ring *ring)
{
	uint64_t from = ring->seen > ring->tail ? ring->seen : ring->tail;
	struct perf_event_header header;
	struct ring_span span;
	bool found = false;

	if (ring->overwrite)
		return false;
	ring->seen = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	span = span_of(ring->data, ring->size, from, ring->seen);
	for (uint64_t at = 0; !found && at < ring->seen - from; at += header.size) {
		copy_bytes(&span, at, &header, sizeof(header));
		if (header.size < sizeof(header))
			break;
		found = ((header.type == PERF_RECORD_MMAP || header.type == PERF_RECORD_MMAP2) &&
			 !(header.misc & PERF_RECORD_MISC_MMAP_DATA)) ||
			header.type == PERF_RECORD_BPF_EVENT;
	}
	return found;
}

/* Keeps a BPF program that is loaded: it may be gone at the end. */
static void scan_bpf(struct record_scan *scan, const struct ring_span *span, size_t offset,
		     size_t size)
{
	struct perf_record_bpf_event record;

	if (!scan->bpf || size < offsetof(struct perf_record_bpf_event, tag))
		return;
	copy_bytes(span, offset, &record, offsetof(struct perf_record_bpf_event, tag));
	if (record.type == PERF_BPF_EVENT_PROG_LOAD)
		bpf_keep_add(scan->bpf, record.id);
}

void record_scan_span(struct record_scan *scan, const struct ring_span *span)
{
	size_t total = span->size[0] + span->size[1];
	struct perf_event_header header;

	for (size_t offset = 0; offset + sizeof(header) <= total; offset += header.size) {
		copy_bytes(span, offset, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > total - offset)
			return; /* no kernel writes this; readers of the file will judge it */
		switch (header.type) {
		case PERF_RECORD_SAMPLE: scan_sample(scan, span, offset, header.size); break;
		case PERF_RECORD_MMAP:
		case PERF_RECORD_MMAP2: scan_map(scan, span, offset, header.size); break;
		case PERF_RECORD_LOST: /* header, id, lost */
			scan->lost_records += header.size >= 24 ? word_at(span, offset + 16) : 0;
			break;
		case PERF_RECORD_LOST_SAMPLES: /* header, lost */
			scan->lost_samples += header.size >= 16 ? word_at(span, offset + 8) : 0;
			break;
		case PERF_RECORD_BPF_EVENT: scan_bpf(scan, span, offset, header.size); break;
		case PERF_RECORD_THROTTLE: scan->throttles++; break;
		default: break;
		}
	}
}

size_t record_scan_cut(const struct ring_span *span, size_t offset, size_t size, uint64_t *samples)
{
	size_t total = span->size[0] + span->size[1], start = offset;
	struct perf_event_header header;

	*samples = 0;
	while (offset + sizeof(header) <= total && offset - start < size) {
		copy_bytes(span, offset, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > total - offset)
			return total;
		*samples += header.type == PERF_RECORD_SAMPLE;
		offset += header.size;
	}
	return offset + sizeof(header) <= total ? offset : total;
}

void record_scan_buffer(struct record_scan *scan, const void *records, size_t size)
{
	struct ring_span span = { .data = { records, records }, .size = { size, 0 } };

	record_scan_span(scan, &span);
}

/* ---- objects ---- */

/* ---- build ids ---- */

/* Limits in bytes, or in headers: many times what linkers and kernels produce. */
#define NOTES_SIZE_MAX      (1 << 20)
#define NOTES_FILE_MAX      8192
#define PROGRAM_HEADERS_MAX 512
#define SECTION_HEADERS_MAX 512
#define VDSO_SIZE_MAX       (64 * 1024)

/* Reads a build id from the notes at an offset of a file. */
static bool notes_at(int fd, uint64_t offset, uint64_t size, struct build_id *id)
{
	if (!size || size > NOTES_SIZE_MAX)
		return false;
	_cleanup_free_ void *notes = xmalloc(size);
	size_t length = file_read_at(fd, notes, size, offset);

	return length && build_id_from_notes(notes, length, id);
}

/* Reads program header `index` of a table at `offset`, of 64 or 32 bits. False if it is cut off. */
static bool read_program_header(int fd, bool wide, uint64_t offset, unsigned int index,
				Elf64_Phdr *program)
{
	Elf32_Phdr narrow;

	if (wide)
		return file_has_at(fd, program, sizeof(*program),
				   offset + index * sizeof(*program));
	if (!file_has_at(fd, &narrow, sizeof(narrow), offset + index * sizeof(narrow)))
		return false;
	*program = (Elf64_Phdr){ .p_type = narrow.p_type,
				 .p_flags = narrow.p_flags,
				 .p_offset = narrow.p_offset,
				 .p_vaddr = narrow.p_vaddr,
				 .p_filesz = narrow.p_filesz,
				 .p_memsz = narrow.p_memsz };
	return true;
}

/* The program headers of an ELF file. */
struct program_headers {
	bool wide; /* 64 bits */
	uint64_t offset;
	unsigned int count;
};

/* Finds the program headers. Returns false if the file is none that runs here. */
static bool find_program_headers(int fd, struct program_headers *headers)
{
	union {
		uint8_t ident[EI_NIDENT];
		Elf64_Ehdr wide;
		Elf32_Ehdr narrow;
	} header;
	/* Objects of the other byte order do not run here. */
	const int order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	size_t length = file_read_at(fd, &header, sizeof(header), 0);

	if (length < sizeof(header.narrow) || memcmp(header.ident, ELFMAG, SELFMAG) ||
	    header.ident[EI_DATA] != order)
		return false;
	headers->wide = header.ident[EI_CLASS] == ELFCLASS64;
	if (headers->wide && length < sizeof(header.wide))
		return false;
	headers->offset = headers->wide ? header.wide.e_phoff : header.narrow.e_phoff;
	headers->count = headers->wide ? header.wide.e_phnum : header.narrow.e_phnum;
	lower_to(headers->count, PROGRAM_HEADERS_MAX);
	return headers->wide || header.ident[EI_CLASS] == ELFCLASS32;
}

/* Reads a build id from the sections with notes of a file of 64 bits. Go 1.27's linker writes one
 * outside of all segments of notes, where the kernel does not find it either. */
static bool build_id_in_sections(int fd, struct build_id *id)
{
	Elf64_Ehdr header;
	Elf64_Shdr section;

	if (!file_has_at(fd, &header, sizeof(header), 0) || header.e_shentsize != sizeof(section))
		return false;
	for (unsigned int i = 0; i < header.e_shnum && i < SECTION_HEADERS_MAX; i++) {
		if (!file_has_at(fd, &section, sizeof(section),
				 header.e_shoff + i * sizeof(section)))
			return false;
		if (section.sh_type == SHT_NOTE &&
		    notes_at(fd, section.sh_offset, section.sh_size, id))
			return true;
	}
	return false;
}

bool build_id_of_file(int fd, struct build_id *id)
{
	struct program_headers headers;
	Elf64_Phdr program;

	if (!find_program_headers(fd, &headers))
		return false;
	for (unsigned int i = 0; i < headers.count; i++) {
		if (!read_program_header(fd, headers.wide, headers.offset, i, &program))
			return false;
		if (program.p_type == PT_NOTE &&
		    notes_at(fd, program.p_offset, program.p_filesz, id))
			return true;
	}
	return headers.wide && build_id_in_sections(fd, id);
}

bool code_offset_of_file(int fd, uint64_t start, uint64_t offset, uint64_t address,
			 uint64_t *result)
{
	uint64_t page = sysconf(_SC_PAGESIZE), bias = 0;
	struct program_headers headers;
	Elf64_Phdr program;
	bool placed = false;

	if (!find_program_headers(fd, &headers))
		return false;
	/* the first round finds where the file is mapped, the second the segment of the address */
	for (unsigned int i = 0; i < 2 * headers.count; i++) {
		unsigned int number = i < headers.count ? i : i - headers.count;

		if (!read_program_header(fd, headers.wide, headers.offset, number, &program) ||
		    (i >= headers.count && !placed))
			return false;
		uint64_t first = program.p_offset & -page, low = program.p_vaddr & -page;

		if (program.p_type != PT_LOAD)
			continue;
		if (i < headers.count) {
			if (!placed && offset >= first &&
			    offset < program.p_offset + program.p_filesz) {
				bias = start - (low + (offset - first));
				placed = true;
			}
		} else if (program.p_flags & PF_X && address - bias >= low &&
			   address - bias < program.p_vaddr + program.p_filesz) {
			*result = first + (address - bias - low);
			return true;
		}
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
	VARIADIC_TEXT(path, format);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	return length > 0 && build_id_from_notes(notes, length, id);
}

bool build_id_of_vdso(struct build_id *id)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;

	if (!image || memcmp(image, ELFMAG, SELFMAG) || image[EI_CLASS] != ELFCLASS64)
		return false;

	const Elf64_Phdr *programs = (const Elf64_Phdr *)(image + header->e_phoff);

	return any_of(i, 0, header->e_phnum,
		      programs[i].p_type == PT_NOTE &&
			      programs[i].p_offset + programs[i].p_filesz <= VDSO_SIZE_MAX &&
			      build_id_from_notes(image + programs[i].p_offset,
						  programs[i].p_filesz, id));
}

/* ---- the table ---- */

/* Pads records to a multiple of 8 bytes, which perf since 6.16 needs in streams. */
#define RECORD_PADDING  (8 - sizeof(struct perf_record_header_build_id) % 8)
#define KERNEL_MAP_NAME "[kernel.kallsyms]"

static struct object *find_or_add(struct object_table *table, const char *name, bool kernel)
{
	uint64_t hash = hash_bytes(name, strlen(name));

	hash_index_each (i, &table->index, hash)
		if (strcmp(table->objects[i].name, name) == 0)
			return &table->objects[i];
	hash_index_add(&table->index, hash, table->count);
	array_reserve(table->objects, table->count, table->capacity);
	table->objects[table->count] = (struct object){ .name = xstrdup(name), .kernel = kernel };
	return &table->objects[table->count++];
}

void object_table_add(struct object_table *table, const char *name, bool kernel,
		      const struct build_id *id)
{
	/* The name of the kernel's map ends in its reference symbol: "[kernel.kallsyms]_text". */
	bool kernel_map = kernel && starts_with(name, KERNEL_MAP_NAME);
	struct object *object = find_or_add(table, kernel_map ? KERNEL_MAP_NAME : name, kernel);

	if (id && id->size)
		object->id = *id;
}

static void read_build_id(struct object *object, const char *root)
{
	if (strcmp(object->name, KERNEL_MAP_NAME) == 0) {
		notes_file(&object->id, "%s/sys/kernel/notes", root);
	} else if (object->kernel) {
		const char *base = strrchr(object->name, '/');
		char *name = xstrdup(base ? base + 1 : object->name + (*object->name == '['));

		name[strcspn(name, ".]")] = '\0';
		for (char *letter = name; *letter; letter++)
			*letter = *letter == '-' ? '_' : *letter;
		notes_file(&object->id, "%s/sys/module/%s/notes/.note.gnu.build-id", root, name);
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
	size_t padded = round_up(length, FILE_NAME_ALIGN) + RECORD_PADDING;
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
	hash_index_deinit(&table->index);
	*table = (struct object_table){ 0 };
}
