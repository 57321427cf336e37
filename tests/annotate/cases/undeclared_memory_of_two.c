// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Two records fit the accesses to undeclared memory, or its elements have two types: there is no answer.

void *calloc(unsigned long, unsigned long);
void *malloc(unsigned long);
long use(void *);

struct entry {
	int column;
	long value, next;
};

struct cell {
	int x;
	long y, z;
};

struct matrix {
	long rows;
	struct entry *entries;
	struct cell *cells;
};

long two_records(const struct matrix *m, unsigned long n)
{
	void *all = malloc(n * 24);
	long sum = use(all);

	for (unsigned long i = 0; i < n; i++)
		sum += ((struct entry *)all)[i].column * ((struct entry *)all)[i].value;
		// EXPECT: none (a pointer to void or to an undefined type)
	return sum + m->rows; // EXPECT: struct matrix +0 (rows)
}

struct item {
	long key;
};

struct name {
	long size;
};

long two_elements(unsigned long *keys, struct item **i, struct name **n)
{
	void *table = calloc(99, 8);
	long sum = use(table);

	((void **)table)[keys[0]] = *i;
	// EXPECT: struct item* +0; none (a pointer to void or to an undefined type)
	// MAY: long unsigned int +0; unsigned long +0
	((void **)table)[keys[1]] = *n;
	// EXPECT: struct name* +0; none (a pointer to void or to an undefined type)
	// MAY: long unsigned int +0; unsigned long +0
	return sum + use(table);
}
