/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes recordings of Arm's SPE: packets by packet, as the Arm Architecture Reference Manual has
 * them, in the AUX data of a perf_image, as `perf record -e arm_spe//` writes it.
 */
#pragma once

#include <stdbool.h>

#include "tests/support/perf_image.h"

#define SPE_NEOVERSE_N1 0x413fd0c1 /* Main ID registers */
#define SPE_AMPERE_ONE  0xc00fac40
#define SPE_HIP12       0x480fd060
#define SPE_OTHER       0x410fd030 /* its data sources are not known */

#define SPE_IMAGE_PMU 11
#define SPE_IMAGE_ID  1 /* of the event of SPE; 2 is that of the event that tells of processes */

enum spe_class { SPE_CLASS_OTHER, SPE_CLASS_MEMORY, SPE_CLASS_BRANCH };

/* One sampled operation. Members that are 0 have no packet. */
struct spe_written {
	uint64_t ip;
	unsigned int level; /* EL0 to EL3 */
	enum spe_class class;
	uint8_t operation;
	uint64_t events;
	uint64_t data, physical, target;
	uint16_t latency;
	bool has_source;
	uint8_t source;
	uint32_t context;   /* thread */
	uint64_t timestamp; /* 0: the record ends without one */
};

/* Appends a packet: its header, of which `size` is not a part, and as many bytes of its payload. */
void put_spe_packet(struct strbuf *aux, uint8_t header, unsigned int size, uint64_t payload);
/* Appends the packets of a record, and padding up to 64 bytes. */
void put_spe_record(struct strbuf *aux, const struct spe_written *written);

/* Initializes an image with both events, with processors that have these ID registers, whose clock
 * counts 50 to the microsecond, and with a process 10 "prog" that has the threads 10 and 11. */
void spe_image_init(struct perf_image *image, const uint64_t *midrs, size_t count);
/* Adds what a processor wrote; -1: what thread 10 wrote on any. */
void spe_image_trace(struct perf_image *image, int32_t cpu, const struct strbuf *aux);
/* Adds a PERF_RECORD_AUX with these flags. */
void spe_image_aux(struct perf_image *image, uint64_t flags);
/* Adds that a processor goes over to a thread. */
void spe_image_switch(struct perf_image *image, uint64_t time, uint32_t cpu, uint32_t tid);

/* Returns a small recording with operations of all kinds on several processors, which the caller
 * frees. */
uint8_t *spe_image_example(size_t *size);
