/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of a function, as blocks. Private to annotate/. */
#ifndef DTPROF_ANNOTATE_FUNCTION_CODE_H
#define DTPROF_ANNOTATE_FUNCTION_CODE_H

#include "annotate/landing.h"
#include "disasm/code.h"

/*
 * Decode all ranges of a function; without one (NULL) the symbol that covers `address`, or what follows there
 * in a straight line. *code is the caller's. ERROR_NOT_FOUND: the object has no code there.
 */
struct error *function_code_decode(struct worker *worker, const struct function *function, uint64_t address,
				   const struct landings *landings, struct code **code);

#endif
