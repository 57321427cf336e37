// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Vehicles: the one that is farthest from a place is searched for.
 *
 * case: vehicle split 350000 260
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct vehicle {
	double x, y;
	int active;
};
struct vehicle_cold {
	long id;
	char plate[16];
	char driver[40];
	long serviced;
	int fuel;
};
static struct vehicle_cold *cold;
#else
struct vehicle {
	long id;
	double x;
	char plate[16];
	char driver[40];
	double y;
	long serviced;
	int fuel;
	int active;
};
#endif
static struct vehicle *fleet;
__attribute__((noinline)) static double spread(long n, double x, double y)
{
	double most = 0;
	for (long i = 0; i < n; i++) {
		double dx = fleet[i].x - x, dy = fleet[i].y - y;
		double r = sqrt(dx * dx + dy * dy) * fleet[i].active;
		most = r > most ? r : most;
	}
	return most;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	double sum = 0;
	fleet = calloc(n, sizeof(*fleet));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++)
		fleet[i].x = i % 1000, fleet[i].y = i / 1000, fleet[i].active = i % 3 > 0;
	for (long k = 0; k < atol(argv[2]); k++)
		sum += spread(n, k, k);
	printf("%g\n", sum);
}
