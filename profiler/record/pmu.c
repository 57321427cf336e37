// SPDX-License-Identifier: GPL-2.0-or-later
/* PMUs in sysfs: see pmu.h. */
#include "profiler/record/pmu.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/text.h"
#include "profiler/base/words.h"

static struct name_list read_events(const char *root, const char *name)
{
	static const char *const attributes[] = { ".scale", ".unit", ".snapshot", ".per-pkg" };
	_cleanup_names_ struct name_list files = sysfs_list(root, PMU_FOLDER "/%s/events", name);
	struct name_list events = { 0 };

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
	pmu->cpus = sysfs_read(root, PMU_FOLDER "/%s/cpus", name);
	if (!pmu->cpus) {
		pmu->cpus = sysfs_read(root, PMU_FOLDER "/%s/cpumask", name);
		pmu->uncore = pmu->cpus != NULL;
	}
	pmu->formats = sysfs_list(root, PMU_FOLDER "/%s/format", name);
	pmu->events = read_events(root, name);
	*result = pmu;
	return NULL;
}

void pmu_close(struct pmu *pmu)
{
	if (!pmu)
		return;
	free(pmu->name);
	free(pmu->cpus);
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

/* Returns config, config1 or config2. */
static uint64_t attr_word(const struct perf_event_attr *attr, unsigned int word)
{
	return word == 0 ? attr->config : word == 1 ? attr->config1 : attr->config2;
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

static struct error *unknown_term(const struct pmu *pmu, const char *term)
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
 * The ranges take the bits of the value in their order, from the lowest on: "config:0-7,32-35" puts
 * bits 0 to 7 of the value into bits 0 to 7, and bits 8 to 11 into bits 32 to 35.
 */
struct error *pmu_set_term(const struct pmu *pmu, const char *term, uint64_t value,
			   struct perf_event_attr *attr)
{
	_cleanup_free_ char *format =
		name_list_has(&pmu->formats, term)
			? sysfs_read(pmu->root, PMU_FOLDER "/%s/format/%s", pmu->name, term)
			: NULL;

	if (!format)
		return unknown_term(pmu, term);

	char *colon = strchr(format, ':');

	if (!colon || strncmp(format, "config", 6))
		return bad_format(pmu, term, format);

	char *range = format + 6;
	unsigned int word = range == colon ? 0 : strtoul(range, NULL, 10);
	uint64_t config, left = value;

	if (word > 2)
		return error_create(ERROR_UNSUPPORTED,
				    "term '%s' of PMU '%s' is in %.*s, which this build's "
				    "perf_event_attr lacks",
				    term, pmu->name, (int)(colon - format), format);
	config = attr_word(attr, word);
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
		uint64_t mask = width == 64 ? UINT64_MAX : (1ULL << width) - 1;

		config = (config & ~(mask << low)) | (left & mask) << low;
		left = width == 64 ? 0 : left >> width;
		range = end;
	} while (*range == ',');
	if (left)
		return error_create(ERROR_OTHER,
				    "value 0x%llx is too large for term '%s' of PMU '%s' (%s)",
				    (unsigned long long)value, term, pmu->name, colon + 1);
	set_attr_word(attr, word, config);
	return NULL;
}
