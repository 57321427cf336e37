// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Variables are not followed. The result of a call is accessed before it is copied into the register that the compiler names as the variable's.
// RUN: gcc -fno-var-tracking

struct stream {
	void *file;
	int (*close)(void *);
};

void *allocate(void *state, unsigned long size, int users);
void set_class(void *state, const char *name);

static inline struct stream *make(void *state)
{
	struct stream *stream = allocate(state, sizeof(*stream), 0);

	stream->close = 0; // EXPECT: struct stream +8 (close)
	set_class(state, "stream");
	return stream;
}

void *open_pipe(void *state, void *file)
{
	struct stream *stream = make(state);

	stream->file = file; // EXPECT: struct stream +0 (file)
	return stream;
}
