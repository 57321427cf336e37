/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a perf.data file with two events in a group, loads and stores. A test names the samples by
 * function and instruction, with threads, weights and data sources.
 */
#pragma once

#include <stdint.h>

/* Flags for gcc and g++: unoptimized code without a C library, at a fixed address. */
#define HIT_PROGRAM_FLAGS                                                                          \
	"-g -O0 -static -nostdlib -no-pie -fno-pie -fno-stack-protector -fcf-protection=none "     \
	"-fno-asynchronous-unwind-tables -Wl,--build-id=none,-Ttext=0x500000"

enum { LOADS, STORES, EVENTS };

/* Samples of one instruction. */
struct hit {
	const char *function;
	unsigned int insn; /* from 0 */
	uint32_t event;
	uint32_t tid;
	unsigned int count;
	uint64_t weight;
	uint64_t source;
};

/* Writes the file `output`. `program` is not position independent; `hits` ends with one without a
 * function. Periods are 1000 for loads and 500 for stores, cachelines have 32 bytes. Fails the
 * running test on any error. */
void hit_recorder_write(const char *program, const char *output, const struct hit *hits);
/* The same, but samples have the data addresses of their hits, and times that are a microsecond
 * apart. */
void hit_recorder_write_data(const char *program, const char *output, const struct hit *hits,
			     const uint64_t *addresses);
