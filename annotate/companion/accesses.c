// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads and writes .dtprof.access. An item has a run of code: the different answers in it, and the
 * instructions with the answer of each. Others access no memory. The item of address 0, where no
 * code is, has the names of the rules by which answers were found.
 */
#include "annotate/companion/accesses.h"

#include "annotate/rules/rules.h"
#include "base/hash.h"
#include "base/memory.h"

/* The key of the item with the rules and the shapes. */
#define RULES_KEY 0

/* The flags of an instruction's answer. */
enum token_flag { TOKEN_TWO = 1, TOKEN_FUSED = 2, TOKEN_BITS = 2 };

/* A member of struct access. */
struct access_field {
	uint8_t at, size;
	enum { FIELD_NUMBER, FIELD_SIGNED, FIELD_TYPE } form;
	uint32_t end; /* of a shape: numbers are below it */
};

#define FIELD(member, ...)                                                                         \
	{                                                                                          \
		.at = offsetof(struct access, member),                                             \
		.size = sizeof(((struct access *)NULL)->member), __VA_ARGS__                       \
	}

/* The shape of an answer: members with few values, which come in a thousand combinations. */
static const struct access_field shape_fields[] = {
	FIELD(kind, .end = ACCESS_NO_CODE + 1),
	FIELD(reason, .end = REASON_COUNT),
	FIELD(size, .end = UINT16_MAX + 1),
	FIELD(how, .end = HOW_COUNT),
	FIELD(rule, .end = COMPANION_RULES_MAX),
	FIELD(memory, .end = ACCESS_MEMORY_STATIC + 1),
	FIELD(own_time, .end = UINT8_MAX + 1),
	FIELD(base_argument, .end = UINT8_MAX + 1),
	FIELD(read, .end = 2),
	FIELD(write, .end = 2),
	FIELD(indexed, .end = 2),
	FIELD(any_bits, .end = 2),
	FIELD(index_alone, .end = 2),
};

/* The others. An answer has those that are not 0; the shape says which. */
static const struct access_field further_fields[] = {
	FIELD(type, .form = FIELD_TYPE),
	FIELD(offset, .form = FIELD_SIGNED),
	FIELD(stride, 0),
	FIELD(bits, 0),
	FIELD(variants[0], .form = FIELD_TYPE),
	FIELD(variants[1], .form = FIELD_TYPE),
	FIELD(union_candidates, 0),
	FIELD(overlay.type, .form = FIELD_TYPE),
	FIELD(overlay.offset, .form = FIELD_SIGNED),
	FIELD(overlay.candidates, 0),
	FIELD(range, 0),
	FIELD(object_address, 0),
	FIELD(object_size, 0),
	FIELD(index_start, .form = FIELD_SIGNED),
};

static uint64_t member_of(const struct access *access, const struct access_field *field)
{
	const char *at = (const char *)access + field->at;
	uint64_t value = 0; /* numbers begin with their lowest byte, in the file and here */

	/* sizes that the compiler knows take no call */
	switch (field->size) {
	case 1: memcpy(&value, at, 1); break;
	case 2: memcpy(&value, at, 2); break;
	case 4: memcpy(&value, at, 4); break;
	default: memcpy(&value, at, sizeof(value)); break;
	}
	return value;
}

static void put_member(struct access *access, const struct access_field *field, uint64_t value)
{
	memcpy((char *)access + field->at, &value, field->size);
}

/* ---- writing ---- */

/* Different runs of bytes, by number. */
struct answers {
	struct strbuf bytes;
	struct hash_index index; /* by the hash of their bytes */
	size_t *ends;            /* in `bytes` */
	size_t count, capacity;
};

struct companion_accesses {
	struct companion_builder *builder;
	struct answers shapes;
};

/* Returns the number of the bytes from `start` of answers->bytes on, which go if they are known. */
static uint32_t number_of(struct answers *answers, size_t start)
{
	size_t size = answers->bytes.length - start;
	uint64_t hash = hash_bytes(answers->bytes.data + start, size);

	hash_index_each (number, &answers->index, hash) {
		size_t begin = number ? answers->ends[number - 1] : 0;

		if (answers->ends[number] - begin == size &&
		    memcmp(answers->bytes.data + begin, answers->bytes.data + start, size) == 0) {
			strbuf_truncate(&answers->bytes, start);
			return number;
		}
	}
	hash_index_add(&answers->index, hash, (uint32_t)answers->count);
	array_add(answers->ends, answers->count, answers->capacity) = answers->bytes.length;
	return (uint32_t)answers->count - 1;
}

static void answers_deinit(struct answers *answers)
{
	strbuf_deinit(&answers->bytes);
	hash_index_deinit(&answers->index);
	free(answers->ends);
}

struct companion_accesses *companion_accesses_create(struct companion_builder *builder)
{
	struct companion_accesses *accesses = xcalloc(1, sizeof(*accesses));

	accesses->builder = builder;
	accesses->shapes.bytes = (struct strbuf)STRBUF_INIT;
	return accesses;
}

void companion_accesses_destroy(struct companion_accesses *accesses)
{
	answers_deinit(&accesses->shapes);
	free(accesses);
}

static void add_access(struct companion_accesses *accesses, const struct access *access,
		       struct strbuf *item)
{
	struct strbuf *shape = &accesses->shapes.bytes;
	size_t start = shape->length;
	uint64_t has = 0;

	for (size_t i = 0; i < COUNT_OF(shape_fields); i++)
		companion_add_uleb(shape, member_of(access, &shape_fields[i]));
	for (size_t i = 0; i < COUNT_OF(further_fields); i++)
		has |= (uint64_t)(member_of(access, &further_fields[i]) != 0) << i;
	companion_add_uleb(shape, has);
	companion_add_uleb(item, number_of(&accesses->shapes, start));
	for (; has; has &= has - 1) {
		const struct access_field *field = &further_fields[__builtin_ctzll(has)];
		uint64_t value = member_of(access, field);

		if (field->form == FIELD_TYPE)
			value = companion_builder_type(accesses->builder,
						       (const struct type *)(uintptr_t)value);
		if (field->form == FIELD_SIGNED)
			companion_add_sleb(item, (int64_t)value);
		else
			companion_add_uleb(item, value);
	}
}

void companion_accesses_finish(struct companion_accesses *accesses)
{
	struct companion_writer *writer =
		companion_builder_part(accesses->builder, COMPANION_ACCESS);
	struct strbuf *item = &writer->lanes[ACCESS_ANSWERS];

	companion_add_uleb(item, RULE_COUNT);
	for (size_t i = 0; i < RULE_COUNT; i++)
		companion_add_uleb(item, companion_builder_string(accesses->builder,
								  rule_name((enum rule_id)i)));
	companion_add_uleb(item, accesses->shapes.count);
	strbuf_add(item, accesses->shapes.bytes.data, accesses->shapes.bytes.length);
	companion_writer_end_item(writer, RULES_KEY);
}

static uint32_t answer_number(struct companion_accesses *accesses, struct answers *answers,
			      const struct access *access)
{
	size_t start = answers->bytes.length;

	add_access(accesses, access, &answers->bytes);
	return number_of(answers, start);
}

void companion_add_accesses(struct companion_accesses *accesses, uint64_t low,
			    const struct companion_insn *insns, size_t count, struct strbuf *lanes)
{
	struct answers answers = { .bytes = STRBUF_INIT };
	struct strbuf *steps = &lanes[ACCESS_STEPS], *tokens = &lanes[ACCESS_TOKENS];
	uint64_t last = low;
	size_t listed = 0;

	array_each (const struct companion_insn, insn, insns, count) {
		if (insn->load.kind == ACCESS_NO_MEMORY && !insn->two)
			continue;
		uint64_t number = answer_number(accesses, &answers, &insn->load);

		companion_add_uleb(steps, insn->address - last);
		companion_add_uleb(tokens, number << TOKEN_BITS | (insn->two ? TOKEN_TWO : 0) |
						   (insn->fused ? TOKEN_FUSED : 0));
		if (insn->two)
			companion_add_uleb(tokens, answer_number(accesses, &answers, &insn->store));
		last = insn->address;
		listed++;
	}
	companion_add_uleb(&lanes[ACCESS_ANSWERS], listed);
	companion_add_uleb(&lanes[ACCESS_ANSWERS], answers.count);
	strbuf_add(&lanes[ACCESS_ANSWERS], answers.bytes.data, answers.bytes.length);
	answers_deinit(&answers);
}

void companion_add_call(struct companion_accesses *accesses, const uint8_t *arguments,
			const struct access *answers, size_t count, struct strbuf *item)
{
	companion_add_uleb(item, count);
	for (size_t i = 0; i < count; i++) {
		companion_add_uleb(item, arguments[i]);
		add_access(accesses, &answers[i], item);
	}
}

/* ---- reading ---- */

/* Returns the rule of this build that has a name; RULE_NONE: there is none any more. */
static uint8_t rule_called(const char *name)
{
	for (size_t i = RULE_NONE + 1; name && i < RULE_COUNT; i++)
		if (strcmp(rule_name((enum rule_id)i), name) == 0)
			return (uint8_t)i;
	return RULE_NONE;
}

/* Reads the shapes, up to one that no version writes. */
static void read_shapes(struct companion_answers *answers, struct cursor *item)
{
	uint64_t count = cursor_uleb(item);

	if (count > cursor_left(item) / (COUNT_OF(shape_fields) + 1))
		return;
	answers->shapes = xcalloc(count + 1, sizeof(*answers->shapes));
	array_each (struct companion_shape, shape, answers->shapes, count) {
		for (size_t k = 0; k < COUNT_OF(shape_fields); k++) {
			uint64_t value = cursor_uleb(item);

			if (value >= shape_fields[k].end)
				return;
			put_member(&shape->access, &shape_fields[k], value);
		}
		shape->has = cursor_uleb(item);
		if (item->failed || shape->has >> COUNT_OF(further_fields))
			return;
		shape->access.rule = shape->access.rule < answers->rule_count
					     ? answers->rules[shape->access.rule]
					     : RULE_NONE;
		answers->shape_count++;
	}
}

void companion_answers_open(struct companion_answers *answers, struct companion *companion)
{
	struct cursor lanes[ACCESS_LANES], *item = &lanes[ACCESS_ANSWERS];

	*answers = (struct companion_answers){ .companion = companion };
	if (!companion_section_item_of(companion_section_of(companion, COMPANION_ACCESS), RULES_KEY,
				       lanes))
		return;
	answers->rule_count = cursor_uleb(item);
	lower_to(answers->rule_count, COMPANION_RULES_MAX);
	for (size_t i = 0; i < answers->rule_count; i++)
		answers->rules[i] = rule_called(companion_string(companion, cursor_uleb(item)));
	read_shapes(answers, item);
}

void companion_answers_close(struct companion_answers *answers)
{
	companion_window_close(&answers->window);
	free_all(answers->shapes, answers->run.answers, answers->run.tokens);
}

void companion_answers_destroy(struct companion_answers *answers)
{
	if (answers)
		companion_answers_close(answers);
	free(answers);
}

/* Returns the shape that an answer begins with; NULL: there is none. */
static const struct companion_shape *shape_at(const struct companion_answers *answers,
					      struct cursor *item)
{
	uint64_t number = cursor_uleb(item);

	if (!item->failed && number < answers->shape_count)
		return &answers->shapes[number];
	item->failed = true;
	return NULL;
}

static void read_access(const struct companion_answers *answers, struct cursor *item,
			struct access *access)
{
	const struct companion_shape *shape = shape_at(answers, item);
	uint64_t address = access->address;

	if (!shape)
		return;
	*access = shape->access;
	access->address = address;
	array_indexed (const struct access_field, field, i, further_fields,
		       COUNT_OF(further_fields)) {
		uint64_t value;

		if (!(shape->has >> i & 1))
			continue;
		value = field->form == FIELD_SIGNED ? (uint64_t)cursor_sleb(item)
						    : cursor_uleb(item);
		if (field->form == FIELD_TYPE)
			value = (uintptr_t)companion_type(answers->companion, value);
		put_member(access, field, value);
	}
}

static void skip_access(const struct companion_answers *answers, struct cursor *item)
{
	const struct companion_shape *shape = shape_at(answers, item);

	for (uint64_t has = shape ? shape->has : 0; has; has &= has - 1)
		cursor_uleb(item);
}

/* Reads which instruction of the run has which answer. */
static void read_tokens(struct cursor *steps, struct cursor *tokens, uint64_t count,
			struct companion_run *run)
{
	uint64_t at = run->low;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t token, number, store;

		at += cursor_uleb(steps);
		token = cursor_uleb(tokens);
		number = token >> TOKEN_BITS;
		store = token & TOKEN_TWO ? cursor_uleb(tokens) : number;
		if (steps->failed || tokens->failed || number >= run->answer_count ||
		    store >= run->answer_count) {
			tokens->failed = true;
			return;
		}
		array_add(run->tokens, run->token_count, run->token_capacity) =
			(struct companion_token){ .address = at,
						  .answer = (uint32_t)number,
						  .store = (uint32_t)store,
						  .fused = token & TOKEN_FUSED };
	}
}

/* Reads the run that has an address. False: none has, or it is damaged. */
static bool read_run(struct companion_answers *answers, uint64_t address)
{
	struct companion_run *run = &answers->run;
	struct cursor lanes[ACCESS_LANES], *item = &lanes[ACCESS_ANSWERS];
	struct companion_span span;
	uint64_t listed, count;

	run->high = run->low = 0;
	run->answer_count = run->token_count = 0;
	if (!companion_window_item(&answers->window,
				   companion_section_of(answers->companion, COMPANION_ACCESS),
				   address, &span, lanes) ||
	    span.low == RULES_KEY || !item->size)
		return false;
	listed = cursor_uleb(item);
	count = cursor_uleb(item);
	run->low = span.low;
	run->item = *item;
	for (uint64_t i = 0; i < count && !item->failed; i++) {
		array_add(run->answers, run->answer_count, run->answer_capacity) = item->position;
		skip_access(answers, item);
	}
	if (item->failed)
		return false;
	read_tokens(&lanes[ACCESS_STEPS], &lanes[ACCESS_TOKENS], listed, run);
	if (lanes[ACCESS_TOKENS].failed)
		return false;
	run->high = span.high;
	return true;
}

/* Makes the answer safe for all that ask the type. */
static void check(struct access *access)
{
	if (access->kind == ACCESS_TYPE && !access->type)
		access_fail(access, REASON_NO_CODE);
	if (access->kind != ACCESS_TYPE && access->kind != ACCESS_SPILL)
		access->type = NULL;
	if (access->overlay.type && access->kind != ACCESS_TYPE)
		access->overlay = (struct access_overlay){ 0 };
}

struct access companion_access(struct companion_answers *answers, uint64_t address, bool store,
			       bool fused)
{
	struct access access = { .address = address,
				 .kind = ACCESS_NO_CODE,
				 .reason = REASON_NO_CODE };
	struct companion_run *run = &answers->run;

	if ((address < run->low || address >= run->high) && !read_run(answers, address))
		return access;

	size_t place = partition_point(0, run->token_count, i, run->tokens[i].address < address);

	access.kind = ACCESS_NO_MEMORY;
	access.reason = REASON_NONE;
	if (place == run->token_count)
		return access;

	const struct companion_token *token = &run->tokens[place];

	if (token->address != address || (token->fused && !fused))
		return access;

	struct cursor item = run->item;

	item.position = run->answers[store ? token->store : token->answer];
	read_access(answers, &item, &access);
	check(&access);
	return access;
}

void companion_argument(const struct companion_answers *answers, uint64_t address, uint8_t argument,
			struct access *access)
{
	struct cursor item;

	if (!companion_section_item_of(companion_section_of(answers->companion, COMPANION_CALLS),
				       address, &item))
		return;
	for (uint64_t count = cursor_uleb(&item); count && !item.failed; count--) {
		if (cursor_uleb(&item) != argument) {
			skip_access(answers, &item);
			continue;
		}
		*access = (struct access){ .address = address };
		read_access(answers, &item, access);
		check(access);
		return;
	}
}
