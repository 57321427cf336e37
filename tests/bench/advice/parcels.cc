// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parcels by their number in a hash map: each scan finds one and notes where it is.
 *
 * case: Parcel peel 200000 4000000
 */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>
struct Papers {
	std::string sender, receiver, street;
	double weight = 0, price = 0;
};
struct Parcel {
	unsigned number = 0, place = 0;
	unsigned scans = 0;
#ifndef NEW
	Papers papers;
#endif
};
static std::vector<Parcel> parcels;
#ifdef NEW
static std::vector<Papers> papers;
#define PAPERS(i) papers[i]
#else
#define PAPERS(i) parcels[i].papers
#endif

int main(int, char **argv)
{
	size_t n = atol(argv[1]), scans = atol(argv[2]);
	std::unordered_map<unsigned, unsigned> index;
	parcels.resize(n);
#ifdef NEW
	papers.resize(n);
#endif
	for (size_t i = 0; i < n; i++) {
		parcels[i].number = i * 13 + 5;
		index[parcels[i].number] = i;
		PAPERS(i).sender = "sender " + std::to_string(i);
		PAPERS(i).weight = i % 30;
	}
	unsigned long r = 88172645463325252, moved = 0;
	for (size_t s = 0; s < scans; s++) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		Parcel &p = parcels[index.find(r % n * 13 + 5)->second];
		moved += p.place != s % 100;
		p.place = s % 100;
		p.scans++;
	}
	double weight = 0;
	for (size_t i = 0; i < n; i++)
		weight += PAPERS(i).weight + parcels[i].scans;
	printf("%lu %g\n", moved, weight);
}
