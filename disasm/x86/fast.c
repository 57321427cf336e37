// SPDX-License-Identifier: GPL-2.0-or-later
/* The commonest general instructions from their encoding: see decoders.h. */
#include "disasm/x86/decoders.h"
#include "base/memory.h"

/* The way in which an opcode is turned into an instruction. */
enum opcode_form {
	FORM_NONE,  /* not decoded here */
	FORM_PLAIN, /* operands as `places` and `access` say */
	FORM_GROUP, /* by the reg field of ModRM: `operation` is the group's number */
	FORM_NOP,
	FORM_PUSH, /* places[1]: the source */
	FORM_POP,  /* places[0]: the destination */
	FORM_LEAVE,
	FORM_CALL, /* places[0]: the target */
	/* places[0]: the target of any jump; OP_BRANCH has its condition in the opcode */
	FORM_JUMP,
	FORM_RETURN,
	FORM_STRING, /* places[1]: the source, memory if that is none */
	FORM_SCAN,   /* bsf, bsr; with F3 tzcnt, lzcnt */
	FORM_PAIR,   /* cmpxchg8b, cmpxchg16b */
	FORM_ENTER,
	FORM_SYSTEM, /* a register, and one that is not tracked: of segments, control, debugging */
	FORM_FLOAT,  /* registers of the x87 are compared: fucomi, fcomi */
};

enum operand_place {
	PLACE_NONE,
	PLACE_RM, /* register or memory as ModRM has it, of the operand size */
	PLACE_RM_BYTE,
	PLACE_RM_WORD,
	PLACE_RM_DOUBLE, /* 4 bytes (movsxd) */
	PLACE_RM_QUAD,   /* 8 bytes whatever REX.W says, 2 with a prefix (push) */
	PLACE_RM_TARGET, /* 8 bytes always (near indirect branches) */
	PLACE_REG,       /* the general register in ModRM's reg field */
	PLACE_REG_BYTE,
	PLACE_OPCODE, /* the register in the opcode */
	PLACE_OPCODE_BYTE,
	PLACE_OPCODE_QUAD,
	PLACE_ACCUMULATOR,
	PLACE_ACCUMULATOR_HALF, /* half the operand size */
	PLACE_ACCUMULATOR_BYTE,
	PLACE_COUNT, /* cl */
	PLACE_PORT,  /* dx */
	PLACE_IMMEDIATE,
	PLACE_ONE,     /* the constant 1 */
	PLACE_ADDRESS, /* memory that is named and not accessed (lea) */
	PLACE_TARGET,  /* relative */
};

enum opcode_flags {
	FLAGS_WRITTEN,
	FLAGS_KEPT,
	FLAGS_BIT_NUMBER, /* written; the second operand is the number of a bit */
};

/* access: two bits for each operand, in the order of the places */
#define ACCESS_READ  1
#define ACCESS_WRITE 2

#define PLACES 3

struct opcode_row {
	uint8_t form;      /* enum opcode_form */
	uint8_t operation; /* enum operation, or a group's number */
	uint8_t places[PLACES];
	uint8_t access;
	uint8_t flags; /* enum opcode_flags */
	/* registers that are not named: bits as in insn->read, of rax, rdx, rcx and rbx */
	uint8_t read, written;
};

/* ---- the opcodes: Intel SDM vol. 2, appendix A; operands in its order, destination first */

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

#define ROW(FORM_OF, OPERATION, ACCESS, FLAGS_OF, ...)                                             \
	{                                                                                          \
		.form = FORM_OF, .operation = OPERATION, .places = { __VA_ARGS__ },                \
		.access = ACCESS, .flags = FLAGS_OF                                                \
	}
#define PLAIN(operation, access, flags, ...) ROW(FORM_PLAIN, operation, access, flags, __VA_ARGS__)
/* The same, with registers that the instruction does not name. */
#define BESIDE(reads, writes, operation, access, flags, ...)                                       \
	{                                                                                          \
		FORM_PLAIN, operation, { __VA_ARGS__ }, access, flags, reads, writes               \
	}
#define GROUP(number)                                                                              \
	{                                                                                          \
		.form = FORM_GROUP, .operation = number                                            \
	}
#define FORM(form, operation, ...) ROW(form, operation, A_R, KEEPS, __VA_ARGS__)
/* add, or, adc, sbb, and, sub, xor, cmp: six opcodes each */
#define ARITHMETIC(first, operation, access)                                                       \
	[(first) + 0] = PLAIN(operation, access, FLAGS, RMB, REGB),                                \
		   [(first) + 1] = PLAIN(operation, access, FLAGS, RM, REG),                       \
		   [(first) + 2] = PLAIN(operation, access, FLAGS, REGB, RMB),                     \
		   [(first) + 3] = PLAIN(operation, access, FLAGS, REG, RM),                       \
		   [(first) + 4] = PLAIN(operation, access, FLAGS, ACCB, IMM),                     \
		   [(first) + 5] = PLAIN(operation, access, FLAGS, ACC, IMM)
#define PUSH(source) ROW(FORM_PUSH, OP_PUSH, A_R << 2, KEEPS, PLACE_NONE, source)
#define BRANCH       FORM(FORM_JUMP, OP_BRANCH, PLACE_TARGET)

enum group {
	GROUP_ARITHMETIC_BYTE,
	GROUP_ARITHMETIC,
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
	GROUP_BIT,
	GROUP_FLOAT,
	GROUP_PREFETCH,
	GROUP_PAIR,
	GROUP_SELECTOR,
};

/* clang-format off */
static const struct opcode_row primary[256] = {
	ARITHMETIC(0x00, OP_ADD, A_MR),
	ARITHMETIC(0x08, OP_OR, A_MR),
	ARITHMETIC(0x10, OP_ADD_CARRY, A_MR),
	ARITHMETIC(0x18, OP_SUB_BORROW, A_MR),
	ARITHMETIC(0x20, OP_AND, A_MR),
	ARITHMETIC(0x28, OP_SUB, A_MR),
	ARITHMETIC(0x30, OP_XOR, A_MR),
	ARITHMETIC(0x38, OP_COMPARE, A_RR),
	[0x50 ... 0x57] = PUSH(PLACE_OPCODE_QUAD),
	[0x58 ... 0x5f] = ROW(FORM_POP, OP_POP, A_W, KEEPS, PLACE_OPCODE_QUAD),
	[0x63]          = PLAIN(OP_MOVE_SIGN, A_WR,  KEEPS, REG, PLACE_RM_DOUBLE),
	[0x68]          = PUSH(IMM),
	[0x69]          = PLAIN(OP_MULTIPLY,  A_WRR, FLAGS, REG, RM, IMM),
	[0x6a]          = PUSH(IMM),
	[0x6b]          = PLAIN(OP_MULTIPLY,  A_WRR, FLAGS, REG, RM, IMM),
	[0x70 ... 0x7f] = BRANCH,
	[0x80]          = GROUP(GROUP_ARITHMETIC_BYTE),
	[0x81]          = GROUP(GROUP_ARITHMETIC),
	[0x83]          = GROUP(GROUP_ARITHMETIC),
	[0x84]          = PLAIN(OP_TEST,      A_RR,  FLAGS, RMB, REGB),
	[0x85]          = PLAIN(OP_TEST,      A_RR,  FLAGS, RM, REG),
	[0x86]          = PLAIN(OP_EXCHANGE,  A_MM,  KEEPS, RMB, REGB),
	[0x87]          = PLAIN(OP_EXCHANGE,  A_MM,  KEEPS, RM, REG),
	[0x88]          = PLAIN(OP_MOVE,      A_WR,  KEEPS, RMB, REGB),
	[0x89]          = PLAIN(OP_MOVE,      A_WR,  KEEPS, RM, REG),
	[0x8a]          = PLAIN(OP_MOVE,      A_WR,  KEEPS, REGB, RMB),
	[0x8b]          = PLAIN(OP_MOVE,      A_WR,  KEEPS, REG, RM),
	[0x8c]          = ROW(FORM_SYSTEM, OP_OTHER, A_W, KEEPS, RM),
	[0x8d]          = PLAIN(OP_LEA,       A_W,   KEEPS, REG, PLACE_ADDRESS),
	[0x8e]          = ROW(FORM_SYSTEM, OP_OTHER, A_R << 2, KEEPS, PLACE_NONE, RM),
	[0x90]          = FORM(FORM_NOP, OP_NOP, PLACE_NONE), /* with F3: pause */
	[0x91 ... 0x97] = PLAIN(OP_EXCHANGE,  A_MM,  KEEPS, PLACE_OPCODE, ACC),
	[0x98]          = PLAIN(OP_MOVE_SIGN, A_WR,  KEEPS, ACC, PLACE_ACCUMULATOR_HALF), /* cbw, cwde, cdqe */
	[0x99]          = BESIDE(RAX, RDX, OP_OTHER, 0, KEEPS, PLACE_NONE), /* cwd, cdq, cqo */
	[0x9b]          = PLAIN(OP_OTHER,     0,     KEEPS, PLACE_NONE), /* wait */
	[0x9c]          = PUSH(PLACE_NONE), /* pushf */
	[0xa4]          = FORM(FORM_STRING, OP_MOVE_STRING, RMB),
	[0xa5]          = FORM(FORM_STRING, OP_MOVE_STRING, RM),
	[0xa8]          = PLAIN(OP_TEST,      A_RR,  FLAGS, ACCB, IMM),
	[0xa9]          = PLAIN(OP_TEST,      A_RR,  FLAGS, ACC, IMM),
	[0xaa]          = FORM(FORM_STRING, OP_STORE_STRING, RMB, ACCB),
	[0xab]          = FORM(FORM_STRING, OP_STORE_STRING, RM, ACC),
	[0xb0 ... 0xb7] = PLAIN(OP_MOVE,      A_WR,  KEEPS, PLACE_OPCODE_BYTE, IMM),
	[0xb8 ... 0xbf] = PLAIN(OP_MOVE,      A_WR,  KEEPS, PLACE_OPCODE, IMM),
	[0xc0]          = GROUP(GROUP_SHIFT_BYTE_IMMEDIATE),
	[0xc1]          = GROUP(GROUP_SHIFT_IMMEDIATE),
	[0xc3]          = FORM(FORM_RETURN, OP_RETURN, PLACE_NONE),
	[0xc6]          = GROUP(GROUP_MOVE_BYTE),
	[0xc7]          = GROUP(GROUP_MOVE),
	[0xc8]          = FORM(FORM_ENTER, OP_OTHER, PLACE_NONE),
	[0xc9]          = FORM(FORM_LEAVE, OP_LEAVE, PLACE_NONE),
	[0xd0]          = GROUP(GROUP_SHIFT_BYTE_ONE),
	[0xd1]          = GROUP(GROUP_SHIFT_ONE),
	[0xd2]          = GROUP(GROUP_SHIFT_BYTE_COUNT),
	[0xd3]          = GROUP(GROUP_SHIFT_COUNT),
	[0xcc]          = PLAIN(OP_TRAP,      0,     KEEPS, PLACE_NONE), /* int3: kernels are padded with it */
	[0xcf]          = ROW(FORM_RETURN, OP_RETURN, 0, FLAGS, RM), /* iret */
	[0xdb]          = GROUP(GROUP_FLOAT),
	[0xe8]          = FORM(FORM_CALL, OP_CALL, PLACE_TARGET),
	[0xe9]          = FORM(FORM_JUMP, OP_JUMP, PLACE_TARGET),
	[0xeb]          = FORM(FORM_JUMP, OP_JUMP, PLACE_TARGET),
	[0xec]          = PLAIN(OP_OTHER,     A_WR,  KEEPS, ACCB, PLACE_PORT), /* in */
	[0xed]          = PLAIN(OP_OTHER,     A_WR,  KEEPS, ACC, PLACE_PORT),
	[0xee]          = PLAIN(OP_OTHER,     A_RR,  KEEPS, PLACE_PORT, ACCB), /* out */
	[0xef]          = PLAIN(OP_OTHER,     A_RR,  KEEPS, PLACE_PORT, ACC),
	[0xf1]          = PLAIN(OP_TRAP,      0,     KEEPS, PLACE_NONE), /* int1 */
	[0xf5]          = PLAIN(OP_OTHER,     0,     FLAGS, PLACE_NONE), /* cmc */
	[0xf8 ... 0xf9] = PLAIN(OP_OTHER,     0,     FLAGS, PLACE_NONE), /* clc, stc */
	[0xfa ... 0xfd] = PLAIN(OP_OTHER,     0,     KEEPS, PLACE_NONE), /* cli, sti, cld, std: of the flags that no branch asks */
	[0xf6]          = GROUP(GROUP_UNARY_BYTE),
	[0xf7]          = GROUP(GROUP_UNARY),
	[0xfe]          = GROUP(GROUP_STEP_BYTE),
	[0xff]          = GROUP(GROUP_STEP),
};
/* clang-format on */

/* clang-format off */
static const struct opcode_row map_0f[256] = {
	[0x00]          = GROUP(GROUP_SELECTOR),
	[0x02]          = PLAIN(OP_OTHER,         A_MR,  FLAGS,            REG, RMW), /* lar */
	[0x07]          = PLAIN(OP_TRAP,          0,     FLAGS,            PLACE_NONE), /* sysret */
	[0x0b]          = PLAIN(OP_TRAP,          0,     KEEPS,            PLACE_NONE), /* ud2 */
	[0x18]          = GROUP(GROUP_PREFETCH),
	[0x1e]          = FORM(FORM_NOP, OP_NOP, PLACE_NONE), /* endbr64; rdssp is not here */
	[0x1f]          = FORM(FORM_NOP, OP_NOP, PLACE_NONE),
	[0x20 ... 0x21] = ROW(FORM_SYSTEM, OP_OTHER, A_W, KEEPS, PLACE_RM_TARGET),
	[0x22 ... 0x23] = ROW(FORM_SYSTEM, OP_OTHER, A_R << 2, KEEPS, PLACE_NONE, PLACE_RM_TARGET),
	[0x30]          = BESIDE(RAX | RDX | RCX, 0, OP_OTHER, 0, KEEPS, PLACE_NONE), /* wrmsr */
	[0x31]          = BESIDE(0, RAX | RDX, OP_OTHER, 0, KEEPS, PLACE_NONE), /* rdtsc */
	[0x32 ... 0x33] = BESIDE(RCX, RAX | RDX, OP_OTHER, 0, KEEPS, PLACE_NONE), /* rdmsr, rdpmc */
	[0x40 ... 0x4f] = PLAIN(OP_CONDITIONAL,   A_MR,  KEEPS,            REG, RM),
	[0x77]          = PLAIN(OP_OTHER,         0,     KEEPS,            PLACE_NONE), /* emms */
	[0x80 ... 0x8f] = BRANCH,
	[0x90 ... 0x9f] = PLAIN(OP_SET_CONDITION, A_W,   KEEPS,            RMB),
	[0xa2]          = BESIDE(RAX | RCX, RAX | RDX | RCX | RBX, OP_OTHER, 0, KEEPS, PLACE_NONE), /* cpuid */
	[0xa3]          = PLAIN(OP_TEST,          A_RR,  FLAGS_BIT_NUMBER, RM, REG), /* bt */
	[0xa4]          = PLAIN(OP_OTHER,         A_MRR, FLAGS,            RM, REG, IMM), /* shld, shrd */
	[0xa5]          = PLAIN(OP_OTHER,         A_MRR, FLAGS,            RM, REG, PLACE_COUNT),
	[0xab]          = PLAIN(OP_BIT_SET,       A_MR,  FLAGS,            RM, REG),
	[0xac]          = PLAIN(OP_OTHER,         A_MRR, FLAGS,            RM, REG, IMM),
	[0xad]          = PLAIN(OP_OTHER,         A_MRR, FLAGS,            RM, REG, PLACE_COUNT),
	[0xaf]          = PLAIN(OP_MULTIPLY,      A_WRR, FLAGS,            REG, RM, REG),
	[0xb0]          = BESIDE(RAX, RAX, OP_COMPARE_EXCHANGE, A_MR, FLAGS, RMB, REGB),
	[0xb1]          = BESIDE(RAX, RAX, OP_COMPARE_EXCHANGE, A_MR, FLAGS, RM, REG),
	[0xb3]          = PLAIN(OP_BIT_CLEAR,     A_MR,  FLAGS,            RM, REG),
	[0xb6]          = PLAIN(OP_MOVE_ZERO,     A_WR,  KEEPS,            REG, RMB),
	[0xb7]          = PLAIN(OP_MOVE_ZERO,     A_WR,  KEEPS,            REG, RMW),
	[0xba]          = GROUP(GROUP_BIT),
	[0xb9]          = FORM(FORM_PLAIN, OP_TRAP, PLACE_NONE), /* ud1 */
	[0xbb]          = PLAIN(OP_BIT_INVERT,    A_MR,  FLAGS,            RM, REG),
	[0xbc ... 0xbd] = ROW(FORM_SCAN, OP_OTHER, A_MR, FLAGS, REG, RM),
	[0xbe]          = PLAIN(OP_MOVE_SIGN,     A_WR,  KEEPS,            REG, RMB),
	[0xbf]          = PLAIN(OP_MOVE_SIGN,     A_WR,  KEEPS,            REG, RMW),
	[0xc0]          = PLAIN(OP_EXCHANGE_ADD,  A_MM,  FLAGS,            RMB, REGB),
	[0xc1]          = PLAIN(OP_EXCHANGE_ADD,  A_MM,  FLAGS,            RM, REG),
	[0xc7]          = GROUP(GROUP_PAIR),
	[0xc8 ... 0xcf] = PLAIN(OP_SWAP_BYTES,    A_M,   KEEPS,            PLACE_OPCODE),
};
/* clang-format on */

/* clang-format off */
#define ARITHMETIC_GROUP(rm) {                                \
	PLAIN(OP_ADD,     A_MR, FLAGS, rm, IMM),              \
	PLAIN(OP_OR,      A_MR, FLAGS, rm, IMM),              \
	PLAIN(OP_ADD_CARRY,  A_MR, FLAGS, rm, IMM),           \
	PLAIN(OP_SUB_BORROW, A_MR, FLAGS, rm, IMM),           \
	PLAIN(OP_AND,     A_MR, FLAGS, rm, IMM),              \
	PLAIN(OP_SUB,     A_MR, FLAGS, rm, IMM),              \
	PLAIN(OP_XOR,     A_MR, FLAGS, rm, IMM),              \
	PLAIN(OP_COMPARE, A_RR, FLAGS, rm, IMM),              \
}
#define SHIFT_GROUP(rm, by) {                                                      \
	[0]       = PLAIN(OP_ROTATE_LEFT,      A_MR, FLAGS, rm, by),               \
	[1]       = PLAIN(OP_ROTATE_RIGHT,     A_MR, FLAGS, rm, by),               \
	[2 ... 3] = PLAIN(OP_OTHER,            A_MR, FLAGS, rm, by), /* rcl, rcr */ \
	[4]       = PLAIN(OP_SHIFT_LEFT,       A_MR, FLAGS, rm, by),               \
	[5]       = PLAIN(OP_SHIFT_RIGHT,      A_MR, FLAGS, rm, by),               \
	[6]       = PLAIN(OP_SHIFT_LEFT,       A_MR, FLAGS, rm, by), /* again */   \
	[7]       = PLAIN(OP_SHIFT_ARITHMETIC, A_MR, FLAGS, rm, by),               \
}
/* `both`: the registers of products and dividends */
#define UNARY_GROUP(rm, both) {                                       \
	PLAIN(OP_TEST,       A_RR, FLAGS, rm, IMM),                   \
	PLAIN(OP_TEST,       A_RR, FLAGS, rm, IMM),                   \
	PLAIN(OP_COMPLEMENT, A_M,  KEEPS, rm),                        \
	PLAIN(OP_NEGATE,     A_M,  FLAGS, rm),                        \
	BESIDE(RAX,  both, OP_OTHER, A_R, FLAGS, rm), /* mul */       \
	BESIDE(RAX,  both, OP_OTHER, A_R, FLAGS, rm), /* imul */      \
	BESIDE(both, both, OP_OTHER, A_R, FLAGS, rm), /* div */       \
	BESIDE(both, both, OP_OTHER, A_R, FLAGS, rm), /* idiv */      \
}

static const struct opcode_row groups[][8] = {
	[GROUP_ARITHMETIC_BYTE]      = ARITHMETIC_GROUP(RMB),
	[GROUP_ARITHMETIC]           = ARITHMETIC_GROUP(RM),
	[GROUP_SHIFT_BYTE_IMMEDIATE] = SHIFT_GROUP(RMB, IMM),
	[GROUP_SHIFT_IMMEDIATE]      = SHIFT_GROUP(RM, IMM),
	[GROUP_SHIFT_BYTE_ONE]       = SHIFT_GROUP(RMB, PLACE_ONE),
	[GROUP_SHIFT_ONE]            = SHIFT_GROUP(RM, PLACE_ONE),
	[GROUP_SHIFT_BYTE_COUNT]     = SHIFT_GROUP(RMB, PLACE_COUNT),
	[GROUP_SHIFT_COUNT]          = SHIFT_GROUP(RM, PLACE_COUNT),
	[GROUP_UNARY_BYTE]           = UNARY_GROUP(RMB, RAX),
	[GROUP_UNARY]                = UNARY_GROUP(RM, RAX | RDX),
	[GROUP_MOVE_BYTE]            = { PLAIN(OP_MOVE, A_WR, KEEPS, RMB, IMM) },
	[GROUP_MOVE]                 = { PLAIN(OP_MOVE, A_WR, KEEPS, RM, IMM) },
	[GROUP_STEP_BYTE] = {
		[0] = PLAIN(OP_ADD, A_MR, FLAGS, RMB, PLACE_ONE),
		[1] = PLAIN(OP_SUB, A_MR, FLAGS, RMB, PLACE_ONE),
	},
	/* far calls and jumps are not here */
	[GROUP_STEP] = {
		[0] = PLAIN(OP_ADD, A_MR, FLAGS, RM, PLACE_ONE),
		[1] = PLAIN(OP_SUB, A_MR, FLAGS, RM, PLACE_ONE),
		[2] = FORM(FORM_CALL, OP_CALL, PLACE_RM_TARGET),
		[4] = FORM(FORM_JUMP, OP_JUMP, PLACE_RM_TARGET),
		[6] = PUSH(PLACE_RM_QUAD),
	},
	[GROUP_BIT] = {
		[4] = PLAIN(OP_TEST,       A_RR, FLAGS_BIT_NUMBER, RM, IMM),
		[5] = PLAIN(OP_BIT_SET,    A_MR, FLAGS, RM, IMM),
		[6] = PLAIN(OP_BIT_CLEAR,  A_MR, FLAGS, RM, IMM),
		[7] = PLAIN(OP_BIT_INVERT, A_MR, FLAGS, RM, IMM),
	},
	[GROUP_FLOAT] = { [5 ... 6] = { FORM_FLOAT, .flags = FLAGS } },
	[GROUP_PREFETCH] = { [0 ... 3] = PLAIN(OP_NOP, 0, KEEPS, PLACE_ADDRESS) },
	[GROUP_SELECTOR] = { [4 ... 5] = PLAIN(OP_OTHER, A_R, FLAGS, RMW) }, /* verr, verw */
	[GROUP_PAIR] = { [1] = { FORM_PAIR, .flags = FLAGS, .read = RAX | RDX | RCX | RBX, .written = RAX | RDX } },
};
/* clang-format on */

/* ---- operands */

static void set_memory(const struct encoding *encoding, struct insn *insn, struct operand *operand,
		       uint8_t size, unsigned int access)
{
	memory_operand(encoding, insn, operand);
	operand->size = size;
	operand->read = access & ACCESS_READ;
	operand->write = (access & ACCESS_WRITE) != 0;
	insn_add_address(insn, operand);
}

static inline void set_general(const struct encoding *encoding, struct insn *insn,
			       struct operand *operand, uint8_t number, uint8_t size,
			       unsigned int access)
{
	bool read = access & ACCESS_READ, write = access & ACCESS_WRITE;
	/* without a REX prefix 4 to 7 are ah, ch, dh, bh */
	bool high_byte = size == 1 && !encoding->rex && number >= 4 && number < 8;
	uint8_t reg = general_register(high_byte ? number - 4 : number);

	/* r16 to r31 are not tracked: they become OPERAND_NONE */
	if (reg == REG_NONE)
		return;
	*operand = (struct operand){ .kind = OPERAND_REGISTER,
				     .read = read,
				     .write = write,
				     .high_byte = high_byte,
				     .size = size,
				     .reg = reg,
				     .base = REG_NONE,
				     .index = REG_NONE };
	if (read)
		insn->read |= REG_BIT(reg);
	if (write)
		insn->written |= REG_BIT(reg);
}

static inline void set_constant(struct operand *operand, int64_t value, uint8_t size)
{
	*operand = (struct operand){ .kind = OPERAND_IMMEDIATE,
				     .read = true,
				     .size = size,
				     .reg = REG_NONE,
				     .base = REG_NONE,
				     .index = REG_NONE,
				     .value = value };
}

/* Sets an operand as its place says. `size` is the operand size. */
static inline void set_place(const struct encoding *encoding, struct insn *insn,
			     unsigned int number, enum operand_place place, uint8_t size,
			     unsigned int access)
{
	struct operand *operand = &insn->operands[number];
	uint8_t reg;

	operand->base = REG_NONE;
	operand->index = REG_NONE;
	operand->reg = REG_NONE;
	switch (place) {
	case PLACE_REG: reg = encoding->reg; break;
	case PLACE_REG_BYTE: reg = encoding->reg, size = 1; break;
	case PLACE_OPCODE: reg = encoding->opcode_register; break;
	case PLACE_OPCODE_BYTE: reg = encoding->opcode_register, size = 1; break;
	case PLACE_OPCODE_QUAD: reg = encoding->opcode_register, size = stack_size(encoding); break;
	case PLACE_ACCUMULATOR: reg = 0; break;
	case PLACE_ACCUMULATOR_HALF: reg = 0, size /= 2; break;
	case PLACE_ACCUMULATOR_BYTE: reg = 0, size = 1; break;
	case PLACE_COUNT: reg = 1, size = 1; break;
	case PLACE_PORT: reg = 2, size = 2; break;
	/* a constant is as wide as what it is combined with */
	case PLACE_IMMEDIATE:
		set_constant(operand, encoding->immediate, insn->operands[0].size);
		return;
	case PLACE_ONE: set_constant(operand, 1, insn->operands[0].size); return;
	case PLACE_TARGET:
		set_constant(
			operand,
			(int64_t)(insn->address + insn->length + (uint64_t)encoding->immediate), 8);
		return;
	case PLACE_ADDRESS: set_memory(encoding, insn, operand, 0, access); return;
	default:
		switch (place) {
		case PLACE_RM_BYTE: size = 1; break;
		case PLACE_RM_WORD: size = 2; break;
		case PLACE_RM_DOUBLE: size = 4; break;
		case PLACE_RM_QUAD: size = stack_size(encoding); break;
		case PLACE_RM_TARGET: size = 8; break;
		default: break;
		}
		if (encoding->has_memory) {
			set_memory(encoding, insn, operand, size, access);
			return;
		}
		reg = encoding->rm;
		break;
	}
	set_general(encoding, insn, operand, reg, size, access);
}

static void set_places(const struct encoding *encoding, const struct opcode_row *row,
		       struct insn *insn)
{
	uint8_t size = operand_size(encoding);
	/* the first operand of a push is the stack */
	unsigned int first = row->places[0] == PLACE_NONE;
	unsigned int access = row->access >> 2 * first;

	for (unsigned int i = first; i < PLACES && row->places[i] != PLACE_NONE;
	     i++, access >>= 2) {
		set_place(encoding, insn, i, row->places[i], size, access);
		insn->operand_count = i + 1;
	}
}

/* ---- instructions */

/* Corrects operands that the table cannot describe. Returns false if there is no such form. */
static bool adjust_plain(const struct encoding *encoding, struct insn *insn)
{
	struct operand *operands = insn->operands;

	switch (insn->operation) {
	case OP_XOR:
	case OP_SUB:
		if (operands_are_same_register(&operands[0], &operands[1])) {
			insn->operation = OP_ZERO;
			insn->operand_count = 1;
			operands[0].read = false;
			operands[1] = no_operand;
			insn->read = 0;
		}
		break;
	case OP_NOP: return encoding->has_memory; /* prefetches */
	case OP_LEA:
		if (!encoding->has_memory)
			return false;
		/* the sum is cut to 32 bits: not the address of anything */
		if (encoding->address_size_prefix)
			insn->operation = OP_OTHER;
		break;
	case OP_OTHER:
		/* in and out have at most 32 bits */
		if (encoding->map == MAP_PRIMARY && (encoding->opcode | 2) == 0xef &&
		    encoding->wide)
			return false;
		/* lar names 32 bits of a register, of which it uses two bytes */
		if (encoding->map == MAP_0F && operands[1].kind == OPERAND_REGISTER &&
		    operands[1].size == 2)
			operands[1].size = encoding->operand_size_prefix && !encoding->wide ? 2 : 4;
		break;
	case OP_MOVE_SIGN:
		/* movsxd into 16 bits: AMD reads four bytes, Intel two; no compiler emits it */
		if (operands[1].size > operands[0].size)
			insn->operation = OP_OTHER;
		break;
	case OP_CONDITIONAL:
	case OP_SET_CONDITION: insn->condition = encoding->opcode & 0xf; break;
	default: break;
	}
	return true;
}

static bool decode_plain(const struct encoding *encoding, const struct opcode_row *row,
			 struct insn *insn)
{
	set_places(encoding, row, insn);
	insn->operation = row->operation;
	if (!adjust_plain(encoding, insn))
		return false;
	/* only REX2 can name r16 to r31 */
	if (encoding->kind == ENCODING_REX2 &&
	    any_of(i, 0, insn->operand_count, insn->operands[i].kind == OPERAND_NONE)) {
		insn->operation = OP_OTHER;
		insn->condition = CONDITION_NONE;
	}
	return true;
}

static bool decode_nop(const struct encoding *encoding, struct insn *insn)
{
	/* rdssp; xchg %eax,%r8d */
	if (encoding->repeat == 0xf3 && encoding->map == MAP_0F &&
	    !(encoding->opcode == 0x1e && encoding->mod == 3 && (encoding->reg & 7) == 7))
		return false;
	if (encoding->map == MAP_PRIMARY &&
	    (encoding->opcode_register != 0 || (encoding->repeat && encoding->rex)))
		return false;
	insn->operation = OP_NOP;
	return true;
}

static void add_stack_change(struct insn *insn)
{
	insn->read |= REG_BIT(REG_RSP);
	insn->written |= REG_BIT(REG_RSP);
}

static void decode_push(const struct encoding *encoding, const struct opcode_row *row,
			struct insn *insn)
{
	uint8_t size = stack_size(encoding);

	insn->operation = OP_PUSH;
	insn->operands[0] = implicit_memory(REG_RSP, -(int64_t)size, size, true);
	insn->operands[1] = no_operand;
	insn->operand_count = 2;
	set_places(encoding, row, insn);
	add_stack_change(insn);
}

static void decode_pop(const struct encoding *encoding, const struct opcode_row *row,
		       struct insn *insn)
{
	insn->operation = OP_POP;
	set_places(encoding, row, insn);
	insn->operands[1] = implicit_memory(REG_RSP, 0, stack_size(encoding), false);
	insn->operand_count = 2;
	add_stack_change(insn);
}

static void decode_leave(const struct encoding *encoding, struct insn *insn)
{
	uint8_t size = stack_size(encoding);

	insn->operation = OP_LEAVE;
	insn->operand_count = 2;
	insn->operands[0] = register_operand(REG_RBP, size, false);
	insn->operands[1] = implicit_memory(REG_RBP, 0, size, false);
	insn->read |= REG_BIT(REG_RBP);
	insn->written |= REG_BIT(REG_RBP) | REG_BIT(REG_RSP);
}

static void decode_call(const struct encoding *encoding, const struct opcode_row *row,
			struct insn *insn)
{
	insn->operation = OP_CALL;
	set_places(encoding, row, insn);
	insn->operand_count = 2;
	insn->operands[1] = implicit_memory(REG_RSP, -8, 8, true);
	add_stack_change(insn);
}

/* iret takes five values. */
static void decode_return(const struct encoding *encoding, struct insn *insn)
{
	bool interrupt = encoding->opcode == 0xcf;

	insn->operation = OP_RETURN;
	insn->operand_count = 1;
	insn->operands[0] =
		implicit_memory(REG_RSP, 0, interrupt ? 5 * operand_size(encoding) : 8, false);
	add_stack_change(insn);
}

/* Returns false for addresses of 32 bits. */
static bool decode_string(const struct encoding *encoding, const struct opcode_row *row,
			  struct insn *insn)
{
	uint8_t size = row->places[0] == PLACE_RM_BYTE ? 1 : operand_size(encoding);

	if (encoding->address_size_prefix || encoding->kind != ENCODING_LEGACY)
		return false;
	insn->operation = row->operation;
	insn->operand_count = 2;
	insn->operands[0] = implicit_memory(REG_RDI, 0, size, true);
	if (row->places[1] == PLACE_NONE) {
		insn->operands[1] = implicit_memory(REG_RSI, 0, size, false);
		insn->operands[1].segment = segment_of(encoding);
		insn->written |= REG_BIT(REG_RSI);
	} else {
		insn->operands[1] = register_operand(REG_RAX, size, true);
	}
	insn->written |= REG_BIT(REG_RDI);
	if (encoding->repeat) {
		insn->flags |= FLAG_REPEAT;
		insn->read |= REG_BIT(REG_RCX);
		insn->written |= REG_BIT(REG_RCX);
	}
	insn_add_operands(insn);
	return true;
}

/* Returns false with a prefix that means nothing. */
static bool decode_scan(const struct encoding *encoding, const struct opcode_row *row,
			struct insn *insn)
{
	struct opcode_row counts = *row;

	if (encoding->repeat == 0xf2)
		return false;
	counts.access = encoding->repeat ? A_WR : row->access;
	return decode_plain(encoding, &counts, insn);
}

/* Returns false if it is another instruction of the group. */
static bool decode_pair(const struct encoding *encoding, struct insn *insn)
{
	if (!encoding->has_memory || encoding->repeat || encoding->operand_size_prefix)
		return false;
	set_memory(encoding, insn, &insn->operands[0], encoding->wide ? 16 : 8, A_M);
	insn->operand_count = 1;
	insn->operation = OP_OTHER;
	return true;
}

static void decode_enter(const struct encoding *encoding, struct insn *insn)
{
	uint8_t size = stack_size(encoding);

	insn->operation = OP_OTHER;
	insn->operand_count = 2;
	insn->operands[0] = implicit_memory(REG_RSP, -(int64_t)size, size, true);
	insn->operands[1] = no_operand;
	set_constant(&insn->operands[1], (uint16_t)encoding->immediate, 2);
	insn->read |= REG_BIT(REG_RBP);
	insn->written |= REG_BIT(REG_RBP);
	add_stack_change(insn);
}

static void decode_jump(const struct encoding *encoding, const struct opcode_row *row,
			struct insn *insn)
{
	insn->operation = row->operation;
	set_places(encoding, row, insn);
	if (row->operation == OP_BRANCH)
		insn->condition = encoding->opcode & 0xf;
}

/* Returns false for memory, and for registers that there are not: segments 6 and 7, all control
 * registers but 0, 2, 3, 4 and 8. */
static bool decode_system(const struct encoding *encoding, const struct opcode_row *row,
			  struct insn *insn)
{
	bool segment = encoding->map == MAP_PRIMARY, control = !segment && !(encoding->opcode & 1);

	if (encoding->has_memory || (segment && (encoding->reg & 7) > 5) ||
	    (control && (encoding->reg > 8 || !(0x11d >> encoding->reg & 1))))
		return false;
	insn->operation = row->operation;
	insn->operands[0] = insn->operands[1] = no_operand;
	set_places(encoding, row, insn);
	insn->operand_count = 2;
	return true;
}

/* Returns false for other instructions of the opcode. */
static bool decode_float(const struct encoding *encoding, struct insn *insn)
{
	insn->operation = OP_OTHER;
	insn->operand_count = 1;
	insn->operands[0] = no_operand;
	return !encoding->has_memory;
}

static bool decode_form(const struct encoding *encoding, const struct opcode_row *row,
			struct insn *insn)
{
	switch ((enum opcode_form)row->form) {
	case FORM_NONE:
	case FORM_GROUP: return false;
	case FORM_PLAIN: return decode_plain(encoding, row, insn);
	case FORM_NOP: return decode_nop(encoding, insn);
	case FORM_PUSH: decode_push(encoding, row, insn); return true;
	case FORM_POP: decode_pop(encoding, row, insn); return true;
	case FORM_LEAVE: decode_leave(encoding, insn); return true;
	case FORM_CALL: decode_call(encoding, row, insn); return true;
	case FORM_JUMP: decode_jump(encoding, row, insn); return true;
	case FORM_RETURN: decode_return(encoding, insn); return true;
	case FORM_STRING: return decode_string(encoding, row, insn);
	case FORM_SCAN: return decode_scan(encoding, row, insn);
	case FORM_PAIR: return decode_pair(encoding, insn);
	case FORM_ENTER: decode_enter(encoding, insn); return true;
	case FORM_FLOAT: return decode_float(encoding, insn);
	case FORM_SYSTEM: return decode_system(encoding, row, insn);
	}
	return false;
}

/* jmpabs is opcode A1 after a REX2 in which only bits of registers are set (APX specification). */
static void decode_absolute_jump(const struct encoding *encoding, struct insn *insn)
{
	insn->operation = OP_JUMP;
	insn->operand_count = 1;
	insn->operands[0] = no_operand;
	set_constant(&insn->operands[0], encoding->displacement, 8);
}

bool fast_decode(const struct encoding *encoding, struct insn *insn)
{
	const struct opcode_row *row;

	if (encoding->kind > ENCODING_REX2 || encoding->map > MAP_0F)
		return false;
	if (encoding->kind == ENCODING_REX2 && encoding->map == MAP_PRIMARY &&
	    encoding->opcode == 0xa1 && !encoding->wide) {
		decode_absolute_jump(encoding, insn);
		return true;
	}
	row = encoding->map == MAP_0F ? &map_0f[encoding->opcode] : &primary[encoding->opcode];
	if (row->form == FORM_GROUP)
		row = &groups[row->operation][encoding->reg & 7];
	if (!decode_form(encoding, row, insn))
		return false;
	/* none of the others may have the prefix */
	if (encoding->lock && insn->operation == OP_OTHER && row->form != FORM_PAIR)
		return false;
	insn->read |= row->read;
	insn->written |= row->written;
	if (row->flags != FLAGS_KEPT)
		insn->flags |= FLAG_WRITES_FLAGS;
	if (row->flags == FLAGS_BIT_NUMBER)
		insn->flags |= FLAG_BIT_NUMBER;
	return true;
}
