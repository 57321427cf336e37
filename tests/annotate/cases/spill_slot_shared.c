// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A place where a variable is spilled has other values before and after: numbers in vector registers, pointers to other records.
// RUN: gcc
struct cell {
	long key;
	struct cell *next;
};
struct leaf {
	long count, size;
};

extern struct cell *get(void);
extern void put(struct cell *c);
extern double first(void), second(void);
extern struct leaf *make(void);
extern void add(double value, struct leaf *leaf);

/* no register keeps a value */
#define CLOBBER() __asm__ volatile("" ::: "rbx", "rbp", "r12", "r13", "r14", "r15")

double twice(void)
{
	struct cell *c = get();

	CLOBBER();
	put(c); // EXPECT: struct cell* +0
	CLOBBER();
	put(c); // EXPECT: struct cell* +0
	CLOBBER();
	return first() - second();
}

void pair(void)
{
	struct cell *c = get();

	CLOBBER();
	put(c); // EXPECT: struct cell* +0
	CLOBBER();
	put(c); // EXPECT: struct cell* +0
	CLOBBER();
	add(({
		    double value = first();
		    CLOBBER();
		    value;
	    }),
	    make());
}
