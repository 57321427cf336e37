// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Accesses before and after a call, and in the branches that follow, show which member of a union an object has.

struct item {
	int kind;

	union {
		struct {
			struct item *length;
			short places;
		} fixed;

		struct {
			struct item *left, *right;
		} pair;

		struct {
			struct item *first;
			int length;
		} name;
	} u;
};

long count_of(struct item *item);

long count_both(struct item *i)
{
	long left = count_of(i->u.pair.left); // EXPECT: struct item +8 (u.pair.left)

	return left + count_of(i->u.pair.right); // EXPECT: struct item +16 (u.pair.right)
}

void stop(struct item *item, int length);

void stop_some(struct item *i)
{
	if (count_of(i->u.name.first)) // EXPECT: struct item +8 (u.name.first)
		stop(i, i->u.name.length); // EXPECT: struct item +16 (u.name.length)
}

struct leaf {
	union {
		struct leaf *n, *parent;
	} u;
};

long walk(struct leaf *leaf);

/* A variable of one letter has the name of anything. */
long step(struct leaf *leaf)
{
	struct leaf *n = leaf->u.parent;

	return walk(n) + 1;
}
// EXPECT-IN step: struct leaf +0 (u)
