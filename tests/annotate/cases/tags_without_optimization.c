// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Without optimization the address of an object is loaded from the stack for each access. A test of its tag tells the member all the same.
// RUN: gcc -O0
// RUN: gcc -O2 -fno-omit-frame-pointer

struct stream;

struct port {
	unsigned char kind;
	union {
		struct {
			struct stream *stream;
			char *name;
		} file;
		struct {
			char *start;
			char *at;
		} text;
	} u;
};

int next_of(struct stream *stream);
int end_of(const char *name);

/* ---- functions that show which member belongs to a port */

int file_next(struct port *p)
{ // MAY: struct port* +0
	if (p->kind == 1) // MAY: struct port* +0; struct port +0 (kind)
		return next_of(p->u.file.stream); // EXPECT: struct port +8 (u.file.stream) MAY: struct port* +0
	return 0;
}

int text_first(struct port *p)
{ // MAY: struct port* +0
	if (p->kind == 2) // MAY: struct port* +0; struct port +0 (kind)
		return end_of(p->u.text.start); // EXPECT: struct port +8 (u.text.start) MAY: struct port* +0
	return 0;
}

/* ---- functions that do not */

int file_end(struct port *p)
{ // MAY: struct port* +0
	if (p->kind == 1) // MAY: struct port* +0; struct port +0 (kind)
		return end_of(p->u.file.name); // EXPECT: struct port +16 (u.file.name) MAY: struct port* +0
	return 0;
}

int text_next(struct port *p)
{ // MAY: struct port* +0
	if (p->kind == 2) // MAY: struct port* +0; struct port +0 (kind)
		return end_of(p->u.text.at); // EXPECT: struct port +16 (u.text.at) MAY: struct port* +0
	return 0;
}

int either_next(struct port *p)
{ // MAY: struct port* +0
	return end_of(p->u.text.at); // EXPECT: struct port +16 (u) MAY: struct port* +0
}

