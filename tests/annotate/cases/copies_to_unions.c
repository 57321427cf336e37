// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record that is copied to a union goes to the member of its type.
// RUN: gcc clang

struct mapping {
	unsigned int start, length;
	unsigned long owner, offset;
	unsigned int flags;
};
struct extent {
	unsigned long start, block, count;
	int state;
};
struct cursor {
	long level;
	union {
		struct mapping map;
		struct extent extent;
	} u;
};
struct found {
	struct cursor *cursor;
	struct extent extent;
};

void set_place(struct cursor *cursor, const struct extent *e)
{
	cursor->u.extent = *e; // EXPECT: struct cursor +8 (u.extent.start); struct cursor +24 (u.extent.count); struct extent +0 (start); struct extent +16 (count)
}

void set_found(struct found *f)
{
	f->cursor->u.extent = f->extent; // EXPECT: struct cursor +8 (u.extent.start); struct cursor +24 (u.extent.count); struct found +0 (cursor); struct found +8 (extent.start); struct found +24 (extent.count)
}
