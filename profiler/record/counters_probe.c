// SPDX-License-Identifier: GPL-2.0-or-later
/* What of an event's attr the kernel accepts: see counters.h. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/record/counters.h"
#include "profiler/record/open_error.h"

struct prober {
	struct event_list *list;
	pid_t pid;
	int cpu;
};

static int open_event(struct perf_event_attr *attr, const struct prober *prober, int group)
{
	return syscall(SYS_perf_event_open, attr, prober->pid, prober->cpu, group, PERF_FLAG_FD_CLOEXEC);
}

/* 0, or the errno of opening `attr` behind its leader. */
static int try_attr(const struct prober *prober, size_t index, const struct perf_event_attr *attr)
{
	const struct event_spec *spec = &prober->list->items[index];
	struct perf_event_attr copy = *attr;
	int leader = -1, fd, error_number;

	if (spec->leader != index) {
		struct perf_event_attr leader_attr = prober->list->items[spec->leader].attr;

		leader = open_event(&leader_attr, prober, -1);
		if (leader < 0)
			return errno;
	}
	fd = open_event(&copy, prober, leader);
	error_number = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	if (leader >= 0)
		close(leader);
	return error_number;
}

/* Newer parts of perf_event_attr; true if the attr had the part and it is gone now. */
static bool drop_lost_format(struct perf_event_attr *attr) /* Linux 6.0 */
{
	bool had = attr->read_format & PERF_FORMAT_LOST;

	attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	return had;
}

static bool drop_build_id(struct perf_event_attr *attr) /* Linux 5.12 */
{
	bool had = attr->build_id;

	attr->build_id = 0;
	return had;
}

static bool drop_weight_struct(struct perf_event_attr *attr) /* Linux 5.12 */
{
	bool had = attr->sample_type & PERF_SAMPLE_WEIGHT_STRUCT;

	if (had)
		attr->sample_type =
			(attr->sample_type & ~(uint64_t)PERF_SAMPLE_WEIGHT_STRUCT) | PERF_SAMPLE_WEIGHT;
	return had;
}

static bool drop_ksymbol(struct perf_event_attr *attr) /* Linux 5.1 */
{
	bool had = attr->ksymbol || attr->bpf_event;

	attr->ksymbol = attr->bpf_event = 0;
	return had;
}

/* Not new, but not every PMU has filters for guests, idle loops and hypervisors. */
static bool drop_guest(struct perf_event_attr *attr)
{
	bool had = attr->exclude_guest || attr->exclude_host;

	attr->exclude_guest = attr->exclude_host = 0;
	return had;
}

static bool drop_hypervisor(struct perf_event_attr *attr)
{
	bool had = attr->exclude_hv && !attr->exclude_kernel;

	if (had)
		attr->exclude_hv = 0;
	return had;
}

typedef bool (*drop_function)(struct perf_event_attr *);

static const drop_function drops[] = {
	drop_lost_format, drop_build_id, drop_weight_struct, drop_ksymbol, drop_guest, drop_hypervisor,
};
#define DROP_COUNT (sizeof(drops) / sizeof(*drops))

/* Each part alone, then all together, one after the other. */
static int try_without(const struct prober *prober, size_t index, struct perf_event_attr *attr)
{
	struct perf_event_attr stripped = *attr;

	for (size_t i = 0; i < DROP_COUNT; i++) {
		struct perf_event_attr copy = *attr;

		if (drops[i](&copy) && try_attr(prober, index, &copy) == 0) {
			*attr = copy;
			return 0;
		}
	}
	for (size_t i = 0; i < DROP_COUNT; i++) {
		if (drops[i](&stripped) && try_attr(prober, index, &stripped) == 0) {
			*attr = stripped;
			return 0;
		}
	}
	return EINVAL;
}

static int try_precision(const struct prober *prober, size_t index, struct perf_event_attr *attr)
{
	int error_number = try_attr(prober, index, attr);

	return error_number == EINVAL ? try_without(prober, index, attr) : error_number;
}

static int probe_event(const struct prober *prober, size_t index)
{
	struct event_spec *spec = &prober->list->items[index];
	int precision = spec->highest_precision ? 3 : spec->attr.precise_ip, error_number;

	do {
		struct perf_event_attr attr = spec->attr;

		attr.precise_ip = precision;
		error_number = try_precision(prober, index, &attr);
		if (!error_number) {
			spec->attr = attr;
			return 0;
		}
	} while (spec->highest_precision && (error_number == EINVAL || error_number == EOPNOTSUPP) &&
		 precision--);
	return error_number;
}

/* The first CPU of the PMU's own list, or `cpu`. */
static int probe_cpu(const struct event_spec *spec, int cpu)
{
	return spec->pmu && spec->pmu->cpus ? atoi(spec->pmu->cpus) : cpu;
}

struct error *counters_probe(struct event_list *list, const struct rights *rights, bool system_wide,
			     int first_cpu)
{
	for (size_t i = 0; i < list->count; i++) {
		bool whole_cpu = system_wide || (list->items[i].pmu && list->items[i].pmu->uncore);
		struct prober prober = { .list = list,
					 .pid = whole_cpu ? -1 : 0,
					 .cpu = whole_cpu ? probe_cpu(&list->items[i], first_cpu) : -1 };
		int error_number;

		if (list->items[i].symbol)
			continue;
		error_number = probe_event(&prober, i);
		if (error_number)
			return open_error(error_number, &list->items[i], rights, whole_cpu);
	}
	return NULL;
}
