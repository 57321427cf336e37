// SPDX-License-Identifier: GPL-2.0-or-later
/* Topology of the machine: see topology.h. */
#include "profiler/record/topology.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/record/feature.h"
#include "profiler/record/sysfs.h"

#define CPUS  "/sys/devices/system/cpu"
#define NODES "/sys/devices/system/node"

static bool name_number(const char *name, const char *prefix, unsigned int *number)
{
	size_t length = strlen(prefix);
	char *end;

	if (strncmp(name, prefix, length) || name[length] < '0' || name[length] > '9')
		return false;
	*number = strtoul(name + length, &end, 10);
	return !*end;
}

/* Takes `name` over; NULL is nothing. */
static void add_once(struct name_list *list, char *name)
{
	bool known = !name || !*name;

	for (size_t i = 0; !known && i < list->count; i++)
		known = strcmp(list->names[i], name) == 0;
	if (!known)
		name_list_add(list, name);
	free(name);
}

static void put_list(struct strbuf *content, const struct name_list *list)
{
	feature_put_u32(content, list->count);
	for (size_t i = 0; i < list->count; i++)
		feature_put_string(content, list->names[i]);
}

static char *sibling_list(const char *root, unsigned int cpu, const char *name, const char *old_name)
{
	char *list = sysfs_read(root, CPUS "/cpu%u/topology/%s", cpu, name);

	return list ? list : sysfs_read(root, CPUS "/cpu%u/topology/%s", cpu, old_name);
}

/* Where the kernel knows of no dies a package is one. */
static char *die_list(const char *root, unsigned int cpu)
{
	char *list = sysfs_read(root, CPUS "/cpu%u/topology/die_cpus_list", cpu);

	return list ? list : sibling_list(root, cpu, "package_cpus_list", "core_siblings_list");
}

static void put_number(struct strbuf *content, const char *root, unsigned int cpu, const char *name,
		       int64_t missing)
{
	int64_t number = missing;

	sysfs_read_number(&number, root, CPUS "/cpu%u/topology/%s", cpu, name);
	feature_put_u32(content, number);
}

/*
 * Lists of CPUs that share a package, of those that share a core, of each CPU its core and package; then of
 * those that share a die, and of each CPU its die.
 */
static void add_cpu_topology(struct writer *writer, const char *root)
{
	_cleanup_names_ struct name_list packages = { 0 };
	_cleanup_names_ struct name_list cores = { 0 };
	_cleanup_names_ struct name_list dies = { 0 };
	struct strbuf content = STRBUF_INIT;
	unsigned int count = sysconf(_SC_NPROCESSORS_CONF);

	for (unsigned int cpu = 0; cpu < count; cpu++) {
		add_once(&packages, sibling_list(root, cpu, "package_cpus_list", "core_siblings_list"));
		add_once(&cores, sibling_list(root, cpu, "core_cpus_list", "thread_siblings_list"));
		add_once(&dies, die_list(root, cpu));
	}
	if (!packages.count)
		return;
	put_list(&content, &packages);
	put_list(&content, &cores);
	for (unsigned int cpu = 0; cpu < count; cpu++) {
		put_number(&content, root, cpu, "core_id", -1);
		put_number(&content, root, cpu, "physical_package_id", -1);
	}
	put_list(&content, &dies);
	for (unsigned int cpu = 0; cpu < count; cpu++)
		put_number(&content, root, cpu, "die_id", 0);
	writer_set_feature(writer, FEATURE_CPU_TOPOLOGY, &content);
}

static uint64_t memory_value(const char *text, const char *key)
{
	const char *found = text ? strstr(text, key) : NULL;

	return found ? strtoull(found + strlen(key), NULL, 10) : 0;
}

static void add_numa_topology(struct writer *writer, const char *root)
{
	_cleanup_names_ struct name_list names = sysfs_list(root, NODES);
	struct strbuf content = STRBUF_INIT, nodes = STRBUF_INIT;
	uint32_t count = 0;
	unsigned int node;

	for (size_t i = 0; i < names.count; i++) {
		if (!name_number(names.names[i], "node", &node))
			continue;
		_cleanup_free_ char *memory = sysfs_read(root, NODES "/node%u/meminfo", node);
		_cleanup_free_ char *cpus = sysfs_read(root, NODES "/node%u/cpulist", node);

		feature_put_u32(&nodes, node);
		feature_put_u64(&nodes, memory_value(memory, "MemTotal:"));
		feature_put_u64(&nodes, memory_value(memory, "MemFree:"));
		feature_put_string(&nodes, cpus ? cpus : "");
		count++;
	}
	if (count) {
		feature_put_u32(&content, count);
		strbuf_add(&content, nodes.data, nodes.length);
		writer_set_feature(writer, FEATURE_NUMA_TOPOLOGY, &content);
	}
	strbuf_release(&nodes);
}

static void add_hybrid_topology(struct writer *writer, const char *root)
{
	_cleanup_names_ struct name_list cores = pmu_core_names(root);
	struct strbuf content = STRBUF_INIT;

	if (cores.count < 2)
		return;
	feature_put_u32(&content, cores.count);
	for (size_t i = 0; i < cores.count; i++) {
		_cleanup_free_ char *cpus =
			sysfs_read(root, "/sys/bus/event_source/devices/%s/cpus", cores.names[i]);

		feature_put_string(&content, cores.names[i]);
		feature_put_string(&content, cpus ? cpus : "");
	}
	writer_set_feature(writer, FEATURE_HYBRID_TOPOLOGY, &content);
}

void topology_add_features(struct writer *writer, const char *root)
{
	add_cpu_topology(writer, root);
	add_numa_topology(writer, root);
	add_hybrid_topology(writer, root);
}
