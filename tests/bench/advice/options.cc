// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options with long records are priced, each by a series: the computation takes the time.
 *
 * case: option peel 60000 6
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
struct rest {
	std::string name, issuer;
	long id, volume;
};
struct option {
	double strike;
#ifndef NEW
	rest more;
#endif
	double price, years, spread;
};
#ifdef NEW
static std::vector<rest> rests;
#endif
__attribute__((noinline)) static double value(const std::vector<option> &all, double rate)
{
	double sum = 0;
	for (const option &one : all) {
		double d = (std::log(one.price / one.strike) + (rate + one.spread * one.spread / 2) * one.years) / one.spread;
		double term = d, series = d;
		for (int k = 1; k < 30; k++) {
			term *= -d * d / (2 * k);
			series += term / (2 * k + 1);
		}
		sum += one.price * series - one.strike * std::exp(-rate * one.years);
	}
	return sum;
}
int main(int, char **argv)
{
	size_t n = (size_t)atol(argv[1]);
	std::vector<option> all(n);
#ifdef NEW
	rests.resize(n);
#endif
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		all[i].strike = 90 + (double)(i % 21);
		all[i].price = 80 + (double)(i % 41);
		all[i].years = 1 + (double)(i % 3);
		all[i].spread = 0.1 + 0.01 * (double)(i % 9);
	}
	for (long k = 0; k < atol(argv[2]) * 10; k++)
		sum += value(all, 0.01 * (double)(k % 5));
	printf("%f\n", sum);
}
