// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples as lines: see mem_dump.h. perf pads the numbers of its first line, and puts a 0x016 before its
 * address; here all lines are as its others.
 */
#include "profiler/commands/mem_dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/demangle.h"
#include "profiler/base/memory.h"
#include "profiler/base/printable.h"
#include "profiler/base/strbuf.h"
#include "profiler/commands/sample_choice.h"
#include "profiler/commands/terminal.h"
#include "profiler/ingest/sample.h"
#include "report/page_size.h"

struct dump {
	struct session *session;
	const struct dso_options *dso;
	const struct mem_dump_options *options;
	struct sample_choice choice;
	struct strbuf text; /* of all lines, one behind the other */
	struct dumped *lines;
	size_t count, capacity;
};

/* One line. */
struct dumped {
	uint64_t time;
	size_t start; /* in the text */
};

static bool is_chosen(const struct dump *dump, const struct sample *sample)
{
	return dump->choice.all_cpus || number_set_has(&dump->choice.cpus, sample->cpu);
}

static void add_symbol(struct strbuf *line, const struct dso *dso, const struct symbol *symbol)
{
	_cleanup_free_ char *readable = symbol ? demangle(symbol->name) : NULL;

	strbuf_add_format(line, "%s:%s", dso ? dso->long_name : "???",
			  readable ? readable
			  : symbol ? symbol->name
				   : "???");
}

static struct error *dump_sample(const struct sample *sample, void *data)
{
	struct dump *dump = data;
	struct strbuf *line = &dump->text;
	size_t start = line->length;
	const char *separator = dump->options->separator ? dump->options->separator : " ";
	char page[PAGE_SIZE_TEXT];
	struct place place;

	if (!is_chosen(dump, sample))
		return NULL;
	session_locate(dump->session, sample, session_sample_level(sample), sample->ip, &place);
	const struct symbol *symbol = place.dso ? dso_symbol_at(place.dso, dump->dso, place.address) : NULL;

	if (dump->options->resolved && !symbol)
		return NULL;
	array_reserve(dump->lines, dump->count, dump->capacity);
	dump->lines[dump->count++] = (struct dumped){ sample->clock, start };
	strbuf_add_format(line, "%d%s%d%s0x%" PRIx64 "%s0x%" PRIx64 "%s", sample->pid, separator, sample->tid,
			  separator, sample->ip, separator, sample->address, separator);
	if (dump->options->physical_address)
		strbuf_add_format(line, "0x%016" PRIx64 "%s", sample->physical_address, separator);
	if (dump->options->data_page_size)
		strbuf_add_format(line, "%s%s", page_size_text(sample->data_page_size, page), separator);
	strbuf_add_format(line, "%" PRIu64 "%s0x%" PRIx64 "%s", sample->weight, separator,
			  sample->data_source, separator);
	add_symbol(line, place.dso, symbol);
	strbuf_end_line(line, start);
	return NULL;
}

/* By time, as perf has them; what is of one moment stands as in the file. */
static int compare_lines(const void *left, const void *right)
{
	const struct dumped *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void print_lines(struct dump *dump)
{
	qsort(dump->lines, dump->count, sizeof(*dump->lines), compare_lines);
	for (size_t i = 0; i < dump->count; i++) {
		const char *line = dump->text.data + dump->lines[i].start;

		fwrite(line, 1, strcspn(line, "\n") + 1, stdout);
	}
}

static struct error *dump_session(struct dump *dump)
{
	RETURN_ERROR(sample_choice_init(&dump->choice, NULL, dump->options->cpus, dump->session));
	RETURN_ERROR(session_each_sample(dump->session, dump_sample, dump));
	pager_start();
	printf("# PID, TID, IP, ADDR, %s%sLOCAL WEIGHT, DSRC, SYMBOL\n",
	       dump->options->physical_address ? "PHYS ADDR, " : "",
	       dump->options->data_page_size ? "DATA PAGE SIZE, " : "");
	if (dump->count)
		print_lines(dump);
	return NULL;
}

struct error *mem_dump(const struct input_options *input_options, const struct mem_dump_options *options)
{
	struct input input = { 0 };
	struct error *error = input_open(input_options, &input);
	struct dump dump = {
		.session = input.session, .dso = &input_options->dso, .options = options, .text = STRBUF_INIT
	};

	if (!error)
		error = dump_session(&dump);
	sample_choice_release(&dump.choice);
	strbuf_release(&dump.text);
	free(dump.lines);
	input_close(&input);
	return error;
}
