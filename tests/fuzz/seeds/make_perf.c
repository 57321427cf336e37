// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the seeds for perf.data files: see build_perf.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "tests/support/byte_order.h"
#include "tests/support/perf_records.h"
#include "tests/support/spe_image.h"

#define RECORD_COMPRESSED2 83

static void put_sample(struct perf_image *image, unsigned int i)
{
	struct strbuf *body = &image->body;

	put64(body, 10 + i % 2); /* identifier, ip, thread, time, address, cpu, period */
	put64(body, 0x1000 + i);
	put32(body, 100), put32(body, 101);
	put64(body, 50 + i);
	put64(body, 0x7fff0000 + i);
	put32(body, i), put32(body, 0);
	put64(body, 5 + i);
	put64(body, 2), put64(body, PERF_CONTEXT_USER), put64(body, 0x1000 + i); /* callchain */
	put32(body, 12), strbuf_add(body, "raw bytes...", 12);
	put64(body, 1), put64(body, 1), put64(body, 2), put64(body, 3); /* branch */
	put64(body, PERF_SAMPLE_REGS_ABI_64), put64(body, 1),
		put64(body, 2); /* user registers, stack */
	put64(body, 8), put64(body, 0), put64(body, 8);
	put64(body, 200 + i), put64(body, 2); /* weight, data source */
	perf_image_record(image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
}

static void put_feature_strings(struct perf_image *image)
{
	static const unsigned int strings[] = { 3, 4, 5, 6, 8, 9 };

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		put32(&image->features[strings[i]], 8);
		strbuf_add(&image->features[strings[i]], "machine", 8);
	}
	put32(&image->features[7], 4), put32(&image->features[7], 2);
	put64(&image->features[10], 12345);
	put64(&image->features[21], 1000), put64(&image->features[21], 2000);
}

static void make(struct perf_image *image)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			       PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
			       PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC,
		.sample_regs_user = 0x5,
	};

	perf_image_init(image);
	perf_image_event(image, &attr, (uint64_t[]){ 10 }, 1);
	attr.config = PERF_COUNT_HW_CACHE_MISSES;
	perf_image_event(image, &attr, (uint64_t[]){ 11 }, 1);
	put_feature_strings(image);
	add_comm(image, 1, 100, 100, "seed", true);
	add_map(image, 2, 100, 0x1000, 0x1000, "/nowhere/seed");
	add_fork(image, 3, 101, 101, 100, 100);
	add_kernel_map(image, 4, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text");
	add_ksymbol(image, 5, 0xffffffffc0000000, 0x100, false, "bpf_prog_seed");
	for (unsigned int i = 0; i < 4; i++)
		put_sample(image, i);
	add_exit(image, 90, 101, 101);
}

static void write_to(const char *target, const char *name, const void *data, size_t size)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", target, name);
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
		perror(path);
		exit(1);
	}
}

static void write_seed(const char *name, uint8_t *data, size_t size)
{
	write_to("perf_data", name, data, size);
	write_to("perf_samples", name, data, size);
	free(data);
}

/* Writes the records of SPE without a file around them. */
static void write_records(void)
{
	struct strbuf aux = STRBUF_INIT;

	put_spe_record(&aux, &(struct spe_written){ .ip = 0x400100,
						    .class = SPE_CLASS_MEMORY,
						    .data = 0x7000,
						    .physical = 0x8000,
						    .latency = 9,
						    .has_source = true,
						    .context = 10,
						    .timestamp = 50 });
	put_spe_packet(&aux, 0x23, 1, 0); /* padding up to 16 bytes */
	put_spe_packet(&aux, 0, 14, 0);
	put_spe_record(&aux, &(struct spe_written){ .ip = 0x400200,
						    .class = SPE_CLASS_BRANCH,
						    .target = 0x400300 });
	write_to("spe", "records", aux.data, aux.length);
	strbuf_deinit(&aux);
}

static void compress(struct perf_image *image)
{
	char buffer[16384];
	size_t size = ZSTD_compress(buffer, sizeof(buffer), image->records.data,
				    image->records.length, 1);

	strbuf_reset(&image->records);
	put64(&image->body, size);
	strbuf_add(&image->body, buffer, size);
	perf_image_record(image, RECORD_COMPRESSED2, 0);
}

int main(void)
{
	struct perf_image image;
	size_t size;
	uint8_t *data;

	make(&image);
	data = perf_image_file(&image, &size);
	write_seed("file", data, size);
	data = perf_image_pipe(&image, &size);
	write_seed("pipe", data, size);
	data = perf_image_file(&image, &size);
	byte_order_reverse(data, size);
	write_seed("reversed", data, size);
	data = spe_image_example(&size);
	write_seed("spe", data, size);
	write_records();
	compress(&image);
	data = perf_image_pipe(&image, &size);
	write_seed("compressed", data, size);
	perf_image_deinit(&image);
	return 0;
}
