// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A macro uses the memory of a free object as another record, and stores a function where the object has none: a variable without a location tells the record.
// RULES: unlocated-variable
// RUN: gcc -fno-tree-slp-vectorize
// RUN off: gcc -fno-tree-slp-vectorize --no-rule=unlocated-variable

struct object {
	int count;
	char *bytes;
	int length;
	long value;
	struct object *next;
};

struct call {
	void (*function)(void *);
	void *data[3];
	struct call *next;
};

struct queue {
	long calls;
	struct call *first;
};

static struct object *free_objects;

static void note(void *data)
{
	*(long *)data = 1; // EXPECT: none
}

#define TAKE(place) do { struct object *o_; o_ = free_objects; free_objects = o_->next; *(void **)&(place) = (void *)o_; } while (0)

#define CALL_LATER(queue, f, a, b) do { struct call *call_; TAKE(call_); call_->function = (f); call_->data[0] = (a); call_->data[2] = (b); call_->next = (queue)->first; (queue)->first = call_; } while (0)

int later(struct queue *q, char *a, long b)
{
	if (!a)
		return 0;
	CALL_LATER(q, note, a, (void *)b);
	// EXPECT: struct object* +0; struct object +32 (next); struct call +8 (data); struct call +24 (data); struct call +0 (function); struct call +32 (next); struct queue +8 (first)
	// EXPECT off: struct object* +0; struct object +32 (next); none; struct call +0 (function); struct call +32 (next); struct queue +8 (first)
	return 1;
}
