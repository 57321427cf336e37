// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An instruction that no table has loses only the registers that it writes.
// RUN: gcc

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

long use(struct node *n)
{
	long k = n->key; // EXPECT: struct node +8 (key)

	/* vp2intersectd %zmm1, %zmm0, %k0; a REX2 prefix: mov %r16, %r17 */
	__asm__ volatile(
		".byte 0x62,0xf2,0x7f,0x48,0x68,0xc1; .byte 0xd5,0x58,0x89,0xc1");
	return k + n->next->value; // EXPECT: struct node +0 (next); struct node +16 (value)
}
