// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nets of a circuit board are joined one wire after another: union by size, paths halved.
 *
 * case: net split 600000 9000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct label {
	char name[40];
	float x, y;
	uint64_t made;
	uint32_t colour;
};
struct net {
	uint32_t size;
	uint32_t up;
#ifndef NEW
	struct label label;
	char layer;
#endif
};
#ifdef NEW
static struct label *labels;
static char *layers;
#define LABEL(i) labels[i]
#define LAYER(i) layers[i]
#else
#define LABEL(i) nets[i].label
#define LAYER(i) nets[i].layer
#endif
static struct net *nets;
static uint32_t top(uint32_t i)
{
	while (nets[i].up != i) {
		nets[i].up = nets[nets[i].up].up;
		i = nets[i].up;
	}
	return i;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), wires = atoi(v[2]), joined = 0;
	uint64_t r = 88172645463325252u;
	nets = calloc(n, sizeof(*nets));
#ifdef NEW
	labels = calloc(n, sizeof(*labels));
	layers = calloc(n, 1);
#endif
	for (uint32_t i = 0; i < n; i++) {
		nets[i].up = i;
		nets[i].size = 1;
		LABEL(i).x = i % 100;
		LABEL(i).colour = i;
		LAYER(i) = i % 4;
	}
	for (uint32_t w = 0; w < wires; w++) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		uint32_t a = top((uint32_t)r % n), b = top((r >> 32) % n);
		if (a == b)
			continue;
		if (nets[a].size < nets[b].size) {
			uint32_t t = a;
			a = b;
			b = t;
		}
		nets[b].up = a;
		nets[a].size += nets[b].size;
		joined++;
	}
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += LABEL(i).x + LAYER(i);
	printf("%u %g\n", joined, sum);
	return c < 0;
}
