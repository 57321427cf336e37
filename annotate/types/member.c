// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The member that an offset falls in: see member.h.
 *
 * Debug information may be damaged, and a record that contains itself would never end. So each walk
 * down has a limit of depth, and the search for an alternative of a union by its size has a limit
 * of steps.
 */
#include "annotate/types/member.h"

#include <inttypes.h>
#include <strings.h>

#include "annotate/types/field.h"
#include "annotate/types/flexible_array.h"
#include "annotate/types/union_member.h"
#include "base/memory.h"
#include "base/text.h"

#define DEPTH_MAX      64
#define DIMENSIONS_MAX 32
#define STEPS_MAX      20000
#define LINES_MAX      200000

/* Returns the record that lies in `type`, itself or as elements of an array, or NULL; *offset
 * becomes the offset in the (first) record. */
static const struct type *record_within(const struct type *type, int64_t *offset)
{
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		type = type_strip(type);
		if (type_is_record(type))
			return type;
		if (type->kind != TYPE_ARRAY)
			return NULL;
		type = type_target(type);

		uint64_t size = type_size_or(type, 0);

		if (size && *offset >= 0)
			*offset %= size;
	}
	return NULL;
}

bool member_bits_adjoin(int64_t offset, uint32_t bit_offset, uint32_t bit_size, int64_t next_offset,
			uint32_t next_bit_offset)
{
	int64_t end = offset * 8 + bit_offset + bit_size, next = next_offset * 8 + next_bit_offset;

	return next >= end && next < end + 8 && next % 64;
}

static bool member_adjoin(const struct member *member, const struct member *next)
{
	return member->bit_size && next->bit_size && member->name && next->name &&
	       member_bits_adjoin(member->offset, member->bit_offset, member->bit_size,
				  next->offset, next->bit_offset);
}

static bool member_holds(const struct member *member, int64_t offset,
			 const struct member_search *search)
{
	if (member->bit_size && search->bits)
		return field_bits_overlap(member->offset, member->bit_offset, member->bit_size,
					  offset, search->bits);
	offset = member_first_byte(offset, search->bits);
	return (uint64_t)(offset - member->offset) < member->size;
}

/* Appends a name to the path that begins at `start`. */
static void add_name(const char *name, size_t start, struct strbuf *buffer)
{
	if (!name)
		return;
	if (buffer->length > start)
		strbuf_add_char(buffer, '.');
	strbuf_add_string(buffer, name);
}

void member_names_add(struct member_names *names, const char *name)
{
	names->first = names->first ?: name;
	names->last = name;
	strbuf_add_format(names->to, "%s%s", names->count++ ? ", " : "", name);
}

void member_names_end(struct member_names *names, bool each)
{
	if (names->count < 2 || (each && names->count <= MEMBER_NAMES_MAX))
		return;
	strbuf_truncate(names->to, names->start);
	strbuf_add_format(names->to, "%s..%s", names->first, names->last);
}

/* Appends the names of the bitfields that the access uses, of which `first` is the first. */
static void add_bitfields(const struct type *record, const struct member *first, int64_t offset,
			  const struct member_search *search, size_t start, struct strbuf *buffer)
{
	size_t count;
	const struct member *members = type_members(record, &count), *end = first + 1;
	struct member_search whole = *search;

	if (!whole.bits)
		whole.bits = low_bits(8 * (unsigned int)(whole.size ? whole.size : 1));
	for (const struct member *member = end; member < members + count; member++)
		if (record->kind != TYPE_UNION && member->bit_size && member->name &&
		    member_holds(member, offset, &whole))
			end = member + 1;
	while (search->any_bits && first > members && member_adjoin(first - 1, first))
		first--;
	while (search->any_bits && end < members + count && member_adjoin(end - 1, end))
		end++;
	if (buffer->length > start)
		strbuf_add_char(buffer, '.');
	struct member_names names = { .to = buffer, .start = buffer->length };

	for (const struct member *member = first; member < end; member++)
		if (member == first || member == end - 1 ||
		    (member->bit_size && member->name && member_holds(member, offset, &whole)))
			member_names_add(&names, member->name);
	member_names_end(&names, search->bits && !search->any_bits);
}

static const struct member *choose_member(const struct type *record, int64_t offset,
					  struct member_search *search, int depth);

/* Returns the offset in the element that has the offset; an array's elements may have no size. */
static int64_t within_element(const struct type *element, int64_t offset)
{
	int64_t size = (int64_t)type_size_or(element, 0);

	return size ? offset % size : offset;
}

/* Returns the size of the scalar at `offset` of `type`; 0: none. */
static uint64_t scalar_size(const struct type *type, int64_t offset, struct member_search *search,
			    int depth)
{
	type = type_strip(type);
	while (type->kind == TYPE_ARRAY && depth++ < DEPTH_MAX) {
		type = type_strip(type_target(type));
		offset = within_element(type, offset);
	}
	if (!type_is_record(type))
		return type->kind == TYPE_ARRAY || offset ? 0 : type_size_or(type, 0);

	const struct member *member = choose_member(type, offset, search, depth + 1);

	return member ? scalar_size(member->type, offset - member->offset, search, depth + 1) : 0;
}

bool member_has_flexible_end(const struct type *type)
{
	const struct type *bare = type_strip(type);

	return bare->kind == TYPE_ARRAY ? !type_size_or(bare, 0)
					: type_is_record(bare) && flexible_element(bare);
}

/* Returns the member at the record's end that goes on to `offset`; of a union's, the first with a
 * scalar of the right size there, or else the last. */
static const struct member *flexible_member(const struct type *record, int64_t offset,
					    struct member_search *search, int depth)
{
	const struct member *last = NULL;

	members_each (member, type_members, record) {
		int64_t within = offset - member->offset;

		if ((last && member->offset < last->offset) || within < 0 ||
		    (record->kind == TYPE_UNION && !member_has_flexible_end(member->type)))
			continue;
		if (record->kind == TYPE_UNION && search->size && depth < DEPTH_MAX &&
		    search->steps++ < STEPS_MAX &&
		    scalar_size(member->type, within, search, depth + 1) == search->size)
			return member;
		last = member;
	}
	return last && member_has_flexible_end(last->type) ? last : NULL;
}

/* ---- variants of Rust's enums */

/* True if the type has more than padding at the byte `offset`. */
static bool has_data(const struct type *type, int64_t offset, struct member_search *search,
		     int depth)
{
	size_t count;

	type = type_strip(type);
	while (type->kind == TYPE_ARRAY && depth++ < DEPTH_MAX) {
		type = type_strip(type_target(type));
		offset = within_element(type, offset);
	}
	if (!type_is_record(type) || depth >= DEPTH_MAX || search->steps++ >= STEPS_MAX)
		return offset >= 0 && (uint64_t)offset < type_size_or(type, 1);
	const struct member *members = type_members_near(type, offset, &count);

	return any_of(
		i, 0, count,
		(uint64_t)(offset - members[i].offset) < members[i].size &&
			has_data(members[i].type, offset - members[i].offset, search, depth + 1));
}

/* Returns the only member of a variant with the byte `offset`; NULL: there is none, or several. */
static const struct member *only_member(const struct member *variant, int64_t offset)
{
	size_t count;
	const struct type *record = type_strip(variant->type);
	const struct member *found = NULL,
			    *members = type_is_record(record) ? type_members(record, &count) : NULL;

	for (size_t i = 0; members && i < count; i++) {
		if ((uint64_t)(offset - members[i].offset) >= members[i].size)
			continue;
		if (found)
			return NULL;
		found = &members[i];
	}
	return found;
}

/* True if the members of two variants are the same except for the variant: async functions keep
 * what they captured in each of their states. */
static bool is_common(const struct member *a, const struct member *b)
{
	return a && b && a->name && b->name && strcmp(a->name, b->name) == 0 &&
	       a->offset == b->offset && type_canonical(a->type) == type_canonical(b->type);
}

/* True if the access is known to be to this variant. */
static bool member_is_known_variant(const struct member_search *search,
				    const struct member *variant)
{
	return search->variants &&
	       any_of(i, 0, ACCESS_VARIANTS,
		      search->variants[i] && search->variants[i] == type_canonical(variant->type));
}

/* Counts the variants with the byte `offset`. */
static size_t count_variants(const struct type *record, int64_t offset,
			     struct member_search *search)
{
	size_t found = 0;

	members_each (member, type_members, record)
		found += member->is_variant &&
			 has_data(member->type, offset - member->offset, search, 0);
	return found;
}

/*
 * Returns the member of an enum that has the byte `offset`: the variant that is known; else the
 * discriminant; else the one variant that has the byte, or a member that all those variants share.
 * NULL: it depends on the variant.
 */
static const struct member *choose_variant(const struct type *record, int64_t offset,
					   struct member_search *search)
{
	size_t count, found = 0;
	const struct member *members = type_members(record, &count);
	const struct member *discriminant = NULL, *only = NULL, *common = NULL;

	array_each (const struct member, member, members, count) {
		if (!member->is_variant) {
			if (member_holds(member, offset, search))
				discriminant = member;
			continue;
		}
		if (!has_data(member->type, offset - member->offset, search, 0))
			continue;
		if (member_is_known_variant(search, member))
			return member;
		const struct member *inner = member->offset ? NULL : only_member(member, offset);

		common = !found || is_common(common, inner) ? inner : NULL;
		only = member;
		found++;
	}
	if (discriminant)
		return discriminant;
	return found == 1 ? only : common;
}

/* ---- std::variant */

/* True for the unions in which libstdc++ and libc++ keep the alternatives of a std::variant. One
 * member is the first alternative, another has all further ones. */
static bool is_storage_of_variant(const struct type *record)
{
	return record->kind == TYPE_UNION && record->name && starts_with(record->name, "std::") &&
	       (strstr(record->name, "__variant::_Variadic_union<") ||
		strstr(record->name, "__variant_detail::__union<"));
}

/* True if more than one alternative of a std::variant has the byte `offset`: the type does not say
 * which one is alive. */
static bool alternatives_overlap(const struct type *record, int64_t offset,
				 struct member_search *search)
{
	size_t found = 0;

	/* libc++ adds a character, which is never used */
	members_each (member, type_members, record)
		found += member->name && strcmp(member->name, "__dummy") != 0 &&
			 has_data(member->type, offset - member->offset, search, 0);
	return found > 1;
}

/* Returns the member that `offset` falls in. If several overlap there (unions, empty bases,
 * bitfields): the first with a scalar of the right size, else the first with any scalar, else the
 * first. NULL: there is none, or that depends on an enum's or std::variant's alternative. */
static const struct member *choose_member(const struct type *record, int64_t offset,
					  struct member_search *search, int depth)
{
	size_t count;
	/* the bits may belong to members after the byte */
	const struct member *members = search->bits ? type_members(record, &count)
						    : type_members_near(record, offset, &count);
	const struct member *first = NULL, *with_scalar = NULL;
	bool several = false, variants = false;

	if (depth >= DEPTH_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (!member_holds(&members[i], offset, search) ||
		    (first && (first->bit_size || members[i].bit_size) &&
		     record->kind != TYPE_UNION))
			continue;
		several = several || first;
		variants = variants ||
			   (members[i].is_variant && type_is_record(type_strip(members[i].type)));
		if (!first)
			first = &members[i];
	}
	if (!first)
		return flexible_member(record, offset, search, depth);
	if (!several)
		return first;
	if (variants)
		return choose_variant(record, offset, search);
	if (is_storage_of_variant(record) && alternatives_overlap(record, offset, search))
		return NULL;
	for (const struct member *member = first;
	     member < members + count && search->steps < STEPS_MAX; member++) {
		if (!member_holds(member, offset, search))
			continue;
		search->steps++;

		uint64_t size = member->bit_size
					? member->size
					: scalar_size(member->type, offset - member->offset, search,
						      depth + 1);

		if (size && size == search->size)
			return member;
		if (size && !with_scalar)
			with_scalar = member;
	}
	return with_scalar ? with_scalar : first;
}

const struct member *member_of_union(const struct type *record, int64_t offset,
				     struct member_search *search)
{
	const struct union_place place = { record, offset, search->bits, 0 };

	if (!search->candidates && is_storage_of_variant(record))
		return choose_member(record, offset, search, 0);
	if (!search->place.type) {
		const struct union_evidence evidence = { .size = search->size };

		search->place = place;
		if (!search->candidates)
			search->candidates = union_fit(&place, &evidence);
	}
	struct union_ranges ranges;

	union_ranges_find(&place, &ranges);
	return union_choose(&ranges, search->candidates, &search->first);
}

/* Takes one step of an access's path down into a record: returns the member, or NULL where the path
 * ends. */
static const struct member *next_member(const struct type *record, int64_t offset,
					struct member_search *search)
{
	return record->kind == TYPE_UNION ? member_of_union(record, offset, search)
					  : choose_member(record, offset, search, 0);
}

/* Returns the name of a member; NULL: it has none. What says which variant an enum has is without a
 * name in the debug information. */
static const char *member_name_of(const struct member *member)
{
	int64_t offset = 0;

	if (member->name || !member->is_artificial || record_within(member->type, &offset))
		return member->name;
	return "(discriminant)";
}

/* True if an overlay fits into the member that an access at `offset` of a record goes to. */
static bool member_has_room(const struct member *member, int64_t offset,
			    const struct access_overlay *overlay)
{
	int64_t start = offset - overlay->offset - member->offset;

	return start >= 0 && (!member->size || start + (int64_t)type_size_or(overlay->type, 0) <=
						       (int64_t)member->size);
}

/* Appends the names that all candidates in a union have in common. */
static void add_common_names(const struct type *record, int64_t offset,
			     const struct member_search *search, size_t start,
			     struct strbuf *buffer)
{
	const struct union_place place = { record, offset, search->bits, 0 };
	const char *outer = NULL, *name = NULL;

	if (search->place.type && search->first < UNION_CANDIDATES_MAX)
		name = union_common_name(&place, search->candidates >> search->first, &outer);
	add_name(name ? outer : NULL, start, buffer);
	add_name(name, start, buffer);
}

/* Appends the names of the members on the way to the offset, but for those in an overlay's place.
 * `start` is where the path begins. */
static void add_path(const struct type *type, int64_t offset, struct member_search search,
		     const struct access_overlay *overlay, size_t start, struct strbuf *buffer)
{
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		const struct type *record = record_within(type, &offset);
		const struct member *open =
			record ? flexible_in_middle(record, offset, search.stride) : NULL;

		if (open && field_in_array(record, offset, search.stride, ARRAY_WITH_SIZE))
			break;
		const struct member *member = open     ? open
					      : record ? next_member(record, offset, &search)
						       : NULL;

		if (!overlay->type && !member && record && record->kind == TYPE_UNION)
			add_common_names(record, offset, &search, start, buffer);
		if (!member || (overlay->type && !member_has_room(member, offset, overlay)))
			break;
		const char *name = member_name_of(member);

		/* a niche is also the data of another variant */
		if (!member->name && name && count_variants(record, offset, &search))
			name = NULL;
		if (member->bit_size && member->name)
			add_bitfields(record, member, offset, &search, start, buffer);
		else
			add_name(name, start, buffer);
		if (member->bit_size)
			break;
		type = member->type;
		offset -= member->offset;
		if (member->name && member_is_whole(&search, type, offset))
			break;
	}
}

static const struct access_overlay no_overlay;

/* Appends the path of an access without an overlay. False: it has no member. */
static bool path_of(const struct type *type, int64_t offset, struct member_search search,
		    struct strbuf *buffer)
{
	size_t start = buffer->length;

	add_path(type, offset, search, &no_overlay, start, buffer);
	return buffer->length > start;
}

bool member_path(const struct type *type, int64_t offset, uint64_t size, struct strbuf *buffer)
{
	return path_of(type, offset, (struct member_search){ .size = size }, buffer);
}

bool access_member_path(const struct access *access, struct strbuf *buffer)
{
	size_t start = buffer->length;
	const struct access_overlay *overlay = &access->overlay;
	struct member_search search = { .size = access->size,
					.whole = !access->size && !access->range,
					.bits = access->bits,
					.any_bits = access->any_bits,
					.variants = access->variants,
					.candidates = access->union_candidates,
					.stride = access->indexed ? access->stride : 0 };

	add_path(access->type, access->offset, search, overlay, start, buffer);
	search.candidates = overlay->candidates;
	search.stride = 0;
	if (overlay->type && !access_other_member(access))
		add_path(overlay->type, overlay->offset, search, &no_overlay, start, buffer);
	return buffer->length > start;
}

/* The most bytes of padding at the end of a record: compilers do not copy them. */
#define PADDING_MAX 7

/* Returns the one member that has the bytes; NULL: there is none, or there are several. */
static const struct member *member_around(const struct type *record, int64_t offset, uint64_t size)
{
	const struct member *found = NULL;

	members_each (member, type_members_within, record, offset, size) {
		if (member->bit_size || offset < member->offset ||
		    (uint64_t)(offset - member->offset) + size > member->size)
			continue;
		if (found)
			return NULL;
		found = member;
	}
	return found;
}

/* True if `size` bytes are all of a type, but for padding at its end, perhaps that of its last
 * member. */
static bool part_is_whole(const struct type *type, uint64_t size)
{
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		const struct type *bare = type_strip(type);
		uint64_t own = type_size_or(bare, 0);
		size_t count;

		if (own == size)
			return true;
		if (own < size || own - size > PADDING_MAX || !type_is_record(bare))
			return false;
		const struct member *members = type_members_within(bare, (int64_t)size, own - size,
								   &count),
				    *last = NULL;

		for (size_t i = 0; i < count; i++) {
			if (members[i].offset + (int64_t)members[i].size <= (int64_t)size)
				continue;
			if (last || members[i].offset >= (int64_t)size)
				return false;
			last = &members[i];
		}
		if (!last)
			return true;
		type = last->type;
		size -= (uint64_t)last->offset;
	}
	return false;
}

bool member_part_find(const struct type *type, int64_t offset, uint64_t size,
		      struct member_part *part, struct strbuf *path)
{
	struct member_part record = { .count = 1 };
	size_t start = path->length, end = start;
	bool element = true; /* `type` may be one of several */

	for (int depth = 0; depth < DEPTH_MAX && offset >= 0 && size; depth++) {
		const struct type *bare = type_strip(type);
		uint64_t own = type_size_or(bare, 0), within = own ? (uint64_t)offset % own : 0;

		/* C11 6.7.2.1: a type with a flexible array is no element of an array */
		element = element && own && !member_has_flexible_end(bare);
		if (element)
			offset = (int64_t)within;
		if (!offset && part_is_whole(type, size)) {
			*part = (struct member_part){ type_canonical(type), 1, 0, true };
			return true;
		}
		if (element && within + size > own) {
			if (within || size % own)
				break;
			*part = (struct member_part){ type_canonical(type), size / own, 0, true };
			return true;
		}
		element = bare->kind == TYPE_ARRAY;
		if (element) {
			type = type_target(bare);
			continue;
		}
		if (!type_is_record(bare) || !own)
			break;
		record.type = type_canonical(type);
		record.offset = offset;
		end = path->length;
		const struct member *member = member_around(bare, offset, size);

		if (!member)
			break;
		if (member->name)
			strbuf_add_format(path, "%s%s", path->length > start ? "." : "",
					  member->name);
		type = member->type;
		offset -= member->offset;
	}
	strbuf_truncate(path, end);
	*part = record;
	return record.type;
}

bool access_is_to_all_bytes(const struct access *access)
{
	return access->size && !access->range && !access->any_bits &&
	       (!access->bits || access->bits == low_bits(8U * access->size));
}

/* Replaces what follows `start` by the names of all members in the first `size` bytes of a part.
 * False: some have no names, or they are in an array without a size. */
static bool name_members_within(const struct member_part *part, uint64_t size, size_t start,
				struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;
	struct member_names names = { .to = &list };

	members_each (member, type_members_within, type_strip(part->type), part->offset, size) {
		if (member->offset + (int64_t)member->size <= part->offset ||
		    member->offset >= part->offset + (int64_t)size)
			continue;
		if (!member->name)
			return false;
		member_names_add(&names, member->name);
	}
	if (!names.count)
		return false;
	member_names_end(&names, true);
	strbuf_truncate(buffer, start);
	strbuf_add_string(buffer, list.data ?: "");
	return true;
}

bool access_members_path(const struct access *access, struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf last = STRBUF_INIT, around = STRBUF_INIT;
	const size_t start = buffer->length;
	const bool found = access_member_path(access, buffer);
	const struct member_search byte = { .stride = access->indexed ? access->stride : 0 };
	const int64_t last_byte = access->offset + access->size - 1;
	struct member_part part;
	int64_t end = last_byte;

	/* the members of a union are told apart by the access alone */
	if (!found || access->size < 2 || access->overlay.type || access->variants[0] ||
	    !access_is_to_all_bytes(access) ||
	    union_outermost(access->type, access->offset, 0).type)
		return found;
	/* padding has no member */
	while (!path_of(access->type, end, byte, &last) && end > access->offset)
		end--;
	const char *first = buffer->data + start;

	if (strcmp(first, last.data ?: first) == 0 ||
	    union_outermost(access->type, last_byte, 0).type ||
	    !member_part_find(access->type, access->offset, access->size, &part, &around))
		return true;
	const size_t named = around.length ? around.length + 1 : 0;

	if (part.whole && around.length) {
		strbuf_truncate(buffer, start);
		strbuf_add_string(buffer, around.data);
		return true;
	}
	if (strlen(first) <= named || last.length <= named || strncmp(first, last.data, named) != 0)
		return true;
	if (name_members_within(&part, access->size, start + named, buffer))
		return true;
	const char *end_name = last.data + named;
	const size_t length = strcspn(first + named, "."), end_length = strcspn(end_name, ".");

	strbuf_truncate(buffer, start + named + length);
	if (length != end_length || strncmp(first + named, end_name, length) != 0)
		strbuf_add_format(buffer, "..%.*s", (int)end_length, end_name);
	return true;
}

/* Takes the element of an array; false if it is no record, or if the access begins before it. */
static bool is_in_record(struct access_records *records)
{
	for (int depth = 0; depth < DEPTH_MAX && type_strip(records->type)->kind == TYPE_ARRAY &&
			    records->offset >= 0;
	     depth++) {
		records->type = type_target(type_strip(records->type));
		records->offset = within_element(records->type, records->offset);
	}
	records->type = type_canonical(records->type);
	return type_is_record(type_strip(records->type)) && records->offset >= 0;
}

uint32_t access_other_member(const struct access *access)
{
	return access->overlay.type && !type_is_record(type_strip(access->type)) ? access->stride
										 : 0;
}

bool access_records_begin(const struct access *access, struct access_records *records)
{
	*records = (struct access_records){ .type = access->type,
					    .offset = access->offset,
					    .search = { .size = access->size,
							.bits = access->bits,
							.any_bits = access->any_bits,
							.variants = access->variants,
							.candidates = access->union_candidates } };
	return is_in_record(records);
}

bool access_records_next(struct access_records *records)
{
	const struct member *member =
		next_member(type_strip(records->type), records->offset, &records->search);

	if (!member || member->bit_size || records->depth++ >= DEPTH_MAX)
		return false;
	records->member = member;
	records->type = member->type;
	records->offset -= member->offset;
	return is_in_record(records);
}

bool member_open_enum(const struct access *access, struct member_enum *found)
{
	struct member_search search = { .size = access->size,
					.bits = access->bits,
					.variants = access->variants,
					.candidates = access->union_candidates };
	const struct type *type = access->type;
	int64_t offset = access->offset;

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		const struct type *record = record_within(type, &offset);
		const struct member *member = record ? next_member(record, offset, &search) : NULL;

		if (!record || (member && member->bit_size))
			return false;
		if ((!member || !member->is_variant) &&
		    count_variants(record, offset, &search) > 1) {
			*found = (struct member_enum){ record, offset };
			return true;
		}
		if (!member)
			return false;
		type = member->type;
		offset -= member->offset;
	}
	return false;
}

/* Returns the size of one element of an array; 0: `type` is no array. */
static uint64_t member_element_size(const struct type *type)
{
	type = type_strip(type);
	if (type->kind != TYPE_ARRAY)
		return 0;
	for (int depth = 0; type->kind == TYPE_ARRAY && depth < DEPTH_MAX; depth++)
		type = type_strip(type_target(type));
	return type_size_or(type, 0);
}

/* Lists the dimensions of an array and of the arrays in it, the outermost first. */
static size_t all_dimensions(const struct type *type, uint64_t *all)
{
	size_t found = 0, count;

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		type = type_strip(type);
		if (type->kind != TYPE_ARRAY)
			break;

		const uint64_t *dimensions = type_array_dimensions(type, &count);

		for (size_t i = 0; i < count && found < DIMENSIONS_MAX; i++)
			all[found++] = dimensions[i];
		type = type_target(type);
	}
	return found;
}

void member_element(const struct type *array, int64_t element, struct strbuf *buffer)
{
	uint64_t dimensions[DIMENSIONS_MAX], index[DIMENSIONS_MAX];
	size_t count = all_dimensions(array, dimensions);
	uint64_t rest = (uint64_t)element;

	/* the outermost dimension takes what is left: it may have no bound */
	for (size_t i = count; i-- > 0; rest /= i && dimensions[i] ? dimensions[i] : 1)
		index[i] = i && dimensions[i] ? rest % dimensions[i] : rest;
	for (size_t i = 0; i < count; i++) {
		if (element < 0)
			strbuf_add_string(buffer, "[*]");
		else
			strbuf_add_format(buffer, "[%" PRIu64 "]", index[i]);
	}
}

struct line_list {
	struct member_line *lines;
	size_t count;
	size_t capacity;
};

/* Adds the members of a record, and those of the records in it, unless these would be more lines
 * than anybody reads: then a line stands for all in it. */
static void add_lines(struct line_list *list, const struct type *record, int64_t base,
		      uint32_t depth)
{
	bool vast = type_is_vast(record);
	size_t count;
	const struct member *members = type_members(record, &count);

	for (size_t i = 0; i < count && list->count < LINES_MAX; i++) {
		const struct member *member = &members[i];
		int64_t offset = 0;
		const struct type *inner =
			depth < DEPTH_MAX && !vast ? record_within(member->type, &offset) : NULL;

		array_add(list->lines, list->count, list->capacity) = (struct member_line){
			.type = member->type,
			.name = member_name_of(member),
			.offset = base + member->offset,
			.size = member->size,
			.bit_offset = member->bit_offset,
			.bit_size = member->bit_size,
			.depth = depth,
			.element_size = member_element_size(member->type),
			.has_members = inner,
			.is_base = member->is_base,
			.is_variant = member->is_variant,
			.is_discriminant = member->is_artificial && !member->name && !inner,
		};
		if (inner)
			add_lines(list, inner, base + member->offset, depth + 1);
	}
}

void member_lines(const struct type *type, struct member_line **lines, size_t *count)
{
	struct line_list list = { 0 };
	int64_t offset = 0;
	const struct type *record = record_within(type, &offset);

	array_add(list.lines, list.count, list.capacity) =
		(struct member_line){ .type = type,
				      .size = type_size_or(type, 0),
				      .element_size = member_element_size(type),
				      .has_members = record };
	if (record)
		add_lines(&list, record, 0, 1);
	list.lines[0].has_members = list.count > 1;
	*lines = list.lines;
	*count = list.count;
}

/* ---- names */

bool member_is_named(const char *text, const char *name)
{
	name += strspn(name, "_");
	name += starts_with(name, "m_") ? 2 : 0;
	size_t length = strlen(name);

	while (length && name[length - 1] == '_')
		length--;
	return length && strncasecmp(text, name, length) == 0 && !text[length];
}

/* True if a text is the member's name, or that of the member around it and the member's. */
static bool is_named_in(const char *text, const char *outer, const char *name)
{
	const size_t length = outer ? strlen(outer) : 0;

	return member_is_named(text, name) ||
	       (length && strncasecmp(text, outer, length) == 0 && text[length] == '_' &&
		member_is_named(text + length + 1, name));
}

bool member_is_accessor(const char *function, const char *outer, const char *name)
{
	static const char *const verbs[] = { "get_", "set_", "get", "set", "mutable_", "" };

	function += strspn(function, "_");
	for (size_t i = 0; i < COUNT_OF(verbs); i++)
		if (starts_with(function, verbs[i]) &&
		    member_is_named(function + strlen(verbs[i]), name))
			return true;
	while ((function = strchr(function, '_')) && *++function)
		if ((starts_with(function, "get_") || starts_with(function, "set_")) &&
		    is_named_in(function + strlen("get_"), outer, name))
			return true;
	return false;
}
