/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields that dtprof script prints of a sample: their names, and the choice that -F makes. */
#ifndef DTPROF_COMMANDS_SCRIPT_FIELDS_H
#define DTPROF_COMMANDS_SCRIPT_FIELDS_H

#include "base/error.h"
#include "profiler/ingest/session.h"

/* The fields of a line, in the order in which they are printed. */
enum script_field {
	FIELD_COMM,
	FIELD_PID,
	FIELD_TID,
	FIELD_CPU,
	FIELD_TOD,
	FIELD_TIME,
	FIELD_PERIOD,
	FIELD_EVENT,
	FIELD_TRACE,
	FIELD_ADDR,
	FIELD_DATA_SRC,
	FIELD_WEIGHT,
	FIELD_INS_LAT,
	FIELD_RETIRE_LAT,
	FIELD_IP,
	FIELD_SYM,
	FIELD_SYMOFF,
	FIELD_DSO,
	FIELD_SRCLINE,
	FIELD_PHYS_ADDR,
	FIELD_DATA_PAGE_SIZE,
	FIELD_CODE_PAGE_SIZE,
	FIELD_CGROUP,
	FIELD_SYMBOL_DADDR,
	FIELD_DSO_DADDR,
	FIELD_TYPE,
	FIELD_TYPEOFF,
	FIELD_FIELD,
	FIELD_OBJECT,
	FIELD_ACC,
	FIELD_HOW,
	FIELD_BLAME,
	FIELD_CHARGED,
	FIELD_COUNT
};

#define FIELD_BIT(field) (UINT64_C(1) << (field))

struct script_field_info {
	const char *name;
	uint64_t needs;      /* set of enum result_need */
	const char *summary; /* for --help */
};

/* By enum script_field. */
extern const struct script_field_info script_fields[FIELD_COUNT];

/* The kinds of events that -F chooses fields for, as in perf. */
enum event_class {
	CLASS_HARDWARE,
	CLASS_SOFTWARE,
	CLASS_TRACEPOINT,
	CLASS_BREAKPOINT,
	CLASS_OTHER,
	CLASS_COUNT
};

/* The arguments of -F, in order. Zero-initialized is perf's default. */
struct field_choice {
	uint64_t set, added, removed; /* bits of enum script_field */
	bool is_set;
};

struct field_choices {
	struct field_choice by_class[CLASS_COUNT];
};

/* OPTION_CALL of -F; `choices` is a struct field_choices. "[KIND:]FIELD,..." chooses fields for the
 * events of one kind, or of all kinds. */
struct error *script_fields_parse(void *choices, const char *argument);

/* Returns an error if -F names a field that the samples of no event have, as perf does: lines
 * without it would not be what was asked for. `clock`: their times of day are known. */
struct error *script_fields_check(const struct field_choices *choices, const struct event *events,
				  size_t count, bool clock);

/* Returns the bits of the fields that samples of the event show: those that -F chooses, or perf's
 * default, as far as they were recorded or can be computed. `chains` tells whether call chains are
 * shown. */
uint64_t script_fields_of(const struct field_choices *choices, const struct event *event,
			  bool chains);

#endif
