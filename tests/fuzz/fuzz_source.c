// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads any text as source that debug information names, as such a source that a patch changes, and
 * as rules of dtprof check. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout/patch.h"
#include "report/layout/rules.h"
#include "report/layout/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_source(const char *text, size_t size)
{
	static const char *members[] = { "a", "b", "next" };
	static const uint64_t sizes[] = { 4, 8, 8 };
	const struct source_record record = { .tag = "s",
					      .first = "base",
					      .members = members,
					      .sizes = sizes,
					      .member_count = 3,
					      .accessed = members,
					      .accessed_count = 3 };
	const struct source_record alias = { .tag = "t", .is_typedef = true };
	const struct source_record records[] = { record, alias };
	struct source_uses uses = { 0 };
	struct source_text source;

	source_text_init(&source, "input.c", text, size);
	for (size_t i = 0; i < source.count; i++) {
		if (source_token_end(&source, i) > size ||
		    (i && source_token_end(&source, i - 1) > source.tokens[i].start))
			abort();
		if (source_is_sign(&source, i, '(') && source_closing(&source, i) > source.count)
			abort();
	}
	source_uses_init(&uses, records, 2, NULL, &source, 1, 1);
	for (size_t i = 0; i < uses.count; i++)
		if (uses.items[i].record > 1 || uses.items[i].at > size)
			abort();
	source_uses_deinit(&uses);
	source_text_deinit(&source);
}

static struct advice_member patched_members[] = {
	{ .name = "key", .declaration = "long key;", .size = 8, .align = 8 },
	{ .name = "name", .declaration = "char name[24];", .offset = 8, .size = 24, .align = 1 },
	{ .name = "size", .declaration = "long size;", .offset = 32, .size = 8, .align = 8 },
};
static struct advice_declared patched_declared[] = { { "key", "long key", 0 },
						     { "name", "char name[24]", 1 },
						     { "size", "long size", 2 } };

/* Returns the places that change if the members but for the first one leave the record. */
static struct advice_place *places_of(const struct source_text *source, struct source_uses *uses)
{
	static const char *names[] = { "key", "name", "size" };
	static const bool unique[] = { true, true, true };
	const struct source_record record = {
		.tag = "node", .accessed = names, .unique = unique, .accessed_count = 3
	};

	source_uses_init(uses, &record, 1, NULL, source, 1, 1);

	struct advice_place *places = xcalloc(uses->count + 1, sizeof(*places));

	for (size_t i = 0; i < uses->count; i++) {
		const struct source_use *use = &uses->items[i];
		uint32_t member = 0;

		while (member < 3 && strcmp(names[member], use->detail) != 0)
			member++;
		places[i] = (struct advice_place){ .file = source->path,
						   .line = use->line,
						   .at = use->at,
						   .kind = (uint8_t)use->kind,
						   .member = member < 3 ? member : PLACE_WHOLE,
						   .name = use->detail };
	}
	return places;
}

/* Makes a patch that divides struct node of the text, and one that only moves members. */
static void patch_source(const char *text, size_t size)
{
	static const struct advice_machine machine = { .cacheline = 64 };
	struct advice_placed apart[] = { { 0, 0, 0 }, { 1, 1, 0 }, { 2, 1, 24 } };
	struct advice_placed moved[] = { { 2, 0, 0 }, { 0, 0, 8 }, { 1, 0, 16 } };
	struct advice_part parts[] = { { .name = "node", .size = 16, .align = 8 },
				       { .name = "node_cold", .size = 32, .align = 8 } };
	struct advice_proposal proposal = { .kind = PROPOSAL_SPLIT, .parts = parts };
	const char *newline = memchr(text, '\n', size), *name = "input.c";
	struct source_text source;
	struct source_uses uses;

	source_text_init(&source, name, text, size);

	_cleanup_free_ struct advice_place *places = places_of(&source, &uses);
	const struct advice_type type = { .name = "struct node",
					  .keyword = "struct",
					  .tag = "node",
					  .members = patched_members,
					  .member_count = 3,
					  .declared = patched_declared,
					  .declared_count = 3,
					  .places = places,
					  .place_count = uses.count,
					  .source = { .file = name, .line = 1 } };

	for (int way = 0; newline && way < 3; way++) {
		_cleanup_strbuf_ struct strbuf diff = STRBUF_INIT, why = STRBUF_INIT;
		bool made, by_pointer;

		parts[0].pointer = way == 1;
		proposal.part_count = way < 2 ? 2 : 1;
		proposal.placed = way < 2 ? apart : moved;
		made = way < 2 ? split_patch_make(&type, &proposal, &machine, &source, &name, 1,
						  &by_pointer, &diff, &why)
			       : patch_make(&type, &proposal, &machine, &source, name, &diff, &why);
		if (made == !diff.length || made == (why.length > 0))
			abort();
	}
	source_uses_deinit(&uses);
	source_text_deinit(&source);
}

static void read_rules(const char *text)
{
	struct layout_rules rules = { 0 };
	struct error *error = layout_rules_parse(text, "rules", &rules);

	for (size_t i = 0; !error && i < rules.count; i++) {
		(void)layout_rule_holds(&rules.items[i], 8);
		(void)layout_rule_needs_recording(&rules.items[i]);
	}
	error_destroy(error);
	layout_rules_deinit(&rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = xstrndup((const char *)data, size);

	read_source(text, strlen(text));
	patch_source(text, strlen(text));
	read_rules(text);
	return 0;
}
