// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: gcc folds equal functions, and describes only one with its place; the others are as declared.
// RUN: g++
// EXPECT-IN _Z14key_of_anotherP4itemi: item +12 (key)
// EXPECT-IN walk_once_more: item +12 (key); item +16 (next); item +4 (pad)

struct item {
	int pad[3];
	int key;
	struct item *next;
};

int key_of(item *p, int i)
{
	return p[i].key * 3;
}
int key_of_another(item *p, int i)
{
	return p[i].key * 3;
}

int walk_to(item *p, int n)
{
	while (n-- && p->key != 3)
		p = p->next;
	return p->pad[1];
}
extern "C" int walk_once_more(item *q, int n)
{
	while (n-- && q->key != 3)
		q = q->next;
	return q->pad[1];
}
