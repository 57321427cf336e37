// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
struct node {
	struct node *next;
	long key;
};
struct node table[4];
static int hidden = 3;
__thread int mine = 5;
__thread struct node other_tls;
extern int elsewhere[];
extern struct late late;
const char *const words[] = { "a", "b" };
__attribute__((noinline)) static int twice(int x)
{
	static struct node cache[2];
	cache[x & 1].key += x;
	hidden += x;
	return (int)cache[0].key;
}

__attribute__((noinline)) int counted(int x)
{
	return twice(x) + 1;
}
extern long far(void);
int main(int argc, char **argv)
{
	fprintf(stderr, "%s %d", argv[0], argc);
	table[1].key = argc;
	mine += argc;
	other_tls.key = mine;
	return counted(argc) + elsewhere[1] + words[argc & 1][0] + (int)far() + hidden;
}
