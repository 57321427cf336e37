// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Bytes that are copied by vectors stay bytes: the register is followed although its variable is 16 bytes away.

#include <emmintrin.h>

typedef unsigned char byte;

static inline void copy16(void *to, const void *from)
{
	_mm_storeu_si128((__m128i *)to, _mm_loadu_si128((const __m128i *)from));
	// EXPECT: byte +0 MAY: long long int[] +0
}

void copy(void *to, const void *from, long length)
{
	byte *out = to;
	const byte *in = from;
	byte *end = out + length;

	copy16(out, in);
	if (length <= 16)
		return;
	out += 16;
	in += 16;
	do {
		copy16(out, in);
		out += 16;
		in += 16;
		copy16(out, in);
		out += 16;
		in += 16;
	} while (out < end);
}
