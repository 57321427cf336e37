// SPDX-License-Identifier: GPL-2.0-or-later
/* Contents of features, laid out as perf.data-file-format.txt says: see feature.h. */
#include "profiler/record/feature.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/record/cpu_id.h"
#include "profiler/record/topology.h"

void feature_put_u32(struct strbuf *content, uint32_t value)
{
	strbuf_add(content, &value, sizeof(value));
}

void feature_put_u64(struct strbuf *content, uint64_t value)
{
	strbuf_add(content, &value, sizeof(value));
}

/* Length with the padding, the string, zeros. */
void feature_put_string(struct strbuf *content, const char *string)
{
	static const char zeros[FILE_NAME_ALIGN];
	size_t length = strlen(string) + 1;
	size_t padded = (length + FILE_NAME_ALIGN - 1) / FILE_NAME_ALIGN * FILE_NAME_ALIGN;

	feature_put_u32(content, padded);
	strbuf_add(content, string, length);
	strbuf_add(content, zeros, padded - length);
}

static void add_string(struct writer *writer, enum feature feature, const char *string)
{
	struct strbuf content = STRBUF_INIT;

	if (!string || !*string)
		return;
	feature_put_string(&content, string);
	writer_set_feature(writer, feature, &content);
}

static void add_cpu_count(struct writer *writer)
{
	struct strbuf content = STRBUF_INIT;

	feature_put_u32(&content, sysconf(_SC_NPROCESSORS_CONF));
	feature_put_u32(&content, sysconf(_SC_NPROCESSORS_ONLN));
	writer_set_feature(writer, FEATURE_NRCPUS, &content);
}

static void add_memory(struct writer *writer, const char *root)
{
	_cleanup_free_ char *text = sysfs_read(root, "/proc/meminfo");
	const char *line = text ? strstr(text, "MemTotal:") : NULL;
	struct strbuf content = STRBUF_INIT;

	if (!line)
		return;
	feature_put_u64(&content, strtoull(line + strlen("MemTotal:"), NULL, 10));
	writer_set_feature(writer, FEATURE_TOTAL_MEM, &content);
}

static void add_pmu_mappings(struct writer *writer, const char *root)
{
	_cleanup_names_ struct name_list names = pmu_names(root);
	struct strbuf content = STRBUF_INIT;

	feature_put_u32(&content, names.count);
	for (size_t i = 0; i < names.count; i++) {
		int64_t type = 0;

		sysfs_read_number(&type, root, "/sys/bus/event_source/devices/%s/type", names.names[i]);
		feature_put_u32(&content, type);
		feature_put_string(&content, names.names[i]);
	}
	writer_set_feature(writer, FEATURE_PMU_MAPPINGS, &content);
}

void feature_add_machine(struct writer *writer, const char *root, const char *version)
{
	struct utsname name;

	if (uname(&name) == 0) {
		add_string(writer, FEATURE_HOSTNAME, name.nodename);
		add_string(writer, FEATURE_OSRELEASE, name.release);
		add_string(writer, FEATURE_ARCH, name.machine);
	}
	add_string(writer, FEATURE_VERSION, version);
	add_cpu_count(writer);
	_cleanup_free_ char *description = cpu_description(root);
	_cleanup_free_ char *id = cpu_id(root);

	add_string(writer, FEATURE_CPUDESC, description);
	add_string(writer, FEATURE_CPUID, id);
	add_memory(writer, root);
	add_pmu_mappings(writer, root);
	topology_add_features(writer, root);
}

void feature_add_command(struct writer *writer, int argc, const char *const *argv)
{
	struct strbuf content = STRBUF_INIT;

	feature_put_u32(&content, argc);
	for (int i = 0; i < argc; i++)
		feature_put_string(&content, argv[i]);
	writer_set_feature(writer, FEATURE_CMDLINE, &content);
}

static uint32_t group_size(const struct event_list *events, size_t leader)
{
	uint32_t size = 0;

	for (size_t i = 0; i < events->count; i++)
		size += events->items[i].leader == leader;
	return size;
}

/* Groups of two and more. */
static void add_groups(struct writer *writer, const struct event_list *events)
{
	struct strbuf content = STRBUF_INIT, groups = STRBUF_INIT;
	uint32_t count = 0;

	for (size_t i = 0; i < events->count; i++) {
		if (group_size(events, i) < 2)
			continue;
		feature_put_string(&groups, "{anon_group}");
		feature_put_u32(&groups, i);
		feature_put_u32(&groups, group_size(events, i));
		count++;
	}
	if (count) {
		feature_put_u32(&content, count);
		strbuf_add(&content, groups.data, groups.length);
		writer_set_feature(writer, FEATURE_GROUP_DESC, &content);
	}
	strbuf_release(&groups);
}

void feature_add_events(struct writer *writer, const struct event_list *events,
			const struct counters *counters)
{
	struct strbuf content = STRBUF_INIT;

	feature_put_u32(&content, events->count);
	feature_put_u32(&content, sizeof(struct perf_event_attr));
	for (size_t i = 0; i < events->count; i++) {
		uint32_t ids = 0;

		for (size_t j = 0; j < counters->count; j++)
			ids += counters->items[j].event == i;
		strbuf_add(&content, &events->items[i].attr, sizeof(events->items[i].attr));
		feature_put_u32(&content, ids);
		feature_put_string(&content, events->items[i].name);
		for (size_t j = 0; j < counters->count; j++) {
			if (counters->items[j].event == i)
				feature_put_u64(&content, counters->items[j].id);
		}
	}
	writer_set_feature(writer, FEATURE_EVENT_DESC, &content);
	add_groups(writer, events);
}

void feature_add_sample_time(struct writer *writer, uint64_t first, uint64_t last)
{
	struct strbuf content = STRBUF_INIT;

	feature_put_u64(&content, first);
	feature_put_u64(&content, last);
	writer_set_feature(writer, FEATURE_SAMPLE_TIME, &content);
}
