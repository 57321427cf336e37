// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Seats of a stadium are booked and given back in no order.
 *
 * case: seat split 350000 40000000
 * case: seat split 250 250000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct plate {
	char row[24], sponsor[32];
	double width;
	uint64_t cleaned;
};
struct seat {
#ifdef NEW
	uint32_t booked, guest;
#else
	char row[24];
	uint32_t booked;
	char sponsor[32];
	double width;
	uint64_t cleaned;
	uint32_t guest;
#endif
};
static struct seat *seats;
#ifdef NEW
static struct plate *plates;
#define PLATE(i) plates[i]
#else
#define PLATE(i) seats[i]
#endif
__attribute__((noinline)) static uint64_t book(uint64_t count, uint32_t n)
{
	uint64_t r = 12345, free = 0;
	for (uint64_t i = 0; i < count; i++) {
		r = r * 6364136223846793005ul + 1442695040888963407ul;
		struct seat *s = &seats[(r >> 33) % n];
		s->booked ^= 1;
		s->guest += (uint32_t)i;
		free += s->booked;
	}
	return free;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]);
	uint64_t sum;
	seats = calloc(n, sizeof(*seats));
#ifdef NEW
	plates = calloc(n, sizeof(*plates));
#endif
	for (uint32_t i = 0; i < n; i++) {
		PLATE(i).cleaned = i;
		PLATE(i).width = 0.5;
		PLATE(i).row[0] = 'r';
	}
	sum = book(atol(v[2]), n);
	for (uint32_t i = 0; i < n; i++)
		sum += PLATE(i).cleaned + seats[i].guest;
	printf("%lu\n", sum);
	return c < 0;
}
