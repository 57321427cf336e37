// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes to instructions of x86-64: see decoders.h, which says who decodes what. */
#include "disasm/insn.h"

#include <stdio.h>

#include "disasm/x86/decoders.h"
#include "base/library.h"
#include "base/memory.h"

/* ---- instructions that take long by themselves */

struct own_time_row {
	struct pattern pattern;
	uint8_t reason; /* enum own_time */
};

/* Intel SDM vol. 3, "Serializing Instructions", and vol. 2, the page of each instruction. Latencies
 * of divisions and square roots: AMD's and Intel's optimization guides, 10 to 40 cycles and more.
 * Instructions that are emulated in a virtual machine, or that run as long microcode (rdmsr, rdtsc,
 * rdrand, in, out), are listed with those that serialize. */
// clang-format off
static const struct own_time_row rows[] = {
	/* map        opcodes     reg  rm      form           prefix      reason */
	{ { MAP_PRIMARY, 0xf6, 0xf7, 6, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },      /* div */
	{ { MAP_PRIMARY, 0xf6, 0xf7, 7, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },      /* idiv */
	{ { MAP_0F, 0x5e, 0x5e, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION }, /* divss ... */
	{ { MAP_5, 0x5e, 0x5e, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION }, /* vdivph, vdivsh */
	{ { MAP_PRIMARY, 0xd8, 0xd8, 6, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },      /* fdiv */
	{ { MAP_PRIMARY, 0xd8, 0xd8, 7, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },      /* fdivr */
	{ { MAP_PRIMARY, 0xdc, 0xdc, 6, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },
	{ { MAP_PRIMARY, 0xdc, 0xdc, 7, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },
	{ { MAP_PRIMARY, 0xde, 0xde, 6, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },      /* fdivp, fidiv */
	{ { MAP_PRIMARY, 0xde, 0xde, 7, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },
	{ { MAP_PRIMARY, 0xda, 0xda, 6, ANY_RM, PATTERN_MEMORY, ANY_PREFIX }, OWN_TIME_DIVISION },   /* fidiv m32 */
	{ { MAP_PRIMARY, 0xda, 0xda, 7, ANY_RM, PATTERN_MEMORY, ANY_PREFIX }, OWN_TIME_DIVISION },
	{ { MAP_0F, 0x51, 0x51, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SQUARE_ROOT },
	{ { MAP_5, 0x51, 0x51, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SQUARE_ROOT },
	{ { MAP_PRIMARY, 0xd9, 0xd9, 7, 2, PATTERN_REGISTER, ANY_PREFIX }, OWN_TIME_SQUARE_ROOT },   /* fsqrt */
	{ { MAP_PRIMARY, 0x90, 0x90, ANY_EXTENSION, ANY_RM, PATTERN_ANY, 0xf3 }, OWN_TIME_PAUSE },
	{ { MAP_0F, 0xae, 0xae, 6, ANY_RM, PATTERN_REGISTER, 0xf2 }, OWN_TIME_PAUSE },               /* umwait */
	{ { MAP_0F, 0xae, 0xae, 6, ANY_RM, PATTERN_REGISTER, 0x66 }, OWN_TIME_PAUSE },               /* tpause */
	{ { MAP_0F, 0x05, 0x05, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SYSTEM_CALL },
	{ { MAP_0F, 0x34, 0x34, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SYSTEM_CALL }, /* sysenter */
	{ { MAP_PRIMARY, 0xcd, 0xcd, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SYSTEM_CALL }, /* int */
	{ { MAP_PRIMARY, 0xfb, 0xfb, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_INTERRUPTS_ON }, /* sti */
	{ { MAP_PRIMARY, 0x9d, 0x9d, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_INTERRUPTS_ON }, /* popf */
	{ { MAP_PRIMARY, 0xf4, 0xf4, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_HALT },
	{ { MAP_0F, 0x01, 0x01, 1, 1, PATTERN_REGISTER, ANY_PREFIX }, OWN_TIME_HALT },               /* mwait */
	{ { MAP_0F, 0x01, 0x01, 7, 3, PATTERN_REGISTER, ANY_PREFIX }, OWN_TIME_HALT },               /* mwaitx */
	{ { MAP_0F, 0xa2, 0xa2, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING }, /* cpuid */
	{ { MAP_0F, 0x30, 0x33, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING }, /* wrmsr ... rdpmc */
	{ { MAP_0F, 0x20, 0x23, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING }, /* mov cr, dr */
	{ { MAP_0F, 0x08, 0x09, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING }, /* invd, wbinvd */
	{ { MAP_0F, 0xaa, 0xaa, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING }, /* rsm */
	{ { MAP_0F, 0x01, 0x01, 0, ANY_RM, PATTERN_REGISTER, ANY_PREFIX }, OWN_TIME_SERIALIZING },   /* vmcall ... */
	{ { MAP_0F, 0x01, 0x01, 2, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING },        /* lgdt, xgetbv, xsetbv */
	{ { MAP_0F, 0x01, 0x01, 3, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING },        /* lidt, vmrun, vmmcall */
	{ { MAP_0F, 0x01, 0x01, 5, 0, PATTERN_REGISTER, 0 }, OWN_TIME_SERIALIZING },                 /* serialize */
	{ { MAP_0F, 0x01, 0x01, 7, 1, PATTERN_REGISTER, ANY_PREFIX }, OWN_TIME_SERIALIZING },        /* rdtscp */
	{ { MAP_0F, 0x01, 0x01, 7, ANY_RM, PATTERN_MEMORY, ANY_PREFIX }, OWN_TIME_SERIALIZING },     /* invlpg */
	{ { MAP_0F, 0xae, 0xae, 5, ANY_RM, PATTERN_REGISTER, 0 }, OWN_TIME_SERIALIZING },            /* lfence */
	{ { MAP_0F, 0xae, 0xae, 6, ANY_RM, PATTERN_REGISTER, 0 }, OWN_TIME_SERIALIZING },            /* mfence */
	{ { MAP_0F, 0xae, 0xae, 7, ANY_RM, PATTERN_REGISTER, 0 }, OWN_TIME_SERIALIZING },            /* sfence */
	{ { MAP_0F, 0xc7, 0xc7, 6, ANY_RM, PATTERN_REGISTER, 0 }, OWN_TIME_SERIALIZING },            /* rdrand */
	{ { MAP_0F, 0xc7, 0xc7, 7, ANY_RM, PATTERN_REGISTER, 0 }, OWN_TIME_SERIALIZING },            /* rdseed */
	{ { MAP_PRIMARY, 0x6c, 0x6f, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING }, /* ins, outs */
	{ { MAP_PRIMARY, 0xe4, 0xe7, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING }, /* in, out */
	{ { MAP_PRIMARY, 0xec, 0xef, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING },
};
// clang-format on

/* False for opcodes without a row, which nearly all are: it spares most the search. */
static bool may_have_row(const struct encoding *encoding)
{
	switch (encoding->map) {
	case MAP_PRIMARY:
		return encoding->opcode >= 0x6c &&
		       (encoding->opcode >= 0xd8 || encoding->opcode <= 0x6f ||
			encoding->opcode == 0x90 || encoding->opcode == 0x9d ||
			encoding->opcode == 0xcd);
	case MAP_0F:
	case MAP_5:
		return encoding->opcode <= 0x09 ||
		       (encoding->opcode >= 0x20 && encoding->opcode <= 0x34) ||
		       encoding->opcode == 0x51 || encoding->opcode == 0x5e ||
		       encoding->opcode == 0xa2 || encoding->opcode == 0xaa ||
		       encoding->opcode == 0xae || encoding->opcode == 0xc7;
	default: return false;
	}
}

/* Returns the reason why an instruction of this form takes time of its own, or OWN_TIME_NONE. */
static enum own_time own_time_of(const struct encoding *encoding)
{
	if (encoding->kind == ENCODING_XOP || !may_have_row(encoding))
		return OWN_TIME_NONE;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (pattern_matches(&rows[i].pattern, encoding))
			return (enum own_time)rows[i].reason;
	return OWN_TIME_NONE;
}

/* ---- floating-point numbers */

/* True if the instruction has floating-point numbers in memory, by its encoding (SDM vol. 2,
 * appendix A). Moves of whole vectors, and bitwise operations, are used for any data. */
static bool memory_is_float(const struct encoding *encoding)
{
	uint8_t prefix = encoding->implied_prefix ?: encoding->repeat;
	unsigned int extension = encoding->reg & 7;
	bool scalar = prefix == 0xf2 || prefix == 0xf3;

	if (!encoding->has_memory || encoding->kind == ENCODING_XOP)
		return false;
	if (encoding->map == MAP_PRIMARY)
		switch (encoding->opcode) {
		case 0xd8: /* fadd m32 ... */
		case 0xdc: return true;
		case 0xd9: /* fld, fst, fstp */
		case 0xdd: return extension == 0 || extension == 2 || extension == 3;
		case 0xdb: return extension == 5 || extension == 7;
		default: return false;
		}
	if (encoding->map != MAP_0F)
		return false;
	switch (encoding->opcode) {
	case 0x10: /* movss, movsd */
	case 0x11:
	case 0x2c: /* cvttss2si ... */
	case 0x2d: return scalar;
	case 0x2e: /* ucomiss ... */
	case 0x2f: return true;
	case 0x51: /* sqrt */
	case 0x58: /* add, mul, cvtss2sd ... */
	case 0x59:
	case 0x5a:
	case 0x5c: /* sub, min, div, max */
	case 0x5d:
	case 0x5e:
	case 0x5f:
	case 0xc2: return true; /* cmpss ... */
	default: return false;
	}
}

/* True for xsave, xrstor and their like. */
static bool moves_extended_state(const struct encoding *encoding)
{
	unsigned int extension = encoding->reg & 7;

	if (!encoding->has_memory || encoding->map != MAP_0F || encoding->repeat ||
	    encoding->operand_size_prefix || encoding->implied_prefix)
		return false;
	return encoding->opcode == 0xae   ? extension >= 4 && extension <= 6
	       : encoding->opcode == 0xc7 ? extension >= 3 && extension <= 5
					  : false;
}

/* ---- the decoder */

/* A handle of capstone, and the instruction that it fills again and again. */
struct disassembler {
	csh handle;
	cs_insn *insn;
};

struct x86_decoder {
	struct decoder common;        /* must be first */
	struct disassembler detailed; /* opened when an instruction needs it; `corrections`, too */
	struct correction_index corrections;
	struct disassembler text[2]; /* by syntax; opened when first asked for */
};

/* Opens it, if it is not open. capstone's memory is xmalloc()'s. */
static void disassembler_open(struct disassembler *disassembler, cs_opt_type option, size_t value)
{
	if (disassembler->insn)
		return;
	if (capstone()->support(CS_SUPPORT_X86_REDUCE) ||
	    capstone()->open(CS_ARCH_X86, CS_MODE_64, &disassembler->handle) != CS_ERR_OK)
		end_without_library("the capstone library is built without full x86 support: "
				    "install libcapstone");
	capstone()->option(disassembler->handle, option, value);
	disassembler->insn = capstone()->malloc(disassembler->handle);
}

static void disassembler_close(struct disassembler *disassembler)
{
	if (!disassembler->insn)
		return;
	capstone()->free(disassembler->insn, 1);
	capstone()->close(&disassembler->handle);
}

static bool disassembler_next(struct disassembler *disassembler, const uint8_t *bytes, size_t size,
			      uint64_t address)
{
	lower_to(size, INSN_LENGTH_MAX);
	return capstone()->disasm_iter(disassembler->handle, &bytes, &size, &address,
				       disassembler->insn);
}

static struct decoder *create(void)
{
	return xcalloc(1, sizeof(struct x86_decoder));
}

static inline struct x86_decoder *x86_decoder_of(struct decoder *decoder)
{
	return (struct x86_decoder *)decoder;
}

static void destroy(struct decoder *common)
{
	struct x86_decoder *decoder = x86_decoder_of(common);

	disassembler_close(&decoder->detailed);
	disassembler_close(&decoder->text[SYNTAX_ATT]);
	disassembler_close(&decoder->text[SYNTAX_INTEL]);
	free(decoder);
}

/* Clears *insn by members: compilers turn one assignment of the whole struct into a slow loop. */
static inline void insn_reset(struct insn *insn, uint64_t address)
{
	insn->address = address;
	insn->length = 0;
	insn->operation = OP_OTHER;
	insn->condition = CONDITION_NONE;
	insn->flags = 0;
	insn->operand_count = 0;
	insn->own_time = OWN_TIME_NONE;
	insn->part = 0;
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

/* True for a movq of vector registers, for which REX.W means nothing (SDM vol. 2, MOVQ). With
 * REX.W, capstone takes it for a move of MMX registers. */
static bool is_wide_movq(const struct encoding *encoding)
{
	return encoding->opcode == 0x7e && encoding->repeat == 0xf3 && encoding->wide;
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e ||
	       (byte >= 0x64 && byte <= 0x67) || byte == 0xf0 || byte == 0xf2 || byte == 0xf3;
}

/* Returns the instruction's length with its prefixes in capstone's order, or 0 if they are in that
 * order already. capstone looks for the prefix that belongs to the opcode (66, F3, F2) right before
 * it, and decodes another instruction if a segment or address size prefix comes between. */
static size_t respell(const uint8_t *bytes, const struct encoding *encoding, uint8_t *copy)
{
	size_t opcode = 0, used = 0;
	uint8_t rex = 0;

	if (encoding->kind != ENCODING_LEGACY || encoding->map == MAP_PRIMARY ||
	    !encoding->length || (!encoding->repeat && !encoding->operand_size_prefix))
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

static bool disassemble(struct x86_decoder *decoder, const uint8_t *bytes, size_t size,
			const struct encoding *encoding, uint64_t address)
{
	uint8_t copy[INSN_LENGTH_MAX];
	size_t length = respell(bytes, encoding, copy);

	if (!decoder->detailed.insn)
		correction_index_init(&decoder->corrections);
	disassembler_open(&decoder->detailed, CS_OPT_DETAIL, CS_OPT_ON);
	return length ? disassembler_next(&decoder->detailed, copy, length, address)
		      : disassembler_next(&decoder->detailed, bytes, size, address);
}

/* Decodes all but the commonest. Without a form, `encoding` has what was parsed so far. */
static void decode_special(struct x86_decoder *decoder, const uint8_t *bytes, size_t size,
			   const struct encoding *encoding, bool has_form, struct insn *insn)
{
	if (has_form &&
	    (try_decode(float_decode, encoding, insn) || try_decode(newer_decode, encoding, insn)))
		return;
	if (!encoding_is_invalid(encoding) &&
	    disassemble(decoder, bytes, size, encoding, insn->address)) {
		translate(decoder->detailed.insn, encoding, &decoder->corrections, insn);
		return;
	}
	if (has_form)
		insn->length = encoding->length;
	unknown_decode(has_form ? encoding : NULL, insn);
}

static void decode(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
		   struct insn *insn)
{
	struct encoding encoding;

	insn_reset(insn, address);
	if (!size)
		return;
	bool has_form = encoding_parse(bytes, size, &encoding);

	bool fast = has_form && try_decode(fast_decode, &encoding, insn);

	/* of those that fast.c knows, only these take time of their own */
	if (fast && insn->operation != OP_OTHER && insn->operation != OP_NOP)
		return;
	if (!fast)
		decode_special(x86_decoder_of(decoder), bytes, size, &encoding, has_form, insn);
	if (has_form)
		insn->own_time = own_time_of(&encoding);
	if (has_form && memory_is_float(&encoding))
		insn->flags |= FLAG_FLOAT;
	if (has_form && moves_extended_state(&encoding))
		insn->flags |= FLAG_EXTENDED_STATE;
}

static unsigned int length_of(struct decoder *decoder _unused_, const uint8_t *bytes, size_t size)
{
	struct encoding encoding;

	return encoding_parse(bytes, size, &encoding) ? encoding.length : size != 0;
}

static bool text_of_known(struct decoder *decoder, const uint8_t *bytes, size_t size,
			  uint64_t address, enum syntax syntax, struct insn_text *text)
{
	struct disassembler *disassembler = &x86_decoder_of(decoder)->text[syntax];

	disassembler_open(disassembler, CS_OPT_SYNTAX,
			  syntax == SYNTAX_INTEL ? CS_OPT_SYNTAX_INTEL : CS_OPT_SYNTAX_ATT);
	if (!disassembler_next(disassembler, bytes, size, address))
		return false;
	snprintf(text->mnemonic, sizeof(text->mnemonic), "%s", disassembler->insn->mnemonic);
	snprintf(text->operands, sizeof(text->operands), "%s", disassembler->insn->op_str);
	return true;
}

/* True if the code has a ret. Most have one behind a pop, which need not be stepped through. */
static bool has_return(const uint8_t *bytes, size_t size)
{
	struct encoding encoding;

	for (const uint8_t *at = bytes; (at = memchr(at, 0xc3, (size_t)(bytes + size - at))); at++)
		if (at > bytes && (at[-1] & 0xf8) == 0x58)
			return true;
	for (size_t at = 0; at < size; at += encoding.length)
		if (!encoding_parse(bytes + at, size - at, &encoding) || bytes[at] == 0xc3)
			return true;
	return false;
}

/* call rel32, call *rel32(%rip), ud2; or jmp rel8 or rel32 to an address before it, without a ret
 */
static bool may_be_endless(const uint8_t *bytes, size_t size)
{
	return (size >= 5 && bytes[size - 5] == 0xe8) ||
	       (size >= 6 && bytes[size - 6] == 0xff && bytes[size - 5] == 0x15) ||
	       (size >= 2 && bytes[size - 2] == 0x0f && bytes[size - 1] == 0x0b) ||
	       (((size >= 2 && bytes[size - 2] == 0xeb) ||
		 (size >= 5 && bytes[size - 5] == 0xe9)) &&
		bytes[size - 1] & 0x80 && !has_return(bytes, size));
}

/* call rel32, call and lcall with a target in a register or memory. Bytes before a return address
 * are tried from several starts, and capstone would be loaded for those that are in another
 * instruction. */
static bool is_call(const uint8_t *bytes, size_t size)
{
	struct encoding encoding;

	if (!encoding_parse(bytes, size, &encoding) || encoding.length != size ||
	    encoding.kind > ENCODING_REX2 || encoding.map != MAP_PRIMARY)
		return false;
	return encoding.opcode == 0xe8 ||
	       (encoding.opcode == 0xff &&
		((encoding.reg & 7) == 2 || ((encoding.reg & 7) == 3 && encoding.has_memory)));
}

const struct decoder_ops decoder_x86_64 = {
	.create = create,
	.destroy = destroy,
	.decode = decode,
	.length = length_of,
	.may_be_endless = may_be_endless,
	.is_call = is_call,
	.text = text_of_known,
};

char *decoder_library(void)
{
	int major = 0, minor = 0;

	capstone()->version(&major, &minor);
	return xasprintf("capstone %d.%d", major, minor);
}
