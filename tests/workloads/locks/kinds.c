// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mutexes of all kinds, in arrays, in nodes of lists, and of several processes. Prints the
 * truth: address, size, and the names that are right.
 */
#include "truth.h"
#include <sys/mman.h>
#include <sys/wait.h>
struct slot {
	int key;
	pthread_mutex_t lock;
	char *value;
};
struct table {
	long count;
	struct slot slots[8];
};
struct node {
	struct node *next, *prev;
	pthread_mutex_t guard;
	long value;
};
struct list {
	struct node head;
	pthread_mutex_t lock;
};
struct shared {
	char magic[16];
	pthread_mutex_t lock;
	pthread_rwlock_t rw;
	long n;
};
struct recursive {
	long depth;
	pthread_mutex_t lock;
};
struct robust {
	long depth, owner;
	pthread_mutex_t lock;
};
struct checked {
	long a, b, c;
	pthread_mutex_t lock;
};
struct inheriting {
	long a, b, c, d;
	pthread_mutex_t lock;
};
/* locks in memory of their own */
struct striped {
	unsigned int mask;
	pthread_mutex_t *ways, *whole;
	char name[64];
};
/* a lock whose type only its functions know, behind a pointer that is read on several ways */
typedef void *handle_t;
struct gate {
	long odd, even, c, d;
	handle_t lock;
};
static struct gate *gate;
static pthread_mutex_t *way_locks;
static unsigned int way_power = 1;
static struct striped *striped;
static struct table *table;
static struct list *list;
static struct shared *shared;
static struct recursive *recursive;
static struct robust *robust;
static struct checked *checked;
static struct inheriting *inheriting;
static struct {
	int ways;
	pthread_rwlock_t by_way[2];
} cache = { 2, { PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER } };
#define APART __attribute__((noinline, noclone))
APART static void slot_use(struct slot *s)
{
	pthread_mutex_lock(&s->lock);
	s->key++;
	hold(150);
	pthread_mutex_unlock(&s->lock);
}
APART static void use_table(struct table *t, int i)
{
	pthread_mutex_lock(&t->slots[i].lock);
	hold(150);
	pthread_mutex_unlock(&t->slots[i].lock);
}
static inline void take(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
}
APART static void lock_way(unsigned int hash)
{
	take(&way_locks[hash & ((1ul << way_power) - 1)]);
}
APART static void use_ways(struct striped *s, unsigned int hash)
{
	lock_way(hash);
	hold(80);
	pthread_mutex_unlock(&way_locks[hash & ((1ul << way_power) - 1)]);
	take(&s->ways[hash & s->mask]);
	hold(80);
	pthread_mutex_unlock(&s->ways[hash & s->mask]);
	take(s->whole);
	hold(80);
	pthread_mutex_unlock(s->whole);
}
APART static void walk(struct list *l)
{
	for (struct node *n = l->head.next; n != &l->head; n = n->next) {
		pthread_mutex_lock(&n->guard);
		n->value++;
		hold(100);
		pthread_mutex_unlock(&n->guard);
	}
}
APART static void use_shared(struct shared *s, int i)
{
	pthread_mutex_lock(&s->lock);
	s->n++;
	hold(150);
	pthread_mutex_unlock(&s->lock);
	if (i & 1)
		pthread_rwlock_wrlock(&s->rw);
	else
		pthread_rwlock_rdlock(&s->rw);
	hold(100);
	pthread_rwlock_unlock(&s->rw);
}
APART static void use_recursive(struct recursive *r)
{
	pthread_mutex_lock(&r->lock);
	if (r->depth++ < 2)
		use_recursive(r);
	r->depth--;
	hold(50);
	pthread_mutex_unlock(&r->lock);
}
APART static void use_robust(struct robust *r)
{
	if (pthread_mutex_lock(&r->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&r->lock);
	r->owner++;
	hold(100);
	pthread_mutex_unlock(&r->lock);
}
APART static void use_checked(struct checked *c)
{
	pthread_mutex_lock(&c->lock);
	c->a++;
	hold(100);
	pthread_mutex_unlock(&c->lock);
}
APART static void use_inheriting(struct inheriting *c)
{
	pthread_mutex_lock(&c->lock);
	c->a++;
	hold(100);
	pthread_mutex_unlock(&c->lock);
}
APART static int take_handle(handle_t lock)
{
	int status;

	do
		status = sem_wait((sem_t *)lock);
	while (status && errno == EINTR);
	return status;
}
APART static void use_gate(struct gate *g, long n)
{
	handle_t lock;

	if (n & 1) {
		hold(20);
		lock = g->lock;
		g->odd++;
	} else {
		hold(10);
		lock = g->lock;
		g->even++;
	}
	hold(10);
	take_handle(lock);
	hold(500);
	sem_post((sem_t *)lock);
}
static void *work(void *arg)
{
	long n = (long)arg;
	for (int i = 0; i < 120; i++) {
		slot_use(&table->slots[(n + i) & 1]);
		use_table(table, 4 + ((n ^ i) & 1));
		use_ways(striped, n + i);
		walk(list);
		use_shared(shared, i + n);
		use_recursive(recursive);
		use_robust(robust);
		use_checked(checked);
		use_inheriting(inheriting);
#ifdef __OPTIMIZE__ /* else the pointer is in a variable in memory */
		use_gate(gate, i + n);
#endif
		if (i & 1)
			pthread_rwlock_wrlock(&cache.by_way[n & 1]);
		else
			pthread_rwlock_rdlock(&cache.by_way[n & 1]);
		hold(80);
		pthread_rwlock_unlock(&cache.by_way[n & 1]);
	}
	return NULL;
}
static void init(pthread_mutex_t *m, int type, int robust, int protocol, int shared)
{
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, type);
	if (robust)
		pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	if (protocol)
		pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	if (shared)
		pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(m, &a);
}
int main(void)
{
	table = calloc(1, sizeof(*table));
	for (int i = 0; i < 8; i++)
		pthread_mutex_init(&table->slots[i].lock, NULL);
	list = calloc(1, sizeof(*list));
	list->head.next = list->head.prev = &list->head;
	for (int i = 0; i < 2; i++) {
		struct node *n = calloc(1, sizeof(*n));
		pthread_mutex_init(&n->guard, NULL);
		n->next = list->head.next;
		n->prev = &list->head;
		n->next->prev = n;
		list->head.next = n;
		TRUTH(n->guard, "struct node (guard)");
	}
	for (int i = 0; i < 2; i++)
		TRUTH(table->slots[i].lock, "struct slot (lock)|struct table (slots.lock)");
	for (int i = 4; i < 6; i++)
		TRUTH(table->slots[i].lock, "struct slot (lock)|struct table (slots.lock)");
	striped = calloc(1, sizeof(*striped));
	striped->mask = 1;
	striped->whole = calloc(1, sizeof(*striped->whole));
	striped->ways = calloc(2, sizeof(*striped->ways));
	way_locks = calloc(2, sizeof(*way_locks));
	for (int i = 0; i < 2; i++) {
		TRUTH(way_locks[i], "way_locks[]");
		TRUTH(striped->ways[i], "struct striped (ways)");
	}
	TRUTH(*striped->whole, "struct striped (*whole)");
	gate = calloc(1, sizeof(*gate));
	gate->lock = calloc(1, sizeof(sem_t));
	sem_init((sem_t *)gate->lock, 0, 1);
	TRUTH(*(sem_t *)gate->lock, "struct gate (*lock)");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	init(&shared->lock, 0, 0, 0, 1);
	pthread_rwlockattr_t ra;
	pthread_rwlockattr_init(&ra);
	pthread_rwlockattr_setpshared(&ra, PTHREAD_PROCESS_SHARED);
	pthread_rwlock_init(&shared->rw, &ra);
	recursive = calloc(1, sizeof(*recursive));
	init(&recursive->lock, PTHREAD_MUTEX_RECURSIVE, 0, 0, 0);
	robust = calloc(1, sizeof(*robust));
	init(&robust->lock, 0, 1, 0, 0);
	checked = calloc(1, sizeof(*checked));
	init(&checked->lock, PTHREAD_MUTEX_ERRORCHECK, 0, 0, 0);
	inheriting = calloc(1, sizeof(*inheriting));
	init(&inheriting->lock, 0, 0, 1, 0);
	TRUTH(shared->lock, "struct shared (lock)");
	TRUTH(shared->rw, "struct shared (rw)");
	TRUTH(recursive->lock, "struct recursive (lock)");
	TRUTH(robust->lock, "struct robust (lock)");
	TRUTH(checked->lock, "struct checked (lock)");
	TRUTH(inheriting->lock, "struct inheriting (lock)");
	for (int i = 0; i < 2; i++) {
		char b[64];
		sprintf(b, "cache.by_way[%d]", i);
		TRUTH(cache.by_way[i], b);
	}
	fflush(stdout);
	pid_t p = fork();
	threads(work, 4, NULL, 1);
	if (p)
		waitpid(p, NULL, 0);
}
