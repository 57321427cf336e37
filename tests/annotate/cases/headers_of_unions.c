// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Of a union's pointers, the one to what the records of the others begin with is meant if no more than that is accessed.
// RULES: union-pointer

struct counted {
	unsigned long references, flags;
};

struct text {
	struct counted counted;
	unsigned int length;
	char *bytes;
};

struct list {
	struct counted counted;
	struct text *first;
};

struct table {
	unsigned long references, flags;
	struct list *lists;
};

struct plain {
	unsigned long number;
};

/* as in interpreters; a pointer to something else is among them */
union value {
	long number;
	double real;
	struct text *text;
	struct counted *counted;
	struct list *list;
	struct table *table;
	struct plain *plain;
	void *user;
};

struct variable {
	unsigned long kind;
	union value value;
};

extern void destroy(union value value);

void retain(struct variable *variable)
{
	variable->value.counted->references++; // EXPECT: struct variable +8 (value.counted); struct counted +0 (references)
}

void release(struct variable *variable)
{
	if (!--variable->value.counted->references) // EXPECT: struct variable +8 (value.counted); struct counted +0 (references)
		destroy(variable->value); // EXPECT: struct variable +8 (value)
}

/* more is accessed */
unsigned int length(const struct variable *variable)
{
	return variable->value.text->length; // EXPECT: struct variable +8 (value.text); struct text +16 (length)
}

/* as in a kernel's interpreter of firmware: one of the unions has the record among others */
union operand;

struct name_node {
	union operand *object;
	long kind;
};

union operand {
	struct name_node node;
	long number;
	struct {
		union operand *next, *region;
	} field;
};

struct argument {
	long count;
	union {
		struct name_node *node;
		union operand *operand;
	} u;
};

int has_next(const struct argument *argument)
{
	return argument->u.operand->field.next != 0; // EXPECT: struct argument +8 (u); none (nothing known of the base register)
}
