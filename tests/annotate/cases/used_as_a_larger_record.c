// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer is used as a larger record elsewhere in the function: an access past the end of the declared record is to the larger one.
// RULES: second-use
// RUN: gcc clang
// RUN off: gcc clang --no-rule=second-use

struct object {
	long kind;
};

struct text {
	struct object object;
	long length;
};

struct list {
	struct object object;
	long count;
};

struct object *find(long);
void print(struct text *);

long text_length(long n)
{
	struct object *o = find(n);

	print((struct text *)o);
	return ((struct text *)o)->length;
	// EXPECT: struct text +8 (length) EXPECT off: none (the offset is outside the type)
}

void count(struct list *);

/* Two such uses contradict each other. */
long either(long n)
{
	struct object *o = find(n);

	print((struct text *)o);
	count((struct list *)o);
	return ((struct text *)o)->length; // EXPECT: none (the offset is outside the type)
}
