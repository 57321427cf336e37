// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The address of a virtual base is the object's and a word before its virtual table.
// RUN: g++ -fno-exceptions
// RUN without: g++ -fno-exceptions --no-rule=virtual-base
struct state { // EXPECT: state +0 MAY: void* +0
	virtual ~state();
	void start(long n);
	long width;
};

struct stream : virtual state {
	~stream() override;
	// where the base is, the table that file's constructor hands over says
	stream(long n)
	{
		// EXPECT: state +0 [inferred]; stream +0; none (nothing known of the base register)
		// EXPECT without: none (stack memory of no known variable); stream +0
		// MAY: void* +0
		// MAY without: void* +0; none (nothing known of the base register)
		start(n);
	}
	long written;
};

struct file : stream {
	file(long n) : stream(n) {} // EXPECT: file +0; file +24 MAY: void* +0
	~file() override;
	long number;
};

extern "C" long write_file(long n, long (*use)(file *))
{
	file f(n);
	return use(&f);
}
