// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: LLVM puts a small virtual function into its thunk, which it describes without `this`.
// RUN: clang++

struct first {
	virtual long start();
	long uses;
};
struct second {
	virtual long count();
	virtual ~second();
	long seen;
};
struct both : first, second {
	long count() override;
	long last;
	int left;
};
long first::start()
{
	return 0;
}
long second::count()
{
	return 0;
}
second::~second()
{
}
long both::count()
{
	return left // EXPECT: both +40 (left) [variable]; both +40 (left)
	       + last // EXPECT: both +32 (last) [variable]; both +32 (last)
	       + uses; // EXPECT: both +8 (uses) [variable]; both +8 (uses)
}
