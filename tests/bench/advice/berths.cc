// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ships wait for a berth: a heap by time of arrival, with the papers in each element.
 *
 * case: Ship split 200000 700000
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
struct Papers {
	char name[40];
	uint64_t cargo[4];
	uint32_t port, flag;
};
struct Ship {
	double arrival;
#ifdef NEW
	uint32_t papers;
#else
	char name[40];
	uint64_t cargo[4];
	uint32_t port, flag;
#endif
};
static std::vector<Ship> heap;
#ifdef NEW
static std::vector<Papers> papers;
#define PAPERS(s) papers[(s).papers]
#else
#define PAPERS(s) (s)
#endif
__attribute__((noinline)) static void sink(size_t at)
{
	Ship ship = heap[at];
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= heap.size())
			break;
		if (child + 1 < heap.size() && heap[child + 1].arrival < heap[child].arrival)
			child++;
		if (ship.arrival <= heap[child].arrival)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = ship;
}
int main(int, char **v)
{
	uint32_t n = (uint32_t)atoi(v[1]), rounds = (uint32_t)atoi(v[2]);
	uint64_t r = 5, sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		Ship s{};
		s.arrival = i;
#ifdef NEW
		s.papers = i;
		papers.push_back(Papers{});
#endif
		PAPERS(s).port = i % 31;
		heap.push_back(s);
	}
	for (uint32_t i = 0; i < rounds; i++) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		sum += PAPERS(heap[0]).port;
		heap[0].arrival += (double)(r >> 40) / (1 << 24) * n;
		sink(0);
	}
	printf("%lu\n", sum);
}
