// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements sharing_uses.h: makes uses of counted samples. */
#include "profiler/resolve/sharing_uses.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/member.h"
#include "profiler/base/memory.h"

#define ARRAY_DEPTH_MAX 16 /* arrays of arrays */

uint64_t sharing_access_ip(const struct result *result, const struct resolved_place *place)
{
	return place->late ? result->ip + (place->access.address - place->sampled) : result->ip;
}

/* ---- objects ---- */

/* Returns whether the offset is in a member that is an array, whose element an index may choose. */
static bool is_in_array(const struct type *type, int64_t offset)
{
	_cleanup_free_ struct member_line *lines = NULL;
	size_t count;

	member_lines(type, &lines, &count);
	for (size_t i = 1; i < count; i++)
		if (lines[i].element_size && offset >= lines[i].offset &&
		    (uint64_t)(offset - lines[i].offset) < lines[i].size)
			return true;
	return false;
}

static const struct type *element_of(const struct type *type)
{
	type = type_strip(type);
	for (int depth = 0; depth < ARRAY_DEPTH_MAX && type->kind == TYPE_ARRAY; depth++)
		type = type_strip(type_target(type));
	return type;
}

/*
 * Sets base and size of the object. Elements of an array are objects of their own. An index that
 * may belong to an array within the object hides where the object begins.
 */
static void find_object(const struct access *access, struct sharing_use *use)
{
	const struct type *type = type_strip(access->type);

	use->type_size = type->size;
	if (type->kind == TYPE_ARRAY) {
		const struct type *element = element_of(type);

		use->type_size = element->size;
		use->base = !element->size ? SHARING_NO_BASE
			    : !access->indexed && access->offset >= 0
				    ? use->address - (uint64_t)access->offset % element->size
			    : use->size == element->size ? use->address
							 : SHARING_NO_BASE;
		return;
	}
	if (!access->indexed || !is_in_array(access->type, access->offset))
		use->base = use->address - (uint64_t)access->offset;
}

static enum sharing_memory memory_of(const struct result_data *data)
{
	if (!data || !data->dso)
		return SHARING_OTHER;
	if (!strcmp(data->dso, "[heap]"))
		return SHARING_HEAP;
	if (!strncmp(data->dso, "[stack", strlen("[stack")))
		return SHARING_STACK;
	return data->symbol && data->is_variable ? SHARING_STATIC : SHARING_OTHER;
}

/* ---- uses ---- */

/*
 * The accesses that the code of a place makes besides the sampled one; found once for each place.
 */
struct place_code {
	bool known;
	bool stores_back;
	size_t count;
	struct beside *beside;
};

/* Finds the accesses that the code of a place makes besides the sampled one. */
static void find_code_beside(const struct resolved_place *place, struct operands *operands,
			     struct place_code *code)
{
	struct beside beside[BESIDE_MAX];

	code->known = true;
	if (!place->dso)
		return;
	code->stores_back = place->access.read && !place->access.write &&
			    operands_stores_back(operands, place->dso, place->access.address);
	if (place->access.kind != ACCESS_TYPE || place->access.indexed)
		return;
	code->count = operands_beside(operands, place->dso, place->access.address, beside);
	code->beside = xcalloc(code->count, sizeof(*beside));
	memcpy(code->beside, beside, code->count * sizeof(*beside));
}

static void add_use(struct sharing_uses *uses, const struct sharing_use *use)
{
	array_reserve(uses->items, uses->count, uses->capacity);
	uses->items[uses->count++] = *use;
}

/* Adds the use. If it extends into the next cacheline, that part is a use of its own. */
static void add_in_lines(struct sharing_uses *uses, const struct sharing_use *use,
			 uint64_t cacheline)
{
	uint64_t left = cacheline - use->address % cacheline;
	struct sharing_use rest = *use;

	add_use(uses, use);
	if (use->size <= left)
		return;
	rest.address += left;
	rest.size -= (uint16_t)left;
	rest.variable_offset += left;
	rest.cost = 0;
	rest.implied = true;
	add_use(uses, &rest);
}

static const char *field_at(struct sharing_uses *uses, const struct type *type, uint64_t offset,
			    uint64_t size)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	if (!member_path(type, (int64_t)offset, size, &path))
		return NULL;
	make_printable(path.data, path.length);
	return string_pool_intern(&uses->names, path.data);
}

/* Adds the accesses beside a use: they are within the same object. */
static void add_implied(struct sharing_uses *uses, const struct sharing_use *use,
			const struct type *type, const struct place_code *code, uint64_t cacheline)
{
	for (size_t i = 0; i < code->count; i++) {
		const struct beside *beside = &code->beside[i];
		struct sharing_use implied = *use;

		implied.address += (uint64_t)beside->delta;
		if (implied.address < use->base || implied.address - use->base >= use->type_size ||
		    implied.address == use->address)
			continue;
		implied.size = beside->size;
		implied.reads = beside->read;
		implied.writes = beside->write;
		implied.variable_offset += (uint64_t)beside->delta;
		implied.field = field_at(uses, type, implied.address - use->base, beside->size);
		implied.source = NULL;
		implied.cost = 0;
		implied.hitm = false;
		implied.implied = true;
		add_in_lines(uses, &implied, cacheline);
	}
}

static struct sharing_use make_use(const struct result *result, const struct resolved_place *place)
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
		.pid = address_is_kernel(result->data_address) ? 0 : result->pid,
		.tid = result->tid ? result->tid : -1 - result->cpu,
		.cpu = result->cpu,
		.size = access->size ? access->size : 1,
		.memory = (uint8_t)memory_of(result->data),
		.reads = is_recorded ? source.mem_op & PERF_MEM_OP_LOAD : access->read,
		.writes = is_recorded ? source.mem_op & PERF_MEM_OP_STORE : access->write,
		.hitm = source.mem_snoop & PERF_MEM_SNOOP_HITM,
	};

	if (result->data && use.memory == SHARING_STATIC) {
		use.variable = result->data->symbol;
		use.variable_offset = result->data->address - result->data->symbol_address;
	}
	if (access->kind == ACCESS_TYPE) {
		use.type = result->place->type;
		use.type_id = access->type;
		use.field = result->place->field;
		find_object(access, &use);
	}
	return use;
}

static int compare_totals(const void *left, const void *right)
{
	const struct sharing_total *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static void merge_totals(struct sharing_uses *uses)
{
	size_t kept = 0;

	if (uses->total_count)
		qsort(uses->totals, uses->total_count, sizeof(*uses->totals), compare_totals);
	for (size_t i = 0; i < uses->total_count; i++) {
		if (kept && !compare_totals(&uses->totals[kept - 1], &uses->totals[i]))
			uses->totals[kept - 1].cost += uses->totals[i].cost;
		else
			uses->totals[kept++] = uses->totals[i];
	}
	uses->total_count = kept;
}

/*
 * Returns whether samples have latencies, which are then the cost. The weights of late events are
 * not latencies of an access.
 */
static bool has_latencies(const struct session *session, const struct sample_counts *counts)
{
	size_t event_count;
	const struct event *events = session_events(session, &event_count);

	for (size_t i = 0; i < counts->count; i++)
		if (counts->entries[i].weight && !event_is_late(&events[counts->entries[i].event]))
			return true;
	return false;
}

void sharing_uses_init(struct sharing_uses *uses, const struct session *session,
		       const struct resolution *resolution, const struct sample_counts *counts,
		       struct operands *operands, uint64_t cacheline)
{
	_cleanup_free_ struct place_code *codes = xcalloc(resolution->place_count, sizeof(*codes));

	*uses = (struct sharing_uses){ .totals = xcalloc(counts->count, sizeof(*uses->totals)),
				       .has_latencies = has_latencies(session, counts) };
	for (size_t i = 0; i < counts->count; i++) {
		struct result result = resolution_result(resolution, counts, i);
		const struct resolved_place *place = &resolution->places[resolution->place_of[i]];
		uint64_t cost =
			uses->has_latencies ? result.weight * result.samples : result.period;

		uses->samples += result.samples;
		uses->totals[uses->total_count++] =
			(struct sharing_total){ result.pid, result.tid, cost };
		if (!result.data_known || !result.data_address || access_is_none(&place->access))
			continue;

		struct place_code *code = &codes[resolution->place_of[i]];
		struct sharing_use use = make_use(&result, place);

		if (!code->known)
			find_code_beside(place, operands, code);
		use.cost = cost;
		use.writes |= code->stores_back;
		add_in_lines(uses, &use, cacheline);
		if (use.base != SHARING_NO_BASE &&
		    type_strip(place->access.type)->kind != TYPE_ARRAY)
			add_implied(uses, &use, place->access.type, code, cacheline);
	}
	for (size_t i = 0; i < resolution->place_count; i++)
		free(codes[i].beside);
	merge_totals(uses);
}

void sharing_uses_deinit(struct sharing_uses *uses)
{
	free(uses->items);
	free(uses->totals);
	string_pool_deinit(&uses->names);
	*uses = (struct sharing_uses){ 0 };
}
