/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#define OWN __attribute__((noinline))

struct total {
	long debit, credit;
	char currency[8], unit[8];
};
struct entry {
	long id, count;
	struct total total;
	char text[56];
};
struct page {
	struct total totals[5];
	long number, first, last;
};
struct ledger {
	struct entry entries[128];
	struct page pages[4], closed[4];
	struct total total;
};

void post(struct entry *to, const struct entry *from);
struct entry entry_of(const struct ledger *ledger, long at);
void note_total(struct ledger *ledger, const struct entry *entry);
void close_page(struct ledger *ledger, long at);
