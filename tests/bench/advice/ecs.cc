// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entities of a game in a vector that grows: one system moves them, one looks at their health.
 *
 * case: entity peel 150000 900
 * case: entity peel 300 1500000
 */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
struct vec {
	float x, y, z;
};
#ifdef NEW
struct motion {
	vec at, speed;
};
struct rest {
	std::string name;
	float mass;
	int team;
	vec spawn, aim;
	void *script;
};
static std::vector<motion> motions;
static std::vector<int> health;
static std::vector<rest> rests;
#define MOTION(i) motions[i]
#define HEALTH(i) health[i]
#else
struct entity {
	std::string name;
	vec at;
	float mass;
	int team, health;
	vec spawn, aim;
	vec speed;
	void *script;
};
static std::vector<entity> entities;
#define MOTION(i) entities[i]
#define HEALTH(i) entities[i].health
#endif
__attribute__((noinline)) static void move(size_t n, float dt)
{
	for (size_t i = 0; i < n; i++) {
		MOTION(i).at.x += MOTION(i).speed.x * dt;
		MOTION(i).at.y += MOTION(i).speed.y * dt;
		MOTION(i).at.z += MOTION(i).speed.z * dt;
	}
}
__attribute__((noinline)) static long living(size_t n)
{
	long sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += HEALTH(i) > 3;
	return sum;
}
int main(int, char **argv)
{
	size_t n = (size_t)atol(argv[1]);
	long sum = 0;
	for (size_t i = 0; i < n; i++) {
#ifdef NEW
		motions.push_back({ {}, { 1, (float)(i % 5), 2 } });
		health.push_back((int)(i % 11));
		rests.push_back({});
#else
		entity e{};
		e.speed = { 1, (float)(i % 5), 2 };
		e.health = (int)(i % 11);
		entities.push_back(e);
#endif
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		move(n, 0.01f);
		sum += living(n);
	}
	printf("%ld %f\n", sum, (double)MOTION(n / 2).at.y);
}
