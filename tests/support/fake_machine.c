// SPDX-License-Identifier: GPL-2.0-or-later
/* See fake_machine.h. The contents are those of real machines' files. */
#include "tests/support/fake_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "tests/support/process.h"

#define DEVICES "/sys/bus/event_source/devices/"

struct fake {
	const char *path;
	const char *content;
};

static const struct fake software_files[] = {
	{ DEVICES "software/type", "1\n" },
	{ DEVICES "tracepoint/type", "2\n" },
	{ DEVICES "breakpoint/type", "5\n" },
	{ "/proc/sys/kernel/perf_event_paranoid", "2\n" },
	{ "/proc/sys/kernel/perf_event_max_sample_rate", "100000\n" },
	{ "/proc/sys/kernel/perf_event_mlock_kb", "516\n" },
	{ "/proc/cpuinfo",
	  "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
	  "model name\t: Intel(R) Xeon(R) Platinum 8480+\nstepping\t: 8\n" },
	{ "/sys/kernel/tracing/events/sched/sched_switch/id", "316\n" },
	{ "/sys/kernel/tracing/events/sched/sched_wakeup/id", "318\n" },
	{ "/sys/kernel/tracing/events/syscalls/sys_enter_openat/id", "650\n" },
};

static const struct fake core_files[] = {
	{ "format/event", "config:0-7\n" },
	{ "format/umask", "config:8-15\n" },
	{ "format/ldlat", "config1:0-15\n" },
	{ "format/offcore_rsp", "config1:0-63\n" },
	{ "events/mem-stores", "event=0xd0,umask=0x82\n" },
	{ "events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ "events/cpu-cycles", "event=0x3c\n" },
	{ "events/topdown-retiring", "event=0x00,umask=0x80\n" },
	{ "events/topdown-retiring.scale", "2\n" },
};

void fake_file(const char *root, const char *path, const char *content)
{
	_cleanup_free_ char *full = xasprintf("%s%s", root, path);

	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0777);
		*slash = '/';
	}

	FILE *file = fopen(full, "w");

	if (!file) {
		perror(full);
		abort();
	}
	fputs(content, file);
	fclose(file);
}

static void device_file(const char *root, const char *device, const char *path, const char *content)
{
	_cleanup_free_ char *full = xasprintf(DEVICES "%s/%s", device, path);

	fake_file(root, full, content);
}

static void add_core(const char *root, const char *device, const char *type)
{
	device_file(root, device, "type", type);
	for (size_t i = 0; i < sizeof(core_files) / sizeof(*core_files); i++)
		device_file(root, device, core_files[i].path, core_files[i].content);
}

char *fake_virtual_machine(void)
{
	char *root = scratch_create();

	for (size_t i = 0; i < sizeof(software_files) / sizeof(*software_files); i++)
		fake_file(root, software_files[i].path, software_files[i].content);
	return root;
}

char *fake_intel_machine(void)
{
	char *root = fake_virtual_machine();

	add_core(root, "cpu", "4\n");
	return root;
}

char *fake_intel_server(void)
{
	char *root = fake_intel_machine();

	device_file(root, "cpu", "events/mem-loads-aux", "event=0x03,umask=0x82\n");
	device_file(root, "uncore_imc_0", "type", "24\n");
	device_file(root, "uncore_imc_0", "cpumask", "0,56\n");
	device_file(root, "uncore_imc_0", "format/event", "config:0-7\n");
	device_file(root, "uncore_imc_0", "format/wide", "config:0-7,32-35\n");
	device_file(root, "uncore_imc_1", "type", "25\n");
	device_file(root, "uncore_imc_1", "cpumask", "0,56\n");
	device_file(root, "uncore_imc_1", "format/event", "config:0-7\n");
	return root;
}

char *fake_hybrid_machine(void)
{
	char *root = fake_virtual_machine();

	add_core(root, "cpu_core", "4\n");
	device_file(root, "cpu_core", "cpus", "0-7\n");
	device_file(root, "cpu_core", "events/mem-loads-aux", "event=0x03,umask=0x82\n");
	add_core(root, "cpu_atom", "10\n");
	device_file(root, "cpu_atom", "cpus", "8-15\n");
	return root;
}

char *fake_amd_machine(void)
{
	char *root = fake_virtual_machine();

	device_file(root, "cpu", "type", "4\n");
	device_file(root, "cpu", "format/event", "config:0-7,32-35\n");
	device_file(root, "cpu", "format/umask", "config:8-15\n");
	device_file(root, "cpu", "events/cpu-cycles", "event=0x76\n");
	device_file(root, "ibs_op", "type", "11\n");
	device_file(root, "ibs_op", "format/cnt_ctl", "config:19\n");
	device_file(root, "ibs_op", "format/swfilt", "config2:0\n");
	device_file(root, "ibs_op", "format/l3missonly", "config:16\n");
	device_file(root, "ibs_fetch", "type", "10\n");
	return root;
}

char *fake_arm_machine(void)
{
	static const struct fake files[] = {
		{ "format/ts_enable", "config:0\n" },
		{ "format/pa_enable", "config:1\n" },
		{ "format/pct_enable", "config:2\n" },
		{ "format/jitter", "config:16\n" },
		{ "format/branch_filter", "config:32\n" },
		{ "format/load_filter", "config:33\n" },
		{ "format/store_filter", "config:34\n" },
		{ "format/event_filter", "config1:0-63\n" },
		{ "format/min_latency", "config2:0-11\n" },
		{ "caps/min_interval", "1024\n" },
	};
	static const char *const cores[][2] = { { "0", "0-3\n" }, { "1", "4-7\n" } };
	char *root = fake_virtual_machine();

	for (size_t core = 0; core < 2; core++) {
		_cleanup_free_ char *counters = xasprintf("armv8_pmuv3_%s", cores[core][0]);
		_cleanup_free_ char *spe = xasprintf("arm_spe_%s", cores[core][0]);

		device_file(root, counters, "type", core ? "9\n" : "8\n");
		device_file(root, counters, "cpus", cores[core][1]);
		device_file(root, counters, "format/event", "config:0-15\n");
		device_file(root, counters, "events/mem_access", "event=0x0013\n");
		device_file(root, spe, "type", core ? "12\n" : "11\n");
		device_file(root, spe, "cpumask", cores[core][1]);
		for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
			device_file(root, spe, files[i].path, files[i].content);
	}
	device_file(root, "cs_etm", "type", "13\n");
	for (unsigned int cpu = 0; cpu < 9; cpu++) {
		_cleanup_free_ char *path = xasprintf(
			"/sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", cpu);

		fake_file(root, path, cpu < 4 ? "0x00000000410fd0c0\n" : "0x00000000410fd4f0\n");
	}
	return root;
}
