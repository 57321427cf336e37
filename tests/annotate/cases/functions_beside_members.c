// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function is stored where the declared record has no pointer to one: neither this store nor the stores beside it are to that record.
// RULES: stored-function
// RUN: gcc
// RUN off: gcc --no-rule=stored-function

struct object {
	int count;
	char *bytes;
	int length;
	long value;
	struct object *next;
};

struct object *take_object(void);

static void note(void *data)
{
	*(long *)data = 1; // EXPECT: none
}

/* The memory of an object is used for a call that is due later. */
void later(char *data)
{
	struct object *o = take_object();

	o->bytes = data;
	// EXPECT: none (the access is not to what is declared there) [rule stored-function]
	// EXPECT off: struct object +8 (bytes)
	*(void (**)(void *))o = note;
	// EXPECT: none (the access is not to what is declared there) [rule stored-function]
	// EXPECT off: struct object +0 (count)
	o->value = 0;
	// EXPECT: none (the access is not to what is declared there) [rule stored-function]
	// EXPECT off: struct object +24 (value)
}

struct handler {
	long id;
	void (*call)(void *);
	long calls;
};

void handle(struct handler *h)
{
	h->id = 1; // EXPECT: struct handler +0 (id)
	h->call = note; // EXPECT: struct handler +8 (call)
	h->calls = 0; // EXPECT: struct handler +16 (calls)
}

/* The function is stored in the next handler of an array. */
void handle_next(struct handler *h, long n)
{
	h[0].id = 1; // EXPECT: struct handler +0 (id)
	h[1].call = note; // EXPECT: struct handler +8 (call)
	while (n--)
		h++->calls = 0; // EXPECT: struct handler +16 (calls)
}
