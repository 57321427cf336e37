// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Orders: those in one state are summed.
 *
 * case: order split 1500 200000
 * case: order split 300000 350
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct order {
	double price;
	int quantity;
	char state;
};
#else
struct order {
	long id;
	char customer[32];
	double price;
	char note[36];
	int quantity;
	long placed;
	char state;
};
#endif
static struct order *all;
__attribute__((noinline)) static double total(long n, char state)
{
	double sum = 0;
	for (long i = 0; i < n; i++)
		if (all[i].state == state)
			sum += all[i].price * all[i].quantity;
	return sum;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	double sum = 0;
	unsigned seed = 3;
	all = calloc(n, sizeof(*all));
	for (long i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		all[i].state = (char)(seed >> 16) % 4;
		all[i].price = seed >> 20;
		all[i].quantity = (int)(seed >> 28);
	}
	for (long k = 0; k < atol(argv[2]); k++)
		sum += total(n, (char)(k % 4));
	printf("%g\n", sum);
}
