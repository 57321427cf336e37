// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers in BPF programs: bpf_image.h says what their images have. See bpf_access_correct() in
 * resolve.h. */
#include "profiler/resolve/resolve.h"

#include <ctype.h>

#include "base/memory.h"
#include "dwarf/types/type.h"

/* Members of members of a context that are looked at. */
#define NESTING_MAX 4

/* Returns whether the code is the kernel's own, between a lookup and its value. */
static bool is_own_code(const struct elf_image *image, uint64_t address)
{
	size_t size;
	const uint8_t *list = elf_image_contents(image, BPF_OWN_CODE, &size);
	struct bpf_own_code code;

	for (size_t at = 0; list && at + sizeof(code) <= size; at += sizeof(code)) {
		memcpy(&code, list + at, sizeof(code));
		if (address > code.start && address < code.end)
			return true;
	}
	return false;
}

/* A member that a line names. */
struct named_member {
	const struct member *member;
	int64_t offset; /* in the context */
	unsigned int count;
};

/* Returns the text after a member's name that stands in a line after "->" or "."; NULL: none. */
static const char *name_in_line(const char *line, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = line; length && (at = strstr(at, name)); at += length) {
		bool after = at - line >= 2 && (at[-1] == '.' || (at[-1] == '>' && at[-2] == '-'));

		if (after && !isalnum((unsigned char)at[length]) && at[length] != '_')
			return at + length;
	}
	return NULL;
}

/* Finds the element that the text after an array's name chooses by a number. */
static bool find_element(const struct member *member, const char *text, int64_t *offset)
{
	const struct type *type = type_strip(member->type);
	uint64_t each;
	char *end;

	if (type->kind != TYPE_ARRAY)
		return true;
	each = type_size_or(type_target(type), 0);
	if (*text != '[' || !isdigit((unsigned char)text[1]) || !each)
		return false;

	unsigned long index = strtoul(text + 1, &end, 10);

	if (*end != ']' || index >= type_size_or(type, 0) / each)
		return false;
	*offset += (int64_t)(index * each);
	return true;
}

/* Counts the members that the line names. */
static void find_named(const struct type *type, const char *line, int64_t offset,
		       unsigned int depth, struct named_member *found)
{
	size_t count;
	const struct member *members = type_members(type_strip(type), &count);

	if (type_is_vast(type_strip(type)))
		return;
	array_each (const struct member, member, members, count) {
		int64_t at = offset + member->offset;

		if (!member->name && depth < NESTING_MAX &&
		    type_is_record(type_strip(member->type)))
			find_named(member->type, line, at, depth + 1, found);

		const char *after = member->name ? name_in_line(line, member->name) : NULL;

		if (after)
			*found = (struct named_member){
				member, at,
				found->count + (find_element(member, after, &at) ? 1 : 2)
			};
		if (after)
			found->offset = at;
	}
}

static void correct_context(const struct dso *dso, const struct type *declared,
			    struct access *access)
{
	struct named_member found = { 0 };
	struct bpf_line line;

	if (dso_bpf_line(dso, access->address, &line))
		find_named(declared, line.text, 0, 0, &found);
	if (found.count != 1) {
		access_fail(access, REASON_CAST);
		return;
	}
	access->type = type_canonical(declared);
	access->offset = found.offset;
	access->bits = 0;
	access->indexed = false;
	if (found.member->size && access->size > found.member->size)
		access->size = (uint16_t)found.member->size;
}

void bpf_access_correct(const struct dso *dso, const struct elf_image *image, struct access *access)
{
	size_t count;
	const struct member *members;

	if (!dso || dso->kind != DSO_KSYMBOL || access->kind != ACCESS_TYPE || !access->type)
		return;
	if (is_own_code(image, access->address)) {
		access_fail(access, REASON_CAST);
		return;
	}
	if (!type_is_record(access->type) || !access->type->name)
		return;
	members = type_members(access->type, &count);
	if (count != 1)
		return;
	if (strcmp(access->type->name, BPF_CONTEXT) == 0)
		correct_context(dso, members->type, access);
	else if (strcmp(access->type->name, BPF_ELEMENT) == 0 &&
		 access->offset + access->size > (int64_t)members->size)
		access_fail(access, REASON_OUTSIDE);
	else if (strcmp(access->type->name, BPF_ELEMENT) == 0)
		access->type = type_canonical(members->type);
}
