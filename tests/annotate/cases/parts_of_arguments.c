// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record that is passed in registers, and is changed by its members: gcc says where its parts were for no instruction at all.
// RUN: gcc clang
// RUN: gcc -O1

struct small {
	int a, b;
};
struct range {
	struct small *from;
	long left;
};
struct range advance(struct range r)
{
	r.left -= r.from->a; // EXPECT: struct small +0 (a)
	r.from++;
	return r;
}
