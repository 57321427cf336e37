// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The address of a virtual base is the sum of the object's address and a word before its virtual table.
// RUN: g++ -fno-exceptions
struct state { // EXPECT: state +0 MAY: void*...
	virtual ~state();
	void start(long n);
	long width;
};

struct stream : virtual state {
	~stream() override;
	// where the base is, the table that file's constructor hands over says
	stream(long n)
	{
		// EXPECT: state +0 [inferred]; stream +0
		// MAY: void*...; none
		start(n);
	}
	long written;
};

struct file : stream {
	file(long n) : stream(n) {} // EXPECT: file +0 MAY: void*...; file +24; state +0
	~file() override;
	long number;
};

extern "C" long write_file(long n, long (*use)(file *))
{
	file f(n);
	return use(&f);
}
