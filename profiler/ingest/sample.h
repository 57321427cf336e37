/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One PERF_RECORD_SAMPLE, taken apart.
 *
 * Arrays stay where they are in the file (they may be of the other byte order and are not aligned):
 * sample_word() reads them. Every length has been checked against the record when sample_parse() returns
 * true.
 */
#ifndef DTPROF_INGEST_SAMPLE_H
#define DTPROF_INGEST_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/cursor.h"

struct event;

/* `count` words of 64 bits in the file */
struct sample_words {
	const uint8_t *data;
	uint64_t count;
	bool swap;
};

static inline uint64_t sample_word(const struct sample_words *words, uint64_t index)
{
	uint64_t value;

	memcpy(&value, words->data + 8 * index, 8);
	return words->swap ? bswap_64(value) : value;
}

struct sample_bytes {
	const uint8_t *data;
	uint64_t size;
};

struct sample_registers {
	uint64_t abi;               /* PERF_SAMPLE_REGS_ABI_*; 0: none were taken */
	uint64_t mask;              /* which: bit N is register N of <asm/perf_regs.h> */
	struct sample_words values; /* those of the mask, from its lowest bit on */
};

#define CAME_UNKNOWN 0
#define CAME_THROUGH INT64_MIN

struct sample {
	const struct event *event;
	uint64_t position; /* of the record in the file; unique in the session */
	uint64_t clock;    /* the time, or that of the records before it where it has none */
	uint64_t type;     /* PERF_SAMPLE_* that it has; fields it does not have are 0, pid, tid and cpu -1 */
	uint16_t misc;
	uint64_t id;
	uint64_t ip;
	int32_t pid;
	int32_t tid;
	uint64_t time;
	uint64_t address;
	uint64_t stream_id;
	int32_t cpu;
	uint64_t period; /* the attr's where the sample has none */
	struct {
		uint64_t time_enabled;
		uint64_t time_running;
		struct sample_words values; /* `stride` words for each event that was read, its value first */
		unsigned int stride;
		unsigned int id_at; /* which of these words is the event's id; 0: none */
	} read;
	struct sample_words callchain;
	struct sample_bytes raw;
	struct {
		uint64_t count;
		uint64_t hw_index;            /* UINT64_MAX: not known */
		struct sample_words entries;  /* three words each: from, to, flags */
		struct sample_words counters; /* one word an entry, or none */
	} branches;
	/*
	 * The branch that led to `ip`, as its address less `ip`; CAME_THROUGH: none did, the instruction
	 * before ran. CAME_UNKNOWN: there are no branches of all kinds.
	 */
	int64_t came_from;
	struct sample_registers user_registers;
	struct {
		struct sample_bytes bytes;
		uint64_t dynamic_size;
	} user_stack;
	uint64_t weight;  /* the first 32 bits alone where the event has PERF_SAMPLE_WEIGHT_STRUCT */
	uint64_t weight2; /* 16 bits; instruction latency on Intel */
	uint64_t weight3; /* 16 bits */
	uint64_t data_source;
	uint64_t transaction;
	struct sample_registers interrupt_registers;
	uint64_t physical_address;
	uint64_t cgroup;
	uint64_t data_page_size;
	uint64_t code_page_size;
	struct sample_bytes aux;
};

/* The value of register `number` of <asm/perf_regs.h>; false: it was not taken. */
bool sample_register(const struct sample_registers *registers, unsigned int number, uint64_t *value);

/*
 * Where the fields of one event's samples stand: bytes from the record's start; 0: the sample has no such
 * field, or a field of variable length precedes it.
 */
struct sample_layout {
	uint64_t type; /* PERF_SAMPLE_* */
	uint16_t id;   /* of PERF_SAMPLE_IDENTIFIER or PERF_SAMPLE_ID */
	uint16_t ip;
	uint16_t tid;
	uint16_t time;
	uint16_t address;
	uint16_t cpu;
	uint16_t period;
	uint16_t weight;
	uint16_t data_source;
	/*
	 * Bytes that a record must have to have all of these. UINT32_MAX: ip or tid is missing, or weight or
	 * data source has no fixed place.
	 */
	uint32_t plain_size;
	uint16_t exact_misc;
	bool tells_exact; /* samples with PERF_RECORD_MISC_EXACT_IP are told apart from those without */
	bool traps;       /* samples are taken behind the access, unless a bit of exact_misc is set in misc */
	bool writes;      /* samples are of stores, whatever else they say */
};

void sample_layout_init(struct sample_layout *layout, const struct perf_event_attr *attr);

/* `record` with its header, `size` its checked size. False: the record is shorter than its fields. */
bool sample_parse(const struct event *event, const uint8_t *record, size_t size, bool swap,
		  struct sample *sample);

/* What sample_id_all puts at the end of every other record. */
struct sample_id {
	bool has_time;
	uint64_t time;
	uint64_t id;
	int32_t pid;
	int32_t tid;
	int32_t cpu;
};

/* Bytes of that trailer for a sample_type; 0 without sample_id_all. */
size_t sample_id_size(const struct perf_event_attr *attr);
bool sample_id_parse(const struct perf_event_attr *attr, const uint8_t *record, size_t size, bool swap,
		     struct sample_id *id);

#endif
