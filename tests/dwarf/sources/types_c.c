// SPDX-License-Identifier: GPL-2.0-or-later
struct twofold {
	long a;
} twofold_c;
static struct pair_of {
	long left;
} local;
long *use2(void)
{
	return &local.left;
}
struct node;
__attribute__((used)) struct node *pass(struct node *node)
{
	return node;
}
