// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The table of a switch is no variable: its offsets are loaded before the jump.
// CODE: movs
// EXPECT-IN take: (jump table)

struct node {
	int kind;
	long key;
};

#define WEAK __attribute__((weak))

WEAK void a(void);
WEAK void b(void);
WEAK void c(void);
WEAK void d(void);
WEAK void e(void);

long take(struct node *n)
{
	switch (n->kind) { // EXPECT: struct node +0 (kind) MAY: (jump table)
	case 0: a(); break;
	case 1: b(); break;
	case 2: c(); break;
	case 3: d(); break;
	case 4: e(); break;
	case 5:
		a();
		b();
		break;
	case 6:
		b();
		c();
		break;
	}
	return n->key; // EXPECT: struct node +8 (key)
}
