// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record_cost FOLDER RUNS RECORDER...: what a recorder costs, several side by side: its processor
 * time for 100,000 samples, the bytes of a sample, how much slower the machine gets, and what is
 * lost when it is busy. Each figure is the median of the runs, in which the recorders take turns. A
 * recorder is a program that knows perf record's options.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/support/perf_data_file.h"

#define MOST_RUNS      25
#define MOST_RECORDERS 4
#define WORK_ROUNDS    600000000ULL

struct figures {
	const char *recorder;
	double processor[MOST_RUNS]; /* seconds for 100,000 samples */
	double bytes[MOST_RUNS];     /* of a sample, the rest of the file shared out */
	double slowdown[MOST_RUNS];  /* wall time with it to wall time without */
	double lost[MOST_RUNS];      /* percent */
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void spin(uint64_t rounds)
{
	volatile uint64_t sum = 0;

	for (uint64_t i = 0; i < rounds; i++)
		sum += i;
}

/* Starts a busy process on each CPU; the caller kills them. */
static void start_spinners(pid_t *spinners, long count)
{
	for (long i = 0; i < count; i++) {
		spinners[i] = fork();
		if (spinners[i] == 0)
			spin(UINT64_MAX);
	}
}

static void stop_spinners(const pid_t *spinners, long count)
{
	for (long i = 0; i < count; i++) {
		kill(spinners[i], SIGKILL);
		waitpid(spinners[i], NULL, 0);
	}
}

/* Start "RECORDER record WORDS... -o FILE"; its words are split at blanks. */
static pid_t start_recorder(const char *recorder, const char *words, const char *file)
{
	_cleanup_free_ char *text = xstrdup(words);
	const char *arguments[32] = { recorder, "record", "-o", file };
	size_t count = 4;
	char *save = NULL;
	pid_t pid;

	for (char *word = strtok_r(text, " ", &save); word && count + 1 < 32;
	     word = strtok_r(NULL, " ", &save))
		arguments[count++] = word;
	pid = fork();
	if (pid == 0) {
		int nothing = open("/dev/null", O_RDWR);

		for (int fd = 0; fd < 3; fd++)
			dup2(nothing, fd);
		execvp(recorder, (char **)arguments);
		_exit(127);
	}
	return pid;
}

static double wait_for(pid_t pid, const char *recorder)
{
	struct rusage usage;
	int status;

	if (wait4(pid, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "%s record failed\n", recorder);
		exit(1);
	}
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double record_for(const char *recorder, const char *words, const char *file)
{
	return wait_for(start_recorder(recorder, words, file), recorder);
}

static struct perf_data_file open_file(const char *path)
{
	struct perf_data_file file;

	if (!perf_data_open(path, &file))
		exit(1);
	return file;
}

static void measure_cost(struct figures *figures, int run, const char *path)
{
	pid_t spinner;

	start_spinners(&spinner, 1);
	_cleanup_free_ char *words = xasprintf("-e cpu-clock -F 20000 -p %d -- sleep 3", spinner);
	double seconds = record_for(figures->recorder, words, path);
	struct perf_data_file file = open_file(path);
	double samples = (double)perf_data_count(&file, PERF_RECORD_SAMPLE);
	uint64_t offset = 0, bytes = 0;
	const struct perf_event_header *record;

	stop_spinners(&spinner, 1);
	while ((record = perf_data_next(&file, PERF_RECORD_SAMPLE, &offset)))
		bytes += record->size;
	perf_data_close(&file);
	figures->processor[run] = seconds / samples * 1e5;
	figures->bytes[run] = (double)bytes / samples;
}

static double work_time(void)
{
	double start = now();

	spin(WORK_ROUNDS);
	return now() - start;
}

static void measure_slowdown(struct figures *figures, int run, const char *path, double alone)
{
	pid_t recorder =
		start_recorder(figures->recorder, "-a -e cpu-clock -F 20000 -- sleep 100", path);
	double with;

	usleep(300000);
	with = work_time();
	kill(recorder, SIGINT);
	waitpid(recorder, NULL, 0);
	figures->slowdown[run] = with / alone;
}

/* A sample that was lost is in a LOST_SAMPLES record, or among the records of a LOST one. */
static uint64_t count_lost(const struct perf_data_file *file)
{
	const struct perf_event_header *record;
	uint64_t offset = 0, lost = 0, lost_samples = 0, value;

	while ((record = perf_data_next(file, PERF_RECORD_LOST, &offset))) {
		memcpy(&value, (const uint8_t *)(record + 1) + 8, sizeof(value));
		lost += value;
	}
	offset = 0;
	while ((record = perf_data_next(file, PERF_RECORD_LOST_SAMPLES, &offset))) {
		memcpy(&value, record + 1, sizeof(value));
		lost_samples += value;
	}
	return lost > lost_samples ? lost : lost_samples;
}

static void measure_lost(struct figures *figures, int run, const char *path)
{
	long count = 2 * sysconf(_SC_NPROCESSORS_ONLN);
	_cleanup_free_ pid_t *spinners = xcalloc(count, sizeof(*spinners));

	start_spinners(spinners, count);
	record_for(figures->recorder, "-a -e cpu-clock -F 50000 -- sleep 3", path);
	stop_spinners(spinners, count);

	struct perf_data_file file = open_file(path);
	double lost = (double)count_lost(&file),
	       samples = (double)perf_data_count(&file, PERF_RECORD_SAMPLE);

	perf_data_close(&file);
	figures->lost[run] = 100 * lost / (lost + samples);
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

static double median(double *values, int count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

static void print(struct figures *figures, int runs)
{
	printf("%-34s %12.3f s %10.1f %13.3f %10.2f%%\n", figures->recorder,
	       median(figures->processor, runs), median(figures->bytes, runs),
	       median(figures->slowdown, runs), median(figures->lost, runs));
}

int main(int argc, char **argv)
{
	struct figures figures[MOST_RECORDERS] = { 0 };
	int recorders = argc - 3, runs = argc > 2 ? atoi(argv[2]) : 0;

	if (recorders < 1 || recorders > MOST_RECORDERS || runs < 1 || runs > MOST_RUNS) {
		fprintf(stderr, "usage: %s FOLDER RUNS RECORDER...\n", argv[0]);
		return 2;
	}
	_cleanup_free_ char *path = xasprintf("%s/record.data", argv[1]);

	for (int run = 0; run < runs; run++) {
		double alone = work_time();

		for (int i = 0; i < recorders; i++) {
			figures[i].recorder = argv[3 + i];
			measure_cost(&figures[i], run, path);
			measure_slowdown(&figures[i], run, path, alone);
			measure_lost(&figures[i], run, path);
		}
	}
	unlink(path);
	printf("%-34s %14s %10s %13s %11s\n", "record, cpu-clock", "CPU/100,000", "bytes",
	       "slow-down", "lost at");
	printf("%-34s %14s %10s %13s %11s\n", "", "-F 20000 -p", "a sample", "-F 20000 -a",
	       "-F 50000 -a");
	for (int i = 0; i < recorders; i++)
		print(&figures[i], runs);
	return 0;
}
