// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Toll stations: cars pass in no order, and each pass adds to a balance.
 *
 * case: account split 320000 27000000
 * case: account split 200 240000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct terms {
	char plate[24], owner[40];
	uint32_t class, discount;
	uint64_t opened, limit;
};
struct account {
#ifdef NEW
	uint64_t passes;
	int64_t balance;
#else
	char plate[24];
	uint64_t passes;
	char owner[40];
	uint32_t class, discount;
	uint64_t opened, limit;
	int64_t balance;
#endif
};
static struct account *accounts;
#ifdef NEW
static struct terms *terms;
#define TERMS(i) terms[i]
#else
#define TERMS(i) accounts[i]
#endif
__attribute__((noinline)) static void pass(uint64_t cars, uint32_t n)
{
	uint64_t r = 12345;
	for (uint64_t i = 0; i < cars; i++) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		struct account *a = &accounts[(r >> 32) * n >> 32];
		a->passes++;
		a->balance -= 3;
	}
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]);
	uint64_t sum = 0;
	accounts = calloc(n, sizeof(*accounts));
#ifdef NEW
	terms = calloc(n, sizeof(*terms));
#endif
	for (uint32_t i = 0; i < n; i++) {
		snprintf(TERMS(i).plate, 24, "P%u", i);
		TERMS(i).class = i % 3;
		accounts[i].balance = i;
	}
	pass(strtoul(v[2], NULL, 10), n);
	for (uint32_t i = 0; i < n; i++)
		sum += accounts[i].passes * (TERMS(i).class + 1) + (uint64_t)accounts[i].balance;
	printf("%lu\n", sum);
}
