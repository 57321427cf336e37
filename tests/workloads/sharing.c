// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that share cachelines, each in one way:
 *
 *     sharing WAY MILLISECONDS [OFFSET [CPU CPU]]
 *
 * WAY is a name of the table `ways`. Two threads run on the two processors, or anywhere without them. OFFSET
 * is where the first of the objects on the heap begins in its line (0). All loops do the same work in the
 * mended form of a way.
 *
 * Prints how many rounds both threads made, so that two ways can be compared.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE  64
#define BATCH 1000 /* rounds between two looks at the clock */

static atomic_bool stop;
static int cpus[2] = { -1, -1 };
static char *place; /* the objects on the heap */
static uint64_t rounds[2][LINE / sizeof(uint64_t)];

/* Functions of two types that gcc folds into one have no type. */
#if __has_attribute(no_icf)
#define KEEP __attribute__((noinline, noclone, no_icf))
#else
#define KEEP __attribute__((noinline, noclone))
#endif

/* ---- sums of a regression, side by side: false sharing of neighbouring objects ---- */

struct point {
	int8_t x, y;
};

struct regression {
	long id;
	const struct point *points;
	long count;
	long sx, sy, sxx, syy, sxy;
};

struct wide_regression {
	struct regression sums;
	char padding[2 * LINE];
};

static struct point points[BATCH];

/* The members in front of the sums are not read: beside the sums of another thread, even one read
 * in a batch would be waited for. */
KEEP static void sum_points(struct regression *sums, const struct point *all, long count)
{
	for (long i = 0; i < count; i++) {
		sums->sx += all[i].x;
		sums->sxx += all[i].x * all[i].x;
		sums->sy += all[i].y;
		sums->syy += all[i].y * all[i].y;
		sums->sxy += all[i].x * all[i].y;
	}
}

static void neighbours(int thread)
{
	struct regression *sums = (struct regression *)place + thread;

	*sums = (struct regression){ .points = points, .count = BATCH };
	while (!stop) {
		sum_points(sums, points, BATCH);
		rounds[thread][0] += BATCH;
	}
}

static void neighbours_mended(int thread)
{
	struct wide_regression *sums = (struct wide_regression *)place + thread;

	sums->sums = (struct regression){ .points = points, .count = BATCH };
	while (!stop) {
		sum_points(&sums->sums, points, BATCH);
		rounds[thread][0] += BATCH;
	}
}

/* Aligned where it is allocated: elsewhere, two of them would share a line. */
struct aligned_sums {
	long id;
	const struct point *points;
	long count;
	volatile long sx, sy, sxx, syy, sxy;
};

static struct aligned_sums *aligned_sums;

KEEP static struct aligned_sums *make_aligned(void)
{
	struct aligned_sums *sums = aligned_alloc(LINE, 2 * sizeof(*sums));

	for (int i = 0; sums && i < 2; i++)
		sums[i].points = points;
	return sums;
}

KEEP static void sum_aligned(struct aligned_sums *all)
{
	for (long i = 0; i < BATCH; i++) {
		all->sx += all->points[i].x;
		all->sy += all->points[i].y;
		all->sxy += all->points[i].x * all->points[i].y;
	}
}

static void neighbours_aligned(int thread)
{
	while (!stop) {
		sum_aligned(&aligned_sums[thread]);
		rounds[thread][0] += BATCH;
	}
}

/* ---- fields of one object ---- */

struct stats {
	volatile long sent;
	volatile long received;
};

struct apart_stats {
	_Alignas(LINE) volatile long sent;
	_Alignas(LINE) volatile long received;
};

static _Alignas(LINE) struct stats stats;
static struct apart_stats apart_stats;

KEEP static void send_some(struct stats *all)
{
	for (int i = 0; i < BATCH; i++)
		all->sent++;
}

KEEP static void receive_some(struct stats *all)
{
	for (int i = 0; i < BATCH; i++)
		all->received++;
}

KEEP static void send_apart(struct apart_stats *all)
{
	for (int i = 0; i < BATCH; i++)
		all->sent++;
}

KEEP static void receive_apart(struct apart_stats *all)
{
	for (int i = 0; i < BATCH; i++)
		all->received++;
}

static void fields(int thread)
{
	while (!stop) {
		if (thread)
			receive_some(&stats);
		else
			send_some(&stats);
		rounds[thread][0] += BATCH;
	}
}

static void fields_mended(int thread)
{
	while (!stop) {
		if (thread)
			receive_apart(&apart_stats);
		else
			send_apart(&apart_stats);
		rounds[thread][0] += BATCH;
	}
}

/* ---- a pool of spinlocks: unlike data after each, locks side by side ---- */

struct spinlock {
	atomic_int taken;
};

struct wide_spinlock {
	_Alignas(LINE) atomic_int taken;
};

static _Alignas(LINE) struct spinlock pool[8];
static struct wide_spinlock wide_pool[8];

KEEP static void lock_and_unlock(struct spinlock *lock)
{
	for (int i = 0; i < BATCH; i++) {
		while (atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire))
			;
		atomic_store_explicit(&lock->taken, 0, memory_order_release);
	}
}

KEEP static void lock_and_unlock_wide(struct wide_spinlock *lock)
{
	for (int i = 0; i < BATCH; i++) {
		while (atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire))
			;
		atomic_store_explicit(&lock->taken, 0, memory_order_release);
	}
}

static void locks(int thread)
{
	while (!stop) {
		lock_and_unlock(&pool[1 + 2 * thread]);
		rounds[thread][0] += BATCH;
	}
}

static void locks_mended(int thread)
{
	while (!stop) {
		lock_and_unlock_wide(&wide_pool[1 + 2 * thread]);
		rounds[thread][0] += BATCH;
	}
}

/* ---- histograms of bytes, next to each other: the threads meet at the border ---- */

struct histogram {
	int red[8], green[8], blue[8];
};

struct wide_histogram {
	struct histogram colours;
	char padding[2 * LINE];
};

static uint8_t pixels[3 * BATCH];

KEEP static void count_pixels(struct histogram *colours, int bias)
{
	for (int i = 0; i < BATCH; i++) {
		colours->red[(pixels[3 * i] + bias) & 7]++;
		colours->green[pixels[3 * i + 1] & 7]++;
		colours->blue[(pixels[3 * i + 2] + bias) & 7]++;
	}
}

static void histogram(int thread)
{
	while (!stop) {
		count_pixels((struct histogram *)place + thread, thread);
		rounds[thread][0] += BATCH;
	}
}

static void histogram_mended(int thread)
{
	while (!stop) {
		count_pixels(&((struct wide_histogram *)place + thread)->colours, thread);
		rounds[thread][0] += BATCH;
	}
}

/* ---- two counters in each of many structs, of which each has its line ---- */

#define CONNECTIONS 24

static _Alignas(LINE) struct connection {
	volatile long sent, received;
	char name[LINE - 2 * sizeof(long)];
} connections[CONNECTIONS];

KEEP static void count_sent(struct connection *connection)
{
	for (int i = 0; i < BATCH; i++)
		connection->sent++;
}

KEEP static void count_received(struct connection *connection)
{
	for (int i = 0; i < BATCH; i++)
		connection->received++;
}

static void many_fields(int thread)
{
	while (!stop)
		for (int i = 0; i < CONNECTIONS; i++) {
			thread ? count_received(&connections[i]) : count_sent(&connections[i]);
			rounds[thread][0] += BATCH;
		}
}

/* ---- the same with a field that both threads only read ---- */

struct limits {
	volatile long limit, in, out;
};

static _Alignas(LINE) struct limits limits = { .limit = LONG_MAX };

KEEP static void count_in(struct limits *all)
{
	for (int i = 0; i < BATCH; i++)
		if (all->in < all->limit)
			all->in++;
}

KEEP static void count_out(struct limits *all)
{
	for (int i = 0; i < BATCH; i++)
		if (all->out < all->limit)
			all->out++;
}

static void limited_fields(int thread)
{
	while (!stop) {
		if (thread)
			count_out(&limits);
		else
			count_in(&limits);
		rounds[thread][0] += BATCH;
	}
}

/* ---- parts of an array by turns: they meet in lines, of which each is used for a moment ---- */

#define PART_NUMBERS 16 /* two lines */
#define PARTS	     8192

static double *numbers;

KEEP static void scale_part(double *part, const double *end)
{
	for (double *number = part; number != end; number++)
		*number = *number * 0.5 + 1;
}

static void scale_parts(int thread, double *first)
{
	while (!stop)
		for (int i = thread; i < PARTS && !stop; i += 2) {
			scale_part(first + i * PART_NUMBERS, first + (i + 1) * PART_NUMBERS);
			rounds[thread][0] += PART_NUMBERS;
		}
}

static void parts(int thread)
{
	scale_parts(thread, numbers + 2);
}

static void parts_mended(int thread)
{
	scale_parts(thread, numbers);
}

/* ---- true sharing ---- */

static _Alignas(LINE) atomic_long counter;

KEEP static void count_together(atomic_long *value)
{
	for (int i = 0; i < BATCH; i++)
		atomic_fetch_add(value, 1);
}

static void shared_counter(int thread)
{
	while (!stop) {
		count_together(&counter);
		rounds[thread][0] += BATCH;
	}
}

struct tally {
	const char *name;
	atomic_long count;
};

static _Alignas(LINE) struct tally tally = { .name = "rounds" };

KEEP static void add_to_tally(struct tally *all)
{
	for (int i = 0; i < BATCH; i++)
		atomic_fetch_add(&all->count, 1);
}

static void shared_tally(int thread)
{
	while (!stop) {
		add_to_tally(&tally);
		rounds[thread][0] += BATCH;
	}
}

struct queue {
	atomic_int lock;
	unsigned int head, tail, puts, takes;
	long slots[16];
};

static _Alignas(LINE) struct queue queue;

KEEP static void lock_queue(struct queue *all)
{
	while (atomic_exchange_explicit(&all->lock, 1, memory_order_acquire))
		;
}

KEEP static void unlock_queue(struct queue *all)
{
	atomic_store_explicit(&all->lock, 0, memory_order_release);
}

KEEP static bool put(struct queue *all, long value)
{
	bool room;

	lock_queue(all);
	room = all->head - all->tail < 16;
	if (room) {
		all->slots[all->head++ % 16] = value;
		all->puts++;
	}
	unlock_queue(all);
	return room;
}

KEEP static bool take(struct queue *all, long *value)
{
	bool any;

	lock_queue(all);
	any = all->head != all->tail;
	if (any) {
		*value = all->slots[all->tail++ % 16];
		all->takes++;
	}
	unlock_queue(all);
	return any;
}

static void shared_queue(int thread)
{
	long value = 0;

	while (!stop)
		rounds[thread][0] += thread ? take(&queue, &value) : put(&queue, (long)rounds[0][0]);
}

/* ---- a barrier: all threads poll its flag, which is written once in a round ---- */

#define SLOTS 8

static _Alignas(LINE) struct barrier {
	atomic_uint arrived, phase;
	atomic_ulong served; /* by whoever comes last, beside the flag */
	atomic_uint waiting;
} barrier;

static struct wide_slot {
	_Alignas(LINE) long slots[SLOTS];
} work[2];

KEEP static void wait_for_phase(struct barrier *all, unsigned int phase)
{
	while (atomic_load_explicit(&all->phase, memory_order_acquire) == phase && !stop)
		;
}

KEEP static void serve_all(struct barrier *all)
{
	for (int i = 0; i < 4; i++)
		atomic_fetch_add(&all->served, 1);
	atomic_store(&all->arrived, 0);
	atomic_fetch_add(&all->phase, 1);
}

KEEP static void meet(struct barrier *all)
{
	unsigned int phase = atomic_load(&all->phase);

	if (atomic_fetch_add(&all->arrived, 1)) {
		serve_all(all);
		return;
	}
	atomic_fetch_add(&all->waiting, 1);
	wait_for_phase(all, phase);
}

/* The first thread is always early, so that it waits and the other one serves. */
static void meet_at_barrier(int thread)
{
	while (!stop) {
		for (volatile int i = 0; i < BATCH * (thread ? 20 : 1); i++)
			work[thread].slots[i % SLOTS]++;
		meet(&barrier);
		rounds[thread][0]++;
	}
}

/* ---- no sharing to speak of ---- */

struct element {
	long value, x, y, z;
};

#define ELEMENTS (1 << 16)

static struct element *elements;

KEEP static void swap_elements(struct element *all, uint64_t *state)
{
	for (int i = 0; i < BATCH; i++) {
		*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		struct element *a = &all[*state >> 32 & (ELEMENTS - 1)],
			       *b = &all[*state >> 44 & (ELEMENTS - 1)];
		long value = a->value;

		a->value = b->value;
		b->value = value;
	}
}

static void random_swaps(int thread)
{
	uint64_t state = 17 + (uint64_t)thread;

	while (!stop) {
		swap_elements(elements, &state);
		rounds[thread][0] += BATCH;
	}
}

/* Threads one after the other: each has the line for half of the time. */
static atomic_int turn;
static int milliseconds;

static void one_after_the_other(int thread)
{
	struct timespec half = { milliseconds / 2000, milliseconds / 2 % 1000 * 1000000L };

	if (thread) {
		nanosleep(&half, NULL);
		turn = 1;
	}
	while (!stop && (thread || !turn)) {
		if (thread)
			receive_some(&stats);
		else
			send_some(&stats);
		rounds[thread][0] += BATCH;
	}
}

/* Each thread waits while the other one has the line, for less time than between two samples. */
static sem_t hand[2];

static void hand_over(int thread)
{
	while (!stop) {
		sem_wait(&hand[thread]);
		if (thread)
			receive_some(&stats);
		else
			send_some(&stats);
		rounds[thread][0] += BATCH;
		sem_post(&hand[!thread]);
	}
	sem_post(&hand[!thread]);
}

static const struct way {
	const char *name;
	void (*run)(int thread);
} ways[] = {
	{ "neighbours", neighbours },
	{ "neighbours-mended", neighbours_mended },
	{ "neighbours-aligned", neighbours_aligned },
	{ "fields", fields },
	{ "fields-mended", fields_mended },
	{ "limited-fields", limited_fields },
	{ "locks", locks },
	{ "locks-mended", locks_mended },
	{ "histogram", histogram },
	{ "histogram-mended", histogram_mended },
	{ "many-fields", many_fields },
	{ "parts", parts },
	{ "parts-mended", parts_mended },
	{ "counter", shared_counter },
	{ "tally", shared_tally },
	{ "queue", shared_queue },
	{ "barrier", meet_at_barrier },
	{ "random", random_swaps },
	{ "turns", one_after_the_other },
	{ "hand-over", hand_over },
};

static const struct way *way;

static void *run_thread(void *data)
{
	int thread = (int)(intptr_t)data;
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpus[thread] >= 0) {
		CPU_SET(cpus[thread], &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			perror("sched_setaffinity");
	}
	way->run(thread);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	for (size_t i = 0; argc > 2 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[1], ways[i].name))
			way = &ways[i];
	if (!way) {
		fprintf(stderr, "usage: sharing WAY MILLISECONDS [OFFSET [CPU CPU]]\n");
		return 2;
	}
	milliseconds = atoi(argv[2]);
	place = (char *)aligned_alloc(LINE, 64 * LINE) + (argc > 3 ? atoi(argv[3]) : 0);
	memset(place, 0, 32 * LINE);
	aligned_sums = make_aligned();
	numbers = aligned_alloc(LINE, (PARTS + 1) * PART_NUMBERS * sizeof(*numbers));
	memset(numbers, 0, (PARTS + 1) * PART_NUMBERS * sizeof(*numbers));
	elements = calloc(ELEMENTS, sizeof(*elements));
	for (int i = 0; i < 2 && argc > 5; i++)
		cpus[i] = atoi(argv[4 + i]);
	for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++)
		points[i] = (struct point){ (int8_t)i, (int8_t)(3 * i) };
	for (size_t i = 0; i < sizeof(pixels); i++)
		pixels[i] = (uint8_t)(i * 7);
	for (unsigned int i = 0; i < 2; i++)
		sem_init(&hand[i], 0, !i);
	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run_thread, (void *)i);

	struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000L };

	nanosleep(&time, NULL);
	stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%llu\n", (unsigned long long)(rounds[0][0] + rounds[1][0]));
	return 0;
}
