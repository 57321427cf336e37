// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Each branch of a switch casts an object to a variable of its own, which gcc gives no
// location: the block of the instruction says which of the records is meant.
// RUN: gcc

#include <stdlib.h>

struct object {
	unsigned char type, mark;
	unsigned int size;
	struct object *next;
};

struct list {
	struct object head;
	unsigned int count, room;
	long *values;
};

struct closure {
	struct object head;
	long *code;
	long captured[];
};

struct table {
	struct object head;
	struct pair {
		long key, value;
	} *pairs;
	unsigned int count, mask;
};

struct heap {
	struct object *objects, *grey[64];
	int count;
	long bytes;
};

static inline void mark(struct heap *heap, long value)
{
	struct object *object = (struct object *)value;

	if (!(value & 1) || object->mark) // EXPECT: struct object +1 (mark)
		return;
	object->mark = 1; // EXPECT: struct object +1 (mark)
	heap->grey[heap->count++] = object; // EXPECT: struct heap +520 (count); struct heap +8 (grey)
}

__attribute__((noinline)) void collect(struct heap *heap)
{
	while (heap->count) { // EXPECT: struct heap +520 (count)
		struct object *object = heap->grey[--heap->count];
		// EXPECT: struct heap +8 (grey); struct heap +520 (count)

		switch (object->type) { // EXPECT: struct object +0 (type)
		case 2: {
			struct list *list = (struct list *)object;

			for (unsigned int i = 0; i < list->count; i++)
			// EXPECT: struct list +16 (count); struct list +24 (values)
				mark(heap, list->values[i]); // EXPECT: long int +0
			break;
		}
		case 3: {
			struct closure *closure = (struct closure *)object;

			for (unsigned int i = 0; i < object->size; i++) // EXPECT: struct object +4 (size)
				mark(heap, closure->captured[i]); // EXPECT: struct closure +24 (captured)
			mark(heap, closure->code[0]); // EXPECT: struct closure +16 (code); long int +0
			break;
		}
		case 4: {
			struct table *table = (struct table *)object;

			for (unsigned int i = 0; i <= table->mask; i++) // EXPECT: struct table +28 (mask)
				mark(heap, table->pairs[i].key);
				// EXPECT: struct table +16 (pairs); struct pair +0 (key)
			break;
		}
		}
	}
	struct object **link = &heap->objects, *object;

	while ((object = *link)) {
	// EXPECT: struct heap +0 (objects); struct object +8 (next); struct object* +0
		if (object->mark) { // EXPECT: struct object +1 (mark)
			object->mark = 0; // EXPECT: struct object +1 (mark)
			link = &object->next;
		} else {
			*link = object->next; // EXPECT: struct object +8 (next); struct object* +0
			heap->bytes -= object->size;
			// EXPECT: struct object +4 (size); struct heap +528 (bytes)
			free(object);
		}
	}
}

int main(void)
{
	return 0;
}
