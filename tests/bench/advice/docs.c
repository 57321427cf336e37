// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Documents whose titles are hashed: computation.
 *
 * case: doc split 20000 400
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct doc {
	char title[64];
	unsigned hash;
};
struct doc_cold {
	long id;
	char author[40];
	long size;
};
static struct doc_cold *cold;
#else
struct doc {
	long id;
	char title[64];
	char author[40];
	long size;
	unsigned hash;
};
#endif
static struct doc *docs;
__attribute__((noinline)) static void digest(long n)
{
	for (long i = 0; i < n; i++) {
		unsigned h = docs[i].hash;
		for (int k = 0; k < 64; k++)
			h = (h ^ (unsigned char)docs[i].title[k]) * 16777619u;
		docs[i].hash = h;
	}
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	docs = calloc(n, sizeof(*docs));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++)
		snprintf(docs[i].title, sizeof(docs[i].title), "document %ld", i);
	for (long k = 0; k < atol(argv[2]); k++)
		digest(n);
	for (long i = 0; i < n; i++)
		sum += docs[i].hash;
	printf("%ld\n", sum);
}
