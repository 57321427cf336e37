// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A variable that the compiler did not follow has its register from the entry on, although the register still holds the caller's argument there.
// RULES: unlocated-variable, after-record
// RUN: gcc -fno-var-tracking
// CODE: 8(%rdi), %rdi; 8(%rbx)

struct text {
	long length;
	int references;
	char bytes[4];
};
struct cell {
	short type, count;
	struct text *text;
	double number;
};
int scan(const char *, ...);
double number(struct text *);

struct cell *parsed(struct cell *cell)
{
	int a, b, c, d, e;
	struct text *text = cell->text; // EXPECT: struct cell +8 (text)

	if (!text)
		goto bad;
	if (scan(text->bytes, &a, &b, &c, &d, &e) < 5) {
	bad:
		a = -1;
	}
	cell->type = 1; // EXPECT: struct cell +0 (type)
	cell->count = a; // EXPECT: int +0; struct cell +2 (count)
	if (cell->text) // EXPECT: struct cell +8 (text)
		cell->text->references--; // EXPECT: struct text +8 (references)
	return cell;
}

/* A void pointer at the entry is cast; the other parameter stays where it came. */
double cast(void *v, struct text *other)
{
	struct cell *cell = v;

	long length = other->length; // EXPECT: struct text +0 (length)
	double sum = number(cell->text); // EXPECT: struct cell +8 (text)

	cell->count++; // EXPECT: struct cell +2 (count)
	return sum + cell->number + length; // EXPECT: struct cell +16 (number)
}

/* All accesses through the pointer fit only one of the records of several variables. */
struct pool {
	long size;
	struct cell *cells;
	long lock, full, dropped;
};

int put(struct cell *, long);

void add(void *v, void *w)
{
	struct text *text = w;
	struct pool *pool = v;

	if (!put(pool->cells, text->length)) // EXPECT: struct pool +8 (cells); struct text +0 (length)
		pool->dropped++; // EXPECT: struct pool +32 (dropped)
	if (text->references) // EXPECT: struct text +8 (references)
		pool->full++; // EXPECT: struct pool +24 (full)
}

/* The bytes at the end of a record are for another one, and may begin in its padding. */
struct entry {
	long id;
	int size;
	char data[];
};
struct hit {
	int found, bytes;
	short port;
};

void log_hit(struct entry *entry, int found, int bytes, int port)
{
	struct hit *hit = (struct hit *)entry->data;

	hit->found = found; // EXPECT: struct entry +12 (data...
	hit->bytes = bytes; // EXPECT: struct hit +4 (bytes)
	hit->port = port; // EXPECT: struct hit +8 (port)
	entry->size = sizeof(*hit); // EXPECT: struct entry +8 (size)
}

/* Two parts of the record are passed on: they do not disagree, because they do not overlap. */
struct gate {
	long state;
};
struct bell {
	long rings, volume;
};
struct shop {
	struct gate gate;
	struct bell bell;
	long sold;
	long prices[8];
};
void shut(struct gate *);
void ring(struct bell *);

void sell(void *v, long what)
{
	struct shop *shop = v;

	shut(&shop->gate);
	ring(&shop->bell);
	shop->sold += shop->prices[what]; // EXPECT: struct shop +24 (sold); struct shop +32 (prices...
}
