// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: the parameter of an inlined function is nowhere, because the argument is a cast
//
// gcc loses the place of the parameter where it takes a loop's first test out of the loop. The
// register and the name are those of the pointer before the cast. A local variable of the inlined
// function points to a record that begins alike, but it has a register of its own.
// RUN: gcc

struct object { int type; struct object *next; };
struct link { struct object head; long *value, *closed; struct link *after; };
struct frame { long *at; struct object *closure; };
struct fiber { struct object head; long *stack, *top; struct frame *frames; int count; struct link *links; };

extern void gray(struct object *object);
extern void word(long value);

static void blacken_fiber(struct fiber *fiber)
{
	for (int i = 0; i < fiber->count; i++)	// EXPECT: struct fiber +40 (count)
		gray(fiber->frames[i].closure);	// EXPECT: struct fiber +32 (frames); struct frame +8 (closure)
	for (long *slot = fiber->stack;		// EXPECT: struct fiber +16 (stack)
	     slot < fiber->top;			// EXPECT: struct fiber +24 (top)
	     slot++)
		word(*slot);			// EXPECT: long int +0
	struct link *link = fiber->links;	// EXPECT: struct fiber +48 (links)

	while (link) {
		gray((struct object *)link);
		link = link->after;		// EXPECT: struct link +32 (after)
	}
}

static void blacken_object(struct object *object)
{
	switch (object->type) {			// EXPECT: struct object +0 (type)
	case 1: gray(object->next); break;	// EXPECT: struct object +8 (next)
	case 2: word(object->type); break;
	case 3: blacken_fiber((struct fiber *)object); break;
	case 4: gray(0); break;
	}
}

void blacken(struct object **grays, int count)
{
	while (count > 0) {
		struct object *object = grays[--count];	// EXPECT: struct object* +0

		blacken_object(object);
	}
}
