// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements cached_costs.h. */
#include "profiler/machine/cached_costs.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "base/cursor.h"
#include "base/files.h"
#include "base/memory.h"

#define TEXT_MAX 8192 /* bytes of a file; it has some 700 */

/* Returns the first line of the file, which tells machines that share it apart; to be freed. */
static char *machine_line(void)
{
	struct utsname machine;

	if (uname(&machine))
		memset(&machine, 0, sizeof(machine));
	return xasprintf("machine %s %s %ld processors, caches of %ld, %ld, %ld bytes\n",
			 machine.nodename, machine.machine, sysconf(_SC_NPROCESSORS_CONF),
			 sysconf(_SC_LEVEL1_DCACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE),
			 sysconf(_SC_LEVEL3_CACHE_SIZE));
}

/* Opens the folder of the file, as own_folder_open() does. */
static int open_costs_folder(bool make)
{
	return own_folder_open(getenv("XDG_CACHE_HOME"), ".cache", "dtprof", make, NULL);
}

/* Returns the name of the file, to be freed: machines may share a home. */
static char *costs_name(void)
{
	struct utsname machine;

	return xasprintf("memory-costs-%s",
			 uname(&machine) || strchr(machine.nodename, '/') ? "" : machine.nodename);
}

/* Reads up to TEXT_MAX bytes of the file, if it is believed, as a string to be freed; else NULL. */
static char *read_costs(void)
{
	_cleanup_close_ int folder = open_costs_folder(false);
	_cleanup_free_ char *name = costs_name();
	char *text = xcalloc(TEXT_MAX + 1, 1);
	struct error *error;
	struct stat status;
	ssize_t size = -1;
	int file = -1;

	if (folder >= 0) {
		error = ordinary_file_open_in(folder, name, name, &file, &status);
		if (!error && !file_distrust(&status))
			size = read(file, text, TEXT_MAX);
		error_destroy(error);
		if (file >= 0)
			close(file);
	}
	if (size > 0)
		return text;
	free(text);
	return NULL;
}

bool cached_costs_read(struct memory_costs *costs)
{
	_cleanup_free_ char *machine = machine_line(), *text = read_costs();
	size_t length = strlen(machine);

	*costs = (struct memory_costs){ 0 };
	return text && !strncmp(text, machine, length) && memory_costs_parse(text + length, costs);
}

/* Rounds the costs as the file does, and writes it anew, in one step. */
static void keep_costs(struct memory_costs *costs)
{
	_cleanup_close_ int folder = open_costs_folder(true);
	_cleanup_free_ char *name = costs_name(), *machine = machine_line();
	_cleanup_free_ char *temporary = xasprintf("%s.%d", name, (int)getpid());
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	/* the first command is to say what the next ones do */
	memory_costs_print(costs, &text);
	(void)memory_costs_parse(text.data, costs);
	strbuf_reset(&text);
	if (folder < 0)
		return;
	int file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			  0600);

	if (file < 0)
		return;
	strbuf_add_string(&text, machine);
	memory_costs_print(costs, &text);

	bool written = write(file, text.data, text.length) == (ssize_t)text.length;

	/* without the file, the next command measures again */
	if (close(file) || !written || renameat(folder, temporary, folder, name))
		(void)unlinkat(folder, temporary, 0);
}

/* The process that costs_measurer_start() has started. */
static struct costs_measurer {
	pid_t process; /* 0: none runs */
	int socket;
} measurer;

/* Waits for the question, answers it and ends. A closed socket is no question. */
static void __attribute__((noreturn)) serve(int socket)
{
	struct memory_costs costs;
	char byte;

	if (recv(socket, &byte, 1, 0) == 1 && measure_memory_costs(&costs)) {
		keep_costs(&costs);
		(void)send(socket, &costs, sizeof(costs), MSG_NOSIGNAL);
	}
	_exit(0);
}

void costs_measurer_start(void)
{
	struct memory_costs costs;
	int ends[2];

	if (measurer.process || cached_costs_read(&costs) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return;
	measurer.process = fork();
	if (!measurer.process) {
		close(ends[0]);
		serve(ends[1]);
	}
	close(ends[1]);
	measurer.socket = ends[0];
	if (measurer.process > 0)
		return;
	close(ends[0]);
	measurer = (struct costs_measurer){ 0 };
}

bool costs_measurer_ask(struct memory_costs *costs)
{
	*costs = (struct memory_costs){ 0 };
	if (!measurer.process || send(measurer.socket, "m", 1, MSG_NOSIGNAL) != 1 ||
	    recv(measurer.socket, costs, sizeof(*costs), MSG_WAITALL) != (ssize_t)sizeof(*costs))
		*costs = (struct memory_costs){ 0 };
	return costs->known;
}

void costs_measurer_stop(void)
{
	if (!measurer.process)
		return;
	close(measurer.socket);
	(void)waitpid(measurer.process, NULL, 0);
	measurer = (struct costs_measurer){ 0 };
}
