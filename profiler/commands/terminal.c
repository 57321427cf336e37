// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/terminal.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/commands/globals.h"

bool terminal_colour(void)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

	if (global_options.colour != COLOUR_AUTO)
		return global_options.colour == COLOUR_ALWAYS;
	/* https://no-color.org: present and not empty */
	return !(no_colour && *no_colour) && isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

unsigned int terminal_width(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

static pid_t pager_pid;

static void pager_wait(void)
{
	fflush(stdout);
	/* the end of its input lets the pager end */
	close(STDOUT_FILENO);
	while (waitpid(pager_pid, NULL, 0) < 0)
		;
}

/* Whether the first word of a shell command names a program that can be run. */
static bool is_program(const char *command)
{
	size_t length = strcspn(command, " \t");
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	if (memchr(command, '/', length)) {
		snprintf(file, sizeof(file), "%.*s", (int)length, command);
		return access(file, X_OK) == 0;
	}
	while (path && *path) {
		size_t folder = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/%.*s", (int)folder, path, (int)length, command);
		if (access(file, X_OK) == 0)
			return true;
		path += folder + (path[folder] == ':');
	}
	return false;
}

bool pager_runs(void)
{
	return pager_pid > 0;
}

void pager_start(void)
{
	const char *pager = getenv("DTPROF_PAGER");
	int pipe_ends[2];

	if (pager_runs() || global_options.no_pager || !isatty(STDOUT_FILENO))
		return;
	if (!pager)
		pager = getenv("PAGER");
	if (!pager)
		pager = "less";
	if (!*pager || !strcmp(pager, "cat") || !is_program(pager) || pipe(pipe_ends))
		return;
	fflush(stdout);
	pager_pid = fork();
	if (pager_pid == 0) {
		dup2(pipe_ends[0], STDIN_FILENO);
		close(pipe_ends[0]);
		close(pipe_ends[1]);
		/* as perf sets it: colours through, short output at once, long lines cut, the screen left as
		 * it is */
		setenv("LESS", "FRSX", 0);
		execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
		_exit(127);
	}
	if (pager_pid > 0) {
		dup2(pipe_ends[1], STDOUT_FILENO);
		/* it has the terminal: an interrupt is for the pager to take */
		signal(SIGINT, SIG_IGN);
		atexit(pager_wait);
	}
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}
