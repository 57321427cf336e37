// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hash table whose slots point to symbols that have the hash: with the hash beside the pointer,
 * a slot of another symbol is passed without a look at it.
 *
 * case: slot beside 300000 5000000
 * case: slot beside 300 30000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct symbol {
	char text[24];
	uint32_t hash, kind;
	uint64_t address, size;
};
struct slot {
#ifdef NEW
	uint32_t hash;
#endif
	struct symbol *symbol;
};
static struct slot *slots;
static uint32_t mask;
static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261u;
	while (*text)
		hash = (hash ^ (unsigned char)*text++) * 16777619u;
	return hash;
}
static struct slot *place(const char *text, uint32_t hash)
{
	uint32_t at = hash & mask;
	for (; slots[at].symbol; at = (at + 1) & mask) {
#ifdef NEW
		if (slots[at].hash != hash)
			continue;
#endif
		if (slots[at].symbol->hash == hash && !strcmp(slots[at].symbol->text, text))
			break;
	}
	return &slots[at];
}
__attribute__((noinline)) static int is_known(const char *text)
{
	return place(text, hash_of(text))->symbol != NULL;
}
int main(int argc, char **argv)
{
	uint32_t n = (uint32_t)atol(argv[1]), seed = 9;
	long sum = 0;
	char text[24];
	for (mask = 1; mask < n + n / 3; mask = 2 * mask + 1)
		;
	slots = calloc(mask + 1, sizeof(*slots));
	for (uint32_t i = 0; i < n; i++) {
		struct symbol *s = calloc(1, sizeof(*s));
		snprintf(s->text, sizeof(s->text), "s%x", i);
		s->hash = hash_of(s->text);
		struct slot *slot = place(s->text, s->hash);
		slot->symbol = s;
#ifdef NEW
		slot->hash = s->hash;
#endif
	}
	for (long k = atol(argv[2]); k; k--) {
		seed = seed * 1664525u + 1013904223u;
		uint32_t i = (uint32_t)(((uint64_t)seed * (2 * n)) >> 32), length = 0;
		char digits[8];
		do
			digits[length++] = "0123456789abcdef"[i & 15];
		while (i >>= 4);
		text[0] = 's';
		for (uint32_t d = 0; d < length; d++)
			text[1 + d] = digits[length - 1 - d];
		text[1 + length] = 0;
		sum += is_known(text);
	}
	printf("%ld\n", sum);
}
