// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Wells of an oil field: levels and pressures change in loops of their own.
 *
 * case: well peel 300000 400
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct log {
	char name[32];
	uint64_t drilled, visits[3];
};
struct well {
	double level, inflow;
#ifndef NEW
	char name[32];
	double pressure, valve;
	uint64_t drilled, visits[3];
#endif
};
struct head {
	double pressure, valve;
};
static struct well *wells;
#ifdef NEW
static struct head *heads;
static struct log *logs;
#define HEAD(i) heads[i]
#define LOG(i)  logs[i]
#else
#define HEAD(i) wells[i]
#define LOG(i)  wells[i]
#endif
__attribute__((noinline)) static void fill(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		wells[i].level += wells[i].inflow;
}
__attribute__((noinline)) static double press(uint32_t n)
{
	double most = 0;
	for (uint32_t i = 0; i < n; i++) {
		double p = HEAD(i).pressure * HEAD(i).valve;
		most = p > most ? p : most;
	}
	return most;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), rounds = atoi(v[2]);
	double sum = 0;
	wells = calloc(n, sizeof(*wells));
#ifdef NEW
	heads = calloc(n, sizeof(*heads));
	logs = calloc(n, sizeof(*logs));
#endif
	for (uint32_t i = 0; i < n; i++) {
		wells[i].inflow = i % 11;
		HEAD(i).pressure = i % 101;
		HEAD(i).valve = 0.5;
		LOG(i).drilled = i;
		LOG(i).name[0] = 'w';
	}
	for (uint32_t r = 0; r < rounds; r++) {
		fill(n);
		sum += press(n);
	}
	for (uint32_t i = 0; i < n; i++)
		sum += wells[i].level + LOG(i).drilled;
	printf("%.0f\n", sum);
	return c < 0;
}
