// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A union of numbers that only their names tell apart: the value has the name of the variable or the argument that
// it comes from or goes to. A pointer that is moved to the start of the object around what it points to has the type of that.

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
