// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of instructions that capstone 4 or 5 describes wrongly, with the manual's facts (Intel
 * SDM vol. 2). */

#include <assert.h>

#include "disasm/x86/decoders.h"
#include "base/memory.h"

/* The forms of an instruction that a correction is for. */
enum operand_form {
	FORM_ANY,
	FORM_ONE,      /* one operand */
	FORM_MEMORY,   /* some operand is memory */
	FORM_REGISTER, /* no operand is memory */
	FORM_STORE,    /* the first operand is memory */
	/* and the second a vector register (movsd is a string instruction, too) */
	FORM_STORE_VECTOR,
	FORM_UNTRACKED, /* the first operand is a register that is not tracked */
};

#define SIZE_VARIES  0xff /* not fixed, or more than 255 bytes */
#define SIZE_FAR     0xfe /* a far pointer: the operand size and two bytes of selector */
#define SIZE_OPERAND 0xfd /* the operand size */

enum destination { DESTINATION_AS_SAID, DESTINATION_OPERAND_SIZE };

/* A correction of some version of capstone by the manual. The last two are for readers. */
struct correction {
	const uint16_t *ids; /* X86_INS_*, then X86_INS_INVALID */
	uint8_t form;        /* enum operand_form */
	/* bytes, or SIZE_*; 0: as capstone says */
	uint8_t memory_size;
	uint8_t destination; /* enum destination */
	bool flags;          /* the flags are written */
	/* a letter for each operand: r(ead), w(ritten), m(odified), n(either); else as capstone */
	const char *access;
	/* registers that are not named: read, written, and not written */
	uint64_t read, written, kept;
	const char *capstone; /* what it says */
	const char *upstream; /* where the error is reported or mended upstream, or NULL */
};

/* The kernel's: arguments in rdi, rsi, rdx, r10, r8, r9; syscall itself takes rcx and r11. */
#define SYSTEM_CALL_READ                                                                           \
	(RAX | RDX | RDI | RSI | REG_BIT(REG_R8) | REG_BIT(REG_R9) | REG_BIT(REG_R10))
/* The system or a hypervisor may do anything with these registers. */
#define ANYTHING (X86_GENERAL & ~REG_BIT(REG_RSP))

#define I(name) X86_INS_##name
#define IDS(...)                                                                                   \
	.ids = (const uint16_t[])                                                                  \
	{                                                                                          \
		__VA_ARGS__, X86_INS_INVALID                                                       \
	}
#define SET_CONDITIONS                                                                             \
	I(SETA), I(SETAE), I(SETB), I(SETBE), I(SETE), I(SETG), I(SETGE), I(SETL), I(SETLE),       \
		I(SETNE), I(SETNO), I(SETNP), I(SETNS), I(SETO), I(SETP), I(SETS)
#define CMOV_CONDITIONS                                                                            \
	I(CMOVA), I(CMOVAE), I(CMOVB), I(CMOVBE), I(CMOVE), I(CMOVG), I(CMOVGE), I(CMOVL),         \
		I(CMOVLE), I(CMOVNE), I(CMOVNO), I(CMOVNP), I(CMOVNS), I(CMOVO), I(CMOVP),         \
		I(CMOVS)
#define MASK_OPERATIONS(name) I(name##B), I(name##W), I(name##D), I(name##Q)
#if CS_API_MAJOR >= 5
#define IF_5(...)   __VA_ARGS__
#define COMPARE_POP I(FCOMPI), I(FUCOMPI)
#else
#define IF_5(...)
#define COMPARE_POP I(FCOMIP), I(FUCOMIP)
#endif

static const struct correction corrections[] = {
	/* ---- general instructions */
	{ IDS(I(TEST)), .access = "rr", .flags = true,
	  .capstone = "(4) writes its first operand; (5) leaves the flags of some forms",
	  .upstream = "capstone-engine/capstone pull 1511" },
	{ IDS(I(CMP)), .access = "rr", .capstone = "writes its first operand in memory",
	  .upstream = "capstone-engine/capstone issues 1253, 1308" },
	{ IDS(SET_CONDITIONS), .access = "w", .capstone = "reads its operand in memory",
	  .upstream = "capstone-engine/capstone issue 1262" },
	{ IDS(I(ROL), I(ROR), I(RCL), I(RCR), I(SHL), I(SAL), I(SHR), I(SAR)), .access = "mr",
	  .capstone = "only reads its operand in memory (rotations)" },
	{ IDS(I(CMPXCHG)), .access = "mr", .read = RAX, .written = RAX,
	  .capstone = "has no write of memory and of rax in some forms" },
	{ IDS(I(SHLD), I(SHRD)), .access = "mrr", .capstone = "does not read cl" },
	{ IDS(I(BSF), I(BSR), I(LAR), I(LSL)), .access = "mr",
	  .capstone = "has no read of the destination, which is kept if there is no answer" },
	{ IDS(I(BSF), I(BSR)), .memory_size = SIZE_OPERAND,
	  .capstone = "(5.0.9) reads two bytes if REX.W follows a prefix 0x66" },
	{ IDS(I(LSL)), .memory_size = 2, .capstone = "reads as many bytes as the destination has" },
	{ IDS(I(ADCX), I(ADOX)), .access = "mr", .capstone = "has no read of the destination" },
	{ IDS(I(MOVBE), I(MOVNTI)), .form = FORM_STORE, .access = "wr",
	  .capstone = "reads the memory that it writes" },
	{ IDS(I(MOVSXD)), .destination = DESTINATION_OPERAND_SIZE,
	  .capstone = "has a destination of 8 bytes whatever REX.W says" },
	{ IDS(I(MUL), I(IMUL)), .form = FORM_ONE, .access = "r", .read = RAX,
	  .capstone = "writes its operand in some forms" },
	{ IDS(I(DIV), I(IDIV)), .access = "r", .read = RAX,
	  .capstone = "writes its operand in some forms" },
	{ IDS(I(CDQ), I(CQO), I(CWD)), .kept = RAX, .capstone = "writes rax" },
	{ IDS(I(LAHF)), .read = RAX,
	  .capstone = "has no read of rax, of which it changes ah alone" },
	{ IDS(I(BSWAP)), .access = "m", .capstone = "(5) has no access to 16 bits" },
	{ IDS(CMOV_CONDITIONS), .access = "mr",
	  .capstone =
		  "(5) has no read of the destination, which is kept if the condition is false" },
	{ IDS(I(XABORT)), .written = RAX, .capstone = "does not write eax" },
	{ IDS(I(XBEGIN)), .written = RAX, .capstone = "does not write eax in some forms" },
	{ IDS(I(IN)), .access = "wr", .capstone = "has wrong access in some forms" },
	{ IDS(I(OUT)), .access = "rr", .capstone = "writes dx" },
	{ IDS(I(LFS), I(LGS), I(LSS), I(LJMP), I(LCALL)), .memory_size = SIZE_FAR,
	  .capstone = "has other sizes than those of a far pointer" },
	{ IDS(I(RDRAND), I(RDSEED)), .access = "w", .capstone = "reads its operand in some forms" },
	/* ---- control */
	{ IDS(I(SYSCALL), I(SYSENTER)), .read = SYSTEM_CALL_READ,
	  .written = RAX | RCX | REG_BIT(REG_R11), .capstone = "has no registers" },
	{ IDS(I(SYSENTER), I(INT), I(GETSEC), I(ENCLS), I(ENCLU), I(VMCALL), I(VMMCALL),
	      I(VMLAUNCH), I(VMRESUME), I(VMRUN), I(SKINIT)),
	  .read = X86_GENERAL, .written = ANYTHING,
	  .capstone = "has no registers, or some: what is called may change all" },
	/* ---- system */
	{ IDS(I(VMFUNC), I(MONITOR), I(MWAIT)), .read = RAX | RCX, .capstone = "has no registers" },
	{ IDS(I(XGETBV), I(RDPMC), I(RDMSR)), .read = RCX, .written = RAX | RDX,
	  .capstone = "lacks registers in some versions" },
	{ IDS(I(XSETBV), I(WRMSR)), .read = RAX | RDX | RCX,
	  .capstone = "lacks registers in some versions" },
	{ IDS(I(RDTSC), I(RDTSCP)), .written = RAX | RDX,
	  .capstone = "lacks registers in some versions" },
	{ IDS(I(RDTSCP)), .written = RCX, .capstone = "does not write rcx in some versions" },
	{ IDS(I(CPUID)), .read = RAX | RCX, .written = RAX | RBX | RCX | RDX,
	  .capstone = "lacks registers in some versions" },
	{ IDS(I(CMPXCHG8B), I(CMPXCHG16B)), .access = "m", .read = RAX | RBX | RCX | RDX,
	  .written = RAX | RDX, .capstone = "lacks access in some versions" },
	{ IDS(I(INVLPG)), .access = "n", .memory_size = SIZE_VARIES,
	  .capstone = "reads memory, of which it uses the address alone" },
	{ IDS(I(FXSAVE), I(FXSAVE64)), .access = "w", .memory_size = SIZE_VARIES,
	  .capstone = "has 8 bytes; 512 are written" },
	{ IDS(I(FXRSTOR), I(FXRSTOR64)), .access = "r", .memory_size = SIZE_VARIES,
	  .written = VECTOR_MASK, .capstone = "has 8 bytes, and no vector registers" },
	{ IDS(I(XSAVE), I(XSAVE64), I(XSAVEOPT), I(XSAVEOPT64), I(XSAVEC), I(XSAVEC64), I(XSAVES),
	      I(XSAVES64)),
	  .access = "m", .memory_size = SIZE_VARIES, .read = RAX | RDX,
	  .capstone = "has 8 bytes, and no read of the header that is merged into" },
	{ IDS(I(XRSTOR), I(XRSTOR64), I(XRSTORS), I(XRSTORS64)), .access = "r",
	  .memory_size = SIZE_VARIES, .read = RAX | RDX, .written = VECTOR_MASK,
	  .capstone = "has 8 bytes, and no vector registers" },
	{ IDS(I(STMXCSR), I(VSTMXCSR)), .access = "w", .memory_size = 4,
	  .capstone = "reads the memory that it writes" },
	{ IDS(I(LDMXCSR), I(VLDMXCSR)), .access = "r", .memory_size = 4,
	  .capstone = "lacks access" },
	{ IDS(I(SGDT), I(SIDT)), .access = "w", .memory_size = 10, .capstone = "has other sizes" },
	{ IDS(I(LGDT), I(LIDT)), .access = "r", .memory_size = 10, .capstone = "has other sizes" },
	/* ---- x87 */
	{ IDS(I(FST), I(FSTP), I(FIST), I(FISTP), I(FISTTP), I(FNSTCW), I(FNSTSW), I(FBSTP),
	      I(FNSTENV), I(FNSAVE)),
	  .form = FORM_STORE, .access = "w", .capstone = "reads the memory that it writes" },
	{ IDS(I(FNSTSW), I(FNSTCW)), .memory_size = 2, .capstone = "has 4 bytes" },
	{ IDS(I(FNSTSW)), .form = FORM_REGISTER, .written = RAX, .capstone = "does not write ax" },
	{ IDS(I(FNSAVE)), .memory_size = 108, .capstone = "has 4 bytes" },
	{ IDS(I(FRSTOR)), .access = "r", .memory_size = 108, .capstone = "has 4 bytes, written" },
	{ IDS(I(FNSTENV), I(FLDENV)), .memory_size = 28, .capstone = "has 4 bytes in some versions",
	  .upstream = "capstone-engine/capstone issue 613" },
	{ IDS(I(FLD), I(FILD), I(FBLD), I(FLDCW), I(FLDENV)), .form = FORM_MEMORY, .access = "r",
	  .capstone = "lacks access in some versions" },
	{ IDS(I(FCOMI), I(FUCOMI), COMPARE_POP,
	      MASK_OPERATIONS(KORTEST) IF_5(, MASK_OPERATIONS(KTEST))),
	  .flags = true, .capstone = "does not change the flags" },
	/* ---- SSE and AVX */
	{ IDS(I(MOVUPS), I(MOVUPD), I(MOVAPS), I(MOVAPD), I(MOVDQA), I(MOVDQU), I(MOVNTDQ),
	      I(MOVNTPS), I(MOVNTPD), I(MOVNTQ), I(MOVNTSS), I(MOVNTSD), I(MOVQ), I(MOVD),
	      I(MOVHPS), I(MOVHPD), I(MOVLPS), I(MOVLPD), I(MOVSS), I(EXTRACTPS), I(PEXTRB),
	      I(PEXTRW), I(PEXTRD), I(PEXTRQ), I(VMOVUPS), I(VMOVUPD), I(VMOVAPS), I(VMOVAPD),
	      I(VMOVDQA), I(VMOVDQU), I(VMOVNTDQ), I(VMOVNTPS), I(VMOVNTPD), I(VMOVQ), I(VMOVD),
	      I(VMOVHPS), I(VMOVHPD), I(VMOVLPS), I(VMOVLPD), I(VMOVSS), I(VMOVSD), I(VEXTRACTPS),
	      I(VPEXTRB), I(VPEXTRW), I(VPEXTRD), I(VPEXTRQ), I(VEXTRACTF128), I(VEXTRACTI128),
	      I(VCVTPS2PH), I(VMASKMOVPS), I(VMASKMOVPD), I(VPMASKMOVD), I(VPMASKMOVQ), I(KMOVB),
	      I(KMOVW), I(KMOVD), I(KMOVQ)),
	  .form = FORM_STORE, .access = "wrr", .capstone = "reads the memory that it writes",
	  .upstream = "capstone-engine/capstone issues 693, 809, 1304, 2900" },
	{ IDS(I(MOVSD)), .form = FORM_STORE_VECTOR, .access = "wr",
	  .capstone = "reads the memory that it writes",
	  .upstream = "capstone-engine/capstone issue 693" },
	{ IDS(I(COMISS), I(UCOMISS), I(VCOMISS), I(VUCOMISS)), .access = "rr", .flags = true,
	  .memory_size = 4, .capstone = "has 16 bytes; with VEX, no flags",
	  .upstream = "capstone-engine/capstone issues 1547, 2748" },
	{ IDS(I(COMISD), I(UCOMISD), I(VCOMISD), I(VUCOMISD)), .access = "rr", .flags = true,
	  .memory_size = 8, .capstone = "has 16 bytes; with VEX, no flags",
	  .upstream = "capstone-engine/capstone issues 1547, 2748" },
	{ IDS(I(PTEST), I(VPTEST), I(VTESTPS), I(VTESTPD)), .access = "rr", .flags = true,
	  .capstone = "writes its first operand in some versions" },
	{ IDS(I(PUNPCKLBW), I(PUNPCKLWD), I(PUNPCKLDQ)), .form = FORM_UNTRACKED, .memory_size = 4,
	  .capstone = "has 8 bytes for MMX registers, which need half of them" },
	{ IDS(I(ROUNDSS), I(ROUNDSD), I(CVTSD2SI), I(CVTSS2SI)), .access = "wr",
	  .capstone = "does not read its source" },
	{ IDS(I(VCVTSD2SI), I(VCVTSS2SI)), .access = "wr", .capstone = "does not read its source" },
	{ IDS(I(VROUNDSS), I(VROUNDSD)), .access = "wrr", .capstone = "does not read its source" },
	{ IDS(I(MASKMOVQ), I(MASKMOVDQU), I(VMASKMOVDQU)), .access = "rr",
	  .capstone = "has no access in some forms" },
	{ IDS(I(VFRCZSS), I(VFRCZSD)), .access = "wr",
	  .capstone = "does not read its source in memory" },
	{ IDS(I(VPERMIL2PD), I(VPERMIL2PS)), .access = "wrrr", .capstone = "(5) has no access" },
	{ IDS(I(PCMPESTRI), I(VPCMPESTRI)), .access = "rr", .flags = true, .read = RAX | RDX,
	  .written = RCX, .capstone = "lacks registers in some forms" },
	{ IDS(I(PCMPESTRM), I(VPCMPESTRM)), .access = "rr", .flags = true, .read = RAX | RDX,
	  .written = REG_BIT(REG_XMM0), .capstone = "lacks registers in some forms" },
	{ IDS(I(PCMPISTRI), I(VPCMPISTRI)), .access = "rr", .flags = true, .written = RCX,
	  .capstone = "lacks registers in some forms" },
	{ IDS(I(PCMPISTRM), I(VPCMPISTRM)), .access = "rr", .flags = true,
	  .written = REG_BIT(REG_XMM0), .capstone = "lacks registers in some forms" },
	{ IDS(I(VGATHERDPS), I(VGATHERQPS), I(VPGATHERDD), I(VPGATHERQD)), .access = "mrm",
	  .memory_size = 4,
	  .capstone = "does not read what masked elements keep, nor write the mask" },
	{ IDS(I(VGATHERDPD), I(VGATHERQPD), I(VPGATHERDQ), I(VPGATHERQQ)), .access = "mrm",
	  .memory_size = 8,
	  .capstone = "does not read what masked elements keep, nor write the mask" },
	{ IDS(I(VZEROUPPER), I(VZEROALL)), .written = VECTOR_MASK,
	  .capstone = "writes xmm0 to xmm15 alone, or nothing" },
};

static const unsigned int correction_count = COUNT_OF(corrections);

_Static_assert(COUNT_OF(corrections) <= 128, "a row's number is a byte in correction_index");

/* ---- applying them */

static bool is_of_form(const struct insn *insn, enum operand_form form)
{
	const struct operand *first = &insn->operands[0];
	const bool has_memory =
		any_of(i, 0, insn->operand_count, insn->operands[i].kind == OPERAND_MEMORY);

	switch (form) {
	case FORM_ANY: return true;
	case FORM_ONE: return insn->operand_count == 1;
	case FORM_MEMORY: return has_memory;
	case FORM_REGISTER: return !has_memory;
	case FORM_STORE: return insn->operand_count && first->kind == OPERAND_MEMORY;
	case FORM_STORE_VECTOR:
		return insn->operand_count == 2 && first->kind == OPERAND_MEMORY &&
		       operand_is_vector(&insn->operands[1]);
	case FORM_UNTRACKED: return insn->operand_count && first->kind == OPERAND_NONE;
	}
	return false;
}

static void correct_access(const char *access, struct insn *insn)
{
	for (unsigned int i = 0; i < insn->operand_count && access[i]; i++) {
		struct operand *operand = &insn->operands[i];

		if (operand->kind == OPERAND_NONE || operand->kind == OPERAND_IMMEDIATE)
			continue;
		operand->read = access[i] == 'r' || access[i] == 'm';
		operand->write = access[i] == 'w' || access[i] == 'm';
	}
}

static void correct_sizes(const struct correction *correction, const struct encoding *encoding,
			  struct insn *insn)
{
	uint8_t size = correction->memory_size;

	if (size == SIZE_VARIES)
		size = 0;
	else if (size == SIZE_FAR)
		size = operand_size(encoding) + 2;
	else if (size == SIZE_OPERAND)
		size = operand_size(encoding);
	for (unsigned int i = 0; correction->memory_size && i < insn->operand_count; i++)
		if (insn->operands[i].kind == OPERAND_MEMORY)
			insn->operands[i].size = size;
	if (correction->destination == DESTINATION_OPERAND_SIZE)
		insn->operands[0].size = operand_size(encoding);
}

static void correct(const struct correction *correction, const struct encoding *encoding,
		    struct insn *insn)
{
	insn->read |= correction->read;
	insn->written |= correction->written;
	insn->written &= ~correction->kept;
	if (correction->flags)
		insn->flags |= FLAG_WRITES_FLAGS;
	if (correction->access)
		correct_access(correction->access, insn);
	correct_sizes(correction, encoding, insn);
}

void corrections_apply(const struct correction_index *index, unsigned int id,
		       const struct encoding *encoding, struct insn *insn)
{
	for (unsigned int i = 0; i < CORRECTIONS_PER_ID && index->rows[id][i]; i++) {
		const struct correction *correction = &corrections[index->rows[id][i] - 1];

		if (is_of_form(insn, correction->form))
			correct(correction, encoding, insn);
	}
}

void correction_index_init(struct correction_index *index)
{
	*index = (struct correction_index){ 0 };
	for (unsigned int i = 0; i < correction_count; i++)
		for (const uint16_t *id = corrections[i].ids; *id; id++) {
			unsigned int used = 0;

			while (used < CORRECTIONS_PER_ID && index->rows[*id][used])
				used++;
			assert(used < CORRECTIONS_PER_ID);
			index->rows[*id][used] = i + 1;
		}
}
