// SPDX-License-Identifier: GPL-2.0-or-later
/* The facts that evidence on a member makes. */
#include "tests/support/unit.h"

#include "annotate/access.h"
#include "annotate/evidence/distant.h"
#include "tests/annotate/made_types.h"

/* Returns whether the member is known to point to `record` if one function says so, and another one
 * reads `size` bytes at `offset` through it. */
static bool is_known(const struct type *holder, const struct type *record, int64_t offset,
		     int64_t size)
{
	const struct distant_place place = { .kind = DISTANT_MEMBER, .record = holder };
	struct distant_evidence_list says = { 0 }, reads = { 0 };
	struct distant_facts facts = { 0 };

	distant_evidence_add(
		&says, &(struct distant_evidence){
			       .place = place, .value = value_pointer(record, 0, HOW_TRACKED) });
	distant_evidence_add(&reads, &(struct distant_evidence){ .place = place,
								 .value = { .kind = VALUE_NUMBER,
									    .offset = offset,
									    .stride = size } });
	distant_facts_merge(&facts, &says);
	distant_facts_merge(&facts, &reads);
	distant_facts_conclude(&facts);

	bool known = distant_fact_is_known(distant_facts_find(&facts, &place));

	distant_facts_deinit(&facts);
	free(says.items);
	free(reads.items);
	return known;
}

/* union { struct builtin *builtin; struct function *function; }: what tests a bit of the one's
 * flags does not read a part of the other's pointer. */
static void test_reads_go_to_fields(void **state)
{
	struct made_types types;

	(void)state;
	made_types_init(&types);
	const struct type *integer = made_integer(&types, "int", 4),
			  *pointer = made_pointer(&types, integer);
	const struct type *function =
		MADE_STRUCT(&types, "function", 24, { .name = "count", .type = integer },
			    { .name = "body", .type = pointer, .offset = 16 });
	const struct type *holder =
		MADE_STRUCT(&types, "entry", 8, { .name = "function", .type = pointer });

	assert_true(is_known(holder, function, 0, 4));
	assert_true(is_known(holder, function, 0, 1));
	assert_true(is_known(holder, function, 16, 8));
	assert_false(is_known(holder, function, 16, 1));
	assert_false(is_known(holder, function, 8, 4));
	assert_false(is_known(holder, function, 24, 8));
	made_types_deinit(&types);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_reads_go_to_fields) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
