// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits for locks of programs: see lock_names.h. */

#include <fnmatch.h>

#include "base/memory.h"
#include "base/text.h"
#include "profiler/resolve/lock_names.h"
#include "profiler/resolve/private.h"

/* A locking function is among so many of the innermost frames of the program. */
#define INNER_MAX 12

/* glibc's own function that waits for a mutex. Chains by frame pointers go on behind its caller, so
 * that the function that wants the lock is not in them. */
#define INNERMOST "lll_lock_wait*"

/* They call a function of the program, which may wait for anything. */
#define ONCE      "pthread_once*"
#define RUST_ONCE "*futex*Once*::call*"

/* It takes the mutex by a function that has a name in GLib with debug information only. */
#define GLIB_CONDITION "g_cond_wait*"

/* Their functions put a thread to sleep at a word of the thread's own, which tells no lock. */
#define PARKING_LOT  "*parking_lot*"
#define ABSEIL       "absl::*"
#define ABSEIL_MUTEX ABSEIL "::Mutex"
#define LOCK_API     "*lock_api::*"

/* libstdc++'s functions that wait for an atomic, which has no mutex. */
#define ATOMIC "std::__"

/* libc++'s functions are in the library. That which waits for an atomic sleeps at a word of a table
 * that several of them share. */
#define LIBCXX        "std::__1::"
#define LIBCXX_ATOMIC LIBCXX "__libcpp_atomic_wait*"
#define LIBCXX_ONCE   LIBCXX "__call_once*" /* it waits for a condition of its own */

/* Functions that wait for a lock, by fnmatch(3), without libraries' prefixes. */
static const struct {
	const char *pattern;
	enum lock_user_kind kind;
	uint8_t argument;
	const char *type;
} user_functions[] = {
	/* POSIX: pthread_mutex_lock(3p) ...; glibc takes pthread_cond_wait()'s mutex by its own */
	{ INNERMOST, LOCK_USER_MUTEX, 0, NULL },
	{ "pthread_mutex_lock", LOCK_USER_MUTEX, 0, "pthread_mutex_t" },
	{ "pthread_mutex_lock_full", LOCK_USER_MUTEX, 0, "pthread_mutex_t" },
	{ "pthread_mutex_timedlock", LOCK_USER_MUTEX, 0, "pthread_mutex_t" },
	{ "pthread_mutex_clocklock", LOCK_USER_MUTEX, 0, "pthread_mutex_t" },
	{ "pthread_mutex_cond_lock*", LOCK_USER_MUTEX, 0, "pthread_mutex_t" },
	{ "pthread_rwlock_*rdlock*", LOCK_USER_READ, 0, "pthread_rwlock_t" },
	{ "pthread_rwlock_*wrlock*", LOCK_USER_WRITE, 0, "pthread_rwlock_t" },
	{ "pthread_cond_*wait*", LOCK_USER_CONDITION, 0, "pthread_cond_t" },
	{ "sem_*wait", LOCK_USER_SEMAPHORE, 0, "sem_t" },
	{ "sem_wait_slow*", LOCK_USER_SEMAPHORE, 0, "sem_t" },
	{ "pthread_barrier_wait", LOCK_USER_BARRIER, 0, "pthread_barrier_t" },
	/* C11: threads.h */
	{ "mtx_lock", LOCK_USER_MUTEX, 0, "mtx_t" },
	{ "mtx_timedlock", LOCK_USER_MUTEX, 0, "mtx_t" },
	{ "cnd_*wait", LOCK_USER_CONDITION, 0, "cnd_t" },
	{ ONCE, LOCK_USER_MUTEX, 0, NULL },
	/* C++: the only ones that are not inlined */
	{ "std::condition_variable::*wait*", LOCK_USER_CONDITION, 0, "std::condition_variable" },
	/* the same of libc++, with all of its mutexes */
	{ LIBCXX "*shared*mutex*::lock_shared", LOCK_USER_READ, 0, LIBCXX "*shared*mutex*" },
	{ LIBCXX "*shared*mutex*::lock", LOCK_USER_WRITE, 0, LIBCXX "*shared*mutex*" },
	{ LIBCXX "*mutex::*lock*", LOCK_USER_MUTEX, 0, LIBCXX "*mutex" },
	{ LIBCXX "condition_variable*::*wait*", LOCK_USER_CONDITION, 0,
	  LIBCXX "condition_variable*" },
	{ LIBCXX_ATOMIC, LOCK_USER_CONDITION, 0, NULL },
	{ LIBCXX_ONCE, LOCK_USER_MUTEX, 0, LIBCXX "once_flag" },
	/* C++20: semaphores, and std::atomic<>::wait(), latches and barriers, of libstdc++ */
	{ ATOMIC "atomic_wait_address*_M_acquire*", LOCK_USER_SEMAPHORE, 0, NULL },
	{ ATOMIC "atomic_wait_address*", LOCK_USER_CONDITION, 0, NULL },
	{ ATOMIC "detail::__platform_wait*", LOCK_USER_CONDITION, 0, NULL },
	/* methods that call it, without optimization: the address follows `this` */
	{ ATOMIC "detail::__waiter*", LOCK_USER_CONDITION, 1, NULL },
	/* GLib */
	{ "g_mutex_lock*", LOCK_USER_MUTEX, 0, "GMutex" },
	{ "g_rec_mutex_lock*", LOCK_USER_MUTEX, 0, "GRecMutex" },
	{ "g_rw_lock_reader_lock*", LOCK_USER_READ, 0, "GRWLock" },
	{ "g_rw_lock_writer_lock*", LOCK_USER_WRITE, 0, "GRWLock" },
	{ GLIB_CONDITION, LOCK_USER_CONDITION, 0, "GCond" },
	/* OpenMP of gcc */
	{ "gomp_mutex_lock_slow*", LOCK_USER_MUTEX, 0, NULL },
	/* Abseil */
	{ ABSEIL "Mutex::Lock*", LOCK_USER_MUTEX, 0, ABSEIL_MUTEX },
	{ ABSEIL "Mutex::WriterLock*", LOCK_USER_WRITE, 0, ABSEIL_MUTEX },
	{ ABSEIL "Mutex::ReaderLock*", LOCK_USER_READ, 0, ABSEIL_MUTEX },
	{ ABSEIL "Mutex::Await*", LOCK_USER_CONDITION, 0, ABSEIL_MUTEX },
	{ ABSEIL "CondVar::Wait*", LOCK_USER_CONDITION, 0, ABSEIL "::CondVar" },
	/* Go: the locks of its runtime, among them those of channels; those of its programs stop
	 * goroutines (sync, internal/poll and runtime of Go 1.17 to 1.24). Up to Go 1.19, readers
	 * are in runtime_SemacquireMutex() without a function around it, as RLock() is inlined. */
	{ "runtime.lock2", LOCK_USER_MUTEX, 0, "runtime.mutex" },
	{ "*sync.(\\*Mutex).[lL]ock*", LOCK_USER_MUTEX, 0, "sync.Mutex" },
	{ "sync.runtime_SemacquireRWMutexR", LOCK_USER_READ, 0, "sync.RWMutex" },
	{ "sync.runtime_SemacquireRWMutex", LOCK_USER_WRITE, 0, "sync.RWMutex" },
	{ "sync.runtime_SemacquireMutex", LOCK_USER_READ, 0, "sync.RWMutex" },
	{ "sync.(\\*RWMutex).RLock", LOCK_USER_READ, 0, "sync.RWMutex" },
	{ "sync.(\\*RWMutex).Lock", LOCK_USER_WRITE, 0, "sync.RWMutex" },
	{ "sync.(\\*WaitGroup).Wait", LOCK_USER_CONDITION, 0, "sync.WaitGroup" },
	{ "internal/poll.(\\*fdMutex).rwlock", LOCK_USER_MUTEX, 0, "internal/poll.fdMutex" },
	/* Rust: library/std/src/sys/sync of 1.8x, and its forerunners */
	{ "*futex*Mutex*::lock_contended*", LOCK_USER_MUTEX, 0, "*::Mutex" },
	{ "*futex*RwLock*::read_contended*", LOCK_USER_READ, 0, "*::RwLock" },
	{ "*futex*RwLock*::write_contended*", LOCK_USER_WRITE, 0, "*::RwLock" },
	{ "*futex*Condvar*::wait*", LOCK_USER_CONDITION, 0, "*::Condvar" },
	{ RUST_ONCE, LOCK_USER_MUTEX, 0, "*::Once" },
	{ "*futex*Once*::wait*", LOCK_USER_MUTEX, 0, "*::Once" },
	{ PARKING_LOT "Raw*Mutex*::lock*", LOCK_USER_MUTEX, 0, "*::*Mutex" },
	{ PARKING_LOT "RawRwLock*::lock_*shared*", LOCK_USER_READ, 0, "*::RwLock" },
	{ PARKING_LOT "RawRwLock*::lock_*", LOCK_USER_WRITE, 0, "*::RwLock" },
	{ PARKING_LOT "Condvar*::wait*", LOCK_USER_CONDITION, 0, "*::Condvar" },
	/* the methods around parking_lot's, which are inlined with optimization */
	{ LOCK_API "utex<*>*::*lock*", LOCK_USER_MUTEX, 0, "*::*Mutex" },
	{ LOCK_API "RwLock<*>*::*read*", LOCK_USER_READ, 0, "*::RwLock" },
	{ LOCK_API "RwLock<*>*::*write*", LOCK_USER_WRITE, 0, "*::RwLock" },
};

/* Functions that jump to some of them: programs call these, which are not in chains. */
static const struct {
	const char *pattern;  /* of the function that waits */
	const char *names[3]; /* with stars: patterns of mangled names */
} jumping_functions[] = {
	{ "pthread_mutex_lock_full", { "pthread_mutex_lock" } },
	{ "pthread_mutex_lock", { "g_rec_mutex_lock" } },
	{ "g_mutex_lock_slowpath", { "g_mutex_lock" } },
	{ "gomp_mutex_lock_slow", { "omp_set_lock", "GOMP_critical_name_start" } },
	{ "sem_wait_slow*", { "sem_wait", "sem_timedwait", "sem_clockwait" } },
	{ ONCE, { "pthread_once", "call_once" } },
	/* std::condition_variable::wait() */
	{ "pthread_cond_*wait*", { "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE" } },
	/* Abseil: AwaitWithTimeout() jumps to one that jumps on */
	{ "ZN4absl*5Mutex*", { "_ZN4absl*5Mutex*" } },
	{ "ZN4absl*7CondVar*", { "_ZN4absl*7CondVar*" } },
};

/* Returns the name without the prefixes of the C library's own names of its functions. */
static const char *plain_name(const char *symbol)
{
	if (starts_with(symbol, "__GI_"))
		symbol += 5;
	/* glibc's own and kept older names: __new_sem_wait(), __libc_read() */
	if (starts_with(symbol, "__new_"))
		symbol += 6;
	if (starts_with(symbol, "__libc_"))
		symbol += 7;
	return symbol + strspn(symbol, "_");
}

static int user_function_of(const char *symbol)
{
	const char *plain = plain_name(symbol);

	for (size_t i = 0; i < COUNT_OF(user_functions); i++)
		if (!fnmatch(user_functions[i].pattern, plain, 0))
			return (int)i;
	return -1;
}

static bool calls_program(size_t function)
{
	return !strcmp(user_functions[function].pattern, ONCE) ||
	       !strcmp(user_functions[function].pattern, RUST_ONCE) ||
	       !strcmp(user_functions[function].pattern, LIBCXX_ONCE);
}

static bool is_system_call(struct resolution *resolution, uint32_t frame)
{
	const char *symbol = resolution_frame_place(resolution, frame)->symbol;

	return symbol && !strcmp(symbol, "syscall");
}

/* Returns whether a frame is of a function that calls futex(2) for its caller. */
static bool only_sleeps(struct resolution *resolution, uint32_t frame)
{
	const char *symbol = resolution_frame_place(resolution, frame)->symbol;

	return is_system_call(resolution, frame) ||
	       (symbol && (strstr(symbol, "futex_wait") || strstr(symbol, "pthread_cond_wait")));
}

/* Returns whether the function waits itself in a frame that calls `inner`: there may be another one
 * of its own name between, as pthread_once() has since glibc 2.43, which is no function of the
 * program. */
static bool waits_itself(struct resolution *resolution, size_t function, uint32_t inner)
{
	const char *symbol = resolution_frame_place(resolution, inner)->symbol;

	return only_sleeps(resolution, inner) ||
	       (symbol && user_function_of(symbol) == (int)function);
}

#define GO_RWMUTEX "sync.(\\*RWMutex)."

/* Returns the member of a lock of Go at which goroutines in a function wait, those in `inner` of
 * which wait at that of this name (src/sync/mutex.go, rwmutex.go); NULL: not known. */
static const char *go_word(const char *pattern, const char *type, enum lock_user_kind kind,
			   const char *inner)
{
	if (!type || (strcmp(type, "sync.Mutex") && strcmp(type, "sync.RWMutex")))
		return NULL;
	/* a writer waits for other ones by the mutex that a sync.RWMutex has */
	if (kind == LOCK_USER_MUTEX ||
	    (starts_with(pattern, GO_RWMUTEX) && inner && !strcmp(inner, "sema")))
		return "sema";
	return kind == LOCK_USER_READ ? "readerSem" : "writerSem";
}

/* Takes a frame of a locking function, which calls those that were taken before. */
static void take_function(struct user_lock *found, size_t function, bool direct, bool as_mutex)
{
	const char *pattern = user_functions[function].pattern,
		   *type = user_functions[function].type;
	bool abseil = starts_with(pattern, ABSEIL);
	/* Abseil's mutexes are conditions as well */
	bool condition = user_functions[function].kind == LOCK_USER_CONDITION &&
			 (!starts_with(pattern, ATOMIC) || starts_with(pattern, LIBCXX "cond")) &&
			 !(abseil && !strcmp(type, ABSEIL_MUTEX));

	/* a condition's function takes the mutex, argument 2; in C++ an object that knows it, but
	 * Abseil's. The function that it calls for this may have no name. */
	if (condition &&
	    (found->call.inner ? found->flags <= (LOCK_USER | LOCK_USER_WRITE) : as_mutex)) {
		found->flags |= LOCK_USER;
		found->call.argument = direct || abseil ? 1 : LOCK_NO_ARGUMENT;
		found->call.type = found->call.type ?: "pthread_mutex_t";
		return;
	}
	found->flags = LOCK_USER | user_functions[function].kind;
	found->call.argument = user_functions[function].argument;
	found->call.parks |= starts_with(pattern, PARKING_LOT) || abseil ||
			     !strcmp(pattern, LIBCXX_ATOMIC) || !strcmp(pattern, LIBCXX_ONCE);
	found->call.type = type;
	found->call.word = go_word(pattern, type, user_functions[function].kind, found->call.word);
}

/* Returns whether a frame is of a function of the C library that only its others call. */
static bool is_inner(struct resolution *resolution, uint32_t frame)
{
	const char *symbol = resolution_frame_place(resolution, frame)->symbol;

	return symbol && (starts_with(plain_name(symbol), "futex_") ||
			  starts_with(plain_name(symbol), "lll_"));
}

/* Takes a wait that is for no lock: in the function of the library that made the system call which
 * the program called. In a program without that library, it is the innermost function. */
static void take_other(struct resolution *resolution, const struct counted_frame *frames,
		       uint32_t innermost, struct user_lock *found)
{
	uint32_t inner = innermost, frame = innermost;

	while (frame && frames[frame].dso == frames[innermost].dso) {
		inner = frame;
		frame = frames[frame].caller;
	}
	/* a static program has the library's inner functions */
	for (inner = frame ? inner : innermost; !frame && frames[inner].caller;
	     inner = frames[inner].caller)
		if (!is_inner(resolution, inner))
			break;

	const char *symbol = inner ? resolution_frame_place(resolution, inner)->symbol : NULL;
	_cleanup_free_ char *name = xasprintf("(%s)", symbol ? plain_name(symbol) : "unknown");

	found->flags = LOCK_USER | LOCK_USER_OTHER;
	found->call.inner = inner;
	found->call.frame = inner ? frames[inner].caller : 0;
	found->call.argument = LOCK_NO_ARGUMENT;
	found->call.other = string_pool_intern(&resolution->strings, name);
}

/* Adds the names of functions that jump to one of this name; NULL: to any. */
static void add_jumping(struct lock_call *call, const char *plain)
{
	size_t count = 0;

	while (count < COUNT_OF(call->names) && call->names[count])
		count++;
	for (size_t i = 0; i < COUNT_OF(jumping_functions); i++)
		for (size_t k = 0; k < COUNT_OF(jumping_functions[i].names); k++) {
			const char *name = jumping_functions[i].names[k];

			if (name && count < COUNT_OF(call->names) &&
			    (plain ? !fnmatch(jumping_functions[i].pattern, plain, 0)
				   : *name != '_'))
				call->names[count++] = name;
		}
}

/* Sets the names by which programs call the function that waits. */
static void name_function(struct resolution *resolution, const char *symbol, struct lock_call *call)
{
	memset(call->names, 0, sizeof(call->names));
	call->names[0] = string_pool_intern(&resolution->strings, symbol);
	call->names[1] = plain_name(call->names[0]);
	/* std::condition_variable::wait() does not pass on the mutex, Abseil's does */
	if (!call->argument || call->parks)
		add_jumping(call, call->names[1]);
}

/* Returns whether a function of the kernel waits for futexes. */
static bool user_lock_is_futex(const char *symbol)
{
	return starts_with(symbol, "futex_") || starts_with(symbol, "__futex_") ||
	       !strcmp(symbol, "do_futex");
}

/* Takes a wait for a futex in functions of a library without names, which may be glibc, GLib or
 * gcc's for OpenMP without debug information: those that others jump to. False: it is none. */
static bool take_unnamed(struct resolution *resolution, const struct counted_frame *frames,
			 uint32_t innermost, enum user_futex futex, struct user_lock *found)
{
	uint32_t frame = innermost, inner = 0;
	const struct dso *dso;

	if (is_system_call(resolution, frame))
		frame = frames[frame].caller;
	dso = frames[frame].dso;
	for (; frame && frames[frame].dso == dso; frame = frames[frame].caller) {
		if (resolution_frame_place(resolution, frame)->symbol)
			return false;
		inner = frame;
	}
	if (!frame || !inner || !dso || futex == USER_FUTEX_OTHER)
		return false;
	found->flags =
		LOCK_USER | (futex == USER_FUTEX_SEMAPHORE ? LOCK_USER_SEMAPHORE : LOCK_USER_MUTEX);
	found->call.inner = inner;
	found->call.frame = frame;
	found->call.maybe = true;
	add_jumping(&found->call, NULL);
	return true;
}

/* Returns whether a function of a library locks or waits, by its name; not "block", "clock" and
 * "unlock". */
static bool is_wrapper(const char *symbol)
{
	const char *lock = strcasestr(symbol, "lock");

	return (lock && (lock == symbol || !strchr("bBcCnN", lock[-1]))) ||
	       strcasestr(symbol, "wait") || strcasestr(symbol, "acquire") ||
	       strstr(symbol, "Enter");
}

/* Moves from a locking function that a library without debug information calls, which nothing tells
 * the lock of, to the function of the library that the program called: its first argument has the
 * lock if it locks or waits, as uv_mutex_lock() and QReadWriteLock::tryLockForRead() do. */
static void take_wrapper(struct resolution *resolution, const struct counted_frame *frames,
			 const struct dso_options *options, struct user_lock *found)
{
	uint32_t inner = found->call.inner, frame = found->call.frame;
	struct dso *dso = frames[frame].dso;

	if (!frame || !dso || dso == frames[inner].dso || found->call.argument == LOCK_NO_ARGUMENT)
		return;
	for (; frame && frames[frame].dso == dso; frame = frames[frame].caller)
		inner = frame;
	const char *shown = resolution_frame_place(resolution, inner)->symbol;

	if (!frame || !shown || !is_wrapper(shown) || dso_debug(dso, options, NULL))
		return;
	const struct symbol *symbol = dso_symbol_at(dso, options, frames[inner].address);

	/* a method has an object of its own, which knows the mutex of a condition */
	if (strchr(shown, ':'))
		found->call.argument = 0;
	found->call.inner = inner;
	found->call.frame = frame;
	found->call.type = NULL;
	memset(found->call.names, 0, sizeof(found->call.names));
	found->call.names[0] =
		string_pool_intern(&resolution->strings, symbol ? symbol->name : shown);
}

void user_lock_find(struct resolution *resolution, const struct sample_counts *counts,
		    uint32_t chain, enum user_futex futex, const struct dso_options *options,
		    struct user_lock *found)
{
	const struct counted_frame *frames = counts->frames;
	uint32_t frame = chain, innermost, before = 0;
	bool waits = false;

	*found = (struct user_lock){ 0 };
	for (; frame && frames[frame].level != '.'; frame = frames[frame].caller) {
		const char *symbol = resolution_frame_place(resolution, frame)->symbol;

		waits |= symbol && user_lock_is_futex(symbol);
	}
	innermost = frame;
	for (unsigned int i = 0; frame && i < INNER_MAX;
	     i++, before = frame, frame = frames[frame].caller) {
		const char *shown = resolution_frame_place(resolution, frame)->symbol;
		int function = shown ? user_function_of(shown) : -1;
		const struct symbol *symbol =
			function < 0
				? NULL
				: dso_symbol_at(frames[frame].dso, options, frames[frame].address);

		/* a lock function that another lock function calls counts as a part of its caller;
		 * so does a part that the compiler keeps apart (.cold), for which a library may
		 * have no symbol */
		if (function < 0 && found->call.parks && !shown &&
		    frames[frame].dso == frames[found->call.inner].dso) {
			found->call.inner = frame;
			found->call.frame = frames[frame].caller;
			continue;
		}
		if (function < 0 && found->call.inner)
			break;
		if (function < 0 || (frame != innermost && calls_program((size_t)function) &&
				     !waits_itself(resolution, (size_t)function, before)))
			continue;
		take_function(found, (size_t)function, !strchr(shown, ':'),
			      !strcmp(user_functions[function].pattern, GLIB_CONDITION)
				      ? before &&
						!resolution_frame_place(resolution, before)->symbol
				      : futex == USER_FUTEX_MUTEX);
		found->call.inner = frame;
		found->call.frame = strcmp(user_functions[function].pattern, INNERMOST) != 0
					    ? frames[frame].caller
					    : 0;
		name_function(resolution, symbol ? symbol->name : shown, &found->call);
	}
	if (found->call.inner)
		take_wrapper(resolution, frames, options, found);
	else if (innermost && !(waits && take_unnamed(resolution, frames, innermost, futex, found)))
		take_other(resolution, frames, innermost, found);
}

/*
 * ---- objects that sleeping threads wait for
 *
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
	return symbol ? array_find(i, wait_functions, COUNT_OF(wait_functions),
				   !fnmatch(wait_functions[i].pattern, symbol, 0))
		      : NULL;
}

/* Takes the program's function that waits, or that called the library that waits. */
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
	array_indexed (const struct counted, entry, i, counts->entries, counts->count) {
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
