/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands to a running recording, from a program that started it: perf record's --control.
 *
 * They come as lines through a descriptor or a fifo; each that was carried out is answered by "ack\n".
 */
#ifndef DTPROF_RECORD_CONTROL_H
#define DTPROF_RECORD_CONTROL_H

#include <stdbool.h>

#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"

struct control {
	int command_fd;        /* -1: there is none */
	int acknowledgment_fd; /* -1: nobody wants to know */
	bool opened;           /* the descriptors are this program's own, not inherited */
	struct strbuf pending; /* the begin of a line whose end has not come yet */
};

#define CONTROL_INIT                                                                                         \
	{                                                                                                    \
		.command_fd = -1, .acknowledgment_fd = -1, .pending = STRBUF_INIT                            \
	}

enum control_verb {
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_EVENT_LIST,
	CONTROL_SNAPSHOT,
	CONTROL_STOP,
	CONTROL_PING,
	CONTROL_UNKNOWN,
};

struct control_command {
	enum control_verb verb;
	char *argument; /* the name of an event; NULL: none */
	char *line;     /* as it came */
};

/*
 * "fd:COMMANDS[,ACKNOWLEDGMENTS]", numbers of inherited descriptors, or "fifo:PATH[,PATH]". Nothing else than
 * a fifo is opened as one.
 */
struct error *control_open(const char *specification, struct control *control);
/* Read what has come. *closed: nothing will come any more. */
struct error *control_read(struct control *control, bool *closed);
/* The next whole line of it; false: there is none. */
bool control_next(struct control *control, struct control_command *command);
void control_command_release(struct control_command *command);
/* Say that a command was carried out. */
void control_acknowledge(const struct control *control);
void control_close(struct control *control);

#endif
