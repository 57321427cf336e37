// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes to instructions: see decoder.h. Who decodes an instruction, in this order: fast.c, if it is one of
 * the commonest; newer.c with the EVEX table, if it is younger than capstone 4; capstone; else its form alone
 * is what is known.
 */
#include "disasm/decoder.h"

#include <stdio.h>
#include <string.h>

#include <capstone/capstone.h>

#include "disasm/x86/encoding.h"
#include "disasm/x86/by_encoding.h"
#include "disasm/x86/translate.h"
#include "profiler/base/memory.h"

/* A handle of capstone's with the instruction that it fills, over and over. */
struct disassembler {
	csh handle;
	cs_insn *insn;
};

struct decoder {
	struct disassembler detailed;
	struct correction_index corrections;
	struct disassembler text[2]; /* by syntax; opened when first asked for */
};

static struct error *disassembler_open(struct disassembler *disassembler, cs_opt_type option, size_t value)
{
	cs_err status = cs_open(CS_ARCH_X86, CS_MODE_64, &disassembler->handle);

	if (status == CS_ERR_OK)
		status = cs_option(disassembler->handle, option, value);
	if (status == CS_ERR_OK) {
		disassembler->insn = cs_malloc(disassembler->handle);
		if (!disassembler->insn)
			status = CS_ERR_MEM;
	}
	if (status != CS_ERR_OK) {
		if (disassembler->handle)
			cs_close(&disassembler->handle);
		return error_create(ERROR_UNSUPPORTED, "cannot disassemble x86-64: capstone: %s",
				    cs_strerror(status));
	}
	return NULL;
}

static void disassembler_close(struct disassembler *disassembler)
{
	if (disassembler->insn)
		cs_free(disassembler->insn, 1);
	if (disassembler->handle)
		cs_close(&disassembler->handle);
}

static bool disassembler_next(struct disassembler *disassembler, const uint8_t *bytes, size_t size,
			      uint64_t address)
{
	if (size > INSN_LENGTH_MAX)
		size = INSN_LENGTH_MAX;
	return cs_disasm_iter(disassembler->handle, &bytes, &size, &address, disassembler->insn);
}

struct error *decoder_create(struct decoder **result)
{
	if (!cs_support(CS_ARCH_X86) || cs_support(CS_SUPPORT_DIET) || cs_support(CS_SUPPORT_X86_REDUCE))
		return error_create(
			ERROR_UNSUPPORTED,
			"the capstone library is built without full x86 support: install libcapstone");
	struct decoder *decoder = xcalloc(1, sizeof(*decoder));
	struct error *error = disassembler_open(&decoder->detailed, CS_OPT_DETAIL, CS_OPT_ON);

	if (error) {
		free(decoder);
		return error;
	}
	correction_index_init(&decoder->corrections);
	*result = decoder;
	return NULL;
}

void decoder_destroy(struct decoder *decoder)
{
	if (!decoder)
		return;
	disassembler_close(&decoder->detailed);
	disassembler_close(&decoder->text[SYNTAX_ATT]);
	disassembler_close(&decoder->text[SYNTAX_INTEL]);
	free(decoder);
}

/* Member by member: the compiler makes a slow loop of one assignment of everything. */
static inline void insn_reset(struct insn *insn, uint64_t address)
{
	insn->address = address;
	insn->length = 0;
	insn->operation = OP_OTHER;
	insn->condition = CONDITION_NONE;
	insn->flags = 0;
	insn->operand_count = 0;
	insn->own_time = OWN_TIME_NONE;
	for (unsigned int i = 0; i < INSN_OPERANDS; i++)
		insn->operands[i] = (struct operand){ 0 };
	insn->read = 0;
	insn->written = 0;
}

/* Calls `decode`, and clears *insn again if the instruction is not one of its own. */
static inline bool try_decode(bool (*decode)(const struct encoding *, struct insn *),
			      const struct encoding *encoding, struct insn *insn)
{
	insn->length = encoding->length;
	insn->flags = encoding->lock ? FLAG_LOCK : 0;
	if (decode(encoding, insn))
		return true;
	insn_reset(insn, insn->address);
	return false;
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e ||
	       (byte >= 0x64 && byte <= 0x67) || byte == 0xf0 || byte == 0xf2 || byte == 0xf3;
}

/* movq of vector registers, for which REX.W means nothing (SDM vol. 2, MOVQ), and a move of MMX registers
 * with it for capstone */
static bool is_wide_movq(const struct encoding *encoding)
{
	return encoding->opcode == 0x7e && encoding->repeat == 0xf3 && encoding->wide;
}

/*
 * capstone looks for the prefix that belongs to the opcode (66, F3, F2) right before it, and takes another
 * instruction where a segment or address size prefix comes between. Returns the length of the same
 * instruction with its prefixes in capstone's order, or 0 if they are.
 */
static size_t respell(const uint8_t *bytes, const struct encoding *encoding, uint8_t *copy)
{
	size_t opcode = 0, used = 0;
	uint8_t rex = 0;

	if (encoding->kind != ENCODING_LEGACY || encoding->map == MAP_PRIMARY || !encoding->length ||
	    (!encoding->repeat && !encoding->operand_size_prefix))
		return 0;
	while (bytes[opcode] != 0x0f)
		opcode++;
	if (opcode && (bytes[opcode - 1] & 0xf0) == 0x40)
		rex = bytes[opcode - 1];

	uint8_t last = bytes[opcode - 1 - !!rex];

	if (last == 0x66 || last == 0xf2 || last == 0xf3 || !is_prefix(last)) {
		if (!is_wide_movq(encoding))
			return 0;
		rex &= ~8;
	}
	if (encoding->segment)
		copy[used++] = encoding->segment;
	if (encoding->address_size_prefix)
		copy[used++] = 0x67;
	if (encoding->lock)
		copy[used++] = 0xf0;
	if (encoding->operand_size_prefix)
		copy[used++] = 0x66;
	if (encoding->repeat)
		copy[used++] = encoding->repeat;
	if (rex)
		copy[used++] = rex;
	memcpy(copy + used, bytes + opcode, encoding->length - opcode);
	return used + encoding->length - opcode;
}

static bool disassemble(struct decoder *decoder, const uint8_t *bytes, size_t size,
			const struct encoding *encoding, uint64_t address)
{
	uint8_t copy[INSN_LENGTH_MAX];
	size_t length = respell(bytes, encoding, copy);

	return length ? disassembler_next(&decoder->detailed, copy, length, address)
		      : disassembler_next(&decoder->detailed, bytes, size, address);
}

/* All but the commonest; of an instruction that has no form `encoding` holds what was found before that was
 * seen. */
static void decode_special(struct decoder *decoder, const uint8_t *bytes, size_t size,
			   const struct encoding *encoding, bool has_form, struct insn *insn)
{
	if (has_form && try_decode(newer_decode, encoding, insn))
		return;
	if (disassemble(decoder, bytes, size, encoding, insn->address)) {
		translate(decoder->detailed.insn, encoding, &decoder->corrections, insn);
		return;
	}
	if (has_form)
		insn->length = encoding->length;
	unknown_decode(has_form ? encoding : NULL, insn);
}

void decoder_decode(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
		    struct insn *insn)
{
	struct encoding encoding;

	insn_reset(insn, address);
	if (!size)
		return;
	bool has_form = encoding_parse(bytes, size, &encoding);

	if (has_form && try_decode(fast_decode, &encoding, insn))
		return;
	decode_special(decoder, bytes, size, &encoding, has_form, insn);
	if (has_form)
		insn->own_time = own_time_of(&encoding);
}

static bool text_of_known(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
			  enum syntax syntax, struct insn_text *text)
{
	struct disassembler *disassembler = &decoder->text[syntax];

	if (!disassembler->handle) {
		struct error *error =
			disassembler_open(disassembler, CS_OPT_SYNTAX,
					  syntax == SYNTAX_INTEL ? CS_OPT_SYNTAX_INTEL : CS_OPT_SYNTAX_ATT);

		if (error) {
			error_destroy(error);
			*disassembler = (struct disassembler){ 0 };
			return false;
		}
	}
	if (!disassembler_next(disassembler, bytes, size, address))
		return false;
	snprintf(text->mnemonic, sizeof(text->mnemonic), "%s", disassembler->insn->mnemonic);
	snprintf(text->operands, sizeof(text->operands), "%s", disassembler->insn->op_str);
	return true;
}

void decoder_text(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
		  enum syntax syntax, struct insn_text *text)
{
	struct insn insn;
	size_t used = 0;

	*text = (struct insn_text){ 0 };
	if (!size || text_of_known(decoder, bytes, size, address, syntax, text))
		return;
	decoder_decode(decoder, bytes, size, address, &insn);
	/* as the assembler would take it */
	snprintf(text->mnemonic, sizeof(text->mnemonic), ".byte");
	for (unsigned int i = 0; i < insn.length && used < sizeof(text->operands); i++) {
		int written = snprintf(text->operands + used, sizeof(text->operands) - used, "%s0x%02x",
				       i ? "," : "", bytes[i]);

		used += written > 0 ? (size_t)written : 0;
	}
}

void decoder_format(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address, char *text,
		    size_t text_size)
{
	struct insn_text parts;

	if (!text_size)
		return;
	decoder_text(decoder, bytes, size, address, SYNTAX_ATT, &parts);
	snprintf(text, text_size, "%s%s%s", parts.mnemonic, *parts.operands ? " " : "", parts.operands);
}
