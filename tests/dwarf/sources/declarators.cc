// SPDX-License-Identifier: GPL-2.0-or-later
struct refs {
	int &one;
	int &&moved;
	int (&row)[3];
};
int get(refs *r)
{
	return r->one;
}
int main()
{
	return 0;
}
