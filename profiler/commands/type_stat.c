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
	uint64_t stack, spill, canary, jump_table;
	uint64_t recorded, computed; /* data addresses of accesses */
	uint64_t agree, contradict;  /* of these, that are and are not where the type says */
	uint64_t reasons[REASON_COUNT];
};

static void count_access(struct type_stat *stat, const struct access *access, uint64_t samples)
{
	stat->samples += samples;
	if (access_is_none(access))
		return;
	stat->accesses += samples;
	switch (access->kind) {
	case ACCESS_TYPE: stat->how[access->how < HOW_COUNT ? access->how : HOW_NONE] += samples; break;
	case ACCESS_STACK: stat->stack += samples; break;
	case ACCESS_SPILL: stat->spill += samples; break;
	case ACCESS_CANARY: stat->canary += samples; break;
	case ACCESS_JUMP_TABLE: stat->jump_table += samples; break;
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
			  "known %" PRIu64 " (%.1f%%), recorded %" PRIu64 ", computed from registers %" PRIu64
			  "\n"
			  "of static and stack variables %" PRIu64 ", there %" PRIu64
			  " (%.2f%%), elsewhere %" PRIu64 "\n\n",
			  stat->recorded + stat->computed,
			  share(stat->recorded + stat->computed, stat->accesses), stat->recorded,
			  stat->computed, held, stat->agree, share(stat->agree, held), stat->contradict);
}

static struct type_stat count_all(const struct input *input, const struct filter *filter)
{
	struct type_stat stat = { 0 };

	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);

		if (!filter_accepts(filter, &result))
			continue;
		count_access(&stat, &input->resolution->places[input->resolution->place_of[i]].access,
			     result.samples);
		count_address(&stat, &result, input->resolution->verdicts[i]);
	}
	return stat;
}

#define STATISTICS (HOW_COUNT + 4)

/* How types were found, and what needs none. */
static size_t found_statistics(const struct type_stat *stat, struct statistic statistics[STATISTICS])
{
	size_t count = 0;

	for (int how = 0; how < HOW_COUNT; how++)
		statistics[count++] = (struct statistic){ access_how_name(how), stat->how[how] };
	statistics[count++] = (struct statistic){ "stack operation", stat->stack };
	statistics[count++] = (struct statistic){ "stack spill", stat->spill };
	statistics[count++] = (struct statistic){ "stack canary", stat->canary };
	statistics[count++] = (struct statistic){ "jump table", stat->jump_table };
	return count;
}

static void reason_statistics(const struct type_stat *stat, struct statistic statistics[REASON_COUNT])
{
	for (int reason = 0; reason < REASON_COUNT; reason++)
		statistics[reason] = (struct statistic){ access_reason_name(reason), stat->reasons[reason] };
}

void print_type_stat(const struct input *input, const struct filter *filter)
{
	struct type_stat stat = count_all(input, filter);
	struct statistic found[STATISTICS], reasons[REASON_COUNT];
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	uint64_t bad = stat.accesses - stat.found;

	strbuf_add_format(&text,
			  "Annotate data type stats:\n"
			  "samples %" PRIu64 ", memory accesses %" PRIu64 " (%.1f%%)\n"
			  "total %" PRIu64 ", ok %" PRIu64 " (%.1f%%), bad %" PRIu64 " (%.1f%%)\n\n",
			  stat.samples, stat.accesses, share(stat.accesses, stat.samples), stat.accesses,
			  stat.found, share(stat.found, stat.accesses), bad, share(bad, stat.accesses));
	if (stat.recorded || stat.computed)
		print_addresses(&stat, &text);
	print_statistics("How types were found", found, found_statistics(&stat, found), stat.accesses, &text);
	reason_statistics(&stat, reasons);
	print_statistics("Why types were not found", reasons, REASON_COUNT, stat.accesses, &text);
	fwrite(text.data, 1, text.length, stdout);
}

static void add_statistics(const char *name, const struct statistic *statistics, size_t count,
			   struct json *json)
{
	json_array(json, name);
	for (size_t i = 0; i < count; i++) {
		if (!statistics[i].count)
			continue;
		json_object(json, NULL);
		json_string(json, "name", statistics[i].label);
		json_unsigned(json, "samples", statistics[i].count);
		json_end(json);
	}
	json_end(json);
}

void type_stat_json(const struct input *input, const struct filter *filter, struct json *json)
{
	struct type_stat stat = count_all(input, filter);
	struct statistic found[STATISTICS], reasons[REASON_COUNT];

	reason_statistics(&stat, reasons);
	json_object(json, "type_stat");
	json_unsigned(json, "samples", stat.samples);
	json_unsigned(json, "memory_accesses", stat.accesses);
	json_unsigned(json, "ok", stat.found);
	json_unsigned(json, "bad", stat.accesses - stat.found);
	json_object(json, "data_addresses");
	json_unsigned(json, "recorded", stat.recorded);
	json_unsigned(json, "computed", stat.computed);
	json_unsigned(json, "agree", stat.agree);
	json_unsigned(json, "contradict", stat.contradict);
	json_end(json);
	add_statistics("found", found, found_statistics(&stat, found), json);
	add_statistics("reasons", reasons, REASON_COUNT, json);
	json_end(json);
}
