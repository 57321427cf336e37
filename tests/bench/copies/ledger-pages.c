// SPDX-License-Identifier: GPL-2.0-or-later
#include "ledger.h"

static inline void set_total(struct total *to, const struct total *from)
{
	*to = *from;
}
// COPY: struct total
OWN void note_total(struct ledger *ledger, const struct entry *entry)
{
	set_total(&ledger->total, &entry->total);
}
// COPY: struct page
OWN void close_page(struct ledger *ledger, long at)
{
	ledger->closed[at] = ledger->pages[at];
}
