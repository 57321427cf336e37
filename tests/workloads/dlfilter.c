// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A filter of dtprof script --dlfilter, for test_script.c: --dlarg names the function whose samples
 * are kept, or "fail:FUNCTION" the function of the filter that fails. Each sample is first compared
 * with what the functions of the interface say of it.
 *
 * The structures are those of <perf/perf_dlfilter.h>, as a filter of perf declares them.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

struct sample {
	unsigned int size;
	unsigned short ins_lat, p_stage_cyc;
	unsigned long ip;
	int pid, tid;
	unsigned long time, addr, id, stream_id, period, weight, transaction, insn_cnt, cyc_cnt;
	int cpu;
	unsigned int flags;
	unsigned long data_src, phys_addr, data_page_size, code_page_size, cgroup;
	unsigned char cpumode, addr_correlates_sym;
	unsigned short misc;
	unsigned int raw_size;
	const void *raw_data;
	unsigned long brstack_nr;
	const struct perf_branch_entry *brstack;
	unsigned long raw_callchain_nr;
	const unsigned long *raw_callchain;
	const char *event;
	int machine_pid, vcpu;
};

struct location {
	unsigned int size, symoff;
	const char *sym;
	unsigned long addr, sym_start, sym_end;
	const char *dso;
	unsigned char sym_binding, is_64_bit, is_kernel_ip;
	unsigned int buildid_size;
	const unsigned char *buildid;
	unsigned char filtered;
	const char *comm;
	void *priv;
};

struct functions {
	const struct location *(*resolve_ip)(void *context);
	const struct location *(*resolve_addr)(void *context);
	char **(*args)(void *context, int *count);
	int (*resolve_address)(void *context, unsigned long address, struct location *location);
	const unsigned char *(*insn)(void *context, unsigned int *length);
	const char *(*srcline)(void *context, unsigned int *line);
	struct perf_event_attr *(*attr)(void *context);
	int (*object_code)(void *context, unsigned long ip, void *buffer, unsigned int length);
	void (*al_cleanup)(void *context, struct location *location);
	void *(*reserved[119])(void *);
} perf_dlfilter_fns;

static const char *wanted;
static unsigned long seen_early, seen_late;

static int fails(const char *function)
{
	return !strncmp(wanted, "fail:", 5) && !strcmp(wanted + 5, function) ? -7 : 0;
}

int start(void **data, void *context)
{
	int count;
	char **arguments = perf_dlfilter_fns.args(context, &count);

	wanted = count ? arguments[count - 1] : "";
	*data = &seen_late;
	/* there is no sample yet */
	if (perf_dlfilter_fns.resolve_ip(context) || perf_dlfilter_fns.attr(context))
		return -1;
	printf("start %d %s\n", count, wanted);
	return fails("start");
}

int stop(void *data, void *context)
{
	(void)context;
	printf("stop %lu %lu\n", seen_early, *(unsigned long *)data);
	return fails("stop");
}

/* Returns the number of the first comparison that fails; 0: none. */
static int compare(const struct sample *sample, void *context)
{
	const struct location *place = perf_dlfilter_fns.resolve_ip(context);
	struct location again = { .size = sizeof(again) }, old = { .size = 24, .dso = "kept" };
	unsigned char code[16];
	unsigned int length = 0, line = 0;
	const unsigned char *insn = perf_dlfilter_fns.insn(context, &length);
	const char *file = perf_dlfilter_fns.srcline(context, &line);

	if (!place || !place->sym || !place->dso || !place->is_64_bit || place->is_kernel_ip)
		return 1;
	if (place->addr - place->sym_start != place->symoff || place->sym_end <= place->addr)
		return 2;
	if (perf_dlfilter_fns.resolve_address(context, sample->ip, &again) ||
	    strcmp(again.sym, place->sym) || again.addr != place->addr)
		return 3;
	perf_dlfilter_fns.al_cleanup(context, &again);
	/* a filter that was compiled with fewer members */
	if (perf_dlfilter_fns.resolve_address(context, sample->ip, &old) || !old.sym ||
	    strcmp(old.dso, "kept"))
		return 4;
	if (perf_dlfilter_fns.object_code(context, sample->ip, code, sizeof(code)) <= 0 || !insn ||
	    length > sizeof(code) || memcmp(insn, code, length))
		return 5;
	if (!file || !strstr(file, ".c") || !line)
		return 6;
	if (perf_dlfilter_fns.attr(context)->type != PERF_TYPE_HARDWARE)
		return 7;
	if (perf_dlfilter_fns.resolve_addr(context) || sample->addr_correlates_sym)
		return 8;
	if (sample->size != sizeof(*sample) || sample->pid != 100 || !sample->addr ||
	    sample->brstack || sample->raw_callchain || sample->raw_data || !place->comm)
		return 9;
	return 0;
}

int filter_event_early(void *data, const struct sample *sample, void *context)
{
	(void)data;
	(void)sample;
	seen_early++;
	/* one that --tid leaves out is told as such */
	return fails(perf_dlfilter_fns.resolve_ip(context)->filtered ? "filtered" : "early");
}

int filter_event(void *data, const struct sample *sample, void *context)
{
	int failed = compare(sample, context);

	++*(unsigned long *)data;
	if (failed)
		printf("comparison %d fails at %lx\n", failed, sample->ip);
	if (failed || fails("late"))
		return -7;
	return *wanted && strcmp(perf_dlfilter_fns.resolve_ip(context)->sym, wanted) != 0;
}

const char *filter_description(const char **long_description)
{
	*long_description = "It keeps one function.";
	return "a filter of the tests";
}
