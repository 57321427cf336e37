// SPDX-License-Identifier: GPL-2.0-or-later
/* Small text files of the machine, and its PMUs: see sysfs.h. */
#include "profiler/record/sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"

/* Bytes that are read of a file. A list of kernel modules or mounts has a tenth of this. */
#define FILE_SIZE_MAX (1 << 20)

static char *read_whole(const char *root, const char *path)
{
	_cleanup_free_ char *rooted = xasprintf("%s%s", root, path);
	_cleanup_close_ int fd = open(rooted, O_RDONLY | O_CLOEXEC);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (fd < 0 || !file_read_all(fd, FILE_SIZE_MAX, &text))
		return NULL;
	while (text.length && text.data[text.length - 1] == '\n')
		text.data[--text.length] = '\0';
	return text.length ? strbuf_detach(&text) : xstrdup("");
}

char *sysfs_read(const char *root, const char *format, ...)
{
	VARIADIC_TEXT(path, format);
	return read_whole(root, path);
}

bool sysfs_read_number(int64_t *result, const char *root, const char *format, ...)
{
	VARIADIC_TEXT(path, format);
	_cleanup_free_ char *text = read_whole(root, path);
	char *end;

	if (!text || !*text)
		return false;
	errno = 0;
	long long value = strtoll(text, &end, 0);

	if (errno || end == text || (*end && !isspace((unsigned char)*end)))
		return false;
	*result = value;
	return true;
}

bool sysfs_exists(const char *root, const char *format, ...)
{
	VARIADIC_TEXT(path, format);
	_cleanup_free_ char *rooted = xasprintf("%s%s", root, path);

	return access(rooted, F_OK) == 0;
}

struct name_list sysfs_list(const char *root, const char *format, ...)
{
	struct name_list list = { 0 };
	VARIADIC_TEXT(path, format);
	_cleanup_free_ char *rooted = xasprintf("%s%s", root, path);
	DIR *directory = library_memory(opendir(rooted));
	struct dirent *entry;

	if (!directory) {
		list.problem = errno == ENOENT || errno == ENOTDIR ? 0 : errno;
		return list;
	}
	while (errno = 0, (entry = readdir(directory))) {
		if (entry->d_name[0] != '.')
			name_list_add(&list, entry->d_name);
	}
	list.problem = errno;
	closedir(directory);
	array_sort(list.names, list.count, compare_strings);
	return list;
}

bool sysfs_entry_number(const char *name, const char *prefix, unsigned int *number)
{
	const char *digits = name + strlen(prefix);
	char *end;

	if (!starts_with(name, prefix) || !isdigit((unsigned char)*digits))
		return false;
	*number = (unsigned int)strtoul(digits, &end, 10);
	return !*end;
}

/* ---- performance monitoring units ---- */

static struct name_list read_events(const char *root, const char *name)
{
	static const char *const attributes[] = { ".scale", ".unit", ".snapshot", ".per-pkg" };
	_cleanup_names_ struct name_list files = sysfs_list(root, PMU_FOLDER "/%s/events", name);
	struct name_list events = { .problem = files.problem };

	for (size_t i = 0; i < files.count; i++) {
		bool event = true;

		for (size_t j = 0; j < COUNT_OF(attributes); j++)
			event = event && !ends_with(files.names[i], attributes[j]);
		if (event)
			name_list_add(&events, files.names[i]);
	}
	return events;
}

struct name_list pmu_names(const char *root)
{
	return sysfs_list(root, PMU_FOLDER);
}

struct name_list pmu_core_names(const char *root)
{
	_cleanup_names_ struct name_list all = pmu_names(root);
	struct name_list core = { 0 };

	for (size_t i = 0; i < all.count; i++) {
		if (strcmp(all.names[i], "cpu") == 0 ||
		    sysfs_exists(root, PMU_FOLDER "/%s/cpus", all.names[i]))
			name_list_add(&core, all.names[i]);
	}
	return core;
}

#define ARM_SPE "arm_spe"

/* Returns whether a PMU of processors writes AUX data. Its cpumask is that of a PMU of cores. */
static bool pmu_traces(const char *name)
{
	static const char *const names[] = { ARM_SPE, "cs_etm", "intel_bts", "intel_pt", "trbe" };

	return any_of(i, 0, COUNT_OF(names), !strncmp(name, names[i], strlen(names[i])));
}

bool pmu_is_spe(const struct pmu *pmu)
{
	return starts_with(pmu->name, ARM_SPE);
}

/* Returns the names of the PMUs of Arm's SPE, of which each kind of core has one. */
static struct name_list spe_names(const char *root)
{
	_cleanup_names_ struct name_list all = pmu_names(root);
	struct name_list found = { 0 };

	for (size_t i = 0; i < all.count; i++)
		if (starts_with(all.names[i], ARM_SPE) &&
		    sysfs_exists(root, PMU_FOLDER "/%s/type", all.names[i]))
			name_list_add(&found, all.names[i]);
	return found;
}

struct error *pmu_open(const char *root, const char *name, struct pmu **result)
{
	int64_t type;

	if (strchr(name, '/') || *name == '.' ||
	    !sysfs_read_number(&type, root, PMU_FOLDER "/%s/type", name)) {
		_cleanup_names_ struct name_list all = pmu_names(root);
		const char *nearest = nearest_name(name, &all);

		if (nearest)
			return error_create(ERROR_NOT_FOUND,
					    "this machine has no PMU '%s' (nearest: '%s')", name,
					    nearest);
		return error_create(ERROR_NOT_FOUND, "this machine has no PMU '%s'", name);
	}

	struct pmu *pmu = xcalloc(1, sizeof(*pmu));

	pmu->name = xstrdup(name);
	pmu->root = root;
	pmu->type = type;
	pmu->traces = pmu_traces(name);
	pmu->cpus = sysfs_read(root, PMU_FOLDER "/%s/cpus", name);
	if (!pmu->cpus) {
		pmu->cpus = sysfs_read(root, PMU_FOLDER "/%s/cpumask", name);
		pmu->uncore = pmu->cpus && !pmu->traces;
	}
	pmu->formats = sysfs_list(root, PMU_FOLDER "/%s/format", name);
	pmu->events = read_events(root, name);
	int problem = pmu->formats.problem ?: pmu->events.problem;

	if (problem) {
		pmu_close(pmu);
		return error_errno(problem, "cannot read the terms and events of PMU '%s'", name);
	}
	*result = pmu;
	return NULL;
}

void pmu_close(struct pmu *pmu)
{
	if (!pmu)
		return;
	free_all(pmu->name, pmu->cpus);
	name_list_deinit(&pmu->formats);
	name_list_deinit(&pmu->events);
	free(pmu);
}

bool pmu_has_format(const struct pmu *pmu, const char *term)
{
	return name_list_has(&pmu->formats, term);
}

bool pmu_has_event(const struct pmu *pmu, const char *event)
{
	return name_list_has(&pmu->events, event);
}

char *pmu_event_terms(const struct pmu *pmu, const char *event)
{
	return pmu_has_event(pmu, event)
		       ? sysfs_read(pmu->root, PMU_FOLDER "/%s/events/%s", pmu->name, event)
		       : NULL;
}

static void set_attr_word(struct perf_event_attr *attr, unsigned int word, uint64_t value)
{
	if (word == 0)
		attr->config = value;
	else if (word == 1)
		attr->config1 = value;
	else
		attr->config2 = value;
}

static struct error *bad_format(const struct pmu *pmu, const char *term, const char *format)
{
	return error_create(ERROR_UNSUPPORTED,
			    "format of term '%s' of PMU '%s' is not understood: '%s'", term,
			    pmu->name, format);
}

static struct error *sysfs_unknown_term(const struct pmu *pmu, const char *term)
{
	struct nearest nearest = { .word = term };

	for (size_t i = 0; i < pmu->events.count; i++)
		nearest_consider(&nearest, pmu->events.names[i]);
	for (size_t i = 0; i < pmu->formats.count; i++)
		nearest_consider(&nearest, pmu->formats.names[i]);
	if (nearest.best)
		return error_create(ERROR_NOT_FOUND,
				    "PMU '%s' has no event or term '%s' (nearest: '%s')", pmu->name,
				    term, nearest.best);
	return error_create(ERROR_NOT_FOUND, "PMU '%s' has no event or term '%s'", pmu->name, term);
}

/*
 * The ranges of a format take the bits of the value in order, from the lowest on:
 * "config:0-7,32-35" puts bits 0 to 7 of the value into bits 0 to 7, and bits 8 to 11 into bits 32
 * to 35.
 */
static bool has_memory_events(const char *root, const char *pmu)
{
	return sysfs_exists(root, PMU_FOLDER "/%s/events/mem-loads", pmu) ||
	       sysfs_exists(root, PMU_FOLDER "/%s/events/mem-stores", pmu);
}

struct error *pmu_set_term(const struct pmu *pmu, const char *term, uint64_t value,
			   struct perf_event_attr *attr)
{
	_cleanup_free_ char *format =
		name_list_has(&pmu->formats, term)
			? sysfs_read(pmu->root, PMU_FOLDER "/%s/format/%s", pmu->name, term)
			: NULL;

	if (!format)
		return sysfs_unknown_term(pmu, term);

	char *colon = strchr(format, ':');

	if (!colon || !starts_with(format, "config"))
		return bad_format(pmu, term, format);

	char *range = format + 6;
	unsigned int word = range == colon ? 0 : strtoul(range, NULL, 10);
	uint64_t config, left = value;

	if (word > 2)
		return error_create(ERROR_UNSUPPORTED,
				    "term '%s' of PMU '%s' is in %.*s, which this build's "
				    "perf_event_attr lacks",
				    term, pmu->name, (int)(colon - format), format);
	config = word == 0 ? attr->config : word == 1 ? attr->config1 : attr->config2;
	range = colon;
	do {
		char *end;
		unsigned long low = strtoul(range + 1, &end, 10), high = low;

		if (end == range + 1)
			return bad_format(pmu, term, format);
		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (low > high || high > 63 || (*end && *end != ','))
			return bad_format(pmu, term, format);

		unsigned int width = high - low + 1;
		uint64_t mask = low_bits(width);

		config = (config & ~(mask << low)) | (left & mask) << low;
		left = width == 64 ? 0 : left >> width;
		range = end;
	} while (*range == ',');
	if (left)
		return error_other("value 0x%llx is too large for term '%s' of PMU '%s' (%s)",
				   (unsigned long long)value, term, pmu->name, colon + 1);
	set_attr_word(attr, word, config);
	return NULL;
}

/* ---- the machine's best memory event ---- */

enum memory_source memory_source_find(const char *root)
{
	_cleanup_names_ struct name_list cores = pmu_core_names(root);

	for (size_t i = 0; i < cores.count; i++)
		if (has_memory_events(root, cores.names[i]))
			return MEMORY_SOURCE_INTEL;
	if (sysfs_exists(root, PMU_FOLDER "/ibs_op/type"))
		return MEMORY_SOURCE_AMD;
	_cleanup_names_ struct name_list spe = spe_names(root);

	return spe.count ? MEMORY_SOURCE_ARM : MEMORY_SOURCE_CLOCK;
}

const char *memory_source_reason(enum memory_source source)
{
	switch (source) {
	case MEMORY_SOURCE_INTEL: return "precise load and store events of the CPU";
	case MEMORY_SOURCE_AMD: return "instruction based sampling of the CPU";
	case MEMORY_SOURCE_ARM: return "statistical profiling extension (SPE) of the CPU";
	case MEMORY_SOURCE_CLOCK: break;
	}
	return "this machine has no hardware memory event, so a timer (cpu-clock) takes the "
	       "samples: they tell where time goes, not where misses are";
}

/*
 * On Sapphire Rapids, Alder Lake and Raptor Lake, mem-loads counts only in a group after
 * mem-loads-aux. The kernel names that event only where it is needed (arch/x86/events/intel/core.c:
 * PMU_FL_MEM_LOADS_AUX). It must only be active: its own samples would tell of no access.
 */
static void add_intel_events(struct strbuf *text, const char *root, const char *pmu,
			     unsigned int operations, unsigned int latency)
{
	bool aux = sysfs_exists(root, PMU_FOLDER "/%s/events/mem-loads-aux", pmu);
	char terms[32] = "";

	if (sysfs_exists(root, PMU_FOLDER "/%s/format/ldlat", pmu))
		snprintf(terms, sizeof(terms), ",ldlat=%u", latency);
	if (operations & MEMORY_LOADS &&
	    sysfs_exists(root, PMU_FOLDER "/%s/events/mem-loads", pmu)) {
		strbuf_add_string(text, text->length ? "," : "");
		if (aux)
			strbuf_add_format(text, "{%s/mem-loads-aux,period=0/,", pmu);
		strbuf_add_format(text, "%s/mem-loads%s/P%s", pmu, terms, aux ? "}" : "");
	}
	if (operations & MEMORY_STORES &&
	    sysfs_exists(root, PMU_FOLDER "/%s/events/mem-stores", pmu))
		strbuf_add_format(text, "%s%s/mem-stores/P", text->length ? "," : "", pmu);
}

/* Adds the event of a PMU of SPE, with the terms that perf mem has for these accesses. */
static void add_spe_event(struct strbuf *text, const char *pmu, unsigned int operations,
			  unsigned int latency)
{
	strbuf_add_format(text, "%s%s/ts_enable=1,pa_enable=1", text->length ? "," : "", pmu);
	if (operations & MEMORY_LOADS)
		strbuf_add_string(text, ",load_filter=1");
	if (operations & MEMORY_STORES)
		strbuf_add_string(text, ",store_filter=1");
	if (operations & MEMORY_LOADS)
		strbuf_add_format(text, ",min_latency=%u", latency);
	strbuf_add_char(text, '/');
}

#define DEFAULT_LATENCY 30

char *memory_source_events(const char *root, enum memory_source source, unsigned int operations,
			   unsigned int latency)
{
	_cleanup_names_ struct name_list cores = pmu_core_names(root);
	struct strbuf text = STRBUF_INIT;

	if (source == MEMORY_SOURCE_AMD)
		return latency && sysfs_exists(root, PMU_FOLDER "/ibs_op/format/ldlat")
			       ? xasprintf("ibs_op/ldlat=%u/", latency)
			       : xstrdup("ibs_op//");
	latency = latency ?: DEFAULT_LATENCY;
	if (source == MEMORY_SOURCE_CLOCK)
		return xstrdup("cpu-clock");
	if (source == MEMORY_SOURCE_ARM) {
		_cleanup_names_ struct name_list spe = spe_names(root);

		for (size_t i = 0; i < spe.count; i++)
			add_spe_event(&text, spe.names[i], operations, latency);
		return text.length ? strbuf_detach(&text) : xstrdup("");
	}
	for (size_t i = 0; i < cores.count; i++)
		add_intel_events(&text, root, cores.names[i], operations, latency);
	return text.length ? strbuf_detach(&text) : xstrdup("");
}
