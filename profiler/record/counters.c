// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters by libperf: see counters.h.
 *
 * libperf 6.1's public interface opens, enables and closes events, but shows neither their descriptors nor
 * their ids. A descriptor is always the lowest number that is free (POSIX, open()), and libperf opens CPU
 * after CPU, thread after thread; so the descriptors that are new after perf_evsel__open() are, in ascending
 * order, those of its counters in that order. Nothing else opens files meanwhile: record has no other thread
 * at this time.
 */
#include "profiler/record/counters.h"

#include <dirent.h>
#include <errno.h>
#include <perf/core.h>
#include <perf/cpumap.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"
#include "profiler/record/cgroup.h"
#include "profiler/record/open_error.h"

struct opener {
	const struct event_list *list;
	const struct counters_options *options;
	const struct rights *rights;
	struct perf_thread_map *threads;
	bool system_wide;
	struct counters *counters;
};

/* Each counter is an open file. The soft limit is usually 1024, and raising it needs no right. */
static bool raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/* The open descriptors, ascending, but for the one that lists them. */
static struct error *open_descriptors(struct thread_ids *descriptors)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!directory && errno == EMFILE && raise_file_limit())
		directory = opendir("/proc/self/fd");
	if (!directory && errno == EMFILE)
		return error_create(ERROR_OTHER, "too many open files: raise the limit (ulimit -n)");
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
	array_reserve(counters->items, counters->count, counters->capacity);
	counters->items[counters->count++] = *counter;
}

/* The k-th new descriptor is that of the k-th pair of CPU and thread. */
static struct error *add_new_counters(struct opener *opener, size_t event, struct perf_cpu_map *cpus,
				      const struct thread_ids *before)
{
	_cleanup_thread_ids_ struct thread_ids after = { 0 };
	size_t threads = perf_thread_map__nr(opener->threads), expected = threads * perf_cpu_map__nr(cpus);
	size_t found = 0, old = 0;

	RETURN_ERROR(open_descriptors(&after));
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
		return error_create(ERROR_OTHER,
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

/* libperf knows no control groups: a counter a CPU, that runs while a task of the group does. */
static struct error *open_for_cgroup(struct opener *opener, size_t event, struct perf_cpu_map *cpus)
{
	const struct event_spec *spec = &opener->list->items[event];
	struct error *error = NULL;
	struct perf_cpu cpu;
	int index, group;

	RETURN_ERROR(cgroup_open("", spec->cgroup, &group));
	perf_cpu_map__for_each_cpu(cpu, index, cpus)
	{
		struct perf_event_attr attr = spec->attr;
		struct counter counter = { .event = event, .cpu = cpu.cpu, .tid = -1 };

		counter.fd = syscall(SYS_perf_event_open, &attr, group, cpu.cpu,
				     leader_descriptor(opener, event, cpu.cpu),
				     PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);
		if (counter.fd < 0) {
			error = open_error(errno, spec, opener->rights, true);
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
	close(group);
	return error;
}

static struct error *open_event(struct opener *opener, size_t event, struct perf_cpu_map *cpus)
{
	if (opener->list->items[event].cgroup)
		return open_for_cgroup(opener, event, cpus);

	struct perf_evsel *selected = opener->counters->selected[event];
	_cleanup_thread_ids_ struct thread_ids before = { 0 };
	int status;

	RETURN_ERROR(open_descriptors(&before));
	status = perf_evsel__open(selected, cpus, opener->threads);
	if (status == -EMFILE && raise_file_limit())
		status = perf_evsel__open(selected, cpus, opener->threads);
	if (status)
		return open_error(-status, &opener->list->items[event], opener->rights, opener->system_wide);
	return add_new_counters(opener, event, cpus, &before);
}

/* The CPUs of both maps as a list. */
static void put_common_cpus(struct perf_cpu_map *left, struct perf_cpu_map *right, struct strbuf *list)
{
	struct perf_cpu cpu;
	int index;

	perf_cpu_map__for_each_cpu(cpu, index, left)
	{
		if (perf_cpu_map__has(right, cpu))
			strbuf_add_format(list, "%s%d", list->length ? "," : "", cpu.cpu);
	}
}

struct error *cpu_list_check(const char *list)
{
	struct perf_cpu_map *wanted = perf_cpu_map__new(list), *online = perf_cpu_map__new(NULL);
	struct error *error = NULL;
	struct perf_cpu cpu;
	int index;

	/* libperf ends at the first letter that it does not understand, and is content. */
	if (!wanted || !online || perf_cpu_map__cpu(wanted, 0).cpu == -1 ||
	    list[strspn(list, "0123456789,-")])
		error = error_create(ERROR_OTHER, "-C: '%s' is not a list of CPUs, as 0-3,8", list);
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
	struct perf_cpu_map *left_map = perf_cpu_map__new(left), *right_map = perf_cpu_map__new(right);
	_cleanup_strbuf_ struct strbuf both = STRBUF_INIT;

	if (left_map && right_map)
		put_common_cpus(left_map, right_map, &both);
	perf_cpu_map__put(left_map);
	perf_cpu_map__put(right_map);
	return both.length > 0;
}

char *cpu_list_without(const char *list, const char *others, const char *wanted)
{
	struct perf_cpu_map *map = perf_cpu_map__new(list), *other_map = perf_cpu_map__new(others);
	struct perf_cpu_map *wanted_map = wanted ? perf_cpu_map__new(wanted) : NULL;
	struct strbuf result = STRBUF_INIT;
	struct perf_cpu cpu;
	int index;

	perf_cpu_map__for_each_cpu(cpu, index, map)
	{
		if (!perf_cpu_map__has(other_map, cpu) && (!wanted || perf_cpu_map__has(wanted_map, cpu)))
			strbuf_add_format(&result, "%s%d", result.length ? "," : "", cpu.cpu);
	}
	perf_cpu_map__put(map);
	perf_cpu_map__put(other_map);
	perf_cpu_map__put(wanted_map);
	return strbuf_detach(&result);
}

/* CPUs that an event is to count on: the intersection of what was asked for and what its PMU has. */
static struct error *event_cpus(struct opener *opener, const struct event_spec *spec,
				struct perf_cpu_map **result)
{
	const char *own = spec->pmu ? spec->pmu->cpus : NULL;

	if (spec->pmu && spec->pmu->uncore && !opener->system_wide)
		return error_create(ERROR_OTHER,
				    "event '%s' counts for the whole machine, not for a process: add -a",
				    spec->name);

	struct perf_cpu_map *wanted = opener->options->per_thread
					      ? perf_cpu_map__new("")
					      : perf_cpu_map__new(opener->options->cpu_list);

	if (!wanted)
		return error_create(ERROR_OTHER, "-C: '%s' is not a list of CPUs",
				    opener->options->cpu_list ? opener->options->cpu_list : "");
	if (!own || opener->options->per_thread) {
		*result = wanted;
		return NULL;
	}

	struct perf_cpu_map *map = perf_cpu_map__new(own);
	struct strbuf both = STRBUF_INIT;

	put_common_cpus(map, wanted, &both);
	perf_cpu_map__put(map);
	perf_cpu_map__put(wanted);
	*result = both.length ? perf_cpu_map__new(both.data) : NULL;
	strbuf_release(&both);
	return *result ? NULL
		       : error_create(ERROR_OTHER,
				      "event '%s' counts on none of the CPUs asked for (its PMU: %s)",
				      spec->name, own);
}

/*
 * One libperf list for each group: its only public way to a group is perf_evlist__set_leader(), which takes a
 * whole list. Each event is opened with its own CPUs, so the list needs none (and 6.1 would never give back
 * the references that perf_evlist__set_maps() takes for each event).
 */
static struct error *open_group(struct opener *opener, size_t leader)
{
	struct counters *counters = opener->counters;
	const struct event_list *list = opener->list;
	struct perf_evlist *group = perf_evlist__new();
	struct perf_cpu_map *cpus = NULL;
	struct error *error = NULL;

	array_reserve(counters->lists, counters->list_count, counters->list_capacity);
	counters->lists[counters->list_count++] = group;
	for (size_t i = leader; i < list->count; i++) {
		struct perf_event_attr attr = list->items[i].attr;

		if (list->items[i].leader != leader)
			continue;
		counters->selected[i] = perf_evsel__new(&attr);
		perf_evlist__add(group, counters->selected[i]);
	}
	perf_evlist__set_leader(group);
	RETURN_ERROR(event_cpus(opener, &list->items[leader], &cpus));
	for (size_t i = leader; !error && i < list->count; i++) {
		if (list->items[i].leader == leader)
			error = open_event(opener, i, cpus);
	}
	perf_cpu_map__put(cpus);
	return error;
}

/* The ring that a counter writes into: of its CPU, or of its thread if it is bound to none. */
static struct error *find_ring(struct counters *counters, struct counter *counter,
			       const struct counters_options *options, bool overwrite)
{
	struct ring ring;

	for (size_t i = 0; i < counters->ring_count; i++) {
		struct ring *known = &counters->rings[i];

		if (known->cpu != counter->cpu || (counter->cpu < 0 && known->tid != counter->tid) ||
		    known->overwrite != overwrite)
			continue;
		counter->ring = i;
		if (ioctl(counter->fd, PERF_EVENT_IOC_SET_OUTPUT, known->fd))
			return error_errno(errno, "cannot share the ring buffer of CPU %d", counter->cpu);
		return NULL;
	}
	RETURN_ERROR(ring_open(counter->fd, options->pages, overwrite, &ring));
	ring.cpu = counter->cpu;
	ring.tid = counter->tid;
	array_reserve(counters->rings, counters->ring_count, counters->ring_capacity);
	counter->ring = counters->ring_count;
	counters->rings[counters->ring_count++] = ring;
	return NULL;
}

static int print_libperf(enum libperf_print_level level, const char *format, va_list arguments)
{
	/* What goes wrong comes back as an error and is said then. */
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

static struct error *open_all(struct opener *opener)
{
	const struct event_list *list = opener->list;
	struct counters *counters = opener->counters;

	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].leader == i)
			RETURN_ERROR(open_group(opener, i));
	}
	for (size_t i = 0; i < counters->count; i++) {
		struct counter *counter = &counters->items[i];

		RETURN_ERROR(find_ring(counters, counter, opener->options,
				       list->items[counter->event].attr.write_backward));
	}
	return NULL;
}

struct error *counters_open(const struct event_list *list, const struct thread_ids *threads,
			    const struct counters_options *options, const struct rights *rights,
			    struct counters *counters)
{
	struct opener opener = { .list = list, .options = options, .rights = rights, .counters = counters };
	struct error *error;

	libperf_init(print_libperf);
	*counters = (struct counters){ .selected = xcalloc(list->count, sizeof(*counters->selected)) };
	opener.system_wide = threads->count == 1 && threads->ids[0] == -1;
	opener.threads = perf_thread_map__new_array(threads->count, threads->ids);
	error = open_all(&opener);
	perf_thread_map__put(opener.threads);
	if (error)
		counters_close(counters);
	return error;
}

void counters_close(struct counters *counters)
{
	for (size_t i = 0; i < counters->ring_count; i++)
		ring_close(&counters->rings[i]);
	for (size_t i = 0; i < counters->count; i++) {
		if (counters->items[i].own)
			close(counters->items[i].fd);
	}
	for (size_t i = 0; i < counters->list_count; i++)
		perf_evlist__delete(counters->lists[i]);
	free(counters->rings);
	free(counters->items);
	free(counters->lists);
	free(counters->selected);
	*counters = (struct counters){ 0 };
}

/* A group is switched by its leader. */
void counters_switch(struct counters *counters, size_t event, bool on)
{
	for (size_t i = 0; i < counters->count; i++) {
		/* Of a counter whose thread has ended nothing is expected. */
		if (counters->items[i].event == event)
			ioctl(counters->items[i].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	}
}

static void switch_leaders(struct counters *counters, const struct event_list *list, bool followers, bool on)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].leader == i && list->items[i].follower == followers)
			counters_switch(counters, i, on);
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

uint64_t counter_lost(const struct counter *counter, const struct perf_event_attr *attr)
{
	uint64_t values[8]; /* value, enabled, running, id, lost: perf_event_open(2), "Reading results" */
	size_t size = 8;

	if (!(attr->read_format & PERF_FORMAT_LOST) || (attr->read_format & PERF_FORMAT_GROUP))
		return 0;
	size += attr->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 8 : 0;
	size += attr->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 8 : 0;
	size += attr->read_format & PERF_FORMAT_ID ? 8 : 0;
	if (read(counter->fd, values, size + 8) != (ssize_t)(size + 8))
		return 0;
	return values[size / 8];
}
