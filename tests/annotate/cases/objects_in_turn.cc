// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Temporaries and a variable use one place in turn; the inlined member function tells which object has it.
// RUN: g++ -fno-shrink-wrap-separate -fno-caller-saves
// FORBID: (stack spill)

struct text {
	char *start;
	unsigned long length;
	char few[16];

	text(const char *from, unsigned long n);
	text(const text &) = delete;
	~text()
	{
		if (length > 15)        // EXPECT: text +8 (length); text +8 (length)
			delete[] start; // EXPECT: text +0 (start); text +0 (start)
	}
};

struct builder {
	long parts;
	long wanted[8];

	builder();
	long add(const char *part);
};

bool has(const text &name);

// EXPECT-IN objects_in_turn: builder +0 (parts); builder +32 (wanted)
extern "C" long objects_in_turn(const char *from, unsigned long n)
{
	if (has(text(from, n)))
		return 0;
	builder b;

	b.add(from);
	if (has(text(from, n + 1)))
		return b.parts;
	return b.wanted[3];
}
