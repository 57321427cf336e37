// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Globals, a struct of them, an array that is indexed, the stack and the heap, accessed in turn: what data
 * addresses must agree with. One line alone writes g_stats.hits. `counters N` makes N rounds; without N it
 * runs until it is killed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 1024
#define NODES 512

struct stats {
	uint64_t hits;
	uint64_t misses;
	uint32_t rounds;
};

struct slot {
	uint64_t key;
	uint32_t uses;
	uint32_t flags;
};

struct node {
	struct node *next;
	uint64_t value;
};

struct stats g_stats;
static struct slot slots[SLOTS];

__attribute__((noinline)) static void count_hit(uint64_t by)
{
	g_stats.hits += by; /* hits */
}

__attribute__((noinline)) static void count_miss(void)
{
	g_stats.misses++;
}

__attribute__((noinline)) static uint64_t use_slots(uint64_t start)
{
	uint64_t found = 0;

	for (unsigned int i = 0; i < SLOTS; i++) {
		struct slot *slot = &slots[(start + i * 17) % SLOTS];

		slot->uses += 1;
		found += slot->key & slot->flags;
	}
	return found;
}

__attribute__((noinline)) static uint64_t use_stack(uint64_t seed)
{
	uint32_t window[256], sum = 0;

	for (unsigned int i = 0; i < 256; i++)
		window[i] = (uint32_t)(seed + i);
	/* The compiler must not know what the array holds. Each addition then has a memory operand, and keeps
	 * the registers of its address. */
	__asm__ volatile("" : : "r"(window) : "memory");
	for (unsigned int i = 0; i < 2048; i++)
		sum += window[(seed + i * 7) % 256];
	return sum;
}

__attribute__((noinline)) static uint64_t use_nodes(const struct node *node)
{
	uint64_t sum = 0;

	for (; node; node = node->next)
		sum += node->value;
	return sum;
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : UINT64_MAX, sum = 0;
	struct node *nodes = NULL;

	for (unsigned int i = 0; i < NODES; i++) {
		struct node *node = malloc(sizeof(*node));

		if (!node)
			return 1;
		node->value = i;
		node->next = nodes;
		nodes = node;
	}
	for (unsigned int i = 0; i < SLOTS; i++)
		slots[i].key = i;
	for (uint64_t i = 0; i < rounds; i++) {
		sum += use_slots(i) + use_stack(i) + use_nodes(nodes);
		if (sum % 3)
			count_hit(sum % 5);
		else
			count_miss();
		g_stats.rounds++;
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
