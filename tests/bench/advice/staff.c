// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of a table, of which a query needs two columns.
 *
 * compiler: clang
 * case: person split 600000 120
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct person {
	int department;
	int salary;
};
struct person_cold {
	long id;
	char name[48];
	char notes[40];
	int born;
	int left;
};
static struct person_cold *cold;
#else
struct person {
	long id;
	char name[48];
	int department;
	int born;
	char notes[40];
	int salary;
	int left;
};
#endif
static struct person *people;
__attribute__((noinline)) static long paid(long n, int department)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		if (people[i].department == department)
			sum += people[i].salary;
	return sum;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	people = calloc(n, sizeof(*people));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++)
		people[i].department = (int)(i * 2654435761u >> 16) % 12,
		people[i].salary = (int)(i % 9000);
	for (long k = 0; k < atol(argv[2]); k++)
		sum += paid(n, (int)(k % 12));
	printf("%ld\n", sum);
}
