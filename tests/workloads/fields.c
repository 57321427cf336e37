// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions whose memory accesses are known: each takes its structs by one way in which a type reaches an
 * instruction. tests/whole/test_whole_fields.c says which fields each of them uses.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

struct node {
	struct node *next;
	long key;
	int value;
	short flags;
};

struct bucket {
	struct node *first;
	unsigned int length;
	unsigned int limit;
};

struct table {
	struct bucket *buckets;
	unsigned long mask;
	unsigned long lookups;
};

struct point {
	double x, y, z;
};

struct body {
	int id;
	struct point position;
	struct point speed;
	double mass;
};

struct value {
	int kind;
	union {
		long number;
		double real;
	} as;
};

struct settings {
	int verbose;
	long limit;
	char name[16];
};

struct slot {
	long key;
	long uses;
};

struct list {
	struct list *next, *previous;
};

struct task {
	int id;
	struct list link;
	long runtime;
};

struct file;

struct file_ops {
	int (*open)(struct file *file);
	long (*seek)(struct file *file, long offset);
};

struct file {
	const struct file_ops *ops;
	long position;
	int descriptor;
};

struct request {
	long id;
	long size;
	char path[32];
};

struct buffer {
	char *data;
	size_t length;
};

struct settings settings = { 1, 100, "default" };

/* Two types without a name. */
struct {
	long hits, misses;
	long unused[2];
	int more;
} counts;
struct {
	int x, y;
	long time;
} places[4];
static struct slot slots[64];

/* a parameter, followed through a loop */
APART long list_largest(const struct node *node)
{
	long largest = 0;

	for (; node; node = node->next) {
		if (node->key > largest)
			largest = node->value;
	}
	return largest;
}

/* pointers out of structs out of structs */
APART struct node *table_find(struct table *table, long key)
{
	struct bucket *bucket = &table->buckets[key & table->mask];

	table->lookups++;
	for (struct node *node = bucket->first; node; node = node->next) {
		if (node->key == key)
			return node;
	}
	return NULL;
}

/* what a function returned */
APART int table_flags(struct table *table, long key)
{
	struct node *node = table_find(table, key);

	return node ? node->flags : -1;
}

/* an array of structs with structs in them */
APART double bodies_energy(const struct body *bodies, int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++) {
		if (bodies[i].id < 0)
			continue;
		sum += bodies[i].mass * bodies[i].speed.y;
	}
	return sum;
}

/* an array of pointers, and a union */
APART long values_sum(struct value **values, int count)
{
	long sum = 0;

	for (int i = 0; i < count; i++) {
		if (values[i]->kind == 1)
			sum += values[i]->as.number;
	}
	return sum;
}

/* a global */
APART long nameless_count(int place)
{
	counts.misses++;
	return places[place & 3].time;
}

APART long settings_limit(long wanted)
{
	if (settings.verbose > 1)
		return settings.name[0];
	return wanted < settings.limit ? wanted : settings.limit;
}

/* a static array, indexed */
APART long slots_use(unsigned long hash)
{
	struct slot *slot = &slots[hash % 64];

	if (slot->key != (long)hash)
		return 0;
	return ++slot->uses;
}

/* a struct around the one that is pointed to */
APART long tasks_runtime(const struct list *head)
{
	long sum = 0;

	for (const struct list *link = head->next; link != head; link = link->next) {
		const struct task *task =
			(const struct task *)((const char *)link - offsetof(struct task, link));

		if (task->id > 2)
			sum += task->runtime;
	}
	return sum;
}

/* a call through a table of functions */
APART long file_rewind(struct file *file)
{
	file->position = 0;
	return file->ops->seek(file, 0);
}

APART void request_fill(struct request *request, const char *path)
{
	strcpy(request->path, path);
	request->id = 7;
	request->size = (long)strlen(path);
}

/* a local variable */
APART long request_make(const char *path)
{
	struct request request;

	request_fill(&request, path);
	return request.id * request.size;
}

/* characters */
APART long buffer_count(const struct buffer *buffer, int wanted)
{
	long count = 0;

	for (size_t i = 0; i < buffer->length; i++) {
		if (buffer->data[i] == wanted)
			return count;
		count += 3;
	}
	return -1;
}

APART long seek_nowhere(struct file *file, long offset)
{
	return file->descriptor + offset;
}

int main(int argc, char **argv)
{
	static const struct file_ops ops = { NULL, seek_nowhere };
	struct node second = { NULL, 2, 20, 2 }, first = { &second, 1, 10, 1 };
	struct bucket buckets[2] = { { &second, 1, 8 }, { &first, 2, 8 } };
	struct table table = { buckets, 1, 0 };
	struct body bodies[2] = { { 1, { 0, 0, 0 }, { 1, 2, 3 }, 4 }, { -1, { 0, 0, 0 }, { 0, 0, 0 }, 0 } };
	struct value number = { 1, { 5 } };
	struct value *values[] = { &number, &number };
	struct list head;
	struct task task = { 3, { &head, &head }, 9 };
	struct file file = { &ops, 4, 1 };
	struct buffer buffer = { argv[0], strlen(argv[0]) };
	long sum = argc;

	head.next = head.previous = &task.link;
	sum += list_largest(&first);
	sum += table_flags(&table, 1);
	sum += (long)bodies_energy(bodies, 2);
	sum += values_sum(values, 2);
	sum += settings_limit(argc);
	sum += nameless_count(argc);
	sum += slots_use(0);
	sum += tasks_runtime(&head);
	sum += file_rewind(&file);
	sum += request_make(argv[0]);
	sum += buffer_count(&buffer, '/');
	printf("%ld\n", sum);
	return sum == 0;
}
