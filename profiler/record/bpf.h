/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf(2), for which the C library has no wrapper. */
#ifndef DTPROF_RECORD_BPF_H
#define DTPROF_RECORD_BPF_H

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns what the command returns, or -1 with errno. */
static inline int bpf_call(enum bpf_cmd command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

#endif
