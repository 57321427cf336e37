// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stops of a tram network: the length of all lines, which name their stops by number.
 *
 * case: stop split 260000 42
 * case: stop split 300 95
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct about {
	char name[40], zone[8];
	uint32_t shelters, benches;
	uint64_t built;
};
struct stop {
#ifdef NEW
	float x, y;
#else
	char name[40];
	float x;
	char zone[8];
	uint32_t shelters, benches;
	float y;
	uint64_t built;
#endif
};
static struct stop *stops;
#ifdef NEW
static struct about *abouts;
#define ABOUT(i) abouts[i]
#else
#define ABOUT(i) stops[i]
#endif
__attribute__((noinline)) static double length(const uint32_t *line, uint64_t count)
{
	double sum = 0;
	float x = 0, y = 0;
	for (uint64_t i = 0; i < count; i++) {
		const struct stop *s = &stops[line[i]];
		float dx = s->x - x, dy = s->y - y;
		sum += (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
		x = s->x;
		y = s->y;
	}
	return sum;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), rounds = atoi(v[2]);
	uint64_t count = 1000000;
	uint32_t *line = malloc(count * 4);
	double sum = 0;
	uint64_t seed = 3;
	stops = calloc(n, sizeof(*stops));
#ifdef NEW
	abouts = calloc(n, sizeof(*abouts));
#endif
	for (uint32_t i = 0; i < n; i++) {
		stops[i].x = i % 977;
		stops[i].y = i % 613;
		ABOUT(i).benches = i % 5;
		ABOUT(i).built = i;
		ABOUT(i).name[0] = 's';
	}
	for (uint64_t i = 0; i < count; i++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		line[i] = (seed >> 33) % n;
	}
	for (uint32_t r = 0; r < rounds; r++)
		sum += length(line + r % 64, count - 64);
	for (uint32_t i = 0; i < n; i++)
		sum += ABOUT(i).benches + ABOUT(i).built % 3;
	printf("%.0f\n", sum);
	return c < 0;
}
