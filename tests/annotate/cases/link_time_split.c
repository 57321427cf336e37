// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: gcc -flto -gsplit-dwarf describes functions by references that lead nowhere; their symbols lead to the units of the sources.
// RUN: gcc -O2 -flto -gsplit-dwarf
// EXPECT-IN walk: struct item +0 (key); struct item +8 (next); struct item +20 (miss)

struct item {
	long key;
	struct item *next;
	int hits, miss;
};

static struct item items[8];

__attribute__((noinline)) long walk(struct item *p, int n)
{
	long sum = 0;

	while (p && n--) {
		sum += p->key;
		p->miss++;
		p = p->next;
	}
	return sum;
}

int main(int argc, char **argv)
{
	items[argc].next = items;
	return (int)walk(items + argc, argc);
}
