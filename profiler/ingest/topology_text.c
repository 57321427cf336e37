// SPDX-License-Identifier: GPL-2.0-or-later
/* Processors, caches, nodes and memory of the recorded machine, as text: see feature_text.h. */
#include <inttypes.h>

#include "profiler/ingest/feature_text.h"

static void print_siblings(struct feature_printer *printer, const char *label)
{
	uint32_t count = cursor_u32(&printer->cursor);

	for (uint32_t i = 0; i < count && !printer->cursor.failed; i++) {
		strbuf_add_format(printer->text, "# %s : ", label);
		feature_add_string(printer);
		strbuf_add_char(printer->text, '\n');
	}
}

/* How many processors of the machine were online, by the feature that says so. */
static uint32_t online_processors(const struct session *session)
{
	const struct feature_section *section = &session->header.features[FEATURE_NRCPUS];
	struct cursor cursor =
		cursor_of(section->data, section->data ? section->size : 0, session->header.swap);

	cursor_skip(&cursor, 4);
	return cursor_u32(&cursor);
}

/*
 * Lists of sockets and of threads, then a core and a socket id a processor, then (later versions) the list of
 * dies and a die id a processor.
 */
void print_cpu_topology(struct feature_printer *printer)
{
	uint32_t cpus = session_processors(printer->session);
	_cleanup_strbuf_ struct strbuf threads = STRBUF_INIT;
	struct strbuf *text = printer->text;

	print_siblings(printer, "sibling sockets");
	printer->text = &threads;
	print_siblings(printer, "sibling threads");
	printer->text = text;
	struct cursor ids = printer->cursor;
	bool has_ids = cpus && cursor_left(&ids) / 8 >= cpus;

	cursor_skip(&printer->cursor, 8 * (size_t)cpus);
	bool has_dies = has_ids && cursor_left(&printer->cursor) >= 4;

	if (has_dies)
		print_siblings(printer, "sibling dies   ");
	has_dies = has_dies && cursor_left(&printer->cursor) / 4 >= cpus;
	strbuf_add_string(text, threads.data);
	if (!has_ids)
		strbuf_add_format(text, "# Core ID and Socket ID information is not available\n");
	for (uint32_t i = 0; has_ids && i < cpus; i++) {
		uint32_t core = cursor_u32(&ids);
		uint32_t socket = cursor_u32(&ids);

		strbuf_add_format(text, "# CPU %u: Core ID %d, ", i, (int)core);
		if (has_dies)
			strbuf_add_format(text, "Die ID %d, ", (int)cursor_u32(&printer->cursor));
		strbuf_add_format(text, "Socket ID %d\n", (int)socket);
	}
}

void print_numa_topology(struct feature_printer *printer)
{
	uint32_t count = cursor_u32(&printer->cursor);

	for (uint32_t i = 0; i < count && !printer->cursor.failed; i++) {
		uint32_t node = cursor_u32(&printer->cursor);
		uint64_t total = cursor_u64(&printer->cursor);
		uint64_t available = cursor_u64(&printer->cursor);

		strbuf_add_format(printer->text,
				  "# node%u meminfo  : total = %" PRIu64 " kB, free = %" PRIu64
				  " kB\n# node%u cpu list : ",
				  node, total, available, node);
		feature_add_string(printer);
		strbuf_add_char(printer->text, '\n');
	}
}

void print_cache(struct feature_printer *printer)
{
	cursor_skip(&printer->cursor, 4);
	uint32_t count = cursor_u32(&printer->cursor);
	struct strbuf *text = printer->text;

	strbuf_add_string(text, "# CPU cache info:\n");
	for (uint32_t i = 0; i < count && !printer->cursor.failed; i++) {
		_cleanup_strbuf_ struct strbuf type = STRBUF_INIT;
		_cleanup_strbuf_ struct strbuf size = STRBUF_INIT;
		uint32_t level = cursor_u32(&printer->cursor);

		cursor_skip(&printer->cursor, 12); /* line size, sets, ways */
		printer->text = &type;
		feature_add_string(printer);
		printer->text = &size;
		feature_add_string(printer);
		printer->text = text;
		strbuf_add_format(text, "#  L%u %-15s %8s [", level, type.data, size.data);
		feature_add_string(printer);
		strbuf_add_string(text, "]\n");
	}
}

/* "0,2-32": the set bits of a bitmap of `bits` bits; returns how many. */
static uint64_t print_bitmap(struct cursor *cursor, uint64_t bits, struct strbuf *text)
{
	uint64_t weight = 0;
	uint64_t start = 0;
	uint64_t word = 0;
	bool in_range = false;
	bool first = true;

	for (uint64_t i = 0; i <= bits && !cursor->failed; i++) {
		if (i < bits && i % 64 == 0)
			word = cursor_u64(cursor);
		bool set = i < bits && word >> i % 64 & 1;

		weight += set;
		if (set && !in_range)
			start = i;
		if (!set && in_range) {
			strbuf_add_format(text, "%s%" PRIu64, first ? "" : ",", start);
			if (i - 1 > start)
				strbuf_add_format(text, "-%" PRIu64, i - 1);
			first = false;
		}
		in_range = set;
	}
	return weight;
}

static void print_size(struct strbuf *text, uint64_t bytes)
{
	static const char units[] = "BKMG";
	unsigned int unit = 0;

	for (; bytes / 1024 > 1 && unit < 3; unit++)
		bytes /= 1024;
	strbuf_add_format(text, "%" PRIu64 "%c", bytes, units[unit]);
}

void print_memory_topology(struct feature_printer *printer)
{
	struct cursor *cursor = &printer->cursor;

	cursor_skip(cursor, 8);
	uint64_t block = cursor_u64(cursor);
	uint64_t count = cursor_u64(cursor);

	strbuf_add_format(printer->text, "# memory nodes (nr %" PRIu64 ", block size 0x%" PRIx64 "):\n",
			  count, block);
	for (uint64_t i = 0; i < count && !cursor->failed; i++) {
		_cleanup_strbuf_ struct strbuf blocks = STRBUF_INIT;
		uint64_t node = cursor_u64(cursor);

		cursor_skip(cursor, 8);
		uint64_t bits = cursor_u64(cursor);

		if (cursor->failed || bits / 8 > cursor_left(cursor))
			return;
		uint64_t weight = print_bitmap(cursor, bits, &blocks);

		strbuf_add_format(printer->text, "#  %3" PRIu64 " [", node);
		print_size(printer->text, block * weight);
		strbuf_add_format(printer->text, "]: %s\n", blocks.data);
	}
}

void print_hybrid_topology(struct feature_printer *printer)
{
	uint32_t count = cursor_u32(&printer->cursor);

	strbuf_add_string(printer->text, "# hybrid cpu system:\n");
	for (uint32_t i = 0; i < count && !printer->cursor.failed; i++) {
		strbuf_add_string(printer->text, "# ");
		feature_add_string(printer);
		strbuf_add_string(printer->text, " cpu list : ");
		feature_add_string(printer);
		strbuf_add_char(printer->text, '\n');
	}
}

static void print_labelled_string(struct feature_printer *printer, const char *label)
{
	strbuf_add_string(printer->text, label);
	feature_add_string(printer);
	strbuf_add_char(printer->text, '\n');
}

/* Since this version /proc/schedstat names its domains. */
#define SCHEDSTAT_NAMES 17

/* A processor, and the domains that the scheduler balances it in: the number of each, (later versions) its
 * name, and its processors as a mask and as a list. */
static void print_domains_of_cpu(struct feature_printer *printer, uint32_t version)
{
	uint32_t cpu = cursor_u32(&printer->cursor);
	uint32_t count = cursor_u32(&printer->cursor);

	strbuf_add_format(printer->text, "# cpu\t\t: %u\n# nr_domains\t: %u\n", cpu, count);
	for (uint32_t i = 0; i < count && !printer->cursor.failed; i++) {
		strbuf_add_format(printer->text, "# Domain\t\t: %u\n", cursor_u32(&printer->cursor));
		if (version >= SCHEDSTAT_NAMES)
			print_labelled_string(printer, "# Domain name      : ");
		print_labelled_string(printer, "# Domain cpu map   : ");
		print_labelled_string(printer, "# Domain cpu list  : ");
	}
}

/* Version of /proc/schedstat, number of levels of domains, then each processor that was online. */
void print_cpu_domains(struct feature_printer *printer)
{
	uint32_t version = cursor_u32(&printer->cursor);
	uint32_t levels = cursor_u32(&printer->cursor);
	uint32_t cpus = online_processors(printer->session);
	struct strbuf *text = printer->text;

	if (printer->cursor.failed)
		return;
	strbuf_add_format(text, "# schedstat version\t: %u\n# Maximum sched domains\t: %u\n", version,
			  levels);
	for (uint32_t i = 0; i < cpus; i++) {
		_cleanup_strbuf_ struct strbuf domains = STRBUF_INIT;

		printer->text = &domains;
		print_domains_of_cpu(printer, version);
		printer->text = text;
		if (printer->cursor.failed)
			return;
		strbuf_add(text, domains.data, domains.length);
	}
}
