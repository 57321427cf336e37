// SPDX-License-Identifier: GPL-2.0-or-later
/* Snapshots of a large state by memcpy(), and of a part of it. */
#include <stdlib.h>
#include <string.h>

struct cell {
	double mass, heat;
};
struct state {
	long step;
	struct cell cells[500];
};
struct limits {
	double low[6], high[6];
};
static struct state now, before;
static struct limits limits, kept;

#define OWN __attribute__((noinline))

// COPY: struct state CALL
OWN void keep(void)
{
	memcpy(&before, &now, sizeof(now));
}
// COPY: struct limits
OWN void keep_limits(struct limits *to, const struct limits *from)
{
	memcpy(to, from, sizeof(*to));
}
// COPY: struct cell
OWN void swap(struct cell *a, struct cell *b)
{
	struct cell t = *a;
	*a = *b;
	*b = t;
}

OWN double work(long rounds)
{
	double sum = 0;

	for (long i = 0; i < rounds; i++) {
		keep();
		for (int k = 0; k < 16; k++) {
			keep_limits(&kept, &limits);
			swap(&now.cells[k], &now.cells[k + 16]);
		}
		for (int k = 0; k < 100; k++)
			sum += now.cells[k].heat * before.cells[k].mass;
	}
	return sum;
}

int main(int argc, char **argv)
{
	return work(argc > 1 ? atol(argv[1]) : 2000000) == 1;
}
