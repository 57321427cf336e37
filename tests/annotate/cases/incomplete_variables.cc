// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A variable of a class that is only declared has all bytes up to the next one; `this` shows its parts.
// RUN: g++

struct port {
	virtual ~port();
	long uses;
};

struct stream : port {
	stream();
	~stream() override;
	void write(long n) { written += n; } // EXPECT: stream +16
	long written;
};

void give(long *);

extern "C" long incomplete(long n)
{
	stream s;
	long own;

	give(&own);
	s.write(n);
	return s.uses + own; // EXPECT: stream +8; long int +0
}
