// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's BTF: see kernel_btf.h. */
#include "profiler/record/kernel_btf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/base/cursor.h"
#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"

#define MAX_DEPTH 8

struct kernel_btf {
	struct strbuf bytes;
	const char *strings;
	size_t strings_size;
	const struct btf_type **types; /* by id; 0 is void and NULL */
	uint32_t count;
	uint32_t capacity;
};

/* Bytes that follow a type's common part; -1: a kind that is not known. */
static int64_t detail_size(const struct btf_type *type)
{
	uint32_t length = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG: return sizeof(uint32_t);
	case BTF_KIND_ARRAY: return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: return length * sizeof(struct btf_member);
	case BTF_KIND_ENUM: return length * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64: return length * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO: return length * sizeof(struct btf_param);
	case BTF_KIND_DATASEC: return length * sizeof(struct btf_var_secinfo);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG: return 0;
	default: return -1;
	}
}

static struct error *bad_btf(size_t offset)
{
	return error_create(ERROR_FORMAT, "the kernel's BTF is not understood at offset %zu", offset);
}

static struct error *read_types(struct kernel_btf *btf, struct cursor types)
{
	array_reserve(btf->types, btf->count, btf->capacity);
	btf->types[btf->count++] = NULL;
	while (cursor_left(&types)) {
		size_t offset = types.position;
		const struct btf_type *type = cursor_bytes(&types, sizeof(*type));
		int64_t size = type ? detail_size(type) : -1;

		if (size < 0 || !cursor_bytes(&types, size))
			return bad_btf(offset);
		array_reserve(btf->types, btf->count, btf->capacity);
		btf->types[btf->count++] = type;
	}
	return NULL;
}

static struct error *parse(struct kernel_btf *btf)
{
	struct cursor cursor = cursor_of(btf->bytes.data, btf->bytes.length, false);
	const struct btf_header *header = cursor_bytes(&cursor, sizeof(*header));
	struct cursor types, strings;

	if (!header || header->magic != BTF_MAGIC || header->hdr_len < sizeof(*header) ||
	    header->hdr_len % 4 || header->type_off % 4)
		return bad_btf(0);
	cursor.position = 0;
	cursor_skip(&cursor, header->hdr_len);
	types = strings = cursor;
	cursor_skip(&types, header->type_off);
	cursor_skip(&strings, header->str_off);

	const void *type_bytes = cursor_bytes(&types, header->type_len);

	btf->strings = cursor_bytes(&strings, header->str_len);
	btf->strings_size = header->str_len;
	if (!type_bytes || !btf->strings || !btf->strings_size || btf->strings[btf->strings_size - 1])
		return bad_btf(0);
	return read_types(btf, cursor_of(type_bytes, header->type_len, false));
}

static struct error *finish_open(struct kernel_btf *btf, struct kernel_btf **result)
{
	struct error *error = parse(btf);

	if (error)
		kernel_btf_close(btf);
	else
		*result = btf;
	return error;
}

struct error *kernel_btf_open(const char *path, struct kernel_btf **result)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct kernel_btf *btf;
	char block[65536];
	ssize_t length;

	if (fd < 0)
		return error_errno(errno, "cannot read %s", path);
	btf = xcalloc(1, sizeof(*btf));
	btf->bytes = (struct strbuf)STRBUF_INIT;
	while ((length = read(fd, block, sizeof(block))) > 0)
		strbuf_add(&btf->bytes, block, length);
	return finish_open(btf, result);
}

struct error *kernel_btf_open_memory(const void *data, size_t size, struct kernel_btf **result)
{
	struct kernel_btf *btf = xcalloc(1, sizeof(*btf));

	btf->bytes = (struct strbuf)STRBUF_INIT;
	strbuf_add(&btf->bytes, data, size);
	return finish_open(btf, result);
}

void kernel_btf_close(struct kernel_btf *btf)
{
	if (!btf)
		return;
	strbuf_release(&btf->bytes);
	free(btf->types);
	free(btf);
}

static const char *name_at(const struct kernel_btf *btf, uint32_t offset)
{
	return offset < btf->strings_size ? btf->strings + offset : "";
}

static uint32_t find(const struct kernel_btf *btf, const char *name, uint32_t kind)
{
	for (uint32_t id = 1; id < btf->count; id++) {
		const struct btf_type *type = btf->types[id];

		if (BTF_INFO_KIND(type->info) == kind && strcmp(name_at(btf, type->name_off), name) == 0)
			return id;
	}
	return 0;
}

uint32_t kernel_btf_function(const struct kernel_btf *btf, const char *name)
{
	return find(btf, name, BTF_KIND_FUNC);
}

static int64_t find_member(const struct kernel_btf *btf, uint32_t id, const char *name, unsigned int depth)
{
	const struct btf_type *type = id < btf->count ? btf->types[id] : NULL;
	uint32_t kind = type ? BTF_INFO_KIND(type->info) : BTF_KIND_UNKN;
	const struct btf_member *members = (const void *)(type + 1);

	if (depth == MAX_DEPTH || (kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION))
		return -1;
	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		const char *own = name_at(btf, members[i].name_off);
		uint32_t bits = BTF_INFO_KFLAG(type->info) ? BTF_MEMBER_BIT_OFFSET(members[i].offset)
							   : members[i].offset;
		int64_t inner;

		if (strcmp(own, name) == 0)
			return bits / 8;
		inner = *own ? -1 : find_member(btf, members[i].type, name, depth + 1);
		if (inner >= 0)
			return bits / 8 + inner;
	}
	return -1;
}

int64_t kernel_btf_member(const struct kernel_btf *btf, const char *structure, const char *member)
{
	uint32_t id = find(btf, structure, BTF_KIND_STRUCT);

	return id ? find_member(btf, id, member, 0) : -1;
}
