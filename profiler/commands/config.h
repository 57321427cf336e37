/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ~/.dtprofconfig: defaults of options, in git's form.
 *
 *	[report]
 *		percent-limit = 0.5
 *		children = false
 *	[color]
 *		ui = never
 *
 * A section is a command, its keys are the command's long options. $DTPROF_CONFIG names another file; empty:
 * none.
 */
#ifndef DTPROF_COMMANDS_CONFIG_H
#define DTPROF_COMMANDS_CONFIG_H

#include "profiler/commands/options.h"

/*
 * Set what the file says of the command `usage`; its command line comes after that. The first bad line is the
 * error: FILE:LINE and what is wrong, also in sections of other commands as far as that can be told.
 */
struct error *config_apply(const struct command_usage *usage);

#endif
