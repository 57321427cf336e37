/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory operands of sampled instructions, for computing data addresses from registers. */
#ifndef DTPROF_COMMANDS_OPERANDS_H
#define DTPROF_COMMANDS_OPERANDS_H

#include "disasm/decoder.h"
#include "profiler/base/error.h"
#include "profiler/ingest/data_operand.h"
#include "profiler/ingest/dso.h"

struct operands {
	struct decoder *decoder;
	const struct dso_options *dso; /* the caller's */
};

struct error *operands_init(struct operands *operands, const struct dso_options *dso);
void operands_release(struct operands *operands);
/* For struct session_options; good as long as `operands` is. */
struct data_operand_finder operands_finder(struct operands *operands);

#endif
