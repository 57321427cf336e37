// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits from the events of contention: see lock_waits.h. */
#include "report/lock/lock_waits.h"

#include "base/memory.h"
#include "base/text.h"
#include "report/key/keys.h"
#include "report/text.h"

/* ---- kinds ---- */

/* As perf lock contention prints them. */
static const struct lock_kind {
	uint32_t flags;
	const char *name;
	const char *plain;
} lock_kinds[] = {
	{ 0, "semaphore", "semaphore" },
	{ LOCK_SPIN, "spinlock", "spinlock" },
	{ LOCK_SPIN | LOCK_READ, "rwlock:R", "rwlock" },
	{ LOCK_SPIN | LOCK_WRITE, "rwlock:W", "rwlock" },
	{ LOCK_READ, "rwsem:R", "rwsem" },
	{ LOCK_WRITE, "rwsem:W", "rwsem" },
	{ LOCK_REALTIME, "rt-mutex", "rt-mutex" },
	{ LOCK_REALTIME | LOCK_READ, "rwlock-rt:R", "rwlock-rt" },
	{ LOCK_REALTIME | LOCK_WRITE, "rwlock-rt:W", "rwlock-rt" },
	{ LOCK_PER_CPU | LOCK_READ, "pcpu-sem:R", "percpu-rwsem" },
	{ LOCK_PER_CPU | LOCK_WRITE, "pcpu-sem:W", "percpu-rwsem" },
	{ LOCK_MUTEX, "mutex", "mutex" },
	{ LOCK_MUTEX | LOCK_SPIN, "mutex", "mutex" },
	{ LOCK_USER | LOCK_USER_MUTEX, "mutex", "mutex" },
	{ LOCK_USER | LOCK_USER_READ, "rwlock:R", "rwlock" },
	{ LOCK_USER | LOCK_USER_WRITE, "rwlock:W", "rwlock" },
	{ LOCK_USER | LOCK_USER_CONDITION, "condition", "condition" },
	{ LOCK_USER | LOCK_USER_SEMAPHORE, "semaphore", "semaphore" },
	{ LOCK_USER | LOCK_USER_BARRIER, "barrier", "barrier" },
	{ LOCK_USER | LOCK_USER_OTHER, "other", "other" },
};

static const struct lock_kind *find_kind(uint32_t flags)
{
	return array_find(i, lock_kinds, COUNT_OF(lock_kinds),
			  lock_kinds[i].flags == (flags & LOCK_FLAGS_ALL));
}

const char *lock_kind_name(uint32_t flags, bool direction)
{
	const struct lock_kind *kind = find_kind(flags);

	return !kind ? "unknown" : direction ? kind->name : kind->plain;
}

bool lock_kinds_parse(const char *list, uint64_t *kinds, const char **bad)
{
	*kinds = 0;
	each_word (word, length, list) {
		uint64_t found = 0;

		for (size_t i = 0; i < COUNT_OF(lock_kinds); i++)
			if (text_is(word, length, lock_kinds[i].name) ||
			    text_is(word, length, lock_kinds[i].plain))
				found |= UINT64_C(1) << i;
		*bad = word;
		if (!found)
			return false;
		*kinds |= found;
	}
	return true;
}

bool lock_kind_is_in(uint32_t flags, uint64_t kinds)
{
	const struct lock_kind *kind = find_kind(flags);

	return kind && kinds >> (kind - lock_kinds) & 1;
}

/* ---- sums ---- */

void lock_sums_add(struct lock_sums *sums, const struct lock_sums *more)
{
	if (more->acquired && (!sums->acquired || more->least < sums->least))
		sums->least = more->least;
	raise_to(sums->most, more->most);
	sums->contended += more->contended;
	sums->acquired += more->acquired;
	sums->total += more->total;
}

/* ---- waits ---- */

struct lock_begun {
	uint64_t lock, thread, time;
	size_t wait;  /* index in `items` */
	bool waiting; /* it has not ended */
	bool begins;  /* it has begun once, so that `wait` is known */
};

/* When a thread that waited for a lock got it. */
struct lock_tenure {
	uint64_t time;
	size_t wait; /* index in `items` + 1; 0: not known */
};

/* Hashes of different keys may be equal, so the next one is tried until the entry has the key. */
static struct lock_begun *find_begun(struct lock_waits *waits, uint64_t lock, uint64_t thread)
{
	uint64_t hash = hash_combine(hash_combine(0, lock), thread);
	uint32_t *recent = &waits->recent[hash % LOCK_RECENT];

	if (*recent < waits->begun_count && waits->begun[*recent].lock == lock &&
	    waits->begun[*recent].thread == thread)
		return &waits->begun[*recent];
	for (;; hash++) {
		bool created;
		struct lock_begun *begun =
			hash_map_item(&waits->begun_of, hash, waits->begun, waits->begun_count,
				      waits->begun_capacity, &created);

		if (created)
			*begun = (struct lock_begun){ .lock = lock, .thread = thread };
		if (begun->lock == lock && begun->thread == thread) {
			*recent = (uint32_t)(begun - waits->begun);
			return begun;
		}
	}
}

static bool is_of(const struct lock_wait *wait, const struct lock_event *event)
{
	return wait->lock == event->lock && wait->chain == event->chain &&
	       wait->flags == event->flags && wait->tid == event->tid && wait->pid == event->pid &&
	       wait->unchosen == event->unchosen;
}

/* Adds a time of so many ns. */
static void add_wait_time(struct lock_sums *sums, uint64_t time)
{
	lock_sums_add(sums, &(struct lock_sums){
				    .acquired = 1, .total = time, .most = time, .least = time });
}

/* The ends of the ranges of times, in ns; the last one has none. */
static const uint64_t lock_times[LOCK_TIMES - 1] = { 1000,       3000,      10000,     30000,
						     100000,     300000,    1000000,   3000000,
						     10000000,   30000000,  100000000, 300000000,
						     1000000000, 3000000000 };

/* Adds a wait of so many ns that has ended. */
static void end_wait(struct lock_wait *wait, uint64_t time)
{
	size_t range = 0;

	while (range < LOCK_TIMES - 1 && time >= lock_times[range])
		range++;
	wait->times[range]++;
	add_wait_time(&wait->sums, time);
}

static struct lock_wait *find_wait(struct lock_waits *waits, const struct lock_event *event)
{
	uint64_t hash = hash_combine(hash_combine(hash_combine(0, event->lock), event->chain),
				     (uint64_t)(uint32_t)event->tid << 32 | event->flags);

	for (;; hash++) {
		bool created;
		struct lock_wait *wait = hash_map_item(&waits->wait_of, hash, waits->items,
						       waits->count, waits->capacity, &created);

		if (created)
			*wait = (struct lock_wait){ .lock = event->lock,
						    .chain = event->chain,
						    .flags = event->flags,
						    .pid = event->pid,
						    .tid = event->tid,
						    .unchosen = event->unchosen,
						    .comm = event->comm,
						    .cgroup = event->cgroup };
		if (is_of(wait, event))
			return wait;
	}
}

/* Takes the end of a wait: the last thread that waited for the lock does not have it any more. */
static void change_tenure(struct lock_waits *waits, const struct lock_event *event,
			  const struct lock_begun *begun)
{
	struct lock_tenure *tenure =
		hash_map_item(&waits->tenure_of, event->lock, waits->tenures, waits->tenure_count,
			      waits->tenure_capacity, NULL);
	uint64_t since = tenure->time > begun->time ? tenure->time : begun->time;
	uint32_t flags = waits->items[begun->wait].flags;

	if (tenure->wait && event->time > since)
		add_wait_time(&waits->items[tenure->wait - 1].held, event->time - since);
	tenure->time = event->time;
	tenure->wait = flags & LOCK_READ || !flags ? 0 : begun->wait + 1;
}

/* Returns a number of the thread that no other has. */
static uint64_t lock_waits_thread(const struct lock_event *event)
{
	return event->tid ? (uint32_t)event->tid : UINT64_C(1) << 32 | (uint32_t)(event->cpu + 1);
}

static void lose_end(struct lock_waits *waits, struct lock_begun *begun)
{
	begun->waiting = false;
	waits->lost++;
	waits->open--;
}

/* Takes the begin of a wait: a thread that begins to sleep for a lock sleeps for no other one.
 * Waits of percpu-rwsem and rt-mutex have such waits inside (percpu_down_write() waits for RCU). */
static void lock_waits_sleep(struct lock_waits *waits, const struct lock_event *event, size_t begun)
{
	uint32_t *sleeps;
	bool created;

	if (event->flags & (LOCK_PER_CPU | LOCK_REALTIME) ||
	    (event->flags & LOCK_SPIN && !(event->flags & LOCK_MUTEX)))
		return;
	sleeps = hash_map_insert(&waits->sleeps_of, lock_waits_thread(event), &created);
	if (!created && *sleeps != begun && waits->begun[*sleeps].waiting)
		lose_end(waits, &waits->begun[*sleeps]);
	*sleeps = (uint32_t)begun;
}

void lock_waits_add(struct lock_waits *waits, const struct lock_event *event)
{
	struct lock_begun *begun = find_begun(waits, event->lock, lock_waits_thread(event));

	waits->events++;
	if (event->begin) {
		if (begun->waiting) {
			/* a mutex has a second begin when it stops to spin: the first one counts */
			if (event->flags == LOCK_MUTEX &&
			    waits->items[begun->wait].flags == (LOCK_MUTEX | LOCK_SPIN))
				return;
			lose_end(waits, begun); /* it waits for one lock once at a time */
		}
		lock_waits_sleep(waits, event, (size_t)(begun - waits->begun));
		/* most threads come the same way again */
		if (!begun->begins || !is_of(&waits->items[begun->wait], event))
			begun->wait = (size_t)(find_wait(waits, event) - waits->items);
		begun->waiting = begun->begins = true;
		begun->time = event->time;
		waits->items[begun->wait].sums.contended++;
		waits->open++;
		return;
	}
	if (!begun->waiting) {
		waits->unbegun++;
		return;
	}
	uint64_t time = event->time > begun->time ? event->time - begun->time : 0;

	end_wait(&waits->items[begun->wait], time);
	if (!event->failed)
		change_tenure(waits, event, begun);
	begun->waiting = false;
	waits->open--;
}

void lock_waits_add_whole(struct lock_waits *waits, const struct lock_event *event,
			  const struct lock_call *call, uint64_t end)
{
	struct lock_wait *wait = find_wait(waits, event);

	waits->events++;
	wait->call = *call;
	wait->sums.contended++;
	if (end)
		end_wait(wait, end > event->time ? end - event->time : 0);
	else
		waits->open++;
}

void lock_waits_of_holders(struct lock_waits *waits)
{
	size_t kept = 0;

	array_each (const struct lock_wait, wait, waits->items, waits->count) {
		struct lock_wait holder = *wait;

		if (!wait->held.total)
			continue;
		holder.sums = wait->held;
		holder.sums.contended = wait->held.acquired;
		memset(holder.times, 0, sizeof(holder.times));
		waits->items[kept++] = holder;
	}
	waits->count = kept;
}

void lock_waits_deinit(struct lock_waits *waits)
{
	free_all(waits->items, waits->begun, waits->tenures);
	hash_map_deinit(&waits->tenure_of);
	hash_map_deinit(&waits->wait_of);
	hash_map_deinit(&waits->begun_of);
	hash_map_deinit(&waits->sleeps_of);
}

/* ---- keys ---- */

static const struct {
	const char *name; /* of -k and -F */
	const char *heading;
	int width, narrow; /* as in perf, and the least */
} lock_columns[LOCK_KEYS] = {
	[LOCK_CONTENDED] = { "contended", "contended", 10, 9 },
	[LOCK_WAIT_TOTAL] = { "wait_total", "total wait", 12, 10 },
	[LOCK_WAIT_MAX] = { "wait_max", "max wait", 12, 9 },
	[LOCK_WAIT_MIN] = { "wait_min", "min wait", 12, 9 },
	[LOCK_AVG_WAIT] = { "avg_wait", "avg wait", 12, 9 },
};

bool lock_key_parse(const char *name, size_t length, enum lock_key *key)
{
	for (unsigned int i = 0; i < LOCK_KEYS; i++)
		if (text_is(name, length, lock_columns[i].name)) {
			*key = i;
			return true;
		}
	return false;
}

static uint64_t lock_table_value_of(const struct lock_sums *sums, enum lock_key key)
{
	switch (key) {
	case LOCK_CONTENDED: return sums->contended;
	case LOCK_WAIT_TOTAL: return sums->total;
	case LOCK_WAIT_MAX: return sums->most;
	case LOCK_WAIT_MIN: return sums->least;
	default: return sums->acquired ? sums->total / sums->acquired : 0;
	}
}

/* ---- rows ---- */

/* The waits that a row stands for are waits[first .. first + count) of the sorted ones. */
struct lock_row {
	struct lock_sums sums, held;
	uint64_t times[LOCK_TIMES];
	const struct lock_wait **waits;
	size_t count;
	uint64_t locks; /* distinct ones */
	uint64_t lock;  /* while counting them: the first address of the last one */
};

struct lock_rows {
	const struct lock_wait **sorted;
	struct lock_row *items;
	size_t count;
};

/* Locks of programs are at an address of their process. */
static int compare_locks(const struct lock_wait *a, const struct lock_wait *b)
{
	int order = compare_numbers(a->flags & LOCK_USER ? (uint32_t)a->pid : 0,
				    b->flags & LOCK_USER ? (uint32_t)b->pid : 0);

	return order ?: compare_numbers(a->lock, b->lock);
}

/* Waits without a name are of one row for each reason. */
static int lock_table_compare_names(const struct lock_wait *a, const struct lock_wait *b)
{
	int order = compare_texts(a->name, b->name);

	if (!order && !a->name)
		order = compare_texts(a->doubt, b->doubt);
	return order ?: strcmp(lock_kind_name(a->flags, false), lock_kind_name(b->flags, false));
}

/* Waits that compare equal are of one row. A caller without a symbol is one for each chain. */
static int lock_table_compare(const struct lock_wait *a, const struct lock_wait *b,
			      enum lock_view view)
{
	int order = 0;

	switch (view) {
	case LOCK_BY_FIELD: return lock_table_compare_names(a, b);
	case LOCK_BY_CALLER:
		order = compare_texts(a->caller, b->caller);
		if (!order && !a->caller)
			order = compare_numbers(a->frame, b->frame);
		return order
			       ?: strcmp(lock_kind_name(a->flags, true),
					 lock_kind_name(b->flags, true));
	case LOCK_BY_ADDRESS:
		order = compare_locks(a, b);
		return order || a->lock ? order : lock_table_compare_names(a, b);
	case LOCK_BY_CGROUP: return compare_texts(a->cgroup, b->cgroup);
	default: return compare_numbers((uint32_t)a->tid, (uint32_t)b->tid);
	}
}

static int by_view(const void *left, const void *right, void *data)
{
	const struct lock_wait *a = *(const struct lock_wait *const *)left,
			       *b = *(const struct lock_wait *const *)right;
	int order = lock_table_compare(a, b, *(const enum lock_view *)data);

	if (!order)
		order = compare_locks(a, b);
	return order ?: (a > b) - (a < b); /* waits are in one array */
}

/* By the key, the largest first; then by time, and in the order of the view. */
static int by_key(const void *left, const void *right, void *data)
{
	const struct lock_row *a = left, *b = right;
	const struct lock_table_options *options = data;
	int order = compare_numbers(lock_table_value_of(&b->sums, options->sort),
				    lock_table_value_of(&a->sums, options->sort));

	if (!order)
		order = compare_numbers(b->sums.total, a->sums.total);
	return order ?: lock_table_compare(*a->waits, *b->waits, options->view);
}

/* Makes the rows of `count` waits: of those that a list has, or without one of all after `first`.
 */
static void rows_init(struct lock_rows *rows, const struct lock_wait *const *list,
		      const struct lock_wait *first, size_t count,
		      const struct lock_table_options *options)
{
	rows->sorted = xcalloc(count, sizeof(const struct lock_wait *));
	rows->items = xcalloc(count, sizeof(*rows->items));
	rows->count = 0;
	for (size_t i = 0; i < count; i++)
		rows->sorted[i] = list ? list[i] : &first[i];
	if (!count)
		return;
	qsort_r(rows->sorted, count, sizeof(*rows->sorted), by_view, (void *)&options->view);
	for (size_t i = 0; i < count; i++) {
		const struct lock_wait *wait = rows->sorted[i],
				       *last = i ? rows->sorted[i - 1] : NULL;
		bool other = !last || lock_table_compare(last, wait, options->view);
		struct lock_row *row =
			other ? &rows->items[rows->count++] : &rows->items[rows->count - 1];

		if (other)
			row->waits = &rows->sorted[i];
		row->count++;
		if (other || ((last->flags | wait->flags) & LOCK_USER && last->pid != wait->pid) ||
		    wait->lock - row->lock >= (wait->extent ?: 1)) {
			row->locks++;
			row->lock = wait->lock;
		}
		lock_sums_add(&row->sums, &wait->sums);
		lock_sums_add(&row->held, &wait->held);
		for (size_t k = 0; k < LOCK_TIMES; k++)
			row->times[k] += wait->times[k];
	}
	qsort_r(rows->items, rows->count, sizeof(*rows->items), by_key, (void *)options);
}

static void rows_deinit(struct lock_rows *rows)
{
	free_all(rows->sorted, rows->items);
}

static size_t rows_shown(const struct lock_rows *rows, const struct lock_table_options *options)
{
	return options->entries && options->entries < rows->count ? options->entries : rows->count;
}

/* ---- text ---- */

void lock_table_add_time(struct strbuf *text, uint64_t time, int width)
{
	static const struct {
		double size;
		const char *unit;
	} units[] = {
		{ 3600e9, "h " }, { 60e9, "m " }, { 1e9, "s " }, { 1e6, "ms" }, { 1e3, "us" }
	};

	for (size_t i = 0; i < COUNT_OF(units); i++)
		if ((double)time >= units[i].size) {
			strbuf_add_format(text, "%*.2f %s", width - 3, (double)time / units[i].size,
					  units[i].unit);
			return;
		}
	strbuf_add_format(text, "%*" PRIu64 " %s", width - 3, time, "ns");
}

static int lock_key_width(const struct lock_table_options *options, enum lock_key key)
{
	return options->narrow ? lock_columns[key].narrow : lock_columns[key].width;
}

static void lock_table_add_sums(struct strbuf *text, const struct lock_sums *sums,
				const struct lock_table_options *options)
{
	for (size_t i = 0; i < options->column_count; i++) {
		enum lock_key key = options->columns[i];
		uint64_t value = lock_table_value_of(sums, key);

		if (options->separator)
			strbuf_add_format(text, "%s%s%" PRIu64, i ? options->separator : "",
					  i ? " " : "", value);
		else if (key == LOCK_CONTENDED)
			strbuf_add_format(text, "%*" PRIu64 " ", lock_key_width(options, key),
					  value);
		else
			lock_table_add_time(text, value, lock_key_width(options, key)),
				strbuf_add_char(text, ' ');
	}
}

static const char *name_or_doubt(const struct lock_wait *wait, struct strbuf *buffer)
{
	if (wait->name)
		return wait->name;
	strbuf_add_format(buffer, "(unknown: %s)", wait->doubt ?: "no caller");
	return buffer->data;
}

/* The headings of the columns after the sums. */
static const char *const lock_headings[][3] = {
	[LOCK_BY_FIELD] = { "type", "locks", "lock" },
	[LOCK_BY_CALLER] = { "type", "caller" },
	[LOCK_BY_ADDRESS] = { "address", "symbol", "type" },
	[LOCK_BY_THREAD] = { "pid", "comm" },
	[LOCK_BY_CGROUP] = { "cgroup" },
};

/* Returns how wide the column is that is not the last one. */
static int lock_width(const struct lock_table_options *options, size_t column)
{
	if (options->view == LOCK_BY_ADDRESS)
		return options->narrow ? 16 : 17;
	if (column)
		return options->narrow ? 5 : 6;
	return options->narrow ? 9 : options->view == LOCK_BY_FIELD ? 12 : 11;
}

/* Returns the blanks before the last column. */
static int gap(const struct lock_table_options *options)
{
	return options->narrow ? 1 : 3;
}

/* Returns how wide all columns are before the last one. */
static unsigned int lock_width_of_all(const struct lock_table_options *options)
{
	unsigned int width = (unsigned int)gap(options);

	for (size_t i = 0; i < options->column_count; i++)
		width += (unsigned int)lock_key_width(options, options->columns[i]) + 1;
	for (size_t i = 0;
	     lock_headings[options->view][i + 1] && i < (options->view == LOCK_BY_FIELD ? 2 : 1);
	     i++)
		width += (unsigned int)lock_width(options, i) + 1;
	return width;
}

/* The columns that names mostly need: of locks and callers, and of threads. */
#define ROOM        36
#define ROOM_THREAD 15

void lock_table_fit(struct lock_table_options *options, bool chosen)
{
	unsigned int room = options->view == LOCK_BY_THREAD ? ROOM_THREAD : ROOM;

	if (!options->width || options->width >= lock_width_of_all(options) + room)
		return;
	options->narrow = true;
	while (!chosen && options->column_count > 2 &&
	       options->width < lock_width_of_all(options) + room)
		options->column_count--;
	/* what rows are sorted by is shown */
	if (!chosen && !any_of(i, 0, options->column_count, options->columns[i] == options->sort))
		options->columns[options->column_count - 1] = options->sort;
}

/* Appends the last column, shortened to what the terminal has left. */
static void add_last(struct strbuf *text, const char *word, unsigned int indent,
		     const struct lock_table_options *options)
{
	unsigned int before = lock_width_of_all(options) + indent;
	size_t start;

	strbuf_add_format(text, "%*s", gap(options) + (int)indent, "");
	start = text->length;
	strbuf_add_string(text, word);
	if (options->width > before)
		text_shorten_name(text, start, options->width - before, "...");
}

/* Appends the columns after the sums, and ends the line. */
static void lock_table_add_words(struct strbuf *text, const char *const *words, size_t count,
				 const struct lock_table_options *options)
{
	for (size_t i = 0; i < count; i++)
		if (options->separator)
			strbuf_add_format(text, "%s %s", options->separator, words[i]);
		else if (i + 1 < count)
			strbuf_add_format(text, " %*s", lock_width(options, i), words[i]);
		else
			add_last(text, words[i], 0, options);
	strbuf_add_char(text, '\n');
}

static void lock_table_add_headings(struct strbuf *text, const struct lock_table_options *options)
{
	const char *const owners[] = { "pid", "owner", NULL };
	const char *const *words = options->view == LOCK_BY_THREAD && options->holders
					   ? owners
					   : lock_headings[options->view];
	/* the type follows the symbol in brackets, without a heading */
	bool bracketed = options->view == LOCK_BY_ADDRESS && !options->separator;
	size_t count = !words[1] ? 1 : words[2] && !bracketed ? 3 : 2;

	if (options->separator)
		strbuf_add_string(text, "# output: ");
	for (size_t i = 0; i < options->column_count; i++) {
		enum lock_key key = options->columns[i];

		if (options->separator)
			strbuf_add_format(text, "%s%s%s", i ? options->separator : "", i ? " " : "",
					  lock_columns[key].heading);
		else
			strbuf_add_format(text, "%*s ", lock_key_width(options, key),
					  lock_columns[key].heading);
	}
	lock_table_add_words(text, words, count, options);
	if (!options->separator)
		strbuf_add_char(text, '\n');
}

/* Appends the columns of a row after the sums. */
static void add_words(struct strbuf *text, const struct lock_row *row,
		      const struct lock_table_options *options)
{
	_cleanup_strbuf_ struct strbuf buffer = STRBUF_TEXT, count = STRBUF_TEXT,
				       named = STRBUF_TEXT;
	const struct lock_wait *wait = *row->waits;
	const char *kind = lock_kind_name(wait->flags, options->view == LOCK_BY_CALLER);
	const char *words[3];
	size_t used = 0;

	switch (options->view) {
	case LOCK_BY_FIELD:
		words[used++] = kind;
		strbuf_add_number(&count, row->locks);
		words[used++] = count.data;
		words[used++] = name_or_doubt(wait, &buffer);
		break;
	case LOCK_BY_CALLER:
		words[used++] = kind;
		words[used++] = wait->caller ?: "[unknown]";
		break;
	case LOCK_BY_ADDRESS:
		if (wait->lock)
			strbuf_add_format(&count, "%016" PRIx64, wait->lock);
		else
			strbuf_add_char(&count, '-');
		words[used++] = count.data;
		words[used++] = name_or_doubt(wait, &buffer);
		break;
	case LOCK_BY_CGROUP: words[used++] = wait->cgroup ?: "(not recorded)"; break;
	default:
		strbuf_add_format(&count, "%d", (int)wait->tid);
		words[used++] = count.data;
		words[used++] = wait->comm;
	}
	if (options->view == LOCK_BY_ADDRESS && !options->separator) {
		strbuf_add_format(&named, "%s (%s)", words[used - 1], kind);
		words[used - 1] = named.data;
	} else if (options->view == LOCK_BY_ADDRESS) {
		words[used++] = kind;
	}
	lock_table_add_words(text, words, used, options);
}

/* Appends the callers of the row's longest waiting chain. */
static void lock_table_add_chain(struct strbuf *text, const struct lock_row *row,
				 const struct lock_table_options *options)
{
	const struct lock_wait *longest = *row->waits;
	struct lock_frame frame;

	for (size_t i = 1; i < row->count; i++)
		if (row->waits[i]->sums.total > longest->sums.total)
			longest = row->waits[i];
	uint32_t number = longest->frame;

	for (unsigned int i = 0; number && i < options->depth; i++) {
		if (!options->frame(options->frame_data, number, &frame, &number))
			return;
		strbuf_add_format(text, "\t\t\t%#" PRIx64 "  %s\n", frame.address, frame.name);
	}
}

/* Appends the callers that waited longest for a lock or, with a `kind`, the rows of that kind. */
static void lock_table_add_callers(struct strbuf *text, const struct lock_wait *const *waits,
				   const struct lock_wait *first, size_t count, const char *kind,
				   const struct lock_table_options *options)
{
	struct lock_table_options callers = *options;
	struct lock_rows rows;

	callers.view = LOCK_BY_CALLER;
	rows_init(&rows, waits, first, count, &callers);
	for (size_t i = 0; i < rows.count && i < options->callers; i++) {
		const struct lock_wait *wait = *rows.items[i].waits;

		lock_table_add_sums(text, &rows.items[i].sums, options);
		strbuf_add_format(text, " %*s %*s", lock_width(options, 0),
				  kind ?: lock_kind_name(wait->flags, true), lock_width(options, 1),
				  "");
		add_last(text, wait->caller ?: "[unknown]", 2, options);
		strbuf_add_char(text, '\n');
	}
	rows_deinit(&rows);
}

#define BAR 40 /* columns of the longest bar */

/* Appends how many waits of a row took how long, with bars. */
static void lock_table_add_times(struct strbuf *text, const struct lock_row *row,
				 const struct lock_table_options *options)
{
	uint64_t most = 1;

	for (size_t i = 0; i < LOCK_TIMES; i++)
		raise_to(most, row->times[i]);
	for (size_t i = 0; i < LOCK_TIMES; i++) {
		if (!row->times[i])
			continue;
		strbuf_add_format(text, "%*" PRIu64 "  %s ",
				  lock_key_width(options, LOCK_CONTENDED), row->times[i],
				  i < COUNT_OF(lock_times) ? " <" : ">=");
		lock_table_add_time(text, lock_times[i < COUNT_OF(lock_times) ? i : i - 1], 9);
		strbuf_add_char(text, ' ');
		for (uint64_t k = 0; k < (row->times[i] * BAR + most - 1) / most; k++)
			strbuf_add_char(text, '#');
		strbuf_add_char(text, '\n');
	}
}

/* Appends the callers after whose waits others waited longest. */
static void add_holders(struct strbuf *text, const struct lock_row *row,
			const struct lock_table_options *options)
{
	_cleanup_free_ struct lock_wait *items = xcalloc(row->count, sizeof(*items));
	struct lock_waits held = { .items = items, .count = row->count };

	for (size_t i = 0; i < row->count; i++)
		items[i] = *row->waits[i];
	lock_waits_of_holders(&held);
	lock_table_add_callers(text, NULL, held.items, held.count, "held", options);
}

void lock_table_text(const struct lock_waits *waits, const struct lock_table_options *options,
		     struct strbuf *text)
{
	struct lock_rows rows;

	rows_init(&rows, NULL, waits->items, waits->count, options);
	if (options->headings)
		lock_table_add_headings(text, options);
	for (size_t i = 0; i < rows_shown(&rows, options); i++) {
		lock_table_add_sums(text, &rows.items[i].sums, options);
		add_words(text, &rows.items[i], options);
		if (options->separator)
			continue;
		if (options->times)
			lock_table_add_times(text, &rows.items[i], options);
		if (options->view == LOCK_BY_FIELD) {
			lock_table_add_callers(text, rows.items[i].waits, NULL, rows.items[i].count,
					       NULL, options);
			if (!options->holders)
				add_holders(text, &rows.items[i], options);
		} else if (options->frame) {
			lock_table_add_chain(text, &rows.items[i], options);
		}
	}
	rows_deinit(&rows);
}

/* ---- JSON ---- */

void lock_table_json(const struct lock_waits *waits, const struct lock_table_options *options,
		     struct json *json, const char *name)
{
	struct lock_rows rows;

	rows_init(&rows, NULL, waits->items, waits->count, options);
	json_array(json, name);
	array_each (const struct lock_row, row, rows.items, rows_shown(&rows, options)) {
		const struct lock_wait *wait = *row->waits;

		json_object(json, NULL);
		for (unsigned int key = 0; key < LOCK_KEYS; key++)
			json_unsigned(json, lock_columns[key].name,
				      lock_table_value_of(&row->sums, key));
		json_unsigned(json, "held", row->held.acquired);
		json_unsigned(json, "held_total", row->held.total);
		json_unsigned(json, "held_max", row->held.most);
		json_string(json, "type",
			    lock_kind_name(wait->flags, options->view == LOCK_BY_CALLER));
		json_unsigned(json, "locks", row->locks);
		if (options->view == LOCK_BY_ADDRESS)
			json_unsigned(json, "address", wait->lock);
		if (options->view == LOCK_BY_FIELD || options->view == LOCK_BY_ADDRESS) {
			json_string(json, "lock", wait->name);
			if (!wait->name)
				json_string(json, "unknown", wait->doubt);
		}
		if (options->view == LOCK_BY_CALLER)
			json_string(json, "caller", wait->caller);
		if (options->view == LOCK_BY_CGROUP)
			json_string(json, "cgroup", wait->cgroup);
		json_array(json, "histogram");
		for (size_t k = 0; k < LOCK_TIMES; k++) {
			if (!row->times[k])
				continue;
			json_object(json, NULL);
			if (k < COUNT_OF(lock_times))
				json_unsigned(json, "below", lock_times[k]);
			json_unsigned(json, "waits", row->times[k]);
			json_end(json);
		}
		json_end(json);
		if (options->view == LOCK_BY_THREAD) {
			json_signed(json, "tid", wait->tid);
			json_string(json, "comm", wait->comm);
		}
		json_end(json);
	}
	json_end(json);
	rows_deinit(&rows);
}
