// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rooms of hotels: free ones of a kind are counted, and their prices added up.
 *
 * case: room split 320000 220
 * case: room split 800 400000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct about {
	char hotel[40], view[16];
	uint64_t cleaned;
	uint32_t area, windows;
	double deposit;
};
struct room {
#ifdef NEW
	uint32_t until, price;
	uint8_t kind;
#else
	char hotel[40];
	uint32_t until;
	char view[16];
	uint64_t cleaned;
	uint8_t kind;
	uint32_t area, windows;
	double deposit;
	uint32_t price;
#endif
};
static struct room *rooms;
#ifdef NEW
static struct about *abouts;
#define ABOUT(i) abouts[i]
#else
#define ABOUT(i) rooms[i]
#endif
__attribute__((noinline)) static uint64_t offers(uint32_t n, uint32_t day, uint8_t kind)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < n; i++)
		if (rooms[i].kind == kind && rooms[i].until < day)
			sum += rooms[i].price;
	return sum;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), days = atoi(v[2]);
	uint64_t sum = 0;
	rooms = calloc(n, sizeof(*rooms));
#ifdef NEW
	abouts = calloc(n, sizeof(*abouts));
#endif
	for (uint32_t i = 0; i < n; i++) {
		rooms[i].until = rand() % 365;
		rooms[i].price = 40 + rand() % 200;
		rooms[i].kind = rand() % 4;
		ABOUT(i).area = i % 50;
		ABOUT(i).hotel[0] = 'a';
		ABOUT(i).deposit = i;
	}
	for (uint32_t d = 0; d < days; d++)
		sum += offers(n, d * 2 % 365, d % 4);
	for (uint32_t i = 0; i < n; i++)
		sum += ABOUT(i).area;
	printf("%lu\n", sum);
	return c < 0;
}
