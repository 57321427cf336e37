/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of samples, as tables. They drive what profiler/ingest parses (sample.c), counts and
 * packs into keys (count.c), compares and unpacks (count_merge.c), and what is handed to the tables
 * of reports (report/result.h).
 *
 * A table is a macro that expands one of its arguments for each row. This header declares nothing.
 * It is here because profiler/ingest and report/ know nothing of each other.
 *
 * To add a field that the kernel records as a sort key:
 *   1. here: a row in RECORDED_FIELDS, which makes it a member of struct sample, and a row in
 *      COUNTED_FIELDS, which makes COUNT_NAME, NEED_NAME and the members of struct counted and
 *      struct result;
 *   2. report/key/key.c: a row in all_keys, which says how it is shown;
 *   3. Documentation/dtprof-report.1, report.schema.json if its JSON is not a string, and a test.
 * A field that has to be looked up for each sample is added in the same way, but without the first
 * row and with a function in count.c.
 */
#pragma once

/* clang-format off */

/*
 * The parts of a PERF_RECORD_SAMPLE in the order of the record (perf_event_open(2)):
 *
 *   WORD(member, BIT)   64 bits; `member` of struct sample
 *   AGAIN(member, BIT)  64 bits that go into the member of an earlier row
 *   PART(member, BIT)   anything else; take_<member>() of sample.c reads it
 *
 * Each row is present if the event's sample_type has one of its bits.
 */
#define RECORDED_FIELDS(WORD, AGAIN, PART)                          \
	WORD(id,                   PERF_SAMPLE_IDENTIFIER)              \
	WORD(ip,                   PERF_SAMPLE_IP)                      \
	PART(thread,               PERF_SAMPLE_TID)                     \
	WORD(time,                 PERF_SAMPLE_TIME)                    \
	WORD(address,              PERF_SAMPLE_ADDR)                    \
	AGAIN(id,                  PERF_SAMPLE_ID)                      \
	WORD(stream_id,            PERF_SAMPLE_STREAM_ID)               \
	PART(cpu,                  PERF_SAMPLE_CPU)                     \
	WORD(period,               PERF_SAMPLE_PERIOD)                  \
	PART(read,                 PERF_SAMPLE_READ)                    \
	PART(callchain,            PERF_SAMPLE_CALLCHAIN)               \
	PART(raw,                  PERF_SAMPLE_RAW)                     \
	PART(branches,             PERF_SAMPLE_BRANCH_STACK)            \
	PART(user_registers,       PERF_SAMPLE_REGS_USER)               \
	PART(user_stack,           PERF_SAMPLE_STACK_USER)              \
	PART(weights,              PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT) \
	WORD(data_source,          PERF_SAMPLE_DATA_SRC)                \
	WORD(transaction,          PERF_SAMPLE_TRANSACTION)             \
	PART(interrupt_registers,  PERF_SAMPLE_REGS_INTR)               \
	WORD(physical_address,     PERF_SAMPLE_PHYS_ADDR)               \
	WORD(cgroup,               PERF_SAMPLE_CGROUP)                  \
	WORD(data_page_size,       PERF_SAMPLE_DATA_PAGE_SIZE)          \
	WORD(code_page_size,       PERF_SAMPLE_CODE_PAGE_SIZE)          \
	PART(aux,                  PERF_SAMPLE_AUX)

/*
 * The fields by which samples may be counted, one word of the counting key each, in the order in
 * which counted samples are sorted:
 *
 *   TAKEN(NAME, type, member)  the value of the same member of struct sample
 *   FOUND(NAME, type, member)  the value that count_<member>() of count.c finds for a sample
 *   INNER(NAME, type, member)  the same, for ingest/ and the commands only: no result has it
 *
 * `type` is that of `member` in struct counted and struct result; it has at most 64 bits. A sample
 * is counted by the field if count_options.fields has COUNT_NAME; else the member is 0. What places
 * a sample (object, thread, processor, data address) and the weight and data source, which the fast
 * path of counting knows, are packed by hand: see count.h.
 */
#define COUNTED_FIELDS(TAKEN, FOUND, INNER)                         \
	TAKEN(PHYSICAL_ADDRESS, uint64_t, physical_address)             \
	TAKEN(DATA_PAGE_SIZE,   uint64_t, data_page_size) /* bytes; 0: not known */ \
	TAKEN(WEIGHT2,          uint64_t, weight2)                      \
	TAKEN(WEIGHT3,          uint64_t, weight3)                      \
	TAKEN(TRANSACTION,      uint64_t, transaction)    /* PERF_TXN_* */ \
	TAKEN(CODE_PAGE_SIZE,   uint64_t, code_page_size) /* bytes; 0: not known */ \
	TAKEN(CGROUP,           uint64_t, cgroup)         /* id; 0: not recorded */ \
	FOUND(POSITION,         uint64_t, position)       /* of the record; as in struct sample */ \
	FOUND(TIME,             uint64_t, time)           /* in ns; the start of its quantum */ \
	FOUND(IP,               uint64_t, ip)             /* as sampled */ \
	INNER(CAME_FROM,        int64_t,  came_from)      /* as in struct sample */ \
	INNER(CALLER,           uint64_t, caller)         /* CALLER_*: code that called ip's; 0: none */ \
	INNER(TRACE_TEXT,       uint32_t, text)           /* number of the record's text */ \
	INNER(CHAIN,            uint32_t, chain)          /* number of the innermost frame; 0: none */

/* For rows that an expansion leaves out. */
#define NO_FIELD(...)

/* clang-format on */
