/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --insn-stat: for which instructions types were found, and for which not, in the form of perf's. */
#ifndef DTPROF_COMMANDS_INSN_STAT_H
#define DTPROF_COMMANDS_INSN_STAT_H

#include "profiler/commands/input.h"
#include "report/filter.h"
#include "report/json.h"

/* As text; with `json` as a member "insn_stat" of the object that is open. */
struct error *print_insn_stat(const struct input *input, const struct dso_options *dso_options,
			      const struct filter *filter, struct json *json);

#endif
