// SPDX-License-Identifier: GPL-2.0-or-later
/* Accesses by type and offset, and the lines of an annotated type: see histogram.h. */
#include "annotate/types/histogram.h"

#include "annotate/types/field.h"
#include "base/memory.h"

struct histograms *histograms_create(uint32_t event_count)
{
	struct histograms *histograms = xcalloc(1, sizeof(*histograms));

	histograms->event_count = event_count;
	return histograms;
}

void histograms_destroy(struct histograms *histograms)
{
	if (!histograms)
		return;
	for (size_t i = 0; i < histograms->count; i++) {
		free_all(histograms->items[i].totals, histograms->items[i].spots,
			 histograms->items[i].counts);
	}
	free(histograms->items);
	hash_index_deinit(&histograms->by_type);
	free(histograms);
}

static struct histogram *find_or_create(struct histograms *histograms, const void *object,
					const struct type *type)
{
	uint64_t hash = hash_combine((uintptr_t)object, (uintptr_t)type);

	hash_index_each (i, &histograms->by_type, hash)
		if (histograms->items[i].object == object && histograms->items[i].type == type)
			return &histograms->items[i];
	hash_index_add(&histograms->by_type, hash, histograms->count);

	struct histogram *item =
		&array_add(histograms->items, histograms->count, histograms->capacity);

	*item = (struct histogram){ .type = type,
				    .object = object,
				    .totals = xcalloc(histograms->event_count,
						      sizeof(*item->totals)) };
	return item;
}

static uint32_t variant_number(const struct access_spot *spot, size_t i)
{
	return spot->variants[i] ? spot->variants[i]->id + 1 : 0;
}

/* Orders by offset; the other properties only tell spots apart. */
_Static_assert(ACCESS_VARIANTS == 2, "compare_spots() looks at each");
COMPARISON(compare_spots, struct access_spot,
	   ASCENDING(offset) ASCENDING(bits) ASCENDING(any_bits) ASCENDING(range)
		   ASCENDING(span.size) ASCENDING(span.offset) ASCENDING(size)
			   ASCENDING(union_candidates) BY(variant_number(a, 0),
							  variant_number(b, 0))
				   BY(variant_number(a, 1), variant_number(b, 1))
					   BY((uintptr_t)a->by.symbol, (uintptr_t)b->by.symbol)
						   ASCENDING(by.thread))

/* Returns the index of the first spot that is not below `spot`. */
static size_t spot_index(const struct histogram *histogram, const struct access_spot *spot)
{
	return partition_point(0, histogram->spot_count, i,
			       compare_spots(&histogram->spots[i], spot) < 0);
}

static struct access_count *counts_at(struct histogram *histogram, const struct access_spot *spot,
				      uint32_t event_count)
{
	size_t index = spot_index(histogram, spot), capacity = histogram->spot_capacity;

	if (index < histogram->spot_count && compare_spots(&histogram->spots[index], spot) == 0)
		return histogram->counts + index * event_count;
	array_reserve(histogram->spots, histogram->spot_count, histogram->spot_capacity);
	if (capacity != histogram->spot_capacity)
		histogram->counts = xrealloc_array(histogram->counts, histogram->spot_capacity,
						   event_count * sizeof(*histogram->counts));

	size_t after = histogram->spot_count++ - index;
	struct access_count *counts = histogram->counts + index * event_count;

	memmove(histogram->spots + index + 1, histogram->spots + index,
		after * sizeof(*histogram->spots));
	memmove(counts + event_count, counts, after * event_count * sizeof(*counts));
	histogram->spots[index] = *spot;
	memset(counts, 0, event_count * sizeof(*counts));
	return counts;
}

void histograms_add(struct histograms *histograms, const void *object, const struct access *access,
		    const struct access_span *span, struct accessor by, uint32_t event,
		    const struct access_count *count)
{
	struct histogram *histogram = find_or_create(histograms, object, access->type);
	struct access_spot spot = { .offset = span->size ? access->offset : span->offset,
				    .bits = access->bits,
				    .union_candidates = access->union_candidates,
				    .size = access->size,
				    .any_bits = access->any_bits,
				    .span = *span,
				    .range = access->range != 0,
				    .by = by };

	memcpy(spot.variants, access->variants, sizeof(spot.variants));
	histogram->samples += count->samples;
	access_count_add(&histogram->totals[event], count);
	access_count_add(&counts_at(histogram, &spot, histograms->event_count)[event], count);
}

/* Adds the counts of a spot to a histogram, by event. Returns their samples. */
static uint64_t add_spot(struct histograms *histograms, const void *object, const struct type *type,
			 const struct access_spot *spot, const struct access_count *counts)
{
	struct histogram *histogram = find_or_create(histograms, object, type);
	struct access_count *sums = counts_at(histogram, spot, histograms->event_count);
	uint64_t samples = 0;

	for (uint32_t event = 0; event < histograms->event_count; event++) {
		access_count_add(&sums[event], &counts[event]);
		access_count_add(&histogram->totals[event], &counts[event]);
		samples += counts[event].samples;
	}
	histogram->samples += samples;
	return samples;
}

/* Returns the spot as one of the record that the access goes into on its way. */
static struct access_spot spot_within(const struct access_spot *spot,
				      const struct access_records *records)
{
	struct access_spot inner = *spot;
	int64_t start = spot->span.offset - (spot->offset - records->offset);
	uint64_t size = type_size_or(type_strip(records->type), 0);

	inner.offset = records->offset;
	/* candidates are counted from the outermost union on */
	if (records->search.place.type)
		inner.union_candidates = records->search.candidates >> records->search.first;
	/* an index among the elements does not move within one */
	if (!spot->span.size || start < 0 || (uint64_t)start + spot->span.size > size)
		inner.span = (struct access_span){ records->offset, 0 };
	else
		inner.span.offset = start;
	return inner;
}

/* Adds one spot to the histograms of the chosen records that it is in. */
static void add_spot_parts(struct histograms *histograms, const void *object,
			   const struct type *type, const struct access_spot *spot,
			   const struct access_count *counts, const struct part_choice *choice)
{
	struct access access = { .kind = ACCESS_TYPE,
				 .type = type,
				 .offset = spot->offset,
				 .size = spot->size,
				 .bits = spot->bits,
				 .any_bits = spot->any_bits,
				 .union_candidates = spot->union_candidates };
	struct access_records records;
	_cleanup_strbuf_ struct strbuf field = STRBUF_INIT;

	memcpy(access.variants, spot->variants, sizeof(access.variants));
	for (bool found = access_records_begin(&access, &records); found;
	     found = access_records_next(&records)) {
		struct access_spot inner;

		if (!records.member)
			continue;
		if (records.member->name)
			strbuf_add_format(&field, "%s%s", field.length ? "." : "",
					  records.member->name);
		if (!choice->counts(choice->data, records.type))
			continue;
		inner = spot_within(spot, &records);
		choice->found(choice->data, records.type, field.data ? field.data : "",
			      add_spot(histograms, object, records.type, &inner, counts));
	}
}

void histograms_add_parts(struct histograms *histograms, const struct histogram *whole,
			  const struct part_choice *choice)
{
	const struct histogram from = *whole; /* which adding may move */

	for (size_t i = 0; i < from.spot_count; i++)
		if (!from.spots[i].range)
			add_spot_parts(histograms, from.object, from.type, &from.spots[i],
				       &from.counts[i * histograms->event_count], choice);
}

void histograms_merge(struct histograms *histograms, const struct histogram *other)
{
	for (size_t i = 0; i < other->spot_count; i++)
		(void)add_spot(histograms, other->object, other->type, &other->spots[i],
			       &other->counts[i * histograms->event_count]);
}

struct sort_item {
	struct histogram histogram;
	size_t added;
};

COMPARISON(compare_items, struct sort_item,
	   DESCENDING(histogram.samples) BY(strcmp(type_name_interned(a->histogram.type),
						   type_name_interned(b->histogram.type)),
					    0) ASCENDING(added))

void histograms_sort(struct histograms *histograms)
{
	_cleanup_free_ struct sort_item *items = xcalloc(histograms->count, sizeof(*items));

	for (size_t i = 0; i < histograms->count; i++)
		items[i] = (struct sort_item){ .histogram = histograms->items[i], .added = i };
	qsort(items, histograms->count, sizeof(*items), compare_items);
	for (size_t i = 0; i < histograms->count; i++)
		histograms->items[i] = items[i].histogram;
	hash_index_deinit(&histograms->by_type);
	for (uint32_t i = 0; i < histograms->count; i++)
		hash_index_add(&histograms->by_type,
			       hash_combine((uintptr_t)histograms->items[i].object,
					    (uintptr_t)histograms->items[i].type),
			       i);
}

/* ---- lines of an annotated type */

/* A spot that falls in a line. */
struct hit {
	uint32_t line;
	struct accessor by;
	int64_t element;         /* ELEMENT_NONE if elements are not told apart */
	struct access_span span; /* of a place */
	const struct access_count *counts;
};

struct hit_list {
	struct hit *items;
	size_t count, capacity;
};

/* Several bitfields that one access uses: the lines' numbers of the first and the last one. */
struct bitfield_range {
	size_t first, last;
	const char *name; /* of the line for them */
};

struct bitfield_ranges {
	struct bitfield_range *items;
	size_t count, capacity;
};

struct line_counter {
	struct histogram_lines *lines;
	struct access_count *counts; /* NULL: only the units are collected */
	uint32_t event_count;
	struct hit_list leaves, elements, places;
	struct bitfield_ranges units;
};

/* A spot on its way down into members. Within arrays, the offset becomes that in the first element.
 */
struct spot_visit {
	const struct access_spot *spot;
	const struct access_count *counts; /* by event */
	int64_t offset;
	uint64_t size; /* bytes from there on; 0: not known, or only some of their bits count */
	int64_t shift; /* bytes from the first element to the accessed one, of all arrays around */
	bool anywhere; /* the element is not known: the access is somewhere in the spot's span */
	struct member_search search;
};

static void add_hit(struct hit_list *list, size_t line, const struct spot_visit *visit,
		    struct accessor by, int64_t element)
{
	array_add(list->items, list->count, list->capacity) =
		(struct hit){ .line = line, .by = by, .element = element, .counts = visit->counts };
}

/* Counts an access for a line as a whole, at the place of its first byte. */
static void add_leaf(struct line_counter *counter, size_t line, const struct spot_visit *visit)
{
	const struct member_line *member = &counter->lines->lines[line].member;
	struct access_span span = { member->offset + visit->shift, 0 };

	if (member->element_size)
		span.offset = member_first_byte(visit->offset, visit->spot->bits) + visit->shift;
	add_hit(&counter->leaves, line, visit, visit->spot->by, ELEMENT_NONE);
	add_hit(&counter->places, line, visit, (struct accessor){ 0 }, ELEMENT_NONE);
	counter->places.items[counter->places.count - 1].span =
		visit->anywhere ? visit->spot->span : span;
}

static bool line_holds(const struct member_line *line, const struct spot_visit *visit)
{
	int64_t offset = member_first_byte(visit->offset, visit->spot->bits);

	if (line->is_unit)
		return false;
	if (line->bit_size && visit->spot->bits)
		return field_bits_overlap(line->offset, line->bit_offset, line->bit_size,
					  visit->offset, visit->spot->bits);
	return offset >= line->offset && (uint64_t)(offset - line->offset) < line->size;
}

/* Returns the line after `line` and all its members. */
static size_t line_end(const struct histogram_lines *lines, size_t line)
{
	size_t end = line + 1;

	while (end < lines->count &&
	       lines->lines[end].member.depth > lines->lines[line].member.depth)
		end++;
	return end;
}

/* True for a record without data, such as an empty base class: it has a size, but an access there
 * is to something else. */
static bool is_empty(const struct histogram_lines *lines, size_t line)
{
	return all_of(i, line, line_end(lines, line), lines->lines[i].member.has_members);
}

/* True if a line that others may overlap has something there itself. The variants of an enum
 * overlap each other and the discriminant. The padding of a base class, and the place of a virtual
 * base, may have members of the class that inherits it. */
static bool overlaid_holds(const struct histogram_lines *lines, size_t line,
			   const struct spot_visit *visit)
{
	const struct member_line *member = &lines->lines[line].member;

	if (!(member->is_variant || member->is_base) || !member->has_members)
		return true;
	for (size_t i = line + 1, end = line_end(lines, line); i < end; i = line_end(lines, i))
		if (line_holds(&lines->lines[i].member, visit) && overlaid_holds(lines, i, visit))
			return true;
	return false;
}

/* True if the line is the variant of an enum that the access is known to go to. */
static bool histogram_is_known_variant(const struct histogram_lines *lines, size_t line,
				       const struct spot_visit *visit)
{
	const struct member_line *member = &lines->lines[line].member;

	return member->is_variant &&
	       any_of(i, 0, ACCESS_VARIANTS,
		      visit->spot->variants[i] == type_canonical(member->type));
}

/* True if the line is a variant, and the access is known to go to another variant among the members
 * of `parent`. */
static bool is_other_variant(const struct histogram_lines *lines, size_t parent, size_t line,
			     const struct spot_visit *visit)
{
	if (!visit->spot->variants[0] || !lines->lines[line].member.is_variant ||
	    histogram_is_known_variant(lines, line, visit))
		return false;
	for (size_t i = parent + 1, end = line_end(lines, parent); i < end; i = line_end(lines, i))
		if (histogram_is_known_variant(lines, i, visit))
			return true;
	return false;
}

/* True for a member that is no bit-field, no base and no variant of a Rust enum, all of which may
 * share bytes. (A variant of Ada has its members without a record around them.) */
static bool histogram_is_plain(const struct member_line *member)
{
	return !member->bit_size && !member->is_unit && !member->is_base &&
	       !(member->is_variant && member->has_members);
}

/* True if plain members share the accessed byte (records of Ada and Pascal with variants), and the
 * size of the access does not tell that it goes to this one. */
static bool is_disputed(const struct histogram_lines *lines, size_t parent, size_t line,
			const struct spot_visit *visit)
{
	const struct member_line *member = &lines->lines[line].member;
	bool fits = member->size == visit->spot->size;

	for (size_t i = parent + 1, end = line_end(lines, parent);
	     i < end && histogram_is_plain(member); i = line_end(lines, i)) {
		const struct member_line *other = &lines->lines[i].member;

		if (i != line && histogram_is_plain(other) && line_holds(other, visit) &&
		    !is_empty(lines, i) && (!fits || other->size == visit->spot->size))
			return true;
	}
	return false;
}

/* Returns whether the access may be to any element of an array. */
static bool is_anywhere(const struct access_spot *spot, const struct member_line *member)
{
	return spot->span.size && spot->span.offset <= member->offset &&
	       (uint64_t)(member->offset - spot->span.offset) < spot->span.size;
}

/* Returns the record that a line has, as elements of an array or itself; NULL: none. */
static const struct type *record_of(const struct member_line *line)
{
	const struct type *type = type_strip(line->type);

	while (type && type->kind == TYPE_ARRAY)
		type = type_strip(type_target(type));
	return type && type_is_record(type) ? type : NULL;
}

static void histogram_count_members(struct line_counter *counter, size_t parent,
				    const struct spot_visit *visit);
static void count_member(struct line_counter *counter, size_t line, const struct spot_visit *visit);

/* Counts an access for the one member of a union that it goes to. If it may be to several, the
 * union alone has been counted. */
static void count_of_union(struct line_counter *counter, const struct type *record, size_t parent,
			   const struct spot_visit *visit)
{
	struct spot_visit inner = *visit;
	size_t count, end = line_end(counter->lines, parent), line = parent + 1;
	const struct member *members = type_members(record, &count);
	const struct member *chosen = member_of_union(
		record, visit->offset - counter->lines->lines[parent].member.offset, &inner.search);

	if (!chosen) {
		add_leaf(counter, parent, visit);
		return;
	}
	for (const struct member *member = members; member < chosen && line < end; member++)
		line = line_end(counter->lines, line);
	if (line < end)
		count_member(counter, line, &inner);
}

/* Counts an access for a member. All elements of an array of records count as the first one, whose
 * members stand for all. */
static void count_member(struct line_counter *counter, size_t line, const struct spot_visit *visit)
{
	const struct member_line *member = &counter->lines->lines[line].member;
	struct spot_visit inner = *visit;
	int64_t within = visit->offset - member->offset;

	for (uint32_t event = 0; counter->counts && event < counter->event_count; event++)
		access_count_add(&counter->counts[line * counter->event_count + event],
				 &visit->counts[event]);
	if (member->element_size && type_strip(member->type)->kind == TYPE_ARRAY && within >= 0) {
		int64_t element =
			member_first_byte(visit->offset, visit->spot->bits) - member->offset;

		inner.anywhere |= is_anywhere(visit->spot, member);
		add_hit(&counter->elements, line, visit, (struct accessor){ 0 },
			is_anywhere(visit->spot, member) ? ELEMENT_ANY
							 : element / (int64_t)member->element_size);
		element = within % (int64_t)member->element_size;
		/* of several elements, the access is to all of one */
		if (visit->size >= member->element_size)
			element = 0;
		inner.offset = member->offset + element;
		if (visit->size > member->element_size - (uint64_t)element)
			inner.size = member->element_size - (uint64_t)element;
		inner.shift += visit->offset - inner.offset;
	}
	if (member->has_members &&
	    !(line && member->name && member_is_whole(&visit->search, member->type, within)))
		histogram_count_members(counter, line, &inner);
	else
		add_leaf(counter, line, inner.anywhere ? &inner : visit);
}

/* Returns the next line, or with -1 the one before, that is no unit. The first line, the type
 * itself, is none. */
static size_t other_line(const struct histogram_lines *lines, size_t line, int step)
{
	do
		line += (size_t)step;
	while (line < lines->count && lines->lines[line].member.is_unit);
	return line;
}

/* True if the lines are bitfields of one record that are stored together. */
static bool histogram_adjoin(const struct histogram_lines *lines, size_t line, size_t next)
{
	const struct member_line *a = &lines->lines[line].member,
				 *b = next < lines->count ? &lines->lines[next].member : NULL;

	return b && a->depth == b->depth && a->bit_size && b->bit_size && !a->is_unit &&
	       !b->is_unit && a->name && b->name &&
	       member_bits_adjoin(a->offset, a->bit_offset, a->bit_size, b->offset, b->bit_offset);
}

/* Notes that an access uses several bitfields. */
static void add_unit(struct line_counter *counter, const struct bitfield_range *unit)
{
	struct bitfield_ranges *units = &counter->units;

	for (size_t i = 0; i < units->count; i++)
		if (units->items[i].first == unit->first && units->items[i].last == unit->last &&
		    strcmp(units->items[i].name, unit->name) == 0)
			return;
	array_add(units->items, units->count, units->capacity) =
		(struct bitfield_range){ unit->first, unit->last,
					 arena_strdup(&counter->lines->arena, unit->name) };
}

/* Counts an access for the bitfields from `first` to `last` of a record: for that one, or for the
 * unit that they have together. */
static void count_bitfields(struct line_counter *counter, size_t first, size_t last,
			    const struct spot_visit *visit)
{
	const struct histogram_line *lines = counter->lines->lines;
	const bool each = visit->spot->bits && !visit->spot->any_bits;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	struct member_names names = { .to = &name };

	while (visit->spot->any_bits &&
	       histogram_adjoin(counter->lines, other_line(counter->lines, first, -1), first))
		first = other_line(counter->lines, first, -1);
	while (visit->spot->any_bits &&
	       histogram_adjoin(counter->lines, last, other_line(counter->lines, last, 1)))
		last = other_line(counter->lines, last, 1);
	if (first == last) {
		count_member(counter, first, visit);
		return;
	}
	for (size_t i = first; i <= last; i++)
		if (i == first || i == last || line_holds(&lines[i].member, visit))
			member_names_add(&names, lines[i].member.name ?: "");
	member_names_end(&names, each);
	if (!counter->counts) {
		add_unit(counter, &(struct bitfield_range){ first, last, name.data });
		return;
	}
	for (size_t i = last + 1; i < counter->lines->count && lines[i].member.is_unit; i++)
		if (lines[i].member.offset == lines[first].member.offset &&
		    lines[i].member.bit_offset == lines[first].member.bit_offset &&
		    strcmp(lines[i].member.name, name.data) == 0)
			count_member(counter, i, visit);
}

/* Returns how many of the accessed bits a line has. */
static uint64_t bits_of_line(const struct member_line *line, const struct spot_visit *visit)
{
	const int64_t before = visit->offset - line->offset, size = (int64_t)visit->size;

	if (line->is_unit || before >= (int64_t)line->size || before <= -size ||
	    before > INT64_MAX / 16)
		return 0;
	int64_t bits = line->bit_size ?: 8 * (int64_t)line->size;
	int64_t low = 8 * before - line->bit_offset, high = low + 8 * size;

	low = low > 0 ? low : 0;
	high = high < bits ? high : bits;
	return high > low ? (uint64_t)(high - low) : 0;
}

/* The same for a line and its members: padding does not count. A union counts as a whole. */
static uint64_t bits_within(const struct histogram_lines *lines, size_t line,
			    const struct spot_visit *visit)
{
	const size_t end = line_end(lines, line);
	uint64_t bits = 0;

	while (line < end) {
		const struct member_line *member = &lines->lines[line].member;
		bool opens = member->has_members && type_strip(member->type)->kind == TYPE_STRUCT;

		bits += opens ? 0 : bits_of_line(member, visit);
		line = opens ? line + 1 : line_end(lines, line);
	}
	return bits;
}

/* Counts the share of an access that is to one of several members. */
static void count_share(struct line_counter *counter, size_t line, const struct spot_visit *visit,
			uint64_t first, uint64_t end, uint64_t whole)
{
	const struct member_line *member = &counter->lines->lines[line].member;
	struct spot_visit part = *visit;
	const size_t size = counter->event_count * sizeof(struct access_count);
	struct access_count *counts =
		counter->counts ? arena_alloc(&counter->lines->arena, size) : NULL;

	for (uint32_t event = 0; counts && event < counter->event_count; event++)
		counts[event] = access_count_share(&visit->counts[event], first, end, whole);
	part.counts = counts;
	/* what is known of a union at the access says nothing of those after it */
	if (member->offset > visit->offset) {
		part.offset = member->offset;
		part.size -= (uint64_t)(member->offset - visit->offset);
		part.search = (struct member_search){ .size = part.size };
	}
	count_member(counter, line, &part);
}

/* Counts an access to several members of `parent`, as a vector's or a merged store, for each by its
 * bits. False: it is to one, to variants, which share them, or to bitfields alone. */
static bool count_several(struct line_counter *counter, size_t parent,
			  const struct spot_visit *visit)
{
	const struct histogram_lines *lines = counter->lines;
	const size_t end = line_end(lines, parent);
	uint64_t whole = 0, done = 0, bits;
	size_t several = 0;
	bool plain = false;

	for (size_t line = parent + 1; line < end; line = line_end(lines, line)) {
		bits = bits_within(lines, line, visit);
		if (bits && lines->lines[line].member.is_variant)
			return false;
		whole += bits;
		several += bits != 0;
		plain |= bits && !lines->lines[line].member.bit_size;
	}
	if (!plain || several < 2)
		return false;
	for (size_t line = parent + 1; line < end; line = line_end(lines, line)) {
		bits = bits_within(lines, line, visit);
		if (bits)
			count_share(counter, line, visit, done, done + bits, whole);
		done += bits;
	}
	return true;
}

/* Counts an access for the members of `parent` that hold it, and for their members. */
static void histogram_count_members(struct line_counter *counter, size_t parent,
				    const struct spot_visit *visit)
{
	size_t end = line_end(counter->lines, parent), last = 0, first_bits = 0, last_bits = 0;
	const struct type *record = record_of(&counter->lines->lines[parent].member);
	bool found = false, disputed = false;

	if (record && record->kind == TYPE_UNION) {
		count_of_union(counter, record, parent, visit);
		return;
	}
	if (visit->size && count_several(counter, parent, visit))
		return;
	for (size_t line = parent + 1; line < end; line = line_end(counter->lines, line)) {
		bool bits = counter->lines->lines[line].member.bit_size;

		if (!counter->lines->lines[line].member.is_unit)
			last = line;
		if (!line_holds(&counter->lines->lines[line].member, visit) ||
		    is_empty(counter->lines, line) ||
		    !overlaid_holds(counter->lines, line, visit) ||
		    is_other_variant(counter->lines, parent, line, visit) ||
		    /* of a bitfield and a plain member, the access is to the first one */
		    (bits ? found : first_bits != 0))
			continue;
		if (bits) {
			first_bits = first_bits ? first_bits : line;
			last_bits = line;
			continue;
		}
		if (is_disputed(counter->lines, parent, line, visit)) {
			disputed = true;
			continue;
		}
		found = true;
		count_member(counter, line, visit);
	}
	if (disputed && !found)
		add_hit(&counter->leaves, parent, visit, visit->spot->by, ELEMENT_NONE);
	if (first_bits)
		count_bitfields(counter, first_bits, last_bits, visit);
	if (found || disputed || first_bits || !last)
		return;

	const struct member_line *member = &counter->lines->lines[last].member;

	/* a flexible array at the record's end goes on as far as the memory does */
	if (member_has_flexible_end(member->type) && visit->offset >= member->offset)
		count_member(counter, last, visit);
}

/* ---- parts ---- */

/* Two objects may have functions of one name. */
COMPARISON(compare_hits, struct hit,
	   ASCENDING(line) ASCENDING(element) ASCENDING(span.offset) ASCENDING(span.size)
		   BY_TEXT(by.symbol) BY((uintptr_t)a->by.symbol, (uintptr_t)b->by.symbol)
			   ASCENDING(by.thread))

/* Gives the lines the hits of a list, merged by line, accessor and element in the order of
 * compare_hits(). `list` is the offset of the list in struct histogram_line. */
static void set_parts(struct line_counter *counter, struct hit_list *hits, size_t list)
{
	struct arena *arena = &counter->lines->arena;
	struct histogram_part *next = arena_alloc(arena, hits->count * sizeof(*next));
	struct access_count *counts = NULL;

	array_sort(hits->items, hits->count, compare_hits);
	array_indexed (const struct hit, hit, i, hits->items, hits->count) {
		if (!i || compare_hits(&hits->items[i - 1], hit) != 0) {
			struct histogram_parts *parts =
				(void *)((char *)&counter->lines->lines[hit->line] + list);

			counts = arena_alloc(arena, counter->event_count * sizeof(*counts));
			*next = (struct histogram_part){ hit->by, hit->element, hit->span, counts };
			if (!parts->count++)
				parts->items = next;
			next++;
		}
		for (uint32_t event = 0; event < counter->event_count; event++)
			access_count_add(&counts[event], &hit->counts[event]);
	}
	free(hits->items);
}

/* Returns the bytes of an access that all count; 0: they are not known, or only some bits count. */
static uint64_t counted_bytes(const struct access_spot *spot)
{
	return spot->any_bits || (spot->bits && spot->bits != low_bits(8U * spot->size))
		       ? 0
		       : spot->size;
}

static void count_spots(struct line_counter *counter, const struct histogram *histogram)
{
	for (size_t i = 0; i < histogram->spot_count; i++)
		if (!histogram->spots[i].range)
			count_member(
				counter, 0,
				&(struct spot_visit){
					.spot = &histogram->spots[i],
					.counts = histogram->counts + i * counter->event_count,
					.offset = histogram->spots[i].offset,
					.size = counted_bytes(&histogram->spots[i]),
					.search = {
						.size = histogram->spots[i].size,
						.whole = !histogram->spots[i].size,
						.bits = histogram->spots[i].bits,
						.candidates =
							histogram->spots[i].union_candidates } });
}

static struct member_line unit_line(const struct histogram_lines *lines,
				    const struct bitfield_range *unit)
{
	const struct member_line *last = &lines->lines[unit->last].member;
	struct member_line line = lines->lines[unit->first].member;

	line.name = unit->name;
	line.bit_size = (uint32_t)((last->offset - line.offset) * 8) + last->bit_offset +
			last->bit_size - line.bit_offset;
	line.size = (line.bit_offset + line.bit_size + 7) / 8;
	line.is_unit = true;
	return line;
}

/* Orders by the place of the line, which comes after the line of the last bitfield. */
COMPARISON(compare_units, struct bitfield_range, ASCENDING(last) ASCENDING(first) BY_TEXT(name))

/* Adds lines for the bitfields that accesses use together. */
static void add_units(struct histogram_lines *lines, struct bitfield_ranges *units)
{
	struct histogram_line *all;
	size_t count = 0, next = 0;

	if (!units->count)
		return;
	qsort(units->items, units->count, sizeof(*units->items), compare_units);
	all = xcalloc(lines->count + units->count, sizeof(*all));
	for (size_t i = 0; i < lines->count; i++) {
		all[count++].member = lines->lines[i].member;
		for (; next < units->count && units->items[next].last == i; next++)
			all[count++].member = unit_line(lines, &units->items[next]);
	}
	free(lines->lines);
	lines->lines = all;
	lines->count = count;
}

void histogram_lines(const struct histogram *histogram, uint32_t event_count,
		     struct histogram_lines *result)
{
	_cleanup_free_ struct member_line *members = NULL;
	struct line_counter counter = { .lines = result, .event_count = event_count };

	*result = (struct histogram_lines){ 0 };
	member_lines(histogram->type, &members, &result->count);
	result->lines = xcalloc(result->count, sizeof(*result->lines));
	for (size_t i = 0; i < result->count; i++)
		result->lines[i].member = members[i];
	count_spots(&counter, histogram);
	counter.leaves.count = counter.elements.count = counter.places.count = 0;
	add_units(result, &counter.units);
	free(counter.units.items);
	result->counts = xcalloc(result->count * event_count, sizeof(*result->counts));
	for (size_t i = 0; i < result->count; i++)
		result->lines[i].counts = result->counts + i * event_count;
	counter.counts = result->counts;
	count_spots(&counter, histogram);
	/* the type's own line counts all accesses, with those to ranges */
	if (result->count)
		memcpy(result->counts, histogram->totals, event_count * sizeof(*result->counts));
	set_parts(&counter, &counter.leaves, offsetof(struct histogram_line, parts));
	set_parts(&counter, &counter.elements, offsetof(struct histogram_line, elements));
	set_parts(&counter, &counter.places, offsetof(struct histogram_line, places));
}

void histogram_lines_deinit(struct histogram_lines *lines)
{
	free_all(lines->lines, lines->counts);
	arena_deinit(&lines->arena);
	*lines = (struct histogram_lines){ 0 };
}
