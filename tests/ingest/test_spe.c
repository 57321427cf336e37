// SPDX-License-Identifier: GPL-2.0-or-later
/* The records of Arm's SPE are read packet by packet, and become samples as perf makes them. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profiler/ingest/itrace.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/spe_records.h"
#include "tests/support/byte_order.h"
#include "tests/support/files.h"
#include "tests/support/opened_session.h"
#include "tests/support/session_memory.h"
#include "tests/support/spe_image.h"

/* ---- packets and records ---- */

static struct spe_reader reader_of(const struct strbuf *aux)
{
	return (struct spe_reader){ .data = (const uint8_t *)aux->data, .size = aux->length };
}

static struct spe_record only_record(const struct strbuf *aux)
{
	struct spe_reader reader = reader_of(aux);
	struct spe_record record, after;

	assert_true(spe_record_next(&reader, &record));
	assert_false(spe_record_next(&reader, &after));
	assert_int_equal(reader.broken, 0);
	return record;
}

static void every_packet_is_read(void **state)
{
	_cleanup_strbuf_ struct strbuf aux = STRBUF_INIT;

	(void)state;
	put_spe_packet(&aux, 0xb0, 8, UINT64_C(0x8000aaaabbbbccc0));
	put_spe_packet(&aux, 0x64, 4, 4711);
	put_spe_packet(&aux, 0x49, 1, 1);
	put_spe_packet(&aux, 0x52, 2, 0x30c);
	put_spe_packet(&aux, 0x98, 2, 77);
	put_spe_packet(&aux, 0x9a, 2, 5);
	put_spe_packet(&aux, 0xb2, 8, UINT64_C(0x3b007fff00001234)); /* with a tag */
	put_spe_packet(&aux, 0xb3, 8, UINT64_C(0x8000000080001234));
	put_spe_packet(&aux, 0x43, 1, 0xe);
	put_spe_packet(&aux, 0x71, 8, 123456789);

	struct spe_record record = only_record(&aux);

	assert_int_equal(record.ip, UINT64_C(0xaaaabbbbccc0));
	assert_true(record.has_context && record.has_timestamp);
	assert_int_equal(record.context, 4711);
	assert_int_equal(record.operation, SPE_STORE);
	assert_int_equal(record.events, 0x30c);
	assert_int_equal(record.latency, 77);
	assert_int_equal(record.data_address, UINT64_C(0x7fff00001234));
	assert_int_equal(record.physical_address, 0x80001234);
	assert_int_equal(record.source, 0xe);
	assert_int_equal(record.timestamp, 123456789);
}

/* The upper byte of an address of code is not a part of it; that of data has a tag. */
static void kernel_addresses_are_whole(void **state)
{
	static const struct {
		uint64_t written, read;
	} code[] = {
		{ UINT64_C(0x8000400000001000), UINT64_C(0x0000400000001000) }, /* EL0 */
		{ UINT64_C(0xa0ff800010001000), UINT64_C(0xffff800010001000) }, /* EL1 */
		{ UINT64_C(0xc0ff800010001000), UINT64_C(0xffff800010001000) }, /* EL2 */
		{ UINT64_C(0x20ff800010001000), UINT64_C(0x00ff800010001000) }, /* secure */
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(code); i++) {
		_cleanup_strbuf_ struct strbuf aux = STRBUF_INIT;

		put_spe_packet(&aux, 0xb0, 8, code[i].written);
		put_spe_packet(&aux, 0x4a, 1, 2);
		put_spe_packet(&aux, 0xb1, 8, code[i].written);
		put_spe_packet(&aux, 0xb2, 8, UINT64_C(0x00ff000012345678));
		put_spe_packet(&aux, 0x01, 0, 0);

		struct spe_record record = only_record(&aux);

		assert_int_equal(record.ip, code[i].read);
		assert_int_equal(record.target, code[i].read);
		assert_int_equal(record.data_address, UINT64_C(0xffff000012345678));
		assert_int_equal(record.operation, SPE_BRANCH);
		assert_false(record.has_timestamp);
	}
}

/* An extended header has two more bits of the index; addresses and counters that are not known are
 * passed over. Padding is single bytes, or up to an alignment in the processor's buffer. */
static void unknown_indexes_and_padding_are_passed_over(void **state)
{
	_cleanup_strbuf_ struct strbuf aux = STRBUF_INIT;

	(void)state;
	put_spe_packet(&aux, 0, 2, 0);
	put_spe_packet(&aux, 0xb0, 8, 0x1000);
	put_spe_packet(&aux, 0x21, 1, 0xb2), put_spe_packet(&aux, 1, 7, 0); /* address 10 */
	put_spe_packet(&aux, 0x22, 1, 0x98), put_spe_packet(&aux, 9, 1, 0); /* counter 16 */
	put_spe_packet(&aux, 0xb4, 8, 0x2000);                              /* last branch */
	put_spe_packet(&aux, 0x49, 1, 0);
	put_spe_packet(&aux, 0x71, 8, 1);
	put_spe_packet(&aux, 0x23, 1, 0); /* aligns to 16 */
	while ((aux.length + 5) % 16)
		strbuf_add_char(&aux, (char)0xff);
	put_spe_packet(&aux, 0xb0, 8, 0x3000);
	put_spe_packet(&aux, 0x01, 0, 0);

	struct spe_reader reader = reader_of(&aux);
	struct spe_record record;

	reader.start = 5;
	assert_true(spe_record_next(&reader, &record));
	assert_int_equal(record.data_address, 0);
	assert_int_equal(record.latency, 0);
	assert_int_equal(record.operation, SPE_LOAD);
	assert_true(spe_record_next(&reader, &record));
	assert_int_equal(record.ip, 0x3000);
	assert_false(spe_record_next(&reader, &record));
	assert_int_equal(reader.broken, 0);
}

static void operations_have_classes(void **state)
{
	static const struct {
		uint8_t header, payload;
		uint32_t operation;
	} rows[] = {
		{ 0x48, 0x00, 0 },          { 0x48, 0x04, SPE_VECTOR }, /* Advanced SIMD */
		{ 0x48, 0x02, 0 },          { 0x48, 0x08, SPE_VECTOR }, /* SVE */
		{ 0x48, 0x88, SPE_VECTOR }, { 0x49, 0x00, SPE_LOAD },
		{ 0x49, 0x01, SPE_STORE },  { 0x49, 0x16, SPE_LOAD }, /* exclusive */
		{ 0x49, 0x25, SPE_STORE },                            /* memset */
		{ 0x4a, 0x1f, SPE_BRANCH }, { 0x4a, 0x00, SPE_BRANCH },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		_cleanup_strbuf_ struct strbuf aux = STRBUF_INIT;

		put_spe_packet(&aux, 0xb0, 8, 0x1000);
		put_spe_packet(&aux, rows[i].header, 1, rows[i].payload);
		put_spe_packet(&aux, 0x01, 0, 0);
		assert_int_equal(only_record(&aux).operation, rows[i].operation);
	}
}

/* After bytes that are no packet, reading goes on with the record after the next end. */
static void broken_records_are_left_out(void **state)
{
	static const uint8_t bad[] = { 0x4b, 0x05, 0xff, 0x2c };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		_cleanup_strbuf_ struct strbuf aux = STRBUF_INIT;
		struct spe_record record;

		put_spe_record(&aux, &(struct spe_written){ .ip = 0x1000, .timestamp = 1 });
		put_spe_packet(&aux, 0xb0, 8, 0x2000);
		put_spe_packet(&aux, bad[i], 1, 0);
		put_spe_packet(&aux, 0x71, 8, 2);
		put_spe_record(&aux, &(struct spe_written){ .ip = 0x3000, .timestamp = 3 });
		put_spe_packet(&aux, 0x71, 8, 4); /* of no instruction */
		put_spe_packet(&aux, 0xb0, 3, 0); /* cut off */

		struct spe_reader reader = reader_of(&aux);

		assert_true(spe_record_next(&reader, &record));
		assert_int_equal(record.ip, 0x1000);
		assert_true(spe_record_next(&reader, &record));
		assert_int_equal(record.ip, 0x3000);
		assert_false(spe_record_next(&reader, &record));
		assert_int_equal(reader.broken, 3);
		assert_int_equal(reader.position, reader.size);
	}
}

/* ---- where data came from ---- */

static union perf_mem_data_src source_of(uint64_t midr, uint8_t source, uint64_t events,
					 uint32_t operation)
{
	struct spe_record record = { .operation = operation, .source = source, .events = events };
	struct spe_processor processor = { .midr = midr };

	return (union perf_mem_data_src){ .val = spe_data_source(&record, &processor) };
}

static void data_sources_depend_on_the_processor(void **state)
{
	union perf_mem_data_src found;

	(void)state;
	found = source_of(SPE_NEOVERSE_N1, 0xe, 0, SPE_LOAD);
	assert_int_equal(found.mem_op, PERF_MEM_OP_LOAD);
	assert_int_equal(found.mem_lvl, PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_HIT);
	assert_int_equal(found.mem_lvl_num, PERF_MEM_LVLNUM_RAM);
	found = source_of(SPE_NEOVERSE_N1, 0x9, 0, SPE_LOAD); /* another core of the cluster */
	assert_int_equal(found.mem_lvl_num, PERF_MEM_LVLNUM_L2);
	assert_int_equal(found.mem_snoopx, 2);
	found = source_of(SPE_NEOVERSE_N1, 0xd, 0, SPE_LOAD); /* the other socket */
	assert_int_equal(found.mem_lvl, PERF_MEM_LVL_NA);
	assert_int_equal(found.mem_remote, 1);
	found = source_of(SPE_AMPERE_ONE, 0x7, 0, SPE_LOAD);
	assert_int_equal(found.mem_lvl_num, PERF_MEM_LVLNUM_RAM);
	found = source_of(SPE_AMPERE_ONE, 0x0, 0, SPE_LOAD);
	assert_int_equal(found.mem_lvl_num, PERF_MEM_LVLNUM_L2);
	found = source_of(SPE_HIP12, 3, 0, SPE_LOAD);
	assert_int_equal(found.mem_lvl_num, PERF_MEM_LVLNUM_L3);
	assert_int_equal(found.mem_snoop, PERF_MEM_SNOOP_HITM);
	found = source_of(SPE_HIP12, 9, 0, SPE_LOAD);
	assert_int_equal(found.mem_lvl, PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_HIT);
	/* stores have none, whatever the packet says */
	found = source_of(SPE_NEOVERSE_N1, 0x8, SPE_EVENT_L1D_ACCESS, SPE_STORE);
	assert_int_equal(found.mem_op, PERF_MEM_OP_STORE);
	assert_int_equal(found.mem_lvl, PERF_MEM_LVL_NA);
	/* an architecture that is not described by registers, and no operation on memory */
	found = source_of(SPE_NEOVERSE_N1 & ~UINT64_C(0xf0000), 0xe, 0, SPE_LOAD);
	assert_int_equal(found.mem_lvl, PERF_MEM_LVL_NA);
	assert_int_equal(source_of(SPE_NEOVERSE_N1, 0xe, 0, SPE_BRANCH).val, 0);
	assert_int_equal(source_of(SPE_OTHER, 0, 0, SPE_VECTOR).mem_op, PERF_MEM_OP_NA);
}

/* Processors whose data sources are not known have events of caches. */
static void events_tell_the_level(void **state)
{
	static const struct {
		uint64_t events;
		uint32_t operation;
		uint64_t level, number;
	} rows[] = {
		{ SPE_EVENT_L1D_ACCESS, SPE_LOAD, PERF_MEM_LVL_L1 | PERF_MEM_LVL_HIT, 1 },
		{ SPE_EVENT_L1D_ACCESS | SPE_EVENT_L1D_MISS, SPE_LOAD,
		  PERF_MEM_LVL_L1 | PERF_MEM_LVL_MISS, 1 },
		{ SPE_EVENT_L1D_MISS | SPE_EVENT_L2D_ACCESS, SPE_LOAD,
		  PERF_MEM_LVL_L2 | PERF_MEM_LVL_HIT, 2 },
		{ SPE_EVENT_L1D_MISS | SPE_EVENT_LLC_ACCESS | SPE_EVENT_LLC_MISS, SPE_LOAD,
		  PERF_MEM_LVL_L3 | PERF_MEM_LVL_MISS, 3 },
		{ SPE_EVENT_L1D_MISS | SPE_EVENT_RECENTLY_FETCHED | SPE_EVENT_L2D_ACCESS, SPE_LOAD,
		  PERF_MEM_LVL_LFB | PERF_MEM_LVL_HIT, PERF_MEM_LVLNUM_LFB },
		{ SPE_EVENT_L1D_ACCESS | SPE_EVENT_LLC_ACCESS, SPE_STORE,
		  PERF_MEM_LVL_L3 | PERF_MEM_LVL_HIT, 3 },
		{ SPE_EVENT_L1D_ACCESS | SPE_EVENT_L1D_MISS, SPE_STORE,
		  PERF_MEM_LVL_L1 | PERF_MEM_LVL_MISS, 1 },
		{ 0, SPE_LOAD, PERF_MEM_LVL_NA, PERF_MEM_LVLNUM_NA },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		union perf_mem_data_src found =
			source_of(SPE_OTHER, 0, rows[i].events, rows[i].operation);

		assert_int_equal(found.mem_lvl, rows[i].level);
		assert_int_equal(found.mem_lvl_num, rows[i].number);
	}
	union perf_mem_data_src found =
		source_of(SPE_OTHER, 0,
			  SPE_EVENT_DATA_SNOOPED | SPE_EVENT_DATA_MODIFIED | SPE_EVENT_TLB_WALK |
				  SPE_EVENT_REMOTE_ACCESS,
			  SPE_LOAD);

	assert_int_equal(found.mem_snoop, PERF_MEM_SNOOP_HITM);
	assert_int_equal(found.mem_dtlb, PERF_MEM_TLB_WK | PERF_MEM_TLB_MISS);
	assert_int_equal(found.mem_remote, 1);
}

/* ---- recordings ---- */

/* Opens a file with the letters of --itrace, and counts nothing. */
static void open_with(struct opened_session *opened, const uint8_t *data, size_t size,
		      const char *letters)
{
	struct session_options options = { .threads = 1 };

	*opened = (struct opened_session){ .warnings = STRBUF_INIT };
	assert_null(itrace_parse(&options.itrace, letters));
	opened->error = session_open_memory(data, size, &options, &opened->session);
}

static struct error *add_text(const struct sample *sample, void *data)
{
	strbuf_add_format(
		data,
		"%s %d/%d cpu %d %llu: %llx data %llx %llx weight %llu from %llx period "
		"%llu misc %x\n",
		sample->event->name, sample->pid, sample->tid, sample->cpu,
		(unsigned long long)sample->time, (unsigned long long)sample->ip,
		(unsigned long long)sample->address, (unsigned long long)sample->physical_address,
		(unsigned long long)sample->weight, (unsigned long long)sample->data_source,
		(unsigned long long)sample->period, sample->misc);
	return NULL;
}

static char *all_samples(const uint8_t *data, size_t size, const char *letters)
{
	_cleanup_opened_ struct opened_session opened;
	struct strbuf text = STRBUF_TEXT;

	open_with(&opened, data, size, letters);
	assert_null(opened.error);
	assert_null(session_each_sample(opened.session, add_text, &text));
	assert_int_equal(session_totals(opened.session)->bad_samples, 0);
	assert_int_equal(session_totals(opened.session)->unknown_samples, 0);
	return strbuf_detach(&text);
}

/* Returns how many lines of the text begin with a word. */
static size_t lines_of(const char *text, const char *word)
{
	size_t lines = 0, length = strlen(word);

	for (; *text; text += strcspn(text, "\n") + 1)
		lines += !strncmp(text, word, length) && text[length] == ' ';
	return lines;
}

static void records_become_samples(void **state)
{
	static const uint64_t midrs[] = { SPE_NEOVERSE_N1, SPE_OTHER };
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_strbuf_ struct strbuf aux = STRBUF_INIT;
	size_t size;

	(void)state;
	spe_image_init(&image, midrs, 2);
	put_spe_record(&aux, &(struct spe_written){ .ip = 0x400100,
						    .class = SPE_CLASS_MEMORY,
						    .events = 1 << 3 | 1 << 2 | 1 << 10,
						    .data = 0x7f0000001000,
						    .physical = 0x80001000,
						    .latency = 99,
						    .has_source = true,
						    .source = 0x8,
						    .context = 11,
						    .timestamp = 50 });
	put_spe_record(&aux, &(struct spe_written){ .ip = UINT64_C(0xffff800010000100),
						    .level = 2,
						    .class = SPE_CLASS_BRANCH,
						    .target = UINT64_C(0xffff800010000200),
						    .context = 10,
						    .timestamp = 51 });
	spe_image_trace(&image, 0, &aux);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);
	_cleanup_free_ char *text = all_samples(data, size, NULL);

	assert_string_equal(
		text,
		"l1d-miss 10/11 cpu 0 2000: 400100 data 7f0000001000 80001000 weight 99 from "
		"2400100442 period 1 misc 4002\n"
		"l1d-access 10/11 cpu 0 2000: 400100 data 7f0000001000 80001000 weight 99 from "
		"2400100442 period 1 misc 4002\n"
		"remote-access 10/11 cpu 0 2000: 400100 data 7f0000001000 80001000 weight 99 from "
		"2400100442 period 1 misc 4002\n"
		"memory 10/11 cpu 0 2000: 400100 data 7f0000001000 80001000 weight 99 from "
		"2400100442 period 1 misc 4002\n"
		"instructions 10/11 cpu 0 2000: 400100 data 7f0000001000 80001000 weight 99 from "
		"2400100442 period 1 misc 4002\n"
		"branch 10/10 cpu 0 2020: ffff800010000100 data ffff800010000200 0 weight 0 from 0 "
		"period 1 misc 4001\n"
		"instructions 10/10 cpu 0 2020: ffff800010000100 data ffff800010000200 0 weight 0 "
		"from 0 period 1 misc 4001\n");
}

/* Without letters the samples are all accesses to memory; i2i takes each second operation. */
static void letters_choose_samples(void **state)
{
	size_t size;
	_cleanup_free_ uint8_t *data = spe_image_example(&size);
	_cleanup_free_ char *memory = all_samples(data, size, "");
	_cleanup_free_ char *half = all_samples(data, size, "i2i");
	_cleanup_free_ char *two = all_samples(data, size, "Mi1i");

	(void)state;
	/* of 24 operations on each of 4 processors, one in six is a branch */
	assert_int_equal(lines_of(memory, "memory"), 80);
	assert_int_equal(lines_of(memory, "instructions"), 0);
	assert_int_equal(lines_of(half, "instructions"), 48);
	assert_int_equal(lines_of(half, "memory"), 0);
	assert_int_equal(lines_of(two, "instructions"), 96);
	assert_int_equal(lines_of(two, "memory"), 80);
}

static void samples_are_exact(void **state)
{
	_cleanup_opened_ struct opened_session opened;
	size_t size, events;
	_cleanup_free_ uint8_t *data = spe_image_example(&size);

	(void)state;
	opened_from_memory(&opened, data, size, COUNT_PLACE | COUNT_DATA_ADDRESS | COUNT_STORE);
	assert_int_equal(opened_samples(&opened), 80);
	for (size_t i = 0; i < opened.counts->count; i++)
		assert_true(opened.counts->entries[i].exact && !opened.counts->entries[i].after);

	const struct event *event = session_events(opened.session, &events);

	for (size_t i = 0; i < events; i++)
		assert_false(event_is_late(&event[i]));
}

/* Kernels that do not tell the processor which thread it runs record when it changes. */
static void switches_tell_the_thread(void **state)
{
	static const uint64_t midr = SPE_NEOVERSE_N1;
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_strbuf_ struct strbuf aux = STRBUF_INIT;
	_cleanup_opened_ struct opened_session opened;
	size_t size;

	(void)state;
	spe_image_init(&image, &midr, 1);
	for (uint64_t i = 0; i < 3; i++)
		put_spe_record(&aux, &(struct spe_written){ .ip = 0x400100,
							    .class = SPE_CLASS_MEMORY,
							    .timestamp = 50 + 50 * i });
	spe_image_switch(&image, 2500, 0, 10);
	spe_image_switch(&image, 3500, 0, 11);
	spe_image_switch(&image, 3600, 1, 10);
	spe_image_trace(&image, 0, &aux);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);
	_cleanup_free_ char *text = all_samples(data, size, "M");

	assert_non_null(strstr(text, "-1/-1 cpu 0 2000:"));
	assert_non_null(strstr(text, "10/10 cpu 0 3000:"));
	assert_non_null(strstr(text, "10/11 cpu 0 4000:"));
	opened_from_memory(&opened, data, size, COUNT_PID);
	assert_non_null(strstr(opened.warnings.data, "CONTEXT packets not found"));
}

static void losses_and_damage_are_told(void **state)
{
	static const uint64_t midr = SPE_NEOVERSE_N1;
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_strbuf_ struct strbuf aux = STRBUF_INIT;
	_cleanup_opened_ struct opened_session opened;
	size_t size;

	(void)state;
	spe_image_init(&image, &midr, 1);
	put_spe_record(&aux, &(struct spe_written){
				     .ip = 0x400100, .class = SPE_CLASS_MEMORY, .context = 10 });
	strbuf_add(&aux, "\xff\xff\x01", 3);
	spe_image_aux(&image, PERF_AUX_FLAG_TRUNCATED);
	spe_image_aux(&image, PERF_AUX_FLAG_COLLISION | PERF_AUX_FLAG_TRUNCATED);
	spe_image_aux(&image, 0);
	spe_image_trace(&image, -1, &aux);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	opened_from_memory(&opened, data, size, COUNT_TID | COUNT_CPU);
	assert_int_equal(opened_samples(&opened), 1);
	assert_int_equal(opened.counts->entries[0].tid, 10);
	assert_int_equal(opened.counts->entries[0].cpu, -1);
	assert_non_null(strstr(opened.warnings.data, "AUX data lost 2 times out of 3!"));
	assert_non_null(strstr(opened.warnings.data, "collision 1 times out of 3!"));
	assert_non_null(strstr(opened.warnings.data, "1 records of SPE are broken"));
}

/* Files of big-endian machines have the packets in the same order as others. */
static void byte_order_does_not_matter(void **state)
{
	size_t size;
	_cleanup_free_ uint8_t *data = spe_image_example(&size);
	_cleanup_free_ char *before = all_samples(data, size, NULL);

	(void)state;
	assert_true(byte_order_reverse(data, size));
	_cleanup_free_ char *after = all_samples(data, size, NULL);

	assert_string_equal(before, after);
}

/* The recording that tests/fuzz/seeds/build_perf.sh wrote is read as the one in memory is. */
static void a_file_is_read_alike(void **state)
{
	size_t size, file_size;
	_cleanup_free_ uint8_t *data = spe_image_example(&size);
	_cleanup_free_ void *file = file_read("tests/fuzz/seeds/perf_data/spe", &file_size);

	(void)state;
	_cleanup_free_ char *made = all_samples(data, size, NULL);
	_cleanup_free_ char *read = all_samples(file, file_size, NULL);

	assert_string_equal(made, read);
}

static void other_traces_are_not_decoded(void **state)
{
	static const uint64_t midr = SPE_NEOVERSE_N1;
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_strbuf_ struct strbuf aux = STRBUF_INIT;
	_cleanup_opened_ struct opened_session opened, without, period;
	size_t size;

	(void)state;
	spe_image_init(&image, &midr, 1);
	put_spe_record(&aux, &(struct spe_written){ .ip = 0x400100, .class = SPE_CLASS_MEMORY });
	spe_image_trace(&image, 0, &aux);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	open_with(&period, data, size, "i10us");
	assert_non_null(period.error);
	assert_non_null(strstr(period.error->message, "--itrace=i1i"));
	/* the event of SPE has another number than the traces */
	image.events[0].attr.type = SPE_IMAGE_PMU + 1;
	_cleanup_free_ uint8_t *other = perf_image_file(&image, &size);

	opened_from_memory(&opened, other, size, COUNT_PID);
	assert_int_equal(opened_samples(&opened), 0);
	assert_non_null(strstr(opened.warnings.data, "their event is not declared"));
	image.events[0].attr.type = SPE_IMAGE_PMU;
	image.events[0].attr.sample_type &= ~(uint64_t)PERF_SAMPLE_IDENTIFIER;
	_cleanup_free_ uint8_t *unidentified = perf_image_file(&image, &size);

	opened_from_memory(&without, unidentified, size, COUNT_PID);
	assert_non_null(strstr(without.warnings.data, "samples do not tell their event"));
}

/* ---- --itrace ---- */

static void letters_are_those_of_perf(void **state)
{
	static const char *const good[] = { "i1i",     "i 10 i",  "i100000", "ibxwpe", "e+ld-l",
					    "g16l 64", "s1000,M", "Zfmta",   "i5ms",   "yq" };
	static const char *const bad[] = { "i1x", "k", "s", "i5m", "e+1" };
	struct itrace_options options = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++)
		assert_null(itrace_parse(&options, good[i]));
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct error *error = itrace_parse(&options, bad[i]);

		assert_non_null(error);
		assert_non_null(strstr(error->message, bad[i]));
		error_destroy(error);
	}
	assert_null(itrace_parse(&options, "i3itM"));
	assert_int_equal(options.events, ITRACE_INSTRUCTIONS | ITRACE_TLB | ITRACE_MEMORY);
	assert_int_equal(options.period, 3);
	assert_false(options.other_period);
	assert_null(itrace_parse(&options, NULL));
	assert_int_equal(options.events, ITRACE_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_packet_is_read),
		cmocka_unit_test(kernel_addresses_are_whole),
		cmocka_unit_test(unknown_indexes_and_padding_are_passed_over),
		cmocka_unit_test(operations_have_classes),
		cmocka_unit_test(broken_records_are_left_out),
		cmocka_unit_test(data_sources_depend_on_the_processor),
		cmocka_unit_test(events_tell_the_level),
		cmocka_unit_test(records_become_samples),
		cmocka_unit_test(letters_choose_samples),
		cmocka_unit_test(samples_are_exact),
		cmocka_unit_test(switches_tell_the_thread),
		cmocka_unit_test(losses_and_damage_are_told),
		cmocka_unit_test(byte_order_does_not_matter),
		cmocka_unit_test(a_file_is_read_alike),
		cmocka_unit_test(other_traces_are_not_decoded),
		cmocka_unit_test(letters_are_those_of_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
