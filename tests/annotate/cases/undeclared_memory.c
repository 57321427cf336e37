// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Memory without any declaration: its accesses tell what it contains.
// RULES: record-array

void *calloc(unsigned long, unsigned long);
void *malloc(unsigned long);
long use(void *);

struct item {
	struct item *next;
	long key;
};

/* Words at steps of a word may be anything. */
// EXPECT-IN buckets: none (a pointer to void or to an undefined type)
long buckets(unsigned long n, unsigned long *keys)
{
	void *table = calloc(n, 8);
	long sum = use(table);

	for (unsigned long i = 0; i < n; i++)
		for (struct item *t = ((struct item **)table)[keys[i]]; t; t = t->next)
		// MAY: long unsigned int +0; struct item +0 (next)
		// MAY: none (a pointer to void or to an undefined type)
		// MAY: unsigned long +0
			sum += t->key; // EXPECT: struct item +8 (key)
	return sum;
}

struct entry {
	int column;
	double value;
	long next;
};

struct cell {
	long x, y, z;
};

struct matrix {
	long rows;
	struct entry *entries;
	struct cell *cells;
};

double entries(const struct matrix *m, unsigned long n)
{
	void *all = malloc(n * 24);
	double sum = use(all);

	for (unsigned long i = 0; i < n; i++)
		sum += ((struct entry *)all)[i].column * ((struct entry *)all)[i].value;
		// EXPECT: struct entry +0 (column) [inferred]; struct entry +8 (value) [inferred]
	return sum + m->rows; // EXPECT: struct matrix +0 (rows)
}
