// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares the fast path with capstone: each opcode that fast.c takes, with all values of ModRM and
 * all kinds of prefixes, SIBs, displacements and constants, must give the same instruction as
 * capstone's details, translated.
 */
#include "tests/support/unit.h"

#include <string.h>

#include "disasm/x86/decoders.h"
#include "tests/disasm/render.h"

#define ADDRESS       0x401000
#define COUNT(array)  (sizeof(array) / sizeof(*(array)))
#define OPCODES_LEAST 250 /* of both maps, that were compared with capstone at least once */

struct prefix {
	uint8_t count;
	uint8_t bytes[3];
};

static const struct prefix prefixes[] = {
	{ 0, { 0 } },          { 1, { 0x66 } },       { 1, { 0x40 } },
	{ 1, { 0x41 } },       { 1, { 0x42 } },       { 1, { 0x44 } },
	{ 1, { 0x48 } },       { 1, { 0x4f } },       { 1, { 0x64 } },
	{ 1, { 0x65 } },       { 1, { 0x67 } },       { 1, { 0xf0 } },
	{ 1, { 0xf2 } },       { 1, { 0xf3 } },       { 2, { 0x66, 0x41 } },
	{ 2, { 0x66, 0x4d } }, { 2, { 0x65, 0x48 } }, { 2, { 0x67, 0x4c } },
	{ 2, { 0xf0, 0x48 } }, { 2, { 0x2e, 0x66 } }, { 3, { 0x65, 0x66, 0x45 } },
};

/* SIB: with and without base and index, %rsp, %rbp, all scales */
static const uint8_t sibs[] = { 0x00, 0x24, 0x25, 0x65, 0xa5, 0xec, 0x3d, 0xdf };
/* bytes of displacements and constants: positive and negative */
static const uint8_t fillings[] = { 0x05, 0x93 };

struct comparison {
	csh handle;
	cs_insn *source;
	struct correction_index corrections;
	unsigned long compared;
	bool opcodes[MAP_XOP_A + 1][256]; /* by map: compared at least once */
};

static void reset(struct insn *insn, const struct encoding *encoding)
{
	memset(insn, 0, sizeof(*insn));
	insn->address = ADDRESS;
	insn->length = encoding->length;
	insn->flags = encoding->lock ? FLAG_LOCK : 0;
	insn->condition = CONDITION_NONE;
}

static void fail_different(const uint8_t *bytes, const struct encoding *encoding,
			   const struct insn *fast, const struct insn *slow)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	for (unsigned int i = 0; i < encoding->length; i++)
		strbuf_add_format(&text, "%02x ", bytes[i]);
	strbuf_add_format(&text, "(flags %x, %x)\n  fast     ", fast->flags, slow->flags);
	render_insn(fast, &text);
	strbuf_add_string(&text, "\n  capstone ");
	render_insn(slow, &text);
	fail_msg("%s", text.data);
}

static bool are_alike(const struct insn *fast, const struct insn *slow)
{
	struct strbuf first _cleanup_strbuf_ = STRBUF_INIT;
	struct strbuf second _cleanup_strbuf_ = STRBUF_INIT;

	render_insn(fast, &first);
	render_insn(slow, &second);
	return fast->length == slow->length && fast->flags == slow->flags &&
	       !strcmp(first.data, second.data);
}

/* Returns true for forms that capstone decodes differently. No compiler writes them, so no
 * correction has them. */
static bool is_known_difference(const struct encoding *encoding)
{
	bool has_repeat = encoding->repeat && encoding->operand_size_prefix;

	/* F2 or F3 beside 66 makes capstone forget about the 66, as a segment does before xchg */
	return has_repeat || (encoding->map == MAP_PRIMARY && encoding->operand_size_prefix &&
			      encoding->opcode > 0x90 && encoding->opcode < 0x98);
}

/* Returns true for instructions of newer.c that every version of capstone knows: those of floating
 * point, and that save state. */
static bool is_known_to_all(const struct encoding *encoding)
{
	unsigned int extension = encoding->reg & 7;

	if (encoding->map == MAP_PRIMARY)
		return encoding->opcode == 0xdb;
	if (encoding->opcode == 0x01)
		return encoding->mod == 3
			       ? (extension == 2 || extension == 7) && (encoding->rm & 7) == 0
			       : extension == 7;
	if (encoding->opcode == 0xc7)
		return encoding->has_memory && extension >= 3 && extension <= 5;
	/* capstone 4 does not see fences with REX.W */
	return encoding->opcode == 0xae && !encoding->operand_size_prefix &&
	       (encoding->repeat ? encoding->repeat == 0xf3 && extension < 4
				 : encoding->mod != 3 || !encoding->wide);
}

static bool decode_fast(const struct encoding *encoding, struct insn *insn)
{
	if (fast_decode(encoding, insn))
		return true;
	reset(insn, encoding);
	return float_decode(encoding, insn);
}

static void compare(struct comparison *comparison, const uint8_t *bytes)
{
	struct encoding encoding;
	struct insn fast, slow;
	const uint8_t *next = bytes;
	size_t left = INSN_LENGTH_MAX;
	uint64_t address = ADDRESS;

	if (!encoding_parse(bytes, INSN_LENGTH_MAX, &encoding)) {
		/* the sixteen bytes are more than any instruction has */
		if (encoding_is_invalid(&encoding))
			assert_false(capstone()->disasm_iter(comparison->handle, &next, &left,
							     &address, comparison->source));
		return;
	}
	if (is_known_difference(&encoding))
		return;
	reset(&fast, &encoding);
	if (!decode_fast(&encoding, &fast)) {
		if (encoding_is_invalid(&encoding))
			assert_false(capstone()->disasm_iter(comparison->handle, &next, &left,
							     &address, comparison->source));
		reset(&fast, &encoding);
		if (!is_known_to_all(&encoding) || !newer_decode(&encoding, &fast))
			return;
	}
	/* skip invalid combinations (lock without memory), and what this version of capstone does
	 * not know */
	if (!capstone()->disasm_iter(comparison->handle, &next, &left, &address,
				     comparison->source))
		return;
	reset(&slow, &encoding);
	translate(comparison->source, &encoding, &comparison->corrections, &slow);
	/* versions of capstone name different registers of the x87, which are not tracked */
	if (encoding.map == MAP_PRIMARY && (encoding.opcode & 0xf8) == 0xd8 && !encoding.has_memory)
		fast.operand_count = slow.operand_count = 0;
	if (!are_alike(&fast, &slow))
		fail_different(bytes, &encoding, &fast, &slow);
	comparison->compared++;
	comparison->opcodes[encoding.map][encoding.opcode] = true;
}

static void compare_forms(struct comparison *comparison, const struct prefix *prefix, bool map_0f,
			  uint8_t opcode)
{
	for (unsigned int modrm = 0; modrm < 256; modrm++)
		for (size_t sib = 0; sib < COUNT(sibs); sib++)
			for (size_t filling = 0; filling < COUNT(fillings); filling++) {
				uint8_t bytes[INSN_LENGTH_MAX + 1];
				size_t used = prefix->count;

				memset(bytes, fillings[filling], sizeof(bytes));
				memcpy(bytes, prefix->bytes, prefix->count);
				if (map_0f)
					bytes[used++] = 0x0f;
				bytes[used++] = opcode;
				bytes[used++] = modrm;
				/* only memory with a SIB has one */
				if ((modrm & 7) == 4 && modrm < 0xc0)
					bytes[used] = sibs[sib];
				else if (sib)
					break;
				compare(comparison, bytes);
			}
}

static unsigned int compared_opcodes(const struct comparison *comparison)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < sizeof(comparison->opcodes); i++)
		count += comparison->opcodes[i / 256][i % 256];
	return count;
}

static void test_all_forms(void **state)
{
	static struct comparison comparison;

	(void)state;
	assert_int_equal(capstone()->open(CS_ARCH_X86, CS_MODE_64, &comparison.handle), CS_ERR_OK);
	assert_int_equal(capstone()->option(comparison.handle, CS_OPT_DETAIL, CS_OPT_ON),
			 CS_ERR_OK);
	comparison.source = capstone()->malloc(comparison.handle);
	assert_non_null(comparison.source);
	correction_index_init(&comparison.corrections);
	for (size_t i = 0; i < COUNT(prefixes); i++)
		for (unsigned int opcode = 0; opcode < 512; opcode++)
			compare_forms(&comparison, &prefixes[i], opcode >= 256, opcode & 0xff);
	print_message("%lu forms of %u opcodes compared\n", comparison.compared,
		      compared_opcodes(&comparison));
	assert_true(compared_opcodes(&comparison) >= OPCODES_LEAST);
	capstone()->free(comparison.source, 1);
	capstone()->close(&comparison.handle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
