// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes to instructions: see decoder.h. General-purpose and system instructions, x87, moves of SSE and
 * AVX-512 come straight from their encoding; the rest from capstone; what neither knows, from its form alone.
 */
#include "disasm/decoder.h"

#include <stdio.h>
#include <string.h>

#include <capstone/capstone.h>

#include "disasm/x86/capstone_insn.h"
#include "disasm/x86/encoding.h"
#include "disasm/x86/evex.h"
#include "disasm/x86/general.h"
#include "disasm/x86/own_time.h"
#include "disasm/x86/system.h"
#include "disasm/x86/unknown.h"
#include "profiler/base/memory.h"

/* A handle of capstone's with the instruction that it fills, over and over. */
struct disassembler {
	csh handle;
	cs_insn *insn;
};

struct decoder {
	struct disassembler detailed;
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

/* What a decoder has left of an instruction that turned out not to be its own is taken back. */
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

/* What is no general-purpose instruction; of one that has no form `encoding` holds what was found before that
 * was seen. */
static void decode_special(struct decoder *decoder, const uint8_t *bytes, size_t size,
			   const struct encoding *encoding, bool has_form, struct insn *insn)
{
	if (has_form &&
	    (try_decode(sse_decode, encoding, insn) || try_decode(evex_decode, encoding, insn) ||
	     try_decode(x87_decode, encoding, insn) || try_decode(system_decode, encoding, insn) ||
	     try_decode(mask_decode, encoding, insn) || try_decode(newer_vex_decode, encoding, insn)))
		return;
	if (disassembler_next(&decoder->detailed, bytes, size, insn->address)) {
		insn->length = decoder->detailed.insn->size;
		capstone_insn_convert(decoder->detailed.insn, encoding, insn);
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

	if (!has_form || !try_decode(general_decode, &encoding, insn))
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
			error_free(error);
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
