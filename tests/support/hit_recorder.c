// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/unit.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "disasm/insn.h"
#include "dwarf/elf/image.h"
#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "tests/support/hit_recorder.h"
#include "tests/support/perf_image.h"

#define PROCESS 100
#define SAMPLE_TYPE                                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD |          \
	 PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

static const uint64_t ids[EVENTS] = { 11, 12 };

static void must(struct error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

static uint64_t address_of(const struct elf_image *image, struct decoder *decoder,
			   const struct hit *hit)
{
	const struct symbol *symbol = elf_image_symbol_named(image, hit->function);
	size_t available;
	struct insn insn;
	uint64_t address;

	assert_non_null(symbol);
	address = symbol->address;
	for (unsigned int i = 0; i < hit->insn; i++) {
		const uint8_t *bytes = elf_image_bytes(image, address, &available);

		assert_non_null(bytes);
		decoder_decode(decoder, bytes, available, address, &insn);
		address += insn.length;
	}
	return address;
}

static void add_event(struct perf_image *image, uint32_t event, uint64_t more)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = event == LOADS ? PERF_COUNT_HW_CACHE_REFERENCES
								 : PERF_COUNT_HW_CACHE_MISSES,
					.sample_type = SAMPLE_TYPE | more,
					.sample_period = 1 };

	perf_image_event(image, &attr, &ids[event], 1);
}

/* Adds the map of the executable segment at its own address: the program is not position
 * independent. */
static void add_program(struct perf_image *image, const struct elf_image *elf, const char *path)
{
	size_t size;
	const uint8_t *data = elf_image_data(elf, &size);
	const Elf64_Ehdr *header = (const void *)data;
	const Elf64_Phdr *code = (const void *)(data + header->e_phoff);

	while (!(code->p_flags & PF_X))
		code++;
	put32(&image->body, PROCESS), put32(&image->body, PROCESS);
	put_string(&image->body, "golden");
	perf_image_record(image, PERF_RECORD_COMM, 0);
	put32(&image->body, PROCESS), put32(&image->body, PROCESS);
	put64(&image->body, code->p_vaddr & ~UINT64_C(4095)), put64(&image->body, 4096);
	put64(&image->body, code->p_offset & ~UINT64_C(4095));
	put_string(&image->body, path);
	perf_image_record(image, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
}

/* Adds samples; if `data` is NULL, without data addresses and times. */
static void add_samples(struct perf_image *image, const struct hit *hit, uint64_t address,
			const uint64_t *data, uint64_t *time)
{
	for (unsigned int i = 0; i < hit->count; i++) {
		put64(&image->body, ids[hit->event]);
		put64(&image->body, address);
		put32(&image->body, PROCESS), put32(&image->body, hit->tid);
		if (data)
			put64(&image->body, *time += 1000), put64(&image->body, *data);
		put64(&image->body, hit->event == LOADS ? 1000 : 500);
		put64(&image->body, hit->weight);
		put64(&image->body, hit->source);
		perf_image_record(image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	}
}

/* Adds the group of both events. */
static void add_group(struct perf_image *image)
{
	struct strbuf *group = &image->features[FEATURE_GROUP_DESC];

	put32(group, 1);
	put32(group, 16);
	strbuf_add(group, "{anon_group}\0\0\0\0", 16);
	put32(group, 0);
	put32(group, EVENTS);
}

void hit_recorder_write(const char *program, const char *output, const struct hit *hits)
{
	hit_recorder_write_data(program, output, hits, NULL);
}

void hit_recorder_write_data(const char *program, const char *output, const struct hit *hits,
			     const uint64_t *addresses)
{
	uint64_t more = addresses ? PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR : 0, time = 0;
	_cleanup_perf_image_ struct perf_image image;
	struct elf_image *elf;
	struct decoder *decoder;
	size_t size;

	perf_image_init(&image);
	must(elf_image_open(program, &elf));
	decoder = decoder_create(&arch_x86_64);
	add_event(&image, LOADS, more);
	add_event(&image, STORES, more);
	add_program(&image, elf, program);
	add_group(&image);
	put32(&image.features[FEATURE_CLN_SIZE], 32);
	for (size_t i = 0; hits[i].function; i++)
		add_samples(&image, &hits[i], address_of(elf, decoder, &hits[i]),
			    addresses ? &addresses[i] : NULL, &time);

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);
	FILE *file = fopen(output, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
	decoder_destroy(decoder);
	elf_image_close(elf);
}
