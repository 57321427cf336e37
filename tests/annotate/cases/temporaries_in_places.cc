// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: LLVM gives a variable of an inlined constructor the place of an object of the same class that is made later.
// RUN: g++ clang++

char *reserve(unsigned long *size);
void fill(char *to, const char *from, unsigned long size);

class text {
	char *data;
	unsigned long length, room;
	char local[16];

	__attribute__((always_inline)) void make(const char *from, unsigned long size)
	{
		unsigned long asked = size; // MAY: long unsigned int +0 or unsigned long +0; (stack spill)

		if (size > 15) {
			data = reserve(&asked); // EXPECT: text +0 (data)
			room = asked; // EXPECT: text +16 (room); long unsigned int +0 or unsigned long +0
		}
		fill(data, from, size);
		length = asked; // EXPECT: text +8 (length); long unsigned int +0 or unsigned long +0 or (stack spill)
		data[asked] = 0; // EXPECT: text +0 (data); char +0
	}

public:
	text(const char *from, unsigned long size) : data(local) // EXPECT: text +0 (data)
	{
		make(from, size);
	}
	~text();
};

void take(text &);

__attribute__((noinline)) void two(const char *from, unsigned long size, unsigned long other)
{
	text s(from, size);
	take(s);
	text t(from, other);
	take(t);
}

void replace(text &, const text &);

__attribute__((noinline)) void unnamed(const char *from, unsigned long size)
{
	text s(from, size);
	replace(s, text(from, 3));
}
