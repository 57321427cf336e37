// SPDX-License-Identifier: GPL-2.0-or-later
/* A little-endian perf.data file as a big-endian machine would have written it: see byte_order.h.
 */
#include "tests/support/byte_order.h"

#include <linux/perf_event.h>
#include <string.h>

#define EVENTS 64
#define IDS    4096

struct event {
	struct perf_event_attr attr; /* still little-endian */
};

struct order {
	uint8_t *data;
	size_t size;
	struct event events[EVENTS];
	size_t event_count;
	uint64_t ids[IDS];
	uint8_t id_events[IDS];
	size_t id_count;
};

static uint64_t get(const uint8_t *at, unsigned int bytes)
{
	uint64_t value = 0;

	memcpy(&value, at, bytes);
	return value;
}

/* Reverses the value of `bytes` bytes and moves past it. Returns its original value. */
static uint64_t turn(uint8_t **at, unsigned int bytes)
{
	uint64_t value = get(*at, bytes);

	for (unsigned int i = 0; i < bytes / 2; i++) {
		uint8_t byte = (*at)[i];

		(*at)[i] = (*at)[bytes - 1 - i];
		(*at)[bytes - 1 - i] = byte;
	}
	*at += bytes;
	return value;
}

static void turn_words(uint8_t **at, uint64_t count)
{
	while (count--)
		turn(at, 8);
}

/* Reverses fields whose sizes in bytes are the digits of `sizes`. */
static void turn_fields(uint8_t **at, const char *sizes)
{
	for (; *sizes; sizes++)
		turn(at, (unsigned int)(*sizes - '0'));
}

static void turn_attr(uint8_t *at, size_t size)
{
	uint8_t *end = at + size;
	uint8_t *flags = at + 40;

	turn_fields(&at, "448888");
	for (int i = 0; i < 8; i++) {
		uint8_t byte = flags[i];

		flags[i] = 0;
		for (int bit = 0; bit < 8; bit++)
			flags[i] |= (uint8_t)((byte >> bit & 1) << (7 - bit));
	}
	at += 8;
	for (const char *sizes = "448888448422448"; *sizes && at < end; sizes++)
		turn(&at, (unsigned int)(*sizes - '0'));
	while (at < end)
		turn(&at, 8);
}

static void add_event(struct order *order, const uint8_t *attr, size_t attr_size,
		      const uint8_t *ids, size_t id_count)
{
	struct event *event = &order->events[order->event_count];

	if (order->event_count == EVENTS)
		return;
	memset(event, 0, sizeof(*event));
	memcpy(&event->attr, attr,
	       attr_size < sizeof(event->attr) ? attr_size : sizeof(event->attr));
	for (size_t i = 0; i < id_count && order->id_count < IDS; i++) {
		order->ids[order->id_count] = get(ids + 8 * i, 8);
		order->id_events[order->id_count++] = (uint8_t)order->event_count;
	}
	order->event_count++;
}

static const struct perf_event_attr *attr_of(const struct order *order, uint64_t id)
{
	for (size_t i = 0; i < order->id_count; i++)
		if (order->ids[i] == id)
			return &order->events[order->id_events[i]].attr;
	return &order->events[0].attr;
}

static void turn_registers(uint8_t **at, uint64_t mask)
{
	if (turn(at, 8))
		turn_words(at, (uint64_t)__builtin_popcountll(mask));
}

static void turn_read(uint8_t **at, uint64_t format)
{
	uint64_t words = 1 + !!(format & PERF_FORMAT_ID) + !!(format & 16);
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t count = format & PERF_FORMAT_GROUP ? turn(at, 8) : 1;

	turn_words(at, times + count * words);
}

/* Reverses the fields of one or two numbers that come before those of variable length. */
static void turn_sample_head(uint8_t **at, uint64_t type)
{
	static const struct {
		uint64_t field;
		const char *sizes;
	} fields[] = {
		{ PERF_SAMPLE_IDENTIFIER, "8" }, { PERF_SAMPLE_IP, "8" },
		{ PERF_SAMPLE_TID, "44" },       { PERF_SAMPLE_TIME, "8" },
		{ PERF_SAMPLE_ADDR, "8" },       { PERF_SAMPLE_ID, "8" },
		{ PERF_SAMPLE_STREAM_ID, "8" },  { PERF_SAMPLE_CPU, "44" },
		{ PERF_SAMPLE_PERIOD, "8" },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (type & fields[i].field)
			turn_fields(at, fields[i].sizes);
}

static void turn_branches(uint8_t **at, uint64_t branch_type)
{
	uint64_t count = turn(at, 8);

	turn_words(at, (branch_type >> 17 & 1) + 3 * count + (branch_type >> 19 & 1) * count);
}

static void turn_stack(uint8_t **at)
{
	uint64_t size = turn(at, 8);

	*at += size;
	if (size)
		turn(at, 8);
}

static void turn_sample(uint8_t *at, const struct perf_event_attr *attr)
{
	uint64_t type = attr->sample_type;

	turn_sample_head(&at, type);
	if (type & PERF_SAMPLE_READ)
		turn_read(&at, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		turn_words(&at, turn(&at, 8));
	if (type & PERF_SAMPLE_RAW)
		at += turn(&at, 4);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		turn_branches(&at, attr->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		turn_registers(&at, attr->sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		turn_stack(&at);
	turn_words(&at, !!(type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)) +
				!!(type & PERF_SAMPLE_DATA_SRC) +
				!!(type & PERF_SAMPLE_TRANSACTION));
	if (type & PERF_SAMPLE_REGS_INTR)
		turn_registers(&at, attr->sample_regs_intr);
	turn_words(&at, !!(type & PERF_SAMPLE_PHYS_ADDR) + !!(type & PERF_SAMPLE_CGROUP) +
				!!(type & PERF_SAMPLE_DATA_PAGE_SIZE) +
				!!(type & PERF_SAMPLE_CODE_PAGE_SIZE) + !!(type & PERF_SAMPLE_AUX));
}

static const struct perf_event_attr *sample_attr(const struct order *order, const uint8_t *body)
{
	uint64_t type = order->events[0].attr.sample_type;
	uint64_t before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;

	if (type & PERF_SAMPLE_IDENTIFIER)
		return attr_of(order, get(body, 8));
	if (type & PERF_SAMPLE_ID)
		return attr_of(order, get(body + 8 * __builtin_popcountll(type & before), 8));
	return &order->events[0].attr;
}

/* Turns the fields that sample_id_all adds to a record, which are counted from its end. */
static void turn_trailer(const struct order *order, uint8_t *end)
{
	const struct perf_event_attr *attr = &order->events[0].attr;
	uint64_t all = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
		       PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

	if (!attr->sample_id_all)
		return;
	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		attr = attr_of(order, get(end - 8, 8));
	uint64_t type = attr->sample_type;
	uint8_t *at = end - 8 * __builtin_popcountll(type & all);

	if (type & PERF_SAMPLE_TID)
		turn_fields(&at, "44");
	turn_words(&at, !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ID) +
				!!(type & PERF_SAMPLE_STREAM_ID));
	if (type & PERF_SAMPLE_CPU)
		turn_fields(&at, "44");
	if (type & PERF_SAMPLE_IDENTIFIER)
		turn(&at, 8);
}

/* The fields of the kernel's records, before strings and trailers. */
static const char *const record_fields[] = {
	[1] = "44888", [2] = "88",    [3] = "44",     [4] = "44448", [5] = "888",
	[6] = "888",   [7] = "44448", [10] = "44888", [11] = "888",  [12] = "44",
	[13] = "8",    [15] = "44",   [17] = "8422",
};

static void turn_string(uint8_t **at)
{
	*at += turn(at, 4);
}

static void turn_event_desc(uint8_t *at)
{
	uint64_t count = turn(&at, 4);
	uint64_t size = turn(&at, 4);

	for (; count; count--) {
		turn_attr(at, size);
		at += size;
		uint64_t ids = turn(&at, 4);

		turn_string(&at);
		turn_words(&at, ids);
	}
}

/* Reverses the parts of a shape. "4" is a number of that size, "s" a string, and "(...)" is
 * repeated as often as the four bytes before it say. */
static void turn_shape(uint8_t **at, const char *shape)
{
	for (; *shape && *shape != ')'; shape++) {
		if (*shape == 's') {
			turn_string(at);
		} else if (*shape == '(') {
			const char *inner = shape + 1;

			for (uint64_t count = turn(at, 4); count; count--)
				turn_shape(at, inner);
			for (int depth = 1; depth; depth += (*shape == '(') - (*shape == ')'))
				shape++;
		} else {
			turn(at, (unsigned int)(*shape - '0'));
		}
	}
}

static void turn_build_id(uint8_t *at)
{
	turn_fields(&at, "4224");
}

static void turn_feature(unsigned int feature, uint8_t *at, size_t size)
{
	static const char *const shapes[] = {
		[3] = "s",           [4] = "s",       [5] = "s",     [6] = "s",
		[7] = "44",          [8] = "s",       [9] = "s",     [10] = "8",
		[11] = "(s)",        [14] = "(488s)", [16] = "(4s)", [17] = "(s44)",
		[20] = "4(4444sss)", [21] = "88",     [23] = "8",    [27] = "44444",
		[28] = "(ss)",       [29] = "4488",   [30] = "(ss)", [31] = "((ss)s)",
	};
	uint8_t *end = at + size;

	if (!size)
		return;
	if (feature == 12) {
		turn_event_desc(at);
	} else if (feature == 2) {
		while (at < end) {
			size_t record = get(at + 6, 2);

			turn_build_id(at);
			at += record;
		}
	} else if (feature == 13) {
		turn_shape(&at, "(s)(s)");
		for (; end - at >= 4; turn(&at, 4))
			/* the ids; the list of dies is skipped, because its strings would need more
			 * code */
			;
	} else if (feature < sizeof(shapes) / sizeof(shapes[0]) && shapes[feature]) {
		turn_shape(&at, shapes[feature]);
	}
}

static void turn_mmap2(uint8_t *at, bool build_id)
{
	at += 32;
	if (!build_id)
		turn_fields(&at, "4488");
	else
		at += 24;
	turn_fields(&at, "44");
}

static bool turn_user_record(struct order *order, uint32_t type, uint8_t *body, size_t size)
{
	switch (type) {
	case 64: { /* HEADER_ATTR */
		size_t attr_size = get(body + 4, 4) ? get(body + 4, 4) : 64;
		uint8_t *ids = body + attr_size;

		add_event(order, body, attr_size, ids, (size - attr_size) / 8);
		turn_attr(body, attr_size);
		turn_words(&ids, (size - attr_size) / 8);
		return true;
	}
	case 66: turn(&body, 4); return true; /* TRACING_DATA has its own byte order in its data */
	case 67: turn(&body, 4); return true; /* BUILD_ID */
	case 70:                              /* AUXTRACE_INFO */
		turn_fields(&body, "44");
		turn_words(&body, (size - 8) / 8);
		return true;
	case 71: turn_fields(&body, "8884444"); return true;               /* AUXTRACE */
	case 79: turn_words(&body, size < 40 ? size / 8 : 5); return true; /* TIME_CONV */
	case 78: turn_fields(&body, "88"); return true;                    /* EVENT_UPDATE */
	case 80:
		turn_feature((unsigned int)get(body, 8), body + 8, size - 8);
		turn(&body, 8);
		return true;
	case 81:
	case 83: return false;
	default: return true;
	}
}

static bool turn_record(struct order *order, uint8_t *record, uint64_t *extra)
{
	uint32_t type = (uint32_t)get(record, 4);
	uint16_t misc = (uint16_t)get(record + 4, 2);
	size_t size = get(record + 6, 2);
	uint8_t *body = record + 8;
	uint8_t *header = record;
	bool known = true;

	*extra = type == 71 ? get(body, 8) : type == 66 ? get(body, 4) : 0;
	if (type == 9) {
		turn_sample(body, sample_attr(order, body));
	} else if (type >= 64) {
		known = turn_user_record(order, type, body, size - 8);
	} else {
		turn_trailer(order, record + size);
		if (type == 10)
			turn_mmap2(body, misc >> 14 & 1);
		if (type < sizeof(record_fields) / sizeof(record_fields[0]) && record_fields[type])
			turn_fields(&body, record_fields[type]);
	}
	turn_fields(&header, "422");
	return known;
}

static bool turn_records(struct order *order, uint64_t offset, uint64_t size)
{
	uint64_t end = offset + size;

	while (end - offset >= 8) {
		uint64_t length = get(order->data + offset + 6, 2);
		uint64_t extra;

		if (length < 8 || length > end - offset)
			break; /* the original ends here as well */
		if (!turn_record(order, order->data + offset, &extra))
			return false;
		offset += length + extra;
	}
	return true;
}

static void turn_attrs(struct order *order, uint64_t offset, uint64_t size, uint64_t entry)
{
	/* All ids are read before the first is reversed: they lie anywhere. */
	for (uint64_t at = offset; at + entry <= offset + size; at += entry) {
		uint8_t *section = order->data + at + entry - 16;

		add_event(order, order->data + at, entry - 16, order->data + get(section, 8),
			  get(section + 8, 8) / 8);
	}
	for (uint64_t at = offset; at + entry <= offset + size; at += entry) {
		uint8_t *section = order->data + at + entry - 16;
		uint8_t *ids = order->data + get(section, 8);

		turn_words(&ids, get(section + 8, 8) / 8);
		turn_words(&section, 2);
		turn_attr(order->data + at, entry - 16);
	}
}

static void turn_features(struct order *order, const uint64_t *bitmap, uint64_t table)
{
	for (unsigned int feature = 0; feature < 256; feature++) {
		if (!(bitmap[feature / 64] >> feature % 64 & 1))
			continue;
		uint8_t *section = order->data + table;

		turn_feature(feature, order->data + get(section, 8), get(section + 8, 8));
		turn_words(&section, 2);
		table += 16;
	}
}

bool byte_order_reverse(uint8_t *data, size_t size)
{
	static struct order order;
	uint64_t bitmap[4] = { 0 };
	uint64_t header[13];
	uint8_t *at = data;

	order = (struct order){ .data = data, .size = size };
	memcpy(header, data, size < sizeof(header) ? size : sizeof(header));
	bool pipe = header[1] == 16;

	/* Version 1 is a string. */
	if (!memcmp(data, "PERFFILE", 8))
		at += 8;
	turn_words(&at, pipe ? 2 - (uint64_t)(at - data) / 8 : 13 - (uint64_t)(at - data) / 8);
	if (pipe)
		return turn_records(&order, 16, size - 16);
	memcpy(bitmap, header + 9, sizeof(bitmap));
	turn_attrs(&order, header[3], header[4], header[2]);
	if (!turn_records(&order, header[5], header[6]))
		return false;
	turn_features(&order, bitmap, header[5] + header[6]);
	return true;
}
