// SPDX-License-Identifier: GPL-2.0-or-later
/* A seccomp filter: see confined.h. */
#include "tests/support/confined.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

#define LOAD(field)         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOW_HALF(index)     BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[index]))
#define HIGH_HALF(index)    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[index]) + 4)
#define UNLESS(value, n)    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (n))
#define UNLESS_ANY(bits, n) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, (n))
#define RETURN(action)      BPF_STMT(BPF_RET | BPF_K, (action))
/* With the system call's number loaded */
#define KILL_FOR(call) UNLESS(__NR_##call, 1), RETURN(SECCOMP_RET_KILL_PROCESS)

void confine(const char *program)
{
	uint64_t allowed = (uint64_t)(uintptr_t)program;
	struct sock_filter filter[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
		/* open(path, flags) */
		UNLESS(__NR_open, 4),
		LOW_HALF(1),
		UNLESS_ANY(WRITING, 1),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		RETURN(SECCOMP_RET_ALLOW),
		/* openat(folder, path, flags) */
		UNLESS(__NR_openat, 4),
		LOW_HALF(2),
		UNLESS_ANY(WRITING, 1),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		RETURN(SECCOMP_RET_ALLOW),
		/* execve(path, ...) */
		UNLESS(__NR_execve, 6),
		LOW_HALF(0),
		UNLESS((uint32_t)allowed, 3),
		HIGH_HALF(0),
		UNLESS((uint32_t)(allowed >> 32), 1),
		RETURN(SECCOMP_RET_ALLOW),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		KILL_FOR(execveat),
		KILL_FOR(openat2),
		KILL_FOR(creat),
		KILL_FOR(unlink),
		KILL_FOR(unlinkat),
		KILL_FOR(rename),
		KILL_FOR(renameat2),
		KILL_FOR(mkdir),
		KILL_FOR(mkdirat),
		KILL_FOR(truncate),
		KILL_FOR(chmod),
		KILL_FOR(socket),
		RETURN(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog code = { .len = sizeof(filter) / sizeof(*filter), .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &code)) {
		perror("seccomp");
		_exit(126);
	}
}
