// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocked time (record --off-cpu): threads that sleep in a program's lock and in a small kernel's
 * functions, in a recording that is written here.
 */
#include "tests/support/unit.h"

#include <string.h>

#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "tests/support/debug_program.h"
#include "tests/support/files.h"
#include "tests/support/perf_image.h"
#include "tests/support/process.h"

#define KERNEL                                                                                     \
	"-g -O1 -ffreestanding -fno-pic -fno-stack-protector -fcf-protection=none "                \
	"-mcmodel=kernel -fno-optimize-sibling-calls -nostdlib -static -no-pie "                   \
	"-Wl,-Ttext=0xffffffff81000000"
#define BASE    UINT64_C(0xffffffff81000000)
#define PROGRAM "-g -O1 -no-pie -fno-builtin -Wl,--unresolved-symbols=ignore-all"
#define LIBRARY UINT64_C(0x600000)

static const char *data;

#define HERE                                                                                       \
	"#define HERE(name) __asm__ volatile(\".globl \" #name \"\\n\" #name \":\" ::: "           \
	"\"memory\")\n"                                                                            \
	"#define APART __attribute__((noinline, noclone))\n"

static const char kernel_source[] = HERE
	"void _text(void);\n"
	"struct wait_queue_head { int lock; void *next, *prev; };\n"
	"struct pipe { long id; struct wait_queue_head readers, writers; long used; };\n"
	"struct folio { unsigned long flags; void *mapping; };\n"
	"struct inode { long number; struct folio *folio; };\n"
	"APART void schedule(void) { HERE(in_schedule); }\n"
	"APART void prepare_to_wait(struct wait_queue_head *head, void *entry)\n"
	"{ __asm__ volatile(\"\" : : \"r\"(head), \"r\"(entry) : \"memory\"); }\n"
	"APART void finish_wait(struct wait_queue_head *head) {\n"
	"	__asm__ volatile(\"\" : : \"r\"(head) : \"memory\"); }\n"
	"APART long fifo_read(struct pipe *pipe) { long entry; do {\n"
	"	prepare_to_wait(&pipe->readers, &entry); schedule(); HERE(after_read); }\n"
	"	while (!*(volatile long *)&pipe->used);\n"
	"	finish_wait(&pipe->readers); return entry; }\n"
	/* two queues: the nearer one counts */
	"APART long fifo_write(struct pipe *pipe) { long entry;\n"
	"	prepare_to_wait(&pipe->readers, &entry); finish_wait(&pipe->readers); do {\n"
	"	prepare_to_wait(&pipe->writers, &entry); schedule(); HERE(after_write); }\n"
	"	while (!*(volatile long *)&pipe->used);\n"
	"	return entry; }\n"
	/* the call that is written last before the wait is of another way to it */
	"APART long pipe_other(struct pipe *pipe, long way) { long entry;\n"
	"	if (way) { prepare_to_wait(&pipe->writers, &entry); goto wait; }\n"
	"	prepare_to_wait(&pipe->readers, &entry); finish_wait(&pipe->readers);\n"
	"	return entry;\n"
	"wait:	schedule(); HERE(after_way); return *(volatile long *)&pipe->used; }\n"
	"APART long pipe_either(struct pipe *pipe, long way) { long entry;\n"
	"	if (way) prepare_to_wait(&pipe->writers, &entry);\n"
	"	else prepare_to_wait(&pipe->readers, &entry);\n"
	"	schedule(); HERE(after_either); return *(volatile long *)&pipe->used; }\n"
	/* it has left the queue; it entered it by code of its own */
	"APART long pipe_left(struct pipe *pipe) { long entry;\n"
	"	prepare_to_wait(&pipe->readers, &entry); finish_wait(&pipe->readers);\n"
	"	schedule(); HERE(after_left); return *(volatile long *)&pipe->used; }\n"
	"APART long pipe_inline(struct pipe *pipe) { pipe->writers.next = pipe;\n"
	"	schedule(); HERE(after_inline); finish_wait(&pipe->writers);\n"
	"	return *(volatile long *)&pipe->used; }\n"
	"APART void folio_wait_bit(struct folio *folio, int bit)\n"
	"{ __asm__ volatile(\"\" : : \"r\"(folio), \"r\"(bit)); schedule(); HERE(after_bit); }\n"
	"APART void read_inode(struct inode *inode)\n"
	"{ folio_wait_bit(inode->folio, 3); HERE(after_folio); }\n"
	/* functions that wait for one kind of objects, which none of their calls shows */
	"struct hrtimer_sleeper { long expires; int timer; };\n"
	"struct sem_array { long permissions; int sems[2]; };\n"
	"struct eventpoll { long mutex; struct wait_queue_head wq; };\n"
	"struct timerfd_ctx { long timer; struct wait_queue_head wqh; };\n"
	"struct other { long id; long mutex; };\n"
	"struct hrtimer_sleeper sleeper; struct sem_array sems; struct eventpoll eventpoll;\n"
	"struct timerfd_ctx timerfd;\n"
	"APART void do_nanosleep(void) { schedule(); HERE(after_sleep); }\n"
	"APART void do_semtimedop(void) { schedule(); HERE(after_semop); }\n"
	"APART void mutex_lock(long *mutex) { __asm__ volatile(\"\" : : \"r\"(mutex)); "
	"schedule();\n"
	"	HERE(after_mutex); }\n"
	/* a kernel with CONFIG_DEBUG_SPINLOCK */
	"struct reader { long id; char name[24]; long raw; };\n"
	"APART void do_raw_read_lock(long *lock) { __asm__ volatile(\"\" : : \"r\"(lock));\n"
	"	schedule(); HERE(after_raw); }\n"
	"APART void reads(struct reader *reader) { do_raw_read_lock(&reader->raw);\n"
	"	HERE(after_reads); }\n"
	"APART void do_epoll_wait(struct other *other) { mutex_lock(&other->mutex);\n"
	"	HERE(after_epoll_mutex); schedule(); HERE(after_epoll); }\n"
	"APART void do_wait_intr_irq(void *head) {\n"
	"	__asm__ volatile(\"\" : : \"r\"(head)); schedule(); HERE(after_intr); }\n"
	"APART void timerfd_read(void *file) { do_wait_intr_irq(file); HERE(after_timerfd); }\n"
	/* functions that are waited in for any work, and their callers, which are known */
	"struct completion { int done; }; struct bio { long id; struct completion done; } bio;\n"
	"struct task { long id; struct completion done; } task;\n"
	"APART void wait_for_completion_io(struct completion *done)\n"
	"{ __asm__ volatile(\"\" : : \"r\"(done)); schedule(); HERE(after_done); }\n"
	"APART void submit_bio_wait(void) { wait_for_completion_io(&bio.done); HERE(after_bio); }\n"
	"APART void join(struct task *task) { wait_for_completion_io(&task->done);\n"
	"	HERE(after_join); }\n"
	"APART void futex_wait(void) { schedule(); HERE(after_futex); }\n"
	"APART void nothing(void) { schedule(); HERE(after_nothing); }\n"
	"void _start(void) { struct pipe pipe; struct inode inode = { 0 }; fifo_read(&pipe);\n"
	"	pipe_other(&pipe, 1); pipe_either(&pipe, 1); pipe_left(&pipe); "
	"pipe_inline(&pipe);\n"
	"	fifo_write(&pipe); read_inode(&inode); do_nanosleep(); futex_wait(); nothing();\n"
	"	do_semtimedop(); do_epoll_wait((void *)&pipe); timerfd_read(&inode);\n"
	"	submit_bio_wait(); join(&task); reads((void *)&pipe); }\n";

static const char program_source[] = HERE
	"struct lock { int word; };\n"
	"struct pool { long id; char name[80]; struct lock guard; };\n"
	"APART void pthread_mutex_lock(struct lock *lock)\n"
	"{ __asm__ volatile(\"\" : : \"r\"(lock) : \"memory\"); HERE(after_mutex); }\n"
	"APART void enter(struct pool *pool) { pthread_mutex_lock(&pool->guard);\n"
	"	HERE(after_enter); }\n"
	/* variables; a futex without a library's lock; a thread that is waited for */
	"struct lock big, many[4]; struct pthread { long id; int tid; } thread;\n"
	"struct job { long id; char name[80]; int word; };\n"
	"struct { char name[80]; struct lock guard; } only;\n"
	"APART void enter_bare(struct lock *lock) { pthread_mutex_lock(lock); HERE(after_bare); }\n"
	"APART void enter_only(void) { pthread_mutex_lock(&only.guard); HERE(after_only); }\n"
	"APART void enter_big(void) { pthread_mutex_lock(&big); HERE(after_big); }\n"
	"APART void enter_one(long i) { pthread_mutex_lock(&many[i]); HERE(after_many); }\n"
	"APART long syscall(long number, ...)\n"
	"{ __asm__ volatile(\"\" : : : \"memory\"); HERE(in_syscall); return number; }\n"
	"APART void await(struct job *job) { syscall(202, &job->word, 0); HERE(after_word); }\n"
	/* the program has the library inside, with functions that only the library calls */
	"APART void __futex_abstimed_wait_common(unsigned long thread)\n"
	"{ __asm__ volatile(\"\" : : \"r\"(thread) : \"memory\"); HERE(in_common); }\n"
	"APART void pthread_join(unsigned long thread)\n"
	"{ __futex_abstimed_wait_common(thread); HERE(in_join); }\n"
	/* a function of a library, which jumps to one without a name */
	"typedef struct { long value; } sem_t; int sem_wait(sem_t *);\n"
	"struct queue { long id; char name[80]; sem_t items; };\n"
	"APART void take(struct queue *queue) { sem_wait(&queue->items); HERE(after_take); }\n"
	"int main(int count, char **words) { struct queue queue = { 0 };\n"
	"	struct pool pool = { 0 }; struct job job = { 0 }; take(&queue);\n"
	"	enter_only(); enter_bare(&big); enter(&pool); enter_big(); enter_one(count); "
	"await(&job); "
	"pthread_join(count);\n"
	"	return 0; }\n";

/* A thread that sleeps; chains end at a 0. */
struct made_sleep {
	int tid;
	uint64_t time, resumed; /* resumed 0: it does not go on */
	uint64_t kernel[4], user[3];
	bool preempted, kernel_thread;
};

static void off_cpu_switch(struct perf_image *image, int tid, uint64_t time, uint16_t misc)
{
	put32(&image->body, 10), put32(&image->body, (uint32_t)tid);
	put64(&image->body, time);
	put64(&image->body, 20);
	perf_image_record(image, PERF_RECORD_SWITCH, misc);
}

static void end_thread(struct perf_image *image, int tid, uint64_t time)
{
	put32(&image->body, 10), put32(&image->body, 10);
	put32(&image->body, (uint32_t)tid), put32(&image->body, (uint32_t)tid);
	put64(&image->body, time);
	put32(&image->body, 10), put32(&image->body, (uint32_t)tid);
	put64(&image->body, time);
	put64(&image->body, 20);
	perf_image_record(image, PERF_RECORD_EXIT, 0);
}

static void put_chain(struct perf_image *image, const uint64_t *kernel, const uint64_t *user)
{
	size_t inner = 0, outer = 0;

	while (inner < 4 && kernel[inner])
		inner++;
	while (outer < 3 && user[outer])
		outer++;
	put64(&image->body, inner + outer + 2);
	put64(&image->body, (uint64_t)PERF_CONTEXT_KERNEL);
	for (size_t i = 0; i < inner; i++)
		put64(&image->body, kernel[i]);
	put64(&image->body, (uint64_t)PERF_CONTEXT_USER);
	for (size_t i = 0; i < outer; i++)
		put64(&image->body, user[i]);
}

static void add_sleep(struct perf_image *image, const struct made_sleep *item)
{
	put64(&image->body, 20);
	put64(&image->body, item->kernel[0]);
	put32(&image->body, 10), put32(&image->body, (uint32_t)item->tid);
	put64(&image->body, item->time);
	put_chain(image, item->kernel, item->user);
	put64(&image->body,
	      item->kernel_thread ? PERF_SAMPLE_REGS_ABI_NONE : PERF_SAMPLE_REGS_ABI_64);
	if (!item->kernel_thread)
		put64(&image->body, 0);
	perf_image_record(image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	off_cpu_switch(image, item->tid, item->time + 1,
		       PERF_RECORD_MISC_SWITCH_OUT |
			       (item->preempted ? PERF_RECORD_MISC_SWITCH_OUT_PREEMPT : 0));
	if (item->resumed)
		off_cpu_switch(image, item->tid, item->resumed, 0);
}

/* A sample on a processor: a period of 250 us. */
static void add_tick(struct perf_image *image, uint64_t ip)
{
	static const uint64_t none[4];

	put64(&image->body, 10);
	put64(&image->body, ip);
	put32(&image->body, 10), put32(&image->body, 10);
	put64(&image->body, 50);
	put_chain(image, none, (const uint64_t[]){ ip, 0, 0 });
	put64(&image->body, PERF_SAMPLE_REGS_ABI_64);
	put64(&image->body, 0);
	perf_image_record(image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
}

static void add_mapping(struct perf_image *image, uint32_t pid, uint64_t address, uint64_t length,
			uint64_t offset, const char *path)
{
	put32(&image->body, pid), put32(&image->body, pid == UINT32_MAX ? 0 : pid);
	put64(&image->body, address), put64(&image->body, length), put64(&image->body, offset);
	put_string(&image->body, path);
	put32(&image->body, 10), put32(&image->body, 10);
	put64(&image->body, 0);
	put64(&image->body, 20);
	perf_image_record(image, PERF_RECORD_MMAP,
			  pid == UINT32_MAX ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
}

static void name_event(struct strbuf *feature, const struct perf_event_attr *attr, const char *name,
		       uint64_t id)
{
	strbuf_add(feature, attr, sizeof(*attr));
	put32(feature, 1), put32(feature, (uint32_t)strlen(name) + 1);
	strbuf_add(feature, name, strlen(name) + 1);
	put64(feature, id);
}

static void off_cpu_write(const char *program, const struct made_sleep *items, size_t count,
			  uint64_t tick)
{
	struct perf_event_attr timer = { .type = PERF_TYPE_SOFTWARE,
					 .size = sizeof(timer),
					 .config = PERF_COUNT_SW_CPU_CLOCK,
					 .sample_period = 250000,
					 .sample_id_all = 1,
					 .sample_regs_user = 1,
					 .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
							PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
							PERF_SAMPLE_CALLCHAIN |
							PERF_SAMPLE_REGS_USER };
	struct perf_event_attr sleep = timer;
	_cleanup_perf_image_ struct perf_image image;
	struct strbuf *names;
	size_t size;

	sleep.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	sleep.sample_period = 1;
	sleep.context_switch = 1;
	perf_image_init(&image);
	perf_image_event(&image, &timer, (const uint64_t[]){ 10 }, 1);
	perf_image_event(&image, &sleep, (const uint64_t[]){ 20 }, 1);
	names = &image.features[FEATURE_EVENT_DESC];
	put32(names, 2), put32(names, sizeof(timer));
	name_event(names, &timer, "cpu-clock", 10);
	name_event(names, &sleep, "offcpu-time", 20);
	add_mapping(&image, UINT32_MAX, BASE, 0x100000, BASE, "[kernel.kallsyms]_text");
	add_mapping(&image, 10, 0x400000, 0x100000, 0, program);
	add_mapping(&image, 10, LIBRARY, 0x1000, 0, "/nowhere/libc.so.6");
	add_tick(&image, tick);
	for (size_t i = 0; i < count; i++)
		add_sleep(&image, &items[i]);
	/* its last switch is no sleep */
	end_thread(&image, 13, 9590);

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);

	file_write(data, bytes, size);
}

static uint64_t off_cpu_address(const struct elf_image *image, const char *name)
{
	uint64_t address;

	assert_true(elf_image_symbol_address(image, name, &address));
	return address;
}

/* Makes the file of a kernel. Returns its path, to be freed. */
static char *build_kernel(struct elf_image **image)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *from = xstrdup(scratch_file("kernel.c"));
	char *path = xstrdup(scratch_file("vmlinux"));
	_cleanup_free_ char *command = xasprintf("gcc " KERNEL " -o %s %s", path, from);

	file_write(from, kernel_source, strlen(kernel_source));
	process_shell(command, &result);
	if (result.status)
		fail_msg("%s: %s", command, result.errors.data);
	assert_null(elf_image_open(path, image));
	return path;
}

static void off_cpu_run(const char *arguments, struct process_result *result)
{
	_cleanup_free_ char *command = xasprintf("HOME=%s %s --no-pager %s -i %s", scratch_folder(),
						 dtprof_path(), arguments, data);

	process_shell(command, result);
}

/* Asserts that the output, without its blanks before separators, has the text. */
static void assert_has(const struct process_result *result, const char *text)
{
	_cleanup_free_ char *packed = xstrdup(result->output.data);
	size_t length = 0;

	for (const char *c = packed; *c; c++)
		if (*c != ' ' ||
		    (c[-1] != '|' && c[strspn(c, " ")] != '|' && c[strspn(c, " ")] != '\n'))
			packed[length++] = *c;
	packed[length] = '\0';
	if (!strstr(packed, text))
		fail_msg("no '%s' in:\n%s", text, packed);
}

/* Asks for objects of a kernel whose symbols and BTF are known, but not its code. */
static void check_btf_alone(const char *vmlinux)
{
	const char *symbols = scratch_file("kallsyms"), *btf = scratch_file("btf");
	_cleanup_free_ char *make = xasprintf(
		"nm %s | grep -vE ' (a |T (after|in)_)' >%s && cp %s %s.elf && "
		"LLVM_OBJCOPY=objcopy pahole -J %s.elf && "
		"objcopy -O binary --only-section=.BTF --set-section-flags .BTF=alloc %s.elf %s && "
		"test -s %s",
		vmlinux, symbols, vmlinux, btf, btf, btf, btf, btf);
	_cleanup_free_ char *arguments = xasprintf("report --ignore-vmlinux --kallsyms %s --btf %s "
						   "-g none -t '|' -s waiting_field "
						   "--show-total-period",
						   symbols, btf);
	_cleanup_process_ struct process_result made, output;

	process_shell(make, &made);
	if (made.status) {
		print_message("no pahole or objcopy, which make BTF: it is not tested alone\n");
		output = (struct process_result){ 0 };
		return;
	}
	off_cpu_run(arguments, &output);
	process_check_status(&output, 0);
	assert_has(&output, "|500|struct folio +0 (no field)\n");
	assert_has(&output, "|250|struct hrtimer_sleeper +8 (timer)\n");
	assert_has(&output, "|10|struct sem_array +0 (no field)\n");
	assert_has(&output, "|12|struct eventpoll +8 (wq)\n");
	assert_has(&output, "|14|struct timerfd_ctx +8 (wqh)\n");
}

static void what_threads_wait_for(void **state)
{
	static const struct debug_source program_sources[] = { { "pool.c", program_source },
							       { NULL, NULL } };
	struct debug_program program;
	struct elf_image *kernel;
	_cleanup_process_ struct process_result output = { 0 }, joined = { 0 };

	(void)state;
	need_compiler("gcc");
	if (!debug_program_build(&program, "gcc", PROGRAM, program_sources))
		skip_because("no gcc that makes programs at fixed addresses");

	_cleanup_free_ char *vmlinux = build_kernel(&kernel);

	const uint64_t sleeps = off_cpu_address(kernel, "in_schedule"),
		       mutex = off_cpu_address(program.image, "after_mutex"),
		       enter = off_cpu_address(program.image, "after_enter"),
		       big = off_cpu_address(program.image, "after_big"),
		       many = off_cpu_address(program.image, "after_many"),
		       call = off_cpu_address(program.image, "in_syscall"),
		       word = off_cpu_address(program.image, "after_word"),
		       common = off_cpu_address(program.image, "in_common"),
		       join = off_cpu_address(program.image, "in_join"),
		       take = off_cpu_address(program.image, "after_take"),
		       only = off_cpu_address(program.image, "after_only"),
		       bare = off_cpu_address(program.image, "after_bare");
#define AFTER(name) off_cpu_address(kernel, name)
	const struct made_sleep items[] = {
		{ 11, 1000, 3000, { sleeps, AFTER("after_read") }, { 0 }, false, false },
		{ 11, 4000, 5000, { sleeps, AFTER("after_write") }, { 0 }, false, false },
		{ 12,
		  6000,
		  6500,
		  { sleeps, AFTER("after_bit"), AFTER("after_folio") },
		  { 0 },
		  false,
		  false },
		{ 12, 7000, 7250, { sleeps, AFTER("after_sleep") }, { 0 }, false, false },
		{ 13,
		  8000,
		  8125,
		  { sleeps, AFTER("after_futex") },
		  { mutex, enter },
		  false,
		  false },
		{ 11, 8101, 8108, { sleeps, AFTER("after_way") }, { 0 }, false, false },
		{ 11, 8110, 8119, { sleeps, AFTER("after_either") }, { 0 }, false, false },
		{ 11, 8120, 8131, { sleeps, AFTER("after_left") }, { 0 }, false, false },
		{ 11, 8140, 8160, { sleeps, AFTER("after_inline") }, { 0 }, false, false },
		{ 13, 8126, 8127, { sleeps, AFTER("after_futex") }, { mutex, big }, false, false },
		{ 13, 8130, 8132, { sleeps, AFTER("after_futex") }, { mutex, many }, false, false },
		{ 13, 8140, 8143, { sleeps, AFTER("after_futex") }, { call, word }, false, false },
		{ 13, 8170, 8176, { sleeps, AFTER("after_futex") }, { mutex, only }, false, false },
		{ 13,
		  8160,
		  8165,
		  { sleeps, AFTER("after_futex") },
		  { LIBRARY, take },
		  false,
		  false },
		{ 13,
		  8150,
		  8154,
		  { sleeps, AFTER("after_futex") },
		  { common, join },
		  false,
		  false },
		/* it was ready to run; the kernel's own thread; the idle one */
		{ 11, 8200, 8300, { sleeps, AFTER("after_read") }, { 0 }, true, false },
		{ 14, 8200, 8300, { sleeps, AFTER("after_read") }, { 0 }, false, true },
		{ 0, 8200, 8300, { sleeps, AFTER("after_read") }, { 0 }, false, false },
		/* not known; and it sleeps until the end */
		{ 13, 9000, 9050, { sleeps, AFTER("after_nothing") }, { 0 }, false, false },
		{ 12, 9500, 0, { sleeps, AFTER("after_read") }, { 0 }, false, false },
		{ 13, 9600, 0, { sleeps, AFTER("after_read") }, { 0 }, false, false },
		{ 11, 9640, 9650, { sleeps, AFTER("after_semop") }, { 0 }, false, false },
		{ 11, 9651, 9663, { sleeps, AFTER("after_epoll") }, { 0 }, false, false },
		{ 11,
		  9664,
		  9677,
		  { sleeps, AFTER("after_mutex"), AFTER("after_epoll_mutex") },
		  { 0 },
		  false,
		  false },
		{ 11,
		  9680,
		  9694,
		  { sleeps, AFTER("after_intr"), AFTER("after_timerfd") },
		  { 0 },
		  false,
		  false },
		{ 11,
		  9695,
		  9698,
		  { sleeps, AFTER("after_raw"), AFTER("after_reads") },
		  { 0 },
		  false,
		  false },
		{ 15,
		  8400,
		  8417,
		  { sleeps, AFTER("after_done"), AFTER("after_bio") },
		  { 0 },
		  false,
		  false },
		{ 15,
		  8420,
		  8439,
		  { sleeps, AFTER("after_done"), AFTER("after_join") },
		  { 0 },
		  false,
		  false },
		{ 15, 8440, 8463, { sleeps, AFTER("after_futex") }, { mutex, bare }, false, false },
		{ 11, 9699, 0, { sleeps, AFTER("after_read") }, { 0 }, true, false },
	};
#undef AFTER

	off_cpu_write(program.path, items, COUNT_OF(items), enter);

	_cleanup_free_ char *report = xasprintf("report -k %s --no-btf -g none -t '|' -s", vmlinux);
	_cleanup_free_ char *fields = xasprintf("%s waiting_field --show-total-period", report),
			    *both = xasprintf("%s waiting --show-total-period --with-off-cpu",
					      report);

	off_cpu_run(fields, &output);
	process_check_status(&output, 0);
	assert_has(&output, "|2200|struct pipe +8 (readers)\n");
	assert_has(&output, "|1027|struct pipe +32 (writers)\n");
	assert_has(&output, "|500|struct folio +0 (no field)\n");
	assert_has(&output, "|250|struct hrtimer_sleeper +8 (timer)\n");
	assert_has(&output, "|10|struct sem_array +0 (no field)\n");
	assert_has(&output, "|12|struct eventpoll +8 (wq)\n");
	assert_has(&output, "|13|struct other +8 (mutex)\n");
	assert_has(&output, "|14|struct timerfd_ctx +8 (wqh)\n");
	assert_has(&output, "|3|struct reader +32 (raw)\n");
	assert_has(&output, "|17|struct bio +0 (no field)\n");
	assert_has(&output, "|19|struct task +8 (done)\n");
	assert_has(&output, "|23|struct lock +0 (no field)\n");
	assert_has(&output, "|125|struct pool +88 (guard)\n");
	assert_has(&output, "|1|big\n");
	assert_has(&output, "|6|only.guard\n");
	assert_has(&output, "|2|many[]\n");
	assert_has(&output, "|3|struct job +88 (word)\n");
	assert_has(&output, "|5|struct queue +88 (items)\n");
	assert_has(&output, "|4|struct pthread +0 (no field)\n");
	assert_has(&output, "|70|(unknown)\n");
	off_cpu_run(both, &joined);
	process_check_status(&joined, 0);
	assert_has(&joined, "of event 'cpu-clock + offcpu-time'");
	assert_has(&joined, "|3227|struct pipe\n");
	assert_has(&joined, "|250000|");
	check_btf_alone(vmlinux);
	elf_image_close(kernel);
	debug_program_close(&program);
}

/* Adds a sample as perf's BPF program writes it: what counts is in the raw data. */
static void add_embedded(struct perf_image *image, int tid, uint64_t time, uint64_t period,
			 const uint64_t *callers)
{
	uint64_t count = 0;

	while (callers[count])
		count++;
	put64(&image->body, 20), put64(&image->body, 0);
	put32(&image->body, 0), put32(&image->body, 0);
	put64(&image->body, time);
	put64(&image->body, 0);
	put32(&image->body, (uint32_t)(8 * (count + 5) + 4));
	put32(&image->body, 10), put32(&image->body, (uint32_t)tid);
	put64(&image->body, period);
	put64(&image->body, count + 1);
	put64(&image->body, (uint64_t)PERF_CONTEXT_USER);
	for (size_t i = 0; i < count; i++)
		put64(&image->body, callers[i]);
	put64(&image->body, 0);
	put32(&image->body, 0);
	perf_image_record(image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
}

static void perfs_own_samples(void **state)
{
	static const struct debug_source program_sources[] = { { "pool.c", program_source },
							       { NULL, NULL } };
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_BPF_OUTPUT,
					.sample_period = 1,
					.sample_id_all = 1,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW };
	struct debug_program program;
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_process_ struct process_result output = { 0 };
	struct strbuf *names;
	size_t size;

	(void)state;
	if (!debug_program_build(&program, "gcc", PROGRAM, program_sources))
		skip_because("no gcc that makes programs at fixed addresses");

	const uint64_t mutex = off_cpu_address(program.image, "after_mutex"),
		       enter = off_cpu_address(program.image, "after_enter");

	perf_image_init(&image);
	perf_image_event(&image, &attr, (const uint64_t[]){ 20 }, 1);
	names = &image.features[FEATURE_EVENT_DESC];
	put32(names, 1), put32(names, sizeof(attr));
	name_event(names, &attr, "offcpu-time", 20);
	add_mapping(&image, 10, 0x400000, 0x100000, 0, program.path);
	add_embedded(&image, 11, 1000, 700000, (const uint64_t[]){ mutex, enter, 0 });
	/* perf writes sums when the recording ends, with times after all others */
	add_embedded(&image, 12, UINT64_MAX << 32, 300000, (const uint64_t[]){ enter, 0 });

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);

	file_write(data, bytes, size);
	off_cpu_run("report -g none -t '|' --show-total-period -s tid,sym,waiting_field", &output);
	process_check_status(&output, 0);
	assert_has(&output, "of event 'offcpu-time'");
	assert_has(&output, "|700000|    11::11|[.] pthread_mutex_lock|struct pool +88 (guard)\n");
	assert_has(&output, "|300000|    12::12|[.] enter|(enter)\n");
	debug_program_close(&program);
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
		cmocka_unit_test(what_threads_wait_for),
		cmocka_unit_test(perfs_own_samples),
	};

	return cmocka_run_group_tests_name("off_cpu", tests, set_up, scratch_tear_down);
}
