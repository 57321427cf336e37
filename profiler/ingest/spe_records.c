// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements spe_records.h. The encodings of packets are those of the Arm Architecture Reference
 * Manual; the meanings of data sources by processor are those of perf's util/arm-spe.c. */
#include "profiler/ingest/spe_records.h"

#include <linux/perf_event.h>

#include "base/cursor.h"
#include "base/memory.h"

/* ---- packets ---- */

enum packet_kind {
	PACKET_BAD,
	PACKET_PADDING,
	PACKET_END,
	PACKET_TIMESTAMP,
	PACKET_EVENTS,
	PACKET_SOURCE,
	PACKET_CONTEXT,
	PACKET_OPERATION,
	PACKET_ADDRESS,
	PACKET_COUNTER,
};

struct packet {
	enum packet_kind kind;
	unsigned int index; /* which address, counter, or class of operation */
	uint64_t payload;
};

/* A header is of the first kind whose bits it has. The headers of addresses and counters may have a
 * byte before them that extends the index. */
static const struct {
	uint8_t mask, bits;
	uint8_t index_mask;
	uint8_t kind;
} packet_headers[] = {
	{ 0xff, 0x71, 0x00, PACKET_TIMESTAMP }, { 0xcf, 0x42, 0x00, PACKET_EVENTS },
	{ 0xcf, 0x43, 0x00, PACKET_SOURCE },    { 0xfc, 0x64, 0x00, PACKET_CONTEXT },
	{ 0xfc, 0x48, 0x03, PACKET_OPERATION }, { 0xf8, 0xb0, 0x07, PACKET_ADDRESS },
	{ 0xf8, 0x98, 0x07, PACKET_COUNTER },
};

#define HEADER_PADDING  0x00
#define HEADER_END      0x01
#define HEADER_EXTENDED 0x20 /* the lower two bits are those of the index above its lower three */

/* Moves over the bytes up to the alignment that the header at the cursor asks for. */
static void skip_alignment(struct cursor *cursor, uint64_t start, uint8_t header)
{
	uint64_t at = start + cursor->position; /* after the header's two bytes */
	uint64_t end = ((at - 2) | ((UINT64_C(2) << (header & 15)) - 1)) + 1;
	size_t left = cursor_left(cursor);

	if (end > at)
		cursor_skip(cursor, end - at < left ? (size_t)(end - at) : left);
}

/* Reads the packet at the cursor, and moves past it. */
static struct packet next_packet(struct cursor *cursor, uint64_t start)
{
	uint8_t header = cursor_u8(cursor), extension = 0;

	if (header == HEADER_PADDING || header == HEADER_END)
		return (struct packet){ .kind = header ? PACKET_END : PACKET_PADDING };
	if ((header & 0xfc) == HEADER_EXTENDED) {
		extension = header;
		header = cursor_u8(cursor);
		if (!header) {
			skip_alignment(cursor, start, extension);
			return (struct packet){ .kind = PACKET_PADDING };
		}
	}
	for (size_t i = 0; i < COUNT_OF(packet_headers); i++) {
		if ((header & packet_headers[i].mask) != packet_headers[i].bits)
			continue;
		struct packet packet = { .kind = packet_headers[i].kind,
					 .index = header & packet_headers[i].index_mask };

		if (extension && packet.kind != PACKET_ADDRESS && packet.kind != PACKET_COUNTER)
			break;
		packet.index |= (extension & 3U) << 3;
		for (unsigned int byte = 0; byte < 1U << (header >> 4 & 3); byte++)
			packet.payload |= (uint64_t)cursor_u8(cursor) << 8 * byte;
		return packet;
	}
	return (struct packet){ .kind = PACKET_BAD };
}

/* ---- records ---- */

#define ADDRESS_MASK ((UINT64_C(1) << 56) - 1)

/* Returns an address of code. The top byte says at which exception level it ran, and whether in a
 * secure state; that of EL1 and EL2 is the kernel's. */
static uint64_t code_address(uint64_t payload)
{
	unsigned int level = payload >> 61 & 3;
	bool not_secure = payload >> 63;

	return (payload & ADDRESS_MASK) |
	       (not_secure && (level == 1 || level == 2) ? ~ADDRESS_MASK : 0);
}

/* Returns an address of data. The top byte is a tag; addresses of kernels have ones below it. */
static uint64_t data_address(uint64_t payload)
{
	bool kernel = (payload >> 52 & 15) == 15;

	return (payload & ADDRESS_MASK) | (kernel ? ~ADDRESS_MASK : 0);
}

static void take_address(struct spe_record *record, const struct packet *packet)
{
	switch (packet->index) {
	case 0: record->ip = code_address(packet->payload); break;
	case 1: record->target = code_address(packet->payload); break;
	case 2: record->data_address = data_address(packet->payload); break;
	case 3: record->physical_address = packet->payload & ADDRESS_MASK; break;
	default: break;
	}
}

/* Takes the total latency. Those of issue and of address translation have no place in samples. */
static void take_counter(struct spe_record *record, const struct packet *packet)
{
	if (!packet->index)
		record->latency =
			packet->payload > UINT16_MAX ? UINT16_MAX : (uint16_t)packet->payload;
}

/* Returns whether an operation without memory is one of SVE, SME or Advanced SIMD. */
static bool is_vector_operation(uint64_t payload)
{
	return (payload & 0x09) == 0x08 || ((payload & 0xf8) == 0 && payload & 4);
}

/* Adds the facts of an operation. Returns false for a class that does not exist. */
static bool take_operation(struct spe_record *record, const struct packet *packet)
{
	uint64_t payload = packet->payload;

	switch (packet->index) {
	case 0: record->operation |= is_vector_operation(payload) ? SPE_VECTOR : 0; return true;
	case 1: record->operation |= payload & 1 ? SPE_STORE : SPE_LOAD; return true;
	case 2: record->operation |= SPE_BRANCH; return true;
	default: return false;
	}
}

/* Adds a packet to the record. Returns false if it is none. */
static bool take_packet(struct spe_record *record, const struct packet *packet)
{
	switch (packet->kind) {
	case PACKET_ADDRESS: take_address(record, packet); return true;
	case PACKET_COUNTER: take_counter(record, packet); return true;
	case PACKET_OPERATION: return take_operation(record, packet);
	case PACKET_EVENTS: record->events = packet->payload; return true;
	case PACKET_SOURCE: record->source = (uint16_t)packet->payload; return true;
	case PACKET_CONTEXT:
		record->context = (uint32_t)packet->payload;
		record->has_context = true;
		return true;
	case PACKET_TIMESTAMP:
		record->timestamp = packet->payload;
		record->has_timestamp = true;
		return true;
	case PACKET_PADDING:
	case PACKET_END: return true;
	case PACKET_BAD: break;
	}
	return false;
}

bool spe_record_next(struct spe_reader *reader, struct spe_record *record)
{
	struct cursor cursor = cursor_of(reader->data, reader->size, false);
	bool begun = false, broken = false;

	*record = (struct spe_record){ 0 };
	cursor.position = reader->position;
	while (cursor_left(&cursor)) {
		struct packet packet = next_packet(&cursor, reader->start);

		if (cursor.failed)
			break;
		begun |= packet.kind != PACKET_PADDING;
		broken |= !take_packet(record, &packet);
		if (packet.kind != PACKET_TIMESTAMP && packet.kind != PACKET_END)
			continue;
		reader->position = cursor.position;
		if (!broken && record->ip)
			return true;
		reader->broken++;
		begun = broken = false;
		*record = (struct spe_record){ 0 };
	}
	reader->broken += begun || cursor.failed;
	reader->position = reader->size;
	return false;
}

/* ---- where data came from ---- */

enum source_kind { SOURCE_ARM, SOURCE_AMPERE, SOURCE_HISILICON };

/* The processors whose data sources are known: implementer, number of the part (MIDR). */
static const struct {
	uint8_t implementer;
	uint16_t part;
	uint8_t kind;
} source_processors[] = {
	{ 0x41, 0xd0c, SOURCE_ARM },       /* Neoverse N1 */
	{ 0x41, 0xd40, SOURCE_ARM },       /* Neoverse V1 */
	{ 0x41, 0xd49, SOURCE_ARM },       /* Neoverse N2 */
	{ 0x41, 0xd4f, SOURCE_ARM },       /* Neoverse V2 */
	{ 0x41, 0xd84, SOURCE_ARM },       /* Neoverse V3 */
	{ 0x41, 0xd44, SOURCE_ARM },       /* Cortex-X1 */
	{ 0x41, 0xd4c, SOURCE_ARM },       /* Cortex-X1C */
	{ 0x41, 0xd4e, SOURCE_ARM },       /* Cortex-X3 */
	{ 0x41, 0xd82, SOURCE_ARM },       /* Cortex-X4 */
	{ 0x41, 0xd85, SOURCE_ARM },       /* Cortex-X925 */
	{ 0x41, 0xd4b, SOURCE_ARM },       /* Cortex-A78C */
	{ 0x41, 0xd4d, SOURCE_ARM },       /* Cortex-A715 */
	{ 0x41, 0xd81, SOURCE_ARM },       /* Cortex-A720 */
	{ 0x41, 0xd89, SOURCE_ARM },       /* Cortex-A720AE */
	{ 0x41, 0xd87, SOURCE_ARM },       /* Cortex-A725 */
	{ 0x4e, 0x010, SOURCE_ARM },       /* NVIDIA Olympus */
	{ 0xc0, 0xac4, SOURCE_AMPERE },    /* AmpereOne A */
	{ 0x48, 0xd06, SOURCE_HISILICON }, /* HIP12 */
};

#define LEVEL(level)   (PERF_MEM_S(LVL, level) | PERF_MEM_S(LVL, HIT))
#define CACHE(level)   (LEVEL(L##level) | PERF_MEM_S(LVLNUM, L##level))
#define MEMORY(level)  (LEVEL(level) | PERF_MEM_S(LVLNUM, RAM))
#define SNOOPED(state) PERF_MEM_S(SNOOP, state)
#define PEER           (UINT64_C(2) << PERF_MEM_SNOOPX_SHIFT) /* SNOOPX_PEER; new in Linux 6.1 */
#define REMOTE         PERF_MEM_S(REMOTE, REMOTE)
#define NOWHERE        (PERF_MEM_S(LVL, NA) | PERF_MEM_S(LVLNUM, NA))

/* Their data sources. */
static const struct {
	uint8_t kind, source;
	uint64_t data_source;
} source_meanings[] = {
	{ SOURCE_ARM, 0x0, CACHE(1) | SNOOPED(NONE) },
	{ SOURCE_ARM, 0x8, CACHE(2) | SNOOPED(NONE) },
	{ SOURCE_ARM, 0x9, CACHE(2) | PEER },         /* a core of the same cluster */
	{ SOURCE_ARM, 0xa, CACHE(3) | PEER },         /* this cluster's cache */
	{ SOURCE_ARM, 0xb, CACHE(3) | SNOOPED(HIT) }, /* the system's cache */
	{ SOURCE_ARM, 0xc, CACHE(3) | PEER },         /* another cluster */
	{ SOURCE_ARM, 0xd, NOWHERE | REMOTE | PEER },
	{ SOURCE_ARM, 0xe, MEMORY(LOC_RAM) | SNOOPED(NONE) },
	{ SOURCE_AMPERE, 0x0, CACHE(2) | PEER },
	{ SOURCE_AMPERE, 0x3, CACHE(3) | SNOOPED(HIT) },
	{ SOURCE_AMPERE, 0x5, NOWHERE | REMOTE | PEER },
	{ SOURCE_AMPERE, 0x7, MEMORY(LOC_RAM) | SNOOPED(NONE) },
	{ SOURCE_AMPERE, 0x8, CACHE(1) | SNOOPED(NONE) },
	{ SOURCE_AMPERE, 0x9, CACHE(2) | SNOOPED(NONE) },
	{ SOURCE_HISILICON, 0, CACHE(2) | PEER },
	{ SOURCE_HISILICON, 1, CACHE(2) | SNOOPED(HITM) | PEER },
	{ SOURCE_HISILICON, 2, CACHE(3) | SNOOPED(HIT) },
	{ SOURCE_HISILICON, 3, CACHE(3) | SNOOPED(HITM) },
	{ SOURCE_HISILICON, 4, LEVEL(REM_CCE1) | PERF_MEM_S(LVLNUM, L3) | PEER },
	{ SOURCE_HISILICON, 5, LEVEL(REM_CCE1) | PERF_MEM_S(LVLNUM, L3) | SNOOPED(HITM) | PEER },
	{ SOURCE_HISILICON, 6,
	  PERF_MEM_S(LVL, REM_CCE2) | PERF_MEM_S(LVLNUM, ANY_CACHE) | REMOTE | PEER },
	{ SOURCE_HISILICON, 7,
	  PERF_MEM_S(LVL, REM_CCE2) | PERF_MEM_S(LVLNUM, ANY_CACHE) | REMOTE | PEER |
		  SNOOPED(HITM) },
	{ SOURCE_HISILICON, 8, MEMORY(LOC_RAM) | SNOOPED(NONE) },
	{ SOURCE_HISILICON, 9, MEMORY(REM_RAM1) | REMOTE },
	{ SOURCE_HISILICON, 13,
	  LEVEL(IO) | (UINT64_C(0xa) << PERF_MEM_LVLNUM_SHIFT) | SNOOPED(NONE) },
	{ SOURCE_HISILICON, 16, CACHE(2) | SNOOPED(NONE) },
	{ SOURCE_HISILICON, 17, CACHE(2) | SNOOPED(HITM) },
	{ SOURCE_HISILICON, 18, CACHE(1) | SNOOPED(NONE) },
};

/* Returns what the data source packet says; 0: nothing, or the processor is not known. Stores have
 * no data source on any of these processors. */
static uint64_t told_source(const struct spe_record *record, uint64_t midr)
{
	for (size_t i = 0; i < COUNT_OF(source_processors); i++) {
		/* bits 16 to 19 are the architecture: described elsewhere if all are set */
		if ((midr >> 24 & 0xff) != source_processors[i].implementer ||
		    (midr >> 4 & 0xfff) != source_processors[i].part || (midr >> 16 & 15) != 15)
			continue;
		for (size_t j = 0; j < COUNT_OF(source_meanings); j++)
			if (source_meanings[j].kind == source_processors[i].kind &&
			    source_meanings[j].source == record->source)
				return record->operation & SPE_STORE
					       ? NOWHERE | SNOOPED(NA)
					       : source_meanings[j].data_source;
		return record->operation & SPE_STORE && source_processors[i].kind != SOURCE_AMPERE
			       ? NOWHERE | SNOOPED(NA)
			       : 0;
	}
	return 0;
}

/* The events of a cache, from the lowest level to the highest. */
static const struct {
	uint64_t access, miss, level;
} event_levels[] = {
	{ SPE_EVENT_L1D_ACCESS, SPE_EVENT_L1D_MISS, PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVLNUM, L1) },
	{ SPE_EVENT_L2D_ACCESS, SPE_EVENT_L2D_MISS, PERF_MEM_S(LVL, L2) | PERF_MEM_S(LVLNUM, L2) },
	{ SPE_EVENT_LLC_ACCESS, SPE_EVENT_LLC_MISS, PERF_MEM_S(LVL, L3) | PERF_MEM_S(LVLNUM, L3) },
};

/* Returns the level by the events of caches: for a load the lowest one that had the data, else the
 * highest one that missed; for a store the highest one that was asked. 0: none was. */
static uint64_t event_level(uint64_t events, bool load)
{
	for (size_t i = 0; load && i < COUNT_OF(event_levels); i++) {
		if (events & event_levels[i].access && !(events & event_levels[i].miss))
			return event_levels[i].level | PERF_MEM_S(LVL, HIT);
		if (!i && events & SPE_EVENT_RECENTLY_FETCHED)
			return LEVEL(LFB) | PERF_MEM_S(LVLNUM, LFB);
	}
	for (size_t i = COUNT_OF(event_levels); i-- > 0;) {
		if (events & event_levels[i].miss)
			return event_levels[i].level | PERF_MEM_S(LVL, MISS);
		if (!load && events & event_levels[i].access)
			return event_levels[i].level | PERF_MEM_S(LVL, HIT);
	}
	return 0;
}

static uint64_t event_snoop(uint64_t events, const struct spe_processor *processor)
{
	if (events & SPE_EVENT_DATA_SNOOPED)
		return events & SPE_EVENT_DATA_MODIFIED ? SNOOPED(HITM) : SNOOPED(HIT);
	return processor->events & SPE_EVENT_DATA_SNOOPED ? SNOOPED(NONE) : SNOOPED(NA);
}

uint64_t spe_data_source(const struct spe_record *record, const struct spe_processor *processor)
{
	uint32_t operation = record->operation;
	union perf_mem_data_src source = { .val = 0 };

	if (!(operation & (SPE_LOAD | SPE_STORE | SPE_VECTOR)))
		return 0;
	source.val = told_source(record, processor->midr);
	source.mem_op = operation & SPE_LOAD    ? PERF_MEM_OP_LOAD
			: operation & SPE_STORE ? PERF_MEM_OP_STORE
						: PERF_MEM_OP_NA;
	if (!source.mem_lvl && operation & (SPE_LOAD | SPE_STORE))
		source.val |= event_level(record->events, operation & SPE_LOAD);
	if (!source.mem_lvl)
		source.val |= NOWHERE;
	if (!source.mem_snoop)
		source.val |= event_snoop(record->events, processor);
	if (record->events & SPE_EVENT_REMOTE_ACCESS)
		source.val |= REMOTE;
	if (record->events & (SPE_EVENT_TLB_ACCESS | SPE_EVENT_TLB_WALK))
		source.val |= PERF_MEM_S(TLB, WK) |
			      (record->events & SPE_EVENT_TLB_WALK ? PERF_MEM_S(TLB, MISS)
								   : PERF_MEM_S(TLB, HIT));
	return source.val;
}
