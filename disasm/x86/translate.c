// SPDX-License-Identifier: GPL-2.0-or-later
/* Translates Zydis's details into a struct insn: see decoders.h. */

#include "disasm/x86/decoders.h"
#include "base/memory.h"

/* ---- the meaning of an instruction */

/* The changes that an instruction needs beyond its operation and its operands. */
enum insn_shape {
	SHAPE_PLAIN,
	SHAPE_DIFFERENCE, /* zero if both operands are the same register (xor, sub) */
	SHAPE_LEA,
	SHAPE_STEP,     /* inc, dec: a constant 1 is the second operand */
	SHAPE_MULTIPLY, /* imul */
	SHAPE_CONDITION,
	SHAPE_EXTEND, /* cbw, cwde, cdqe: the accumulator, of half the size */
	SHAPE_KEEPS,  /* the destination is kept in some cases */
	SHAPE_SIGN,   /* movsx: the source may not be wider than the destination */
	SHAPE_BIT,    /* bt: the second operand is the number of a bit */
	SHAPE_NOP,    /* operands mean nothing */
	SHAPE_HINT,   /* memory is named and not accessed */
	SHAPE_PUSH,
	SHAPE_POP,
	SHAPE_LEAVE,
	SHAPE_ENTER,
	SHAPE_CALL,
	SHAPE_RETURN,
	SHAPE_TARGET, /* jumps; a register or memory is read whatever it is */
	SHAPE_BRANCH, /* conditional jumps */
	SHAPE_STRING,
	SHAPE_POINTED, /* 64 bytes are written where the first operand points */
	SHAPE_SYSTEM_CALL,
	SHAPE_ANYTHING,      /* the system or a hypervisor may do anything with general registers */
	SHAPE_VECTORS,       /* all vector registers change */
	SHAPE_MOVE_WORD,     /* movd, movq: zero-extends into a vector register */
	SHAPE_MOVE_SCALAR_2, /* vmovsh */
	SHAPE_MOVE_SCALAR_4, /* movss: zero-extends from memory, else replaces the low part */
	SHAPE_MOVE_SCALAR_8, /* movsd */
	SHAPE_MOVE_LOW,      /* movlps: the low 8 bytes */
	SHAPE_MOVE_HIGH,     /* movhps: the high 8 bytes */
	SHAPE_UNPACK,        /* punpcklqdq: low halves side by side */
	SHAPE_DUPLICATE,     /* movddup: the low half twice */
	SHAPE_XOR,           /* zero if both sources are the same vector register */
	SHAPE_INSERT,        /* pinsrq: one of two halves, by the immediate */
	SHAPE_EXTRACT,       /* pextrq */
};

struct meaning {
	uint8_t operation; /* enum operation */
	uint8_t shape;     /* enum insn_shape */
};

#define IS(name, ...) [ZYDIS_MNEMONIC_##name] = { __VA_ARGS__ }

/* One row for each condition: cmovnbe, setnbe, jnbe ... */
#define CONDITIONS(name, ...)                                                                      \
	IS(name##O, __VA_ARGS__), IS(name##NO, __VA_ARGS__), IS(name##B, __VA_ARGS__),             \
		IS(name##NB, __VA_ARGS__), IS(name##Z, __VA_ARGS__), IS(name##NZ, __VA_ARGS__),    \
		IS(name##BE, __VA_ARGS__), IS(name##NBE, __VA_ARGS__), IS(name##S, __VA_ARGS__),   \
		IS(name##NS, __VA_ARGS__), IS(name##P, __VA_ARGS__), IS(name##NP, __VA_ARGS__),    \
		IS(name##L, __VA_ARGS__), IS(name##NL, __VA_ARGS__), IS(name##LE, __VA_ARGS__),    \
		IS(name##NLE, __VA_ARGS__)
/* The four widths of a string instruction */
#define STRINGS(name, operation)                                                                   \
	IS(name##B, operation, SHAPE_STRING), IS(name##W, operation, SHAPE_STRING),                \
		IS(name##D, operation, SHAPE_STRING), IS(name##Q, operation, SHAPE_STRING)

/* The operation of each mnemonic; others are OP_OTHER with Zydis's operands. */
/* clang-format off */
static const struct meaning meanings[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
	/* moves and arithmetic */
	IS(MOV,         OP_MOVE,             SHAPE_PLAIN),
	IS(MOVNTI,      OP_MOVE,             SHAPE_PLAIN),
	IS(MOVDIRI,     OP_MOVE,             SHAPE_PLAIN),
	IS(MOVZX,       OP_MOVE_ZERO,        SHAPE_PLAIN),
	IS(MOVSX,       OP_MOVE_SIGN,        SHAPE_SIGN),
	IS(MOVSXD,      OP_MOVE_SIGN,        SHAPE_SIGN),
	IS(CBW,         OP_MOVE_SIGN,        SHAPE_EXTEND),
	IS(CWDE,        OP_MOVE_SIGN,        SHAPE_EXTEND),
	IS(CDQE,        OP_MOVE_SIGN,        SHAPE_EXTEND),
	IS(LEA,         OP_LEA,              SHAPE_LEA),
	IS(ADD,         OP_ADD,              SHAPE_PLAIN),
	IS(SUB,         OP_SUB,              SHAPE_DIFFERENCE),
	IS(ADC,         OP_ADD_CARRY,        SHAPE_PLAIN),
	IS(SBB,         OP_SUB_BORROW,       SHAPE_PLAIN),
	IS(AND,         OP_AND,              SHAPE_PLAIN),
	IS(OR,          OP_OR,               SHAPE_PLAIN),
	IS(XOR,         OP_XOR,              SHAPE_DIFFERENCE),
	IS(INC,         OP_ADD,              SHAPE_STEP),
	IS(DEC,         OP_SUB,              SHAPE_STEP),
	IS(NEG,         OP_NEGATE,           SHAPE_PLAIN),
	IS(NOT,         OP_COMPLEMENT,       SHAPE_PLAIN),
	IS(SHL,         OP_SHIFT_LEFT,       SHAPE_PLAIN),
	IS(SHR,         OP_SHIFT_RIGHT,      SHAPE_PLAIN),
	IS(SAR,         OP_SHIFT_ARITHMETIC, SHAPE_PLAIN),
	IS(SHLX,        OP_SHIFT_LEFT,       SHAPE_PLAIN),
	IS(SHRX,        OP_SHIFT_RIGHT,      SHAPE_PLAIN),
	IS(SARX,        OP_SHIFT_ARITHMETIC, SHAPE_PLAIN),
	IS(ROL,         OP_ROTATE_LEFT,      SHAPE_PLAIN),
	IS(ROR,         OP_ROTATE_RIGHT,     SHAPE_PLAIN),
	IS(RORX,        OP_ROTATE_RIGHT,     SHAPE_PLAIN),
	IS(ANDN,        OP_AND_NOT,          SHAPE_PLAIN),
	IS(BTS,         OP_BIT_SET,          SHAPE_PLAIN),
	IS(BTR,         OP_BIT_CLEAR,        SHAPE_PLAIN),
	IS(BTC,         OP_BIT_INVERT,       SHAPE_PLAIN),
	IS(BEXTR,       OP_EXTRACT_BITS,     SHAPE_PLAIN),
	IS(BZHI,        OP_LOW_BITS,         SHAPE_PLAIN),
	IS(PEXT,        OP_GATHER_BITS,      SHAPE_PLAIN),
	IS(PDEP,        OP_SCATTER_BITS,     SHAPE_PLAIN),
	IS(BSWAP,       OP_SWAP_BYTES,       SHAPE_PLAIN),
	/* the destination is kept if there is no answer, or no shadow stack */
	IS(BSF,         OP_OTHER,            SHAPE_KEEPS),
	IS(BSR,         OP_OTHER,            SHAPE_KEEPS),
	IS(RDSSPD,      OP_OTHER,            SHAPE_KEEPS),
	IS(RDSSPQ,      OP_OTHER,            SHAPE_KEEPS),
	IS(IMUL,        OP_OTHER,            SHAPE_MULTIPLY),
	IS(CMP,         OP_COMPARE,          SHAPE_PLAIN),
	IS(TEST,        OP_TEST,             SHAPE_PLAIN),
	IS(BT,          OP_TEST,             SHAPE_BIT),
	IS(XCHG,        OP_EXCHANGE,         SHAPE_PLAIN),
	IS(XADD,        OP_EXCHANGE_ADD,     SHAPE_PLAIN),
	IS(CMPXCHG,     OP_COMPARE_EXCHANGE, SHAPE_PLAIN),
	CONDITIONS(CMOV, OP_CONDITIONAL, SHAPE_CONDITION),
	CONDITIONS(SET, OP_SET_CONDITION, SHAPE_CONDITION),
	/* control */
	CONDITIONS(J, OP_BRANCH, SHAPE_BRANCH),
	IS(LOOP,        OP_BRANCH,           SHAPE_TARGET),
	IS(LOOPE,       OP_BRANCH,           SHAPE_TARGET),
	IS(LOOPNE,      OP_BRANCH,           SHAPE_TARGET),
	IS(JRCXZ,       OP_BRANCH,           SHAPE_TARGET),
	IS(JECXZ,       OP_BRANCH,           SHAPE_TARGET),
	IS(XBEGIN,      OP_BRANCH,           SHAPE_TARGET),
	IS(JMP,         OP_JUMP,             SHAPE_TARGET),
	IS(CALL,        OP_CALL,             SHAPE_CALL),
	IS(RET,         OP_RETURN,           SHAPE_RETURN),
	IS(IRET,        OP_RETURN,           SHAPE_RETURN),
	IS(IRETD,       OP_RETURN,           SHAPE_RETURN),
	IS(IRETQ,       OP_RETURN,           SHAPE_RETURN),
	IS(SYSCALL,     OP_SYSTEM_CALL,      SHAPE_SYSTEM_CALL),
	IS(SYSENTER,    OP_SYSTEM_CALL,      SHAPE_ANYTHING),
	IS(INT,         OP_OTHER,            SHAPE_ANYTHING),
	IS(GETSEC,      OP_OTHER,            SHAPE_ANYTHING),
	IS(ENCLS,       OP_OTHER,            SHAPE_ANYTHING),
	IS(ENCLU,       OP_OTHER,            SHAPE_ANYTHING),
	IS(ENCLV,       OP_OTHER,            SHAPE_ANYTHING),
	IS(VMCALL,      OP_OTHER,            SHAPE_ANYTHING),
	IS(VMMCALL,     OP_OTHER,            SHAPE_ANYTHING),
	IS(VMLAUNCH,    OP_OTHER,            SHAPE_ANYTHING),
	IS(VMRESUME,    OP_OTHER,            SHAPE_ANYTHING),
	IS(VMRUN,       OP_OTHER,            SHAPE_ANYTHING),
	IS(SKINIT,      OP_OTHER,            SHAPE_ANYTHING),
	IS(TDCALL,      OP_OTHER,            SHAPE_ANYTHING),
	IS(SEAMCALL,    OP_OTHER,            SHAPE_ANYTHING),
	IS(SEAMRET,     OP_OTHER,            SHAPE_ANYTHING),
	IS(INT1,        OP_TRAP,             SHAPE_PLAIN),
	IS(INT3,        OP_TRAP,             SHAPE_PLAIN),
	IS(HLT,         OP_TRAP,             SHAPE_PLAIN),
	IS(UD0,         OP_TRAP,             SHAPE_NOP),
	IS(UD2,         OP_TRAP,             SHAPE_PLAIN),
	IS(UD1,         OP_TRAP,             SHAPE_NOP),
	IS(SYSRET,      OP_TRAP,             SHAPE_PLAIN),
	IS(SYSEXIT,     OP_TRAP,             SHAPE_PLAIN),
	IS(RSM,         OP_TRAP,             SHAPE_PLAIN),
	IS(UIRET,       OP_TRAP,             SHAPE_PLAIN),
	/* the stack */
	IS(PUSH,        OP_PUSH,             SHAPE_PUSH),
	IS(PUSHF,       OP_PUSH,             SHAPE_PUSH),
	IS(PUSHFQ,      OP_PUSH,             SHAPE_PUSH),
	IS(POP,         OP_POP,              SHAPE_POP),
	IS(POPF,        OP_POP,              SHAPE_POP),
	IS(POPFQ,       OP_POP,              SHAPE_POP),
	IS(LEAVE,       OP_LEAVE,            SHAPE_LEAVE),
	IS(ENTER,       OP_OTHER,            SHAPE_ENTER),
	/* strings; movsd and cmpsd are SSE instructions, too */
	STRINGS(STOS, OP_STORE_STRING),
	STRINGS(LODS, OP_LOAD_STRING),
	STRINGS(SCAS, OP_SCAN_STRING),
	IS(MOVSB,       OP_MOVE_STRING,      SHAPE_STRING),
	IS(MOVSW,       OP_MOVE_STRING,      SHAPE_STRING),
	IS(MOVSQ,       OP_MOVE_STRING,      SHAPE_STRING),
	IS(CMPSB,       OP_COMPARE_STRING,   SHAPE_STRING),
	IS(CMPSW,       OP_COMPARE_STRING,   SHAPE_STRING),
	IS(CMPSQ,       OP_COMPARE_STRING,   SHAPE_STRING),
	IS(CMPSD,       OP_COMPARE_STRING,   SHAPE_STRING),
	IS(INSB,        OP_OTHER,            SHAPE_STRING),
	IS(INSW,        OP_OTHER,            SHAPE_STRING),
	IS(INSD,        OP_OTHER,            SHAPE_STRING),
	IS(OUTSB,       OP_OTHER,            SHAPE_STRING),
	IS(OUTSW,       OP_OTHER,            SHAPE_STRING),
	IS(OUTSD,       OP_OTHER,            SHAPE_STRING),
	IS(MOVDIR64B,   OP_OTHER,            SHAPE_POINTED),
	IS(ENQCMD,      OP_OTHER,            SHAPE_POINTED),
	IS(ENQCMDS,     OP_OTHER,            SHAPE_POINTED),
	IS(CLZERO,      OP_OTHER,            SHAPE_POINTED),
	IS(XLAT,        OP_OTHER,            SHAPE_STRING),
	/* no effect */
	IS(NOP,         OP_NOP,              SHAPE_NOP),
	IS(ENDBR32,     OP_NOP,              SHAPE_NOP),
	IS(ENDBR64,     OP_NOP,              SHAPE_NOP),
	IS(PAUSE,       OP_NOP,              SHAPE_NOP),
	IS(PREFETCH,    OP_NOP,              SHAPE_HINT),
	IS(PREFETCHW,   OP_NOP,              SHAPE_HINT),
	IS(PREFETCHNTA, OP_NOP,              SHAPE_HINT),
	IS(PREFETCHT0,  OP_NOP,              SHAPE_HINT),
	IS(PREFETCHT1,  OP_NOP,              SHAPE_HINT),
	IS(PREFETCHT2,  OP_NOP,              SHAPE_HINT),
	IS(CLFLUSH,     OP_NOP,              SHAPE_HINT),
	IS(CLFLUSHOPT,  OP_NOP,              SHAPE_HINT),
	IS(CLWB,        OP_NOP,              SHAPE_HINT),
	IS(INVLPG,      OP_OTHER,            SHAPE_HINT),
	IS(LFENCE,      OP_NOP,              SHAPE_PLAIN),
	IS(MFENCE,      OP_NOP,              SHAPE_PLAIN),
	IS(SFENCE,      OP_NOP,              SHAPE_PLAIN),
	IS(PREFETCHWT1, OP_NOP,              SHAPE_HINT),
	IS(CLDEMOTE,    OP_NOP,              SHAPE_HINT),
	/* MPX, which no processor has any more */
	IS(BNDCL,       OP_NOP,              SHAPE_NOP),
	IS(BNDCN,       OP_NOP,              SHAPE_NOP),
	IS(BNDCU,       OP_NOP,              SHAPE_NOP),
	IS(BNDLDX,      OP_NOP,              SHAPE_NOP),
	IS(BNDMK,       OP_NOP,              SHAPE_NOP),
	IS(BNDMOV,      OP_NOP,              SHAPE_NOP),
	IS(BNDSTX,      OP_NOP,              SHAPE_NOP),
	/* SSE and AVX: moves, and what jump tables and zero idioms need */
	IS(MOVAPS,      OP_MOVE,             SHAPE_PLAIN),
	IS(MOVUPS,      OP_MOVE,             SHAPE_PLAIN),
	IS(MOVAPD,      OP_MOVE,             SHAPE_PLAIN),
	IS(MOVUPD,      OP_MOVE,             SHAPE_PLAIN),
	IS(MOVDQA,      OP_MOVE,             SHAPE_PLAIN),
	IS(MOVDQU,      OP_MOVE,             SHAPE_PLAIN),
	IS(LDDQU,       OP_MOVE,             SHAPE_PLAIN),
	IS(MOVNTDQA,    OP_MOVE,             SHAPE_PLAIN),
	IS(MOVNTDQ,     OP_MOVE,             SHAPE_PLAIN),
	IS(MOVNTPS,     OP_MOVE,             SHAPE_PLAIN),
	IS(MOVNTPD,     OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVAPS,     OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVUPS,     OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVAPD,     OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVUPD,     OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVDQA,     OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVDQU,     OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVDQA32,   OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVDQA64,   OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVDQU8,    OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVDQU16,   OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVDQU32,   OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVDQU64,   OP_MOVE,             SHAPE_PLAIN),
	IS(VLDDQU,      OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVNTDQA,   OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVNTDQ,    OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVNTPS,    OP_MOVE,             SHAPE_PLAIN),
	IS(VMOVNTPD,    OP_MOVE,             SHAPE_PLAIN),
	IS(MOVD,        OP_OTHER,            SHAPE_MOVE_WORD),
	IS(MOVQ,        OP_OTHER,            SHAPE_MOVE_WORD),
	IS(VMOVD,       OP_OTHER,            SHAPE_MOVE_WORD),
	IS(VMOVQ,       OP_OTHER,            SHAPE_MOVE_WORD),
	IS(MOVSS,       OP_OTHER,            SHAPE_MOVE_SCALAR_4),
	IS(MOVSD,       OP_OTHER,            SHAPE_MOVE_SCALAR_8),
	IS(VMOVSS,      OP_OTHER,            SHAPE_MOVE_SCALAR_4),
	IS(VMOVSD,      OP_OTHER,            SHAPE_MOVE_SCALAR_8),
	IS(VMOVSH,      OP_OTHER,            SHAPE_MOVE_SCALAR_2),
	IS(MOVLPS,      OP_OTHER,            SHAPE_MOVE_LOW),
	IS(MOVLPD,      OP_OTHER,            SHAPE_MOVE_LOW),
	IS(VMOVLPS,     OP_OTHER,            SHAPE_MOVE_LOW),
	IS(VMOVLPD,     OP_OTHER,            SHAPE_MOVE_LOW),
	IS(MOVHPS,      OP_OTHER,            SHAPE_MOVE_HIGH),
	IS(MOVHPD,      OP_OTHER,            SHAPE_MOVE_HIGH),
	IS(VMOVHPS,     OP_OTHER,            SHAPE_MOVE_HIGH),
	IS(VMOVHPD,     OP_OTHER,            SHAPE_MOVE_HIGH),
	IS(PUNPCKLQDQ,  OP_OTHER,            SHAPE_UNPACK),
	IS(UNPCKLPD,    OP_OTHER,            SHAPE_UNPACK),
	IS(MOVLHPS,     OP_OTHER,            SHAPE_UNPACK),
	IS(VPUNPCKLQDQ, OP_OTHER,            SHAPE_UNPACK),
	IS(VUNPCKLPD,   OP_OTHER,            SHAPE_UNPACK),
	IS(VMOVLHPS,    OP_OTHER,            SHAPE_UNPACK),
	IS(MOVDDUP,     OP_OTHER,            SHAPE_DUPLICATE),
	IS(VMOVDDUP,    OP_OTHER,            SHAPE_DUPLICATE),
	IS(PXOR,        OP_OTHER,            SHAPE_XOR),
	IS(XORPS,       OP_OTHER,            SHAPE_XOR),
	IS(XORPD,       OP_OTHER,            SHAPE_XOR),
	IS(VPXOR,       OP_OTHER,            SHAPE_XOR),
	IS(VPXORD,      OP_OTHER,            SHAPE_XOR),
	IS(VPXORQ,      OP_OTHER,            SHAPE_XOR),
	IS(VXORPS,      OP_OTHER,            SHAPE_XOR),
	IS(VXORPD,      OP_OTHER,            SHAPE_XOR),
	IS(PINSRQ,      OP_OTHER,            SHAPE_INSERT),
	IS(VPINSRQ,     OP_OTHER,            SHAPE_INSERT),
	IS(PEXTRQ,      OP_OTHER,            SHAPE_EXTRACT),
	IS(VPEXTRQ,     OP_OTHER,            SHAPE_EXTRACT),
	/* they restore the vector registers, or clear parts of all of them */
	IS(FXRSTOR,     OP_OTHER,            SHAPE_VECTORS),
	IS(FXRSTOR64,   OP_OTHER,            SHAPE_VECTORS),
	IS(XRSTOR,      OP_OTHER,            SHAPE_VECTORS),
	IS(XRSTOR64,    OP_OTHER,            SHAPE_VECTORS),
	IS(XRSTORS,     OP_OTHER,            SHAPE_VECTORS),
	IS(XRSTORS64,   OP_OTHER,            SHAPE_VECTORS),
	IS(VZEROUPPER,  OP_OTHER,            SHAPE_VECTORS),
	IS(VZEROALL,    OP_OTHER,            SHAPE_VECTORS),
};
/* clang-format on */

/* ---- from Zydis's details to an instruction */

struct details {
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	struct operand hidden; /* memory that the text does not name, such as a slot of the stack */
};

/* Returns REG_NONE for registers that are not tracked. */
static uint8_t register_of(ZydisRegister zydis)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, zydis);

	if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15)
		return general_registers[whole - ZYDIS_REGISTER_RAX];
	if (whole >= ZYDIS_REGISTER_ZMM0 && whole <= ZYDIS_REGISTER_ZMM31)
		return (uint8_t)(REG_XMM0 + (whole - ZYDIS_REGISTER_ZMM0));
	return REG_NONE;
}

/* Converts memory: that of ModRM by the encoding, for which Zydis has the scale of displacements
 * and the vectors of indexes, and that which the text does not name. */
static void convert_memory(const ZydisDecodedOperand *source, const struct encoding *encoding,
			   const struct insn *insn, struct operand *operand)
{
	const ZydisDecodedOperandMem *memory = &source->mem;
	struct encoding exact = *encoding;
	struct operand accessed = *operand;

	if (source->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN) {
		*operand = implicit_memory(register_of(memory->base), 0, 0, false);
		/* a prefix of a segment does not change where the stack is */
		if (operand->base != REG_RSP && operand->base != REG_RBP)
			operand->segment = segment_of(encoding);
	} else {
		if (encoding->displacement_scaled)
			exact.displacement = memory->disp.value;
		if (!encoding->has_modrm) { /* A0 to A3 have an address */
			exact.base = exact.index = ENCODING_NONE;
			exact.scale = 1;
		}
		exact.displacement_scaled = false;
		memory_operand(&exact, insn, operand);
		if (memory->type == ZYDIS_MEMOP_TYPE_VSIB)
			operand->index = register_of(memory->index);
	}
	operand->size = accessed.size;
	operand->read = accessed.read;
	operand->write = accessed.write;
}

static void convert_register(const ZydisDecodedOperand *source, struct operand *operand)
{
	unsigned int width = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, source->reg.value);

	operand->reg = register_of(source->reg.value);
	if (operand->reg == REG_NONE) {
		*operand = no_operand;
		return;
	}
	operand->kind = OPERAND_REGISTER;
	operand->high_byte =
		source->reg.value >= ZYDIS_REGISTER_AH && source->reg.value <= ZYDIS_REGISTER_BH;
	/* a register that is not written always, or not wholly by an SSE instruction, is read */
	if (source->actions & ZYDIS_OPERAND_ACTION_CONDWRITE ||
	    (operand->write && operand_is_vector(operand) && source->size < width))
		operand->read = true;
	if (operand_is_vector(operand))
		operand->size = (uint8_t)(width / 8);
}

/* Returns an immediate of 1, 2, 4 or 8 bytes as a signed number. */
static int64_t immediate(int64_t value, uint8_t size)
{
	return size == 1 || size == 2 || size == 4 ? sign_extended((uint64_t)value, 8U * size)
						   : value;
}

static void convert_operand(const ZydisDecodedOperand *source, const struct encoding *encoding,
			    const struct insn *insn, struct operand *operand)
{
	*operand = no_operand;
	operand->size = source->size / 8 <= UINT8_MAX ? (uint8_t)(source->size / 8) : 0;
	operand->read = source->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	operand->write = source->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	switch (source->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER: convert_register(source, operand); break;
	case ZYDIS_OPERAND_TYPE_MEMORY: convert_memory(source, encoding, insn, operand); break;
	default:
		operand->kind = OPERAND_IMMEDIATE;
		operand->value = immediate(source->imm.value.s, operand->size);
		break;
	}
}

/* Adds what the text of the instruction does not name. Those of strings are operands, too. */
static void convert_hidden(struct details *details, const ZydisDecodedOperand *hidden,
			   const struct encoding *encoding, bool is_string, struct insn *insn)
{
	bool is_memory = hidden->type == ZYDIS_OPERAND_TYPE_MEMORY;
	bool is_register = hidden->type == ZYDIS_OPERAND_TYPE_REGISTER;
	uint8_t reg = is_register ? register_of(hidden->reg.value) : REG_NONE;

	if (is_string && (is_memory || reg == REG_RAX)) {
		convert_operand(hidden, encoding, insn, &insn->operands[insn->operand_count++]);
	} else if (is_memory) {
		convert_operand(hidden, encoding, insn, &details->hidden);
	} else if (reg != REG_NONE) {
		if (hidden->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			insn->read |= REG_BIT(reg);
		if (hidden->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			insn->written |= REG_BIT(reg);
	}
}

/* Converts the operands; the masks of AVX-512 are left out. */
static void convert_operands(struct details *details, const struct encoding *encoding,
			     bool is_string, struct insn *insn)
{
	details->hidden = no_operand;
	array_each (const ZydisDecodedOperand, operand, details->operands,
		    details->instruction.operand_count) {
		if (operand->encoding == ZYDIS_OPERAND_ENCODING_MASK)
			continue;
		if (operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
			convert_hidden(details, operand, encoding, is_string, insn);
		else if (insn->operand_count < INSN_OPERANDS)
			convert_operand(operand, encoding, insn,
					&insn->operands[insn->operand_count++]);
	}
}

/* ---- general instructions */

static void add_immediate(struct insn *insn, int64_t value, uint8_t size)
{
	struct operand *operand = &insn->operands[insn->operand_count++];

	*operand = no_operand;
	operand->kind = OPERAND_IMMEDIATE;
	operand->value = value;
	operand->size = size;
	operand->read = true;
}

static void shape_difference(struct insn *insn)
{
	if (!operands_are_same_register(&insn->operands[0], &insn->operands[1]))
		return;
	insn->operation = OP_ZERO;
	insn->operand_count = 1;
	insn->operands[0].read = false;
	insn->operands[1] = no_operand;
}

static void shape_lea(const struct encoding *encoding, struct insn *insn)
{
	insn->operands[1].read = insn->operands[1].write = false;
	insn->operands[1].size = 0;
	/* the sum is cut to 32 bits: not the address of anything */
	if (encoding->address_size_prefix)
		insn->operation = OP_OTHER;
}

static void shape_multiply(struct insn *insn)
{
	if (insn->operand_count < 2)
		return;
	insn->operation = OP_MULTIPLY;
	insn->operands[0].read = false;
	if (insn->operand_count == 2) {
		insn->operands[2] = insn->operands[0];
		insn->operands[2].read = true;
		insn->operands[2].write = false;
		insn->operand_count = 3;
	}
}

static void shape_extend(const struct encoding *encoding, struct insn *insn)
{
	uint8_t size = operand_size(encoding);

	for (unsigned int i = 0; i < 2; i++)
		insn->operands[i] = register_operand(REG_RAX, i ? size / 2 : size, i);
	insn->operand_count = 2;
}

static void shape_hint(struct insn *insn)
{
	insn->flags &= ~FLAG_WRITES_FLAGS;
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		insn->operands[i].read = insn->operands[i].write = false;
		insn->operands[i].size = 0;
	}
}

static void shape_push(const struct details *details, const struct encoding *encoding,
		       struct insn *insn)
{
	uint8_t size = details->hidden.size;

	/* flags and segment registers are left out */
	insn->operands[1] = insn->operand_count ? insn->operands[0] : no_operand;
	insn->operands[1].size = insn->operands[1].kind == OPERAND_NONE ? 0 : size;
	if (insn->operands[1].kind == OPERAND_IMMEDIATE)
		insn->operands[1].value = encoding->immediate;
	insn->operands[0] = implicit_memory(REG_RSP, -(int64_t)size, size, true);
	insn->operand_count = 2;
}

static void shape_pop(const struct details *details, struct insn *insn)
{
	struct operand *destination = &insn->operands[0];

	if (!insn->operand_count)
		*destination = no_operand;
	insn->operands[1] = details->hidden;
	insn->operand_count = 2;
	/* an address relative to rsp is computed after the increment (SDM, POP) */
	if (destination->kind == OPERAND_MEMORY && destination->base == REG_RSP)
		destination->value += details->hidden.size;
}

static void shape_leave(const struct details *details, struct insn *insn)
{
	insn->operands[0] = register_operand(REG_RBP, details->hidden.size, false);
	insn->operands[1] = details->hidden;
	insn->operand_count = 2;
	insn->read = REG_BIT(REG_RBP);
	insn->written = REG_BIT(REG_RBP) | REG_BIT(REG_RSP);
}

/* Shapes enter: push rbp; rbp = rsp; rsp -= s. Compilers use no nesting levels above 0. */
static void shape_enter(const struct details *details, const struct encoding *encoding,
			struct insn *insn)
{
	uint8_t size = details->hidden.size;

	insn->operands[0] = implicit_memory(REG_RSP, -(int64_t)size, size, true);
	insn->operand_count = 1;
	add_immediate(insn, (uint16_t)encoding->immediate, 2);
}

static void shape_target(const struct encoding *encoding, struct insn *insn)
{
	struct operand *target = &insn->operands[0];

	target->read = target->kind != OPERAND_NONE;
	target->write = false;
	if (target->kind == OPERAND_IMMEDIATE) {
		target->size = 8;
		target->value =
			(int64_t)(insn->address + insn->length + (uint64_t)encoding->immediate);
	}
	insn->operand_count = 1;
}

static void shape_call(const struct details *details, const struct encoding *encoding,
		       struct insn *insn)
{
	/* a far call pushes the code segment as well */
	uint8_t size = details->hidden.size;

	shape_target(encoding, insn);
	insn->operands[1] = implicit_memory(REG_RSP, -(int64_t)size, size, true);
	insn->operand_count = 2;
}

/* iret pops five words, a far return two. */
static void shape_return(const struct details *details, const struct encoding *encoding,
			 struct insn *insn)
{
	bool pops_arguments = insn->operand_count;

	insn->operands[0] = details->hidden;
	insn->operand_count = 1;
	if (pops_arguments)
		add_immediate(insn, (uint16_t)encoding->immediate, 2);
}

static void swap_operands(struct insn *insn)
{
	struct operand first = insn->operands[0];

	insn->operands[0] = insn->operands[1];
	insn->operands[1] = first;
}

/* Shapes a string instruction: operands as in the manual. */
static void shape_string(const struct details *details, const struct encoding *encoding,
			 struct insn *insn)
{
	uint64_t walks = 0; /* which of rsi and rdi the instruction advances */

	insn->read = insn->written = 0;
	if (details->instruction.mnemonic == ZYDIS_MNEMONIC_XLAT) {
		swap_operands(insn);
		/* only al is added, which no index expresses: the address is not known */
		insn->operands[1].base = REG_NONE;
		insn->operands[1].absolute = false;
		insn->read = REG_BIT(REG_RAX) | REG_BIT(REG_RBX);
		return;
	}
	if (insn->operation == OP_SCAN_STRING)
		swap_operands(insn);
	if (insn->operation == OP_OTHER)
		insn->read |= REG_BIT(REG_RDX); /* the port of ins and outs */
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		struct operand *operand = &insn->operands[i];

		if (operand->kind == OPERAND_MEMORY)
			walks |= REG_BIT(operand->base);
		/* only the operand at rsi can have an fs or gs prefix */
		if (operand->base == REG_RDI)
			operand->segment = SEGMENT_NONE;
	}
	insn->read |= walks;
	insn->written |= walks;
	if (encoding->repeat) {
		insn->flags |= FLAG_REPEAT;
		insn->read |= REG_BIT(REG_RCX);
		insn->written |= REG_BIT(REG_RCX);
	}
}

/* Shapes clzero, whose memory may have a segment, movdir64b and enqcmd. */
static void shape_pointed(const struct encoding *encoding, struct insn *insn)
{
	insn->operands[0] = implicit_memory(insn->operands[0].reg, 0, 64, true);
	if (insn->operand_count == 1)
		insn->operands[0].segment = segment_of(encoding);
}

/* ---- vector moves */

static void set_operation(struct insn *insn, enum operation operation, unsigned int operand_count,
			  uint8_t size)
{
	insn->operation = operation;
	insn->operand_count = operand_count;
	if (!size)
		return;
	for (unsigned int i = 0; i < operand_count; i++)
		insn->operands[i].size = size;
}

/* Shapes movd and movq. The size is the general register's or the memory's; between vectors 8. */
static void shape_move_word(struct insn *insn)
{
	uint8_t size = insn->operands[0].size == 4 ? 4 : 8;

	if (insn->operand_count != 2)
		return;
	insn->operation = operand_is_vector(&insn->operands[0]) ? OP_MOVE_ZERO : OP_MOVE;
	if (operand_is_vector(&insn->operands[1]))
		insn->operands[1].size = size;
}

static void shape_move_scalar(struct insn *insn, uint8_t size)
{
	/* the form of three registers takes the upper part from the second */
	if (insn->operand_count != 2)
		return;
	if (operand_is_vector(&insn->operands[0]) && insn->operands[1].kind == OPERAND_MEMORY)
		insn->operation = OP_MOVE_ZERO;
	else
		set_operation(insn, OP_MOVE, 2, size);
}

static void shape_move_high(struct insn *insn)
{
	struct operand *operands = insn->operands;

	if (operands[0].kind == OPERAND_MEMORY && insn->operand_count == 2)
		insn->operation = OP_STORE_HIGH;
	else if (operand_is_vector(&operands[0]))
		insn->operation = OP_VECTOR_HIGH;
}

static void shape_xor(struct insn *insn)
{
	if (insn->operand_count < 2)
		return;
	const struct operand *first = &insn->operands[insn->operand_count - 2];
	const struct operand *second = &insn->operands[insn->operand_count - 1];

	if (!operand_is_vector(first) || !operand_is_vector(second) || first->reg != second->reg)
		return;
	insn->operands[0].read = false;
	set_operation(insn, OP_ZERO, 1, 0);
}

static void shape_duplicate(struct insn *insn)
{
	if (insn->operand_count != 2 || !operand_is_vector(&insn->operands[1]) ||
	    insn->operands[0].size != 16)
		return;
	insn->operands[2] = insn->operands[1];
	set_operation(insn, OP_VECTOR_UNPACK, 3, 0);
}

/* Shapes pinsrq and its three-operand form: {d, [s,] t, immediate}. */
static void shape_insert(struct insn *insn)
{
	unsigned int last = insn->operand_count - 1;

	if (insn->operand_count < 3 || insn->operands[last].kind != OPERAND_IMMEDIATE)
		return;
	if (insn->operands[last].value & 1)
		set_operation(insn, OP_VECTOR_HIGH, last, 0);
	else if (last == 2)
		set_operation(insn, OP_MOVE, 2, 8);
}

static void shape_extract(struct insn *insn)
{
	if (insn->operand_count != 3 || insn->operands[2].kind != OPERAND_IMMEDIATE)
		return;
	if (insn->operands[2].value & 1)
		set_operation(insn, OP_STORE_HIGH, 2, 0);
	else
		set_operation(insn, OP_MOVE, 2, 8);
}

static void apply_vector_shape(enum insn_shape shape, struct insn *insn)
{
	switch (shape) {
	case SHAPE_MOVE_WORD: shape_move_word(insn); break;
	case SHAPE_MOVE_SCALAR_2: shape_move_scalar(insn, 2); break;
	case SHAPE_MOVE_SCALAR_4: shape_move_scalar(insn, 4); break;
	case SHAPE_MOVE_SCALAR_8: shape_move_scalar(insn, 8); break;
	case SHAPE_MOVE_LOW:
		if (insn->operand_count == 2)
			set_operation(insn, OP_MOVE, 2, 8);
		break;
	case SHAPE_MOVE_HIGH: shape_move_high(insn); break;
	case SHAPE_UNPACK:
		if (insn->operands[0].size == 16)
			insn->operation = OP_VECTOR_UNPACK;
		break;
	case SHAPE_DUPLICATE: shape_duplicate(insn); break;
	case SHAPE_XOR: shape_xor(insn); break;
	case SHAPE_INSERT: shape_insert(insn); break;
	case SHAPE_EXTRACT: shape_extract(insn); break;
	default: break;
	}
}

/* The kernel's: arguments in rdi, rsi, rdx, r10, r8, r9; syscall itself takes rcx and r11. */
#define SYSTEM_CALL_READ                                                                           \
	(RAX | RDX | RDI | RSI | REG_BIT(REG_R8) | REG_BIT(REG_R9) | REG_BIT(REG_R10))

static void apply_shape(const struct details *details, enum insn_shape shape,
			const struct encoding *encoding, struct insn *insn)
{
	switch (shape) {
	case SHAPE_PLAIN:
		if (details->hidden.kind == OPERAND_MEMORY && insn->operand_count < INSN_OPERANDS)
			insn->operands[insn->operand_count++] = details->hidden;
		break;
	case SHAPE_DIFFERENCE: shape_difference(insn); break;
	case SHAPE_LEA: shape_lea(encoding, insn); break;
	case SHAPE_STEP: add_immediate(insn, 1, insn->operands[0].size); break;
	case SHAPE_MULTIPLY: shape_multiply(insn); break;
	case SHAPE_CONDITION: insn->condition = encoding->opcode & 0xf; break;
	case SHAPE_EXTEND: shape_extend(encoding, insn); break;
	case SHAPE_KEEPS: insn->operands[0].read = true; break;
	case SHAPE_SIGN:
		/* movsxd into 16 bits: AMD reads four bytes, Intel two; no compiler emits it */
		if (insn->operands[1].size > insn->operands[0].size)
			insn->operation = OP_OTHER;
		break;
	case SHAPE_BIT: insn->flags |= FLAG_BIT_NUMBER; break;
	case SHAPE_ANYTHING:
		insn->operand_count = 0;
		insn->read |= X86_GENERAL;
		insn->written |= X86_GENERAL & ~REG_BIT(REG_RSP);
		break;
	case SHAPE_SYSTEM_CALL:
		insn->read |= SYSTEM_CALL_READ;
		insn->written |= RAX;
		break;
	case SHAPE_VECTORS: insn->written |= VECTOR_MASK; break;
	case SHAPE_NOP:
		insn->operand_count = 0;
		insn->read = insn->written = 0;
		break;
	case SHAPE_HINT: shape_hint(insn); break;
	case SHAPE_PUSH: shape_push(details, encoding, insn); break;
	case SHAPE_POP: shape_pop(details, insn); break;
	case SHAPE_LEAVE: shape_leave(details, insn); break;
	case SHAPE_ENTER: shape_enter(details, encoding, insn); break;
	case SHAPE_CALL: shape_call(details, encoding, insn); break;
	case SHAPE_RETURN: shape_return(details, encoding, insn); break;
	case SHAPE_BRANCH:
		insn->condition = encoding->opcode & 0xf;
		shape_target(encoding, insn);
		break;
	case SHAPE_TARGET: shape_target(encoding, insn); break;
	case SHAPE_STRING: shape_string(details, encoding, insn); break;
	case SHAPE_POINTED: shape_pointed(encoding, insn); break;
	default: apply_vector_shape(shape, insn); break;
	}
}

/* Returns the meaning of an instruction. movsd and cmpsd are strings, and instructions of SSE. With
 * a mask or a broadcast element, moves are none. */
static struct meaning meaning_of(ZydisMnemonic mnemonic, const struct encoding *encoding)
{
	static const struct meaning move_string = { OP_MOVE_STRING, SHAPE_STRING };
	static const struct meaning other = { OP_OTHER, SHAPE_PLAIN };

	if (mnemonic == ZYDIS_MNEMONIC_MOVSD && encoding->map == MAP_PRIMARY)
		return move_string;
	if (encoding->kind == ENCODING_EVEX && (encoding->mask || encoding->broadcast))
		return other;
	return mnemonic == ZYDIS_MNEMONIC_CMPSD && encoding->map != MAP_PRIMARY
		       ? other
		       : meanings[mnemonic];
}

/* Makes the operation OP_OTHER if an operand is not tracked, but for the stack and jumps. */
static void give_up_untracked(struct insn *insn)
{
	if (insn->operation == OP_PUSH || insn->operation == OP_POP || insn->operation == OP_CALL ||
	    insn->operation == OP_JUMP)
		return;
	for (unsigned int i = 0; i < insn->operand_count; i++)
		if (insn->operands[i].kind == OPERAND_NONE) {
			insn->operation = OP_OTHER;
			insn->condition = CONDITION_NONE;
		}
}

/* Sets the sizes of constants: as their operands are; in vector instructions bytes. */
static void size_constants(const struct encoding *encoding, struct insn *insn)
{
	const struct operand *operands = insn->operands;
	bool is_general = encoding->kind <= ENCODING_REX2 && encoding->map <= MAP_0F &&
			  !operand_is_vector(&operands[0]) && !operand_is_vector(&operands[1]);

	for (unsigned int i = 1; i < insn->operand_count; i++) {
		struct operand *operand = &insn->operands[i];

		if (operand->kind != OPERAND_IMMEDIATE || operands[0].kind == OPERAND_NONE)
			continue;
		operand->size = is_general ? operands[0].size : 1;
		operand->value = immediate(operand->value, operand->size);
	}
}

/* True if the instruction changes a flag that conditions ask for, or leaves it undefined. */
static bool writes_flags(const ZydisDecodedInstruction *instruction)
{
	const ZydisAccessedFlags *flags = instruction->cpu_flags;

	return flags &&
	       (flags->modified | flags->set_0 | flags->set_1 | flags->undefined) &
		       (ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF);
}

bool translate(const ZydisDecoder *decoder, const uint8_t *bytes, const struct encoding *encoding,
	       struct insn *insn)
{
	struct details details;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, bytes, encoding->length,
						 &details.instruction, details.operands)) ||
	    details.instruction.length != encoding->length)
		return false;
	struct meaning meaning = meaning_of(details.instruction.mnemonic, encoding);

	insn->operation = meaning.operation;
	if (writes_flags(&details.instruction))
		insn->flags |= FLAG_WRITES_FLAGS;
	convert_operands(&details, encoding, meaning.shape == SHAPE_STRING, insn);
	size_constants(encoding, insn);
	apply_shape(&details, meaning.shape, encoding, insn);
	give_up_untracked(insn);
	insn_add_operands(insn);
	return true;
}
