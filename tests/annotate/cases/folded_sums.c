// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A number of bytes is added to a pointer in the instruction that accesses the sum: variables that are known to be elsewhere do not have it.
// RULES: folded-address

struct attribute {
	int kind;
	unsigned int length;
	unsigned int start, flags;
};
struct name {
	long parent;
	long created;
};
struct search {
	struct search *next;
	struct attribute *found;
	long count;
};
void __attribute__((noipa)) search_end(struct search *s)
{
	s->count = 0; // EXPECT: struct search +16 (count)
}
long parent(struct search *s)
{
	search_end(s); // MAY: struct search* +0
	struct attribute *a = s->found; // EXPECT: struct search +8 (found) MAY: struct search* +0
	const struct name *n = (const struct name *)((char *)a + a->start); // EXPECT: struct attribute +8 (start)
	const long parent = n->parent; // EXPECT: struct name +0 (parent)

	search_end(s);
	return parent;
}
