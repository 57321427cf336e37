// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Posts of a forum in a hash table without lists: those that a visitor asks for are found and
 * counted.
 *
 * case: post split 262144 12000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct text {
	char title[48], author[16];
	uint64_t written;
};
struct post {
#ifdef NEW
	uint32_t id, reads;
#else
	char title[48];
	uint32_t id;
	char author[16];
	uint64_t written;
	uint32_t reads;
#endif
};
static struct post *posts;
static uint32_t mask;
#ifdef NEW
static struct text *texts;
#define TEXT(i) texts[i]
#else
#define TEXT(i) posts[i]
#endif
__attribute__((noinline)) static uint32_t find(uint32_t id)
{
	uint32_t at = id * 2654435761u >> 7 & mask;
	while (posts[at].id && posts[at].id != id)
		at = (at + 1) & mask;
	return at;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), count = n / 2;
	uint64_t visits = atol(v[2]), r = 23, sum = 0;
	mask = n - 1;
	posts = calloc(n, sizeof(*posts));
#ifdef NEW
	texts = calloc(n, sizeof(*texts));
#endif
	for (uint32_t i = 1; i <= count; i++) {
		uint32_t at = find(i);
		posts[at].id = i;
		TEXT(at).written = i;
		TEXT(at).title[0] = 'p';
	}
	for (uint64_t i = 0; i < visits; i++) {
		r = r * 6364136223846793005ul + 1442695040888963407ul;
		posts[find(1 + (r >> 33) % count)].reads++;
	}
	for (uint32_t i = 0; i < n; i++)
		sum += posts[i].reads * (uint64_t)posts[i].id + TEXT(i).written;
	printf("%lu\n", sum);
	return c < 0;
}
