// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads any text as source that debug information names, and as rules of dtprof check. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
	read_rules(text);
	return 0;
}
