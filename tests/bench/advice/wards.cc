// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Wards of a city, each allocated by itself and visited in the order of their numbers.
 *
 * case: Ward reorder 150000 600
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
struct Ward {
#ifdef NEW
	uint32_t born, died, moved;
	char name[60];
	double area, height;
	uint64_t codes[8];
#else
	uint32_t born;
	char name[60];
	uint32_t died;
	double area, height;
	uint64_t codes[8];
	uint32_t moved;
#endif
};
static std::vector<Ward *> wards;
__attribute__((noinline)) static uint64_t grow(uint32_t year)
{
	uint64_t all = 0;
	for (Ward *w : wards) {
		w->moved += year & 3;
		all += w->born - w->died + w->moved;
	}
	return all;
}
int main(int argc, char **argv)
{
	uint32_t n = atoi(argv[1]), years = atoi(argv[2]);
	uint64_t sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		Ward *w = (Ward *)calloc(1, sizeof(Ward));
		w->born = i % 90;
		w->died = i % 80;
		w->area = i;
		wards.push_back(w);
	}
	for (uint32_t y = 0; y < years; y++)
		sum += grow(y);
	for (Ward *w : wards)
		sum += (uint64_t)w->area;
	printf("%lu\n", (unsigned long)sum);
	return argc < 0;
}
