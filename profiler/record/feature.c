// SPDX-License-Identifier: GPL-2.0-or-later
/* Contents of features, laid out as perf.data-file-format.txt says: see writer.h. */
#include "profiler/record/writer.h"

#include <sys/utsname.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "profiler/record/sysfs.h"

void feature_put_u32(struct strbuf *content, uint32_t value)
{
	strbuf_add(content, &value, sizeof(value));
}

void feature_put_u64(struct strbuf *content, uint64_t value)
{
	strbuf_add(content, &value, sizeof(value));
}

static void feature_put_text(struct strbuf *content, const char *string, size_t length)
{
	static const char zeros[FILE_NAME_ALIGN];
	size_t padded = round_up(length, FILE_NAME_ALIGN);

	feature_put_u32(content, padded);
	strbuf_add(content, string, length);
	strbuf_add(content, zeros, padded - length);
}

static void feature_put_string(struct strbuf *content, const char *string)
{
	feature_put_text(content, string, strlen(string) + 1);
}

/* ---- the processor's name ---- */

/* Returns the value of the first line "key<tab>: value", to be freed, or NULL. */
static char *find_value(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length))
			continue;
		const char *value = line + length + strspn(line + length, "\t ");

		if (*value != ':')
			continue;
		value += 1 + strspn(value + 1, " ");
		return xstrndup(value, strcspn(value, "\n"));
	}
	return NULL;
}

/* Returns "AMD EPYC 7713 64-Core Processor", to be freed, or NULL. */
static char *cpu_description(const char *root)
{
	_cleanup_free_ char *text = sysfs_read(root, "/proc/cpuinfo");

	return text ? find_value(text, "model name") : NULL;
}

/* Returns "GenuineIntel,6,85,7", or Arm's MIDR register, as perf does, to be freed, or NULL. */
static char *cpu_id(const char *root)
{
	_cleanup_free_ char *text = sysfs_read(root, "/proc/cpuinfo");

	if (!text)
		return NULL;
	_cleanup_free_ char *vendor = find_value(text, "vendor_id");
	_cleanup_free_ char *family = find_value(text, "cpu family");
	_cleanup_free_ char *model = find_value(text, "model");
	_cleanup_free_ char *stepping = find_value(text, "stepping");

	if (vendor && family && model && stepping)
		return xasprintf("%s,%s,%s,%s", vendor, family, model, stepping);
	return sysfs_read(root, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
}

/* ---- topology ---- */

#define CPUS  "/sys/devices/system/cpu"
#define NODES "/sys/devices/system/node"

/* Adds `name` unless it is NULL, empty or in the list, and frees it. */
static void take_once(struct name_list *list, char *name)
{
	if (name && *name)
		name_list_add_once(list, name);
	free(name);
}

static void put_list(struct strbuf *content, const struct name_list *list)
{
	feature_put_u32(content, list->count);
	for (size_t i = 0; i < list->count; i++)
		feature_put_string(content, list->names[i]);
}

static char *sibling_list(const char *root, unsigned int cpu, const char *name,
			  const char *old_name)
{
	char *list = sysfs_read(root, CPUS "/cpu%u/topology/%s", cpu, name);

	return list ?: sysfs_read(root, CPUS "/cpu%u/topology/%s", cpu, old_name);
}

/* Returns the CPUs of a die; a package counts as a die if the kernel does not know dies. */
static char *die_list(const char *root, unsigned int cpu)
{
	char *list = sysfs_read(root, CPUS "/cpu%u/topology/die_cpus_list", cpu);

	return list ?: sibling_list(root, cpu, "package_cpus_list", "core_siblings_list");
}

static void put_number(struct strbuf *content, const char *root, unsigned int cpu, const char *name,
		       int64_t missing)
{
	int64_t number = missing;

	sysfs_read_number(&number, root, CPUS "/cpu%u/topology/%s", cpu, name);
	feature_put_u32(content, number);
}

/* Adds CPU_TOPOLOGY: the lists of CPUs that share a package; the lists of CPUs that share a core;
 * the core and package of each CPU; the lists of CPUs that share a die; the die of each CPU. */
static void add_cpu_topology(struct writer *writer, const char *root)
{
	_cleanup_names_ struct name_list packages = { 0 };
	_cleanup_names_ struct name_list cores = { 0 };
	_cleanup_names_ struct name_list dies = { 0 };
	struct strbuf content = STRBUF_INIT;
	unsigned int count = sysconf(_SC_NPROCESSORS_CONF);

	for (unsigned int cpu = 0; cpu < count; cpu++) {
		take_once(&packages,
			  sibling_list(root, cpu, "package_cpus_list", "core_siblings_list"));
		take_once(&cores,
			  sibling_list(root, cpu, "core_cpus_list", "thread_siblings_list"));
		take_once(&dies, die_list(root, cpu));
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
		if (!sysfs_entry_number(names.names[i], "node", &node))
			continue;
		_cleanup_free_ char *memory = sysfs_read(root, NODES "/node%u/meminfo", node);
		_cleanup_free_ char *cpus = sysfs_read(root, NODES "/node%u/cpulist", node);

		feature_put_u32(&nodes, node);
		feature_put_u64(&nodes, memory_value(memory, "MemTotal:"));
		feature_put_u64(&nodes, memory_value(memory, "MemFree:"));
		feature_put_string(&nodes, cpus ?: "");
		count++;
	}
	if (count) {
		feature_put_u32(&content, count);
		strbuf_add(&content, nodes.data, nodes.length);
		writer_set_feature(writer, FEATURE_NUMA_TOPOLOGY, &content);
	}
	strbuf_deinit(&nodes);
}

/* Adds the blocks of memory that a node has: the size of the bitmap, twice, and its words. */
static void put_blocks(struct strbuf *content, const char *root, unsigned int node)
{
	_cleanup_names_ struct name_list names = sysfs_list(root, NODES "/node%u", node);
	uint64_t last = 0;
	unsigned int block;

	for (size_t i = 0; i < names.count; i++)
		if (sysfs_entry_number(names.names[i], "memory", &block) && block > last)
			last = block;

	size_t words = last / 64 + 1;
	_cleanup_free_ uint64_t *blocks = xcalloc(words, sizeof(*blocks));

	for (size_t i = 0; i < names.count; i++)
		if (sysfs_entry_number(names.names[i], "memory", &block))
			blocks[block / 64] |= UINT64_C(1) << block % 64;
	feature_put_u64(content, last + 1);
	feature_put_u64(content, last + 1);
	for (size_t i = 0; i < words; i++)
		feature_put_u64(content, blocks[i]);
}

/* Adds MEM_TOPOLOGY: the version, the bytes of a block of memory, and the blocks of each node. */
static void add_memory_topology(struct writer *writer, const char *root)
{
	_cleanup_names_ struct name_list names = sysfs_list(root, NODES);
	_cleanup_free_ char *size = sysfs_read(root, "/sys/devices/system/memory/block_size_bytes");
	struct strbuf content = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf nodes = STRBUF_INIT;
	uint64_t count = 0;
	unsigned int node;

	for (size_t i = 0; size && i < names.count; i++) {
		if (!sysfs_entry_number(names.names[i], "node", &node))
			continue;
		feature_put_u64(&nodes, node);
		put_blocks(&nodes, root, node);
		count++;
	}
	if (!count)
		return;
	feature_put_u64(&content, 1);
	feature_put_u64(&content, strtoull(size, NULL, 16));
	feature_put_u64(&content, count);
	strbuf_add(&content, nodes.data, nodes.length);
	writer_set_feature(writer, FEATURE_MEM_TOPOLOGY, &content);
}

static void add_hybrid_topology(struct writer *writer, const char *root)
{
	_cleanup_names_ struct name_list cores = pmu_core_names(root);
	struct strbuf content = STRBUF_INIT;

	if (cores.count < 2)
		return;
	feature_put_u32(&content, cores.count);
	for (size_t i = 0; i < cores.count; i++) {
		_cleanup_free_ char *cpus = sysfs_read(root, PMU_FOLDER "/%s/cpus", cores.names[i]);

		feature_put_string(&content, cores.names[i]);
		feature_put_string(&content, cpus ?: "");
	}
	writer_set_feature(writer, FEATURE_HYBRID_TOPOLOGY, &content);
}

/* A cache below /sys/devices/system/cpu. */
struct cache {
	int64_t level, line, sets, ways;
	char *type, *size, *cpus;
};

static void cache_deinit(struct cache *cache)
{
	free_all(cache->type, cache->size, cache->cpus);
}

/* Reads cache `index` of a processor. False: there is none, or sysfs does not describe it. */
static bool cache_read(struct cache *cache, const char *root, const char *cpu, unsigned int index)
{
	static const char folder[] = "/sys/devices/system/cpu/%s/cache/index%u/%s";

	*cache = (struct cache){
		.type = sysfs_read(root, folder, cpu, index, "type"),
		.size = sysfs_read(root, folder, cpu, index, "size"),
		.cpus = sysfs_read(root, folder, cpu, index, "shared_cpu_list"),
	};
	return cache->type && cache->size && cache->cpus &&
	       sysfs_read_number(&cache->level, root, folder, cpu, index, "level") &&
	       sysfs_read_number(&cache->line, root, folder, cpu, index, "coherency_line_size") &&
	       sysfs_read_number(&cache->sets, root, folder, cpu, index, "number_of_sets") &&
	       sysfs_read_number(&cache->ways, root, folder, cpu, index, "ways_of_associativity");
}

#define CACHES_OF_CPU 8 /* more than any processor has */

/* Adds CACHE: version 1, number of caches; of each: level, line size, sets, ways; type, size and
 * the processors that share it. A cache is described with the first of these processors. */
static void add_caches(struct writer *writer, const char *root)
{
	_cleanup_names_ struct name_list cpus = sysfs_list(root, "/sys/devices/system/cpu");
	struct strbuf content = STRBUF_INIT, caches = STRBUF_INIT;
	uint32_t count = 0;

	for (size_t i = 0; i < cpus.count; i++) {
		unsigned int number;

		if (!sysfs_entry_number(cpus.names[i], "cpu", &number))
			continue;
		for (unsigned int index = 0; index < CACHES_OF_CPU; index++) {
			struct cache cache;
			bool there = cache_read(&cache, root, cpus.names[i], index);

			if (there && strtoul(cache.cpus, NULL, 10) == number) {
				feature_put_u32(&caches, (uint32_t)cache.level);
				feature_put_u32(&caches, (uint32_t)cache.line);
				feature_put_u32(&caches, (uint32_t)cache.sets);
				feature_put_u32(&caches, (uint32_t)cache.ways);
				feature_put_string(&caches, cache.type);
				feature_put_string(&caches, cache.size);
				feature_put_string(&caches, cache.cpus);
				count++;
			}
			cache_deinit(&cache);
			if (!there)
				break;
		}
	}
	if (count) {
		feature_put_u32(&content, 1);
		feature_put_u32(&content, count);
		strbuf_add(&content, caches.data, caches.length);
		writer_set_feature(writer, FEATURE_CACHE, &content);
	}
	strbuf_deinit(&caches);
}

/* ---- features ---- */

static void add_string(struct writer *writer, enum feature feature, const char *string)
{
	struct strbuf content = STRBUF_INIT;

	if (!string || !*string)
		return;
	feature_put_string(&content, string);
	writer_set_feature(writer, feature, &content);
}

/* The costs of memory follow the version, as one string to perf, which reads it to the first NUL.
 * (A feature of their own would end `perf inject`, which reads past its table for one that it does
 * not know.) */
static void add_version(struct writer *writer, const char *version, const char *memory_costs)
{
	struct strbuf content = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_add(&text, version ?: "", version ? strlen(version) + 1 : 1);
	if (memory_costs)
		strbuf_add(&text, memory_costs, strlen(memory_costs) + 1);
	feature_put_text(&content, text.data, text.length);
	writer_set_feature(writer, FEATURE_VERSION, &content);
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

		sysfs_read_number(&type, root, PMU_FOLDER "/%s/type", names.names[i]);
		feature_put_u32(&content, type);
		feature_put_string(&content, names.names[i]);
	}
	writer_set_feature(writer, FEATURE_PMU_MAPPINGS, &content);
}

void feature_add_machine(struct writer *writer, const char *root, const char *version,
			 const char *memory_costs)
{
	struct utsname name;

	if (uname(&name) == 0) {
		add_string(writer, FEATURE_HOSTNAME, name.nodename);
		add_string(writer, FEATURE_OSRELEASE, name.release);
		add_string(writer, FEATURE_ARCH, name.machine);
	}
	add_version(writer, version, memory_costs);
	add_cpu_count(writer);
	_cleanup_free_ char *description = cpu_description(root);
	_cleanup_free_ char *id = cpu_id(root);

	add_string(writer, FEATURE_CPUDESC, description);
	add_string(writer, FEATURE_CPUID, id);
	add_memory(writer, root);
	add_pmu_mappings(writer, root);
	add_cpu_topology(writer, root);
	add_numa_topology(writer, root);
	add_memory_topology(writer, root);
	add_hybrid_topology(writer, root);
	add_caches(writer, root);
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
	return sum_over(uint32_t, i, 0, events->count, events->items[i].leader == leader);
}

/* Adds GROUP_DESC: the groups of two or more events. */
static void feature_add_groups(struct writer *writer, const struct event_list *events)
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
	strbuf_deinit(&groups);
}

/* Adds BRANCH_STACK, an empty feature, if branches were wanted, not for call chains alone. */
static void add_branch_stack(struct writer *writer, const struct event_list *events)
{
	struct strbuf nothing = STRBUF_INIT;
	bool any = false;

	for (size_t i = 0; i < events->count; i++) {
		uint64_t branches = events->items[i].attr.branch_sample_type;

		any |= branches && !(branches & PERF_SAMPLE_BRANCH_CALL_STACK);
	}
	if (any)
		writer_set_feature(writer, FEATURE_BRANCH_STACK, &nothing);
}

void feature_add_events(struct writer *writer, const struct event_list *events,
			const struct counters *counters)
{
	struct strbuf content = STRBUF_INIT;

	feature_put_u32(&content, events->count);
	feature_put_u32(&content, sizeof(struct perf_event_attr));
	for (size_t i = 0; i < events->count; i++) {
		uint32_t ids =
			sum_over(uint32_t, j, 0, counters->count, counters->items[j].event == i);

		strbuf_add(&content, &events->items[i].attr, sizeof(events->items[i].attr));
		feature_put_u32(&content, ids);
		feature_put_string(&content, events->items[i].name);
		for (size_t j = 0; j < counters->count; j++)
			if (counters->items[j].event == i)
				feature_put_u64(&content, counters->items[j].id);
	}
	writer_set_feature(writer, FEATURE_EVENT_DESC, &content);
	feature_add_groups(writer, events);
	add_branch_stack(writer, events);
}

static uint64_t clock_now(clockid_t clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock, &now);
	return now.tv_sec * (uint64_t)NS_PER_S + now.tv_nsec;
}

void feature_add_clock(struct writer *writer, int32_t clock)
{
	struct strbuf resolution = STRBUF_INIT, data = STRBUF_INIT;
	struct timespec step;

	if (clock_getres(clock, &step) == 0) {
		feature_put_u64(&resolution, step.tv_sec * (uint64_t)NS_PER_S + step.tv_nsec);
		writer_set_feature(writer, FEATURE_CLOCKID, &resolution);
	}
	/* version 1, the clock, and the same moment by the time of day and by the clock */
	feature_put_u32(&data, 1);
	feature_put_u32(&data, (uint32_t)clock);
	feature_put_u64(&data, clock_now(CLOCK_REALTIME));
	feature_put_u64(&data, clock_now(clock));
	writer_set_feature(writer, FEATURE_CLOCK_DATA, &data);
}

void feature_add_sample_time(struct writer *writer, uint64_t first, uint64_t last)
{
	struct strbuf content = STRBUF_INIT;

	feature_put_u64(&content, first);
	feature_put_u64(&content, last);
	writer_set_feature(writer, FEATURE_SAMPLE_TIME, &content);
}
