// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements sharing_uses.h: makes uses of counted samples. */
#include "profiler/resolve/sharing_uses.h"

#include <assert.h>

#include "annotate/types/member.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/resolve/private.h"
#include "profiler/resolve/shared_addresses.h"
#include "profiler/resolve/sharing_parts.h"

#define ARRAY_DEPTH_MAX 16 /* arrays of arrays */

uint64_t sharing_access_ip(const struct result *result, const struct resolved_place *place)
{
	return place->late ? result->ip + (place->access.address - place->sampled) : result->ip;
}

/* ---- objects ---- */

static const struct type *element_of(const struct type *type)
{
	type = type_strip(type);
	for (int depth = 0; depth < ARRAY_DEPTH_MAX && type->kind == TYPE_ARRAY; depth++)
		type = type_strip(type_target(type));
	return type;
}

struct indexed_memory {
	uint64_t begin; /* address; 0: not known */
	uint64_t size;  /* bytes, as declared; 0: not known */
};

/* Sets base and size of the object. Elements of an array are objects of their own. If the access
 * was somewhere in an array within the object, it is not known where the object begins. `begin` is
 * the address with index 0, or 0. */
static void find_object(const struct resolved_place *place, const struct access_span *span,
			uint64_t begin, struct sharing_use *use, struct indexed_memory *memory)
{
	const struct access *access = &place->access;
	const struct type *type = type_strip(access->type);

	use->type_size = type_size_or(type, 0);
	if (type->kind == TYPE_ARRAY) {
		uint64_t size = type_size_or(element_of(type), 0);

		use->type_size = size;
		use->base = !size ? SHARING_NO_BASE
			    : !span->size && span->offset >= 0
				    ? use->address - (uint64_t)span->offset % size
			    : use->size == size ? use->address
						: SHARING_NO_BASE;
		return;
	}
	/* numbers are parts of arrays that nothing declares */
	if (!type_is_record(type)) {
		memory->begin = access->indexed ? begin : 0;
		return;
	}
	if (span->size)
		return;
	use->base = use->address - (uint64_t)span->offset;
	if (place->array.size && place->array.size != ACCESS_SPAN_OPEN) {
		memory->begin = use->base + (uint64_t)place->array.offset;
		memory->size = place->array.size;
	}
}

static enum sharing_memory memory_of(const struct result_data *data)
{
	if (!data || !data->dso)
		return SHARING_OTHER;
	if (!strcmp(data->dso, "[heap]"))
		return SHARING_HEAP;
	if (starts_with(data->dso, "[stack"))
		return SHARING_STACK;
	return data->symbol && data->is_variable ? SHARING_STATIC : SHARING_OTHER;
}

/* ---- uses ---- */

/* The facts about the code of a place: how its access uses the memory, and the accesses that are
 * made besides it. They are found once for each place. */
struct place_code {
	bool known;
	bool alignment_known; /* `alignment` and `asked` are set */
	bool stores_back;
	bool adds, polls;
	uint32_t alignment; /* of the type, by declarations */
	uint32_t asked;     /* alignment of some objects, by the code that allocates them */
	size_t count;
	struct beside *beside;
};

/* The types that each DSO aligns, and the sizes of elements of its arrays. A DSO is read once. */
struct object_alignments {
	struct hash_map elements; /* bytes, by element_size()'s key */
	struct object_alignment {
		const struct dso *dso;
		struct aligned_types types;
	} * items;
	size_t count, capacity;
};

static void object_alignments_deinit(struct object_alignments *objects)
{
	for (size_t i = 0; i < objects->count; i++)
		free(objects->items[i].types.items);
	free(objects->items);
	hash_map_deinit(&objects->elements);
}

/* Sets code->alignment and code->asked. */
static struct error *find_alignment(const struct resolved_place *place,
				    const struct dso_options *options,
				    struct object_alignments *objects, struct place_code *code)
{
	const struct type *type = place->access.type;
	struct dso *dso = resolved_place_type_dso(place);
	size_t i = 0;

	code->alignment_known = true;
	if (place->access.kind != ACCESS_TYPE || !type_is_record(type_strip(type)) || !dso)
		return NULL;
	code->alignment = (uint32_t)type_alignment(type);
	while (i < objects->count && objects->items[i].dso != dso)
		i++;
	if (i == objects->count) {
		array_add(objects->items, objects->count, objects->capacity) =
			(struct object_alignment){ .dso = dso };
		RETURN_ERROR(aligned_types_find(dso, options, &objects->items[i].types));
	}
	code->asked = (uint32_t)aligned_types_alignment(&objects->items[i].types, type);
	return NULL;
}

/* Returns the size of the elements of the array that the variable with some data is. 0: it is none,
 * or it is in another object than the code. */
static uint32_t element_size(const struct resolved_place *place, const struct result_data *data,
			     const struct dso_options *options, struct object_alignments *objects)
{
	struct debug_reader *reader = NULL;
	struct debug_object *debug;
	struct global global;
	bool created;
	uint32_t *size;

	if (!place->dso || !data->dso_path || strcmp(place->dso->long_name, data->dso_path) != 0)
		return 0;
	size = hash_map_insert(&objects->elements,
			       hash_combine((uintptr_t)place->dso, data->symbol_address), &created);
	debug = created ? dso_debug(place->dso, options, NULL) : NULL;
	if (debug)
		reader = debug_reader_open(debug);
	if (reader && debug_reader_global_at(reader, data->symbol_address, 0, &global)) {
		const struct type *type = type_strip(global.type);

		while (type->kind == TYPE_ARRAY) {
			type = type_strip(type_target(type));
			*size = (uint32_t)type_size_or(type, 0);
		}
	}
	debug_reader_close(reader);
	return *size;
}

/* Sets the facts about the code of a place, except for the alignments. */
static void find_code_beside(const struct resolved_place *place, struct operands *operands,
			     struct place_code *code)
{
	struct beside beside[BESIDE_MAX];

	code->known = true;
	if (!place->dso)
		return;
	code->stores_back = place->access.read && !place->access.write &&
			    operands_stores_back(operands, place->dso, place->access.address);
	code->polls = place->access.read && !place->access.write &&
		      operands_polls(operands, place->dso, place->access.address);
	code->adds = place->access.read && place->access.write &&
		     operands_adds(operands, place->dso, place->access.address);
	if (place->access.kind != ACCESS_TYPE || place->access.indexed)
		return;
	code->count = operands_beside(operands, place->dso, place->access.address, beside);
	code->beside = xcalloc(code->count, sizeof(*beside));
	memcpy(code->beside, beside, code->count * sizeof(*beside));
}

static void sharing_uses_add_use(struct sharing_uses *uses, const struct sharing_use *use)
{
	array_add(uses->input.uses, uses->input.count, uses->capacity) = *use;
}

static const char *field_at(struct sharing_uses *uses, const struct type *type, uint64_t offset,
			    uint64_t size)
{
	const struct access access = {
		.kind = ACCESS_TYPE, .type = type, .offset = (int64_t)offset, .size = (uint16_t)size
	};
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	if (!access_members_path(&access, &path))
		return NULL;
	make_printable(path.data, path.length);
	return string_pool_intern(&uses->names, path.data);
}

/* Adds the use. If it extends into the next cacheline, that part is a use of its own. */
static void add_in_lines(struct sharing_uses *uses, const struct sharing_use *use,
			 uint64_t cacheline)
{
	uint64_t left = cacheline - use->address % cacheline;
	struct sharing_use rest = *use;

	sharing_uses_add_use(uses, use);
	if (use->size <= left)
		return;
	rest.address += left;
	rest.size -= (uint16_t)left;
	rest.variable_offset += left;
	rest.cost = 0;
	rest.implied = true;
	if (rest.field && rest.base != SHARING_NO_BASE)
		rest.field = field_at(uses, rest.type_id, rest.address - rest.base, rest.size);
	sharing_uses_add_use(uses, &rest);
}

/* Adds the accesses beside a use: they are within the same object. */
static void add_implied(struct sharing_uses *uses, const struct sharing_use *use,
			const struct type *type, const struct place_code *code, uint64_t cacheline)
{
	array_each (const struct beside, beside, code->beside, code->count) {
		struct sharing_use implied = *use;

		implied.address += (uint64_t)beside->delta;
		if (implied.address < use->base || implied.address - use->base >= use->type_size ||
		    implied.address == use->address)
			continue;
		implied.size = beside->size;
		implied.reads = beside->read;
		implied.writes = beside->write;
		implied.adds = false;
		implied.polls = false;
		implied.variable_offset += (uint64_t)beside->delta;
		implied.field = field_at(uses, type, implied.address - use->base, beside->size);
		implied.source = NULL;
		implied.cost = 0;
		implied.hitm = false;
		implied.implied = true;
		add_in_lines(uses, &implied, cacheline);
	}
}

/* Returns the caller of the function that a result is in, by its call chain; NULL: not known. */
static const char *caller_of(const struct resolution *resolution, const struct result *result)
{
	const struct result_frame *frames = resolution->frames;
	uint32_t frame = frames ? result->chain : 0;

	/* an inlined function has its frame inside that of the function around it */
	while (frame && frames[frame].place->dso == result->place->dso &&
	       frames[frame].place->symbol_address == result->place->symbol_address)
		frame = frames[frame].caller;
	return frame ? frames[frame].place->symbol : NULL;
}

static struct sharing_use make_use(const struct shared_addresses *shared,
				   const struct result *result, const struct resolved_place *place,
				   struct indexed_memory *memory)
{
	union perf_mem_data_src source = { .val = result->data_source };
	bool is_recorded = source.mem_op & (PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE);
	const struct access *access = &place->access;
	struct sharing_use use = {
		.time = result->time,
		.address = result->data_address,
		.ip = sharing_access_ip(result, place),
		.base = SHARING_NO_BASE,
		.samples = result->samples,
		.function = result->place->symbol,
		.source = result->place->source_line,
		.tid = result->tid ?: -1 - result->cpu,
		.cpu = result->cpu,
		.size = access->size ?: 1,
		.memory = (uint8_t)memory_of(result->data),
		.reads = is_recorded ? source.mem_op & PERF_MEM_OP_LOAD : access->read,
		.writes = is_recorded ? source.mem_op & PERF_MEM_OP_STORE : access->write,
		.hitm = source.mem_snoop & PERF_MEM_SNOOP_HITM,
	};

	shared_addresses_place(shared, result, &use);
	if (result->data && use.memory == SHARING_STATIC) {
		use.variable = result->data->symbol;
		use.variable_offset = result->data->address - result->data->symbol_address;
	}
	if (access->kind == ACCESS_TYPE) {
		use.type = result->place->type;
		use.type_id = access->type;
		use.field = result->place->field;
		find_object(place, &result->span, result->data_begin, &use, memory);
	}
	return use;
}

static struct error *align_use(const struct resolved_place *place,
			       const struct dso_options *options, struct object_alignments *objects,
			       struct place_code *code, struct sharing_use *use)
{
	if (!code->alignment_known)
		RETURN_ERROR(find_alignment(place, options, objects, code));
	use->alignment = code->alignment;
	/* on purpose: the code asks for this alignment, and the object has it */
	if (code->asked > use->alignment && use->base != SHARING_NO_BASE &&
	    use->base % code->asked == 0)
		use->alignment = code->asked;
	return NULL;
}

/* ---- accesses that samples are witnesses of ---- */

/* Makes the uses that samples are witnesses of. */
struct witness_maker {
	struct sharing_uses *uses;
	const struct resolution *resolution;
	const struct sample_counts *counts;
	struct operands *operands;
	struct shared_addresses shared;
	struct place_code *codes; /* of each place */
	struct object_alignments *objects;
	struct hash_map known; /* indexes in uses->input.witnessed */
};

/* Returns a result whose addresses in shared memory are replaced. */
static struct result result_of(struct witness_maker *maker, size_t entry)
{
	struct result result = resolution_result(maker->resolution, maker->counts, entry);

	shared_addresses_replace(&maker->shared, &result);
	return result;
}

static bool same_witnessed(const struct sharing_use *a, const struct sharing_use *b)
{
	return a->ip == b->ip && a->address == b->address && a->pid == b->pid && a->tid == b->tid &&
	       a->cpu == b->cpu && a->implied == b->implied;
}

/* Adds a use to uses->input.witnessed. Equal uses at other times are one item, which has the
 * samples of all and the earliest time. The item after it has no samples, and the latest time. */
static void sharing_uses_add_witnessed(struct witness_maker *maker, const struct sharing_use *use)
{
	struct sharing_uses *uses = maker->uses;
	uint64_t key = hash_combine(hash_combine(use->address, use->ip),
				    (uint64_t)(uint32_t)use->tid << 32 | (uint32_t)use->cpu << 1 |
					    use->implied);
	bool created;
	uint32_t *index = hash_map_insert(&maker->known, key, &created);

	if (!created && same_witnessed(&uses->input.witnessed[*index], use)) {
		struct sharing_use *first = &uses->input.witnessed[*index];

		first->samples += use->samples;
		first->time = use->time < first->time ? use->time : first->time;
		first[1].time = use->time > first[1].time ? use->time : first[1].time;
		return;
	}
	*index = (uint32_t)uses->input.witnessed_count;
	for (int i = 0; i < 2; i++) {
		array_reserve(uses->input.witnessed, uses->input.witnessed_count,
			      uses->witnessed_capacity);
		uses->input.witnessed[uses->input.witnessed_count] = *use;
		uses->input.witnessed[uses->input.witnessed_count++].samples = i ? 0 : use->samples;
	}
}

static struct sharing_use make_witnessed(const struct shared_addresses *shared,
					 const struct result *result,
					 const struct resolved_place *sampled,
					 const struct resolved_place *place,
					 const struct witnessed_access *made, uint64_t address)
{
	struct indexed_memory memory = { 0 };
	struct sharing_use use = {
		.time = result->time,
		.address = address,
		.ip = result->ip + (made->insn - sampled->sampled),
		.base = SHARING_NO_BASE,
		.samples = result->samples,
		.function = place->shown.symbol,
		.source = place->shown.source_line,
		.tid = result->tid ?: -1 - result->cpu,
		.cpu = result->cpu,
		.size = made->size,
		.reads = made->read,
		.writes = made->write,
		.type = place->shown.type,
		.type_id = place->access.type,
		.field = place->shown.field,
	};

	shared_addresses_place(shared, result, &use);
	/* the index of another access is not known */
	find_object(place, &(struct access_span){ place->access.offset, place->array.size }, 0,
		    &use, &memory);
	return use;
}

/* A sample, and the accesses that it is a witness of. */
struct witness_sample {
	const struct result *result;
	const struct resolved_place *place;
	const struct place_code *code;
	const struct witness *witness; /* NULL: of nothing */
};

static struct witness_sample witness_sample_of(const struct witness_maker *maker,
					       const struct result *result,
					       const struct resolved_place *place,
					       const struct place_code *code)
{
	bool any = place->late && place->dso && maker->resolution->witnessed_of;

	return (struct witness_sample){
		result, place, code,
		any ? witnesses_at(&maker->operands->witnesses, place->dso, place->sampled) : NULL
	};
}

/* Sets *use to the use of item `i` of the witness, and *number to the place of its access. Returns
 * false if its object is not known, or if another use of the sample covers it. */
static bool witnessed_use(const struct witness_maker *maker, const struct witness_sample *sample,
			  size_t i, struct sharing_use *use, uint32_t *number)
{
	const struct witnesses *witnesses = &maker->operands->witnesses;
	const struct witnessed *item = &witnesses->items[sample->witness->first + i];
	const struct witnessed_access *made = &witnesses->accesses[item->access];
	const struct resolved_place *other;
	uint64_t value = sample->result->data_kept[item->kept];

	*number = maker->resolution->witnessed_of[item->access];
	other = &maker->resolution->places[*number];
	if (!value || other->access.kind != ACCESS_TYPE ||
	    made->insn == sample->place->access.address ||
	    (any_of(i, 0, sample->code->count, sample->code->beside[i].insn == made->insn)))
		return false;
	*use = make_witnessed(&maker->shared, sample->result, sample->place, other, made,
			      value + (uint64_t)item->displacement);
	return use->base != SHARING_NO_BASE;
}

/* Adds the uses that a sample is a witness of. `base` is the object of the access that it is
 * charged to, or SHARING_NO_BASE. One use of each further object counts as sampled. */
static struct error *find_witnessed(struct witness_maker *maker,
				    const struct witness_sample *sample, uint64_t base)
{
	uint64_t bases[DATA_KEPT_MAX + 1] = { base };
	size_t base_count = 1;
	struct sharing_use use;
	uint32_t number;

	for (size_t i = 0; sample->witness && i < sample->witness->count; i++) {
		if (!witnessed_use(maker, sample, i, &use, &number))
			continue;
		for (size_t k = 0; k < base_count; k++)
			use.implied |= bases[k] == use.base;
		if (!use.implied && base_count < DATA_KEPT_MAX + 1)
			bases[base_count++] = use.base;
		RETURN_ERROR(align_use(&maker->resolution->places[number], maker->operands->dso,
				       maker->objects, &maker->codes[number], &use));
		sharing_uses_add_witnessed(maker, &use);
	}
	return NULL;
}

/* ---- lines that several threads are shown to use ---- */

/* A line that a thread is shown to use by samples elsewhere. */
struct witnessed_line {
	int32_t pid, tid; /* of the first one */
	uint64_t line;    /* address / cacheline */
	bool several;     /* more threads use it */
	bool written;
};

struct witnessed_lines {
	uint64_t cacheline;
	struct witnessed_line *items;
	size_t count, capacity;
	struct hash_map known; /* indexes of `items` */
};

/* Returns the line with the use's first byte; with `create`, it is added. NULL if there is none. */
static struct witnessed_line *line_of(struct witnessed_lines *lines, const struct sharing_use *use,
				      bool create)
{
	uint64_t line = use->address / lines->cacheline,
		 key = hash_combine((uint64_t)(uint32_t)use->pid, line);
	const uint32_t *found = hash_map_find(&lines->known, key);

	assert(!found || lines->items);
	if (found && lines->items[*found].pid == use->pid && lines->items[*found].line == line)
		return &lines->items[*found];
	if (!create)
		return NULL;
	*hash_map_insert(&lines->known, key, NULL) = (uint32_t)lines->count;
	array_add(lines->items, lines->count, lines->capacity) =
		(struct witnessed_line){ .pid = use->pid, .tid = use->tid, .line = line };
	return &lines->items[lines->count - 1];
}

static void note_use(struct witnessed_lines *lines, const struct sharing_use *use, bool create)
{
	struct witnessed_line *line = line_of(lines, use, create);

	if (!line)
		return;
	line->several |= line->tid != use->tid;
	line->written |= use->writes;
}

/* Lists the lines that threads are shown to use by as many samples as a side of a verdict has. */
static void list_lines(const struct sharing_uses *uses, struct witnessed_lines *lines)
{
	for (size_t i = 0; i < uses->input.witnessed_count; i++) {
		struct sharing_use use = uses->input.witnessed[i];

		if (use.samples < SHARING_SIDE_MIN)
			continue;
		note_use(lines, &use, true);
		/* a use may extend into the next line */
		use.address += use.size - 1U;
		note_use(lines, &use, true);
	}
	for (size_t i = 0; i < uses->input.count; i++)
		note_use(lines, &uses->input.uses[i], false);
}

/* Returns the line of the use's first byte, or else that of its last byte, if several threads use
 * that line and one of them writes. Returns NULL if neither is such a line. */
static const struct witnessed_line *shared_line_of(struct witnessed_lines *lines,
						   const struct sharing_use *use)
{
	struct sharing_use last = *use;
	const struct witnessed_line *line = line_of(lines, use, false);

	if (line && line->several && line->written)
		return line;
	last.address += use->size - 1U;
	line = line_of(lines, &last, false);
	return line && line->several && line->written ? line : NULL;
}

/* Adds what a sample is a witness of in lines that several threads use. */
static struct error *add_to_shared_lines(struct witness_maker *maker, struct witnessed_lines *lines,
					 const struct witness_sample *sample)
{
	struct sharing_use use;
	uint32_t number;
	uint64_t last = UINT64_MAX; /* the line that the sample was counted for */

	for (size_t i = 0; i < sample->witness->count; i++) {
		const struct witnessed_line *line;

		if (!witnessed_use(maker, sample, i, &use, &number))
			continue;
		line = shared_line_of(lines, &use);
		if (!line)
			continue;
		use.implied = true;
		use.elsewhere = line->line != last;
		last = line->line;
		RETURN_ERROR(align_use(&maker->resolution->places[number], maker->operands->dso,
				       maker->objects, &maker->codes[number], &use));
		add_in_lines(maker->uses, &use, lines->cacheline);
	}
	return NULL;
}

/* Adds the uses that samples elsewhere are witnesses of, at the times of these samples, in lines
 * that several threads use and one of them writes. If threads make these accesses all the time, the
 * line moves between their processors, even if no sample shows that somebody waits. */
static struct error *add_shared_lines(struct witness_maker *maker, uint64_t cacheline)
{
	struct witnessed_lines lines = { .cacheline = cacheline };
	struct error *error = NULL;

	list_lines(maker->uses, &lines);
	for (size_t i = 0; i < maker->counts->count && lines.count && !error; i++) {
		struct result result = result_of(maker, i);
		uint32_t number = maker->resolution->entries.place_of[i];
		struct witness_sample sample = witness_sample_of(
			maker, &result, &maker->resolution->places[number], &maker->codes[number]);

		if (sample.witness)
			error = add_to_shared_lines(maker, &lines, &sample);
	}
	free(lines.items);
	hash_map_deinit(&lines.known);
	return error;
}

/* ---- strings and arrays ---- */

/* A sampled string instruction is taken to use at most this many cachelines from there on. */
#define STRING_LINES_MAX 64

/* Adds what a repeated string instruction goes over from the sampled address up to `end`. */
static void add_string(struct sharing_uses *uses, const struct sharing_use *use, uint64_t end,
		       uint64_t cacheline)
{
	struct sharing_use part = *use;

	/* it may have begun long before the address */
	part.base = SHARING_NO_BASE;
	for (int i = 0; i < STRING_LINES_MAX && part.address < end; i++) {
		uint64_t left = cacheline - part.address % cacheline;

		part.size = (uint16_t)(end - part.address < left ? end - part.address : left);
		sharing_uses_add_use(uses, &part);
		part.address += part.size;
		part.variable_offset += part.size;
		part.cost = 0;
		part.implied = true;
		part.hitm = false;
	}
}

/* Adds the end of the memory that a loop goes over from the sampled address up to its last access
 * at `last`: there it meets what other threads use. Elements that are numbers use all bytes of the
 * last line. */
static void add_end_of_loop(struct sharing_uses *uses, const struct sharing_use *use, uint64_t last,
			    uint64_t cacheline)
{
	uint64_t line = last - last % cacheline, begin = last;
	struct sharing_use end = *use;

	if (last <= use->address || last - use->address >= SHARING_WALK_MAX ||
	    line == use->address - use->address % cacheline)
		return;
	if (use->type && !use->field && use->base == SHARING_NO_BASE)
		begin = line > use->address ? line : use->address;
	end.size = (uint16_t)(last + use->size - begin);
	end.address = begin;
	end.base += use->base == SHARING_NO_BASE ? 0 : begin - use->address;
	end.variable_offset += begin - use->address;
	end.cost = 0;
	end.hitm = false;
	end.implied = true;
	add_in_lines(uses, &end, cacheline);
}

/* A use of an element that an index chose. An array has far more elements than samples, so hardly
 * any is in the lines at its ends, which others may share: uses are added. */
struct element_use {
	size_t use; /* index */
	struct indexed_memory memory;
	bool of_several; /* no declaration limits the memory, and threads have it in common */
	bool walked;     /* the size is the size of the elements that one instruction accesses */
};

struct element_uses {
	struct element_use *items;
	size_t count, capacity;
	const struct sharing_uses *uses; /* that the items index */
};

/* An array with fewer samples than this is not taken to be used as a whole. */
#define ARRAY_SAMPLES_MIN 16
/* An array is taken to be used as a whole only if the gaps before the first sampled element and
 * after the last one are at most this many times the size of the array divided by its samples. If
 * all elements are used equally often, the gap at one end is larger with a probability of e^-7,
 * which is 0.1 %. */
#define ARRAY_GAP_MAX  7
#define ARRAY_GAP_PART 4 /* a gap is also at most the array's size divided by this */

static int compare_by_memory(const void *left, const void *right, void *data)
{
	const struct element_use *a = left, *b = right;
	const struct element_uses *list = data;
	const struct sharing_use *x = &list->uses->input.uses[a->use],
				 *y = &list->uses->input.uses[b->use];

	COMPARE(x->pid, y->pid);
	COMPARE(a->memory.size, b->memory.size);
	COMPARE(a->memory.begin, b->memory.begin);
	COMPARE(x->tid, y->tid);
	COMPARE(a->use, b->use);
	return 0;
}

static int compare_by_code(const void *left, const void *right, void *data)
{
	const struct element_use *a = left, *b = right;
	const struct element_uses *list = data;
	const struct sharing_use *x = &list->uses->input.uses[a->use],
				 *y = &list->uses->input.uses[b->use];

	COMPARE(x->pid, y->pid);
	COMPARE(x->ip, y->ip);
	COMPARE(a->use, b->use);
	return 0;
}

static const struct sharing_use *use_of(const struct element_uses *list, size_t element)
{
	return &list->uses->input.uses[list->items[element].use];
}

/* Marks uses, sorted by memory, of memory without a size that threads share. */
static void find_common_memory(struct element_uses *list)
{
	size_t end;

	for (size_t first = 0; first < list->count && !list->items[first].memory.size;
	     first = end) {
		bool several = false;

		for (end = first;
		     end < list->count && !list->items[end].memory.size &&
		     list->items[end].memory.begin == list->items[first].memory.begin &&
		     use_of(list, end)->pid == use_of(list, first)->pid;
		     end++)
			several |= use_of(list, end)->tid != use_of(list, first)->tid;
		for (size_t i = first; i < end; i++)
			list->items[i].of_several = several;
	}
}

/* Gives the uses of one instruction the range from lowest to highest as memory. */
static void find_walk(struct element_uses *list, size_t first, size_t end)
{
	uint64_t low = UINT64_MAX, high = 0;
	size_t counted = 0;

	for (size_t i = first; i < end; i++) {
		const struct sharing_use *use = use_of(list, i);
		uint64_t offset = use->address - list->items[i].memory.begin;

		if (list->items[i].of_several || list->items[i].memory.size)
			continue;
		counted++;
		low = offset < low ? offset : low;
		high = offset + use->size > high ? offset + use->size : high;
	}
	if (counted < ARRAY_SAMPLES_MIN || low > SHARING_WALK_MAX || high - low > SHARING_WALK_MAX)
		return;
	for (size_t i = first; i < end; i++) {
		if (list->items[i].of_several || list->items[i].memory.size)
			continue;
		list->items[i].walked = true;
		list->items[i].memory.begin += low;
		list->items[i].memory.size = high - low;
	}
}

static void find_walks(struct element_uses *list)
{
	size_t end;

	for (size_t first = 0; first < list->count; first = end) {
		for (end = first; end < list->count &&
				  use_of(list, end)->pid == use_of(list, first)->pid &&
				  use_of(list, end)->ip == use_of(list, first)->ip;)
			end++;
		find_walk(list, first, end);
	}
}

/* Returns whether a thread uses the whole array, by its samples [first, end). */
static bool is_used_whole(const struct element_uses *list, size_t first, size_t end)
{
	const struct indexed_memory *memory = &list->items[first].memory;
	uint64_t low = UINT64_MAX, high = 0, gap = memory->size * ARRAY_GAP_MAX / (end - first);

	lower_to(gap, memory->size / ARRAY_GAP_PART);
	if (end - first < ARRAY_SAMPLES_MIN)
		return false;
	for (size_t i = first; i < end; i++) {
		const struct sharing_use *use = use_of(list, i);
		uint64_t offset = use->address - memory->begin;

		low = offset < low ? offset : low;
		high = offset + use->size > high ? offset + use->size : high;
	}
	return low <= gap && high <= memory->size && memory->size - high <= gap;
}

/* Adds what a use stands for in one of the lines at the ends of its array. */
static void add_end_of_array(struct sharing_uses *uses, const struct element_use *element,
			     uint64_t begin, uint64_t end, uint64_t cacheline)
{
	struct sharing_use use = uses->input.uses[element->use];

	if (use.address / cacheline == begin / cacheline)
		return;
	use.variable_offset += begin - use.address;
	use.address = begin;
	use.size = (uint16_t)(end - begin);
	use.source = NULL;
	use.cost = 0;
	use.hitm = false;
	use.implied = true;
	sharing_uses_add_use(uses, &use);
}

/* Adds the first and the last line of an array as used. The verdict on other places for the array
 * needs them even if it begins or ends with a line. */
static void add_ends_of_array(struct sharing_uses *uses, const struct element_use *element,
			      uint64_t cacheline)
{
	uint64_t begin = element->memory.begin, end = begin + element->memory.size,
		 second = begin - begin % cacheline + cacheline,
		 last = (end - 1) - (end - 1) % cacheline;

	add_end_of_array(uses, element, begin, second < end ? second : end, cacheline);
	if (last >= second)
		add_end_of_array(uses, element, last, end, cacheline);
}

/* Adds the ends of the arrays that threads use as a whole. */
static void add_arrays(struct sharing_uses *uses, struct element_uses *list, uint64_t cacheline)
{
	size_t end;

	if (!list->count)
		return;
	list->uses = uses;
	qsort_r(list->items, list->count, sizeof(*list->items), compare_by_memory, list);
	find_common_memory(list);
	qsort_r(list->items, list->count, sizeof(*list->items), compare_by_code, list);
	find_walks(list);
	qsort_r(list->items, list->count, sizeof(*list->items), compare_by_memory, list);
	for (size_t first = 0; first < list->count; first = end) {
		const struct element_use *element = &list->items[first];

		for (end = first; end < list->count &&
				  use_of(list, end)->pid == use_of(list, first)->pid &&
				  use_of(list, end)->tid == use_of(list, first)->tid &&
				  list->items[end].memory.begin == element->memory.begin &&
				  list->items[end].memory.size == element->memory.size;)
			end++;
		if (!element->memory.size || (!element->walked && !is_used_whole(list, first, end)))
			continue;
		for (size_t i = first; i < end; i++)
			add_ends_of_array(uses, &list->items[i], cacheline);
	}
}

/* ---- all uses ---- */

COMPARISON(compare_totals, struct sharing_total, ASCENDING(pid) ASCENDING(tid))

/* Sorts items, and adds the costs of equal ones. Returns how many are left. */
#define merge_costs(items, count, compare)                                                         \
	({                                                                                         \
		size_t kept_ = 0;                                                                  \
		array_sort(items, count, compare);                                                 \
		for (size_t i = 0; i < (count); i++)                                               \
			if (kept_ && !compare(&(items)[kept_ - 1], &(items)[i]))                   \
				(items)[kept_ - 1].cost += (items)[i].cost;                        \
			else                                                                       \
				(items)[kept_++] = (items)[i];                                     \
		kept_;                                                                             \
	})

static void add_rest(struct sharing_uses *uses, const struct result *result, uint64_t cost)
{
	array_add(uses->input.rests, uses->input.rest_count, uses->rest_capacity) =
		(struct sharing_rest){ .pid = result->pid,
				       .tid = result->tid ?: -1 - result->cpu,
				       .ip = result->ip,
				       .function = result->place->symbol,
				       .cost = cost };
}

COMPARISON(compare_rests, struct sharing_rest, ASCENDING(pid) ASCENDING(tid) ASCENDING(ip))

/* Returns whether the weights are latencies, and so costs; late events' are not. */
static bool has_latencies(const struct session *session, const struct sample_counts *counts)
{
	const struct event *events = session_events(session, NULL);

	return any_of(i, 0, counts->count,
		      counts->entries[i].weight &&
			      !event_is_late(&events[counts->entries[i].event]));
}

/* Returns whether all samples are a timer's, whose periods are how long threads ran. */
static bool has_run_times(const struct session *session)
{
	return !session_any_event(session, event, event->samples && !event_is_timer(event));
}

/* Returns whether an event was to record context switches. */
static bool has_switches(const struct session *session)
{
	return session_any_event(session, event, event->attr.context_switch);
}

/* The state of making uses from counted entries. */
struct use_maker {
	struct witness_maker *witnesses;
	struct object_alignments *objects;
	struct element_uses elements; /* uses of elements of arrays */
	struct sharing_parts parts;   /* and those by loops over parts of arrays */
	uint64_t cacheline;
};

/* Adds the uses that one counted entry stands for. */
static struct error *sharing_uses_add_uses(struct use_maker *maker, const struct result *result,
					   uint32_t place_number, uint64_t cost)
{
	struct witness_maker *witnesses = maker->witnesses;
	struct sharing_uses *uses = witnesses->uses;
	const struct resolved_place *place = &witnesses->resolution->places[place_number];
	struct place_code *code = &witnesses->codes[place_number];
	struct witness_sample sample = witness_sample_of(witnesses, result, place, code);
	struct indexed_memory memory = { 0 };

	if (!result->data_known || !result->data_address || access_is_none(&place->access)) {
		add_rest(uses, result, cost);
		return find_witnessed(witnesses, &sample, SHARING_NO_BASE);
	}
	struct sharing_use use = make_use(&witnesses->shared, result, place, &memory);

	if (use.variable)
		use.element_size =
			element_size(place, result->data, witnesses->operands->dso, maker->objects);
	if (!code->known)
		find_code_beside(place, witnesses->operands, code);
	use.caller = caller_of(witnesses->resolution, result);
	use.cost = cost;
	use.writes |= code->stores_back;
	use.adds = code->adds;
	use.polls = code->polls && !use.writes;
	RETURN_ERROR(align_use(place, witnesses->operands->dso, maker->objects, code, &use));
	struct error *error = find_witnessed(witnesses, &sample, use.base);

	if (memory.begin && use.address >= memory.begin) {
		struct element_uses *elements = &maker->elements;

		array_add(elements->items, elements->count, elements->capacity) =
			(struct element_use){ .use = uses->input.count, .memory = memory };
	}
	sharing_parts_note(&maker->parts, uses, &use, result->data_last);
	if (result->data_end > use.address + use.size)
		add_string(uses, &use, result->data_end, maker->cacheline);
	else
		add_in_lines(uses, &use, maker->cacheline);
	add_end_of_loop(uses, &use, result->data_last, maker->cacheline);
	if (use.base != SHARING_NO_BASE && type_strip(place->access.type)->kind != TYPE_ARRAY)
		add_implied(uses, &use, place->access.type, code, maker->cacheline);
	return error;
}

struct error *sharing_uses_init(struct sharing_uses *uses, const struct session *session,
				const struct resolution *resolution,
				const struct sample_counts *counts, struct operands *operands,
				uint64_t cacheline)
{
	_cleanup_free_ struct place_code *codes = xcalloc(resolution->place_count, sizeof(*codes));
	struct object_alignments objects = { 0 };
	struct error *error = NULL;
	struct witness_maker witnesses = { .uses = uses,
					   .resolution = resolution,
					   .counts = counts,
					   .operands = operands,
					   .codes = codes,
					   .objects = &objects };
	struct use_maker maker = { .witnesses = &witnesses,
				   .objects = &objects,
				   .cacheline = cacheline };

	*uses = (struct sharing_uses){ .input = { .totals = xcalloc(counts->count,
								    sizeof(*uses->input.totals)),
						  .cacheline = cacheline,
						  .has_latencies = has_latencies(session, counts),
						  .has_run_times = has_run_times(session) } };
	if (has_switches(session))
		sleeps_read(session, &uses->sleeps);
	shared_addresses_init(&witnesses.shared, session);
	for (size_t i = 0; i < counts->count && !error; i++) {
		struct result result = result_of(&witnesses, i);
		uint64_t cost =
			uses->input.has_latencies ? result.weight * result.samples : result.period;

		/* those with details stand for all */
		if (counts->entries[i].coarse) {
			uses->left_out += result.samples;
			continue;
		}
		uses->samples += result.samples;
		uses->input.totals[uses->input.total_count++] =
			(struct sharing_total){ result.pid, result.tid, cost };
		error = sharing_uses_add_uses(&maker, &result, resolution->entries.place_of[i],
					      cost);
	}
	if (!error)
		error = add_shared_lines(&witnesses, cacheline);
	for (size_t i = 0; i < resolution->place_count; i++)
		free(codes[i].beside);
	sharing_parts_add(&maker.parts, uses, cacheline);
	sharing_parts_deinit(&maker.parts);
	add_arrays(uses, &maker.elements, cacheline);
	shared_addresses_restore(&witnesses.shared, uses->input.uses, uses->input.count);
	shared_addresses_restore(&witnesses.shared, uses->input.witnessed,
				 uses->input.witnessed_count);
	shared_addresses_deinit(&witnesses.shared);
	free(maker.elements.items);
	hash_map_deinit(&witnesses.known);
	object_alignments_deinit(&objects);
	uses->input.total_count =
		merge_costs(uses->input.totals, uses->input.total_count, compare_totals);
	uses->input.rest_count =
		merge_costs(uses->input.rests, uses->input.rest_count, compare_rests);
	return error;
}

void sharing_uses_deinit(struct sharing_uses *uses)
{
	free_all(uses->input.uses, uses->input.totals, uses->input.rests, uses->input.witnessed);
	string_pool_deinit(&uses->names);
	sleeps_deinit(&uses->sleeps);
	*uses = (struct sharing_uses){ 0 };
}

static bool slept(const void *sleeps, int32_t tid, uint64_t time)
{
	return sleeps_has(sleeps, tid, time);
}

struct sharing *sharing_uses_judge(struct sharing_uses *uses)
{
	const struct sleeps *sleeps = &uses->sleeps;

	if (any_of(i, 0, sleeps->count, !sleeps->items[i].ended))
		uses->input.slept = slept;
	uses->input.slept_data = sleeps;
	return sharing_create(&uses->input);
}
