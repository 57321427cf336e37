/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of a record's members, as far as its declaration and assertions about it fix it.
 *
 * People write such things in comments ("MUST BE FIRST!", "do not reorder"), as assertions on
 * offsets, and by declaring another record that begins alike. Comments are searched for the phrases
 * of a list, so not all of them are understood.
 */
#pragma once

#include "report/layout/source.h"

enum source_order_kind {
	ORDER_FIRST,    /* a comment says that the member is first */
	ORDER_LAST,     /* a comment says that the member is last */
	ORDER_KEPT,     /* a comment says that members stay where they are */
	ORDER_ASSERTED, /* an assertion on the offset of a member */
	ORDER_PREFIX,   /* another record begins with the same members */
	ORDER_DOUBT,    /* a comment says that something else depends on members */
};

struct source_order {
	enum source_order_kind kind;
	uint32_t record;    /* index */
	const char *member; /* the first name of the declaration; NULL: of the whole record */
	const char *other;  /* ORDER_PREFIX: the record that begins alike */
	size_t count;       /* ORDER_PREFIX: declarations that both have */
	bool apart; /* ORDER_PREFIX: no text names both, so hardly one is taken for the other */
	const char *path;
	unsigned int line;
};

struct source_orders {
	struct source_order *items; /* by record */
	size_t count, capacity;
	struct arena arena;
};

void source_orders_init(struct source_orders *orders, const struct source_record *records,
			size_t record_count, const struct source_text *sources,
			size_t source_count);
void source_orders_deinit(struct source_orders *orders);
