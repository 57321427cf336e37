/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For resolve*.c only: what the columns show of an answer. */
#ifndef DTPROF_COMMANDS_RESOLVE_SHOW_H
#define DTPROF_COMMANDS_RESOLVE_SHOW_H

#include "profiler/commands/resolve.h"

/* place->shown's type, field, access, how, offset and typed, from place->access. */
void resolve_show_access(struct string_pool *strings, struct resolved_place *place);

#endif
