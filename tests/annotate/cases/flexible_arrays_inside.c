// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A flexible array may be in a nested record at the end, in a wrapper, or in a union.
// RUN: gcc clang -fno-tree-vectorize -fno-unroll-loops
// RUN: gcc clang -O1

#define FLEXIBLE(TYPE, NAME)                                                                       \
	struct {                                                                                   \
		struct {                                                                           \
		} empty_##NAME;                                                                    \
		TYPE NAME[];                                                                       \
	}

struct row {
	long key, value;
};
struct table {
	int count;
	struct row rows[];
};
struct wrapped {
	int count;
	FLEXIBLE(struct row, rows);
};
struct either {
	int count;
	union {
		FLEXIBLE(struct row, rows);
		FLEXIBLE(int, numbers);
	};
};
struct around {
	long head;
	struct table table;
};
struct zero {
	long count;
	struct row rows[0];
};

long in_wrapper(struct wrapped *w, long i)
{
	return w->rows[i].value; // EXPECT: struct wrapped +16 (rows.value)
}
long in_wrapper_at(struct wrapped *w)
{
	return w->rows[4].key; // EXPECT: struct wrapped +8 (rows.key)
}
long in_union(struct either *e, long i)
{
	return e->rows[i].value; // EXPECT: struct either +16 (rows.value)
}
long in_union_number(struct either *e, long i)
{
	return e->numbers[i]; // EXPECT: struct either +8 (numbers)
}
long in_nested(struct around *a, long i)
{
	return a->table.rows[i].value; // EXPECT: struct around +24 (table.rows.value)
}
long in_nested_at(struct around *a)
{
	return a->table.rows[3].key; // EXPECT: struct around +16 (table.rows.key)
}
long in_zero(struct zero *z, long i)
{
	return z->rows[i].key; // EXPECT: struct zero +8 (rows.key)
}

// An index is one of an array, best of one that begins where the address does without it: this tells a union's member.
struct link {
	struct link *next, *prev;
};
struct slot {
	int rank;
	struct link by_rank, by_use;
};
struct areas {
	long head;
	struct {
		long flags;
		unsigned char area[];
	} state;
};
union save {
	struct areas areas;
	unsigned char __padding[512];
};
struct saved {
	long size;
	union save save;
};
struct counters {
	long events, fixed;
	union {
		struct {
			unsigned counters;
			unsigned long regs[];
		} amd;
		struct {
			unsigned counters, arch;
			unsigned long global, enable;
			unsigned long more[];
		} intel;
	};
};
struct pool {
	long free;
	struct {
		int count;
		struct slot *slots[];
	} used;
};
struct queues {
	long lock[8];
	struct slot slots[];
};
struct fixed {
	long lock[8];
	struct slot slots[5];
	long last;
};

int in_area(struct saved *s, long i)
{
	return s->save.areas.state.area[i]; // EXPECT: struct saved +24 (save.areas.state.area)
}
long in_regs(struct counters *c, long i)
{
	return c->amd.regs[i]; // EXPECT: struct counters +24 (amd.regs)
}
long in_more(struct counters *c, long i)
{
	return c->intel.more[i]; // EXPECT: struct counters +40 (intel.more)
}
void put_slot(struct pool *p, long i, struct slot *slot)
{
	p->used.slots[i] = slot; // EXPECT: struct pool +16 (used.slots)
}
// An index that begins at 1 starts where the other member has an array.
union tree {
	struct {
		union tree *parent;
		unsigned long pivots[15];
	} range;
	struct {
		unsigned long total;
		unsigned char count;
		union tree *slots[14];
	} free;
};
int after(union tree *t, unsigned long key, int count)
{
	int i = 1;

	while (i < count && t->range.pivots[i] < key) // EXPECT: union tree +16 (range.pivots)
		i++;
	return i;
}
long sum_of(struct queues *q, int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++) {
		sum += (long)q->slots[i].by_rank.next; // EXPECT: struct queues +72 (slots.by_rank.next)
		asm volatile("" : "+r"(sum));
	}
	return sum;
}
long sum_of_fixed(struct fixed *f, int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++) {
		sum += (long)f->slots[i].by_use.prev; // EXPECT: struct fixed +96 (slots.by_use.prev)
		asm volatile("" : "+r"(sum));
	}
	return sum;
}
