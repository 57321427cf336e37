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

/* The key of the item with the rules. */
#define RULES_KEY 0

/* The further parts of an answer, as bits; in this order. */
enum access_has {
	HAS_READ = 1,
	HAS_WRITE = 2,
	HAS_INDEXED = 4,
	HAS_ANY_BITS = 8,
	HAS_INDEX_ALONE = 16,
	HAS_TYPE = 32, /* and `how`, `offset` */
	HAS_RULE = 64,
	HAS_STRIDE = 128,
	HAS_BITS = 256,
	HAS_VARIANTS = 512,
	HAS_UNION = 1024,
	HAS_OVERLAY = 2048,
	HAS_RANGE = 4096,
	HAS_OBJECT = 8192,
	HAS_OWN_TIME = 16384,
	HAS_ARGUMENT = 32768,
	HAS_MEMORY = 65536,
};

/* The flags of an instruction's answer. */
enum token_flag { TOKEN_TWO = 1, TOKEN_FUSED = 2, TOKEN_BITS = 2 };

/* ---- writing ---- */

static uint64_t has_of(const struct access *access)
{
	return (access->read ? HAS_READ : 0) | (access->write ? HAS_WRITE : 0) |
	       (access->indexed ? HAS_INDEXED : 0) | (access->any_bits ? HAS_ANY_BITS : 0) |
	       (access->index_alone ? HAS_INDEX_ALONE : 0) |
	       (access->type || access->how || access->offset ? HAS_TYPE : 0) |
	       (access->rule ? HAS_RULE : 0) | (access->stride ? HAS_STRIDE : 0) |
	       (access->bits ? HAS_BITS : 0) | (access->variants[0] ? HAS_VARIANTS : 0) |
	       (access->union_candidates ? HAS_UNION : 0) |
	       (access->overlay.type ? HAS_OVERLAY : 0) | (access->range ? HAS_RANGE : 0) |
	       (access->object_address || access->object_size ? HAS_OBJECT : 0) |
	       (access->own_time ? HAS_OWN_TIME : 0) | (access->base_argument ? HAS_ARGUMENT : 0) |
	       (access->memory ? HAS_MEMORY : 0);
}

static void add_types(struct companion_builder *builder, const struct access *access, uint64_t has,
		      struct strbuf *item)
{
	if (has & HAS_TYPE) {
		companion_add_uleb(item, companion_builder_type(builder, access->type));
		companion_add_uleb(item, access->how);
		companion_add_sleb(item, access->offset);
	}
	if (has & HAS_RULE)
		companion_add_uleb(item, access->rule);
	if (has & HAS_STRIDE)
		companion_add_uleb(item, access->stride);
	if (has & HAS_BITS)
		companion_add_uleb(item, access->bits);
	for (size_t i = 0; has & HAS_VARIANTS && i < ACCESS_VARIANTS; i++)
		companion_add_uleb(item, companion_builder_type(builder, access->variants[i]));
	if (has & HAS_UNION)
		companion_add_uleb(item, access->union_candidates);
	if (has & HAS_OVERLAY) {
		companion_add_uleb(item, companion_builder_type(builder, access->overlay.type));
		companion_add_sleb(item, access->overlay.offset);
		companion_add_uleb(item, access->overlay.candidates);
	}
}

static void add_access(struct companion_builder *builder, const struct access *access,
		       struct strbuf *item)
{
	uint64_t has = has_of(access);

	companion_add_uleb(item, access->kind);
	companion_add_uleb(item, access->reason);
	companion_add_uleb(item, access->size);
	companion_add_uleb(item, has);
	add_types(builder, access, has, item);
	if (has & HAS_RANGE)
		companion_add_uleb(item, access->range);
	if (has & HAS_OBJECT) {
		companion_add_uleb(item, access->object_address);
		companion_add_uleb(item, access->object_size);
	}
	if (has & HAS_OWN_TIME)
		companion_add_uleb(item, access->own_time);
	if (has & HAS_ARGUMENT)
		companion_add_uleb(item, access->base_argument);
	if (has & HAS_MEMORY)
		companion_add_uleb(item, access->memory);
}

void companion_add_rules(struct companion_builder *builder)
{
	struct companion_writer *writer = companion_builder_part(builder, COMPANION_ACCESS);

	companion_add_uleb(&writer->item, RULE_COUNT);
	for (size_t i = 0; i < RULE_COUNT; i++)
		companion_add_uleb(&writer->item,
				   companion_builder_string(builder, rule_name((enum rule_id)i)));
	companion_writer_end_item(writer, RULES_KEY);
}

/* The different answers of a run of code, as they are written. */
struct answers {
	struct strbuf bytes;
	struct hash_map known; /* hash of the bytes of one -> its number + 1 */
	struct strbuf *each;   /* the bytes of each */
	size_t count, capacity;
};

/* Returns the number of an answer. */
static uint32_t number_of(struct companion_builder *builder, struct answers *answers,
			  const struct access *access)
{
	struct strbuf one = STRBUF_INIT;
	uint64_t hash;
	bool created;

	add_access(builder, access, &one);
	hash = hash_bytes(one.data, one.length);
	/* the few answers of equal hashes take the keys that follow */
	for (;; hash++) {
		uint32_t *number = hash_map_insert(&answers->known, hash, &created);

		if (created) {
			strbuf_add(&answers->bytes, one.data, one.length);
			array_reserve(answers->each, answers->count, answers->capacity);
			answers->each[answers->count] = one;
			*number = (uint32_t)answers->count++;
			return *number;
		}
		if (answers->each[*number].length == one.length &&
		    memcmp(answers->each[*number].data, one.data, one.length) == 0) {
			strbuf_deinit(&one);
			return *number;
		}
	}
}

void companion_add_accesses(struct companion_builder *builder, uint64_t low, uint64_t size,
			    const struct companion_insn *insns, size_t count, struct strbuf *item)
{
	struct answers answers = { .bytes = STRBUF_INIT };
	_cleanup_strbuf_ struct strbuf tokens = STRBUF_INIT, steps = STRBUF_INIT;
	uint64_t last = low;
	size_t listed = 0;

	array_each (const struct companion_insn, insn, insns, count) {
		if (insn->load.kind == ACCESS_NO_MEMORY && !insn->two)
			continue;
		uint64_t number = number_of(builder, &answers, &insn->load);

		companion_add_uleb(&steps, insn->address - last);
		companion_add_uleb(&tokens, number << TOKEN_BITS | (insn->two ? TOKEN_TWO : 0) |
						    (insn->fused ? TOKEN_FUSED : 0));
		if (insn->two)
			companion_add_uleb(&tokens, number_of(builder, &answers, &insn->store));
		last = insn->address;
		listed++;
	}
	companion_add_uleb(item, size);
	companion_add_uleb(item, answers.count);
	strbuf_add(item, answers.bytes.data, answers.bytes.length);
	companion_add_uleb(item, listed);
	strbuf_add(item, steps.data, steps.length);
	strbuf_add(item, tokens.data, tokens.length);
	for (size_t i = 0; i < answers.count; i++)
		strbuf_deinit(&answers.each[i]);
	free(answers.each);
	strbuf_deinit(&answers.bytes);
	hash_map_deinit(&answers.known);
}

void companion_add_call(struct companion_builder *builder, const uint8_t *arguments,
			const struct access *accesses, size_t count, struct strbuf *item)
{
	companion_add_uleb(item, count);
	for (size_t i = 0; i < count; i++) {
		companion_add_uleb(item, arguments[i]);
		add_access(builder, &accesses[i], item);
	}
}

/* ---- reading ---- */

static uint8_t small_number(struct cursor *item, uint64_t end)
{
	uint64_t number = cursor_uleb(item);

	if (number < end)
		return (uint8_t)number;
	item->failed = true;
	return 0;
}

/* Returns the rule of this build that has a name; RULE_NONE: there is none any more. */
static uint8_t rule_called(const char *name)
{
	for (size_t i = RULE_NONE + 1; name && i < RULE_COUNT; i++)
		if (strcmp(rule_name((enum rule_id)i), name) == 0)
			return (uint8_t)i;
	return RULE_NONE;
}

void companion_answers_open(struct companion_answers *answers, struct companion *companion)
{
	struct cursor item;
	uint64_t count;

	*answers = (struct companion_answers){ .companion = companion };
	if (!companion_section_item_of(companion_section_of(companion, COMPANION_ACCESS), RULES_KEY,
				       &item))
		return;
	count = cursor_uleb(&item);
	answers->rule_count = count < COMPANION_RULES_MAX ? count : COMPANION_RULES_MAX;
	for (size_t i = 0; i < answers->rule_count; i++)
		answers->rules[i] = rule_called(companion_string(companion, cursor_uleb(&item)));
}

void companion_answers_close(struct companion_answers *answers)
{
	companion_window_close(&answers->window);
	free(answers->run.answers);
	free(answers->run.tokens);
}

void companion_answers_destroy(struct companion_answers *answers)
{
	if (answers)
		companion_answers_close(answers);
	free(answers);
}

static void read_types(const struct companion_answers *answers, struct cursor *item, uint64_t has,
		       struct access *access)
{
	if (has & HAS_TYPE) {
		access->type = companion_type(answers->companion, cursor_uleb(item));
		access->how = small_number(item, HOW_COUNT);
		access->offset = cursor_sleb(item);
	}
	if (has & HAS_RULE) {
		uint64_t rule = cursor_uleb(item);

		access->rule = rule < answers->rule_count ? answers->rules[rule] : RULE_NONE;
	}
	if (has & HAS_STRIDE)
		access->stride = (uint32_t)cursor_uleb(item);
	if (has & HAS_BITS)
		access->bits = cursor_uleb(item);
	for (size_t i = 0; has & HAS_VARIANTS && i < ACCESS_VARIANTS; i++)
		access->variants[i] = companion_type(answers->companion, cursor_uleb(item));
	if (has & HAS_UNION)
		access->union_candidates = cursor_uleb(item);
	if (has & HAS_OVERLAY) {
		access->overlay.type = companion_type(answers->companion, cursor_uleb(item));
		access->overlay.offset = cursor_sleb(item);
		access->overlay.candidates = cursor_uleb(item);
	}
}

static void read_access(const struct companion_answers *answers, struct cursor *item,
			struct access *access)
{
	access->kind = small_number(item, ACCESS_NO_CODE + 1);
	access->reason = small_number(item, REASON_COUNT);
	access->size = (uint16_t)cursor_uleb(item);
	uint64_t has = cursor_uleb(item);

	read_types(answers, item, has, access);
	if (has & HAS_RANGE)
		access->range = (uint32_t)cursor_uleb(item);
	if (has & HAS_OBJECT) {
		access->object_address = cursor_uleb(item);
		access->object_size = cursor_uleb(item);
	}
	access->own_time = has & HAS_OWN_TIME ? (uint8_t)cursor_uleb(item) : 0;
	access->base_argument = has & HAS_ARGUMENT ? (uint8_t)cursor_uleb(item) : 0;
	access->memory = has & HAS_MEMORY ? small_number(item, ACCESS_MEMORY_STATIC + 1) : 0;
	access->read = has & HAS_READ;
	access->write = has & HAS_WRITE;
	access->indexed = has & HAS_INDEXED;
	access->any_bits = has & HAS_ANY_BITS;
	access->index_alone = has & HAS_INDEX_ALONE;
}

/* The numbers that each bit of `has` is followed by. */
static void skip_access(struct cursor *item)
{
	static const struct {
		uint32_t bit;
		uint8_t numbers;
	} fields[] = { { HAS_TYPE, 3 },
		       { HAS_RULE, 1 },
		       { HAS_STRIDE, 1 },
		       { HAS_BITS, 1 },
		       { HAS_VARIANTS, ACCESS_VARIANTS },
		       { HAS_UNION, 1 },
		       { HAS_OVERLAY, 3 },
		       { HAS_RANGE, 1 },
		       { HAS_OBJECT, 2 },
		       { HAS_OWN_TIME, 1 },
		       { HAS_ARGUMENT, 1 },
		       { HAS_MEMORY, 1 } };

	cursor_uleb(item);
	cursor_uleb(item);
	cursor_uleb(item);
	uint64_t has = cursor_uleb(item);

	for (size_t i = 0; i < COUNT_OF(fields); i++)
		for (size_t k = 0; has & fields[i].bit && k < fields[i].numbers; k++)
			cursor_uleb(item);
}

/* Reads which instruction of the run has which answer. */
static void read_tokens(struct cursor *item, struct companion_run *run)
{
	uint64_t count = cursor_uleb(item), at = run->low;

	if (count > cursor_left(item) / 2)
		item->failed = true;
	for (uint64_t i = 0; i < count && !item->failed; i++) {
		at += cursor_uleb(item);
		array_add(run->tokens, run->token_count, run->token_capacity) =
			(struct companion_token){ .address = at };
	}
	for (uint64_t i = 0; i < count && !item->failed; i++) {
		uint64_t token = cursor_uleb(item), number = token >> TOKEN_BITS;
		uint64_t store = token & TOKEN_TWO ? cursor_uleb(item) : number;

		if (number >= run->answer_count || store >= run->answer_count)
			item->failed = true;
		run->tokens[i].answer = (uint32_t)number;
		run->tokens[i].store = (uint32_t)store;
		run->tokens[i].fused = token & TOKEN_FUSED;
	}
}

/* Reads the run that has an address. False: none has, or it is damaged. */
static bool read_run(struct companion_answers *answers, uint64_t address)
{
	struct companion_run *run = &answers->run;
	struct cursor item;
	uint64_t low, size, count;

	run->high = run->low = 0;
	run->answer_count = run->token_count = 0;
	if (!companion_window_item(&answers->window,
				   companion_section_of(answers->companion, COMPANION_ACCESS),
				   address, &low, &item) ||
	    low == RULES_KEY)
		return false;
	size = cursor_uleb(&item);
	if (address - low >= size)
		return false;
	count = cursor_uleb(&item);
	run->low = low;
	run->item = item;
	for (uint64_t i = 0; i < count && !item.failed; i++) {
		array_add(run->answers, run->answer_count, run->answer_capacity) = item.position;
		skip_access(&item);
	}
	if (!item.failed)
		read_tokens(&item, run);
	if (!item.failed)
		run->high = size < UINT64_MAX - low ? low + size : UINT64_MAX;
	return !item.failed;
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
			skip_access(&item);
			continue;
		}
		*access = (struct access){ .address = address };
		read_access(answers, &item, access);
		check(access);
		return;
	}
}
