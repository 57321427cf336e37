// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A vector of offers, of which the cheapest one in a range is searched for.
 *
 * case: offer split 800 400000
 * case: offer split 300000 180
 */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#ifdef NEW
struct offer {
	float price;
	int stock;
};
#else
struct offer {
	std::string seller;
	float price;
	std::string title;
	int stock;
};
#endif
__attribute__((noinline)) static const offer *cheapest(const std::vector<offer> &offers,
						       float least)
{
	const offer *best = nullptr;
	for (const offer &offer : offers)
		if (offer.stock > 0 && offer.price >= least && (!best || offer.price < best->price))
			best = &offer;
	return best;
}
int main(int, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned seed = 9;
	std::vector<offer> offers(n);
	for (offer &offer : offers) {
		offer.price = (float)((seed = seed * 1103515245 + 12345) >> 16);
		offer.stock = (int)((seed = seed * 1103515245 + 12345) >> 30);
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		const offer *best = cheapest(offers, (float)(k % 1000 * 60));
		sum += best ? (long)best->price : 0;
	}
	printf("%ld\n", sum);
}
