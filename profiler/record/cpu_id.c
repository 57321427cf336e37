// SPDX-License-Identifier: GPL-2.0-or-later
/* The CPU's name: see cpu_id.h. */
#include "profiler/record/cpu_id.h"

#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/record/sysfs.h"

/* The value of the first line "key<tab>: value", to be freed. */
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

char *cpu_description(const char *root)
{
	_cleanup_free_ char *text = sysfs_read(root, "/proc/cpuinfo");

	return text ? find_value(text, "model name") : NULL;
}

char *cpu_id(const char *root)
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
