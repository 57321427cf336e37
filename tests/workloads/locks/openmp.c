// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The locks of OpenMP. Prints the truth: address, size, and the names that are right.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct cell {
	long id;
	omp_lock_t lock;
	long value;
};

__attribute__((noinline)) static void bump(struct cell *cell)
{
	omp_set_lock(&cell->lock);
	cell->value++;
	usleep(100);
	omp_unset_lock(&cell->lock);
}

int main(void)
{
	struct cell *cell = calloc(1, sizeof(*cell));

	omp_init_lock(&cell->lock);
	printf("%p %zu struct cell (lock)\n", (void *)&cell->lock, sizeof(cell->lock));
	fflush(stdout);
#pragma omp parallel for num_threads(4) schedule(static)
	for (int i = 0; i < 400; i++) {
		bump(cell);
		/* threads wait for the others at the end */
		if (i % 100 == 99)
			usleep(1000 * (i / 100));
	}
	return cell->value != 400;
}
