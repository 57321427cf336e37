// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Actors of a stage move towards their marks: what they wear and say is in their class, too.
 *
 * case: Actor reorder 200000 40
 */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
struct Actor {
#ifdef NEW
	float x, y, vx, vy;
	int asleep, scene;
	std::string name, costume;
	int lines[24];
#else
	std::string name;
	float x, y;
	std::string costume;
	int lines[24];
	int scene;
	float vx, vy;
	int asleep;
#endif
};
static float stage(std::vector<Actor *> &all)
{
	float far = 0;
	for (Actor *a : all) {
		if (a->asleep)
			continue;
		a->x += a->vx;
		a->y += a->vy;
		if (a->x > 100 || a->x < 0)
			a->vx = -a->vx;
		if (a->y > 100 || a->y < 0)
			a->vy = -a->vy;
		far += a->x;
	}
	return far;
}
int main(int, char **v)
{
	size_t n = atol(v[1]), turns = atol(v[2]);
	std::vector<Actor *> all;
	for (size_t i = 0; i < n; i++) {
		Actor *a = new Actor();
		a->x = rand() % 100, a->y = rand() % 100, a->vx = rand() % 9 * .1f,
		a->vy = rand() % 7 * .1f, a->asleep = i % 10 == 0;
		a->name = "somebody with a long name " + std::to_string(i);
		a->lines[3] = i;
		all.push_back(a);
	}
	for (size_t i = n - 1; i > 0; i--)
		std::swap(all[i], all[rand() % (i + 1)]);
	double sum = 0;
	for (size_t t = 0; t < turns; t++)
		sum += stage(all);
	for (Actor *a : all)
		sum += a->lines[3] + a->name.size();
	printf("%g\n", sum);
}
