// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Robots in a hall, each an object of its own: steps, charges, and those that stand still.
 *
 * case: Robot reorder 120000 900
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>
struct Robot {
#ifdef NEW
	float x = 0, speed = 1, charge = 100;
	char model[32] = "r";
	uint64_t serial = 0;
	char log[64] = "";
	double repaired[4] = {};
#else
	char model[32] = "r";
	float x = 0;
	uint64_t serial = 0;
	char log[64] = "";
	float speed = 1;
	double repaired[4] = {};
	float charge = 100;
#endif
};
__attribute__((noinline)) static float step(std::vector<std::unique_ptr<Robot>> &robots)
{
	float used = 0;
	for (auto &r : robots) {
		r->x += r->speed;
		r->charge -= 0.01f;
		used += r->charge;
	}
	return used;
}
int main(int argc, char **argv)
{
	size_t n = atol(argv[1]), rounds = atol(argv[2]);
	std::vector<std::unique_ptr<Robot>> robots;
	double sum = 0;
	uint64_t r = 3;
	for (size_t i = 0; i < n; i++) {
		robots.push_back(std::make_unique<Robot>());
		robots.back()->serial = i;
		robots.back()->speed = i % 5;
	}
	for (size_t i = n; i > 1; i--) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		std::swap(robots[i - 1], robots[(r >> 20) % i]);
	}
	for (size_t k = 0; k < rounds; k++)
		sum += step(robots);
	for (auto &o : robots)
		sum += o->x + o->serial;
	printf("%g\n", sum);
	return argc < 0;
}
