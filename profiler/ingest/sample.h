/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses a PERF_RECORD_SAMPLE.
 *
 * Arrays stay where they are in the file, unaligned and perhaps in the other byte order;
 * sample_word() reads them. If sample_parse() returns true, all lengths have been checked against
 * the record's size.
 */
#pragma once

#include <linux/perf_event.h>

#include "base/cursor.h"
#include "base/sample_fields.h"

struct event;

/* An array of `count` words of 64 bits in the file, which owns it. */
struct sample_words {
	const uint8_t *data;
	uint64_t count;
	bool swap;
};

/* Returns a word; `index` must be below words->count. */
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
	uint64_t abi;               /* PERF_SAMPLE_REGS_ABI_*; 0: no registers */
	uint64_t mask;              /* bit N: register N of <asm/perf_regs.h> is there */
	struct sample_words values; /* the registers of `mask`, lowest bit first */
};

/* Values of sample.came_from. */
#define CAME_UNKNOWN 0
#define CAME_THROUGH INT64_MIN

/* A parsed sample. Fields that the sample does not have are 0; pid, tid and cpu are -1. */
struct sample {
	const struct event *event;
	uint64_t position; /* of the record in the file; unique in the session */
	uint64_t clock;    /* the time, or that of the records before it if the sample has none */
	uint64_t type;     /* set of PERF_SAMPLE_*: the fields that it has */
	uint16_t misc;     /* of the record's header */
	int32_t pid;
	int32_t tid, cpu;
	/* The rows called WORD. `period` is the attr's if the sample has none. */
#define WORD(member, bits) uint64_t member;
	RECORDED_FIELDS(WORD, NO_FIELD, NO_FIELD)
#undef WORD
	uint64_t weight; /* with PERF_SAMPLE_WEIGHT_STRUCT, its lower 32 bits */
	/* Two times 16 bits of PERF_SAMPLE_WEIGHT_STRUCT; the first is a latency on Intel. */
	uint64_t weight2;
	uint64_t weight3;
	struct {
		struct sample_words values; /* `stride` words for each event, its value first */
		unsigned int stride;
		unsigned int id_at; /* index of the event's id in its words; 0: none */
	} read;
	struct sample_words callchain;
	struct sample_bytes raw;
	struct {
		uint64_t count;
		struct sample_words entries; /* three words each: from, to, flags */
	} branches;
	/* The branch that led to `ip`, as its address minus `ip`. CAME_THROUGH: no branch, the
	 * instruction before `ip` ran. CAME_UNKNOWN: branches of all kinds were not recorded. */
	int64_t came_from;
	struct sample_registers user_registers;
	struct {
		struct sample_bytes bytes;
		uint64_t dynamic_size;
	} user_stack;
	struct sample_registers interrupt_registers;
};

/* Sets *value to register `number` of <asm/perf_regs.h>. Returns false if it was not recorded. */
bool sample_register(const struct sample_registers *registers, unsigned int number,
		     uint64_t *value);

/*
 * Takes the thread, period, call chain, instruction and control group of a sample of perf's event
 * offcpu-time, which are in its raw data since perf 6.16 (__set_offcpu_sample() of evsel.c). False:
 * the data is too short.
 */
bool sample_take_embedded(struct sample *sample, bool swap);

/* The positions of fields in one event's samples, in bytes from the start of the record; 0: samples
 * do not have the field, or a field of variable length precedes it. */
struct sample_layout {
	uint64_t type; /* PERF_SAMPLE_* */
	uint16_t id;   /* PERF_SAMPLE_IDENTIFIER or PERF_SAMPLE_ID */
	uint16_t ip;
	uint16_t tid, time, cpu, period, weight, data_source;
	/* The size that a record must have to contain all of these fields. UINT32_MAX: ip or tid is
	 * missing, or the weight or the data source has no fixed position. */
	uint32_t plain_size;
	uint16_t exact_misc;
	bool tells_exact; /* PERF_RECORD_MISC_EXACT_IP has a meaning for this event */
	bool traps;       /* samples come after the access, unless misc has exact_misc */
	bool writes;      /* all samples are of stores */
};

void sample_layout_init(struct sample_layout *layout, const struct perf_event_attr *attr);

/* Parses a record of `size` bytes with its header. False: too short. Points into the record. */
bool sample_parse(const struct event *event, const uint8_t *record, size_t size, bool swap,
		  struct sample *sample);

/* Returns a branch of the sample's branch stack; `index` must be below branches.count. */
struct perf_branch_entry sample_branch(const struct sample *sample, uint64_t index);

/* The trailer that attr.sample_id_all adds to all other records. */
struct sample_id {
	bool has_time;
	uint64_t time, id;
	int32_t tid, cpu;
};

/* Parses the trailer of a record. Returns false if the record has none. */
bool sample_id_parse(const struct perf_event_attr *attr, const uint8_t *record, size_t size,
		     bool swap, struct sample_id *id);
