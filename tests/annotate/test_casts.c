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

/* Of a void pointer only a lock is known, so many bytes in: it is what the function speaks of and has one
 * there. */
static void records_around_what_is_passed(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = INODES
			     "struct mutex { long owner; }; void lock(struct mutex *);\n"
			     "struct sequence { char *buffer; long size; struct mutex lock; long index; };\n"
			     "#define SEQUENCE(v) ((struct sequence *)(v))\n"
			     "long get(struct super *s, struct sequence *other) { void *v = s->private;\n"
			     " lock(&SEQUENCE(v)->lock); return SEQUENCE(v)->size + SEQUENCE(v)->index; }\n"
			     "__attribute__((weak)) void lock(struct mutex *m) { m->owner++; }",
			     .function = "get",
			     .flags = "-O2",
			     .kernel = true },
		.found = { "struct super +8 (private)", "struct sequence +8 (size)\tinferred",
			   "struct sequence +24 (index)\tinferred" },
		.forbidden = { "(unknown)" } });
}

/* Private data that several keep theirs in, at distances that are only known at run time. */
static void private_data_at_a_distance(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source = INODES
			     "extern int distance; int distance = 8;\n" INLINE
			     "struct disk *PART(struct super *s) { return s->private + distance; }\n"
			     "long get(struct super *s) { return PART(s)->bits; }",
			     .function = "get",
			     .kernel = true },
		.found = { "struct super +8 (private)", "struct disk +8 (bits)" },
		.forbidden = { "(unknown)" } });
}

#define PACKETS                                                                                              \
	"struct route { long device; int error; }; struct list { struct list *next, *previous; };\n"         \
	"struct packet { long data; union { unsigned long tagged; struct list list; }; };\n"                 \
	"__attribute__((section(\".data..percpu\"))) long some = 1; int other = 1;\n" INLINE                 \
	"struct route *ROUTE(struct packet *p) { return (struct route *)(p->tagged & ~1ul); }\n"

/* What is left of a word without its tag is not the pointer that the union has beside the word. */
static void words_with_tags(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = PACKETS "long get(struct packet *p) { return ROUTE(p)->device; }",
			     .function = "get",
			     .kernel = true },
		.code = { "$0xfffffffffffffffe" },
		.found = { "struct packet +8", "struct route +0 (device)" },
		.forbidden = { "(unknown)", "struct list" } });
	/* the pointer itself is what it is declared to be */
	snippet_check(&(struct expectation){
		.snippet = { .source = PACKETS
			     "long get(struct packet *p) { return (long)p->list.next->previous->next; }",
			     .function = "get",
			     .kernel = true },
		.found = { "struct packet +8", "struct list +8 (previous)", "struct list +0 (next)" },
		.forbidden = { "(unknown)", "struct route" } });
}

/* An array without a size, alone in a record: so the kernel has them in unions (DECLARE_FLEX_ARRAY). */
static void open_arrays_in_unions(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source =
				     "struct item { long key; int value; };\n"
				     "struct table { union { struct { unsigned int count; long other[2]; };\n"
				     " struct { struct { } empty; struct item *items[0]; }; }; };\n"
				     "long get(struct table *t, unsigned int i) { return t->items[i]->value; "
				     "}",
			     .function = "get" },
		.found = { "struct table +0", "struct item +8 (value)" },
		.forbidden = { "(unknown)" } });
	/* bytes at a place that the instruction names: what lies there has been laid out by hand */
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct device { long number; char private[]; };\n"
				       "int get(struct device *d) { return d->private[26]; }",
			     .function = "get" },
		.found = { "struct device +34 (private)" },
		.forbidden = { "(unknown)" } });
}

/* Where a variable was in memory, something else is spilled later: what is loaded is what was stored. */
static void places_on_the_stack_that_are_used_again(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source = "struct first { long a, b; }; struct second { long c, d; }; long "
				       "other(void);\n"
				       "struct first *one(void); struct second *two(void);\n"
				       "#define SPILL asm volatile(\"\" ::: \"rbx\", \"rbp\", \"r12\", "
				       "\"r13\", \"r14\", \"r15\")\n"
				       "long get(void) { struct first *f = one(); SPILL; other(); other();\n"
				       " if (f->b) return 1; return two()[({ SPILL; other(); })].d; }",
			     .function = "get",
			     .flags = "-O2 -fno-stack-protector" },
		.found = { "struct first +8 (b)", "struct second +8 (d)" },
		.forbidden = { "(unknown)" } });
}

/* One processor's copy of what a pointer leads to that was made an integer for that (RELOC_HIDE()). */
static void copies_of_what_was_allocated(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct counter { long hits, misses; }; void use(struct counter *);\n"
				       "struct cache { unsigned long counters; }; unsigned long "
				       "__per_cpu_offset[64] = { 1 };\n"
				       "__attribute__((section(\".data..percpu\"))) long fixed[6] = { 1 }; "
				       "int other = 1;\n"
				       "long get(struct cache *c, int cpu) {\n"
				       " struct counter *mine = (void *)(c->counters + "
				       "__per_cpu_offset[cpu]);\n"
				       " long hits = mine->misses; use(mine); return hits; }\n"
				       "__attribute__((weak)) void use(struct counter *c) { c->hits++; }",
			     .function = "get",
			     .kernel = true },
		.found = { "struct cache +0 (counters)", "struct counter +8 (misses)" },
		.forbidden = { "(unknown)", "long +8", "long[] +8" } });
}

/* Half of p[2] of pointers is a member of what begins with one. */
static void parts_of_far_pointers(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = INODES "int get(struct inode **p) { return *(int *)(p + 2); }\n"
					      "struct inode *whole(struct inode **p) { return p[2]; }",
			     .function = "get",
			     .kernel = true },
		.found = { "(unknown)" },
		.forbidden = { "struct inode*" } });
	snippet_check(&(struct expectation){
		.snippet = { .source = INODES "struct inode *get(struct inode **p) { return p[2]; }",
			     .function = "get",
			     .kernel = true },
		.found = { "struct inode* +0" },
		.forbidden = { "(unknown)" } });
}

/* Of a void pointer nothing is known but that it was passed on as a pointer to a scalar: half of what is
 * further on, and what is in front of it, is a member of what begins with one. */
static void far_from_where_a_scalar_was_inferred(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct node; long use(struct node **);\n"
				       "long get(void **p) { void *v = *p; use(v);\n"
				       " return *(int *)((char *)v + 8) + *(long *)((char *)v - 16); }",
			     .function = "get",
			     .flags = "-O2 -fno-strict-aliasing" },
		.found = { "void* +0", "(unknown): the offset is outside the type" },
		.forbidden = { "struct node* +0" } });
	/* but an array of them is one */
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct node; long use(struct node **); long add(long *);\n"
				       "long get(void **p) { void *v = p[0], *w = p[1]; use(v); add(w);\n"
				       " return ((long *)v)[2] + ((long *)w)[3]; }",
			     .function = "get",
			     .flags = "-O2 -fno-strict-aliasing" },
		.found = { "void* +0", "struct node* +0\tinferred", "long" },
		.forbidden = { "(unknown)" } });
}

/* What flowed here is a pointer to a record, the variable one to pointers: further on than the first of them
 * is a member of the record, if it has one there. */
static void pointers_where_a_record_has_flowed(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct row { long keys[6]; double balance; struct row *next; };\n"
				       "void note(struct row **);\n"
				       "double get(struct row **rows, long n) {\n"
				       " struct row *r = rows[n], **list = (struct row **)r; note(list);\n"
				       " return *(double *)(list + 6); }",
			     .function = "get",
			     .flags = "-O2 -fno-strict-aliasing" },
		.found = { "struct row* +0", "struct row +48 (balance)" },
		.forbidden = { "(unknown)" } });
	/* not where it has none */
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source = "struct row { long keys[6]; double balance; };\n"
				       "void note(struct row **);\n"
				       "struct row *get(struct row *r) {\n"
				       " struct row **list = (struct row **)r; note(list);\n"
				       " return list[9]; }",
			     .function = "get",
			     .flags = "-O2 -fno-strict-aliasing" },
		.found = { "struct row* +0" },
		.forbidden = { "(unknown)", "struct row +" } });
}

/* A text whose length is stored through its first member's pointer: no half of a length is stored. */
static void stores_of_less_than_a_word(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "void set(unsigned long *length, int count, long *bits) {\n"
				       " *length = 1; *(int *)((char *)length + 8) = count; *bits |= 2; }",
			     .function = "set",
			     .flags = "-O2 -fno-strict-aliasing" },
		.found = { "(unknown): the offset is outside the type" } });
}

#define LIST                                                                                                 \
	"struct owner { long conn; long rows; int flags; int state; };\n"                                    \
	"struct item { char *name; int type; int flags; };\n"                                                \
	"struct list { int n; int alloc; struct item a[1]; };\n"

/* More elements than there are in the type: none of the record that the next variable points to. */
static void elements_of_arrays_of_one(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = LIST "struct parse { struct owner *db; struct list *src; };\n"
					    "int get(struct parse *p) {\n"
					    " struct list *l = p->src; struct owner *db = p->db;\n"
					    " if (l->n > 1 && (l->a[1].type & 0x22)) return l->a[2].flags;\n"
					    " return (int)db->rows; }",
			     .function = "get" },
		.found = { "struct parse +0 (db)", "struct parse +8 (src)", "struct list +0 (n)",
			   "struct list +16 (a.type)", "struct list +20 (a.flags)",
			   "struct owner +8 (rows)" },
		.forbidden = { "(unknown)", "struct owner +0" } });
	/* nor is it so of scalars, of more than one, or of what is no member of an element */
	snippet_check(&(struct expectation){
		.snippet = { .source = LIST "struct two { long n; struct item a[2]; };\n"
					    "struct words { long n; long a[1]; };\n"
					    "long get(struct list *l, struct two *t, struct words *w) {\n"
					    " return ((struct two *)t)->a[3].flags + w->a[3] +\n"
					    " ((long *)l)[6]; }",
			     .function = "get",
			     .flags = "-O2 -fno-strict-aliasing" },
		.found = { "(unknown): the offset is outside the type" },
		.forbidden = { "struct" } });
	/* elements without a size (GNU C) are none */
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct none { }; struct list { long n; struct none a[1]; };\n"
				       "long get(struct list *l) { return ((long *)l)[3]; }",
			     .function = "get",
			     .flags = "-O2 -fno-strict-aliasing" },
		.found = { "(unknown): the offset is outside the type" },
		.forbidden = { "struct" } });
}

/* A header that is cast to what no variable speaks of: what lies behind it is not what the other pointer, of
 * which nothing is left, points to. */
static void records_that_a_header_is_cast_to(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct file { const void *methods; };\n"
				       "struct store { long size; char *data; int refs; };\n"
				       "struct memory_file { struct file base; long lock; };\n"
				       "long get(struct file *f) { struct store *s;\n"
				       " return ((struct memory_file *)f)->lock; }",
			     .function = "get" },
		.found = { "(unknown): the offset is outside the type" },
		.forbidden = { "struct store" } });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_that_the_unit_casts_to),
		cmocka_unit_test(private_data_that_the_unit_casts),
		cmocka_unit_test(values_that_are_used_as_two_things),
		cmocka_unit_test(reads_behind_the_end),
		cmocka_unit_test(stores_of_less_than_a_word),
		cmocka_unit_test(records_around_what_is_passed),
		cmocka_unit_test(private_data_at_a_distance),
		cmocka_unit_test(words_with_tags),
		cmocka_unit_test(copies_of_what_was_allocated),
		cmocka_unit_test(parts_of_far_pointers),
		cmocka_unit_test(far_from_where_a_scalar_was_inferred),
		cmocka_unit_test(pointers_where_a_record_has_flowed),
		cmocka_unit_test(open_arrays_in_unions),
		cmocka_unit_test(elements_of_arrays_of_one),
		cmocka_unit_test(records_that_a_header_is_cast_to),
		cmocka_unit_test(places_on_the_stack_that_are_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
