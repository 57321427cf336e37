// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A union of bit-fields and the word that has them: code that uses or changes some bits of the word may mean either, and code that moves all of it means the word.
// RUN: gcc clang

union control {
	struct {
		unsigned int on : 1, color : 3, depth : 12, dirty : 1, left : 15;
	} f;
	unsigned int raw;
};
struct device {
	long id;
	union control u;
	int count;
};

void set_two(struct device *d)
{
	d->u.f.color = 2; // EXPECT: struct device +8 (u)
	d->u.f.dirty = 1; // MAY: struct device +8 (u)
}

int has_both(struct device *d)
{
	return d->u.f.on && d->u.f.dirty;
	// EXPECT: struct device +8 (u) or struct device +8 (u.f.on) MAY: struct device +10 (u.f.dirty)
}

int has_either(struct device *d)
{
	return d->u.f.on || d->u.f.dirty;
	// EXPECT: struct device +8 (u) or struct device +8 (u.f.on) MAY: struct device +10 (u.f.dirty)
}

/* The name of the function is one of the member. */
void set_depth(struct device *d, int depth)
{
	d->u.f.depth = depth; // EXPECT: struct device +8 (u.f.depth)
}

void set_raw(struct device *d, unsigned int raw)
{
	d->u.raw = raw; // EXPECT: struct device +8 (u.raw)
	d->count++; // EXPECT: struct device +12 (count)
}

unsigned int raw_of(struct device *d)
{
	return d->u.raw; // EXPECT: struct device +8 (u.raw)
}
