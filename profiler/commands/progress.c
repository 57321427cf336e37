// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "profiler/base/printable.h"

#define FIRST_AFTER 500 /* milliseconds */
#define THEN_EVERY  200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool running; /* of the calling thread alone */
static bool stop;    /* under the lock, as the rest */
static char text[120];

static struct timespec later(unsigned int milliseconds)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_nsec += milliseconds % 1000 * 1000000L;
	time.tv_sec += milliseconds / 1000 + time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static void *show(void *argument)
{
	struct timespec until = later(FIRST_AFTER);
	bool shown = false;

	(void)argument;
	pthread_mutex_lock(&lock);
	while (!stop) {
		if (pthread_cond_timedwait(&ended, &lock, &until) != ETIMEDOUT)
			continue;
		fprintf(stderr, "\r\033[K%s", text);
		fflush(stderr);
		shown = true;
		until = later(THEN_EVERY);
	}
	pthread_mutex_unlock(&lock);
	if (shown)
		fputs("\r\033[K", stderr);
	return NULL;
}

void progress_show(const char *what, const char *which)
{
	if (!running) {
		if (!isatty(STDERR_FILENO))
			return;
		stop = false;
		running = pthread_create(&thread, NULL, show, NULL) == 0;
	}
	pthread_mutex_lock(&lock);
	/* short enough for one line: one that wraps would stay */
	snprintf(text, sizeof(text), "%s%s%.50s ...", what, which ? ": " : "", which ? which : "");
	make_printable(text, strlen(text));
	pthread_mutex_unlock(&lock);
}

void progress_end(void)
{
	if (!running)
		return;
	pthread_mutex_lock(&lock);
	stop = true;
	pthread_cond_signal(&ended);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	running = false;
}
