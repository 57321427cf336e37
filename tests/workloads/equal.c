// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions with the same code, of which gcc's debug information has the place of one; and records without names that have
 * the same members. */
struct item {
	int pad[3], key;
};

int key_of(struct item *p, int i)
{
	return p[i].key * 3;
}

int key_of_another(struct item *p, int i)
{
	return p[i].key * 3;
}

struct {
	long count, total;
} first;

struct {
	long count, total;
} second;

int main(void)
{
	struct item items[2] = { 0 };

	first.total++;
	second.count++;
	return key_of(items, 1) + key_of_another(items, 0);
}
