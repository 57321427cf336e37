// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function returns a pointer to void: if all of its returns have one type, its callers' accesses have that type.
// RULES: distant-result
// RUN: gcc clang -O1
// RUN off: gcc clang -O1 --no-rule=distant-result

struct item {
	long order, key;
};

struct other {
	long first, second, third;
};

struct table {
	long count;
	struct item *items[8];
	struct other *others[8];
	struct other space;
};

#define NO_INLINE __attribute__((noinline))

/* The result is an item, or nothing. */
NO_INLINE void *find(struct table *t, long i)
{
	return i < t->count ? t->items[i] : 0;
}

#define FIND(t, i) ((struct item *)find(t, i))

long key_of(struct table *t)
{
	return FIND(t, 3)->key; // EXPECT: struct item +8 (key) [inferred, rule distant-result] EXPECT off: none
}

/* Two types are returned. */
NO_INLINE void *any(struct table *t, struct other **others, long i)
{
	if (i)
		return t->items[i];
	return others[i];
}

long key_of_any(struct table *t)
{
	return ((struct item *)any(t, t->others, 3))->key; // EXPECT: none EXPECT off: none
}

void *take(unsigned long size);

/* Some of the memory comes from another function: it may be of any type. */
NO_INLINE void *allocate(struct table *t, unsigned long size)
{
	if (t->count)
		return t->items[0];
	return take(size);
}

void set(struct table *t, long key)
{
	((struct item *)allocate(t, sizeof(struct item)))->key = key; // EXPECT: none EXPECT off: none
}

/* The result is a place within a record, as a pool returns it: it may be of any type. */
NO_INLINE void *room(struct table *t)
{
	return &t->space.second;
}

void fill(struct table *t, long order)
{
	((struct item *)room(t))->order = order; // EXPECT: none EXPECT off: none
}
