// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements advice_print_json(). */
#include "report/layout/advice_text.h"

#include <string.h>

static void add_members(const struct advice_type *type, struct json *json)
{
	json_array(json, "members");
	for (size_t i = 0; i < type->member_count; i++) {
		const struct advice_member *member = &type->members[i];

		json_object(json, NULL);
		json_string(json, "name", member->name);
		json_unsigned(json, "offset", member->offset);
		json_unsigned(json, "size", member->size);
		json_unsigned(json, "samples", member->samples);
		json_unsigned(json, "loads", member->loads);
		json_unsigned(json, "stores", member->stores);
		json_unsigned(json, "reading_threads", member->readers);
		json_unsigned(json, "writing_threads", member->writers);
		json_unsigned(json, "reading_cpus", member->reader_cpus);
		json_unsigned(json, "writing_cpus", member->writer_cpus);
		if (member->pinned)
			json_string(json, "pinned", member->pinned);
		json_end(json);
	}
	json_end(json);
}

static void add_regions(const struct advice_type *type, struct json *json)
{
	json_array(json, "regions");
	for (size_t i = 0; i < type->region_count; i++) {
		const struct advice_region *region = &type->regions[i];

		json_object(json, NULL);
		json_string(json, "function", region->function);
		json_string(json, "line", region->line);
		json_bool(json, "loop", region->loop);
		json_bool(json, "calls", region->calls);
		json_double(json, "cycles", region->cycles);
		json_unsigned(json, "samples", region->samples);
		json_unsigned(json, "charged", region->charged);
		if (region->pace > 0)
			json_double(json, "ns_per_element", region->pace);
		json_array(json, "uses");
		for (size_t k = 0; k < region->use_count; k++) {
			const struct advice_use *use = &region->uses[k];

			json_object(json, NULL);
			json_unsigned(json, "base", use->base);
			json_string(json, "walk", advice_walk_name(use->walk));
			json_unsigned(json, "offset", use->offset);
			json_unsigned(json, "size", use->size);
			json_bool(json, "write", use->write);
			json_unsigned(json, "samples", use->samples);
			if (use->step)
				json_signed(json, "step", use->step);
			if (use->next)
				json_string(json, "next", use->next);
			json_end(json);
		}
		json_end(json);
		json_end(json);
	}
	json_end(json);
}

static void add_affinities(const struct advice_type *type, struct json *json)
{
	json_array(json, "affinity");
	for (size_t i = 0; i < type->affinity_count; i++) {
		const struct advice_affinity *pair = &type->affinities[i];

		json_object(json, NULL);
		json_string(json, "first", type->members[pair->first].name);
		json_string(json, "second", type->members[pair->second].name);
		json_double(json, "weight", pair->weight);
		json_end(json);
	}
	json_end(json);
}

static void add_range(const char *name, const struct advice_range *range, struct json *json)
{
	json_object(json, name);
	json_double(json, "low", range->low);
	json_double(json, "high", range->high);
	json_end(json);
}

static void add_parts(const struct advice_type *type, const struct advice_proposal *proposal,
		      struct json *json)
{
	json_array(json, "parts");
	for (uint32_t part = 0; part < proposal->part_count; part++) {
		json_object(json, NULL);
		json_string(json, "name", proposal->parts[part].name);
		json_unsigned(json, "size", proposal->parts[part].size);
		json_array(json, "members");
		for (size_t i = 0; i < type->member_count; i++) {
			if (proposal->placed[i].part != part)
				continue;
			json_object(json, NULL);
			json_string(json, "name", type->members[proposal->placed[i].member].name);
			json_unsigned(json, "offset", proposal->placed[i].offset);
			json_end(json);
		}
		json_end(json);
		json_end(json);
	}
	json_end(json);
}

static void add_proposals(const struct advice_type *type, struct json *json)
{
	json_array(json, "proposals");
	for (size_t i = 0; i < type->proposal_count; i++) {
		const struct advice_proposal *proposal = &type->proposals[i];
		const struct advice_prediction *prediction = &proposal->prediction;

		json_object(json, NULL);
		json_string(json, "kind", advice_kind_name(proposal->kind));
		json_string(json, "verdict", advice_verdict_name(prediction->verdict));
		json_string(json, "reason", prediction->reason);
		add_range("whole", &prediction->whole, json);
		add_range("own", &prediction->own, json);
		json_array(json, "regions");
		for (size_t k = 0; k < type->region_count; k++)
			add_range(NULL, &prediction->regions[k], json);
		json_end(json);
		json_double(json, "old_lines_per_visit", prediction->old_lines);
		json_double(json, "new_lines_per_visit", prediction->new_lines);
		json_unsigned(json, "old_bytes_in_use", prediction->old_set);
		json_unsigned(json, "new_bytes_in_use", prediction->new_set);
		add_parts(type, proposal, json);
		json_end(json);
	}
	json_end(json);
}

void advice_print_json(const struct advice_type *type, const struct advice_machine *machine,
		       struct json *json)
{
	bool gains = type->proposal_count && type->proposals[0].prediction.verdict == VERDICT_GAIN;

	json_object(json, NULL);
	json_string(json, "name", type->name);
	json_string(json, "object", type->object);
	json_unsigned(json, "size", type->size);
	json_unsigned(json, "cacheline", machine->cacheline);
	json_unsigned(json, "samples", type->samples);
	json_unsigned(json, "total_samples", type->total);
	json_unsigned(json, "addressed_samples", type->objects.addressed);
	json_unsigned(json, "objects_seen", type->objects.seen);
	json_double(json, "objects_estimated", type->objects.estimate);
	json_bool(json, "array", type->objects.array);
	json_string(json, "advice", gains ? advice_kind_name(type->proposals[0].kind) : NULL);
	json_string(json, "refusal", type->refusal);
	add_members(type, json);
	add_regions(type, json);
	add_affinities(type, json);
	add_proposals(type, json);
	json_array(json, "constraints");
	for (size_t i = 0; i < type->constraint_count; i++) {
		json_object(json, NULL);
		json_string(json, "text", type->constraints[i].text);
		json_bool(json, "respected", type->constraints[i].respected);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}
