// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An access past the end of a class is to the one class of the unit that is derived from it, after a static_cast.
// RUN: g++
// RUN: clang++ -fstandalone-debug

template <class T> struct hook {
	T *next;

	T *self()
	{
		return static_cast<T *>(this);
	}
};
struct job : hook<job> {
	int priority;
	long cost;
};
long cost(hook<job> *first)
{
	long sum = 0;

	for (hook<job> *at = first; at; at = at->next) // EXPECT: hook<job> +0 (next)
		sum += at->self()->cost; // EXPECT: job +16 (cost)
	return sum;
}
int priority(hook<job> *first)
{
	return first->self()->priority; // EXPECT: job +8 (priority)
}

struct timed {
	long start;
	int ticks;
};
struct shape {
	long id;
};
struct circle : shape, timed {
	int radius;
	char name[9];
};
int radius(timed *t)
{
	return static_cast<circle *>(t)->radius; // EXPECT: circle +24 (radius) MAY: none
}
// Two classes are derived from it, and either has a member there.
struct event {
	int kind;
};
struct press : event {
	int key;
};
struct move : event {
	int x, y;
};
int key(event *e)
{
	return static_cast<press *>(e)->key; // EXPECT: none
}
// A floating-point number is not the next element's first member, a pointer.
struct node {
	struct node *next;
	int kind;
};
struct leaf : node {
	double weight;
};
leaf *new_leaf()
{
	return new leaf;
}
double weight(node *first)
{
	double sum = 0;

	for (node *n = first; n; n = n->next) // EXPECT: node +0 (next)
		if (n->kind == 3) // EXPECT: node +8 (kind)
			sum += static_cast<leaf *>(n)->weight; // EXPECT: leaf +16 (weight)
	return sum;
}
