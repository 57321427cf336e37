// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An access past the end of a record is to the only record of the unit that begins with the same members, under the same names.
// RUN: gcc clang
// RUN off: gcc --no-rule=repeated-head,shown-record
// RULES: repeated-head

#define HEAD                                                                                       \
	struct any *next;                                                                          \
	int kind

#define OTHER_HEAD                                                                                 \
	struct other *after;                                                                       \
	int kind, uses

struct any {
	HEAD;
};

struct text {
	HEAD;
	int length;
	long *words;
	struct {
		int first, last;
	} part;
};

/* Its first member has another name. */
struct list {
	struct any *head;
	int kind;
	int count;
	long numbers;
};

struct other {
	OTHER_HEAD;
};

struct one {
	OTHER_HEAD;
	long value;
};

struct two {
	OTHER_HEAD;
	double value;
	long more;
};

struct any any;
struct text text;
struct list list;
struct one one;
struct two two;

long *words(struct any *a)
{
	return ((struct text *)a)->words;
	// EXPECT: struct text +16 (words) [inferred]
	// EXPECT off: none
}

int last(struct any *a)
{
	return ((struct text *)a)->part.last;
	// EXPECT: struct text +28 (part.last) [inferred]
	// EXPECT off: none
}

/* Two records have eight bytes there. */
long value(struct other *o)
{
	return ((struct one *)o)->value; // EXPECT: none EXPECT off: none
}

/* Only one has a member there. */
long more(struct other *o)
{
	return ((struct two *)o)->more;
	// EXPECT: struct two +24 (more) [inferred]
	// EXPECT off: none
}

/* No record has a member there. */
long beyond(struct any *a)
{
	return *(long *)((char *)a + 40); // EXPECT: none EXPECT off: none
}

/* A part of a member. */
int half(struct any *a)
{
	return *(int *)((char *)a + 20); // EXPECT: none EXPECT off: none
}
