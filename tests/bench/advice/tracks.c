// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A query over a list of songs: those of some years are counted by their genre.
 *
 * case: track split 200000 600
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct track {
	uint16_t year, genre;
	uint32_t plays;
};
struct track_cold {
	char title[40];
	char artist[32];
	uint32_t length, rate;
	uint64_t file;
};
static struct track_cold *colds;
#define COLD(i) colds[i]
#else
struct track {
	char title[40];
	char artist[32];
	uint16_t year, genre;
	uint32_t length, rate;
	uint64_t file;
	uint32_t plays;
};
#define COLD(i) tracks[i]
#endif
static struct track *tracks;

int main(int argc, char **argv)
{
	size_t n = atol(argv[1]), queries = atol(argv[2]);
	uint64_t counts[64] = { 0 }, sum = 0;

	tracks = calloc(n, sizeof(*tracks));
#ifdef NEW
	colds = calloc(n, sizeof(*colds));
#endif
	srand(1);
	for (size_t i = 0; i < n; i++) {
		snprintf(COLD(i).title, sizeof(COLD(i).title), "song %zu", i);
		tracks[i].year = 1950 + rand() % 70;
		tracks[i].genre = rand() % 64;
		tracks[i].plays = rand() % 1000;
	}
	for (size_t q = 0; q < queries; q++)
		for (size_t i = 0; i < n; i++)
			if (tracks[i].year >= 1950 + q % 60 && tracks[i].year < 1960 + q % 60)
				counts[tracks[i].genre] += tracks[i].plays;
	for (int i = 0; i < 64; i++)
		sum = sum * 31 + counts[i];
	printf("%lu %s\n", sum, COLD(n / 2).title);
	return argc < 0;
}
