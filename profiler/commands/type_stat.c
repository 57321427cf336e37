// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/type_stat.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/annotated.h"

struct type_stat {
	uint64_t samples;  /* all */
	uint64_t accesses; /* of these: of instructions that access memory */
	uint64_t found;    /* of these: with a type, or known not to need one */
	uint64_t how[HOW_COUNT];
	uint64_t stack, spill, canary;
	uint64_t recorded, computed; /* data addresses of accesses */
	uint64_t agree, contradict;  /* of these, that are and are not where the type says */
	uint64_t reasons[REASON_COUNT];
};

static void count_access(struct type_stat *stat, const struct access *access, uint64_t samples)
{
	stat->samples += samples;
	if (access->kind == ACCESS_NO_MEMORY)
		return;
	stat->accesses += samples;
	switch (access->kind) {
	case ACCESS_TYPE: stat->how[access->how < HOW_COUNT ? access->how : HOW_NONE] += samples; break;
	case ACCESS_STACK: stat->stack += samples; break;
	case ACCESS_SPILL: stat->spill += samples; break;
	case ACCESS_CANARY: stat->canary += samples; break;
	default:
		stat->reasons[access->reason < REASON_COUNT ? access->reason : REASON_NONE] += samples;
		return;
	}
	stat->found += samples;
}

static void count_address(struct type_stat *stat, const struct result *result, enum address_verdict verdict)
{
	if (result->place->no_memory || !result->data_known)
		return;
	*(result->data_computed ? &stat->computed : &stat->recorded) += result->samples;
	if (verdict == VERDICT_AGREES)
		stat->agree += result->samples;
	else if (verdict == VERDICT_CONTRADICTS)
		stat->contradict += result->samples;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void print_addresses(const struct type_stat *stat, struct strbuf *text)
{
	uint64_t held = stat->agree + stat->contradict;

	strbuf_add_format(text,
			  "Data addresses:\n"
			  "known %" PRIu64 " (%.1f%%), recorded %" PRIu64 ", computed from registers %" PRIu64 "\n"
			  "of static and stack variables %" PRIu64 ", there %" PRIu64 " (%.2f%%), elsewhere %" PRIu64
			  "\n\n",
			  stat->recorded + stat->computed, share(stat->recorded + stat->computed, stat->accesses),
			  stat->recorded, stat->computed, held, stat->agree, share(stat->agree, held),
			  stat->contradict);
}

void print_type_stat(const struct input *input, const struct filter *filter)
{
	struct type_stat stat = { 0 };
	struct statistic statistics[HOW_COUNT + REASON_COUNT + 3];
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	size_t count = 0;

	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);

		if (!filter_accepts(filter, &result))
			continue;
		count_access(&stat, &input->resolution->places[input->resolution->place_of[i]].access,
			     result.samples);
		count_address(&stat, &result, input->resolution->verdicts[i]);
	}

	uint64_t bad = stat.accesses - stat.found;

	strbuf_add_format(&text,
			  "Annotate data type stats:\n"
			  "samples %" PRIu64 ", memory accesses %" PRIu64 " (%.1f%%)\n"
			  "total %" PRIu64 ", ok %" PRIu64 " (%.1f%%), bad %" PRIu64 " (%.1f%%)\n\n",
			  stat.samples, stat.accesses, share(stat.accesses, stat.samples), stat.accesses,
			  stat.found, share(stat.found, stat.accesses), bad, share(bad, stat.accesses));
	if (stat.recorded || stat.computed)
		print_addresses(&stat, &text);
	for (int how = 0; how < HOW_COUNT; how++)
		statistics[count++] = (struct statistic){ access_how_name(how), stat.how[how] };
	statistics[count++] = (struct statistic){ "stack operation", stat.stack };
	statistics[count++] = (struct statistic){ "stack spill", stat.spill };
	statistics[count++] = (struct statistic){ "stack canary", stat.canary };
	print_statistics("How types were found", statistics, count, stat.accesses, &text);
	count = 0;
	for (int reason = 0; reason < REASON_COUNT; reason++)
		statistics[count++] = (struct statistic){ access_reason_name(reason), stat.reasons[reason] };
	print_statistics("Why types were not found", statistics, count, stat.accesses, &text);
	fwrite(text.data, 1, text.length, stdout);
}
