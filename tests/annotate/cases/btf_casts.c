// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Casts, with BTF alone: no variable says what a pointer was cast to, so its first type must not be the answer if the access does not fit it.
// RULES: part-of-integer, open-buffer
// LINK: kernel
// TYPES: BTF

#define KEEP __attribute__((noinline, noclone, used))

struct inner {
	long a, b;
};

struct key {
	long start, end;
	unsigned int length;
};

struct command {
	long file;
	unsigned char data[40];
};

struct request {
	struct command command;
	long flags;
};

struct packet {
	long first;
	unsigned char buffer[24];
	long last;
};

struct group {
	struct inner inner;
	long more[30];
} group = { { 1, 2 }, { 3 } };
struct inner single = { 1, 2 };

KEEP void init_inner(struct inner *i)
{
	i->a = i->b = 3; // EXPECT: struct inner +8 (b); struct inner +0 (a)
}

KEEP long fields(struct key *k)
{
	return k->start + k->end * (int)k->length;
	// EXPECT: struct key +16 (length) [btf]; struct key +8 (end); struct key +0 (start) [btf]
}

/* Compilers read only the bytes that are used. */
KEEP long low_halves(struct key *k)
{
	return (int)k->start + (int)k->end;
	// EXPECT: struct key +0 (start) [btf]; struct key +8 (end) [btf]
}

/* A buffer that a record ends in holds another record. */
KEEP long of_command(struct request *r)
{
	return *(long *)(r->command.data + 8) + r->flags;
	// EXPECT: none (the access is not to what is declared there)
	// EXPECT: struct request +48 (flags) [btf]
}

KEEP int in_buffer(struct packet *p)
{
	return *(int *)(p->buffer + 4); // EXPECT: struct packet +12 (buffer) [btf]
}

KEEP char first_byte(unsigned int *p)
{
	return ((char *)p)[1]; // EXPECT: none (the access is not to what is declared there)
}

KEEP unsigned int word(unsigned int *p)
{
	return p[0]; // EXPECT: unsigned int +0 [btf]
}

/* A global variable is all of its symbol. */
// EXPECT-IN part_of_global: none (no variable at the address)
KEEP long part_of_global(void)
{
	init_inner(&group.inner);
	return group.inner.a; // MAY: none (no variable at the address)
} // MAY: none (no variable at the address)

// EXPECT-IN whole_global: struct inner +0 (a) [inferred]
KEEP long whole_global(void)
{
	init_inner(&single);
	return single.a; // MAY: struct inner +0 (a)
} // MAY: struct inner +0 (a)

struct page {
	unsigned long flags;
	long index, count;
};

KEEP struct page *get_page(long key)
{
	return (struct page *)(key << 12);
}

KEEP long count_of(long key)
{
	return get_page(key)->count; // EXPECT: struct page +16 (count) [btf]
}

int main(void)
{
	return 0;
}

void _start(void)
{
}
