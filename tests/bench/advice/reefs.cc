// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A reef of corals: each round asks the four beside each coral how warm it is.
 *
 * case: Coral split 600 60
 * case: Coral split 14 140000
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
struct Log {
	char species[40];
	uint64_t found, seen[5];
};
struct Coral {
#ifdef NEW
	float warmth, next;
#else
	char species[40];
	float warmth;
	uint64_t found, seen[5];
	float next;
#endif
};
static std::vector<Coral> reef;
static std::vector<Log> logs;
__attribute__((noinline)) static void warm(int side)
{
	for (int y = 1; y + 1 < side; y++)
		for (int x = 1; x + 1 < side; x++) {
			Coral *c = &reef[(size_t)(y * side + x)];
			c->next = (c[-1].warmth + c[1].warmth + c[-side].warmth + c[side].warmth) / 4;
		}
}
__attribute__((noinline)) static void settle(int side)
{
	for (int i = 0; i < side * side; i++)
		reef[(size_t)i].warmth = reef[(size_t)i].next;
}
int main(int, char **v)
{
	int side = atoi(v[1]), rounds = atoi(v[2]);
	double sum = 0;
	reef.resize((size_t)(side * side));
#ifdef NEW
	logs.resize(reef.size());
#endif
	for (size_t i = 0; i < reef.size(); i++) {
		reef[i].warmth = (float)(i % 17);
		reef[i].next = 1;
#ifdef NEW
		logs[i].found = i;
#else
		reef[i].found = i;
#endif
	}
	for (int k = 0; k < rounds; k++) {
		warm(side);
		settle(side);
	}
	for (size_t i = 0; i < reef.size(); i++)
#ifdef NEW
		sum += reef[i].warmth + (double)logs[i].found;
#else
		sum += reef[i].warmth + (double)reef[i].found;
#endif
	printf("%f\n", sum);
}
