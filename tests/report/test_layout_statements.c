// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page of a type says what its facts show: of visits that may leave out fields, of fields that
 * one access covers, and of elements that visits may leave out.
 */
#include "tests/support/unit.h"

#include <string.h>

#include "report/layout/advice.h"

/* A record of three lines, whose loop goes through an array: `key` is read each time. */
struct fixture {
	struct advice advice;
	struct advice_type type;
	struct advice_member members[4];
	struct advice_region region;
	struct advice_use uses[3];
	struct strbuf page;
};

static void fixture_init(struct fixture *fixture, enum advice_walk walk)
{
	static const struct advice_member members[] = {
		{ .name = "key", .declaration = "long key;", .size = 8, .align = 8 },
		{ .name = "hits", .declaration = "int hits;", .offset = 64, .size = 4, .align = 4 },
		{ .name = "age", .declaration = "int age;", .offset = 68, .size = 4, .align = 4 },
		{ .name = "text",
		  .declaration = "char text[120];",
		  .offset = 72,
		  .size = 120,
		  .align = 1 },
	};

	*fixture = (struct fixture){
		.advice.machine = { .cacheline = 64,
				    .sizes = { 32 << 10, 1 << 20, 32 << 20, 0 },
				    .source = "the recording" },
		.advice.types = &fixture->type,
		.advice.type_count = 1,
		.type = { .name = "struct row",
			  .keyword = "struct",
			  .tag = "row",
			  .object = "rows",
			  .prelude = "",
			  .size = 192,
			  .align = 8,
			  .samples = 900,
			  .total = 1000,
			  .own_total = 1000,
			  .member_count = 4,
			  .region_count = 1,
			  .objects = { .addressed = 900,
				       .seen = 800,
				       .estimate = 100000,
				       .most = 100000,
				       .array = true } },
		.region = { .function = "scan",
			    .line = "rows.c:7",
			    .loop = true,
			    .cycles = 3,
			    .samples = 950,
			    .charged = 900,
			    .use_count = 3 },
		.page = STRBUF_INIT,
	};
	memcpy(fixture->members, members, sizeof(members));
	for (int i = 0; i < 3; i++)
		fixture->uses[i] = (struct advice_use){ .walk = (uint8_t)walk,
							.step = walk == WALK_STREAM ? 192 : 0,
							.offset = members[i].offset,
							.size = members[i].size,
							.samples = 300 };
	fixture->region.uses = fixture->uses;
	fixture->type.members = fixture->members;
	fixture->type.regions = &fixture->region;
}

static const char *page_of(struct fixture *fixture)
{
	strbuf_reset(&fixture->page);
	fixture->type.proposal_count = fixture->type.lone_count = 0;
	fixture->type.affinity_count = 0;
	advice_make(&fixture->advice);
	advice_print(&fixture->type, &fixture->advice.machine, &fixture->page);
	for (char *c = fixture->page.data; (c = strchr(c, '\n')) != NULL && c[1];)
		if (c[1] == ' ' && c[2] == ' ')
			*c = ' ', memmove(c + 1, c + 3, strlen(c + 3) + 1);
		else
			c++;
	return fixture->page.data;
}

static void fixture_deinit(struct fixture *fixture)
{
	strbuf_deinit(&fixture->page);
	arena_deinit(&fixture->advice.arena);
}

static void assert_says(const char *page, const char *text)
{
	if (!strstr(page, text))
		fail_msg("'%s' is missing in:\n%s", text, page);
}

static void assert_does_not_say(const char *page, const char *text)
{
	if (strstr(page, text))
		fail_msg("'%s' is in:\n%s", text, page);
}

/* A visit that leaves out what is behind a condition touches fewer lines, and uses it with nothing:
 * figures are limits then. */
static void test_visits_that_leave_out_fields(void **state)
{
	struct fixture fixture;
	const char *page;

	(void)state;
	fixture_init(&fixture, WALK_STREAM);
	page = page_of(&fixture);
	assert_says(page, "hot code uses: 12 MB\n");
	assert_says(page, "Used together: key and hits 100%");
	assert_says(page, "from 2.00 to 0.25");
	fixture_deinit(&fixture);
	fixture_init(&fixture, WALK_STREAM);
	fixture.uses[1].sometimes = fixture.uses[2].sometimes = true;
	page = page_of(&fixture);
	assert_says(page, "hot code uses: 6250 KB to 12 MB\n");
	assert_says(page, "Used together: key and hits up to 100%");
	assert_says(page, "shrink from at most 12 MB (L3) to 1562 KB (L3)");
	assert_says(page, "from 1.00-2.00 to 0.25");
	/* samples show that few visits make the one use; the last visit of a walk ends at the other
	 */
	fixture.uses[1].most = 0.25;
	fixture.uses[2].sometimes = false;
	fixture.uses[2].not_last = true;
	page = page_of(&fixture);
	assert_says(page, "Used together: key and age up to 100%, key and hits up to 25%");
	fixture_deinit(&fixture);
}

/* No line is touched for a field alone if one access covers its neighbour, too, or if the visit may
 * leave it out. */
static void test_fields_that_one_access_covers(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, WALK_CHASE);
	fixture.region.use_count = 2;
	assert_says(page_of(&fixture), "hits (line 1, 100%)");
	fixture.uses[1].size = 8;
	assert_does_not_say(page_of(&fixture), "hits (line");
	assert_says(page_of(&fixture), "Alone in a line: key");
	fixture.uses[1].size = 4;
	fixture.uses[1].sometimes = true;
	assert_does_not_say(page_of(&fixture), "hits (line");
	/* what is beside it only in some visits makes a limit of its share; the elements of a
	 * stream that begin in the middle of a line share lines with those beside them */
	fixture.uses[1].sometimes = false;
	fixture.region.use_count = 3;
	fixture.uses[2].sometimes = true;
	fixture.members[2].offset = fixture.uses[2].offset = 8;
	fixture.members[3].offset = 80;
	fixture.type.objects.alignments[0] = fixture.type.objects.alignments[56] = 400;
	assert_says(page_of(&fixture), "Alone in a line: key (50 to 100% of");
	/* a search may end at an object of which it needs no other field */
	fixture.region.use_count = 2;
	fixture.uses[1].not_last = true;
	assert_says(page_of(&fixture), "hits (up to 100%)");
	fixture_deinit(&fixture);
	fixture_init(&fixture, WALK_STREAM);
	fixture.type.size = 96;
	fixture.members[3].size = 24;
	for (int i = 0; i < 2; i++)
		fixture.uses[i].step = 96;
	fixture.region.use_count = 2;
	fixture.type.objects.alignments[0] = fixture.type.objects.alignments[32] = 400;
	assert_says(page_of(&fixture), "Alone in a line: key (50%");
	fixture_deinit(&fixture);
}

/* A loop that was inlined in two places is one chase, and one without a line has its samples. */
static void test_copies_of_a_chase(void **state)
{
	struct advice_region copies[2];
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, WALK_CHASE);
	fixture.region.samples = fixture.region.charged = 300;
	copies[0] = copies[1] = fixture.region;
	fixture.type.regions = copies;
	fixture.type.region_count = 2;
	assert_says(page_of(&fixture),
		    "Pointer chase: scan (rows.c:7, 60.0% of the samples). Each");
	copies[0].line = NULL;
	assert_says(page_of(&fixture),
		    "Pointer chase: scan (30.0% of the samples), scan (rows.c:7");
	fixture_deinit(&fixture);
}

/* Slots of a table may be empty: of elements that are found in no order, only those that samples
 * met are known to be visited. */
static void test_elements_that_visits_leave_out(void **state)
{
	struct fixture fixture;
	const char *page;

	(void)state;
	fixture_init(&fixture, WALK_SCATTERED);
	page = page_of(&fixture);
	assert_says(page, "about 100000 elements side by side, by the addresses of 900 samples;");
	assert_says(page, "hot code uses: at most ");
	fixture.type.objects.seen = 100000;
	assert_does_not_say(page_of(&fixture), "at most ");
	fixture.type.objects.array = false;
	assert_says(page_of(&fixture), "about 100000 objects in use, by");
	/* so few tell no more than how far apart they lie */
	fixture.type.objects = (struct advice_objects){
		.addressed = 9, .seen = 9, .estimate = 1000, .most = 1000, .array = true
	};
	page = page_of(&fixture);
	assert_says(page, "elements side by side: cannot tell, at least 800,");
	assert_does_not_say(page, "hot code uses");
	fixture_deinit(&fixture);
}

/* A loop chases pointers if its samples are at what it finds by them. */
static void test_chases_that_wait(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, WALK_SCATTERED);
	fixture.uses[2].walk = WALK_CHASE;
	assert_says(page_of(&fixture), "Pointer chase: scan");
	assert_says(page_of(&fixture), "A prefetch of the next object may shorten the wait.");
	assert_does_not_say(page_of(&fixture), "Where the loop searches");
	/* L1 needs no prefetch */
	fixture.region.searches = true;
	fixture.type.objects.estimate = fixture.type.objects.most = 40;
	fixture.type.objects.seen = 40;
	assert_says(page_of(&fixture), "Where the loop searches, keep what it compares");
	assert_does_not_say(page_of(&fixture), "prefetch");
	fixture.type.objects.estimate = fixture.type.objects.most = 100000;
	fixture.type.objects.seen = 800;
	fixture.uses[2].samples = 10;
	assert_does_not_say(page_of(&fixture), "Pointer chase");
	/* the walk is that of the use with the most samples, or without any, of one that each visit
	 * makes */
	assert_says(page_of(&fixture), "scattered scan");
	for (int i = 0; i < 3; i++)
		fixture.uses[i].samples = 0;
	fixture.uses[0].walk = WALK_CHASE;
	fixture.uses[0].sometimes = true;
	assert_says(page_of(&fixture), "scattered scan");
	assert_does_not_say(page_of(&fixture), "Pointer chase");
	fixture_deinit(&fixture);
}

/* Members of a union are one place, and lines are used as a whole. */
static void test_bytes_in_common(void **state)
{
	struct advice_near near = { .first = 1, .second = 2, .samples = 60 };
	struct fixture fixture;
	const char *page;

	(void)state;
	fixture_init(&fixture, WALK_SCATTERED);
	fixture.type.nears = &near;
	fixture.type.near_count = 1;
	fixture.type.near_samples = 100;
	for (int i = 1; i < 3; i++)
		fixture.members[i].readers = fixture.members[i].writers = 4;
	fixture.type.objects = (struct advice_objects){
		.addressed = 900, .seen = 3, .estimate = 3.3, .most = 3.3
	};
	fixture.type.objects.alignments[40] = fixture.type.objects.alignments[8] = 450;
	page = page_of(&fixture);
	assert_says(page, "Used within 2 ms, by addresses: hits and age 60%");
	assert_says(page, "age: read by 4");
	assert_says(page, "hot code uses: 448 bytes\n");
	fixture.members[2].offset = 64;
	page = page_of(&fixture);
	assert_does_not_say(page, "hits and age");
	assert_says(page, "hits: read by 4");
	assert_does_not_say(page, "age: read by 4");
	fixture_deinit(&fixture);
}

/* The page names the option that makes the change; and where too little is known, it does not say
 * that no layout is better. */
static void test_the_next_step(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, WALK_STREAM);
	fixture.type.source.file = "/src/rows.c";
	assert_says(page_of(&fixture), "--emit=patch changes the source");
	fixture.type.is_cxx = true;
	assert_does_not_say(page_of(&fixture), "--emit=patch");
	assert_says(page_of(&fixture), "--emit=c prints the records");
	fixture.type.is_rust = true;
	assert_does_not_say(page_of(&fixture), "--emit=c");
	/* nothing but one field is used where the types are known */
	fixture.region.use_count = 0;
	fixture.type.unknown = 900;
	assert_says(page_of(&fixture), "a gain cannot be told: 90.0% of the samples wait for "
				       "accesses of no known type");
	fixture_deinit(&fixture);
}

/* A rare loop gets no promise, as few samples tell what it waits for; nor does a layout that is not
 * advised. */
static void test_promises(void **state)
{
	struct advice_region loops[2];
	struct fixture fixture;
	const char *page;

	(void)state;
	fixture_init(&fixture, WALK_STREAM);
	fixture.region.samples = fixture.region.charged = 890;
	loops[0] = loops[1] = fixture.region;
	loops[1].function = "rarely";
	loops[1].samples = loops[1].charged = 60;
	fixture.type.regions = loops;
	fixture.type.region_count = 2;
	page = page_of(&fixture);
	assert_says(page, "times faster as a whole, at least ");
	assert_says(page, " in scan (rows.c:7, 89% of the samples)");
	assert_does_not_say(page, " in rarely");
	assert_says(page, ": gain, ranked below the advice: ");
	assert_does_not_say(page, "gain of at least");
	fixture_deinit(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_visits_that_leave_out_fields),
		cmocka_unit_test(test_fields_that_one_access_covers),
		cmocka_unit_test(test_copies_of_a_chase),
		cmocka_unit_test(test_elements_that_visits_leave_out),
		cmocka_unit_test(test_chases_that_wait),
		cmocka_unit_test(test_bytes_in_common),
		cmocka_unit_test(test_the_next_step),
		cmocka_unit_test(test_promises),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
