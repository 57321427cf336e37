// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chips on a belt: how many are of a kind, and what those cost.
 *
 * case: Chip split 400000 700
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
struct Sheet {
	char maker[24], lot[16];
	uint64_t tested;
	double volts, amps;
};
struct Chip {
#ifndef NEW
	char maker[24];
	uint16_t kind;
	char lot[16];
	uint64_t tested;
	double volts, amps;
	uint32_t cents;
#else
	uint16_t kind;
	uint32_t cents;
#endif
};
__attribute__((noinline)) static uint64_t worth(const std::vector<Chip> &chips, unsigned kind)
{
	uint64_t sum = 0;
	for (const Chip &c : chips)
		if (c.kind == kind)
			sum += c.cents;
	return sum;
}
int main(int argc, char **argv)
{
	size_t n = atol(argv[1]), rounds = atol(argv[2]);
	std::vector<Chip> chips(n);
	uint64_t sum = 0;
#ifdef NEW
	std::vector<Sheet> sheets(n);
#else
	std::vector<Chip> &sheets = chips;
#endif
	for (size_t i = 0; i < n; i++) {
		chips[i].kind = (i * 2654435761u >> 9) % 40;
		chips[i].cents = i % 300;
		sheets[i].tested = i;
		sheets[i].volts = 3.3;
		sheets[i].maker[0] = 'm';
	}
	for (size_t r = 0; r < rounds; r++)
		sum += worth(chips, r % 40);
	for (size_t i = 0; i < n; i++)
		sum += sheets[i].tested + (uint64_t)sheets[i].volts;
	printf("%lu\n", (unsigned long)sum);
	return argc < 0;
}
