// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The locks of C11. Prints the
 * truth: address, size, and the names that are right.
 */
#include "truth.h"
#include <threads.h>
struct job {
	struct job *next;
	int id;
};
struct pool {
	int size;
	mtx_t lock;
	cnd_t ready, idle;
	struct job *jobs;
	long done;
};
static struct pool *pool;
static mtx_t log_lock;
static once_flag once = ONCE_FLAG_INIT;
static mtx_t timed[3];
static void first(void)
{
	hold(20000);
}
static void push(struct pool *p, int id)
{
	struct job *j = malloc(sizeof(*j));
	j->id = id;
	mtx_lock(&p->lock);
	j->next = p->jobs;
	p->jobs = j;
	hold(50);
	cnd_signal(&p->ready);
	mtx_unlock(&p->lock);
}
static void take(struct pool *p)
{
	mtx_lock(&p->lock);
	while (!p->jobs)
		cnd_wait(&p->ready, &p->lock);
	struct job *j = p->jobs;
	p->jobs = j->next;
	p->done++;
	hold(30);
	if (p->done % 100 == 0)
		cnd_broadcast(&p->idle);
	mtx_unlock(&p->lock);
	free(j);
}
static void *work(void *arg)
{
	long n = (long)arg;
	call_once(&once, first);
	for (int i = 0; i < 200; i++) {
		if (n & 1)
			push(pool, i);
		else
			take(pool);
		mtx_lock(&log_lock);
		hold(50);
		mtx_unlock(&log_lock);
		struct timespec t;
		timespec_get(&t, TIME_UTC);
		t.tv_sec += 5;
		if (mtx_timedlock(&timed[n % 3], &t) == thrd_success) {
			hold(100);
			mtx_unlock(&timed[n % 3]);
		}
		if (i % 50 == 0) {
			mtx_lock(&pool->lock);
			struct timespec u;
			timespec_get(&u, TIME_UTC);
			u.tv_nsec += 1000000;
			if (u.tv_nsec > 999999999) {
				u.tv_nsec -= 1000000000;
				u.tv_sec++;
			}
			cnd_timedwait(&pool->idle, &pool->lock, &u);
			mtx_unlock(&pool->lock);
		}
	}
	return NULL;
}
int main(void)
{
	pool = calloc(1, sizeof(*pool));
	mtx_init(&pool->lock, mtx_plain);
	cnd_init(&pool->ready);
	cnd_init(&pool->idle);
	mtx_init(&log_lock, mtx_recursive);
	for (int i = 0; i < 3; i++)
		mtx_init(&timed[i], mtx_timed);
	TRUTH(pool->lock, "struct pool (lock)");
	TRUTH(pool->ready, "struct pool (ready)");
	TRUTH(pool->idle, "struct pool (idle)");
	TRUTH(log_lock, "log_lock");
	TRUTH(once, "once");
	for (int i = 0; i < 3; i++) {
		char b[64];
		sprintf(b, "timed[%d]", i);
		TRUTH(timed[i], b);
	}
	fflush(stdout);
	threads(work, 6, NULL, 1);
}
