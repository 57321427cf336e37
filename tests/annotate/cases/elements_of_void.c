// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A generic array has its elements behind a pointer to void. A further element is not a record that only begins with such an element.
// RUN: gcc clang

struct text {
	unsigned long length;
	char *data;
};
struct array {
	void *elements;
	unsigned long count;
};
struct command {
	struct text name;
	unsigned long type;
	char *(*set)(void *);
};
struct settings {
	struct array *arguments;
	int line;
};
int is_on(const char *data);

int flag(struct settings *settings, struct command *command)
{
	struct array *arguments = settings->arguments; // MAY: struct settings +0 (arguments)
	struct text *values = arguments->elements; // EXPECT: struct array +0 (elements)
	// MAY: struct settings +0 (arguments)

	if (is_on(values[1].data)) // EXPECT: none
		return 1;
	if (is_on(values[0].data)) // EXPECT: struct text +8 (data)
		return 2;
	return command->type == 3; // EXPECT: struct command +16 (type)
}

/* A header that is cast down is a record as before. */
struct derived {
	struct text name;
	long key, value;
};

long key_of(struct text *name)
{
	struct derived *derived = (struct derived *)name;

	return derived->key; // EXPECT: struct derived +16 (key)
}
