// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waiting messages in a map by their deadline: each step takes some out and puts some in.
 *
 * case: message split 200000 1500000
 */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
struct cold {
	std::string topic, key;
	long sent, offset;
	int partition, tries;
};
struct message {
	unsigned deadline;
	int left, right, priority;
#ifndef NEW
	cold rest;
#endif
};
static std::vector<message> heap_nodes;
#ifdef NEW
static std::vector<cold> rests;
#endif
static unsigned long seed = 11;
static unsigned draw()
{
	return (unsigned)((seed = seed * 6364136223846793005UL + 1) >> 33);
}
/* a treap by index */
__attribute__((noinline)) static void cut(int root, unsigned key, int *less, int *more)
{
	while (root >= 0) {
		message &m = heap_nodes[root];
		if (m.deadline < key) {
			*less = root;
			less = &m.right;
			root = m.right;
		} else {
			*more = root;
			more = &m.left;
			root = m.left;
		}
	}
	*less = *more = -1;
}
__attribute__((noinline)) static void insert(int *at, int i)
{
	message &m = heap_nodes[i];
	while (*at >= 0 && heap_nodes[*at].priority >= m.priority) {
		message &here = heap_nodes[*at];
		at = m.deadline < here.deadline ? &here.left : &here.right;
	}
	int less, more;
	cut(*at, m.deadline, &less, &more);
	m.left = less;
	m.right = more;
	*at = i;
}
__attribute__((noinline)) static int first(int *at)
{
	while (heap_nodes[*at].left >= 0)
		at = &heap_nodes[*at].left;
	int i = *at;
	*at = heap_nodes[i].right;
	return i;
}
int main(int, char **argv)
{
	size_t n = (size_t)atol(argv[1]);
	int root = -1;
	unsigned long sum = 0;
	heap_nodes.resize(n);
#ifdef NEW
	rests.resize(n);
#endif
	for (size_t i = 0; i < n; i++) {
		heap_nodes[i].deadline = draw();
		heap_nodes[i].priority = (int)draw();
		insert(&root, (int)i);
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		int i = first(&root);
		sum += heap_nodes[i].deadline;
		heap_nodes[i].deadline += draw() % 1000000000U;
		heap_nodes[i].priority = (int)draw();
		insert(&root, i);
	}
	printf("%lu\n", sum);
}
