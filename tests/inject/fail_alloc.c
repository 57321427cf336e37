// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes one allocation of a program fail (LD_PRELOAD), for tests/inject/inject.py.
 *
 * The allocations of the program and of its libraries are numbered from 1 on, once main() runs.
 * FAIL_ALLOC=N: the N-th fails. FAIL_ALLOC_COUNT=FILE: none fails, and their number is written to
 * this file at exit.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static atomic_ulong allocations;
static unsigned long failing; /* 0: none */
static bool traps;            /* FAIL_ALLOC_TRAP is set: a trap in place of the failure */
static bool running;          /* main() runs */
static int count_fd = -1;     /* open from the start: later the program may write no other file */

static bool fails(void)
{
	if (!running || atomic_fetch_add(&allocations, 1) + 1 != failing)
		return false;
	/* for a debugger */
	if (traps)
		__builtin_trap();
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

static void write_count(void)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%lu\n", allocations);

	if (write(count_fd, text, (size_t)length) != length)
		abort();
}

/* Runs after the constructors of the libraries, and before main(). */
__attribute__((constructor)) static void start(void)
{
	const char *number = getenv("FAIL_ALLOC"), *path = getenv("FAIL_ALLOC_COUNT");

	traps = getenv("FAIL_ALLOC_TRAP");
	failing = number ? strtoul(number, NULL, 10) : 0;
	if (path) {
		count_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		atexit(write_count);
	}
	/* programs that the program runs are not meant */
	unsetenv("LD_PRELOAD");
	running = true;
}
