// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Units of a game: each turn some of them look for their nearest enemy.
 *
 * case: Unit split 30000 40
 * case: Unit split 300 250000
 */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
struct Rest {
	std::string name, rank;
	std::vector<int> orders;
	long kills = 0, damage = 0;
};
struct Unit {
	float x, y;
	int team, health;
#ifndef NEW
	Rest rest;
#endif
};
static std::vector<Unit> units;
#ifdef NEW
static std::vector<Rest> rests;
#define REST(i) rests[i]
#else
#define REST(i) units[i].rest
#endif

static int nearest(const Unit &u)
{
	int best = -1;
	float least = 1e30f;
	for (size_t i = 0; i < units.size(); i++) {
		const Unit &o = units[i];
		if (o.team == u.team || o.health <= 0)
			continue;
		float dx = o.x - u.x, dy = o.y - u.y, d = dx * dx + dy * dy;
		if (d < least)
			least = d, best = i;
	}
	return best;
}

int main(int, char **argv)
{
	size_t n = atol(argv[1]), turns = atol(argv[2]);
	units.resize(n);
#ifdef NEW
	rests.resize(n);
#endif
	for (size_t i = 0; i < n; i++) {
		units[i].x = rand() % 10000, units[i].y = rand() % 10000;
		units[i].team = i / 10 % 2, units[i].health = 1000;
		REST(i).name = "unit of some name " + std::to_string(i);
		REST(i).orders.resize(4);
	}
	for (size_t turn = 0; turn < turns; turn++)
		for (size_t i = turn % 100; i < n; i += 100) {
			int enemy = nearest(units[i]);
			if (enemy < 0)
				continue;
			units[enemy].health -= 10;
			REST(i).damage += 10;
			units[i].x += units[i].x < units[enemy].x ? 1 : -1;
		}
	long damage = 0;
	for (size_t i = 0; i < n; i++)
		damage += REST(i).damage + units[i].health;
	printf("%ld\n", damage);
}
