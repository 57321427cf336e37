// SPDX-License-Identifier: GPL-2.0-or-later
/* See spe_image.h. */
#include "tests/support/spe_image.h"

#include <string.h>

#include "tests/support/perf_records.h"

#define AUXTRACE_INFO 70
#define AUXTRACE      71
#define TIME_CONV     79

#define EVENT_FIELDS                                                                               \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU)

void put_spe_packet(struct strbuf *aux, uint8_t header, unsigned int size, uint64_t payload)
{
	strbuf_add_char(aux, (char)header);
	for (unsigned int i = 0; i < size; i++)
		strbuf_add_char(aux, (char)(payload >> 8 * i));
}

void put_spe_record(struct strbuf *aux, const struct spe_written *written)
{
	const uint64_t low = (UINT64_C(1) << 56) - 1;
	const uint64_t state = UINT64_C(1) << 63 | (uint64_t)written->level << 61;

	put_spe_packet(aux, 0xb0, 8, (written->ip & low) | state);
	if (written->context)
		put_spe_packet(aux, 0x64, 4, written->context);
	put_spe_packet(aux, (uint8_t)(0x48 + written->class), 1, written->operation);
	put_spe_packet(aux, 0x62, 4, written->events);
	if (written->latency)
		put_spe_packet(aux, 0x98, 2, written->latency);
	put_spe_packet(aux, 0x99, 2, 3); /* until issue: nothing reads it */
	if (written->target)
		put_spe_packet(aux, 0xb1, 8, (written->target & low) | state);
	if (written->data)
		put_spe_packet(aux, 0xb2, 8, written->data);
	if (written->physical)
		put_spe_packet(aux, 0xb3, 8, written->physical | UINT64_C(1) << 63);
	if (written->has_source)
		put_spe_packet(aux, 0x43, 1, written->source);
	if (written->timestamp)
		put_spe_packet(aux, 0x71, 8, written->timestamp);
	else
		strbuf_add_char(aux, 1);
	while (aux->length % 64)
		strbuf_add_char(aux, 0);
}

static void put_trailer(struct perf_image *image, uint32_t tid, uint64_t time, uint32_t cpu)
{
	put32(&image->body, 10), put32(&image->body, tid);
	put64(&image->body, time);
	put32(&image->body, cpu), put32(&image->body, 0);
	put64(&image->body, 2);
}

static void put_comm(struct perf_image *image, uint32_t tid, const char *name)
{
	put32(&image->body, 10), put32(&image->body, tid);
	put_string(&image->body, name);
	put_trailer(image, tid, 5, 0);
	perf_image_record(image, PERF_RECORD_COMM, 0);
}

static void put_info(struct perf_image *image, const uint64_t *midrs, size_t count)
{
	put32(&image->body, 4), put32(&image->body, 0); /* SPE */
	put64(&image->body, 2), put64(&image->body, 4);
	put64(&image->body, SPE_IMAGE_PMU), put64(&image->body, count);
	for (size_t i = 0; i < count; i++) {
		put64(&image->body, UINT64_C(0x1010101010101010)), put64(&image->body, i);
		put64(&image->body, 4), put64(&image->body, midrs[i]);
		put64(&image->body, SPE_IMAGE_PMU), put64(&image->body, 1024);
		put64(&image->body, 0xffff); /* the events of snoops are not among them */
	}
	perf_image_record(image, AUXTRACE_INFO, 0);
}

void spe_image_init(struct perf_image *image, const uint64_t *midrs, size_t count)
{
	struct perf_event_attr attr = {
		.type = SPE_IMAGE_PMU,
		.config = UINT64_C(0x600010003),
		.sample_type = EVENT_FIELDS | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR,
		.sample_period = 1024,
		.sample_id_all = 1,
	};

	perf_image_init(image);
	perf_image_event(image, &attr, (uint64_t[]){ SPE_IMAGE_ID }, 1);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_type = EVENT_FIELDS;
	perf_image_event(image, &attr, (uint64_t[]){ 2 }, 1);
	put32(&image->features[6], 64);
	put_string(&image->features[6], "aarch64");
	while (image->features[6].length < 68)
		strbuf_add_char(&image->features[6], 0);
	/* shift, factor, zero, cycles, mask, flags: 20 ns to a count, from 1000 on */
	put64(&image->body, 1), put64(&image->body, 40), put64(&image->body, 1000);
	put64(&image->body, 0), put64(&image->body, UINT64_MAX >> 8), put64(&image->body, 0);
	perf_image_record(image, TIME_CONV, 0);
	put_info(image, midrs, count);
	put_comm(image, 10, "prog");
	put_comm(image, 11, "worker");
	put32(&image->body, 10), put32(&image->body, 10);
	put64(&image->body, 0x400000), put64(&image->body, 0x100000), put64(&image->body, 0);
	put_string(&image->body, "/nowhere/prog");
	put_trailer(image, 10, 6, 0);
	perf_image_record(image, PERF_RECORD_MMAP, 0);
}

void spe_image_trace(struct perf_image *image, int32_t cpu, const struct strbuf *aux)
{
	put64(&image->body, aux->length), put64(&image->body, 0), put64(&image->body, 0);
	put32(&image->body, cpu < 0 ? 0 : (uint32_t)cpu);
	put32(&image->body, cpu < 0 ? 10 : UINT32_MAX), put32(&image->body, (uint32_t)cpu);
	put32(&image->body, 0);
	perf_image_record(image, AUXTRACE, 0);
	strbuf_add(&image->records, aux->data, aux->length);
}

void spe_image_aux(struct perf_image *image, uint64_t flags)
{
	put64(&image->body, 0), put64(&image->body, 64), put64(&image->body, flags);
	put_trailer(image, 10, 900, 0);
	perf_image_record(image, PERF_RECORD_AUX, 0);
}

void spe_image_switch(struct perf_image *image, uint64_t time, uint32_t cpu, uint32_t tid)
{
	put_trailer(image, tid, time, cpu);
	perf_image_record(image, PERF_RECORD_SWITCH, 0);
}

uint8_t *spe_image_example(size_t *size)
{
	static const uint64_t midrs[] = { SPE_NEOVERSE_N1, SPE_AMPERE_ONE, SPE_HIP12, SPE_OTHER };
	struct perf_image image;
	uint64_t timestamp = 100;

	spe_image_init(&image, midrs, 4);
	for (int32_t cpu = 0; cpu < 4; cpu++) {
		struct strbuf aux = STRBUF_INIT;

		for (unsigned int i = 0; i < 24; i++) {
			struct spe_written written = {
				.ip = i % 8 == 7 ? UINT64_C(0xffff800010000000) + 4 * i
						 : 0x400000 + 4 * i,
				.level = i % 8 == 7 ? 1 + i / 8 % 2 : 0,
				.class = i % 6 == 4   ? SPE_CLASS_OTHER
					 : i % 6 == 5 ? SPE_CLASS_BRANCH
						      : SPE_CLASS_MEMORY,
				.operation = i % 6 == 4 ? 4 : i % 2,
				.events = UINT64_C(0x12) | (uint64_t)1 << (2 + i),
				.latency = (uint16_t)(10 + i),
				.context = 10 + i % 2,
				.timestamp = timestamp += 7,
			};

			if (written.class == SPE_CLASS_MEMORY) {
				written.data = UINT64_C(0x7f0000001000) + 16 * i;
				written.physical = UINT64_C(0x80001000) + 16 * i;
				written.has_source = !(i % 2);
				written.source = (uint8_t)(i % 19);
			} else if (written.class == SPE_CLASS_BRANCH) {
				written.target = written.ip + 64;
			}
			put_spe_record(&aux, &written);
		}
		spe_image_trace(&image, cpu, &aux);
		strbuf_deinit(&aux);
	}
	uint8_t *data = perf_image_file(&image, size);

	perf_image_deinit(&image);
	return data;
}
