// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Several records fit an access past their common head: the variable of the inlined function tells which one is meant, although nothing says where it is.
// RUN: gcc
// RULES: repeated-head

#define HEAD                                                                                       \
	struct any *next;                                                                          \
	unsigned char kind, marks

struct any {
	HEAD;
};
struct text {
	HEAD;
	struct any *gray;
	long length;
};
struct list {
	HEAD;
	double weight;
	struct any *gray;
	long count;
};
struct machine {
	long steps;
	struct any *gray;
	long sum;
};
void add(struct machine *m, long number);

#define CAST(a, k, type) ((a) && (a)->kind == (k) ? (struct type *)(a) : (struct type *)0)
// EXPECT-IN mark: struct any +9 (marks)
static void mark_text(struct machine *m, struct any *a)
{
	struct text *text = CAST(a, 1, text);

	if (text) {
		m->gray = text->gray; // EXPECT: struct text +16 (gray) [inferred]; struct machine +8 (gray)
		add(m, text->length); // EXPECT: struct text +24 (length) [inferred] MAY: struct machine* +0
	}
}
static void mark_list(struct machine *m, struct any *a)
{
	struct list *list = CAST(a, 2, list);

	if (list) {
		m->gray = list->gray; // EXPECT: struct list +24 (gray) [inferred]; struct machine +8 (gray)
		add(m, list->count); // EXPECT: struct list +32 (count) [inferred] MAY: struct machine* +0
	}
}
void mark(struct machine *m)
{
	while (m->gray) { // EXPECT: struct machine +8 (gray)
		struct any *a = m->gray;

		if (a && !(a->marks & 2) && !(a->marks & 8)) {
			a->marks |= 2;
			switch (a->kind & 31) { // EXPECT: struct any +8 (kind)
			case 1: mark_text(m, a); break;
			case 2: mark_list(m, a); break;
			default: break;
			}
		}
	}
}
