// SPDX-License-Identifier: GPL-2.0-or-later
/* Values of an interpreter: small objects that are copied between a stack and a table. */
#include <stdlib.h>

struct value {
	long kind;
	union {
		long number;
		double real;
		void *pointer;
	} as;
};
struct node {
	struct value key, value;
	struct node *next;
};
struct frame {
	struct value *stack;
	long depth;
	struct value registers[16];
};

#define OWN __attribute__((noinline))

// COPY: struct value
OWN void push(struct value *top, const struct frame *frame)
{
	*top = frame->registers[5];
}
// COPY: struct node
OWN void move_node(struct node *to, const struct node *from)
{
	*to = *from;
}
// COPY: struct value
OWN void fetch(struct frame *frame, const struct node *node)
{
	frame->registers[3] = node->value;
}

OWN long work(struct frame *frame, struct node *nodes, long rounds)
{
	long sum = 0;

	for (long i = 0; i < rounds; i++) {
		push(&frame->stack[i & 63], frame);
		move_node(&nodes[i & 255], &nodes[i * 5 & 255]);
		fetch(frame, &nodes[i & 255]);
		for (int k = 0; k < 10; k++)
			sum += frame->registers[(i + k) & 15].as.number * k;
	}
	return sum;
}

int main(int argc, char **argv)
{
	static struct value stack[64];
	static struct frame frame = { stack };
	static struct node nodes[256];

	return work(&frame, nodes, argc > 1 ? atol(argv[1]) : 20000000) == 1;
}
