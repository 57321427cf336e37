// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: n->keys[i - 1]: the address is one element before the array.

struct node {
	int count, leaf;
	unsigned long keys[15];
	void *values[15];
};

int place(struct node *n, unsigned long key)
{
	long i = n->count; // EXPECT: struct node +0 (count)

	while (i > 0 && n->keys[i - 1] > key) // EXPECT: struct node +8 (keys)
		i--;
	return (int)i;
}

struct step {
	long kind, width, precision, data;
};

void fill(char **names, struct step *steps);

/* The same with an array on the stack, before which an array of other elements lies. */
long last_precision(long count)
{
	char *names[128];
	struct step steps[16];

	fill(names, steps);
	return steps[count - 1].precision; // EXPECT: struct step +16 (precision)
}

/* The index counts the elements of the array that the address is in. */
char *name(long index)
{
	char *names[128];
	struct step steps[16];

	fill(names, steps);
	return names[index + 126]; // EXPECT: char*[]...
}

/* The array is the first member, so the place of the element before it is before the record. */
struct value {
	int kind;
	float number;
};
struct stack {
	struct value values[8];
	int top;
};

float top(const struct stack *s)
{
	return s->values[s->top - 1].number; // EXPECT: struct stack +64 (top); struct stack +4 (values.number)
}

int second(const struct stack *s)
{
	return s->values[s->top - 2].kind; // EXPECT: struct stack +64 (top); struct stack +0 (values.kind)
}

/* The access would cut the value before. */
long cut(const struct stack *s)
{
	return *(const long *)((const char *)&s->values[s->top - 1] + 4); // EXPECT: struct stack +64 (top); none
}

/* Bytes after a header are found at a distance that the header has. They are no text of its own. */
struct tuple {
	unsigned char header_size;
	unsigned short flags, count;
	unsigned char nulls[];
};
struct row { int id; unsigned char valid; };

void validate(struct tuple *t)
{
	((struct row *)((char *)t + t->header_size - 2))->valid = 1; // EXPECT: struct tuple +0 (header_size); none
}

unsigned char null(struct tuple *t, long i)
{
	return t->nulls[i - 1]; // EXPECT: struct tuple +6 (nulls)
}

/* as a security identifier of Windows: bytes that a stride of four would fit, too, are before it */
struct identifier {
	unsigned char revision, count;
	union {
		struct {
			unsigned short high;
			unsigned int low;
		} __attribute__((packed)) parts;
		unsigned char value[6];
	} authority;
	unsigned int parts[1];
};

unsigned int last_part(const struct identifier *id)
{
	return id->parts[id->count - 1]; // EXPECT: struct identifier +1 (count); struct identifier +8 (parts)
}
