// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An interpreter jumps through a table of labels, and its stack pointer moves over an array of pointers: both have their types at each label.
// RUN: gcc clang

struct object {
	long references;
	struct object *(*add)(struct object *, struct object *);
	long value;
};

struct frame {
	struct frame *back;
	const unsigned char *code;
	struct object **constants;
	struct object *stack[32];
};

enum { PUSH, ADD, DROP, RETURN };

struct object *run(struct frame *frame)
{ // MAY: struct frame* +0; void*[] +0
	static const void *const labels[] = { &&push, &&add, &&drop, &&end };
	const unsigned char *next = frame->code; // EXPECT: struct frame +8 (code)
	struct object **sp = frame->stack;
	struct object *left, *right, *sum;

	goto *labels[*next++]; // MAY: unsigned char +0; void*[] +0
push:
	*sp = frame->constants[*next++]; // EXPECT: struct frame +16 (constants); unsigned char +0; struct object* +0
	(*sp++)->references++; // MAY: struct object +0 (references); struct object* +0
	goto *labels[*next++]; // MAY: unsigned char +0; void*[] +0
add:
	right = *--sp; // EXPECT: struct object* +0
	left = *--sp; // EXPECT: struct object* +0
	sum = left->add(left, right); // EXPECT: struct object +8 (add)
	*sp++ = sum; // EXPECT: struct object* +0
	left->references--; // EXPECT: struct object +0 (references)
	right->references--; // MAY: struct object +0 (references)
	goto *labels[*next++]; // MAY: unsigned char +0; void*[] +0
drop:
	(*--sp)->references--; // EXPECT: struct object* +0 MAY: struct object +0 (references)
	goto *labels[*next++]; // MAY: unsigned char +0; void*[] +0
end:
	sum = *--sp; // MAY: struct object* +0
	return sum; // MAY: struct object* +0
}
