// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits for locks from a recording: see lock_reading.h. */
#include "profiler/commands/lock_reading.h"

#include <linux/futex.h>

#include "base/arch/arch.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/commands/lock_probes.h"
#include "profiler/ingest/sample.h"

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13 /* since Linux 5.14 */
#endif

/* ---- events ---- */

static struct error *find_lock_field(const struct lock_reading *reading, const struct event *event,
				     const char *name, const struct tracepoint_field **field)
{
	*field = array_find(i, event->fields, event->field_count,
			    !strcmp(event->fields[i].name, name));
	if (*field)
		return NULL;
	return error_create(ERROR_FORMAT, "%s: the recording does not describe the field %s of %s",
			    reading->input->path, name, event->name);
}

static bool is_switch(const struct event *event)
{
	return !strcmp(event->name, EVENT_SWITCH) ||
	       (event->attr.type == PERF_TYPE_SOFTWARE &&
		event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES);
}

static enum event_role role_of(const struct event *event)
{
	bool chains = event->attr.sample_type & PERF_SAMPLE_CALLCHAIN;

	return !strcmp(event->name, EVENT_BEGIN)      ? ROLE_BEGIN
	       : !strcmp(event->name, EVENT_END)      ? ROLE_END
	       : !strcmp(event->name, EVENT_GO_BEGIN) ? ROLE_GO_BEGIN
	       : !strcmp(event->name, EVENT_GO_END)   ? ROLE_GO_END
	       : chains && is_switch(event)           ? ROLE_SWITCH
	       : chains && event_is_timer(event)      ? ROLE_TIMER
						      : ROLE_NONE;
}

/* Takes an event of the kernel's locks. */
static struct error *take_lock_event(struct lock_reading *reading, const struct event *event,
				     enum event_role role)
{
	bool begin = role == ROLE_BEGIN;
	struct lock_fields *fields = begin ? &reading->begin : &reading->end;

	*fields = (struct lock_fields){ .event = event->index, .found = true };
	RETURN_ERROR(find_lock_field(reading, event, "lock_addr", &fields->address));
	return find_lock_field(reading, event, begin ? "flags" : "ret", &fields->flags);
}

static struct error *find_events(struct lock_reading *reading)
{
	size_t count, found[ROLE_GO_END + 1] = { 0 };
	const struct event *events = session_events(reading->input->session, &count);

	reading->roles = xcalloc(count, sizeof(*reading->roles));
	array_each (const struct event, event, events, count) {
		enum event_role role = role_of(event);

		/* one event of the kernel's locks counts */
		if (found[role]++ && (role == ROLE_BEGIN || role == ROLE_END))
			continue;
		reading->roles[event->index] = role;
		if (role == ROLE_BEGIN || role == ROLE_END)
			RETURN_ERROR(take_lock_event(reading, event, role));
	}
	if (reading->begin.found != reading->end.found)
		return error_create(ERROR_NOT_FOUND, "%s has %s without %s", reading->input->path,
				    reading->begin.found ? EVENT_BEGIN : EVENT_END,
				    reading->begin.found ? EVENT_END : EVENT_BEGIN);
	reading->switches = found[ROLE_SWITCH];
	reading->probes = found[ROLE_GO_BEGIN];
	if (reading->begin.found || reading->switches || reading->probes) {
		for (size_t i = 0; i < count; i++)
			if (reading->roles[i] == ROLE_TIMER)
				reading->roles[i] = ROLE_NONE;
		return NULL;
	}
	reading->timers = reading->options.timers && found[ROLE_TIMER];
	return reading->timers ? NULL
			       : error_create(ERROR_NOT_FOUND,
					      "%s has neither events " EVENT_BEGIN
					      " nor context switches or a timer with call chains; "
					      "record them with dtprof lock record, or --user",
					      reading->input->path);
}

/* ---- waits of programs ---- */

/* Reads when threads stopped and went on. */
static struct error *read_switches(struct lock_reading *reading)
{
	if (!reading->switches)
		return NULL;
	sleeps_read(reading->input->session, &reading->sleeps);
	if (!reading->sleeps.count)
		return error_create(ERROR_NOT_FOUND,
				    "%s has context switches, but not when threads go on; record "
				    "with --switch-events, as dtprof lock record --user does",
				    reading->input->path);
	return NULL;
}

/* Returns what the thread waits for; each chain is looked at once. */
static const struct user_lock *call_of(struct lock_reading *reading, const struct lock_event *event)
{
	bool created;
	struct user_lock *call = hash_map_item(
		&reading->call_of, (uint64_t)event->chain * USER_FUTEXES + event->futex,
		reading->calls, reading->call_count, reading->call_capacity, &created);

	if (created)
		user_lock_find(reading->input->resolution, reading->input->counts, event->chain,
			       event->futex, &reading->dso, call);
	return call;
}

/* Returns a register of a program, by its number in base/arch/; 0: not known. */
static uint64_t register_of(const struct arch *arch, const struct sample *sample, uint8_t reg)
{
	uint64_t value;

	return sample_register(&sample->user_registers, arch->perf_numbers[reg], &value) ? value
											 : 0;
}

/* Returns an argument of a thread's system call; 0: not known. */
static uint64_t argument_of(const struct lock_reading *reading, const struct sample *sample,
			    size_t argument)
{
	const struct arch *arch = session_arch(reading->input->session);

	return arch ? register_of(arch, sample, arch->system_call.arguments[argument]) : 0;
}

/* Sets the address that futex(2) gets, and what its operation and value tell. */
static void take_futex(const struct lock_reading *reading, const struct sample *sample,
		       struct lock_event *event)
{
	uint64_t operation = argument_of(reading, sample, 1) & FUTEX_CMD_MASK;
	uint32_t value = (uint32_t)argument_of(reading, sample, 2);

	event->flags = LOCK_USER;
	event->lock = argument_of(reading, sample, 0);
	event->futex = USER_FUTEX_OTHER;
	if (!event->lock)
		return;
	if (operation == FUTEX_WAIT || operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI2)
		event->futex =
			operation == FUTEX_WAIT && value == 2 ? USER_FUTEX_MUTEX : USER_FUTEX_LOCK;
	else if (operation == FUTEX_WAIT_BITSET && !value)
		event->futex = USER_FUTEX_SEMAPHORE;
}

/* Adds a wait, if it is for a lock. It ends at `end`; 0: not known. */
static void add_user_wait(struct lock_reading *reading, struct lock_event *event, uint64_t end)
{
	const struct user_lock *lock = call_of(reading, event);

	if (!lock->call.inner || (lock->call.other && !reading->options.blocked))
		return;
	if (lock->call.other || lock->call.parks)
		event->lock = 0;
	event->flags = lock->flags;
	lock_waits_add_whole(&reading->waits, event, &lock->call, end);
}

/* Takes a thread's going to sleep, if it waits for a lock. */
static void take_sleep(struct lock_reading *reading, struct lock_event *event)
{
	const struct user_lock *lock = call_of(reading, event);
	uint64_t end;

	reading->goroutines |= lock->call.other && starts_with(lock->call.other, "(runtime.futex");
	reading->cut += lock->call.other && event->futex != USER_FUTEX_OTHER &&
			!reading->input->counts->frames[lock->call.inner].caller;
	if (sleeps_find(&reading->sleeps, event->tid, event->time, &end))
		add_user_wait(reading, event, end);
}

/* ---- waits of goroutines ---- */

/* The last wait of a goroutine. */
struct go_wait {
	uint64_t goroutine;
	int32_t pid;
	bool waiting;
	struct lock_event begin;
};

/* Hashes of different goroutines may be equal, so the next one is tried, too. */
static struct go_wait *find_go_wait(struct lock_reading *reading, const struct lock_event *event)
{
	uint64_t hash = hash_combine(hash_combine(0, event->goroutine), (uint32_t)event->pid);

	for (;; hash++) {
		bool created;
		struct go_wait *wait =
			hash_map_item(&reading->go_wait_of, hash, reading->go_waits,
				      reading->go_wait_count, reading->go_wait_capacity, &created);

		if (created)
			*wait = (struct go_wait){ .goroutine = event->goroutine,
						  .pid = event->pid };
		if (wait->goroutine == event->goroutine && wait->pid == event->pid)
			return wait;
	}
}

/* Takes that a goroutine begins to wait, or goes on: maybe on another thread. Probes see all
 * processes of a program; those that are not recorded have no maps, and so no objects. */
static void take_goroutine(struct lock_reading *reading, const struct lock_event *event)
{
	struct go_wait *wait = find_go_wait(reading, event);

	if (event->begin && reading->input->counts->frames[event->chain].dso) {
		reading->waits.lost += wait->waiting;
		wait->waiting = true;
		wait->begin = *event;
	} else if (!event->begin && wait->waiting) {
		wait->waiting = false;
		add_user_wait(reading, &wait->begin, event->time);
	}
}

static void take_unfinished(struct lock_reading *reading)
{
	array_each (struct go_wait, wait, reading->go_waits, reading->go_wait_count)
		if (wait->waiting)
			add_user_wait(reading, &wait->begin, 0);
}

/* Takes a sample of a probe: the goroutine, and where it begins to wait, the lock's semaphore. */
static void take_probe(const struct lock_reading *reading, const struct sample *sample,
		       struct lock_event *event)
{
	const struct arch *arch = session_arch(reading->input->session);

	if (!arch)
		return;
	event->goroutine = register_of(arch, sample, arch->goroutine);
	if (event->begin)
		event->lock = register_of(arch, sample, arch->go_call.arguments[0]);
}

/* ---- samples of a timer ---- */

/* The kernel's functions in which threads spin for locks (kernel/locking/ of Linux). */
static const struct spinning {
	const char *name;
	uint32_t flags; /* 0: those of the caller */
} spinning[] = {
	{ "native_queued_spin_lock_slowpath", LOCK_SPIN },
	{ "__pv_queued_spin_lock_slowpath", LOCK_SPIN },
	{ "queued_read_lock_slowpath", LOCK_SPIN | LOCK_READ },
	{ "queued_write_lock_slowpath", LOCK_SPIN | LOCK_WRITE },
	{ "mutex_spin_on_owner", LOCK_MUTEX | LOCK_SPIN },
	{ "rtmutex_spin_on_owner", LOCK_REALTIME },
	{ "rwsem_spin_on_owner", LOCK_WRITE },
	{ "rwsem_optimistic_spin", LOCK_WRITE },
	{ "osq_lock", 0 },
};

static const char *symbol_of(const struct lock_reading *reading, uint32_t frame)
{
	const struct dso *dso = reading->input->counts->frames[frame].dso;

	return frame && dso && dso_is_kernel(dso)
		       ? resolution_frame_place(reading->input->resolution, frame)->symbol
		       : NULL;
}

/* Sets the kind of lock that the thread spins for, by the outermost of these functions. False: the
 * innermost frame is none. */
static bool find_spinning(const struct lock_reading *reading, struct lock_event *event)
{
	const struct spinning *found;
	uint32_t frame = event->chain;
	const char *symbol;

	while ((symbol = symbol_of(reading, frame)) &&
	       (found = array_find(i, spinning, COUNT_OF(spinning),
				   !strcmp(spinning[i].name, symbol)))) {
		event->flags = found->flags ?: event->flags;
		frame = reading->input->counts->frames[frame].caller;
	}
	/* mutexes and rwsems queue their threads in the same way */
	if (!event->flags && frame != event->chain && symbol)
		event->flags = strstr(symbol, "mutex")    ? LOCK_MUTEX | LOCK_SPIN
			       : !strstr(symbol, "rwsem") ? 0
			       : strstr(symbol, "read")   ? LOCK_READ
							  : LOCK_WRITE;
	return event->flags;
}

/* Returns the call of a function for Go's locks that the thread is in, and sets the kind of lock;
 * NULL: it is in none. Other functions for locks take time without others that have the lock, too.
 */
static const struct lock_call *find_go_lock(struct lock_reading *reading, struct lock_event *event)
{
	const struct counted_frame *frames = reading->input->counts->frames;
	uint32_t frame = event->chain;
	const char *symbol;

	while (frame && frames[frame].level != '.')
		frame = frames[frame].caller;
	symbol = frame ? resolution_frame_place(reading->input->resolution, frame)->symbol : NULL;
	if (!symbol || !(starts_with(symbol, "runtime.") || starts_with(symbol, "sync.") ||
			 starts_with(symbol, "internal/sync.")))
		return NULL;
	const struct user_lock *lock = call_of(reading, event);

	event->flags = lock->flags;
	return lock->call.inner && !lock->call.other ? &lock->call : NULL;
}

/* Returns whether a list of numbers has this one. NULL has all. */
static bool is_listed(const char *list, int32_t number)
{
	each_word (word, length, list)
		if (length && strtol(word, NULL, 10) == number)
			return true;
	return !list;
}

/* An event, and behind all of them the two keys that it is sorted by. */
#define EVENT_ROOM (sizeof(struct lock_event) + 2 * sizeof(struct sort_key))

/* Returns the next event to be filled. A sample may count several times. */
static struct lock_event *next_event(struct lock_reading *reading)
{
	if (reading->event_count == reading->event_capacity) {
		reading->event_capacity = 2 * reading->event_capacity + 8;
		reading->events =
			xrealloc_array(reading->events, reading->event_capacity, EVENT_ROOM);
	}
	return &reading->events[reading->event_count];
}

/* Returns whether a sample is of the processes and threads asked about. */
static bool is_of_listed(const struct lock_reading_options *options, const struct sample *sample)
{
	return (!options->pids || is_listed(options->pids, (int32_t)sample->pid)) &&
	       (!options->tids || is_listed(options->tids, (int32_t)sample->tid));
}

/* Notes the event that a sample is: `each` of struct input_needs. */
static void take_sample(void *data, const struct counting_sample *counting)
{
	struct lock_reading *reading = data;
	const struct sample *sample = counting->sample;
	const struct lock_reading_options *options = &reading->options;
	enum event_role role = reading->roles[counting->event];
	/* ends may be at other times and on other processors than what begins; those of goroutines
	 * also on other threads */
	bool listed = is_of_listed(options, sample),
	     go = role == ROLE_GO_BEGIN || role == ROLE_GO_END,
	     ends = role == ROLE_END || role == ROLE_GO_END,
	     begin = role == ROLE_BEGIN || role == ROLE_GO_BEGIN;
	const struct lock_fields *fields = begin ? &reading->begin : &reading->end;
	struct lock_event *event = next_event(reading);
	uint64_t flags;

	*event = (struct lock_event){
		.begin = begin,
		.unchosen = !ends && (!listed || (options->choice &&
						  !sample_choice_has(options->choice, sample))),
		.time = sample->time,
		.pid = (int32_t)sample->pid,
		.tid = (int32_t)sample->tid,
		.cpu = sample->cpu,
		.chain = counting->chain,
		.comm = session_comm(reading->input->session, counting->comm),
		.cgroup = sample->cgroup
				  ? session_cgroup_name(reading->input->session, sample->cgroup)
				  : NULL
	};
	if ((!listed && !go) || (event->unchosen && !begin))
		return;
	switch (role) {
	case ROLE_NONE: return;
	case ROLE_TIMER: event->period = sample->period; break;
	case ROLE_SWITCH: take_futex(reading, sample, event); break;
	case ROLE_GO_BEGIN:
	case ROLE_GO_END: take_probe(reading, sample, event); break;
	case ROLE_BEGIN:
	case ROLE_END:
		if (!tracepoint_field_number(fields->address, sample->raw.data, sample->raw.size,
					     counting->swap, &event->lock) ||
		    !tracepoint_field_number(fields->flags, sample->raw.data, sample->raw.size,
					     counting->swap, &flags))
			return;
		event->flags = begin ? (uint32_t)flags & (LOCK_USER - 1) : 0;
		event->failed = !begin && flags;
	}
	reading->event_count++;
}

/* Leaves the waits that are asked about, when all are known. */
static void keep_chosen(struct lock_waits *waits)
{
	size_t kept = 0;

	array_each (const struct lock_wait, wait, waits->items, waits->count)
		if (!wait->unchosen)
			waits->items[kept++] = *wait;
	waits->count = kept;
}

/* Takes the events in the order of their times; those of one time in the order of the file, which
 * is that of their thread. */
static void take_events(void *data)
{
	struct lock_reading *reading = data;
	size_t count = reading->event_count;
	const struct lock_call of_kernel = { 0 };
	struct sort_key *first = (struct sort_key *)(reading->events + reading->event_capacity);

	for (size_t i = 0; i < count; i++)
		first[i] = (struct sort_key){ reading->events[i].time, i };
	const struct sort_key *keys = sort_keys(first, first + count, count);

	for (size_t i = 0; i < count; i++) {
		struct lock_event *event = &reading->events[keys[i].index];
		const struct lock_call *call;

		if (event->flags & LOCK_USER)
			take_sleep(reading, event);
		else if (reading->probes && event->goroutine)
			take_goroutine(reading, event);
		else if (!reading->timers)
			lock_waits_add(&reading->waits, event);
		else if ((call = find_spinning(reading, event) ? &of_kernel
							       : find_go_lock(reading, event)))
			lock_waits_add_whole(&reading->waits, event, call,
					     event->time + event->period);
	}
	take_unfinished(reading);
	free(reading->events);
	reading->events = NULL;
	keep_chosen(&reading->waits);
}

struct error *lock_reading_read(struct lock_reading *reading, struct input *input,
				const struct input_options *input_options,
				const struct lock_reading_options *options)
{
	struct input_needs needs = { .needs = NEED_SYMBOL | NEED_CHAIN,
				     .each = take_sample,
				     .each_data = reading,
				     .no_inline = true,
				     .tells_trouble = options->quiet };

	*reading = (struct lock_reading){ .options = *options,
					  .input = input,
					  .dso = input_options->dso };
	RETURN_ERROR(find_events(reading));
	if (reading->begin.found || reading->timers)
		needs.kernel_ahead = options->ahead;
	/* who waits in programs, or spins, is told by functions */
	if (!reading->switches && !reading->timers && !reading->probes)
		needs.counted = take_events;
	needs.uncounted = reading->end.found ? reading->end.event + 1 : 0;
	needs.kernel_only = options->kernel_only && reading->begin.found;
	RETURN_ERROR(read_switches(reading));
	reading->event_capacity = session_totals(input->session)->samples;
	reading->events = xmalloc_table(reading->event_capacity, EVENT_ROOM);
	RETURN_ERROR(input_resolve(input_options, &needs, input));
	if (!needs.counted)
		take_events(reading);
	return NULL;
}

void lock_reading_deinit(struct lock_reading *reading)
{
	lock_waits_deinit(&reading->waits);
	hash_map_deinit(&reading->call_of);
	hash_map_deinit(&reading->go_wait_of);
	free_all(reading->calls, reading->events, reading->go_waits, reading->roles);
	sleeps_deinit(&reading->sleeps);
}

struct error *named_waits_read(struct named_waits *waits, struct input *input,
			       const struct input_options *options,
			       const struct sample_choice *choice)
{
	struct lock_names_options names = { .dso = options->dso,
					    .no_infer = options->no_infer,
					    .threads = options->threads };
	struct error *error = lock_reading_read(
		&waits->reading, input, options,
		&(struct lock_reading_options){ .choice = choice, .quiet = true });

	if (!error)
		error = lock_names_find(&waits->reading.waits, input->resolution, input->counts,
					&names);
	if (error && error->code == ERROR_NOT_FOUND) {
		error_destroy(error);
		error = NULL;
	}
	waits->input = *input;
	input->resolution = NULL;
	input->counts = NULL;
	return error;
}

void named_waits_deinit(struct named_waits *waits)
{
	lock_reading_deinit(&waits->reading);
	input_forget(&waits->input);
}
