// SPDX-License-Identifier: GPL-2.0-or-later
/* General-purpose instructions from their encoding: see general.h. */
#include "disasm/x86/general.h"

#include <stddef.h>

#include "disasm/x86/general_place.h"
#include "disasm/x86/operand.h"

static bool is_register(const struct operand *operand, const struct operand *other)
{
	return operand->kind == OPERAND_REGISTER && other->kind == OPERAND_REGISTER &&
	       operand->reg == other->reg && operand->high_byte == other->high_byte;
}

static bool has_untracked(const struct insn *insn)
{
	for (unsigned int i = 0; i < insn->operand_count; i++)
		if (insn->operands[i].kind == OPERAND_NONE)
			return true;
	return false;
}

/* What the table cannot say of a plain instruction. */
static bool adjust_plain(const struct encoding *encoding, struct insn *insn)
{
	struct operand *operands = insn->operands;

	switch (insn->operation) {
	case OP_XOR:
	case OP_SUB:
		if (is_register(&operands[0], &operands[1])) {
			insn->operation = OP_ZERO;
			insn->operand_count = 1;
			operands[0].read = false;
			operands[1] =
				(struct operand){ .base = REG_NONE, .index = REG_NONE, .reg = REG_NONE };
			insn->read = 0;
		}
		break;
	case OP_LEA:
		if (!encoding->has_memory)
			return false;
		/* the sum is cut to 32 bits: not the address of anything */
		if (encoding->address_size_prefix)
			insn->operation = OP_OTHER;
		break;
	case OP_MOVE_SIGN:
		if (encoding->map == MAP_PRIMARY && encoding->opcode == 0x98)
			operands[1].size /= 2;
		/* movsxd into 16 bits: AMD's processors read four bytes, Intel's manual has two; nobody
		 * writes it */
		else if (operands[1].size > operands[0].size)
			insn->operation = OP_OTHER;
		break;
	case OP_EXCHANGE:
		if (encoding->map == MAP_PRIMARY && encoding->opcode == 0x90 &&
		    encoding->opcode_register == 0) {
			insn->operation = OP_NOP;
			insn->operand_count = 0;
			insn->read = insn->written = 0;
		}
		break;
	case OP_CONDITIONAL:
	case OP_SET_CONDITION: insn->condition = encoding->opcode & 0xf; break;
	case OP_MOVE:
		if (encoding->map == MAP_0F && !encoding->has_memory) /* movnti has no register form */
			return false;
		break;
	case OP_OTHER:
		/* cmpxchg8b, lss, lfs, lgs: memory only; popcnt: with its prefix only */
		if (encoding->map == MAP_0F && !encoding->has_memory &&
		    (encoding->opcode == 0xc7 || encoding->opcode == 0xb2 || encoding->opcode == 0xb4 ||
		     encoding->opcode == 0xb5))
			return false;
		if (encoding->map == MAP_0F && encoding->opcode == 0xb8 && encoding->repeat != 0xf3)
			return false;
		break;
	default: break;
	}
	return true;
}

static void add_implicit(const struct general_form_entry *entry, struct insn *insn)
{
	if (entry->implicit == IMPLICIT_NONE)
		return;
	insn->read |= general_implicit[entry->implicit].read;
	insn->written |= general_implicit[entry->implicit].written;
}

static bool decode_plain(const struct encoding *encoding, const struct general_form_entry *entry,
			 struct insn *insn)
{
	places_set(encoding, entry, insn);
	insn->operation = entry->operation;
	if (!adjust_plain(encoding, insn))
		return false;
	/* only REX2 can name r16 to r31 */
	if (encoding->kind == ENCODING_REX2 && insn->operation != OP_NOP && has_untracked(insn)) {
		insn->operation = OP_OTHER;
		insn->condition = CONDITION_NONE;
	}
	add_implicit(entry, insn);
	return true;
}

static bool decode_hint(const struct encoding *encoding, struct insn *insn)
{
	bool prefetch = encoding->opcode == 0x0d || (encoding->opcode == 0x18 && (encoding->reg & 7) < 4) ||
			(encoding->opcode == 0x18 && (encoding->reg & 7) >= 6);

	/* rdsspd, rdsspq: the register keeps its value where there is no shadow stack */
	if (encoding->opcode == 0x1e && encoding->repeat == 0xf3 && encoding->mod == 3 &&
	    (encoding->reg & 7) == 1) {
		insn->operation = OP_OTHER;
		insn->operand_count = 1;
		place_set_rm(encoding, insn, &insn->operands[0], 0, place_operand_size(encoding));
		/* REX2 can name one that is not tracked */
		insn->operands[0].read = insn->operands[0].write = insn->operands[0].kind == OPERAND_REGISTER;
		insn_add_operands(insn);
		return true;
	}
	insn->operation = OP_NOP;
	if (prefetch && encoding->has_memory) {
		insn->operand_count = 1;
		memory_operand(encoding, insn, &insn->operands[0]);
		insn_add_operands(insn);
	}
	return true;
}

static void decode_push(const struct encoding *encoding, const struct general_form_entry *entry,
			struct insn *insn)
{
	uint8_t size = place_stack_size(encoding);

	insn->operation = OP_PUSH;
	place_set_based(&insn->operands[0], REG_RSP, -(int64_t)size, size);
	insn->operands[0].write = true;
	/* flags and segment registers are no operands of ours */
	places_set(encoding, entry, insn);
	insn->operand_count = 2;
	insn->read |= REG_BIT(REG_RSP);
	insn->written |= REG_BIT(REG_RSP);
}

static void decode_pop(const struct encoding *encoding, const struct general_form_entry *entry,
		       struct insn *insn)
{
	struct operand *destination = &insn->operands[0];
	uint8_t size = place_stack_size(encoding);

	insn->operation = OP_POP;
	places_set(encoding, entry, insn);
	place_set_based(&insn->operands[1], REG_RSP, 0, size);
	insn->operands[1].read = true;
	insn->operand_count = 2;
	insn->read |= REG_BIT(REG_RSP);
	insn->written |= REG_BIT(REG_RSP);
	/* an address relative to rsp is computed after the increment (SDM, POP) */
	if (destination->kind == OPERAND_MEMORY && destination->base == REG_RSP)
		destination->value += size;
}

static void decode_leave(const struct encoding *encoding, struct insn *insn)
{
	uint8_t size = place_stack_size(encoding);

	insn->operation = OP_LEAVE;
	insn->operand_count = 2;
	place_set_register(&insn->operands[0], REG_RBP, size);
	insn->operands[0].write = true;
	place_set_based(&insn->operands[1], REG_RBP, 0, size);
	insn->operands[1].read = true;
	insn->read |= REG_BIT(REG_RBP);
	insn->written |= REG_BIT(REG_RBP) | REG_BIT(REG_RSP);
}

/* enter: push rbp; rbp = rsp; rsp -= s. Nesting levels above 0 push more, which nobody uses. */
static void decode_enter(const struct encoding *encoding, struct insn *insn)
{
	uint8_t size = place_stack_size(encoding);

	insn->operation = OP_OTHER;
	insn->operand_count = 2;
	place_set_based(&insn->operands[0], REG_RSP, -(int64_t)size, size);
	insn->operands[0].write = true;
	place_set_immediate(&insn->operands[1], (uint16_t)encoding->immediate, 2);
	insn->operands[1].read = true;
	insn->read |= REG_BIT(REG_RBP) | REG_BIT(REG_RSP);
	insn->written |= REG_BIT(REG_RBP) | REG_BIT(REG_RSP);
}

static bool decode_call(const struct encoding *encoding, const struct general_form_entry *entry,
			struct insn *insn)
{
	bool is_far = entry->places[0] == PLACE_RM_FAR;

	if (is_far && !encoding->has_memory)
		return false;
	insn->operation = OP_CALL;
	places_set(encoding, entry, insn);
	insn->operand_count = 2;
	/* a far call pushes the code segment as well */
	place_set_based(&insn->operands[1], REG_RSP, is_far ? -16 : -8, is_far ? 16 : 8);
	insn->operands[1].write = true;
	insn->read |= REG_BIT(REG_RSP);
	insn->written |= REG_BIT(REG_RSP);
	return true;
}

static bool decode_jump(const struct encoding *encoding, const struct general_form_entry *entry,
			struct insn *insn)
{
	if (entry->places[0] == PLACE_RM_FAR && !encoding->has_memory)
		return false;
	insn->operation = entry->operation;
	places_set(encoding, entry, insn);
	insn->operand_count = 1;
	/* loop and jrcxz (E0 to E3) depend on rcx, not only on flags */
	if (entry->operation == OP_BRANCH && entry->implicit == IMPLICIT_NONE)
		insn->condition = encoding->opcode & 0xf;
	add_implicit(entry, insn);
	return true;
}

static void decode_return(const struct encoding *encoding, const struct general_form_entry *entry,
			  struct insn *insn)
{
	/* iret pops five words, a far return two */
	uint8_t words = encoding->opcode == 0xcf ? 5 : encoding->opcode >= 0xca ? 2 : 1;
	uint8_t size = encoding->opcode >= 0xca ? place_operand_size(encoding) : 8;

	insn->operation = OP_RETURN;
	insn->operand_count = entry->places[0] == PLACE_NONE ? 1 : 2;
	place_set_based(&insn->operands[0], REG_RSP, 0, words * size);
	insn->operands[0].read = true;
	if (insn->operand_count == 2) {
		place_set_immediate(&insn->operands[1], (uint16_t)encoding->immediate, 2);
		insn->operands[1].read = true;
	}
	insn->read |= REG_BIT(REG_RSP);
	insn->written |= REG_BIT(REG_RSP);
}

/* The side of a string instruction at rsi, which alone can be overridden to fs or gs. */
static void set_source(const struct encoding *encoding, struct operand *operand, uint8_t base, uint8_t size)
{
	place_set_based(operand, base, 0, size);
	operand->segment = segment_of(encoding);
	operand->read = true;
}

static void decode_string(const struct encoding *encoding, const struct general_form_entry *entry,
			  struct insn *insn)
{
	struct operand *first = &insn->operands[0];
	struct operand *second = &insn->operands[1];
	uint8_t size = encoding->opcode & 1 ? place_operand_size(encoding) : 1;
	uint64_t walks = 0; /* which of rsi and rdi the instruction advances */

	insn->operation = entry->operation;
	insn->operand_count = 2;
	switch (encoding->opcode & 0xfe) {
	case 0xa4: /* movs */
		place_set_based(first, REG_RDI, 0, size);
		first->write = true;
		set_source(encoding, second, REG_RSI, size);
		walks = REG_BIT(REG_RDI) | REG_BIT(REG_RSI);
		break;
	case 0xa6: /* cmps */
		set_source(encoding, first, REG_RSI, size);
		place_set_based(second, REG_RDI, 0, size);
		second->read = true;
		walks = REG_BIT(REG_RDI) | REG_BIT(REG_RSI);
		break;
	case 0xaa: /* stos */
	case 0xae: /* scas */
		place_set_based(first, REG_RDI, 0, size);
		first->write = entry->operation == OP_STORE_STRING;
		first->read = !first->write;
		place_set_register(second, REG_RAX, size);
		second->read = true;
		walks = REG_BIT(REG_RDI);
		break;
	case 0xac: /* lods */
		place_set_register(first, REG_RAX, size);
		first->write = true;
		set_source(encoding, second, REG_RSI, size);
		walks = REG_BIT(REG_RSI);
		break;
	case 0x6c: /* ins: at most 4 bytes */
	case 0x6e: /* outs */
		size = size > 4 ? 4 : size;
		insn->operand_count = 1;
		set_source(encoding, first, encoding->opcode < 0x6e ? REG_RDI : REG_RSI, size);
		walks = REG_BIT(first->base);
		if (encoding->opcode < 0x6e) {
			first->segment = SEGMENT_NONE;
			first->read = false;
			first->write = true;
		}
		insn->read |= REG_BIT(REG_RDX);
		break;
	default: /* xlat: al = [rbx + al] */
		insn->operand_count = 2;
		place_set_register(first, REG_RAX, 1);
		first->write = true;
		set_source(encoding, second, REG_RBX, 1);
		/* only al is added, which an index of ours cannot say: the address is not known */
		second->base = REG_NONE;
		break;
	}
	insn->read |= walks;
	insn->written |= walks;
	add_implicit(entry, insn);
	insn_add_operands(insn);
	if (encoding->repeat && walks) {
		insn->flags |= FLAG_REPEAT;
		insn->read |= REG_BIT(REG_RCX);
		insn->written |= REG_BIT(REG_RCX);
	}
}

static bool decode_form(const struct encoding *encoding, const struct general_form_entry *entry,
			struct insn *insn)
{
	switch ((enum general_form)entry->form) {
	case FORM_NONE:
	case FORM_GROUP: return false;
	case FORM_PLAIN: return decode_plain(encoding, entry, insn);
	case FORM_HINT: return decode_hint(encoding, insn);
	case FORM_PUSH: decode_push(encoding, entry, insn); return true;
	case FORM_POP: decode_pop(encoding, entry, insn); return true;
	case FORM_LEAVE: decode_leave(encoding, insn); return true;
	case FORM_ENTER: decode_enter(encoding, insn); return true;
	case FORM_CALL: return decode_call(encoding, entry, insn);
	case FORM_JUMP: return decode_jump(encoding, entry, insn);
	case FORM_RETURN: decode_return(encoding, entry, insn); return true;
	case FORM_STRING: decode_string(encoding, entry, insn); return true;
	}
	return false;
}

/* jmpabs: REX2 with no bit set but for the registers' and opcode A1 (APX specification). */
static void decode_absolute_jump(const struct encoding *encoding, struct insn *insn)
{
	insn->operation = OP_JUMP;
	insn->operand_count = 1;
	place_set_immediate(&insn->operands[0], encoding->displacement, 8);
	insn->operands[0].read = true;
}

bool general_decode(const struct encoding *encoding, struct insn *insn)
{
	const struct general_form_entry *entry;

	if (encoding->kind > ENCODING_REX2 || encoding->map > MAP_0F)
		return false;
	entry = encoding->map == MAP_0F ? &general_map_0f[encoding->opcode]
					: &general_primary[encoding->opcode];
	if (entry->form == FORM_GROUP)
		entry = &general_groups[entry->operation][encoding->reg & 7];
	if (encoding->kind == ENCODING_REX2 && encoding->map == MAP_PRIMARY && encoding->opcode == 0xa1 &&
	    !encoding->wide)
		decode_absolute_jump(encoding, insn);
	else if (!decode_form(encoding, entry, insn))
		return false;
	if (entry->keeps_flags != FLAGS_KEPT)
		insn->flags |= FLAG_WRITES_FLAGS;
	if (entry->keeps_flags == FLAGS_BIT_NUMBER)
		insn->flags |= FLAG_BIT_NUMBER;
	return true;
}
