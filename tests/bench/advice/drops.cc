// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Drops fall: position and speed change, the rest is for pictures.
 *
 * case: Drop split 300000 900
 */
#include <cstdio>
#include <cstdlib>
#include <vector>
#ifdef NEW
struct Drop {
	float y, speed;
};
struct Look {
	float x, z, colour[4], size;
	char name[32];
	long born;
};
static std::vector<Look> looks;
#define L(i) looks[i]
#else
struct Drop {
	float x, y, z, colour[4], speed, size;
	char name[32];
	long born;
};
#define L(i) drops[i]
#endif
static std::vector<Drop> drops;
__attribute__((noinline)) static void fall(std::vector<Drop> &all, float t)
{
	for (Drop &d : all) {
		d.speed += 9.81f * t;
		d.y -= d.speed * t;
	}
}
int main(int c, char **v)
{
	int n = atoi(v[1]), steps = atoi(v[2]);
	drops.resize(n);
#ifdef NEW
	looks.resize(n);
#endif
	for (int i = 0; i < n; i++) {
		drops[i].y = i % 100;
		L(i).x = i;
		L(i).born = i;
		L(i).name[0] = 'd';
		L(i).colour[0] = 1;
	}
	for (int s = 0; s < steps; s++)
		fall(drops, 0.0001f);
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += drops[i].y + L(i).x + L(i).born;
	printf("%.1f\n", sum);
	return c < 0;
}
