/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields that dtprof script prints of a sample: their names, and the choice that -F makes. */
#ifndef DTPROF_COMMANDS_SCRIPT_FIELDS_H
#define DTPROF_COMMANDS_SCRIPT_FIELDS_H

#include "base/error.h"
#include "profiler/ingest/session.h"

/*
 * The fields of a line, in the order in which they are printed: name, needs, and of those that only
 * some recordings have, the bits of sample_type and the option of dtprof record; summary.
 */
/* clang-format off */
#define SCRIPT_FIELDS(ROW) \
	ROW(COMM, "comm", NEED_COMM, 0, NULL, "name of the task") \
	ROW(PID, "pid", NEED_PID, 0, NULL, "process") \
	ROW(TID, "tid", NEED_TID, 0, NULL, "thread") \
	ROW(CPU, "cpu", NEED_CPU, PERF_SAMPLE_CPU, "--sample-cpu", "processor") \
	ROW(TOD, "tod", 0, PERF_SAMPLE_TIME, "-k", "time of day, if the clock of the samples was chosen (-k)") \
	ROW(TIME, "time", 0, PERF_SAMPLE_TIME, "-T", "time in seconds; in JSON and CSV in nanoseconds") \
	ROW(PERIOD, "period", 0, 0, NULL, "what the sample stands for") \
	ROW(EVENT, "event", 0, 0, NULL, "name of the event") \
	ROW(TRACE, "trace", NEED_TRACE_TEXT, 0, NULL, "the fields of a tracepoint's record") \
	ROW(ADDR, "addr", NEED_DATA_ADDRESS, 0, NULL, "data address, recorded or computed from registers") \
	ROW(DATA_SRC, "data_src", NEED_DATA_SOURCE, PERF_SAMPLE_DATA_SRC, "-d", "where the data came from") \
	ROW(WEIGHT, "weight", NEED_WEIGHT, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, "-W", "weight, usually the latency in cycles") \
	ROW(INS_LAT, "ins_lat", NEED_WEIGHT2, PERF_SAMPLE_WEIGHT_STRUCT, "-W", "second part of the weight") \
	ROW(RETIRE_LAT, "retire_lat", NEED_WEIGHT3, PERF_SAMPLE_WEIGHT_STRUCT, "-W", "third part of the weight") \
	ROW(IP, "ip", 0, 0, NULL, "sampled address; if call chains were recorded, all of its chain") \
	ROW(SYM, "sym", NEED_SYMBOL | NEED_ADDRESS, 0, NULL, "function of the sampled address") \
	ROW(SYMOFF, "symoff", NEED_SYMBOL | NEED_ADDRESS, 0, NULL, "offset in the function") \
	ROW(DSO, "dso", NEED_DSO, 0, NULL, "path of the program or library") \
	ROW(SRCLINE, "srcline", NEED_SOURCE_LINE | NEED_ADDRESS, 0, NULL, "file and line") \
	ROW(PHYS_ADDR, "phys_addr", NEED_PHYSICAL_ADDRESS, PERF_SAMPLE_PHYS_ADDR, "--phys-data", "physical address of the data") \
	ROW(DATA_PAGE_SIZE, "data_page_size", NEED_DATA_PAGE_SIZE, PERF_SAMPLE_DATA_PAGE_SIZE, "--data-page-size", "size of the page of the data") \
	ROW(CODE_PAGE_SIZE, "code_page_size", NEED_CODE_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE, "--code-page-size", "size of the page of the code") \
	ROW(CGROUP, "cgroup", NEED_CGROUP, PERF_SAMPLE_CGROUP, "--all-cgroups", "path of the control group") \
	ROW(SYMBOL_DADDR, "symbol_daddr", NEED_DATA_ADDRESS, 0, NULL, "variable at the data address, and the offset in it") \
	ROW(DSO_DADDR, "dso_daddr", NEED_DATA_ADDRESS, 0, NULL, "path of the program or library that has the data address,\n[heap], [stack]") \
	ROW(TYPE, "type", NEED_TYPE, 0, NULL, "type that was accessed, or in parentheses why there is none") \
	ROW(TYPEOFF, "typeoff", NEED_TYPE | NEED_ELEMENT, 0, NULL, "offset in the type") \
	ROW(FIELD, "field", NEED_TYPE, 0, NULL, "path of the field there") \
	ROW(OBJECT, "object", NEED_TYPE | NEED_DATA_ADDRESS | NEED_ELEMENT, 0, NULL, "address of the object of that type") \
	ROW(ACC, "acc", NEED_TYPE, 0, NULL, "load, store or rmw, and how many bytes") \
	ROW(HOW, "how", NEED_TYPE, 0, NULL, "how the type was found") \
	ROW(BLAME, "blame", NEED_TYPE, 0, NULL, "which access the sample was charged to") \
	ROW(CHARGED, "charged", NEED_TYPE | NEED_SYMBOL | NEED_ADDRESS, 0, NULL, "instruction of that access, as function and offset")
/* clang-format on */

enum script_field {
#define FIELD_ID(id, ...) FIELD_##id,
	SCRIPT_FIELDS(FIELD_ID)
#undef FIELD_ID
		FIELD_COUNT
};

#define FIELD_BIT(field) (UINT64_C(1) << (field))

struct script_field_info {
	const char *name;
	uint64_t needs;       /* set of enum result_need */
	uint64_t sample_type; /* 0: each recording has it */
	const char *option;
	const char *summary; /* for --help */
};

extern const struct script_field_info script_fields[FIELD_COUNT];

/* The arguments of -F, in order. Zero-initialized is perf's default. */
struct field_choice {
	uint64_t set, added, removed; /* bits of enum script_field */
	bool is_set;
};

/* OPTION_CALL of -F into a struct field_choice. */
struct error *script_fields_parse(void *choice, const char *text);

/* Returns an error if -F names a field that the samples of no event have, as perf does: lines
 * without it would not be what was asked for. `clock`: their times of day are known. */
struct error *script_fields_check(const struct field_choice *choice, const struct event *events,
				  size_t count, bool clock);

/* Returns the bits of the fields that samples of the event show: those that -F chooses, or perf's
 * default, as far as they are known. `chains`: call chains are shown. */
uint64_t script_fields_of(const struct field_choice *choice, const struct event *event,
			  bool chains);

#endif
