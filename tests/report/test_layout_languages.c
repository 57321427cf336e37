// SPDX-License-Identifier: GPL-2.0-or-later
/* Proposals as source of the program's own language. */
#include "tests/support/unit.h"

#include <string.h>

#include "report/layout/advice.h"

#define MB (UINT64_C(1) << 20)

/* A stream over 100,000 records uses "key", and none of the other members. */
struct records {
	struct advice advice;
	struct advice_type type;
	struct advice_member members[3];
	struct advice_region region;
	struct advice_use use;
	uint64_t lines[2];
};

static void records_init(struct records *records)
{
	*records = (struct records){
		.advice.machine = { .cacheline = 64, .sizes = { MB / 32, MB, 32 * MB } },
		.type = { .name = "struct record",
			  .keyword = "struct",
			  .tag = "record",
			  .object = "prog",
			  .prelude = "",
			  .size = 128,
			  .align = 8,
			  .samples = 950,
			  .total = 1000,
			  .own_total = 1000,
			  .member_count = 3,
			  .region_count = 1,
			  .line_count = 2,
			  .objects = { .addressed = 950,
				       .seen = 900,
				       .estimate = 100000,
				       .most = 100000,
				       .array = true } },
		.members = { { .name = "debug", .declaration = "", .size = 8, .align = 8 },
			     { .name = "text",
			       .declaration = "",
			       .offset = 8,
			       .size = 112,
			       .align = 8 },
			     { .name = "key",
			       .declaration = "long key;",
			       .offset = 120,
			       .size = 8,
			       .align = 8 } },
		.region = { .function = "find",
			    .loop = true,
			    .cycles = 3,
			    .samples = 1000,
			    .charged = 950,
			    .use_count = 1 },
		.use = { .walk = WALK_STREAM,
			 .step = 128,
			 .offset = 120,
			 .size = 8,
			 .samples = 950 },
	};
	records->type.members = records->members;
	records->type.regions = &records->region;
	records->region.uses = &records->use;
	records->type.line_samples = records->lines;
	records->advice.types = &records->type;
	records->advice.type_count = 1;
}

static const struct advice_proposal *proposal_of(const struct records *records,
						 enum advice_kind kind)
{
	array_each (const struct advice_proposal, proposal, records->type.proposals,
		    records->type.proposal_count)
		if (proposal->kind == kind)
			return proposal;
	return NULL;
}

static void print_split(struct records *records, struct strbuf *text)
{
	const struct advice_proposal *split;

	advice_make(&records->advice);
	split = proposal_of(records, PROPOSAL_SPLIT);
	assert_non_null(split);
	strbuf_reset(text);
	emit_source(&records->type, split, &records->advice.machine, 0, text);
}

static void test_c_is_c(void **state)
{
	struct records records;
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	(void)state;
	records_init(&records);
	print_split(&records, &text);
	assert_non_null(strstr(text.data, "struct record {\n\tlong key;\n};\n"));
	arena_deinit(&records.advice.arena);
}

static void test_rust(void **state)
{
	struct records records;
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	(void)state;
	records_init(&records);
	records.type.is_rust = true;
	records.type.tag = "art::Record<f64>";
	records.members[0].native = "alloc::boxed::Box<dyn core::fmt::Debug>";
	records.members[1].native = "[alloc::vec::Vec<art::Cell<u8>, alloc::alloc::Global>; 7]";
	records.members[2].native = "u64";
	print_split(&records, &text);
	assert_non_null(strstr(text.data, "struct Record {\n    key: u64,\n}\n"));
	assert_non_null(strstr(text.data, "size_of::<Record>() <= 8"));
	/* what a trait stands for is not known */
	assert_non_null(strstr(text.data, "struct RecordCold {\n    // debug: (as it is declared"));
	assert_non_null(strstr(text.data, "    text: [Vec<Cell<u8>>; 7],\n"));
	assert_null(strstr(text.data, "repr(C)"));
	strbuf_reset(&text);
	places_add_summary(&records.type, proposal_of(&records, PROPOSAL_SPLIT), &text);
	assert_string_equal(text.data,
			    "Places to change: not known, as sources in Rust are not read. "
			    "--emit=source prints the records in Rust.");
	/* Rust orders the members itself, unless holes show that it does not */
	assert_null(proposal_of(&records, PROPOSAL_REORDER));
	records.type.keeps_order = true;
	print_split(&records, &text);
	assert_non_null(strstr(text.data, "#[repr(C)]\nstruct Record {\n"));
	assert_non_null(proposal_of(&records, PROPOSAL_REORDER));
	arena_deinit(&records.advice.arena);
}

static void test_go(void **state)
{
	struct records records;
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	(void)state;
	records_init(&records);
	records.type.is_go = true;
	records.type.tag = "art.record";
	records.type.objects.array = false;
	records.use.walk = WALK_CHASE;
	records.members[0].native = "map[string]*art.Cell";
	records.members[1].native = "[14]time.Duration";
	records.members[2].native = "int64";
	print_split(&records, &text);
	assert_non_null(
		strstr(text.data, "type record struct {\n\tkey int64\n\tcold *recordCold\n"));
	/* names of the record's own package have no other name in front */
	assert_non_null(strstr(text.data, "\tdebug map[string]*Cell\n"));
	assert_non_null(strstr(text.data, "\ttext [14]time.Duration\n"));
	assert_non_null(strstr(text.data, "var _ [16 - unsafe.Sizeof(record{})]byte\n"));
	arena_deinit(&records.advice.arena);
}

/* Neither sources nor records of other languages are written. */
static void test_ada(void **state)
{
	struct records records;
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	(void)state;
	records_init(&records);
	records.type.other_language = "Ada";
	records.type.source.read = 1; /* of C, in the same program */
	print_split(&records, &text);
	strbuf_reset(&text);
	places_add_summary(&records.type, proposal_of(&records, PROPOSAL_SPLIT), &text);
	assert_string_equal(text.data,
			    "Places to change: not known, as sources in Ada are not read.");
	arena_deinit(&records.advice.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c_is_c),
		cmocka_unit_test(test_rust),
		cmocka_unit_test(test_go),
		cmocka_unit_test(test_ada),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
