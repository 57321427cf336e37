/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/btf_file.h"

#include <linux/btf.h>
#include <stdlib.h>

#include "dwarf/btf_digest.h"
#include "dwarf/btf_kind.h"
#include "profiler/base/memory.h"

#define HEADER_SIZE 24 /* version 1; longer ones have more behind it */

struct btf_file {
	const struct btf_file *base;
	struct btf_file *digest; /* of the base, or NULL; it is never asked for types */
	uint32_t *digest_ids;    /* by id in the digest: the base's id, or BTF_NOWHERE */
	uint32_t first;          /* own ids begin here */
	uint32_t raw_first;      /* as the file counts them */
	uint32_t count;          /* own types */
	uint32_t *offsets;       /* by own type: where its record is in `types` */
	struct cursor types;
	const char *strings; /* end in a NUL */
	uint32_t strings_size;
	uint32_t strings_first; /* offset of the first: what the base has comes before */
	const struct btf_file *strings_base;
	uint32_t capacity;
};

static struct error *bad(const char *name, const char *what, size_t offset)
{
	return error_create(ERROR_FORMAT, "%s: bad BTF at offset %zu: %s", name, offset, what);
}

/* Bytes of a record after its common part; false: a kind that nobody knows, so that what follows cannot be
 * found. */
static bool rest_size(unsigned int kind, uint32_t count, size_t *size)
{
	switch (kind) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case KIND_DECL_TAG: *size = 4; return true;
	case BTF_KIND_ARRAY: *size = 12; return true;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case KIND_ENUM64: *size = (size_t)count * 12; return true;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO: *size = (size_t)count * 8; return true;
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case KIND_FLOAT:
	case KIND_TYPE_TAG: *size = 0; return true;
	}
	return false;
}

static struct error *find_types(struct btf_file *file, const char *name)
{
	struct cursor cursor = file->types;

	while (cursor_left(&cursor)) {
		uint32_t offset = (uint32_t)cursor.position;
		size_t size = 0;

		cursor_u32(&cursor);
		uint32_t info = cursor_u32(&cursor);

		cursor_u32(&cursor);
		if (!cursor.failed && !rest_size(BTF_INFO_KIND(info), BTF_INFO_VLEN(info), &size))
			return error_create(
				ERROR_UNSUPPORTED,
				"%s: BTF of kind %u (at offset %u of its types), which is newer than this "
				"program",
				name, (unsigned int)BTF_INFO_KIND(info), offset);
		cursor_skip(&cursor, size);
		if (cursor.failed)
			return bad(name, "a type is cut off", offset);
		array_reserve(file->offsets, file->count, file->capacity);
		file->offsets[file->count++] = offset;
	}
	if (file->first > BTF_NOWHERE - 1 - file->count)
		return bad(name, "too many types", 0);
	return NULL;
}

/* The byte order is that of the magic number. */
static struct error *read_header(struct btf_file *file, struct btf_bytes bytes, const char *name)
{
	struct cursor cursor = cursor_of(bytes.data, bytes.size, false);
	uint16_t magic = cursor_u16(&cursor);

	if (cursor.failed || (magic != BTF_MAGIC && magic != __builtin_bswap16(BTF_MAGIC)))
		return error_create(ERROR_FORMAT, "%s is no BTF", name);
	cursor.swap = magic != BTF_MAGIC;
	if (cursor_u8(&cursor) != BTF_VERSION)
		return error_create(ERROR_UNSUPPORTED, "%s: BTF of another version than 1", name);
	cursor_u8(&cursor); /* flags: none are known */

	uint32_t length = cursor_u32(&cursor);
	uint32_t types = cursor_u32(&cursor), types_size = cursor_u32(&cursor);
	uint32_t strings = cursor_u32(&cursor), strings_size = cursor_u32(&cursor);

	if (cursor.failed || length < HEADER_SIZE)
		return bad(name, "its header is cut off", 0);
	cursor.position = 0;
	cursor_skip(&cursor, length);

	struct cursor at_types = cursor, at_strings = cursor;

	cursor_skip(&at_types, types);
	cursor_skip(&at_strings, strings);

	const void *type_bytes = cursor_bytes(&at_types, types_size);

	file->types = cursor_of(type_bytes, types_size, cursor.swap);
	file->strings = cursor_bytes(&at_strings, strings_size);
	file->strings_size = strings_size;
	if (!type_bytes || !file->strings)
		return bad(name, "it is cut off", bytes.size);
	if (strings_size && file->strings[strings_size - 1])
		return bad(name, "its last name does not end", (size_t)(file->strings - (char *)bytes.data));
	return NULL;
}

/* What the ids and names of the file go on from. */
static struct error *set_base(struct btf_file *file, struct btf_bytes digest, const struct btf_file *base,
			      const char *name)
{
	file->base = base;
	file->strings_base = base;
	file->first = file->raw_first = base ? btf_file_end(base) : 1;
	if (digest.data) {
		if (!base)
			return error_create(ERROR_NOT_FOUND,
					    "%s: the BTF of the kernel that it belongs to is missing", name);
		RETURN_ERROR(btf_file_open(digest, (struct btf_bytes){ 0 }, NULL, name, &file->digest));
		file->digest_ids = btf_digest_resolve(file->digest, base);
		file->raw_first = btf_file_end(file->digest);
		file->strings_base = file->digest;
	}
	if (file->strings_base)
		file->strings_first = file->strings_base->strings_first + file->strings_base->strings_size;
	if (file->strings_first > UINT32_MAX - file->strings_size)
		return bad(name, "too many names", 0);
	return NULL;
}

struct error *btf_file_open(struct btf_bytes bytes, struct btf_bytes digest, const struct btf_file *base,
			    const char *name, struct btf_file **result)
{
	struct btf_file *file = xcalloc(1, sizeof(*file));
	struct error *error = read_header(file, bytes, name);

	if (!error)
		error = set_base(file, digest, base, name);
	if (!error)
		error = find_types(file, name);
	if (error)
		btf_file_close(file);
	else
		*result = file;
	return error;
}

void btf_file_close(struct btf_file *file)
{
	if (!file)
		return;
	btf_file_close(file->digest);
	free(file->digest_ids);
	free(file->offsets);
	free(file);
}

uint32_t btf_file_end(const struct btf_file *file)
{
	return file->first + file->count;
}

uint32_t btf_file_first(const struct btf_file *file)
{
	return file->first;
}

/* An id as the file has it: one of the digest is what it stands for in the base. */
static uint32_t reference(const struct btf_file *file, uint32_t raw)
{
	if (raw >= file->raw_first)
		return raw - file->raw_first < file->count ? raw - file->raw_first + file->first
							   : BTF_NOWHERE;
	return file->digest && raw ? file->digest_ids[raw] : raw;
}

static const char *name_at(const struct btf_file *file, uint32_t offset)
{
	const char *name;

	while (offset < file->strings_first)
		file = file->strings_base;
	offset -= file->strings_first;
	name = offset < file->strings_size ? file->strings + offset : "";
	return *name ? name : NULL;
}

static bool has_type(unsigned int kind)
{
	switch (kind) {
	case BTF_KIND_PTR:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FUNC_PROTO:
	case BTF_KIND_VAR:
	case KIND_DECL_TAG:
	case KIND_TYPE_TAG: return true;
	}
	return false;
}

bool btf_record_at(const struct btf_file *file, uint32_t id, struct btf_record *record)
{
	while (file && id < file->first)
		file = file->base;
	if (!file || id - file->first >= file->count)
		return false;
	*record = (struct btf_record){ .file = file, .rest = file->types };
	record->rest.position = file->offsets[id - file->first];
	record->name = name_at(file, cursor_u32(&record->rest));

	uint32_t info = cursor_u32(&record->rest), size_or_type = cursor_u32(&record->rest);

	record->kind = BTF_INFO_KIND(info);
	record->kind_flag = BTF_INFO_KFLAG(info);
	record->count = BTF_INFO_VLEN(info);
	if (has_type(record->kind))
		record->type = reference(file, size_or_type);
	else
		record->size = size_or_type;
	return true;
}

bool btf_record_next(struct btf_record *record, struct btf_item *item)
{
	struct cursor *rest = &record->rest;

	if (!record->count)
		return false;
	record->count--;
	*item = (struct btf_item){ 0 };
	if (record->kind != BTF_KIND_DATASEC)
		item->name = name_at(record->file, cursor_u32(rest));
	switch (record->kind) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		item->type = reference(record->file, cursor_u32(rest));
		item->bit_offset = cursor_u32(rest);
		if (record->kind_flag) {
			item->bit_size = BTF_MEMBER_BITFIELD_SIZE(item->bit_offset);
			item->bit_offset = BTF_MEMBER_BIT_OFFSET(item->bit_offset);
		}
		return true;
	case BTF_KIND_FUNC_PROTO: item->type = reference(record->file, cursor_u32(rest)); return true;
	case BTF_KIND_ENUM: cursor_u32(rest); return true;
	case KIND_ENUM64: cursor_u64(rest); return true;
	case BTF_KIND_DATASEC:
		item->type = reference(record->file, cursor_u32(rest));
		item->offset = cursor_u32(rest);
		item->size = cursor_u32(rest);
		return true;
	}
	return false;
}

struct btf_array_shape btf_record_array(struct btf_record *record)
{
	struct btf_array_shape shape = { .element = reference(record->file, cursor_u32(&record->rest)) };

	cursor_u32(&record->rest); /* the index's type */
	shape.count = cursor_u32(&record->rest);
	return shape;
}

struct btf_integer btf_record_integer(struct btf_record *record)
{
	uint32_t value = cursor_u32(&record->rest);

	return (struct btf_integer){
		.encoding = BTF_INT_ENCODING(value),
		.bit_offset = BTF_INT_OFFSET(value),
		.bits = BTF_INT_BITS(value),
	};
}
