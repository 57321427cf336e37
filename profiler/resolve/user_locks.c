// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits for locks of programs: see user_locks.h. */
#include "profiler/resolve/user_locks.h"

#include <fnmatch.h>

#include "base/memory.h"
#include "base/text.h"

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
#define PARKING_LOT "*parking_lot*"
#define ABSEIL      "absl::*"

/* libstdc++'s functions that wait for an atomic, which has no mutex. */
#define ATOMIC "std::__"

/* libc++'s functions are in the library. That which waits for an atomic sleeps at a word of a table
 * that several of them share. */
#define LIBCXX        "std::__1::"
#define LIBCXX_ATOMIC LIBCXX "__libcpp_atomic_wait*"

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
	{ ABSEIL "Mutex::Lock*", LOCK_USER_MUTEX, 0, ABSEIL "::Mutex" },
	{ ABSEIL "Mutex::WriterLock*", LOCK_USER_WRITE, 0, ABSEIL "::Mutex" },
	{ ABSEIL "Mutex::ReaderLock*", LOCK_USER_READ, 0, ABSEIL "::Mutex" },
	{ ABSEIL "Mutex::Await*", LOCK_USER_CONDITION, 0, ABSEIL "::Mutex" },
	{ ABSEIL "CondVar::Wait*", LOCK_USER_CONDITION, 0, ABSEIL "::CondVar" },
	/* Go: the locks of its runtime, among them those of channels; sync.Mutex stops no thread */
	{ "runtime.lock2", LOCK_USER_MUTEX, 0, "runtime.mutex" },
	/* Rust: library/std/src/sys/sync of 1.8x, and its forerunners */
	{ "*futex*Mutex*::lock_contended*", LOCK_USER_MUTEX, 0, "*::Mutex<*" },
	{ "*futex*RwLock*::read_contended*", LOCK_USER_READ, 0, "*::RwLock<*" },
	{ "*futex*RwLock*::write_contended*", LOCK_USER_WRITE, 0, "*::RwLock<*" },
	{ "*futex*Condvar*::wait*", LOCK_USER_CONDITION, 0, "*::Condvar" },
	{ RUST_ONCE, LOCK_USER_MUTEX, 0, "*::Once" },
	{ "*futex*Once*::wait*", LOCK_USER_MUTEX, 0, "*::Once" },
	{ PARKING_LOT "RawMutex*::lock_slow*", LOCK_USER_MUTEX, 0, "*::Mutex<*" },
	{ PARKING_LOT "RawRwLock*::lock_shared_slow*", LOCK_USER_READ, 0, "*::RwLock<*" },
	{ PARKING_LOT "RawRwLock*::lock_exclusive_slow*", LOCK_USER_WRITE, 0, "*::RwLock<*" },
	{ PARKING_LOT "Condvar*::wait*", LOCK_USER_CONDITION, 0, "*::Condvar" },
};

/* Functions that jump to some of them: programs call these, which are not in chains. */
static const struct {
	const char *pattern; /* of the function that waits */
	const char *names[3];
} jumping_functions[] = {
	{ "pthread_mutex_lock_full", { "pthread_mutex_lock" } },
	{ "pthread_mutex_lock", { "g_rec_mutex_lock" } },
	{ "g_mutex_lock_slowpath", { "g_mutex_lock" } },
	{ "gomp_mutex_lock_slow", { "omp_set_lock", "GOMP_critical_name_start" } },
	{ "sem_wait_slow*", { "sem_wait", "sem_timedwait", "sem_clockwait" } },
	{ ONCE, { "pthread_once", "call_once" } },
	/* std::condition_variable::wait() */
	{ "pthread_cond_*wait*", { "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE" } },
};

/* Returns the name without the prefixes of the C library's own names of its functions. */
static const char *plain_name(const char *symbol)
{
	if (!strncmp(symbol, "__GI_", 5))
		symbol += 5;
	/* glibc's own and kept older names: __new_sem_wait(), __libc_read() */
	if (!strncmp(symbol, "__new_", 6))
		symbol += 6;
	if (!strncmp(symbol, "__libc_", 7))
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
	       !strcmp(user_functions[function].pattern, RUST_ONCE);
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

	return is_system_call(resolution, frame) || (symbol && strstr(symbol, "futex_wait"));
}

/* Takes a frame of a locking function, which calls those that were taken before. */
static void take_function(struct user_lock *found, size_t function, bool direct, bool as_mutex)
{
	bool condition = user_functions[function].kind == LOCK_USER_CONDITION &&
			 (!starts_with(user_functions[function].pattern, ATOMIC) ||
			  starts_with(user_functions[function].pattern, LIBCXX "cond"));
	const char *type = user_functions[function].type;

	/* a condition's function takes the mutex, argument 2; in C++ an object that knows it. The
	 * function that it calls for this may have no name. */
	if (condition &&
	    (found->call.inner ? found->flags == (LOCK_USER | LOCK_USER_MUTEX) : as_mutex)) {
		found->flags = LOCK_USER | LOCK_USER_MUTEX;
		found->call.argument = direct ? 1 : LOCK_NO_ARGUMENT;
		found->call.type = found->call.type ?: "pthread_mutex_t";
		return;
	}
	found->flags = LOCK_USER | user_functions[function].kind;
	found->call.argument = user_functions[function].argument;
	found->call.parks = starts_with(user_functions[function].pattern, PARKING_LOT) ||
			    starts_with(user_functions[function].pattern, ABSEIL) ||
			    !strcmp(user_functions[function].pattern, LIBCXX_ATOMIC);
	found->call.type = type;
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
	inner = frame ? inner : innermost;

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
	/* std::condition_variable::wait() does not pass on the mutex */
	if (!call->argument)
		add_jumping(call, call->names[1]);
}

bool user_lock_is_futex(const char *symbol)
{
	return !strncmp(symbol, "futex_", 6) || !strncmp(symbol, "__futex_", 8) ||
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

		/* a function for locks that another one calls is a part of that */
		if (function < 0 && found->call.inner)
			break;
		if (function < 0 || (frame != innermost && calls_program((size_t)function) &&
				     !only_sleeps(resolution, before)))
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
	if (!found->call.inner && innermost &&
	    !(waits && take_unnamed(resolution, frames, innermost, futex, found)))
		take_other(resolution, frames, innermost, found);
}
