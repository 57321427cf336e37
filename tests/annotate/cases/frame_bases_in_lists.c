// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A frame base that DWARF 2 spells out as a list: %rsp + 8, %rsp + 16, %rbp + 16.
// RUN: gcc clang -gdwarf-2 -gstrict-dwarf -O0
// FORBID: (stack spill)

struct node {
	struct node *next;
	long key;
};
void use(void *);

long take(struct node *list, int by)
{ // EXPECT: struct node* +0; int +0
	struct node local = { list, by };
	// EXPECT: struct node* +0; struct node +0 (next); int +0; struct node +8 (key)

	use(&local);
	return local.key + local.next->key + by;
	// EXPECT: struct node +8 (key); struct node +0 (next); int +0
}
