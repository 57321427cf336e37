// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The state of a solver: made for an object, cleared for each of its functions, and freed. Each
 * part of struct solver has one function that clears it, and one that frees it.
 */
#include "annotate/flow/solver.h"

#include "annotate/language/variants.h"
#include "base/memory.h"

static void caches_clear(struct solver_caches *caches)
{
	variants_clear(caches->variant_search);
	scope_types_clear(caches->scope_types);
	free(caches->named);
	caches->named = NULL;
}

static void caches_deinit(struct solver_caches *caches)
{
	variants_destroy(caches->variant_search);
	scope_types_destroy(caches->scope_types);
	field_cache_destroy(caches->fields);
	free_all(caches->globals, caches->named, caches->believed);
}

static void frame_clear(struct solver_frame *frame)
{
	frame->rows = NULL;
	frame->row_count = 0;
	frame->escape_count = 0;
}

void solver_tables_reserve(struct solver_tables *tables, size_t insn_count, size_t block_count)
{
	if (block_count > tables->block_capacity) {
		tables->entries =
			xrealloc_array(tables->entries, block_count, sizeof(*tables->entries));
		memset(&tables->entries[tables->block_capacity], 0,
		       (block_count - tables->block_capacity) * sizeof(*tables->entries));
		tables->block_capacity = block_count;
	}
	if (insn_count > tables->insn_capacity) {
		free_all(tables->loads, tables->calls);
		tables->loads = xcalloc(insn_count, sizeof(*tables->loads));
		tables->calls = xcalloc(insn_count, sizeof(*tables->calls));
		tables->insn_capacity = insn_count;
	}
}

void solver_tables_deinit(struct solver_tables *tables)
{
	for (size_t i = 0; i < tables->block_capacity; i++)
		state_deinit(&tables->entries[i]);
	free_all(tables->entries, tables->loads, tables->calls);
	tables->entries = NULL;
	tables->loads = NULL;
	tables->calls = NULL;
	tables->block_capacity = tables->insn_capacity = 0;
	schedule_deinit(&tables->schedule);
}

static void evidence_clear(struct solver_evidence *evidence)
{
	evidence->alternatives.count = evidence->alternatives.joined_count = 0;
	hash_map_clear(&evidence->alternatives.index);
	evidence->objects.count = 0;
	evidence->objects.changed = false;
	call_objects_begin(&evidence->call_objects);
	evidence->walked_count = 0;
	evidence->casts_headers = evidence->casts_bytes = false;
}

static void evidence_deinit(struct solver_evidence *evidence)
{
	free_all(evidence->alternatives.items, evidence->alternatives.joined);
	hash_map_deinit(&evidence->alternatives.index);
	free_all(evidence->objects.items, evidence->call_objects.items, evidence->walked);
}

static void places_clear(struct solver_places *places)
{
	lives_clear(&places->lives);
	table_places_clear(&places->table_places);
	places->imported_tables.count = 0;
}

static void places_deinit(struct solver_places *places)
{
	lives_deinit(&places->lives);
	liveness_deinit(&places->kept);
	spill_slots_deinit(&places->spill_slots);
	table_places_deinit(&places->table_places);
	free(places->imported_tables.items);
}

static void go_clear(struct solver_go *go)
{
	go->passed_end = 0;
	code_copies_deinit(&go->copies);
	go->link_count = go->iterator_count = 0;
}

void solver_init(struct solver *solver, const struct abi *abi, const struct elf_image *image,
		 struct debug_reader *reader, const struct solver_options *options)
{
	*solver = (struct solver){ .arch = abi->arch,
				   .abi = abi,
				   .image = image,
				   .reader = reader,
				   .options = *options,
				   .caches = { .scope_types = scope_types_create(),
					       .fields = field_cache_create() } };
}

void solver_clear(struct solver *solver)
{
	solver->function = NULL;
	solver->code = NULL;
	facts_deinit(&solver->facts);
	caches_clear(&solver->caches);
	frame_clear(&solver->frame);
	solver->pass.gathered = solver->pass.wants_calls = false;
	free(solver->tables.extra_edges);
	solver->tables.extra_edges = NULL;
	tags_clear(&solver->tags);
	evidence_clear(&solver->evidence);
	places_clear(&solver->places);
	go_clear(&solver->go);
}

void solver_deinit(struct solver *solver)
{
	solver_clear(solver);
	caches_deinit(&solver->caches);
	free(solver->frame.escapes);
	solver_tables_deinit(&solver->tables);
	origins_deinit(&solver->origins);
	tags_deinit(&solver->tags);
	evidence_deinit(&solver->evidence);
	places_deinit(&solver->places);
}
