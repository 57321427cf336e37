// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements sample.h: reads the fields of a PERF_RECORD_SAMPLE in the order of RECORDED_FIELDS,
 * finds where the fields of fixed position are, and reads the trailer of other records.
 */
#include "profiler/ingest/sample.h"

#include <linux/hw_breakpoint.h>

#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "profiler/ingest/session.h"

bool sample_register(const struct sample_registers *registers, unsigned int number, uint64_t *value)
{
	if (number >= 64 || !registers->abi || !(registers->mask >> number & 1))
		return false;
	uint64_t below = registers->mask & low_bits(number);
	uint64_t index = (uint64_t)__builtin_popcountll(below);

	if (index >= registers->values.count)
		return false;
	*value = sample_word(&registers->values, index);
	return true;
}

/* All that reads at the cursor is ALWAYS_INLINE: where the cursor is never in memory, a field takes
 * half of the instructions. */

/* Returns the next `count` words. If fewer are left, sets cursor->failed and returns none. */
ALWAYS_INLINE struct sample_words words_of(struct cursor *cursor, uint64_t count)
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

/* Returns the next `size` bytes. If fewer are left, sets cursor->failed and returns none. */
ALWAYS_INLINE struct sample_bytes bytes_of(struct cursor *cursor, uint64_t size)
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

/* ---- the parts of RECORDED_FIELDS ---- */

/* Begins the function that reads a part at the cursor into `sample`. */
#define TAKE(part)                                                                                 \
	ALWAYS_INLINE void take_##part(struct cursor *cursor,                                      \
				       const struct perf_event_attr *attr _unused_,                \
				       struct sample *sample _unused_)

TAKE(thread)
{
	sample->pid = (int32_t)cursor_u32(cursor);
	sample->tid = (int32_t)cursor_u32(cursor);
}

TAKE(cpu)
{
	sample->cpu = (int32_t)cursor_u32(cursor);
	cursor_skip(cursor, 4);
}

/* Returns the number of words with the times of a PERF_SAMPLE_READ. */
static unsigned int read_times(uint64_t format)
{
	return !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
}

/* Returns the number of words of each event in it, besides times. */
static unsigned int read_stride(uint64_t format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

/* The times of a group are before its events, those of one event after its value. */
TAKE(read)
{
	uint64_t format = attr->read_format, count = 1;
	unsigned int times = read_times(format);

	if (format & PERF_FORMAT_GROUP) {
		count = cursor_u64(cursor);
		cursor_skip(cursor, 8 * times);
		times = 0;
	}
	sample->read.stride = times + read_stride(format);
	sample->read.id_at = format & PERF_FORMAT_ID ? 1 + times : 0;
	/* Check before multiplying: an event has at most five words. */
	if (count > cursor_left(cursor) / 8)
		cursor->failed = true;
	else
		sample->read.values = words_of(cursor, count * sample->read.stride);
}

TAKE(callchain)
{
	sample->callchain = words_of(cursor, cursor_u64(cursor));
}

TAKE(raw)
{
	sample->raw = bytes_of(cursor, cursor_u32(cursor));
}

TAKE(branches)
{
	uint64_t branch_type = attr->branch_sample_type, count = cursor_u64(cursor);

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		cursor_skip(cursor, 8);
	if (count > cursor_left(cursor) / 24) {
		cursor->failed = true;
		return;
	}
	sample->branches.count = count;
	sample->branches.entries = words_of(cursor, 3 * count);
	if (branch_type & BRANCH_COUNTERS)
		words_of(cursor, count);
	if (!(branch_type & PERF_SAMPLE_BRANCH_ANY) || !count || cursor->failed)
		return;

	/* The newest branch comes first. */
	uint64_t from = sample_word(&sample->branches.entries, 0),
		 to = sample_word(&sample->branches.entries, 1);

	sample->came_from = to == sample->ip ? (int64_t)(from - to) : CAME_THROUGH;
}

ALWAYS_INLINE void take_registers(struct cursor *cursor, uint64_t mask,
				  struct sample_registers *registers)
{
	registers->abi = cursor_u64(cursor);
	if (!registers->abi)
		return;
	registers->mask = mask;
	registers->values = words_of(cursor, (uint64_t)__builtin_popcountll(mask));
}

TAKE(user_registers)
{
	take_registers(cursor, attr->sample_regs_user, &sample->user_registers);
}

TAKE(interrupt_registers)
{
	take_registers(cursor, attr->sample_regs_intr, &sample->interrupt_registers);
}

TAKE(user_stack)
{
	uint64_t size = cursor_u64(cursor);

	if (!size)
		return;
	sample->user_stack.bytes = bytes_of(cursor, size);
	sample->user_stack.dynamic_size = cursor_u64(cursor);
}

TAKE(weights)
{
	uint64_t weight = cursor_u64(cursor);

	if (attr->sample_type & PERF_SAMPLE_WEIGHT) {
		sample->weight = weight;
		return;
	}
	sample->weight = weight & UINT32_MAX;
	sample->weight2 = (uint16_t)(weight >> 32);
	sample->weight3 = (uint16_t)(weight >> 48);
}

TAKE(aux)
{
	bytes_of(cursor, cursor_u64(cursor));
}

/* As sample_parse(), for a constant `swap`. */
ALWAYS_INLINE bool parse(const struct event *event, const uint8_t *record, size_t size, bool swap,
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
#define WORD(member, bits)                                                                         \
	if (type & (bits))                                                                         \
		sample->member = cursor_u64(&cursor);
#define PART(member, bits)                                                                         \
	if (type & (bits))                                                                         \
		take_##member(&cursor, attr, sample);
	RECORDED_FIELDS(WORD, WORD, PART)
#undef WORD
#undef PART
	return !cursor.failed;
}

bool sample_parse(const struct event *event, const uint8_t *record, size_t size, bool swap,
		  struct sample *sample)
{
	return swap ? parse(event, record, size, true, sample)
		    : parse(event, record, size, false, sample);
}

bool sample_take_embedded(struct sample *sample, bool swap)
{
	struct cursor cursor = cursor_of(sample->raw.data, sample->raw.size, swap);

	sample->pid = (int32_t)cursor_u32(&cursor);
	sample->tid = (int32_t)cursor_u32(&cursor);
	sample->period = cursor_u64(&cursor);
	sample->callchain = words_of(&cursor, cursor_u64(&cursor));
	sample->cgroup = cursor_u64(&cursor);
	sample->ip = sample->callchain.count > 1 ? sample_word(&sample->callchain, 1) : 0;
	sample->type |= PERF_SAMPLE_CALLCHAIN;
	sample->misc =
		(uint16_t)((sample->misc & ~PERF_RECORD_MISC_CPUMODE_MASK) | PERF_RECORD_MISC_USER);
	return !cursor.failed;
}

/* Returns the flags of a branch as this machine orders them. On a machine of the other byte order
 * the first bit-field of struct perf_branch_entry is in the highest bits. */
static uint64_t branch_flags(const struct sample_words *entries, uint64_t index)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	uint64_t recorded = sample_word(entries, index), flags = 0;
	unsigned int low = 0;

	if (!entries->swap)
		return recorded;
	for (size_t i = 0; i < sizeof(widths); i++) {
		uint64_t mask = low_bits(widths[i]);

		flags |= (recorded >> (64 - low - widths[i]) & mask) << low;
		low += widths[i];
	}
	return flags;
}

struct perf_branch_entry sample_branch(const struct sample *sample, uint64_t index)
{
	const struct sample_words *entries = &sample->branches.entries;
	uint64_t flags = branch_flags(entries, 3 * index + 2);
	struct perf_branch_entry branch = { .from = sample_word(entries, 3 * index),
					    .to = sample_word(entries, 3 * index + 1) };

	memcpy(&branch.to + 1, &flags, sizeof(flags));
	return branch;
}

/* ---- fields of fixed position ---- */

/* Fields of variable length. Fields after them have no fixed position. */
#define SAMPLE_VARIABLE                                                                            \
	(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |                      \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

/* The fields after the variable ones that the fast path of counting reads. */
#define SAMPLE_DATA (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC)

/* Returns where `field` is, or 0 if samples do not have it, and moves *offset past it. */
static uint16_t layout_take(uint64_t type, uint64_t field, uint16_t *offset)
{
	uint16_t here = *offset;

	if (!(type & field))
		return 0;
	*offset = here + 8;
	return here;
}

/* Sets when samples are taken after the access. Breakpoints on data trap after the instruction that
 * made the access. Intel's events with precise level 1 report the address of the next instruction
 * (arch/x86/events/intel/ds.c); AMD's mark each sample as exact. */
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
	(void)layout_take(type, PERF_SAMPLE_ADDR, &offset);
	uint16_t id = layout_take(type, PERF_SAMPLE_ID, &offset);

	if (!layout->id)
		layout->id = id;
	(void)layout_take(type, PERF_SAMPLE_STREAM_ID, &offset);
	layout->cpu = layout_take(type, PERF_SAMPLE_CPU, &offset);
	layout->period = layout_take(type, PERF_SAMPLE_PERIOD, &offset);
	layout->plain_size = UINT32_MAX;
	if (layout->ip && layout->tid && !(type & SAMPLE_DATA))
		layout->plain_size = offset;
	if (type & SAMPLE_VARIABLE ||
	    (type & PERF_SAMPLE_READ && attr->read_format & PERF_FORMAT_GROUP))
		return;
	if (type & PERF_SAMPLE_READ)
		offset += (uint16_t)(8 * (read_times(attr->read_format) +
					  read_stride(attr->read_format)));
	layout->weight = layout_take(type, PERF_SAMPLE_WEIGHT, &offset);
	if (!layout->weight)
		layout->weight = layout_take(type, PERF_SAMPLE_WEIGHT_STRUCT, &offset);
	layout->data_source = layout_take(type, PERF_SAMPLE_DATA_SRC, &offset);
	if (layout->ip && layout->tid)
		layout->plain_size = offset;
}

/* ---- the trailer of other records ---- */

bool sample_id_parse(const struct perf_event_attr *attr, const uint8_t *record, size_t size,
		     bool swap, struct sample_id *id)
{
	size_t trailer = sample_id_size(attr);
	uint64_t type = attr->sample_type;

	*id = (struct sample_id){ .tid = -1, .cpu = -1 };
	if (!trailer || size < RECORD_HEADER_SIZE + trailer)
		return false;
	struct cursor cursor = cursor_of(record + size - trailer, trailer, swap);

	if (type & PERF_SAMPLE_TID) {
		cursor_skip(&cursor, 4);
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
