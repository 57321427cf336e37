// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A callback has its object as a pointer to void, which is cast without a variable: it
// is the record with such members, and none to which a variable in scope points that has another place.
// RUN: gcc

#include <stdio.h>
#include <stdlib.h>

struct value {
	int kind;
	union {
		char *text;
		struct {
			char **keys;
			struct value **values;
			unsigned long count;
		} object;
	} u;
};

struct context {
	struct value *stack, *root;
	char *message;
	unsigned long room;
};

/* The compiler splits such a tail off, and leaves its variable without a place. */
static inline __attribute__((always_inline)) int fail(void *user)
{
	struct value *made;

	if (((struct context *)user)->message)
		// EXPECT: struct context +16 (message) [inferred]
		snprintf(((struct context *)user)->message, ((struct context *)user)->room, "?");
		// EXPECT: struct context +24 (room) [inferred]
	return 0;
}

int push(void *user, struct value *value);

__attribute__((noinline)) int start_list(void *user)
{
	struct value *made = malloc(sizeof(*made));

	if (!made)
		return fail(user);
	made->kind = 4; // EXPECT: struct value +0 (kind)
	return push(user, made);
}

int push(void *user, struct value *value)
{
	return user == value;
}

int main(void)
{
	return 0;
}
