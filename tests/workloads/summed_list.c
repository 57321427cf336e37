// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums the keys of a list. Without optimization every access goes through a variable on the stack
 * or through a pointer loaded from one. */
struct node {
	struct node *next;
	long key;
	char name[16];
	int used : 3;
};
typedef struct node entry;

long sum(entry *list)
{
	long total = 0;
	for (; list; list = list->next)
		total += list->key;
	return total;
}

int main(void)
{
	entry one = { 0, 1, "", 0 };
	return sum(&one) != 1;
}
