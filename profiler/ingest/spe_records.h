/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what Arm's Statistical Profiling Extension (SPE) writes: packets, of which a record of one
 * sampled operation consists (Arm Architecture Reference Manual, chapter "Statistical Profiling
 * Extension Sample Record Specification").
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bits of an events packet. */
#define SPE_EVENT_L1D_ACCESS       (UINT64_C(1) << 2)
#define SPE_EVENT_L1D_MISS         (UINT64_C(1) << 3)
#define SPE_EVENT_TLB_ACCESS       (UINT64_C(1) << 4)
#define SPE_EVENT_TLB_WALK         (UINT64_C(1) << 5)
#define SPE_EVENT_LLC_ACCESS       (UINT64_C(1) << 8)
#define SPE_EVENT_LLC_MISS         (UINT64_C(1) << 9)
#define SPE_EVENT_REMOTE_ACCESS    (UINT64_C(1) << 10)
#define SPE_EVENT_L2D_ACCESS       (UINT64_C(1) << 19)
#define SPE_EVENT_L2D_MISS         (UINT64_C(1) << 20)
#define SPE_EVENT_DATA_MODIFIED    (UINT64_C(1) << 21)
#define SPE_EVENT_RECENTLY_FETCHED (UINT64_C(1) << 22)
#define SPE_EVENT_DATA_SNOOPED     (UINT64_C(1) << 23)

/* Facts of the operation, as bits. */
enum spe_operation {
	SPE_LOAD = 1 << 0,
	SPE_STORE = 1 << 1,
	SPE_VECTOR = 1 << 2, /* of SVE, SME or Advanced SIMD, without memory */
	SPE_BRANCH = 1 << 3,
};

/* The facts of one sampled operation. Addresses and latencies that were not recorded are 0. */
struct spe_record {
	uint64_t events;    /* set of SPE_EVENT_* */
	uint32_t operation; /* set of enum spe_operation */
	uint64_t ip;
	uint64_t target; /* of a branch */
	uint64_t data_address, physical_address;
	uint16_t latency; /* in cycles, from dispatch to the end */
	uint16_t source;  /* where the data came from; its meaning depends on the processor */
	bool has_timestamp, has_context;
	uint64_t timestamp; /* of the machine's counter */
	uint32_t context;   /* CONTEXTIDR: the thread's number in kernels that write it */
};

/* Bytes that a processor wrote, from `start` in its buffer, which aligns records. */
struct spe_reader {
	const uint8_t *data;
	size_t size, position;
	uint64_t start;
	uint64_t broken; /* records that were left out */
};

/* Reads the next record. Returns false at the end of the bytes. After bytes that are no packet,
 * everything up to the end of the next record is left out, and counted as one broken record; so are
 * a record that is not whole at the end, and one without the address of an instruction. */
bool spe_record_next(struct spe_reader *reader, struct spe_record *record);

/* The facts of a processor that the meaning of its records depends on. */
struct spe_processor {
	int32_t cpu;
	uint64_t midr;   /* Main ID register; 0: not known */
	uint64_t events; /* set of SPE_EVENT_* that it can filter by, and so counts */
};

/* Returns where the data of an operation came from, in the form of PERF_SAMPLE_DATA_SRC, by the
 * processor's data source packet and the record's events, as perf tells it. */
uint64_t spe_data_source(const struct spe_record *record, const struct spe_processor *processor);
