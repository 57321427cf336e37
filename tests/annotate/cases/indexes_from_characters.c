// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An index is counted from a character, so the address is before the array, and before the record: the access is to an element.
// RUN: gcc
// RUN: clang

struct trie {
	int count, depth;
	struct trie *child[26];
};

struct trie *step(struct trie *t, int c)
{
	return t->child[c - 'a']; // EXPECT: struct trie +8 (child)
}

/* Four records of one size, one of which a comparison chooses, are no elements of the array after them. */
struct names {
	struct table *read, *written;
};
struct dictionary {
	long pad[2];
	struct names structs, unions, enums, names;
	long more[17];
	struct names strings[2];
};

int insert(struct table *table, void *entry);

int add(struct dictionary *d, int kind, void *entry)
{
	struct names *names;

	switch (kind) {
	case 6: names = &d->structs; break;
	case 7: names = &d->unions; break;
	case 8: names = &d->enums; break;
	default: names = &d->names; break;
	}
	return insert(names->written, entry); // MAY: none; struct names +8 (written); struct dictionary +24 (structs.written); struct dictionary +40 (unions.written); struct dictionary +56 (enums.written); struct dictionary +72 (names.written)
}
