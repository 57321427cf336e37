// SPDX-License-Identifier: GPL-2.0-or-later
/* struct perf_event_attr as files have it: see attr.h. */
#include "profiler/ingest/attr.h"

#include <stdint.h>
#include <string.h>

#include "profiler/base/cursor.h"

/* The flag word lies between read_format and wakeup_events. */
#define ATTR_FLAGS_OFFSET (offsetof(struct perf_event_attr, read_format) + sizeof(uint64_t))

/* Bit-fields are filled from the other end of each byte on machines of the other byte order. */
static uint64_t attr_reverse_bits_of_bytes(uint64_t value)
{
	value = (value & 0x0f0f0f0f0f0f0f0fULL) << 4 | (value >> 4 & 0x0f0f0f0f0f0f0f0fULL);
	value = (value & 0x3333333333333333ULL) << 2 | (value >> 2 & 0x3333333333333333ULL);
	return (value & 0x5555555555555555ULL) << 1 | (value >> 1 & 0x5555555555555555ULL);
}

static uint64_t attr_flags(struct cursor *cursor)
{
	const void *bytes = cursor_bytes(cursor, 8);
	uint64_t flags = 0;

	if (bytes)
		memcpy(&flags, bytes, 8);
	return cursor->swap ? attr_reverse_bits_of_bytes(flags) : flags;
}

size_t attr_size(const void *data, bool swap)
{
	struct cursor cursor = cursor_of(data, 8, swap);

	cursor_skip(&cursor, 4);
	uint32_t size = cursor_u32(&cursor);

	return size ? size : PERF_ATTR_SIZE_VER0;
}

bool attr_parse(const void *data, size_t size, bool swap, struct perf_event_attr *attr)
{
	uint8_t padded[PERF_ATTR_SIZE_VER7] = { 0 };

	if (size < PERF_ATTR_SIZE_VER0)
		return false;
	if (attr_size(data, swap) < size)
		size = attr_size(data, swap);
	if (size < PERF_ATTR_SIZE_VER0)
		return false;
	memcpy(padded, data, size < sizeof(padded) ? size : sizeof(padded));
	struct cursor cursor = cursor_of(padded, sizeof(padded), swap);

	*attr = (struct perf_event_attr){ 0 };
	attr->type = cursor_u32(&cursor);
	cursor_skip(&cursor, 4);
	attr->size = (uint32_t)size;
	attr->config = cursor_u64(&cursor);
	attr->sample_period = cursor_u64(&cursor);
	attr->sample_type = cursor_u64(&cursor);
	attr->read_format = cursor_u64(&cursor);
	uint64_t flags = attr_flags(&cursor);

	memcpy((char *)attr + ATTR_FLAGS_OFFSET, &flags, sizeof(flags));
	attr->wakeup_events = cursor_u32(&cursor);
	attr->bp_type = cursor_u32(&cursor);
	attr->config1 = cursor_u64(&cursor);
	attr->config2 = cursor_u64(&cursor);
	attr->branch_sample_type = cursor_u64(&cursor);
	attr->sample_regs_user = cursor_u64(&cursor);
	attr->sample_stack_user = cursor_u32(&cursor);
	attr->clockid = (int32_t)cursor_u32(&cursor);
	attr->sample_regs_intr = cursor_u64(&cursor);
	attr->aux_watermark = cursor_u32(&cursor);
	attr->sample_max_stack = cursor_u16(&cursor);
	cursor_skip(&cursor, 2);
	attr->aux_sample_size = cursor_u32(&cursor);
	cursor_skip(&cursor, 4);
	attr->sig_data = cursor_u64(&cursor);
	return true;
}
