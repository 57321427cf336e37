// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measure RUNS NAME COMMAND...: runs the command RUNS times, its output thrown away, and prints a
 * line: the shortest wall time, the processor time of that run, the largest peak of memory. Fails
 * as the command does.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static int run(char **command, struct rusage *usage)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int nothing = open("/dev/null", O_RDWR);

		dup2(nothing, STDIN_FILENO);
		dup2(nothing, STDOUT_FILENO);
		dup2(nothing, STDERR_FILENO);
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, usage) < 0) {
		perror(command[0]);
		exit(1);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	double best = -1;
	double processor = 0;
	long peak = 0;

	if (argc < 4) {
		fprintf(stderr, "usage: %s RUNS NAME COMMAND...\n", argv[0]);
		return 2;
	}
	for (int i = 0; i < atoi(argv[1]); i++) {
		double start = seconds_now();
		struct rusage usage;
		int status = run(argv + 3, &usage);
		double wall = seconds_now() - start;

		if (status) {
			printf("%-58s fails with status %d\n", argv[2], status);
			return 1;
		}
		if (best < 0 || wall < best) {
			best = wall;
			processor = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
		}
		if (usage.ru_maxrss > peak)
			peak = usage.ru_maxrss;
	}
	printf("%-58s %8.4f s %8.4f s %8.1f MB\n", argv[2], best, processor, (double)peak / 1024);
	return 0;
}
