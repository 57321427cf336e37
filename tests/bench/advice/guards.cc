// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guards of a museum: the nearest one to each alarm is sent.
 *
 * case: Guard split 120000 700
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
struct Papers { std::string name, phone; int born; double salary; int shifts[14]; };
struct Guard {
#ifdef NEW
	float x, y;
	bool busy;
#else
	std::string name;
	float x;
	std::string phone;
	int born;
	double salary;
	bool busy;
	int shifts[14];
	float y;
#endif
};
#ifdef NEW
static std::vector<Papers> papers;
#define PAPERS(i) papers[i]
#else
#define PAPERS(i) guards[i]
#endif
static std::vector<Guard> guards;
__attribute__((noinline)) static size_t nearest(float x, float y)
{
	float least = 1e9f;
	size_t best = 0;
	for (size_t i = 0; i < guards.size(); i++) {
		const Guard &g = guards[i];
		if (g.busy)
			continue;
		float far = (g.x - x) * (g.x - x) + (g.y - y) * (g.y - y);
		if (far < least) { least = far; best = i; }
	}
	return best;
}
int main(int, char **v)
{
	size_t n = atol(v[1]), alarms = atol(v[2]), sum = 0;
	guards.resize(n);
#ifdef NEW
	papers.resize(n);
#endif
	for (size_t i = 0; i < n; i++) {
		guards[i].x = rand() % 5000, guards[i].y = rand() % 5000, guards[i].busy = i % 9 == 0;
		PAPERS(i).born = 1960 + i % 40; PAPERS(i).name = "g"; PAPERS(i).salary = i;
	}
	for (size_t a = 0; a < alarms; a++) {
		size_t who = nearest(rand() % 5000, rand() % 5000);
		guards[who].busy = a % 3 == 0; sum += who + PAPERS(who).born;
	}
	printf("%zu\n", sum);
}
