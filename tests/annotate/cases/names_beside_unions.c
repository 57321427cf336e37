// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A union of numbers that only their names tell apart: the value has the name of the variable or the argument that
// it comes from or goes to, whichever record of the union the member is in; an array's name is not an element's. gcc
// describes a variable by the member's place until a register has it. A pointer that is moved to the start of the object around what it points to has the type of that.

struct frame {
	long code;

	union {
		unsigned next;
		unsigned line;
		unsigned count;
		unsigned extra;
	} u;
};

int keep(unsigned count);

unsigned arguments_of(const struct frame *f)
{
	unsigned count = f->u.count; // EXPECT: struct frame +8 (u.count)

	keep(0);
	if (count > 3)
		return keep(count - 3);
	return count;
}

void set_line(struct frame *f, unsigned line)
{
	f->u.line = line; // EXPECT: struct frame +8 (u.line)
}

__attribute__((noinline)) int check(unsigned _extra, const char *text)
{
	return keep(_extra) + keep(text[0]); // EXPECT: char +0
}

int check_frame(const struct frame *f)
{
	return check(f->u.extra, "") + 1; // EXPECT: struct frame +8 (u.extra)
}

// Nothing tells which one it is.
int test_frame(const struct frame *f)
{
	return f->u.next == 0; // EXPECT: struct frame +8 (u)
}

struct object {
	int references;
	int type;
	long handlers;
};

struct text {
	int references;
	int type;
	long length;
	char bytes[];
};

struct value {
	long tag;

	union {
		long number;
		double real;
		struct text *text;
		struct object *object;
		void *any;
	} u;
};

struct file {
	long position;
	long size;
	struct object object;
};

static inline struct file *file_of(struct object *object)
{
	return (struct file *)((char *)object - __builtin_offsetof(struct file, object));
}

void set_size(struct value *v)
{
	struct file *file = file_of(v->u.object); // EXPECT: struct value +8 (u.object)

	file->size = keep(1); // EXPECT: struct file +8 (size)
	keep(2);
}

struct entry {
	struct text *name;
	long hits;
};

// A record that begins with a pointer to another one is no such other one.
void hit(struct value *v)
{
	struct entry *entry = v->u.any; // EXPECT: struct value +8 (u.any)

	entry->hits += 3; // EXPECT: struct entry +8 (hits)
}

int order(const struct value *v, const struct value *w)
{
	long a = v->u.number, b = w->u.number; // MAY: struct value +8 (u.number)

	return (a >= b) - (a <= b); // EXPECT: struct value +8 (u.number)
}

// The parameters of a declaration have no names.
int declared(unsigned, const char *) __asm__("defined");

int check_declared(const struct frame *f)
{
	return declared(f->u.line, "") + 1; // EXPECT: struct frame +8 (u.line)
}

static __attribute__((noinline, used)) int defined(unsigned, const char *) __asm__("defined");

static int defined(unsigned line, const char *text)
{
	return keep(line) + keep(text[0]); // EXPECT: char +0
}

struct record {
	long code;

	union {
		struct {
			unsigned page;
			unsigned size;
		} redo;
		struct {
			unsigned map;
			unsigned blocks;
		} update;
		unsigned id[2];
	} u;
};

unsigned size_of(const struct record *r)
{
	unsigned size = r->u.redo.size; // EXPECT: struct record +12 (u.redo.size)

	keep(1);
	return size > 3 ? size : 3;
}

unsigned blocks_of(const struct record *r)
{
	unsigned id = r->u.update.blocks; // EXPECT: struct record +12 (u)

	keep(1);
	return id > 4 ? id : 4;
}

union weight {
	void *any;
	double real;
	unsigned long number;
};

struct weighed {
	long key;
	union weight weight;
};

double weighed_by(const struct weighed *w, double factor);

// A place that has the variable's address has no such variable.
double weight_of(const struct weighed *w)
{
	double weight = *(double *)w->weight.any; // EXPECT: struct weighed +8 (weight.any) MAY: double +0; none

	return weighed_by(w + 1, weight) * weight; // MAY: double +0
}
