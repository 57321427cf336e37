// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls functions of assembled.S. */
struct pair {
	long first, second;
};

long pair_turn(struct pair *pair);
long pair_second(struct pair *pair);

struct pair pair = { 1, 2 };

int main(void)
{
	return pair_turn(&pair) + pair_second(&pair) != 4;
}
