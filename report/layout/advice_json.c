// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements advice_print_json(): all facts and proposals of a type, as Documentation/json.md has
 * them. */
#include "report/layout/advice.h"

static void advice_json_members(const struct advice_type *type, struct json *json)
{
	json_each (json, "members", const struct advice_member, member, type->members,
		   type->member_count) {
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
	}
}

static void add_processes(const struct advice_type *type, struct json *json)
{
	json_each (json, "processes", const struct advice_process, process, type->processes,
		   type->process_count) {
		json_signed(json, "pid", process->pid);
		json_string(json, "name", process->name);
		json_unsigned(json, "sharers", process->sharers);
		json_unsigned(json, "samples", process->samples);
		json_unsigned(json, "addressed_samples", process->objects.addressed);
		json_double(json, "objects_estimated", process->objects.estimate);
		json_double(json, "objects_most", process->objects.most);
		json_bool(json, "objects_at_most", process->objects.at_most);
	}
}

static void add_regions(const struct advice_type *type, struct json *json)
{
	json_each (json, "regions", const struct advice_region, region, type->regions,
		   type->region_count) {
		json_string(json, "function", region->function);
		json_string(json, "line", region->line);
		json_bool(json, "loop", region->loop);
		if (region->searches)
			json_bool(json, "searches", true);
		json_bool(json, "calls", region->calls);
		json_double(json, "cycles", region->cycles);
		json_unsigned(json, "samples", region->samples);
		json_unsigned(json, "charged", region->charged);
		if (region->pace > 0)
			json_double(json, "ns_per_element", region->pace);
		if (region->ordered)
			json_bool(json, "in_order", true);
		json_array(json, "uses");
		array_each (const struct advice_use, use, region->uses, region->use_count) {
			if (use->inner)
				continue;
			json_object(json, NULL);
			json_unsigned(json, "base", use->base);
			json_string(json, "walk", advice_walk_name(use));
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
	}
}

static void add_affinities(const struct advice_type *type, struct json *json)
{
	json_each (json, "affinity", const struct advice_affinity, pair, type->affinities,
		   type->affinity_count) {
		json_string(json, "first", type->members[pair->first].name);
		json_string(json, "second", type->members[pair->second].name);
		json_double(json, "weight", pair->most);
	}
}

static void add_nears(const struct advice_type *type, struct json *json)
{
	json_each (json, "affinity_in_time", const struct advice_near, near, type->nears,
		   type->near_count) {
		json_string(json, "first", type->members[near->first].name);
		json_string(json, "second", type->members[near->second].name);
		json_double(json, "weight", (double)near->samples / (double)type->near_samples);
	}
}

static void add_lone(const struct advice_type *type, struct json *json)
{
	json_each (json, "to_move", const struct advice_lone, lone, type->lone, type->lone_count) {
		json_string(json, "member", type->members[lone->member].name);
		json_unsigned(json, "line", lone->line);
		json_double(json, "weight", lone->weight);
	}
}

static void add_json_range(const char *name, const struct advice_range *range, struct json *json)
{
	json_object(json, name);
	json_double(json, "low", range->low);
	json_double(json, "high", range->high);
	json_end(json);
}

static void advice_json_parts(const struct advice_type *type,
			      const struct advice_proposal *proposal, struct json *json)
{
	const struct advice_placed *placed = proposal->placed;

	/* placed members are in the order of their parts */
	json_each (json, "parts", const struct advice_part, part, proposal->parts,
		   proposal->part_count) {
		size_t count = 0, left = type->member_count - (size_t)(placed - proposal->placed);

		while (count < left && placed[count].part == part - proposal->parts)
			count++;
		json_string(json, "name", part->name);
		json_unsigned(json, "size", part->size);
		json_each (json, "members", const struct advice_placed, member, placed, count) {
			json_string(json, "name", type->members[member->member].name);
			json_unsigned(json, "offset", member->offset);
		}
		placed += count;
	}
}

static void add_json_replay(const struct advice_replay *replay, struct json *json)
{
	if (!replay->tried)
		return;
	json_object(json, "replay");
	json_string(json, "refusal", replay->refusal);
	if (!replay->refusal) {
		json_double(json, "middle", replay->middle);
		add_json_range("whole", &replay->whole, json);
		add_json_range("own", &replay->own, json);
		json_unsigned(json, "objects", replay->objects);
		json_double(json, "share_of_samples", replay->share);
		json_double(json, "noise", replay->noise);
		json_each (json, "regions", const struct replayed_visit, visit, replay->visits,
			   replay->visit_count) {
			json_unsigned(json, "region", visit->region);
			json_double(json, "old_ns_per_visit", visit->old);
			json_double(json, "new_ns_per_visit", visit->new);
			json_double(json, "ns_per_visit_in_l1", visit->still);
			json_double(json, "old_lines_per_visit", visit->old_lines);
			json_double(json, "new_lines_per_visit", visit->new_lines);
			json_double(json, "middle", visit->middle);
			add_json_range("gain", &visit->range, json);
		}
	}
	json_end(json);
}

static void add_proposals(const struct advice_type *type, struct json *json)
{
	json_each (json, "proposals", const struct advice_proposal, proposal, type->proposals,
		   type->proposal_count) {
		const struct advice_prediction *prediction = &proposal->prediction;

		json_string(json, "kind", advice_kind_names[proposal->kind]);
		json_string(json, "verdict", advice_verdict_names[prediction->verdict]);
		json_string(json, "reason", prediction->reason);
		json_string(json, "range_depends_on", prediction->width);
		add_json_range("whole", &prediction->whole, json);
		add_json_range("own", &prediction->own, json);
		json_array(json, "regions");
		for (size_t k = 0; k < type->region_count; k++)
			add_json_range(NULL, &prediction->regions[k], json);
		json_end(json);
		json_double(json, "old_lines_per_visit", prediction->old_lines);
		json_double(json, "new_lines_per_visit", prediction->new_lines);
		json_unsigned(json, "old_bytes_in_use", prediction->old_set);
		json_unsigned(json, "new_bytes_in_use", prediction->new_set);
		json_double(json, "old_l1_lines", prediction->spared.old);
		json_double(json, "new_l1_lines", prediction->spared.new);
		add_json_replay(&prediction->replay, json);
		advice_json_parts(type, proposal, json);
		places_print_json(type, proposal, json);
	}
}

void advice_print_json(const struct advice_type *type, const struct advice_machine *machine,
		       struct json *json)
{
	bool gains = type->proposal_count && type->proposals[0].prediction.verdict == VERDICT_GAIN;

	json_object(json, NULL);
	json_string(json, "name", type->name);
	json_string(json, "object", type->object);
	json_size(json, type->size, type->is_unsized);
	json_unsigned(json, "cacheline", machine->cacheline);
	json_unsigned(json, "samples", type->samples);
	json_unsigned(json, "samples_within", type->within);
	json_unsigned(json, "total_samples", type->total);
	json_unsigned(json, "addressed_samples", type->objects.addressed);
	json_unsigned(json, "objects_seen", type->objects.seen);
	json_double(json, "objects_estimated", type->objects.estimate);
	json_double(json, "objects_most", type->objects.most);
	json_double(json, "objects_often", type->objects.often);
	json_bool(json, "objects_at_most", type->objects.at_most);
	json_bool(json, "array", type->objects.array);
	add_processes(type, json);
	json_string(json, "advice", gains ? advice_kind_names[type->proposals[0].kind] : NULL);
	json_string(json, "refusal", type->refusal);
	json_double(json, "lines_per_visit", type->current.prediction.old_lines);
	json_unsigned(json, "bytes_in_use", type->current.prediction.old_set);
	advice_json_members(type, json);
	add_regions(type, json);
	add_affinities(type, json);
	add_nears(type, json);
	advice_locks_json(type, machine->cacheline, json);
	json_each (json, "copies", const struct advice_copy, copy, type->copies, type->copy_count) {
		json_unsigned(json, "samples", copy->samples);
		json_copy(json, copy->copy);
	}
	add_lone(type, json);
	add_proposals(type, json);
	json_each (json, "constraints", const struct advice_constraint, constraint,
		   type->constraints, type->constraint_count) {
		json_string(json, "text", constraint->text);
		json_bool(json, "respected", !constraint->risk);
		json_bool(json, "likely_breaks", constraint->risk == RISK_BREAK);
	}
	json_object(json, "source");
	json_string(json, "file", type->source.file);
	json_unsigned(json, "line", type->source.line);
	json_unsigned(json, "files_read", type->source.read);
	json_unsigned(json, "files_missing", type->source.missing);
	json_end(json);
	json_end(json);
}
