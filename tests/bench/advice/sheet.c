// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cells of a table that is summed by columns.
 *
 * case: cell split 700 60
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct cell {
	double value;
};
struct cell_cold {
	int format;
	char text[60];
};
static struct cell_cold *cold;
#else
struct cell {
	double value;
	int format;
	char text[60];
};
#endif
static struct cell *cells;
__attribute__((noinline)) static double columns(long n)
{
	double most = 0;
	for (long c = 0; c < n; c++) {
		double sum = 0;
		for (long r = 0; r < n; r++)
			sum += cells[r * n + c].value;
		most = sum > most ? sum : most;
	}
	return most;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	double sum = 0;
	cells = calloc(n * n, sizeof(*cells));
#ifdef NEW
	cold = calloc(n * n, sizeof(*cold));
#endif
	for (long i = 0; i < n * n; i++)
		cells[i].value = i % 1000;
	for (long k = 0; k < atol(argv[2]); k++)
		sum += columns(n);
	printf("%g\n", sum);
}
