/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tables are printed as. */
#ifndef DTPROF_COMMANDS_OUTPUT_FORMAT_H
#define DTPROF_COMMANDS_OUTPUT_FORMAT_H

enum output_format { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_CSV };

#endif
