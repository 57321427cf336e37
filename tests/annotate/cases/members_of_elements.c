// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An inlined function has the address of a member of an element at an index: the element is the object.
// RUN: gcc

struct latch {
	long word;
	long waiters;
};

struct row {
	long id;
	struct latch latch;
};

struct table {
	long count;
	struct row rows[4];
};

static inline __attribute__((always_inline)) void enter(struct latch *latch)
{
	__asm__ volatile("" : "+r"(latch)); /* its address is computed */
	latch->waiters++; // EXPECT: struct row +16 (latch.waiters)
}

void enter_row(struct table *table, long i)
{
	enter(&table->rows[i].latch);
}
