// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parameters of a loop that computes.
 *
 * case: params reorder 1000000 150
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct params {
	double a, b, c, d;
	char pad[100], more[60];
};
#else
struct params {
	double a;
	char pad[100];
	double b, c;
	char more[60];
	double d;
};
#endif
__attribute__((noinline)) static double run(struct params *p, long n)
{
	double s = 0;
	for (long i = 1; i < n; i++) {
		s += p->a / i + p->b * sqrt(i) - p->c;
		p->d = s;
	}
	return s;
}
int main(int argc, char **argv)
{
	struct params p = { .a = 1, .b = 2, .c = 3 };
	double s = 0;
	for (int k = 0; k < atoi(argv[2]); k++)
		s += run(&p, atol(argv[1]));
	printf("%g\n", s);
}
