// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements header.h. The format: tools/perf/Documentation/perf.data-file-format.txt. */
#include "profiler/ingest/header.h"

#include <inttypes.h>
#include <linux/hw_breakpoint.h>

#include "base/cursor.h"
#include "base/strbuf.h"

/* ---- attributes ---- */

/* Machines of the other byte order fill bit-fields from the other end of each byte. */
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

	return size ?: PERF_ATTR_SIZE_VER0;
}

bool attr_parse(const void *data, size_t size, bool swap, struct perf_event_attr *attr)
{
	uint8_t padded[PERF_ATTR_SIZE_VER7] = { 0 };

	if (size < PERF_ATTR_SIZE_VER0)
		return false;
	lower_to(size, attr_size(data, swap));
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

/* ---- events ---- */

void event_table_add(struct event_table *table, const struct perf_event_attr *attr,
		     const uint8_t *ids, size_t id_count, bool swap)
{
	uint32_t index = (uint32_t)table->count;

	array_reserve(table->events, table->count, table->capacity);
	array_reserve(table->layouts, table->count, table->layout_capacity);
	uint64_t *copy = arena_alloc(&table->arena, id_count * sizeof(*copy));

	for (size_t i = 0; i < id_count; i++) {
		bool created;

		memcpy(&copy[i], ids + 8 * i, 8);
		if (swap)
			copy[i] = bswap_64(copy[i]);
		uint32_t *value = hash_map_insert(&table->by_id, copy[i], &created);

		if (created)
			*value = index;
	}
	table->events[index] = (struct event){
		.index = index,
		.attr = *attr,
		.ids = copy,
		.id_count = id_count,
		.group_leader = index,
	};
	sample_layout_init(&table->layouts[index], attr);
	table->count++;
}

uint32_t event_table_find(const struct event_table *table, uint64_t id)
{
	const uint32_t *index = hash_map_find(&table->by_id, id);

	return index ? *index : EVENT_NONE;
}

uint32_t event_table_resolve(const struct event_table *table, uint64_t id)
{
	if (table->count == 1 || id == 0)
		return table->count ? 0 : EVENT_NONE;
	return event_table_find(table, id);
}

void event_table_name(struct event_table *table, uint32_t index, const char *name)
{
	if (index < table->count && !table->events[index].name && *name)
		table->events[index].name = arena_strdup(&table->arena, name);
}

void event_table_deinit(struct event_table *table)
{
	free_all(table->events, table->layouts);
	hash_map_deinit(&table->by_id);
	arena_deinit(&table->arena);
	*table = (struct event_table){ 0 };
}

/* ---- names ---- */

#define HARDWARE(id, name, alias)   [PERF_COUNT_HW_##id] = name,
#define SOFTWARE(id, name, alias)   [PERF_COUNT_SW_##id] = name,
#define CACHE(id, name, alias, ...) [PERF_COUNT_HW_CACHE_##id] = name,
static const char *const hardware_names[] = { HARDWARE_EVENTS(HARDWARE) };
static const char *const software_names[] = { SOFTWARE_EVENTS(SOFTWARE) };
static const char *const cache_names[] = { EVENT_CACHES(CACHE) };
static const char *const cache_operations[] = { "load", "store", "prefetch" };
static const char *const cache_accesses[] = { "loads", "stores", "prefetches" };

/* Appends ":u", ":kpp" and so on, or nothing if the attr has none of these modifiers. */
static void name_modifiers(struct strbuf *name, const struct perf_event_attr *attr)
{
	size_t before = name->length;

	strbuf_add_char(name, ':');
	if (attr->exclude_kernel || attr->exclude_user || attr->exclude_hv) {
		if (!attr->exclude_kernel)
			strbuf_add_char(name, 'k');
		if (!attr->exclude_user)
			strbuf_add_char(name, 'u');
		if (!attr->exclude_hv)
			strbuf_add_char(name, 'h');
	}
	for (unsigned int i = 0; i < attr->precise_ip; i++)
		strbuf_add_char(name, 'p');
	if (attr->exclude_host || attr->exclude_guest) {
		if (!attr->exclude_host)
			strbuf_add_char(name, 'H');
		if (!attr->exclude_guest)
			strbuf_add_char(name, 'G');
	}
	if (name->length == before + 1)
		strbuf_truncate(name, before);
}

/* Appends the name of PERF_TYPE_HW_CACHE: cache, operation and result are a byte of config each. */
static void name_cache(struct strbuf *name, uint64_t config)
{
	uint64_t cache = config & 0xff;
	uint64_t operation = config >> 8 & 0xff;
	uint64_t result = config >> 16 & 0xff;

	if (cache >= COUNT_OF(cache_names))
		strbuf_add_string(name, "unknown-ext-hardware-cache-type");
	else if (operation >= COUNT_OF(cache_operations))
		strbuf_add_string(name, "unknown-ext-hardware-cache-op");
	else if (result > 1)
		strbuf_add_string(name, "unknown-ext-hardware-cache-result");
	else if (result)
		strbuf_add_format(name, "%s-%s-misses", cache_names[cache],
				  cache_operations[operation]);
	else
		strbuf_add_format(name, "%s-%s", cache_names[cache], cache_accesses[operation]);
}

static void name_breakpoint(struct strbuf *name, const struct perf_event_attr *attr)
{
	strbuf_add_format(name, "mem:0x%" PRIx64 ":", (uint64_t)attr->bp_addr);
	if (attr->bp_type & HW_BREAKPOINT_R)
		strbuf_add_char(name, 'r');
	if (attr->bp_type & HW_BREAKPOINT_W)
		strbuf_add_char(name, 'w');
	if (attr->bp_type & HW_BREAKPOINT_X)
		strbuf_add_char(name, 'x');
}

char *event_name_from_attr(const struct perf_event_attr *attr)
{
	struct strbuf name = STRBUF_INIT;
	/* The upper half is the PMU on hybrid machines. */
	uint64_t config = attr->config & UINT32_MAX;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		strbuf_add_string(&name, config < COUNT_OF(hardware_names) ? hardware_names[config]
									   : "unknown-hardware");
		break;
	case PERF_TYPE_SOFTWARE:
		strbuf_add_string(&name, attr->config < COUNT_OF(software_names)
						 ? software_names[attr->config]
						 : "unknown-software");
		break;
	case PERF_TYPE_HW_CACHE: name_cache(&name, config); break;
	case PERF_TYPE_RAW:
		strbuf_add_format(&name, "raw 0x%" PRIx64, (uint64_t)attr->config);
		break;
	case PERF_TYPE_BREAKPOINT: name_breakpoint(&name, attr); break;
	case PERF_TYPE_TRACEPOINT:
		strbuf_add_format(&name, "unknown tracepoint id=0x%" PRIx64,
				  (uint64_t)attr->config);
		return strbuf_detach(&name);
	default:
		strbuf_add_format(&name, "unknown attr type: %u", attr->type);
		return strbuf_detach(&name);
	}
	name_modifiers(&name, attr);
	return strbuf_detach(&name);
}

/* ---- the header ---- */

struct section {
	uint64_t offset, size;
};

static struct section section_take(struct cursor *cursor)
{
	struct section section;

	section.offset = cursor_u64(cursor);
	section.size = cursor_u64(cursor);
	return section;
}

static bool section_is_within(const struct section *section, size_t size)
{
	return section->offset <= size && section->size <= size - section->offset;
}

/* The largest size that is taken for one of a header: many times that of any header so far. */
#define HEADER_SIZE_MAX 4096

/* Returns whether a size was read in the right byte order. */
static bool header_size_is_plausible(uint64_t size)
{
	return size >= PIPE_HEADER_SIZE && size <= HEADER_SIZE_MAX;
}

/* Returns what a file is that is no recording, as a clause. */
static const char *file_kind(const uint8_t *data, size_t size)
{
	static const struct {
		size_t offset;
		const char *magic, *kind;
	} kinds[] = {
		{ 0, "\x1f\x8b", "it is compressed with gzip: gzip -dc FILE | dtprof report -i -" },
		{ 0,
		  "\xfd"
		  "7zXZ",
		  "it is compressed with xz: xz -dc FILE | dtprof report -i -" },
		{ 0, "BZh", "it is compressed with bzip2: bzip2 -dc FILE | dtprof report -i -" },
		{ 0, "\x04\x22\x4d\x18",
		  "it is compressed with lz4: lz4 -dc FILE | dtprof report -i -" },
		/* the size that writers of .lzma give */
		{ 5, "\xff\xff\xff\xff\xff\xff\xff\xff",
		  "it is compressed with lzma: xz -dc FILE | dtprof report -i -" },
		{ 0, "LZIP", "it is compressed with lzip: lzip -dc FILE | dtprof report -i -" },
		{ 0, "\x89LZO", "it is compressed with lzop: lzop -dc FILE | dtprof report -i -" },
		{ 0, "PK\x03\x04", "it is a zip archive: unpack it (unzip)" },
		{ 0, "7z\xbc\xaf", "it is a 7z archive: unpack it (7z x)" },
		{ 257, "ustar", "it is a tar archive: unpack it (tar -x)" },
		{ 0, "\177ELF", "it is a program, a library or a core dump" },
		{ 0, "\x17\x08\x44tracing", "it is a recording of trace-cmd" },
		{ 0, "SIMPLEPERF", "it is a recording of simpleperf" },
	};

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		size_t length = strlen(kinds[i].magic);

		if (size >= kinds[i].offset + length &&
		    !memcmp(data + kinds[i].offset, kinds[i].magic, length))
			return kinds[i].kind;
	}
	return "it does not begin with PERFILE2";
}

/* Finds version, byte order and size of the header. */
static struct error *header_magic(struct cursor *cursor, const char *name,
				  struct perf_header *header)
{
	uint64_t magic = cursor_u64(cursor);

	if (magic == PERF_MAGIC_V2 || magic == bswap_64(PERF_MAGIC_V2)) {
		header->version = 2;
		header->swap = magic != PERF_MAGIC_V2;
	} else if (magic == PERF_MAGIC_V1) {
		/* The magic of version 1 is the same in both byte orders, but the size is not. */
		uint64_t size = cursor_u64(cursor);

		cursor->position -= cursor->failed ? 0 : 8;
		header->version = 1;
		header->swap =
			!header_size_is_plausible(size) && header_size_is_plausible(bswap_64(size));
	} else {
		return error_create(ERROR_FORMAT, "%s is not a perf.data file: %s", name,
				    file_kind(cursor->data, cursor->size));
	}
	cursor->swap = header->swap;
	header->size = cursor_u64(cursor);
	if (cursor->failed)
		return error_create(ERROR_FORMAT, "%s: truncated in the file header, at offset %zu",
				    name, cursor->size);
	return NULL;
}

/* Adds the event whose attr is at `offset`, followed by the section of its ids. */
static struct error *header_attr(const uint8_t *data, size_t size, uint64_t offset,
				 uint64_t entry_size, const char *name, bool swap,
				 struct event_table *events)
{
	struct cursor cursor =
		cursor_of(data + offset + entry_size - FILE_SECTION_SIZE, FILE_SECTION_SIZE, swap);
	struct section ids = section_take(&cursor);
	struct perf_event_attr attr;

	if (!attr_parse(data + offset, entry_size - FILE_SECTION_SIZE, swap, &attr))
		return error_create(ERROR_FORMAT,
				    "%s: bad event attribute at offset %" PRIu64 ": size %zu", name,
				    offset, attr_size(data + offset, swap));
	if (!section_is_within(&ids, size))
		return error_create(ERROR_FORMAT,
				    "%s: event ids at offset %" PRIu64 " of %" PRIu64
				    " bytes are beyond the file's %zu",
				    name, ids.offset, ids.size, size);
	event_table_add(events, &attr, data + ids.offset, ids.size / 8, swap);
	return NULL;
}

/* Adds the events of the section `attrs`, each of `entry_size` bytes. */
static struct error *header_attrs(const uint8_t *data, size_t size, const struct section *attrs,
				  uint64_t entry_size, const char *name, bool swap,
				  struct event_table *events)
{
	if (entry_size < PERF_ATTR_SIZE_VER0 + FILE_SECTION_SIZE || entry_size > UINT16_MAX)
		return error_create(ERROR_FORMAT,
				    "%s: an event attribute cannot have %" PRIu64
				    " bytes (file header, offset 16)",
				    name, entry_size);
	if (!section_is_within(attrs, size))
		return error_create(ERROR_FORMAT,
				    "%s: event attributes at offset %" PRIu64 " of %" PRIu64
				    " bytes are beyond the file's %zu",
				    name, attrs->offset, attrs->size, size);
	/* Each id belongs to one event, so more ids than fit in the file must overlap. */
	uint64_t ids = 0;

	for (uint64_t done = 0; attrs->size - done >= entry_size; done += entry_size) {
		RETURN_ERROR(header_attr(data, size, attrs->offset + done, entry_size, name, swap,
					 events));
		ids += events->events[events->count - 1].id_count;
		if (ids > size / 8)
			return error_create(ERROR_FORMAT,
					    "%s: event attributes at offset %" PRIu64
					    ": their ids overlap",
					    name, attrs->offset + done);
	}
	if (!events->count)
		return error_create(ERROR_FORMAT, "%s: no events in the file header", name);
	return NULL;
}

/* Returns whether the bitmap of features has a bit. The bitmap consists of unsigned longs. The
 * second function reads a bitmap of 32-bit words that a machine of the other byte order wrote. */
static bool header_has_feature(const uint8_t *bitmap, bool swap, unsigned int feature)
{
	unsigned int byte = feature / 8;

	if (swap)
		byte = byte / 8 * 8 + (7 - byte % 8);
	return bitmap[byte] >> (feature % 8) & 1;
}

static bool header_has_feature32(const uint8_t *bitmap, unsigned int feature)
{
	unsigned int byte = feature / 8;

	return bitmap[byte / 4 * 4 + (3 - byte % 4)] >> (feature % 8) & 1;
}

/* Finds the features. Bit N of the bitmap says that feature N is there; a table of their places
 * follows the data. Features beyond the end of the file are counted and left out. */
static void header_features(const uint8_t *data, size_t size, const uint8_t *bitmap,
			    struct perf_header *header)
{
	uint64_t table = header->data_offset + header->data_size;
	struct cursor cursor = cursor_of(data, size, header->swap);
	/* Every writer has a host name, so a bitmap without one consists of 32-bit words. */
	bool words = header->swap && !header_has_feature(bitmap, true, FEATURE_HOSTNAME) &&
		     header_has_feature32(bitmap, FEATURE_HOSTNAME);

	if (header->unfinished || table > size)
		return;
	cursor.position = table;
	for (unsigned int i = 1; i < FEATURE_BITS; i++) {
		if (!(words ? header_has_feature32(bitmap, i)
			    : header_has_feature(bitmap, header->swap, i)))
			continue;
		struct section section = section_take(&cursor);

		if (cursor.failed || !section_is_within(&section, size))
			header->lost_features++;
		else
			header->features[i] = (struct feature_section){
				.data = data + section.offset,
				.size = section.size,
				.offset = section.offset,
			};
	}
}

/* Sets the place of the data as far as it is there; session_main_stream() warns. */
static struct error *header_data(const struct section *section, size_t size, const char *name,
				 struct perf_header *header)
{
	if (section->offset > size)
		return error_create(ERROR_FORMAT,
				    "%s: the data begins at offset %" PRIu64
				    ", beyond the file's %zu bytes",
				    name, section->offset, size);
	header->data_offset = section->offset;
	header->data_claimed = section->size;
	header->data_size = size - section->offset;
	header->unfinished = section->size == 0;
	if (section->size && section->size < header->data_size)
		header->data_size = section->size;
	return NULL;
}

struct error *header_parse(const uint8_t *data, size_t size, const char *name,
			   struct perf_header *header, struct event_table *events)
{
	struct cursor cursor = cursor_of(data, size, false);

	*header = (struct perf_header){ 0 };
	RETURN_ERROR(header_magic(&cursor, name, header));
	if (header->size == PIPE_HEADER_SIZE) {
		header->pipe = true;
		header->data_offset = PIPE_HEADER_SIZE;
		header->data_size = size - PIPE_HEADER_SIZE;
		header->data_claimed = header->data_size;
		return NULL;
	}
	uint64_t entry_size = cursor_u64(&cursor);
	struct section attrs = section_take(&cursor);
	struct section records = section_take(&cursor);

	struct section types = section_take(&cursor); /* event types, which are not used any more */

	header->interrupted = types.offset == FILE_RECORDING_MARK && !types.size;
	if (cursor.failed)
		return error_create(ERROR_FORMAT, "%s: truncated in the file header, at offset %zu",
				    name, size);
	if (header->size != FILE_HEADER_SIZE_V0 && header->size < FILE_HEADER_SIZE)
		return error_create(ERROR_FORMAT,
				    "%s: a file header cannot have %" PRIu64 " bytes (offset 8)",
				    name, header->size);
	RETURN_ERROR(header_data(&records, size, name, header));
	RETURN_ERROR(header_attrs(data, size, &attrs, entry_size, name, header->swap, events));
	const uint8_t *bitmap = cursor_bytes(&cursor, FEATURE_BITS / 8);

	if (header->size >= FILE_HEADER_SIZE && bitmap)
		header_features(data, size, bitmap, header);
	return NULL;
}
