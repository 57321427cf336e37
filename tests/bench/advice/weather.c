// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stations: each loop uses one of their fields.
 *
 * case: station peel 400000 90
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
static double *wind, *rain, *heat;
struct station_rest {
	double pressure, humidity, sun, snow, cloud, dew, gust;
};
static struct station_rest *rest;
#define WIND(i) wind[i]
#define RAIN(i) rain[i]
#define HEAT(i) heat[i]
#else
struct station {
	double wind, pressure, humidity, rain, sun, snow, cloud, heat, dew, gust;
};
static struct station *stations;
#define WIND(i) stations[i].wind
#define RAIN(i) stations[i].rain
#define HEAT(i) stations[i].heat
#endif
__attribute__((noinline)) static double storms(long n)
{
	double most = 0;
	for (long i = 0; i < n; i++)
		most = WIND(i) > most ? WIND(i) : most;
	return most;
}
__attribute__((noinline)) static double rainfall(long n)
{
	double sum = 0;
	for (long i = 0; i < n; i++)
		sum += RAIN(i);
	return sum;
}
__attribute__((noinline)) static void warm(long n)
{
	for (long i = 0; i < n; i++)
		HEAT(i) += 0.01;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	double sum = 0;
#ifdef NEW
	wind = calloc(n, 8), rain = calloc(n, 8), heat = calloc(n, 8),
	rest = calloc(n, sizeof(*rest));
#else
	stations = calloc(n, sizeof(*stations));
#endif
	for (long i = 0; i < n; i++)
		WIND(i) = i % 33, RAIN(i) = i % 9, HEAT(i) = 10;
	for (long k = 0; k < atol(argv[2]); k++) {
		warm(n);
		sum += storms(n) + rainfall(n);
	}
	printf("%g\n", sum + HEAT(3));
}
