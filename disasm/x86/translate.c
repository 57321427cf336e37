// SPDX-License-Identifier: GPL-2.0-or-later
/* Translates capstone's details into a struct insn: see decoders.h. */

#include "disasm/x86/decoders.h"
#include "base/memory.h"

/* ---- the meaning of an instruction number */

/* The changes that an instruction needs beyond its operation and its operands. */
enum insn_shape {
	SHAPE_PLAIN,
	SHAPE_DIFFERENCE, /* zero if both operands are the same register (xor, sub) */
	SHAPE_LEA,
	SHAPE_STEP,     /* inc, dec: a constant 1 is the second operand */
	SHAPE_SHIFT,    /* the same, if the instruction names no count */
	SHAPE_MULTIPLY, /* imul */
	SHAPE_CONDITION,
	SHAPE_EXTEND, /* cbw, cwde, cdqe: the accumulator, of half the size */
	/* xchg with the accumulator, as the second operand: versions of capstone differ */
	SHAPE_EXCHANGE,
	SHAPE_SIGN, /* movsx: the source may not be wider than the destination */
	SHAPE_BIT,  /* bt: the second operand is the number of a bit */
	SHAPE_BARE, /* capstone's operands are left out */
	SHAPE_NOP,  /* operands mean nothing */
	SHAPE_HINT, /* memory is named and not accessed */
	SHAPE_PUSH,
	SHAPE_POP,
	SHAPE_LEAVE,
	SHAPE_ENTER,
	SHAPE_CALL,
	SHAPE_RETURN,
	SHAPE_TARGET, /* jumps; a register or memory is read whatever it is */
	SHAPE_BRANCH, /* conditional jumps */
	SHAPE_STRING,
	SHAPE_MASKED_STORE,
	SHAPE_MOVE_WORD,     /* movd, movq: zero-extends into a vector register */
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

#define IS(name, ...) [X86_INS_##name] = { __VA_ARGS__ }

/* One row for each condition: cmova, seta, ja ... */
#define CONDITIONS(name, ...)                                                                      \
	IS(name##A, __VA_ARGS__), IS(name##AE, __VA_ARGS__), IS(name##B, __VA_ARGS__),             \
		IS(name##BE, __VA_ARGS__), IS(name##E, __VA_ARGS__), IS(name##G, __VA_ARGS__),     \
		IS(name##GE, __VA_ARGS__), IS(name##L, __VA_ARGS__), IS(name##LE, __VA_ARGS__),    \
		IS(name##NE, __VA_ARGS__), IS(name##NO, __VA_ARGS__), IS(name##NP, __VA_ARGS__),   \
		IS(name##NS, __VA_ARGS__), IS(name##O, __VA_ARGS__), IS(name##P, __VA_ARGS__),     \
		IS(name##S, __VA_ARGS__)
/* The four widths of a string instruction */
#define STRINGS(name, operation)                                                                   \
	IS(name##B, operation, SHAPE_STRING), IS(name##W, operation, SHAPE_STRING),                \
		IS(name##D, operation, SHAPE_STRING), IS(name##Q, operation, SHAPE_STRING)

/* The operation of each X86_INS_*; others are OP_OTHER with capstone's operands. */
/* clang-format off */
static const struct meaning meanings[X86_INS_ENDING] = {
	/* moves and arithmetic */
	IS(MOV,         OP_MOVE,             SHAPE_PLAIN),
	IS(MOVABS,      OP_MOVE,             SHAPE_PLAIN),
	IS(MOVNTI,      OP_MOVE,             SHAPE_PLAIN),
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
	IS(SHL,         OP_SHIFT_LEFT,       SHAPE_SHIFT),
	IS(SAL,         OP_SHIFT_LEFT,       SHAPE_SHIFT),
	IS(SHR,         OP_SHIFT_RIGHT,      SHAPE_SHIFT),
	IS(SAR,         OP_SHIFT_ARITHMETIC, SHAPE_SHIFT),
	IS(SHLX,        OP_SHIFT_LEFT,       SHAPE_PLAIN),
	IS(SHRX,        OP_SHIFT_RIGHT,      SHAPE_PLAIN),
	IS(SARX,        OP_SHIFT_ARITHMETIC, SHAPE_PLAIN),
	IS(ROL,         OP_ROTATE_LEFT,      SHAPE_SHIFT),
	IS(ROR,         OP_ROTATE_RIGHT,     SHAPE_SHIFT),
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
	IS(RCL,         OP_OTHER,            SHAPE_SHIFT),
	IS(RCR,         OP_OTHER,            SHAPE_SHIFT),
	IS(IMUL,        OP_OTHER,            SHAPE_MULTIPLY),
	IS(CMP,         OP_COMPARE,          SHAPE_PLAIN),
	IS(TEST,        OP_TEST,             SHAPE_PLAIN),
	IS(BT,          OP_TEST,             SHAPE_BIT),
	IS(XCHG,        OP_EXCHANGE,         SHAPE_EXCHANGE),
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
	IS(LJMP,        OP_JUMP,             SHAPE_TARGET),
	IS(CALL,        OP_CALL,             SHAPE_CALL),
	IS(LCALL,       OP_CALL,             SHAPE_CALL),
	IS(RET,         OP_RETURN,           SHAPE_RETURN),
	IS(RETF,        OP_RETURN,           SHAPE_RETURN),
	IS(RETFQ,       OP_RETURN,           SHAPE_RETURN),
	IS(IRET,        OP_RETURN,           SHAPE_RETURN),
	IS(IRETD,       OP_RETURN,           SHAPE_RETURN),
	IS(IRETQ,       OP_RETURN,           SHAPE_RETURN),
	IS(SYSCALL,     OP_SYSTEM_CALL,      SHAPE_PLAIN),
	IS(SYSENTER,    OP_SYSTEM_CALL,      SHAPE_PLAIN),
	IS(INT,         OP_OTHER,            SHAPE_BARE),
	IS(INT1,        OP_TRAP,             SHAPE_PLAIN),
	IS(INT3,        OP_TRAP,             SHAPE_PLAIN),
	IS(HLT,         OP_TRAP,             SHAPE_PLAIN),
	IS(UD0,         OP_TRAP,             SHAPE_NOP),
	IS(UD2,         OP_TRAP,             SHAPE_PLAIN),
#if CS_API_MAJOR >= 5
	IS(UD1,         OP_TRAP,             SHAPE_NOP),
	IS(SYSRETQ,     OP_TRAP,             SHAPE_PLAIN), /* leaves for another program */
	IS(SYSEXITQ,    OP_TRAP,             SHAPE_PLAIN),
#else
	IS(UD2B,        OP_TRAP,             SHAPE_NOP),
#endif
	IS(SYSRET,      OP_TRAP,             SHAPE_PLAIN),
	IS(SYSEXIT,     OP_TRAP,             SHAPE_PLAIN),
	IS(RSM,         OP_TRAP,             SHAPE_PLAIN),
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
	IS(XLATB,       OP_OTHER,            SHAPE_STRING),
	IS(MASKMOVQ,    OP_OTHER,            SHAPE_MASKED_STORE),
	IS(MASKMOVDQU,  OP_OTHER,            SHAPE_MASKED_STORE),
	IS(VMASKMOVDQU, OP_OTHER,            SHAPE_MASKED_STORE),
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
	IS(LFENCE,      OP_NOP,              SHAPE_PLAIN),
	IS(MFENCE,      OP_NOP,              SHAPE_PLAIN),
	IS(SFENCE,      OP_NOP,              SHAPE_PLAIN),
#if CS_API_MAJOR >= 5
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
#endif
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
};
/* clang-format on */

/* ---- from capstone's details to an instruction */

struct register_part {
	uint8_t number; /* enum reg + 1; 0: not tracked */
	bool high_byte;
};

#define PART(capstone, reg) [capstone] = { (reg) + 1, false }
#define FAMILY(name, reg)                                                                          \
	PART(X86_REG_R##name##X, reg), PART(X86_REG_E##name##X, reg),                              \
		PART(X86_REG_##name##X, reg), PART(X86_REG_##name##L, reg),                        \
		[X86_REG_##name##H] = { (reg) + 1, true }
#define POINTER(name, reg)                                                                         \
	PART(X86_REG_R##name, reg), PART(X86_REG_E##name, reg), PART(X86_REG_##name, reg),         \
		PART(X86_REG_##name##L, reg)
#define NUMBERED(name, reg)                                                                        \
	PART(X86_REG_##name, reg), PART(X86_REG_##name##D, reg), PART(X86_REG_##name##W, reg),     \
		PART(X86_REG_##name##B, reg)
#define VECTOR(number)                                                                             \
	PART(X86_REG_XMM##number, REG_XMM0 + number),                                              \
		PART(X86_REG_YMM##number, REG_XMM0 + number),                                      \
		PART(X86_REG_ZMM##number, REG_XMM0 + number)

static const struct register_part register_parts[X86_REG_ENDING] = {
	FAMILY(A, REG_RAX),
	FAMILY(B, REG_RBX),
	FAMILY(C, REG_RCX),
	FAMILY(D, REG_RDX),
	POINTER(SI, REG_RSI),
	POINTER(DI, REG_RDI),
	POINTER(BP, REG_RBP),
	POINTER(SP, REG_RSP),
	NUMBERED(R8, REG_R8),
	NUMBERED(R9, REG_R9),
	NUMBERED(R10, REG_R10),
	NUMBERED(R11, REG_R11),
	NUMBERED(R12, REG_R12),
	NUMBERED(R13, REG_R13),
	NUMBERED(R14, REG_R14),
	NUMBERED(R15, REG_R15),
	VECTOR(0),
	VECTOR(1),
	VECTOR(2),
	VECTOR(3),
	VECTOR(4),
	VECTOR(5),
	VECTOR(6),
	VECTOR(7),
	VECTOR(8),
	VECTOR(9),
	VECTOR(10),
	VECTOR(11),
	VECTOR(12),
	VECTOR(13),
	VECTOR(14),
	VECTOR(15),
	VECTOR(16),
	VECTOR(17),
	VECTOR(18),
	VECTOR(19),
	VECTOR(20),
	VECTOR(21),
	VECTOR(22),
	VECTOR(23),
	VECTOR(24),
	VECTOR(25),
	VECTOR(26),
	VECTOR(27),
	VECTOR(28),
	VECTOR(29),
	VECTOR(30),
	VECTOR(31),
};

static uint8_t register_of(unsigned int capstone)
{
	return capstone < X86_REG_ENDING ? (uint8_t)(register_parts[capstone].number - 1)
					 : REG_NONE;
}

static uint64_t register_mask(const uint16_t *registers, unsigned int count)
{
	uint64_t mask = 0;

	for (unsigned int i = 0; i < count; i++) {
		uint8_t reg = register_of(registers[i]);

		if (reg != REG_NONE)
			mask |= REG_BIT(reg);
	}
	return mask;
}

static void convert_memory(const cs_x86_op *source, const struct encoding *encoding,
			   const struct insn *insn, struct operand *operand)
{
	const x86_op_mem *memory = &source->mem;

	operand->kind = OPERAND_MEMORY;
	operand->base = register_of(memory->base);
	operand->index = register_of(memory->index);
	operand->scale = memory->scale ?: 1;
	/* capstone has the last segment prefix, but cs, ds, es, ss do not cancel fs or gs */
	operand->segment = segment_of(encoding);
	operand->value = memory->disp;
	if (memory->base == X86_REG_RIP || memory->base == X86_REG_EIP) {
		operand->pc_relative = true;
		operand->value += (int64_t)(insn->address + insn->length);
	}
	operand->absolute = operand->base == REG_NONE;
	if (encoding->address_size_prefix && operand->absolute)
		operand->value = (uint32_t)operand->value;
}

/* Returns an immediate of 1, 2, 4 or 8 bytes as a signed number. */
static int64_t immediate(int64_t value, uint8_t size)
{
	return size == 1 || size == 2 || size == 4 ? sign_extended((uint64_t)value, 8U * size)
						   : value;
}

static void convert_operand(const cs_x86_op *source, const struct encoding *encoding,
			    const struct insn *insn, struct operand *operand)
{
	*operand = no_operand;
	operand->size = source->size;
	operand->read = source->access & CS_AC_READ;
	operand->write = (source->access & CS_AC_WRITE) != 0;
	switch (source->type) {
	case X86_OP_REG:
		operand->reg = register_of(source->reg);
		if (operand->reg == REG_NONE) {
			*operand = no_operand;
			break;
		}
		operand->kind = OPERAND_REGISTER;
		operand->high_byte = register_parts[source->reg].high_byte;
		break;
	case X86_OP_MEM: convert_memory(source, encoding, insn, operand); break;
	default:
		operand->kind = OPERAND_IMMEDIATE;
		operand->value = immediate(source->imm, source->size);
		operand->read = true;
		operand->write = false;
		break;
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

static void shape_lea(const cs_insn *source, struct insn *insn)
{
	insn->operands[1].read = insn->operands[1].write = false;
	insn->operands[1].size = 0;
	/* the sum is cut to 32 bits: not the address of anything */
	if (source->detail->x86.addr_size == 4)
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

static void shape_push(const struct encoding *encoding, struct insn *insn)
{
	uint8_t size = stack_size(encoding);

	/* flags and segment registers are left out */
	insn->operands[1] = insn->operand_count ? insn->operands[0] : no_operand;
	insn->operands[1].size = insn->operands[1].kind == OPERAND_NONE ? 0 : size;
	if (insn->operands[1].kind == OPERAND_IMMEDIATE)
		insn->operands[1].value = encoding->length
						  ? encoding->immediate
						  : immediate(insn->operands[1].value, size);
	insn->operands[0] = implicit_memory(REG_RSP, -(int64_t)size, size, true);
	insn->operand_count = 2;
	insn->written |= REG_BIT(REG_RSP);
}

static void shape_pop(const struct encoding *encoding, struct insn *insn)
{
	struct operand *destination = &insn->operands[0];
	uint8_t size = stack_size(encoding);

	if (!insn->operand_count)
		*destination = no_operand;
	insn->operands[1] = implicit_memory(REG_RSP, 0, size, false);
	insn->operand_count = 2;
	insn->written |= REG_BIT(REG_RSP);
	/* an address relative to rsp is computed after the increment (SDM, POP) */
	if (destination->kind == OPERAND_MEMORY && destination->base == REG_RSP)
		destination->value += size;
}

static void shape_leave(const struct encoding *encoding, struct insn *insn)
{
	uint8_t size = stack_size(encoding);

	insn->operands[0] = register_operand(REG_RBP, size, false);
	insn->operands[1] = implicit_memory(REG_RBP, 0, size, false);
	insn->operand_count = 2;
	insn->read = REG_BIT(REG_RBP);
	insn->written = REG_BIT(REG_RBP) | REG_BIT(REG_RSP);
}

/* Shapes enter: push rbp; rbp = rsp; rsp -= s. Compilers use no nesting levels above 0. */
static void shape_enter(const struct encoding *encoding, struct insn *insn)
{
	uint8_t size = stack_size(encoding);

	insn->operands[0] = implicit_memory(REG_RSP, -(int64_t)size, size, true);
	insn->operand_count = 1;
	add_immediate(insn, (uint16_t)encoding->immediate, 2);
	insn->read = insn->written = REG_BIT(REG_RBP) | REG_BIT(REG_RSP);
}

static void shape_target(const struct encoding *encoding, struct insn *insn)
{
	struct operand *target = &insn->operands[0];

	target->read = target->kind != OPERAND_NONE;
	target->write = false;
	if (target->kind == OPERAND_IMMEDIATE) {
		target->size = 8;
		/* capstone cuts it to 16 bits after an operand size prefix */
		if (encoding->length)
			target->value = (int64_t)(insn->address + insn->length +
						  (uint64_t)encoding->immediate);
	}
	insn->operand_count = 1;
}

static void shape_call(unsigned int id, const struct encoding *encoding, struct insn *insn)
{
	/* a far call pushes the code segment as well */
	uint8_t size = id == X86_INS_LCALL ? 16 : 8;

	shape_target(encoding, insn);
	insn->operands[1] = implicit_memory(REG_RSP, -(int64_t)size, size, true);
	insn->operand_count = 2;
	insn->written |= REG_BIT(REG_RSP);
}

static void shape_return(unsigned int id, const struct encoding *encoding, struct insn *insn)
{
	bool pops_arguments = insn->operand_count;
	/* iret pops five words, a far return two */
	uint8_t words = 1, size = 8;

	if (id != X86_INS_RET) {
		words = id == X86_INS_RETF || id == X86_INS_RETFQ ? 2 : 5;
		size = operand_size(encoding);
	}
	insn->operands[0] = implicit_memory(REG_RSP, 0, words * size, false);
	insn->operand_count = 1;
	if (pops_arguments)
		add_immediate(insn, (uint16_t)encoding->immediate, 2);
	insn->read |= REG_BIT(REG_RSP);
	insn->written |= REG_BIT(REG_RSP);
}

static void swap_operands(struct insn *insn)
{
	struct operand first = insn->operands[0];

	insn->operands[0] = insn->operands[1];
	insn->operands[1] = first;
}

/* Shapes a string instruction: operands as in the manual; the operation writes one. */
static void shape_string(unsigned int id, const struct encoding *encoding, struct insn *insn)
{
	uint64_t walks = 0; /* which of rsi and rdi the instruction advances */

	/* capstone gives rcx to some forms, although nothing repeats them */
	insn->read = insn->written = 0;
	if (id == X86_INS_XLATB) {
		insn->operands[0] = register_operand(REG_RAX, 1, false);
		/* only al is added, which no index expresses: the address is not known */
		insn->operands[1] = implicit_memory(REG_NONE, 0, 1, false);
		insn->operands[1].segment = segment_of(encoding);
		insn->operand_count = 2;
		insn->read = REG_BIT(REG_RAX) | REG_BIT(REG_RBX);
		insn->written = REG_BIT(REG_RAX);
		return;
	}
	/* scas has its memory first; the port of ins and outs is left out */
	if (insn->operation == OP_SCAN_STRING && insn->operands[0].kind == OPERAND_REGISTER)
		swap_operands(insn);
	if (insn->operation == OP_OTHER) {
		if (insn->operands[0].kind == OPERAND_REGISTER)
			swap_operands(insn);
		insn->operand_count = 1;
		insn->read |= REG_BIT(REG_RDX);
	}
	bool stores = insn->operation != OP_SCAN_STRING && insn->operation != OP_COMPARE_STRING &&
		      id != X86_INS_OUTSB && id != X86_INS_OUTSW && id != X86_INS_OUTSD;

	array_indexed (struct operand, operand, i, insn->operands, insn->operand_count) {
		operand->write = i == 0 && stores;
		operand->read = !operand->write;
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

/* Shapes maskmovdqu and maskmovq, which store to memory at rdi that they do not name. */
static void shape_masked_store(const struct encoding *encoding, struct insn *insn)
{
	struct operand *operand = &insn->operands[insn->operand_count++];

	*operand =
		implicit_memory(REG_RDI, 0, operand_is_vector(&insn->operands[0]) ? 16 : 8, true);
	operand->segment = segment_of(encoding);
}

static void apply_vector_shape(enum insn_shape shape, struct insn *insn)
{
	switch (shape) {
	case SHAPE_MOVE_WORD: shape_move_word(insn); break;
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

static void apply_shape(const cs_insn *source, unsigned int id, enum insn_shape shape,
			const struct encoding *encoding, struct insn *insn)
{
	switch (shape) {
	case SHAPE_PLAIN: break;
	case SHAPE_DIFFERENCE: shape_difference(insn); break;
	case SHAPE_LEA: shape_lea(source, insn); break;
	case SHAPE_STEP: add_immediate(insn, 1, insn->operands[0].size); break;
	case SHAPE_SHIFT:
		if (insn->operand_count == 1)
			add_immediate(insn, 1, insn->operands[0].size);
		break;
	case SHAPE_MULTIPLY: shape_multiply(insn); break;
	case SHAPE_CONDITION: insn->condition = encoding->opcode & 0xf; break;
	case SHAPE_EXTEND: shape_extend(encoding, insn); break;
	case SHAPE_EXCHANGE:
		if (encoding->map == MAP_PRIMARY && (encoding->opcode & 0xf8) == 0x90 &&
		    insn->operands[0].reg == REG_RAX)
			swap_operands(insn);
		break;
	case SHAPE_SIGN:
		/* movsxd into 16 bits: AMD reads four bytes, Intel two; no compiler emits it */
		if (insn->operands[1].size > insn->operands[0].size)
			insn->operation = OP_OTHER;
		break;
	case SHAPE_BIT: insn->flags |= FLAG_BIT_NUMBER; break;
	case SHAPE_BARE: insn->operand_count = 0; break;
	case SHAPE_NOP:
		insn->operand_count = 0;
		insn->read = insn->written = 0;
		break;
	case SHAPE_HINT: shape_hint(insn); break;
	case SHAPE_PUSH: shape_push(encoding, insn); break;
	case SHAPE_POP: shape_pop(encoding, insn); break;
	case SHAPE_LEAVE: shape_leave(encoding, insn); break;
	case SHAPE_ENTER: shape_enter(encoding, insn); break;
	case SHAPE_CALL: shape_call(id, encoding, insn); break;
	case SHAPE_RETURN: shape_return(id, encoding, insn); break;
	case SHAPE_BRANCH:
		insn->condition = encoding->opcode & 0xf;
		shape_target(encoding, insn);
		break;
	case SHAPE_TARGET: shape_target(encoding, insn); break;
	case SHAPE_MASKED_STORE: shape_masked_store(encoding, insn); break;
	case SHAPE_STRING: shape_string(id, encoding, insn); break;
	default: apply_vector_shape(shape, insn); break;
	}
}

#define FLAGS_WRITTEN                                                                              \
	(X86_EFLAGS_MODIFY_CF | X86_EFLAGS_MODIFY_ZF | X86_EFLAGS_MODIFY_SF |                      \
	 X86_EFLAGS_MODIFY_OF | X86_EFLAGS_RESET_OF | X86_EFLAGS_RESET_CF | X86_EFLAGS_RESET_ZF |  \
	 X86_EFLAGS_RESET_SF | X86_EFLAGS_UNDEFINED_OF | X86_EFLAGS_UNDEFINED_SF |                 \
	 X86_EFLAGS_UNDEFINED_ZF | X86_EFLAGS_UNDEFINED_CF | X86_EFLAGS_SET_CF)

static void convert_operands(const cs_x86 *detail, const struct encoding *encoding,
			     struct insn *insn)
{
	for (unsigned int i = 0; i < detail->op_count && insn->operand_count < INSN_OPERANDS; i++)
		convert_operand(&detail->operands[i], encoding, insn,
				&insn->operands[insn->operand_count++]);
}

/* Returns the meaning of `id`. movsd and cmpsd with two memory operands are string instructions. */
static struct meaning meaning_of(unsigned int id, const cs_x86 *detail)
{
	static const struct meaning move_string = { OP_MOVE_STRING, SHAPE_STRING };
	static const struct meaning compare_scalar = { OP_OTHER, SHAPE_PLAIN };
	bool is_string = detail->op_count == 2 && detail->operands[0].type == X86_OP_MEM &&
			 detail->operands[1].type == X86_OP_MEM;

	if (id == X86_INS_MOVSD && is_string)
		return move_string;
	if (id == X86_INS_CMPSD && !is_string)
		return compare_scalar;
	return meanings[id];
}

/* Returns the number to look up the instruction's meaning with. capstone 5 has no own numbers for
 * jumps and calls by far pointers (groups FF /5 and /3), and adds the predicate of an SSE or AVX
 * comparison to its number, so that cmpless becomes cmpsb. */
static unsigned int id_of(const cs_insn *source, const struct encoding *encoding)
{
	const cs_x86 *detail = &source->detail->x86;
	unsigned int extension = detail->modrm >> 3 & 7;

	if (source->id == X86_INS_JMP && detail->opcode[0] == 0xff && extension == 5)
		return X86_INS_LJMP;
	if (source->id == X86_INS_CALL && detail->opcode[0] == 0xff && extension == 3)
		return X86_INS_LCALL;
	if (encoding->map == MAP_0F && encoding->opcode == 0xc2)
		return X86_INS_CMPPS;
	return source->id < X86_INS_ENDING ? source->id : X86_INS_INVALID;
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

void translate(const cs_insn *source, const struct encoding *encoding,
	       const struct correction_index *index, struct insn *insn)
{
	const cs_detail *detail = source->detail;
	unsigned int id = id_of(source, encoding);
	struct meaning meaning = meaning_of(id, &detail->x86);

	/* capstone gives two bytes less for near branches with an operand size prefix, as AMD's
	 * processors do; Intel's do not, and compilers use the prefix for padding. capstone also
	 * omits ModRM of ud0 and ud1. */
	insn->length = encoding->length ?: source->size;
	insn->flags = encoding->lock ? FLAG_LOCK : 0;
	insn->operation = meaning.operation;
	insn->read = register_mask(detail->regs_read, detail->regs_read_count);
	insn->written = register_mask(detail->regs_write, detail->regs_write_count);
	/* those of the x87 share the member with its own flags */
	if (!(encoding->map == MAP_PRIMARY && (encoding->opcode & 0xf8) == 0xd8) &&
	    detail->x86.eflags & FLAGS_WRITTEN)
		insn->flags |= FLAG_WRITES_FLAGS;
	convert_operands(&detail->x86, encoding, insn);
	corrections_apply(index, id, encoding, insn);
	size_constants(encoding, insn);
	apply_shape(source, id, meaning.shape, encoding, insn);
	give_up_untracked(insn);
	insn_add_operands(insn);
}
