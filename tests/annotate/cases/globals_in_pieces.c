// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A static record that the compiler keeps in pieces: each has an address of its own, and is that part of the record.
// RUN: clang
// RUN whole: clang -DWHOLE
// RUN old: clang -gdwarf-4

struct node {
	struct node *next;
	long key;
};

static struct stats {
	long hits;
	struct node *last;
	int constant; /* is never written, so it has no place */
	int errors;
	double load;
} stats;
static __thread struct {
	long calls;
	int depth;
} mine __attribute__((tls_model("initial-exec")));

#ifdef WHOLE
struct stats *whole(void)
{
	return &stats;
}
void *own(void)
{
	return &mine;
}
#endif

void note(struct node *n)
{
	stats.hits++; // EXPECT: struct stats +0 (hits)
	stats.last = n; // EXPECT: struct stats +8 (last)
}

long last_key(void)
{
	return stats.last->key; // EXPECT: struct stats +8 (last); struct node +8 (key)
}

int fail(void)
{
	stats.errors++; // EXPECT: struct stats +20 (errors)
	return stats.constant; // MAY: struct stats +16 (constant)
}

double weigh(double more)
{
	return stats.load += more; // EXPECT: struct stats +24 (load)
}

long hits(void)
{
	return stats.hits; // EXPECT: struct stats +0 (hits)
}

int called(void)
{
	mine.calls++; // EXPECT: none (no variable at the address); struct {calls, depth} +0 (calls)
	return ++mine.depth; // EXPECT: struct {calls, depth} +8 (depth)
	// MAY: none (no variable at the address)
}

static enum state { IDLE, BUSY = 5 } state; /* of two values, LLVM stores which one */

void work(void)
{
	state = BUSY; // EXPECT: enum state +0
}

void rest(void)
{
	state = IDLE; // EXPECT: enum state +0
}

int is_busy(void)
{
	return state == BUSY; // EXPECT: enum state +0
}

long calls(void)
{
	/* each call counts itself */
	static struct {
		long count, sum;
	} local;

	local.count++; // EXPECT: struct {count, sum} +0 (count)
	local.sum += local.count; // EXPECT: struct {count, sum} +8 (sum)
	return local.sum;
}
