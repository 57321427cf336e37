// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/sample_choice.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"

static struct error *bad_time(const char *text)
{
	return error_create(ERROR_OTHER, "--time: '%s' is not START,STOP in seconds, N%%/K or A%%-B%%", text);
}

static void add_range(struct sample_choice *choice, uint64_t first, uint64_t last)
{
	array_reserve(choice->ranges, choice->range_count, choice->range_capacity);
	choice->ranges[choice->range_count++] = (struct time_range){ first, last };
}

/* "13166.25": seconds and up to nine digits behind the point. */
static bool parse_seconds(const char *text, size_t length, uint64_t *time)
{
	uint64_t seconds = 0, fraction = 0, unit = 1000000000;
	size_t i = 0;

	for (; i < length && isdigit((unsigned char)text[i]); i++) {
		if (seconds > UINT64_MAX / 10000000000)
			return false;
		seconds = seconds * 10 + (uint64_t)(text[i] - '0');
	}
	if (!i || seconds > UINT64_MAX / 1000000000 - 1)
		return false;
	if (i < length && text[i] == '.')
		for (i++; i < length && isdigit((unsigned char)text[i]) && unit > 1; i++) {
			unit /= 10;
			fraction += unit * (uint64_t)(text[i] - '0');
		}
	*time = seconds * 1000000000 + fraction;
	return i == length;
}

/* "START,STOP", either of which may be missing; several with blanks between. */
static struct error *parse_times(struct sample_choice *choice, const char *text)
{
	const char *all = text;

	while (*text) {
		size_t length = strcspn(text, " "), start = strcspn(text, ", ");
		uint64_t first = 0, last = UINT64_MAX;

		if (start >= length || (start && !parse_seconds(text, start, &first)) ||
		    (start + 1 < length && !parse_seconds(text + start + 1, length - start - 1, &last)) ||
		    last < first)
			return bad_time(all);
		add_range(choice, first, last);
		text += length;
		text += strspn(text, " ");
	}
	return choice->range_count ? NULL : bad_time(all);
}

static void add_share(struct sample_choice *choice, const struct time_range *whole, double from, double to)
{
	double total = (double)(whole->last - whole->first);
	uint64_t first = whole->first + (uint64_t)(from * total + 0.5),
		 last = whole->first + (uint64_t)(to * total + 0.5);

	/* slices do not overlap; the last one has the last sample */
	if (last > first && last != whole->last)
		last--;
	add_range(choice, first, last);
}

/* "10%", "10%/2", "10%-30%"; several with commas between. */
static struct error *parse_shares(struct sample_choice *choice, const char *text,
				  const struct time_range *whole)
{
	const char *all = text;

	while (*text) {
		char *end;
		double share = strtod(text, &end) / 100, from = 0, to = share;

		if (end == text || *end != '%' || !(share >= 0))
			return bad_time(all);
		text = end + 1;
		if (*text == '/') {
			long slice = strtol(text + 1, &end, 10);

			from = share * (double)(slice - 1);
			to = share * (double)slice;
			if (end == text + 1 || slice < 1 || !(share > 0))
				return bad_time(all);
			text = end;
		} else if (*text == '-') {
			from = share;
			to = strtod(text + 1, &end) / 100;
			if (end == text + 1 || *end != '%')
				return bad_time(all);
			text = end + 1;
		}
		if (!(from >= 0 && from <= to && to <= 1) || (*text && *text != ','))
			return bad_time(all);
		add_share(choice, whole, from, to);
		text += *text == ',';
	}
	return NULL;
}

struct error *sample_choice_init(struct sample_choice *choice, const char *time, const char *cpus,
				 struct session *session)
{
	struct time_range whole;

	*choice = (struct sample_choice){ .all_cpus = !cpus };
	if (cpus)
		RETURN_ERROR(number_set_parse(&choice->cpus, cpus, 0, "--cpu takes processors"));
	if (!time)
		return NULL;
	if (!strchr(time, '%'))
		return parse_times(choice, time);
	if (!session_sample_times(session, &whole))
		return error_create(ERROR_OTHER, "--time: the samples have no times");
	return parse_shares(choice, time, &whole);
}

void sample_choice_release(struct sample_choice *choice)
{
	free(choice->ranges);
	choice->ranges = NULL;
}

void sample_choice_apply(const struct sample_choice *choice, struct count_options *options)
{
	options->ranges = choice->ranges;
	options->range_count = choice->range_count;
	options->cpus = choice->all_cpus ? NULL : &choice->cpus;
}
