// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: gcc makes a table of a switch that only chooses a value: reading it is no access to an unknown variable.
// RUN: gcc

struct order {
	int kind;
	long price;
};

long fee(const struct order *o)
{
	switch (o->kind) { // EXPECT: struct order +0 (kind)
	case 1: return 317;
	case 2: return 25;
	case 3: return 90;
	case 4: return 12;
	case 5: return 431;
	case 6: return 76;
	}
	return 0;
}
