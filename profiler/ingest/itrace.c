// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/ingest/itrace.h"

#include <ctype.h>

#include "base/memory.h"

/* The letters of samples. */
static const struct {
	char letter;
	uint8_t events;
} letters[] = {
	{ 'i', ITRACE_INSTRUCTIONS }, { 'b', ITRACE_BRANCHES },      { 'c', ITRACE_BRANCHES },
	{ 'r', ITRACE_BRANCHES },     { 'f', ITRACE_FIRST_CACHE },   { 'm', ITRACE_LAST_CACHE },
	{ 't', ITRACE_TLB },          { 'a', ITRACE_REMOTE_ACCESS }, { 'M', ITRACE_MEMORY },
};

/* The letters that ask for nothing here: what only other traces have (transactions, power events,
 * call chains ...), and branch stacks, which nothing shows. */
static const char unused_letters[] = "ylLxwpoIedgGsqAZT ,";

static struct error *bad_options(const char *text)
{
	return error_other("Bad Instruction Tracing options '%s' (perf's letters: i, b, "
			   "f, m, t, a, M, l ...)",
			   text);
}

/* Takes the number at *at, with blanks and commas before it. Returns false if there is none. */
static bool take_number(const char **at, uint64_t *number)
{
	const char *digits = *at + strspn(*at, " ,");
	char *end;

	if (!isdigit((unsigned char)*digits))
		return false;
	*number = strtoull(digits, &end, 10);
	*at = end;
	return true;
}

/* Takes the period after i or y: instructions (i), ticks (t), or ms, us, ns. False: else. */
static bool take_period(struct itrace_options *options, const char **at)
{
	static const char *const times[] = { "t", "ms", "us", "ns" };

	if (!take_number(at, &options->period))
		return true;
	*at += strspn(*at, " ,");
	options->other_period = false;
	if (**at == 'i' || !**at) {
		*at += **at == 'i';
		return true;
	}
	for (size_t i = 0; i < COUNT_OF(times); i++) {
		size_t length = strlen(times[i]);

		if (strncmp(*at, times[i], length) != 0)
			continue;
		*at += length;
		options->other_period = true;
		return true;
	}
	return false;
}

/* Takes what may follow a letter. Returns false if it is not right. */
static bool take_argument(struct itrace_options *options, char letter, const char **at)
{
	uint64_t number;

	switch (letter) {
	case 'i':
	case 'y': return take_period(options, at);
	case 'l':
	case 'L':
	case 'g':
	case 'G': (void)take_number(at, &number); return true;
	case 's': return take_number(at, &number);
	case 'e':
	case 'd':
		while (**at == '+' || **at == '-') {
			if (!islower((unsigned char)(*at)[1]))
				return false;
			*at += 2;
		}
		return true;
	default: return true;
	}
}

struct error *itrace_parse(struct itrace_options *options, const char *text)
{
	options->events = text ? 0 : ITRACE_ALL;
	options->period = 0;
	options->other_period = false;
	for (const char *at = text; at && *at;) {
		char letter = *at++;
		size_t i = 0;

		while (i < COUNT_OF(letters) && letters[i].letter != letter)
			i++;
		if ((i == COUNT_OF(letters) && !strchr(unused_letters, letter)) ||
		    !take_argument(options, letter, &at))
			return bad_options(text);
		options->events |= i < COUNT_OF(letters) ? letters[i].events : 0;
	}
	return NULL;
}
