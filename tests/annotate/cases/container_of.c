// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer to a member is cast to the record around it, which a variable names.
// CODE: -0x10(; -8(

struct list {
	struct list *next, *prev;
};
struct task {
	int id;
	long runtime;
	struct list run;
	long state;
};

long total(struct list *head)
{
	long sum = 0;

	for (struct list *l = head->next; l != head; l = l->next) {
	// MAY: struct list +0 (next); struct task +16 (run.next)
		struct task *t =
			(struct task *)((char *)l - __builtin_offsetof(struct task, run));

		sum += t->runtime + t->state + t->id;
		// EXPECT: struct task +0 (id); struct task +32 (state); struct task +8 (runtime)
	}
	return sum;
}

struct link {
	struct link *next;
};
struct item {
	long key;
	int value;
	struct link link;
};

#define item_of(l) ((struct item *)((char *)(l)-16))

/* Members at negative offsets from the register. */
long members_before(struct link *head)
{
	long sum = 0;

	for (struct link *l = head->next; l != head; l = l->next) {
	// MAY: struct link +0 (next); struct item +16 (link.next)
		struct item *i = item_of(l);

		sum += i->key + i->value; // EXPECT: struct item +8 (value); struct item +0 (key)
	}
	return sum;
}
