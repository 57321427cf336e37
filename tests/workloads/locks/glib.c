// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The locks of GLib. Prints the truth: address, size, and the names that are right. Some of them
 * have a lock of pthreads elsewhere, at the address that they begin with.
 */
#include <glib.h>
#include <stdio.h>

struct store {
	int n;
	GMutex lock;
	GCond changed;
	GRWLock rw;
	GRecMutex rec;
};
static struct store *store;
static GMutex global;

#define APART                          __attribute__((noinline, noclone))
#define TRUTH_AT(address, size, names) printf("%p %zu %s\n", (void *)(address), size, names)

APART static void add(struct store *s)
{
	g_mutex_lock(&s->lock);
	s->n++;
	g_usleep(100);
	g_cond_signal(&s->changed);
	g_mutex_unlock(&s->lock);
}

APART static void await(struct store *s)
{
	g_mutex_lock(&s->lock);
	g_cond_wait_until(&s->changed, &s->lock, g_get_monotonic_time() + 2000);
	g_mutex_unlock(&s->lock);
}

APART static void read_or_write(struct store *s, int writes)
{
	if (writes)
		g_rw_lock_writer_lock(&s->rw);
	else
		g_rw_lock_reader_lock(&s->rw);
	g_usleep(60);
	if (writes)
		g_rw_lock_writer_unlock(&s->rw);
	else
		g_rw_lock_reader_unlock(&s->rw);
}

APART static void recurse(struct store *s)
{
	g_rec_mutex_lock(&s->rec);
	g_usleep(60);
	g_rec_mutex_unlock(&s->rec);
}

static gpointer work(gpointer data)
{
	for (int i = 0; i < 100; i++) {
		add(store);
		if (i % 4 == 0)
			await(store);
		read_or_write(store, i % 3 == 0);
		recurse(store);
		g_mutex_lock(&global);
		g_usleep(50);
		g_mutex_unlock(&global);
	}
	return data;
}

int main(void)
{
	GThread *threads[4];

	store = g_new0(struct store, 1);
	g_mutex_init(&store->lock);
	g_cond_init(&store->changed);
	g_rw_lock_init(&store->rw);
	g_rec_mutex_init(&store->rec);
	TRUTH_AT(&store->lock, sizeof(store->lock), "struct store (lock)");
	TRUTH_AT(&store->changed, sizeof(store->changed), "struct store (changed)");
	TRUTH_AT(*(void **)&store->rw, (size_t)56, "struct store (rw)");
	TRUTH_AT(*(void **)&store->rec, (size_t)40, "struct store (rec)");
	TRUTH_AT(&global, sizeof(global), "global");
	fflush(stdout);
	for (int i = 0; i < 4; i++)
		threads[i] = g_thread_new("worker", work, NULL);
	for (int i = 0; i < 4; i++)
		g_thread_join(threads[i]);
}
