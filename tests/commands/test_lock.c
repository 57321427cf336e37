// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof lock, on a recording that is written here: a program with three kinds of callers of one
 * locking function. Matching and tables: tests/report/test_lock_waits.c.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "tests/support/debug_program.h"
#include "tests/support/elf_writer.h"
#include "tests/support/files.h"
#include "tests/support/perf_image.h"
#include "tests/support/process.h"

static const char *data;

/* after_... is where the call before it returns to. */
static const char source[] =
	"#include <sys/time.h>\n"
	"#define HERE(name) __asm__ volatile(\".globl \" #name \"\\n\" #name \":\" ::: "
	"\"memory\")\n"
	"#define APART __attribute__((noinline, noclone))\n"
	"struct lock { int word, waiters; };\n"
	"struct part { int users; struct lock inner; };\n"
	"struct pool { long id; char name[80]; struct lock guard; struct part part;\n"
	"	int hits; };\n"
	"struct pool *first;\n"
	"APART void take(struct lock *lock) { __asm__ volatile(\"\" : : \"r\"(lock) : \"memory\"); "
	"}\n"
	"APART void jumps(struct lock *lock) { take(lock); }\n"
	"APART void passes(struct lock *lock) { take(lock); HERE(after_passes); }\n"
	"APART void of_part(struct part *part) { take(&part->inner); HERE(after_part); }\n"
	"APART void direct(struct pool *pool) { take(&pool->guard); HERE(after_direct); }\n"
	"APART void jumping(void) { jumps(&first->guard); HERE(after_jumping); }\n"
	"APART void outer(struct pool *pool) { passes(&pool->guard); HERE(after_outer); }\n"
	"APART void pthread_mutex_lock(struct lock *lock) { take(lock); HERE(after_mutex); }\n"
	"APART void pthread_cond_wait(struct part *part, struct lock *lock)\n"
	"{ take((struct lock *)part); take(lock); HERE(after_wait); }\n"
	"APART void enter(struct pool *pool) { pthread_mutex_lock(&pool->guard);\n"
	"	HERE(after_enter); }\n"
	"APART void sleep_on(struct pool *pool) { pthread_cond_wait(&pool->part, &pool->guard);\n"
	"	HERE(after_sleep); }\n"
	/* the lock is in what container_of() finds around the pointee */
	"struct node { long links[2]; };\n"
	"struct outer { long id; struct lock guard; struct node node; };\n"
	"static inline struct outer *outer_of(struct node *node) { return (struct outer *)\n"
	"	((char *)node - __builtin_offsetof(struct outer, node)); }\n"
	"APART void of_node(struct node *node) { take(&outer_of(node)->guard);\n"
	"	HERE(after_node); }\n"
	/* a function with two locks of one type */
	"APART void both(struct lock *a, struct lock *b) { take(a); HERE(after_both); take(b); }\n"
	"APART void pair(struct pool *a, struct pool *b) { both(&a->guard, &b->guard);\n"
	"	HERE(after_pair); }\n"
	"APART void parts(struct pool *pool) { both(&pool->guard, &pool->part.inner);\n"
	"	HERE(after_parts); }\n"
	"APART void either(struct lock *a, struct lock *b, int first) { take(first ? a : b);\n"
	"	HERE(after_either); }\n"
	"APART void choose(struct pool *pool, int first)\n"
	"{ either(&pool->guard, &pool->part.inner, first); HERE(after_choose); }\n"
	/* a pointer that has no type on its way */
	"struct opaque { long id; void *handle; char name[48]; };\n"
	"APART void enter_handle(void *handle) { take(handle); HERE(after_handle); }\n"
	"APART void of_opaque(struct opaque *o) { enter_handle(o->handle); HERE(after_opaque); }\n"
	/* the result's address is the first argument */
	"struct big { long words[9]; } APART locked(struct lock *lock) { struct big big = { 0 };\n"
	"	take(lock); HERE(after_locked); return big; }\n"
	"APART void of_big(struct pool *pool) { struct big big = locked(&pool->guard);\n"
	"	HERE(after_big); __asm__ volatile(\"\" : : \"r\"(&big) : \"memory\"); }\n"
	/* it only jumps, and nothing is known of its parameters */
	"void only_jumps(void); __asm__(\".pushsection .text\\n.globl only_jumps\\n\"\n"
	"	\".type only_jumps, @function\\nonly_jumps: jmp take\\n\"\n"
	"	\".size only_jumps, .-only_jumps\\n.popsection\");\n"
	"APART void forwarded(struct pool *pool)\n"
	"{ ((void (*)(struct lock *))only_jumps)(&pool->guard); HERE(after_forwarded); }\n"
	/* small objects in an array */
	"struct slot { long key; struct lock lock; }; struct table { long id; struct slot of[3]; "
	"}\n"
	"	*table;\n"
	"APART void of_slot(struct slot *slot) { take(&slot->lock); HERE(after_slot); }\n"
	"APART void of_table(int i) { of_slot(&table->of[i]); HERE(after_table); }\n"
	"struct { int count; struct lock of[3]; } ways;\n"
	"APART void in_array(int i) { take(&ways.of[i]); HERE(after_array); }\n"
	/* locks in memory of their own */
	"struct set { long mask; struct lock *ways, *whole; char name[48]; } set; struct lock "
	"*striped;\n"
	"APART void in_ways(unsigned int hash) { take(&striped[hash & 3]); HERE(after_ways); }\n"
	"APART void in_set(struct set *set, long i) { take(&set->ways[i & set->mask]);\n"
	"	HERE(after_set); take(set->whole); HERE(after_whole); }\n"
	"struct guard { struct lock *lock; long held; };\n"
	"APART void in_guard(struct guard *guard) { take(guard->lock); HERE(after_guard); }\n"
	"APART void in_variable(void) { take(set.whole); HERE(after_variable); }\n"
	/* pthread_mutex_lock() of glibc jumps to it */
	"APART void pthread_mutex_lock_full(struct lock *lock) { take(lock); HERE(after_full); }\n"
	/* its member's type is only declared, as other files' types are with a flag of gcc */
	"struct { long id; struct timeval signal; int hits; } fixed;\n"
	"APART void wait_fixed(void) { pthread_cond_wait((struct part *)&fixed.signal, 0);\n"
	"	HERE(after_fixed); }\n"
	/* glibc's, for its own locks: chains have no caller of it */
	"APART void __lll_lock_wait(struct lock *lock) { take(lock); HERE(after_lll); }\n"
	/* GLib's: without debug information, its slow path has no name */
	"APART void g_mutex_lock(struct lock *lock) { take(lock); HERE(after_g_mutex); }\n"
	"APART void g_cond_wait(struct part *part, struct lock *lock)\n"
	"{ g_mutex_lock(lock); HERE(after_g_wait); take(&part->inner); HERE(after_g_sleep); }\n"
	"APART void g_await(struct pool *pool) { g_cond_wait(&pool->part, &pool->guard);\n"
	"	HERE(after_g_await); }\n"
	/* it calls a function that waits */
	"APART void pthread_once(void) { take(0); HERE(after_once); }\n"
	/* since glibc 2.43, it calls the function that waits */
	"APART void __pthread_once_slow(struct lock *lock) { take(lock); HERE(after_slow); }\n"
	"APART void __pthread_once(struct lock *lock) { __pthread_once_slow(lock);\n"
	"	HERE(after_newer); }\n"
	"APART void begin(struct pool *pool) { __pthread_once(&pool->guard); HERE(after_begin); }\n"
	"APART void stores(struct pool *pool) { HERE(at_store); pool->part.users = 1; }\n"
	"APART int uses(struct pool *pool) { HERE(at_use); return pool->hits; }\n"
	"APART void other(void) { of_part(&first->part); HERE(after_other); }\n"
	"int main(void) { struct pool pool = { 0 }; first = &pool; direct(first); jumping();\n"
	"	outer(first); other(); enter(first); sleep_on(first); struct outer outer;\n"
	"	of_node(&outer.node); pair(first, first); parts(first);\n"
	"	choose(first, 1); of_opaque((struct opaque *)first); in_array(1); of_table(1); "
	"of_big(first);\n"
	"	in_ways(1); in_set(&set, 1); in_guard((struct guard *)&set);\n"
	"	in_variable();\n"
	"	pthread_mutex_lock_full(&first->guard); pthread_once(); wait_fixed();\n"
	"	__lll_lock_wait(&first->guard); begin(first);\n"
	"	stores(first); return "
	"uses(first); }\n";

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char begin_format[] = "name: contention_begin\nID: 12\nformat:\n" COMMON
				   "\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n"
				   "\tfield:unsigned int flags;\toffset:16;\tsize:4;\tsigned:0;\n"
				   "\nprint fmt: \"%p\", REC->lock_addr\n";
static const char end_format[] = "name: contention_end\nID: 13\nformat:\n" COMMON
				 "\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n"
				 "\tfield:int ret;\toffset:16;\tsize:4;\tsigned:1;\n"
				 "\nprint fmt: \"%p\", REC->lock_addr\n";

static void put_tracing_data(struct strbuf *feature)
{
	put_tracing_head(feature);
	put32(feature, 0);
	put32(feature, 1);
	strbuf_add(feature, "lock\0", 5);
	put32(feature, 2);
	put_sized(feature, begin_format);
	put_sized(feature, end_format);
}

/* A wait of `time` ns, which begins at `start`; the callers are return addresses up to a 0. */
struct made_wait {
	uint64_t lock, start, time;
	uint32_t flags; /* with BEGINS_ON and ENDS_ON, else it is all on processor 0 */
	uint64_t callers[4];
};

#define BEGINS_ON(cpu) ((cpu) << 8)
#define ENDS_ON(cpu)   ((cpu) << 16)

static void add_event(struct perf_image *image, const struct made_wait *wait, uint64_t take,
		      bool begin, bool kernel)
{
	uint16_t type = begin ? 12 : 13;
	uint64_t count = 2; /* the context, and the function itself */

	while (count < 2 + COUNT_OF(wait->callers) && wait->callers[count - 2])
		count++;
	put64(&image->body, type);
	put64(&image->body, take);
	put32(&image->body, 10), put32(&image->body, 10);
	put64(&image->body, wait->start + (begin ? 0 : wait->time));
	put32(&image->body, wait->flags >> (begin ? 8 : 16) & 0xff), put32(&image->body, 0);
	put64(&image->body, 1);
	put64(&image->body, count);
	put64(&image->body, (uint64_t)(kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER));
	put64(&image->body, take);
	for (uint64_t i = 2; i < count; i++)
		put64(&image->body, wait->callers[i - 2]);
	put32(&image->body, 20); /* four bytes of padding belong to the data */
	put16(&image->body, type), put16(&image->body, 0), put32(&image->body, 10);
	put64(&image->body, wait->lock), put32(&image->body, begin ? wait->flags & 0xff : 0);
	perf_image_record(image, PERF_RECORD_SAMPLE,
			  kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
}

#define KERNEL_BASE PERF_IMAGE_KERNEL

/* Without a program, the waits are a kernel's. `entries`: the most of a chain; 0: all. */
static void write_recording(const char *program, const struct made_wait *waits, size_t count,
			    uint64_t take, uint16_t entries)
{
	uint32_t pid = program ? 10 : UINT32_MAX;
	uint64_t base = program ? 0x400000 : KERNEL_BASE;
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.config = 12,
					.sample_period = 1,
					.sample_max_stack = entries,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
						       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW };
	_cleanup_perf_image_ struct perf_image image;
	size_t size;

	perf_image_init(&image);
	perf_image_event(&image, &attr, (const uint64_t[]){ 12 }, 1);
	attr.config = 13;
	perf_image_event(&image, &attr, (const uint64_t[]){ 13 }, 1);
	put_tracing_data(&image.features[FEATURE_TRACING_DATA]);
	put32(&image.body, pid), put32(&image.body, program ? 10 : 0);
	put64(&image.body, base), put64(&image.body, 0x100000);
	put64(&image.body, program ? 0 : base);
	put_string(&image.body, program ? program : "[kernel.kallsyms]_text");
	perf_image_record(&image, PERF_RECORD_MMAP,
			  program ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL);
	for (size_t i = 0; i < count; i++)
		add_event(&image, &waits[i], take, true, !program);
	for (size_t i = 0; i < count; i++)
		add_event(&image, &waits[i], take, false, !program);

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);

	file_write(data, bytes, size);
}

static uint64_t address_of(const struct debug_program *program, const char *name)
{
	uint64_t address;

	assert_true(elf_image_symbol_address(program->image, name, &address));
	return address;
}

static void run(const char *arguments, struct process_result *result)
{
	_cleanup_free_ char *command = xasprintf("HOME=%s %s --no-pager %s -i %s", scratch_folder(),
						 dtprof_path(), arguments, data);

	process_shell(command, result);
	assert_string_equal(result->errors.data, "");
	process_check_status(result, 0);
}

/* A wait is of where it begins, and has its whole time. */
static void waits_are_chosen_by_their_begins(void **state)
{
	static const struct made_wait waits[] = {
		{ 0x1000, 100, 5000, 1 | BEGINS_ON(1), { 0 } },
		{ 0x1000, 10000, 50, 1 | ENDS_ON(1), { 0 } },
	};
	_cleanup_process_ struct process_result on_0 = { 0 }, on_1 = { 0 }, times = { 0 };

	(void)state;
	write_recording(NULL, waits, COUNT_OF(waits), KERNEL_BASE + 16, 0);
	run("lock contention -q -l -x, -C 0 2>/dev/null", &on_0);
	run("lock contention -q -l -x, -C 1 2>/dev/null", &on_1);
	run("lock contention -q -l -x, --time '0,0.0000002 0.000009,0.00001' 2>/dev/null", &times);
	assert_non_null(strstr(on_0.output.data, "1, 50, 50, 50, 0000000000001000"));
	assert_non_null(strstr(on_1.output.data, "1, 5000, 5000, 5000, 0000000000001000"));
	assert_non_null(strstr(times.output.data, "2, 5050, 5000, 2525, 0000000000001000"));
}

/* With --lock-time, samples of begins stand for the time of their waits, in each view of samples.
 */
static void reports_on_samples_show_waiting_time(void **state)
{
	static const struct made_wait waits[] = {
		{ 0x1000, 100, 5000, 33, { 0 } },
		{ 0x1000, 200, 4900, 32, { 0 } }, /* the same wait of a mutex, asleep */
		{ 0x2000, 6000, 70, 1, { 0 } },
	};
	_cleanup_process_ struct process_result events = { 0 }, times = { 0 }, csv = { 0 };

	(void)state;
	write_recording(NULL, waits, COUNT_OF(waits), KERNEL_BASE + 16, 0);
	run("report --csv -q -s comm 2>/dev/null", &events);
	run("report --csv -q -s comm --lock-time 2>/dev/null", &times);
	run("export --format csv --lock-time 2>/dev/null", &csv);
	assert_non_null(strstr(events.output.data, "lock:contention_begin,0,,3,3,"));
	assert_non_null(strstr(events.output.data, "lock:contention_end,0,,3,3,"));
	assert_non_null(strstr(times.output.data, "lock:contention_begin,0,,2,5070,"));
	assert_null(strstr(times.output.data, "lock:contention_end,"));
	assert_non_null(strstr(csv.output.data, "lock:contention_begin,2,5070,"));
}

/* Scripts for perf read its standard error: a link of that name prints there. */
static void a_link_called_perf_prints_as_perf_does(void **state)
{
	static const struct made_wait waits[] = { { 0x1000, 100, 50, 1, { 0 } } };
	_cleanup_free_ char *program = realpath(dtprof_path(), NULL);
	_cleanup_free_ char *command =
		xasprintf("ln -sf %s %s/perf && %s/perf lock contention -q -l -x, -i %s", program,
			  scratch_folder(), scratch_folder(), data);
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	write_recording(NULL, waits, COUNT_OF(waits), KERNEL_BASE + 16, 0);
	process_shell(command, &result);
	process_check_status(&result, 0);
	assert_string_equal(result.output.data, "");
	assert_non_null(strstr(result.errors.data, "1, 50, 50, 50, 0000000000001000"));
}

/* The symbols tell where the variables of a kernel are of which there is the memory alone. */
static void a_variable_of_a_kernel_in_its_memory(void **state)
{
	static const struct made_wait waits[] = {
		{ KERNEL_BASE + 0x2010, 100, 50, 1, { KERNEL_BASE + 32 } },
		{ KERNEL_BASE + 0x3010, 200, 40, 1, { KERNEL_BASE + 32 } },
		/* the tags of an ABI are not written */
		{ KERNEL_BASE + 0x2020, 300, 30, 1, { KERNEL_BASE + 32 } },
	};
	static const uint8_t memory[4096];
	static const char symbols[] =
		"ffffffff81000000 T _text\nffffffff81000010 t taker\nffffffff81001000 T _etext\n"
		"ffffffff81002000 D _sdata\nffffffff81002010 D a_lock\nffffffff81002020 d "
		"_Z5namesB5cxx11\n"
		"ffffffff81003000 D _edata\nffffffff81003000 B __bss_start\n"
		"ffffffff81003010 b unset\nffffffff81004000 B __bss_stop\n";
	const char *core = scratch_file("kcore"), *kallsyms = scratch_file("kcore.symbols");
	struct elf_writer *writer = elf_writer_create(ET_CORE);
	_cleanup_free_ char *arguments =
		xasprintf("lock contention -q -l -x, --no-btf -k wait_total --vmlinux %s "
			  "--kallsyms %s 2>/dev/null",
			  core, kallsyms);
	_cleanup_process_ struct process_result result = { 0 };
	unsigned int section = elf_writer_section(writer, "memory", SHT_PROGBITS, SHF_ALLOC,
						  KERNEL_BASE, memory, sizeof(memory));
	size_t size;

	(void)state;
	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, section, KERNEL_BASE, sizeof(memory),
			   4096);
	_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &size);

	file_write(core, bytes, size);
	file_write(kallsyms, symbols, strlen(symbols));
	write_recording(NULL, waits, COUNT_OF(waits), KERNEL_BASE + 16, 0);
	run(arguments, &result);
	assert_non_null(strstr(result.output.data, "ffffffff81002010, a_lock, spinlock"));
	assert_non_null(strstr(result.output.data, "ffffffff81003010, unset, spinlock"));
	assert_non_null(strstr(result.output.data, "ffffffff81002020, names, spinlock"));
}

static void names_by_callers(void **state)
{
	static const struct debug_source sources[] = { { "locks.c", source }, { NULL, NULL } };
	struct debug_program program;
	_cleanup_free_ char *nobody = xasprintf("HOME=%s %s lock report --pid 99 -i %s",
						scratch_folder(), dtprof_path(), data);
	_cleanup_process_ struct process_result output, again, sums, sorted, none, file;

	(void)state;
	if (!debug_program_build(&program, "gcc",
				 "-g -O1 -no-pie -fno-omit-frame-pointer -foptimize-sibling-calls",
				 sources))
		skip_because("no gcc that makes programs at fixed addresses");

	const struct made_wait waits[] = {
		{ 0x1000, 100, 5000, 1, { address_of(&program, "after_direct") } },
		{ 0x2000, 200, 4000, 1, { address_of(&program, "after_jumping") } },
		{ 0x3000,
		  300,
		  3000,
		  32,
		  { address_of(&program, "after_passes"), address_of(&program, "after_outer") } },
		{ 0x4000,
		  400,
		  2000,
		  1,
		  { address_of(&program, "after_part"), address_of(&program, "after_other") } },
		{ 0x5000, 500, 1000, 1, { address_of(&program, "after_passes") } },
		/* the same lock from two callers: the second one adds what the first lacks */
		{ 0x6000, 600, 900, 1, { address_of(&program, "after_passes") } },
		{ 0x6000, 6000, 800, 1, { address_of(&program, "after_direct") } },
		{ 0x7000, 7000, 10, 1, { 0 } },
		{ 0x8000, 9000, 700, 1, { address_of(&program, "after_node") } },
		{ 0x9000,
		  9100,
		  20,
		  1,
		  { address_of(&program, "after_both"), address_of(&program, "after_pair") } },
		{ 0xa000,
		  9200,
		  600,
		  1,
		  { address_of(&program, "after_both"), address_of(&program, "after_parts") } },
		{ address_of(&program, "ways") + 12,
		  9300,
		  500,
		  1,
		  { address_of(&program, "after_array") } },
		{ 0xb000,
		  9400,
		  400,
		  1,
		  { address_of(&program, "after_slot"), address_of(&program, "after_table") } },
		{ 0xc000,
		  9500,
		  30,
		  1,
		  { address_of(&program, "after_locked"), address_of(&program, "after_big") } },
		{ 0xd000, 9600, 40, 1, { address_of(&program, "after_forwarded") } },
		{ 0xe400,
		  9650,
		  70,
		  1,
		  { address_of(&program, "after_either"), address_of(&program, "after_choose") } },
		{ 0xe500,
		  9660,
		  60,
		  1,
		  { address_of(&program, "after_handle"), address_of(&program, "after_opaque") } },
		{ 0xe000, 9700, 300, 1, { address_of(&program, "after_ways") } },
		{ 0xe008, 9701, 5, 1, { address_of(&program, "after_ways") } },
		{ 0xe100, 9710, 200, 1, { address_of(&program, "after_set") } },
		{ 0xe200, 9720, 100, 1, { address_of(&program, "after_whole") } },
		{ 0xe280, 9725, 150, 1, { address_of(&program, "after_guard") } },
		{ 0xe300, 9730, 50, 1, { address_of(&program, "after_variable") } },
		/* it ends at the time at which it begins */
		{ 0x7000, 8000, 0, 1, { 0 } },
	};

	write_recording(program.path, waits, COUNT_OF(waits), address_of(&program, "take"), 0);
	run("lock report --stack-skip 1 --callers 0 -F contended,wait_total -x ,", &output);
	assert_string_equal(output.output.data,
			    "# output: contended, total wait, type, locks, lock\n"
			    "8, 11390, spinlock, 7, struct pool +88 (guard)\n"
			    "1, 3000, mutex, 1, struct pool +88 (guard)\n"
			    "1, 2000, spinlock, 1, struct pool +100 (part.inner)\n"
			    "2, 1150, spinlock, 2, (unknown: no caller shows what the lock is in)\n"
			    "1, 700, spinlock, 1, struct outer +8 (guard)\n"
			    "1, 500, spinlock, 1, ways.of[1]\n"
			    "1, 400, spinlock, 1, struct slot +8 (lock)\n"
			    "2, 305, spinlock, 2, striped[]\n"
			    "1, 200, spinlock, 1, struct set +8 (ways[])\n"
			    "1, 100, spinlock, 1, struct set +16 (*whole)\n"
			    "1, 70, spinlock, 1, (unknown: the caller has several such locks)\n"
			    "1, 60, spinlock, 1, struct opaque +8 (*handle)\n"
			    "1, 50, spinlock, 1, *set.whole\n"
			    "2, 10, spinlock, 1, (unknown: no caller outside of lock functions)\n");
	run("lock report -a -k contended --stack-skip 1 --callers 0 -F wait_max -E 1 -x ,",
	    &sorted);
	assert_string_equal(sorted.output.data, "# output: max wait, contended, type, locks, lock\n"
						"5000, 8, spinlock, 7, struct pool +88 (guard)\n");
	run("lock report --json", &sums);
	assert_non_null(strstr(sums.output.data, "\"unfinished\": 0,\n \"begun_before\": 0,"));
	run("lock contention -l -k wait_max -E 2 --stack-skip 1 --worker-threads 1", &again);
	assert_string_equal(
		again.output.data,
		" contended   total wait     max wait     avg wait            address   symbol\n\n"
		"         1      5.00 us      5.00 us      5.00 us   0000000000001000   "
		"struct pool +88 (guard) (spinlock)\n"
		"         1      4.00 us      4.00 us      4.00 us   0000000000002000   "
		"struct pool +88 (guard) (spinlock)\n");
	_cleanup_free_ char *to_file = xasprintf(
		"%s lock con --stack-skip 1 -E 1 -x , --output %s.txt -i %s && cat %s.txt",
		dtprof_path(), data, data, data);

	process_shell(to_file, &file);
	assert_non_null(strstr(file.output.data,
			       "# output: contended, total wait, max wait, avg wait, type, caller\n"
			       "2, 5800, 5000, 2900, spinlock, direct+0x"));
	/* an empty table says why */
	process_shell(nobody, &none);
	assert_non_null(strstr(none.errors.data, "no thread waited for a lock\n"));
	debug_program_close(&program);
}

static const char kernel_source[] =
	"#define HERE(name) __asm__ volatile(\".globl \" #name \"\\n\" #name \":\" ::: "
	"\"memory\")\n"
	"#define APART __attribute__((noinline, noclone))\n"
	"struct rw_semaphore { long count; int wait_lock; };\n"
	"struct mm { long id; char name[80]; struct rw_semaphore mmap_lock; };\n"
	"void _text(void);\n"
	"APART void _raw_spin_lock_irq(int *lock)\n"
	"{ __asm__ volatile(\"\" : : \"r\"(lock) : \"memory\"); HERE(in_spin); }\n"
	"APART void rwsem_down_write_slowpath(struct rw_semaphore *sem)\n"
	"{ _raw_spin_lock_irq(&sem->wait_lock); HERE(after_wait_lock); }\n"
	"APART void down_write(struct rw_semaphore *sem)\n"
	"{ rwsem_down_write_slowpath(sem); HERE(after_down); }\n"
	"APART void map(struct mm *mm) { down_write(&mm->mmap_lock); HERE(after_map); }\n"
	"struct wait_queue_head { int lock; void *first; };\n"
	"APART void finish_wait(struct wait_queue_head *head)\n"
	"{ _raw_spin_lock_irq(&head->lock); HERE(after_queue); }\n"
	"struct semaphore { int lock; unsigned count; };\n"
	"struct dev { long id; struct semaphore sem; };\n"
	"APART void __down(struct semaphore *sem)\n"
	"{ __asm__ volatile(\"\" : : \"r\"(sem) : \"memory\"); }\n"
	"APART void down(struct semaphore *sem) { __down(sem); HERE(after_sleep); }\n"
	"APART void rt_spin_lock(int *lock) { _raw_spin_lock_irq(lock); HERE(after_rt); }\n"
	"APART void use(struct dev *dev) { down(&dev->sem); HERE(after_sem);\n"
	"	rt_spin_lock(&dev->sem.lock); HERE(after_rt_lock); }\n"
	"struct super { long id[9]; void *info; };\n"
	"APART void fill(struct super *super)\n"
	"{ _raw_spin_lock_irq(super->info); HERE(after_fill); }\n"
	/* percpu-rwsem, rt-mutex, and a spinning lock for readers */
	"struct percpu_rw_semaphore { long state, *readers; };\n"
	"struct frozen { long id[20]; struct percpu_rw_semaphore rw_sem[3]; };\n"
	"struct rt_mutex { int wait_lock; void *owner; };\n"
	"struct qrwlock { int counts, wait_lock; };\n"
	"struct bus { long id[3]; struct rt_mutex bus_lock; struct qrwlock tree; };\n"
	"APART int __percpu_down_read(struct percpu_rw_semaphore *sem, int try)\n"
	"{ _raw_spin_lock_irq((int *)sem); HERE(in_percpu); return try; }\n"
	"APART void rt_mutex_lock(struct rt_mutex *mutex)\n"
	"{ _raw_spin_lock_irq((int *)mutex); HERE(in_rt_mutex); }\n"
	"APART void queued_read_lock_slowpath(struct qrwlock *lock)\n"
	"{ _raw_spin_lock_irq(&lock->counts); HERE(in_read); }\n"
	"APART void start_write(struct frozen *fs, int level)\n"
	"{ __percpu_down_read(&fs->rw_sem[level], 0); HERE(after_start); }\n"
	"APART void transfer(struct bus *bus) { rt_mutex_lock(&bus->bus_lock);\n"
	"	HERE(after_transfer); queued_read_lock_slowpath(&bus->tree); HERE(after_tree); }\n"
	/* threads that spin; `pinned` is a lock for readers and a writer of its own */
	"struct pin { long id[3]; int writer, readers; };\n"
	"APART void native_queued_spin_lock_slowpath(int *lock)\n"
	"{ __asm__ volatile(\"\" : : \"r\"(lock) : \"memory\"); HERE(in_slowpath); }\n"
	"APART void queued_write_lock_slowpath(int *lock)\n"
	"{ __asm__ volatile(\"\" : : \"r\"(lock) : \"memory\"); HERE(in_write); }\n"
	"APART void osq_lock(void *queue)\n"
	"{ __asm__ volatile(\"\" : : \"r\"(queue) : \"memory\"); HERE(in_osq); }\n"
	"APART void _raw_spin_lock(int *lock)\n"
	"{ native_queued_spin_lock_slowpath(lock); HERE(after_slowpath); }\n"
	"APART void _raw_write_lock(int *lock)\n"
	"{ queued_write_lock_slowpath(lock); HERE(after_write); }\n"
	"APART void rwsem_down_read_slowpath(struct rw_semaphore *sem)\n"
	"{ osq_lock(&sem->count); HERE(after_osq); }\n"
	"APART void __mutex_lock(struct semaphore *mutex)\n"
	"{ osq_lock(&mutex->count); HERE(after_queued); }\n"
	"APART void spins(struct dev *dev) { _raw_spin_lock(&dev->sem.lock); HERE(after_raw); }\n"
	"APART void pins(struct pin *pin) { _raw_write_lock(&pin->writer); HERE(after_pin); }\n"
	"APART void maps(struct mm *mm) { rwsem_down_read_slowpath(&mm->mmap_lock);\n"
	"	HERE(after_maps); }\n"
	"APART void locks(struct dev *dev) { __mutex_lock(&dev->sem); HERE(after_locks); }\n"
	/* a variable that has its struct's name */
	"struct state { long id[5]; struct rw_semaphore sem; } state;\n"
	"APART void expedite(void *sem) { down_write(sem); HERE(after_state); }\n"
	"void _start(void) { struct mm mm; map(&mm); finish_wait((void *)&mm); use((void *)&mm); "
	"expedite(&mm.mmap_lock); "
	"fill((void *)&mm); spins((void *)&mm); pins((void *)&mm); maps(&mm);\n"
	"	locks((void *)&mm); start_write((void *)&mm, mm.id); transfer((void *)&mm); }\n";

static const char kernel_flags[] =
	"-g -O1 -ffreestanding -fno-pic -fno-stack-protector -fcf-protection=none "
	"-fno-optimize-sibling-calls -nostdlib -static -no-pie -Wl,-Ttext=0xffffffff81000000";
static const struct debug_source kernel_sources[] = { { "kernel.c", kernel_source },
						      { NULL, NULL } };

/* Functions for locks that threads sleep for wait for the spinlocks that are in these. */
static void a_spinlock_in_a_lock(void **state)
{
	struct debug_program kernel;
	_cleanup_process_ struct process_result output, shown, warned, alone, refused;

	(void)state;
	if (!debug_program_build(&kernel, "gcc", kernel_flags, kernel_sources))
		skip_because("no gcc that makes a kernel of x86");

	const uint64_t callers[] = { address_of(&kernel, "after_wait_lock"),
				     address_of(&kernel, "after_down"),
				     address_of(&kernel, "after_map") };
	const struct made_wait waits[] = {
		{ 0x1000, 100, 50, 1, { callers[0], callers[1], callers[2] } },
		{ 0x2000, 200, 40, 4, { callers[0], callers[1], callers[2] } },
		{ 0x3000, 300, 30, 1, { address_of(&kernel, "after_queue") } },
		/* semaphores; the spinlocks of real-time kernels, for which threads sleep */
		{ 0x4000,
		  400,
		  20,
		  0,
		  { address_of(&kernel, "after_sleep"), address_of(&kernel, "after_sem") } },
		{ 0x5000,
		  500,
		  10,
		  8,
		  { address_of(&kernel, "after_rt"), address_of(&kernel, "after_rt_lock") } },
		{ 0x7000,
		  700,
		  4,
		  16 | 2,
		  { address_of(&kernel, "in_percpu"), address_of(&kernel, "after_start") } },
		{ 0x8000,
		  800,
		  3,
		  8,
		  { address_of(&kernel, "in_rt_mutex"), address_of(&kernel, "after_transfer") } },
		{ 0x9000,
		  900,
		  2,
		  1 | 2,
		  { address_of(&kernel, "in_read"), address_of(&kernel, "after_tree") } },
		/* private data are no lock alone */
		{ 0x6000, 600, 5, 1, { address_of(&kernel, "after_fill") } },
	};
	_cleanup_free_ char *report = xasprintf(
		"lock report --vmlinux %s --no-btf --callers 0 -F contended,wait_total -x ,",
		kernel.path);

	write_recording(NULL, waits, COUNT_OF(waits), address_of(&kernel, "in_spin"), 0);
	run(report, &output);
	assert_string_equal(output.output.data,
			    "# output: contended, total wait, type, locks, lock\n"
			    "1, 50, spinlock, 1, struct mm +96 (mmap_lock.wait_lock)\n"
			    "1, 40, rwsem, 1, struct mm +88 (mmap_lock)\n"
			    "2, 35, spinlock, 2, (unknown: no caller shows what the lock is in)\n"
			    "1, 20, semaphore, 1, struct dev +8 (sem)\n"
			    "1, 10, rt-mutex, 1, struct dev +8 (sem.lock)\n"
			    "1, 4, percpu-rwsem, 1, struct frozen +160 (rw_sem)\n"
			    "1, 3, rt-mutex, 1, struct bus +24 (bus_lock)\n"
			    "1, 2, rwlock, 1, struct bus +40 (tree)\n");
	/* a stripped kernel has the types of its companion */
	_cleanup_free_ char *by_companion = xasprintf(
		"%s index -q -o %s.dtp %s && strip -g -o %s.stripped %s && %s lock report -i %s "
		"--callers 0 -F contended,wait_total -x , --vmlinux %s.stripped --companion %s.dtp",
		dtprof_path(), kernel.path, kernel.path, kernel.path, kernel.path, dtprof_path(),
		data, kernel.path, kernel.path);
	_cleanup_process_ struct process_result companion = { 0 };

	process_shell(by_companion, &companion);
	process_check_status(&companion, 0);
	assert_non_null(
		strstr(companion.output.data, "1, 40, rwsem, 1, struct mm +88 (mmap_lock)\n"));
	/* the kernel is read by the same thread as the recording, or at the same time */
	_cleanup_free_ char *by_one_thread = xasprintf("%s --worker-threads 1", report);
	_cleanup_free_ char *no_kernel =
		xasprintf("%s lock report --vmlinux %s -i %s", dtprof_path(), dtprof_path(), data);

	run(by_one_thread, &alone);
	assert_string_equal(alone.output.data, output.output.data);
	process_shell(no_kernel, &refused);
	process_check_status(&refused, 1);
	assert_non_null(strstr(refused.errors.data, "is a program, not a kernel"));
	_cleanup_free_ char *by_caller = xasprintf(
		"lock contention -Y semaphore,rt-mutex -F wait_total -x , --vmlinux %s --no-btf",
		kernel.path);

	/* no function for locks is a caller */
	run(by_caller, &shown);
	assert_non_null(strstr(shown.output.data, "20, semaphore, use+"));
	assert_non_null(strstr(shown.output.data, "10, rt-mutex, use+"));
	write_recording(NULL, waits, COUNT_OF(waits), address_of(&kernel, "in_spin"), 8);

	_cleanup_free_ char *short_chains = xasprintf("%s lock report --vmlinux %s --no-btf -i %s",
						      dtprof_path(), kernel.path, data);

	process_shell(short_chains, &warned);
	process_check_status(&warned, 0);
	assert_non_null(strstr(warned.errors.data,
			       "21.3 % of the waiting time has no name, and chains have at most 8 "
			       "entries"));
	debug_program_close(&kernel);
}

/* BTF has types and no variables. */
static void a_variable_by_btf(void **state)
{
	struct debug_program kernel;
	_cleanup_process_ struct process_result made, output = { 0 };

	(void)state;
	if (!debug_program_build(&kernel, "gcc", kernel_flags, kernel_sources))
		skip_because("no gcc that makes a kernel of x86");
	_cleanup_free_ char *btf = xasprintf(
		"LLVM_OBJCOPY=objcopy pahole -J %s 2>/dev/null && objcopy --strip-debug %s",
		kernel.path, kernel.path);
	const struct made_wait waits[] = {
		{ address_of(&kernel, "state") + 40,
		  100,
		  50,
		  2,
		  { address_of(&kernel, "after_down"), address_of(&kernel, "after_state") } },
	};
	_cleanup_free_ char *report =
		xasprintf("lock report -q --vmlinux %s --btf %s --callers 0 -F wait_total -x ,",
			  kernel.path, kernel.path);

	write_recording(NULL, waits, COUNT_OF(waits), address_of(&kernel, "after_wait_lock"), 0);
	process_shell(btf, &made);
	if (!made.status) {
		run(report, &output);
		assert_string_equal(output.output.data, "50, rwsem, 1, state.sem\n");
	}
	debug_program_close(&kernel);
	if (made.status)
		skip_because("no pahole or objcopy, which make BTF");
}

/* Samples of a timer tell of threads that spin: the first of `callers` is where one does. */
static void samples_of_a_timer(void **state)
{
	_cleanup_process_ struct process_result output, kinds;
	struct debug_program kernel;

	(void)state;
	if (!debug_program_build(&kernel, "gcc", kernel_flags, kernel_sources))
		skip_because("no gcc that makes a kernel of x86");

#define AT(name) address_of(&kernel, name)
	const uint64_t chains[][4] = {
		{ AT("in_slowpath"), AT("after_slowpath"), AT("after_raw") },
		{ AT("in_slowpath"), AT("after_slowpath"), AT("after_raw") },
		{ AT("in_write"), AT("after_write"), AT("after_pin") },
		{ AT("in_osq"), AT("after_osq"), AT("after_maps") },
		{ AT("in_osq"), AT("after_queued"), AT("after_locks") },
		/* these do not spin */
		{ AT("after_slowpath"), AT("after_raw") },
		{ AT("in_spin"), AT("after_queue") },
	};

	_cleanup_free_ char *report = xasprintf(
		"lock report --vmlinux %s --no-btf --callers 0 -F contended,wait_total -x ,",
		kernel.path);
	_cleanup_free_ char *callers =
		xasprintf("lock contention -F wait_total -x , --vmlinux %s --no-btf", kernel.path);

	perf_image_timer(data, NULL, chains, COUNT_OF(chains));
	run(report, &output);
	assert_string_equal(output.output.data,
			    "# output: contended, total wait, type, locks, lock\n"
			    "2, 2001, spinlock, 1, struct dev +8 (sem.lock)\n"
			    "1, 1004, mutex, 1, struct dev +8 (sem)\n"
			    "1, 1003, rwsem, 1, struct mm +88 (mmap_lock)\n"
			    "1, 1002, rwlock, 1, struct pin +24 (writer)\n");
	run(callers, &kinds);
	assert_non_null(strstr(kinds.output.data, "1002, rwlock:W, pins+"));
	assert_non_null(strstr(kinds.output.data, "1003, rwsem:R, maps+"));
	debug_program_close(&kernel);
}

/* A switch away from thread `tid`, with its sample; `address` is the first argument of its system
 * call, and the callers are return addresses up to a 0. */
struct made_switch {
	int tid;
	uint64_t time, address, callers[3];
	bool preempted;
	uint64_t resumed; /* 0: it does not go on */
	uint64_t value;   /* of its futex(2), by FUTEX_WAIT */
};

static void put_switch(struct perf_image *image, int tid, uint64_t time, uint16_t misc)
{
	put32(&image->body, 10), put32(&image->body, (uint32_t)tid);
	put64(&image->body, time);
	put32(&image->body, 0), put32(&image->body, 0);
	put64(&image->body, 20);
	perf_image_record(image, PERF_RECORD_SWITCH, misc);
}

static void add_switch(struct perf_image *image, const struct made_switch *item, uint64_t ip)
{
	uint64_t count = 2;

	while (count < 5 && item->callers[count - 2])
		count++;
	put64(&image->body, 20);
	put64(&image->body, ip);
	put32(&image->body, 10), put32(&image->body, (uint32_t)item->tid);
	put64(&image->body, item->time);
	put32(&image->body, 0), put32(&image->body, 0);
	put64(&image->body, 1);
	put64(&image->body, count);
	put64(&image->body, (uint64_t)PERF_CONTEXT_USER);
	put64(&image->body, ip);
	for (uint64_t i = 2; i < count; i++)
		put64(&image->body, item->callers[i - 2]);
	put64(&image->body, PERF_SAMPLE_REGS_ABI_64);
	put64(&image->body, item->value), put64(&image->body, 0);
	put64(&image->body, item->address);
	perf_image_record(image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_switch(image, item->tid, item->time + 1,
		   PERF_RECORD_MISC_SWITCH_OUT |
			   (item->preempted ? PERF_RECORD_MISC_SWITCH_OUT_PREEMPT : 0));
	if (item->resumed)
		put_switch(image, item->tid, item->resumed, 0);
}

static const struct perf_event_attr exact_cycles = {
	.type = PERF_TYPE_HARDWARE,
	.config = PERF_COUNT_HW_CPU_CYCLES,
	.sample_period = 1,
	.sample_id_all = 1,
	.precise_ip = 2,
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU
};

/* An access by thread 12 on processor 0, or by 15 on 1. */
static void add_use(struct perf_image *image, uint64_t ip, uint64_t time, uint64_t address,
		    bool other)
{
	put64(&image->body, 21);
	put64(&image->body, ip);
	put32(&image->body, 10), put32(&image->body, other ? 15 : 12);
	put64(&image->body, time);
	put64(&image->body, address);
	put32(&image->body, other), put32(&image->body, 0);
	perf_image_record(image, PERF_RECORD_SAMPLE,
			  PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP);
}

/* `use` and `store` are instructions that are sampled; 0: none. */
static void write_switches(const char *program, const struct made_switch *items, size_t count,
			   uint64_t ip, uint64_t use, uint64_t store)
{
	const uint64_t arguments = UINT64_C(7) << 3; /* rdx, rsi, rdi: PERF_REG_X86_DX ... */
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
					.sample_period = 1,
					.sample_id_all = 1,
					.context_switch = 1,
					.sample_regs_user = arguments,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
						       PERF_SAMPLE_CALLCHAIN |
						       PERF_SAMPLE_REGS_USER };
	_cleanup_perf_image_ struct perf_image image;
	size_t size;

	perf_image_init(&image);
	perf_image_event(&image, &attr, (const uint64_t[]){ 20 }, 1);
	perf_image_event(&image, &exact_cycles, (const uint64_t[]){ 21 }, 1);
	put32(&image.body, 10), put32(&image.body, 10);
	put64(&image.body, 0x400000), put64(&image.body, 0x100000), put64(&image.body, 0);
	put_string(&image.body, program);
	put32(&image.body, 10), put32(&image.body, 10);
	put64(&image.body, 0);
	put32(&image.body, 0), put32(&image.body, 0);
	put64(&image.body, 20);
	perf_image_record(&image, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	for (size_t i = 0; i < count; i++)
		add_switch(&image, &items[i], ip);
	for (uint64_t i = 0; use && i < 32; i++)
		add_use(&image, i % 2 ? store : use, 10000 + i, i % 2 ? 0x7008 : 0x7014, i % 2);

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);

	file_write(data, bytes, size);
}

static void waits_of_a_program(void **state)
{
	static const struct debug_source sources[] = { { "locks.c", source }, { NULL, NULL } };
	struct debug_program program;
	_cleanup_process_ struct process_result output, other = { 0 }, layout, c2c, json;

	(void)state;
	if (!debug_program_build(&program, "gcc",
				 "-g -O1 -no-pie -fno-builtin -femit-struct-debug-baseonly",
				 sources))
		skip_because("no gcc that makes programs at fixed addresses");

	const uint64_t mutex = address_of(&program, "after_mutex"),
		       wait = address_of(&program, "after_wait"),
		       enter = address_of(&program, "after_enter"),
		       sleep_on = address_of(&program, "after_sleep");
	const struct made_switch items[] = {
		{ 11, 1000, 0x7000, { mutex, enter }, false, 1500, 0 },
		/* it was ready to run */
		{ 11, 2000, 0x7000, { mutex, enter }, true, 2700, 0 },
		{ 12, 3000, 0x7000, { mutex, enter }, false, 3900, 0 },
		/* two words of one condition; the mutex is taken again */
		{ 12, 4000, 0x700c, { wait, sleep_on }, false, 4100, 0 },
		{ 12, 5000, 0x7010, { wait, sleep_on }, false, 5200, 0 },
		{ 12, 6000, 0x7000, { mutex, wait, sleep_on }, false, 6010, 0 },
		/* the same, by a function without a name */
		{ 12, 6100, 0x7000, { wait, sleep_on }, false, 6105, 2 },
		/* no lock, and a wait that does not end */
		{ 13, 7000, 0, { sleep_on }, false, 7500, 0 },
		{ 13, 8000, 0x7000, { mutex, enter }, false, 0, 0 },
		{ 14, 9000, 0x7000, { address_of(&program, "after_full"), enter }, false, 9001, 0 },
		{ 14,
		  9010,
		  0x7000,
		  { address_of(&program, "after_g_mutex"), address_of(&program, "after_g_wait"),
		    address_of(&program, "after_g_await") },
		  false,
		  9012,
		  0 },
		/* the value is the condition's, whatever it is */
		{ 14,
		  9020,
		  0x7008,
		  { address_of(&program, "after_g_sleep"), address_of(&program, "after_g_await") },
		  false,
		  9024,
		  2 },
		{ 14, 9100, 0, { address_of(&program, "after_once"), sleep_on }, false, 9200, 0 },
		{ 14,
		  9210,
		  0x7000,
		  { address_of(&program, "after_slow"), address_of(&program, "after_newer"),
		    address_of(&program, "after_begin") },
		  false,
		  9220,
		  0 },
		{ 14,
		  9300,
		  address_of(&program, "fixed") + 12,
		  { wait, address_of(&program, "after_fixed") },
		  false,
		  9350,
		  0 },
		{ 14,
		  9400,
		  address_of(&program, "ways"),
		  { address_of(&program, "after_lll") },
		  false,
		  9440,
		  2 },
	};

	write_switches(program.path, items, COUNT_OF(items), address_of(&program, "take"),
		       address_of(&program, "at_use"), address_of(&program, "at_store"));
	run("lock report --callers 0 -F contended,wait_total,wait_max -x ,", &output);
	assert_string_equal(output.output.data,
			    "# output: contended, total wait, max wait, type, locks, lock\n"
			    "8, 1428, 900, mutex, 1, struct pool +88 (guard)\n"
			    "3, 304, 200, condition, 1, struct pool +96 (part)\n"
			    "1, 50, 50, condition, 1, fixed.signal\n"
			    "1, 40, 40, mutex, 1, ways\n");
	run("lock report --blocked -Y other --callers 0 -F contended,wait_total -x ,", &other);
	assert_string_equal(other.output.data,
			    "# output: contended, total wait, type, locks, lock\n"
			    "2, 600, other, 1, (take)\n");
	run("layout -q", &layout);
	assert_non_null(
		strstr(layout.output.data,
		       "Threads waited for:\n"
		       "  guard +88 (mutex): 1.43 us in 8 waits; it shares line 1 with part, "
		       "hits, so\n"
		       "    that users of the one take it from those of the other\n"
		       "  part +96 (condition): 304 ns in 3 waits; it shares line 1 with hits, so "
		       "that\n"
		       "    users of the one take it from those of the other\n"));
	run("c2c report -q", &c2c);
	assert_non_null(strstr(
		c2c.output.data,
		"  lock: struct pool +88 (guard) is in this line: threads waited for this mutex,\n"
		"    1.43 us in 8 waits\n"
		"  lock: struct pool +96 (part) is in this line: threads waited for this\n"
		"    condition, 304 ns in 3 waits\n"
		"    these threads use what is beside it: hits; that takes the line from the\n"
		"    thread with the lock\n"));
	run("layout -q --json", &json);
	assert_non_null(strstr(json.output.data, "\"beside\": [\n"));
	debug_program_close(&program);
}

/* parking_lot puts threads to sleep at a word of their own: what a thread waits for at the same
 * address are different locks. */
static const char parking_source[] =
	"#define HERE(name) __asm__ volatile(\".globl \" #name \"\\n\" #name \":\" ::: "
	"\"memory\")\n"
	"#define APART extern \"C\" __attribute__((noinline, noclone))\n"
	"namespace parking_lot { struct RawMutex { unsigned char state; void lock_slow(); }; }\n"
	/* its methods are called where nothing is inlined */
	"namespace lock_api { template <class R, class T> struct Mutex { R raw; T data;\n"
	"	__attribute__((noinline, noclone)) void lock() { raw.lock_slow(); "
	"HERE(after_method); }\n"
	"}; }\n"
	"typedef lock_api::Mutex<parking_lot::RawMutex, long> Mutex;\n"
	"struct Account { long id; Mutex balance; };\n"
	"Account *account;\n"
	"Mutex registry;\n"
	"APART void take() { __asm__ volatile(\"\" : : : \"memory\"); }\n"
	"__attribute__((noinline, noclone)) void parking_lot::RawMutex::lock_slow()\n"
	"{ state = 1; take(); HERE(after_slow); }\n"
	"APART void pay(Account *a) { a->balance.raw.lock_slow(); HERE(after_pay); }\n"
	"APART void pay_plainly(Account *a) { a->balance.lock(); HERE(after_plainly); }\n"
	"template <class T> struct Node { Node *next; T element; };\n"
	"Node<Account> nodes;\n"
	"APART void pay_node(Node<Account> *n) { n->element.balance.raw.lock_slow();\n"
	"	HERE(after_node); }\n"
	"namespace absl { namespace lts { struct Mutex { long word; void Lock(); void "
	"AwaitCommon();\n"
	"	void AwaitWithTimeout(); };\n"
	"	struct CondVar { long word; void Wait(Mutex *); }; } }\n"
	"struct Shard { long id; absl::lts::Mutex mu; absl::lts::CondVar changed; } shards;\n"
	"__attribute__((noinline, noclone)) void absl::lts::Mutex::Lock()\n"
	"{ word = 1; take(); HERE(after_absl); }\n"
	"APART void use(Shard *s) { s->mu.Lock(); HERE(after_use); }\n"
	/* it jumps to a function that jumps on */
	"__asm__(\".globl _ZN4absl3lts5Mutex16AwaitWithTimeoutEv\\n.type "
	"_ZN4absl3lts5Mutex16AwaitWithTimeoutEv, @function\\n"
	"_ZN4absl3lts5Mutex16AwaitWithTimeoutEv: jmp 1f\\n"
	".size _ZN4absl3lts5Mutex16AwaitWithTimeoutEv, . - "
	"_ZN4absl3lts5Mutex16AwaitWithTimeoutEv\\n"
	"1: jmp _ZN4absl3lts5Mutex11AwaitCommonEv\");\n"
	"__attribute__((noinline, noclone)) void absl::lts::Mutex::AwaitCommon()\n"
	"{ take(); HERE(after_common); Lock(); HERE(after_again); }\n"
	"APART void use_soon(Shard *s) { s->mu.AwaitWithTimeout(); HERE(after_soon); }\n"
	"__attribute__((noinline, noclone)) void absl::lts::CondVar::Wait(Mutex *m)\n"
	"{ m->Lock(); HERE(after_changed); word = 1; }\n"
	"APART void use_changed(Shard *s) { s->changed.Wait(&s->mu); HERE(after_wait_for); }\n"
	/* libc++ calls pthread_mutex_lock() in its library */
	"namespace std { namespace __1 { struct mutex { long word; void lock(); };\n"
	"	struct __state { long id, name[9]; mutex m; } state;\n"
	"	struct once_flag { unsigned long state_; };\n"
	"	void __call_once(unsigned long &, void (*)());\n"
	"	struct shared_mutex { long word; void lock(); };\n"
	"	struct condition_variable_any { long word; void wait(shared_mutex &); }; } }\n"
	"struct Row { long id; std::__1::mutex m; std::__1::once_flag once;\n"
	"	std::__1::shared_mutex guard; std::__1::condition_variable_any ready; } row;\n"
	"APART void pthread_mutex_lock(void *) { take(); HERE(after_posix); }\n"
	"__attribute__((noinline, noclone)) void std::__1::mutex::lock()\n"
	"{ word = 1; pthread_mutex_lock(this); HERE(after_libcxx); }\n"
	"APART void use_row(Row *r) { r->m.lock(); HERE(after_row); }\n"
	/* std::call_once() waits for a condition of its own; who is woken takes the lock */
	"APART void pthread_cond_wait(void *) { take(); HERE(after_cond); }\n"
	"APART void of_program() { take(); HERE(after_program); }\n"
	"__attribute__((noinline, noclone)) void std::__1::__call_once(unsigned long &flag,\n"
	"	void (*call)()) { pthread_cond_wait(&state); HERE(after_wait); call();\n"
	"	HERE(after_call); flag = 1; }\n"
	"APART void init(Row *r) { std::__1::__call_once(r->once.state_, of_program);\n"
	"	HERE(after_init); }\n"
	"__attribute__((noinline, noclone)) void std::__1::shared_mutex::lock()\n"
	"{ word = 1; take(); HERE(after_shared); }\n"
	"__attribute__((noinline, noclone)) void std::__1::condition_variable_any::wait(\n"
	"	shared_mutex &lock) { word = 1; lock.lock(); HERE(after_any); }\n"
	"APART void await(Row *r) { r->ready.wait(r->guard); HERE(after_await); }\n"
	/* a type of the library alone */
	"APART void use_state(std::__1::__state *s) { s->m.lock(); HERE(after_state); }\n"
	"APART void enter() { registry.raw.lock_slow(); HERE(after_enter); }\n"
	"int main() { Account a = { 0 }; account = &a; pay(account); pay_node(&nodes); "
	"pay_plainly(account); use(&shards); use_soon(&shards); use_changed(&shards); "
	"use_row(&row); "
	"use_state(&std::__1::state); enter(); init(&row); await(&row); "
	"return 0; }\n";

/* A shared library calls its own functions by its PLT, where others may take their place. */
static void calls_within_a_library(void **state)
{
	static const struct debug_source sources[] = { { "locks.c", source }, { NULL, NULL } };
	struct debug_program library;
	_cleanup_process_ struct process_result output;

	(void)state;
	if (!debug_program_build(&library, "gcc",
				 "-g -O1 -shared -fPIC -fno-omit-frame-pointer "
				 "-Wl,-Ttext-segment=0x400000",
				 sources))
		skip_because("no gcc that makes libraries at fixed addresses");

	const struct made_wait waits[] = {
		{ 0xe500,
		  100,
		  60,
		  1,
		  { address_of(&library, "after_handle"), address_of(&library, "after_opaque") } },
		{ 0x4000,
		  400,
		  2000,
		  1,
		  { address_of(&library, "after_part"), address_of(&library, "after_other") } },
	};

	write_recording(library.path, waits, COUNT_OF(waits), address_of(&library, "take"), 0);
	run("lock report --stack-skip 1 --callers 0 -F contended,wait_total -x ,", &output);
	assert_string_equal(output.output.data,
			    "# output: contended, total wait, type, locks, lock\n"
			    "1, 2000, spinlock, 1, struct pool +100 (part.inner)\n"
			    "1, 60, spinlock, 1, struct opaque +8 (*handle)\n");
	debug_program_close(&library);
}

static void parked_threads(void **state)
{
	static const struct debug_source sources[] = { { "parks.cc", parking_source },
						       { NULL, NULL } };
	struct debug_program program;
	static const struct made_switch cut = { 11, 1000, 0x7000, { 0 }, false, 1500, 2 };
	_cleanup_process_ struct process_result output, rows, lone;

	(void)state;
	if (!debug_program_build(&program, "g++", "-g -O1 -no-pie", sources))
		skip_because("no g++ that makes programs at fixed addresses");

	const uint64_t slow = address_of(&program, "after_slow");
	const struct made_switch items[] = {
		{ 11, 1000, 0x7000, { slow, address_of(&program, "after_pay") }, false, 1500, 0 },
		{ 11, 1600, 0x7000, { slow, address_of(&program, "after_node") }, false, 1603, 0 },
		{ 11, 2000, 0x7000, { slow, address_of(&program, "after_enter") }, false, 2200, 0 },
		{ 11,
		  3000,
		  0x7000,
		  { address_of(&program, "after_absl"), address_of(&program, "after_use") },
		  false,
		  3100,
		  0 },
		{ 11,
		  3110,
		  0x7000,
		  { slow, address_of(&program, "after_method"),
		    address_of(&program, "after_plainly") },
		  false,
		  3112,
		  0 },
		{ 11,
		  3120,
		  0x7000,
		  { address_of(&program, "after_common"), address_of(&program, "after_soon") },
		  false,
		  3123,
		  0 },
		{ 11,
		  3130,
		  0x7000,
		  { address_of(&program, "after_absl"), address_of(&program, "after_again"),
		    address_of(&program, "after_soon") },
		  false,
		  3134,
		  0 },
		{ 11,
		  3140,
		  0x7000,
		  { address_of(&program, "after_absl"), address_of(&program, "after_changed"),
		    address_of(&program, "after_wait_for") },
		  false,
		  3145,
		  0 },
		{ 11,
		  3200,
		  0x8008,
		  { address_of(&program, "after_posix"), address_of(&program, "after_libcxx"),
		    address_of(&program, "after_row") },
		  false,
		  3250,
		  0 },
		{ 11,
		  3300,
		  0x9000,
		  { address_of(&program, "after_posix"), address_of(&program, "after_libcxx"),
		    address_of(&program, "after_state") },
		  false,
		  3320,
		  0 },
		{ 11,
		  3400,
		  0xa000,
		  { address_of(&program, "after_cond"), address_of(&program, "after_wait"),
		    address_of(&program, "after_init") },
		  false,
		  3410,
		  0 },
		/* the program's function waits, for something else */
		{ 11,
		  3420,
		  0xa000,
		  { address_of(&program, "after_program"), address_of(&program, "after_call"),
		    address_of(&program, "after_init") },
		  false,
		  3425,
		  0 },
		{ 11,
		  3430,
		  0xb000,
		  { address_of(&program, "after_shared"), address_of(&program, "after_any"),
		    address_of(&program, "after_await") },
		  false,
		  3438,
		  0 },
	};

	write_switches(program.path, items, COUNT_OF(items), address_of(&program, "take"), 0, 0);
	run("lock report --callers 0 -F contended,wait_total -x ,", &output);
	assert_string_equal(output.output.data,
			    "# output: contended, total wait, type, locks, lock\n"
			    "3, 505, mutex, 1, Account +8 (balance)\n"
			    "1, 200, mutex, 1, registry\n"
			    "2, 105, mutex, 1, Shard +8 (mu)\n"
			    "1, 50, mutex, 1, Row +8 (m)\n"
			    "1, 20, mutex, 1, (unknown: no caller shows what the lock is in)\n"
			    "1, 10, mutex, 1, Row +16 (once)\n"
			    "1, 8, rwlock, 1, (unknown: not known what the caller passes)\n"
			    "2, 7, condition, 1, Shard +8 (mu)\n");
	run("lock report -l -F wait_total -E 4 -x ,", &rows);
	assert_string_equal(rows.output.data, "# output: total wait, address, symbol, type\n"
					      "505, -, Account +8 (balance), mutex\n"
					      "200, -, registry, mutex\n"
					      "105, -, Shard +8 (mu), mutex\n"
					      "50, 0000000000008008, Row +8 (m), mutex\n");
	/* the walk of the stack ended in the function that made the system call */
	write_switches(program.path, &cut, 1, address_of(&program, "after_enter"), 0, 0);
	_cleanup_free_ char *command = xasprintf("%s lock report -i %s", dtprof_path(), data);

	process_shell(command, &lone);
	assert_non_null(strstr(lone.errors.data, "the callers of 1 waits in futex(2) are not "
						 "known"));
	assert_null(strstr(lone.errors.data, "no thread waited"));
	debug_program_close(&program);
}

/* An event of software stands for the kernel's, which few machines let a test record. */
static void chains_of_the_kernel(void **state)
{
	_cleanup_process_ struct process_result recorded, header, again, all;
	_cleanup_free_ char *record = xasprintf("HOME=%s %s lock record -q -N -e cpu-clock:k -c "
						"100000 -o %s -- true",
						scratch_folder(), dtprof_path(), data);
	_cleanup_free_ char *longer = xasprintf("HOME=%s %s lock record -q -N -g -e cpu-clock:k -c "
						"100000 -o %s -- true",
						scratch_folder(), dtprof_path(), data);

	(void)state;
	process_shell(record, &recorded);
	if (recorded.status)
		skip_because("the kernel may not be recorded");
	run("report --header-only", &header);
	assert_non_null(strstr(header.output.data, "exclude_callchain_user = 1"));
	assert_non_null(strstr(header.output.data, "sample_max_stack = 24"));
	process_shell(longer, &again);
	run("report --header-only", &all);
	assert_null(strstr(all.output.data, "sample_max_stack"));
}

static int set_up(void **state)
{
	(void)state;
	data = scratch_file("perf.data");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_by_callers),
		cmocka_unit_test(a_spinlock_in_a_lock),
		cmocka_unit_test(waits_of_a_program),
		cmocka_unit_test(calls_within_a_library),
		cmocka_unit_test(parked_threads),
		cmocka_unit_test(chains_of_the_kernel),
		cmocka_unit_test(a_variable_by_btf),
		cmocka_unit_test(samples_of_a_timer),
		cmocka_unit_test(waits_are_chosen_by_their_begins),
		cmocka_unit_test(reports_on_samples_show_waiting_time),
		cmocka_unit_test(a_link_called_perf_prints_as_perf_does),
		cmocka_unit_test(a_variable_of_a_kernel_in_its_memory),
	};

	return cmocka_run_group_tests_name("lock", tests, set_up, scratch_tear_down);
}
