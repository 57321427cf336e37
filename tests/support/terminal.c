// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/unit.h"

#include "tests/support/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void become_command(const char *command, const char *path)
{
	int terminal;

	setsid();
	terminal = open(path, O_RDWR);
	if (terminal < 0)
		_exit(127);
	ioctl(terminal, TIOCSCTTY, 0);
	for (int fd = 0; fd < 3; fd++)
		dup2(terminal, fd);
	if (terminal > 2)
		close(terminal);
	setenv("TERM", "xterm", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("DTPROF_PAGER", "", 1);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Reads until the command's end is closed, which read() reports as EIO. */
static void read_all(int master, struct strbuf *output)
{
	char bytes[4096];
	ssize_t got;

	while ((got = read(master, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < got; i++)
			if (bytes[i] != '\r')
				strbuf_add_char(output, bytes[i]);
}

void terminal_run(const char *command, unsigned int columns, unsigned int rows,
		  struct process_result *result)
{
	struct winsize size = { .ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows };
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status;
	const char *path;
	pid_t child;

	if (master < 0 || grantpt(master) || unlockpt(master) || !(path = ptsname(master)))
		skip_because("no pseudoterminals here");
	*result = (struct process_result){ .output = STRBUF_INIT, .errors = STRBUF_INIT };
	ioctl(master, TIOCSWINSZ, &size);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		become_command(command, path);
	read_all(master, &result->output);
	close(master);
	assert_int_equal(waitpid(child, &status, 0), child);
	result->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
