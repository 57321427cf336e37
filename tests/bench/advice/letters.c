// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Distances between words, which are computed letter by letter: the records are no matter.
 *
 * case: word split 3000 20
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct word {
	char text[24];
	int length, best;
};
struct word_cold {
	char note[64];
	long seen, added;
};
static struct word_cold *colds;
#define COLD(i) colds[i]
#else
struct word {
	char text[24];
	int length;
	char note[64];
	long seen, added;
	int best;
};
#define COLD(i) words[i]
#endif
static struct word *words;

static int distance(const struct word *a, const struct word *b)
{
	int row[25], i, k;

	for (k = 0; k <= b->length; k++)
		row[k] = k;
	for (i = 1; i <= a->length; i++) {
		int before = row[0];

		row[0] = i;
		for (k = 1; k <= b->length; k++) {
			int up = row[k], cost = before + (a->text[i - 1] != b->text[k - 1]);

			if (up + 1 < cost)
				cost = up + 1;
			if (row[k - 1] + 1 < cost)
				cost = row[k - 1] + 1;
			row[k] = cost;
			before = up;
		}
	}
	return row[b->length];
}

int main(int argc, char **argv)
{
	int n = atoi(argv[1]), rounds = atoi(argv[2]);
	long sum = 0;

	words = calloc(n, sizeof(*words));
#ifdef NEW
	colds = calloc(n, sizeof(*colds));
#endif
	for (int i = 0; i < n; i++) {
		words[i].length = 4 + rand() % 12;
		for (int k = 0; k < words[i].length; k++)
			words[i].text[k] = 'a' + rand() % 6;
		COLD(i).seen = i;
	}
	for (int r = 0; r < rounds; r++)
		for (int i = r; i < n; i += 40) {
			words[i].best = 99;
			for (int k = 0; k < n; k++) {
				int d = i == k ? 99 : distance(&words[i], &words[k]);

				if (d < words[i].best)
					words[i].best = d;
			}
			sum += words[i].best + COLD(i).seen;
		}
	printf("%ld\n", sum);
	return argc < 0;
}
