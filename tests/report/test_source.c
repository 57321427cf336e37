// SPDX-License-Identifier: GPL-2.0-or-later
/* Code that depends on the order of a record's members is found, and no other code. */
#include "tests/support/unit.h" /* first: cmocka and the headers that it needs */

#include <string.h>

#include "report/layout/source.h"

static const char *const member_names[] = { "base", "a", "b", "node" };
static const uint64_t member_sizes[] = { 8, 4, 4, 16 };

static const struct source_record record = {
	.tag = "item",
	.first = "head",
	.size = 32,
	.members = (const char **)member_names,
	.sizes = member_sizes,
	.member_count = 4,
};

#define NONE SOURCE_USE_KINDS

static const struct {
	const char *text;
	enum source_use_kind kind; /* NONE: nothing is found */
	const char *detail;
	unsigned int line;
} cases[] = {
	/* initializers */
	{ "struct item i = { 1, 2 };", SOURCE_BY_POSITION, "", 1 },
	{ "static const struct item all[] = {\n\t{ 1, 2 },\n};", SOURCE_BY_POSITION, "", 2 },
	{ "struct item all[2] = { [1] = { 1, 2 } };", SOURCE_BY_POSITION, "", 1 },
	{ "void f(void)\n{\n\tg((struct item){ 1, 2 });\n}", SOURCE_BY_POSITION, "", 3 },
	{ "typedef struct item { int a; } item_t;\nitem_t i = { 1, 2 };", SOURCE_BY_POSITION, "",
	  2 },
	{ "struct item i = { .a = 1, .b = 2 };", NONE, "", 0 },
	{ "struct item i = { a: 1, b: 2 };", NONE, "", 0 },
	{ "struct item i = {\n#ifdef X\n\t.a = 1,\n#endif\n\t.b = 2, .node = 3\n};", NONE, "", 0 },
	{ "struct item i = { BASE(x), .a = 1, .b = 2 };", NONE, "", 0 },
	{ "struct item i = {\n#ifdef X\n\t1,\n#endif\n\t2\n};", SOURCE_BY_POSITION, "", 1 },
	{ "struct item i = { 0 }, k = {};", NONE, "", 0 },
	{ "struct item *i[] = { &x, &y };", NONE, "", 0 },
	{ "struct other i = { 1, 2 };", NONE, "", 0 },
	{ "/* struct item i = { 1, 2 }; */", NONE, "", 0 },
	{ "char *text = \"struct item i = { 1, 2 };\";", NONE, "", 0 },
	/* by name */
	{ "x = container_of(p, struct item, node);", SOURCE_BY_NAME, "node", 1 },
	{ "n = offsetof(struct item, b);", SOURCE_BY_NAME, "b", 1 },
	{ "void f(void)\n{\n\tstruct item *i;\n\tlist_for_each_entry(i, &all, node) {}\n}",
	  SOURCE_BY_NAME, "node", 4 },
	{ "void f(struct item *i) { verify_entry(env, i, state); }", NONE, "", 0 },
	/* bytes */
	{ "void f(struct item *i) { g((char *)i + 8); }", SOURCE_BYTES, "", 1 },
	{ "void f(struct item *i) { ((unsigned char *)i)[n]++; }", SOURCE_BYTES, "", 1 },
	{ "void f(struct item *i)\n{\n\tchar *c = (char *)&i[3];\n\tc[9]++;\n}", SOURCE_BYTES, "",
	  3 },
	{ "void f(struct item *i) { const char *c; c = (void *)(i + 5); while (n--) *c++; }",
	  SOURCE_BYTES, "", 1 },
	{ "void f(struct item *i) { void *v = i; g(*(long *)(v + 8)); }", SOURCE_BYTES, "", 1 },
	{ "void f(struct item *i) { uintptr_t u = (uintptr_t)i; *(int *)(u + 4) = 1; }",
	  SOURCE_BYTES, "", 1 },
	{ "void f(struct item *i) { char *c = (char *)i; g(c + n * sizeof(struct item) + 4); }",
	  SOURCE_BYTES, "", 1 },
	{ "void f(struct item *i) { char *c = (char *)&i->a; *(int *)(c + 4) = 1; }",
	  SOURCE_ARITHMETIC, "a", 1 },
	{ "void f(struct item *i) { memcpy(b, i, 32); }", SOURCE_BYTES, "", 1 },
	{ "void f(struct item *i) { memcpy(b, (char *)&i[2], 3 * 32); }", SOURCE_BYTES, "", 1 },
	{ "long g(const void *p, int n) { const char *c = p; return c[n]; }\nvoid f(struct item "
	  "*i) { "
	  "g(i, 9); }",
	  SOURCE_BYTES, "", 2 },
	{ "long g(int n, void *p) { return *(long *)((char *)p + n); }\nvoid f(struct item *i) { "
	  "g(9, "
	  "&i[1]); }",
	  SOURCE_BYTES, "", 2 },
	{ "void f(struct item *i) { asm(\"incl 4(%0)\" : : \"r\"(i)); }", SOURCE_BYTES, "", 1 },
	{ "void f(struct item *i) { asm(\"incl %0\" : \"+m\"(i->a)); }", NONE, "", 0 },
	{ "union any {\n\tlong n;\n\tstruct item i;\n\tunsigned char bytes[32];\n};", SOURCE_BYTES,
	  "", 3 },
	{ "union any {\n\tuint64_t words[4];\n\tstruct item i;\n};", SOURCE_BYTES, "", 3 },
	{ "union any {\n\tchar *c;\n\tstruct item *i;\n};", SOURCE_BYTES, "", 3 },
	{ "union any {\n\tvoid *p;\n\tlong n;\n\tstruct item *i;\n};", NONE, "", 0 },
	{ "union any {\n\tdouble align;\n\tstruct item i;\n\tstruct other o[3];\n};", NONE, "", 0 },
	{ "void f(struct item *i) { char *c = (char *)(i + n); while (n++) *c++; }", SOURCE_BYTES,
	  "", 1 },
	{ "void f(struct item *i) { char *c = (char *)(i + n), *d = (char *)(i + 1); *c++ = *d++; "
	  "}",
	  NONE, "", 0 },
	{ "void f(struct item *i) { g((char *)i - (char *)all); }", NONE, "", 0 },
	{ "void f(struct item *i) { g((char *)i + sizeof(*i)); }", NONE, "", 0 },
	{ "void f(struct item *i) { char *c = (char *)i; c += n * sizeof(*i); g(c); }", NONE, "",
	  0 },
	{ "void f(struct item *i) { g((uintptr_t)i + 7); h((uintptr_t)i >> 4); }", NONE, "", 0 },
	{ "long g(void *p, int n) { return ((struct item *)p)->a + n; }\nvoid f(struct item *i) { "
	  "g(i, "
	  "9); }",
	  NONE, "", 0 },
	{ "void my_free(void *p) { put((char *)p - 16); }\nvoid f(struct item *i) { my_free(i); }",
	  NONE, "", 0 },
	{ "void f(struct item *i) { g(i, 31); g(32); }", NONE, "", 0 },
	/* casts */
	{ "void f(struct item *i) { g((struct head *)i); }", SOURCE_CAST_BASE, "", 1 },
	{ "void f(struct head *h) { g((struct item *)h); }", SOURCE_CAST_BASE, "", 1 },
	{ "int f(struct item *i) { return *(int *)i; }", SOURCE_CAST_BASE, "", 1 },
	{ "int f(struct item *i) { return *(char *)i + *(int *)i->node; }", NONE, "", 0 },
	{ "void f(struct item *i) { g((struct other *)i); }", SOURCE_CAST, "other", 1 },
	{ "void f(struct item *i) { g((void *)i); g((struct item *)i); }", NONE, "", 0 },
	{ "void f(struct item *i) { g((struct other *)i->node); }", NONE, "", 0 },
	{ "void f(struct item *i) {\n}\nvoid g(char *i) {\n\th((struct other *)i);\n}", NONE, "",
	  0 },
	/* one call for several members */
	{ "void f(struct item *i) { memset(&i->a, 0, sizeof(*i) - sizeof(i->base)); }",
	  SOURCE_RANGE, "a", 1 },
	{ "void f(struct item *i) { memcpy(&i->a, p, 8); }", SOURCE_RANGE, "a", 1 },
	{ "void f(struct item *i) { memcpy(&i->a, p, 4); memset(i, 0, sizeof(*i)); }", NONE, "",
	  0 },
	{ "void f(struct item *i) { memcpy(&i->a, p, sizeof(i->a)); }", NONE, "", 0 },
	{ "void f(struct item *i) { return memcmp(i, k, sizeof(struct item)); }", SOURCE_COMPARED,
	  "", 1 },
	{ "void f(struct item *i) { x = (&i->a)[1]; }", SOURCE_ARITHMETIC, "a", 1 },
	{ "void f(struct item *i) { p = &i->a + 1; }", SOURCE_ARITHMETIC, "a", 1 },
	{ "void f(struct item *i) { p = &i->a; x = y & i->a + 1; }", NONE, "", 0 },
	{ "void f(struct item *i) { *(volatile int *)&i->a += 1; }", NONE, "", 0 },
	{ "void f(struct item *i) { memset(&i[k].a, 0, 2 * sizeof(int)); }", SOURCE_RANGE, "a", 1 },
	{ "void f(struct item *i) { memset(&i[k].a, 0, sizeof(int)); }", NONE, "", 0 },
	{ "void f(struct item *i) { memset(&i->a, 0, (char *)(&i->node) - (char *)&i->a); }",
	  SOURCE_RANGE, "a", 1 },
	{ "void f(struct item *i) { int *p = &i->a; g(p[1]); }", SOURCE_ARITHMETIC, "a", 1 },
	{ "void f(struct item *i) { int *p = &i[3].a; for (;;) g(*p++); }", SOURCE_ARITHMETIC, "a",
	  1 },
	{ "void f(struct item *i) { int *p = &i->a; g(p[0], *p, x.p[1], x + p); }", NONE, "", 0 },
	{ "void f(struct item *i) {\n\tint *p = &i->a;\n}\nvoid g(int *p) { h(p[1]); }", NONE, "",
	  0 },
	/* files */
	{ "void f(int fd) { struct item *i = mmap(0, n, 1, 1, fd, 0); }", SOURCE_WRITTEN, "mmap",
	  1 },
	{ "void f(int fd) { struct item *i; i = (struct item *)mmap(0, n, 1, 1, fd, 0); }",
	  SOURCE_WRITTEN, "mmap", 1 },
	{ "void f(struct item *i) { memcpy(&i[0], &i[1], sizeof i[0].a + sizeof i[0].b); }",
	  SOURCE_RANGE, "b", 1 },
	{ "void f(struct item *i) { memcpy(i->a, q, sizeof(i->a) + sizeof(i->b)); }", SOURCE_RANGE,
	  "b", 1 },
	{ "void f(struct item *i) { fwrite(i, sizeof(*i), 1, out); }", SOURCE_WRITTEN, "fwrite",
	  1 },
	{ "void f(void) { struct item i; read(0, &i, sizeof i); }", SOURCE_WRITTEN, "read", 1 },
	{ "void f(struct item *i) { write(1, &i[k], sizeof(i[k])); }", SOURCE_WRITTEN, "write", 1 },
	{ "void f(void) { struct item all[4]; write(1, &all[k], sizeof(all[0])); }", SOURCE_WRITTEN,
	  "write", 1 },
	{ "void f(void) { struct item all[4]; write(1, all, sizeof(all)); }", SOURCE_WRITTEN,
	  "write", 1 },
	{ "void f(struct item *i) { net_send_all(s, i, sizeof(struct item)); }", SOURCE_WRITTEN,
	  "net_send_all", 1 },
	{ "void f(struct item *i) { pthread_create(&t, 0, g, malloc(sizeof(*i))); }", NONE, "", 0 },
	{ "void f(struct item *i) { write(1, i->node, 4); }", NONE, "", 0 },
	{ "void f(struct item *i) { i->type->write(i, data, size); }", NONE, "", 0 },
	/* whole objects */
	{ "void f(struct item *i) { qsort(i, n, sizeof(*i), by_a); }", SOURCE_SORTED, "qsort", 1 },
	{ "void f(struct item *i) { g(bsearch(&k, i, n, sizeof(struct item), by_a)); }",
	  SOURCE_SORTED, "bsearch", 1 },
	{ "void f(struct item **i) { qsort(i, n, sizeof(*i), by_a); }", NONE, "", 0 },
	{ "void f(struct item *i) { char (*rows)[sizeof(struct item)] = (void *)i; }", SOURCE_BYTES,
	  "", 1 },
	{ "void f(struct item *i) { char row[sizeof(struct item)]; }", NONE, "", 0 },
	/* text that is not C */
	{ "struct item i = { 1, 2", SOURCE_BY_POSITION, "", 1 },
	{ "memcpy(((((&", NONE, "", 0 },
	{ "#define X struct item i = { 1, \\\n 2 };\n\"", NONE, "", 0 },
	{ "/*", NONE, "", 0 },
};

static void test_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct source_text text;
		struct source_uses uses;

		source_text_init(&text, "a.c", cases[i].text, strlen(cases[i].text));
		source_uses_init(&uses, &record, 1, NULL, &text, 1, 1);
		print_message("%s\n", cases[i].text);
		if (cases[i].kind == NONE) {
			assert_int_equal(uses.count, 0);
		} else {
			assert_int_equal(uses.count, 1);
			assert_int_equal(uses.items[0].kind, cases[i].kind);
			assert_string_equal(uses.items[0].detail, cases[i].detail);
			assert_int_equal(uses.items[0].line, cases[i].line);
		}
		source_uses_deinit(&uses);
		source_text_deinit(&text);
	}
}

/* ---- members that leave the record ---- */

static const char moved_text[] = "typedef struct parcel { long key, weight; } parcel_t;\n"
				 "#define WEIGHT(p) \\\n"
				 "	((p)->weight)\n"
				 "parcel_t fixed = { .weight = 1 };\n"
				 "struct crate { parcel_t first; struct parcel *next; };\n"
				 "long f(struct parcel *p, struct crate *c, struct other *o)\n"
				 "{\n"
				 "	long x = p->weight + o->weight;\n"
				 "	x += c->next->weight;\n"
				 "	c->first = *p;\n"
				 "	struct parcel *q = malloc(2 * sizeof(*q));\n"
				 "	memset(p, 0, sizeof(struct parcel));\n"
				 "	q[1].weight = x; q[x] = *p;\n"
				 "	return offsetof(struct parcel, weight);\n"
				 "}\n"
				 "long g(long weight) { return weight; }\n";

static const struct {
	unsigned int line;
	enum source_use_kind kind;
	const char *detail;
	bool doubtful;
} moved_places[] = {
	{ 14, SOURCE_BY_NAME, "weight", false }, { 8, SOURCE_ACCESS, "weight", false },
	{ 9, SOURCE_ACCESS, "weight", true },    { 13, SOURCE_ACCESS, "weight", false },
	{ 3, SOURCE_MACRO, "weight", true },     { 4, SOURCE_DESIGNATED, "weight", false },
	{ 12, SOURCE_SIZE, "", false },          { 11, SOURCE_ALLOCATED, "", false },
	{ 4, SOURCE_OBJECT, "fixed", false },    { 5, SOURCE_OBJECT, "first", false },
	{ 13, SOURCE_COPIED, "", false },        { 10, SOURCE_VALUE, "", false },
};

static void find_moved(const char *path, const char *text, struct source_uses *uses)
{
	static const char *moved[] = { "weight" };
	const struct source_record parcel = { .tag = "parcel",
					      .accessed = moved,
					      .accessed_count = 1 };
	struct source_text source;

	source_text_init(&source, path, text, strlen(text));
	source_uses_init(uses, &parcel, 1, NULL, &source, 1, 1);
	source_text_deinit(&source);
}

static void test_places_of_moved_members(void **state)
{
	struct source_uses uses;

	(void)state;
	find_moved("a.c", moved_text, &uses);
	for (size_t i = 0; i < uses.count && i < COUNT_OF(moved_places); i++) {
		print_message("line %u\n", uses.items[i].line);
		assert_int_equal(uses.items[i].line, moved_places[i].line);
		assert_int_equal(uses.items[i].kind, moved_places[i].kind);
		assert_string_equal(uses.items[i].detail, moved_places[i].detail);
		assert_int_equal(uses.items[i].doubtful, moved_places[i].doubtful);
	}
	assert_int_equal(uses.count, COUNT_OF(moved_places));
	source_uses_deinit(&uses);
}

/* A freed pointer is no object if its declaration, alone or in a list, or debug information tells
 * that it is of another type. The type of a member is that of its record, and of "(x = y)" that of
 * y; in macros, one member that no other record has tells it. */
static void test_places_of_known_types(void **state)
{
	static const char text[] = "struct parcel { struct parcel *next; long weight; };\n"
				   "#define SAME(p, q) ((p)->weight == (q) || (p)->next == (q))\n"
				   "static double *low, *high;\n"
				   "void f(struct parcel *p)\n"
				   "{\n"
				   "	struct other *a, *b = g(1, 2), **c;\n"
				   "	free(b); free(c); free(high);\n"
				   "	p = p->next->next;\n"
				   "	(p = p->next)->next = NULL;\n"
				   "	{ struct other *d = 0, *p = a; free(p); }\n"
				   "}\n";
	static const char *moved[] = { "next", "weight" };
	static const bool unique[] = { false, true };
	const struct source_record parcel = {
		.tag = "parcel", .accessed = moved, .accessed_count = 2, .unique = unique
	};
	static const struct source_name names[] = { { "high", NAMED_VARIABLE, UINT32_MAX, 1,
						      false },
						    { "next", NAMED_MEMBER, 0, 1, true },
						    { "next", NAMED_OWN, 0, 1, false } };
	const struct source_names known = { names, COUNT_OF(names) };
	struct source_text source;
	struct source_uses uses;

	(void)state;
	source_text_init(&source, "a.c", text, strlen(text));
	source_uses_init(&uses, &parcel, 1, &known, &source, 1, 1);
	for (size_t i = 0; i < uses.count; i++) {
		assert_int_not_equal(uses.items[i].kind, SOURCE_FREED);
		assert_false(uses.items[i].doubtful);
	}
	assert_int_equal(uses.count, 6);
	source_uses_deinit(&uses);
	source_text_deinit(&source);
}

/* Forms of expressions whose type is known, and ones whose type is not, are places; only another
 * type is none. */
static void test_places_of_other_forms(void **state)
{
	static const char text[] = "#define P struct parcel\n"
				   "typedef struct parcel pair[2];\n"
				   "void f(struct parcel *all, int i) {\n"
				   "	7[all].weight++;\n"
				   "	i[all].weight++;\n"
				   "	(all + i)->weight++;\n"
				   "	__auto_type z = &all[6]; z->weight++;\n"
				   "	P *q = all; q->weight++;\n"
				   "	box.v[3].weight++;\n"
				   "	crate.goods->weight++;\n" /* none */
				   "	g(sizeof all[3].weight);\n"
				   "	pair p;\n"
				   "}\n";
	static const char *moved[] = { "weight" };
	static const bool unique[] = { false };
	const struct source_record parcel = {
		.tag = "parcel", .accessed = moved, .accessed_count = 1, .unique = unique
	};
	static const struct source_name names[] = {
		{ "goods", NAMED_MEMBER, UINT32_MAX, 1, false },
	};
	static const struct {
		unsigned int line;
		enum source_use_kind kind;
		bool doubtful;
	} expected[] = {
		{ 4, SOURCE_ACCESS, false },  { 5, SOURCE_ACCESS, false },
		{ 6, SOURCE_ACCESS, false },  { 7, SOURCE_ACCESS, true },
		{ 8, SOURCE_ACCESS, true },   { 9, SOURCE_ACCESS, true },
		{ 11, SOURCE_ACCESS, false }, { 12, SOURCE_VALUE, false },
	};
	const struct source_names known = { names, COUNT_OF(names) };
	struct source_text source;
	struct source_uses uses;

	(void)state;
	source_text_init(&source, "a.c", text, strlen(text));
	source_uses_init(&uses, &parcel, 1, &known, &source, 1, 1);
	for (size_t i = 0; i < uses.count && i < COUNT_OF(expected); i++) {
		print_message("line %u\n", uses.items[i].line);
		assert_int_equal(uses.items[i].line, expected[i].line);
		assert_int_equal(uses.items[i].kind, expected[i].kind);
		assert_int_equal(uses.items[i].doubtful, expected[i].doubtful);
	}
	assert_int_equal(uses.count, COUNT_OF(expected));
	source_uses_deinit(&uses);
	source_text_deinit(&source);
}

/* Methods use members by their names alone, unless a variable of the name is nearer. */
static void test_places_in_methods(void **state)
{
	static const char text[] = "class parcel { public:\n"
				   "	long weight;\n"
				   "	long twice() const { return 2 * weight; }\n"
				   "	void set(long w);\n"
				   "};\n"
				   "void parcel::set(long w) { weight = w; }\n"
				   "long other(long weight) { return weight; }\n"
				   "parcel *make() { return new parcel; }\n";
	static const unsigned int lines[] = { 3, 6, 8 };
	struct source_uses uses;

	(void)state;
	find_moved("a.cc", text, &uses);
	assert_int_equal(uses.count, COUNT_OF(lines));
	for (size_t i = 0; i < uses.count; i++)
		assert_int_equal(uses.items[i].line, lines[i]);
	assert_int_equal(uses.items[2].kind, SOURCE_ALLOCATED);
	source_uses_deinit(&uses);
}

/* In C++, an object of another type may lead to the record: by operators, as std::vector's do, or
 * as it derives from the record. A member that is declared is no access, whatever its type. */
static void test_places_behind_operators(void **state)
{
	static const char text[] = "struct parcel {\n"
				   "#ifdef NAMED\n"
				   "	std::string name, weight;\n"
				   "#endif\n"
				   "};\n"
				   "struct heavy : public parcel { int more; };\n"
				   "static std::vector<parcel> all;\n"
				   "void f(yard *y, pool p, fleet &t, heavy *h, cell *c, cell d)\n"
				   "{\n"
				   "	all[0].weight = 1;\n"
				   "	y->all[1].weight = 1, t.all[2].weight = 2;\n"
				   "	p[3].weight = 1;\n"
				   "	p->weight = 1;\n"
				   "	h->weight = 1;\n"
				   "	c->weight = d.weight = c[1].weight = 1;\n"
				   "}\n";
	static const unsigned int lines[] = { 10, 11, 11, 12, 13, 14, 7 };
	static const struct source_name names[] = { { "all", NAMED_VARIABLE, UINT32_MAX, 0,
						      false } };
	static const char *moved[] = { "weight" };
	const struct source_record parcel = { .tag = "parcel",
					      .accessed = moved,
					      .accessed_count = 1 };
	const struct source_names known = { names, COUNT_OF(names) };
	struct source_text source;
	struct source_uses uses;

	(void)state;
	source_text_init(&source, "a.cc", text, strlen(text));
	source_uses_init(&uses, &parcel, 1, &known, &source, 1, 1);
	assert_int_equal(uses.count, COUNT_OF(lines));
	for (size_t i = 0; i < uses.count; i++) {
		assert_int_equal(uses.items[i].kind, lines[i] == 7 ? SOURCE_OBJECT : SOURCE_ACCESS);
		assert_int_equal(uses.items[i].line, lines[i]);
	}
	source_uses_deinit(&uses);
	source_text_deinit(&source);
}

/* A typedef in one file names the record in all others. */
static void test_names_of_other_files(void **state)
{
	static const char *const texts[] = { "item_t i = { 1, 2 };",
					     "typedef struct item item_t;" };
	struct source_text sources[2];
	struct source_uses uses;

	(void)state;
	for (int i = 0; i < 2; i++)
		source_text_init(&sources[i], i ? "b.h" : "a.c", texts[i], strlen(texts[i]));
	source_uses_init(&uses, &record, 1, NULL, sources, 2, 2);
	assert_int_equal(uses.count, 1);
	assert_string_equal(uses.items[0].path, "a.c");
	source_uses_deinit(&uses);
	for (int i = 0; i < 2; i++)
		source_text_deinit(&sources[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_places_of_moved_members),
		cmocka_unit_test(test_places_of_known_types),
		cmocka_unit_test(test_places_of_other_forms),
		cmocka_unit_test(test_places_in_methods),
		cmocka_unit_test(test_places_behind_operators),
		cmocka_unit_test(test_names_of_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
