/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child process under ptrace(2). It is not in stepper.c because <signal.h> and disasm/insn.h
 * define the same names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/types.h>

struct tracee {
	pid_t child;
	int memory; /* /proc/PID/mem */
};

struct tracee_registers {
	uint64_t general[16]; /* by enum reg */
	uint64_t instruction;
};

/*
 * Starts a program and stops it after its exec. Returns false if processes cannot be traced here.
 */
bool tracee_start(struct tracee *tracee, const char *program);
void tracee_end(struct tracee *tracee);
/* Both return false if the process ended, or stopped for another reason than a trap. */
bool tracee_continue(struct tracee *tracee, struct tracee_registers *registers);
bool tracee_step(struct tracee *tracee, struct tracee_registers *registers);
bool tracee_read(const struct tracee *tracee, uint64_t address, void *buffer, size_t size);
