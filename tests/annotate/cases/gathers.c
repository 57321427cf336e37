// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A gather reads elements of an array.
// RUN: gcc -mavx2
// CODE: gather

#include <immintrin.h>

struct table {
	long count;
	int cells[64];
};

__m256i use(struct table *t, __m256i i)
{
	return _mm256_i32gather_epi32(t->cells, i, 4); // EXPECT: struct table +8 (cells)
}
