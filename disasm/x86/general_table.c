// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The general-purpose opcodes: what each does with which operands (Intel SDM vol. 2, appendix A, and the
 * pages of the instructions; operands here are in its order, destination first). See general.h.
 */
#include "disasm/x86/general.h"
#include "disasm/x86/operand.h"

#define RM   PLACE_RM
#define RMB  PLACE_RM_BYTE
#define RMW  PLACE_RM_WORD
#define REG  PLACE_REG
#define REGB PLACE_REG_BYTE
#define ACC  PLACE_ACCUMULATOR
#define ACCB PLACE_ACCUMULATOR_BYTE
#define IMM  PLACE_IMMEDIATE

/* access of the operands: each of -, R, W, M (modified) */
#define A_W   ACCESS_WRITE
#define A_R   ACCESS_READ
#define A_M   (ACCESS_READ | ACCESS_WRITE)
#define A_WR  (A_W | A_R << 2)
#define A_MR  (A_M | A_R << 2)
#define A_RR  (A_R | A_R << 2)
#define A_MM  (A_M | A_M << 2)
#define A_WRR (A_WR | A_R << 4)
#define A_MRR (A_MR | A_R << 4)

#define FLAGS FLAGS_WRITTEN
#define KEEPS FLAGS_KEPT
#define BIT   FLAGS_BIT_NUMBER

#define PLAIN(operation, access, keeps, ...)                                                                 \
	{                                                                                                    \
		FORM_PLAIN, operation, { __VA_ARGS__ }, access, IMPLICIT_NONE, keeps                         \
	}
#define USING(operation, access, implicit, keeps, ...)                                                       \
	{                                                                                                    \
		FORM_PLAIN, operation, { __VA_ARGS__ }, access, implicit, keeps                              \
	}
#define BARE(operation, implicit, keeps)                                                                     \
	{                                                                                                    \
		FORM_PLAIN, operation, { PLACE_NONE }, 0, implicit, keeps                                    \
	}
#define GROUP(number)                                                                                        \
	{                                                                                                    \
		.form = FORM_GROUP, .operation = number                                                      \
	}
#define FORM(form_, operation_, keeps, ...)                                                                  \
	{                                                                                                    \
		form_, operation_, { __VA_ARGS__ }, 0, IMPLICIT_NONE, keeps                                  \
	}

/* add, or, adc, sbb, and, sub, xor, cmp: six opcodes each */
#define ARITHMETIC(first, operation, access)                                                                 \
	[(first) + 0] = PLAIN(operation, access, FLAGS, RMB, REGB),                                          \
		   [(first) + 1] = PLAIN(operation, access, FLAGS, RM, REG),                                 \
		   [(first) + 2] = PLAIN(operation, access, FLAGS, REGB, RMB),                               \
		   [(first) + 3] = PLAIN(operation, access, FLAGS, REG, RM),                                 \
		   [(first) + 4] = PLAIN(operation, access, FLAGS, ACCB, IMM),                               \
		   [(first) + 5] = PLAIN(operation, access, FLAGS, ACC, IMM)

enum group {
	GROUP_ARITHMETIC_BYTE,
	GROUP_ARITHMETIC,
	GROUP_POP,
	GROUP_SHIFT_BYTE_IMMEDIATE,
	GROUP_SHIFT_IMMEDIATE,
	GROUP_SHIFT_BYTE_ONE,
	GROUP_SHIFT_ONE,
	GROUP_SHIFT_BYTE_COUNT,
	GROUP_SHIFT_COUNT,
	GROUP_UNARY_BYTE,
	GROUP_UNARY,
	GROUP_MOVE_BYTE,
	GROUP_MOVE,
	GROUP_STEP_BYTE,
	GROUP_STEP,
	GROUP_SEGMENT,
	GROUP_BIT,
	GROUP_EXCHANGE_PAIR,
	GROUP_COUNT,
};

#define PUSH(source)                                                                                         \
	{                                                                                                    \
		FORM_PUSH, OP_PUSH, { PLACE_NONE, source }, A_R << 2, IMPLICIT_NONE, KEEPS                   \
	}
#define POP(destination, keeps)                                                                              \
	{                                                                                                    \
		FORM_POP, OP_POP, { destination }, A_W, IMPLICIT_NONE, keeps                                 \
	}
#define GO(form, operation, implicit, target)                                                                \
	{                                                                                                    \
		form, operation, { target }, A_R, implicit, KEEPS                                            \
	}
#define BRANCH                  GO(FORM_JUMP, OP_BRANCH, IMPLICIT_NONE, PLACE_TARGET)
#define JUMP(target)            GO(FORM_JUMP, OP_JUMP, IMPLICIT_NONE, target)
#define CALL(target)            GO(FORM_CALL, OP_CALL, IMPLICIT_NONE, target)
#define EXCHANGE_REG            PLAIN(OP_EXCHANGE, A_MM, KEEPS, PLACE_OPCODE, ACC)
#define MOVE_BYTE               PLAIN(OP_MOVE, A_WR, KEEPS, PLACE_OPCODE_BYTE, IMM)
#define MOVE_WIDE               PLAIN(OP_MOVE, A_WR, KEEPS, PLACE_OPCODE, IMM)
#define STRING(operation)       FORM(FORM_STRING, operation, KEEPS, PLACE_NONE)
#define STRING_FLAGS(operation) FORM(FORM_STRING, operation, FLAGS, PLACE_NONE)
#define CMOV                    PLAIN(OP_CONDITIONAL, A_MR, KEEPS, REG, RM)
#define SETCC                   PLAIN(OP_SET_CONDITION, A_W, KEEPS, RMB)
#define BYTE_SWAP               PLAIN(OP_OTHER, A_M, KEEPS, PLACE_OPCODE)
#define HINT                    FORM(FORM_HINT, OP_NOP, KEEPS, PLACE_NONE)

const struct general_form_entry general_primary[256] = {
	ARITHMETIC(0x00, OP_ADD, A_MR),
	ARITHMETIC(0x08, OP_OR, A_MR),
	ARITHMETIC(0x10, OP_OTHER, A_MR), /* adc */
	ARITHMETIC(0x18, OP_OTHER, A_MR), /* sbb */
	ARITHMETIC(0x20, OP_AND, A_MR),
	ARITHMETIC(0x28, OP_SUB, A_MR),
	ARITHMETIC(0x30, OP_XOR, A_MR),
	ARITHMETIC(0x38, OP_COMPARE, A_RR),
	[0x50 ... 0x57] = PUSH(PLACE_OPCODE_QUAD),
	[0x58 ... 0x5f] = POP(PLACE_OPCODE_QUAD, KEEPS),
	[0x63] = PLAIN(OP_MOVE_SIGN, A_WR, KEEPS, REG, PLACE_RM_DOUBLE),
	[0x68] = PUSH(IMM),
	[0x69] = PLAIN(OP_MULTIPLY, A_WRR, FLAGS, REG, RM, IMM),
	[0x6a] = PUSH(IMM),
	[0x6b] = PLAIN(OP_MULTIPLY, A_WRR, FLAGS, REG, RM, IMM),
	[0x6c] = STRING(OP_OTHER), /* ins */
	[0x6d] = STRING(OP_OTHER),
	[0x6e] = STRING(OP_OTHER), /* outs */
	[0x6f] = STRING(OP_OTHER),
	[0x70 ... 0x7f] = BRANCH,
	[0x80] = GROUP(GROUP_ARITHMETIC_BYTE),
	[0x81] = GROUP(GROUP_ARITHMETIC),
	[0x83] = GROUP(GROUP_ARITHMETIC),
	[0x84] = PLAIN(OP_TEST, A_RR, FLAGS, RMB, REGB),
	[0x85] = PLAIN(OP_TEST, A_RR, FLAGS, RM, REG),
	[0x86] = PLAIN(OP_EXCHANGE, A_MM, KEEPS, RMB, REGB),
	[0x87] = PLAIN(OP_EXCHANGE, A_MM, KEEPS, RM, REG),
	[0x88] = PLAIN(OP_MOVE, A_WR, KEEPS, RMB, REGB),
	[0x89] = PLAIN(OP_MOVE, A_WR, KEEPS, RM, REG),
	[0x8a] = PLAIN(OP_MOVE, A_WR, KEEPS, REGB, RMB),
	[0x8b] = PLAIN(OP_MOVE, A_WR, KEEPS, REG, RM),
	[0x8c] = PLAIN(OP_OTHER, A_W, KEEPS, PLACE_RM_SELECTOR), /* mov from a segment register */
	[0x8d] = PLAIN(OP_LEA, A_W, KEEPS, REG, PLACE_ADDRESS),
	[0x8e] = { FORM_PLAIN, OP_OTHER, { PLACE_NONE, RMW }, A_R << 2, IMPLICIT_NONE, KEEPS },
	[0x8f] = GROUP(GROUP_POP),
	[0x90 ... 0x97] = EXCHANGE_REG,                      /* 90 itself is nop: general.c */
	[0x98] = PLAIN(OP_MOVE_SIGN, A_WR, KEEPS, ACC, ACC), /* the source is half as wide: general.c */
	[0x99] = BARE(OP_OTHER, IMPLICIT_EXTEND, KEEPS),
	[0x9b] = BARE(OP_OTHER, IMPLICIT_NONE, KEEPS), /* fwait */
	[0x9c] = PUSH(PLACE_NONE),
	[0x9d] = POP(PLACE_NONE, FLAGS),
	[0x9e] = BARE(OP_OTHER, IMPLICIT_READ_ACCUMULATOR, FLAGS), /* sahf */
	[0x9f] = BARE(OP_OTHER, IMPLICIT_ACCUMULATOR, KEEPS),      /* lahf: ah only */
	[0xa0] = PLAIN(OP_MOVE, A_WR, KEEPS, ACCB, PLACE_OFFSET_BYTE),
	[0xa1] = PLAIN(OP_MOVE, A_WR, KEEPS, ACC, PLACE_OFFSET),
	[0xa2] = PLAIN(OP_MOVE, A_WR, KEEPS, PLACE_OFFSET_BYTE, ACCB),
	[0xa3] = PLAIN(OP_MOVE, A_WR, KEEPS, PLACE_OFFSET, ACC),
	[0xa4] = STRING(OP_MOVE_STRING),
	[0xa5] = STRING(OP_MOVE_STRING),
	[0xa6] = STRING_FLAGS(OP_COMPARE_STRING),
	[0xa7] = STRING_FLAGS(OP_COMPARE_STRING),
	[0xa8] = PLAIN(OP_TEST, A_RR, FLAGS, ACCB, IMM),
	[0xa9] = PLAIN(OP_TEST, A_RR, FLAGS, ACC, IMM),
	[0xaa] = STRING(OP_STORE_STRING),
	[0xab] = STRING(OP_STORE_STRING),
	[0xac] = STRING(OP_LOAD_STRING),
	[0xad] = STRING(OP_LOAD_STRING),
	[0xae] = STRING_FLAGS(OP_SCAN_STRING),
	[0xaf] = STRING_FLAGS(OP_SCAN_STRING),
	[0xb0 ... 0xb7] = MOVE_BYTE,
	[0xb8 ... 0xbf] = MOVE_WIDE,
	[0xc0] = GROUP(GROUP_SHIFT_BYTE_IMMEDIATE),
	[0xc1] = GROUP(GROUP_SHIFT_IMMEDIATE),
	[0xc2] = FORM(FORM_RETURN, OP_RETURN, KEEPS, IMM),
	[0xc3] = FORM(FORM_RETURN, OP_RETURN, KEEPS, PLACE_NONE),
	[0xc6] = GROUP(GROUP_MOVE_BYTE),
	[0xc7] = GROUP(GROUP_MOVE),
	[0xc8] = FORM(FORM_ENTER, OP_OTHER, KEEPS, PLACE_NONE),
	[0xc9] = FORM(FORM_LEAVE, OP_LEAVE, KEEPS, PLACE_NONE),
	[0xca] = FORM(FORM_RETURN, OP_RETURN, KEEPS, IMM),
	[0xcb] = FORM(FORM_RETURN, OP_RETURN, KEEPS, PLACE_NONE),
	[0xcc] = BARE(OP_TRAP, IMPLICIT_NONE, KEEPS),
	/* int n: 0x80 is the system call of 32-bit programs; what others change is the kernel's business */
	[0xcd] = BARE(OP_OTHER, IMPLICIT_EVERYTHING, FLAGS),
	[0xcf] = FORM(FORM_RETURN, OP_RETURN, FLAGS, PLACE_NONE), /* iret */
	[0xd0] = GROUP(GROUP_SHIFT_BYTE_ONE),
	[0xd1] = GROUP(GROUP_SHIFT_ONE),
	[0xd2] = GROUP(GROUP_SHIFT_BYTE_COUNT),
	[0xd3] = GROUP(GROUP_SHIFT_COUNT),
	[0xe0] = GO(FORM_JUMP, OP_BRANCH, IMPLICIT_COUNT, PLACE_TARGET), /* loopne */
	[0xe1] = GO(FORM_JUMP, OP_BRANCH, IMPLICIT_COUNT, PLACE_TARGET),
	[0xe2] = GO(FORM_JUMP, OP_BRANCH, IMPLICIT_COUNT, PLACE_TARGET),
	[0xe3] = GO(FORM_JUMP, OP_BRANCH, IMPLICIT_COUNT_READ, PLACE_TARGET), /* jrcxz */
	[0xe4] = BARE(OP_OTHER, IMPLICIT_SET_ACCUMULATOR, KEEPS),             /* in, imm8 */
	[0xe5] = BARE(OP_OTHER, IMPLICIT_SET_ACCUMULATOR, KEEPS),
	[0xe6] = BARE(OP_OTHER, IMPLICIT_READ_ACCUMULATOR, KEEPS), /* out imm8 */
	[0xe7] = BARE(OP_OTHER, IMPLICIT_READ_ACCUMULATOR, KEEPS),
	[0xe8] = CALL(PLACE_TARGET),
	[0xe9] = JUMP(PLACE_TARGET),
	[0xeb] = JUMP(PLACE_TARGET),
	[0xec] = BARE(OP_OTHER, IMPLICIT_PORT_IN, KEEPS),
	[0xed] = BARE(OP_OTHER, IMPLICIT_PORT_IN, KEEPS),
	[0xee] = BARE(OP_OTHER, IMPLICIT_PORT_OUT, KEEPS),
	[0xef] = BARE(OP_OTHER, IMPLICIT_PORT_OUT, KEEPS),
	[0xd7] = { FORM_STRING, OP_OTHER, { PLACE_NONE }, 0, IMPLICIT_TABLE, KEEPS }, /* xlat */
	[0xf1] = BARE(OP_TRAP, IMPLICIT_NONE, KEEPS),                                 /* int1 */
	[0xf4] = BARE(OP_TRAP, IMPLICIT_NONE, KEEPS),                                 /* hlt */
	[0xf5] = BARE(OP_OTHER, IMPLICIT_NONE, FLAGS), /* cmc, clc, stc, cli, sti, cld, std */
	[0xf6] = GROUP(GROUP_UNARY_BYTE),
	[0xf7] = GROUP(GROUP_UNARY),
	[0xf8] = BARE(OP_OTHER, IMPLICIT_NONE, FLAGS),
	[0xf9] = BARE(OP_OTHER, IMPLICIT_NONE, FLAGS),
	[0xfa] = BARE(OP_OTHER, IMPLICIT_NONE, FLAGS),
	[0xfb] = BARE(OP_OTHER, IMPLICIT_NONE, FLAGS),
	[0xfc] = BARE(OP_OTHER, IMPLICIT_NONE, FLAGS),
	[0xfd] = BARE(OP_OTHER, IMPLICIT_NONE, FLAGS),
	[0xfe] = GROUP(GROUP_STEP_BYTE),
	[0xff] = GROUP(GROUP_STEP),
};

const struct general_form_entry general_map_0f[256] = {
	[0x00] = GROUP(GROUP_SEGMENT),
	[0x02] = PLAIN(OP_OTHER, A_MR, FLAGS, REG,
		       RMW), /* lar, lsl: the destination keeps its value on failure */
	[0x03] = PLAIN(OP_OTHER, A_MR, FLAGS, REG, RMW),
	[0x05] = BARE(OP_SYSTEM_CALL, IMPLICIT_SYSTEM_CALL, FLAGS),
	[0x06] = BARE(OP_OTHER, IMPLICIT_NONE, KEEPS), /* clts */
	[0x07] = BARE(OP_TRAP, IMPLICIT_NONE, FLAGS),  /* sysret: leaves for another program */
	[0x08] = BARE(OP_OTHER, IMPLICIT_NONE, KEEPS), /* invd, wbinvd */
	[0x09] = BARE(OP_OTHER, IMPLICIT_NONE, KEEPS),
	[0x0b] = BARE(OP_TRAP, IMPLICIT_NONE, KEEPS), /* ud2 */
	[0x0d] = HINT,                                /* prefetchw */
	[0x18] = HINT,                                /* prefetch */
	[0x19] = HINT,
	[0x1a] = HINT, /* MPX, which no processor has any more */
	[0x1b] = HINT,
	[0x1c] = HINT,
	[0x1d] = HINT,
	[0x1e] = HINT, /* endbr64 */
	[0x1f] = HINT,
	[0x30] = BARE(OP_OTHER, IMPLICIT_WRITE_COUNTER, KEEPS), /* wrmsr */
	[0x31] = BARE(OP_OTHER, IMPLICIT_TIME, KEEPS),          /* rdtsc */
	[0x32] = BARE(OP_OTHER, IMPLICIT_COUNTER, KEEPS),       /* rdmsr, rdpmc */
	[0x33] = BARE(OP_OTHER, IMPLICIT_COUNTER, KEEPS),
	[0x34] = BARE(OP_SYSTEM_CALL, IMPLICIT_EVERYTHING, FLAGS), /* sysenter */
	[0x35] = BARE(OP_TRAP, IMPLICIT_NONE, KEEPS),              /* sysexit */
	[0x37] = BARE(OP_OTHER, IMPLICIT_EVERYTHING, FLAGS),       /* getsec */
	[0x40 ... 0x4f] = CMOV,
	[0x80 ... 0x8f] = BRANCH,
	[0x90 ... 0x9f] = SETCC,
	[0xa0] = PUSH(PLACE_NONE), /* fs, gs */
	[0xa1] = POP(PLACE_NONE, KEEPS),
	[0xa2] = BARE(OP_OTHER, IMPLICIT_CPUID, KEEPS),
	[0xa3] = PLAIN(OP_TEST, A_RR, BIT, RM, REG),          /* bt */
	[0xa4] = PLAIN(OP_OTHER, A_MRR, FLAGS, RM, REG, IMM), /* shld */
	[0xa5] = PLAIN(OP_OTHER, A_MRR, FLAGS, RM, REG, PLACE_COUNT),
	[0xa8] = PUSH(PLACE_NONE),
	[0xa9] = POP(PLACE_NONE, KEEPS),
	[0xaa] = BARE(OP_TRAP, IMPLICIT_NONE, FLAGS),         /* rsm */
	[0xab] = PLAIN(OP_OTHER, A_MR, FLAGS, RM, REG),       /* bts */
	[0xac] = PLAIN(OP_OTHER, A_MRR, FLAGS, RM, REG, IMM), /* shrd */
	[0xad] = PLAIN(OP_OTHER, A_MRR, FLAGS, RM, REG, PLACE_COUNT),
	[0xaf] = PLAIN(OP_MULTIPLY, A_WRR, FLAGS, REG, RM, REG),
	[0xb0] = USING(OP_COMPARE_EXCHANGE, A_MR, IMPLICIT_COMPARE_EXCHANGE, FLAGS, RMB, REGB),
	[0xb1] = USING(OP_COMPARE_EXCHANGE, A_MR, IMPLICIT_COMPARE_EXCHANGE, FLAGS, RM, REG),
	[0xb2] = PLAIN(OP_OTHER, A_WR, KEEPS, REG, PLACE_RM_FAR), /* lss, lfs, lgs */
	[0xb3] = PLAIN(OP_OTHER, A_MR, FLAGS, RM, REG),           /* btr */
	[0xb4] = PLAIN(OP_OTHER, A_WR, KEEPS, REG, PLACE_RM_FAR),
	[0xb5] = PLAIN(OP_OTHER, A_WR, KEEPS, REG, PLACE_RM_FAR),
	[0xb6] = PLAIN(OP_MOVE_ZERO, A_WR, KEEPS, REG, RMB),
	[0xb7] = PLAIN(OP_MOVE_ZERO, A_WR, KEEPS, REG, RMW),
	[0xb8] = PLAIN(OP_OTHER, A_WR, FLAGS, REG, RM), /* popcnt */
	[0xb9] = BARE(OP_TRAP, IMPLICIT_NONE, KEEPS),   /* ud1 */
	[0xba] = GROUP(GROUP_BIT),
	[0xbb] = PLAIN(OP_OTHER, A_MR, FLAGS, RM, REG), /* btc */
	/* bsf and bsr keep the destination if the source is 0 (AMD APM vol. 3, and Intel in practice); tzcnt,
	   lzcnt do not */
	[0xbc] = PLAIN(OP_OTHER, A_MR, FLAGS, REG, RM),
	[0xbd] = PLAIN(OP_OTHER, A_MR, FLAGS, REG, RM),
	[0xbe] = PLAIN(OP_MOVE_SIGN, A_WR, KEEPS, REG, RMB),
	[0xbf] = PLAIN(OP_MOVE_SIGN, A_WR, KEEPS, REG, RMW),
	[0xc0] = PLAIN(OP_EXCHANGE_ADD, A_MM, FLAGS, RMB, REGB),
	[0xc1] = PLAIN(OP_EXCHANGE_ADD, A_MM, FLAGS, RM, REG),
	[0xc3] = PLAIN(OP_MOVE, A_WR, KEEPS, RM, REG), /* movnti */
	[0xc7] = GROUP(GROUP_EXCHANGE_PAIR),
	[0xc8 ... 0xcf] = BYTE_SWAP,
	[0xff] = BARE(OP_TRAP, IMPLICIT_NONE, KEEPS), /* ud0 */
};

#define ARITHMETIC_GROUP(rm)                                                                                 \
	{                                                                                                    \
		PLAIN(OP_ADD, A_MR, FLAGS, rm, IMM), PLAIN(OP_OR, A_MR, FLAGS, rm, IMM),                     \
			PLAIN(OP_OTHER, A_MR, FLAGS, rm, IMM), PLAIN(OP_OTHER, A_MR, FLAGS, rm, IMM),        \
			PLAIN(OP_AND, A_MR, FLAGS, rm, IMM), PLAIN(OP_SUB, A_MR, FLAGS, rm, IMM),            \
			PLAIN(OP_XOR, A_MR, FLAGS, rm, IMM), PLAIN(OP_COMPARE, A_RR, FLAGS, rm, IMM),        \
	}
/* rol, ror, rcl, rcr, shl, shr, shl again, sar */
#define SHIFT_GROUP(rm, by)                                                                                  \
	{                                                                                                    \
		PLAIN(OP_OTHER, A_MR, FLAGS, rm, by), PLAIN(OP_OTHER, A_MR, FLAGS, rm, by),                  \
			PLAIN(OP_OTHER, A_MR, FLAGS, rm, by), PLAIN(OP_OTHER, A_MR, FLAGS, rm, by),          \
			PLAIN(OP_SHIFT_LEFT, A_MR, FLAGS, rm, by),                                           \
			PLAIN(OP_SHIFT_RIGHT, A_MR, FLAGS, rm, by),                                          \
			PLAIN(OP_SHIFT_LEFT, A_MR, FLAGS, rm, by),                                           \
			PLAIN(OP_SHIFT_ARITHMETIC, A_MR, FLAGS, rm, by),                                     \
	}
#define UNARY_GROUP(rm, multiply)                                                                            \
	{                                                                                                    \
		PLAIN(OP_TEST, A_RR, FLAGS, rm, IMM), PLAIN(OP_TEST, A_RR, FLAGS, rm, IMM),                  \
			PLAIN(OP_COMPLEMENT, A_M, KEEPS, rm), PLAIN(OP_NEGATE, A_M, FLAGS, rm),              \
			USING(OP_OTHER, A_R, multiply, FLAGS, rm),                                           \
			USING(OP_OTHER, A_R, multiply, FLAGS, rm),                                           \
			USING(OP_OTHER, A_R, multiply##_DIVIDE, FLAGS, rm),                                  \
			USING(OP_OTHER, A_R, multiply##_DIVIDE, FLAGS, rm),                                  \
	}
/* al and ah hold quotient and remainder of a byte: only rax, as with the product */
#define IMPLICIT_MULTIPLY_BYTE_DIVIDE IMPLICIT_MULTIPLY_BYTE
#define IMPLICIT_MULTIPLY_DIVIDE      IMPLICIT_DIVIDE

const struct general_form_entry general_groups[][8] = {
	[GROUP_ARITHMETIC_BYTE] = ARITHMETIC_GROUP(RMB),
	[GROUP_ARITHMETIC] = ARITHMETIC_GROUP(RM),
	[GROUP_POP] = { POP(PLACE_RM_QUAD, KEEPS) },
	[GROUP_SHIFT_BYTE_IMMEDIATE] = SHIFT_GROUP(RMB, IMM),
	[GROUP_SHIFT_IMMEDIATE] = SHIFT_GROUP(RM, IMM),
	[GROUP_SHIFT_BYTE_ONE] = SHIFT_GROUP(RMB, PLACE_ONE),
	[GROUP_SHIFT_ONE] = SHIFT_GROUP(RM, PLACE_ONE),
	[GROUP_SHIFT_BYTE_COUNT] = SHIFT_GROUP(RMB, PLACE_COUNT),
	[GROUP_SHIFT_COUNT] = SHIFT_GROUP(RM, PLACE_COUNT),
	[GROUP_UNARY_BYTE] = UNARY_GROUP(RMB, IMPLICIT_MULTIPLY_BYTE),
	[GROUP_UNARY] = UNARY_GROUP(RM, IMPLICIT_MULTIPLY),
	[GROUP_MOVE_BYTE] = { PLAIN(OP_MOVE, A_WR, KEEPS, RMB, IMM), [7] = BARE(OP_OTHER,
										IMPLICIT_SET_ACCUMULATOR,
										KEEPS) }, /* xabort */
	/* xbegin goes to its target, with a reason in eax, when the transaction fails */
	[GROUP_MOVE] = { PLAIN(OP_MOVE, A_WR, KEEPS, RM, IMM), [7] = GO(FORM_JUMP, OP_BRANCH,
									IMPLICIT_SET_ACCUMULATOR,
									PLACE_TARGET) },
	[GROUP_STEP_BYTE] = { PLAIN(OP_ADD, A_MR, FLAGS, RMB, PLACE_ONE),
			      PLAIN(OP_SUB, A_MR, FLAGS, RMB, PLACE_ONE) },
	[GROUP_STEP] = { PLAIN(OP_ADD, A_MR, FLAGS, RM, PLACE_ONE), PLAIN(OP_SUB, A_MR, FLAGS, RM, PLACE_ONE),
			 CALL(PLACE_RM_TARGET), CALL(PLACE_RM_FAR), JUMP(PLACE_RM_TARGET), JUMP(PLACE_RM_FAR),
			 PUSH(PLACE_RM_QUAD) },
	/* sldt, str, lldt, ltr, verr, verw */
	[GROUP_SEGMENT] = { PLAIN(OP_OTHER, A_W, KEEPS, PLACE_RM_SELECTOR),
			    PLAIN(OP_OTHER, A_W, KEEPS, PLACE_RM_SELECTOR), PLAIN(OP_OTHER, A_R, KEEPS, RMW),
			    PLAIN(OP_OTHER, A_R, KEEPS, RMW), PLAIN(OP_OTHER, A_R, FLAGS, RMW),
			    PLAIN(OP_OTHER, A_R, FLAGS, RMW) },
	/* bt, bts, btr, btc by a constant */
	[GROUP_BIT] = { [4] = PLAIN(OP_TEST, A_RR, BIT, RM, IMM),
			[5] = PLAIN(OP_OTHER, A_MR, FLAGS, RM, IMM),
			[6] = PLAIN(OP_OTHER, A_MR, FLAGS, RM, IMM),
			[7] = PLAIN(OP_OTHER, A_MR, FLAGS, RM, IMM) },
	[GROUP_EXCHANGE_PAIR] = { [1] = USING(OP_OTHER, A_M, IMPLICIT_COMPARE_EXCHANGE_PAIR, FLAGS,
					      PLACE_RM_PAIR) },
};

#define RAX REG_BIT(REG_RAX)
#define RDX REG_BIT(REG_RDX)
#define RCX REG_BIT(REG_RCX)
#define RBX REG_BIT(REG_RBX)
#define RSI REG_BIT(REG_RSI)
#define RDI REG_BIT(REG_RDI)
#define R8  REG_BIT(REG_R8)
#define R9  REG_BIT(REG_R9)
#define R10 REG_BIT(REG_R10)
#define R11 REG_BIT(REG_R11)

const struct general_implicit general_implicit[IMPLICIT_COUNT_OF] = {
	[IMPLICIT_MULTIPLY] = { RAX, RAX | RDX },
	[IMPLICIT_MULTIPLY_BYTE] = { RAX, RAX },
	[IMPLICIT_DIVIDE] = { RAX | RDX, RAX | RDX },
	[IMPLICIT_ACCUMULATOR] = { RAX, RAX },
	[IMPLICIT_EXTEND] = { RAX, RDX },
	[IMPLICIT_COMPARE_EXCHANGE] = { RAX, RAX },
	[IMPLICIT_COMPARE_EXCHANGE_PAIR] = { RAX | RDX | RBX | RCX, RAX | RDX },
	[IMPLICIT_COUNT] = { RCX, RCX },
	[IMPLICIT_COUNT_READ] = { RCX, 0 },
	[IMPLICIT_SET_ACCUMULATOR] = { 0, RAX },
	[IMPLICIT_READ_ACCUMULATOR] = { RAX, 0 },
	[IMPLICIT_TABLE] = { RAX | RBX, RAX },
	[IMPLICIT_TIME] = { 0, RAX | RDX },
	[IMPLICIT_COUNTER] = { RCX, RAX | RDX },
	[IMPLICIT_WRITE_COUNTER] = { RAX | RDX | RCX, 0 },
	[IMPLICIT_CPUID] = { RAX | RCX, RAX | RBX | RCX | RDX },
	/* the kernel's convention: arguments in rdi, rsi, rdx, r10, r8, r9; syscall itself takes rcx and r11
	 */
	[IMPLICIT_SYSTEM_CALL] = { RAX | RDI | RSI | RDX | R10 | R8 | R9, RAX | RCX | R11 },
	[IMPLICIT_PORT] = { RDX, 0 },
	[IMPLICIT_PORT_IN] = { RDX, RAX },
	[IMPLICIT_PORT_OUT] = { RDX | RAX, 0 },
	[IMPLICIT_EVERYTHING] = { GENERAL_MASK, GENERAL_MASK & ~REG_BIT(REG_RSP) },
};
