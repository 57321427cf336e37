// SPDX-License-Identifier: GPL-2.0-or-later
/* C as it is written: lists, trees, a hash table, unions, headers before strings, callbacks, arrays of
 * structs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define NOINLINE                            __attribute__((noinline))
#define container_of(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

struct link {
	struct link *next, *previous;
};

enum kind { KIND_NUMBER, KIND_TEXT, KIND_RATIO };

struct text {
	uint32_t length;
	uint32_t room;
	char bytes[];
};

struct amount {
	enum kind kind;
	union {
		long number;
		struct text *text;
		struct {
			int upper, lower;
		} ratio;
	} as;
};

struct account {
	struct account *left, *right;
	int number;
	unsigned int open : 1;
	unsigned int level : 5;
	struct link queue;
	struct amount *entries;
	size_t count;
	short days[7];
};

struct operations {
	long (*weigh)(const struct account *account);
	void (*close)(struct account *account);
	const char *name;
};

struct bucket {
	struct account *account;
	uint64_t hash;
};

struct ledger {
	struct account *root;
	struct link waiting;
	struct bucket *buckets;
	size_t mask;
	const struct operations *operations;
	double totals[4];
	struct {
		long lookups, misses;
	} statistics;
};

ARENA_OF(struct ledger, ledger)
ARENA_OF(struct account, account)
ARENA_OF(struct amount, amount)
ARENA_OF(struct bucket, bucket)

static NOINLINE long account_weigh(const struct account *account)
{
	long sum = 0;

	for (size_t i = 0; i < account->count; i++) {
		const struct amount *entry = &account->entries[i];

		switch (entry->kind) {
		case KIND_NUMBER: sum += entry->as.number; break;
		case KIND_TEXT: sum += entry->as.text ? entry->as.text->length : 0; break;
		case KIND_RATIO: sum += entry->as.ratio.upper / entry->as.ratio.lower; break;
		}
	}
	for (int i = 0; i < 7; i++)
		sum += account->days[i];
	return sum;
}

static NOINLINE void account_close(struct account *account)
{
	account->open = 0;
	account->level++;
}

static const struct operations plain = { account_weigh, account_close, "plain" };

static NOINLINE struct account *ledger_insert(struct ledger *ledger, int number)
{
	struct account **place = &ledger->root, *made;

	while (*place)
		place = number < (*place)->number ? &(*place)->left : &(*place)->right;
	made = account_take(1);
	*place = made;
	made->number = number;
	made->open = 1;
	made->queue.next = &ledger->waiting;
	made->queue.previous = ledger->waiting.previous;
	ledger->waiting.previous->next = &made->queue;
	ledger->waiting.previous = &made->queue;
	made->count = (size_t)number % 5;
	made->entries = amount_take(made->count + 1);
	for (size_t i = 0; i < made->count; i++) {
		made->entries[i].kind = i % 2 ? KIND_RATIO : KIND_NUMBER;
		if (i % 2) {
			made->entries[i].as.ratio.upper = number;
			made->entries[i].as.ratio.lower = (int)i;
		} else {
			made->entries[i].as.number = number;
		}
	}
	for (int i = 0; i < 7; i++)
		made->days[i] = (short)(i * number);
	return made;
}

static NOINLINE void ledger_hash(struct ledger *ledger, struct account *account)
{
	uint64_t hash = (uint64_t)account->number * 0x9e3779b97f4a7c15u;
	size_t at = hash & ledger->mask;

	while (ledger->buckets[at].account)
		at = (at + 1) & ledger->mask;
	ledger->buckets[at].account = account;
	ledger->buckets[at].hash = hash;
}

static NOINLINE struct account *ledger_find(struct ledger *ledger, int number)
{
	uint64_t hash = (uint64_t)number * 0x9e3779b97f4a7c15u;

	ledger->statistics.lookups++;
	for (size_t at = hash & ledger->mask; ledger->buckets[at].account; at = (at + 1) & ledger->mask) {
		struct bucket *bucket = &ledger->buckets[at];

		if (bucket->hash == hash && bucket->account->number == number)
			return bucket->account;
	}
	ledger->statistics.misses++;
	return NULL;
}

static NOINLINE long ledger_walk(const struct account *account, long (*visit)(const struct account *))
{
	if (!account)
		return 0;
	return ledger_walk(account->left, visit) + visit(account) + ledger_walk(account->right, visit);
}

static NOINLINE long ledger_queue(struct ledger *ledger)
{
	long sum = 0;

	for (struct link *at = ledger->waiting.next; at != &ledger->waiting; at = at->next) {
		struct account *account = container_of(at, struct account, queue);

		sum += account->number + account->level;
		if (account->number % 2)
			ledger->operations->close(account);
		ledger->totals[account->number & 3] += ledger->operations->weigh(account);
	}
	return sum;
}

static NOINLINE int by_hash(const void *left, const void *right)
{
	const struct bucket *a = left, *b = right;

	return a->hash < b->hash ? -1 : a->hash > b->hash;
}

static NOINLINE double ledger_total(const struct ledger *ledger)
{
	double sum = 0;

	for (int i = 0; i < 4; i++)
		sum += ledger->totals[i];
	return sum + ledger->statistics.misses;
}

static NOINLINE long run(struct ledger *ledger)
{
	long sum = 0;

	for (int i = 0; i < 40; i++)
		ledger_hash(ledger, ledger_insert(ledger, i * 37 % 101));
	for (int i = 0; i < 60; i++) {
		struct account *found = ledger_find(ledger, i);

		if (found)
			sum += found->days[i % 7];
	}
	sum += ledger_walk(ledger->root, ledger->operations->weigh) + ledger_queue(ledger);
	qsort(ledger->buckets, 40, sizeof(*ledger->buckets), by_hash);
	return sum + (long)ledger_total(ledger);
}

int main(void)
{
	struct ledger *ledger = ledger_take(1);

	ledger->buckets = bucket_take(128);
	ledger->mask = 127;
	ledger->waiting.next = ledger->waiting.previous = &ledger->waiting;
	ledger->operations = &plain;
	language_mark();
	long sum = run(ledger);

	language_mark();
	printf("%ld\n", sum);
	return 0;
}
