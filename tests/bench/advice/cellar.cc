// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bottles in a search tree: the key, both children and the rest of a bottle.
 *
 * case: Bottle reorder 200000 2200000
 * case: Bottle reorder 200 22000000
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
struct Bottle {
#ifdef NEW
	uint64_t key = 0;
	Bottle *left = nullptr, *right = nullptr;
	uint64_t litres = 0;
	char label[72] = "";
	uint64_t notes[5] = {};
#else
	Bottle *left = nullptr;
	char label[72] = "";
	uint64_t key = 0;
	uint64_t notes[5] = {};
	Bottle *right = nullptr;
	uint64_t litres = 0;
#endif
};
__attribute__((noinline)) static Bottle *seek(Bottle *at, uint64_t key)
{
	while (at && at->key != key)
		at = key < at->key ? at->left : at->right;
	return at;
}
int main(int, char **v)
{
	uint32_t n = (uint32_t)atoi(v[1]), seeks = (uint32_t)atoi(v[2]);
	uint64_t r = 3, sum = 0;
	Bottle *root = nullptr;
	auto mix = [](uint64_t i) { return (i + 1) * 11400714819323198485u; };
	for (uint32_t i = 0; i < n; i++) {
		Bottle *b = new Bottle, **at = &root;
		b->key = mix(i);
		b->litres = i % 13;
		while (*at)
			at = b->key < (*at)->key ? &(*at)->left : &(*at)->right;
		*at = b;
	}
	for (uint32_t i = 0; i < seeks; i++) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		Bottle *b = seek(root, mix((r >> 32) * n >> 32));
		sum += b ? b->litres : 0;
	}
	printf("%lu\n", sum);
}
