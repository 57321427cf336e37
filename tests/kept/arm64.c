// SPDX-License-Identifier: GPL-2.0-or-later
/* For test_arm64.sh: pairs, writeback, arguments by address, homogeneous aggregates, x8, addresses
 * in two steps, jump tables with short entries, pointers in vector registers, thread-local
 * variables. */
struct node {
	struct node *next, *before;
	long key;
	int kind, weight;
};

struct large {
	struct node *first;
	long counts[3];
};

struct vector {
	double x, y, z, w;
};

struct place {
	double height;
	struct node *node;
};

extern void use(struct node *node);
extern struct large make(int number);

struct node table[16];
_Thread_local struct node own;
_Thread_local long total;

long pair_of(struct node *node)
{
	return (long)node->next + (long)node->before;
}

long sum_of(struct node *node, struct node *end)
{
	long sum = 0;

	for (; node != end; node++)
		sum += node->key;
	return sum;
}

long by_address(struct large large, struct node *node)
{
	return large.counts[1] + large.first->key + node->weight;
}

long after_vector(struct vector vector, struct node *node)
{
	return (long)vector.w + node->weight;
}

long result_in_memory(int number)
{
	struct large large = make(number);

	return large.counts[2] + large.first->key;
}

long of_table(unsigned int index)
{
	return table[index].key;
}

long of_thread(void)
{
	own.key = total;
	return own.weight;
}

void set_height(struct place *place, double by)
{
	place->height *= by;
}

int by_kind(struct node *node, int kind)
{
	switch (kind) {
	case 0: return node->next->weight + 0;
	case 1: use(node + 1); return 1;
	case 2: node->kind = 2; return 10;
	case 3: return node->next->weight + 10;
	case 4: use(node + 4); return 16;
	case 5: node->kind = 5; return 12;
	case 6: return node->next->weight + 20;
	case 7: use(node + 7); return 15;
	case 8: node->kind = 8; return 1;
	case 9: return node->next->weight + 30;
	case 10: use(node + 10); return 15;
	case 11: node->kind = 11; return 3;
	case 12: return node->next->weight + 40;
	case 13: use(node + 13); return 16;
	case 14: node->kind = 14; return 5;
	case 15: return node->next->weight + 50;
	case 16: use(node + 16); return 1;
	case 17: node->kind = 17; return 7;
	case 18: return node->next->weight + 60;
	case 19: use(node + 19); return 4;
	default: return 0;
	}
}

void copy_links(struct node *to, const struct node *from)
{
	to->next = from->next;
	to->before = from->before;
}

long through_links(struct node *node)
{
	struct node copy;

	copy_links(&copy, node);
	use(&copy);
	return node->next->key + copy.before->key;
}

void add_weight(struct node *node, int by)
{
	__atomic_fetch_add(&node->weight, by, __ATOMIC_RELAXED);
}

struct hooks {
	void *(*take)(void *opaque, unsigned long size);
	void (*give)(void *opaque, void *memory);
	void *opaque;
};

void *take_by(unsigned long size, struct hooks hooks)
{
	return hooks.take ? hooks.take(hooks.opaque, size) : 0;
}

enum kind { NONE, RUNS, SET };

struct meta {
	enum kind literals, offsets, matches;
	int count;
};

void fill(struct meta *meta);
long emit(long a, long b, void *c, void *d);

/* The variables of the block are numbers that are where the members are. */
static inline __attribute__((always_inline)) long code(const struct meta *meta, unsigned char *out)
{
	if (meta->count > 3) {
		const unsigned int literals = meta->literals, offsets = meta->offsets,
				   matches = meta->matches;

		*out = (unsigned char)((literals << 6) + (offsets << 4) + (matches << 2));
	}
	return emit(1, 2, out, 0);
}

long code_members(unsigned char *out)
{
	struct meta meta;

	fill(&meta);
	return code(&meta, out);
}

/* After the registers are restored, the place of the last parameter is given by the stack pointer,
 * which the restoring instruction moves. */
long many(long a, long b, long c, long d, long e, long f, long g, long h, void *last, long n)
{
	long sum = emit(a, b, last, 0);

	for (long i = 0; i < n; i++)
		sum += emit(c, d, last, 0) + emit(e, f, last, 0) + emit(g, h, last, &sum);
	return sum;
}

struct value {
	union {
		long whole;
		double part;
		void *pointer;
	};
	int tag;
};

/* Both members are loaded into vector registers. */
double number_of(const struct value *value)
{
	return value->tag == 3 ? (double)value->whole : value->part + 1;
}

/* As in the kernel: the running thread, and a per-cpu variable (arch/arm64/include/asm/current.h,
 * percpu.h). */
struct task_struct {
	long flags;
	int pid, tgid;
	struct task_struct *parent;
};

struct run_queue {
	unsigned int count;
	long clock;
};

struct run_queue run_queues;

static inline __attribute__((always_inline)) struct task_struct *current(void)
{
	unsigned long sp_el0;

	asm("mrs %0, sp_el0" : "=r"(sp_el0));
	return (struct task_struct *)sp_el0;
}

static inline __attribute__((always_inline)) unsigned long offset_here(void)
{
	unsigned long offset;

	asm("mrs %0, tpidr_el1" : "=r"(offset));
	return offset;
}

int parent_number(void)
{
	return current()->parent->tgid;
}

long clock_here(void)
{
	unsigned long queues = (unsigned long)&run_queues;

	asm("" : "+r"(queues));
	return ((struct run_queue *)(queues + offset_here()))->clock;
}

struct page {
	unsigned short count, places[7];
};

struct entry {
	unsigned short low, high;
	unsigned short flags;
};

/* The sum is in a register for the second member alone. */
long entry_at(struct page *page, unsigned int index)
{
	struct entry *entry = (struct entry *)((char *)page + page->places[index]);

	return entry->low + ((long)entry->flags << 32);
}

struct step {
	int *from, *to;
	int depth, limit;
};

void run(struct step *steps, int *count);

/* 24 * (count - 1) is 16 * (count - 1) + 8 * (count - 1): the second one is extended by itself. */
long last_step(void)
{
	struct step steps[16];
	int count;

	run(steps, &count);
	count--;
	return *steps[count].to + steps[count].limit;
}

void stop(int number) __attribute__((noreturn));

/* Its callers are compiled as if it came back. */
__attribute__((noipa)) void leave(int number)
{
	stop(number + 1);
}

int after_leave(int number)
{
	int sum = table[3].kind;

	if (number == 1)
		leave(number);
	else if (number == 2)
		use(0);
	sum += table[5].weight;
	use(table);
	return sum + table[3].kind;
}

/* Only kernels and their modules replace instructions. */
const char module[8] __attribute__((section(".gnu.linkonce.this_module"), used)) = "arm64";

/* As in the kernel: a jump that is replaced by a nop where the processor has a feature
 * (alternative_has_feature_likely()). Nothing else leads to what follows it. */
static inline __attribute__((always_inline)) int has_feature(void)
{
	asm goto("1: b %l[no]\n"
		 ".pushsection .altinstructions, \"a\"\n"
		 ".word 1b - ., 1b - .\n"
		 ".hword 0x8005\n"
		 ".byte 4, 0\n"
		 ".popsection"
		 :
		 :
		 :
		 : no);
	return 1;
no:
	return 0;
}

int by_feature(struct node *node)
{
	int sum = (int)node->next->key;

	return sum + (has_feature() ? node->next->weight : node->next->kind);
}

void cut(const unsigned long *size, struct large *large);

/* One instruction stores the number, which is no variable, and the first member. */
long number_and_first(struct node *node)
{
	struct large large;

	large.first = node;
	cut((const unsigned long[]){ 60 }, &large);
	return large.counts[1];
}

/* The loaded value is the result. */
double result_part(const struct value *value, int *found)
{
	if (found)
		*found = 1;
	return value->part;
}

/* An integer is copied through a vector register. */
void copy_whole(const struct value *value, long *to)
{
	long whole;

	asm("ldr %d0, %1" : "=w"(whole) : "m"(value->whole));
	asm("str %d1, %0" : "=m"(*to) : "w"(whole));
}

struct connection {
	struct place place;
	int numbers[300];
	unsigned long private_data[8];
	int limit;
};

struct window {
	int count, last, when, origin;
};

static inline __attribute__((always_inline)) struct window *window_of(struct place *place)
{
	return (struct window *)((struct connection *)place)->private_data;
}

/* Atomic accesses have no offset, so the address of the private data is in a register of its own,
 * from before the variable that points to it; that is said to be an offset from the object. */
int open_window(struct place *place, int acked)
{
	struct connection *connection = (struct connection *)place;
	struct window *window;

	use((struct node *)connection->private_data);
	window = window_of(place);
	__atomic_fetch_add(&window->count, acked, __ATOMIC_RELAXED);
	return window->when + connection->limit;
}
