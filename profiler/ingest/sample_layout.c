// SPDX-License-Identifier: GPL-2.0-or-later
/* Fixed places of sample fields, and the trailer of other records: see sample.h. */
#include <linux/hw_breakpoint.h>

#include "profiler/ingest/format.h"
#include "profiler/ingest/sample.h"

/* Fields whose length only the sample itself tells. */
#define SAMPLE_VARIABLE                                                                                      \
	(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |        \
	 PERF_SAMPLE_STACK_USER)

/* Fields that stand behind those. */
#define SAMPLE_DATA (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC)

static uint16_t layout_take(uint64_t type, uint64_t field, uint16_t *offset)
{
	uint16_t here = *offset;

	if (!(type & field))
		return 0;
	*offset = here + 8;
	return here;
}

/* Words of a PERF_SAMPLE_READ that is no group. */
static uint16_t layout_read_words(uint64_t format)
{
	return 1 + !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING) +
	       !!(format & PERF_FORMAT_ID) + !!(format & READ_LOST);
}

/*
 * Breakpoints on data trap behind the instruction that made the access. So do Intel's events of precise level
 * 1, which give the address of the next instruction (arch/x86/events/intel/ds.c); AMD's say of each sample
 * that it is exact.
 */
static void layout_traps(struct sample_layout *layout, const struct perf_event_attr *attr)
{
	switch (attr->type) {
	case PERF_TYPE_BREAKPOINT:
		layout->traps = attr->bp_type & HW_BREAKPOINT_RW;
		layout->writes = attr->bp_type == HW_BREAKPOINT_W;
		break;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		layout->traps = attr->precise_ip == 1;
		layout->exact_misc = PERF_RECORD_MISC_EXACT_IP;
		break;
	default: break;
	}
}

void sample_layout_init(struct sample_layout *layout, const struct perf_event_attr *attr)
{
	uint64_t type = attr->sample_type;
	uint16_t offset = RECORD_HEADER_SIZE;

	*layout = (struct sample_layout){ .type = type,
					  .tells_exact = attr->type != PERF_TYPE_SOFTWARE &&
							 attr->type != PERF_TYPE_TRACEPOINT &&
							 attr->type != PERF_TYPE_BREAKPOINT };
	layout_traps(layout, attr);
	layout->id = layout_take(type, PERF_SAMPLE_IDENTIFIER, &offset);
	layout->ip = layout_take(type, PERF_SAMPLE_IP, &offset);
	layout->tid = layout_take(type, PERF_SAMPLE_TID, &offset);
	layout->time = layout_take(type, PERF_SAMPLE_TIME, &offset);
	layout->address = layout_take(type, PERF_SAMPLE_ADDR, &offset);
	uint16_t id = layout_take(type, PERF_SAMPLE_ID, &offset);

	if (!layout->id)
		layout->id = id;
	(void)layout_take(type, PERF_SAMPLE_STREAM_ID, &offset);
	layout->cpu = layout_take(type, PERF_SAMPLE_CPU, &offset);
	layout->period = layout_take(type, PERF_SAMPLE_PERIOD, &offset);
	layout->plain_size = UINT32_MAX;
	if (layout->ip && layout->tid && !(type & SAMPLE_DATA))
		layout->plain_size = offset;
	if (type & SAMPLE_VARIABLE || (type & PERF_SAMPLE_READ && attr->read_format & PERF_FORMAT_GROUP))
		return;
	if (type & PERF_SAMPLE_READ)
		offset += 8 * layout_read_words(attr->read_format);
	layout->weight = layout_take(type, PERF_SAMPLE_WEIGHT, &offset);
	if (!layout->weight)
		layout->weight = layout_take(type, PERF_SAMPLE_WEIGHT_STRUCT, &offset);
	layout->data_source = layout_take(type, PERF_SAMPLE_DATA_SRC, &offset);
	if (layout->ip && layout->tid)
		layout->plain_size = offset;
}

#define SAMPLE_ID_FIELDS                                                                                     \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |     \
	 PERF_SAMPLE_IDENTIFIER)

size_t sample_id_size(const struct perf_event_attr *attr)
{
	if (!attr->sample_id_all)
		return 0;
	return 8 * (size_t)__builtin_popcountll(attr->sample_type & SAMPLE_ID_FIELDS);
}

bool sample_id_parse(const struct perf_event_attr *attr, const uint8_t *record, size_t size, bool swap,
		     struct sample_id *id)
{
	size_t trailer = sample_id_size(attr);
	uint64_t type = attr->sample_type;

	*id = (struct sample_id){ .pid = -1, .tid = -1, .cpu = -1 };
	if (!trailer || size < RECORD_HEADER_SIZE + trailer)
		return false;
	struct cursor cursor = cursor_of(record + size - trailer, trailer, swap);

	if (type & PERF_SAMPLE_TID) {
		id->pid = (int32_t)cursor_u32(&cursor);
		id->tid = (int32_t)cursor_u32(&cursor);
	}
	if (type & PERF_SAMPLE_TIME) {
		id->time = cursor_u64(&cursor);
		id->has_time = true;
	}
	if (type & PERF_SAMPLE_ID)
		id->id = cursor_u64(&cursor);
	if (type & PERF_SAMPLE_STREAM_ID)
		cursor_skip(&cursor, 8);
	if (type & PERF_SAMPLE_CPU) {
		id->cpu = (int32_t)cursor_u32(&cursor);
		cursor_skip(&cursor, 4);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		id->id = cursor_u64(&cursor);
	return true;
}
