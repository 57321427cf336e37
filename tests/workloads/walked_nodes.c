// SPDX-License-Identifier: GPL-2.0-or-later
/* walk_nodes() has a loop and an inlined function. */
struct node {
	struct node *next;
	long key;
};

struct evil_name {
	long first, second;
};

static inline __attribute__((always_inline)) long twice(const struct node *node)
{
	return 2 * node->key;
}

long walk_nodes(struct node *list, struct evil_name *out)
{
	long total = 0;
	for (; list; list = list->next)
		total += twice(list);
	out->second = total;
	return total;
}

int main(void)
{
	struct node one = { 0, 1 };
	struct evil_name out;
	return walk_nodes(&one, &out) != 2;
}
