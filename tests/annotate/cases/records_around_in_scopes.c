// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Several records in scope have the pointee: the one of the innermost scope is meant.
// RULES: enclosing-in-scope
// RUN: gcc -fno-var-tracking
// RUN off: gcc -fno-var-tracking --no-rule=enclosing-in-scope

struct link {
	struct link *next, *previous;
};

struct task {
	long state;
	struct link tasks;
	long pid;
};

struct group {
	long state;
	struct link groups;
	long id;
};

#define AROUND(type, member, pointer) \
	((type *)((char *)(pointer) - __builtin_offsetof(type, member)))

void use(struct link *, long);
static inline void use_pid(struct link *l)
{
	struct task *t = AROUND(struct task, tasks, l);

	use(l, t->pid); // EXPECT: struct task +24 (pid) EXPECT off: none (the offset is outside the type)
}

void use_all(struct link *head)
{
	struct group *g = AROUND(struct group, groups, head);

	use(head, g->id); // EXPECT: struct group +24 (id) EXPECT off: none (the offset is outside the type)
	for (struct link *l = head->next; l != head; l = l->next) // EXPECT: struct link +0 (next)
		use_pid(l);
}
