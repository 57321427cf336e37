// SPDX-License-Identifier: GPL-2.0-or-later
union value {
	int a;
	double d;
};
struct node {
	struct node *next;
	long key;
	union value u;
	unsigned f1 : 3, f2 : 7;
	struct {
		short x, y;
	};
	char name[8];
	int m[3][4];
};
struct opaque {
	int secret;
	struct node *node;
};
struct opaque opaque;
struct node other;
struct twofold {
	int a, b;
} twofold_b;
static struct pair_of {
	int left;
} local;
int *use(void)
{
	return &local.left;
}
