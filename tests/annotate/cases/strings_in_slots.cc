// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A word that gets the address of the bytes 16 after it, or is compared with it, is a string's.
// RUN: g++ clang++ -std=c++17

struct numbers {
	long count, sum, least, most;
};

struct tagged {
	char *name;
	long length;
	char text[16];
};

void use(void *words);

/* Nothing says which class the string has, but it is no number. */
void made(void)
{
	numbers n;
	char **word = reinterpret_cast<char **>(&n);

	word[0] = reinterpret_cast<char *>(&word[2]); //
	n.sum = 7; // EXPECT: numbers +8 (sum)
	use(word);
}

/* A destructor of a string looks so. */
void destroyed(void)
{
	numbers n;
	char **word = reinterpret_cast<char **>(&n);

	n.sum = 7; // EXPECT: numbers +8 (sum)
	use(word);
	if (word[0] != reinterpret_cast<char *>(&word[2])) //
		use(word[0]); //
}

/* This class has such a buffer itself. */
void own(void)
{
	tagged t;

	t.name = t.text; // EXPECT: tagged +0 (name)
	use(&t);
}
