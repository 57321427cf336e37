// SPDX-License-Identifier: GPL-2.0-or-later
/* The address of an operand: see data_operand.h. */
#include "profiler/ingest/data_operand.h"

bool data_operand_address(const struct data_operand *operand, const struct sample_registers *registers,
			  uint64_t ip, uint64_t *address)
{
	uint64_t sum = (uint64_t)operand->displacement, value;

	if (!operand->known)
		return false;
	if (operand->relative)
		sum += ip - operand->insn;
	if (operand->base != DATA_OPERAND_NO_REGISTER) {
		if (!sample_register(registers, operand->base, &value))
			return false;
		sum += value;
	}
	if (operand->index != DATA_OPERAND_NO_REGISTER) {
		if (!sample_register(registers, operand->index, &value))
			return false;
		sum += value * operand->scale;
	}
	*address = sum;
	return true;
}
