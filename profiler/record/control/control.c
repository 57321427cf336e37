// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands to a running recording: see control.h. */
#include "profiler/record/control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/base/memory.h"

#define COMMAND_MAX 4096 /* bytes of a line */

static struct error *bad_specification(const char *specification)
{
	return error_create(
		ERROR_OTHER,
		"--control: '%s' is neither fd:COMMANDS[,ACKS] nor fifo:COMMANDS[,ACKS]",
		specification);
}

static struct error *inherited_descriptor(const char *text, int *fd)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (errno || end == text || *end || number < 0 || number > 1 << 20)
		return error_create(ERROR_OTHER,
				    "--control: '%s' is not the number of a descriptor", text);
	if (fcntl(number, F_GETFD) < 0)
		return error_errno(errno, "--control: descriptor %ld", number);
	*fd = number;
	return NULL;
}

/*
 * Opens both ends, so that it neither waits for the other side nor sees an end of file when that
 * closes its end.
 */
static struct error *open_fifo(const char *path, int *fd)
{
	struct stat status;

	*fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0)
		return error_errno(errno, "--control: cannot open %s", path);
	if (fstat(*fd, &status) == 0 && S_ISFIFO(status.st_mode))
		return NULL;
	return error_create(ERROR_OTHER, "--control: %s is not a fifo (mkfifo makes one)", path);
}

struct error *control_open(const char *specification, struct control *control)
{
	bool fifo = strncmp(specification, "fifo:", 5) == 0;

	if (!fifo && strncmp(specification, "fd:", 3))
		return bad_specification(specification);
	_cleanup_free_ char *command = xstrdup(strchr(specification, ':') + 1);
	char *acknowledgment = strchr(command, ',');

	if (acknowledgment)
		*acknowledgment++ = '\0';
	if (!*command || (acknowledgment && !*acknowledgment))
		return bad_specification(specification);
	control->opened = fifo;
	RETURN_ERROR(fifo ? open_fifo(command, &control->command_fd)
			  : inherited_descriptor(command, &control->command_fd));
	if (!acknowledgment)
		return NULL;
	return fifo ? open_fifo(acknowledgment, &control->acknowledgment_fd)
		    : inherited_descriptor(acknowledgment, &control->acknowledgment_fd);
}

struct error *control_read(struct control *control, bool *closed)
{
	char bytes[COMMAND_MAX];
	/*
	 * Only one read, since an inherited descriptor may block. The caller has waited until there
	 * is something.
	 */
	ssize_t count = read(control->command_fd, bytes, sizeof(bytes));

	*closed = count == 0;
	if (count < 0 && (errno == EINTR || errno == EAGAIN))
		return NULL;
	if (count < 0)
		return error_errno(errno, "--control: reading commands");
	strbuf_add(&control->pending, bytes, count);
	if (*closed && control->pending.length)
		strbuf_add_char(&control->pending, '\n');
	if (control->pending.length <= COMMAND_MAX ||
	    memchr(control->pending.data, '\n', control->pending.length))
		return NULL;
	return error_create(ERROR_FORMAT, "--control: a line of more than %d bytes is no command",
			    COMMAND_MAX);
}

static enum control_verb find_verb(const char *word)
{
	static const struct {
		const char *word;
		enum control_verb verb;
	} verbs[] = {
		{ "enable", CONTROL_ENABLE },     { "disable", CONTROL_DISABLE },
		{ "evlist", CONTROL_EVENT_LIST }, { "snapshot", CONTROL_SNAPSHOT },
		{ "stop", CONTROL_STOP },         { "ping", CONTROL_PING },
	};

	for (size_t i = 0; i < COUNT_OF(verbs); i++) {
		if (strcmp(word, verbs[i].word) == 0)
			return verbs[i].verb;
	}
	return CONTROL_UNKNOWN;
}

bool control_next(struct control *control, struct control_command *command)
{
	struct strbuf *pending = &control->pending;
	char *end = pending->length ? memchr(pending->data, '\n', pending->length) : NULL;

	if (!end)
		return false;
	size_t length = end - pending->data;

	command->line = xstrndup(pending->data, length);
	memmove(pending->data, end + 1, pending->length - length - 1);
	pending->length -= length + 1;
	pending->data[pending->length] = '\0';

	_cleanup_free_ char *word = xstrndup(command->line, strcspn(command->line, " \t\r"));
	const char *argument = command->line + strlen(word);

	argument += strspn(argument, " \t");
	command->verb = find_verb(word);
	command->argument = *argument ? xstrndup(argument, strcspn(argument, "\r")) : NULL;
	return true;
}

void control_command_deinit(struct control_command *command)
{
	free(command->line);
	free(command->argument);
	*command = (struct control_command){ .verb = CONTROL_UNKNOWN };
}

void control_acknowledge(const struct control *control)
{
	static const char word[] = "ack\n";

	/* Answers that nobody reads are lost, because the recording must not wait. */
	if (control->acknowledgment_fd >= 0 &&
	    write(control->acknowledgment_fd, word, sizeof(word) - 1) < 0)
		return;
}

void control_close(struct control *control)
{
	if (control->opened) {
		closep(&control->command_fd);
		closep(&control->acknowledgment_fd);
	}
	strbuf_deinit(&control->pending);
	*control = (struct control)CONTROL_INIT;
}
