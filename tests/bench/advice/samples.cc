// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measurements, of which two loops use different fields.
 *
 * case: Sample peel 500000 150
 */
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#ifdef NEW
#define VALUE(i)  value_[i]
#define WEIGHT(i) weight_[i]
#define ERROR(i)  error_[i]
static std::vector<double> value_, weight_, error_;
struct SampleRest {
	long time;
	char sensor[24];
	int flags;
};
static std::vector<SampleRest> rest_;
#else
struct Sample {
	double value;
	long time;
	double weight;
	char sensor[24];
	double error;
	int flags;
};
#define VALUE(i)  all[i].value
#define WEIGHT(i) all[i].weight
#define ERROR(i)  all[i].error

#endif
#ifndef NEW
static std::vector<Sample> all;
#endif
__attribute__((noinline)) static double mean(long n)
{
	double s = 0;
	for (long i = 0; i < n; i++)
		s += VALUE(i) * WEIGHT(i);
	return s;
}
__attribute__((noinline)) static double worst(long n)
{
	double s = 0;
	for (long i = 0; i < n; i++)
		if (ERROR(i) > s)
			s = ERROR(i);
	return s;
}
int main(int argc, char **argv)
{
	(void)argc;
	long n = atol(argv[1]);
	double sum = 0;
#ifdef NEW
	value_.resize(n), weight_.resize(n), error_.resize(n), rest_.resize(n);
#else
	all.resize(n);
#endif
	for (long i = 0; i < n; i++)
		VALUE(i) = i % 9, WEIGHT(i) = 0.5, ERROR(i) = i % 13;
	for (long k = 0; k < atol(argv[2]); k++)
		sum += mean(n) + worst(n);
	printf("%g\n", sum);
}
