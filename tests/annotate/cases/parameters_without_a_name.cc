// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: gcc says that a parameter without a name is in its register in the whole function: what the register gets later is something else.
// RUN: g++ clang++

struct data {
	long size, count;
};

struct other {
	int kind, place;
	long key;
};

struct holder {
	void *any;
	long count;
};

void use(holder *h, void *any, long key);

void pass(holder *h, const data *)
{
	void *any = h->any; // EXPECT: holder +0 (any)

	use(h, any, static_cast<other *>(any)->key); // EXPECT: none
}
