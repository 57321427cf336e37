// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/bus_error.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A page of a mapped file that is not there any more. Only what is safe in a signal handler. */
static void end(int number, siginfo_t *info, void *context)
{
	static const char message[] =
		"dtprof: a file became shorter, or could not be read, while it was in use (perf.data or an "
		"object file): run this again when nobody writes to it\n";

	(void)number;
	(void)context;
	/* sent by somebody, or no page of a file: what it would have done */
	if (info->si_code != BUS_ADRERR) {
		signal(SIGBUS, SIG_DFL);
		raise(SIGBUS);
		return;
	}
	if (write(STDERR_FILENO, message, strlen(message)) < 0)
		_exit(EXIT_FAILURE);
	_exit(EXIT_FAILURE);
}

void bus_error_watch(void)
{
	struct sigaction action = { .sa_sigaction = end, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}
