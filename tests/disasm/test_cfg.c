// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions cut into blocks: edges, jump tables, ranges. */
#include "base/arch/x86_64.h"
#include "tests/support/unit.h"

#ifdef __x86_64__

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/cfg.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "tests/disasm/code_functions.h"
#include "tests/disasm/invariants.h"
#include "tests/disasm/one_decoder.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The memory of this program, as the loader has mapped it */
struct segments {
	uint64_t low;
	uint64_t high;
	uint64_t text; /* the largest executable segment */
	uint64_t text_size;
};

static int find_segments(struct dl_phdr_info *info, size_t size, void *data)
{
	struct segments *found = data;

	(void)size;
	*found = (struct segments){ .low = UINT64_MAX };
	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uint64_t address = info->dlpi_addr + header->p_vaddr;

		if (header->p_type != PT_LOAD)
			continue;
		found->low = address < found->low ? address : found->low;
		found->high = address + header->p_memsz > found->high ? address + header->p_memsz
								      : found->high;
		if ((header->p_flags & PF_X) && header->p_memsz > found->text_size) {
			found->text = address;
			found->text_size = header->p_memsz;
		}
	}
	return 1; /* the program itself comes first */
}

/* Copies memory of this program, also the bytes between variables that the address sanitizer
 * guards: a jump table may be read from anywhere. */
__attribute__((no_sanitize_address)) static void copy_own_memory(uint8_t *to,
								 const volatile uint8_t *from,
								 size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = from[i];
}

static bool read_memory(void *data, uint64_t address, void *buffer, size_t size)
{
	struct segments own;

	(void)data;
	dl_iterate_phdr(find_segments, &own);
	if (address < own.low || size > own.high - own.low || address > own.high - size)
		return false;
	copy_own_memory(buffer, (const uint8_t *)address, size);
	return true;
}

static bool never_returns(void *data, uint64_t address, uint64_t target, uint64_t slot)
{
	(void)data;
	(void)address;
	return target == (uint64_t)code_never_begin || (slot && slot == (uint64_t)code_never_slot);
}

static bool is_thunk(void *data, uint64_t target, uint8_t *reg)
{
	(void)data;
	*reg = target == (uint64_t)code_straight_begin ? REG_NONE : REG_RCX;
	return target == (uint64_t)code_straight_begin || target == (uint64_t)code_plain_begin;
}

static struct cfg_range range_of(const uint8_t *begin, const uint8_t *end)
{
	return (struct cfg_range){ .address = (uint64_t)begin,
				   .size = end - begin,
				   .bytes = begin };
}

static struct cfg *decode_request(struct cfg_request *request)
{
	struct cfg *code = NULL;

	request->read = read_memory;
	request->no_return = never_returns;
	struct error *error = cfg_build(decoder, request, &code);

	if (error)
		fail_msg("%s", error->message);
	const char *broken = broken_code(code);

	if (broken)
		fail_msg("%s", broken);
	return code;
}

static void render_graph(const struct cfg *code, struct strbuf *text)
{
	for (size_t i = 0; i < code->block_count; i++) {
		const struct basic_block *block = &code->blocks[i];

		strbuf_add_format(text, "%s%zu%s%s%s%s%s", i ? " " : "", i,
				  block->flags & BLOCK_RETURNS ? "R" : "",
				  block->flags & BLOCK_TAIL_CALL ? "T" : "",
				  block->flags & BLOCK_NO_RETURN ? "N" : "",
				  block->flags & BLOCK_UNKNOWN_SUCCESSORS ? "U" : "",
				  block->flags & BLOCK_LEADER ? "L" : "");
		for (uint32_t j = 0; j < block->successor_count; j++)
			strbuf_add_format(text, "%c%u", j ? ',' : '>',
					  code->edges[block->successor_first + j]);
	}
}

static void assert_graph(const char *name, struct cfg_request *request, const char *expected)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	struct cfg *code = decode_request(request);

	render_graph(code, &text);
	cfg_destroy(code);
	if (strcmp(text.data, expected) != 0)
		fail_msg("%s:\n  expected %s\n  found    %s", name, expected, text.data);
}

static void test_graphs(void **state)
{
#define ROW(name, graph)                                                                           \
	{                                                                                          \
#name, name##_begin, name##_end, graph                                             \
	}
	static const struct {
		const char *name;
		const uint8_t *begin;
		const uint8_t *end;
		const char *graph;
	} rows[] = {
		ROW(code_straight, "0R"),
		ROW(code_diamond, "0>1,2 1>3 2>3 3R"),
		ROW(code_loop, "0>1 1>2,1 2R"),
		ROW(code_calls, "0>1,2 1R 2>3 3RT"),
		ROW(code_never, "0N 1N 2N"),
		ROW(code_never_through, "0>1,2 1R 2>3 3R"),
		ROW(code_call_last, "0>1,2 1R 2N"),
		ROW(code_tail_calls, "0RT>1 1>2,3 2RT 3RT"),
		ROW(code_switch, "0>1,5 1>2,3,5,4 2R 3R 4>5 5R"),
		ROW(code_switch_far, "0>1 1>2,8 2>3,4 3>4 4>5,6,7 5>1 6>1 7>1 8R"),
		ROW(code_switch_out, "0RT>1 1>2,3 2R 3R 4R"),
		ROW(code_switch_gcc_o0, "0>1,4 1>2,3,4 2>5 3>5 4>5 5R"),
		ROW(code_switch_clang_o0, "0>1,4 1>2,3,4 2>5 3>5 4>5 5R"),
		ROW(code_switch_mask, "0>1,2 1R 2R"),
		ROW(code_switch_gaps, "0>1,2 1R 2R"),
		ROW(code_switch_short, "0>1,3 1U>2,3 2R 3R"),
		ROW(code_switch_neighbours, "0>1,2 1>3,4 2>5 3R 4R 5R"),
		ROW(code_threaded, "0>1,2,3 1>1,2,3 2>1,2,3 3R"),
		ROW(code_threaded_merged, "0>1 1>2,3 2>1 3R"),
		ROW(code_switch_infeasible, "0>1 1>2,5 2>3,4 3>1 4R 5>1"),
		ROW(code_unread, "0U 1R"),
		ROW(code_lock, "0>1 1R"),
		ROW(code_middle, "0U>1 1R"),
		ROW(code_data, "0>1,3 1R 2>3 3R"),
	};
#undef ROW

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cfg_range range = range_of(rows[i].begin, rows[i].end);
		struct cfg_request request = { .ranges = &range, .range_count = 1 };

		assert_graph(rows[i].name, &request, rows[i].graph);
	}
}

static void test_landing_pad(void **state)
{
	struct cfg_range range = range_of(code_landing_begin, code_landing_end);
	const uint64_t leaders[] = { (uint64_t)code_pad, 0x1234 };
	struct cfg_request request = {
		.ranges = &range, .range_count = 1, .leaders = leaders, .leader_count = 2
	};

	(void)state;
	assert_graph("landing pad", &request, "0R 1NL");
}

static void test_thunks(void **state)
{
	struct cfg_range range = range_of(code_thunks_begin, code_thunks_end);
	struct cfg_request request = { .ranges = &range, .range_count = 1, .thunk = is_thunk };

	(void)state;
	assert_graph("thunks", &request, "0>1,2 1RT 2RT>3 3R");
	struct cfg *code = decode_request(&request);
	const struct insn *call = &code->insns[0], *jump = &code->insns[3], *last = &code->insns[5];

	assert_int_equal(code->insn_count, 6);
	assert_int_equal(call->operation, OP_CALL);
	assert_int_equal(call->operands[0].kind, OPERAND_REGISTER);
	assert_int_equal(call->operands[0].reg, REG_RCX);
	assert_true(call->read & REG_BIT(REG_RCX));
	assert_int_equal(jump->operation, OP_JUMP);
	assert_int_equal(jump->operands[0].reg, REG_RCX);
	assert_int_equal(last->operation, OP_RETURN);
	assert_int_equal(last->operands[0].kind, OPERAND_MEMORY);
	assert_int_equal(last->operands[0].base, REG_RSP);
	cfg_destroy(code);
}

static void test_continued_traps(void **state)
{
	struct cfg_range range = range_of(code_warning_begin, code_warning_end);
	struct cfg_request request = { .ranges = &range, .range_count = 1 };

	(void)state;
	assert_graph("a trap ends", &request, "0>1,3 1>2 2R 3N 4>2");
	request.traps_continue = true;
	assert_graph("a trap that something must be after", &request, "0>1,3 1>2 2R 3>4 4>2");
}

static void test_cold_part(void **state)
{
	struct cfg_range ranges[] = { range_of(code_hot_begin, code_hot_end),
				      range_of(code_cold_begin, code_cold_end) };
	struct cfg_request request = { .ranges = ranges, .range_count = 2 };

	(void)state;
	assert_graph("hot and cold", &request, "0>1,3 1>2 2R 3>2");
	request.range_count = 1;
	assert_graph("hot alone", &request, "0RT>1 1R");
}

/* A range that overlaps others is decoded only where they are not. */
static void test_overlapping_ranges(void **state)
{
	struct cfg_range whole = range_of(code_plain_begin, code_plain_end);
	struct cfg_range ranges[] = { range_of(code_plain_begin + 3, code_plain_begin + 6), whole,
				      whole, range_of(code_plain_begin, code_plain_begin) };
	struct cfg_request request = { .ranges = ranges, .range_count = COUNT(ranges) };
	struct cfg *code = decode_request(&request);

	(void)state;
	/* the part given first has the load; the parts before and after it follow */
	assert_int_equal(code->span_count, 3);
	assert_int_equal(code->insns[0].address, (uint64_t)code_plain_begin + 3);
	assert_int_equal(code->insns[1].address, (uint64_t)code_plain_begin);
	assert_int_equal(code->insn_count, 4);
	assert_true(cfg_covers(code, (uint64_t)code_plain_end - 1));
	assert_false(cfg_covers(code, (uint64_t)code_plain_end));
	assert_int_equal(cfg_find(code, (uint64_t)code_plain_begin + 1), -1);
	cfg_destroy(code);
}

static void test_nothing_to_decode(void **state)
{
	struct cfg_range range = { .address = 0x1000 };
	struct cfg_request request = { .ranges = &range, .range_count = 1 };
	struct cfg *code;
	struct error *error = cfg_build(decoder, &request, &code);

	(void)state;
	assert_non_null(error);
	error_destroy(error);
	range.size = CFG_SIZE_MAX + 1;
	error = cfg_build(decoder, &request, &code);
	assert_non_null(error);
	assert_int_equal(error->code, ERROR_UNSUPPORTED);
	error_destroy(error);
	request.range_count = 0;
	error = cfg_build(decoder, &request, &code);
	assert_non_null(error);
	error_destroy(error);
}

/* A table of code that is not position-independent: its address is in the jump. The bytes are
 * written by hand, because such code does not link everywhere. */
struct made_table {
	uint64_t address;
	uint64_t entries[5];
};

static bool read_made_table(void *data, uint64_t address, void *buffer, size_t size)
{
	const struct made_table *table = data;

	if (address < table->address || address + size > table->address + sizeof(table->entries))
		return false;
	memcpy(buffer, (const char *)table->entries + (address - table->address), size);
	return true;
}

static void test_absolute_table(void **state)
{
	static const uint8_t bytes[] = {
		0x83, 0xff, 0x02,                         /* 00 cmp $2,%edi */
		0x77, 0x0c,                               /* 03 ja 0x11 */
		0x89, 0xff,                               /* 05 mov %edi,%edi */
		0xff, 0x24, 0xfd, 0x00, 0x20, 0x40, 0x00, /* 07 jmp *0x402000(,%rdi,8) */
		0x8b, 0x06,                               /* 0e mov (%rsi),%eax */
		0xc3,                                     /* 10 ret */
		0xc3,                                     /* 11 ret */
	};
	struct made_table table = { 0x402000, { 0x40100e, 0x401011, 0x40100e, 0x401010, 0 } };
	struct cfg_range range = { .address = 0x401000, .size = sizeof(bytes), .bytes = bytes };
	struct cfg_request request = {
		.ranges = &range, .range_count = 1, .read = read_made_table, .data = &table
	};
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	struct cfg *code;
	struct error *error = cfg_build(decoder, &request, &code);

	(void)state;
	assert_null(error);
	render_graph(code, &text);
	assert_string_equal(text.data, "0>1,3 1>2,3 2R 3R");
	cfg_destroy(code);
	/* if nobody reads the table, the jump's targets are not known */
	request.read = NULL;
	error = cfg_build(decoder, &request, &code);
	assert_null(error);
	strbuf_reset(&text);
	render_graph(code, &text);
	assert_string_equal(text.data, "0>1,3 1U 2R 3R");
	cfg_destroy(code);
}

/* Decodes all code of this program as one function: no invariant may be broken, whatever a linker
 * put there. */
static void test_own_text(void **state)
{
	struct segments own;

	(void)state;
	dl_iterate_phdr(find_segments, &own);
	struct cfg_range range = { .address = own.text,
				   .size = own.text_size,
				   .bytes = (const uint8_t *)own.text };
	struct cfg_request request = { .ranges = &range, .range_count = 1 };
	struct cfg *code = decode_request(&request);

	for (size_t i = 0; i < code->insn_count; i++) {
		const struct insn *insn = &code->insns[i];
		const char *broken = broken_insn(insn, own.text + own.text_size - insn->address);

		if (broken)
			fail_msg("%#llx: %s", (unsigned long long)insn->address, broken);
	}
	/* functions start at their addresses */
	assert_true(cfg_find(code, (uint64_t)test_own_text) >= 0);
	assert_true(cfg_find(code, (uint64_t)code_straight_begin) >= 0);
	cfg_destroy(code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graphs),
		cmocka_unit_test(test_landing_pad),
		cmocka_unit_test(test_thunks),
		cmocka_unit_test(test_continued_traps),
		cmocka_unit_test(test_cold_part),
		cmocka_unit_test(test_overlapping_ranges),
		cmocka_unit_test(test_nothing_to_decode),
		cmocka_unit_test(test_absolute_table),
		cmocka_unit_test(test_own_text),
	};

	return cmocka_run_group_tests(tests, create_decoder, destroy_decoder);
}

#else /* code_functions.h is written in x86-64's assembly language */

#include <stdio.h>

int main(void)
{
	puts("1..1\n# skipped: the functions are x86-64's\nok 1 - blocks # SKIP");
	return 0;
}

#endif
