// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a pointer was cast to, where no variable says it: container_of(), private data, values that are one
 * thing on one path and another on the next.
 */
#include "tests/support/unit.h"

#include "tests/support/snippet.h"

#define INLINE "static inline __attribute__((always_inline)) "
#define INODES                                                                                               \
	"__attribute__((section(\".data..percpu\"))) long some = 1; int other = 1;\n"                        \
	"struct extent { long start, length; }; struct disk { long blocks; int bits; };\n"                   \
	"struct super { long magic; void *private; }; struct inode { long number; struct super *super; };\n" \
	"struct own { long reserved; struct extent *tree; struct inode inode; int last; };\n" INLINE         \
	"struct own *OWN(struct inode *i) { return (struct own *)((char *)i - 16); }\n" INLINE               \
	"struct disk *DISK(struct super *s) { return s->private; }\n"

/* A macro casts here; what the unit's inline functions cast elsewhere is what it was cast to. (clang drops
 * functions of which nothing is left.) */
static void records_that_the_unit_casts_to(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source = INODES "long elsewhere(struct inode *i) { return OWN(i)->last; }\n"
					      "long get(struct inode *i) { return ((struct own *)((char *)i "
					      "- 16))->tree->length\n"
					      " + ((struct own *)((char *)i - 16))->last; }",
			     .function = "get",
			     .kernel = true },
		.found = { "struct own +8 (tree)\tinferred", "struct extent +8 (length)",
			   "struct own +32 (last)\tinferred" },
		.forbidden = { "(unknown)" } });
	/* not if it casts to two that would do */
	snippet_check(&(struct expectation){
		.snippet = { .source = INODES
			     "struct sock { long reserved; struct disk *disk; struct inode inode; int first; "
			     "};\n" INLINE "struct sock *SOCK(struct inode *i) { return (struct sock "
					   "*)((char *)i - 16); }\n"
			     "long elsewhere(struct inode *i) { return OWN(i)->last + SOCK(i)->first; }\n"
			     "long get(struct inode *i) { return ((struct own *)((char *)i - 16))->last; }",
			     .function = "get",
			     .kernel = true },
		.found = { "(unknown)" },
		.forbidden = { "struct own", "struct sock" } });
}

static void private_data_that_the_unit_casts(void **state)
{
	(void)state;
	/* clang does not tell what was written as an inline function from what it inlined */
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source = INODES
			     "long elsewhere(struct super *s) { return DISK(s)->blocks; }\n"
			     "long get(struct super *s) { return ((struct disk *)s->private)->bits; }",
			     .function = "get",
			     .kernel = true },
		.found = { "struct super +8 (private)", "struct disk +8 (bits)\tinferred" },
		.forbidden = { "(unknown)" } });
	/* the end of one member and the start of the next: private data of another kind */
	snippet_check(&(struct expectation){
		.snippet = { .source =
				     INODES "struct halves { int low, high; };\n" INLINE
					    "struct halves *HALVES(struct super *s) { return s->private; }\n"
					    "long elsewhere(struct super *s) { return HALVES(s)->high; }\n"
					    "long get(struct super *s) { return *(long *)s->private; }",
			     .function = "get",
			     .kernel = true },
		.found = { "struct super +8 (private)" },
		.forbidden = { "struct halves" } });
	/* a function that does more than to get from here to there is no accessor */
	snippet_check(&(struct expectation){
		.snippet = { .source = INODES
			     "static struct disk *make(struct super *s) { struct disk *d = s->private; "
			     "s->magic++;\n"
			     " return d; } long elsewhere(struct super *s) { return make(s)->blocks; }\n"
			     "long get(struct super *s) { return ((struct disk *)s->private)->bits; }",
			     .function = "get",
			     .kernel = true },
		.found = { "struct super +8 (private)", "(unknown)" },
		.forbidden = { "struct disk" } });
}

/* Passed as a pair on one path, read as a long on the other: it is no pair there. */
static void values_that_are_used_as_two_things(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct pair { int first, second; }; long use(struct pair *);\n"
				       "long get(void **p, int is_pair) { void *v = *p;\n"
				       " if (is_pair) return use(v) + 1; return *(long *)v; }",
			     .function = "get" },
		.found = { "void* +0", "(unknown)" },
		.forbidden = { "struct pair" } });
	/* a member of it, and both that are cleared together, are */
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct pair { int first, second; }; long use(struct pair *);\n"
				       "long get(void **p, int is_pair) { void *v = *p;\n"
				       " if (is_pair) return use(v) + 1; *(long *)v = 0; return ((int "
				       "*)v)[1]; }",
			     .function = "get",
			     .flags = "-O2 -fno-strict-aliasing" },
		.found = { "void* +0", "struct pair +0" },
		.forbidden = { "(unknown)" } });
}

/* What is wider than the record is another one. */
static void reads_behind_the_end(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct small { int x; };\n"
				       "long get(struct small *s) { return *(long *)s; }",
			     .function = "get",
			     .flags = "-O2 -fno-strict-aliasing" },
		.found = { "(unknown)" },
		.forbidden = { "struct small" } });
	/* but the bytes of a flexible array, and of a record in one, are copied in words */
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct key { unsigned char bytes[16]; };\n"
				       "struct keys { int count; struct key list[]; };\n"
				       "void get(struct keys *k, struct key *from) { k->list[0] = *from; }",
			     .function = "get",
			     .flags = "-O2 -mgeneral-regs-only" },
		.found = { "struct keys +4 (list", "struct keys +12 (list", "struct key +0 (bytes)" },
		.forbidden = { "(unknown)" } });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_that_the_unit_casts_to),
		cmocka_unit_test(private_data_that_the_unit_casts),
		cmocka_unit_test(values_that_are_used_as_two_things),
		cmocka_unit_test(reads_behind_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
