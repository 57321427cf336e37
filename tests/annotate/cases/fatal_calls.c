// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function that never returns is not declared so: the code after its calls was compiled as if it returned.
// RUN: gcc clang
// RUN: gcc -O1

struct code {
	char class, width;
	short next;
};

extern void exit(int status) __attribute__((noreturn));
extern int read_byte(void);
static struct code codes[256];
static unsigned char *position, *limit;

void start(unsigned char *text, long length)
{
	position = text;
	limit = text + length;
	codes[text[0]].class = 8;
	codes[text[1]].width = 2;
}

#ifdef __clang__
#define SEPARATE __attribute__((noinline, optnone))
#else
#define SEPARATE __attribute__((noipa))
#endif

static SEPARATE void fatal(int what)
{
	exit(what + 1);
}

long scan(long sum)
{
	for (;;) {
		if (position >= limit) { // EXPECT: unsigned char* +0
			fatal(3);
			sum += 5;
		}
		int c = *position++; // EXPECT: unsigned char* +0; unsigned char +0

		if (!c)
			c = read_byte();
		if (codes[c].class > 7) // EXPECT: struct code +0 (class)
			return sum;
		sum += codes[c].width; // EXPECT: struct code +1 (width)
	}
}
