// SPDX-License-Identifier: GPL-2.0-or-later
typedef unsigned int u32;
typedef struct {
	int counter;
} atomic_t;
typedef _Bool bool;
enum color { RED, GREEN = -1 };
enum bits { LOW = 1, SIGN_OF_BYTE = 128, SIGN_OF_WORD = 0x80000000U };
enum wide { BELOW = -5, ABOVE = 0x123456789LL };
enum high { HIGHEST = -32UL };
union word {
	long whole;
	char parts[8];
};
struct node;
typedef int (*visit_t)(struct node *restrict, const char *, ...);
struct node {
	struct node *next, **last;
	u32 low : 3, high : 29;
	atomic_t count;
	union word word;
	enum color color;
	struct {
		short x, y;
		union {
			int z;
			float f;
		};
	};
	signed char s;
	unsigned char u;
	char c;
	bool b;
	int matrix[3][4];
	visit_t visit;
	const volatile struct node *const other;
	struct hidden *hidden;
	long double wide;
	__int128 large;
	void *data;
	struct {
		int nameless;
	} inner[2];
	char tail[];
};
struct packed {
	char c;
	long l;
} __attribute__((packed));
struct empty {
};
struct uses {
	struct packed packed;
	struct empty empty;
	struct node *node;
	enum color *color;
	enum bits bits;
	enum wide wide;
	enum high high;
};
struct uses uses;
struct node *first;
__attribute__((noinline)) int visit_all(struct node *node, visit_t visit, u32 count, ...)
{
	return node ? visit(node, node->tail, count) : uses.packed.c;
}
__attribute__((noinline)) struct node *no_arguments(void)
{
	return first;
}
__attribute__((noinline)) int nameless(struct node *node, u32)
{
	return node != 0;
}
int main(void)
{
	nameless(first, 3);
	visit_all(no_arguments(), 0, 3);
	return 0;
}
