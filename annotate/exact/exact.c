// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads .dtprof.exact: parts of functions, and the instructions of each. */
#include "annotate/exact/exact.h"

#include "annotate/exact/names.h"
#include "base/cursor.h"
#include "base/memory.h"

#define FORMAT_VERSION 1
/* An instruction has no more operands in memory, with all that an asm statement lists. */
#define OPERANDS_MAX 64

enum operand_flag { OPERAND_STORE = 1, OPERAND_FLAG_BITS = 2 };

/* The records of a part of a function. */
struct exact_piece {
	uint64_t low; /* the end of its first instruction that is listed */
	struct cursor records;
};

struct exact {
	struct exact_piece *pieces; /* by address */
	size_t count, capacity;
	const char *paths; /* strings; the last byte is a NUL */
	size_t paths_size;
};

/* The instructions of one piece. */
struct exact_part {
	const struct exact_piece *piece;
	struct exact_insn {
		uint64_t end;
		size_t first, count; /* in operands */
	} * insns;
	size_t count, capacity;
	struct exact_operand *operands;
	size_t operand_count, operand_capacity;
};

COMPARISON(compare_pieces, struct exact_piece, ASCENDING(low))

/* Adds the next piece of the section. False: it is damaged, or of another version. */
static bool read_header(struct exact *exact, struct cursor *section)
{
	uint32_t size = cursor_u32(section);
	struct cursor piece;

	if (section->failed || size > cursor_left(section))
		return false;
	piece = cursor_of(cursor_bytes(section, size), size, false);
	if (cursor_u8(&piece) != FORMAT_VERSION)
		return false;
	uint8_t width = cursor_u8(&piece);
	uint64_t low = cursor_word(&piece, width);

	if (piece.failed)
		return false;
	if (!low)
		return true; /* the linker left the code out */
	array_add(exact->pieces, exact->count, exact->capacity) =
		(struct exact_piece){ low, piece };
	return true;
}

static const uint8_t *contents(const struct elf_image *image, const char *name, size_t *size)
{
	const struct elf_image *other = elf_image_symbol_file(image);
	const uint8_t *bytes = elf_image_contents(image, name, size);

	return bytes || !other ? bytes : elf_image_contents(other, name, size);
}

struct exact *exact_open(const struct elf_image *image)
{
	size_t size, paths_size;
	const uint8_t *bytes = contents(image, EXACT_SECTION, &size),
		      *paths = bytes ? contents(image, EXACT_PATHS, &paths_size) : NULL;
	struct exact *exact;

	if (!paths || !paths_size || paths[paths_size - 1])
		return NULL;
	exact = xcalloc(1, sizeof(*exact));
	exact->paths = (const char *)paths;
	exact->paths_size = paths_size;

	struct cursor section = cursor_of(bytes, size, false);

	while (cursor_left(&section) && read_header(exact, &section))
		;
	array_sort(exact->pieces, exact->count, compare_pieces);
	return exact;
}

void exact_close(struct exact *exact)
{
	if (exact)
		free(exact->pieces);
	free(exact);
}

/* Reads the operands of an instruction. False: the piece is damaged. */
static bool read_operands(const struct exact *exact, const uint32_t *paths, uint64_t path_count,
			  struct cursor *records, struct exact_part *part)
{
	uint64_t count = cursor_uleb(records);

	if (count > OPERANDS_MAX)
		return false;
	for (; count && !records->failed; count--) {
		uint64_t token = cursor_uleb(records), size = cursor_uleb(records),
			 path = token >> OPERAND_FLAG_BITS;

		if (path >= path_count || paths[path] >= exact->paths_size || size > UINT16_MAX)
			return false;
		array_add(part->operands, part->operand_count, part->operand_capacity) =
			(struct exact_operand){ .path = exact->paths + paths[path],
						.size = (uint32_t)size,
						.store = token & OPERAND_STORE };
	}
	return !records->failed;
}

/* Reads the instructions of a piece, up to the first that is damaged. */
static void read_piece(const struct exact *exact, const struct exact_piece *piece,
		       struct exact_part *part)
{
	struct cursor records = piece->records;
	uint64_t path_count = cursor_uleb(&records), at = piece->low;
	_cleanup_free_ uint32_t *paths = NULL;

	part->piece = piece;
	part->count = part->operand_count = 0;
	if (path_count > cursor_left(&records) / sizeof(*paths))
		return;
	paths = xcalloc(path_count + 1, sizeof(*paths));
	for (size_t i = 0; i < path_count; i++)
		paths[i] = cursor_u32(&records);
	while (cursor_left(&records)) {
		size_t first = part->operand_count;

		at += cursor_uleb(&records);
		if (!read_operands(exact, paths, path_count, &records, part))
			return;
		array_add(part->insns, part->count, part->capacity) =
			(struct exact_insn){ at, first, part->operand_count - first };
	}
}

void exact_reader_init(struct exact_reader *reader, const struct exact *exact,
		       struct debug_reader *debug)
{
	*reader = (struct exact_reader){ .exact = exact };
	if (!exact)
		return;
	reader->part = xcalloc(1, sizeof(*reader->part));
	reader->names = exact_names_create(debug);
}

void exact_reader_deinit(struct exact_reader *reader)
{
	if (!reader->part)
		return;
	free_all(reader->part->insns, reader->part->operands, reader->part);
	exact_names_destroy(reader->names);
}

const struct exact_operand *exact_operands(struct exact_reader *reader, uint64_t end, size_t *count)
{
	const struct exact *exact = reader->exact;
	struct exact_part *part = reader->part;
	size_t next;

	*count = 0;
	if (!exact)
		return NULL;
	next = partition_point(0, exact->count, i, exact->pieces[i].low <= end);
	if (!next)
		return NULL;
	if (part->piece != &exact->pieces[next - 1])
		read_piece(exact, &exact->pieces[next - 1], part);
	next = partition_point(0, part->count, i, part->insns[i].end < end);
	if (next == part->count || part->insns[next].end != end)
		return NULL;
	*count = part->insns[next].count;
	return *count ? part->operands + part->insns[next].first : NULL;
}
