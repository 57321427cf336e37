// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements rights.h, and of recording.h why a recording is empty.
 *
 * A number of /proc means what it says only in the first namespaces: root of a user namespace has
 * all capabilities, and none that the kernel asks for here. An errno is put down to a cause only if
 * the system says that it is the cause.
 */
#include "profiler/record/rights.h"

#include <linux/capability.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "profiler/record/recording.h"
#include "base/text.h"
#include "profiler/record/sysfs.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

/* The default of kernel.perf_event_mlock_kb: 512 KB and a page (kernel/events/core.c). */
#define LOCKABLE_DEFAULT 516

/* The inodes of the first namespaces in /proc/PID/ns (include/linux/proc_ns.h of the kernel). */
#define FIRST_USER_NAMESPACE 0xeffffffdU
#define FIRST_PID_NAMESPACE  0xeffffffcU

/* Returns whether this process is in another namespace than the first, if listed. */
static bool in_other_namespace(const char *root, const char *name, ino_t first)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/self/ns/%s", root, name);
	struct stat status;

	return stat(path, &status) == 0 && status.st_ino != first;
}

/* Returns the number after `name` in the text of /proc/self/status, which may be NULL, or 0. */
static uint64_t status_value(const char *status, const char *name, int base)
{
	const char *line = status ? strstr(status, name) : NULL;

	return line ? strtoull(line + strlen(name), NULL, base) : 0;
}

/* Returns whether /proc is another PID namespace's: it lacks its reader's number. */
static bool is_foreign_proc(const char *root)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/self", root);
	char number[32] = "";

	return !*root && readlink(path, number, sizeof(number) - 1) > 0 &&
	       strtol(number, NULL, 10) != getpid();
}

#define SECCOMP_FILTER 2 /* of "Seccomp:" in /proc/PID/status: proc(5) */

struct error *rights_read(const char *root, struct rights *rights)
{
	_cleanup_free_ char *status = sysfs_read(root, "/proc/self/status");
	bool user_namespace = in_other_namespace(root, "user", FIRST_USER_NAMESPACE);
	uint64_t capabilities = user_namespace ? 0 : status_value(status, "\nCapEff:", 16);
	int64_t value;

	if (!sysfs_read_number(&value, root, "/proc/sys/kernel/perf_event_paranoid"))
		return error_create(ERROR_UNSUPPORTED,
				    "this kernel has no performance events "
				    "(/proc/sys/kernel/perf_event_paranoid cannot be read)");
	*rights = (struct rights){
		.paranoid = (int)value,
		.privileged = capabilities & (1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN),
		/* below level 0 the kernel does not count the pages of ring buffers */
		.may_lock = value < 0 || capabilities & 1ULL << CAP_IPC_LOCK,
		.user_namespace = user_namespace,
		.pid_namespace = in_other_namespace(root, "pid", FIRST_PID_NAMESPACE),
		.foreign_proc = is_foreign_proc(root),
		.filtered = status_value(status, "\nSeccomp:", 10) == SECCOMP_FILTER,
		.lockable_kilobytes = LOCKABLE_DEFAULT,
	};
	if (sysfs_read_number(&value, root, "/proc/sys/kernel/perf_event_max_sample_rate") &&
	    value > 0)
		rights->max_sample_rate = value;
	if (sysfs_read_number(&value, root, "/proc/sys/kernel/perf_event_mlock_kb") && value > 0)
		rights->lockable_kilobytes = value;
	return NULL;
}

bool rights_allow_kernel(const struct rights *rights)
{
	return rights->privileged || rights->paranoid <= 1;
}

bool rights_allow_system_wide(const struct rights *rights)
{
	return rights->privileged || rights->paranoid <= 0;
}

struct error *rights_check_proc(const struct rights *rights)
{
	return rights->foreign_proc
		       ? error_create(ERROR_UNSUPPORTED,
				      "/proc shows another PID namespace than this process's, so "
				      "other processes by the same ids: mount -t proc proc /proc "
				      "(unshare --mount-proc)")
		       : NULL;
}

char *rights_advice(const struct rights *rights, int level)
{
	if (rights->user_namespace)
		return xasprintf(
			"kernel.perf_event_paranoid is %d, and root of a user namespace has no "
			"rights beyond it; as root outside: sysctl kernel.perf_event_paranoid=%d",
			rights->paranoid, level);
	return xasprintf("kernel.perf_event_paranoid is %d; as root: sysctl "
			 "kernel.perf_event_paranoid=%d, or give dtprof the capability CAP_PERFMON",
			 rights->paranoid, level);
}

/* ---- events ---- */

#define SECCOMP_CURE                                                                               \
	"a seccomp filter of this process forbids it (Seccomp: 2 in /proc/self/status): start "    \
	"the container with --security-opt seccomp=unconfined, or the service without "            \
	"SystemCallFilter"

/* Returns whether the filter of this process keeps it from calling perf_event_open(2) at all. The
 * kernel answers EFAULT to a call without an attr, before it looks at any right. */
static bool call_is_filtered(const struct rights *rights)
{
	return rights->filtered && syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) < 0 &&
	       errno != EFAULT;
}

static bool is_kernel_breakpoint(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_BREAKPOINT && attr->bp_addr > INT64_MAX;
}

/* Returns the error for an event that this process may not open, with the level that allows it. */
static struct error *permission_error(const struct event_spec *spec, const struct rights *rights,
				      bool system_wide)
{
	const struct perf_event_attr *attr = &spec->attr;
	int level = system_wide ? 0 : attr->exclude_kernel ? 2 : 1;

	if (call_is_filtered(rights))
		return error_create(ERROR_PERMISSION,
				    "cannot record event '%s' by perf_event_open(2): " SECCOMP_CURE,
				    spec->name);
	/* No level allows these. */
	if (!rights->privileged && (attr->namespaces || is_kernel_breakpoint(attr)))
		return error_create(ERROR_PERMISSION, "event '%s': %s needs root", spec->name,
				    attr->namespaces ? "--namespaces" : "a kernel breakpoint");
	if (spec->tracepoint || (attr->sample_type & PERF_SAMPLE_RAW))
		level = -1;
	/* The kernel guards physical addresses and its own branches like its own samples. */
	else if (level > 1 &&
		 (attr->sample_type & PERF_SAMPLE_PHYS_ADDR ||
		  attr->branch_sample_type & (PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)))
		level = 1;
	if (rights->privileged || rights->paranoid <= level)
		return error_create(ERROR_PERMISSION,
				    "no permission to record event '%s' of this process (a "
				    "security module, or %s)",
				    spec->name,
				    rights->user_namespace
					    ? "a process from outside of this user namespace"
					    : "not your process");
	_cleanup_free_ char *advice = rights_advice(rights, level);

	return error_create(ERROR_PERMISSION, "no permission to record event '%s'%s: %s",
			    spec->name, system_wide ? " system-wide" : "", advice);
}

/* Texts about an event, by the errno of perf_event_open(2). */
static const struct {
	int number;
	enum error_code code;
	const char *text;
} open_texts[] = {
	{ ENOSYS, ERROR_OTHER, ": this kernel has no perf_event_open(2)" },
	{ ENOENT, ERROR_UNSUPPORTED, " is not supported by this machine" },
	{ ENXIO, ERROR_UNSUPPORTED, " is not supported by this machine" },
	{ ENODEV, ERROR_UNSUPPORTED,
	  " is not supported by this machine, or not by a CPU that has gone offline" },
	{ EOPNOTSUPP, ERROR_UNSUPPORTED, ": this machine cannot sample it in this way" },
	{ EINVAL, ERROR_UNSUPPORTED, ": the kernel refuses it with these options" },
	{ E2BIG, ERROR_UNSUPPORTED, ": this kernel is too old for its terms" },
	{ ESRCH, ERROR_NOT_FOUND, ": the thread has ended" },
	{ EBUSY, ERROR_OTHER, ": another event that excludes it is in use" },
	{ ENOSPC, ERROR_OTHER, ": no breakpoint register is left (there are four)" },
};

struct error *open_error(int error_number, const struct event_spec *spec,
			 const struct rights *rights, bool system_wide)
{
	if (error_number == EACCES || error_number == EPERM ||
	    (error_number == ENOSYS && call_is_filtered(rights)) ||
	    (error_number == EINVAL && !rights->privileged && is_kernel_breakpoint(&spec->attr)))
		return permission_error(spec, rights, system_wide);
	if (error_number == EMFILE)
		return descriptors_error(1);
	if (error_number == ENODATA)
		return error_create(ERROR_UNSUPPORTED,
				    "event '%s' must follow mem-loads-aux in a group: "
				    "{%s/mem-loads-aux,period=0/,%s}",
				    spec->name, spec->pmu ? spec->pmu->name : "cpu", spec->name);
	for (size_t i = 0; i < COUNT_OF(open_texts); i++)
		if (open_texts[i].number == error_number)
			return error_create(open_texts[i].code, "event '%s'%s", spec->name,
					    open_texts[i].text);
	return error_errno(error_number, "event '%s'", spec->name);
}

struct error *bpf_error(const char *option, const struct rights *rights, struct error *error)
{
	if (error->code != ERROR_PERMISSION || !(rights->filtered || rights->user_namespace))
		return error;
	error_destroy(error);
	return rights->filtered
		       ? error_create(ERROR_PERMISSION, "%s needs bpf(2), and " SECCOMP_CURE,
				      option)
		       : error_create(ERROR_PERMISSION,
				      "%s needs root or the capabilities CAP_BPF and CAP_PERFMON, "
				      "and those of this user namespace do not count",
				      option);
}

/* ---- descriptors and memory ---- */

/* Descriptors besides those of counters: files, pipes and libraries' own. */
#define OTHER_DESCRIPTORS 64

struct error *descriptors_error(size_t needed)
{
	struct rlimit limit;

	needed += OTHER_DESCRIPTORS;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max >= needed)
		return error_other("too many open files: %zu are needed (ulimit -n %zu)", needed,
				   needed);
	return error_other("too many open files: %zu are needed, and the hard limit is %zu: raise "
			   "it as root (ulimit -n %zu), or record fewer threads or CPUs",
			   needed, (size_t)limit.rlim_max, needed);
}

/* The kernel adds up the pages of all ring buffers of a user, one page more than the data in each,
 * and allows kernel.perf_event_mlock_kb for each CPU (perf_mmap() in kernel/events/core.c). Other
 * recordings of the user may fill the limit of today, so this adds what is needed. */
struct error *lock_error(size_t rings, unsigned int pages, unsigned int aux_pages,
			 unsigned int fitting, const struct rights *rights)
{
	size_t kilobytes = rings * (pages + aux_pages + 1UL) * (size_t)sysconf(_SC_PAGESIZE) / 1024;
	size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
	size_t limit = (kilobytes + cpus - 1) / cpus + rights->lockable_kilobytes;
	_cleanup_free_ char *aux =
		aux_pages ? xasprintf(", with AUX areas of %u,", aux_pages) : xstrdup("");
	_cleanup_free_ char *smaller = fitting ? xasprintf("use -m %u, or ", fitting) : xstrdup("");

	return error_create(ERROR_PERMISSION,
			    "%zu ring buffer%s of %u page%s%s take %zu KB, more memory than may be "
			    "locked: %sas root%s: sysctl kernel.perf_event_mlock_kb=%zu",
			    rings, rings == 1 ? "" : "s", pages, pages == 1 ? "" : "s", aux,
			    kilobytes, smaller,
			    rights->user_namespace ? " outside of this user namespace" : "", limit);
}

/* ---- a recording without samples, or without some ---- */

/* The message about a recording whose counters were dropped. */
#define COUNTERS_DROPPED                                                                           \
	"the kernel ended the counting when the program gained privileges at its start "           \
	"(set-user-id, file capabilities, or a file that you may not read): record it as root"

#define UNCOUNTED_CHILDREN                                                                         \
	"children with set-user-id or file capabilities are recorded as root only"

/* CPU time after which a program without samples must have been sampled, at any usual rate. */
#define SAMPLED_TIME (20 * NS_PER_MS)

/* Returns the CPU time in ns of the recorded command and of the children that it waited for. */
static uint64_t workload_time(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_CHILDREN, &usage))
		return 0;
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

/* Appends children of the target from before, which its counters do not count. */
static void add_children(const struct recording *recording, struct strbuf *text)
{
	_cleanup_thread_ids_ struct thread_ids processes = { 0 }, all = { 0 };
	size_t listed = 0;

	thread_processes(&recording->threads, &processes);
	for (size_t i = 0; i < processes.count; i++)
		thread_ids_add(&all, processes.ids[i]);
	if (!processes.count)
		return;
	error_destroy(add_descendants(&all));
	for (size_t i = 0; i < all.count; i++) {
		if (any_of(j, 0, processes.count, processes.ids[j] == all.ids[i]))
			continue;
		strbuf_add_format(text, "%s%d",
				  listed++ ? "," : "; its children are processes of their own: -p ",
				  (int)all.ids[i]);
	}
}

/* Returns why the threads of -p, -t or -u have no samples, to be freed. */
static char *explain_target(const struct recording *recording)
{
	int64_t ran = (int64_t)(threads_time(&recording->threads) - recording->target_time);
	struct strbuf text = STRBUF_INIT;

	if (!recording->live)
		return xstrdup("the recorded threads ended before a sample was due");
	if (ran > (int64_t)SAMPLED_TIME)
		strbuf_add_format(&text,
				  "the recorded threads took %.0f ms of CPU time, but these events "
				  "did not count it",
				  (double)ran / (double)NS_PER_MS);
	else
		strbuf_add_string(&text, "the recorded threads were idle: they waited or slept");
	add_children(recording, &text);
	return strbuf_detach(&text);
}

/* Returns whether a process that inherited a counter goes on: else it hangs up. */
static bool any_goes_on(const struct recording *recording)
{
	array_each (const struct counter, counter, recording->counters.items,
		    recording->counters.count) {
		struct pollfd poller = { .fd = counter->fd };

		/* a probe is inherited by none */
		if (!recording->events.items[counter->event].probed && poll(&poller, 1, 0) == 0)
			return true;
	}
	return false;
}

/* Returns the time in ns that timers counted, of the command and its children; UINT64_MAX: the
 * first event is no timer, or does not count all of the time. */
static uint64_t timed(const struct recording *recording)
{
	const struct record_options *options = recording->options;
	const struct perf_event_attr *attr = &recording->events.items[0].attr;
	uint64_t time = 0;

	if (attr->type != PERF_TYPE_SOFTWARE ||
	    (attr->config != PERF_COUNT_SW_CPU_CLOCK && attr->config != PERF_COUNT_SW_TASK_CLOCK) ||
	    !attr->inherit || options->delay || options->cgroups || options->target.cpu_list)
		return UINT64_MAX;
	for (size_t i = 0; i < recording->counters.count; i++)
		if (recording->counters.items[i].event == 0)
			time += counter_value(&recording->counters.items[i], attr);
	return time;
}

/* The command goes on in processes of its own, as servers do. */
#define GOES_ON                                                                                    \
	"processes that the program started go on after its end: record them by -p, or all by -a"

char *recording_explain_rest(const struct recording *recording)
{
	uint64_t ran, counted;

	if (recording->dropped)
		return xstrdup(COUNTERS_DROPPED);
	if (!recording->result->workload_ended || target_given(&recording->options->target))
		return NULL;
	if (any_goes_on(recording))
		return xstrdup(GOES_ON);
	ran = workload_time();
	counted = timed(recording);
	if (counted >= ran || ran - counted < SAMPLED_TIME || ran - counted < ran / 4)
		return NULL;
	return xasprintf("of the program's %.0f ms of CPU time, %.0f ms were not counted "
			 "(" UNCOUNTED_CHILDREN ")",
			 (double)ran / (double)NS_PER_MS,
			 (double)(ran - counted) / (double)NS_PER_MS);
}

/* Returns why the command has no samples, to be freed. Call it after waiting for it. */
static char *explain_workload(const struct recording *recording)
{
	uint64_t ran = workload_time();

	if (!recording->result->workload_ended)
		return xstrdup("the program did not run while it was recorded: it waited or slept");
	if (any_goes_on(recording))
		return xstrdup(GOES_ON);
	if (ran < SAMPLED_TIME)
		return xasprintf("the program took %.1f ms of CPU time, and ended before a sample "
				 "was due: try a higher -F",
				 (double)ran / (double)NS_PER_MS);
	if (recording->options->delay > 0)
		return xasprintf("the program took %.0f ms of CPU time, and its first %d ms are "
				 "not recorded (-D)",
				 (double)ran / (double)NS_PER_MS, recording->options->delay);
	return xasprintf("the program took %.0f ms of CPU time, but these events did not count it "
			 "(" UNCOUNTED_CHILDREN ")",
			 (double)ran / (double)NS_PER_MS);
}

/* Returns why there are no samples, by the first certain reason, to be freed. */
char *recording_explain_empty(const struct recording *recording)
{
	const struct record_options *options = recording->options;
	const char *events = options->events, *why = NULL;

	if (recording->dropped)
		why = COUNTERS_DROPPED;
	else if (events && strstr(events, "mem:"))
		why = "nobody accessed this memory, or this is a virtual machine whose processor "
		      "delivers no breakpoints (dtprof-record(1), DIAGNOSTICS)";
	else if (options->filter)
		why = "the filter may have dropped all of them";
	else if (options->target.system_wide)
		why = "nothing ran that these events count";
	else if (recording->attr.exclude_kernel || (events && strstr(events, ":u")))
		why = "only user space was recorded, and the program may have run in the kernel "
		      "alone";
	else if (recording->attr.exclude_user)
		why = "only the kernel was recorded, and the program may have run in user space "
		      "alone";
	if (why)
		return xstrdup(why);
	return target_given(&options->target) ? explain_target(recording)
					      : explain_workload(recording);
}
