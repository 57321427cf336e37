// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains from copies of stacks, and from the calls that a processor keeps. The samples are of
 * this process: its registers and its stack within a function, compared with the callers that the
 * compiler's own unwinder finds (backtrace(3)). Then everything about them is damaged.
 */
#include "tests/support/unit.h"

#ifdef __x86_64__

#include <elf.h>
#include <execinfo.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ucontext.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "profiler/ingest/session.h"
#include "tests/support/perf_image.h"
#include "tests/support/perf_records.h"
#include "tests/support/session_memory.h"

#define DEPTH 64

/* The places of registers in struct mcontext, by the bits of sample_regs_user. */
static const struct {
	unsigned int bit;
	int place;
} registers[] = {
	{ 0, REG_RAX },  { 1, REG_RBX },  { 2, REG_RCX },  { 3, REG_RDX },  { 4, REG_RSI },
	{ 5, REG_RDI },  { 6, REG_RBP },  { 7, REG_RSP },  { 8, REG_RIP },  { 16, REG_R8 },
	{ 17, REG_R9 },  { 18, REG_R10 }, { 19, REG_R11 }, { 20, REG_R12 }, { 21, REG_R13 },
	{ 22, REG_R14 }, { 23, REG_R15 },
};

#define REGISTER_COUNT (sizeof(registers) / sizeof(*registers))

struct captured {
	uint64_t values[REGISTER_COUNT];
	uint8_t *stack;
	uint64_t size;
	uint64_t dynamic_size;
	uint64_t abi;
	void *callers[DEPTH]; /* as backtrace(3) has them; [0] is in leaf() itself */
	int depth;
};

static uint64_t *captured_register(struct captured *captured, unsigned int bit)
{
	for (size_t i = 0; i < REGISTER_COUNT; i++)
		if (registers[i].bit == bit)
			return &captured->values[i];
	fail_msg("no register %u", bit);
	return NULL;
}

static uint64_t stack_end(void)
{
	pthread_attr_t attributes;
	void *start;
	size_t size;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attributes), 0);
	assert_int_equal(pthread_attr_getstack(&attributes, &start, &size), 0);
	pthread_attr_destroy(&attributes);
	return (uintptr_t)start + size;
}

/* Copies the stack byte by byte, with the red zones of the sanitizer. */
__attribute__((no_sanitize_address)) static void copy_stack(uint8_t *to,
							    const volatile uint8_t *from,
							    uint64_t size)
{
	for (uint64_t i = 0; i < size; i++)
		to[i] = from[i];
}

__attribute__((noinline)) static void leaf(struct captured *captured)
{
	ucontext_t context;

	captured->depth = backtrace(captured->callers, DEPTH);
	/* a sanitizer's backtrace() begins within itself */
	while (captured->depth > 2 && captured->callers[1] != __builtin_return_address(0))
		memmove(captured->callers, captured->callers + 1,
			(size_t)--captured->depth * sizeof(*captured->callers));
	getcontext(&context);
	for (size_t i = 0; i < REGISTER_COUNT; i++)
		captured->values[i] = (uint64_t)context.uc_mcontext.gregs[registers[i].place];

	uint64_t sp = *captured_register(captured, 7), end = stack_end();

	captured->size = (end - sp < 32768 ? end - sp : 32768) & ~7ULL;
	captured->dynamic_size = captured->size;
	captured->abi = PERF_SAMPLE_REGS_ABI_64;
	captured->stack = xmalloc(captured->size);
	copy_stack(captured->stack, (const volatile uint8_t *)sp, captured->size);
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

/* A function with a realigned frame, whose CFA is an expression. */
__attribute__((noinline)) static void realigned(struct captured *captured, size_t size)
{
	_Alignas(64) volatile char aligned[64];
	volatile char *variable = __builtin_alloca(size);

	aligned[0] = variable[0] = 1;
	leaf(captured);
	__asm__ volatile("" ::"r"(aligned), "r"(variable) : "memory");
}

__attribute__((noinline)) static void recursive(struct captured *captured, unsigned int times)
{
	if (times)
		recursive(captured, times - 1);
	else
		realigned(captured, 24);
	__asm__ volatile("" ::: "memory");
}

static int compare_callback(const void *left, const void *right)
{
	struct captured *captured = *(struct captured *const *)left;

	if (!captured->stack)
		recursive(captured, 3);
	return left < right ? -1 : left > right;
}

/* Calls through a function of the C library, which has no frame pointers. */
static void capture(struct captured *captured)
{
	struct captured *items[2] = { captured, captured };

	*captured = (struct captured){ 0 };
	qsort(items, 2, sizeof(*items), compare_callback);
	assert_non_null(captured->stack);
}

struct opened {
	struct perf_image image;
	uint8_t *bytes;
	struct session *session;
	struct sample_counts *counts;
};

static void add_own_maps(struct perf_image *image)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096], path[4096];
	uint64_t start, end, offset;
	char executable;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*c%*c%c%*c %" SCNx64 " %*s %*s %4095s",
			   &start, &end, &executable, &offset, path) != 5 ||
		    executable != 'x' || path[0] != '/')
			continue;
		put32(&image->body, 10);
		put32(&image->body, 10);
		put64(&image->body, start);
		put64(&image->body, end - start);
		put64(&image->body, offset);
		for (int i = 0; i < 3; i++) /* device, inode, generation */
			put64(&image->body, 0);
		put32(&image->body, PROT_READ | PROT_EXEC);
		put32(&image->body, MAP_PRIVATE);
		put_string(&image->body, path);
		perf_image_record(image, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	}
	fclose(maps);
}

static void begin(struct opened *opened, uint64_t sample_type, uint64_t branch_type)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK };

	*opened = (struct opened){ 0 };
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN | sample_type;
	attr.sample_period = 1;
	attr.branch_sample_type = branch_type;
	for (size_t i = 0; i < REGISTER_COUNT; i++)
		attr.sample_regs_user |= 1ULL << registers[i].bit;
	attr.sample_stack_user = 32768;
	perf_image_init(&opened->image);
	perf_image_event(&opened->image, &attr, NULL, 0);
	add_comm(&opened->image, 0, 10, 10, "prog", true);
	add_own_maps(&opened->image);
}

#define STACK_TYPE (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

static void add_stack_sample(struct opened *opened, struct captured *captured)
{
	struct strbuf *body = &opened->image.body;

	put64(body, *captured_register(captured, 8));
	put32(body, 10);
	put32(body, 10);
	put64(body, 1);
	put64(body, (uint64_t)PERF_CONTEXT_USER); /* a chain of no frames */
	put64(body, captured->abi);
	for (unsigned int bit = 0; captured->abi && bit < 64; bit++)
		for (size_t i = 0; i < REGISTER_COUNT; i++)
			if (registers[i].bit == bit)
				put64(body, captured->values[i]);
	put64(body, captured->size);
	strbuf_add(body, (const char *)captured->stack, captured->size);
	if (captured->size)
		put64(body, captured->dynamic_size);
	perf_image_record(&opened->image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
}

static void count(struct opened *opened)
{
	static const struct session_options no_options;
	size_t size;

	opened->bytes = perf_image_file(&opened->image, &size);
	assert_null(session_open_memory(opened->bytes, size, &no_options, &opened->session));
	assert_null(session_count(opened->session, COUNT_CHAIN, &opened->counts));
	assert_int_equal(opened->counts->count, 1);
}

static void end(struct opened *opened)
{
	sample_counts_destroy(opened->counts);
	session_close(opened->session);
	free(opened->bytes);
	perf_image_deinit(&opened->image);
}

/* Finds the ips of the only entry's chain, the innermost first, and returns their number. */
static size_t chain_of(const struct opened *opened, uint64_t ips[DEPTH])
{
	const struct counted_frame *frames = opened->counts->frames;
	size_t depth = 0;

	for (uint32_t frame = opened->counts->entries[0].chain; frame;
	     frame = frames[frame].caller) {
		assert_int_equal(frames[frame].level, '.');
		if (depth < DEPTH)
			ips[depth] = frames[frame].ip;
		depth++;
	}
	return depth;
}

static size_t walk(struct captured *captured, uint64_t ips[DEPTH])
{
	struct opened opened;
	size_t depth;

	begin(&opened, STACK_TYPE, 0);
	add_stack_sample(&opened, captured);
	count(&opened);
	depth = chain_of(&opened, ips);
	end(&opened);
	return depth;
}

/* Asserts that each frame is the one that the compiler's unwinder finds; return addresses are at
 * the last byte of the call. */
static void assert_callers(const struct captured *captured, const uint64_t *ips, size_t depth)
{
	for (size_t i = 1; i < depth; i++)
		assert_int_equal(ips[i], (uintptr_t)captured->callers[i] - 1);
}

static void test_own_stack(void **state)
{
	struct captured captured;
	uint64_t ips[DEPTH];
	size_t depth;

	(void)state;
	capture(&captured);
	assert_true(captured.depth > 8 && captured.depth < DEPTH);
	depth = walk(&captured, ips);
	assert_int_equal(depth, captured.depth);
	assert_int_equal(ips[0], *captured_register(&captured, 8));
	assert_callers(&captured, ips, depth);
	free(captured.stack);
}

/* A chain ends with the copy; no frame is invented after it. */
static void test_cut_stack(void **state)
{
	struct captured captured;
	uint64_t ips[DEPTH], whole;
	size_t last = 0;

	(void)state;
	capture(&captured);
	whole = captured.size;
	for (uint64_t size = 8; size < whole; size += size < 1024 ? 8 : 1024) {
		captured.dynamic_size = size;

		size_t depth = walk(&captured, ips);

		assert_true(depth >= 1 && depth >= last && depth <= (size_t)captured.depth);
		assert_callers(&captured, ips, depth);
		last = depth;
	}
	/* the bytes that are there are used, whatever the size says */
	captured.size = 256;
	captured.dynamic_size = UINT64_MAX;
	assert_callers(&captured, ips, walk(&captured, ips));
	free(captured.stack);
}

static void test_no_registers(void **state)
{
	static const uint64_t abis[] = { PERF_SAMPLE_REGS_ABI_NONE, PERF_SAMPLE_REGS_ABI_32 };
	struct captured captured;
	uint64_t ips[DEPTH];

	(void)state;
	capture(&captured);
	for (size_t i = 0; i < 2; i++) {
		captured.abi = abis[i];
		assert_int_equal(walk(&captured, ips), 0);
	}
	free(captured.stack);
}

/* Registers of another architecture have other numbers. */
static void test_machines(void **state)
{
	static const struct {
		const char *name;
		uint32_t number;
		bool walked;
	} machines[] = {
		{ "x86_64", 0, true },      { NULL, EM_X86_64, true },
		{ NULL, EM_NONE, true },    { NULL, EM_RISCV, false },
		{ "riscv64", 0, false },    { "riscv64", EM_X86_64, false },
		{ "x86_64", EM_386, true }, { "i686", EM_X86_64, false },
	};
	struct captured captured;
	uint64_t ips[DEPTH];

	(void)state;
	capture(&captured);
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		struct opened opened;

		begin(&opened, STACK_TYPE, 0);
		add_stack_sample(&opened, &captured);
		if (machines[i].name) {
			put32(&opened.image.features[FEATURE_ARCH], 8);
			strbuf_add(&opened.image.features[FEATURE_ARCH], machines[i].name,
				   strlen(machines[i].name) + 1);
		}
		put32(&opened.image.features[FEATURE_E_MACHINE], machines[i].number);
		put32(&opened.image.features[FEATURE_E_MACHINE], 0);
		count(&opened);
		assert_int_equal(chain_of(&opened, ips), machines[i].walked ? captured.depth : 0);
		end(&opened);
	}
	free(captured.stack);
}

/* Any value in any register, and any word on the stack, gives a chain that ends, and nothing
 * worse. */
static void test_hostile(void **state)
{
	static const uint64_t values[] = { 0,         1,         8, UINT64_MAX, UINT64_MAX - 7,
					   INT64_MAX, 1ULL << 63 };
	struct captured captured;
	uint64_t ips[DEPTH], pc, sp;

	(void)state;
	capture(&captured);
	pc = *captured_register(&captured, 8);
	sp = *captured_register(&captured, 7);
	for (size_t i = 0; i < REGISTER_COUNT; i++) {
		uint64_t before = captured.values[i];

		for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++) {
			captured.values[i] = values[v];
			assert_in_range(walk(&captured, ips), 0, COUNT_CHAIN_MAX);
		}
		captured.values[i] = before;
	}
	for (uint64_t at = 0; at + 8 <= captured.size && at < 512; at += 8) {
		uint64_t words[] = { pc, sp, sp + at, 0, UINT64_MAX }, before;

		memcpy(&before, captured.stack + at, 8);
		for (size_t w = 0; w < sizeof(words) / sizeof(*words); w++) {
			memcpy(captured.stack + at, &words[w], 8);
			assert_in_range(walk(&captured, ips), 0, COUNT_CHAIN_MAX);
		}
		memcpy(captured.stack + at, &before, 8);
	}
	free(captured.stack);
}

/* Without frame information frame pointers are followed, and their cycles end. */
static void test_frame_pointers(void **state)
{
	struct captured captured;
	uint64_t ips[DEPTH], sp = 0x7ffd00000000;
	uint64_t words[] = { 0, 0, sp + 48, 0xabc001, 0, 0, sp + 64, 0xabc002, 0, 0xabc003 };

	(void)state;
	captured = (struct captured){ .stack = (uint8_t *)words,
				      .size = sizeof(words),
				      .dynamic_size = sizeof(words),
				      .abi = PERF_SAMPLE_REGS_ABI_64 };
	*captured_register(&captured, 8) = 0xabc000; /* in no map */
	*captured_register(&captured, 7) = sp;
	*captured_register(&captured, 6) = sp + 16;
	assert_int_equal(walk(&captured, ips), 4);
	assert_int_equal(ips[0], 0xabc000);
	assert_int_equal(ips[1], 0xabc000);
	assert_int_equal(ips[2], 0xabc001);
	assert_int_equal(ips[3], 0xabc002);
	words[6] = sp + 16; /* back to the first */
	assert_int_equal(walk(&captured, ips), 3);
}

static void put_calls(struct opened *opened, const uint64_t *from, size_t count)
{
	put64(&opened->image.body, count);
	for (size_t i = 0; i < count; i++) {
		put64(&opened->image.body, from[i]);
		put64(&opened->image.body, 0x5000 + i);
		put64(&opened->image.body, 0);
	}
}

/* A user-space sample at 0x4321, and the chain by frame pointers that was recorded with it. */
static size_t walk_calls(uint64_t branch_type, size_t count_of_calls, uint64_t ips[DEPTH])
{
	static const uint64_t from[] = { 0x1111, 0x2222, 0x3333 };
	struct opened opened;
	size_t depth;

	begin(&opened, PERF_SAMPLE_BRANCH_STACK, branch_type);
	put64(&opened.image.body, 0x4321);
	put32(&opened.image.body, 10);
	put32(&opened.image.body, 10);
	put64(&opened.image.body, 3);
	put64(&opened.image.body, (uint64_t)PERF_CONTEXT_USER);
	put64(&opened.image.body, 0x4321);
	put64(&opened.image.body, 0x8888);
	put_calls(&opened, from, count_of_calls);
	perf_image_record(&opened.image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	count(&opened);
	depth = chain_of(&opened, ips);
	end(&opened);
	return depth;
}

static void test_branch_calls(void **state)
{
	uint64_t ips[DEPTH];

	(void)state;
	assert_int_equal(
		walk_calls(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK, 3, ips), 4);
	assert_int_equal(ips[0], 0x4321);
	assert_int_equal(ips[1], 0x1111);
	assert_int_equal(ips[3], 0x3333);
	/* if no calls were kept, or the entries are branches, the recorded chain is used */
	assert_int_equal(
		walk_calls(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK, 0, ips), 2);
	assert_int_equal(ips[1], 0x8888);
	assert_int_equal(walk_calls(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY, 3, ips), 2);
	assert_int_equal(ips[1], 0x8888);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_stack),    cmocka_unit_test(test_cut_stack),
		cmocka_unit_test(test_no_registers), cmocka_unit_test(test_machines),
		cmocka_unit_test(test_hostile),      cmocka_unit_test(test_frame_pointers),
		cmocka_unit_test(test_branch_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else /* the places of other machines' registers are not known here */

#include <stdio.h>

int main(void)
{
	puts("1..1\n# skipped: the samples are made of x86-64's registers\nok 1 - stack walks # "
	     "SKIP");
	return 0;
}

#endif
