// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Two arrays side by side: an index that is less by a number, of a loop that runs down or of a stack's top, is into the second one.
// RUN: gcc
// RUN: gcc -O3
// RUN: clang

struct columns {
	int x[100], y[100], z[100];
	int count;
};
int sum_down(struct columns *c)
{
	int sum = 0;

	for (int i = c->count - 1; i >= 0; i--) // MAY: struct columns +1200 (count)
		sum += c->z[i]; // EXPECT: struct columns +800 (z)
	return sum;
}
int find_down(struct columns *c, int value)
{
	int i = c->count; // MAY: struct columns +1200 (count)

	while (i-- > 0) // MAY: struct columns +1200 (count)
		if (c->y[i] == value) // EXPECT: struct columns +400 (y)
			break;
	return i;
}
// An index that is a constant at first goes down from there.
int find_from_last(struct columns *c, int value)
{
	for (int i = 99; i >= 0; i--)
		if (c->x[i] * 3 == value) // EXPECT: struct columns...
			return i;
	return -1;
}
int ahead(struct columns *c, int i)
{
	return c->x[i + 20]; // EXPECT: struct columns +80 (x)
}

struct machine {
	unsigned long top;
	long frames[32];
	long stack[256];
};
void add(struct machine *m)
{
	long a = m->stack[m->top - 1]; // MAY: struct machine +264 (stack); struct machine +0 (top)
	long b = m->stack[m->top - 2]; // MAY: struct machine +264 (stack)

	m->top--; // MAY: struct machine +0 (top)
	m->stack[m->top - 1] = a + b; // EXPECT: struct machine +264 (stack) MAY: struct machine +0 (top)
}

struct node {
	short count, leaf;
	long keys[150];
	void *values[150];
};
void insert(struct node *node, int at, long key)
{
	int i = node->count; // EXPECT: struct node +0 (count)

	while (i > at && node->values[i - 1]) { // EXPECT: struct node +1208 (values)
		node->values[i] = node->values[i - 1]; // EXPECT: struct node +1208 (values)
		node->keys[i] = node->keys[i - 1] + 1; // EXPECT: struct node +8 (keys)
		i--;
	}
	node->keys[at] = key; // EXPECT: struct node +8 (keys)
}

// The same in a variable, and in one of each thread.
static struct machine shared;
__thread struct {
	long depth;
	long marks[32], ends[32];
} mine;
long pop(void)
{
	long value = shared.stack[--shared.top]; // EXPECT: struct machine +264 (stack); struct machine +0 (top)

	shared.stack[shared.top - 2] += value; // EXPECT: struct machine +264 (stack) MAY: struct machine +0 (top)
	return value;
}
long last_marks(void)
{
	return mine.marks[mine.depth - 2] + mine.ends[mine.depth - 3]; // EXPECT: struct {depth, marks, ends} +0 (depth); struct {depth, marks, ends} +8 (marks); struct {depth, marks, ends} +264 (ends)
}
