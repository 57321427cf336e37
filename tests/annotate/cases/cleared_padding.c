// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A compiler that clears a variable clears its padding as well.
// RUN: gcc

struct flusher {
	void *next;
	int color;
	void *done;
	int kind;
};

void use(void *);

void cleared(int n)
{
	struct flusher f = { .color = n, .next = &f };
	// EXPECT: struct flusher +28; struct flusher +0 (next); struct flusher +8 (color); struct flusher +12

	use(&f);
}
