// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Types of a kernel that has BTF alone: per-cpu variables and members, and types that follow from use.
// RULES: cast-of-bytes
// RUN: gcc
// RUN no-infer: gcc --no-infer
// LINK: kernel
// TYPES: BTF
// UNPROTOTYPED: unknown

#define KEEP __attribute__((noinline, noclone, used))

struct inner {
	long a, b;
};

struct queue {
	struct queue *next;
	long length;
	struct inner inner;
};

struct pair {
	struct queue *first;
	long count;
};

struct item {
	long key;
	struct queue queue;
	long value;
};
__attribute__((section(".data..percpu"))) struct queue *current_queue = (void *)1;
struct queue global_queue;
long bare_number;

KEEP void init_queue(struct queue *q)
{
	q->next = 0; // EXPECT: struct queue +0 (next)
	q->length = 1; // EXPECT: struct queue +8 (length)
	q->inner.a = q->inner.b = 2;
	// EXPECT: struct queue +24 (inner.b); struct queue +16 (inner.a)
}

KEEP void init_inner(struct inner *i)
{
	i->a = i->b = 3; // EXPECT: struct inner +8 (b); struct inner +0 (a)
}

KEEP void init_both(struct queue *q, struct pair *p)
{
	q->length = 1; // EXPECT: struct queue +8 (length)
	p->count = 2; // EXPECT: struct pair +8 (count)
}

KEEP long of_cpu(void)
{
	struct queue *q;
	asm volatile("movq %%gs:%1, %0" : "=r"(q) : "m"(current_queue));
	// EXPECT: struct queue* +0 [per-cpu]
	return q->length; // EXPECT: struct queue +8 (length) [btf]
}

KEEP long on_stack(void)
{
	struct queue q;
	init_queue(&q);
	return q.length + q.inner.a;
	// EXPECT: struct queue +16 (inner.a) [inferred]; struct queue +8 (length) [inferred]
	// EXPECT no-infer: (stack spill)
}

KEEP long part_on_stack(void)
{
	struct queue q;
	init_inner(&q.inner);
	init_queue(&q);
	return q.inner.b + q.length;
	// EXPECT: struct queue +8 (length) [inferred]; struct queue +24 (inner.b) [inferred]
	// EXPECT no-infer: (stack spill)
}

KEEP long two_on_stack(void)
{
	struct queue q;
	struct pair p;
	init_both(&q, &p);
	return q.length + p.count;
	// EXPECT: struct pair +8 (count) [inferred]; struct queue +8 (length) [inferred]
	// EXPECT no-infer: nothing
}

KEEP long global(void)
{
	init_queue(&global_queue);
	return global_queue.length;
} // EXPECT: struct queue +8 (length) [inferred] EXPECT no-infer: none (no variable at the address)

struct task_struct {
	long state;
	struct queue *queue;
} init_task = { 1, 0 };
struct task_struct other_task;

KEEP void wake(struct task_struct *t)
{
	t->state = 1; // EXPECT: struct task_struct +0 (state)
}

KEEP long declared(void)
{
	return init_task.queue->length;
	// EXPECT: struct task_struct +8 (queue) [global]; struct queue +8 (length) [btf]
}

KEEP long undeclared(void)
{
	return other_task.queue->length;
	// EXPECT: none (no variable at the address); none (nothing known of the base register)
}

KEEP unsigned long pages(unsigned long bytes)
{
	return bytes >> 12;
}

/* The kernel's headers have always declared these; BTF has no variables but per-cpu ones.
 */
unsigned long page_offset_base = 1, __per_cpu_offset[3] = { 1 }, nobody_knows = 2;

KEEP long of_number(void)
{
	return page_offset_base;
} // EXPECT: long unsigned int +0 [global]

KEEP long of_array(long cpu)
{
	return __per_cpu_offset[cpu]; // EXPECT: long unsigned int[] +0 [global]
}

KEEP long of_nobody(void)
{
	return nobody_knows;
} // EXPECT: none (no variable at the address)

/* A pointer to bytes that is read in words points to something else. */
KEEP long bytes(char *p)
{
	return *(long *)(p + 8); // EXPECT: none (a pointer to void or to an undefined type)
}

KEEP char text(char *p)
{
	return p[3]; // EXPECT: char +0 [btf]
}

KEEP void take(struct item *i)
{
	i->value = 0; // EXPECT: struct item +40 (value)
}

/* The first element may be anything that is passed on; the next ones are loaded as nodes.
 */
KEEP void search(long head, long key)
{
	for (struct queue *n = *(struct queue **)head; n; n = n->next) {
	// EXPECT: none (an integer as the base); struct item +8 (queue.next) [inferred]
	// EXPECT no-infer: none (an integer as the base); none (nothing known of the base register)
		struct item *i = (struct item *)((char *)n - 8);
		if (i->key == key && n->length)
		// EXPECT: struct item +0 (key) [inferred]
		// EXPECT: struct item +16 (queue.length) [inferred]
		// EXPECT no-infer: none (nothing known of the base register)
			take(i);
	}
}

/* Without a prototype nothing is known. */
KEEP long unknown(struct queue *q)
{
	return q->length; // EXPECT: none (the function's arguments are not known)
}

/* arch/x86/include/asm/jump_label.h; a static branch goes both ways, however it is
 * switched in the file. */
#define STATIC_BRANCH(code, label)                                                       \
	asm goto("1: " code "\n.pushsection __jump_table, \"aw\"\n"                      \
		 ".balign 8\n.long 1b - ., %l[" #label "] - .\n.quad 0\n.popsection"     \
		 :                                                                       \
		 :                                                                       \
		 :                                                                       \
		 : label)

KEEP long switched_off(struct queue *q)
{
	STATIC_BRANCH(".byte 0x0f, 0x1f, 0x44, 0, 0", yes);
	return q->length; // EXPECT: struct queue +8 (length) [btf]
yes:
	return q->inner.a; // EXPECT: struct queue +16 (inner.a) [btf]
}

KEEP long switched_on(struct queue *q)
{
	STATIC_BRANCH("jmp %l[yes]", yes);
	return q->length; // EXPECT: struct queue +8 (length) [btf]
yes:
	return q->inner.a; // EXPECT: struct queue +16 (inner.a) [btf]
}

int main(void)
{
	return 0;
}

void _start(void)
{
}
