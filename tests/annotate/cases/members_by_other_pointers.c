// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer to an integer of the other sign still leads to the member; a byte of a table of words does not.
// LINK: kernel

struct atomic {
	int counter;
};

struct lock {
	union {
		struct atomic val;
		unsigned char locked;
	};

	long owner;
};

static inline __attribute__((always_inline)) int cmpxchg(struct atomic *v, int old,
							 int new)
{
	volatile unsigned *p = (volatile unsigned *)&v->counter;

	asm volatile("lock cmpxchgl %2, %1" : "+a"(old), "+m"(*p) : "r"(new) : "memory");
	// EXPECT: struct lock +0 (val.counter)
	return old;
}

/* cmpxchg() takes a member by a pointer to an unsigned integer of its size. */
int of_another_sign(struct lock *l)
{
	int old = cmpxchg(&l->val, 0, 1);

	return old + l->owner; // EXPECT: struct lock +8 (owner)
}

struct coder {
	long count;
	unsigned int table[8];
};

struct cell {
	unsigned short next;
	unsigned char symbol, bits;
};

/* A byte from the middle of any word in an array: the table is laid out as something else. */
int byte_of_table(struct coder *c, long state)
{
	return ((volatile struct cell *)c->table)[state].symbol + c->count;
	// EXPECT: none (the offset is outside the type); struct coder +0 (count)
}

/* A byte of one word is the word's. */
int byte_of_word(struct coder *c)
{
	return ((volatile unsigned char *)c->table)[6] + c->count;
	// EXPECT: struct coder +14 (table); struct coder +0 (count)
}
