// SPDX-License-Identifier: GPL-2.0-or-later
/* Call chains in counted samples: interned, cut at the markers of their levels, with deferred parts
 * joined; and which samples are counted. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf/elf/image.h"
#include "profiler/ingest/format.h"
#include "profiler/ingest/session.h"
#include "tests/support/kept.h"
#include "tests/support/perf_image.h"
#include "tests/support/perf_records.h"
#include "tests/support/session_memory.h"

#define KERNEL    0xffffffff81000000ULL
#define KERNEL_48 0xffff800008000000ULL /* arm64's, whose addresses have 48 bits */
#define PROGRAM   0x400000ULL
#define IN_KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define IN_USER   ((uint64_t)PERF_CONTEXT_USER)
#define DEFERRED  ((uint64_t)-640) /* PERF_CONTEXT_USER_DEFERRED */
#define UNKNOWN   ((uint64_t)-3000)

struct opened {
	struct perf_image image;
	uint8_t *bytes;
	struct session *session;
	struct sample_counts *counts;
};

static void begin(struct opened *opened)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK };

	*opened = (struct opened){ 0 };
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			   PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
	attr.sample_period = 1;
	perf_image_init(&opened->image);
	perf_image_event(&opened->image, &attr, NULL, 0);
	add_kernel_map(&opened->image, 0, KERNEL, 0x1000000, "[kernel.kallsyms]_text");
	add_comm(&opened->image, 0, 10, 10, "prog", true);
	add_map(&opened->image, 0, 10, PROGRAM, 0x1000, "/nowhere/prog");
}

/* `words` ends with 0; the first one that is not a marker is the sample's own address. */
static void add_chain(struct opened *opened, uint64_t time, uint32_t cpu, const uint64_t *words)
{
	struct strbuf *body = &opened->image.body;
	uint64_t count = 0, ip = 0;

	while (words[count])
		count++;
	for (uint64_t i = count; i-- > 0;)
		if (words[i] < PERF_CONTEXT_MAX)
			ip = words[i];
	put64(body, ip);
	put32(body, 10);
	put32(body, 10);
	put64(body, time);
	put32(body, cpu);
	put32(body, 0);
	put64(body, 1);
	put64(body, count);
	for (uint64_t i = 0; i < count; i++)
		put64(body, words[i]);
	perf_image_record(&opened->image, PERF_RECORD_SAMPLE,
			  ip >= KERNEL ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
}

#define ADD_CHAIN(opened, ...) add_chain(opened, 1000, 0, (const uint64_t[]){ __VA_ARGS__, 0 })

static void add_deferred(struct opened *opened, uint64_t cookie, const uint64_t *words)
{
	struct strbuf *body = &opened->image.body;
	uint64_t count = 0;

	while (words[count])
		count++;
	put64(body, cookie);
	put64(body, count);
	for (uint64_t i = 0; i < count; i++)
		put64(body, words[i]);
	perf_image_record(&opened->image, RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER);
}

static void count(struct opened *opened, const struct count_options *options)
{
	static const struct session_options no_options;
	size_t size;

	opened->bytes = perf_image_file(&opened->image, &size);
	assert_null(session_open_memory(opened->bytes, size, &no_options, &opened->session));
	assert_null(session_count_by(opened->session, options, &opened->counts));
}

static void end(struct opened *opened)
{
	sample_counts_destroy(opened->counts);
	session_close(opened->session);
	free(opened->bytes);
	perf_image_deinit(&opened->image);
}

/* The chain of the only entry, its innermost frame first. */
static void assert_chain(const struct sample_counts *counts, const uint64_t *ips,
			 const char *levels)
{
	uint32_t frame;

	assert_int_equal(counts->count, 1);
	frame = counts->entries[0].chain;
	for (size_t i = 0; levels[i]; i++, frame = counts->frames[frame].caller) {
		assert_int_not_equal(frame, 0);
		assert_true(counts->frames[frame].caller < frame);
		assert_int_equal(counts->frames[frame].ip, ips[i]);
		assert_int_equal(counts->frames[frame].level, levels[i]);
		assert_non_null(counts->frames[frame].dso);
	}
	assert_int_equal(frame, 0);
}

static const struct count_options by_chain = { .fields = COUNT_CHAIN };

static void test_levels(void **state)
{
	struct opened opened;

	(void)state;
	begin(&opened);
	ADD_CHAIN(&opened, IN_KERNEL, KERNEL + 8, KERNEL + 4, IN_USER, PROGRAM + 2, PROGRAM + 1);
	count(&opened, &by_chain);
	assert_chain(opened.counts,
		     (const uint64_t[]){ KERNEL + 8, KERNEL + 4, PROGRAM + 2, PROGRAM + 1 },
		     "kk..");
	/* for a map of the kernel the address stays; for a file it becomes the offset in the
	 * file */
	assert_int_equal(opened.counts->frames[opened.counts->entries[0].chain].address,
			 KERNEL + 8);
	assert_string_equal(opened.counts->frames[1].dso->short_name, "prog");
	assert_int_equal(opened.counts->frames[1].address, 1);
	end(&opened);
}

static void test_equal_chains_are_one_number(void **state)
{
	struct opened opened;

	(void)state;
	begin(&opened);
	for (int i = 0; i < 100; i++) {
		ADD_CHAIN(&opened, IN_USER, PROGRAM + 3, PROGRAM + 2, PROGRAM + 1);
		ADD_CHAIN(&opened, IN_USER, PROGRAM + 4, PROGRAM + 2, PROGRAM + 1);
	}
	count(&opened, &by_chain);
	assert_int_equal(opened.counts->count, 2);
	assert_int_equal(opened.counts->entries[0].samples, 100);
	/* two innermost frames, and two that they share; number 0 stands for no frame */
	assert_int_equal(opened.counts->frame_count, 1 + 4);
	assert_int_equal(opened.counts->frames[opened.counts->entries[0].chain].caller,
			 opened.counts->frames[opened.counts->entries[1].chain].caller);
	end(&opened);
}

/* The words of two chains are the same, but not their files, or not the markers between them. */
static void test_equal_words_of_other_chains(void **state)
{
	struct opened opened;
	const struct sample_counts *counts;
	unsigned int others = 0, in_kernel = 0;

	(void)state;
	begin(&opened);
	for (unsigned int i = 0; i < 2; i++) {
		ADD_CHAIN(&opened, IN_USER, PROGRAM + 1, PROGRAM + 2);
		ADD_CHAIN(&opened, IN_USER, PROGRAM + 1, IN_KERNEL, PROGRAM + 2);
	}
	add_map(&opened.image, 2000, 10, PROGRAM, 0x1000, "/nowhere/other");
	for (unsigned int i = 0; i < 2; i++)
		add_chain(&opened, 3000 + i, 0,
			  (const uint64_t[]){ IN_USER, PROGRAM + 1, PROGRAM + 2, 0 });
	count(&opened, &by_chain);
	counts = opened.counts;
	assert_int_equal(counts->count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct counted_frame *frame = &counts->frames[counts->entries[i].chain],
					   *caller = &counts->frames[frame->caller];
		bool other = !strcmp(frame->dso->short_name, "other");

		assert_int_equal(counts->entries[i].samples, 2);
		assert_int_equal(frame->ip, PROGRAM + 1);
		assert_int_equal(caller->ip, PROGRAM + 2);
		others += other;
		in_kernel += !other && caller->level == 'k';
	}
	assert_int_equal(others, 1);
	assert_int_equal(in_kernel, 1);
	end(&opened);
}

/* The cookie stands for the chain that follows later, also for several samples. */
static void test_deferred(void **state)
{
	struct opened opened;

	(void)state;
	begin(&opened);
	ADD_CHAIN(&opened, IN_KERNEL, KERNEL + 8, DEFERRED, 77);
	ADD_CHAIN(&opened, IN_KERNEL, KERNEL + 8, DEFERRED, 77);
	add_deferred(&opened, 77, (const uint64_t[]){ IN_USER, PROGRAM + 2, PROGRAM + 1, 0 });
	count(&opened, &by_chain);
	assert_int_equal(opened.counts->entries[0].samples, 2);
	assert_chain(opened.counts, (const uint64_t[]){ KERNEL + 8, PROGRAM + 2, PROGRAM + 1 },
		     "k..");
	end(&opened);
}

static void test_deferred_that_never_came(void **state)
{
	struct opened opened;

	(void)state;
	begin(&opened);
	ADD_CHAIN(&opened, IN_KERNEL, KERNEL + 8, DEFERRED, 77);
	add_deferred(&opened, 78, (const uint64_t[]){ IN_USER, PROGRAM + 2, 0 });
	count(&opened, &by_chain);
	assert_chain(opened.counts, (const uint64_t[]){ KERNEL + 8 }, "k");
	end(&opened);
}

/* A deferred chain that is itself deferred would have no end. */
static void test_deferred_circle(void **state)
{
	struct opened opened;

	(void)state;
	begin(&opened);
	ADD_CHAIN(&opened, IN_KERNEL, KERNEL + 8, DEFERRED, 77);
	add_deferred(&opened, 77, (const uint64_t[]){ IN_USER, PROGRAM + 2, DEFERRED, 77, 0 });
	count(&opened, &by_chain);
	assert_chain(opened.counts, (const uint64_t[]){ KERNEL + 8, PROGRAM + 2 }, "k.");
	end(&opened);
}

/* As in perf, the level of the addresses is not known, so the sample has no chain; it is
 * counted. */
static void test_unknown_marker(void **state)
{
	struct opened opened;

	(void)state;
	begin(&opened);
	ADD_CHAIN(&opened, IN_KERNEL, KERNEL + 8, UNKNOWN, PROGRAM + 1);
	count(&opened, &by_chain);
	assert_int_equal(opened.counts->count, 1);
	assert_int_equal(opened.counts->entries[0].samples, 1);
	assert_int_equal(opened.counts->entries[0].chain, 0);
	end(&opened);
}

static uint64_t samples(const struct sample_counts *counts)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < counts->count; i++)
		sum += counts->entries[i].samples;
	return sum;
}

static void assert_chosen(const struct count_options *options, uint64_t expected)
{
	struct opened opened;

	begin(&opened);
	for (uint64_t i = 0; i < 10; i++)
		add_chain(&opened, 1000 + 100 * i, (uint32_t)i % 3,
			  (const uint64_t[]){ IN_USER, PROGRAM + 1, 0 });
	count(&opened, options);
	assert_int_equal(samples(opened.counts), expected);
	end(&opened);
}

static void test_times_and_cpus(void **state)
{
	static const struct number_set cpus = { { 1 << 0 | 1 << 2 } };
	static const struct time_range ranges[] = { { 1100, 1300 }, { 1800, UINT64_MAX } };

	(void)state;
	assert_chosen(&(struct count_options){ 0 }, 10);
	assert_chosen(&(struct count_options){ .ranges = ranges, .range_count = 1 }, 3);
	assert_chosen(&(struct count_options){ .ranges = ranges, .range_count = 2 }, 5);
	assert_chosen(&(struct count_options){ .cpus = &cpus }, 7);
	assert_chosen(&(struct count_options){ .cpus = &cpus, .ranges = ranges, .range_count = 2 },
		      4);
	/* an empty list chooses no sample */
	assert_chosen(&(struct count_options){ .ranges = ranges, .range_count = 0 }, 0);
}

static void test_time_quanta(void **state)
{
	struct opened opened;

	(void)state;
	begin(&opened);
	for (uint64_t i = 0; i < 10; i++)
		add_chain(&opened, 1000 + 100 * i, 0,
			  (const uint64_t[]){ IN_USER, PROGRAM + 1, 0 });
	count(&opened, &(struct count_options){ .fields = COUNT_TIME, .time_quantum = 500 });
	assert_int_equal(opened.counts->count, 2);
	assert_int_equal(opened.counts->entries[0].time, 1000);
	assert_int_equal(opened.counts->entries[0].samples, 5);
	assert_int_equal(opened.counts->entries[1].time, 1500);
	end(&opened);
}

/* A sample at `ip`, whose chain goes on at `above`, with register 30 and a word of the stack. */
struct leaf {
	const char *machine;
	uint64_t ip, above, reg, word;
	bool interrupt; /* the register is that at the interrupt, and there is no stack */
	bool alone;     /* there is no chain */
};

static void count_leaf(struct opened *opened, const char *program, const struct leaf *leaf)
{
	static const struct count_options options = { .fields = COUNT_CALLER | COUNT_CHAIN };
	const uint64_t link = UINT64_C(1) << 30, kernel = leaf->ip >= KERNEL_48;
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						       PERF_SAMPLE_CALLCHAIN,
					.sample_period = 1,
					.sample_regs_user = leaf->interrupt ? 0 : link,
					.sample_regs_intr = leaf->interrupt ? link : 0,
					.sample_stack_user = leaf->interrupt ? 0 : 8 };
	const uint64_t words[] = { 3,
				   kernel ? IN_KERNEL : IN_USER,
				   leaf->ip,
				   leaf->above,
				   PERF_SAMPLE_REGS_ABI_64,
				   leaf->reg,
				   8,
				   leaf->word,
				   8 };
	struct strbuf *body = &opened->image.body, *arch = &opened->image.features[FEATURE_ARCH];

	*opened = (struct opened){ 0 };
	if (leaf->alone)
		attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
	attr.sample_type |= leaf->interrupt ? PERF_SAMPLE_REGS_INTR
					    : PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	perf_image_init(&opened->image);
	perf_image_event(&opened->image, &attr, NULL, 0);
	add_kernel_map(&opened->image, 0, leaf->ip >= KERNEL ? KERNEL : KERNEL_48, 0x1000000,
		       "[kernel.kallsyms]_text");
	add_comm(&opened->image, 0, 10, 10, "prog", true);
	add_map(&opened->image, 0, 10, PROGRAM, 0x1000, program);
	put64(body, leaf->ip);
	put32(body, 10);
	put32(body, 10);
	for (size_t i = leaf->alone ? 4 : 0;
	     i < sizeof(words) / sizeof(*words) - (leaf->interrupt ? 3 : 0); i++)
		put64(body, words[i]);
	perf_image_record(&opened->image, PERF_RECORD_SAMPLE,
			  kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	put32(arch, 8);
	strbuf_add(arch, leaf->machine, strlen(leaf->machine) + 1);
	count(opened, &options);
}

/* A call leaves the return address in a register of some machines, and on the stack of others. The
 * kernel's registers are those at the interrupt. */
static void test_leaf_callers(void **state)
{
	static const struct {
		struct leaf leaf;
		uint64_t caller;
	} rows[] = {
		{ { "aarch64", PROGRAM + 0x100, PROGRAM + 0x400, PROGRAM + 0x200, PROGRAM + 0x300,
		    false, false },
		  0x200 },
		{ { "x86_64", PROGRAM + 0x100, PROGRAM + 0x400, PROGRAM + 0x200, PROGRAM + 0x300,
		    false, false },
		  0x300 },
		/* the chain's */
		{ { "aarch64", PROGRAM + 0x100, PROGRAM + 0x400, 0, PROGRAM + 0x300, false, false },
		  0x400 },
		{ { "aarch64", PROGRAM + 0x100, PROGRAM + 0x400, PROGRAM + 0x200, 0, true, false },
		  0x200 },
		{ { "aarch64", KERNEL + 0x100, KERNEL + 0x400, KERNEL + 0x200, 0, true, false },
		  0x200 },
		{ { "aarch64", KERNEL_48 + 0x100, KERNEL_48 + 0x400, KERNEL_48 + 0x200, 0, true,
		    false },
		  0x200 },
		{ { "x86_64", KERNEL + 0x100, KERNEL + 0x400, KERNEL + 0x200, 0, true, false },
		  0x400 },
		/* the default event has registers and no chain */
		{ { "aarch64", PROGRAM + 0x100, 0, PROGRAM + 0x200, 0, true, true }, 0x200 },
		{ { "x86_64", PROGRAM + 0x100, 0, PROGRAM + 0x200, 0, true, true }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct opened opened;

		count_leaf(&opened, "/nowhere/prog", &rows[i].leaf);
		assert_int_equal(opened.counts->count, 1);
		assert_int_equal(opened.counts->entries[0].caller & CALLER_OFFSET_MASK & 0xfff,
				 rows[i].caller);
		end(&opened);
	}
}

/* Frame pointers lead from a function without a frame of its own to its caller's caller. The caller
 * is in the register, as the frame information of the function says. */
static void test_frameless(void **state)
{
	static const char source[] = "tests/kept/arm64.c";
	static const char command[] = "aarch64-linux-gnu-gcc -O2 -g -fno-pie -no-pie -nostdlib "
				      "-mno-outline-atomics -Wl,-e,of_thread "
				      "-Wl,--unresolved-symbols=ignore-all";
	static const struct {
		const char *function;
		uint64_t offset, reg, added;
	} rows[] = {
		{ "pair_of", 4, PROGRAM + 0x200, PROGRAM + 0x200 },
		{ "pair_of", 4, PROGRAM + 0x400, 0 }, /* the chain has it */
		{ "many", 0, PROGRAM + 0x200, PROGRAM + 0x200 },
		{ "many", 8, PROGRAM + 0x200, 0 }, /* it is on the stack */
	};
	char path[] = "/tmp/chains-XXXXXX";
	struct elf_image *image;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_true(kept_program(source, command, path));
	assert_null(elf_image_open(path, &image));
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
		size_t row = i / 2;
		const uint64_t ip = elf_image_symbol_named(image, rows[row].function)->address +
				    rows[row].offset;
		const uint64_t ips[] = { ip, rows[row].added ? rows[row].added : PROGRAM + 0x400,
					 rows[row].added ? PROGRAM + 0x400 : 0, 0 };
		struct opened opened;

		count_leaf(&opened, path,
			   &(struct leaf){ .machine = "aarch64",
					   .ip = ip,
					   .above = PROGRAM + 0x400,
					   .reg = rows[row].reg,
					   .interrupt = i % 2 });
		assert_chain(opened.counts, ips, rows[row].added ? "..." : "..");
		end(&opened);
	}
	elf_image_close(image);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_equal_chains_are_one_number),
		cmocka_unit_test(test_equal_words_of_other_chains),
		cmocka_unit_test(test_deferred),
		cmocka_unit_test(test_deferred_that_never_came),
		cmocka_unit_test(test_deferred_circle),
		cmocka_unit_test(test_unknown_marker),
		cmocka_unit_test(test_times_and_cpus),
		cmocka_unit_test(test_time_quanta),
		cmocka_unit_test(test_leaf_callers),
		cmocka_unit_test(test_frameless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
