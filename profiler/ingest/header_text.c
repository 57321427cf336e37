// SPDX-License-Identifier: GPL-2.0-or-later
/* What `report --header` prints of a file: see header_text.h. */
#include "profiler/ingest/header_text.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "profiler/ingest/feature_text.h"

void text_add_printable(struct strbuf *text, const char *string)
{
	for (; *string; string++) {
		unsigned char byte = (unsigned char)*string;

		strbuf_add_char(text, byte < ' ' || byte == 0x7f ? '?' : *string);
	}
}

void feature_add_string(struct feature_printer *printer)
{
	uint32_t length = cursor_u32(&printer->cursor);
	const char *string = cursor_bytes(&printer->cursor, length);

	if (string && memchr(string, '\0', length))
		text_add_printable(printer->text, string);
}

static void print_string(struct feature_printer *printer, const char *label)
{
	strbuf_add_format(printer->text, "# %s : ", label);
	feature_add_string(printer);
	strbuf_add_char(printer->text, '\n');
}

static void print_hostname(struct feature_printer *printer)
{
	print_string(printer, "hostname");
}

static void print_osrelease(struct feature_printer *printer)
{
	print_string(printer, "os release");
}

static void print_version(struct feature_printer *printer)
{
	print_string(printer, "perf version");
}

static void print_arch(struct feature_printer *printer)
{
	print_string(printer, "arch");
}

static void print_cpudesc(struct feature_printer *printer)
{
	print_string(printer, "cpudesc");
}

static void print_cpuid(struct feature_printer *printer)
{
	print_string(printer, "cpuid");
}

static void print_nrcpus(struct feature_printer *printer)
{
	uint32_t available = cursor_u32(&printer->cursor);
	uint32_t online = cursor_u32(&printer->cursor);

	strbuf_add_format(printer->text, "# nrcpus online : %u\n# nrcpus avail : %u\n", online, available);
}

static void print_total_memory(struct feature_printer *printer)
{
	strbuf_add_format(printer->text, "# total memory : %" PRIu64 " kB\n", cursor_u64(&printer->cursor));
}

static void print_cmdline(struct feature_printer *printer)
{
	uint32_t count = cursor_u32(&printer->cursor);

	strbuf_add_string(printer->text, "# cmdline : ");
	for (uint32_t i = 0; i < count && !printer->cursor.failed; i++) {
		feature_add_string(printer);
		strbuf_add_char(printer->text, ' ');
	}
	strbuf_add_char(printer->text, '\n');
}

static void print_branch_stack(struct feature_printer *printer)
{
	strbuf_add_string(printer->text, "# contains samples with branch stack\n");
}

static void print_auxtrace(struct feature_printer *printer)
{
	strbuf_add_string(printer->text, "# contains AUX area data (e.g. instruction trace)\n");
}

static void print_stat(struct feature_printer *printer)
{
	strbuf_add_string(printer->text, "# contains stat data\n");
}

static void print_pmu_mappings(struct feature_printer *printer)
{
	uint32_t count = cursor_u32(&printer->cursor);

	strbuf_add_string(printer->text, count ? "# pmu mappings: " : "# pmu mappings: not available");
	for (uint32_t i = 0; i < count && !printer->cursor.failed; i++) {
		uint32_t type = cursor_u32(&printer->cursor);

		if (i)
			strbuf_add_string(printer->text, ", ");
		feature_add_string(printer);
		strbuf_add_format(printer->text, " = %u", type);
	}
	strbuf_add_char(printer->text, '\n');
}

static void print_sample_time(struct feature_printer *printer)
{
	uint64_t first = cursor_u64(&printer->cursor);
	uint64_t last = cursor_u64(&printer->cursor);

	strbuf_add_format(printer->text, "# time of first sample : %" PRIu64 ".%06" PRIu64 "\n",
			  first / 1000000000, first % 1000000000 / 1000);
	strbuf_add_format(printer->text, "# time of last sample : %" PRIu64 ".%06" PRIu64 "\n",
			  last / 1000000000, last % 1000000000 / 1000);
	strbuf_add_format(printer->text, "# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

static void print_clockid(struct feature_printer *printer)
{
	strbuf_add_format(printer->text, "# clockid frequency: %" PRIu64 " MHz\n",
			  cursor_u64(&printer->cursor) * 1000);
}

static void print_dir_format(struct feature_printer *printer)
{
	strbuf_add_format(printer->text, "# directory data version : %" PRIu64 "\n",
			  cursor_u64(&printer->cursor));
}

static void print_compressed(struct feature_printer *printer)
{
	cursor_skip(&printer->cursor, 4);
	uint32_t type = cursor_u32(&printer->cursor);
	uint32_t level = cursor_u32(&printer->cursor);
	uint32_t ratio = cursor_u32(&printer->cursor);

	strbuf_add_format(printer->text, "# compressed : %s, level = %u, ratio = %u\n",
			  type == 1 ? "Zstd" : "Unknown", level, ratio);
}

/* "name=value, ..." of as many as the feature says next */
static void print_capabilities(struct feature_printer *printer, struct strbuf *into)
{
	uint32_t count = cursor_u32(&printer->cursor);
	struct strbuf *text = printer->text;

	printer->text = into;
	if (!count)
		strbuf_add_string(into, "not available");
	for (uint32_t i = 0; i < count && !printer->cursor.failed; i++) {
		if (i)
			strbuf_add_string(into, ", ");
		feature_add_string(printer);
		strbuf_add_char(into, '=');
		feature_add_string(printer);
	}
	printer->text = text;
}

static void print_cpu_pmu_caps(struct feature_printer *printer)
{
	strbuf_add_string(printer->text, "# cpu pmu capabilities: ");
	print_capabilities(printer, printer->text);
	strbuf_add_char(printer->text, '\n');
}

static void print_pmu_caps(struct feature_printer *printer)
{
	uint32_t count = cursor_u32(&printer->cursor);

	for (uint32_t i = 0; i < count && !printer->cursor.failed; i++) {
		_cleanup_strbuf_ struct strbuf capabilities = STRBUF_INIT;

		/* The PMU's name comes behind what it can do. */
		print_capabilities(printer, &capabilities);
		strbuf_add_string(printer->text, "# ");
		feature_add_string(printer);
		strbuf_add_format(printer->text, " pmu capabilities: %s\n", capabilities.data);
	}
}

/* clock_gettime(2) */
static const char *clock_name(uint32_t clock)
{
	static const char *const names[] = {
		"realtime",      "monotonic",       "process_cputime_id", "thread_cputime_id",
		"monotonic_raw", "realtime_coarse", "monotonic_coarse",   "boottime",
	};

	if (clock == CLOCK_TAI)
		return "tai";
	return clock < sizeof(names) / sizeof(names[0]) ? names[clock] : "unknown";
}

static void print_clock_data(struct feature_printer *printer)
{
	cursor_skip(&printer->cursor, 4);
	uint32_t clock = cursor_u32(&printer->cursor);
	uint64_t wall = cursor_u64(&printer->cursor);
	uint64_t reference = cursor_u64(&printer->cursor);
	time_t seconds = (time_t)(wall / 1000000000);
	struct tm local;
	char date[64] = "";

	if (localtime_r(&seconds, &local))
		(void)strftime(date, sizeof(date), "%F %T", &local);
	strbuf_add_format(printer->text, "# clockid: %s (%u)\n", clock_name(clock), clock);
	strbuf_add_format(printer->text,
			  "# reference time: %s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64 " (TOD) = %" PRIu64
			  ".%09" PRIu64 " (%s)\n",
			  date, wall % 1000000000 / 1000, wall / 1000000000, wall % 1000000000 / 1000,
			  reference / 1000000000, reference % 1000000000, clock_name(clock));
}

/* e_machine and e_flags of the ELF header of the machine's programs */
static void print_machine(struct feature_printer *printer)
{
	uint32_t machine = cursor_u32(&printer->cursor);
	uint32_t flags = cursor_u32(&printer->cursor);

	if (!printer->cursor.failed)
		strbuf_add_format(printer->text, "# e_machine : %u\n#   e_flags : %u\n", machine, flags);
}

static void print_cacheline(struct feature_printer *printer)
{
	uint32_t size = cursor_u32(&printer->cursor);

	if (!printer->cursor.failed)
		strbuf_add_format(printer->text, "# cacheline size: %u\n", size);
}

/* In the order of their numbers. Without a printer nothing is said of a feature that is there. */
static const struct feature_kind {
	const char *name;
	void (*print)(struct feature_printer *printer);
	bool full_only;
} feature_kinds[] = {
	[FEATURE_TRACING_DATA] = { "TRACING_DATA", NULL, false },
	[FEATURE_BUILD_ID] = { "BUILD_ID", NULL, false },
	[FEATURE_HOSTNAME] = { "HOSTNAME", print_hostname, false },
	[FEATURE_OSRELEASE] = { "OSRELEASE", print_osrelease, false },
	[FEATURE_VERSION] = { "VERSION", print_version, false },
	[FEATURE_ARCH] = { "ARCH", print_arch, false },
	[FEATURE_NRCPUS] = { "NRCPUS", print_nrcpus, false },
	[FEATURE_CPUDESC] = { "CPUDESC", print_cpudesc, false },
	[FEATURE_CPUID] = { "CPUID", print_cpuid, false },
	[FEATURE_TOTAL_MEM] = { "TOTAL_MEM", print_total_memory, false },
	[FEATURE_CMDLINE] = { "CMDLINE", print_cmdline, false },
	[FEATURE_EVENT_DESC] = { "EVENT_DESC", print_events, false },
	[FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", print_cpu_topology, true },
	[FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", print_numa_topology, true },
	[FEATURE_BRANCH_STACK] = { "BRANCH_STACK", print_branch_stack, false },
	[FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", print_pmu_mappings, false },
	[FEATURE_GROUP_DESC] = { "GROUP_DESC", print_groups, false },
	[FEATURE_AUXTRACE] = { "AUXTRACE", print_auxtrace, false },
	[FEATURE_STAT] = { "STAT", print_stat, false },
	[FEATURE_CACHE] = { "CACHE", print_cache, true },
	[FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", print_sample_time, false },
	[FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", print_memory_topology, true },
	[FEATURE_CLOCKID] = { "CLOCKID", print_clockid, false },
	[FEATURE_DIR_FORMAT] = { "DIR_FORMAT", print_dir_format, false },
	[FEATURE_BPF_PROG_INFO] = { "BPF_PROG_INFO", print_bpf_programs, false },
	[FEATURE_BPF_BTF] = { "BPF_BTF", print_btf, false },
	[FEATURE_COMPRESSED] = { "COMPRESSED", print_compressed, false },
	[FEATURE_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", print_cpu_pmu_caps, false },
	[FEATURE_CLOCK_DATA] = { "CLOCK_DATA", print_clock_data, false },
	[FEATURE_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", print_hybrid_topology, true },
	[FEATURE_PMU_CAPS] = { "PMU_CAPS", print_pmu_caps, false },
	[FEATURE_CPU_DOMAIN_INFO] = { "CPU_DOMAIN_INFO", print_cpu_domains, true },
	[FEATURE_E_MACHINE] = { "E_MACHINE", print_machine, false },
	[FEATURE_CACHELINE_SIZE] = { "CLN_SIZE", print_cacheline, false },
};

#define FEATURE_KINDS (sizeof(feature_kinds) / sizeof(feature_kinds[0]))

static void print_feature(const struct session *session, unsigned int feature, bool full, struct strbuf *text)
{
	const struct feature_section *section = &session->header.features[feature];
	const struct feature_kind *kind = &feature_kinds[feature];
	struct feature_printer printer = {
		.session = session,
		.text = text,
		.cursor = cursor_of(section->data, section->size, session->header.swap),
	};

	if (!section->data)
		return;
	if (kind->full_only && !full)
		strbuf_add_format(text, "# %s info available, use -I to display\n", kind->name);
	else if (kind->print)
		kind->print(&printer);
}

static void print_file(const struct session *session, struct strbuf *text)
{
	const struct perf_header *header = &session->header;
	time_t modified = (time_t)session->file.modified;
	char date[32];

	strbuf_add_string(text, "# ========\n");
	/* ctime_r() ends its text in a newline. */
	if (modified && ctime_r(&modified, date))
		strbuf_add_format(text, "# captured on    : %s", date);
	strbuf_add_format(text, "# header version : %d\n", header->version - 1);
	strbuf_add_format(text, "# data offset    : %" PRIu64 "\n", header->pipe ? 0 : header->data_offset);
	strbuf_add_format(text, "# data size      : %" PRIu64 "\n", header->pipe ? 0 : header->data_claimed);
	strbuf_add_format(text, "# feat offset    : %" PRIu64 "\n",
			  header->pipe ? 0 : header->data_offset + header->data_claimed);
}

static void print_missing(const struct session *session, struct strbuf *text)
{
	strbuf_add_string(text, "# missing features: ");
	for (unsigned int i = 1; i < FEATURE_KINDS; i++)
		if (!session->header.features[i].data)
			strbuf_add_format(text, "%s ", feature_kinds[i].name);
	strbuf_add_char(text, '\n');
}

void session_header_text(const struct session *session, bool full, struct strbuf *text)
{
	bool pipe = session->header.pipe;

	print_file(session, text);
	if (pipe) /* there the features come later, and those that do not are not missed */
		strbuf_add_string(text, "# ========\n#\n");
	for (unsigned int i = 1; i < FEATURE_KINDS; i++)
		print_feature(session, i, full, text);
	if (pipe)
		return;
	print_missing(session, text);
	strbuf_add_string(text, "# ========\n#\n");
}
