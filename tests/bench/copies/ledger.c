// SPDX-License-Identifier: GPL-2.0-or-later
/* A ledger in several files, whose copies are in functions that link-time optimization moves
 * between its parts. */
#include "ledger.h"

OWN long work(struct ledger *ledger, long rounds)
{
	long sum = 0;

	for (long i = 0; i < rounds; i++) {
		long at = i * 7 & 63;

		post(&ledger->entries[at], &ledger->entries[at + 64]);
		ledger->entries[at + 1] = entry_of(ledger, at);
		note_total(ledger, &ledger->entries[at]);
		close_page(ledger, i & 3);
		for (int k = 0; k < 24; k++)
			sum += ledger->entries[(at + k) & 127].count ^ sum << 1;
	}
	return sum;
}

int main(int argc, char **argv)
{
	struct ledger *ledger = calloc(1, sizeof(*ledger));

	return work(ledger, argc > 1 ? atol(argv[1]) : 12000000) == 1;
}
