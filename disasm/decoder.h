/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes to instructions, through capstone. One decoder a thread. */
#ifndef DTPROF_DISASM_DECODER_H
#define DTPROF_DISASM_DECODER_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/insn.h"
#include "profiler/base/error.h"

struct decoder;

struct error *decoder_create(struct decoder **result);
void decoder_destroy(struct decoder *decoder);

/*
 * Decode the instruction at `bytes`, which would run at `address`; never reads past `size` bytes. Always
 * fills *insn: bytes that are no instruction give OP_OTHER with FLAG_UNKNOWN and length 1 (0 only if size is
 * 0). Encodings that capstone does not know (APX, newer AVX) get their length right where the encoding lets
 * it be computed.
 */
void decoder_decode(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
		    struct insn *insn);

enum syntax { SYNTAX_ATT, SYNTAX_INTEL };

struct insn_text {
	char mnemonic[48]; /* with its prefixes: "lock addl" */
	char operands[176];
};

/* The instruction as text, for annotate. What capstone does not know is ".byte 0x62,0xf1 ...". */
void decoder_text(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
		  enum syntax syntax, struct insn_text *text);

/* The same in one piece (AT&T), for --debug; `text` always ends in NUL. */
void decoder_format(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address, char *text,
		    size_t text_size);

#endif
