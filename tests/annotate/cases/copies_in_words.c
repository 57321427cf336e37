// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The bytes of a flexible array, and of a record in one, are copied in words.
// RUN: gcc clang -mgeneral-regs-only

struct key {
	unsigned char bytes[16];
};

struct keys {
	int count;
	struct key list[];
};

void get(struct keys *k, struct key *from)
{
	k->list[0] = *from;
	// EXPECT: struct key +0 (bytes); struct key +8 (bytes); struct keys +4 (list.bytes)
	// EXPECT: struct keys +12 (list.bytes)
}
