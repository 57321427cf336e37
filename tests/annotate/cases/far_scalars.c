// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A void pointer is passed on as a pointer to a scalar: an access far from it is to a member of something else.
// RUN: gcc clang -fno-strict-aliasing

struct node;

long use(struct node **);
long add(long *);

long far(void **p)
{
	void *v = *p; // EXPECT: void* +0

	use(v);
	return *(int *)((char *)v + 8) + *(long *)((char *)v - 16);
	// EXPECT: none (the offset is outside the type)
}

/* But an array of scalars may be meant. */
long array(void **p)
{
	void *v = p[0], *w = p[1]; // EXPECT: void* +0

	use(v);
	add(w);
	return ((long *)v)[2] + ((long *)w)[3];
	// EXPECT: struct node* +0 [inferred] EXPECT gcc: long int +0 EXPECT clang: long +0
}
