// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Comets: the place of each one is computed from the elements of its orbit.
 *
 * case: comet split 40000 60
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
struct story {
	char name[32], finder[32];
	int year, pages;
};
struct comet {
#ifdef NEW
	double mean, motion, odd;
#else
	char name[32];
	double mean;
	char finder[32];
	double motion;
	int year, pages;
	double odd;
#endif
};
static struct comet *comets;
#ifdef NEW
static struct story *stories;
#define STORY(i) stories[i]
#else
#define STORY(i) comets[i]
#endif
__attribute__((noinline)) static double places(int n, double day)
{
	double sum = 0;
	for (int i = 0; i < n; i++) {
		double m = comets[i].mean + comets[i].motion * day, e = m;
		for (int k = 0; k < 4; k++)
			e -= (e - comets[i].odd * sin(e) - m) / (1 - comets[i].odd * cos(e));
		sum += e;
	}
	return sum;
}
int main(int c, char **v)
{
	int n = atoi(v[1]), days = atoi(v[2]);
	double sum = 0;
	comets = calloc(n, sizeof(*comets));
#ifdef NEW
	stories = calloc(n, sizeof(*stories));
#endif
	for (int i = 0; i < n; i++) {
		comets[i].mean = rand() % 600 * .01;
		comets[i].motion = .1;
		comets[i].odd = rand() % 80 * .01;
		STORY(i).year = 1900 + i % 100;
		STORY(i).name[0] = 'c';
	}
	for (int d = 0; d < days; d++)
		sum += places(n, d);
	for (int i = 0; i < n; i++)
		sum += STORY(i).year;
	printf("%g\n", sum);
	return c < 0;
}
