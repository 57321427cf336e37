// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A constructor that is inlined makes an object in the bytes of a pool's item.
// RULES: made-in-place
// RUN: g++ -fno-rtti -fno-var-tracking-assignments

using size = decltype(sizeof(0));
inline void *operator new(size, void *place) { return place; }

union item {
	item *next;
	char bytes[64];
};

struct pool {
	item *free;

	item *take()
	{
		item *first = free;  // EXPECT: pool +0 (free)
		free = first->next;  // EXPECT: item +0 (next); pool +0 (free)
		return first;
	}
};

struct node {
	node *parent;
	long line;
	long kind;

	explicit node(long at) : parent(nullptr), line(at) {}
	// EXPECT: comment +0 (parent); comment +8 (line)
};

struct comment : node {
	pool *from;

	explicit comment(pool *p) : node(7), from(p) {} // EXPECT: comment +24 (from)
};

extern "C" void *objects_made_in_place(pool *p)
{
	return new (p->take()) comment(p);
}

// A constructor of a member that is inlined, too, does not make the object.
struct name {
	char *at;
	long length;
	char room[8];

	name() : at(room), length(3) {} // EXPECT: config +16 (title.at); config +24 (title.length)
};

struct config {
	long level;
	double ratio;
	name title;

	config() : level(3), ratio(0.5) {} // EXPECT: config +0 (level); config +8 (ratio)
	// MAY: (constant) +0
};

struct lazy {
	alignas(8) unsigned char bytes[sizeof(config)];
	bool made;
};

static lazy one;

extern "C" void objects_made_once()
{
	if (one.made) // EXPECT: lazy +40 (made)
		return;
	one.made = true; // EXPECT: lazy +40 (made)
	new (&one.bytes) config();
}
