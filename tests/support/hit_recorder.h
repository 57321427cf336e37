/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A perf.data file of two events in a group, loads and stores, with the samples that a test names
 * by function and instruction: with threads, weights and data sources.
 */
#ifndef DTPROF_TESTS_HIT_RECORDER_H
#define DTPROF_TESTS_HIT_RECORDER_H

#include <stdint.h>

/* For gcc and g++: code that no compiler lays out, at an address of its own. */
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

/* `program` is not position independent; `hits` ends with one without a function. Periods are 1000
 * for loads and 500 for stores, cachelines 32 bytes. Fails the running test if it cannot be done.
 */
void hit_recorder_write(const char *program, const char *output, const struct hit *hits);
/* The same with the address of each hit's data, and with times: each sample a microsecond after the
 * one before. */
void hit_recorder_write_data(const char *program, const char *output, const struct hit *hits,
			     const uint64_t *addresses);

#endif
