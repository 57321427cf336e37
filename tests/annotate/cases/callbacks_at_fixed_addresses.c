// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: In an executable that is not position-independent, the address of a callback is a number in the code: its argument still has the type that is passed with it.
// RUN: gcc clang
// RUN off: gcc clang --no-rule=distant-argument
// LINK: fixed

struct job {
	long count, limit;
};
struct item {
	int weight;
	long key;
};

#ifdef __clang__
#define NO_IPA
#else
#define NO_IPA noipa
#endif

void (*pending)(void *data);
void *pending_data;

__attribute__((noinline, NO_IPA)) void when_idle(long after, void (*call)(void *data), void *data)
{
	__asm__ volatile("" : "+r"(after));
	pending = call;
	pending_data = data;
}

static void idle(void *data)
{
	((struct job *)data)->limit = 1; // EXPECT: struct job +8 (limit)
	// EXPECT off: none (a pointer to void or to an undefined type)
}

/* It is given with two types. */
static void either(void *data)
{
	((struct job *)data)->limit = 3; // EXPECT: none (a pointer to void or to an undefined type)
}

void start(struct job *job, struct item *item)
{
	when_idle(1, idle, job);
	when_idle(2, either, job);
	when_idle(3, either, item);
}
