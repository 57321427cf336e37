// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A member is a pointer to void or a union of pointers; other functions of the unit tell what it points to.
// RULES: distant-member
// RUN: gcc clang
// RUN off: gcc clang --no-rule=distant-member

struct stream {
	long position;
	void *data;
	void *shared, *text;
	union {
		struct text_state *text;
		struct image_state *image;
		void *any;
	} state;
};
struct private {
	long flags, count, total;
};
struct text_state {
	long line, column;
};
struct image_state {
	long width, height;
};
struct first {
	long a, b;
};
struct second {
	long c, d;
};

/* The pointer is stored in one function and used in another. */
void attach(struct stream *s, struct private *p)
{
	s->data = p;
}

#define private_of(s) ((struct private *)(s)->data)

void add(struct stream *s)
{
	private_of(s)->count++; // EXPECT: struct stream +8 (data); struct private +8 (count) [inferred, rule distant-member] EXPECT off: struct stream +8 (data); none
}

/* The use as a declared type counts, too. */
long take(struct image_state *state);

long take_image(struct stream *s)
{
	return take(s->state.image);
}

/* One function might be the only one that uses this member of the union. */
long take_twice(struct stream *s)
{
	return 2 * take(s->state.image);
}

long height(struct stream *s)
{
	return s->state.image->height; // EXPECT: struct stream +32 (state); struct image_state +8 (height) [inferred, rule distant-member] EXPECT off: struct stream +32 (state); none
}

/* Two types are stored. */
void share(struct stream *s, struct first *f)
{
	s->shared = f;
}

void share_other(struct stream *s, struct second *d)
{
	s->position = 0;
	s->shared = d;
}

void use_shared(struct stream *s)
{
	((struct second *)s->shared)->d++; // EXPECT: struct stream +16 (shared); none
}

/* Bytes may be anything. */
void keep_text(struct stream *s, char *text)
{
	s->text = text;
}

void use_text(struct stream *s)
{
	((struct second *)s->text)->d++; // EXPECT: struct stream +24 (text); none
}

struct box {
	long shape;
	void *contents;
};
struct name {
	char *text;
	long length;
};
struct counts {
	int kind, count;
};

void fill(struct box *b, struct name *n)
{
	b->contents = n;
}

/* The half of a pointer is read: another kind of box has something else in it. */
int count(struct box *b)
{
	return ((struct counts *)b->contents)->count; // EXPECT: struct box +8 (contents); none EXPECT off: struct box +8 (contents); none
}
