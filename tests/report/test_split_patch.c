// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Patches that divide a record change each place that the source has, or there is none. Each case
 * is a program: the members `name` and `size` of struct node leave it.
 */
#include "tests/support/unit.h" /* first: cmocka and the headers that it needs */

#include <string.h>

#include "report/layout/patch.h"

static struct advice_member members[] = {
	{ .name = "key", .declaration = "long key;", .offset = 0, .size = 8, .align = 8 },
	{ .name = "name", .declaration = "char name[24];", .offset = 8, .size = 24, .align = 1 },
	{ .name = "size", .declaration = "long size;", .offset = 32, .size = 8, .align = 8 },
};
static struct advice_declared declared[] = { { "key", "long key", 0 },
					     { "name", "char name[24]", 1 },
					     { "size", "long size", 2 } };
static struct advice_placed placed[] = { { 0, 0, 0 }, { 1, 1, 0 }, { 2, 1, 24 } };
static const struct advice_machine machine = { .cacheline = 64 };

#define DECLARED "struct node {\n\t/* sorted */\n\tlong key;\n\tchar name[24];\n\tlong size;\n};\n"

/* Texts after the declaration, before and after the change; NULL: there is no patch, for this
 * reason. */
static const struct {
	const char *old, *new, *why;
} by_pointer[] = {
	{ "void f(void)\n{\n\tstruct node *n = malloc(sizeof(*n));\n\tn->size = n->key;\n}\n",
	  "void f(void)\n{\n\tstruct node *n = node_join(malloc(sizeof(*n)), "
	  "malloc(sizeof(struct node_cold)), 1);\n\tn->cold->size = n->key;\n}\n",
	  NULL },
	/* arrays, and allocators that take other arguments */
	{ "struct node *f(int k) { return xcalloc(k + 1, sizeof(struct node)); }\n",
	  "struct node *f(int k) { return node_join(xcalloc(k + 1, sizeof(struct node)), "
	  "xcalloc(k + 1, sizeof(struct node_cold)), k + 1); }\n",
	  NULL },
	{ "struct node *f(int k) { return pool_alloc(pool, (k + 1) * sizeof(struct node)); }\n",
	  "struct node *f(int k) { return node_join(pool_alloc(pool, (k + 1) * sizeof(struct "
	  "node)), pool_alloc(pool, (k + 1) * sizeof(struct node_cold)), (k + 1)); }\n",
	  NULL },
	{ "void f(int k) { struct node *n = malloc(k++ * sizeof(*n)); }\n", NULL,
	  "an allocation is not understood" },
	{ "void f(int k) { struct node *n = malloc(k + 4 * sizeof(*n)); }\n", NULL,
	  "an allocation is not understood" },
	{ "void f(struct node *n) { n = realloc(n, 9 * sizeof(*n)); }\n", NULL, "realloc" },
	{ "void f(void) { use(NEW(struct node)); }\n", NULL, "cannot change this use" },
	{ "void f(void) { pool_init(sizeof(struct node)); }\n", NULL, "the record's size" },
	{ "void f(struct node *n) { n->size++; }\n", NULL, "where objects are made" },
	/* variables */
	{ "static struct node none, *last;\n", NULL, "declared with others" },
	{ "static struct node none;\nvoid f(struct node *n)\n{\n\tstruct node copy = *n;\n\n\tnone = "
	  "copy;\n\tmemset(n, 0, sizeof(*n));\n\tfree(n);\n}\n",
	  "static struct node_cold none_cold;\nstatic struct node none = { .cold = &none_cold };\n"
	  "void f(struct node *n)\n{\n\tstruct node_cold copy_cold;\n\tstruct node copy = { .cold = "
	  "&copy_cold };\n\tnode_copy(&copy, n);\n\n\tnode_copy(&none, &copy);\n\tnode_clear(n, "
	  "1);\n\tnode_free(n);\n}\n",
	  NULL },
	/* a number of objects is no format */
	{ "static struct node n;\nvoid f(struct node *a, int k, int d)\n{\n\tmemset(a, 0, (k %d) * "
	  "sizeof(*a));\n}\n",
	  "static struct node_cold n_cold;\nstatic struct node n = { .cold = &n_cold };\nvoid "
	  "f(struct node *a, int k, int d)\n{\n\tnode_clear(a, (k %d));\n}\n",
	  NULL },
	{ "void f(void)\n{\n\tstruct node head = {};\n\n\tuse(&head);\n}\n",
	  "void f(void)\n{\n\tstruct node_cold head_cold = { 0 };\n\tstruct node head = { .cold = "
	  "&head_cold };\n\n\tuse(&head);\n}\n",
	  NULL },
	{ "struct node all[9], *one;\n", NULL, "in this one array" },
	{ "struct tree { struct node root; };\n", NULL, "a part of something else" },
	{ "void f(struct node n) { use(n.key); }\n", NULL, "a parameter" },
	{ "struct node f(void);\n", NULL, "a result" },
	{ "struct node n = { .size = 1 };\n", NULL, "by its name" },
	{ "struct node n = { 1 };\n", NULL, "an object is initialized" },
	/* whole records */
	{ "static struct node n;\nvoid f(struct node *a) { use(*a); }\n", NULL, "cannot change this use" },
	{ "static struct node n;\nvoid f(struct node *a) { a[1] = x ? a[2] : n; }\n", NULL,
	  "cannot change this use" },
	{ "static struct node n;\nvoid f(struct node *a) { memcpy(a, &n, sizeof(n)); }\n", NULL,
	  "the record's size" },
	{ "static struct node n;\nvoid f(struct node *a) { qsort(a, 9, sizeof(*a), by); }\n", NULL,
	  "moved or found as a whole" },
	{ "static struct node n;\nvoid f(char *b) { use((struct node *)(b + 8)); }\n", NULL,
	  "cannot change this use" },
	{ "static struct node n;\nvoid f(void *b) { free(b); }\n", NULL, "may be of another" },
	{ "static struct node n;\nvoid f(void) { list_end(free); }\n", NULL, "may be of another" },
	{ "static struct node n;\nvoid f(void) { x = offsetof(struct node, size); }\n", NULL,
	  "by a member that leaves" },
	/* functions that free */
	{ "static struct node none;\nstatic void drop_free(struct node *n) { free(n); }\nvoid f(struct node *n) { drop_free(n); }\n",
	  "static struct node_cold none_cold;\nstatic struct node none = { .cold = &none_cold };\nstatic void drop_free(struct node *n) { node_free(n); }\nvoid f(struct node *n) { drop_free(n); }\n",
	  NULL },
	{ "static struct node none;\nvoid xfree(void *n) { free(n); }\nvoid f(struct node *n) { xfree(n); }\n", NULL, "by free()" },
	/* names of pointers */
	{ "typedef struct node *link, **links;\nvoid f(links all, link n)\n{\n\tlink made = calloc(1, sizeof(*made));\n\n\t*made = **all;\n\tn->size = ((link)x)->size;\n}\n",
	  "typedef struct node *link, **links;\nvoid f(links all, link n)\n{\n\tlink made = node_join(calloc(1, sizeof(*made)), calloc(1, sizeof(struct node_cold)), 1);\n\n\tnode_copy(made, *all);\n\tn->cold->size = ((link)x)->cold->size;\n}\n",
	  NULL },
	/* macros, and names that are taken */
	{ "static struct node n;\n#define SIZE(n) \\\n\t((n)->size)\n",
	  "static struct node_cold n_cold;\nstatic struct node n = { .cold = &n_cold };\n#define "
	  "SIZE(n) \\\n\t((n)->cold->size)\n",
	  NULL },
	{ "static struct node n;\nvoid node_copy(int);\n", NULL, "has 'node_copy' already" },
	/* what macros make of their arguments */
	{ "static struct node n;\n#define COPY(to, from) (*(to) = *(from))\nvoid f(struct node *a) { "
	  "COPY(a, &n); }\n",
	  NULL, "a macro uses the record by its arguments: a.c:9" },
	{ "static struct node n;\n#define GET(n, m) (n)->m\nvoid f(struct node *a) { GET(a, size)++; "
	  "}\n",
	  NULL, "a macro uses the record by its arguments: a.c:9" },
	{ "static struct node n;\n#define GET(n, m) (n)->na##m\nvoid f(struct node *a) { GET(a, "
	  "me)[0]++; }\n",
	  NULL, "a macro uses the record by its arguments: a.c:9" },
	{ "static struct node n;\n#define FIRST n\nvoid f(void)\n{\n\tFIRST = FIRST;\n}\n",
	  NULL, "a macro uses the record by its arguments: a.c:11" },
	{ "static struct node n;\n#define BYTES (sizeof(struct node))\nvoid *f(void)\n{\n\treturn "
	  "malloc(BYTES);\n}\n",
	  NULL, "a macro uses the record by its arguments: a.c:11" },
	{ "static struct node n;\n#define each(n) \\\n\tfor (struct node *n = all; n; n = "
	  "n->key)\n#define GET(n, m) (n)->m\nvoid f(void) { each(a) GET(a, key)++; }\n",
	  "static struct node_cold n_cold;\nstatic struct node n = { .cold = &n_cold };\n#define "
	  "each(n) \\\n\tfor (struct node *n = all; n; n = n->key)\n#define GET(n, m) "
	  "(n)->m\nvoid f(void) { each(a) GET(a, key)++; }\n",
	  NULL },
}, by_array[] = {
	/* an array */
	{ "static struct node all[9];\nvoid f(struct node *n)\n{\n\tall[n->key].size = "
	  "all[all[1].size].size;\n\tn->name[0] = (*n).name[1];\n\t*n = all[8];\n\tuse(sizeof(all) / "
	  "sizeof(all[0]));\n\tmemset(all, 0, sizeof(all));\n}\n",
	  "static struct node_cold all_cold[9];\nstatic struct node all[9];\nvoid f(struct node "
	  "*n)\n{\n\tall_cold[n->key].size = "
	  "all_cold[all_cold[1].size].size;\n\tnode_cold_of(n)->name[0] = "
	  "node_cold_of(&(*n))->name[1];\n\tnode_copy(n, &all[8]);\n\tuse(sizeof(all) / "
	  "sizeof(all[0]));\n\tmemset(all_cold, 0, sizeof(all_cold)), memset(all, 0, "
	  "sizeof(all));\n}\n",
	  NULL },
	{ "static struct node all[9];\n#define COUNT(x) (sizeof(x) / sizeof((x)[0]))\nlong f(void) { "
	  "return COUNT(all); }\n",
	  "static struct node_cold all_cold[9];\nstatic struct node all[9];\n#define COUNT(x) "
	  "(sizeof(x) / sizeof((x)[0]))\nlong f(void) { return COUNT(all); }\n",
	  NULL },
	{ "static struct node all[9];\nvoid f(int i) { 7[all].size = i[all].size; }\n",
	  "static struct node_cold all_cold[9];\nstatic struct node all[9];\nvoid f(int i) { "
	  "node_cold_of(&7[all])->size = node_cold_of(&i[all])->size; }\n",
	  NULL },
	{ "static struct node all[9];\nlong f(void) { return sizeof ((struct node *)0)->name; }\n",
	  "static struct node_cold all_cold[9];\nstatic struct node all[9];\nlong f(void) { return "
	  "sizeof node_cold_of(((struct node *)0))->name; }\n",
	  NULL },
	/* a pointer to the only one */
	{ "struct node *all;\nvoid f(int n)\n{\n\tall = malloc(n * sizeof(*all));\n\tall[n - "
	  "1].size = 1;\n\tif (n)\n\t\tfree(all);\n}\n",
	  "struct node_cold *all_cold;\nstruct node *all;\nvoid f(int n)\n{\n\tall_cold = malloc(n * "
	  "sizeof(struct node_cold)), all = all_cold ? malloc(n * sizeof(*all)) : 0;\n\tall_cold[n - "
	  "1].size = 1;\n\tif (n)\n\t\tfree(all_cold), free(all);\n}\n",
	  NULL },
	/* the pointer moves, is one of a function, or a name of several: objects get pointers */
	{ "struct node *all;\nvoid f(int n)\n{\n\tall = malloc(n * sizeof(*all));\n\tall++->size = "
	  "1;\n}\n",
	  "struct node *all;\nvoid f(int n)\n{\n\tall = node_join(malloc(n * sizeof(*all)), malloc(n * "
	  "sizeof(struct node_cold)), n);\n\tall++->cold->size = 1;\n}\n",
	  NULL },
	{ "static struct node all[9];\nvoid f(struct node *all) { all[0].size = 1; }\n", NULL,
	  "in this one array" },
	/* the array's name is not known yet */
	{ "void f(struct node *n) { n->size = 1; }\nstatic struct node all[9];\n", NULL,
	  "in this one array" },
	{ "static struct node all[9][9];\nvoid f(struct node *n) { all[0][1].size = n->size; }\n", NULL,
	  "in this one array" },
	{ "static struct node all[9];\nvoid f(void) { qsort(all, 9, sizeof(*all), by); }\n", NULL,
	  "moved or found as a whole" },
};

static uint32_t member_called(const char *name)
{
	for (uint32_t i = 0; i < COUNT_OF(members); i++)
		if (!strcmp(members[i].name, name))
			return i;
	return PLACE_WHOLE;
}

/* Applies a diff whose hunks are in order. */
static void apply(const char *old, const char *diff, struct strbuf *result)
{
	unsigned int at = 1, start;

	for (const char *line = diff; *line; line += strcspn(line, "\n") + 1) {
		size_t length = strcspn(line, "\n") + 1;

		if (sscanf(line, "@@ -%u", &start) == 1)
			for (; at < start; at++, old += strcspn(old, "\n") + 1)
				strbuf_add(result, old, strcspn(old, "\n") + 1);
		if (!strncmp(line, "---", 3) || !strncmp(line, "+++", 3) || *line == '@')
			continue;
		if (*line != '-')
			strbuf_add(result, line + 1, length - 1);
		if (*line != '+') {
			old += strcspn(old, "\n") + 1;
			at++;
		}
	}
	strbuf_add_string(result, old);
}

static void check(const char *old, const char *new, const char *why, bool pointer)
{
	static const char *names[] = { "key", "name", "size" };
	static const bool unique[] = { true, true, true };
	const struct source_record record = {
		.tag = "node", .accessed = names, .unique = unique, .accessed_count = 3
	};
	struct advice_part parts[] = {
		{ .name = "node", .size = 16, .align = 8, .pointer = pointer },
		{ .name = "node_cold", .size = 32, .align = 8 }
	};
	const struct advice_proposal proposal = {
		.kind = PROPOSAL_SPLIT, .parts = parts, .part_count = 2, .placed = placed
	};
	struct advice_type type = { .name = "struct node",
				    .keyword = "struct",
				    .tag = "node",
				    .members = members,
				    .member_count = 3,
				    .declared = declared,
				    .declared_count = 3,
				    .source = { .file = "a.c", .line = 1 } };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, diff = STRBUF_INIT, reason = STRBUF_INIT,
				       got = STRBUF_INIT;
	const char *file = "a.c";
	struct advice_place places[64];
	struct source_text source;
	struct source_uses uses;
	bool made, chosen;

	strbuf_add_format(&text, "%s%s", DECLARED, old);
	source_text_init(&source, file, text.data, text.length);
	source_uses_init(&uses, &record, 1, NULL, &source, 1, 1);
	assert_true(uses.count <= COUNT_OF(places));
	for (size_t i = 0; i < uses.count; i++)
		places[i] = (struct advice_place){ .file = file,
						   .line = uses.items[i].line,
						   .at = uses.items[i].at,
						   .kind = (uint8_t)uses.items[i].kind,
						   .member = member_called(uses.items[i].detail),
						   .name = uses.items[i].detail,
						   .doubtful = uses.items[i].doubtful };
	type.places = places;
	type.place_count = uses.count;
	print_message("%s", old);
	made = split_patch_make(&type, &proposal, &machine, &source, &file, 1, &chosen, &diff,
				&reason);
	print_message("%s\n", reason.data);
	assert_int_equal(made, new != NULL);
	if (made) {
		apply(text.data, diff.data, &got);
		const char *rest = strstr(got.data, new);

		if (!rest)
			print_message("%s\n", got.data);
		assert_non_null(rest);
		assert_string_equal(rest, new);
		/* the macros name the array, which other files may not know */
		if (!chosen && !strstr(old, "static struct node all"))
			assert_non_null(strstr(got.data, "extern struct node *all;\n"));
		if (chosen)
			assert_non_null(strstr(got.data, "\n\tstruct node_cold *cold;\n"));
	} else {
		assert_non_null(strstr(reason.data, why));
		assert_int_equal(diff.length, 0);
	}
	source_uses_deinit(&uses);
	source_text_deinit(&source);
}

static void test_pointers(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(by_pointer); i++)
		check(by_pointer[i].old, by_pointer[i].new, by_pointer[i].why, true);
}

static void test_arrays(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(by_array); i++)
		check(by_array[i].old, by_array[i].new, by_array[i].why, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_arrays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
