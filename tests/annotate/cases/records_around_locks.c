// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Only a lock at some distance is known of a void pointer: it points to the record of the function that has a lock there.
// RULES: around-part
// LINK: kernel

#include "inodes.h"

struct mutex {
	long owner;
};

void lock(struct mutex *);

struct sequence {
	char *buffer;
	long size;
	struct mutex lock;
	long index;
};

#define SEQUENCE(v) ((struct sequence *)(v))

long get(struct super *s, struct sequence *other)
{
	void *v = s->private; // EXPECT: struct super +8 (private)

	lock(&SEQUENCE(v)->lock);
	return SEQUENCE(v)->size + SEQUENCE(v)->index;
	// EXPECT: struct sequence +24 (index) [inferred]; struct sequence +8 (size) [inferred]
}

__attribute__((weak)) void lock(struct mutex *m)
{
	m->owner++; // EXPECT: struct mutex +0 (owner)
}
