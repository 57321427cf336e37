// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function returns a pointer to void; itself and its other callers tell what it points to.
// RUN: gcc clang
// RUN off: gcc clang --no-rule=distant-result

struct entry {
	struct entry *next;
	long key, value;
};

static __attribute__((noinline)) void *find(struct entry *e, long key)
{
	while (e && e->key != key)
		e = e->next;
	return e;
}

void add(struct entry *e, long key)
{
	((struct entry *)find(e, key))->value++; // EXPECT: struct entry +16 (value) [inferred, rule distant-result] EXPECT off: none
}

/* An allocator: each caller makes something else of it. */
struct first {
	long a, b;
};
struct second {
	long c, d;
};

extern char memory[];
extern long used;

static __attribute__((noinline)) void *allocate(long size)
{
	used += size;
	return memory + used;
}

void keep_first(struct first *f);
void keep_second(struct second *s);

void make_first(void)
{
	keep_first(allocate(16));
}

void make_second(void)
{
	keep_second(allocate(16));
}

void make(void)
{
	((struct second *)allocate(16))->d = 1; // EXPECT: none
}
