// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Late samples are charged to the access that was waited for: Documentation/blame.md, rule by rule,
 * on code of this machine's compilers (late/). Where the order of instructions matters, the code is
 * inline assembly.
 */
#include "tests/support/unit.h"

#include <elf.h>
#include <stdlib.h>

#include "annotate/solve/type_resolver.h"
#include "disasm/insn.h"
#include "base/memory.h"
#include "tests/support/late_samples.h"

#define KEY   "struct node.key"
#define NEXT  "struct node.next"
#define VALUE "struct node.value"
#define FLAGS "struct node.flags"
#define LEFT  "struct node.left"
#define RIGHT "struct node.right"

/* ---- loads that retired last ---- */

static void list_walk(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "list_walk",
		.given = { { .spot = { .access = NEXT, .after = 1 }, .samples = 901 },
			   { .spot = { .access = KEY, .after = 1 }, .samples = 77 } },
		.expected = { { 0, NEXT, 901, BLAME_BEFORE }, { 1, KEY, 77, BLAME_BEFORE } } });
}

static void hash_bucket(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "hash_bucket",
		.given = { { .spot = { .access = "struct node*", .after = 1 }, .samples = 301 },
			   { .spot = { .access = KEY, .after = 1 }, .samples = 500 } },
		.expected = { { 0, "struct node*", 301, BLAME_BEFORE },
			      { 1, KEY, 500, BLAME_BEFORE } } });
}

static void locked_instruction(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "locked_instruction",
		.given = { { .spot = { .access = FLAGS, .after = 1 }, .samples = 55 } },
		.expected = { { 0, FLAGS, 55, BLAME_BEFORE } } });
}

/* ---- loads that something waited for ---- */

/* The processor fused the comparison with the jump, so that the next instruction is where the jump
 * goes to. */
static void fused_comparison(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "tree_search",
		.given = { { .spot = { .access = KEY, .target = true }, .samples = 151 },
			   { .spot = { .access = LEFT }, .samples = 300 } },
		.expected = { { 0, KEY, 151, BLAME_PREDECESSOR },
			      { 1, KEY, 300, BLAME_PREDECESSOR } } });
	/* a single sample between the two is no evidence against it */
	late_samples_check(&(struct late_case){
		.source = "tree_search",
		.given = { { .spot = { .access = KEY, .target = true }, .samples = 151 },
			   { .spot = { .access = KEY, .after = 1 }, .samples = 1 } },
		.expected = { { 0, KEY, 151, BLAME_PREDECESSOR }, { 1, KEY, 1, BLAME_BEFORE } } });
	/* there are too few samples to decide */
	late_samples_check(&(struct late_case){
		.source = "tree_search",
		.given = { { .spot = { .access = KEY, .target = true }, .samples = 15 } },
		.expected = { { 0, "(branch)", 15, BLAME_PREDECESSOR } } });
}

/* Intel's processors fuse comparisons of memory with a register, but not those with a constant. The
 * samples show it for each kind. */
static void fused_without_a_constant(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "compared_with_constant",
		.given = { { .spot = { .access = KEY, .after = 1 }, .samples = 400 },
			   { .spot = { .access = VALUE, .target = true }, .samples = 300 } },
		.expected = { { 0, KEY, 400, BLAME_BEFORE },
			      { 1, VALUE, 300, BLAME_PREDECESSOR } } });
}

/* Two fused comparisons lead to the same place. The one that is waited for also has samples at its
 * other target. */
static void fused_comparisons_meet(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "compared_twice",
		.given = { { .spot = { .access = KEY, .target = true }, .samples = 300 },
			   { .spot = { .operation = OP_COMPLEMENT }, .samples = 500 },
			   { .spot = { .operation = OP_NEGATE }, .samples = 2 } },
		.expected = { { 0, KEY, 298, BLAME_PREDECESSOR },
			      { 0, VALUE, 2, BLAME_PREDECESSOR },
			      { 1, KEY, 500, BLAME_PREDECESSOR },
			      { 2, VALUE, 2, BLAME_PREDECESSOR } } });
	/* nothing stands out in a block of one instruction */
	late_samples_check(&(struct late_case){
		.source = "compared_twice_and_entered",
		.given = { { .spot = { .access = KEY, .target = true }, .samples = 300 },
			   { .spot = { .operation = OP_COMPLEMENT }, .samples = 500 },
			   { .spot = { .operation = OP_NEGATE }, .samples = 2 } },
		.expected = { { 0, KEY, 298, BLAME_PREDECESSOR },
			      { 0, VALUE, 2, BLAME_PREDECESSOR } } });
}

/* The fused comparison ends a search, and the return is a block of its own. The other ways there
 * explain no samples, however many their blocks have. */
static void fused_comparison_ends_a_search(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "search_and_return",
		.given = { { .spot = { .operation = OP_RETURN }, .samples = 580 },
			   { .spot = { .access = NEXT }, .samples = 140 },
			   { .spot = { .access = KEY }, .samples = 4 } },
		.expected = { { 0, KEY, 580, BLAME_PREDECESSOR },
			      { 1, KEY, 140, BLAME_PREDECESSOR } } });
}

/* The jump has samples, so it was not fused with the comparison, and the load's samples are there.
 * The samples that stand out at the jump's target belong to the jump. */
static void tree_search(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "tree_search",
		.given = { { .spot = { .access = KEY, .target = true }, .samples = 151 },
			   { .spot = { .access = KEY, .after = 1 }, .samples = 100 },
			   { .spot = { .access = LEFT }, .samples = 3 } },
		.expected = { { 0, "(branch)", 151, BLAME_PREDECESSOR },
			      { 1, KEY, 100, BLAME_BEFORE },
			      { 2, KEY, 3, BLAME_OPERAND } } });
	late_samples_check(&(struct late_case){
		.source = "tree_search_in_c",
		.given = { { .spot = { .access = KEY, .after = 1 }, .samples = 100 } },
		.expected = { { 0, KEY, 100, BLAME_BEFORE } } });
}

/* The multiplication needs the loaded value. The samples after the load show that it is waited
 * for. */
static void arithmetic_with_the_loaded_value(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "multiplied",
		.given = { { .spot = { .access = VALUE, .after = 3 }, .samples = 99 },
			   { .spot = { .access = VALUE, .after = 1 }, .samples = 60 },
			   { .spot = { .access = VALUE, .after = 2 }, .samples = 13 } },
		.expected = { { 0, VALUE, 99, BLAME_OPERAND },
			      { 1, VALUE, 60, BLAME_BEFORE },
			      { 2, VALUE, 13, BLAME_OPERAND } } });
	/* the samples at the multiplication show it, too: several instructions retire in a cycle */
	late_samples_check(&(struct late_case){
		.source = "multiplied",
		.given = { { .spot = { .access = VALUE, .after = 3 }, .samples = 99 },
			   { .spot = { .access = VALUE, .after = 2 }, .samples = 60 },
			   { .spot = { .access = VALUE, .after = 1 }, .samples = 2 } },
		.expected = { { 0, VALUE, 99, BLAME_OPERAND }, { 1, VALUE, 60, BLAME_OPERAND } } });
}

/* The load is charged with at most twice the samples that follow it, and one more. */
static void load_with_few_samples_after_it(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "multiplied",
		.given = { { .spot = { .access = VALUE, .after = 3 }, .samples = 23 },
			   { .spot = { .access = VALUE, .after = 1 }, .samples = 10 } },
		.expected = { { 0, "(no memory access)", 23, BLAME_NOTHING },
			      { 1, VALUE, 10, BLAME_BEFORE } } });
	late_samples_check(&(struct late_case){
		.source = "multiplied",
		.given = { { .spot = { .access = VALUE, .after = 3 }, .samples = 22 },
			   { .spot = { .access = VALUE, .after = 1 }, .samples = 10 } },
		.expected = { { 0, VALUE, 22, BLAME_OPERAND }, { 1, VALUE, 10, BLAME_BEFORE } } });
}

/* The evidence decides, unless the load is farther away than a reorder buffer reaches. */
static void load_far_before(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "load_20_before",
		.given = { { .spot = { .operation = OP_COMPLEMENT }, .samples = 99 },
			   { .spot = { .access = VALUE, .after = 1 }, .samples = 60 } },
		.expected = { { 0, VALUE, 99, BLAME_OPERAND } } });
	late_samples_check(&(struct late_case){
		.source = "load_40_before",
		.given = { { .spot = { .operation = OP_COMPLEMENT }, .samples = 99 },
			   { .spot = { .access = VALUE, .after = 1 }, .samples = 60 } },
		.expected = { { 0, "(no memory access)", 99, BLAME_NOTHING } } });
}

/* Nothing waits for a slot of the frame; the load before it is waited for. */
static void frame_slots(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "frame_slot",
		.given = { { .spot = { .access = VALUE, .after = 3 }, .samples = 61 },
			   { .spot = { .access = VALUE, .after = 1 }, .samples = 50 } },
		.expected = { { 0, VALUE, 61, BLAME_BEFORE }, { 1, VALUE, 50, BLAME_BEFORE } } });
	/* nothing else is known: rule 9 */
	late_samples_check(&(struct late_case){
		.source = "frame_slot",
		.given = { { .spot = { .access = VALUE, .after = 3 }, .samples = 61 } },
		.expected = { { 0, "(stack spill)", 61, BLAME_BEFORE } } });
}

/* ---- instructions that wait themselves ---- */

static void store_burst(void **state)
{
	(void)state;
	late_samples_check(
		&(struct late_case){ .source = "store_burst",
				     .given = { { .spot = { .access = KEY }, .samples = 400 },
						{ .spot = { .access = LEFT }, .samples = 31 },
						{ .spot = { .access = RIGHT }, .samples = 290 },
						{ .spot = { .access = VALUE }, .samples = 7 } },
				     .expected = { { 0, KEY, 400, BLAME_AT },
						   { 1, LEFT, 31, BLAME_AT },
						   { 2, RIGHT, 290, BLAME_AT },
						   { 3, VALUE, 7, BLAME_AT } } });
}

/* Stores retire one after the other: samples after the first one belong to it, and the last one
 * keeps its own. */
static void stores_in_turn(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "stores_in_turn",
		.given = { { .spot = { .access = KEY, .after = 1 }, .samples = 100 },
			   { .spot = { .access = RIGHT }, .samples = 50 } },
		.expected = { { 0, KEY, 100, BLAME_BEFORE }, { 1, RIGHT, 50, BLAME_AT } } });
}

/* The samples after the load and at the store decide which of the two was waited for. */
static void store_after_a_load(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "loaded_and_stored",
		.given = { { .spot = { .access = KEY }, .samples = 100 },
			   { .spot = { .access = VALUE, .after = 1 }, .samples = 60 } },
		.expected = { { 0, KEY, 100, BLAME_AT }, { 1, VALUE, 60, BLAME_BEFORE } } });
	late_samples_check(&(struct late_case){
		.source = "loaded_and_stored",
		.given = { { .spot = { .access = KEY }, .samples = 50 },
			   { .spot = { .access = VALUE, .after = 1 }, .samples = 60 } },
		.expected = { { 0, VALUE, 50, BLAME_BEFORE }, { 1, VALUE, 60, BLAME_BEFORE } } });
}

/* An instruction that faulted is started again, and the interrupt arrives there. */
static void page_fault(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "page_fault",
		.given = { { .spot = { .access = VALUE }, .samples = 1000 },
			   { .spot = { .access = VALUE, .after = 2 }, .samples = 3 } },
		.expected = { { 0, VALUE, 1000, BLAME_AT } } });
	/* as many as anywhere else */
	late_samples_check(&(struct late_case){
		.source = "page_fault",
		.given = { { .spot = { .access = VALUE }, .samples = 30 },
			   { .spot = { .operation = OP_NEGATE }, .samples = 29 },
			   { .spot = { .operation = OP_NEGATE, .after = 1 }, .samples = 31 } },
		.expected = { { 0, "(no memory access)", 30, BLAME_NOTHING } } });
}

static void repeated_string(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "repeated_string",
		.given = { { .spot = { .operation = OP_STORE_STRING }, .samples = 333 } },
		.expected = { { 0, "struct page.bytes", 333, BLAME_AT } } });
}

/* ---- instructions that take long ---- */

static void division(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "divided_register",
		.given = { { .spot = { .own_time = OWN_TIME_DIVISION, .after = 1 },
			     .samples = 211 } },
		.expected = { { 0, "(division)", 211, BLAME_BEFORE } } });
	/* it waits for its operand first */
	late_samples_check(&(struct late_case){
		.source = "divided_memory",
		.given = { { .spot = { .own_time = OWN_TIME_DIVISION, .after = 1 },
			     .samples = 211 } },
		.expected = { { 0, VALUE, 211, BLAME_BEFORE } } });
}

/* The instructions before it are not examined, even if something was waited for there. */
static void division_after_a_load(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "division_after_a_load",
		.given = { { .spot = { .own_time = OWN_TIME_DIVISION, .after = 1 }, .samples = 50 },
			   { .spot = { .access = VALUE, .after = 1 }, .samples = 90 } },
		.expected = { { 0, "(division)", 50, BLAME_BEFORE },
			      { 1, VALUE, 90, BLAME_BEFORE } } });
}

static void square_root(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "square_root",
		.flags = "-O2 -fno-math-errno",
		.given = { { .spot = { .own_time = OWN_TIME_SQUARE_ROOT, .after = 1 },
			     .samples = 19 } },
		.expected = { { 0, "(square root)", 19, BLAME_BEFORE } } });
}

static void system_call(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "system_call",
		.given = { { .spot = { .own_time = OWN_TIME_SYSTEM_CALL, .after = 1 },
			     .samples = 87 } },
		.expected = { { 0, "(system call)", 87, BLAME_BEFORE } } });
}

/* ---- calls ---- */

/* The return retired last, together with what the called function waited for. */
static void called_function(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "called_function",
		.flags = "-O2 -fno-optimize-sibling-calls",
		.given = { { .spot = { .operation = OP_CALL, .after = 1 }, .samples = 101 },
			   { .spot = { .function = "g", .operation = OP_RETURN }, .samples = 60 } },
		.expected = { { 0, VALUE, 101, BLAME_PREDECESSOR },
			      { 1, VALUE, 60, BLAME_BEFORE } } });
}

/* With one of 2000 samples, the called function is not examined. */
static void called_function_with_few_samples(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "called_function",
		.given = { { .spot = { .operation = OP_CALL, .after = 1 }, .samples = 1 },
			   { .spot = { .function = "g", .operation = OP_RETURN },
			     .samples = 1999 } },
		.expected = { { 0, "(stack operation)", 1, BLAME_PREDECESSOR },
			      { 1, VALUE, 1999, BLAME_BEFORE } } });
	late_samples_check(&(struct late_case){
		.source = "called_function",
		.given = { { .spot = { .operation = OP_CALL, .after = 1 }, .samples = 1 },
			   { .spot = { .function = "g", .operation = OP_RETURN },
			     .samples = 1998 } },
		.expected = { { 0, VALUE, 1, BLAME_PREDECESSOR },
			      { 1, VALUE, 1998, BLAME_BEFORE } } });
}

static void called_pointer(void **state)
{
	(void)state;
	/* nothing is known of the memory that a register points to */
	late_samples_check(&(struct late_case){
		.source = "called_parameter",
		.given = { { .spot = { .operation = OP_CALL, .after = 1 }, .samples = 45 } },
		.expected = { { 0, "(stack operation)", 45, BLAME_PREDECESSOR } } });
	/* the call waits for its target */
	late_samples_check(&(struct late_case){
		.source = "called_member",
		.given = { { .spot = { .operation = OP_CALL, .after = 1 }, .samples = 45 } },
		.expected = { { 0, "struct ops.get", 45, BLAME_BEFORE } } });
}

/* A stub through which the linker calls does not return itself. */
static void called_library(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "called_library",
		.given = { { .spot = { .operation = OP_CALL, .after = 1 }, .samples = 45 } },
		.expected = { { 0, "(stack operation)", 45, BLAME_PREDECESSOR } } });
}

/* Nothing is known of the code before: a store may wait itself, and so may a load that has
 * faulted. */
static void start_of_a_function(void **state)
{
	(void)state;
	late_samples_check(
		&(struct late_case){ .source = "store_first",
				     .given = { { .spot = { .access = KEY }, .samples = 9 } },
				     .expected = { { 0, KEY, 9, BLAME_AT } } });
	late_samples_check(&(struct late_case){
		.source = "load_first",
		.given = { { .spot = { .access = VALUE }, .samples = 100 },
			   { .spot = { .operation = OP_NEGATE }, .samples = 8 } },
		.expected = { { 0, VALUE, 100, BLAME_AT } } });
	late_samples_check(&(struct late_case){
		.source = "computation_only",
		.given = { { .spot = { .operation = OP_COMPLEMENT }, .samples = 100 } },
		.expected = { { 0, "(no memory access)", 100, BLAME_NOTHING } } });
}

/* ---- several ways to an instruction ---- */

/* In proportion to the samples of the preceding blocks, each of which counts one more: 31 to 11. */
static void two_blocks_before(void **state)
{
	(void)state;
	late_samples_check(
		&(struct late_case){ .source = "two_paths_load",
				     .given = { { .spot = { .operation = OP_LEA }, .samples = 101 },
						{ .spot = { .access = LEFT }, .samples = 30 },
						{ .spot = { .access = RIGHT }, .samples = 10 } },
				     .expected = { { 0, LEFT, 75, BLAME_PREDECESSOR },
						   { 0, RIGHT, 26, BLAME_PREDECESSOR } } });
	late_samples_check(&(struct late_case){
		.source = "two_paths_load",
		.given = { { .spot = { .operation = OP_LEA }, .samples = 4200 },
			   { .spot = { .access = LEFT }, .samples = 30 },
			   { .spot = { .access = RIGHT }, .samples = 10 } },
		.expected = { { 0, LEFT, 3100, BLAME_PREDECESSOR },
			      { 0, RIGHT, 1100, BLAME_PREDECESSOR } } });
}

/* Samples that stand out mean that something was waited for: the path with the load explains all of
 * them, however many samples the other one has. */
static void one_of_two_blocks_computes(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "one_path_loads",
		.given = { { .spot = { .operation = OP_LEA }, .samples = 400 },
			   { .spot = { .operation = OP_NEGATE }, .samples = 20 } },
		.expected = { { 0, LEFT, 400, BLAME_PREDECESSOR },
			      { 1, "(no memory access)", 20, BLAME_NOTHING } } });
	/* a few samples among so many may be computation */
	late_samples_check(&(struct late_case){
		.source = "one_path_loads",
		.given = { { .spot = { .operation = OP_LEA }, .samples = 22 },
			   { .spot = { .operation = OP_COMPLEMENT }, .samples = 10 },
			   { .spot = { .operation = OP_NEGATE }, .samples = 10 },
			   { .spot = { .operation = OP_LEA, .after = 1 }, .samples = 20 } },
		.expected = { { 0, LEFT, 11, BLAME_PREDECESSOR },
			      { 0, "(no memory access)", 11, BLAME_NOTHING } } });
}

/* Only the load that retired last has its samples here. The load on the other path has its own
 * elsewhere. */
static void one_of_two_blocks_ends_in_a_load(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "path_ends_in_load",
		.given = { { .spot = { .operation = OP_COMPLEMENT }, .samples = 400 },
			   { .spot = { .access = LEFT, .after = 1 }, .samples = 300 } },
		.expected = { { 0, RIGHT, 400, BLAME_PREDECESSOR },
			      { 1, LEFT, 300, BLAME_BEFORE } } });
	/* as many as the neighbours have: they may come from either path */
	late_samples_check(&(struct late_case){
		.source = "path_ends_in_load",
		.given = { { .spot = { .operation = OP_COMPLEMENT }, .samples = 400 },
			   { .spot = { .operation = OP_COMPLEMENT, .after = 1 }, .samples = 400 },
			   { .spot = { .access = LEFT, .after = 1 }, .samples = 300 } },
		.expected = { { 0, LEFT, 399, BLAME_OPERAND }, { 0, RIGHT, 1, LATE_ANY_HOW } } });
}

/* Nothing waits for a slot of the frame, so the other way explains samples that stand out. */
static void one_of_two_blocks_ends_in_a_slot(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "path_stores_slot",
		.given = { { .spot = { .operation = OP_COMPLEMENT }, .samples = 400 } },
		.expected = { { 0, FLAGS, 400, BLAME_PREDECESSOR } } });
	late_samples_check(&(struct late_case){
		.source = "path_reads_slot",
		.given = { { .spot = { .operation = OP_COMPLEMENT }, .samples = 400 } },
		.expected = { { 0, RIGHT, 400, BLAME_PREDECESSOR } } });
}

/* Samples that stand out after a conditional jump belong to the jump: at the first instruction or
 * after it. */
static void jump_in_another_direction(void **state)
{
	(void)state;
	for (unsigned int after = 0; after < 2; after++)
		late_samples_check(&(struct late_case){
			.source = "guessed_jump",
			.given = { { .spot = { .operation = OP_NEGATE, .after = after },
				     .samples = 400 },
				   { .spot = { .operation = OP_NEGATE, .after = 2 },
				     .samples = 9 } },
			.expected = { { 0, "(branch)", 400, BLAME_PREDECESSOR },
				      { 1, "(no memory access)", 9, BLAME_NOTHING } } });
	/* farther on, the jump has retired long ago */
	late_samples_check(&(struct late_case){
		.source = "guessed_jump",
		.given = { { .spot = { .operation = OP_NEGATE, .after = 2 }, .samples = 400 } },
		.expected = { { 0, "(no memory access)", 400, BLAME_NOTHING } } });
	/* as many as anywhere else */
	late_samples_check(&(struct late_case){
		.source = "guessed_jump",
		.given = { { .spot = { .operation = OP_NEGATE }, .samples = 40 },
			   { .spot = { .operation = OP_NEGATE, .after = 1 }, .samples = 30 },
			   { .spot = { .operation = OP_NEGATE, .after = 2 }, .samples = 35 } },
		.expected = { { 0, "(no memory access)", 40, BLAME_NOTHING },
			      { 1, "(no memory access)", 30, BLAME_NOTHING } } });
}

/* A single sample is not divided, and none is lost. */
static void one_sample_of_two_blocks(void **state)
{
	(void)state;
	late_samples_check(
		&(struct late_case){ .source = "two_paths_load",
				     .given = { { .spot = { .operation = OP_LEA }, .samples = 1 },
						{ .spot = { .access = RIGHT }, .samples = 2 } },
				     .expected = { { 0, RIGHT, 1, BLAME_PREDECESSOR } } });
}

/* ---- what is not moved ---- */

static void exact_samples(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "multiplied",
		.given = { { .spot = { .access = VALUE, .after = 1 },
			     .samples = 70,
			     .exact = true },
			   { .spot = { .access = VALUE }, .samples = 40, .exact = true } },
		.expected = { { 0, "(no memory access)", 70, BLAME_AT },
			      { 1, VALUE, 40, BLAME_AT } } });
	/* nor are they evidence */
	late_samples_check(&(struct late_case){
		.source = "multiplied",
		.given = { { .spot = { .access = VALUE, .after = 3 }, .samples = 99 },
			   { .spot = { .access = VALUE, .after = 1 },
			     .samples = 60,
			     .exact = true } },
		.expected = { { 0, "(no memory access)", 99, BLAME_NOTHING },
			      { 1, "(no memory access)", 60, BLAME_AT } } });
}

static void both_at_one_address(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "multiplied",
		.given = { { .spot = { .access = VALUE, .after = 1 }, .samples = 7, .exact = true },
			   { .spot = { .access = VALUE, .after = 1 }, .samples = 41 } },
		.expected = { { 0, "(no memory access)", 7, BLAME_AT },
			      { 1, VALUE, 41, BLAME_BEFORE } } });
}

/* ---- kernels ---- */

/* After sti the interrupt is taken one instruction later. */
static void interrupts_enabled(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "kernel_sti",
		.given = { { .spot = { .operation = OP_COMPLEMENT, .after = 1 }, .samples = 500 },
			   { .spot = { .operation = OP_COMPLEMENT, .after = 2 }, .samples = 3 } },
		.expected = { { 0, "(interrupts were off)", 500, BLAME_NOTHING },
			      { 1, "(no memory access)", 3, BLAME_NOTHING } } });
	late_samples_check(&(struct late_case){
		.source = "kernel_popf",
		.given = { { .spot = { .operation = OP_COMPLEMENT }, .samples = 500 } },
		.expected = { { 0, "(interrupts were off)", 500, BLAME_NOTHING } } });
}

static void interrupts_of_programs(void **state)
{
	(void)state;
	late_samples_check(&(struct late_case){
		.source = "program_popf",
		.given = { { .spot = { .operation = OP_COMPLEMENT }, .samples = 500 },
			   { .spot = { .access = VALUE, .after = 1 }, .samples = 400 } },
		.expected = { { 0, "(no memory access)", 500, BLAME_NOTHING },
			      { 1, VALUE, 400, BLAME_BEFORE } } });
}

/* ---- any samples of any code ---- */

#define FUNCTIONS  40
#define SIZE_LEAST 200
#define SIZE_MOST  1200
#define ADDRESSES  (FUNCTIONS * SIZE_MOST)

struct program {
	struct elf_image *image;
	struct debug_object *debug;
	struct type_resolver_sample *samples;
	size_t count;
};

static void must(struct error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

/* Puts samples at about every third byte of this program's functions, also within instructions. */
static void scatter_samples(struct program *program)
{
	uint64_t number = 4711;
	size_t count, functions = 0;
	const struct symbol *symbols = elf_image_symbols(program->image, &count);

	program->samples = xcalloc(ADDRESSES, sizeof(*program->samples));
	for (size_t i = 0; i < count && functions < FUNCTIONS; i++) {
		if (symbols[i].type != STT_FUNC || symbols[i].size < SIZE_LEAST ||
		    symbols[i].size > SIZE_MOST)
			continue;
		functions++;
		for (uint64_t at = 0; at < symbols[i].size; at++) {
			number = number * 6364136223846793005 + 1442695040888963407;
			if (number >> 62)
				continue;
			program->samples[program->count++] =
				(struct type_resolver_sample){ .address = symbols[i].address + at,
							       .samples = 1 + (number >> 40) % 999,
							       .late = number >> 61 & 1 };
		}
	}
	assert_int_equal(functions, FUNCTIONS);
}

static struct type_resolver_charges charge_all(const struct program *program, unsigned int threads)
{
	struct type_resolver_options options = { .threads = threads };
	struct type_resolver_charges charges;
	struct type_resolver *resolver;

	must(type_resolver_create(program->image, program->debug, &options, &resolver));
	type_resolver_charge(resolver, program->samples, program->count, &charges);
	type_resolver_destroy(resolver);
	return charges;
}

static void assert_all_charged(const struct program *program,
			       const struct type_resolver_charges *charges)
{
	size_t next = 0;

	for (size_t i = 0; i < program->count; i++) {
		const struct type_resolver_sample *sample = &program->samples[i];
		uint64_t sum = 0;
		size_t first = next;

		for (; next < charges->count && charges->items[next].sample == i; next++) {
			assert_true(charges->items[next].samples > 0);
			assert_true(charges->items[next].how < BLAME_HOW_COUNT);
			sum += charges->items[next].samples;
		}
		assert_int_equal(sum, sample->samples);
		if (!sample->late) {
			assert_int_equal(next - first, 1);
			assert_int_equal(charges->items[first].access.address, sample->address);
			assert_int_equal(charges->items[first].how, BLAME_AT);
		}
	}
	assert_int_equal(next, charges->count);
}

/* No sample is lost, and the result does not depend on the number of threads. */
static void samples_anywhere(void **state)
{
	struct program program = { 0 };

	(void)state;
	must(elf_image_open("/proc/self/exe", &program.image));
	must(debug_object_open(program.image, program.image, &program.debug));
	scatter_samples(&program);

	struct type_resolver_charges one = charge_all(&program, 1), many = charge_all(&program, 4);

	assert_all_charged(&program, &one);
	assert_int_equal(one.count, many.count);
	for (size_t i = 0; i < one.count; i++) {
		assert_int_equal(one.items[i].samples, many.items[i].samples);
		assert_int_equal(one.items[i].how, many.items[i].how);
		assert_int_equal(one.items[i].access.address, many.items[i].access.address);
		assert_int_equal(one.items[i].access.kind, many.items[i].access.kind);
		assert_int_equal(one.items[i].access.offset, many.items[i].access.offset);
	}
	free(one.items);
	free(many.items);
	free(program.samples);
	debug_object_close(program.debug);
	elf_image_close(program.image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_walk),
		cmocka_unit_test(hash_bucket),
		cmocka_unit_test(locked_instruction),
		cmocka_unit_test(fused_comparison),
		cmocka_unit_test(fused_without_a_constant),
		cmocka_unit_test(fused_comparisons_meet),
		cmocka_unit_test(fused_comparison_ends_a_search),
		cmocka_unit_test(tree_search),
		cmocka_unit_test(arithmetic_with_the_loaded_value),
		cmocka_unit_test(load_with_few_samples_after_it),
		cmocka_unit_test(load_far_before),
		cmocka_unit_test(frame_slots),
		cmocka_unit_test(store_burst),
		cmocka_unit_test(stores_in_turn),
		cmocka_unit_test(store_after_a_load),
		cmocka_unit_test(page_fault),
		cmocka_unit_test(repeated_string),
		cmocka_unit_test(division),
		cmocka_unit_test(division_after_a_load),
		cmocka_unit_test(square_root),
		cmocka_unit_test(system_call),
		cmocka_unit_test(called_function),
		cmocka_unit_test(called_function_with_few_samples),
		cmocka_unit_test(called_pointer),
		cmocka_unit_test(called_library),
		cmocka_unit_test(start_of_a_function),
		cmocka_unit_test(two_blocks_before),
		cmocka_unit_test(one_of_two_blocks_computes),
		cmocka_unit_test(one_of_two_blocks_ends_in_a_load),
		cmocka_unit_test(one_of_two_blocks_ends_in_a_slot),
		cmocka_unit_test(jump_in_another_direction),
		cmocka_unit_test(one_sample_of_two_blocks),
		cmocka_unit_test(exact_samples),
		cmocka_unit_test(both_at_one_address),
		cmocka_unit_test(interrupts_enabled),
		cmocka_unit_test(interrupts_of_programs),
		cmocka_unit_test(samples_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, late_samples_tear_down);
}
