// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: gcc passes a member in place of the record. No variable says what the function gets then, but its callers do.
// RULES: distant-argument
// RUN: gcc
// RUN off: gcc --no-rule=distant-argument

struct entry {
	struct entry *next;
	long key, value;
};
struct cache {
	long size;
	struct entry *entries;
	long hits;
};

static __attribute__((noinline)) long find(struct cache *c, long key)
{
	return c->entries[key & 63].value; // EXPECT: struct entry +16 (value) [inferred, rule distant-argument] EXPECT off: none
}

long lookup(struct cache *c, long key)
{
	return find(c, key) + find(c, key + 1);
}

/* A pointer to void that all callers know. */
static __attribute__((noinline)) void visit(void *data)
{
	((struct cache *)data)->hits++; // EXPECT: struct cache +16 (hits) [inferred, rule distant-argument] EXPECT off: none
}

void visit_two(struct cache *a, struct cache *b)
{
	visit(a);
	visit(b);
}

/* A function passes on its own argument. */
static __attribute__((noinline)) void visit_from(void *data)
{
	((struct cache *)data)->size++; // EXPECT: struct cache +0 (size) [inferred, rule distant-argument] EXPECT off: none
	visit(data);
}

void visit_more(struct cache *c)
{
	visit_from(c);
	visit_from(c);
}

/* Two callers pass two types. */
struct other {
	long a, b, c;
};

static __attribute__((noinline)) void count(void *data)
{
	((struct other *)data)->c++; // EXPECT: none (a pointer to void or to an undefined type)
}

void both(struct cache *c, struct other *o)
{
	count(c);
	count(o);
}

/* Bytes may be anything. */
static __attribute__((noinline)) void mark(void *data)
{
	((struct other *)data)->b++; // EXPECT: none (a pointer to void or to an undefined type)
}

void mark_bytes(char *bytes)
{
	mark(bytes);
	mark(bytes + 16);
}

/* Many functions call one. None is asked about it, also not the one that is asked about another. */
static __attribute__((noinline)) void serve(void *data)
{
	((struct other *)data)->a++; // EXPECT: none (a pointer to void or to an undefined type)
}

void visit_and_serve(struct cache *c)
{
	visit(c);
	serve(c);
}

#define SERVE(n)                         \
	void serve_##n(struct other *o)  \
	{                                \
		serve(o + n);            \
	}
#define SERVE_5(n) SERVE(n##0) SERVE(n##1) SERVE(n##2) SERVE(n##3) SERVE(n##4)
SERVE_5(1)
SERVE_5(2)
SERVE_5(3)
SERVE_5(4)
SERVE_5(5)
