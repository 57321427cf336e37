// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Of a union's integers of one size, conversions and comparisons show whether the one with a sign is meant.
// RUN: gcc clang

struct event {
	int kind, length;
	union {
		struct {
			int x, y;
		} motion;
		struct {
			unsigned code, state;
		} key;
	};
};

long x_of(const struct event *e)
{
	return e->motion.x; // EXPECT: struct event +8 (motion.x)
}

unsigned long code_of(const struct event *e, unsigned long base)
{
	return base + e->key.code; // EXPECT: struct event +8
}

int is_below(const struct event *e, int limit)
{
	return e->motion.y < limit; // EXPECT: struct event +12 (motion.y)
}

/* what is added to a number of the same size has either sign */
unsigned sum_of(const struct event *e, unsigned base)
{
	return base + e->key.state; // EXPECT: struct event +12
}
