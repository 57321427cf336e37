// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions with the same code, of which gcc's debug information has the place of one. */
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

int main(void)
{
	struct item items[2] = { 0 };

	return key_of(items, 1) + key_of_another(items, 0);
}
