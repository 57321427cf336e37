// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof annotate --data-type: the types that samples access, field by field.
 *
 * Counted entries with a type are added to histograms, one for each type and group of events. Each
 * histogram that --data-type matches becomes an annotate_page, which report/ prints as fields, as a
 * layout or as JSON or CSV.
 */
#include "profiler/cli/names.h"
#include "profiler/commands/annotate.h"

#include "annotate/types/histogram.h"
#include "annotate/types/member.h"
#include "dwarf/types/type.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/type_name.h"
#include "profiler/cli/output.h"
#include "profiler/resolve/sharing_uses.h"
#include "profiler/resolve/resolve.h"
#include "report/print/annotated.h"
#include "report/text.h"
#include "report/filter.h"

struct annotate_page {
	struct annotated_type type;
	/* owns what `type` points to */
	struct histogram_lines lines;
	struct arena texts;
};

/* The types that --data-type=NAME stands for: by name, by a typedef's name, by a pattern, or by the
 * end of a qualified name (base/type_name.h). */

struct type_pattern {
	const char *text;          /* NULL: matches every type */
	bool exact;                /* the text is a whole name, without patterns */
	const struct type **types; /* the canonical types of that name, of all objects */
	size_t count, capacity;
};

/* ---- names of types ---- */

#define TYPES_MAX 256 /* per name and object */

static void add_types_of(struct type_pattern *pattern, struct debug_object *debug)
{
	const struct type *found[TYPES_MAX];
	struct debug_reader *reader = debug_reader_open(debug);
	size_t count = debug_reader_types_named(reader, type_name_without_keyword(pattern->text),
						found, TYPES_MAX);

	for (size_t i = 0; i < count && i < TYPES_MAX; i++)
		array_add(pattern->types, pattern->count, pattern->capacity) =
			type_canonical(found[i]);
	debug_reader_close(reader);
}

static bool has_wildcard(const char *text)
{
	return text[strcspn(text, "*?[")] != '\0';
}

/* Looks `text` up in the debug information of all objects that have samples. */
static void type_pattern_init(struct type_pattern *pattern, const char *text, bool exact,
			      const struct resolution *resolution,
			      const struct dso_options *dso_options)
{
	uint32_t dso_count = 0;

	*pattern = (struct type_pattern){ .text = text, .exact = exact };
	if (!text || exact || has_wildcard(text))
		return;
	for (size_t i = 0; i < resolution->place_count; i++) {
		const struct dso *dso = resolved_place_type_dso(&resolution->places[i]);

		if (dso && dso->id >= dso_count)
			dso_count = dso->id + 1;
	}

	_cleanup_free_ bool *asked = xcalloc(dso_count, sizeof(*asked));

	array_each (const struct resolved_place, place, resolution->places,
		    resolution->place_count) {
		struct debug_object *debug;

		struct dso *dso = resolved_place_type_dso(place);

		if (place->access.kind != ACCESS_TYPE || !dso || asked[dso->id])
			continue;
		asked[dso->id] = true;
		debug = dso_debug(dso, dso_options, NULL);
		if (debug)
			add_types_of(pattern, debug);
	}
}

static void type_pattern_deinit(struct type_pattern *pattern)
{
	free(pattern->types);
	*pattern = (struct type_pattern){ 0 };
}

static bool type_pattern_matches(const struct type_pattern *pattern, const struct type *type)
{
	if (pattern->exact)
		return !strcmp(pattern->text, type_label_interned(type));
	if (!pattern->text || type_name_matches(pattern->text, type_label_interned(type)))
		return true;
	while (type_strip(type)->kind == TYPE_ARRAY)
		type = type_canonical(type_target(type_strip(type)));
	return any_of(i, 0, pattern->count, pattern->types[i] == type);
}

/* Returns whether a type that the pattern matches is accessed, also within other records. */
static bool type_pattern_is_found(const struct type_pattern *pattern,
				  const struct resolution *resolution)
{
	for (size_t i = 0; i < resolution->place_count; i++) {
		const struct access *access = &resolution->places[i].access;
		struct access_records records;

		if (access->kind != ACCESS_TYPE)
			continue;
		if (type_pattern_matches(pattern, access->type))
			return true;
		for (bool found = access_records_begin(access, &records); found;
		     found = access_records_next(&records))
			if (type_pattern_matches(pattern, records.type))
				return true;
	}
	return false;
}

/* ---- figures of an entry ---- */

/*
 * The level that data came from is given in two generations of fields: mem_lvl (a hit or a miss of
 * some levels), or mem_lvl_num with mem_remote and mem_hops, which newer drivers set. Source:
 * perf_event_open(2), union perf_mem_data_src.
 */

#define LEVELS_REMOTE                                                                              \
	(PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2 | PERF_MEM_LVL_REM_CCE1 |                   \
	 PERF_MEM_LVL_REM_CCE2)

static bool has_numbered_level(union perf_mem_data_src source)
{
	return source.mem_lvl_num != SOURCE_UNSET && source.mem_lvl_num != SOURCE_NA;
}

static void count_numbered_level(union perf_mem_data_src source, uint64_t samples,
				 struct access_count *count)
{
	switch (source.mem_lvl_num) {
	case SOURCE_L1:
	case SOURCE_LFB: count->l1 = samples; break;
	case SOURCE_L2:
	case SOURCE_L2_MHB: count->l2 = samples; break;
	case SOURCE_L3:
	case SOURCE_MEMORY_SIDE: count->l3 = samples; break;
	case SOURCE_RAM:
	case SOURCE_CXL:
	case SOURCE_PMEM: count->ram = samples; break;
	}
	if (source.mem_remote)
		count->remote = samples;
}

static void count_level(union perf_mem_data_src source, uint64_t samples,
			struct access_count *count)
{
	uint64_t level = source.mem_lvl;

	if (level & PERF_MEM_LVL_MISS)
		return;
	if (has_numbered_level(source)) {
		count_numbered_level(source, samples, count);
		return;
	}
	if (level & (PERF_MEM_LVL_L1 | PERF_MEM_LVL_LFB))
		count->l1 = samples;
	else if (level & PERF_MEM_LVL_L2)
		count->l2 = samples;
	else if (level & PERF_MEM_LVL_L3)
		count->l3 = samples;
	else if (level & (PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2))
		count->ram = samples;
	if (level & LEVELS_REMOTE)
		count->remote = samples;
}

/* Returns whether the source is given. Software events set every part to "not available". */
static bool has_source(union perf_mem_data_src source)
{
	return (source.mem_lvl && !(source.mem_lvl & PERF_MEM_LVL_NA)) ||
	       has_numbered_level(source);
}

struct access_count count_accesses(const struct counted *counted, const struct access *access)
{
	union perf_mem_data_src source = { .val = counted->data_source };
	uint64_t samples = counted->samples;
	struct access_count count = { .samples = samples,
				      .period = counted->period,
				      .weight = counted->weight_total,
				      .weight_max = counted->weight_max };
	bool says = source.mem_op & (PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE);

	/* without a direction in the sample, the instruction decides */
	if (says ? source.mem_op & PERF_MEM_OP_LOAD : access->read)
		count.loads = samples;
	if (says ? source.mem_op & PERF_MEM_OP_STORE : access->write)
		count.stores = samples;
	if (!has_source(source))
		return count;
	count.sourced = samples;
	count_level(source, samples, &count);
	if (source.mem_snoop & PERF_MEM_SNOOP_HITM)
		count.hitm = samples;
	if (source.mem_dtlb & PERF_MEM_TLB_MISS)
		count.tlb_misses = samples;
	if (source.mem_lock & PERF_MEM_LOCK_LOCKED)
		count.locked = samples;
	return count;
}

/* ---- one type ---- */

#define DEPTH_MAX 64 /* nesting of arrays */

/* The state of filling in one annotate_page. */
struct page_maker {
	const struct annotate_types_options *options;
	struct annotate_page *page;
	uint32_t event_count;
};

/* Returns a name as it is shown: shortened in text, whole in JSON and CSV. */
static const char *shown_name(struct page_maker *maker, struct strbuf *name)
{
	if (maker->options->max_name && maker->options->format == OUTPUT_TEXT)
		text_shorten(name, 0, maker->options->max_name);
	return arena_strdup(&maker->page->texts, name->data);
}

static const char *declared_type(struct page_maker *maker, const struct member_line *member)
{
	_cleanup_strbuf_ struct strbuf type = STRBUF_INIT;

	if (member->depth)
		type_declaration(member->type, &type);
	else
		type_name(member->type, &type);
	return shown_name(maker, &type);
}

static const char *page_name(struct page_maker *maker, const struct type *type)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	strbuf_add_string(&name, type_label_interned(type));
	return shown_name(maker, &name);
}

static int compare_parts(const void *left, const void *right, void *data)
{
	const struct annotated_part *a = left, *b = right;
	uint32_t event_count = *(const uint32_t *)data;

	for (uint32_t event = 0; event < event_count; event++)
		DESCENDING(counts[event].period)
	return strcmp(a->label, b->label);
}

static const char *symbol_label(struct page_maker *maker, const char *symbol)
{
	_cleanup_strbuf_ struct strbuf label = STRBUF_INIT;

	strbuf_add_format(&label, "-> %s", symbol ?: "[unknown]");
	return shown_name(maker, &label);
}

static const char *element_label(struct page_maker *maker, const struct type *array,
				 int64_t element)
{
	_cleanup_strbuf_ struct strbuf label = STRBUF_INIT;

	member_element(array, element, &label);
	return arena_strdup(&maker->page->texts, label.data);
}

/* Adds the elements of an array that are accessed apart, and the functions of a field. */
static void add_parts(struct page_maker *maker, const struct histogram_line *line,
		      struct annotated_line *shown)
{
	const struct annotate_types_options *options = maker->options;
	size_t symbols = options->by_symbol ? line->parts.count : 0,
	       elements = options->elements ? line->elements.count : 0;
	struct annotated_part *parts =
		arena_alloc(&maker->page->texts, (symbols + elements) * sizeof(*parts));

	array_indexed (const struct histogram_part, part, i, line->elements.items, elements) {
		bool any = part->element == ELEMENT_ANY;

		parts[i] = (struct annotated_part){
			.label = element_label(maker, line->member.type, part->element),
			.offset =
				any ? -1
				    : line->member.offset +
						part->element * (int64_t)line->member.element_size,
			.size = line->member.element_size,
			.counts = part->counts,
		};
	}
	for (size_t i = 0; i < symbols; i++)
		parts[elements + i] = (struct annotated_part){
			.label = symbol_label(maker, line->parts.items[i].by.symbol),
			.offset = -1,
			.counts = line->parts.items[i].counts
		};
	if (symbols)
		qsort_r(parts + elements, symbols, sizeof(*parts), compare_parts,
			&maker->event_count);
	shown->parts = parts;
	shown->part_count = symbols + elements;
}

static bool is_union(const struct type *type)
{
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		type = type_strip(type);
		if (type->kind != TYPE_ARRAY)
			break;
		type = type_target(type);
	}
	return type->kind == TYPE_UNION;
}

/* Adds the samples of a line by cacheline. */
static void add_spread(struct page_maker *maker, const struct histogram_line *line,
		       struct annotated_line *shown)
{
	uint64_t cacheline = maker->options->output.cacheline;
	struct annotated_spread *spread =
		arena_alloc(&maker->page->texts, line->places.count * sizeof(*spread));

	for (size_t i = 0; i < line->places.count && cacheline; i++) {
		const struct histogram_part *place = &line->places.items[i];

		spread[i] =
			(struct annotated_spread){ access_span_first(&place->span, cacheline),
						   access_span_last(&place->span, cacheline), 0 };
		for (uint32_t event = 0; event < maker->event_count; event++)
			spread[i].samples += place->counts[event].samples;
	}
	shown->spread = spread;
	shown->spread_count = cacheline ? line->places.count : 0;
}

/* Adds the parts of a page that only layouts show. */
static void add_layout(struct page_maker *maker, const struct histogram_line *line,
		       struct annotated_line *shown)
{
	_cleanup_strbuf_ struct strbuf base = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf declarator = STRBUF_INIT;
	struct annotated_thread *threads =
		arena_alloc(&maker->page->texts, line->parts.count * sizeof(*threads));

	type_declarator(line->member.type, shown->name, &base, &declarator);
	shown->base = shown_name(maker, &base);
	shown->declarator = shown_name(maker, &declarator);
	shown->unit = type_size_or(line->member.type, 0);
	for (size_t i = 0; i < line->parts.count; i++) {
		threads[i].id = line->parts.items[i].by.thread;
		for (uint32_t event = 0; event < maker->event_count; event++) {
			threads[i].loads += line->parts.items[i].counts[event].loads;
			threads[i].stores += line->parts.items[i].counts[event].stores;
		}
	}
	shown->threads = threads;
	shown->thread_count = line->parts.count;
	add_spread(maker, line, shown);
}

static struct annotated_line *make_lines(struct page_maker *maker)
{
	struct annotated_line *shown =
		arena_alloc(&maker->page->texts, maker->page->lines.count * sizeof(*shown));

	array_indexed (const struct histogram_line, line, i, maker->page->lines.lines,
		       maker->page->lines.count) {
		const struct member_line *member = &line->member;

		shown[i] = (struct annotated_line){ .type = declared_type(maker, member),
						    .name = member->name,
						    .depth = member->depth,
						    .offset = member->offset,
						    .size = member->size,
						    .is_unsized = !member->size &&
								  (type_strip(member->type)->flags &
								   TYPE_DYNAMIC),
						    .bit_offset = member->bit_offset,
						    .bit_size = member->bit_size,
						    .is_unit = member->is_unit,
						    .opens = member->has_members,
						    .is_base = member->is_base,
						    .is_variant = member->is_variant,
						    .is_union = is_union(member->type),
						    .element_size = member->element_size,
						    .counts = line->counts };
		add_parts(maker, line, &shown[i]);
		if (maker->options->layout)
			add_layout(maker, line, &shown[i]);
	}
	return shown;
}

COMPARISON(compare_cachelines, struct annotated_cacheline,
	   BY(a->first != a->last, b->first != b->last) ASCENDING(first) ASCENDING(last))

/* Returns the samples of each cacheline, and then those somewhere in several ones. */
static struct annotated_cacheline *make_cachelines(struct page_maker *maker,
						   const struct histogram *histogram, size_t *count)
{
	uint64_t size = maker->options->output.cacheline;
	struct annotated_cacheline *cachelines =
		arena_alloc(&maker->page->texts, histogram->spot_count * sizeof(*cachelines));
	size_t kept = 0;

	*count = 0;
	if (!size)
		return cachelines;
	array_indexed (const struct access_spot, spot, i, histogram->spots, histogram->spot_count) {
		struct access_span at = { spot->offset, 0 };
		const struct access_span *span = spot->span.size ? &spot->span : &at;
		struct access_count *counts =
			arena_alloc(&maker->page->texts, maker->event_count * sizeof(*counts));

		memcpy(counts, &histogram->counts[i * maker->event_count],
		       maker->event_count * sizeof(*counts));
		cachelines[i] =
			(struct annotated_cacheline){ .first = access_span_first(span, size),
						      .last = access_span_last(span, size),
						      .counts = counts };
	}
	array_sort(cachelines, histogram->spot_count, compare_cachelines);
	for (size_t i = 0; i < histogram->spot_count; i++) {
		if (kept && !compare_cachelines(&cachelines[kept - 1], &cachelines[i])) {
			for (uint32_t event = 0; event < maker->event_count; event++)
				access_count_add(
					(struct access_count *)&cachelines[kept - 1].counts[event],
					&cachelines[i].counts[event]);
			continue;
		}
		cachelines[kept++] = cachelines[i];
	}
	*count = kept;
	return cachelines;
}

/* Appends the names of the virtual bases of a class and of its base classes, each once. */
static void add_virtual_bases(const struct type *type, int depth, struct strbuf *names)
{
	size_t count, base_count;
	const struct member *members = type_members(type_strip(type), &count);
	const struct type *const *bases = type_virtual_bases(type_strip(type), &base_count);

	for (size_t i = 0; i < base_count; i++) {
		const char *name = type_name_interned(bases[i]);

		if (!names->length || !strstr(names->data, name))
			strbuf_add_format(names, "%s%s", names->length ? ", " : "", name);
	}
	for (size_t i = 0; i < count && depth < DEPTH_MAX; i++)
		if (members[i].is_base)
			add_virtual_bases(members[i].type, depth + 1, names);
}

static const char *virtual_bases(struct page_maker *maker, const struct type *type)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;

	add_virtual_bases(type, 0, &names);
	return names.length ? shown_name(maker, &names) : NULL;
}

/* Fills in the page of a histogram's type; annotate_page_deinit() is due afterwards. */
static void annotate_page_init(struct annotate_page *page,
			       const struct annotate_types_options *options,
			       const struct histogram *histogram, const char *const *events,
			       uint32_t event_count)
{
	struct page_maker maker = { .options = options, .page = page, .event_count = event_count };

	*page = (struct annotate_page){ 0 };
	histogram_lines(histogram, event_count, &page->lines);
	page->type =
		(struct annotated_type){ .name = page_name(&maker, histogram->type),
					 .object = type_source_object(histogram->object,
								      &page->texts),
					 .samples = histogram->samples,
					 .events = events,
					 .event_count = event_count,
					 .virtual_bases = virtual_bases(&maker, histogram->type),
					 .lines = make_lines(&maker),
					 .line_count = page->lines.count };
	if (options->layout)
		page->type.cachelines =
			make_cachelines(&maker, histogram, &page->type.cacheline_count);
}

/* ---- all types ---- */

#define TIME_PARTS 64

static bool has_addresses(const struct event *event)
{
	return event->attr.sample_type & (PERF_SAMPLE_ADDR | PERF_SAMPLE_REGS_INTR);
}

bool annotate_has_addresses(const struct session *session)
{
	return session_any_event(session, event, event->samples && has_addresses(event));
}

uint64_t annotate_time_quantum(struct session *session)
{
	struct time_range range;

	/* the samples may not be counted yet, so that any event may have some */
	if (session_any_event(session, event, has_addresses(event)) ||
	    !session_sample_times(session, &range))
		return 0;
	return (range.last - range.first) / TIME_PARTS + 1;
}

uint64_t annotate_types_needs(const struct annotate_types_options *options)
{
	return NEED_TYPE | NEED_DSO | field_columns_needs(&options->output.columns) |
	       (options->by_symbol ? NEED_SYMBOL : 0) |
	       (options->elements || options->layout ? NEED_ELEMENT : 0) |
	       /* JSON and CSV have all figures */
	       (options->format != OUTPUT_TEXT ? NEED_WEIGHT | NEED_DATA_SOURCE : 0) |
	       (!options->layout      ? 0
		: options->no_sharing ? NEED_TID | NEED_DATA_SOURCE
				      : SHARING_VERDICT_NEEDS);
}

/* ---- records within records ---- */

/* The accesses to records of a matching type as parts of others. */
struct part_list {
	struct type_part {
		const void *object;
		const struct type *type; /* of the part */
		const struct type *whole;
		const char *field;
		uint64_t samples;
	} * items;
	size_t count, capacity;
	struct arena texts;
};

/* The types whose objects within others count: those of a pattern, or those of histograms. */
struct part_search {
	const struct type_pattern *pattern;
	const struct histograms *types;
	struct hash_map numbers;  /* of `types`, by object and type */
	const void *object;       /* of the record whose parts are looked for, */
	const struct type *whole; /* and the record */
	size_t first;             /* of its parts in the list */
	struct part_list *parts;
};

static uint64_t type_key(const void *object, const struct type *type)
{
	return hash_combine((uintptr_t)object, (uintptr_t)type);
}

static bool is_chosen_part(void *data, const struct type *type)
{
	const struct part_search *search = data;

	if (search->pattern)
		return type_pattern_matches(search->pattern, type);

	const uint32_t *number = hash_map_find(&search->numbers, type_key(search->object, type));

	return number && search->types->items[*number].type == type && type != search->whole;
}

static void note_part(void *data, const struct type *type, const char *field, uint64_t samples)
{
	struct part_search *search = data;
	struct part_list *parts = search->parts;

	for (size_t i = search->first; i < parts->count; i++)
		if (parts->items[i].type == type && !strcmp(parts->items[i].field, field)) {
			parts->items[i].samples += samples;
			return;
		}
	array_add(parts->items, parts->count, parts->capacity) =
		(struct type_part){ .object = search->object,
				    .type = type,
				    .whole = search->whole,
				    .field = arena_strdup(&parts->texts, field),
				    .samples = samples };
}

/* Counts the accesses to parts of chosen types of one histogram for these types, too. */
static void add_parts_of(struct histograms *histograms, const struct histogram *whole,
			 struct part_search *search)
{
	const struct part_choice choice = { search, is_chosen_part, note_part };

	search->object = whole->object;
	search->whole = whole->type;
	search->first = search->parts->count;
	histograms_add_parts(histograms, whole, &choice);
}

/* Counts accesses to objects of the type that was asked for wherever they are, also as parts of
 * other records. Without a name each access counts for the outermost type alone. */
static void count_parts(struct histograms *histograms, const struct type_pattern *pattern,
			struct part_list *parts)
{
	struct part_search search = { .pattern = pattern, .parts = parts };
	size_t count = histograms->count;

	if (!pattern->text || (!pattern->exact && has_wildcard(pattern->text)))
		return;
	for (size_t i = 0; i < count; i++)
		if (!type_pattern_matches(pattern, histograms->items[i].type))
			add_parts_of(histograms, &histograms->items[i], &search);
}

/* The same for each type with accesses of its own, so that a part of a part counts once. */
static void count_all_parts(struct histograms *histograms, uint32_t event_count,
			    struct part_list *parts)
{
	struct histograms *inner = histograms_create(event_count);
	struct part_search search = { .types = histograms, .parts = parts };

	for (uint32_t i = 0; i < histograms->count; i++)
		*hash_map_insert(&search.numbers,
				 type_key(histograms->items[i].object, histograms->items[i].type),
				 NULL) = i;
	for (size_t i = 0; i < histograms->count; i++)
		add_parts_of(inner, &histograms->items[i], &search);
	hash_map_deinit(&search.numbers);
	for (size_t i = 0; i < inner->count; i++)
		histograms_merge(histograms, &inner->items[i]);
	histograms_destroy(inner);
}

COMPARISON(compare_wholes, struct annotated_whole, DESCENDING(samples) BY_TEXT(type))

/* Sets the records that objects of the page's type are parts of. */
static void add_wholes(struct annotate_page *page, const struct histogram *histogram,
		       const struct part_list *parts)
{
	struct annotated_whole *wholes =
		arena_alloc(&page->texts, (parts->count + 1) * sizeof(*wholes));

	array_each (const struct type_part, part, parts->items, parts->count) {
		if (part->object == histogram->object && part->type == histogram->type)
			wholes[page->type.whole_count++] =
				(struct annotated_whole){ .type = type_label_interned(part->whole),
							  .field = part->field,
							  .samples = part->samples };
	}
	array_sort(wholes, page->type.whole_count, compare_wholes);
	page->type.wholes = wholes;
}

/* The state of printing the types of one group of events. */
struct group_view {
	const struct annotate_types_options *options;
	const struct event_group *group;
	const struct sharing *sharing; /* NULL: not needed */
	const struct sharing_uses *uses;
	const struct part_list *parts;
	const char **event_names;
	bool named; /* CSV: column names were printed */
};

static void print_type(struct group_view *view, const struct annotated_type *type,
		       struct strbuf *buffer)
{
	const struct annotate_types_options *options = view->options;

	if (options->receiver) {
		options->receiver->type(options->receiver->data, type);
		return;
	}
	switch (options->format) {
	case OUTPUT_JSON: print_annotated_type_json(type, &options->output, options->json); break;
	case OUTPUT_CSV:
		print_annotated_type_csv(type, !view->named && !options->quiet, buffer);
		view->named = true;
		break;
	case OUTPUT_TEXT:
		if (options->layout)
			print_struct_layout(type, &options->output, buffer);
		else
			print_annotated_type(type, &options->output, buffer);
		break;
	case OUTPUT_HTML: break; /* a page is made of JSON */
	}
}

static void print_histogram(struct group_view *view, const struct histogram *histogram,
			    struct strbuf *buffer)
{
	struct annotate_page page;

	annotate_page_init(&page, view->options, histogram, view->event_names, view->group->count);
	add_wholes(&page, histogram, view->parts);
	if (view->sharing)
		sharing_show_type(view->sharing, view->uses->input.uses, view->uses->input.count,
				  histogram->type, &page.texts, &page.type);
	print_type(view, &page.type, buffer);
	histogram_lines_deinit(&page.lines);
	arena_deinit(&page.texts);
}

/* Prints the histograms whose types match the pattern. Returns how many it has printed. */
static size_t print_types(struct group_view *view, const struct histograms *histograms,
			  const struct type_pattern *pattern)
{
	size_t printed = 0;
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	array_each (const struct histogram, histogram, histograms->items, histograms->count) {
		if (!type_pattern_matches(pattern, histogram->type))
			continue;
		print_histogram(view, histogram, &text);
		print_text(&text);
		strbuf_reset(&text);
		printed++;
	}
	return printed;
}

/* Returns the error for `--data-type NAME` in two words: as in perf, NAME is then a function. */
static struct error *no_such_symbol(const struct name_list *symbols)
{
	return error_create(ERROR_NOT_FOUND,
			    "no sample in a function '%s' is known to access a type (for a type of "
			    "that name use --data-type='%s')",
			    symbols->names[0], symbols->names[0]);
}

static bool is_counted(const struct annotate_types_options *options, const struct result *result)
{
	const struct annotate_receiver *receiver = options->receiver;

	return filter_accepts(options->filter, result) &&
	       (!receiver || receiver->accepts(receiver->data, result));
}

static void count_types(const struct input *input, const struct annotate_types_options *options,
			const struct event_groups *groups, struct histograms **histograms)
{
	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);
		const struct resolved_place *place = entry_place(input->resolution, i);
		struct accessor by = { .symbol = options->by_symbol ? result.place->symbol : NULL,
				       .thread = options->layout ? result.tid : 0 };

		if (place->access.kind != ACCESS_TYPE || !is_counted(options, &result))
			continue;

		struct access_count count =
			count_accesses(&input->counts->entries[i], &place->access);

		histograms_add(histograms[groups->group_of[result.event]],
			       resolved_place_type_dso(place), &place->access, &result.span, by,
			       groups->member_of[result.event], &count);
	}
}

static size_t annotate_types_print_group(
	const struct input *input, const struct annotate_types_options *options,
	const struct event_group *group, const struct histograms *histograms,
	const struct sharing *sharing, const struct sharing_uses *uses,
	const struct type_pattern *pattern, const struct part_list *parts)
{
	const struct event *events = session_events(input->session, NULL);
	_cleanup_free_ const char **names = xcalloc(group->count, sizeof(*names));
	struct group_view view = { .options = options,
				   .group = group,
				   .sharing = sharing,
				   .uses = uses,
				   .parts = parts,
				   .event_names = names };

	for (uint32_t event = 0; event < group->count; event++)
		names[event] = events[group->events[event]].name;
	return print_types(&view, histograms, pattern);
}

/* Sets *sharing to the verdicts on all lines of memory, which point into *uses. The caller frees
 * both, also after an error. All samples count, also those that are not shown, because any thread
 * that uses a line shares it. */
static struct error *find_sharing(struct input *input, uint64_t cacheline,
				  struct sharing_uses *uses, struct sharing **sharing)
{
	RETURN_ERROR(sharing_uses_init(uses, input->session, input->resolution, input->counts,
				       &input->operands, cacheline));
	*sharing = sharing_uses_judge(uses);
	return NULL;
}

struct error *annotate_types(struct input *input, const struct dso_options *dso_options,
			     struct annotate_types_options *options)
{
	struct event_groups groups;
	size_t printed = 0;
	struct type_pattern pattern;
	struct part_list parts = { 0 };
	_cleanup_free_ struct histograms **histograms = NULL;
	struct sharing_uses uses = { 0 };
	struct sharing *sharing = NULL;
	_cleanup_free_ char *instead = NULL;
	struct error *error = NULL;

	type_pattern_init(&pattern, options->type, options->exact, input->resolution, dso_options);
	if (options->type && !options->exact && !has_wildcard(options->type) &&
	    !type_pattern_is_found(&pattern, input->resolution))
		error = name_check(NAME_TYPE, "", options->type, input, &instead);
	if (!error && options->layout && !options->no_sharing &&
	    sharing_has_line_size(options->output.cacheline))
		error = find_sharing(input, options->output.cacheline, &uses, &sharing);
	if (error) {
		sharing_uses_deinit(&uses);
		type_pattern_deinit(&pattern);
		return error;
	}
	if (instead) {
		warning("no type '%s' is accessed: taking '%s'", options->type, instead);
		pattern.text = instead;
	}
	event_groups_init(&groups, input->session, options->grouping);
	options->output.name_events = groups.count > 1;
	histograms = xcalloc(groups.count, sizeof(struct histograms *));
	for (size_t i = 0; i < groups.count; i++)
		histograms[i] = histograms_create(groups.groups[i].count);
	count_types(input, options, &groups, histograms);
	if (options->format == OUTPUT_JSON)
		json_array(options->json, "types");
	for (size_t i = 0; i < groups.count; i++) {
		parts.count = 0;
		if (options->parts && !pattern.text)
			count_all_parts(histograms[i], groups.groups[i].count, &parts);
		else
			count_parts(histograms[i], &pattern, &parts);
		histograms_sort(histograms[i]);
		printed +=
			annotate_types_print_group(input, options, &groups.groups[i], histograms[i],
						   sharing, &uses, &pattern, &parts);
		histograms_destroy(histograms[i]);
	}
	if (options->format == OUTPUT_JSON)
		json_end(options->json);
	sharing_destroy(sharing);
	sharing_uses_deinit(&uses);
	event_groups_deinit(&groups);
	type_pattern_deinit(&pattern);
	if (!printed && options->type)
		error = name_unknown(NAME_TYPE, options->type, input);
	else if (!printed && options->filter->symbols.count)
		error = no_such_symbol(&options->filter->symbols);
	else if (!printed && !input->counts->count)
		input_warn_if_empty(input);
	else if (!printed && !options->quiet)
		warning("no sample is known to access a type (--type-stat says why)");
	free(parts.items);
	arena_deinit(&parts.texts);
	return error;
}
