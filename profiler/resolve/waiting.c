// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The objects that sleeping threads wait for (events of blocked time): the lock of a program or of
 * the kernel, or the object that the kernel's function waits at, such as the wait queue rd_wait of
 * a struct pipe_inode_info. It takes the place of the type in results.
 *
 * The innermost function of a sleeping thread is schedule() of the kernel. Of the function around
 * it, or of its callers, one had the object: it gave it to a function that waits, or put itself
 * into the object's queue by prepare_to_wait() or the like before (wait_event() of
 * include/linux/wait.h is expanded to that). Types of kernels need its code, as for locks. What is
 * not known is shown by the function of the library that the program called: (epoll_wait).
 */
#include "profiler/resolve/private.h"

#include <fnmatch.h>

#include "base/memory.h"
#include "profiler/resolve/lock_names.h"
#include "profiler/resolve/user_locks.h"

/* Functions of the kernel that put a thread into a wait queue, their first argument
 * (kernel/sched/wait.c, swait.c), and that take it out. */
static const char *const queue_functions[] = { "prepare_to_wait_event",
					       "prepare_to_wait",
					       "prepare_to_wait_exclusive",
					       "add_wait_queue",
					       "add_wait_queue_exclusive",
					       "add_wait_queue_priority",
					       "prepare_to_swait_event",
					       "prepare_to_swait_exclusive",
					       "do_wait_intr",
					       "do_wait_intr_irq",
					       "sbitmap_prepare_to_wait",
					       NULL };
static const char *const unqueue_functions[] = { "finish_wait", "remove_wait_queue", "finish_swait",
						 "sbitmap_finish_wait", NULL };

/* They wait for any work; functions that call them are known for some. */
#define COMPLETION "wait_for_completion*"

/*
 * Functions that give up the processor themselves, by patterns of fnmatch(3). The object is their
 * first argument, or of the one type that they wait for (some put themselves into its queue by
 * inline code, or wait for an object on their own stack), or there is none.
 */
static const struct wait_function {
	const char *pattern;
	const char *type;   /* NULL: of the argument; "(timer)": no object */
	const char *member; /* of the type, that is waited at; NULL: not told */
	/* NULL, or the type of the argument, where no code shows the object that it is in */
	const char *otherwise;
} wait_functions[] = {
	{ "folio_wait_*", NULL, NULL, "struct folio" },
	{ "__folio_lock*", NULL, NULL, "struct folio" },
	{ "wait_on_page_*", NULL, NULL, "struct page" },
	/* the word with the bit */
	{ "out_of_line_wait_on_bit*", NULL, NULL, NULL },
	{ COMPLETION, NULL, NULL, "struct completion" },
	/* they wait in the queue of a struct socket_wq, which does not tell the socket */
	{ "sk_wait_data", NULL, NULL, "struct sock" },
	{ "sk_stream_wait_*", NULL, NULL, "struct sock" },
	{ "__skb_wait_for_more_packets*", NULL, NULL, "struct sock" },
	{ "unix_stream_data_wait*", NULL, NULL, "struct sock" },
	{ "unix_wait_for_peer*", NULL, NULL, "struct sock" },
	{ "inet_*wait_for_connect*", NULL, NULL, "struct sock" },
	/* they may have one of the above inside, and be called through pointers */
	{ "inet_csk_accept*", "struct sock", NULL, NULL },
	{ "unix_stream_read_generic*", "struct unix_sock", NULL, NULL },
	/* fs/ */
	{ "pipe_read", "struct pipe_inode_info", "rd_wait", NULL },
	{ "pipe_write", "struct pipe_inode_info", "wr_wait", NULL },
	{ "anon_pipe_read", "struct pipe_inode_info", "rd_wait", NULL }, /* since Linux 6.16 */
	{ "anon_pipe_write", "struct pipe_inode_info", "wr_wait", NULL },
	{ "ep_poll", "struct eventpoll", "wq", NULL },
	{ "do_epoll_wait", "struct eventpoll", "wq", NULL },
	{ "eventfd_read", "struct eventfd_ctx", "wqh", NULL },
	{ "eventfd_write", "struct eventfd_ctx", "wqh", NULL },
	{ "timerfd_read*", "struct timerfd_ctx", "wqh", NULL },
	{ "poll_schedule_timeout*", "struct poll_wqueues", "triggered", NULL },
	{ "do_select", "struct poll_wqueues", "triggered", NULL },
	{ "do_sys_poll", "struct poll_wqueues", "triggered", NULL },
	{ "wait_for_partner*", "struct pipe_inode_info", "rd_wait", NULL },
	{ "signalfd_read*", "struct sighand_struct", "signalfd_wqh", NULL },
	{ "[if]*notify_read", "struct fsnotify_group", "notification_waitq", NULL },
	{ "fcntl_setlk*", "struct file_lock", "fl_wait", NULL },
	{ "jbd2_log_wait_commit", "struct journal_s", "j_wait_done_commit", NULL },
	{ "handle_userfault", "struct userfaultfd_ctx", "fault_pending_wqh", NULL },
	{ "userfaultfd_*read*", "struct userfaultfd_ctx", "fd_wqh", NULL },
	/* ipc/: a semaphore's queue is of one, or of the whole set */
	{ "do_msgrcv", "struct msg_queue", "q_receivers", NULL },
	{ "do_msgsnd", "struct msg_queue", "q_senders", NULL },
	{ "*do_semtimedop", "struct sem_array", NULL, NULL },
	{ "wq_sleep*", "struct mqueue_inode_info", NULL, NULL },
	/* drivers/tty/ */
	{ "n_tty_read", "struct tty_struct", "read_wait", NULL },
	{ "n_tty_write", "struct tty_struct", "write_wait", NULL },
	/* block/ */
	{ "submit_bio_wait", "struct bio", NULL, NULL },
	/* kernel/: that a child of vfork(2) has memory of its own */
	{ "kernel_clone", "struct task_struct", "vfork_done", NULL },
	/* a thread's end, which all threads of its parent wait for in one queue */
	{ "do_wait", "struct signal_struct", "wait_chldexit", NULL },
	/* kernel/time/ */
	{ "do_nanosleep", "struct hrtimer_sleeper", "timer", NULL },
	{ "alarmtimer_do_nsleep", "struct alarm", "timer", NULL },
	{ "msleep*", "(timer)", NULL, NULL },
	{ "do_sigtimedwait*", "(signal)", NULL, NULL },
	{ "*_sys_pause", "(signal)", NULL, NULL },
	{ "*sigsuspend", "(signal)", NULL, NULL },
	{ "do_signal_stop*", "(stopped)", NULL, NULL },
	{ "ptrace_stop*", "(stopped)", NULL, NULL },
};

/* A function of the kernel that gives up the processor for its caller, which has the object. */
static bool only_schedules(const char *symbol)
{
	static const char *const patterns[] = {
		"schedule*",       "__schedule*",        "io_schedule*",    "preempt_schedule*",
		"__cond_resched*", "wait_woken",         "do_wait_intr*",   "bit_wait*",
		"__wait_on_bit*",  "__wait_for_common*", "wait_for_common*"
	};

	return any_of(i, 0, COUNT_OF(patterns), !fnmatch(patterns[i], symbol, 0));
}

struct waiting {
	struct resolution *resolution;
	const struct sample_counts *counts;
	const struct resolve_options *options;
	struct lock_waits waits; /* one for each chain, */
	size_t *entries;         /* and an entry with it */
	size_t entry_capacity;
	/* the library's function that the program called, for unknown objects; else NULL */
	const char **called;
};

static const char *waiting_symbol(const struct waiting *waiting, uint32_t frame)
{
	const struct counted_frame *counted = &waiting->counts->frames[frame];

	return frame && counted->level == 'k'
		       ? resolution_frame_place(waiting->resolution, frame)->symbol
		       : NULL;
}

static const struct wait_function *wait_function_of(const char *symbol)
{
	for (size_t i = 0; symbol && i < COUNT_OF(wait_functions); i++)
		if (!fnmatch(wait_functions[i].pattern, symbol, 0))
			return &wait_functions[i];
	return NULL;
}

/* Takes the function of the program that waits, or that called the library which does. */
static void choose_user(struct waiting *waiting, struct lock_wait *wait)
{
	struct user_lock lock;

	user_lock_find(waiting->resolution, waiting->counts, wait->chain, USER_FUTEX_UNKNOWN,
		       &waiting->options->dso, &lock);
	wait->call = lock.call;
}

/*
 * Takes a futex that the program waits for by no lock whose function has a name: the second
 * argument of syscall(2); the thread that pthread_join() waits for, which the C library keeps.
 */
static void choose_futex(struct waiting *waiting, struct lock_wait *wait)
{
	static const struct lock_call raw = { .argument = 1, .names = { "syscall" } },
				      thread = { .type = "struct pthread", .member = "" };
	const char *called = wait->call.other;
	uint32_t inner = wait->call.inner, frame = wait->call.frame;

	if (!called)
		return;
	if (!strcmp(called, "(syscall)"))
		wait->call = raw;
	else if (!fnmatch("(pthread_*join*)", called, 0) || !strcmp(called, "(thrd_join)"))
		wait->call = thread;
	else
		return;
	waiting->called[wait - waiting->waits.items] = called;
	wait->call.inner = inner;
	wait->call.frame = wait->call.member ? inner : frame;
}

/* Decides what the type engine is asked about a wait: `choose` of struct lock_names_options. */
static void choose_call(void *data, struct lock_wait *wait, uint32_t frame, uint32_t inner)
{
	struct waiting *waiting = data;
	const struct counted_frame *frames = waiting->counts->frames;
	const char *symbol = waiting_symbol(waiting, frame);

	/* a kernel without its file does not tell where its functions for scheduling are */
	while (symbol && (only_schedules(symbol) ||
			  (!fnmatch(COMPLETION, symbol, 0) &&
			   wait_function_of(waiting_symbol(waiting, frames[frame].caller))))) {
		inner = frame;
		frame = frames[frame].caller;
		symbol = waiting_symbol(waiting, frame);
	}
	const char *called = waiting_symbol(waiting, inner);
	bool gives_up = !called || only_schedules(called) || !fnmatch(COMPLETION, called, 0);
	const struct wait_function *function = wait_function_of(gives_up ? symbol : called);

	choose_user(waiting, wait);
	if (symbol && user_lock_is_futex(symbol))
		choose_futex(waiting, wait);
	if (!symbol || user_lock_is_futex(symbol))
		return;
	if (function && function->type && *function->type == '(') {
		wait->call = (struct lock_call){ .other = function->type };
		return;
	}
	waiting->called[wait - waiting->waits.items] = wait->call.other;
	wait->call = (struct lock_call){ .frame = frame, .inner = inner };
	if (function && function->type) {
		wait->call.type = function->type;
		wait->call.member = function->member ?: "";
	} else if (function && gives_up) {
		wait->call.inner = frame;
		wait->call.frame = frames[frame].caller;
		wait->call.object = true;
		wait->call.otherwise = function->otherwise;
	} else if (gives_up) {
		wait->call.nearest = queue_functions;
		wait->call.undo = unqueue_functions;
	}
}

/* Returns the index of the wait + 1. */
static uint32_t add_chain(struct waiting *waiting, uint32_t chain, size_t entry)
{
	struct lock_waits *waits = &waiting->waits;

	array_reserve(waiting->entries, waits->count, waiting->entry_capacity);
	waiting->entries[waits->count] = entry;
	array_add(waits->items, waits->count, waits->capacity) =
		(struct lock_wait){ .chain = chain, .flags = LOCK_USER | LOCK_USER_OTHER };
	return (uint32_t)waits->count;
}

/* Makes the place of a sample show what is waited for as its type. */
static void show_wait(struct resolution *resolution, const struct lock_wait *wait,
		      const char *called, struct result_place *place)
{
	const char *name = wait->name ?: called;
	_cleanup_free_ char *how = xasprintf("(%s)", !name          ? wait->doubt
						     : *name == '(' ? "waits in a function"
								    : "waits for a variable");

	place->type = wait->type ?: name ?: "(unknown)";
	place->bare_type = NULL;
	place->typed = wait->type;
	place->offset = wait->offset;
	place->field = wait->field;
	place->how = wait->type ? "waits" : string_pool_intern(&resolution->strings, how);
	place->rule = "-";
	place->access = NULL;
	place->range = 0;
	place->bulk = NULL;
	place->no_memory = place->no_code = false;
}

struct error *resolve_waiting(struct resolution *resolution, const struct sample_counts *counts,
			      const struct resolve_options *options)
{
	struct waiting waiting = { .resolution = resolution, .counts = counts, .options = options };
	struct lock_names_options names = { .dso = options->dso,
					    .no_infer = options->no_infer,
					    .threads = options->threads,
					    .choose = choose_call,
					    .choose_data = &waiting };
	const struct event *events = session_events(resolution->session, NULL);

	resolution->wait_of = xcalloc(counts->frame_count + 1, sizeof(*resolution->wait_of));
	for (size_t i = 0; i < counts->count; i++) {
		const struct counted *entry = &counts->entries[i];

		if (events[entry->event].off_cpu && !resolution->wait_of[entry->chain])
			resolution->wait_of[entry->chain] = add_chain(&waiting, entry->chain, i);
	}
	waiting.called = xcalloc(waiting.waits.count, sizeof(*waiting.called));

	struct error *error = lock_names_find(&waiting.waits, resolution, counts, &names);

	resolution->waits = xcalloc(waiting.waits.count, sizeof(*resolution->waits));
	for (size_t i = 0; i < waiting.waits.count && !error; i++) {
		uint32_t place = resolution->entries.place_of[waiting.entries[i]];

		resolution->waits[i] = resolution->places[place].shown;
		show_wait(resolution, &waiting.waits.items[i], waiting.called[i],
			  &resolution->waits[i]);
	}
	free_all(waiting.entries, waiting.called);
	lock_waits_deinit(&waiting.waits);
	return error;
}
