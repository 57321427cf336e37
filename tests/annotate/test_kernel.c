// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The type engine on code that only kernels have: per-cpu variables, thunks, calls from inline assembly. What
 * the kernel's headers do is written out in the source of each.
 */
#include "tests/support/unit.h"

#include <string.h>

#include "tests/support/snippet.h"

#define LIMIT 8

struct kernel_expectation {
	const char *source;
	const char *function;
	const char *flags;
	const char *per_cpu_start;
	const char *found[LIMIT];
	const char *forbidden[LIMIT];
};

static void check(const struct kernel_expectation *expectation)
{
	static const char *const compilers[] = { "gcc", "clang" };
	bool any = false;

	for (size_t i = 0; i < 2; i++) {
		struct snippet snippet = { .source = expectation->source,
					   .function = expectation->function,
					   .flags = expectation->flags,
					   .compiler = compilers[i],
					   .kernel = true,
					   .per_cpu_start = expectation->per_cpu_start };

		any |= snippet_expect(&snippet, expectation->found, expectation->forbidden);
	}
	if (!any)
		skip_because("neither gcc nor clang is here");
}

#define PER_CPU                                                                                              \
	"#define PER_CPU __attribute__((section(\".data..percpu\")))\n"                                      \
	"struct task { long state; int pid; struct task *parent; };\n"                                       \
	"struct counters { long hits; long misses; int last; struct task *owner; };\n"                       \
	"PER_CPU struct { long guard[5]; unsigned long canary; } fixed = { { 1 }, 1 };\n"                    \
	"PER_CPU struct task *current_task = (void *)1; PER_CPU struct counters counters = { 1 };\n"         \
	"PER_CPU unsigned long this_cpu_off = 1; PER_CPU long table[64] = { 1 };\n"                          \
	"unsigned long __per_cpu_offset[64] = { 1 }; int other = 1;\n"                                       \
	"static inline __attribute__((always_inline)) void *this_cpu(void *p)\n"                             \
	"{ asm(\"add %%gs:%1, %0\" : \"+r\"(p) : \"m\"(this_cpu_off)); return p; }\n"

static void variable_of_this_processor(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = PER_CPU "int get(void) { struct task *t; asm(\"mov %%gs:%1, %0\" : \"=r\"(t) : "
				  "\"m\"(current_task));\n"
				  " return t->parent->pid; }",
		.function = "get",
		.found = { "struct task* +0\tper-cpu", "struct task +16 (parent)", "struct task +8 (pid)" },
		.forbidden = { "(unknown)" } });
}

/* as of Linux 6.2, and where the section has addresses like any other, as of 6.15 */
static void variable_relative_to_the_instruction(void **state)
{
	static const char source[] = PER_CPU
		"int get(void) { struct task *t; asm(\"mov %%gs:current_task(%%rip), %0\" : \"=r\"(t));\n"
		" return t->parent->pid; }\n"
		"long own(void) { struct counters *c = this_cpu(&counters); return c->misses + "
		"c->owner->pid; }";

	(void)state;
	/* the linker cannot reach 0 from where the code is but by a displacement that wraps */
	check(&(struct kernel_expectation){
		.source = source,
		.function = "get",
		.per_cpu_start = "0xffffffff82000000",
		.found = { "struct task* +0\tper-cpu", "struct task +16 (parent)", "struct task +8 (pid)" },
		.forbidden = { "(unknown)" } });
	check(&(struct kernel_expectation){ .source = source,
					    .function = "own",
					    .per_cpu_start = "0xffffffff82000000",
					    .found = { "struct counters +8 (misses)",
						       "struct counters +24 (owner)",
						       "struct task +8 (pid)" },
					    .forbidden = { "(unknown)" } });
}

static void address_in_a_register(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = PER_CPU
		"long get(struct counters *p, long i) { long sum; struct counters *c = &counters;\n"
		" asm(\"mov %%gs:8(%1), %0\" : \"=r\"(sum) : \"r\"(c));\n"
		" long more; asm(\"mov %%gs:(%1), %0\" : \"=r\"(more) : \"r\"(&table[i]));\n"
		" long his; asm(\"mov %%gs:16(%1), %0\" : \"=r\"(his) : \"r\"(p)); return sum + more + his; "
		"}",
		.function = "get",
		.found = { "struct counters +8 (misses)", "long", "struct counters +16 (last)\tvariable" },
		.forbidden = { "(unknown)", "struct <" } });
}

static void base_of_this_processor(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = PER_CPU
		"struct holder { struct counters *statistics; };\n"
		"long get(struct holder *h) { struct counters *c = this_cpu(&counters), *d = "
		"this_cpu(h->statistics);\n"
		" asm volatile(\"\" : : : \"memory\"); c->hits++; return c->owner->pid + d->last; }",
		.function = "get",
		.found = { "struct counters +0 (hits)", "struct counters +24 (owner)", "struct task +8 (pid)",
			   "struct holder +0 (statistics)", "struct counters +16 (last)" },
		.forbidden = { "(unknown)" } });
}

static void base_of_any_processor(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){ .source = PER_CPU
					    "#define per_cpu(v, cpu) (*(__typeof__(v) *)({ unsigned long at; "
					    "asm(\"\" : \"=r\"(at) : \"0\"(&(v)));"
					    " at + __per_cpu_offset[cpu]; }))\n"
					    "long get(int cpu) { return per_cpu(counters, cpu).misses + "
					    "per_cpu(current_task, cpu)->parent->pid; }",
					    .function = "get",
					    .found = { "struct counters +8 (misses)", "struct task* +0",
						       "struct task +16 (parent)", "struct task +8 (pid)" },
					    .forbidden = { "(unknown)" } });
}

/* A per-cpu section at 0 makes no small number an address: not the size of a stack frame, not an offset. */
static void small_numbers_are_no_variables(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = PER_CPU
		"void fill(long *p); struct big { long a[40]; int last; };\n"
		"int get(struct big *b) { long room[16]; fill(room); return b->last + room[8]; }\n"
		"void fill(long *p) { for (int i = 0; i < other; i++) p[i] = 0; }",
		.function = "get",
		.flags = "-O1 -fno-inline",
		.found = { "struct big +320 (last)\tvariable" },
		.forbidden = { "(unknown)", "struct counters", "struct task" } });
}

#define THUNKS                                                                                               \
	"asm(\".globl __x86_return_thunk, __x86_indirect_thunk_rax, __x86_indirect_thunk_r11\\n\""           \
	"\".pushsection .text.thunks,\\\"ax\\\"\\n.type __x86_return_thunk,@function\\n\""                   \
	"\".type __x86_indirect_thunk_rax,@function\\n.type __x86_indirect_thunk_r11,@function\\n\""         \
	"\"__x86_return_thunk: ret\\nint3\\n__x86_indirect_thunk_rax: jmp *%rax\\n\""                        \
	"\"__x86_indirect_thunk_r11: jmp *%r11\\n.popsection\");\n"

static void calls_through_retpolines(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = PER_CPU THUNKS
		"struct ops { struct counters *(*get)(struct task *t); }; struct ops *ops;\n"
		"int call(struct ops *o, struct task *t) { struct counters *c;\n"
		" struct counters *(*f)(struct task *) = o->get;\n"
		" asm volatile(\"call __x86_indirect_thunk_rax\" : \"=a\"(c) : \"0\"(f), \"D\"(t) : \"rcx\", "
		"\"rdx\",\n"
		" \"rsi\", \"r8\", \"r9\", \"r10\", \"r11\", \"memory\"); return c->last; }",
		.function = "call",
		.found = { "struct ops +0 (get)", "struct counters +16 (last)" },
		.forbidden = { "(unknown)" } });
}

/* What the compiler inserts, and inline assembly: the registers that they do not change keep their types. */
static void calls_that_change_little(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = PER_CPU
		"asm(\".globl __fentry__, __get_user_8\\n__fentry__: ret\\n__get_user_8: mov (%rax), "
		"%rdx\\n\"\n"
		"\"xor %eax, %eax\\nret\");\n"
		"struct request { long *where; struct task *task; long value; };\n"
		"struct request *queue;\n"
		"long get(void) { struct request *r = *(struct request *volatile *)&queue; long value; int "
		"error;\n"
		" asm volatile(\"call __fentry__\");\n"
		" asm volatile(\"call __get_user_8\" : \"=a\"(error), \"=d\"(value) : \"0\"(r->where));\n"
		" r->value = value; return r->task->pid + error; }",
		.function = "get",
		.flags = "-O2 -fno-var-tracking",
		.found = { "struct request +0 (where)", "struct request +16 (value)",
			   "struct request +8 (task)", "struct task +8 (pid)" },
		.forbidden = { "(unknown)" } });
}

/* WARN() is a ud2 that is continued behind: control comes from there, and from nowhere else. */
static void code_behind_a_warning(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = PER_CPU
		"void note(long *); struct task *find(struct task *);\n"
		"long get(struct task *t) { long room[4]; struct task *p = find(t); note(room);\n"
		" if (__builtin_expect(p->pid < 0, 0)) { asm volatile(\"ud2\"); p->parent->pid = other; }\n"
		" note(room); return p->parent->pid + room[2]; }\n"
		"void note(long *p) { p[other] = 1; } struct task *find(struct task *t) { return t; }",
		.function = "get",
		.flags = "-O1 -fno-inline -fno-var-tracking",
		.found = { "struct task +16 (parent)", "struct task +8 (pid)", "int +0\tglobal" },
		.forbidden = { "(unknown)" } });
}

/* What a pointer to void was cast to: a variable is said to be where it is kept, before it is loaded. */
static void private_data(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = PER_CPU
		"struct file { long position; void *private; }; struct open { struct task *owner; long "
		"count; };\n"
		"static inline __attribute__((always_inline)) struct task *task_of(struct open *o)\n"
		"{ struct task *t = o->owner; return t->pid ? t : t->parent; }\n"
		"static inline __attribute__((always_inline)) struct task *owner(struct file *f)\n"
		"{ return task_of(f->private); }\n"
		"int get(struct file *f, void *v) { return owner(f)->parent->pid; }",
		.function = "get",
		.found = { "struct file +8 (private)", "struct open +0 (owner)", "struct task +16 (parent)",
			   "struct task +8 (pid)" },
		.forbidden = { "struct task* ", "struct open* " } });
}

/* Bits of a word in memory are set, cleared and tested in the byte that they are in. */
static void bytes_of_words(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = PER_CPU
		"struct set { long count; unsigned long bits[4]; }; unsigned int caps[8] = { 1 };\n"
		"int get(struct set *s) { asm volatile(\"lock orb $4, %0\" : \"+m\"(*(char *)&((char "
		"*)caps)[6]));\n"
		" int set; asm(\"testb $1, %1; setne %b0\" : \"=q\"(set) : \"m\"(((char *)s->bits)[9])); "
		"return set; }",
		.function = "get",
		.found = { "unsigned int[] +6", "struct set +17 (bits)" },
		.forbidden = { "(unknown)" } });
}

/* cmpxchg() takes a member by a pointer to an unsigned integer of its size, whatever it is. */
static void members_of_another_sign(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = "struct atomic { int counter; };\n"
			  "struct lock { union { struct atomic val; unsigned char locked; }; long owner; };\n"
			  "static inline __attribute__((always_inline)) int cmpxchg(struct atomic *v, int "
			  "old, int "
			  "new)\n"
			  "{ volatile unsigned *p = (volatile unsigned *)&v->counter;\n"
			  " asm volatile(\"lock cmpxchgl %2, %1\" : \"+a\"(old), \"+m\"(*p) : \"r\"(new) : "
			  "\"memory\"); return old; }\n"
			  "int get(struct lock *l) { int old = cmpxchg(&l->val, 0, 1); return old + "
			  "l->owner; }",
		.function = "get",
		.found = { "struct lock +0 (val.counter)", "struct lock +8 (owner)" },
		.forbidden = { "unsigned int" } });
}

/* mod_zone_page_state() goes through a pointer to the element. */
static void elements_of_members(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = "struct stats { signed char threshold; signed char diff[12]; };\n"
			  "void get(struct stats *s, long item) { signed char *p = s->diff + item;\n"
			  " asm volatile(\"\" : : \"r\"(p)); *p = *p + s->threshold; }",
		.function = "get",
		.found = { "struct stats +1 (diff)", "struct stats +0 (threshold)" },
		.forbidden = { "signed char" } });
}

/* Assembly without any debug information: ORC says where the registers of the interrupted task are. */
static void registers_of_an_exception(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = "struct pt_regs { unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, "
			  "cx, dx, si, di,"
			  " orig_ax, ip, cs, flags, sp, ss; }; struct pt_regs *saved;\n"
			  "__attribute__((section(\".data..percpu\"))) long some = 1;\n"
			  "asm(\".text\\n.type entry,@function\\nentry: push %rax\\n1: testb $3, "
			  "0x10(%rsp)\\n\"\n"
			  "\"2: mov 0x58(%rsp), %rcx\\nmov %rsp, %rdi\\npush 0x70(%rdi)\\n3: testb $3, "
			  "0x90(%rsp)\\n\"\n"
			  "\"4: ret\\n.size entry, . - entry\\n\"\n"
			  "\".section .orc_unwind_ip,\\\"a\\\"\\n.long entry - ., 1b - ., 2b - ., 3b - ., 4b "
			  "- .\\n\"\n"
			  /* a call; what the processor pushed, and a word; all of it; and another word; a
			     call */
			  "\".section .orc_unwind,\\\"a\\\"\\n.short 8, 0, 5, 8, 0, 0x205, 0, 0, 0x105, 8, "
			  "0, 0x105, 8, 0, 5\\n\"\n"
			  "\".text\");\n",
		.function = "entry",
		.found = { "struct pt_regs +136 (cs)", "struct pt_regs +88 (cx)",
			   "struct pt_regs +112 (di)" },
		.forbidden = { "(unknown)", "struct pt_regs +8 ", "struct pt_regs +16 ",
			       "struct pt_regs +144" } });
}

/* A byte that is loaded from the middle of a word in an array: a table that is laid out as something else. */
static void bytes_of_tables(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){ .source = "struct coder { long count; unsigned int table[8]; };\n"
						      "int get(struct coder *c) { return ((volatile unsigned "
						      "char *)c->table)[6] + c->count; }",
					    .function = "get",
					    .found = { "(unknown)", "struct coder +0 (count)" },
					    .forbidden = { "struct coder +14" } });
}

#define INODES                                                                                               \
	"struct super { long magic; void *private; }; struct inode { long number; struct super *super; };\n" \
	"struct disk { long blocks; int block_bits; }; struct extent { long start, length; };\n"             \
	"struct own_inode { long reserved; struct extent *tree; struct inode inode; int last_group; };\n"    \
	"static inline __attribute__((always_inline)) struct own_inode *OWN(struct inode *i)\n"              \
	"{ return (struct own_inode *)((char *)i - __builtin_offsetof(struct own_inode, inode)); }\n"        \
	"static inline __attribute__((always_inline)) struct disk *DISK(struct super *s) { return "          \
	"s->private; }\n"

/* In front of and behind an inode lies what the function casts it to, whether or not a variable of that type
 * is left. */
static void records_around_members(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = PER_CPU INODES
		"long get(struct inode *i, struct own_inode *parent) { struct own_inode *own = OWN(i);\n"
		" return own == parent ? 0 : own->tree->length + own->last_group + own->reserved; }",
		.function = "get",
		.flags = "-O2 -fno-var-tracking",
		.found = { "struct own_inode +8 (tree)", "struct extent +8 (length)",
			   "struct own_inode +32 (last_group)", "struct own_inode +0 (reserved)" },
		.forbidden = { "(unknown)" } });
	/* but not if it speaks of two that would do */
	check(&(struct kernel_expectation){
		.source = PER_CPU INODES
		"struct other_inode { long reserved; struct task *owner; struct inode inode; int "
		"first_group; };\n"
		"long get(struct inode *i, struct own_inode *own, struct other_inode *other)\n"
		"{ asm volatile(\"\" : : \"r\"(own), \"r\"(other)); long v;\n"
		" asm volatile(\"mov -8(%1), %0\" : \"=r\"(v) : \"r\"(i)); return v; }",
		.function = "get",
		.flags = "-O2 -fno-var-tracking",
		.found = { "(unknown)" },
		.forbidden = { "struct own_inode", "struct other_inode" } });
}

/* A variable that is nowhere, for the compiler needed only what is loaded from it, still says what was meant.
 */
static void records_of_variables_without_a_place(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = PER_CPU INODES "long get(struct inode *i) { struct own_inode *own = (struct "
					 "own_inode *)((char *)i - 16); return own->tree->length; }",
		.function = "get",
		.flags = "-O2 -fno-var-tracking",
		.found = { "struct own_inode +8 (tree)", "struct extent +8 (length)" },
		.forbidden = { "(unknown)" } });
}

static void private_data_by_its_accessor(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = PER_CPU INODES
		"long get(struct inode *i) { return DISK(i->super)->block_bits + DISK(i->super)->blocks; }",
		.function = "get",
		.found = { "struct super +8 (private)", "struct disk +8 (block_bits)",
			   "struct disk +0 (blocks)" },
		.forbidden = { "(unknown)" } });
}

/* A list's head is cast to what is in the list, whose first members are the same. The others it has itself:
 * what would be a part of a pointer is none. */
static void heads_of_queues(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = PER_CPU
		"struct node { long color; struct node *right, *left; };\n"
		"struct packet { union { struct { struct packet *next, *previous; union { struct task "
		"*owner; long scratch; }; };\n"
		" struct node node; }; long data[4]; };\n"
		"struct queue { struct packet *next, *previous; unsigned int length; int lock; };\n"
		"void lock(int *lock); int unlock(int *lock);\n"
		"static inline __attribute__((always_inline)) void insert(struct packet *new, struct packet "
		"*previous,\n"
		" struct packet *next, struct queue *list) { new->next = next; new->previous = previous;\n"
		" next->previous = new; previous->next = new; list->length++; }\n"
		"static inline __attribute__((always_inline)) void before(struct queue *list, struct packet "
		"*next, struct packet *new)\n"
		"{ insert(new, next->previous, next, list); }\n"
		"void get(struct queue *list, struct packet *new) { lock(&list->lock);\n"
		" before(list, (struct packet *)list, new); unlock(&list->lock); }\n"
		"void lock(int *lock) { ++*(volatile int *)lock; asm volatile(\"\"); }\n"
		"int unlock(int *lock) { asm volatile(\"\"); return *(volatile int *)lock; }",
		.function = "get",
		.flags = "-O2 -fno-inline",
		.found = { "struct queue +16 (length)", "struct packet +8 (previous)" },
		.forbidden = { "struct packet +16", "(unknown)" } });
}

#define PAGES                                                                                                \
	"struct mapping { long host; long flags[3]; struct task *owner; int error; };\n"                     \
	"struct pool { struct task *task; int count; };\n"                                                   \
	"struct page { long flags; union { struct mapping *mapping; struct pool *pool; long private; }; "    \
	"};\n"

/* Which of a union's pointers was loaded, the accesses tell that only one of the pointees has room for. */
static void pointers_of_unions(void **state)
{
	(void)state;
	check(&(struct kernel_expectation){
		.source = PER_CPU PAGES
		"long get(struct page *p) { return p->mapping->error + p->mapping->host; }",
		.function = "get",
		.flags = "-O2 -fno-var-tracking",
		.found = { "struct mapping +40 (error)\tinferred", "struct mapping +0 (host)\tinferred" },
		.forbidden = { "(unknown)", "struct pool" } });
	/* both have something there; and what is in none as a whole */
	check(&(struct kernel_expectation){ .source = PER_CPU PAGES
					    "long get(struct page *p) { return p->mapping->host; }",
					    .function = "get",
					    .flags = "-O2 -fno-var-tracking",
					    .found = { "struct page +8", "(unknown)" },
					    .forbidden = { "struct pool", "struct mapping" } });
	check(&(struct kernel_expectation){
		.source = PER_CPU PAGES
		"long get(struct page *p) { return *(short *)((char *)p->mapping + 26); }",
		.function = "get",
		.flags = "-O2 -fno-var-tracking",
		.found = { "struct page +8", "(unknown)" },
		.forbidden = { "struct pool", "struct mapping" } });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variable_of_this_processor),
		cmocka_unit_test(variable_relative_to_the_instruction),
		cmocka_unit_test(address_in_a_register),
		cmocka_unit_test(base_of_this_processor),
		cmocka_unit_test(base_of_any_processor),
		cmocka_unit_test(small_numbers_are_no_variables),
		cmocka_unit_test(calls_through_retpolines),
		cmocka_unit_test(calls_that_change_little),
		cmocka_unit_test(code_behind_a_warning),
		cmocka_unit_test(private_data),
		cmocka_unit_test(records_around_members),
		cmocka_unit_test(records_of_variables_without_a_place),
		cmocka_unit_test(private_data_by_its_accessor),
		cmocka_unit_test(heads_of_queues),
		cmocka_unit_test(pointers_of_unions),
		cmocka_unit_test(registers_of_an_exception),
		cmocka_unit_test(bytes_of_words),
		cmocka_unit_test(members_of_another_sign),
		cmocka_unit_test(elements_of_members),
		cmocka_unit_test(bytes_of_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
