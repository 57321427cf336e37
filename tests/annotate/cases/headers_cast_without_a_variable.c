// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A header is cast to a record that no variable names: what follows it is not in the record to which another pointer is declared.

struct file {
	const void *methods;
};

struct store {
	long size;
	char *data;
	int refs;
};

struct memory_file {
	struct file base;
	long lock;
};

long get(struct file *f)
{
	struct store *s;

	return ((struct memory_file *)f)->lock; // EXPECT: none (the offset is outside the type)
}
