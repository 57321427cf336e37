// SPDX-License-Identifier: GPL-2.0-or-later
/* The common part of the attrs, with registers and branch stacks: see attr.h. */
#include "profiler/record/attr.h"

#include <strings.h>

#include "base/arch/arch.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/strbuf.h"
#include "profiler/ingest/format.h"

/* ---- settings that all events share ---- */

/* Instructions between two samples of SPE that perf takes for a PMU which names no least number. */
#define SPE_INTERVAL 4096

/* Returns the period of a PMU that samples by itself: the least one, as in perf. */
static uint64_t least_period(const struct pmu *pmu)
{
	int64_t least = SPE_INTERVAL;

	sysfs_read_number(&least, pmu->root, PMU_FOLDER "/%s/caps/min_interval", pmu->name);
	return least > 0 ? (uint64_t)least : SPE_INTERVAL;
}

/* Sets the period or the frequency, unless the event's terms did. */
static void set_rate(struct event_spec *spec, const struct attr_options *options)
{
	struct perf_event_attr *attr = &spec->attr;

	/* Without a given rate, every hit of a breakpoint is a sample. */
	if (!spec->rate_given && attr->type == PERF_TYPE_BREAKPOINT && !options->period) {
		attr->sample_period = 1;
	} else if (!spec->rate_given && options->period) {
		attr->sample_period = options->period;
	} else if (!spec->rate_given && event_traces(spec)) {
		attr->sample_period = least_period(spec->pmu);
	} else if (!spec->rate_given) {
		attr->sample_freq = options->frequency;
		attr->freq = 1;
	}
	if (attr->freq)
		attr->sample_type |= PERF_SAMPLE_PERIOD;
}

/* Returns the options with the call chains that the event's terms ask for. */
static struct attr_options options_of_event(const struct event_spec *spec,
					    const struct attr_options *options)
{
	struct attr_options own = *options;

	own.user_registers = spec->registers ?: own.user_registers;
	if (spec->call_graph == EVENT_CALL_GRAPH_SHARED)
		return own;
	own.callchain = spec->call_graph != EVENT_CALL_GRAPH_NONE;
	/* chains of the user that copies of the stack replace */
	own.no_user_callchain &= !own.user_stack;
	own.user_stack = 0;
	if (spec->call_graph == EVENT_CALL_GRAPH_DWARF) {
		own.user_stack = spec->user_stack;
		own.user_registers |= registers_general();
		own.no_user_callchain = true;
	}
	return own;
}

/* Bytes of the user's stack in samples without a larger copy, where calls leave the return address
 * on the stack, and no register has it. They are that of a leaf function, which names the caller of
 * memcpy() and the like; chains by frame pointers leave this caller out. A sample grows by 24
 * bytes. */
#define CALLER_STACK 8

/* Returns whether samples of an event get the return address of a leaf function. */
static bool wants_caller(const struct event_spec *spec, const struct attr_options *options)
{
	const struct perf_event_attr *attr = &spec->attr;

	return !options->no_callers && !options->user_stack && !options->branches &&
	       !options->exclude_user && !attr->exclude_user && !spec->tracepoint &&
	       !spec->probed && attr->type != PERF_TYPE_BREAKPOINT &&
	       !(spec->pmu && (spec->pmu->uncore || spec->pmu->traces));
}

static void set_fields(struct event_spec *spec, const struct attr_options *shared, bool cpu)
{
	const struct attr_options own = options_of_event(spec, shared), *options = &own;
	struct perf_event_attr *attr = &spec->attr;

	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	if (cpu)
		attr->sample_type |= PERF_SAMPLE_CPU;
	if (spec->memory || options->data_address)
		attr->sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	if (spec->memory || options->weight)
		attr->sample_type |= PERF_SAMPLE_WEIGHT_STRUCT;
	if (attr->type == PERF_TYPE_BREAKPOINT)
		attr->sample_type |= PERF_SAMPLE_ADDR;
	if (options->physical_address)
		attr->sample_type |= PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_ADDR;
	if (options->data_page_size)
		attr->sample_type |= PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_ADDR;
	if (options->code_page_size)
		attr->sample_type |= PERF_SAMPLE_CODE_PAGE_SIZE;
	if (options->period_field)
		attr->sample_type |= PERF_SAMPLE_PERIOD;
	if (spec->tracepoint || options->raw)
		attr->sample_type |= PERF_SAMPLE_RAW;
	if (options->interrupt_registers) {
		attr->sample_type |= PERF_SAMPLE_REGS_INTR;
		attr->sample_regs_intr = options->interrupt_registers;
	}
	if (options->user_registers) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user = options->user_registers;
	}
	if (options->callchain) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr->exclude_callchain_kernel = options->no_kernel_callchain;
		attr->exclude_callchain_user = options->no_user_callchain;
		attr->sample_max_stack = options->max_stack;
	}
	if (options->branches) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = options->branches;
	}
	if (options->cgroup)
		attr->sample_type |= PERF_SAMPLE_CGROUP;
	if (wants_caller(spec, options) && arch_host()->perf_link) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user |= UINT64_C(1) << arch_host()->perf_link;
	} else if (options->user_stack || wants_caller(spec, options)) {
		attr->sample_type |= PERF_SAMPLE_STACK_USER;
		attr->sample_stack_user = options->user_stack ?: CALLER_STACK;
	}
}

/* Makes an event report what processes do; with `data`, maps that are not executable, too. */
static void follow_processes(struct perf_event_attr *attr, const struct attr_options *options,
			     bool data)
{
	attr->cgroup = options->cgroup;
	attr->mmap = attr->mmap2 = attr->build_id = 1;
	attr->comm = attr->comm_exec = 1;
	attr->task = 1;
	attr->ksymbol = attr->bpf_event = 1;
	attr->context_switch = options->switches;
	attr->mmap_data = data;
	attr->namespaces = options->namespaces;
}

/* Returns whether an event before `index` counts on the same CPUs. */
static bool cpus_followed(const struct event_list *list, size_t index)
{
	return any_of(i, 0, index,
		      !list->items[i].pmu->uncore &&
			      strcmp(list->items[i].pmu->cpus, list->items[index].pmu->cpus) == 0);
}

/* Chooses the events that report processes' maps, names and ends, so that each CPU reports them
 * once: the first event that counts on all CPUs, or else one event for each kind of core. If there
 * are only events of the machine (uncore), which see no process, or if the options want a separate
 * event, a dummy event is added. */
static void choose_followers(struct event_list *list, const struct attr_options *options, bool data)
{
	bool followed = false, separate = options->separate_follower;

	for (size_t i = 0; !separate && i < list->count; i++) {
		if (list->items[i].pmu && list->items[i].pmu->cpus)
			continue;
		follow_processes(&list->items[i].attr, options, data);
		return;
	}
	for (size_t i = 0; !separate && i < list->count; i++) {
		if (list->items[i].pmu->uncore || cpus_followed(list, i))
			continue;
		follow_processes(&list->items[i].attr, options, data);
		followed = true;
	}
	if (followed)
		return;

	struct event_spec *dummy = event_list_add(list, "dummy");

	dummy->attr.type = PERF_TYPE_SOFTWARE;
	dummy->attr.config = PERF_COUNT_SW_DUMMY;
	dummy->attr.sample_period = 1;
	dummy->rate_given = true;
	dummy->follower = true;
	follow_processes(&dummy->attr, options, data);
}

/* Excludes the privilege levels that the options or missing rights exclude. In the second case,
 * marks the event's name with the modifier u, as perf does, and sets *restricted. */
static void exclude_levels(struct event_spec *spec, const struct attr_options *options,
			   const struct rights *rights, bool *restricted)
{
	if (options->exclude_user)
		spec->attr.exclude_user = 1;
	if (options->exclude_kernel)
		spec->attr.exclude_kernel = 1;
	/* without user space the right to the kernel is needed: counters_probe() says it */
	if (spec->exclude_given || spec->attr.exclude_user || options->exclude_kernel ||
	    rights_allow_kernel(rights))
		return;
	spec->attr.exclude_kernel = spec->attr.exclude_hv = 1;
	*restricted = true;

	bool slash = *spec->name && spec->name[strlen(spec->name) - 1] == '/';
	bool modified = !slash && !spec->tracepoint &&
			(strchr(spec->name, ':') || strrchr(spec->name, '/'));
	char *name = xasprintf("%s%s", spec->name, slash || modified ? "u" : ":u");

	free(spec->name);
	spec->name = name;
}

/* Asks the kernel to filter the samples of IBS by privilege, which IBS itself cannot do. Linux has
 * this filter since 6.14 (arch/x86/events/amd/ibs.c). */
static struct error *filter_in_software(struct event_spec *spec)
{
	const struct perf_event_attr *attr = &spec->attr;

	if (!spec->pmu || !(attr->exclude_kernel || attr->exclude_user) ||
	    !pmu_has_format(spec->pmu, "swfilt"))
		return NULL;
	return pmu_set_term(spec->pmu, "swfilt", 1, &spec->attr);
}

/* Lets samples have the physical addresses of SPE if they are asked for, as perf does. They need
 * the same right as samples of the kernel, and are left out without it. */
static struct error *set_physical(struct event_spec *spec, const struct rights *rights)
{
	struct perf_event_attr without = spec->attr;

	if (!spec->pmu || !pmu_is_spe(spec->pmu))
		return NULL;
	RETURN_ERROR(pmu_set_term(spec->pmu, "pa_enable", 0, &without));
	if (!spec->exclude_given && !rights_allow_kernel(rights))
		spec->attr = without;
	else if (without.config != spec->attr.config)
		spec->attr.sample_type |= PERF_SAMPLE_PHYS_ADDR;
	return NULL;
}

/* Sets a group to be read as a whole (S): the leader's samples have all counts. */
static void configure_group_read(struct event_list *list)
{
	array_indexed (struct event_spec, spec, i, list->items, list->count) {
		if (!spec->group_read)
			continue;
		spec->attr.sample_type |= PERF_SAMPLE_READ;
		spec->attr.read_format |= PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
					  PERF_FORMAT_TOTAL_TIME_RUNNING;
		/* Before Linux 6.12 an inherited event cannot be read in samples. */
		spec->attr.inherit = 0;
		if (spec->leader != i) {
			spec->attr.freq = 0;
			spec->attr.sample_period = 0;
			spec->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
		}
	}
}

/* Adds the field by which readers find the event of a sample if there are several events: ID, or
 * IDENTIFIER, which always comes first, if the fields of the events differ, or if readers will make
 * samples of AUX data. */
static void configure_ids(struct event_list *list)
{
	bool differ = false;

	if (list->count < 2)
		return;
	for (size_t i = 0; i < list->count; i++)
		differ = differ || event_traces(&list->items[i]) ||
			 list->items[i].attr.sample_type != list->items[0].attr.sample_type;
	for (size_t i = 0; i < list->count; i++)
		list->items[i].attr.sample_type |= differ ? PERF_SAMPLE_IDENTIFIER : PERF_SAMPLE_ID;
}

/* Returns the options for a recording with AUX data: as in perf, maps, names and ends of processes
 * and switches between threads are reported by a second event, not by the traced one. */
static struct attr_options options_of_traces(const struct event_list *list,
					     const struct attr_options *options)
{
	struct attr_options own = *options;

	if (event_list_traces(list))
		own.separate_follower = own.switches = own.cpu = true;
	return own;
}

void attr_configure(struct event_list *list, const struct attr_options *shared,
		    const struct rights *rights, bool *restricted)
{
	const struct attr_options own = options_of_traces(list, shared), *options = &own;
	bool data = options->data_address || options->data_maps;
	bool cpu = options->system_wide || options->cpu, enable_on_exec = options->enable_on_exec;

	*restricted = false;

	/* All events have the CPU or none, so that the trailer of other records is one. */
	for (size_t i = 0; i < list->count; i++) {
		data = data || list->items[i].memory;
		cpu = cpu || list->items[i].tracepoint;
		/* A breakpoint on a name is opened after the exec. */
		enable_on_exec = enable_on_exec && !list->items[i].symbol;
	}
	choose_followers(list, options, data && !options->no_data_maps);
	array_indexed (struct event_spec, spec, i, list->items, list->count) {
		struct perf_event_attr *attr = &spec->attr;

		/* an exec enables no counter of a whole processor */
		attr->disabled = spec->leader == i && !(spec->probed && !options->delayed);
		attr->enable_on_exec = enable_on_exec && spec->leader == i && !spec->probed &&
				       (spec->follower || !options->delayed);
		attr->inherit = !options->no_inherit && !spec->no_inherit && !spec->probed;
		attr->sample_id_all = 1;
		attr->use_clockid = options->has_clock;
		attr->clockid = options->has_clock ? options->clock : 0;
		attr->read_format |= PERF_FORMAT_ID | PERF_FORMAT_LOST;
		attr->write_backward = options->overwrite && !spec->follower && !event_traces(spec);
		set_rate(spec, options);
		set_fields(spec, options, cpu);
		exclude_levels(spec, options, rights, restricted);
		/* If this matters, counters_probe() will fail. */
		error_destroy(filter_in_software(spec));
		error_destroy(set_physical(spec, rights));
	}
	configure_group_read(list);
	configure_ids(list);
}

size_t attr_sample_time_offset(const struct perf_event_attr *attr)
{
	size_t offset = sizeof(struct perf_event_header);

	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		offset += 8;
	if (attr->sample_type & PERF_SAMPLE_IP)
		offset += 8;
	if (attr->sample_type & PERF_SAMPLE_TID)
		offset += 8;
	return offset;
}

/* ---- branch stacks ---- */

#define BRANCH_PRIVILEGES                                                                          \
	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)

/* clang-format off */
#define BRANCH(name, bit) { name, PERF_SAMPLE_BRANCH_##bit }

static const struct {
	const char *name;
	uint64_t bits;
} branch_filters[] = {
	BRANCH("any", ANY), BRANCH("any_call", ANY_CALL), BRANCH("any_ret", ANY_RETURN),
	BRANCH("ind_call", IND_CALL), BRANCH("ind_jmp", IND_JUMP), BRANCH("call", CALL),
	BRANCH("cond", COND), BRANCH("u", USER), BRANCH("k", KERNEL), BRANCH("hv", HV),
	BRANCH("abort_tx", ABORT_TX), BRANCH("in_tx", IN_TX), BRANCH("no_tx", NO_TX),
	BRANCH("no_flags", NO_FLAGS), BRANCH("no_cycles", NO_CYCLES),
	BRANCH("save_type", TYPE_SAVE), BRANCH("stack", CALL_STACK), BRANCH("hw_index", HW_INDEX),
	{ "priv", BRANCH_PRIV_SAVE }, { "counter", BRANCH_COUNTERS }
};
/* clang-format on */

static struct error *add_branch_filter(const char *name, uint64_t *filter)
{
	struct nearest nearest = { .word = name };

	for (size_t i = 0; i < COUNT_OF(branch_filters); i++) {
		if (strcmp(branch_filters[i].name, name) == 0) {
			*filter |= branch_filters[i].bits;
			return NULL;
		}
		nearest_consider(&nearest, branch_filters[i].name);
	}
	return error_create(ERROR_NOT_FOUND,
			    "unknown branch filter '%s'%s%s%s (dtprof-record(1) has them all)",
			    name, nearest.best ? ", did you mean '" : "", nearest.best ?: "",
			    nearest.best ? "'?" : "");
}

struct error *branch_filter_parse(const char *text, uint64_t *filter)
{
	_cleanup_free_ char *names = xstrdup(text ?: "any");
	uint64_t result = 0;
	char *save = NULL;

	for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save))
		RETURN_ERROR(add_branch_filter(name, &result));
	/* Privilege levels alone do not say which branches are wanted. */
	if (!(result & ~(uint64_t)BRANCH_PRIVILEGES))
		result |= PERF_SAMPLE_BRANCH_ANY;
	*filter = result;
	return NULL;
}

/* ---- registers ---- */

uint64_t registers_general(void)
{
	const struct sampled_register *registers = arch_host()->sampled_registers;
	size_t count = arch_host()->sampled_register_count;
	uint64_t mask = 0;

	for (size_t i = 0; i < count; i++)
		mask |= 1ULL << registers[i].number;
	return mask;
}

/* Returns all names, separated by spaces, to be freed. */
static char *registers_names(void)
{
	struct strbuf names = STRBUF_INIT;
	const struct sampled_register *registers = arch_host()->sampled_registers;
	size_t count = arch_host()->sampled_register_count;

	for (size_t i = 0; i < count; i++)
		strbuf_add_format(&names, "%s%s", i ? " " : "", registers[i].name);
	return strbuf_detach(&names);
}

static bool find_register(const char *name, uint64_t *mask)
{
	const struct sampled_register *registers = arch_host()->sampled_registers;
	size_t count = arch_host()->sampled_register_count;

	for (size_t i = 0; i < count; i++) {
		if (strcasecmp(registers[i].name, name) == 0) {
			*mask |= 1ULL << registers[i].number;
			return true;
		}
	}
	return false;
}

struct error *registers_parse(const char *list, uint64_t *mask)
{
	_cleanup_free_ char *copy = xstrdup(list ?: "");
	uint64_t wanted = 0;
	char *save = NULL;

	if (!list) {
		*mask = registers_general();
		return NULL;
	}
	for (char *name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		_cleanup_free_ char *names = registers_names();

		if (!find_register(name, &wanted))
			return error_create(ERROR_NOT_FOUND, "unknown register '%s'; there are: %s",
					    name, names);
	}
	if (!wanted)
		return error_other("no register is given");
	*mask = wanted;
	return NULL;
}
