// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A handle is cast to the private record behind it by a macro; elsewhere in the unit, variables of both types have one register.
// RULES: value-cast
// RUN: gcc clang

struct public {
	char *result;
	void (*release)(char *);
	int line;
};

/* It begins like the public record, under other names. */
struct private {
	char *text;
	void (*free)(char *);
	int error_line;
	long commands;
	struct frame {
		long level;
		struct frame *caller;
	} *frame;
};

#define PRIVATE(p) ((struct private *)(p))

void note(struct private *);

/* The variable has the handle's register. */
long elsewhere(struct public *handle)
{
	struct private *own = (struct private *)handle;

	note(own);
	return own->commands; // EXPECT: struct private +24 (commands)
}

long level(struct public *handle)
{
	return PRIVATE(handle)->frame->level;
	// EXPECT: struct private +32 (frame) [inferred]; struct frame +0 (level)
}

/* The value that is moved is no frame: the handle is one of another library here. */
struct other {
	char *text;
	void (*free)(char *);
	long line, commands;
	struct window *window;
};

struct window {
	long width;
};

void show(struct window *);

void show_window(struct public *handle)
{
	show(((struct other *)handle)->window); // EXPECT: none (the offset is outside the type)
}

int line(struct public *handle)
{
	return handle->line; // EXPECT: struct public +16 (line)
}
