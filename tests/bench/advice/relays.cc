// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Relays of a network: loads of all are smoothed with that of the next one.
 *
 * case: Relay split 200000 400
 * case: Relay split 300 300000
 */
#include <cstdio>
#include <cstdlib>
#include <vector>
struct Sheet { char site[40]; long installed; double lat, lon; int ports[6]; };
struct Relay {
#ifdef NEW
	double load, limit;
#else
	char site[40];
	double load;
	long installed;
	double lat, lon;
	int ports[6];
	double limit;
#endif
};
static std::vector<Relay> relays;
#ifdef NEW
static std::vector<Sheet> sheets;
#define SHEET(i) sheets[i]
#else
#define SHEET(i) relays[i]
#endif
__attribute__((noinline)) static void smooth()
{
	for (size_t i = 0; i + 1 < relays.size(); i++) {
		double load = (relays[i].load + relays[i + 1].load) / 2;
		relays[i].load = load < relays[i].limit ? load : relays[i].limit;
	}
}
int main(int, char **v)
{
	size_t n = atol(v[1]), rounds = atol(v[2]);
	double sum = 0;
	relays.resize(n);
#ifdef NEW
	sheets.resize(n);
#endif
	for (size_t i = 0; i < n; i++) {
		relays[i].load = rand() % 100, relays[i].limit = 50 + rand() % 50;
		SHEET(i).lat = i % 90, SHEET(i).installed = i, SHEET(i).ports[0] = 1;
	}
	for (size_t r = 0; r < rounds; r++) smooth();
	for (size_t i = 0; i < n; i++) sum += relays[i].load + SHEET(i).lat + SHEET(i).ports[0];
	printf("%.3f\n", sum);
}
