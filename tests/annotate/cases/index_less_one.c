// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The constant of an index is in the offset, which is then that of the last element of the array
// before, which nobody would reach with that constant.
// RUN: gcc clang -fno-tree-vectorize -fno-unroll-loops

struct list {
	int count;
	long before[8];
	long items[8];
};

long less_one(struct list *l, long i)
{
	return l->items[i - 1]; // EXPECT: struct list +72 (items)
}
void move_down(struct list *l, long i, long n)
{
	for (; i < n; i++) {
		l->items[i - 1] = l->before[i]; // EXPECT: struct list +72 (items)
						// EXPECT: struct list +8 (before)
		__asm__ volatile("" ::: "memory");
	}
}
// The constant is in the index, and the displacement is that of the array.
struct stack {
	unsigned short depth;
	unsigned char before[8];
	unsigned char items[8];
	unsigned char after[8];
};

void clear_top(struct stack *s)
{
	unsigned long top = s->depth - 1UL; // EXPECT: struct stack +0 (depth)

	if (top < 8) {
		s->items[top] = 0; // EXPECT: struct stack +10 (items)
		s->after[top] = 0; // EXPECT: struct stack +18 (after)
	}
}
