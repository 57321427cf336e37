// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spare parts are looked up by number in an open table.
 *
 * case: Part split 524288 14000000
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#ifdef NEW
struct Part {
	uint32_t number;
	uint32_t stock;
};
struct Text {
	char name[36];
	double price;
	uint32_t shelf;
	uint64_t supplier;
};
static std::vector<Text> texts;
#define T(i) texts[i]
#else
struct Part {
	char name[36];
	uint32_t number;
	double price;
	uint32_t shelf, stock;
	uint64_t supplier;
};
#define T(i) parts[i]
#endif
static std::vector<Part> parts;
static uint32_t mask;
__attribute__((noinline)) static Part *find(uint32_t number)
{
	uint32_t at = number * 2654435761u >> 7 & mask;
	while (parts[at].number && parts[at].number != number)
		at = (at + 1) & mask;
	return &parts[at];
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), r = 7;
	uint64_t asks = atol(v[2]), sum = 0;
	parts.resize(n);
	mask = n - 1;
#ifdef NEW
	texts.resize(n);
#endif
	for (uint32_t i = 1; i <= n / 2; i++) {
		Part *p = find(i * 3);
		p->number = i * 3;
		p->stock = i % 40;
		auto &t = T(p - parts.data());
		t.price = i;
		t.shelf = i;
		t.name[0] = 'p';
	}
	for (uint64_t i = 0; i < asks; i++) {
		r = r * 1664525 + 1013904223;
		Part *p = find((uint32_t)((uint64_t)r * (n / 2) >> 32) * 3 + 3);
		sum += p->stock;
	}
	double price = 0;
	for (uint32_t i = 0; i < n; i++)
		price += T(i).price + T(i).shelf;
	printf("%lu %.0f\n", sum, price);
	return c < 0;
}
