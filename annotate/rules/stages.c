// SPDX-License-Identifier: GPL-2.0-or-later
/* The stages of the table, run one after the other: see stages.h. */
#include "annotate/rules/stages.h"

#include <assert.h>

#include "annotate/types/field.h"
#include "annotate/types/fit.h"
#include "annotate/types/flexible_array.h"
#include "base/memory.h"

/* Walks over the rules of a stage: stage_each (rule, stage) */
#define stage_each(rule, stage)                                                                    \
	for (const struct rule *rule = &rules[rules_first(stage)],                                 \
			       *rule##_end_ = &rules[rules_first((stage) + 1)];                    \
	     rule < rule##_end_; rule++)

static enum rule_id rule_number(const struct rule *rule)
{
	return (enum rule_id)(rule - rules);
}

/* The rules that are believed in a function, by stage. */
struct believed_rules {
	unsigned int believed_in; /* IN_...: see policy.h; 0: nothing is known yet */
	uint32_t traits;          /* of all accesses of the function */
	uint8_t first[STAGE_COUNT + 1];
	uint8_t rules[RULE_COUNT];  /* enum rule_id */
	uint32_t needs[RULE_COUNT]; /* of these rules */
};

/* The traits that all accesses of a function have, or none has. */
#define FUNCTION_TRAITS                                                                            \
	(ACCESS_UNDECLARED | ACCESS_KERNEL | ACCESS_MAY_INFER | ACCESS_ALIASED | ACCESS_UNFOLLOWED)

static uint32_t function_traits(const struct solver *solver)
{
	uint32_t traits = 0;

	if (solver_has_no_variables(solver))
		traits |= ACCESS_UNDECLARED;
	if (solver->options.kernel)
		traits |= ACCESS_KERNEL;
	if (solver->options.infer && solver->function)
		traits |= ACCESS_MAY_INFER;
	if (solver->function && solver->function->no_strict_aliasing)
		traits |= ACCESS_ALIASED;
	if (solver->facts.untracked)
		traits |= ACCESS_UNFOLLOWED;
	return traits;
}

void rules_believe(struct solver *solver)
{
	struct believed_rules *list = solver->caches.believed;
	unsigned int language = policy_language(solver->function, solver->options.kernel);
	uint32_t traits = function_traits(solver);
	uint8_t count = 0;

	if (!list)
		list = solver->caches.believed = xcalloc(1, sizeof(*list));
	if (list->believed_in == language && list->traits == traits)
		return;
	list->believed_in = language;
	list->traits = traits;
	for (unsigned int stage = 0; stage < STAGE_COUNT; stage++) {
		bool access = stage >= STAGE_BEFORE && stage <= STAGE_LAST;

		list->first[stage] = count;
		stage_each (rule, (enum rule_stage)stage) {
			if (!rule_is_in(rule_number(rule), language) ||
			    (access && rule->needs & FUNCTION_TRAITS & ~traits))
				continue;
			list->rules[count] = (uint8_t)rule_number(rule);
			list->needs[count++] = rule->needs;
		}
	}
	list->first[STAGE_COUNT] = count;
}

bool rules_have(const struct solver *solver, enum rule_id rule)
{
	const struct believed_rules *list = solver->caches.believed;

	return any_of(i, 0, list->first[STAGE_COUNT], list->rules[i] == rule);
}

static uint32_t traits_of(const struct solver *solver, const struct value *address, uint64_t size)
{
	const struct type *bare = type_strip(address->type);
	uint32_t traits = solver->caches.believed->traits |
			  (address->how == HOW_INFERRED ? ACCESS_INFERRED : ACCESS_DECLARED);

	if (!address->stride)
		traits |= ACCESS_CONSTANT;
	if (address->stride == 1)
		traits |= ACCESS_ANY_BYTE;
	if (address->offset < 0)
		traits |= ACCESS_BEFORE;
	if (type_is_record(bare))
		traits |= ACCESS_RECORD;
	if (bare->kind == TYPE_INTEGER || bare->kind == TYPE_POINTER || bare->kind == TYPE_ENUM)
		traits |= ACCESS_SCALAR;
	if (type_size_or(bare, 0) == 1)
		traits |= ACCESS_BYTE;
	if (address->alternative)
		traits |= ACCESS_ALTERNATIVE;
	if (address->origin)
		traits |= ACCESS_ORIGIN;
	if (solver->pass.last_resort)
		traits |= ACCESS_LAST_RESORT;
	if (size && size <= 8)
		traits |= ACCESS_WORD;
	if (address->how != HOW_GLOBAL)
		traits |= ACCESS_NOT_GLOBAL;
	return traits;
}

/* Writes "cand rule-name: 'struct node' +8, member" for each candidate, and what was chosen. */
static void write_candidates(const struct candidates *list, const struct rule *rule,
			     enum candidate_choice choice, const struct field_ref *field,
			     struct strbuf *text)
{
	array_each (const struct type_candidate, candidate, list->items, list->count) {
		strbuf_add_format(text, "cand %s: type='", rule->name);
		type_name(candidate->field.type, text);
		strbuf_add_format(text, "' offset=%lld, %s, rank %u%s\n",
				  (long long)candidate->field.offset, fit_name(candidate->fit),
				  candidate->rank, candidate->contests ? ", contests" : "");
	}
	if (choice == CHOICE_ONE) {
		strbuf_add_format(text, "cand %s: chosen: '", rule->name);
		type_name(field->type, text);
		strbuf_add_string(text, "'\n");
	} else if (choice == CHOICE_SEVERAL) {
		strbuf_add_format(text, "cand %s: they differ\n", rule->name);
	}
}

/* Chooses among the candidates of a rule, and tells --debug. */
static enum candidate_choice choose(const struct solver *solver, const struct candidates *list,
				    const struct rule *rule, struct field_ref *field)
{
	if (!list->count)
		return CHOICE_NONE;
	enum candidate_choice choice = candidates_choose(list, field);

	if (solver->result.candidates)
		write_candidates(list, rule, choice, field, solver->result.candidates);
	return choice;
}

/* Gathers the candidates of a rule, and chooses among them. */
static enum candidate_choice choose_field(struct pointer_access *access, const struct rule *rule)
{
	struct candidates candidates;
	struct field_ref field = { 0 };

	candidates_start(&candidates, access->size, rule->fits ? rule->fits : FITS_ANY);
	candidates.fields = access->solver->caches.fields;
	// cppcheck-suppress autoVariables ; no rule looks at it later
	access->candidates = &candidates;
	rule->applies.source(access);
	enum candidate_choice choice = choose(access->solver, &candidates, rule, &field);

	if (choice == CHOICE_ONE) {
		*access->field = field;
		access->reason = REASON_NONE;
	}
	return choice;
}

/* True if a rule decides. A refusal's reason is set here. */
static bool rule_decides(struct pointer_access *access, const struct rule *rule)
{
	bool refuses = rule->verdict == RULE_REFUSES || rule->verdict == RULE_DOUBTS;
	enum candidate_choice choice;

	if (refuses && !rule->applies.access(access))
		return false;
	choice = refuses ? CHOICE_SEVERAL : choose_field(access, rule);
	if (choice == CHOICE_SEVERAL && rule->refusal)
		access->reason = rule->refusal;
	else if (rule->verdict == RULE_DOUBTS)
		access->reason = REASON_OUTSIDE;
	return choice == CHOICE_ONE || refuses || (choice == CHOICE_SEVERAL && rule->refusal);
}

/* Returns the first rule of a stage that decides; NULL: none does. Where the types in scope differ,
 * only rules that tell them apart are tried. */
static const struct rule *apply_stage(struct pointer_access *access, enum rule_stage stage)
{
	const struct believed_rules *believed = access->solver->caches.believed;

	for (unsigned int i = believed->first[stage]; i < believed->first[stage + 1]; i++) {
		uint32_t needs = believed->needs[i];
		const struct rule *rule = &rules[believed->rules[i]];

		if ((access->traits & (needs | ACCESS_CONTENDED)) == needs &&
		    rule_decides(access, rule))
			return rule;
	}
	return NULL;
}

/* Runs all stages except the last. Returns the rule that decided; NULL: the declared type did. */
static const struct rule *decide_field(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct rule *rule = apply_stage(access, STAGE_BEFORE), *doubt = NULL;

	if (rule)
		return rule;
	access->reason =
		field_cache_find(access->solver->caches.fields, address->type, address->offset,
				 address->stride, access->size, access->field);
	if (access->reason == REASON_NONE) {
		rule = apply_stage(access, STAGE_DECLARED);
		if (!rule || rule->verdict != RULE_DOUBTS)
			return rule;
		doubt = rule;
	}
	if (access->reason != REASON_OUTSIDE)
		return NULL;
	const struct field_ref doubted = *access->field;

	rule = apply_stage(access, address->stride ? STAGE_INDEXED : STAGE_OUTSIDE);
	if (!doubt || !rule || access->reason != REASON_NONE ||
	    access->field->type != doubted.type || access->field->offset != doubted.offset)
		return rule ? rule : doubt;

	const struct fit fit = fit_at(doubted.type, doubted.offset, access->size);

	if (!fit.low_byte && !fit.high_byte)
		return rule;
	access->reason = REASON_OUTSIDE; /* the same once more, as if of another element */
	return doubt;
}

/* Returns the address with one stride in place of several, if the arrays of its type say which one
 * matters. */
static struct value with_one_stride(const struct value *address, uint64_t size)
{
	struct value result = *address;
	uint64_t strides[STEPS];
	size_t count = value_strides(address, strides);
	uint32_t last = address->stride;
	int64_t offset = address->offset;

	if (field_last_stride(address->type, strides, count, size, &offset, &last)) {
		result.alternative_delta += (int32_t)(address->offset - offset);
		result.offset = offset;
	}
	value_set_stride(&result, last);
	return result;
}

/* True if the index of the address may belong to either of two arrays; `offset` is the address'
 * place in its record. */
static bool has_two_meanings(const struct value *address, int64_t offset, uint64_t size)
{
	uint64_t strides[STEPS];
	size_t count = value_strides(address, strides);

	return address->stride && size <= 8 &&
	       field_index_fits_two(address->type, offset, strides, count, size);
}

/* True if an element that no index leads to was named: the address has several strides, its offset
 * was moved into an array, and none of the strides is the size of an element, or of several of
 * them, as in the loops of an unrolled one. */
static bool is_element_of_no_index(const struct value *indexed, const struct field_ref *field,
				   uint64_t size)
{
	int64_t whole = (int64_t)field_size(indexed->type), moved = field->offset - indexed->offset;
	uint64_t strides[STEPS];
	size_t count = value_strides(indexed, strides);

	if (!indexed->steps[0] || !type_is_record(type_strip(indexed->type)) || whole <= 0 ||
	    moved % whole == 0)
		return false;
	if (strides[count - 1] == indexed->stride &&
	    field_in_array(indexed->type, field->offset, indexed->stride, ARRAY_ANY_STEP))
		return false;
	return !any_of(
		i, 0, count,
		field_is_first_element(indexed->type, field->offset, (uint32_t)strides[i], size));
}

enum access_reason solver_field(struct solver *solver, const struct value *address, uint64_t size,
				struct field_ref *field, uint8_t *how)
{
	const struct value *indexed = address;
	struct value settled;

	/* one stride may belong to an array after the one that the offset is in */
	if (address->steps[0] ||
	    (address->stride && size <= 8 && !field_scalar(address->type, address->offset, size))) {
		settled = with_one_stride(address, size);
		address = &settled;
	}
	struct pointer_access access = {
		.solver = solver,
		.address = address,
		.size = size,
		.field = field,
		.traits = traits_of(solver, address, size),
		.alternative_offset = (int64_t)((uint64_t)address->offset +
						(uint64_t)(int64_t)address->alternative_delta),
	};
	assert(address->kind == VALUE_POINTER && value_is_sound(address));

	const struct rule *rule = decide_field(&access);

	if (rule && rule->verdict == RULE_INFERS)
		*how = HOW_INFERRED;
	if (access.reason == REASON_NONE && (access.traits & ACCESS_UNDECLARED) && size &&
	    size <= 8) {
		const struct rule *last = apply_stage(&access, STAGE_LAST);

		rule = last ? last : rule;
	}
	if (access.reason == REASON_NONE && !rule &&
	    (has_two_meanings(indexed, address->offset, size) ||
	     is_element_of_no_index(indexed, field, size)))
		access.reason = REASON_INDEX;
	if (rule)
		solver->result.rule = (uint8_t)rule_number(rule);
	return access.reason;
}

const struct rule *rules_answer(struct answer_query *query, enum answer_situation situation,
				struct field_ref *field)
{
	struct candidates candidates;

	// cppcheck-suppress autoVariables ; no rule looks at it later
	query->candidates = &candidates;
	query->situation = situation;
	stage_each (rule, STAGE_ANSWER) {
		if (!(rule->needs & situation) || !rule_is_on(rule_number(rule)))
			continue;
		candidates_start(&candidates, query->access->size,
				 rule->fits ? rule->fits : FITS_ANY);
		rule->applies.answer(query);
		if (choose(query->solver, &candidates, rule, field) == CHOICE_ONE)
			return rule;
	}
	return NULL;
}

const struct rule *rules_refuse(const struct answer_query *query)
{
	stage_each (rule, STAGE_ANSWER)
		if (rule->verdict == RULE_REFUSES && rule_is_on(rule_number(rule)) &&
		    rule->applies.refuses(query))
			return rule;
	return NULL;
}

enum rule_verdict rules_apply_to_meeting(struct solver *solver, const struct value *tracked,
					 const struct value *declared)
{
	stage_each (rule, STAGE_MEET)
		if (rule->applies.meet && rule_is_on(rule_number(rule)) &&
		    rule->applies.meet(tracked, declared)) {
			solver->result.fired |= UINT64_C(1) << rule_number(rule);
			return rule->verdict;
		}
	return RULE_EVIDENCE;
}

bool rules_apply_to_load(struct loaded_value *load)
{
	const struct believed_rules *believed = load->solver->caches.believed;

	for (unsigned int i = believed->first[STAGE_LOAD]; i < believed->first[STAGE_LOAD + 1]; i++)
		if ((load->type || believed->needs[i] & LOAD_BYTES) &&
		    rules[believed->rules[i]].applies.load(load)) {
			load->solver->result.fired |= UINT64_C(1) << believed->rules[i];
			return true;
		}
	return false;
}
