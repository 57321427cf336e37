// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: gcc does not always say that a parameter is on the stack where its address is taken: its place is no spill slot, as nothing has the address of one.
// RUN: gcc

typedef long value;
typedef unsigned long position;

struct roots {
	struct roots *next;
	value *first;
};

struct channel {
	long offset;
};

extern struct roots *local_roots;
void seek(struct channel *c, long to);
void lock(struct channel *c);

// EXPECT-IN seek_out: position +0; value +0
long seek_out(value channel, position place)
{
	struct roots *frame = local_roots; // MAY: struct roots...
	struct roots of_channel = { frame, &channel }; // MAY: struct roots...; value +0
	struct roots of_place = { &of_channel, (value *)&place }; // MAY: struct roots...; value +0; position +0
	struct channel *c = *(struct channel **)(channel + 8); // MAY: none...

	local_roots = &of_place; // MAY: struct roots...
	lock(c);
	seek(c, (long)place >> 1); // MAY: position +0
	local_roots = frame; // MAY: struct roots...
	return 1;
}
