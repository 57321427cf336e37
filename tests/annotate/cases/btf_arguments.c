// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: With BTF alone, arguments are where the psABI puts them, and results have their type.
// LINK: kernel
// TYPES: BTF

#define KEEP __attribute__((noinline, noclone, used))

struct inner {
	long a, b;
};

struct queue {
	struct queue *next;
	long length;
	struct inner inner;
};

struct pair {
	struct queue *first;
	long count;
};

struct large {
	long count;
	struct queue *queue;
	long more;
};

KEEP long walk(struct queue *q)
{
	long sum = 0;
	for (; q; q = q->next) // EXPECT: struct queue +0 (next) [btf]
		sum += q->inner.b; // EXPECT: struct queue +24 (inner.b) [btf]
	return sum;
}

KEEP long by_value(struct pair p, struct queue *q)
{
	return p.first->length + q->inner.a + p.count;
	// EXPECT: struct queue +16 (inner.a) [btf]; struct queue +8 (length) [btf]
}

KEEP long after_large(struct large l, struct queue *q)
{
	return q->length + l.more;
	// EXPECT: struct large +16 (more); struct queue +8 (length) [btf]
}

KEEP long seventh(long a, long b, long c, long d, long e, long f, struct queue *q)
{
	return q->length + a; // EXPECT: struct queue +8 (length) [btf]
}

KEEP long variadic(struct queue *q, ...)
{
	return q->length; // EXPECT: struct queue +8 (length) [btf]
}

KEEP struct queue *find(long key)
{
	return (struct queue *)(key << 4);
}

KEEP long of_result(long key)
{
	return find(key)->inner.a; // EXPECT: struct queue +16 (inner.a) [btf]
}

int main(void)
{
	return 0;
}

void _start(void)
{
}
