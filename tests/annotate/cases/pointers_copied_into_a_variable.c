// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Pointers are copied one by one into a variable that has several of their type.

struct ops {
	void (*start)(void);
	void (*stop)(void);
	void (*wait)(void);
};

static struct ops ops;

void run(void)
{
	ops.start();
	ops.wait();
}

void copy(void *const *from, unsigned int size)
{
	void **to = (void **)&ops;

	for (unsigned int i = 0; i < size / sizeof(void *); i++)
		if (from[i]) // EXPECT gcc: void* +0
			to[i] = from[i]; // MAY: (function_type)* +0; void* +0
}
