// SPDX-License-Identifier: GPL-2.0-or-later
extern void use(void *, int, ...);
__attribute__((noinline)) long deep(long a, long b, long c, long d, long e, long f, long g, long h)
{
	char wide[64] __attribute__((aligned(64)));
	char *v = __builtin_alloca(a);
	use(wide, 1, v, 2, 3, 4, 5, 6, 7, 8);
	return a + b + c + d + e + f + g + h + wide[a];
}
