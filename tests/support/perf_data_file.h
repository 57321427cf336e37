/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the records and features of a perf.data file, without any of the code under test. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_data_section {
	uint64_t offset;
	uint64_t size;
};

struct perf_data_file {
	uint8_t *bytes;
	size_t size;
	uint64_t attr_size;
	struct perf_data_section attrs;
	struct perf_data_section data;
	uint64_t features;
};

/* Opens a file. Returns false and prints a message if it cannot be read, or if a section or record
 * is incomplete. */
bool perf_data_open(const char *path, struct perf_data_file *file);
void perf_data_close(struct perf_data_file *file);

/* Records of a type. */
size_t perf_data_count(const struct perf_data_file *file, uint32_t type);
/* Returns the next record of a type from *offset on (0: the first), and moves *offset to the end of
 * it; NULL if there are no more. */
const struct perf_event_header *perf_data_next(const struct perf_data_file *file, uint32_t type,
					       uint64_t *offset);
/* Returns the bytes of a feature, or NULL. */
const uint8_t *perf_data_feature(const struct perf_data_file *file, unsigned int feature,
				 size_t *size);
/* Sets the attr and the number of ids of the event at `index`. */
bool perf_data_attr(const struct perf_data_file *file, size_t index, struct perf_event_attr *attr,
		    size_t *ids);
