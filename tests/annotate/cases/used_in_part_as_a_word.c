// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A place in an object is passed on as a record of one word: the object itself is not an array of such records.
// RUN: gcc clang

struct value {
	unsigned long word;
};

struct pair {
	unsigned long first, second;
};

void use_value(struct value *v);
void use_pair(struct pair *p);

long word(char *(*make)(void))
{
	char *p = make();

	use_value((struct value *)(p + 24));
	return *(long *)(p + 40); // EXPECT: none
}

/* A larger record may be a part of a larger one, of which there may be an array. */
long pair(void *(*make)(void))
{
	void *p = make();

	use_pair((struct pair *)((char *)p + 16));
	return *(long *)((char *)p + 24); // EXPECT: struct pair +8 (second) [inferred]
}
