// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Without optimization, the object to which a union's member is copied is loaded after the member.
// RUN: gcc -O0
// RUN: clang -O0

struct cell;
struct port;

union object {
	char *text;
	struct port *port;
	struct cell *cell;
	long number;
};

struct cell {
	long flags;
	union object object;
};

struct machine {
	long depth;
	struct cell *code;
	struct port *input;
	struct cell *nil;
};

void step(struct machine *machine)
{ // EXPECT: struct machine* +0
	machine->code = machine->code->object.cell;
	// EXPECT: struct machine* +0; struct machine +8 (code); struct cell +8 (object.cell)
}

void connect(struct machine *machine)
{ // EXPECT: struct machine* +0
	machine->input = machine->code->object.port;
	// EXPECT: struct machine* +0; struct machine +8 (code); struct cell +8 (object.port); struct machine +16 (input)
}

int is_last(struct machine *machine)
{ // EXPECT: struct machine* +0
	return machine->code->object.cell == machine->nil;
	// EXPECT: struct machine* +0; struct machine +8 (code); struct cell +8 (object.cell); struct machine +24 (nil)
}
