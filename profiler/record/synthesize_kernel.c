// SPDX-License-Identifier: GPL-2.0-or-later
/* Records for the kernel and its modules: see synthesize.h. */
#include <perf/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "profiler/base/memory.h"
#include "profiler/record/synthesize.h"
#include "profiler/record/sysfs.h"

static void add_map(uint64_t start_address, uint64_t length, uint64_t offset, const char *name,
		    const struct synthesis_options *options, struct strbuf *records)
{
	/* Process -1 is the kernel's own. */
	struct perf_record_mmap map = { .header = { .type = PERF_RECORD_MMAP,
						    .misc = PERF_RECORD_MISC_KERNEL },
					.pid = -1,
					.tid = 0,
					.start = start_address,
					.len = length,
					.pgoff = offset };
	size_t start = records->length;

	strbuf_add(records, &map, offsetof(struct perf_record_mmap, filename));
	strbuf_add(records, name, strlen(name) + 1);
	synthesize_end(records, start, options);
}

struct kernel_symbols {
	uint64_t text;
	uint64_t start_text;
	uint64_t end_text;
};

/* /proc/kallsyms: "ffffffff81000000 T _text"; all addresses are 0 for those who may not see them. */
static bool read_symbols(const char *root, struct kernel_symbols *symbols)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/kallsyms", root);
	_cleanup_free_ char *line = NULL;
	FILE *file = fopen(path, "re");
	size_t capacity = 0;

	*symbols = (struct kernel_symbols){ 0 };
	if (!file)
		return false;
	while (getline(&line, &capacity, file) > 0 && !(symbols->text && symbols->end_text)) {
		uint64_t address;
		char type, name[16];

		if (sscanf(line, "%lx %c %15s", &address, &type, name) != 3)
			continue;
		if (strcmp(name, "_text") == 0)
			symbols->text = address;
		else if (strcmp(name, "_stext") == 0)
			symbols->start_text = address;
		else if (strcmp(name, "_etext") == 0)
			symbols->end_text = address;
	}
	fclose(file);
	return symbols->text || symbols->start_text;
}

/* A module's name with '_', as its file may be spelled with '-': "nf_tables" is nf-tables.ko or
 * nf_tables.ko.xz. */
static bool is_module_file(const char *path, size_t length, const char *name)
{
	const char *base = memrchr(path, '/', length);
	size_t name_length = strlen(name);

	base = base ? base + 1 : path;
	if ((size_t)(path + length - base) < name_length + 3)
		return false;
	for (size_t i = 0; i < name_length; i++) {
		if ((base[i] == '-' ? '_' : base[i]) != name[i])
			return false;
	}
	return strncmp(base + name_length, ".ko", 3) == 0;
}

/* The module's file by modules.dep, "kernel/drivers/x/y.ko.xz: ..."; "[name]" where it is not listed. */
static char *module_path(const char *dependencies, const char *release, const char *name)
{
	for (const char *line = dependencies; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		size_t length = strcspn(line, ":\n");

		if (line[length] == ':' && is_module_file(line, length, name))
			return *line == '/' ? xstrndup(line, length)
					    : xasprintf("/lib/modules/%s/%.*s", release, (int)length, line);
	}
	return xasprintf("[%s]", name);
}

/* /proc/modules: "name size uses users state 0xaddress". */
static void add_modules(const char *root, const struct synthesis_options *options, struct strbuf *records)
{
	_cleanup_free_ char *modules = sysfs_read(root, "/proc/modules");
	struct utsname system;
	char *save = NULL;

	if (!modules || uname(&system))
		return;
	_cleanup_free_ char *dependencies = sysfs_read(root, "/lib/modules/%s/modules.dep", system.release);

	for (char *line = strtok_r(modules, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char name[64];
		uint64_t size, address;

		if (sscanf(line, "%63s %lu %*s %*s %*s %lx", name, &size, &address) != 3 || !address)
			continue;
		_cleanup_free_ char *path = module_path(dependencies, system.release, name);

		add_map(address, size, 0, path, options, records);
	}
}

void synthesize_kernel(const char *root, const struct synthesis_options *options, struct strbuf *records,
		       bool *restricted)
{
	struct kernel_symbols symbols;

	*restricted = !read_symbols(root, &symbols);
	if (*restricted)
		return;

	bool text = symbols.text != 0;
	uint64_t start = text ? symbols.text : symbols.start_text;
	uint64_t length = symbols.end_text > start ? symbols.end_text - start : UINT64_MAX - start;

	/* The name's end is the symbol whose address at recording time pgoff is: so that a moved kernel is
	 * found again. */
	add_map(start, length, start, text ? "[kernel.kallsyms]_text" : "[kernel.kallsyms]_stext", options,
		records);
	add_modules(root, options, records);
}
