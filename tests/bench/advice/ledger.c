// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Transfers between accounts, which are visited in no order.
 *
 * case: holder split 200000 40
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct holder {
	long balance;
};
struct holder_cold {
	char name[64];
	char iban[32];
	long opened;
	int branch;
};
static struct holder_cold *cold;
#else
struct holder {
	char name[64];
	long balance;
	char iban[32];
	long opened;
	int branch;
};
#endif
struct transfer {
	int from, to;
	long amount;
};
static struct holder *holders;
static struct transfer *transfers;
__attribute__((noinline)) static void book(long n)
{
	for (long i = 0; i < n; i++) {
		holders[transfers[i].from].balance -= transfers[i].amount;
		holders[transfers[i].to].balance += transfers[i].amount;
	}
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	unsigned long seed = 1;
	holders = calloc(n, sizeof(*holders));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	transfers = calloc(4 * n, sizeof(*transfers));
	for (long i = 0; i < 4 * n; i++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		transfers[i] = (struct transfer){ (int)((seed >> 33) % (unsigned long)n),
						  (int)((seed >> 20) % (unsigned long)n),
						  (long)(seed >> 60) };
	}
	for (long k = 0; k < atol(argv[2]); k++)
		book(4 * n);
	printf("%ld\n", holders[1].balance);
}
