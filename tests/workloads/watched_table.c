// SPDX-License-Identifier: GPL-2.0-or-later
/* Each field that breakpoints watch is written 500 times. */
struct stats {
	long misses;
	union {
		long hits;
		char c;
	};
	int small[4];
	short grid[2][3];
};

static volatile struct stats table[3];

__attribute__((noinline)) void hit(void)
{
	table[1].hits = 7;
}

int main(void)
{
	for (int i = 0; i < 500; i++) {
		hit();
		table[1].misses = i;
		table[2].small[3] = i;
		table[2].grid[1][2] = i;
	}
	return 0;
}
