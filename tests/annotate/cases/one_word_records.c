// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record of one integer is a boxed pointer, too: it points to one of the records to which a union of the unit has pointers beside it.
// RUN: gcc clang
// RUN off: gcc --no-rule=one-word-record,shown-record
// RULES: one-word-record

typedef unsigned long word;

/* Either a number with its lowest bit set, or the address of an object. */
struct value {
	word w;
};

#define HEADER                                                                                     \
	void *class;                                                                               \
	unsigned int kind : 8;                                                                     \
	unsigned int flags : 24;                                                                   \
	unsigned int count

struct object {
	HEADER;
};

struct real {
	HEADER;
	double number;
};

struct whole {
	HEADER;
	long number;
	long unit;
};

union any {
	struct value value;
	struct object *object;
	struct real *real;
	struct whole *whole;
};

#define object_of(v) ((struct object *)(v).w)
#define whole_of(v)  ((struct whole *)(v).w)

extern struct value get(void);

/* All of the union's records begin with the members of one of them. */
int kind(struct value v)
{
	if (v.w & 1)
		return 0;
	return object_of(v)->kind; // EXPECT: struct object +8 (kind) [inferred] EXPECT off: none
}

unsigned int count_of_result(void)
{
	struct value v = get();

	return object_of(v)->count; // EXPECT: struct object +12 (count) [inferred] EXPECT off: none
}

unsigned int count_of_element(struct value *v)
{
	return object_of(*v)->count;
	// EXPECT: struct value +0 (w); struct object +12 (count) [inferred]
	// EXPECT off: struct value +0 (w); none
}

/* Only one of them has a member there. */
long unit(struct value v)
{
	return whole_of(v)->unit; // EXPECT: struct whole +24 (unit) [inferred] EXPECT off: none
}

/* Two of them have eight bytes there, and none is the start of the other. */
long number(struct value v)
{
	return whole_of(v)->number; // EXPECT: none EXPECT off: none
}

/* None has a member there. */
long beyond(struct value v)
{
	return *(long *)(v.w + 40); // EXPECT: none EXPECT off: none
}

/* A variable says what it is. */
long named(struct value v)
{
	struct real *real = (struct real *)v.w;

	return (long)real->number; // EXPECT: struct real +16 (number) EXPECT off: struct real +16 (number)
}

union any keep(union any any)
{
	return any;
}
