// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses the command line of dtprof record, one word in each line; then the parts that have a
 * grammar of their own: events and the filter. Nothing is opened. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "profiler/commands/record.h"
#include "profiler/record/event.h"
#include "profiler/record/sample_filter.h"
#include "report/filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WORDS_MAX 64

static void check(bool condition)
{
	if (!condition)
		abort();
}

static int words_of(char *text, char **words)
{
	int count = 0;
	char *word;

	words[count++] = (char *)"record";
	while (count < WORDS_MAX && (word = strsep(&text, "\n")))
		words[count++] = word;
	words[count] = NULL;
	return count;
}

static void parse_events(const char *text)
{
	struct event_list list = { 0 };
	struct error *error = event_parse(&list, "", text);

	check(!error || !list.count);
	for (size_t i = 0; i < list.count; i++)
		check(list.items[i].name && list.items[i].leader <= i);
	error_destroy(error);
	event_list_deinit(&list);
}

static void parse_filter(const char *text)
{
	struct sample_filter filter = { 0 };
	struct error *error = sample_filter_parse(text, &filter);

	for (size_t i = 0; !error && i < filter.count; i++)
		check(filter.conditions[i].term != NULL);
	error_destroy(error);
	sample_filter_deinit(&filter);
}

static void parse_numbers(const char *text)
{
	struct name_list list = { 0 };
	struct filter filter = { 0 };

	error_destroy(word_list_parse_numbers(&list, text, "--pid"));
	filter.pids = list;
	filter_deinit(&filter);
}

/* --help prints text, which must not mix with this program's output */
static struct error *parse_in_silence(struct record_arguments *arguments, int count, char **words,
				      enum options_outcome *outcome)
{
	static int nowhere = -1;

	if (nowhere < 0)
		nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	fflush(stdout);
	int saved = dup(STDOUT_FILENO);

	check(nowhere >= 0 && saved >= 0);
	dup2(nowhere, STDOUT_FILENO);
	struct error *error = record_arguments_parse(arguments, count, words, NULL, outcome);

	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	return error;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = xstrndup((const char *)data, size);
	char *words[WORDS_MAX + 1];
	struct record_arguments arguments;
	enum options_outcome outcome = OPTIONS_RUN;
	int count = words_of(text, words);

	record_arguments_init(&arguments);
	struct error *error = parse_in_silence(&arguments, count, words, &outcome);

	if (!error && outcome == OPTIONS_RUN) {
		if (arguments.record.events)
			parse_events(arguments.record.events);
		if (arguments.record.filter)
			parse_filter(arguments.record.filter);
		if (arguments.record.target.pids)
			parse_numbers(arguments.record.target.pids);
	}
	error_destroy(error);
	record_arguments_deinit(&arguments);
	return 0;
}
