// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A treap of bookings by their time, in which each search finds the first one that ends after it.
 *
 * case: booking reorder 300000 1000000
 * case: booking reorder 250 20000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct booking {
	uint64_t from, to, latest;
	struct booking *left, *right;
	uint32_t priority, room;
	char guest[48];
	char remark[32];
};
#else
struct booking {
	struct booking *left, *right;
	uint32_t priority, room;
	char guest[48];
	uint64_t from, to;
	char remark[32];
	uint64_t latest;
};
#endif
static uint64_t seed = 88172645463325252u;

static uint64_t random64(void)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed;
}

static void update(struct booking *b)
{
	b->latest = b->to;
	if (b->left && b->left->latest > b->latest)
		b->latest = b->left->latest;
	if (b->right && b->right->latest > b->latest)
		b->latest = b->right->latest;
}

static struct booking *insert(struct booking *root, struct booking *b)
{
	struct booking *up;

	if (!root)
		return b;
	if (b->from < root->from) {
		up = root->left = insert(root->left, b);
		if (up->priority > root->priority)
			root->left = up->right, up->right = root;
		else
			up = root;
	} else {
		up = root->right = insert(root->right, b);
		if (up->priority > root->priority)
			root->right = up->left, up->left = root;
		else
			up = root;
	}
	update(root);
	update(up);
	return up;
}

static struct booking *overlap(struct booking *root, uint64_t from, uint64_t to)
{
	while (root) {
		if (root->from < to && root->to > from)
			return root;
		root = root->left && root->left->latest > from ? root->left : root->right;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t n = atol(argv[1]), searches = atol(argv[2]), span = n * 20, found = 0;
	struct booking *root = NULL;

	for (uint64_t i = 0; i < n; i++) {
		struct booking *b = calloc(1, sizeof(*b));

		b->from = random64() % span;
		b->to = b->from + random64() % 3 + 1;
		b->priority = random64();
		b->room = i % 300;
		snprintf(b->guest, sizeof(b->guest), "guest %lu", i);
		update(b);
		root = insert(root, b);
	}
	for (uint64_t i = 0; i < searches; i++) {
		uint64_t from = random64() % span;
		struct booking *b = overlap(root, from, from + 1);

		found += b ? b->room : 1;
	}
	printf("%lu\n", found);
	return argc < 0;
}
