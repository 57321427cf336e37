// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects with virtual functions behind unique pointers, in the order in which they were made and then shuffled: each round
 * visits the amounts of all that are open.
 *
 * case: invoice split 250000 60
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>
struct address {
	std::string name, street, town;
	long tax, account;
};
struct invoice {
	bool open;
#ifdef NEW
	std::unique_ptr<address> rest;
#else
	address rest;
#endif
	long amount, paid, due;
	explicit invoice(long i) : open(i % 3 != 0), amount(i % 1000), paid(i % 77), due(i * 7 % 365)
	{
#ifdef NEW
		rest = std::make_unique<address>();
		rest->tax = i;
#else
		rest.tax = i;
#endif
	}
	virtual ~invoice() = default;
	virtual long left() const
	{
		return amount - paid;
	}
};
__attribute__((noinline)) static long late(const std::vector<std::unique_ptr<invoice>> &all, long day)
{
	long sum = 0;
	for (const auto &one : all)
		if (one->open && one->due < day)
			sum += one->left();
	return sum;
}
int main(int, char **argv)
{
	std::vector<std::unique_ptr<invoice>> all;
	unsigned long seed = 5;
	long n = atol(argv[1]), sum = 0;
	for (long i = 0; i < n; i++)
		all.push_back(std::make_unique<invoice>(i));
	for (long i = n - 1; i > 0; i--)
		std::swap(all[(size_t)i], all[(seed = seed * 6364136223846793005UL + 1) % 0xffffffffUL % (unsigned long)i]);
	for (long k = 0; k < atol(argv[2]); k++)
		sum += late(all, k * 5 % 365);
	printf("%ld\n", sum);
}
