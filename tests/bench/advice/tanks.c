// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An array of which two loops use different fields.
 *
 * case: tank peel 500000 60
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
static double *level, *inflow, *heat, *loss;
struct tank_rest {
	long id;
	char name[32];
	double volume;
	int kind, city;
};
static struct tank_rest *rest;
#define LEVEL(i)  level[i]
#define INFLOW(i) inflow[i]
#define HEAT(i)   heat[i]
#define LOSS(i)   loss[i]
#else
struct tank {
	long id;
	double level;
	char name[32];
	double heat;
	double inflow;
	double volume;
	double loss;
	int kind, city;
};
static struct tank *tanks;
#define LEVEL(i)  tanks[i].level
#define INFLOW(i) tanks[i].inflow
#define HEAT(i)   tanks[i].heat
#define LOSS(i)   tanks[i].loss
#endif
__attribute__((noinline)) static void fill(long n)
{
	for (long i = 0; i < n; i++)
		LEVEL(i) += INFLOW(i);
}
__attribute__((noinline)) static void cool(long n)
{
	for (long i = 0; i < n; i++)
		HEAT(i) -= LOSS(i);
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
#ifdef NEW
	level = calloc(n, 8), inflow = calloc(n, 8);
	heat = calloc(n, 8), loss = calloc(n, 8);
	rest = calloc(n, sizeof(*rest));
#else
	tanks = calloc(n, sizeof(*tanks));
#endif
	for (long i = 0; i < n; i++)
		INFLOW(i) = i % 9, LOSS(i) = 0.5;
	for (long k = 0; k < atol(argv[2]); k++)
		fill(n), cool(n);
	printf("%g\n", LEVEL(n / 2) + HEAT(n / 3));
}
