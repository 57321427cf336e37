// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ferns of a greenhouse grow: water and light make them taller.
 *
 * case: Fern split 250000 620
 * case: Fern split 250 3200000
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
struct Card {
	char name[48];
	uint64_t planted;
	double price, ph;
};
struct Fern {
#ifndef NEW
	char name[48];
	double tall;
	uint64_t planted;
	double price, ph;
	double water;
	double light;
#else
	double tall, water, light;
#endif
};
__attribute__((noinline)) static void grow(std::vector<Fern> &ferns)
{
	for (Fern &f : ferns)
		f.tall += f.water * 0.01 + f.light * 0.02;
}
int main(int argc, char **argv)
{
	size_t n = atol(argv[1]), rounds = atol(argv[2]);
	std::vector<Fern> ferns(n);
	double sum = 0;
#ifdef NEW
	std::vector<Card> cards(n);
#else
	std::vector<Fern> &cards = ferns;
#endif
	for (size_t i = 0; i < n; i++) {
		ferns[i].water = i % 10;
		ferns[i].light = i % 24;
		cards[i].planted = i;
		cards[i].price = 2.5;
		cards[i].name[0] = 'f';
	}
	for (size_t r = 0; r < rounds; r++)
		grow(ferns);
	for (size_t i = 0; i < n; i++)
		sum += ferns[i].tall + cards[i].planted + cards[i].price;
	printf("%.1f\n", sum);
	return argc < 0;
}
