// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Conditions, semaphores, reader-writer locks and barriers in structs. Prints the
 * truth: address, size, and the names that are right.
 */
#include "truth.h"
struct queue {
	int head, tail;
	pthread_mutex_t mutex;
	pthread_cond_t not_empty, not_full;
	long items[8];
};
struct worker {
	pthread_t thread;
	sem_t wakeup;
	struct queue *queue;
};
struct phase {
	int generation;
	pthread_barrier_t barrier;
};
struct tree {
	struct tree *left, *right;
	pthread_rwlock_t rw;
	long key;
};
static struct queue *queues[2];
static struct worker *workers;
static struct phase *phase;
static struct tree *root;
static pthread_cond_t global_cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t global_mutex = PTHREAD_MUTEX_INITIALIZER;
static int turn;
#define APART __attribute__((noinline, noclone))
APART static void put(struct queue *q, long v)
{
	pthread_mutex_lock(&q->mutex);
	while ((q->head + 1) % 8 == q->tail)
		pthread_cond_wait(&q->not_full, &q->mutex);
	q->items[q->head] = v;
	q->head = (q->head + 1) % 8;
	pthread_cond_signal(&q->not_empty);
	pthread_mutex_unlock(&q->mutex);
}
APART static long get(struct queue *q)
{
	pthread_mutex_lock(&q->mutex);
	while (q->head == q->tail)
		pthread_cond_wait(&q->not_empty, &q->mutex);
	long v = q->items[q->tail];
	q->tail = (q->tail + 1) % 8;
	hold(100);
	pthread_cond_signal(&q->not_full);
	pthread_mutex_unlock(&q->mutex);
	return v;
}
APART static int find(struct tree *t, long key, int write)
{
	int r;
	if (write)
		pthread_rwlock_wrlock(&t->rw);
	else
		pthread_rwlock_rdlock(&t->rw);
	hold(60);
	r = t->key == key;
	struct tree *next = key < t->key ? t->left : t->right;
	pthread_rwlock_unlock(&t->rw);
	return r || (next && find(next, key, write));
}
APART static void wake(struct worker *w)
{
	sem_post(&w->wakeup);
}
APART static void sleep_until_woken(struct worker *w)
{
	sem_wait(&w->wakeup);
}
static void *work(void *arg)
{
	long n = (long)arg;
	for (int i = 0; i < 150; i++) {
		if (n & 1)
			put(queues[(n >> 1) & 1], i);
		else
			get(queues[(n >> 1) & 1]);
		find(root, i & 7, i % 5 == 0);
		if (i % 30 == 0)
			pthread_barrier_wait(&phase->barrier);
		wake(&workers[(n + 1) % 4]);
		sleep_until_woken(&workers[n]);
		pthread_mutex_lock(&global_mutex);
		while (turn != n)
			pthread_cond_wait(&global_cond, &global_mutex);
		turn = (turn + 1) % 4;
		pthread_cond_broadcast(&global_cond);
		pthread_mutex_unlock(&global_mutex);
	}
	return NULL;
}
static struct tree *plant(long key, int depth)
{
	struct tree *t = calloc(1, sizeof(*t));
	t->key = key;
	pthread_rwlock_init(&t->rw, NULL);
	TRUTH(t->rw, "struct tree (rw)");
	if (depth) {
		t->left = plant(key - 2 * depth, depth - 1);
		t->right = plant(key + 2 * depth, depth - 1);
	}
	return t;
}
int main(void)
{
	for (int i = 0; i < 2; i++) {
		struct queue *q = queues[i] = calloc(1, sizeof(*q));
		pthread_mutex_init(&q->mutex, NULL);
		pthread_cond_init(&q->not_empty, NULL);
		pthread_cond_init(&q->not_full, NULL);
		TRUTH(q->mutex, "struct queue (mutex)");
		TRUTH(q->not_empty, "struct queue (not_empty)");
		TRUTH(q->not_full, "struct queue (not_full)");
	}
	workers = calloc(4, sizeof(*workers));
	for (int i = 0; i < 4; i++) {
		sem_init(&workers[i].wakeup, 0, 0);
		TRUTH(workers[i].wakeup, "struct worker (wakeup)");
	}
	phase = calloc(1, sizeof(*phase));
	pthread_barrier_init(&phase->barrier, NULL, 4);
	TRUTH(phase->barrier, "struct phase (barrier)");
	TRUTH(global_cond, "global_cond");
	TRUTH(global_mutex, "global_mutex");
	root = plant(4, 2);
	fflush(stdout);
	threads(work, 4, NULL, 1);
}
