// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The argument of an inlined function is loaded from memory at once: gcc says of which place, and the parameter's type says what the loaded word points to.
// RUN: gcc

struct port {
	int kind, flags;
	char *start;
};

struct cell {
	unsigned int flag;
	union {
		struct {
			struct cell *car, *cdr;
		} cons;
		struct {
			char *text;
			int length;
		} string;
		struct port *port;
	} u;
};

struct interpreter {
	long count;
	struct cell *args;
};

static inline int is_procedure(struct cell *p)
{
	return (p->flag & 31) == 4 || (p->flag & 31) == 7; // MAY: struct cell +8 (u...
}

// EXPECT-IN first_is_procedure: struct cell +0 (flag)
int first_is_procedure(struct interpreter *sc)
{
	return is_procedure(sc->args->u.cons.car); // MAY: struct interpreter +8 (args); struct cell +8 (u...
}

static inline int kind_of(struct port *p)
{
	return p->kind; // MAY: struct cell +8 (u...
}

// EXPECT-IN port_kind: struct port +0 (kind)
int port_kind(struct interpreter *sc)
{
	return kind_of(sc->args->u.port) == 4; // MAY: struct interpreter +8 (args); struct cell +8 (u...
}
