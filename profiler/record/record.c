// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording, from its events to its end: see record.h. Its state is in recording.h. */
#include "profiler/record/record.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "profiler/ingest/format.h"
#include "profiler/record/attr.h"
#include "profiler/record/event.h"
#include "profiler/record/open.h"
#include "profiler/record/recording.h"
#include "profiler/record/sysfs.h"

void recording_say(const struct recording *recording, enum record_notice notice, const char *format,
		   ...)
{
	VARIADIC_TEXT(message, format);
	recording->options->say(recording->options->say_data, notice, message);
}

/* ---- CPUs that come and go ---- */

/* When a CPU goes offline, the kernel removes its events. It does not restore them when the CPU
 * returns, and it reports neither change. */
void recording_check_cpus(struct recording *recording)
{
	const struct record_options *options = recording->options;
	const char *wanted = options->target.cpu_list;
	_cleanup_free_ char *now = NULL;

	if (!options->target.system_wide)
		return;
	now = sysfs_read(options->root, "/sys/devices/system/cpu/online");
	if (!now || (recording->online_cpus && strcmp(now, recording->online_cpus) == 0))
		return;
	if (recording->online_cpus) {
		_cleanup_free_ char *gone = cpu_list_without(recording->online_cpus, now, wanted);
		_cleanup_free_ char *come = cpu_list_without(now, recording->online_cpus, wanted);

		if (*gone)
			recording_say(recording, RECORD_WARNING,
				      "CPU %s went offline: no samples of it from here on", gone);
		if (*come)
			recording_say(recording, RECORD_WARNING,
				      "CPU %s came online: it is not in this recording, but would "
				      "be in a new one",
				      come);
	}
	free(recording->online_cpus);
	recording->online_cpus = now;
	now = NULL;
}

/* ---- which events ---- */

/* --off-cpu: perf's name, and a part of the stack, as libc keeps no frame pointers. */
#define OFF_CPU_TERMS "context-switches/name=offcpu-time,period=1,call-graph=dwarf,stack-size=2048/"

static struct error *check_frequency(struct recording *recording)
{
	const struct record_options *options = recording->options;
	uint64_t limit = recording->rights.max_sample_rate;

	if (recording->attr.period || !limit)
		return NULL;
	if (options->maximum_frequency) {
		recording->attr.frequency = limit;
		recording_say(recording, RECORD_NOTE, "sampling at the kernel's maximum of %lu Hz",
			      limit);
		return NULL;
	}
	if (recording->attr.frequency <= limit)
		return NULL;
	if (options->frequency_given)
		return error_other(
			"-F %lu is more than the kernel allows: use at most -F %lu (or -F max), or "
			"as root: sysctl kernel.perf_event_max_sample_rate=%lu",
			recording->attr.frequency, limit, recording->attr.frequency);
	recording_say(recording, RECORD_WARNING,
		      "sampling at %lu Hz instead of %lu: kernel.perf_event_max_sample_rate is %lu",
		      limit, recording->attr.frequency, limit);
	recording->attr.frequency = limit;
	return NULL;
}

/* Drops default events of a hybrid machine that count on none of the CPUs of -C. A user who names
 * such an event gets an error instead. */
static void drop_other_cores(struct recording *recording)
{
	const char *wanted = recording->options->target.cpu_list;
	struct event_list *list = &recording->events;

	for (size_t i = list->count; wanted && i-- > 0;) {
		const struct pmu *pmu = list->items[i].pmu;

		if (list->items[i].leader == i && pmu && pmu->cpus &&
		    !cpu_lists_meet(pmu->cpus, wanted))
			event_list_drop(list, i);
	}
}

/* Warns once, naming all events that a timer replaces, or else those of lower precision. */
static void say_replaced(const struct recording *recording, const struct name_list *lowered,
			 const struct name_list *timed)
{
	const struct name_list *names = timed->count ? timed : lowered;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < names->count; i++)
		strbuf_add_format(&text, "%s'%s'", i ? ", " : "", names->names[i]);
	if (names->count)
		recording_say(
			recording, RECORD_WARNING, "%s %s",
			names == timed
				? "this machine does not count cycles: cpu-clock is recorded for"
				: "this machine has less precision (P takes the highest) than",
			text.data);
	if (recording->attr.cgroup &&
	    !(recording->events.items[0].attr.sample_type & PERF_SAMPLE_CGROUP))
		recording_say(recording, RECORD_WARNING,
			      "this kernel puts no control groups into samples (Linux 5.7 does)");
}

/* Probes the events. As in perf, a timer replaces cycles if this machine cannot count them, with
 * the precision that is asked for or a lower one, weak groups (W) become single events, and other
 * events that it lacks are left out as long as one remains; a warning says so. Events of `chosen`
 * are the program's own choice. */
static struct error *probe_events(struct recording *recording, bool system_wide, int first_cpu,
				  bool chosen)
{
	struct event_list *list = &recording->events;
	_cleanup_names_ struct name_list timed = { 0 }, lowered = { 0 };

	for (;;) {
		size_t failed = 0;
		struct error *error =
			counters_probe(list, &recording->rights, system_wide, first_cpu, &failed);

		if (!error)
			say_replaced(recording, &lowered, &timed);
		if (!error || error->code != ERROR_UNSUPPORTED || chosen)
			return error;

		struct event_spec *spec = &list->items[failed];

		if (event_is_cycles(spec) && spec->attr.precise_ip && !spec->highest_precision) {
			name_list_add_once(&lowered, spec->name);
			spec->highest_precision = true;
		} else if (event_is_cycles(spec)) {
			name_list_add_once(&timed, spec->name);
			event_fall_back(spec);
		} else if (spec->weak_group && spec->leader != failed) {
			recording_say(recording, RECORD_NOTE,
				      "event '%s': its group is recorded as single events",
				      spec->name);
			event_list_ungroup(list, spec->leader);
		} else if (any_of(i, 0, list->count, i != failed && !list->items[i].follower)) {
			recording_say(recording, RECORD_WARNING, "%s: it is left out",
				      error->message);
			event_list_remove(list, failed);
		} else {
			return error;
		}
		error_destroy(error);
	}
}

/* Returns an error for an event whose samples come as AUX data that has another form than SPE's. */
static struct error *refuse_traces(const struct event_list *list)
{
	array_each (const struct event_spec, spec, list->items, list->count) {
		if (event_traces(spec) && !pmu_is_spe(spec->pmu))
			return error_create(ERROR_UNSUPPORTED,
					    "event '%s' gives no samples but a trace of all "
					    "branches, which says nothing of data",
					    spec->name);
	}
	return NULL;
}

/* Returns an error for an event that needs the kernel, where this user may not record it. */
static struct error *refuse_kernel_events(const struct event_list *list,
					  const struct rights *rights)
{
	static const uint64_t kernels[] = { PERF_COUNT_SW_CONTEXT_SWITCHES,
					    PERF_COUNT_SW_CPU_MIGRATIONS,
					    PERF_COUNT_SW_CGROUP_SWITCHES };

	array_each (const struct event_spec, spec, list->items, list->count) {
		bool kernel = spec->attr.type == PERF_TYPE_SOFTWARE &&
			      any_of(i, 0, COUNT_OF(kernels), spec->attr.config == kernels[i]);

		if (!kernel || !spec->attr.exclude_kernel || spec->exclude_given)
			continue;
		_cleanup_free_ char *advice = rights_advice(rights, 1);

		return error_create(ERROR_PERMISSION,
				    "event '%s' happens in the kernel, which is left out: %s",
				    spec->name, advice);
	}
	return NULL;
}

/* Parses the events, completes their attrs, and reduces them to the parts that the kernel accepts.
 * `chosen` tells that the events are the program's own choice. */
static struct error *prepare_events(struct recording *recording, const char *text,
				    const struct attr_options *attr, bool chosen)
{
	const struct record_options *options = recording->options;
	bool restricted, system_wide = options->target.system_wide;
	int first_cpu = options->target.cpu_list ? atoi(options->target.cpu_list) : 0;

	RETURN_ERROR(event_parse(&recording->events, options->root, text));
	RETURN_ERROR(refuse_traces(&recording->events));
	if (options->off_cpu)
		RETURN_ERROR(event_parse(&recording->events, options->root, OFF_CPU_TERMS));
	for (size_t i = 0; i < options->probe_count; i++)
		RETURN_ERROR(
			event_add_probe(&recording->events, options->root, &options->probes[i]));
	if (chosen)
		drop_other_cores(recording);
	recording->stop_workload = attr->enable_on_exec && breakpoint_pending(&recording->events);
	attr_configure(&recording->events, attr, &recording->rights, &restricted);
	if (restricted)
		RETURN_ERROR(refuse_kernel_events(&recording->events, &recording->rights));
	if (options->cgroups)
		RETURN_ERROR(cgroup_assign(&recording->events, options->cgroups));
	if (recording->stop_workload)
		recording->attr.enable_on_exec = false;
	RETURN_ERROR(probe_events(recording, system_wide, first_cpu, chosen));
	RETURN_ERROR(breakpoint_probe(&recording->events));
	if (restricted) {
		_cleanup_free_ char *advice = rights_advice(&recording->rights, 1);

		recording_say(recording, RECORD_WARNING,
			      "user space only, the kernel is left out: %s", advice);
	}
	return NULL;
}

/* Prepares a timer in place of memory events. The registers of its samples hold the operands of the
 * instruction that runs next. */
static struct error *prepare_timer(struct recording *recording)
{
	struct attr_options attr = recording->attr;

	attr.interrupt_registers |= registers_general();
	recording->attr = attr;
	/* Computed addresses point into maps of data, so these are recorded, too. */
	recording->attr.data_maps = attr.data_maps = true;
	return prepare_events(recording, "cpu-clock", &attr, true);
}

/* IBS filters loads in steps of 128 cycles: perf_ibs_init() in Linux since 6.15. */
#define IBS_LATENCY_MIN 128
#define IBS_LATENCY_MAX 2048

/* Checks --ldlat, which not each source can do. Says so where it is ignored. */
static struct error *check_latency(struct recording *recording, enum memory_source source,
				   const char *events)
{
	const char *root = recording->options->root;
	unsigned int latency = recording->options->latency;
	_cleanup_free_ char *others = memory_source_events(root, source, MEMORY_LOADS, latency + 1);
	_cleanup_free_ char *loads = memory_source_events(root, source, MEMORY_LOADS, latency);

	if (!latency)
		return NULL;
	if (strcmp(loads, others) == 0)
		recording_say(recording, RECORD_WARNING,
			      "--ldlat is ignored: %s takes no minimum of latency", events);
	else if (source == MEMORY_SOURCE_AMD &&
		 (latency < IBS_LATENCY_MIN || latency > IBS_LATENCY_MAX))
		return error_other("--ldlat: this machine's IBS takes %d to %d cycles",
				   IBS_LATENCY_MIN, IBS_LATENCY_MAX);
	return NULL;
}

static struct error *choose_default_events(struct recording *recording)
{
	const char *root = recording->options->root;
	enum memory_source source = memory_source_find(root);
	unsigned int all = MEMORY_LOADS | MEMORY_STORES;
	unsigned int operations = recording->options->operations ?: all;
	_cleanup_free_ char *text =
		memory_source_events(root, source, operations, recording->options->latency);

	RETURN_ERROR(check_latency(recording, source, text));
	if (operations != all && (source == MEMORY_SOURCE_AMD || source == MEMORY_SOURCE_CLOCK))
		recording_say(
			recording, RECORD_WARNING,
			"this machine's event does not tell loads from stores: both are recorded");
	if (source != MEMORY_SOURCE_CLOCK && !*text)
		return error_create(ERROR_UNSUPPORTED, "this machine has no event for %s",
				    operations == MEMORY_LOADS ? "loads" : "stores");
	if (source != MEMORY_SOURCE_CLOCK) {
		struct error *error = prepare_events(recording, text, &recording->attr, true);

		if (!error) {
			recording_say(recording, RECORD_DETAIL, "recording %s: %s", text,
				      memory_source_reason(source));
			return NULL;
		}
		/* A virtual machine may name events in sysfs that its host does not offer. */
		if (error->code != ERROR_UNSUPPORTED)
			return error;
		recording_say(recording, RECORD_WARNING, "%s cannot be used: %s", text,
			      error->message);
		error_destroy(error);
		event_list_deinit(&recording->events);
	}
	recording_say(recording, RECORD_NOTE, "%s", memory_source_reason(MEMORY_SOURCE_CLOCK));
	return prepare_timer(recording);
}

static struct error *recording_choose_events(struct recording *recording)
{
	const struct record_options *options = recording->options;

	RETURN_ERROR(check_frequency(recording));
	if (options->target.cpu_list)
		RETURN_ERROR(cpu_list_check(options->target.cpu_list));
	if (options->target.system_wide && !rights_allow_system_wide(&recording->rights)) {
		_cleanup_free_ char *advice = rights_advice(&recording->rights, 0);

		return error_create(ERROR_PERMISSION, "no permission to record system-wide: %s",
				    advice);
	}
	if (options->target.system_wide && recording->rights.pid_namespace)
		recording_say(recording, RECORD_WARNING,
			      "this is not the first PID namespace: processes outside of it are "
			      "recorded without their ids, and their code will have no names");
	return options->events ? prepare_events(recording, options->events, &recording->attr, false)
			       : choose_default_events(recording);
}

/* ---- processes and code that exist already ---- */

#define DRAIN_INTERVAL (20 * NS_PER_MS)

/* Adds the processes that exist already: none if only a workload is recorded that has yet to call
 * exec. For a later file of --switch-output, their descendants are added, too. */
static struct error *running_processes(const struct recording *recording,
				       struct thread_ids *processes)
{
	const struct target *target = &recording->options->target;
	bool later = recording->result->bytes > 0;

	if (recording->rights.foreign_proc)
		return NULL;
	if (target->system_wide)
		return all_processes(processes);
	if (target_given(target) || recording->stop_workload || later)
		thread_processes(&recording->threads, processes);
	return later ? add_descendants(processes) : NULL;
}

struct synthesis_work {
	const struct thread_ids *processes;
	const struct synthesis_options *options;
	struct strbuf *records;
};

static void *synthesize_thread(void *data)
{
	const struct synthesis_work *work = data;

	synthesize_processes(work->processes, work->options, work->records);
	return NULL;
}

/* Writes the records of the processes in /proc, and after them the records that rings had
 * meanwhile. Counting is on while /proc is read, which takes a while on a machine with many
 * processes. So that no ring fills up, its records are moved into memory. They come second in the
 * file because those of /proc have time 0. */
static struct error *add_processes(struct recording *recording, const struct thread_ids *processes,
				   const struct synthesis_options *options, struct strbuf *records)
{
	struct synthesis_work work = { .processes = processes,
				       .options = options,
				       .records = records };
	_cleanup_strbuf_ struct strbuf early = STRBUF_INIT;
	struct error *error = NULL;
	bool moved, more = true;
	pthread_t thread;

	if (pthread_create(&thread, NULL, synthesize_thread, &work))
		return error_other("cannot start a thread");
	recording->early = &early;
	while (more) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += DRAIN_INTERVAL;
		until.tv_sec += until.tv_nsec / NS_PER_S;
		until.tv_nsec %= NS_PER_S;
		more = pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT;
		if (!error)
			error = recording_drain(recording, false, &moved);
	}
	recording->early = NULL;
	RETURN_ERROR(error);
	RETURN_ERROR(recording_add(recording, records->data, records->length));
	if (!early.length)
		return NULL;
	/* All samples so far are in this buffer. */
	return recording_write(recording, early.data, early.length);
}

static struct synthesis_options synthesis_options(const struct recording *recording)
{
	struct synthesis_options options = { .threads = parallel_default_threads() };

	options.id_size = sample_id_size(&recording->events.items[0].attr);
	for (size_t i = 0; i < recording->events.count; i++)
		options.data_maps = options.data_maps || recording->events.items[i].attr.mmap_data;
	return options;
}

/* The kernel and its modules do not move: they are read once, before counting. */
struct error *recording_add_kernel(struct recording *recording)
{
	const struct synthesis_options options = synthesis_options(recording);
	struct strbuf *records = &recording->kernel_records;
	bool restricted = false, kernel = false;

	for (size_t i = 0; i < recording->events.count; i++)
		kernel = kernel || !recording->events.items[i].attr.exclude_kernel;
	if (!records->length) {
		synthesize_kernel(recording->options->root, &options, records, &restricted);
		if (kernel)
			synthesize_bpf(recording->options->root, &options, records);
		if (recording->attr.cgroup)
			synthesize_cgroups(recording->options->root, &options, records);
	}
	if (restricted && kernel)
		recording_say(recording, RECORD_WARNING,
			      "the kernel hides its addresses, so its samples will have no "
			      "symbols; as root: sysctl kernel.kptr_restrict=0");
	recording->scan.bpf = kernel ? &recording->bpf : NULL;
	return recording_add(recording, records->data, records->length);
}

/* Until it calls exec, a workload has nothing but its name. */
struct error *recording_add_existing(struct recording *recording)
{
	const struct synthesis_options options = synthesis_options(recording);
	_cleanup_thread_ids_ struct thread_ids processes = { 0 };
	_cleanup_strbuf_ struct strbuf records = STRBUF_INIT;
	pid_t workload = recording->workload.pid;

	RETURN_ERROR(running_processes(recording, &processes));
	if (processes.count)
		return add_processes(recording, &processes, &options, &records);
	if (workload)
		synthesize_comm(workload, workload, "dtprof-exec", &options, &records);
	return recording_add(recording, records.data, records.length);
}

/* ---- the loop ---- */

/* Data of epoll events; that of a counter is its index. */
#define SIGNAL_TAG  UINT64_MAX
#define TIMER_TAG   (UINT64_MAX - 1)
#define SWITCH_TAG  (UINT64_MAX - 2)
#define EVENT_BATCH 64

struct error *recording_add(struct recording *recording, const void *records, size_t size)
{
	record_scan_buffer(&recording->scan, records, size);
	return recording_write(recording, records, size);
}

/* Flushes at most once a second, which is enough if this process is killed. */
static struct error *flush_sometimes(struct recording *recording)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec == recording->flushed.tv_sec)
		return NULL;
	recording->flushed = now;
	recording_check_cpus(recording);
	return writer_flush(recording->writer);
}

static struct error *watch_descriptor(struct recording *recording, int fd, uint32_t events,
				      uint64_t tag)
{
	struct epoll_event event = { .events = events, .data = { .u64 = tag } };

	return epoll_ctl(recording->epoll_fd, EPOLL_CTL_ADD, fd, &event)
		       ? error_errno(errno, "epoll_ctl")
		       : NULL;
}

/* Starts a timer that epoll watches under `tag`. */
static struct error *start_timer(struct recording *recording, const struct itimerspec *timer,
				 const char *purpose, uint64_t tag, int *fd)
{
	*fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return *fd < 0 || timerfd_settime(*fd, 0, timer, NULL)
		       ? error_errno(errno, "cannot set a timer for %s", purpose)
		       : watch_descriptor(recording, *fd, EPOLLIN, tag);
}

static struct error *start_timers(struct recording *recording)
{
	int delay = recording->options->delay;
	unsigned int seconds = recording->options->switch_seconds;
	const struct itimerspec until = { .it_value = { .tv_sec = delay / 1000,
							.tv_nsec = delay % 1000 * NS_PER_MS } },
				every = { .it_value = { .tv_sec = seconds },
					  .it_interval = { .tv_sec = seconds } };

	if (delay > 0)
		RETURN_ERROR(start_timer(recording, &until, "the delay", TIMER_TAG,
					 &recording->timer_fd));
	return seconds ? start_timer(recording, &every, "the next file", SWITCH_TAG,
				     &recording->switch_fd)
		       : NULL;
}

static void end_delay(struct recording *recording)
{
	epoll_ctl(recording->epoll_fd, EPOLL_CTL_DEL, recording->timer_fd, NULL);
	counters_enable(&recording->counters, &recording->events, false);
}

static struct error *watch_all(struct recording *recording)
{
	recording->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (recording->epoll_fd < 0)
		return error_errno(errno, "epoll_create1");
	RETURN_ERROR(watch_descriptor(recording, recording->signal_fd, EPOLLIN, SIGNAL_TAG));
	RETURN_ERROR(start_timers(recording));
	/* For a ring that is overwritten, only the end of its threads matters. */
	array_indexed (const struct counter, counter, i, recording->counters.items,
		       recording->counters.count) {
		bool overwrite = recording->counters.rings[counter->ring].overwrite;

		RETURN_ERROR(watch_descriptor(recording, counter->fd, overwrite ? 0 : EPOLLIN, i));
		recording->live += !recording->events.items[counter->event].probed;
	}
	return NULL;
}

static void handle_signals(struct recording *recording)
{
	struct signalfd_siginfo info;

	while (read(recording->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR2) {
			recording->switch_now =
				recording->switch_now || recording->options->switch_on_signal;
		} else if (info.ssi_signo == SIGCHLD) {
			recording->done = recording->done || workload_poll(&recording->workload);
		} else {
			recording->signal = info.ssi_signo;
			recording->done = true;
		}
	}
}

/* Handles an event of a counter, which hangs up when its threads have ended. */
static void handle_counter(struct recording *recording, uint64_t index, uint32_t events)
{
	if (!(events & (EPOLLHUP | EPOLLERR)))
		return;
	epoll_ctl(recording->epoll_fd, EPOLL_CTL_DEL, recording->counters.items[index].fd, NULL);
	recording->live--;
	/* For a workload SIGCHLD decides, because it comes with a status. */
	if (!recording->live && target_given(&recording->options->target))
		recording->done = true;
	else if (!recording->live && !recording->rights.foreign_proc)
		recording->dropped = workload_runs(&recording->workload);
}

#define FLUSH_INTERVAL 1000 /* milliseconds */
#define HOLD_INTERVAL  20   /* milliseconds */

/* Waits for events, or for records, but not longer than FLUSH_INTERVAL. A ring wakes its reader
 * only when it is a quarter full, and by then a program may have ended whose file is deleted at its
 * end (go run): where files are held, new code is looked for in between. */
static int wait_for_events(struct recording *recording, struct epoll_event *events)
{
	bool hold = recording->scan.held && recording->scan.held->all;
	int interval = hold ? HOLD_INTERVAL : FLUSH_INTERVAL;
	bool code = false;
	int count = 0;

	for (int waited = 0; !count && !code && waited < FLUSH_INTERVAL; waited += interval) {
		count = epoll_wait(recording->epoll_fd, events, EVENT_BATCH, interval);
		for (size_t i = 0; hold && !count && i < recording->counters.ring_count; i++)
			code = ring_has_new_code(&recording->counters.rings[i]) || code;
	}
	return count;
}

/* Handles signals, timers and ends of threads. If there is none yet and `wait` is set, it
 * waits for one, or for records, but not longer than FLUSH_INTERVAL: a recorder that is killed
 * loses the records of at most a second, however few there are. */
static struct error *handle_events(struct recording *recording, bool wait)
{
	struct epoll_event events[EVENT_BATCH];
	int count = wait ? wait_for_events(recording, events)
			 : epoll_wait(recording->epoll_fd, events, EVENT_BATCH, 0);
	bool woken = false;

	if (count < 0 && errno != EINTR)
		return error_errno(errno, "epoll_wait");
	for (int i = 0; i < count; i++) {
		if (events[i].data.u64 == SIGNAL_TAG) {
			handle_signals(recording);
		} else if (events[i].data.u64 == TIMER_TAG) {
			end_delay(recording);
		} else if (events[i].data.u64 == SWITCH_TAG) {
			uint64_t expirations;

			recording->switch_now = read(recording->switch_fd, &expirations,
						     sizeof(expirations)) == sizeof(expirations);
		} else {
			handle_counter(recording, events[i].data.u64, events[i].events);
			woken = true;
		}
	}
	recording->wakeups += woken;
	return NULL;
}

/* Checks the limits on the size of the file. */
static void check_size(struct recording *recording)
{
	const struct record_options *options = recording->options;
	uint64_t size = writer_size(recording->writer);

	if (options->switch_size && size - recording->begun_size >= options->switch_size)
		recording->switch_now = true;
	if (!options->max_size || recording->result->bytes + size < options->max_size)
		return;
	recording_say(recording, RECORD_NOTE, "the size limit of %lu bytes is reached",
		      options->max_size);
	recording->done = true;
}

/* Moves records into the file until the recording is done. */
static struct error *recording_loop(struct recording *recording)
{
	RETURN_ERROR(watch_all(recording));
	for (;;) {
		bool moved;

		RETURN_ERROR(recording_drain(recording, false, &moved));
		RETURN_ERROR(flush_sometimes(recording));
		if (moved)
			check_size(recording);
		if (recording->done)
			return NULL;
		if (recording->switch_now)
			RETURN_ERROR(recording_switch_output(recording));
		/* also after records were moved: a recorder that samples itself (-a) may never find
		 * the rings empty, and the user's Ctrl-C must end it all the same */
		RETURN_ERROR(handle_events(recording, !moved));
	}
}

/* ---- beginning and end ---- */

#define OPEN_TRIES_MAX 100
/* Bytes that most samples, and most call chains, stay below. */
#define SAMPLE_BYTES     64
#define CHAIN_BYTES      256
#define DEFAULT_RING_MAX (8UL << 20)
#define WAKEUP_BYTES     (256UL << 10)
#define WAKEUP_LEAST     (4UL << 10)

/* Reads signals from a descriptor, so that one wait covers them and the rings. */
static struct error *take_signals(struct recording *recording)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR2 };
	sigset_t mask;

	sigemptyset(&mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaddset(&mask, signals[i]);
	if (sigprocmask(SIG_BLOCK, &mask, &recording->old_mask))
		return error_errno(errno, "sigprocmask");
	recording->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return recording->signal_fd < 0 ? error_errno(errno, "signalfd") : NULL;
}

/* Lets write() report a file size limit or a closed pipe as an error. Must be called after the
 * workload is forked, which must not inherit this. */
static void ignore_write_signals(struct recording *recording)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGXFSZ, &ignore, &recording->old_file_limit_action);
	sigaction(SIGPIPE, &ignore, &recording->old_pipe_action);
	recording->write_signals_ignored = true;
}

/* Returns an estimate of the bytes that the events of a CPU produce in a second. */
static uint64_t bytes_a_second(const struct recording *recording)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < recording->events.count; i++) {
		const struct perf_event_attr *attr = &recording->events.items[i].attr;
		uint64_t registers = __builtin_popcountll(attr->sample_regs_intr) +
				     __builtin_popcountll(attr->sample_regs_user);
		uint64_t size = SAMPLE_BYTES + 8 * registers + attr->sample_stack_user;

		if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
			size += CHAIN_BYTES;
		if (attr->freq)
			bytes += size * attr->sample_freq;
	}
	return bytes;
}

#define AUX_SIZE (4UL << 20) /* perf's, with the right to lock as much */

/* Returns the size of an AUX area in pages, beside a ring of this size. SPE needs at least two. */
static unsigned int aux_pages(const struct recording *recording, unsigned int pages)
{
	unsigned int wanted = recording->options->aux_pages;

	if (!wanted && recording->rights.may_lock)
		wanted = AUX_SIZE / sysconf(_SC_PAGESIZE);
	wanted = wanted ?: pages / 2;
	return wanted > 2 ? wanted : 2;
}

/* Returns the default size of a ring in pages: the number that any user may lock
 * (kernel.perf_event_mlock_kb, which includes the header's page). With the right to lock more, the
 * ring holds a second of samples, up to DEFAULT_RING_MAX, so that nothing is lost while this
 * process waits for a busy CPU. */
static unsigned int default_pages(const struct recording *recording)
{
	const struct rights *rights = &recording->rights;
	uint64_t page = sysconf(_SC_PAGESIZE), pages = 1;
	uint64_t second = rights->may_lock ? bytes_a_second(recording) : 0;
	uint64_t room = rights->lockable_kilobytes * 1024;

	/* leaves room for an AUX area of half the size: aux_pages() */
	if (event_list_traces(&recording->events))
		room = room / 3 * 2;
	while (pages * 2 * page + page <= room)
		pages *= 2;
	while (pages * page < second && pages * 2 * page <= DEFAULT_RING_MAX)
		pages *= 2;
	return pages;
}

static struct error *find_threads(struct recording *recording)
{
	thread_ids_deinit(&recording->threads);
	if (target_given(&recording->options->target))
		return target_threads(&recording->options->target, &recording->threads);
	thread_ids_add(&recording->threads, recording->workload.pid);
	return NULL;
}

/* Sets the addresses of breakpoints on names, when the targets are mapped. */
static struct error *resolve_breakpoints(struct recording *recording)
{
	_cleanup_thread_ids_ struct thread_ids processes = { 0 };

	if (!breakpoint_pending(&recording->events))
		return NULL;
	thread_processes(&recording->threads, &processes);
	return breakpoint_resolve(&recording->events, recording->options->root, &processes);
}

/* Asks the kernel to wake this process before a large ring is half full, because records in a ring
 * are lost if this process or the machine dies. */
static void set_watermark(struct recording *recording, unsigned int pages)
{
	uint64_t size = pages * (uint64_t)sysconf(_SC_PAGESIZE), wakeup = WAKEUP_BYTES;
	uint64_t limit = recording->options->max_size;

	/* a file that may not grow beyond a limit is checked before it has grown far beyond it */
	if (limit && limit / 4 < wakeup)
		wakeup = limit / 4 > WAKEUP_LEAST ? limit / 4 : WAKEUP_LEAST;
	for (size_t i = 0; i < recording->events.count; i++) {
		recording->events.items[i].attr.watermark = size > 2 * wakeup;
		recording->events.items[i].attr.wakeup_watermark =
			size > 2 * wakeup ? (uint32_t)wakeup : 0;
	}
}

/* Opens the counters with rings of this many pages. */
static struct error *open_with_pages(struct recording *recording, unsigned int pages)
{
	const struct record_options *options = recording->options;
	struct counters_options counters = { .cpu_list = options->target.cpu_list,
					     .per_thread = options->per_thread,
					     .pages = pages,
					     .aux_pages = aux_pages(recording, pages) };
	struct error *error = NULL;

	set_watermark(recording, counters.pages);
	/* A thread may end after it was listed and before it is opened; then list them again. */
	for (int tries = 0; tries < OPEN_TRIES_MAX; tries++) {
		RETURN_ERROR(find_threads(recording));
		RETURN_ERROR(resolve_breakpoints(recording));
		error = counters_open(&recording->events, &recording->threads, &counters,
				      &recording->rights, &recording->counters);
		if (!error || error->code != ERROR_NOT_FOUND)
			return error;
		if (tries + 1 < OPEN_TRIES_MAX)
			error_destroy(error);
	}
	return error;
}

/*
 * Opens the counters. If their rings are more memory than may be locked, smaller ones are tried:
 * they are used unless -m gives the size.
 */
static struct error *open_counters(struct recording *recording)
{
	const struct record_options *options = recording->options;
	unsigned int wanted = options->pages ?: default_pages(recording);
	unsigned int pages = wanted;
	struct error *error = open_with_pages(recording, pages);
	size_t refused = recording->counters.rings_refused;

	while (error && recording->counters.rings_refused && pages > 1) {
		error_destroy(error);
		pages /= 2;
		error = open_with_pages(recording, pages);
	}
	if (!refused || (error && !recording->counters.rings_refused))
		return error;

	unsigned int fitting = error ? 0 : pages;
	unsigned int more =
		event_list_traces(&recording->events) ? aux_pages(recording, wanted) : 0;

	error_destroy(error);
	error = lock_error(refused, wanted, more, fitting, &recording->rights);
	if (!fitting || options->pages) {
		counters_close(&recording->counters);
		return error;
	}
	recording_say(recording, RECORD_WARNING, "ring buffers of %u pages are used: %s", fitting,
		      error->message);
	error_destroy(error);
	return NULL;
}

static struct error *run_to_end(struct recording *recording)
{
	RETURN_ERROR(recording_begin_output(recording));
	if (recording->stop_workload)
		RETURN_ERROR(workload_continue(&recording->workload));
	else if (recording->workload.pid)
		RETURN_ERROR(workload_start(&recording->workload));
	return recording_loop(recording);
}

/* Writes the rest of the rings, and the losses. */
static struct error *finish_records(struct recording *recording)
{
	bool moved;

	counters_disable(&recording->counters, &recording->events, false);
	counters_disable(&recording->counters, &recording->events, true);
	RETURN_ERROR(recording_drain(recording, true, &moved));
	return recording_add_lost(recording);
}

/* Returns the first error if there is one, and frees the other. */
static struct error *first_error(struct error *first, struct error *second)
{
	if (!first)
		return second;
	error_destroy(second);
	return first;
}

/* Records into the open file, and completes it whatever happened. */
static struct error *record_into_file(struct recording *recording)
{
	struct error *error = run_to_end(recording);

	/* If nothing was recorded, leave no file and keep the one that was there. */
	if (error && recording->workload.pid && !recording->scan.samples &&
	    !recording->result->bytes) {
		writer_abandon(recording->writer);
		recording->writer = NULL;
		return error;
	}
	workload_poll(&recording->workload);
	recording->result->workload_ended = recording->workload.ended;
	recording->result->workload_status = recording->workload.status;
	workload_terminate(&recording->workload);
	if (!error)
		error = finish_records(recording);
	if (recording->writer)
		error = first_error(error, recording_close_output(recording));
	return error;
}

static struct error *attach_filter(struct recording *recording)
{
	struct error *error =
		sample_filter_attach(&recording->filter, &recording->events, &recording->counters,
				     &recording->filter_program);

	return error ? bpf_error("--filter", &recording->rights, error) : NULL;
}

static struct error *record_all(struct recording *recording)
{
	const struct record_options *options = recording->options;
	struct workload_options workload;

	RETURN_ERROR(rights_read(options->root, &recording->rights));
	if (target_given(&options->target))
		RETURN_ERROR(rights_check_proc(&recording->rights));
	if (recording->rights.foreign_proc)
		recording->scan.held = NULL; /* their maps would be those of other processes */
	if (options->filter)
		RETURN_ERROR(sample_filter_parse(options->filter, &recording->filter));
	RETURN_ERROR(recording_choose_events(recording));
	RETURN_ERROR(take_signals(recording));
	workload = (struct workload_options){ .mask = &recording->old_mask,
					      .stop = recording->stop_workload,
					      .divert_output = strcmp(options->output, "-") == 0 };
	if (options->workload)
		RETURN_ERROR(workload_prepare(options->workload, &workload, &recording->workload));
	if (recording->stop_workload) {
		RETURN_ERROR(rights_check_proc(&recording->rights));
		RETURN_ERROR(workload_start(&recording->workload));
	}
	ignore_write_signals(recording);
	RETURN_ERROR(open_counters(recording));
	if (target_given(&options->target))
		recording->target_time = threads_time(&recording->threads);
	if (options->filter)
		RETURN_ERROR(attach_filter(recording));
	RETURN_ERROR(recording_open_output(recording));
	return record_into_file(recording);
}

static void give_back_signals(struct recording *recording)
{
	struct signalfd_siginfo again;

	if (recording->write_signals_ignored) {
		sigaction(SIGXFSZ, &recording->old_file_limit_action, NULL);
		sigaction(SIGPIPE, &recording->old_pipe_action, NULL);
	}
	if (recording->signal_fd < 0)
		return;
	/* One Ctrl-C may arrive twice, from the terminal and from the parent. Drop the rest. */
	while (read(recording->signal_fd, &again, sizeof(again)) == sizeof(again))
		;
	close(recording->signal_fd);
	sigprocmask(SIG_SETMASK, &recording->old_mask, NULL);
}

#define TERMINATION_TIME 1000 /* ms that a workload has to end after SIGTERM */

/* Waits for the end of the workload; Ctrl-C ends this program. The file is complete. */
static void end_workload(struct recording *recording)
{
	workload_terminate(&recording->workload);
	workload_wait_for(&recording->workload, TERMINATION_TIME);
	give_back_signals(recording);
	workload_wait(&recording->workload);
}

static void recording_deinit(struct recording *recording)
{
	counters_close(&recording->counters);
	sample_filter_program_close(&recording->filter_program);
	sample_filter_deinit(&recording->filter);
	writer_destroy(recording->writer);
	compressor_destroy(recording->compressor);
	object_table_deinit(&recording->scan.objects);
	event_list_deinit(&recording->events);
	thread_ids_deinit(&recording->threads);
	name_list_deinit(&recording->finished);
	bpf_keep_deinit(&recording->bpf);
	strbuf_deinit(&recording->kernel_records);
	free(recording->online_cpus);
	closep(&recording->epoll_fd);
	closep(&recording->timer_fd);
	closep(&recording->switch_fd);
}

struct error *record_run(const struct record_options *options, struct record_result *result)
{
	struct recording recording = { .options = options,
				       .attr = options->attr,
				       .result = result,
				       .kernel_records = STRBUF_INIT,
				       .filter_program = { .program_fd = -1, .map_fd = -1 },
				       .signal_fd = -1,
				       .epoll_fd = -1,
				       .timer_fd = -1,
				       .switch_fd = -1 };
	_cleanup_free_ char *rest = NULL;
	struct error *error;

	*result = (struct record_result){ 0 };
	recording.attr.system_wide = options->target.system_wide;
	recording.attr.delayed = options->delay != 0;
	recording.attr.separate_follower = options->delay || options->cgroups ||
					   options->attr.overwrite || options->target.cpu_list;
	recording.attr.enable_on_exec = options->workload && !target_given(&options->target);
	result->held.all = !options->target.system_wide;
	recording.scan.held = options->hold_files ? &result->held : NULL;
	error = record_all(&recording);
	result->wakeups = recording.wakeups;
	result->signal = recording.signal;
	result->filtered = sample_filter_dropped(&recording.filter_program);
	end_workload(&recording);
	if (result->bytes && !result->samples && !result->trace_bytes)
		result->no_samples = recording_explain_empty(&recording);
	else if (result->bytes)
		rest = recording_explain_rest(&recording);
	if (rest)
		recording_say(&recording, RECORD_WARNING, "not all is recorded: %s", rest);
	recording_deinit(&recording);
	return error;
}
