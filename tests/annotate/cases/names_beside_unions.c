// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A union of numbers that only their names tell apart: the value has the name of the variable or the argument that
// it comes from or goes to.

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
