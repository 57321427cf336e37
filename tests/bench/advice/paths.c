// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shortest paths on a map of square fields with a heap of their numbers: what is needed to draw a
 * field lies in its record, too.
 *
 * case: field split 1000 3
 * case: field split 50 2500
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct look {
	char picture[24];
	float red, green, blue, light;
	uint32_t owner, flags;
};
struct field {
	uint32_t cost, distance, from;
	uint8_t done, height;
#ifndef NEW
	struct look look;
#endif
};
#ifdef NEW
static struct look *looks;
#define LOOK(i) looks[i]
#else
#define LOOK(i) fields[i].look
#endif
static struct field *fields;
static uint32_t *heap, *keys, used;

static void push(uint32_t key, uint32_t number)
{
	uint32_t i = used++;

	for (; i && keys[(i - 1) / 2] > key; i = (i - 1) / 2)
		keys[i] = keys[(i - 1) / 2], heap[i] = heap[(i - 1) / 2];
	keys[i] = key, heap[i] = number;
}

static uint32_t pop(void)
{
	uint32_t top = heap[0], key = keys[--used], number = heap[used], i = 0;

	for (uint32_t c; (c = 2 * i + 1) < used; i = c) {
		if (c + 1 < used && keys[c + 1] < keys[c])
			c++;
		if (keys[c] >= key)
			break;
		keys[i] = keys[c], heap[i] = heap[c];
	}
	keys[i] = key, heap[i] = number;
	return top;
}

static uint64_t search(uint32_t side, uint32_t start)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < side * side; i++)
		fields[i].distance = UINT32_MAX, fields[i].done = 0;
	fields[start].distance = 0;
	push(0, start);
	while (used) {
		uint32_t at = pop(), x = at % side, y = at / side;
		uint32_t to[4] = { at - 1, at + 1, at - side, at + side };
		int inside[4] = { x > 0, x + 1 < side, y > 0, y + 1 < side };

		if (fields[at].done)
			continue;
		fields[at].done = 1;
		sum += fields[at].distance;
		for (int d = 0; d < 4; d++) {
			if (!inside[d])
				continue;
			struct field *f = &fields[to[d]];
			uint32_t distance = fields[at].distance + f->cost;

			if (distance < f->distance) {
				f->distance = distance;
				f->from = at;
				push(distance, to[d]);
			}
		}
	}
	return sum;
}

int main(int argc, char **argv)
{
	uint32_t side = atoi(argv[1]), rounds = atoi(argv[2]);
	uint64_t sum = 0;

	fields = calloc(side * side, sizeof(*fields));
#ifdef NEW
	looks = calloc(side * side, sizeof(*looks));
#endif
	heap = malloc(4 * side * side * sizeof(*heap));
	keys = malloc(4 * side * side * sizeof(*keys));
	srand(1);
	for (uint32_t i = 0; i < side * side; i++) {
		fields[i].cost = rand() % 90 + 10;
		fields[i].height = rand() % 10;
		LOOK(i).light = i;
	}
	for (uint32_t i = 0; i < rounds; i++)
		sum += search(side, rand() % (side * side));
	printf("%lu %g\n", sum, LOOK(side).light);
	return argc < 0;
}
