// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts of instructions that capstone 4 writes as hints with numbers, or as bytes: pointer
 * authentication, branch targets, and atomic operations (ARM C6.2). */
#include "disasm/arm64/parts.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"

static const char *const hints[] = {
	[0] = "nop",        [1] = "yield",      [2] = "wfe",        [3] = "wfi",
	[4] = "sev",        [5] = "sevl",       [7] = "xpaclri",    [8] = "pacia1716",
	[10] = "pacib1716", [12] = "autia1716", [14] = "autib1716", [16] = "esb",
	[20] = "csdb",      [24] = "paciaz",    [25] = "paciasp",   [26] = "pacibz",
	[27] = "pacibsp",   [28] = "autiaz",    [29] = "autiasp",   [30] = "autibz",
	[31] = "autibsp",   [32] = "bti",       [34] = "bti c",     [36] = "bti j",
	[38] = "bti jc",
};

static bool hint_text(uint32_t word, struct insn_text *text)
{
	uint32_t number = word >> 5 & 127;

	if ((word & 0xfffff01f) != 0xd503201f || number >= COUNT_OF(hints) || !hints[number])
		return false;
	const char *target = strchr(hints[number], ' ');
	size_t length = target ? (size_t)(target - hints[number]) : strlen(hints[number]);

	snprintf(text->mnemonic, sizeof(text->mnemonic), "%.*s", (int)length, hints[number]);
	snprintf(text->operands, sizeof(text->operands), "%s", target ? target + 1 : "");
	return true;
}

/* Writes the name of a general register, where 31 is the zero register. */
static const char *register_text(uint32_t number, bool wide, char name[8])
{
	if (number == NUMBER_31)
		snprintf(name, 8, "%s", wide ? "xzr" : "wzr");
	else
		snprintf(name, 8, "%c%u", wide ? 'x' : 'w', number);
	return name;
}

static void base_text(uint32_t word, char name[8])
{
	uint32_t base = word >> 5 & 31;

	if (base == NUMBER_31)
		snprintf(name, 8, "sp");
	else
		snprintf(name, 8, "x%u", base);
}

/* Writes an atomic operation: its name, the order of its load and store, the size, if it has less
 * than four bytes, and its registers, `pair` of them for each value. */
static void write_atomic(uint32_t word, const char *name, bool acquires, bool releases, bool pair,
			 struct insn_text *text)
{
	uint32_t size = word >> 30, s = word >> 16 & 31, t = word & 31;
	bool wide = pair ? size & 1 : size == 3;
	char first[8], second[8], third[8], fourth[8], base[8];

	base_text(word, base);
	register_text(s, wide, first);
	register_text(t, wide, second);
	snprintf(text->mnemonic, sizeof(text->mnemonic), "%s%s%s%s", name, acquires ? "a" : "",
		 releases ? "l" : "",
		 pair || size > 1 ? ""
		 : size           ? "h"
				  : "b");
	if (pair)
		snprintf(text->operands, sizeof(text->operands), "%s, %s, %s, %s, [%s]", first,
			 register_text(s + 1, wide, third), second,
			 register_text(t + 1, wide, fourth), base);
	else if (starts_with(name, "st") || starts_with(name, "ldap"))
		snprintf(text->operands, sizeof(text->operands), "%s, [%s]", first, base);
	else
		snprintf(text->operands, sizeof(text->operands), "%s, %s, [%s]", first, second,
			 base);
}

static bool atomic_text(uint32_t word, struct insn_text *text)
{
	static const char *const names[] = { "ldadd",  "ldclr",  "ldeor",  "ldset",
					     "ldsmax", "ldsmin", "ldumax", "ldumin" };
	static const char *const stores[] = { "stadd",  "stclr",  "steor",  "stset",
					      "stsmax", "stsmin", "stumax", "stumin" };
	uint32_t operation = word >> 12 & 15;
	bool acquires = word >> 23 & 1, releases = word >> 22 & 1;

	if ((word & 0x3fa07c00) == 0x08a07c00) {
		write_atomic(word, "cas", releases, word >> 15 & 1, false, text);
		return true;
	}
	if ((word & 0xbfa07c00) == 0x08207c00) {
		write_atomic(word, "casp", releases, word >> 15 & 1, true, text);
		return true;
	}
	if ((word & 0x3ffffc00) == 0x38bfc000) { /* its one register is where stores have it */
		write_atomic((word & ~UINT32_C(0x1f0000)) | (word & 31) << 16, "ldapr", false,
			     false, false, text);
		return true;
	}
	if ((word & 0x3f200c00) != 0x38200000 || operation > 8)
		return false;
	write_atomic(word,
		     operation == 8                          ? "swp"
		     : (word & 31) == NUMBER_31 && !acquires ? stores[operation]
							     : names[operation],
		     acquires, releases, false, text);
	return true;
}

bool own_text(uint32_t word, struct insn_text *text)
{
	return hint_text(word, text) || atomic_text(word, text);
}
