// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: What a value of a union meets tells its member: what is stored where it points to, a variable, an argument of a function
// without a prototype or of one that is called through a pointer, the pointer to which it is added, and the union it is copied to.

struct step {
	struct step *next;

	union {
		struct operand *operand;
		struct step *step;
		long number;
		char *name;
	} d;
};

struct operand {
	union {
		struct operand *left;
		double number;
	} l;

	long count;
};

struct steps {
	struct step *first;
	struct step *last;
};

// The pointer that is stored through the value was loaded after it.
void append(struct step *list, const struct steps *other)
{
	list->d.step->next = other->first;
	// EXPECT: struct step +8 (d.step); struct steps +0 (first) MAY: struct step +0 (next); none
}

static char *source;

const char *get_source(void)
{
	return source; // MAY: char* +0
}

void set_source(const struct step *s)
{
	source = s->d.name; // EXPECT: struct step +8 (d.name); char* +0
}

static void (*visit)(struct operand *);

void set_visit(void (*function)(struct operand *))
{
	visit = function; // EXPECT: (function_type)* +0
}

struct visit {
	union {
		struct operand *operand;
		struct step *step;
		long number;
	} u;
};

void visit_operand(const struct visit *v)
{
	visit(v->u.operand); // EXPECT: struct visit +0 (u.operand) MAY: (function_type)* +0
}

struct text {
	union {
		struct {
			struct text *left;
			struct text *pair[2];
		} node;

		struct {
			char *start;
			unsigned long length;
		} value;
	} u;
};

void take(void *);

void copy_text(const struct text *t, char *to)
{
	take(__builtin_memcpy(to, t->u.value.start, t->u.value.length));
	// EXPECT: struct text +0 (u.value.start); struct text +8 (u.value.length)
}

void copy_name(const struct step *s, char *to)
{
	take(__builtin_strcpy(to, s->d.name)); // EXPECT: struct step +8 (d.name)
}

void take_saved(int saved);

// Nothing but pointers can be where the start is, so that the other addend is no pointer.
void cut_text(const struct text *t)
{
	char *end = t->u.value.start + t->u.value.length;
	// MAY: struct text +0 (u); struct text +0 (u.value.start)
	// EXPECT: struct text +8 (u.value.length)
	int saved = *end; // MAY: char +0; none

	*end = 0; // MAY: char +0; none
	take_saved(saved);
	*end = (char)saved; // MAY: char +0; none
}

// The last step of the list is replaced by that of another one.
void join(struct step *list, const struct step *other)
{
	list->d.step->next = other->next;
	// EXPECT: struct step +8 (d.step); struct step +0 (next) MAY: none
	list->d.step = other->d.step; // EXPECT: struct step +8 (d.step)
}

struct shape;

struct operations {
	long size;
	void (*close)(struct shape *);
};

struct part {
	long size;

	union {
		struct shape *shape;
		void (*close)(void);
		long number;
	} u;
};

struct shape {
	union {
		struct part *part;
		const struct operations *operations;
	} u;
};

// A member that can only be code is called rather than one that can be something else.
void close_shape(struct shape *s)
{
	s->u.operations->close(s); // EXPECT: struct shape +0 (u.operations) MAY: struct operations +8 (close); none
}
