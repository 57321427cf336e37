// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer is to the first of several records, and a constant index leads to a further one.
// RULES: further-element
// RUN: gcc clang
// RUN off: gcc clang --no-rule=further-element

struct argument {
	int type;
	union {
		long number;
		struct {
			char *area;
			unsigned long size;
		} text;
	} data;
};

/* The unit has such arrays. */
struct argument defaults[3] = { { 1, { 0 } } };

struct single {
	long a, b;
	int c;
};

struct header {
	long kind, size;
};
struct header headers[2] = { { 1, 2 } };
struct message {
	struct header header;
	long sender;
};
#define MESSAGE(h) ((struct message *)(h))

long number(const struct argument *arguments)
{
	return arguments[1].data.number; // EXPECT: struct argument +8 (data.number) [inferred]
	// EXPECT off: none (the offset is outside the type)
}

int type(const struct argument *arguments)
{
	return arguments[2].type; // EXPECT: struct argument +0 (type) [inferred]
	// EXPECT off: none (the offset is outside the type)
}

unsigned long size(const struct argument *arguments)
{
	return arguments[1].data.text.size; // EXPECT: struct argument +16 (data.text.size) [inferred]
	// EXPECT off: none (the offset is outside the type)
}

/* No member has this place and size. */
short between(const struct argument *arguments)
{
	return *(const short *)((const char *)&arguments[1] + 4); // EXPECT: none (the offset is outside the type)
}

/* The unit has no arrays of this one. */
long next(const struct single *s)
{
	return s[1].b; // EXPECT: none (the offset is outside the type)
}

/* It may as well be a message, which begins with a header. */
long sender(const struct header *h)
{
	return MESSAGE(h)->sender; // EXPECT: none (the offset is outside the type)
}
