// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pipes of a town: pressures are set in one loop and summed in another; most of a pipe is papers.
 *
 * case: pipe peel 300000 560
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct paper {
	char street[28], firm[20];
	uint64_t laid;
};
struct pipe {
	double pressure, loss;
#ifndef NEW
	char street[28], firm[20];
	uint64_t laid;
	uint32_t leaks, metres;
#endif
};
struct leak {
	uint32_t leaks, metres;
};
static struct pipe *pipes;
#ifdef NEW
static struct leak *leaks;
static struct paper *papers;
#define LEAK(i)  leaks[i]
#define PAPER(i) papers[i]
#else
#define LEAK(i)  pipes[i]
#define PAPER(i) pipes[i]
#endif
__attribute__((noinline)) static void press(uint32_t n, double by)
{
	for (uint32_t i = 0; i < n; i++)
		pipes[i].pressure = by - pipes[i].loss * 0.5;
}
__attribute__((noinline)) static uint64_t lost(uint32_t n)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += (uint64_t)LEAK(i).leaks * LEAK(i).metres;
	return sum;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), rounds = atoi(v[2]);
	double sum = 0;
	pipes = calloc(n, sizeof(*pipes));
#ifdef NEW
	leaks = calloc(n, sizeof(*leaks));
	papers = calloc(n, sizeof(*papers));
#endif
	for (uint32_t i = 0; i < n; i++) {
		pipes[i].loss = i % 7;
		LEAK(i).leaks = i % 3;
		LEAK(i).metres = 5 + i % 40;
		PAPER(i).laid = i;
		PAPER(i).street[0] = 's';
	}
	for (uint32_t r = 0; r < rounds; r++) {
		press(n, r);
		sum += lost(n);
	}
	for (uint32_t i = 0; i < n; i++)
		sum += pipes[i].pressure + PAPER(i).laid;
	printf("%g\n", sum);
	return c < 0;
}
