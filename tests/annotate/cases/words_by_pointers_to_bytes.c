// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record's address is also that of a variable that points to bytes or numbers: a word of another size that is accessed through it is the record's.
// RULES: cast-bytes
// RUN: gcc -fno-caller-saves
// RUN off: gcc -fno-caller-saves --no-rule=cast-bytes

struct item {
	int socket;
	long size;
	char name[16];
};
struct pool {
	char *base;
	unsigned int first, count;
};

extern unsigned int hash(const unsigned char *key, unsigned int length);
extern int close(int descriptor);

/* The key of a hash table is the record's first member, whose bytes are hashed. */
int forget(struct item *item, unsigned int *seed)
{
	const unsigned char *key = (const unsigned char *)&item->socket;
	unsigned int length = sizeof(item->socket), sum = *seed; // EXPECT: unsigned int +0

	while (length--)
		sum += *key++; // EXPECT: unsigned char +0
	*seed = sum; // EXPECT: unsigned int +0
	key = (const unsigned char *)&item->socket;
	*seed = hash(key, 4); // EXPECT: unsigned int +0
	item->socket = -1; // EXPECT: struct item +0 (socket)
	// EXPECT off: unsigned char +0
	// MAY: struct item* +0
	return hash(key, 8);
}

/* The words of a text are not those of a record. */
unsigned int word(struct pool *pool, const unsigned char *text)
{
	unsigned int w;

	__builtin_memcpy(&w, text + 8, 4);
	return w + pool->first; // EXPECT: unsigned char +0; struct pool +8 (first)
}

struct header {
	unsigned char length;
	unsigned char service;
	unsigned short size, id, offset;
	unsigned char life, protocol;
	unsigned short sum;
};

/* The numbers whose sum is asked for are the members of the record, whatever their sizes are. */
unsigned int sum_up(const struct header *h)
{
	const unsigned short *words = (const unsigned short *)h;
	unsigned int sum = 0;

	for (int i = 0; i < h->length; i++) // EXPECT: struct header +0 (length)
		// EXPECT off: short unsigned int +0
		sum += words[i]; // EXPECT: short unsigned int +0
	if (h->life == 0) // EXPECT: struct header +8 (life)
		// EXPECT off: short unsigned int +0
		return 0;
	return sum + h->protocol; // EXPECT: struct header +9 (protocol)
	// EXPECT off: short unsigned int +1
}
