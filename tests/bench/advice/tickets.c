// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tickets that are late get more time.
 *
 * case: ticket split 300000 250
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct ticket {
	long due;
	int open;
};
struct ticket_cold {
	long id;
	char title[64];
	int owner;
	char tags[40];
	long created;
};
static struct ticket_cold *cold;
#else
struct ticket {
	long id;
	char title[64];
	long due;
	int owner;
	char tags[40];
	int open;
	long created;
};
#endif
static struct ticket *tickets;
__attribute__((noinline)) static long escalate(long n, long now)
{
	long late = 0;
	for (long i = 0; i < n; i++)
		if (tickets[i].open && tickets[i].due < now) {
			tickets[i].due += 1000000;
			late++;
		}
	return late;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	tickets = calloc(n, sizeof(*tickets));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++)
		tickets[i].due = 1000 + i * 3, tickets[i].open = i % 7 > 0;
	for (long k = 0; k < atol(argv[2]); k++)
		sum += escalate(n, 1000 + k * 40);
	printf("%ld\n", sum);
}
