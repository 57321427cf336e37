// SPDX-License-Identifier: GPL-2.0-or-later
extern void use(long);
int take(int by)
{
	const signed char below = -56;
	const unsigned char above = 200;
	const int wide = -2;
	const unsigned int large = 4294967294u;
	use(below + above + wide + large);
	return by;
}
