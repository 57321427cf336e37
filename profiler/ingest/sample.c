// SPDX-License-Identifier: GPL-2.0-or-later
/* One PERF_RECORD_SAMPLE, taken apart: see sample.h. The order of fields is that of perf_event_open(2). */
#include "profiler/ingest/sample.h"

#include "profiler/ingest/format.h"
#include "profiler/ingest/session.h"

bool sample_register(const struct sample_registers *registers, unsigned int number, uint64_t *value)
{
	if (number >= 64 || !registers->abi || !(registers->mask >> number & 1))
		return false;
	uint64_t below = registers->mask & ((1ULL << number) - 1);
	uint64_t index = (uint64_t)__builtin_popcountll(below);

	if (index >= registers->values.count)
		return false;
	*value = sample_word(&registers->values, index);
	return true;
}

static struct sample_words sample_take_words(struct cursor *cursor, uint64_t count)
{
	struct sample_words words = { .swap = cursor->swap };

	if (count > cursor_left(cursor) / 8) {
		cursor->failed = true;
		return words;
	}
	words.data = cursor_bytes(cursor, 8 * count);
	words.count = words.data ? count : 0;
	return words;
}

static struct sample_bytes sample_take_bytes(struct cursor *cursor, uint64_t size)
{
	struct sample_bytes bytes = { 0 };

	if (size > cursor_left(cursor)) {
		cursor->failed = true;
		return bytes;
	}
	bytes.data = cursor_bytes(cursor, size);
	bytes.size = bytes.data ? size : 0;
	return bytes;
}

/* A value, the times, and then what else there is of it. */
static void sample_take_single_read(struct cursor *cursor, uint64_t format, struct sample *sample)
{
	unsigned int times =
		!!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	unsigned int next = 1;

	sample->read.stride = 1 + times + !!(format & PERF_FORMAT_ID) + !!(format & READ_LOST);
	sample->read.id_at = format & PERF_FORMAT_ID ? 1 + times : 0;
	sample->read.values = sample_take_words(cursor, sample->read.stride);
	if (!sample->read.values.data)
		return;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		sample->read.time_enabled = sample_word(&sample->read.values, next++);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		sample->read.time_running = sample_word(&sample->read.values, next);
}

static void sample_take_read(struct cursor *cursor, uint64_t format, struct sample *sample)
{
	if (!(format & PERF_FORMAT_GROUP)) {
		sample_take_single_read(cursor, format, sample);
		return;
	}
	uint64_t count = cursor_u64(cursor);

	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		sample->read.time_enabled = cursor_u64(cursor);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		sample->read.time_running = cursor_u64(cursor);
	sample->read.stride = 1 + !!(format & PERF_FORMAT_ID) + !!(format & READ_LOST);
	sample->read.id_at = format & PERF_FORMAT_ID ? 1 : 0;
	/* Three words a value at most: checked before it is multiplied. */
	if (count > cursor_left(cursor) / 8)
		cursor->failed = true;
	else
		sample->read.values = sample_take_words(cursor, count * sample->read.stride);
}

static void sample_take_branches(struct cursor *cursor, uint64_t branch_type, struct sample *sample)
{
	uint64_t count = cursor_u64(cursor);

	sample->branches.hw_index = branch_type & BRANCH_HW_INDEX ? cursor_u64(cursor) : UINT64_MAX;
	if (count > cursor_left(cursor) / 24) {
		cursor->failed = true;
		return;
	}
	sample->branches.count = count;
	sample->branches.entries = sample_take_words(cursor, 3 * count);
	if (branch_type & BRANCH_COUNTERS)
		sample->branches.counters = sample_take_words(cursor, count);
	if (!(branch_type & PERF_SAMPLE_BRANCH_ANY) || !count || cursor->failed)
		return;

	/* the newest comes first */
	uint64_t from = sample_word(&sample->branches.entries, 0),
		 to = sample_word(&sample->branches.entries, 1);

	sample->came_from = to == sample->ip ? (int64_t)(from - to) : CAME_THROUGH;
}

static void sample_take_registers(struct cursor *cursor, uint64_t mask, struct sample_registers *registers)
{
	registers->abi = cursor_u64(cursor);
	if (!registers->abi)
		return;
	registers->mask = mask;
	registers->values = sample_take_words(cursor, (uint64_t)__builtin_popcountll(mask));
}

static void sample_take_stack(struct cursor *cursor, struct sample *sample)
{
	uint64_t size = cursor_u64(cursor);

	if (!size)
		return;
	sample->user_stack.bytes = sample_take_bytes(cursor, size);
	sample->user_stack.dynamic_size = cursor_u64(cursor);
}

static void sample_take_weight(struct cursor *cursor, uint64_t type, struct sample *sample)
{
	uint64_t weight = cursor_u64(cursor);

	if (type & PERF_SAMPLE_WEIGHT) {
		sample->weight = weight;
		return;
	}
	sample->weight = weight & UINT32_MAX;
	sample->weight2 = (uint16_t)(weight >> 32);
	sample->weight3 = (uint16_t)(weight >> 48);
}

/* The fields of one word, or of two halves: all stand before those of variable length. */
static void sample_take_first(struct cursor *cursor, uint64_t type, struct sample *sample)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->id = cursor_u64(cursor);
	if (type & PERF_SAMPLE_IP)
		sample->ip = cursor_u64(cursor);
	if (type & PERF_SAMPLE_TID) {
		sample->pid = (int32_t)cursor_u32(cursor);
		sample->tid = (int32_t)cursor_u32(cursor);
	}
	if (type & PERF_SAMPLE_TIME)
		sample->time = cursor_u64(cursor);
	if (type & PERF_SAMPLE_ADDR)
		sample->address = cursor_u64(cursor);
	if (type & PERF_SAMPLE_ID)
		sample->id = cursor_u64(cursor);
	if (type & PERF_SAMPLE_STREAM_ID)
		sample->stream_id = cursor_u64(cursor);
	if (type & PERF_SAMPLE_CPU) {
		sample->cpu = (int32_t)cursor_u32(cursor);
		cursor_skip(cursor, 4);
	}
	if (type & PERF_SAMPLE_PERIOD)
		sample->period = cursor_u64(cursor);
}

static void sample_take_last(struct cursor *cursor, const struct perf_event_attr *attr, struct sample *sample)
{
	uint64_t type = attr->sample_type;

	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		sample_take_weight(cursor, type, sample);
	if (type & PERF_SAMPLE_DATA_SRC)
		sample->data_source = cursor_u64(cursor);
	if (type & PERF_SAMPLE_TRANSACTION)
		sample->transaction = cursor_u64(cursor);
	if (type & PERF_SAMPLE_REGS_INTR)
		sample_take_registers(cursor, attr->sample_regs_intr, &sample->interrupt_registers);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		sample->physical_address = cursor_u64(cursor);
	if (type & PERF_SAMPLE_CGROUP)
		sample->cgroup = cursor_u64(cursor);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		sample->data_page_size = cursor_u64(cursor);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		sample->code_page_size = cursor_u64(cursor);
	if (type & PERF_SAMPLE_AUX)
		sample->aux = sample_take_bytes(cursor, cursor_u64(cursor));
}

bool sample_parse(const struct event *event, const uint8_t *record, size_t size, bool swap,
		  struct sample *sample)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t type = attr->sample_type;
	struct cursor cursor = cursor_of(record, size, swap);

	*sample = (struct sample){ .event = event, .type = type, .pid = -1, .tid = -1, .cpu = -1 };
	sample->period = attr->sample_period;
	cursor_skip(&cursor, 4);
	sample->misc = cursor_u16(&cursor);
	cursor_skip(&cursor, 2);
	sample_take_first(&cursor, type, sample);
	if (type & PERF_SAMPLE_READ)
		sample_take_read(&cursor, attr->read_format, sample);
	if (type & PERF_SAMPLE_CALLCHAIN)
		sample->callchain = sample_take_words(&cursor, cursor_u64(&cursor));
	if (type & PERF_SAMPLE_RAW)
		sample->raw = sample_take_bytes(&cursor, cursor_u32(&cursor));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		sample_take_branches(&cursor, attr->branch_sample_type, sample);
	if (type & PERF_SAMPLE_REGS_USER)
		sample_take_registers(&cursor, attr->sample_regs_user, &sample->user_registers);
	if (type & PERF_SAMPLE_STACK_USER)
		sample_take_stack(&cursor, sample);
	sample_take_last(&cursor, attr, sample);
	return !cursor.failed;
}
