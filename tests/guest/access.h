/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory access of an instruction that is about to execute, from the kernel's decoder and the
 * registers.
 *
 * Instructions of MMX, SSE and the general set are known; those with a VEX prefix, gathers and
 * system instructions have no access here, so no sample claims to know one. The guest's processor
 * has no AVX.
 */

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define rdmsrq rdmsrl
#endif

#define ACCESS_LOAD   1
#define ACCESS_STORE  2
#define ACCESS_LOCKED 4

struct access {
	unsigned int kind; /* 0: none */
	u64 address;
};

static bool in_user(const struct pt_regs *regs)
{
	return regs->cs & 3;
}

/* pt_regs has registers in another order than instructions number them. */
static u64 register_value(const struct pt_regs *regs, unsigned int number)
{
	switch (number) {
	case 0: return regs->ax;
	case 1: return regs->cx;
	case 2: return regs->dx;
	case 3: return regs->bx;
	case 4: return regs->sp;
	case 5: return regs->bp;
	case 6: return regs->si;
	case 7: return regs->di;
	case 8: return regs->r8;
	case 9: return regs->r9;
	case 10: return regs->r10;
	case 11: return regs->r11;
	case 12: return regs->r12;
	case 13: return regs->r13;
	case 14: return regs->r14;
	default: return regs->r15;
	}
}

/* Returns the base that a segment prefix adds. A kernel's own GS is the one in use. */
static u64 segment_base(const struct insn *insn, const struct pt_regs *regs)
{
	u64 base = 0;

	for (int i = 0; i < insn->prefixes.nbytes && i < 4; i++) {
		if (insn->prefixes.bytes[i] == 0x64)
			rdmsrq(MSR_FS_BASE, base);
		else if (insn->prefixes.bytes[i] == 0x65)
			rdmsrq(in_user(regs) ? MSR_KERNEL_GS_BASE : MSR_GS_BASE, base);
	}
	return base;
}

static u64 operand_address(const struct insn *insn, const struct pt_regs *regs)
{
	u8 modrm = insn->modrm.value, rex = insn->rex_prefix.value;
	u64 address = insn->displacement.nbytes ? (s64)insn->displacement.value : 0;

	if (X86_MODRM_RM(modrm) == 4) {
		u8 sib = insn->sib.value;
		unsigned int index = X86_SIB_INDEX(sib) | (X86_REX_X(rex) ? 8 : 0);

		if (index != 4)
			address += register_value(regs, index) << X86_SIB_SCALE(sib);
		if (X86_SIB_BASE(sib) != 5 || X86_MODRM_MOD(modrm))
			address +=
				register_value(regs, X86_SIB_BASE(sib) | (X86_REX_B(rex) ? 8 : 0));
	} else if (X86_MODRM_RM(modrm) == 5 && !X86_MODRM_MOD(modrm)) {
		address += regs->ip + insn->length;
	} else {
		address += register_value(regs, X86_MODRM_RM(modrm) | (X86_REX_B(rex) ? 8 : 0));
	}
	if (insn->addr_bytes == 4)
		address = (u32)address;
	return address + segment_base(insn, regs);
}

/* Returns how an instruction of one byte uses its operand in memory; `group` is the reg field of
 * ModRM. */
static unsigned int use_of_byte(u8 opcode, unsigned int group)
{
	const unsigned int both = ACCESS_LOAD | ACCESS_STORE;

	if (opcode < 0x40)
		return (opcode & 7) > 1 || opcode >= 0x38 ? ACCESS_LOAD : both;
	switch (opcode) {
	case 0x80 ... 0x83: return group == 7 ? ACCESS_LOAD : both;
	case 0x63:
	case 0x69:
	case 0x6b:
	case 0x84 ... 0x85:
	case 0x8a ... 0x8b: return ACCESS_LOAD;
	case 0x88 ... 0x89:
	case 0xc6 ... 0xc7: return ACCESS_STORE;
	case 0x86 ... 0x87:
	case 0xc0 ... 0xc1:
	case 0xd0 ... 0xd3: return both;
	case 0xf6 ... 0xf7: return group == 2 || group == 3 ? both : ACCESS_LOAD;
	case 0xfe ... 0xff: return group < 2 ? both : ACCESS_LOAD;
	default: return 0;
	}
}

/* Returns how an instruction after 0x0f uses its operand in memory. */
static unsigned int use_of_two_bytes(u8 opcode, unsigned int group, u8 last_prefix)
{
	const unsigned int both = ACCESS_LOAD | ACCESS_STORE;

	switch (opcode) {
	case 0x11:
	case 0x13:
	case 0x17:
	case 0x29:
	case 0x2b:
	case 0x7f:
	case 0x90 ... 0x9f:
	case 0xc3:
	case 0xd6:
	case 0xe7: return ACCESS_STORE;
	case 0x7e: return last_prefix == 0xf3 ? ACCESS_LOAD : ACCESS_STORE;
	case 0xa4 ... 0xa5:
	case 0xab ... 0xad:
	case 0xb0 ... 0xb1:
	case 0xb3:
	case 0xbb:
	case 0xc0 ... 0xc1: return both;
	case 0xba: return group == 4 ? ACCESS_LOAD : both;
	case 0xc7: return group == 1 ? both : 0;
	case 0x10:
	case 0x12:
	case 0x14 ... 0x16:
	case 0x28:
	case 0x2a:
	case 0x2c ... 0x2f:
	case 0x40 ... 0x76:
	case 0xa3:
	case 0xaf:
	case 0xb6 ... 0xb8:
	case 0xbc ... 0xbf:
	case 0xc2:
	case 0xc4:
	case 0xc6:
	case 0xd0 ... 0xd5:
	case 0xd7 ... 0xe6:
	case 0xe8 ... 0xfe: return ACCESS_LOAD;
	default: return 0; /* prefetches, no-ops and what only the kernel executes */
	}
}

/* Returns the access of a decoded instruction. */
static struct access access_of(const struct insn *insn, const struct pt_regs *regs)
{
	struct access access = { 0 };
	u8 opcode = insn->opcode.bytes[0];
	unsigned int group = X86_MODRM_REG(insn->modrm.value);

	if (insn->vex_prefix.nbytes)
		return access;
	if (!insn->modrm.nbytes) {
		/* the stack's word, and what string instructions store or load */
		access.address = regs->sp;
		if (opcode >= 0x50 && opcode <= 0x57)
			access = (struct access){ ACCESS_STORE, regs->sp - 8 };
		else if (opcode == 0xe8)
			access = (struct access){ ACCESS_STORE, regs->sp - 8 };
		else if ((opcode >= 0x58 && opcode <= 0x5f) || opcode == 0xc3)
			access.kind = ACCESS_LOAD;
		else if (opcode == 0xaa || opcode == 0xab)
			access = (struct access){ ACCESS_STORE, regs->di };
		else if (opcode >= 0xa4 && opcode <= 0xad)
			access = (struct access){ ACCESS_LOAD,
						  opcode >= 0xae ? regs->di : regs->si };
		return access;
	}
	if (X86_MODRM_MOD(insn->modrm.value) == 3)
		return access;
	if (opcode != 0x0f)
		access.kind = use_of_byte(opcode, group);
	else if (insn->opcode.nbytes == 2)
		access.kind =
			use_of_two_bytes(insn->opcode.bytes[1], group, insn->prefixes.bytes[3]);
	else
		access.kind = ACCESS_LOAD; /* 0f 38 and 0f 3a: vectors and movbe, but for one store
					      of movbe */
	if (access.kind)
		access.address = operand_address(insn, regs);
	for (int i = 0; access.kind && i < insn->prefixes.nbytes && i < 4; i++)
		if (insn->prefixes.bytes[i] == 0xf0)
			access.kind |= ACCESS_LOCKED;
	return access;
}
