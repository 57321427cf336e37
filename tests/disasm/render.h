/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One instruction as a line, as decoder_cases.h has it. */
#pragma once

#include "base/arch/x86_64.h"
#include "disasm/insn.h"
#include "base/strbuf.h"

/* the architecture of the instructions */
static const struct arch *rendered_arch = &arch_x86_64;

#define RENDER_GENERAL X86_GENERAL
#define RENDER_VECTORS (UINT64_C(0xffffffff) << REG_XMM0)

static void render_memory(const struct operand *operand, struct strbuf *text)
{
	strbuf_add_format(text, "%s[", rendered_arch->segment_names[operand->segment]);
	if (operand->base != REG_NONE)
		strbuf_add_string(text, arch_reg_name(rendered_arch, operand->base));
	if (operand->index != REG_NONE)
		strbuf_add_format(text, "+%s*%u", arch_reg_name(rendered_arch, operand->index),
				  operand->scale);
	if (operand->index_size)
		strbuf_add_format(text, "%c%u", operand->index_signed ? 's' : 'u',
				  operand->index_size);
	if (operand->absolute)
		strbuf_add_format(text, "%s%s%s%#llx", operand->index != REG_NONE ? "+" : "",
				  operand->pc_relative ? arch_reg_name(rendered_arch, REG_PC) : "",
				  operand->pc_relative ? ":" : "",
				  (unsigned long long)operand->value);
	else if (operand->base == REG_NONE)
		strbuf_add_char(text, '?');
	else if (operand->value)
		strbuf_add_format(text, "%+lld", (long long)operand->value);
	strbuf_add_format(text, "]%u", operand->size);
}

static void render_operand(const struct operand *operand, struct strbuf *text)
{
	strbuf_add_format(text, " %s%s%s", operand->read ? "r" : "", operand->write ? "w" : "",
			  operand->read || operand->write ? ":" : "");
	if (operand->kind == OPERAND_REGISTER)
		strbuf_add_format(text, "%s%s%u", arch_reg_name(rendered_arch, operand->reg),
				  operand->high_byte ? "h." : ".", operand->size);
	else if (operand->kind == OPERAND_MEMORY)
		render_memory(operand, text);
	else if (operand->kind == OPERAND_IMMEDIATE)
		strbuf_add_format(text, "$%#llx.%u", (unsigned long long)operand->value,
				  operand->size);
	else
		strbuf_add_char(text, '-');
}

static void render_mask(uint64_t mask, struct strbuf *text)
{
	if ((mask & RENDER_GENERAL) == (RENDER_GENERAL & ~REG_BIT(REG_RSP))) {
		strbuf_add_string(text, " general-rsp");
		mask &= ~RENDER_GENERAL;
	} else if ((mask & RENDER_GENERAL) == RENDER_GENERAL) {
		strbuf_add_string(text, " general");
		mask &= ~RENDER_GENERAL;
	}
	if ((mask & RENDER_VECTORS) == RENDER_VECTORS) {
		strbuf_add_string(text, " vectors");
		mask &= ~RENDER_VECTORS;
	}
	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		if (mask & REG_BIT(reg))
			strbuf_add_format(text, " %s", arch_reg_name(rendered_arch, reg));
}

static void render_insn(const struct insn *insn, struct strbuf *text)
{
	strbuf_add_string(text, operation_name(insn->operation));
	if (insn->condition != CONDITION_NONE)
		strbuf_add_format(text, ".%x", insn->condition);
	strbuf_add_format(text, "%s%s%s%s", insn->flags & FLAG_UNKNOWN ? " unknown" : "",
			  insn->flags & FLAG_LOCK ? " lock" : "",
			  insn->flags & FLAG_REPEAT ? " rep" : "",
			  insn->flags & FLAG_BIT_NUMBER ? " bit" : "");
	for (unsigned int i = 0; i < insn->operand_count; i++)
		render_operand(&insn->operands[i], text);
	strbuf_add_string(text, " |");
	render_mask(insn->read, text);
	strbuf_add_string(text, " |");
	render_mask(insn->written, text);
}
