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
