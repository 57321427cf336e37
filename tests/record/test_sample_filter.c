// SPDX-License-Identifier: GPL-2.0-or-later
/* Filter expressions, and the kernel's BTF that some of their terms need. */
#include <linux/btf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dwarf/btf/btf.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "profiler/record/open.h"
#include "profiler/record/sample_filter.h"

static void test_expressions(void **state)
{
	struct sample_filter filter = { 0 };

	(void)state;
	assert_null(sample_filter_parse(
		"cpu == 0||cpu==3 , period>=4k, mem_op == load || mem_snoop == peer,ip & 0xf0",
		&filter));
	assert_int_equal(filter.count, 6);
	assert_string_equal(filter.conditions[0].term->name, "cpu");
	assert_true(filter.conditions[0].or_next);
	assert_int_equal(filter.conditions[1].value, 3);
	assert_false(filter.conditions[1].or_next);
	assert_int_equal(filter.conditions[2].comparison, FILTER_GREATER_EQUAL);
	assert_int_equal(filter.conditions[2].value, 4096);
	assert_int_equal(filter.conditions[3].value, 2);
	/* a constant of another part of data_src */
	assert_string_equal(filter.conditions[4].term->name, "mem_snoopx");
	assert_int_equal(filter.conditions[5].comparison, FILTER_BITS);
	assert_int_equal(filter.conditions[5].value, 0xf0);
	sample_filter_deinit(&filter);
}

static void test_errors(void **state)
{
	uint64_t root;
	_cleanup_error_ struct error *unmounted = cgroup_id("", "/", &root);
	const struct {
		const char *text;
		const char *said;
	} cases[] = {
		{ "", "term is missing" },
		{ "cpu", "one of ==" },
		{ "cpu = 1", "one of ==" },
		{ "cpu ==", "''" },
		{ "cpu == one", "'one'" },
		{ "preiod > 1", "'period'" },
		{ "cpu == 1 cpu == 2", "'||'" },
		{ "cpu == 1,", "missing" },
		{ "cpu == 1 | cpu == 2", "'||'" },
		{ "mem_op == l1", "'l1'" },
		/* where no control groups are mounted, as in many a chroot, the same message comes
		 * for any of them */
		{ "cgroup == /no/such/group",
		  unmounted ? "no hierarchy of control" : "/no/such/group" },
		{ "cpu == 1x", "'1x'" },
		{ "ip == 0x1ffffffffffffffff", "0x1ffff" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sample_filter filter = { 0 };
		_cleanup_error_ struct error *error = sample_filter_parse(cases[i].text, &filter);

		if (!error || !strstr(error->message, cases[i].said))
			fail_msg("'%s': %s", cases[i].text, error ? error->message : "taken");
		sample_filter_deinit(&filter);
	}
}

/* Jumps must reach over all alternatives. */
static void test_as_many_as_a_jump_reaches(void **state)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	struct sample_filter filter = { 0 };

	(void)state;
	for (int i = 0; i < SAMPLE_FILTER_MAX; i++)
		strbuf_add_format(&text, "%scpu == %d", i ? "||" : "", i);
	assert_null(sample_filter_parse(text.data, &filter));
	assert_int_equal(filter.count, SAMPLE_FILTER_MAX);
	sample_filter_deinit(&filter);
	strbuf_add_string(&text, "||cpu == 0");

	_cleanup_error_ struct error *error = sample_filter_parse(text.data, &filter);

	assert_non_null(error);
	assert_non_null(strstr(error->message, "4096 conditions"));
	sample_filter_deinit(&filter);
}

/* struct sample { u64 first; union { u64 weight; struct { u32 low; }; }; }; and a function. */
struct small_btf {
	struct btf_header header;
	struct btf_type integer;
	uint32_t integer_detail;
	struct btf_type function;
	struct btf_type innermost;
	struct btf_member low;
	struct btf_type inner;
	struct btf_member inner_members[2];
	struct btf_type outer;
	struct btf_member outer_members[2];
	char strings[64];
};

static struct small_btf small_btf(void)
{
	static const char strings[] = "\0sample\0first\0weight\0low\0u64\0call_me";
	struct small_btf btf = {
		.header = { .magic = BTF_MAGIC,
			    .version = 1,
			    .hdr_len = sizeof(struct btf_header),
			    .type_len =
				    offsetof(struct small_btf, strings) - sizeof(struct btf_header),
			    .str_off =
				    offsetof(struct small_btf, strings) - sizeof(struct btf_header),
			    .str_len = sizeof(btf.strings) },
		.integer = { .name_off = 25, .info = BTF_KIND_INT << 24, .size = 8 },
		.integer_detail = 64,
		.function = { .name_off = 29, .info = BTF_KIND_FUNC << 24 },
		.innermost = { .info = BTF_KIND_STRUCT << 24 | 1, .size = 8 },
		.low = { .name_off = 21, .type = 1, .offset = 32 },
		.inner = { .info = BTF_KIND_UNION << 24 | 2, .size = 8 },
		.inner_members = { { .name_off = 14, .type = 1 }, { .type = 3 } },
		.outer = { .name_off = 1, .info = BTF_KIND_STRUCT << 24 | 2, .size = 16 },
		.outer_members = { { .name_off = 8, .type = 1 }, { .type = 4, .offset = 64 } },
	};

	memcpy(btf.strings, strings, sizeof(strings));
	return btf;
}

static void test_btf(void **state)
{
	struct small_btf content = small_btf();
	struct btf *btf;

	(void)state;
	assert_null(btf_open_memory(&content, sizeof(content), NULL, "test", &btf));
	assert_int_equal(btf_function_id(btf, "call_me"), 2);
	assert_int_equal(btf_function_id(btf, "sample"), 0);
	assert_int_equal(btf_member_offset(btf, "sample", "first"), 0);
	assert_int_equal(btf_member_offset(btf, "sample", "weight"), 8);
	assert_int_equal(btf_member_offset(btf, "sample", "low"), 12);
	assert_int_equal(btf_member_offset(btf, "sample", "high"), -1);
	assert_int_equal(btf_member_offset(btf, "samples", "first"), -1);
	btf_close(btf);
}

/* BTF that is truncated or changed anywhere gives an error or an answer, and no read passes its
 * end. */
static void test_bad_btf(void **state)
{
	struct small_btf content = small_btf();
	struct btf *btf;

	(void)state;
	for (size_t size = 0; size < sizeof(content); size++) {
		struct error *error = btf_open_memory(&content, size, NULL, "test", &btf);

		assert_non_null(error);
		error_destroy(error);
	}
	for (size_t i = 0; i < sizeof(content); i++) {
		for (unsigned int value = 0; value < 256; value += 5) {
			struct small_btf changed = content;

			((uint8_t *)&changed)[i] = value;

			struct error *error =
				btf_open_memory(&changed, sizeof(changed), NULL, "test", &btf);

			if (error) {
				error_destroy(error);
				continue;
			}
			btf_function_id(btf, "call_me");
			btf_member_offset(btf, "sample", "low");
			btf_close(btf);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_as_many_as_a_jump_reaches),
		cmocka_unit_test(test_btf),
		cmocka_unit_test(test_bad_btf),
	};

	return cmocka_run_group_tests_name("record/sample_filter", tests, NULL, NULL);
}
