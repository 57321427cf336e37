// SPDX-License-Identifier: GPL-2.0-or-later
/* Data addresses: for which samples registers give them, how they are computed, and which object
 * they are in. */
#include "tests/support/unit.h"

#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "profiler/ingest/session.h"
#include "tests/support/perf_records.h"
#include "tests/support/session_memory.h"

#define PROCESS 10
#define CODE    UINT64_C(0x10000)
#define DATA    UINT64_C(0x500000)
#define STACK   UINT64_C(0x7ffd00001000)
#define USER    PERF_RECORD_MISC_USER

/* As <asm/perf_regs.h> of x86 numbers them; of samples in the order of their numbers. */
enum { AX = 0, BX = 1, SP = 7 };
#define REGISTERS (1u << AX | 1u << BX | 1u << SP)

/* The operands of instructions, by offset in the file. */
static const struct data_operand operands[] = {
	[0] = { .known = true, .base = AX, .index = DATA_OPERAND_NO_REGISTER, .displacement = 8 },
	[1] = { .known = true, .base = AX, .index = BX, .scale = 4, .displacement = -16 },
	/* relative to %rip: in the object, whose offset 0x800 is mapped at CODE */
	[2] = { .known = true,
		.relative = true,
		.base = DATA_OPERAND_NO_REGISTER,
		.index = DATA_OPERAND_NO_REGISTER,
		.displacement = 0x800 },
	[3] = { .known = true, .base = SP, .index = DATA_OPERAND_NO_REGISTER, .displacement = -8 },
	[4] = { .known = false },
	[5] = { .known = true,
		.base = 16,
		.index = DATA_OPERAND_NO_REGISTER }, /* r8, which was not taken */
};

static unsigned int found;

static void find(void *data, struct dso *dso, uint64_t insn, bool store, bool late,
		 struct data_operand *operand)
{
	(void)data;
	(void)late;
	(void)dso;
	(void)store;
	found++;
	assert_true(insn % 16 == 0 && insn / 16 < sizeof(operands) / sizeof(*operands));
	*operand = operands[insn / 16];
	operand->insn = insn;
	operand->start = 0;
	operand->end = 0x1000;
}

static struct perf_event_attr timer(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_ADDR | PERF_SAMPLE_REGS_INTR,
		.sample_regs_intr = REGISTERS,
		.sample_id_all = 1,
		.sample_period = 1,
	};
}

/* A file with the maps of a program and its data. */
static void begin(struct perf_image *image, const struct perf_event_attr *attr)
{
	perf_image_init(image);
	perf_image_event(image, attr, NULL, 0);
	add_map(image, 1, PROCESS, CODE, 0x1000, "/no/such/program");
	add_map(image, 2, PROCESS, DATA, 0x1000, "/no/such/library");
}

/* Adds a sample of the instruction whose number is `operand`. */
static void add(struct perf_image *image, unsigned int operand, uint64_t recorded, uint64_t abi,
		uint64_t ax, uint64_t bx)
{
	put64(&image->body, CODE + 16 * operand);
	put32(&image->body, PROCESS);
	put32(&image->body, PROCESS);
	put64(&image->body, 100); /* time */
	put64(&image->body, recorded);
	put64(&image->body, abi);
	if (abi) {
		put64(&image->body, ax);
		put64(&image->body, bx);
		put64(&image->body, STACK);
	}
	perf_image_record(image, PERF_RECORD_SAMPLE, USER);
}

struct counting {
	struct session *session;
	struct sample_counts *counts;
	uint8_t *bytes;
};

static void count(struct perf_image *image, uint64_t fields, struct counting *counting)
{
	struct session_options options = { .threads = 2, .operands = { .find = find } };
	size_t size;

	counting->bytes = perf_image_file(image, &size);
	perf_image_deinit(image);
	assert_null(session_open_memory(counting->bytes, size, &options, &counting->session));
	assert_null(session_count(counting->session, fields, &counting->counts));
}

static void done(struct counting *counting)
{
	sample_counts_destroy(counting->counts);
	session_close(counting->session);
	free(counting->bytes);
}

static const struct counted *of_operand(const struct counting *counting, unsigned int operand)
{
	for (size_t i = 0; i < counting->counts->count; i++)
		if (counting->counts->entries[i].address == 16 * operand)
			return &counting->counts->entries[i];
	fail_msg("instruction %u has no sample", operand);
	return NULL;
}

static void test_computed(void **state)
{
	struct perf_event_attr attr = timer();
	struct perf_image image;
	struct counting counting;

	(void)state;
	begin(&image, &attr);
	add(&image, 0, 0, PERF_SAMPLE_REGS_ABI_64, DATA + 0x20, 0);
	add(&image, 1, 0, PERF_SAMPLE_REGS_ABI_64, DATA + 0x20, 3);
	add(&image, 2, 0, PERF_SAMPLE_REGS_ABI_64, 0, 0);
	add(&image, 3, 0, PERF_SAMPLE_REGS_ABI_64, 0, 0);
	add(&image, 4, 0, PERF_SAMPLE_REGS_ABI_64, 0, 0);
	add(&image, 5, 0, PERF_SAMPLE_REGS_ABI_64, 0, 0);
	count(&image, COUNT_PLACE | COUNT_DATA_ADDRESS | COUNT_DATA_CHECK, &counting);

	const struct counted *entry = of_operand(&counting, 0);

	assert_true(entry->data_known && entry->data_computed);
	assert_int_equal(entry->data_address, DATA + 0x28);
	assert_string_equal(entry->data_dso->long_name, "/no/such/library");
	assert_int_equal(entry->data_file_address, 0x28);
	assert_int_equal(entry->data_stack, DATA_STACK_OFF);
	assert_false(entry->check_in_object);
	assert_int_equal(of_operand(&counting, 1)->data_address, DATA + 0x20 + 12 - 16);

	entry = of_operand(&counting, 2);
	assert_int_equal(entry->data_address, CODE + 0x800);
	assert_ptr_equal(entry->data_dso, entry->dso);
	assert_true(entry->check_in_object);
	assert_int_equal(entry->check_address, 0x800);

	entry = of_operand(&counting, 3);
	assert_int_equal(entry->data_address, STACK - 8);
	assert_int_equal(entry->data_stack, DATA_STACK_ON);
	assert_null(entry->data_dso);
	assert_false(of_operand(&counting, 4)->data_known);
	assert_false(of_operand(&counting, 5)->data_known);
	done(&counting);
}

/* The upper byte of a pointer of arm64 is no part of the address. */
static void test_tags(void **state)
{
	static const struct {
		const char *machine;
		uint64_t pointer, address;
	} rows[] = {
		{ "aarch64", DATA | UINT64_C(0x3b) << 56, DATA + 8 },
		{ "aarch64", UINT64_C(0xf0ff800008001000), UINT64_C(0xffff800008001008) },
		{ "x86_64", UINT64_C(0xffff888008001000), UINT64_C(0xffff888008001008) },
	};
	struct perf_event_attr attr = timer();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct perf_image image;
		struct counting counting;

		begin(&image, &attr);
		put32(&image.features[FEATURE_ARCH], 8);
		strbuf_add(&image.features[FEATURE_ARCH], rows[i].machine,
			   strlen(rows[i].machine) + 1);
		add(&image, 0, 0, PERF_SAMPLE_REGS_ABI_64, rows[i].pointer, 0);
		count(&image, COUNT_PLACE | COUNT_DATA_ADDRESS, &counting);
		assert_int_equal(of_operand(&counting, 0)->data_address, rows[i].address);
		done(&counting);
	}
}

/* A recorded address is used, whatever the registers are. */
static void test_recorded(void **state)
{
	struct perf_event_attr attr = timer();
	struct perf_image image;
	struct counting counting;

	(void)state;
	begin(&image, &attr);
	add(&image, 0, DATA + 0x100, PERF_SAMPLE_REGS_ABI_64, DATA + 0x20, 0);
	count(&image, COUNT_PLACE | COUNT_DATA_ADDRESS, &counting);
	assert_int_equal(counting.counts->entries[0].data_address, DATA + 0x100);
	assert_true(counting.counts->entries[0].data_known);
	assert_false(counting.counts->entries[0].data_computed);
	done(&counting);
}

static bool is_known(const struct perf_event_attr *attr, uint64_t abi)
{
	struct perf_image image;
	struct counting counting;
	bool known;

	begin(&image, attr);
	add(&image, 0, 0, abi, DATA, 0);
	count(&image, COUNT_PLACE | COUNT_DATA_ADDRESS, &counting);
	known = counting.counts->entries[0].data_known;
	done(&counting);
	return known;
}

/* Registers after the instruction, or of another place, give no address. */
static void test_whose_registers(void **state)
{
	struct perf_event_attr attr = timer();

	(void)state;
	assert_true(is_known(&attr, PERF_SAMPLE_REGS_ABI_64));
	assert_false(is_known(&attr, PERF_SAMPLE_REGS_ABI_32));
	assert_false(is_known(&attr, PERF_SAMPLE_REGS_ABI_NONE));
	attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	assert_false(is_known(&attr, PERF_SAMPLE_REGS_ABI_64));
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	assert_true(is_known(&attr, PERF_SAMPLE_REGS_ABI_64));
	attr.precise_ip = 2;
	assert_false(is_known(&attr, PERF_SAMPLE_REGS_ABI_64));
	attr.precise_ip = 0;
	attr.type = PERF_TYPE_TRACEPOINT;
	assert_false(is_known(&attr, PERF_SAMPLE_REGS_ABI_64));
}

/* The trap is after the access, at the watched address. */
static void test_breakpoint(void **state)
{
	struct perf_event_attr attr = timer();
	struct perf_image image;
	struct counting counting;

	(void)state;
	attr.type = PERF_TYPE_BREAKPOINT;
	attr.config = 0;
	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = DATA + 0x40;
	attr.bp_len = 8;
	begin(&image, &attr);
	add(&image, 0, 0, PERF_SAMPLE_REGS_ABI_64, DATA, 0);
	count(&image, COUNT_PLACE | COUNT_STORE | COUNT_DATA_ADDRESS, &counting);
	assert_true(counting.counts->entries[0].after);
	assert_true(counting.counts->entries[0].store);
	assert_int_equal(counting.counts->entries[0].data_address, DATA + 0x40);
	done(&counting);

	attr.bp_type = HW_BREAKPOINT_X;
	begin(&image, &attr);
	add(&image, 0, 0, PERF_SAMPLE_REGS_ABI_64, DATA, 0);
	count(&image, COUNT_PLACE | COUNT_STORE, &counting);
	assert_false(counting.counts->entries[0].after);
	done(&counting);
}

/* An instruction is decoded once for each thread, and samples that differ only in heap addresses
 * stay together. */
static void test_together(void **state)
{
	struct perf_event_attr attr = timer();
	struct perf_image image;
	struct counting counting;

	(void)state;
	begin(&image, &attr);
	for (unsigned int i = 0; i < 1000; i++)
		add(&image, 0, 0, PERF_SAMPLE_REGS_ABI_64, 0x600000 + 64 * i, 0);
	found = 0;
	count(&image, COUNT_PLACE | COUNT_DATA_CHECK, &counting);
	assert_int_equal(counting.counts->count, 1);
	assert_int_equal(counting.counts->entries[0].samples, 1000);
	assert_true(found >= 1 && found <= 2);
	done(&counting);
}

/* PERF_RECORD_MMAP2 of data that is written and shared. */
static void add_shared(struct perf_image *image, uint64_t start, uint32_t flags, uint64_t inode)
{
	put32(&image->body, PROCESS), put32(&image->body, PROCESS);
	put64(&image->body, start), put64(&image->body, 0x1000), put64(&image->body, 0);
	put32(&image->body, 0), put32(&image->body, 1);
	put64(&image->body, inode), put64(&image->body, 0);
	put32(&image->body, PROT_READ | PROT_WRITE), put32(&image->body, flags);
	put_string(&image->body, "/dev/shm/ring");
	put32(&image->body, PROCESS), put32(&image->body, PROCESS);
	put64(&image->body, 3); /* time */
	perf_image_record(image, PERF_RECORD_MMAP2, USER | PERF_RECORD_MISC_MMAP_DATA);
}

/* Memory that processes share and that has no file in its map: two processes may use the same line
 * of it. */
static void test_shared(void **state)
{
	struct perf_event_attr attr = timer();
	struct perf_image image;
	struct counting counting;

	(void)state;
	begin(&image, &attr);
	add_shared(&image, 0x600000, MAP_SHARED, 0);
	add_shared(&image, 0x700000, MAP_PRIVATE, 0);
	add_shared(&image, 0x800000, MAP_SHARED, 77);
	for (unsigned int i = 5; i <= 8; i++)
		add(&image, 0, i * 0x100000 + 8, 0, 0, 0);
	count(&image, COUNT_DATA_ADDRESS, &counting);
	assert_int_equal(counting.counts->count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(counting.counts->entries[i].data_shared,
				 counting.counts->entries[i].data_address == 0x600008);
	done(&counting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_computed),        cmocka_unit_test(test_tags),
		cmocka_unit_test(test_recorded),        cmocka_unit_test(test_shared),
		cmocka_unit_test(test_whose_registers), cmocka_unit_test(test_breakpoint),
		cmocka_unit_test(test_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
