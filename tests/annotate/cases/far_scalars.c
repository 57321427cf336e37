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

/* An enumeration that begins records of several types tells them apart: what lies behind it, or is
 * wider, is a member of one of these records. */
enum __attribute__((packed)) kind { KIND_STREAM, KIND_CHECK };

int behind(enum kind *kind)
{
	return ((char *)kind)[1] ? *(int *)((char *)kind + 4) : 0; // EXPECT: none; none
}

/* An array of them is walked over. */
long first_check(const enum kind *kinds)
{
	long i = kinds[1] == KIND_CHECK; // EXPECT: enum kind +0

	while (*kinds++ != KIND_CHECK) // EXPECT: enum kind +0
		i++;
	return i;
}
