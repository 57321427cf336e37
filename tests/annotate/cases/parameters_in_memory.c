// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record that is passed in memory; the debug information has only its members.
// FORBID: (stack spill)

struct list {
	struct list *next;
	long x;
};
struct mem {
	void *(*alloc)(void *, long);
	void (*release)(void *, void *);
	struct list *opaque;
};

static inline void *take(long n, struct mem m)
{
	return m.alloc ? m.alloc(m.opaque, n) : (void *)m.opaque->x; // EXPECT: struct list +8 (x) MAY: struct mem +16 (opaque)
}

void *create(long n, struct mem m)
{ // MAY: struct mem +0 (alloc)
	void *p;

	if ((!m.alloc) ^ (!m.release)) // EXPECT: struct mem +8 (release) MAY: struct mem +0 (alloc)
		return 0;
	p = take(n, m); // MAY: struct mem +16 (opaque)
	if (p) {
		struct mem *copy = p;

		*copy = m; // EXPECT: struct mem +0 (alloc); struct mem +16 (opaque)
	}
	return p;
}
