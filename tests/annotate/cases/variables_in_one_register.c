// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Several variables share a register some bytes apart: the access is to the object in which it lies.
// RUN: gcc

struct header {
	long kind, length;
};

struct body {
	long first, second;
};

struct tail {
	long sum, end;
};

void use(void *, void *);

long all(struct header *h)
{
	struct body *b = (struct body *)(h + 1);
	struct tail *t = (struct tail *)(b + 1);

	use(b, t);
	return h->length + b->second + t->end;
	// EXPECT: struct body +8 (second); struct header +8 (length); struct tail +8 (end)
}

/* Nothing is said of the bytes after the tail. */
long beyond(struct header *h)
{
	struct body *b = (struct body *)(h + 1);
	struct tail *t = (struct tail *)(b + 1);

	use(b, t);
	return b->second + ((long *)h)[7];
	// EXPECT: none (the offset is outside the type); struct body +8 (second)
}
