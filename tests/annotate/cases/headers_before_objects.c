// SPDX-License-Identifier: GPL-2.0-or-later
// RUN: gcc -fno-var-tracking-assignments
// CASE: An inlined function computes the address of the header before an object: no place has it, and the access shows it.

struct header {
	int size;
	int references;
};

struct object {
	struct object *next;
	long value;
};

struct reference {
	union {
		struct object *object;
		long number;
	};
	long tag;
};

void destroy(struct object *object);

static inline struct header *header_of(void *object)
{
	return (struct header *)object - 1;
}

static inline void keep(void *object)
{
	struct header *header = header_of(object);

	header->references++; // EXPECT: struct header +4 (references)
}

static inline void drop(struct object *object)
{
	struct header *header = header_of(object);

	if (--header->references == 0) // EXPECT: struct header +4 (references)
		destroy(object);
}

void keep_next(struct object *object)
{
	struct object *next = object->next; // EXPECT: struct object +0 (next)

	keep(next);
	next->value++; // EXPECT: struct object +8 (value)
}

void drop_next(struct object *object)
{
	drop(object->next); // EXPECT: struct object +0 (next)
}
