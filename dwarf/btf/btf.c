// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BTF as it is in a file: records by id, their names, and a module's digest of its base. See
 * btf_private.h for the form in which the other files of this folder get records.
 */
#include "dwarf/btf/btf.h"

#include <linux/btf.h>

#include "dwarf/btf/btf_private.h"
#include "dwarf/elf/image_private.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/strbuf.h"

static uint32_t *resolve_digest(const struct btf_file *digest, const struct btf_file *base);
static void build_names(struct btf_file *file);

/* ---- records ---- */

#define HEADER_LAYOUT_SIZE 32 /* with the layout section of Linux 7.2 */

/* The word after a type's name, as in Linux 7.2. In older kernels the new bits are zero. */
#define INFO_COUNT(info) ((info)&0xffffff)
#define INFO_KIND(info)  ((info) >> 24 & 0x7f)
#define INFO_FLAG(info)  ((info) >> 31)

struct btf_file {
	const struct btf_file *base;
	struct btf_file *
		digest; /* the digest of the base, or NULL; only resolve_digest() reads its types */
	uint32_t *digest_ids; /* by id of the digest: the id in the base, or BTF_NOWHERE */
	uint32_t first;       /* the first id that does not belong to the base */
	uint32_t raw_first;   /* the same id as the file itself counts */
	uint32_t count;       /* of the file's own types */
	uint32_t *offsets;    /* by own type: offset of its record in `types` */
	struct cursor types;
	/* by kind, the sizes of the parts of a record: four bytes each, struct btf_layout of Linux
	 * 7.2; empty: not given */
	struct cursor layout;
	const char *strings; /* the last one ends in a NUL */
	uint32_t strings_size;
	uint32_t strings_first; /* offset of the first one; the names of the base come before it */
	const struct btf_file *strings_base;
	uint32_t capacity;
	/* types, functions and variables by name: the file's own, without those of its base */
	uint32_t *heads; /* by hash: the first id, 0: none */
	uint32_t *next;  /* by own id */
	uint32_t mask;   /* of the hash */
};

static struct error *bad(const char *name, const char *what, size_t offset)
{
	return error_create(ERROR_FORMAT, "%s: bad BTF at offset %zu: %s", name, offset, what);
}

/* Finds the size of a record after the common part. False: unknown, and so is the next. */
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
	case KIND_LOCSEC:
	case KIND_ENUM64: *size = (size_t)count * 12; return true;
	case KIND_LOC_PARAM: *size = 4 + (size_t)count * 4; return true;
	case KIND_LOC_PROTO: *size = (size_t)count * 4; return true;
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

/* Finds the same size of a kind that is newer than this program. False: the file does not say. */
static bool rest_size_by_layout(const struct btf_file *file, unsigned int kind, uint32_t count,
				size_t *size)
{
	struct cursor cursor = file->layout;

	cursor_skip(&cursor, 4 * (size_t)kind);

	size_t fixed = cursor_u8(&cursor), element = cursor_u8(&cursor);

	*size = fixed + element * count;
	return !cursor.failed;
}

/* Finds the size of the rest of a record, first by the file: unreleased kinds may change. */
static bool find_rest_size(const struct btf_file *file, uint32_t info, size_t *size)
{
	unsigned int kind = INFO_KIND(info);
	uint32_t count = INFO_COUNT(info);

	return (kind > KIND_ENUM64 && rest_size_by_layout(file, kind, count, size)) ||
	       rest_size(kind, count, size) || rest_size_by_layout(file, kind, count, size);
}

static struct error *btf_find_types(struct btf_file *file, const char *name)
{
	struct cursor cursor = file->types;

	while (cursor_left(&cursor)) {
		uint32_t offset = (uint32_t)cursor.position;
		size_t size = 0;

		cursor_u32(&cursor);
		uint32_t info = cursor_u32(&cursor);

		cursor_u32(&cursor);
		if (!cursor.failed && !find_rest_size(file, info, &size))
			return error_create(ERROR_UNSUPPORTED,
					    "%s: BTF of kind %u (at offset %u of its types), which "
					    "is newer than this program (22, linux-next of 2026)",
					    name, (unsigned int)INFO_KIND(info), offset);
		cursor_skip(&cursor, size);
		if (cursor.failed)
			return bad(name, "a type is cut off", offset);
		array_add(file->offsets, file->count, file->capacity) = offset;
	}
	if (file->first > BTF_NOWHERE - 1 - file->count)
		return bad(name, "too many types", 0);
	return NULL;
}

/* Reads the header. Its magic number gives the byte order. */
static struct error *btf_read_header(struct btf_file *file, struct btf_bytes bytes,
				     const char *name)
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

	if (cursor.failed || length < BTF_HEADER_SIZE)
		return bad(name, "its header is cut off", 0);

	bool has_layout = length >= HEADER_LAYOUT_SIZE;
	uint32_t layout = has_layout ? cursor_u32(&cursor) : 0,
		 layout_size = has_layout ? cursor_u32(&cursor) : 0;

	cursor.position = 0;
	cursor_skip(&cursor, length);

	struct cursor at_types = cursor, at_strings = cursor, at_layout = cursor;

	cursor_skip(&at_layout, layout);
	file->layout = cursor_of(cursor_bytes(&at_layout, layout_size), layout_size, cursor.swap);

	cursor_skip(&at_types, types);
	cursor_skip(&at_strings, strings);

	const void *type_bytes = cursor_bytes(&at_types, types_size);

	file->types = cursor_of(type_bytes, types_size, cursor.swap);
	file->strings = cursor_bytes(&at_strings, strings_size);
	file->strings_size = strings_size;
	if (!type_bytes || !file->strings)
		return bad(name, "it is cut off", bytes.size);
	if (strings_size && file->strings[strings_size - 1])
		return bad(name, "its last name does not end",
			   (size_t)(file->strings - (char *)bytes.data));
	return NULL;
}

/* Finds where the file's own ids and names begin, after those of its base. */
static struct error *set_base(struct btf_file *file, struct btf_bytes digest,
			      const struct btf_file *base, const char *name)
{
	file->base = base;
	file->strings_base = base;
	file->first = file->raw_first = base ? btf_file_end(base) : 1;
	if (digest.data) {
		if (!base)
			return error_create(
				ERROR_NOT_FOUND,
				"%s: the BTF of the kernel that it belongs to is missing", name);
		RETURN_ERROR(
			btf_file_open(digest, (struct btf_bytes){ 0 }, NULL, name, &file->digest));
		file->digest_ids = resolve_digest(file->digest, base);
		file->raw_first = btf_file_end(file->digest);
		file->strings_base = file->digest;
	}
	if (file->strings_base)
		file->strings_first =
			file->strings_base->strings_first + file->strings_base->strings_size;
	if (file->strings_first > UINT32_MAX - file->strings_size)
		return bad(name, "too many names", 0);
	return NULL;
}

struct error *btf_file_open(struct btf_bytes bytes, struct btf_bytes digest,
			    const struct btf_file *base, const char *name, struct btf_file **result)
{
	struct btf_file *file = xcalloc(1, sizeof(*file));
	struct error *error = btf_read_header(file, bytes, name);

	if (!error)
		error = set_base(file, digest, base, name);
	if (!error)
		error = btf_find_types(file, name);
	if (error) {
		btf_file_close(file);
		return error;
	}
	build_names(file);
	*result = file;
	return NULL;
}

void btf_file_close(struct btf_file *file)
{
	if (!file)
		return;
	btf_file_close(file->digest);
	free_all(file->digest_ids, file->offsets, file->heads, file->next, file);
}

uint32_t btf_file_end(const struct btf_file *file)
{
	return file->first + file->count;
}

uint32_t btf_file_first(const struct btf_file *file)
{
	return file->first;
}

/* Translates an id of the file: one of the digest becomes that of the base. */
static uint32_t reference(const struct btf_file *file, uint32_t raw)
{
	if (raw >= file->raw_first)
		return raw - file->raw_first < file->count ? raw - file->raw_first + file->first
							   : BTF_NOWHERE;
	return file->digest && raw ? file->digest_ids[raw] : raw;
}

#define NAME_BYTES_MAX ((size_t)16 << 10) /* the kernel's own limit is 512 bytes */

static const char *name_at(const struct btf_file *file, uint32_t offset)
{
	const char *name;

	while (offset < file->strings_first)
		file = file->strings_base;
	offset -= file->strings_first;
	name = offset < file->strings_size ? file->strings + offset : "";
	/* each record may have another end of one long string */
	return *name && strnlen(name, NAME_BYTES_MAX) < NAME_BYTES_MAX ? name : NULL;
}

static bool btf_has_type(unsigned int kind)
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

	record->kind = INFO_KIND(info);
	record->kind_flag = INFO_FLAG(info);
	record->count = INFO_COUNT(info);
	if (btf_has_type(record->kind))
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
	case BTF_KIND_FUNC_PROTO:
		item->type = reference(record->file, cursor_u32(rest));
		return true;
	case BTF_KIND_ENUM:
		item->value = cursor_u32(rest);
		if (record->kind_flag)
			item->value = (int32_t)item->value;
		return true;
	case KIND_ENUM64:
		item->value = cursor_u32(rest);
		item->value |= (int64_t)((uint64_t)cursor_u32(rest) << 32);
		return true;
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
	struct btf_array_shape shape = { .element = reference(record->file,
							      cursor_u32(&record->rest)) };

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

/*
 * ---- a module's digest of its base ----
 *
 * For each type of the base that the module refers to, the digest has only kind, name and size:
 * integers, floats, enums without enumerators, and records without members. A record that the
 * module only points to is a FWD, or has the size 0; one that is a member of the module's own
 * records must have the size that the module was built with.
 */

/* Returns a number that is equal for kinds that may stand for one another. */
static unsigned int family(const struct btf_record *record)
{
	switch (record->kind) {
	case BTF_KIND_FWD: return record->kind_flag ? BTF_KIND_UNION : BTF_KIND_STRUCT;
	case KIND_ENUM64: return BTF_KIND_ENUM;
	default: return record->kind;
	}
}

static bool same_integer(struct btf_record wanted, struct btf_record found)
{
	struct btf_integer a = btf_record_integer(&wanted), b = btf_record_integer(&found);

	return wanted.size == found.size && a.encoding == b.encoding && a.bits == b.bits &&
	       a.bit_offset == b.bit_offset;
}

static bool stands_for(const struct btf_record *wanted, const struct btf_record *found)
{
	if (family(wanted) != family(found) || strcmp(wanted->name, found->name) != 0)
		return false;
	if (wanted->kind == BTF_KIND_INT)
		return same_integer(*wanted, *found);
	/* a declaration in the base does not help: it has no size either */
	if (found->kind == BTF_KIND_FWD)
		return false;
	return wanted->kind == BTF_KIND_FWD || !wanted->size || wanted->size == found->size;
}

/* Returns the only type of the base that the type of the digest may be, or BTF_NOWHERE. */
static uint32_t btf_resolve(const struct btf_record *wanted, const struct btf_file *base)
{
	uint32_t ids[BTF_NAMESAKES_MAX], only = BTF_NOWHERE;
	size_t count = wanted->name ? btf_names_find(base, wanted->name, UINT32_MAX, ids) : 0;
	struct btf_record found;

	if (count == BTF_NAMESAKES_MAX)
		return BTF_NOWHERE; /* there may be more that were not looked at */
	for (size_t i = 0; i < count; i++) {
		if (!btf_record_at(base, ids[i], &found) || !stands_for(wanted, &found))
			continue;
		if (only != BTF_NOWHERE)
			return BTF_NOWHERE;
		only = ids[i];
	}
	return only;
}

/* Returns for each id of the digest the type of the base with the same name, kind and (where the
 * digest gives one) size; BTF_NOWHERE where there is none, or several. The array has
 * btf_file_end(digest) ids and is to be freed by the caller. */
static uint32_t *resolve_digest(const struct btf_file *digest, const struct btf_file *base)
{
	uint32_t end = btf_file_end(digest), *ids = xcalloc(end, sizeof(*ids));
	struct btf_record record;

	for (uint32_t id = 1; id < end; id++)
		ids[id] = btf_record_at(digest, id, &record) ? btf_resolve(&record, base)
							     : BTF_NOWHERE;
	return ids;
}

/* ---- names ---- */

static bool btf_is_wanted(unsigned int kind)
{
	switch (kind) {
	case BTF_KIND_INT:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case KIND_ENUM64:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR:
	case KIND_FLOAT: return true;
	}
	return false;
}

static uint32_t *head_of(const struct btf_file *file, const char *name)
{
	return &file->heads[hash_bytes(name, strlen(name)) & file->mask];
}

static void build_names(struct btf_file *file)
{
	uint32_t first = file->first, count = file->count, capacity = 16;
	struct btf_record record;

	while (capacity < count)
		capacity *= 2;
	file->heads = xcalloc(capacity, sizeof(*file->heads));
	file->next = xcalloc(count + 1, sizeof(*file->next));
	file->mask = capacity - 1;
	/* backwards, so that lists begin with the smallest id */
	for (uint32_t i = count; i-- > 0;) {
		if (!btf_record_at(file, first + i, &record) || !record.name ||
		    !btf_is_wanted(record.kind))
			continue;

		uint32_t *head = head_of(file, record.name);

		file->next[i] = *head;
		*head = first + i;
	}
}

size_t btf_names_find(const struct btf_file *file, const char *name, uint32_t kinds,
		      uint32_t ids[BTF_NAMESAKES_MAX])
{
	size_t count = 0, namesakes = 0;
	struct btf_record record;

	for (uint32_t id = *head_of(file, name); id && namesakes < BTF_NAMESAKES_MAX;
	     id = file->next[id - file->first]) {
		if (!btf_record_at(file, id, &record) || strcmp(record.name, name) != 0)
			continue;
		namesakes++;
		if (kinds >> record.kind & 1)
			ids[count++] = id;
	}
	return count;
}

/* ---- opening ---- */

#define DEPTH_MAX 8 /* of anonymous members within anonymous members */
/* The most members that are looked at for one name: damaged records may contain themselves. */
#define MEMBERS_MAX 100000

static struct error *finish(struct btf *btf, struct btf_bytes bytes, struct btf_bytes digest,
			    struct btf **result)
{
	struct error *error = btf_file_open(bytes, digest, btf->base ? btf->base->file : NULL,
					    btf->path, &btf->file);

	if (error) {
		btf_close(btf);
		return error;
	}
	*result = btf;
	return NULL;
}

static struct btf *btf_create(const struct btf *base, const char *path)
{
	struct btf *btf = xcalloc(1, sizeof(*btf));

	btf->base = base;
	btf->path = xstrdup(path);
	return btf;
}

struct error *btf_open_memory(const void *data, size_t size, const struct btf *base,
			      const char *name, struct btf **result)
{
	return finish(btf_create(base, name), (struct btf_bytes){ data, size },
		      (struct btf_bytes){ 0 }, result);
}

static struct btf_bytes btf_section_bytes(const struct elf_image *image, const char *name)
{
	const struct elf_part *part = elf_part_named(image, name);

	if (!part || !part->contents || part->flags & SHF_COMPRESSED)
		return (struct btf_bytes){ 0 };
	return (struct btf_bytes){ part->contents, part->size };
}

static struct error *btf_open_sections(const struct elf_image *image, struct btf *btf,
				       struct btf **result)
{
	struct btf_bytes bytes = btf_section_bytes(image, ".BTF");

	if (!bytes.data) {
		struct error *error =
			error_create(ERROR_NO_DEBUG_INFO, "%s: no BTF (.BTF)", btf->path);

		btf_close(btf);
		return error;
	}
	RETURN_ERROR(finish(btf, bytes, btf_section_bytes(image, ".BTF.base"), result));
	bytes = btf_section_bytes(image, ".BTF.inline");
	if (!bytes.data)
		bytes = btf_section_bytes(image, ".BTF.extra");
	/* the types are right without the places of inlined calls */
	if (bytes.data)
		error_destroy(btf_file_open(bytes, (struct btf_bytes){ 0 }, btf->file, btf->path,
					    &btf->inlined));
	return NULL;
}

struct error *btf_open_image(const struct elf_image *image, const struct btf *base,
			     struct btf **result)
{
	return btf_open_sections(image, btf_create(base, elf_image_path(image)), result);
}

/* The most bytes of a file of plain BTF. A kernel with everything built in has 40 MB. */
#define FILE_MAX ((size_t)128 << 20)

/* Reads the file if it is plain BTF, by its first bytes; else *bytes stays empty. It is read to its
 * end, because files in /sys do not give their size. */
static struct error *read_plain(const char *path, struct strbuf *bytes)
{
	_cleanup_close_ int fd = -1;
	struct stat status;
	char block[65536];
	ssize_t length;

	RETURN_ERROR(ordinary_file_open(path, &fd, &status));
	while ((length = pread(fd, block, sizeof(block), (off_t)bytes->length)) > 0) {
		uint16_t magic = 0;

		strbuf_add(bytes, block, (size_t)length);
		memcpy(&magic, bytes->data, sizeof(magic)); /* the NUL is a second byte */
		if (magic != BTF_MAGIC && magic != __builtin_bswap16(BTF_MAGIC)) {
			strbuf_reset(bytes);
			return NULL;
		}
		if (bytes->length > FILE_MAX)
			return error_create(ERROR_FORMAT, "%s: larger than BTF may be (%zu MB)",
					    path, FILE_MAX >> 20);
	}
	return length < 0 ? error_errno(errno, "cannot read %s", path) : NULL;
}

struct error *btf_open(const char *path, const struct btf *base, struct btf **result)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;

	RETURN_ERROR(read_plain(path, &bytes));
	/* an ELF file with a .BTF section, or a boot image with such a file inside */
	if (!bytes.length) {
		struct elf_image *image;

		RETURN_ERROR(elf_image_open(path, &image));

		struct btf *btf = btf_create(base, path);

		btf->image = image;
		return btf_open_sections(image, btf, result);
	}
	struct btf *btf = btf_create(base, path);
	size_t size = bytes.length;

	btf->storage = strbuf_detach(&bytes);
	return finish(btf, (struct btf_bytes){ btf->storage, size }, (struct btf_bytes){ 0 },
		      result);
}

void btf_close(struct btf *btf)
{
	if (!btf)
		return;
	btf_file_close(btf->inlined);
	btf_file_close(btf->file);
	elf_image_close(btf->image);
	free_all(btf->storage, btf->path, btf);
}

const char *btf_path(const struct btf *btf)
{
	return btf->path;
}

size_t btf_find(const struct btf *btf, const char *name, uint32_t kinds,
		uint32_t ids[BTF_NAMESAKES_MAX])
{
	size_t count = 0;

	for (; btf && !count; btf = btf->base)
		count = btf_names_find(btf->file, name, kinds, ids);
	return count;
}

uint32_t btf_function_id(const struct btf *btf, const char *name)
{
	uint32_t ids[BTF_NAMESAKES_MAX];

	return btf_find(btf, name, 1u << BTF_KIND_FUNC, ids) ? ids[0] : 0;
}

static int64_t find_member(const struct btf *btf, uint32_t id, const char *name, unsigned int depth,
			   uint32_t *budget)
{
	struct btf_record record;
	struct btf_item member;

	if (depth == DEPTH_MAX || !btf_record_at(btf->file, id, &record) ||
	    (record.kind != BTF_KIND_STRUCT && record.kind != BTF_KIND_UNION))
		return -1;
	while (*budget && btf_record_next(&record, &member)) {
		int64_t offset = member.bit_offset / 8, inner;

		if (member.name && strcmp(member.name, name) == 0)
			return offset;
		--*budget;
		inner = member.name ? -1 : find_member(btf, member.type, name, depth + 1, budget);
		if (inner >= 0)
			return offset + inner;
	}
	return -1;
}

int64_t btf_member_offset(const struct btf *btf, const char *structure, const char *member)
{
	uint32_t ids[BTF_NAMESAKES_MAX], budget = MEMBERS_MAX;

	return btf_find(btf, structure, 1u << BTF_KIND_STRUCT, ids)
		       ? find_member(btf, ids[0], member, 0, &budget)
		       : -1;
}
