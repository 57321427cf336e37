// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts how many samples of a table have code, are memory accesses and have a type, and prints it
 * (print.h).
 */
#include <inttypes.h>
#include <string.h>

#include "report/print/print.h"

/* Counts samples for a reason. There is room for more reasons than exist; beyond that the last one
 * is counted. */
static void add_reason(struct coverage *coverage, const char *text, uint64_t samples)
{
	size_t i = 0;

	while (i < coverage->reason_count && coverage->reasons[i].text != text)
		i++;
	if (i == COVERAGE_REASONS_MAX)
		i--;
	else if (i == coverage->reason_count)
		coverage->reasons[coverage->reason_count++].text = text;
	coverage->reasons[i].samples += samples;
}

void coverage_add(struct coverage *coverage, const struct result *result)
{
	coverage->samples += result->samples;
	if (result->data_known)
		*(result->data_computed ? &coverage->computed : &coverage->recorded) +=
			result->samples;
	if (result->place->charged)
		coverage->charged += result->samples;
	if (result->place->interrupts_off)
		coverage->held_back += result->samples;
	if (result->place->no_code)
		return;
	coverage->with_code += result->samples;
	if (result->place->no_memory)
		return;
	coverage->accesses += result->samples;
	if (result->place->typed)
		coverage->typed += result->samples;
	else
		add_reason(coverage, result->place->how, result->samples);
}

void coverage_sort(struct coverage *coverage)
{
	for (size_t i = 1; i < coverage->reason_count; i++)
		for (size_t j = i;
		     j && (coverage->reasons[j - 1].samples < coverage->reasons[j].samples ||
			   (coverage->reasons[j - 1].samples == coverage->reasons[j].samples &&
			    strcmp(coverage->reasons[j - 1].text, coverage->reasons[j].text) > 0));
		     j--) {
			__typeof__(*coverage->reasons) other = coverage->reasons[j];

			coverage->reasons[j] = coverage->reasons[j - 1];
			coverage->reasons[j - 1] = other;
		}
}

const char *coverage_reason(const struct coverage *coverage, size_t reason, size_t *length)
{
	const char *text = coverage->reasons[reason].text;

	*length = strlen(text);
	if (*length < 2 || text[0] != '(' || text[*length - 1] != ')')
		return text;
	*length -= 2;
	return text + 1;
}

void print_charges(const struct coverage *coverage, struct strbuf *buffer)
{
	if (coverage->charged)
		strbuf_add_format(
			buffer,
			"# %.1f%% of the samples were charged to the access that the sampled "
			"instruction waited for\n",
			percent(coverage->charged, coverage->samples));
	if (coverage->held_back)
		strbuf_add_format(
			buffer,
			"# %.1f%% of the samples were held back while interrupts were off: they "
			"belong to no access\n",
			percent(coverage->held_back, coverage->samples));
	if (coverage->charged || coverage->held_back)
		strbuf_add_string(buffer, "#\n");
}

void print_address_coverage(const struct coverage *coverage, struct strbuf *buffer)
{
	if (coverage->computed || coverage->recorded)
		strbuf_add_format(buffer,
				  "# Data addresses: %" PRIu64 " recorded, %" PRIu64
				  " computed from registers\n#\n",
				  coverage->recorded, coverage->computed);
}

void print_coverage(const struct coverage *coverage, struct strbuf *buffer)
{
	strbuf_add_format(buffer,
			  "# Samples: %" PRIu64 ", of which with code: %" PRIu64
			  " (%.1f%%), of which memory accesses: %" PRIu64
			  " (%.1f%%), of which with a type: %" PRIu64 " (%.1f%%)\n",
			  coverage->samples, coverage->with_code,
			  percent(coverage->with_code, coverage->samples), coverage->accesses,
			  percent(coverage->accesses, coverage->with_code), coverage->typed,
			  percent(coverage->typed, coverage->accesses));
	for (size_t i = 0; i < coverage->reason_count; i++) {
		size_t length;
		const char *text = coverage_reason(coverage, i, &length);

		strbuf_add_format(buffer, "# %11" PRIu64 " (%4.1f%%)  %.*s\n",
				  coverage->reasons[i].samples,
				  percent(coverage->reasons[i].samples, coverage->accesses),
				  (int)length, text);
	}
	strbuf_add_string(buffer, "#\n");
}
