// SPDX-License-Identifier: GPL-2.0-or-later
/* Filter expressions: see sample_filter.h. Terms and constants have perf's names (perf-record(1), --filter).
 */
#include <ctype.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/words.h"
#include "profiler/record/cgroup.h"
#include "profiler/record/sample_filter.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))
#define CONTEXT(member) (int32_t) offsetof(struct bpf_perf_event_data, member)
#if defined(__x86_64__)
#define CONTEXT_IP CONTEXT(regs.rip)
#elif defined(__aarch64__)
#define CONTEXT_IP CONTEXT(regs.pc)
#else
#error "where the instruction pointer is in this architecture's bpf_user_pt_regs_t is not known here"
#endif

#define DATA_SOURCE(name, shift, bits)                                                                       \
	{                                                                                                    \
		name, FILTER_SAMPLE, 0, "data_src", 8, shift, bits, PERF_SAMPLE_DATA_SRC, "-d"               \
	}

/* Of weight: a word and two half words, union perf_sample_weight. Of data_src: union perf_mem_data_src. */
static const struct sample_filter_term terms[] = {
	{ "ip", FILTER_CONTEXT, CONTEXT_IP, NULL, 8, 0, 64, 0, NULL },
	{ "period", FILTER_CONTEXT, CONTEXT(sample_period), NULL, 8, 0, 64, 0, NULL },
	{ "addr", FILTER_CONTEXT, CONTEXT(addr), NULL, 8, 0, 64, PERF_SAMPLE_ADDR, "-d" },
	{ "cpu", FILTER_HELPER, BPF_FUNC_get_smp_processor_id, NULL, 8, 0, 32, 0, NULL },
	{ "tid", FILTER_HELPER, BPF_FUNC_get_current_pid_tgid, NULL, 8, 0, 32, 0, NULL },
	{ "pid", FILTER_HELPER, BPF_FUNC_get_current_pid_tgid, NULL, 8, 32, 32, 0, NULL },
	{ "uid", FILTER_HELPER, BPF_FUNC_get_current_uid_gid, NULL, 8, 0, 32, 0, NULL },
	{ "gid", FILTER_HELPER, BPF_FUNC_get_current_uid_gid, NULL, 8, 32, 32, 0, NULL },
	{ "cgroup", FILTER_HELPER, BPF_FUNC_get_current_cgroup_id, NULL, 8, 0, 64, 0, NULL },
	{ "time", FILTER_SAMPLE, 0, "time", 8, 0, 64, PERF_SAMPLE_TIME, NULL },
	{ "phys_addr", FILTER_SAMPLE, 0, "phys_addr", 8, 0, 64, PERF_SAMPLE_PHYS_ADDR, "--phys-data" },
	{ "code_pgsz", FILTER_SAMPLE, 0, "code_page_size", 8, 0, 64, PERF_SAMPLE_CODE_PAGE_SIZE,
	  "--code-page-size" },
	{ "data_pgsz", FILTER_SAMPLE, 0, "data_page_size", 8, 0, 64, PERF_SAMPLE_DATA_PAGE_SIZE,
	  "--data-page-size" },
	{ "txn", FILTER_SAMPLE, 0, "txn", 8, 0, 64, PERF_SAMPLE_TRANSACTION, NULL },
	{ "weight", FILTER_SAMPLE, 0, "weight", 8, 0, 32, PERF_SAMPLE_WEIGHT_TYPE, "-W" },
	{ "ins_lat", FILTER_SAMPLE, 0, "weight", 8, 32, 16, PERF_SAMPLE_WEIGHT_STRUCT, "-W" },
	{ "retire_lat", FILTER_SAMPLE, 0, "weight", 8, 48, 16, PERF_SAMPLE_WEIGHT_STRUCT, "-W" },
	{ "p_stage_cyc", FILTER_SAMPLE, 0, "weight", 8, 48, 16, PERF_SAMPLE_WEIGHT_STRUCT, "-W" },
	DATA_SOURCE("mem_op", 0, 5),
	DATA_SOURCE("mem_snoop", 19, 5),
	DATA_SOURCE("mem_lock", 24, 2),
	DATA_SOURCE("mem_dtlb", 26, 7),
	DATA_SOURCE("mem_lvl", 33, 4),
	DATA_SOURCE("mem_remote", 37, 1),
	DATA_SOURCE("mem_snoopx", 38, 2),
	DATA_SOURCE("mem_blk", 40, 3),
	DATA_SOURCE("mem_hops", 43, 3),
};

/* PERF_MEM_* of perf_event.h; a constant of snoopx is written after mem_snoop. */
static const struct {
	const char *term;
	const char *name;
	uint64_t value;
} constants[] = {
	{ "mem_op", "na", 1 },         { "mem_op", "load", 2 },       { "mem_op", "store", 4 },
	{ "mem_op", "pfetch", 8 },     { "mem_op", "exec", 16 },      { "mem_lvl", "l1", 1 },
	{ "mem_lvl", "l2", 2 },        { "mem_lvl", "l3", 3 },        { "mem_lvl", "l4", 4 },
	{ "mem_lvl", "cxl", 9 },       { "mem_lvl", "io", 10 },       { "mem_lvl", "any_cache", 11 },
	{ "mem_lvl", "lfb", 12 },      { "mem_lvl", "ram", 13 },      { "mem_lvl", "pmem", 14 },
	{ "mem_lvl", "na", 15 },       { "mem_snoop", "na", 1 },      { "mem_snoop", "none", 2 },
	{ "mem_snoop", "hit", 4 },     { "mem_snoop", "miss", 8 },    { "mem_snoop", "hitm", 16 },
	{ "mem_snoopx", "fwd", 1 },    { "mem_snoopx", "peer", 2 },   { "mem_remote", "remote", 1 },
	{ "mem_lock", "na", 1 },       { "mem_lock", "locked", 2 },   { "mem_dtlb", "na", 1 },
	{ "mem_dtlb", "l1_hit", 10 },  { "mem_dtlb", "l1_miss", 12 }, { "mem_dtlb", "l2_hit", 18 },
	{ "mem_dtlb", "l2_miss", 20 }, { "mem_dtlb", "any_hit", 2 },  { "mem_dtlb", "any_miss", 4 },
	{ "mem_dtlb", "walk", 32 },    { "mem_dtlb", "fault", 64 },   { "mem_blk", "na", 1 },
	{ "mem_blk", "by_data", 2 },   { "mem_blk", "by_addr", 4 },   { "mem_hops", "hops0", 1 },
	{ "mem_hops", "hops1", 2 },    { "mem_hops", "hops2", 3 },    { "mem_hops", "hops3", 4 },
};

static const struct {
	const char *text;
	enum sample_filter_operator operator;
} operators[] = {
	{ "==", FILTER_EQUAL },      { "!=", FILTER_DIFFERENT }, { ">=", FILTER_GREATER_EQUAL },
	{ "<=", FILTER_LESS_EQUAL }, { ">", FILTER_GREATER },    { "<", FILTER_LESS },
	{ "&", FILTER_BITS },
};

static const char *skip_spaces(const char *at)
{
	return at + strspn(at, " \t");
}

static const struct sample_filter_term *find_term(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(terms); i++) {
		if (strcmp(terms[i].name, name) == 0)
			return &terms[i];
	}
	return NULL;
}

static struct error *unknown_term(const char *name)
{
	struct nearest nearest = { .word = name };

	for (size_t i = 0; i < COUNT_OF(terms); i++)
		nearest_consider(&nearest, terms[i].name);
	if (nearest.best)
		return error_create(ERROR_NOT_FOUND, "--filter: unknown term '%s' (nearest: '%s')", name,
				    nearest.best);
	return error_create(ERROR_NOT_FOUND,
			    "--filter: unknown term '%s'; there are ip period addr cpu tid pid uid gid "
			    "cgroup time weight "
			    "and others (dtprof-record(1))",
			    name);
}

static struct error *cgroup_filter_value(const char *path, uint64_t *value)
{
	struct error *error = cgroup_id("", path, value);

	return error ? error_prefix(error, "--filter") : NULL;
}

static struct error *parse_value(struct sample_filter_condition *condition, const char *text)
{
	char *end;

	for (size_t i = 0; i < COUNT_OF(constants); i++) {
		bool extended = strcmp(constants[i].term, "mem_snoopx") == 0 &&
				strcmp(condition->term->name, "mem_snoop") == 0;

		if (strcmp(constants[i].name, text) ||
		    (!extended && strcmp(constants[i].term, condition->term->name)))
			continue;
		condition->term = find_term(constants[i].term);
		condition->value = constants[i].value;
		return NULL;
	}
	if (strcmp(condition->term->name, "cgroup") == 0 && *text == '/')
		return cgroup_filter_value(text, &condition->value);
	errno = 0;
	condition->value = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || errno)
		return error_create(ERROR_OTHER, "--filter: '%s' is no value of '%s'", text,
				    condition->term->name);
	if (*end && strchr("kKmMgG", *end))
		condition->value <<= tolower(*end) == 'k' ? 10 : tolower(*end) == 'm' ? 20 : 30, end++;
	return *end ? error_create(ERROR_OTHER, "--filter: '%s' is no value of '%s'", text,
				   condition->term->name)
		    : NULL;
}

/* TERM OPERATOR VALUE; *at moves behind it. */
static struct error *parse_condition(const char **at, struct sample_filter_condition *condition)
{
	const char *start = skip_spaces(*at), *end = start;
	size_t i;

	while (isalnum((unsigned char)*end) || *end == '_')
		end++;
	_cleanup_free_ char *name = xstrndup(start, end - start);

	if (!*name)
		return error_create(ERROR_OTHER, "--filter: a term is missing at '%s'", start);
	condition->term = find_term(name);
	if (!condition->term)
		return unknown_term(name);
	end = skip_spaces(end);
	for (i = 0; i < COUNT_OF(operators); i++) {
		if (strncmp(end, operators[i].text, strlen(operators[i].text)) == 0)
			break;
	}
	if (i == COUNT_OF(operators))
		return error_create(ERROR_OTHER,
				    "--filter: after '%s' there must be one of == != > >= < <= &, not '%s'",
				    name, end);
	condition->operator= operators[i].operator;
	start = skip_spaces(end + strlen(operators[i].text));
	end = start + strcspn(start, ",| \t");
	_cleanup_free_ char *value = xstrndup(start, end - start);

	*at = skip_spaces(end);
	return parse_value(condition, value);
}

struct error *sample_filter_parse(const char *text, struct sample_filter *filter)
{
	for (;;) {
		struct sample_filter_condition condition = { 0 };

		RETURN_ERROR(parse_condition(&text, &condition));
		if (filter->count == SAMPLE_FILTER_LIMIT)
			return error_create(ERROR_OTHER, "--filter: more than %d conditions",
					    SAMPLE_FILTER_LIMIT);
		condition.or_next = text[0] == '|' && text[1] == '|';
		array_reserve(filter->conditions, filter->count, filter->capacity);
		filter->conditions[filter->count++] = condition;
		if (!*text)
			return NULL;
		if (*text != ',' && !condition.or_next)
			return error_create(ERROR_OTHER, "--filter: ',' or '||' is missing before '%s'",
					    text);
		text += condition.or_next ? 2 : 1;
	}
}

void sample_filter_release(struct sample_filter *filter)
{
	free(filter->conditions);
	*filter = (struct sample_filter){ 0 };
}
