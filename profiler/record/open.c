// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters by libperf: see open.h.
 *
 * libperf 6.1's public interface opens, enables and closes events, but shows neither their
 * descriptors nor their ids. A new descriptor is always the lowest free number (POSIX, open()), and
 * libperf opens CPU after CPU, thread after thread. So the descriptors that are new after
 * perf_evsel__open() are its counters in that order. Nothing else opens files meanwhile, since
 * record has no other thread at that time.
 */
#include "profiler/record/open.h"

#include <dirent.h>
#include <perf/core.h>
#include <perf/cpumap.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "profiler/record/rights.h"
#include "profiler/record/sysfs.h"

/* ---- what the kernel accepts ---- */

struct prober {
	struct event_list *list;
	pid_t pid;
	int cpu;
};

static int try_open(struct perf_event_attr *attr, const struct prober *prober, int group)
{
	return syscall(SYS_perf_event_open, attr, prober->pid, prober->cpu, group,
		       PERF_FLAG_FD_CLOEXEC);
}

/* Opens `attr` with the events of its group before it, which its PMU has to count at one time, and
 * closes all. Returns 0 or the errno. */
static int try_attr(const struct prober *prober, size_t index, const struct perf_event_attr *attr)
{
	const struct event_spec *items = prober->list->items;
	struct perf_event_attr copy = *attr;
	_cleanup_thread_ids_ struct thread_ids group = { 0 };
	int fd = 0, error_number;

	for (size_t i = items[index].leader; i < index && fd >= 0; i++) {
		struct perf_event_attr other = items[i].attr;

		if (items[i].leader != items[index].leader)
			continue;
		fd = try_open(&other, prober, group.count ? group.ids[0] : -1);
		if (fd >= 0)
			thread_ids_add(&group, fd);
	}
	if (fd >= 0)
		fd = try_open(&copy, prober, group.count ? group.ids[0] : -1);
	error_number = fd < 0 ? errno : 0;
	if (fd >= 0)
		thread_ids_add(&group, fd);
	for (size_t i = group.count; i-- > 0;)
		close(group.ids[i]);
	return error_number;
}

/* Defines a function that drops a part of an attr, and returns whether the attr had it. */
#define DROP(name, has, without)                                                                   \
	static bool name(struct perf_event_attr *attr)                                             \
	{                                                                                          \
		return (has) && ((without), true);                                                 \
	}
#define DROP_FIELDS(name, fields)                                                                  \
	DROP(name, attr->sample_type &(fields), attr->sample_type &= ~(uint64_t)(fields))
#define LEVELS (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)

/* Newer parts. */
DROP(drop_lost_format, attr->read_format &PERF_FORMAT_LOST, /* Linux 6.0 */
     attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST)
DROP(drop_build_id, attr->build_id, attr->build_id = 0)                /* Linux 5.12 */
DROP(drop_weight_struct, attr->sample_type &PERF_SAMPLE_WEIGHT_STRUCT, /* Linux 5.12 */
     attr->sample_type ^= PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_WEIGHT)
DROP(drop_cgroup, attr->cgroup || attr->sample_type & PERF_SAMPLE_CGROUP, /* Linux 5.7 */
     (attr->cgroup = 0, attr->sample_type &= ~(uint64_t)PERF_SAMPLE_CGROUP))
DROP(drop_ksymbol, attr->ksymbol || attr->bpf_event, attr->ksymbol = attr->bpf_event = 0) /* 5.1 */
/* More callers than kernel.perf_event_max_stack. */
DROP(drop_depth, attr->sample_max_stack, attr->sample_max_stack = 0)
/* Not every PMU can filter guests and hypervisors. */
DROP(drop_guest, attr->exclude_guest || attr->exclude_host,
     attr->exclude_guest = attr->exclude_host = 0)
DROP(drop_hypervisor, attr->exclude_hv && !attr->exclude_kernel, attr->exclude_hv = 0)

/* Parts that were asked for. */
DROP(drop_branches, attr->sample_type &PERF_SAMPLE_BRANCH_STACK,
     (attr->branch_sample_type = 0, attr->sample_type ^= PERF_SAMPLE_BRANCH_STACK))
DROP(drop_kept_calls, attr->branch_sample_type &PERF_SAMPLE_BRANCH_CALL_STACK, drop_branches(attr))
DROP(drop_branch_filter, attr->branch_sample_type & ~(uint64_t)(LEVELS | PERF_SAMPLE_BRANCH_ANY),
     attr->branch_sample_type = (attr->branch_sample_type & LEVELS) | PERF_SAMPLE_BRANCH_ANY)
DROP_FIELDS(drop_registers, PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER)
DROP_FIELDS(drop_page_sizes, PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)
DROP(drop_clock, attr->use_clockid, attr->use_clockid = attr->clockid = 0)
DROP(drop_precision, attr->precise_ip, attr->precise_ip = 0)
DROP(drop_period, !attr->freq && attr->sample_period, attr->sample_period = 1 << 20)
DROP(drop_frequency, attr->freq, (attr->freq = 0, attr->sample_period = 1 << 20))
DROP(drop_sampling, attr->sample_period, attr->freq = attr->sample_period = 0)
DROP(drop_levels, true, attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 0)
DROP(drop_terms, attr->type == PERF_TYPE_RAW || attr->type >= PERF_TYPE_MAX,
     attr->config = attr->config1 = attr->config2 = 0)

typedef bool (*drop_function)(struct perf_event_attr *);

static const drop_function drops[] = {
	drop_lost_format, drop_build_id, drop_weight_struct, drop_cgroup,
	drop_ksymbol,     drop_depth,    drop_guest,         drop_hypervisor,
};

/* Texts about an event that opens without a part. */
static const struct {
	drop_function drop;
	const char *text;
} refusals[] = {
	{ drop_kept_calls, "this machine keeps no calls for --call-graph lbr, or not for this "
			   "event: record with --call-graph dwarf" },
	{ drop_branch_filter, "the processor does not have this filter of branches (-j)" },
	{ drop_branches, "the processor records no branches for it (-b, -j): software events have "
			 "none, and many virtual machines hide them" },
	{ drop_registers, "its PMU does not give these registers (-I, --user-regs)" },
	{ drop_page_sizes, "this kernel tells no sizes of pages (--data-page-size, "
			   "--code-page-size): Linux 5.11 does" },
	{ drop_clock, "it cannot take times from this clock (-k): monotonic and monotonic_raw "
		      "go with all events" },
	{ drop_precision, "this machine does not sample it this precisely (:P takes what it has)" },
	{ drop_period, "the kernel refuses this period (-c)" },
	{ drop_frequency, "its PMU takes no frequency (-F): record with -c N" },
	{ drop_levels, "it cannot leave out the kernel or user space (-U, -K, :u, :k)" },
	{ drop_terms, "its PMU refuses the values of its terms" },
	{ drop_sampling, "its PMU counts it, and takes no samples of it" },
};

/* Tries an attr without each of the newer parts alone, then without the first one, the first two,
 * and so on. Sets *attr to the first variant that opens. Returns 0, or `refusal` if none does. */
static int try_without(const struct prober *prober, size_t index, struct perf_event_attr *attr,
		       int refusal)
{
	struct perf_event_attr stripped = *attr;

	for (size_t i = 0; i < 2 * COUNT_OF(drops); i++) {
		struct perf_event_attr copy = *attr,
				       *tried = i < COUNT_OF(drops) ? &copy : &stripped;

		if (drops[i % COUNT_OF(drops)](tried) && try_attr(prober, index, tried) == 0) {
			*attr = *tried;
			return 0;
		}
	}
	return refusal;
}

/* Tries an attr, and if it is refused, without its newer parts. Returns 0 or the errno. */
static int try_with_and_without(const struct prober *prober, size_t index,
				struct perf_event_attr *attr)
{
	int error_number = try_attr(prober, index, attr);

	return error_number == EINVAL || error_number == EOVERFLOW
		       ? try_without(prober, index, attr, error_number)
		       : error_number;
}

/* Finds the attr that works, with the highest precision if wanted. Returns 0 or errno. */
static int probe_event(const struct prober *prober, size_t index)
{
	struct event_spec *spec = &prober->list->items[index];
	int precision = spec->highest_precision ? 3 : spec->attr.precise_ip, error_number;

	do {
		struct perf_event_attr attr = spec->attr;

		attr.precise_ip = precision;
		error_number = try_with_and_without(prober, index, &attr);
		if (!error_number) {
			spec->attr = attr;
			return 0;
		}
	} while (spec->highest_precision &&
		 (error_number == EINVAL || error_number == EOPNOTSUPP) && precision--);
	return error_number;
}

/* Returns what the kernel refuses of an event: that without which it opens, or NULL. */
static const char *refused_part(const struct prober *prober, size_t index)
{
	struct event_spec *spec = &prober->list->items[index];
	size_t leader = spec->leader;
	struct perf_event_attr alone = spec->attr;

	spec->leader = index;

	bool opens_alone = leader != index && !try_with_and_without(prober, index, &alone);

	spec->leader = leader;
	if (opens_alone)
		return "the kernel refuses it in this group (with {...}:W single events are "
		       "recorded then)";
	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		struct perf_event_attr attr = spec->attr;

		if (refusals[i].drop(&attr) && !try_with_and_without(prober, index, &attr))
			return refusals[i].text;
	}
	return NULL;
}

/* Returns the first CPU in the list of the PMU, or `cpu`. */
static int probe_cpu(const struct event_spec *spec, int cpu)
{
	return spec->pmu && spec->pmu->cpus ? atoi(spec->pmu->cpus) : cpu;
}

struct error *counters_probe(struct event_list *list, const struct rights *rights, bool system_wide,
			     int first_cpu, size_t *failed)
{
	for (size_t i = 0; i < list->count; i++) {
		bool whole_cpu = system_wide || (list->items[i].pmu && list->items[i].pmu->uncore);
		struct prober prober = { .list = list,
					 .pid = whole_cpu ? -1 : 0,
					 .cpu = whole_cpu ? probe_cpu(&list->items[i], first_cpu)
							  : -1 };
		int error_number;

		if (list->items[i].symbol)
			continue;
		error_number = probe_event(&prober, i);
		*failed = i;

		const char *part = error_number == EINVAL || error_number == EOPNOTSUPP
					   ? refused_part(&prober, i)
					   : NULL;

		if (part)
			return error_create(ERROR_UNSUPPORTED, "event '%s': %s",
					    list->items[i].name, part);
		if (error_number)
			return open_error(error_number, &list->items[i], rights, whole_cpu);
	}
	return NULL;
}

/* ---- counters and their rings ---- */

struct opener {
	const struct event_list *list;
	const struct counters_options *options;
	const struct rights *rights;
	struct perf_thread_map *threads;
	bool system_wide;
	bool no_memory; /* a ring could not be mapped: more memory than may be locked */
	struct counters *counters;
};

/* Returns how many descriptors the counters of all events need. */
static size_t descriptors_needed(const struct opener *opener, struct perf_cpu_map *cpus)
{
	return opener->list->count * (size_t)perf_thread_map__nr(opener->threads) *
	       (size_t)perf_cpu_map__nr(cpus);
}

/* Lists the open descriptors in ascending order, without the one that lists them. */
static struct error *open_descriptors(const struct opener *opener, struct perf_cpu_map *cpus,
				      struct thread_ids *descriptors)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!directory && errno == EMFILE && raise_file_limit())
		directory = opendir("/proc/self/fd");
	if (!directory && errno == EMFILE)
		return descriptors_error(descriptors_needed(opener, cpus));
	if (!directory)
		return error_errno(errno, "cannot list /proc/self/fd");
	while ((entry = readdir(directory))) {
		char *end;
		long fd = strtol(entry->d_name, &end, 10);

		if (end != entry->d_name && !*end && fd != dirfd(directory))
			thread_ids_add(descriptors, fd);
	}
	closedir(directory);
	thread_ids_sort(descriptors);
	return NULL;
}

static void add_counter(struct counters *counters, const struct counter *counter)
{
	array_add(counters->items, counters->count, counters->capacity) = *counter;
}

/* Adds the counters of descriptors that were not open, by pairs of CPU and thread. */
static struct error *add_new_counters(struct opener *opener, size_t event,
				      struct perf_cpu_map *cpus, const struct thread_ids *before)
{
	_cleanup_thread_ids_ struct thread_ids after = { 0 };
	size_t threads = perf_thread_map__nr(opener->threads),
	       expected = threads * perf_cpu_map__nr(cpus);
	size_t found = 0, old = 0;

	RETURN_ERROR(open_descriptors(opener, cpus, &after));
	for (size_t i = 0; i < after.count; i++) {
		while (old < before->count && before->ids[old] < after.ids[i])
			old++;
		if (old < before->count && before->ids[old] == after.ids[i])
			continue;

		struct counter counter = { .event = event, .fd = after.ids[i] };

		counter.cpu = perf_cpu_map__cpu(cpus, found / threads).cpu;
		counter.tid = perf_thread_map__pid(opener->threads, found % threads);
		found++;
		if (ioctl(counter.fd, PERF_EVENT_IOC_ID, &counter.id))
			return error_errno(errno, "event '%s': cannot read its id",
					   opener->list->items[event].name);
		add_counter(opener->counters, &counter);
	}
	if (found != expected)
		return error_other(
			"event '%s': libperf opened %zu counters where %zu were expected",
			opener->list->items[event].name, found, expected);
	return NULL;
}

static int leader_descriptor(const struct opener *opener, size_t event, int cpu)
{
	size_t leader = opener->list->items[event].leader;

	for (size_t i = 0; leader != event && i < opener->counters->count; i++) {
		const struct counter *counter = &opener->counters->items[i];

		if (counter->event == leader && counter->cpu == cpu)
			return counter->fd;
	}
	return -1;
}

/* Opens an event for a control group, or for all processes while the others are for threads, which
 * libperf cannot: a counter for each CPU. */
static struct error *open_for_cpus(struct opener *opener, size_t event, struct perf_cpu_map *cpus)
{
	const struct event_spec *spec = &opener->list->items[event];
	struct error *error = NULL;
	struct perf_cpu cpu;
	int index, group = -1;

	if (spec->cgroup)
		RETURN_ERROR(cgroup_open("", spec->cgroup, &group));
	perf_cpu_map__for_each_cpu(cpu, index, cpus)
	{
		struct perf_event_attr attr = spec->attr;
		struct counter counter = { .event = event, .cpu = cpu.cpu, .tid = -1 };

		counter.fd =
			syscall(SYS_perf_event_open, &attr, group, cpu.cpu,
				leader_descriptor(opener, event, cpu.cpu),
				(spec->cgroup ? PERF_FLAG_PID_CGROUP : 0) | PERF_FLAG_FD_CLOEXEC);
		if (counter.fd < 0) {
			error = spec->cgroup && (errno == EINVAL || errno == ENOENT)
					? error_other("-G: control group '%s' is gone, or the "
						      "kernel has no CONFIG_CGROUP_PERF",
						      spec->cgroup)
					: open_error(errno, spec, opener->rights, true);
			break;
		}
		counter.own = true;
		add_counter(opener->counters, &counter);
		if (ioctl(counter.fd, PERF_EVENT_IOC_ID, &counter.id)) {
			error = error_errno(errno, "event '%s': cannot read its id", spec->name);
			break;
		}
		opener->counters->items[opener->counters->count - 1].id = counter.id;
	}
	if (spec->cgroup)
		close(group);
	return error;
}

static struct error *open_event(struct opener *opener, size_t event, struct perf_cpu_map *cpus)
{
	if (opener->list->items[event].cgroup || opener->list->items[event].probed)
		return open_for_cpus(opener, event, cpus);

	struct perf_evsel *selected = opener->counters->selected[event];
	_cleanup_thread_ids_ struct thread_ids before = { 0 };
	int status;

	RETURN_ERROR(open_descriptors(opener, cpus, &before));
	status = perf_evsel__open(selected, cpus, opener->threads);
	if (status == -EMFILE && raise_file_limit())
		status = perf_evsel__open(selected, cpus, opener->threads);
	if (status == -EMFILE)
		return descriptors_error(descriptors_needed(opener, cpus));
	if (status)
		return open_error(-status, &opener->list->items[event], opener->rights,
				  opener->system_wide);
	return add_new_counters(opener, event, cpus, &before);
}

/* Adds the CPUs that are in both maps, as a list. */
static void put_common_cpus(struct perf_cpu_map *left, struct perf_cpu_map *right,
			    struct strbuf *list)
{
	struct perf_cpu cpu;
	int index;

	perf_cpu_map__for_each_cpu(cpu, index, left)
	{
		if (perf_cpu_map__has(right, cpu))
			strbuf_add_format(list, "%s%d", list->length ? "," : "", cpu.cpu);
	}
}

static struct perf_cpu_map *new_map(const char *list)
{
	return library_memory(perf_cpu_map__new(list));
}

struct error *cpu_list_check(const char *list)
{
	struct perf_cpu_map *wanted = new_map(list), *online = new_map(NULL);
	struct error *error = NULL;
	struct perf_cpu cpu;
	int index;

	/* libperf stops at the first letter that it does not understand, without an error. */
	if (!wanted || !online || perf_cpu_map__cpu(wanted, 0).cpu == -1 ||
	    list[strspn(list, "0123456789,-")])
		error = error_other("-C: '%s' is not a list of CPUs, as 0-3,8", list);
	perf_cpu_map__for_each_cpu(cpu, index, wanted)
	{
		if (!error && !perf_cpu_map__has(online, cpu))
			error = error_create(ERROR_NOT_FOUND, "-C: CPU %d is not online", cpu.cpu);
	}
	perf_cpu_map__put(wanted);
	perf_cpu_map__put(online);
	return error;
}

bool cpu_lists_meet(const char *left, const char *right)
{
	struct perf_cpu_map *left_map = new_map(left), *right_map = new_map(right);
	_cleanup_strbuf_ struct strbuf both = STRBUF_INIT;

	if (left_map && right_map)
		put_common_cpus(left_map, right_map, &both);
	perf_cpu_map__put(left_map);
	perf_cpu_map__put(right_map);
	return both.length > 0;
}

char *cpu_list_without(const char *list, const char *others, const char *wanted)
{
	struct perf_cpu_map *map = new_map(list), *other_map = new_map(others);
	struct perf_cpu_map *wanted_map = wanted ? new_map(wanted) : NULL;
	struct strbuf result = STRBUF_INIT;
	struct perf_cpu cpu;
	int index;

	perf_cpu_map__for_each_cpu(cpu, index, map)
	{
		if (!perf_cpu_map__has(other_map, cpu) &&
		    (!wanted || perf_cpu_map__has(wanted_map, cpu)))
			strbuf_add_format(&result, "%s%d", result.length ? "," : "", cpu.cpu);
	}
	perf_cpu_map__put(map);
	perf_cpu_map__put(other_map);
	perf_cpu_map__put(wanted_map);
	return strbuf_detach(&result);
}

/* Sets *result to the CPUs that an event counts on: those of -C that its PMU has. Returns an error
 * if there are none. The caller releases the map. */
static struct error *event_cpus(struct opener *opener, const struct event_spec *spec,
				struct perf_cpu_map **result)
{
	const char *own = spec->pmu ? spec->pmu->cpus : NULL;

	if (spec->pmu && spec->pmu->uncore && !opener->system_wide)
		return error_other(
			"event '%s' counts for the whole machine, not for a process: add -a",
			spec->name);

	/* processes of the recorded CPUs may start, and map their files, on others */
	const char *list = spec->follower ? NULL : opener->options->cpu_list;
	bool per_thread = opener->options->per_thread && !spec->probed;
	struct perf_cpu_map *wanted = new_map(per_thread ? "" : list);

	if (!wanted)
		return error_other("-C: '%s' is not a list of CPUs",
				   opener->options->cpu_list ?: "");
	if (!own || per_thread) {
		*result = wanted;
		return NULL;
	}

	struct perf_cpu_map *map = new_map(own);
	struct strbuf both = STRBUF_INIT;

	put_common_cpus(map, wanted, &both);
	perf_cpu_map__put(map);
	perf_cpu_map__put(wanted);
	*result = both.length ? new_map(both.data) : NULL;
	strbuf_deinit(&both);
	return *result ? NULL
		       : error_other(
				 "event '%s' counts on none of the requested CPUs (its PMU: %s)",
				 spec->name, own);
}

/* Opens a group as a libperf list of its own, because the only public function that makes groups,
 * perf_evlist__set_leader(), takes a whole list. Each event is opened with its own CPUs, so the
 * list needs none; libperf 6.1 would never release the references that perf_evlist__set_maps()
 * takes for each event. */
static struct error *open_group(struct opener *opener, size_t leader)
{
	struct counters *counters = opener->counters;
	const struct event_list *list = opener->list;
	struct perf_evlist *group = library_memory(perf_evlist__new());
	struct perf_cpu_map *cpus = NULL;
	struct error *error = NULL;

	array_add(counters->lists, counters->list_count, counters->list_capacity) = group;
	for (size_t i = leader; i < list->count; i++) {
		struct perf_event_attr attr = list->items[i].attr;

		if (list->items[i].leader != leader)
			continue;
		counters->selected[i] = library_memory(perf_evsel__new(&attr));
		perf_evlist__add(group, counters->selected[i]);
	}
	perf_evlist__set_leader(group);
	RETURN_ERROR(event_cpus(opener, &list->items[leader], &cpus));
	for (size_t i = leader; !error && i < list->count; i++)
		if (list->items[i].leader == leader)
			error = open_event(opener, i, cpus);
	perf_cpu_map__put(cpus);
	return error;
}

/* Returns whether the kernel overwrites the ring of a counter. */
static bool is_overwritten(const struct opener *opener, const struct counter *counter)
{
	return opener->list->items[counter->event].attr.write_backward;
}

/* Returns whether two counters share a ring: their CPU's, or their thread's without one. */
static bool shares_ring(const struct opener *opener, const struct counter *left,
			const struct counter *right)
{
	return left->cpu == right->cpu && (left->cpu >= 0 || left->tid == right->tid) &&
	       is_overwritten(opener, left) == is_overwritten(opener, right);
}

/* Finds or makes the ring that a counter writes into. */
static struct error *find_ring(struct opener *opener, struct counter *counter)
{
	struct counters *counters = opener->counters;
	bool overwrite = is_overwritten(opener, counter);
	struct error *error;
	struct ring ring;

	array_indexed (struct ring, known, i, counters->rings, counters->ring_count) {
		if (known->cpu != counter->cpu ||
		    (counter->cpu < 0 && known->tid != counter->tid) ||
		    known->overwrite != overwrite)
			continue;
		counter->ring = i;
		if (ioctl(counter->fd, PERF_EVENT_IOC_SET_OUTPUT, known->fd))
			return error_errno(errno, "cannot share the ring buffer of CPU %d",
					   counter->cpu);
		return NULL;
	}
	error = ring_open(counter->fd, opener->options->pages, overwrite, &ring);
	if (!error && event_traces(&opener->list->items[counter->event])) {
		error = ring_open_aux(&ring, opener->options->aux_pages);
		if (error)
			ring_close(&ring);
	}
	opener->no_memory = error && error->code == ERROR_PERMISSION;
	RETURN_ERROR(error);
	ring.cpu = counter->cpu;
	ring.tid = counter->tid;
	array_reserve(counters->rings, counters->ring_count, counters->ring_capacity);
	counter->ring = counters->ring_count;
	counters->rings[counters->ring_count++] = ring;
	return NULL;
}

/* Returns the number of rings that the counters need: those that find_ring() would make. */
static size_t rings_needed(const struct opener *opener)
{
	const struct counters *counters = opener->counters;
	size_t needed = 0;

	for (size_t i = 0; i < counters->count; i++) {
		size_t j = 0;

		while (j < i && !shares_ring(opener, &counters->items[i], &counters->items[j]))
			j++;
		needed += j == i;
	}
	return needed;
}

static int ignore_libperf_message(enum libperf_print_level level _unused_,
				  const char *format _unused_, va_list arguments _unused_)
{
	/* Nothing is printed: failures come back as error numbers, which are reported. */
	return 0;
}

static struct error *open_all(struct opener *opener)
{
	const struct event_list *list = opener->list;
	struct counters *counters = opener->counters;

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].leader == i)
			RETURN_ERROR(open_group(opener, i));
	/* An AUX area is mapped through the event that writes it, which therefore makes the ring.
	 */
	for (unsigned int traces = 2; traces-- > 0;)
		array_each (struct counter, counter, counters->items, counters->count)
			if (event_traces(&list->items[counter->event]) == traces)
				RETURN_ERROR(find_ring(opener, counter));
	return NULL;
}

struct error *counters_open(const struct event_list *list, const struct thread_ids *threads,
			    const struct counters_options *options, const struct rights *rights,
			    struct counters *counters)
{
	struct opener opener = {
		.list = list, .options = options, .rights = rights, .counters = counters
	};
	struct error *error;

	libperf_init(ignore_libperf_message);
	*counters =
		(struct counters){ .selected = xcalloc(list->count, sizeof(*counters->selected)) };
	opener.system_wide = threads->count == 1 && threads->ids[0] == -1;
	opener.threads = library_memory(perf_thread_map__new_array(threads->count, threads->ids));
	error = open_all(&opener);
	perf_thread_map__put(opener.threads);
	if (error) {
		size_t needed = opener.no_memory ? rings_needed(&opener) : 0;

		counters_close(counters);
		counters->rings_refused = needed;
	}
	return error;
}

void counters_close(struct counters *counters)
{
	for (size_t i = 0; i < counters->ring_count; i++)
		ring_close(&counters->rings[i]);
	for (size_t i = 0; i < counters->count; i++)
		if (counters->items[i].own)
			close(counters->items[i].fd);
	for (size_t i = 0; i < counters->list_count; i++)
		perf_evlist__delete(counters->lists[i]);
	free_all(counters->rings, counters->items, counters->lists, counters->selected);
	*counters = (struct counters){ 0 };
}

/* Switches the leaders, and so whole groups. */
static void switch_leaders(struct counters *counters, const struct event_list *list, bool followers,
			   bool on)
{
	array_each (const struct counter, counter, counters->items, counters->count) {
		const struct event_spec *spec = &list->items[counter->event];

		/* Fails for a counter whose thread has ended, which does not matter. */
		if (spec->leader == counter->event && spec->follower == followers)
			ioctl(counter->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	}
}

void counters_enable(struct counters *counters, const struct event_list *list, bool followers)
{
	switch_leaders(counters, list, followers, true);
}

void counters_disable(struct counters *counters, const struct event_list *list, bool followers)
{
	switch_leaders(counters, list, followers, false);
}

/* value, enabled, running, id, lost: perf_event_open(2), "Reading results" */
#define READ_WORDS_MAX 5

/* Reads a counter outside of a group. Returns the number of words; 0: there are none. */
static size_t read_counter(const struct counter *counter, const struct perf_event_attr *attr,
			   uint64_t values[READ_WORDS_MAX])
{
	const size_t size = READ_WORDS_MAX * sizeof(*values);
	ssize_t got = attr->read_format & PERF_FORMAT_GROUP ? 0 : read(counter->fd, values, size);

	return got > 0 ? (size_t)got / sizeof(*values) : 0;
}

uint64_t counter_lost(const struct counter *counter, const struct perf_event_attr *attr)
{
	uint64_t values[READ_WORDS_MAX];
	size_t count =
		attr->read_format & PERF_FORMAT_LOST ? read_counter(counter, attr, values) : 0;

	return count ? values[count - 1] : 0;
}

uint64_t counter_value(const struct counter *counter, const struct perf_event_attr *attr)
{
	uint64_t values[READ_WORDS_MAX];

	return read_counter(counter, attr, values) ? values[0] : 0;
}

/* ---- control groups ---- */

struct error *cgroup_assign(struct event_list *events, const char *groups)
{
	bool single = !strchr(groups, ',');
	const char *at = groups;

	for (size_t i = 0; i < events->count; i++) {
		size_t length = strcspn(at, ",");

		if (events->items[i].follower)
			continue;
		events->items[i].cgroup = length ? xstrndup(at, length) : NULL;
		if (single)
			continue;
		if (!at[length])
			at += length; /* events after the last name belong to no group */
		else
			at += length + 1;
	}
	for (size_t i = 0; i < events->count; i++) {
		const char *own = events->items[i].cgroup,
			   *leading = events->items[events->items[i].leader].cgroup;

		if (!own != !leading || (own && strcmp(own, leading)))
			return error_other("-G: events that are counted together "
					   "must have the same control group");
	}
	return *at && !single ? error_other("-G: more control groups than events") : NULL;
}
