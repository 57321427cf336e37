// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A stack slot that held a variable holds another one later: a load gives the value that was stored last.
// RUN: gcc -fno-stack-protector

struct first {
	long a, b;
};
struct second {
	long c, d;
};
long other(void);
struct first *one(void);
struct second *two(void);

#define SPILL asm volatile("" ::: "rbx", "rbp", "r12", "r13", "r14", "r15")

long get(void)
{
	struct first *f = one(); // EXPECT: struct first* +0

	SPILL;
	other();
	other();
	if (f->b) // EXPECT: struct first* +0; struct first +8 (b)
		return 1;
	return two()[({
		       SPILL;
		       other();
	       })]
		.d; // EXPECT: struct second +8 (d)
}
