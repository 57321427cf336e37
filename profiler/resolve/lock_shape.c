// SPDX-License-Identifier: GPL-2.0-or-later
/* Locks in types: see lock_shape.h. */
#include "profiler/resolve/lock_shape.h"

#include <fnmatch.h>
#include <inttypes.h>

#include "annotate/types/field.h"
#include "annotate/types/flexible_array.h"
#include "annotate/types/member.h"
#include "base/memory.h"
#include "base/text.h"

/* Returns whether the name of a type has the pattern, without the arguments of a generic type:
 * alloc::sync::ArcInner<std::sync::Mutex<u64>> is no mutex. */
static bool has_pattern(const struct type *type, const char *pattern)
{
	const char *name = type_name_interned(type);
	size_t length = strlen(name);
	_cleanup_free_ char *generic =
		length && name[length - 1] == '>' ? xstrndup(name, strcspn(name, "<")) : NULL;

	return !fnmatch(pattern, generic ?: name, 0);
}

/* Returns whether a type is only declared, so that its members are not known. */
static bool is_declared(const struct type *type)
{
	return type_strip(type)->flags & TYPE_DECLARATION;
}

bool lock_shape_is(const struct type *type, const struct lock_shape *lock)
{
	/* a class that is only declared may be one: std::condition_variable, as clang has it */
	if (is_declared(type))
		return true;
	if (lock->pattern && has_pattern(type, lock->pattern))
		return true;
	return lock->type &&
	       (field_same_type(type, lock->type) ||
		(type->name &&
		 type_size_or(type_strip(type), 0) == type_size_or(lock->type, UINT64_MAX) &&
		 field_contains(type, 0, lock->type)));
}

const struct type *lock_shape_element(const struct type *type, int64_t *offset, struct strbuf *path)
{
	const struct type *element;
	int64_t before = *offset;

	while (type->kind == TYPE_ARRAY && (element = field_element_at(type, offset))) {
		if (path && field_size(element))
			strbuf_add_format(path, "[%" PRId64 "]",
					  (before - *offset) / (int64_t)field_size(element));
		before = *offset;
		type = type_strip(element);
	}
	return type;
}

bool lock_shape_is_argument(const struct type *type, const struct type *generic)
{
	const char *name = type_name_interned(type), *in = type_name_interned(generic);
	size_t length = strlen(name);

	for (const char *at = strchr(in, '<'); at && (at = strstr(at, name)); at++)
		if (length && strchr("<, ", at[-1]) && at[length] && strchr(">, ", at[length]))
			return true;
	return false;
}

/* Returns whether a record is a library's, of C++ or Rust, around an object of this type:
 * std::sync::OnceLock<std::sync::Mutex<u64>>, whose own members tell nothing. */
static bool is_library_around(const struct type *record, const struct type *object)
{
	const char *name = type_name_interned(record);

	return (starts_with(name, "std::") || starts_with(name, "alloc::") ||
		starts_with(name, "core::")) &&
	       lock_shape_is_argument(object, record);
}

/* Returns the member that has the byte at `offset` of a record, if its type is only declared, as
 * clang does with std::condition_variable; else NULL. */
static const struct member *opaque_member(const struct type *record, int64_t offset)
{
	size_t count;
	const struct member *members = type_members(record, &count), *last = NULL;

	for (size_t i = 0; i < count && members[i].offset <= offset; i++)
		last = &members[i];
	return last && last->name && is_declared(last->type) ? last : NULL;
}

static const struct type *find_lock_in(const struct type *record, int64_t offset,
				       const struct lock_shape *lock, unsigned int depth,
				       struct strbuf *path)
{
	size_t count, start = path->length;
	const struct member *members = type_members_near(record, offset, &count);

	for (size_t i = 0; i < count && depth < TYPE_DEPTH_MAX; i++) {
		const struct type *type = type_strip(members[i].type), *found;
		int64_t within = offset - members[i].offset;

		if (!field_member_has(record, &members[i], offset))
			continue;
		if (members[i].name && *members[i].name)
			strbuf_add_format(path, "%s%s", start ? "." : "", members[i].name);
		type = lock_shape_element(type, &within, lock->numbered ? path : NULL);
		found = lock_shape_is(type, lock) ? type
			: type_is_record(type) ? find_lock_in(type, within, lock, depth + 1, path)
					       : NULL;
		if (found && depth && is_library_around(record, found) &&
		    !strchr(path->data + start, '['))
			strbuf_truncate(path, start);
		if (found)
			return found;
		strbuf_truncate(path, start);
	}
	const struct member *opaque = opaque_member(record, offset);

	if (opaque)
		strbuf_add_format(path, "%s%s", start ? "." : "", opaque->name);
	return opaque ? opaque->type : NULL;
}

const struct type *lock_shape_find(const struct type *record, int64_t offset,
				   const struct lock_shape *lock, struct strbuf *path)
{
	return find_lock_in(record, offset, lock, 0, path);
}

bool lock_shape_known(const struct lock_shape *lock)
{
	return lock->type || lock->pattern;
}

bool lock_shape_has(const struct type *type, int64_t offset, const struct lock_shape *lock)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	if (!lock_shape_known(lock) || lock_shape_is(type, lock))
		return true;
	const struct type *bare = lock_shape_element(type_strip(type), &offset, NULL);

	return lock_shape_is(bare, lock) ||
	       (type_is_record(bare) && lock_shape_find(bare, offset, lock, &path));
}

bool lock_shape_has_declared(const struct type *type, int64_t offset)
{
	return lock_shape_has(type, offset, &(struct lock_shape){ .pattern = "" });
}

int64_t lock_shape_start(const struct type *type, int64_t offset, const struct type *lock)
{
	int64_t size = lock ? (int64_t)type_size_or(lock, 0) : 0;

	for (int64_t start = offset; start >= 0 && start > offset - size; start--)
		if (field_contains(type, start, lock) || (!start && field_same_type(type, lock)))
			return start;
	return offset;
}

void lock_shape_own_object(const struct type **type, int64_t *offset, const struct lock_shape *lock)
{
	const struct type *record = type_strip(*type);
	int64_t within = *offset;

	for (unsigned int depth = 0; record && type_is_record(record) && depth < TYPE_DEPTH_MAX;
	     depth++) {
		size_t count;
		const struct member *members = type_members_near(record, within, &count),
				    *member = array_find(
					    i, members, count,
					    field_member_has(record, &members[i], within));

		if (!member)
			return;
		within -= member->offset;
		record = lock_shape_element(type_strip(member->type), &within, NULL);
		if (lock_shape_is(record, lock))
			return;
		if (type_is_record(record) && lock_shape_is_argument(record, type_strip(*type))) {
			*type = record;
			*offset = within;
		}
	}
}

bool lock_shape_follow(const struct type **type, int64_t *offset, const struct type *lock)
{
	const struct type *at = type_strip(*type);
	int64_t within = *offset;
	bool generic = false;

	for (unsigned int depth = 0; type_is_record(at) && depth < TYPE_DEPTH_MAX; depth++) {
		size_t count;
		const struct member *members = type_members_near(at, within, &count),
				    *member = array_find(i, members, count,
							 field_member_has(at, &members[i], within));

		generic |= lock_shape_is_argument(lock, at);
		if (!member)
			return generic;
		within -= member->offset;
		at = lock_shape_element(type_strip(member->type), &within, NULL);
	}
	at = type_is_pointer(at) ? type_strip(type_target(at)) : at;
	if (type_is_record(at) && generic)
		members_each (member, type_members, at)
			if (field_same_type(member->type, lock)) {
				*type = at;
				*offset = member->offset;
			}
	return generic;
}

void lock_shape_add(struct strbuf *text, const struct type *type, int64_t offset,
		    const struct lock_shape *lock)
{
	const struct type *bare = lock_shape_element(type_strip(type), &offset, text);
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	if (lock_shape_is(bare, lock))
		return;
	const struct type *found =
		type_is_record(bare) ? lock_shape_find(bare, offset, lock, &path) : NULL;

	if (found && is_library_around(bare, found) && !strchr(path.data, '['))
		return;
	if (found)
		strbuf_add_format(text, ".%s", path.data);
	else if (offset)
		strbuf_add_format(text, "+0x%" PRIx64, offset);
}

const struct member *lock_shape_array(const struct type *record, const struct lock_shape *lock)
{
	const struct member *found = NULL;

	members_each (member, type_members, record) {
		const struct type *type = type_strip(member->type);
		int64_t within = 0;

		if (type->kind != TYPE_ARRAY || !member->name ||
		    !lock_shape_is(lock_shape_element(type, &within, NULL), lock))
			continue;
		if (found)
			return NULL;
		found = member;
	}
	return found;
}

const char *lock_captured_variable(const struct type *record, int64_t offset)
{
	for (unsigned int depth = 0; type_is_record(record) && depth < TYPE_DEPTH_MAX; depth++) {
		size_t count;
		const struct member *members = type_members_near(record, offset, &count),
				    *member = array_find(
					    i, members, count,
					    field_member_has(record, &members[i], offset));
		bool closure = !record->name || starts_with(record->name, "<lambda");

		if (!member)
			return NULL;
		record = type_strip(member->type);
		offset -= member->offset;
		if (closure && record->kind == TYPE_REFERENCE && member->name)
			return member->name + 2 * starts_with(member->name, "__");
	}
	return NULL;
}
