// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stream that the processor fetches ahead: a checksum over most of each record takes longer than
 * its line, so leaving the rest out gains nothing.
 *
 * case: frame split 200000 60
 * case: frame split 400 30000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct frame {
	uint32_t length;
	uint8_t data[44];
};
struct frame_rest {
	uint64_t time, port;
};
#else
struct frame {
	uint64_t time;
	uint32_t length;
	uint8_t data[44];
	uint64_t port;
};
#endif
static struct frame *frames;
__attribute__((noinline)) static uint32_t check(long n)
{
	uint32_t sum = 1;
	for (long i = 0; i < n; i++)
		for (uint32_t k = 0; k < frames[i].length; k++)
			sum = (sum ^ frames[i].data[k]) * 16777619u;
	return sum;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	uint32_t sum = 0;
	frames = calloc(n, sizeof(*frames));
	for (long i = 0; i < n; i++)
		frames[i].length = 40 + (uint32_t)i % 4;
	for (long k = 0; k < atol(argv[2]); k++)
		sum += check(n);
	printf("%u\n", sum);
}
