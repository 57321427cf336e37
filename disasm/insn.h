/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One decoded instruction in the form that data flow needs, which is the same for all
 * architectures: its effect on values, without any text. Registers are numbered as in
 * base/arch/arch.h. Examples in comments are those of x86-64.
 *
 * Invariants: operands[0] is the destination wherever there is one; every memory operand of the
 * instruction is among the operands, implicit ones (push, call, movs) too; `written` and `read` are
 * complete even for OP_OTHER, so that an unknown instruction loses only its own outputs.
 */
#pragma once

#include "base/arch/arch.h"
#include "base/error.h"

/* The effect of an instruction. Operands are given as d (operands[0], destination), s
 * (operands[1]), t (operands[2]). Unless said otherwise flags may change, and a 32-bit general
 * destination zero-extends to 64 bits. */
enum operation {
	OP_OTHER, /* anything else: `written` is lost, memory operands are accessed as marked */
	OP_NOP,   /* no effect: nop, endbr64, pause, prefetch, fences */
	OP_MOVE,  /* d = s; any registers and widths; vector moves of the whole or the low part */
	/* d = s zero-extended: movzx; movd, movq, movss, movsd into a vector register */
	OP_MOVE_ZERO,
	OP_MOVE_SIGN, /* d = s sign-extended: movsx, movsxd, cdqe, cwde */
	OP_LEA, /* d = address of s, a memory operand that is not accessed (read = write = false) */
	/* OP_BINARY_FIRST to OP_BINARY_LAST: with three operands, of s and t instead */
	OP_ADD,         /* d = d + s (also inc: s = 1) */
	OP_SUB,         /* d = d - s (also dec: s = 1) */
	OP_AND,         /* d = d & s */
	OP_OR,          /* d = d | s */
	OP_XOR,         /* d = d ^ s; xor r,r and sub r,r are OP_ZERO instead */
	OP_SHIFT_LEFT,  /* d = d << s */
	OP_SHIFT_RIGHT, /* d = d >> s, logical */
	OP_SHIFT_ARITHMETIC,
	OP_BINARY_FIRST = OP_ADD,
	OP_BINARY_LAST = OP_SHIFT_ARITHMETIC,
	OP_ADD_CARRY,  /* d = d + s, or one more (adc) */
	OP_SUB_BORROW, /* d = d - s, or one less (sbb) */
	OP_ZERO,       /* d = 0: xor r,r; sub r,r; pxor, xorps, vpxor x,x; one operand */
	/* d = s * t, the low half only: imul r,r/m, where t is d's register, and imul
	 * r,r/m,constant; with a fourth operand, the sum of it and the product (arm64's madd) */
	OP_MULTIPLY,
	/* rol, ror, rorx; d = s rotated by t if there are three operands */
	OP_ROTATE_LEFT,
	OP_ROTATE_RIGHT,
	OP_AND_NOT, /* d = ~s & t (andn) */
	/* d = d with the bit of number s set, cleared or inverted (bts, btr, btc). A register as s
	 * may choose a bit outside of a memory operand */
	OP_BIT_SET,
	OP_BIT_CLEAR,
	OP_BIT_INVERT,
	/* d = the bits of s that t names: its low byte is the first, the next their number */
	OP_EXTRACT_BITS,
	OP_LOW_BITS,      /* d = the low bits of s, as many as t's low byte says (bzhi) */
	OP_GATHER_BITS,   /* d = the bits of s that are set in t, side by side (pext) */
	OP_SCATTER_BITS,  /* d = the low bits of s at the places that are set in t (pdep) */
	OP_SWAP_BYTES,    /* d = d with its bytes in the other order (bswap) */
	OP_NEGATE,        /* d = -d */
	OP_COMPLEMENT,    /* d = ~d */
	OP_COMPARE,       /* no destination: flags of d - s (cmp); operands[0] is read only */
	OP_TEST,          /* no destination: flags of d & s (test, bt with no write) */
	OP_CONDITIONAL,   /* d = condition ? s : d (cmov) */
	OP_SET_CONDITION, /* d = 0 or 1, one byte (setcc) */
	OP_EXCHANGE,      /* d <-> s (xchg) */
	OP_EXCHANGE_ADD,  /* s = old d, d = d + s (xadd) */
	/* if rax == d: d = s, else rax = d (cmpxchg); cmpxchg8b, 16b: OP_OTHER with operands[0] */
	OP_COMPARE_EXCHANGE,
	/* rsp -= size; [rsp] = s. operands[0]: memory {rsp, -size} written, operands[1]: source */
	OP_PUSH,
	/* d = [rsp]; rsp += size. operands[0]: destination, operands[1]: memory {rsp, 0} read */
	OP_POP,
	OP_LEAVE, /* rsp = rbp; rbp = pop. operands[0]: rbp, operands[1]: memory {rbp, 0} read */
	/* operands[0]: target (address, register, memory); operands[1]: the pushed return address,
	 * if calls push it */
	OP_CALL,
	OP_RETURN, /* operands[0]: memory {rsp, 0} read, if calls push the return address */
	OP_JUMP,   /* operands[0]: target as for OP_CALL */
	OP_BRANCH, /* conditional jump; operands[0]: address. No `condition`: loop, jrcxz, xbegin */
	/* Strings; with FLAG_REPEAT an operand's size is still that of one element. */
	/* movs: operands[0]: memory {rdi} written, operands[1]: memory {rsi} read */
	OP_MOVE_STRING,
	OP_STORE_STRING, /* stos: operands[0]: memory {rdi} written, operands[1]: rax */
	OP_LOAD_STRING,  /* lods: operands[0]: rax, operands[1]: memory {rsi} read */
	/* cmps: operands[0]: memory {rsi} read, operands[1]: memory {rdi} read */
	OP_COMPARE_STRING,
	OP_SCAN_STRING, /* scas: operands[0]: memory {rdi} read, operands[1]: rax */
	/* bytes 8-15 of d = s (movhps load, pinsrq $1); with three operands, low part from s */
	OP_VECTOR_HIGH,
	/* d = { low of d, low of s } (punpcklqdq, movlhps); three-operand form: { s, t } */
	OP_VECTOR_UNPACK,
	OP_CONVERT,        /* d = s, an integer, as a floating-point number (arm64's scvtf) */
	OP_STORE_HIGH,     /* d (memory or register) = bytes 8-15 of s (movhps store, pextrq $1) */
	OP_TRAP,           /* does not continue: ud2, hlt, int3 */
	OP_SYSTEM_CALL,    /* syscall: clobbers what struct arch says of system_call */
	OP_THREAD_POINTER, /* d = the thread pointer (arm64's mrs) */
	OP_CURRENT_TASK,   /* d = the address of the kernel's record of the running thread */
	OP_PER_CPU_OFFSET, /* d = what this processor's copies of per-cpu variables are apart */
};

enum operand_kind {
	/* an operand that is a register which is not tracked (x87, mmx, mask, segment, r16 to r31).
	 * The operation is then OP_OTHER, unless it is a push, pop, call or jump */
	OPERAND_NONE,
	OPERAND_REGISTER,
	OPERAND_MEMORY,
	OPERAND_IMMEDIATE,
};

struct operand {
	/* bits, so that an operand has 16 bytes: instructions are most of what is kept of a
	 * function */
	uint8_t kind : 2; /* enum operand_kind */
	bool read : 1;
	bool write : 1;
	bool high_byte : 1;    /* %ah, %bh, %ch, %dh */
	bool index_signed : 1; /* index_size bytes are sign-extended */
	/* no base: the displacement is a whole address; operands relative to the program counter
	 * are absolute, already summed. Neither base nor absolute: the address is not known */
	bool absolute : 1;
	bool pc_relative : 1; /* it was written relative to the program counter */
	uint8_t size; /* bytes that are accessed (memory; 0: unknown or more than 255) or held */
	uint8_t reg;  /* OPERAND_REGISTER */
	/* OPERAND_MEMORY: segment + base + index * scale + displacement */
	uint8_t base;  /* REG_NONE: none; never REG_PC: see absolute */
	uint8_t index; /* REG_NONE: none; may be a vector register (gathers) */
	uint8_t scale; /* a power of 2: 1, 2, 4, 8; up to 128 on arm64 */
	/* only so many low bytes of the index count, and are extended; 0: all */
	uint8_t index_size;
	uint8_t segment; /* SEGMENT_NONE, or one of the architecture */
	/* OPERAND_MEMORY: displacement; OPERAND_IMMEDIATE: value, sign-extended; else address */
	int64_t value;
};

static inline bool operand_is_reg(const struct operand *operand, uint8_t reg)
{
	return operand->kind == OPERAND_REGISTER && operand->reg == reg;
}

static inline bool operand_is_general(const struct operand *operand)
{
	return operand->kind == OPERAND_REGISTER && reg_is_general(operand->reg);
}

static inline bool operand_is_vector(const struct operand *operand)
{
	return operand->kind == OPERAND_REGISTER && reg_is_vector(operand->reg);
}

/* Returns the registers of a memory operand's address, as REG_BITs. */
static inline uint64_t operand_registers(const struct operand *operand)
{
	return REG_BIT(operand->base) | REG_BIT(operand->index);
}

/* Conditions of branches and conditional moves. The lowest bit negates one. They have the numbers
 * of x86, whose opcodes hold them (Intel SDM vol. 2, appendix B.1.4.7); those of parity have the
 * other numbers, and no name here. */
enum condition {
	CONDITION_OVERFLOW = 0x0,
	CONDITION_BELOW = 0x2,
	CONDITION_ABOVE_EQUAL = 0x3,
	CONDITION_EQUAL = 0x4,
	CONDITION_NOT_EQUAL = 0x5,
	CONDITION_BELOW_EQUAL = 0x6,
	CONDITION_ABOVE = 0x7,
	CONDITION_SIGN = 0x8,
	CONDITION_LESS = 0xc,
	CONDITION_LESS_EQUAL = 0xe,
	CONDITION_NONE = 0xff,
};

enum insn_flag {
	FLAG_LOCK = 1,
	FLAG_REPEAT = 2, /* any rep prefix on a string instruction */
	/* the instruction is not known: `written` is all that an instruction of this form could
	 * write. If not even the form is known, the length is 1 and `written` is all registers */
	FLAG_UNKNOWN = 4,
	FLAG_WRITES_FLAGS = 8,
	FLAG_BIT_NUMBER = 16, /* OP_TEST: the second operand is the number of a bit, no mask (bt) */
	FLAG_THUNK = 32,      /* a jump, call or return through a thunk: see struct cfg_request */
	/* its memory operand is floating-point numbers; on arm64, also a computation without one */
	FLAG_FLOAT = 64,
	/* its memory operand is the processor's extended state: EXTENDED_STATE_MIN bytes or more */
	FLAG_EXTENDED_STATE = 128,
};

/* The legacy area of xsave and its header (SDM vol. 1, 13.4). */
#define EXTENDED_STATE_MIN 576

/* The reason why an instruction takes long by itself, whatever its operands waited for. */
enum own_time {
	OWN_TIME_NONE,
	OWN_TIME_DIVISION,
	OWN_TIME_SQUARE_ROOT,
	/* it serializes, or runs as long microcode, or exits to a hypervisor */
	OWN_TIME_SERIALIZING,
	OWN_TIME_PAUSE,       /* pause, umwait, tpause */
	OWN_TIME_SYSTEM_CALL, /* syscall, sysenter, int */
	OWN_TIME_HALT,        /* hlt, mwait: until the next interrupt */
	OWN_TIME_BRANCH,      /* never set by a decoder: only samples show that a jump took long */
	OWN_TIME_INTERRUPTS_ON, /* sti, popf: interrupts that were held back strike after it */
};

#define INSN_OPERANDS 4

struct insn {
	uint64_t address;
	uint8_t length;    /* bytes, at least 1 */
	uint8_t operation; /* enum operation */
	uint8_t condition; /* enum condition: of branch, cmov and setcc; otherwise CONDITION_NONE */
	uint8_t flags;     /* enum insn_flag */
	uint8_t operand_count;
	uint8_t own_time; /* enum own_time */
	/* An instruction with several effects is decoded as several, which are its parts: part n
	 * has the address of the instruction + n, and the last one has the rest of its length */
	uint8_t part;
	struct operand operands[INSN_OPERANDS];
	/* REG_BITs whose old value matters, address registers included. A register that is written
	 * only in part is not here for that reason alone. */
	uint64_t read;
	/* REG_BITs that may be changed, wholly or in part. Calls have only the stack pointer here:
	 * the calling convention says what the callee changes */
	uint64_t written;
};

/* Returns the memory operand that a sample of this instruction is charged to: with `store` the
 * operand that is written, else the one that is read, else any. The stack slot of a push, pop, call
 * or return comes last, unless it is the one that is written. NULL: there is none. */
const struct operand *insn_memory(const struct insn *insn, bool store);

/* Returns the operation's name for messages, such as "mov" or "add". */
const char *operation_name(enum operation operation);

/* True if the instruction does nothing but move this operand from or to a vector register. */
bool insn_moves_vector(const struct insn *insn, const struct operand *memory);

/* Finds the immediate target of a jump, branch or call; false if there is none. */
bool insn_direct_target(const struct insn *insn, uint64_t *target);
/* Finds the constant address of the pointer that a jump or call goes through; false: it goes to a
 * direct target, or where a register says. */
bool insn_slot(const struct insn *insn, uint64_t *slot);

/* Sets *change to the constant that the instruction adds to a general register, whatever the size
 * of the operation. Returns false if the instruction writes another register, or sets this one in
 * another way. */
bool insn_adds_constant(const struct insn *insn, uint8_t reg, int64_t *change);
/* The same for additions to all 64 bits of the register; false for others. */
bool insn_adds_constant_64(const struct insn *insn, uint8_t reg, int64_t *change);

/* ---- decoding */

struct cfg;
struct cfg_request;

/* A decoder turns bytes into instructions. It is not thread-safe: each thread has its own. */
struct decoder;

/* Returns why instructions of an architecture cannot be decoded; NULL: they can. */
struct error *decoder_check(const struct arch *arch);
/* Returns a decoder; NULL if decoder_check() gives an error. */
struct decoder *decoder_create(const struct arch *arch);
/* Returns the name and version of the library that decodes, "capstone 4.0", to be freed. */
char *decoder_library(void);
void decoder_destroy(struct decoder *decoder);
const struct arch *decoder_arch(const struct decoder *decoder);
/* Makes *decoder one of `arch`, if it is not. False: there is none, and it is unchanged. */
bool decoder_switch(struct decoder **decoder, const struct arch *arch);

/* Decodes the instruction at `bytes`, which would run at `address`, and never reads past `size`
 * bytes. Always fills *insn: bytes that are no instruction give OP_OTHER with FLAG_UNKNOWN and
 * length 1 (0 only if size is 0). Encodings that the disassembler does not know get the right
 * length if it can be computed from the encoding. */
void decoder_decode(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
		    struct insn *insn);
/* Returns the length that decoder_decode() gives, faster, for code that is only stepped over. */
unsigned int decoder_length(struct decoder *decoder, const uint8_t *bytes, size_t size);
/* False if a function with these bytes surely returns, or ends in neither a call, nor a trap, nor a
 * jump back, by bytes alone. Functions that return rarely end like that, so most functions need not
 * be decoded. */
bool decoder_may_be_endless(const struct decoder *decoder, const uint8_t *bytes, size_t size);

/* Returns whether these bytes are one call, from the first to the last. */
bool decoder_is_call(struct decoder *decoder, const uint8_t *bytes, size_t size);

enum syntax { SYNTAX_ATT, SYNTAX_INTEL };

struct insn_text {
	char mnemonic[48]; /* with its prefixes: "lock addl" */
	char operands[176];
};

/* Writes the instruction as text; one that the disassembler does not know as ".byte 0x62,0xf1". */
void decoder_text(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
		  enum syntax syntax, struct insn_text *text);

/* Writes it as one string in AT&T syntax, which always ends in NUL. */
void decoder_format(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
		    char *text, size_t text_size);

/* ---- for decoders */

/* The first members of every architecture's decoder. */
struct decoder {
	const struct decoder_ops *ops;
	const struct arch *arch;
};

/* The functions of one architecture's decoder, as above. `text` returns false if the instruction is
 * not known. `length` and `is_call` may be NULL: instructions are decoded then. `may_be_endless`
 * may be NULL, too: then it is taken to be true of all functions. */
struct decoder_ops {
	struct decoder *(*create)(void); /* sets no member of struct decoder */
	void (*destroy)(struct decoder *decoder);
	void (*decode)(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
		       struct insn *insn);
	unsigned int (*length)(struct decoder *decoder, const uint8_t *bytes, size_t size);
	bool (*may_be_endless)(const uint8_t *bytes, size_t size);
	bool (*is_call)(const uint8_t *bytes, size_t size);
	bool (*text)(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
		     enum syntax syntax, struct insn_text *text);
	/* If a jump out of the code leads to an instruction that the linker moved there, replaces
	 * it by that instruction. May be NULL. */
	void (*restore)(struct decoder *decoder, const struct cfg_request *request, uint64_t target,
			struct insn *jump);
	/* Completes what one instruction does not show, after all blocks are known. May be NULL. */
	void (*finish)(struct cfg *code);
};

extern const struct decoder_ops decoder_x86_64, decoder_arm64;

/* True if the instruction sets, clears or tests bits of one byte by a constant. Compilers narrow
 * such an access from the whole word to the byte. */
bool insn_accesses_bits(const struct insn *insn);
