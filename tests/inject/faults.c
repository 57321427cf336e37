// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes one allocation of a program fail, or its reads and writes short (LD_PRELOAD), for
 * inject.py.
 *
 * The allocations of the program and of its libraries are numbered from 1 on, once main() runs.
 * FAULTS_ALLOCATION=N: the N-th fails. FAULTS_STACKS=FILE: none fails; each whose stack has calls
 * that no earlier one had writes its number and these. FAULTS_SHORT=N: a file is read and written N
 * bytes at a time, and each third time is interrupted. FAULTS_LOG=FILE gets the number of
 * allocations, the files that are open at exit (those that only refer to a path apart from the
 * others), and the places of the failure, or the objects in which the program crashed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static atomic_ulong allocations, transfers;
static unsigned long failing;   /* 0: none */
static unsigned long at_a_time; /* 0: all */
static bool traps;              /* FAULTS_TRAP is set: a trap in place of the failure */
static bool running;            /* main() runs */
static int stacks = -1,
	   log_fd = -1; /* open from the start: later the program may write no other file */
static pid_t pid;
static _Thread_local bool walking;

/* Returns whether the call of one function by another one was in no stack so far. */
static bool is_new(uint64_t call)
{
	static uint64_t calls[1 << 20];

	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		uint64_t *place = &calls[(call + i) % COUNT_OF(calls)];

		if (*place == call)
			return false;
		if (!*place)
			return (*place = call);
	}
	abort();
}

/* Writes the number of this allocation and the calls that are new in its stack. */
static void write_stack(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	void *frames[256];
	int depth;
	bool any = false;

	/* a line is written in parts, and threads allocate at the same time */
	pthread_mutex_lock(&lock);
	walking = true;
	depth = backtrace(frames, COUNT_OF(frames));
	for (int i = 0; i + 1 < depth; i++) {
		uint64_t call =
			((uint64_t)frames[i] * 0xbf58476d1ce4e5b9 ^ (uint64_t)frames[i + 1]) | 1;

		if (!is_new(call))
			continue;
		if (!any)
			dprintf(stacks, "%lu", allocations + 1);
		any = true;
		dprintf(stacks, " %lx", call);
	}
	if (any)
		dprintf(stacks, "\n");
	walking = false;
	pthread_mutex_unlock(&lock);
}

/* Writes a line for each frame: the word, its object ("program", as a program may change its name)
 * and the place in it. The first two are not the program's. */
static void write_frames(const char *word)
{
	void *program = (void *)(getauxval(AT_PHDR) - sizeof(ElfW(Ehdr)));
	void *frames[64];
	int depth = backtrace(frames, COUNT_OF(frames));

	for (int i = 2; i < depth; i++) {
		Dl_info object;

		if (dladdr(frames[i], &object) && object.dli_fname)
			dprintf(log_fd, "%s %s %#lx\n", word,
				object.dli_fbase == program ? "program" : object.dli_fname,
				(unsigned long)((char *)frames[i] - (char *)object.dli_fbase));
	}
}

static bool fails(void)
{
	if (!running || walking)
		return false;
	if (stacks >= 0 && getpid() == pid)
		write_stack();
	if (atomic_fetch_add(&allocations, 1) + 1 != failing)
		return false;
	/* for a debugger */
	if (traps)
		__builtin_trap();
	walking = true;
	write_frames("at");
	walking = false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
	return fails() ? NULL : __libc_realloc(memory, size);
}

/* Sets *size to the bytes that are transferred, or returns whether the call is interrupted. Events'
 * and other kernel objects' descriptors are whole, as the kernel has it. */
static bool interrupted(int fd, size_t *size)
{
	struct stat status;

	if (!running || walking || !at_a_time || fstat(fd, &status) || !S_ISREG(status.st_mode))
		return false;
	if (atomic_fetch_add(&transfers, 1) % 3 == 2) {
		errno = EINTR;
		return true;
	}
	*size = *size < at_a_time ? *size : at_a_time;
	return false;
}

#define TRANSFER(name, memory_type, parameters, arguments)                                         \
	ssize_t name(int fd, memory_type memory, size_t size parameters)                           \
	{                                                                                          \
		static __typeof__(&name) next;                                                     \
                                                                                                   \
		if (!next)                                                                         \
			*(void **)&next = dlsym(RTLD_NEXT, #name);                                 \
		return interrupted(fd, &size) ? -1 : next(fd, memory, size arguments);             \
	}
#define NONE
#define OFFSET_PARAMETER , off_t offset
#define OFFSET_ARGUMENT  , offset

TRANSFER(read, void *, NONE, NONE)
TRANSFER(write, const void *, NONE, NONE)
TRANSFER(pread, void *, OFFSET_PARAMETER, OFFSET_ARGUMENT)
TRANSFER(pwrite, const void *, OFFSET_PARAMETER, OFFSET_ARGUMENT)
TRANSFER(pread64, void *, OFFSET_PARAMETER, OFFSET_ARGUMENT)
TRANSFER(pwrite64, const void *, OFFSET_PARAMETER, OFFSET_ARGUMENT)

/* Writes how many allocations there were, and which files are open. */
static void write_log(void)
{
	if (getpid() != pid)
		return;
	dprintf(log_fd, "allocations %lu\n", allocations);
	for (int fd = 3; fd < 1024; fd++) {
		char link[32], path[512];
		ssize_t length;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = fd == log_fd || fd == stacks ? -1 : readlink(link, path, sizeof(path));
		if (length > 0)
			dprintf(log_fd, "%s %.*s\n", fcntl(fd, F_GETFL) & O_PATH ? "path" : "open",
				(int)length, path);
	}
}

static void on_crash(int number)
{
	write_frames("crash");
	signal(number, SIG_DFL);
	raise(number);
}

static unsigned long number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : 0;
}

static int open_of(const char *name)
{
	const char *path = getenv(name);

	return path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
}

/* Runs after the constructors of the libraries, and before main(). */
__attribute__((constructor)) static void start(void)
{
	void *frame;

	pid = getpid();
	traps = getenv("FAULTS_TRAP");
	failing = number_of("FAULTS_ALLOCATION");
	at_a_time = number_of("FAULTS_SHORT");
	stacks = open_of("FAULTS_STACKS");
	log_fd = open_of("FAULTS_LOG");
	if (log_fd >= 0) {
		atexit(write_log);
		signal(SIGSEGV, on_crash);
		signal(SIGABRT, on_crash);
	}
	/* the first one loads a library */
	backtrace(&frame, 1);
	/* programs that the program runs are not meant */
	unsetenv("LD_PRELOAD");
	running = true;
}
