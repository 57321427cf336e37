// SPDX-License-Identifier: GPL-2.0-or-later
/* From the ring buffers to the file: see recording.h. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "profiler/record/recording.h"

#define SIGNAL_TAG  UINT64_MAX /* of epoll events; counters have their index */
#define TIMER_TAG   (UINT64_MAX - 1)
#define SWITCH_TAG  (UINT64_MAX - 2)
#define CONTROL_TAG (UINT64_MAX - 3)
#define EVENT_BATCH 64

struct error *recording_add(struct recording *recording, const void *records, size_t size)
{
	record_scan_buffer(&recording->scan, records, size);
	return writer_add_record(recording->writer, records, size);
}

/* Once a second is often enough for whoever wants to read the file of a killed recorder. */
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

static struct error *watch(struct recording *recording, int fd, uint32_t events, uint64_t tag)
{
	struct epoll_event event = { .events = events, .data = { .u64 = tag } };

	return epoll_ctl(recording->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? error_errno(errno, "epoll_ctl")
									 : NULL;
}

static struct error *start_delay(struct recording *recording)
{
	int delay = recording->options->delay;
	const struct itimerspec timer = { .it_value = { .tv_sec = delay / 1000,
							.tv_nsec = delay % 1000 * 1000000 } };

	/* A delay without end is over when --control says so. */
	if (delay <= 0)
		return NULL;
	recording->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (recording->timer_fd < 0 || timerfd_settime(recording->timer_fd, 0, &timer, NULL))
		return error_errno(errno, "cannot set a timer for the delay");
	return watch(recording, recording->timer_fd, EPOLLIN, TIMER_TAG);
}

static struct error *start_switch_timer(struct recording *recording)
{
	unsigned int seconds = recording->options->switch_seconds;
	const struct itimerspec timer = { .it_value = { .tv_sec = seconds },
					  .it_interval = { .tv_sec = seconds } };

	if (!seconds)
		return NULL;
	recording->switch_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (recording->switch_fd < 0 || timerfd_settime(recording->switch_fd, 0, &timer, NULL))
		return error_errno(errno, "cannot set a timer for the next file");
	return watch(recording, recording->switch_fd, EPOLLIN, SWITCH_TAG);
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
	RETURN_ERROR(watch(recording, recording->signal_fd, EPOLLIN, SIGNAL_TAG));
	RETURN_ERROR(start_delay(recording));
	RETURN_ERROR(start_switch_timer(recording));
	if (recording->control.command_fd >= 0)
		RETURN_ERROR(watch(recording, recording->control.command_fd, EPOLLIN, CONTROL_TAG));
	/* Nobody waits for a ring that is overwritten, but for its threads' end. */
	for (size_t i = 0; i < recording->counters.count; i++) {
		const struct counter *counter = &recording->counters.items[i];
		bool overwrite = recording->counters.rings[counter->ring].overwrite;

		RETURN_ERROR(watch(recording, counter->fd, overwrite ? 0 : EPOLLIN, i));
	}
	recording->live = recording->counters.count;
	return NULL;
}

static void handle_signals(struct recording *recording)
{
	struct signalfd_siginfo info;

	while (read(recording->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR2) {
			recording->switch_now = recording->switch_now || recording->options->switch_on_signal;
		} else if (info.ssi_signo == SIGCHLD) {
			recording->done = recording->done || workload_poll(&recording->workload);
		} else {
			recording->signal = info.ssi_signo;
			recording->done = true;
		}
	}
}

/* A counter hangs up when its thread and all that inherited it have ended. */
static void handle_counter(struct recording *recording, uint64_t index, uint32_t events)
{
	if (!(events & (EPOLLHUP | EPOLLERR)))
		return;
	epoll_ctl(recording->epoll_fd, EPOLL_CTL_DEL, recording->counters.items[index].fd, NULL);
	recording->live--;
	/* Of a workload SIGCHLD tells more: its status. */
	if (!recording->live && target_given(&recording->options->target))
		recording->done = true;
}

static struct error *handle_control(struct recording *recording)
{
	bool closed;

	RETURN_ERROR(recording_handle_control(recording, &closed));
	if (closed)
		epoll_ctl(recording->epoll_fd, EPOLL_CTL_DEL, recording->control.command_fd, NULL);
	return NULL;
}

static struct error *wait_for_records(struct recording *recording)
{
	struct epoll_event events[EVENT_BATCH];
	int count = epoll_wait(recording->epoll_fd, events, EVENT_BATCH, -1);
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
		} else if (events[i].data.u64 == CONTROL_TAG) {
			RETURN_ERROR(handle_control(recording));
		} else {
			handle_counter(recording, events[i].data.u64, events[i].events);
			woken = true;
		}
	}
	recording->wakeups += woken;
	return NULL;
}

/* Limits on the file's size. */
static void check_size(struct recording *recording)
{
	const struct record_options *options = recording->options;
	uint64_t size = writer_size(recording->writer);

	if (options->switch_size && size - recording->begun_size >= options->switch_size)
		recording->switch_now = true;
	if (!options->max_size || recording->result->bytes + size < options->max_size)
		return;
	recording_say(recording, RECORD_NOTE, "the size limit of %lu bytes is reached", options->max_size);
	recording->done = true;
}

struct error *recording_loop(struct recording *recording)
{
	RETURN_ERROR(watch_all(recording));
	for (;;) {
		bool moved;

		RETURN_ERROR(recording_drain(recording, false, &moved));
		if (moved) {
			RETURN_ERROR(flush_sometimes(recording));
			check_size(recording);
		}
		if (recording->done)
			return NULL;
		if (recording->switch_now)
			RETURN_ERROR(recording_switch_output(recording));
		else if (!moved)
			RETURN_ERROR(wait_for_records(recording));
	}
}
