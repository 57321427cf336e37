// SPDX-License-Identifier: GPL-2.0-or-later
struct node {
	struct node *next;
	long key;
};
void use(void *p)
{
	*(char *)p ^= 1;
}
long take(struct node *list, int by)
{
	struct node local = { list, by };
	use(&local);
	return local.key + by;
}
int main(void)
{
	struct node node = { 0, 1 };
	return take(&node, 2);
}
