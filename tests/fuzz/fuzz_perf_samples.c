// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses the samples of a perf.data file one by one: each array is read to its end, each register
 * is read, and the header is printed. */
#include <stdint.h>
#include <stdlib.h>

#include "profiler/ingest/session.h"
#include "profiler/ingest/sample.h"
#include "tests/support/session_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* So that reads are not optimized away. */
static volatile uint64_t sink;

static void read_words(const struct sample_words *words)
{
	for (uint64_t i = 0; i < words->count; i++)
		sink += sample_word(words, i);
}

static void read_bytes(const struct sample_bytes *bytes)
{
	for (uint64_t i = 0; i < bytes->size; i++)
		sink += bytes->data[i];
}

static void read_registers(const struct sample_registers *registers)
{
	uint64_t value;

	for (unsigned int i = 0; i <= 64; i++)
		if (sample_register(registers, i, &value))
			sink += value;
	read_words(&registers->values);
}

static struct error *visit(const struct sample *sample, void *data)
{
	(void)data;
	read_words(&sample->read.values);
	read_words(&sample->callchain);
	read_bytes(&sample->raw);
	read_words(&sample->branches.entries);
	if (sample->branches.entries.count != 3 * sample->branches.count)
		abort();
	read_registers(&sample->user_registers);
	read_bytes(&sample->user_stack.bytes);
	read_registers(&sample->interrupt_registers);
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct session_options options = { .force = true, .threads = 1 };
	struct session *session;
	struct error *error = session_open_memory(data, size, &options, &session);

	if (error) {
		error_destroy(error);
		return 0;
	}
	error = session_each_sample(session, visit, session);
	if (error)
		abort();
	struct strbuf text = STRBUF_INIT;

	session_header_text(session, &text);
	strbuf_deinit(&text);
	session_close(session);
	return 0;
}
