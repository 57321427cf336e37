// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A thunk handles an exception: the code that does so knows the object as the rest of the thunk does.
// RUN: g++ -fno-reorder-blocks-and-partition

struct first {
	virtual long one();
	long a;
};

struct second {
	virtual long two(long n);
	long b;
};

struct guard {
	explicit guard(long *n) : count(n) {}
	~guard() { *count = 0; }
	long *count;
};

void called(long n);

struct both : first, second {
	long two(long n) override;
	long uses;
	long last;
};

long both::two(long n)
{
	guard g(&uses);

	called(n); // the exception leaves through the destructor of `g`
	last = n;
	return last;
}
// EXPECT-IN _ZThn16_N4both3twoEl: both +32 (uses); both +40 (last)
