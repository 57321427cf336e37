// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: What a pointer is subtracted from is a pointer, also where the difference is an int.
// RUN: gcc

union place {
	long index;
	const char *text;
};

int distance(const union place *places, int number, const char *start)
{
	return (int)(places[number].text - start); // EXPECT: union place +0 (text)
}

int index_from(const union place *places, int number, long start)
{
	return (int)(places[number].index - start); // EXPECT: union place +0 (index)
}
