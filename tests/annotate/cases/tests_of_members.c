// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: What code accesses behind a test of a union's member is of the member that was tested. Behind a test of the tag it may be of another one.
// RUN: gcc clang

struct object {
	int kind;
	union {
		struct {
			struct object **items;
			int count;
			int room;
		} list;
		struct {
			const char *file;
			int line;
			int column;
		} place;
		struct {
			double real;
			int digits;
			int base;
		} number;
	} u;
};

struct object *take(struct object *o);
void stop(void);

struct object *nth(struct object *o, int n)
{
	if (n >= o->u.list.count) { // EXPECT: struct object +16 (u.list.count)
		stop();
		return 0;
	}
	return take(o->u.list.items[n]); // EXPECT: struct object +8 (u.list.items) MAY: none; struct object*[] +0; struct object* +0
}

long guess(struct object *o)
{
	int n = o->u.place.line; // EXPECT: struct object +16 (u)

	if (o->kind == n) // EXPECT: struct object +0 (kind)
		return n;
	return n + (long)take(o->u.list.items[1]); // EXPECT: struct object +8 (u.list.items) MAY: none; struct object*[] +8
}
