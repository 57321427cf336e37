// SPDX-License-Identifier: GPL-2.0-or-later
/* make_data OBJECT OUTPUT REPEAT [TIMES]: REPEAT samples for each memory instruction of OBJECT, in
 * random order, and all of this so many times, each after the one before. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "tests/support/access_recorder.h"

/* Places in the file's header, and in a sample that begins with id, address and thread. */
enum { DATA_OFFSET = 40, DATA_SIZE = 48, FEATURES = 72, SAMPLE_TIME = 32 };

static uint64_t number_at(const uint8_t *bytes)
{
	uint64_t number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

static void add_at(uint8_t *bytes, uint64_t more)
{
	uint64_t number = number_at(bytes) + more;

	memcpy(bytes, &number, sizeof(number));
}

/* Writes the file again, with its samples so many times. The features after them move. Returns
 * whether it could. */
static bool write_times(const char *path, size_t times)
{
	_cleanup_close_ int old = open(path, O_RDONLY | O_CLOEXEC);
	off_t size = lseek(old, 0, SEEK_END);
	_cleanup_free_ uint8_t *bytes = xmalloc(size > 0 ? (size_t)size : 1);
	const struct perf_event_header *header;
	size_t first = 0, features = 0;

	if (size <= 0 || !file_has_at(old, bytes, (size_t)size, 0) || unlink(path))
		return false;

	size_t start = number_at(bytes + DATA_OFFSET), end = start + number_at(bytes + DATA_SIZE);
	FILE *file = fopen(path, "wb");

	for (size_t at = start; at < end && !first; at += header->size) {
		header = (const void *)(bytes + at);
		first = header->type == PERF_RECORD_SAMPLE ? at : 0;
	}
	for (size_t i = 0; i < 32; i++)
		features += __builtin_popcount(bytes[FEATURES + i]);
	add_at(bytes + DATA_SIZE, (times - 1) * (end - first));
	for (size_t i = 0; i < features; i++)
		add_at(bytes + end + 16 * i, (times - 1) * (end - first));
	fwrite(bytes, 1, end, file);
	for (size_t i = 1; i < times; i++) {
		for (size_t at = first; at < end; at += header->size) {
			header = (const void *)(bytes + at);
			if (header->type == PERF_RECORD_SAMPLE)
				add_at(bytes + at + SAMPLE_TIME, (end - first) * 1000);
		}
		fwrite(bytes + first, 1, end - first, file);
	}
	fwrite(bytes + end, 1, (size_t)size - end, file);
	return !fclose(file);
}

int main(int argc, char **argv)
{
	struct access_request request = { .shuffle = true };
	size_t samples, times = argc == 5 ? strtoul(argv[4], NULL, 10) : 1;

	if (argc < 4 || argc > 5 || !times) {
		fprintf(stderr, "usage: %s OBJECT OUTPUT REPEAT [TIMES]\n", argv[0]);
		return 2;
	}
	request.object = argv[1];
	request.output = argv[2];
	request.repeat = (unsigned int)strtoul(argv[3], NULL, 10);

	struct error *error = access_recorder_write(&request, &samples);

	if (error) {
		fprintf(stderr, "%s\n", error->message);
		error_destroy(error);
		return 1;
	}
	if (times > 1 && !write_times(request.output, times)) {
		fprintf(stderr, "%s cannot be written\n", request.output);
		return 1;
	}
	printf("%zu samples, %zu of each memory instruction of %s\n", samples * times,
	       request.repeat * times, request.object);
	return 0;
}
