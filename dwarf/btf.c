/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/btf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <string.h>

#include "dwarf/btf_private.h"
#include "dwarf/elf_image_private.h"
#include "profiler/base/strbuf.h"

#define MAXIMUM_DEPTH   8
#define MAXIMUM_MEMBERS 100000 /* that are looked at for one name: damaged records may hold themselves */

static struct error *finish(struct btf *btf, struct btf_bytes bytes, struct btf_bytes digest,
			    struct btf **result)
{
	struct error *error =
		btf_file_open(bytes, digest, btf->base ? btf->base->file : NULL, btf->path, &btf->file);

	if (error) {
		btf_close(btf);
		return error;
	}
	btf_names_build(&btf->names, btf->file);
	*result = btf;
	return NULL;
}

static struct btf *create(const struct btf *base, const char *path)
{
	struct btf *btf = xcalloc(1, sizeof(*btf));

	btf->base = base;
	btf->path = xstrdup(path);
	return btf;
}

struct error *btf_open_memory(const void *data, size_t size, const struct btf *base, const char *name,
			      struct btf **result)
{
	return finish(create(base, name), (struct btf_bytes){ data, size }, (struct btf_bytes){ 0 }, result);
}

static struct btf_bytes section_bytes(const struct elf_image *image, const char *name)
{
	const struct elf_part *part = elf_part_named(image, name);

	if (!part || !part->contents || part->flags & SHF_COMPRESSED)
		return (struct btf_bytes){ 0 };
	return (struct btf_bytes){ part->contents, part->size };
}

static struct error *open_sections(const struct elf_image *image, struct btf *btf, struct btf **result)
{
	struct btf_bytes bytes = section_bytes(image, ".BTF");

	if (!bytes.data) {
		struct error *error = error_create(ERROR_NO_DEBUG_INFO, "%s: no BTF (.BTF)", btf->path);

		btf_close(btf);
		return error;
	}
	return finish(btf, bytes, section_bytes(image, ".BTF.base"), result);
}

struct error *btf_open_image(const struct elf_image *image, const struct btf *base, struct btf **result)
{
	return open_sections(image, create(base, elf_image_path(image)), result);
}

/* Files in /sys give no size beforehand. */
static struct error *read_file(const char *path, struct strbuf *bytes)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char block[65536];
	ssize_t length;

	if (fd < 0)
		return error_errno(errno, "cannot read %s", path);
	while ((length = read(fd, block, sizeof(block))) > 0)
		strbuf_add(bytes, block, (size_t)length);
	return length < 0 ? error_errno(errno, "cannot read %s", path) : NULL;
}

/* What does not begin as BTF is an ELF file with a section of it, or holds one (a boot image). */
static struct error *file_begins_as_btf(const char *path, bool *is_btf)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint16_t magic;

	if (fd < 0)
		return error_errno(errno, "cannot read %s", path);
	*is_btf = read(fd, &magic, sizeof(magic)) == sizeof(magic) &&
		  (magic == BTF_MAGIC || magic == __builtin_bswap16(BTF_MAGIC));
	return NULL;
}

struct error *btf_open(const char *path, const struct btf *base, struct btf **result)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	bool is_btf = false;

	RETURN_ERROR(file_begins_as_btf(path, &is_btf));
	if (!is_btf) {
		struct elf_image *image;

		RETURN_ERROR(elf_image_open(path, &image));

		struct btf *btf = create(base, path);

		btf->image = image;
		return open_sections(image, btf, result);
	}
	RETURN_ERROR(read_file(path, &bytes));

	struct btf *btf = create(base, path);
	size_t size = bytes.length;

	btf->storage = strbuf_detach(&bytes);
	return finish(btf, (struct btf_bytes){ btf->storage, size }, (struct btf_bytes){ 0 }, result);
}

void btf_close(struct btf *btf)
{
	if (!btf)
		return;
	btf_names_release(&btf->names);
	btf_file_close(btf->file);
	if (btf->image)
		elf_image_close(btf->image);
	free(btf->storage);
	free(btf->path);
	free(btf);
}

const char *btf_path(const struct btf *btf)
{
	return btf->path;
}

size_t btf_find(const struct btf *btf, const char *name, uint32_t kinds, uint32_t ids[BTF_NAMESAKES])
{
	size_t count = 0;

	for (; btf && !count; btf = btf->base)
		count = btf_names_find(&btf->names, name, kinds, ids);
	return count;
}

uint32_t btf_function_id(const struct btf *btf, const char *name)
{
	uint32_t ids[BTF_NAMESAKES];

	return btf_find(btf, name, 1u << BTF_KIND_FUNC, ids) ? ids[0] : 0;
}

static int64_t find_member(const struct btf *btf, uint32_t id, const char *name, unsigned int depth,
			   uint32_t *budget)
{
	struct btf_record record;
	struct btf_item member;

	if (depth == MAXIMUM_DEPTH || !btf_record_at(btf->file, id, &record) ||
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
	uint32_t ids[BTF_NAMESAKES], budget = MAXIMUM_MEMBERS;

	return btf_find(btf, structure, 1u << BTF_KIND_STRUCT, ids)
		       ? find_member(btf, ids[0], member, 0, &budget)
		       : -1;
}
