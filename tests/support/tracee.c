// SPDX-License-Identifier: GPL-2.0-or-later
/* A child process under ptrace(2): see tracee.h. It is not in stepper.c because <signal.h> and
 * disasm/insn.h define the same names of registers. */
#include "tests/support/tracee.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static bool wait_for_trap(const struct tracee *tracee)
{
	int status;

	return waitpid(tracee->child, &status, 0) == tracee->child && WIFSTOPPED(status) &&
	       WSTOPSIG(status) == SIGTRAP;
}

/* Returns false on machines other than x86-64. */
static bool read_registers(const struct tracee *tracee, struct tracee_registers *registers)
{
#ifdef __x86_64__
	struct user_regs_struct all;

	if (ptrace(PTRACE_GETREGS, tracee->child, 0, &all))
		return false;
	*registers = (struct tracee_registers){
		.general = { all.rax, all.rdx, all.rcx, all.rbx, all.rsi, all.rdi, all.rbp, all.rsp,
			     all.r8, all.r9, all.r10, all.r11, all.r12, all.r13, all.r14, all.r15 },
		.instruction = all.rip,
	};
	return true;
#else
	(void)tracee, (void)registers;
	return false;
#endif
}

bool tracee_start(struct tracee *tracee, const char *program)
{
	char path[64];

	tracee->memory = -1;
	tracee->child = fork();
	if (tracee->child < 0)
		return false;
	if (!tracee->child) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, STDOUT_FILENO);
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			_exit(1);
		execl(program, program, (char *)NULL);
		_exit(1);
	}
	if (!wait_for_trap(tracee))
		return false;
	ptrace(PTRACE_SETOPTIONS, tracee->child, 0, PTRACE_O_EXITKILL);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)tracee->child);
	tracee->memory = open(path, O_RDONLY | O_CLOEXEC);
	return tracee->memory >= 0;
}

void tracee_end(struct tracee *tracee)
{
	if (tracee->child > 0) {
		kill(tracee->child, SIGKILL);
		waitpid(tracee->child, NULL, 0);
	}
	if (tracee->memory >= 0)
		close(tracee->memory);
}

bool tracee_continue(struct tracee *tracee, struct tracee_registers *registers)
{
	return !ptrace(PTRACE_CONT, tracee->child, 0, 0) && wait_for_trap(tracee) &&
	       read_registers(tracee, registers);
}

bool tracee_step(struct tracee *tracee, struct tracee_registers *registers)
{
	return !ptrace(PTRACE_SINGLESTEP, tracee->child, 0, 0) && wait_for_trap(tracee) &&
	       read_registers(tracee, registers);
}

bool tracee_read(const struct tracee *tracee, uint64_t address, void *buffer, size_t size)
{
	return pread(tracee->memory, buffer, size, (off_t)address) == (ssize_t)size;
}
