// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A thunk of a second base class has no DIE: its name tells which function it continues in, and how far `this` points into the object.
// RUN: g++
// RUN: g++ -fdebug-types-section

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
	long count() override; // EXPECT: both +32 (last)
	~both() override;
	long last;
};

long both::count()
{
	return ++last; // EXPECT: both +32 (last)
}

extern "C" long by_second(second *s)
{
	return s->seen; // EXPECT: second +8
}
