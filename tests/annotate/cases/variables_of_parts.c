// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A variable that points to a part of a record does not hide the record.
// RULES: tracked-whole, member-of-tracked
// RUN: gcc clang
// RUN parts: gcc --no-rule=tracked-whole,member-of-tracked

struct link {
	struct link *next, *previous;
};

struct task {
	struct link link;
	unsigned short kind[2];
	unsigned int flags;
	long words[2];
};

struct count {
	int value;
	unsigned int limit;
};

struct place {
	struct task *task;
	struct count *count;
};

void use(void *);

long whole(struct place *p)
{
	struct link *l = &p->task->link; // EXPECT: struct place +0 (task)

	use(l);
	return l->previous != 0;
	// EXPECT: struct task +8 (link.previous) EXPECT parts: struct link +8 (previous)
}

int part(struct place *p)
{
	unsigned char *byte = (unsigned char *)&p->task->words[1] + 1; // EXPECT: struct place +0 (task)

	use(byte);
	return *byte; // EXPECT: struct task +33 (words) EXPECT parts: unsigned char +0
}

/* cmpxchg() of the kernel takes each integer as an unsigned one. */
unsigned int sign(struct place *p)
{
	unsigned int *word = (unsigned int *)&p->count->value; // EXPECT: struct place +8 (count)

	use(word);
	return *word; // EXPECT: unsigned int +0
}

/* Not one of its size: the pointer was cast. */
unsigned char size(struct place *p)
{
	unsigned char *low = (unsigned char *)&p->count->value; // EXPECT: struct place +8 (count)

	use(low);
	return *low; // EXPECT: unsigned char +0
}
