/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a perf.data file or pipe in memory, record by record. Nothing is checked, so that a test
 * may write an invalid file.
 *
 * 	_cleanup_perf_image_ struct perf_image image;
 *
 * 	perf_image_init(&image);
 * 	perf_image_event(&image, &attr, ids, 1);
 * 	put32(&image.body, pid), put32(&image.body, tid), put_string(&image.body, "comm");
 * 	perf_image_record(&image, PERF_RECORD_COMM, 0);
 * 	bytes = perf_image_file(&image, &size);
 */
#pragma once

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

#define PERF_IMAGE_FEATURES 64

struct perf_image {
	struct strbuf body;    /* of the record to come; empty after perf_image_record() */
	struct strbuf records; /* the data */
	struct perf_image_event {
		struct perf_event_attr attr;
		uint64_t ids[4];
		size_t id_count;
	} * events;
	size_t event_count, event_capacity;
	size_t attr_size; /* of attrs in the file; a size beyond the struct's is padded */
	struct strbuf features[PERF_IMAGE_FEATURES];
	int version; /* 1: PERFFILE, 2: PERFILE2 */
};

void perf_image_init(struct perf_image *image);
void perf_image_deinit(struct perf_image *image);
/* Adds an event, and sets the size field of its attr. */
void perf_image_event(struct perf_image *image, const struct perf_event_attr *attr,
		      const uint64_t *ids, size_t count);
/* Ends the body as a record of this type; it is padded to eight bytes. */
void perf_image_record(struct perf_image *image, uint32_t type, uint16_t misc);
/* Bytes for a feature are added with put...() to image->features[bit]. */

/* Returns the file, which the caller frees. */
uint8_t *perf_image_file(const struct perf_image *image, size_t *size);
uint8_t *perf_image_pipe(const struct perf_image *image, size_t *size);

#define PERF_IMAGE_KERNEL UINT64_C(0xffffffff81000000) /* where kernels begin */

/* Writes the file of a timer's samples, by thread 10, in a program that is loaded at 0x400000, or
 * in a kernel if that is NULL. The first address of each chain is that of the sample; up to a 0. */
void perf_image_timer(const char *path, const char *program, const uint64_t (*chains)[4],
		      size_t chain_count);

void put16(struct strbuf *buffer, uint16_t value);
void put32(struct strbuf *buffer, uint32_t value);
void put64(struct strbuf *buffer, uint64_t value);
/* Appends a string with its NUL, padded to eight bytes. */
void put_string(struct strbuf *buffer, const char *string);

/* The feature TRACING_DATA, as trace-cmd and perf write it (trace-cmd.dat.v6.5(5)). Appends the
 * length of a text in 8 bytes, and the text. */
void put_sized(struct strbuf *buffer, const char *text);
/* Appends the beginning: the magic, little endian, words of 8 bytes, pages of 4096, and the headers
 * of pages and events. The caller appends a count and ftrace's own formats, then a count and the
 * systems with their formats. */
void put_tracing_head(struct strbuf *buffer);

#define _cleanup_perf_image_ __attribute__((cleanup(perf_image_deinit)))
