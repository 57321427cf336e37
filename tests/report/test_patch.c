// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Patches of declarations: members move with their comments and their #if, and nothing is patched
 * that does not match the debug information.
 */
#include "tests/support/unit.h" /* first: cmocka and the headers that it needs */

#include <string.h>

#include "report/layout/patch.h"

/* Four members: char a; long b; char c; long d. They are placed as b, d, a, c. */
static struct advice_member members[] = {
	{ .name = "a", .declaration = "char a;", .offset = 0, .size = 1, .align = 1 },
	{ .name = "b", .declaration = "long b;", .offset = 8, .size = 8, .align = 8 },
	{ .name = "c", .declaration = "char c;", .offset = 16, .size = 1, .align = 1 },
	{ .name = "d", .declaration = "long d;", .offset = 24, .size = 8, .align = 8 },
};
static struct advice_declared declared[] = {
	{ "a", "char a", 0 }, { "b", "long b", 1 }, { "c", "char c", 2 }, { "d", "long d", 3 }
};
static struct advice_placed placed[] = { { 1, 0, 0 }, { 3, 0, 8 }, { 0, 0, 16 }, { 2, 0, 17 } };
static struct advice_part part = { .name = "item", .size = 24, .align = 8 };
static const struct advice_machine machine = { .cacheline = 64 };

static const struct {
	const char *old, *new; /* bodies; NULL: there is no patch */
	const char *why;
} cases[] = {
	/* comments before, after and below a member move with it */
	{ "\t/* of a */\n\tchar a;\n\tlong b; /* of b */\n\tchar c; /* of c,\n\t\t   two lines */\n"
	  "\tlong d;\t/* of d */\n\t\t/* and more */\n",
	  "\tlong b; /* of b */\n\tlong d;\t/* of d */\n\t\t/* and more */\n\t/* of a */\n"
	  "\tchar a;\n\tchar c; /* of c,\n\t\t   two lines */\n",
	  NULL },
	/* each member keeps its #if; text that is not compiled stays after the member before it */
	{ "\tchar a;\n#ifdef B\n\tlong b;\n#endif\n\tchar c;\n#ifdef E\n\tint e;\n#endif\n\tlong "
	  "d;\n",
	  "#ifdef B\n\tlong b;\n#endif\n\tlong d;\n\tchar a;\n\tchar c;\n#ifdef E\n\tint "
	  "e;\n#endif\n",
	  NULL },
	{ "#ifdef X\n\tchar a;\n\tlong b;\n#endif\n\tchar c;\n\tlong d;\n",
	  "#ifdef X\n\tlong b;\n#endif\n\tlong d;\n#ifdef X\n\tchar a;\n#endif\n\tchar c;\n",
	  NULL },
	/* an #else keeps its members together */
	{ "\tchar a;\n#if X\n\tlong b;\n#else\n\tint b;\n#endif\n\tchar c;\n\tlong d;\n",
	  "#if X\n\tlong b;\n#else\n\tint b;\n#endif\n\tlong d;\n\tchar a;\n\tchar c;\n", NULL },
	{ "#if X\n\tchar a;\n\tlong b;\n#else\n\tint z;\n#endif\n\tchar c;\n\tlong d;\n", NULL,
	  "what stands between one #if and its #endif would be separated" },
	/* one statement for several members */
	{ "\tchar a; // first\n\tlong b;\n\tchar c;\n\tlong d;\n",
	  "\tlong b;\n\tlong d;\n\tchar a; // first\n\tchar c;\n", NULL },
	/* attributes and qualifiers are not part of the type */
	{ "\tchar a;\n\tvolatile long int b __attribute__((unused));\n\tconst char c;\n\tlong d;\n",
	  "\tvolatile long int b __attribute__((unused));\n\tlong d;\n\tchar a;\n\tconst char c;\n",
	  NULL },
	/* nor are namespaces, as debug information names a type by its last word */
	{ "\tchar a;\n\tbase::long b;\n\t::char c, e : 3;\n\tlong d;\n", NULL,
	  "not the one that debug information" },
	{ "\tchar a;\n\tbase::more::long b;\n\t::char c;\n\tlong d;\n",
	  "\tbase::more::long b;\n\tlong d;\n\tchar a;\n\t::char c;\n", NULL },
	/* a macro declares a member whose name is one of its arguments */
	{ "\tchar a;\n\tALIGNED(8, long, b); /* of b */\n\tMAP(c, 3);\n\tlong d;\n",
	  "\tALIGNED(8, long, b); /* of b */\n\tlong d;\n\tchar a;\n\tMAP(c, 3);\n", NULL },
	{ "\tchar a;\n\tALIGNED(8, long, b + 1);\n\tchar c;\n\tlong d;\n", NULL,
	  "not the one that debug information" },
	/* other members, types and text */
	{ "\tchar a;\n\tlong b;\n\tchar x;\n\tlong d;\n", NULL,
	  "not the one that debug information" },
	{ "\tchar a;\n\tlong b;\n\tchar c;\n", NULL, "has members that the declaration lacks" },
	{ "\tchar a;\n\tlong *b;\n\tchar c;\n\tlong d;\n", NULL, "type is not the text" },
	{ "\tchar a;\n\tMACRO long b;\n\tchar c;\n\tlong d;\n", NULL, "type is not the text" },
	{ "\tchar a;\n\tlong b[2];\n\tchar c;\n\tlong d;\n", NULL, "type is not the text" },
	/* a definition comes first, as it may be used by a member that is moved */
	{ "\tchar a;\n/* of X */\n#define X 1 /* and more */\n\tlong b;\n\tchar c;\n\tlong d;\n",
	  "/* of X */\n#define X 1 /* and more */\n\tlong b;\n\tlong d;\n\tchar a;\n\tchar c;\n",
	  NULL },
	{ "\tchar a;\n#define X 1\n#undef X\n\tlong b;\n\tchar c;\n\tlong d;\n", NULL,
	  "directive" },
	{ "\tchar a;\n#if Y\n#define X 1\n#endif\n\tlong b;\n\tchar c;\n\tlong d;\n", NULL,
	  "directive" },
	{ "\tchar a;\n\tlong b;\n\tchar c;\n\tlong d\n#if", NULL, "does not" },
	{ "\tlong b;\n\tlong d;\n\tchar a;\n\tchar c;\n", NULL, "not the one that debug" },
};

/* Applies a unified diff, whose hunks are in order, to the text. */
static void apply(const char *old, const char *diff, struct strbuf *new)
{
	size_t line = 1;

	for (const char *at = diff; *at; at += strcspn(at, "\n") + 1) {
		size_t length = strcspn(at, "\n") + 1;

		if (!strncmp(at, "@@ -", 4)) {
			size_t start = strtoul(at + 4, NULL, 10);

			for (; line < start; line++) {
				size_t size = strcspn(old, "\n") + 1;

				strbuf_add(new, old, size);
				old += size;
			}
		} else if (strncmp(at, "---", 3) != 0 && strncmp(at, "+++", 3) != 0) {
			if (at[0] != '+') {
				assert_memory_equal(old, at + 1, length - 1);
				old += length - 1;
				line++;
			}
			if (at[0] != '-')
				strbuf_add(new, at + 1, length - 1);
		}
	}
	strbuf_add_string(new, old);
}

static void test_declarations(void **state)
{
	const struct advice_type type = {
		.name = "struct item",
		.keyword = "struct",
		.tag = "item",
		.size = 32,
		.align = 8,
		.members = members,
		.member_count = 4,
		.declared = declared,
		.declared_count = 4,
		.source = { .file = "a.h", .line = 3 },
	};
	const struct advice_proposal proposal = {
		.kind = PROPOSAL_REORDER, .parts = &part, .part_count = 1, .placed = placed
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_strbuf_ struct strbuf old = STRBUF_INIT, new = STRBUF_INIT,
					       diff = STRBUF_INIT, why = STRBUF_INIT,
					       got = STRBUF_INIT;
		struct source_text source;
		bool made;

		strbuf_add_format(&old, "/* one\n   two */\nstruct item {\n%s};\n\nint x;\n",
				  cases[i].old);
		source_text_init(&source, "a.h", old.data, old.length);
		print_message("%s", cases[i].old);
		made = patch_make(&type, &proposal, &machine, &source, "a.h", &diff, &why);
		assert_int_equal(made, cases[i].new != NULL);
		if (made) {
			strbuf_add_format(&new,
					  "/* one\n   two */\nstruct item {\n%s};\n\nint x;\n",
					  cases[i].new);
			apply(old.data, diff.data, &got);
			assert_string_equal(got.data, new.data);
		} else {
			assert_non_null(strstr(why.data, cases[i].why));
			assert_int_equal(diff.length, 0);
		}
		source_text_deinit(&source);
	}
}

/* Records that are to begin at lines have an aligned first member, in the order that they have. */
static void test_an_aligned_record(void **state)
{
	static const char text[] =
		"struct item {\n\tchar a;\n\tlong b;\n\tchar c;\n\tlong d;\n};\n";
	static struct advice_placed same[] = {
		{ 0, 0, 0 }, { 1, 0, 8 }, { 2, 0, 16 }, { 3, 0, 24 }
	};
	static struct advice_part line = { .name = "item", .size = 64, .align = 64 };
	const struct advice_type type = { .name = "struct item",
					  .keyword = "struct",
					  .tag = "item",
					  .size = 32,
					  .align = 8,
					  .members = members,
					  .member_count = 4,
					  .declared = declared,
					  .declared_count = 4,
					  .source = { .file = "a.h", .line = 1 } };
	const struct advice_proposal proposal = {
		.kind = PROPOSAL_PAD, .parts = &line, .part_count = 1, .placed = same
	};
	_cleanup_strbuf_ struct strbuf diff = STRBUF_INIT, why = STRBUF_INIT;
	struct source_text source;

	(void)state;
	source_text_init(&source, "a.h", text, strlen(text));
	assert_true(patch_make(&type, &proposal, &machine, &source, "a.h", &diff, &why));
	assert_non_null(strstr(diff.data, "\n+\t__attribute__((aligned(64))) char a;\n"));
	source_text_deinit(&source);
}

/* Two declarators of one statement part, and the comment stays with the first. */
static void test_one_statement_for_several(void **state)
{
	static struct advice_member pair[] = {
		{ .name = "a", .offset = 0, .size = 1, .align = 1 },
		{ .name = "p", .offset = 8, .size = 8, .align = 8 },
		{ .name = "n", .offset = 16, .size = 8, .align = 8 },
	};
	static struct advice_declared names[] = { { "a", "char a", 0 },
						  { "p", "struct item * p", 1 },
						  { "n", "struct item * n", 2 } };
	static struct advice_placed order[] = { { 2, 0, 0 }, { 0, 0, 8 }, { 1, 0, 16 } };
	static const char text[] =
		"struct item {\n\tchar a;\n\tstruct item *p, *n; /* both */\n};\n";
	const struct advice_type type = { .name = "struct item",
					  .keyword = "struct",
					  .tag = "item",
					  .members = pair,
					  .member_count = 3,
					  .declared = names,
					  .declared_count = 3,
					  .source = { .file = "a.h", .line = 1 } };
	const struct advice_proposal proposal = {
		.kind = PROPOSAL_REORDER, .parts = &part, .part_count = 1, .placed = order
	};
	_cleanup_strbuf_ struct strbuf diff = STRBUF_INIT, why = STRBUF_INIT, got = STRBUF_INIT;
	struct source_text source;

	(void)state;
	source_text_init(&source, "a.h", text, strlen(text));
	assert_true(patch_make(&type, &proposal, &machine, &source, "a.h", &diff, &why));
	apply(text, diff.data, &got);
	assert_string_equal(got.data, "struct item {\n\tstruct item *n;\n\tchar a;\n"
				      "\tstruct item *p; /* both */\n};\n");
	source_text_deinit(&source);
}

static void test_diffs(void **state)
{
	static const struct {
		const char *old, *new, *diff;
	} texts[] = {
		{ "a\nb\n", "a\nb\n", "" },
		{ "a\nb\n", "b\na\n", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n b\n+a\n" },
		{ "a\n", "", "--- a/x\n+++ b/x\n@@ -1,1 +0,0 @@\n-a\n" },
		{ "a\nb", "c\nb",
		  "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n" },
		{ "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nx\n",
		  "--- a/x\n+++ b/x\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+x\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		_cleanup_strbuf_ struct strbuf diff = STRBUF_INIT;

		patch_diff("x", texts[i].old, strlen(texts[i].old), texts[i].new,
			   strlen(texts[i].new), &diff);
		assert_string_equal(diff.data, texts[i].diff);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_declarations),
		cmocka_unit_test(test_an_aligned_record),
		cmocka_unit_test(test_one_statement_for_several),
		cmocka_unit_test(test_diffs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
