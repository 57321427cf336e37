// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function that never returns, and is not declared so, ends in a jump back from a block that is rarely run.
// RUN: gcc clang

enum kind { KIND_NUMBER, KIND_TEXT, KIND_LIST };

struct text {
	long length;
};

struct list {
	struct list *next;
};

struct value {
	enum kind kind;
	union {
		struct text *text;
		struct list *list;
		long number;
	} as;
};

extern void exit(int status) __attribute__((noreturn));
extern void note(const char *what);
extern void text_drop(struct text *text);
extern void list_drop(struct list *list);
extern int verbose;

#ifdef __clang__
#define SEPARATE __attribute__((noinline, optnone))
#else
#define SEPARATE __attribute__((noipa))
#endif

static SEPARATE void fatal(const char *what)
{
	if (__builtin_expect(verbose, 0)) // MAY: int +0
		note(what); // MAY: none
	exit(verbose + 1); // MAY: int +0
}

void drop(struct value *value)
{
	if (value->kind == KIND_TEXT) // EXPECT: struct value +0 (kind)
		text_drop(value->as.text); // EXPECT: struct value +8 (as.text) MAY: struct value* +0
	if (value->kind == KIND_LIST) // EXPECT: struct value +0 (kind) MAY: struct value* +0
		list_drop(value->as.list); // EXPECT: struct value +8 (as.list)
}

void *text_of(struct value *value)
{ // MAY: struct value* +0
	if (value->kind != KIND_TEXT) // EXPECT: struct value +0 (kind)
		fatal("no text"); // MAY: struct value* +0
	return value->as.text; // EXPECT: struct value +8 (as.text) MAY: struct value +8 (as)
}
