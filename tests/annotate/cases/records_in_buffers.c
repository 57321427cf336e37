// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record that is kept in the buffer of another one (as io_uring keeps its commands).
// RULES: buffer-cast

struct file {
	int mode;
	long position;
};

struct command {
	struct file *file;
	unsigned char data[48];
};

struct request {
	union {
		struct file *file;
		struct command command;
	};

	long flags;
	struct request *next;
};

struct opening {
	struct file *file;
	int folder;
	const char *name;
	_Bool late;
};

struct closing {
	struct file *file;
	const char *why;
};

long use(void *, const void *);

long kept(struct request *request)
{
	struct opening *opening = (struct opening *)&request->command;

	long sum =
		opening->folder + request->file->position + use(request, opening->name);
		// EXPECT: struct request +0 (file); struct opening +16 (name)
		// EXPECT: struct opening +8 (folder); struct file +8 (position)

	if (opening->late) // EXPECT: struct opening +24 (late)
		sum += request->flags; // EXPECT: struct request +56 (flags)
	return sum + use(request, opening->name) + use(0, opening->name);
	// EXPECT: struct opening +16 (name)
}

struct name {
	unsigned char id[24];
	long length;
};

struct pair {
	long a, b;
};

/* A record without members in common with the one around the buffer does not lie in it. */
long bytes(struct name *name, struct pair *pair)
{
	long first;

	__builtin_memcpy(&first, name->id, sizeof(first));
	return first + pair->a + pair->b + use(name, pair) + name->length;
	// EXPECT: struct name +0 (id); struct pair +0 (a); struct pair +8 (b)
	// EXPECT: struct name +24 (length)
}
