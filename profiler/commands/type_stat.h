/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --type-stat: how the types of the samples were found, and why those missing were not. */
#ifndef DTPROF_COMMANDS_TYPE_STAT_H
#define DTPROF_COMMANDS_TYPE_STAT_H

#include "profiler/commands/input.h"
#include "report/filter.h"
#include "report/json.h"

void print_type_stat(const struct input *input, const struct filter *filter);

/* The same as a member "type_stat" of the object that is open. */
void type_stat_json(const struct input *input, const struct filter *filter, struct json *json);

#endif
