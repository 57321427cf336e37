/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of a process that runs, or of one that left a core file: its bytes by address, and the
 * files that it has mapped. Or that of a kernel: /proc/kcore, or the file that kdump(5) left.
 *
 * A process is only read, and not stopped. The kernel decides who may read it
 * (ptrace_may_access()).
 */
#pragma once

#include <sys/types.h>

#include "base/error.h"
#include "dwarf/elf/image.h"

/* A mapping of a file, or a part of a core file. */
struct memory_range {
	uint64_t start, end;
	uint64_t offset; /* in the file that is mapped */
	char *path;      /* of that file; NULL: none */
	uint64_t inode;  /* of that file; 0: not known */
	uint64_t at;     /* where a core file has the bytes */
	bool has_bytes;  /* it has them */
};

struct process_memory {
	int file; /* /proc/PID/mem, or the core file */
	bool is_core;
	uint64_t size;               /* of the core file */
	pid_t pid;                   /* 0: a core file does not say it */
	char *name;                  /* "process 12", "core" */
	char *program;               /* path of the main program; NULL: not known */
	bool is_kernel;              /* its note VMCOREINFO says the rest: */
	uint64_t moved;              /* how far it is from the addresses of its file */
	struct build_id build_id;    /* of its file; empty: not told */
	struct memory_range *ranges; /* sorted by address */
	size_t count, capacity;
};

/* Opens the memory of a process. Call it before sandbox_for(), after which the kernel refuses. */
struct error *process_memory_open(pid_t pid, struct process_memory *memory);
/* Opens a core file (ELF, 64 bits, little-endian). */
struct error *process_memory_open_core(const char *path, struct process_memory *memory);
void process_memory_close(struct process_memory *memory);

/* Returns the file that is mapped at an address, or in the memory before it, as the end of a
 * program's .bss is memory of its own; NULL: there is none. */
const struct memory_range *process_memory_file_at(const struct process_memory *memory,
						  uint64_t address);

/* Reads bytes. Returns how many could be read before the first that cannot. */
size_t process_memory_read(const struct process_memory *memory, uint64_t address, void *buffer,
			   size_t size);
