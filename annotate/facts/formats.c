// SPDX-License-Identifier: GPL-2.0-or-later
/* Formats of printf: see formats.h. */
#include "annotate/facts/formats.h"

#include <string.h>

#include "annotate/flow/solver.h"
#include "annotate/types/field.h"

/* Returns the bytes of an integer with these length modifiers; a `char` and a `short` are passed as
 * an `int`. */
static uint8_t size_of_length(const char *length, size_t count)
{
	return count && strchr("lqjzt", *length) ? 8 : 4;
}

/* Reads a conversion. False: printf does not know it. */
static bool read_conversion(char conversion, const char *length, size_t count,
			    struct format_argument *found, bool *general)
{
	*general = true;
	switch (conversion) {
	case 'd':
	case 'i':
	case 'o':
	case 'u':
	case 'x':
	case 'X':
		*found = (struct format_argument){ .size = size_of_length(length, count) };
		return true;
	case 'c': *found = (struct format_argument){ .size = 4 }; return true;
	case 's':
		*found = (struct format_argument){ .pointer = true,
						   .size = count && *length == 'l' ? 4 : 1 };
		return true;
	case 'p':
	case 'n': *found = (struct format_argument){ .pointer = true }; return true;
	case '%':
	case 'm': *general = false; return true;
	default:
		/* in vector registers; a long double is in memory */
		*general = false;
		return conversion && strchr("aAeEfFgG", conversion);
	}
}

bool format_argument(const char *format, unsigned int number, struct format_argument *found)
{
	while ((format = strchr(format, '%'))) {
		const char *length;
		bool general;

		for (format++; *format && strchr("#0- +'.*123456789", *format); format++)
			if (*format == '*' && !number--) {
				*found = (struct format_argument){ .size = 4 };
				return true;
			}
		length = format;
		format += strspn(format, "hlqjztL");
		if (!read_conversion(*format, length, (size_t)(format - length), found, &general))
			return false;
		if (general && !number--)
			return true;
		format++;
	}
	return false;
}

/* Returns the text in the object to which the register points at an instruction; NULL: none is
 * known. */
static const char *text_in(const struct solver *solver, uint32_t insn, uint8_t reg)
{
	const struct insn *write = cfg_last_write(solver->code, insn, reg);
	const struct operand *from = write ? &write->operands[1] : NULL;
	bool address = write && write->operand_count == 2 &&
		       (write->operation == OP_LEA
				? from->base == REG_NONE && from->index == REG_NONE
				: write->operation == OP_MOVE && from->kind == OPERAND_IMMEDIATE);
	size_t available;
	const char *text = address ? (const char *)elf_image_bytes(
					     solver->image, (uint64_t)from->value, &available)
				   : NULL;

	return text && memchr(text, '\0', available) ? text : NULL;
}

const char *format_of_call(const struct solver *solver, uint32_t call,
			   const struct prototype *prototype, uint8_t declared)
{
	const struct type *pointee;

	/* scanf() gets pointers to what its conversions say */
	if (!prototype->variadic || !declared || declared != prototype->parameter_count ||
	    (prototype->name && strstr(prototype->name, "scanf")))
		return NULL;
	pointee = field_pointee(prototype->parameters[declared - 1].type);
	return pointee && field_size(pointee) == 1
		       ? text_in(solver, call, solver->abi->call->arguments[declared - 1])
		       : NULL;
}
